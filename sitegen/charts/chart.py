"""Charts as plain values: panels to draw, a sentence about what they show, and their numbers."""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Literal, NamedTuple, TypeAlias

from sitegen.metrics.metric import Metric


@dataclass(frozen=True, slots=True)
class AxisScale:
    """The quantity on an axis."""

    title: str
    """The title of the axis, with its unit."""
    most: float | None = None
    """The largest possible value, such as 100 for percent; None if there is none."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A value with its interval, if it has one."""

    agent: int | None
    """The index of its agent on the board; None if the value belongs to no single agent."""
    name: str
    value: float
    text: str
    """The value as pages show it."""
    low: float | None = None
    high: float | None = None

    @property
    def ends(self) -> list[float]:
        """The value and, if it has one, both ends of its interval."""
        return [end for end in (self.value, self.low, self.high) if end is not None]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Values in rows, each drawn as a dot on its interval."""

    scale: AxisScale
    bars: Sequence[Bar]

    @property
    def title(self) -> str:
        """The title of the panel."""
        return self.scale.title


@dataclass(frozen=True, slots=True)
class BarList:
    """Values in rows across the whole page: bars, or dots on their intervals."""

    scale: AxisScale
    bars: Sequence[Bar]

    @property
    def title(self) -> str:
        """The title of the panel."""
        return self.scale.title


@dataclass(frozen=True, slots=True)
class Dot:
    """An agent with two scores: one on the x axis, one on the y axis."""

    agent: int
    """The index of the agent on the board."""
    name: str
    x: float
    y: float
    text: str
    """Both scores as pages show them."""
    low: float | None = None
    """The lower end of the 95 % interval of `y`; None if it is not known."""
    high: float | None = None
    """The upper end of the 95 % interval of `y`."""
    is_front: bool = False
    """Whether the agent is on the panel's Pareto front."""
    x_low: float | None = None
    """The lower end of the 95 % interval of `x`; None if it is not known."""
    x_high: float | None = None
    """The upper end of the 95 % interval of `x`."""
    note: str = ""
    """Why the agent can't be on the front, such as "over 4 of 5 rounds"; empty if it can."""


class ReferenceLine(NamedTuple):
    """A baseline's score, drawn as a line across a plot."""

    name: str
    value: float
    text: str
    """The value as pages show it."""


@dataclass(frozen=True, slots=True)
class Cloud:
    """Agents by two scores, in the board's order."""

    x: AxisScale
    y: AxisScale
    dots: Sequence[Dot]
    diagonal: str | None = None
    """The name of the line on which both scores are equal; None if they cannot be compared."""
    is_dated: bool = False
    """Whether `x` is a day, counted from the year 1."""
    references: Sequence[ReferenceLine] = ()
    """Scores of baselines on the y axis, which have no dots."""

    @property
    def title(self) -> str:
        """The title of the panel."""
        return f"{self.y.title} against {self.x.title}"


@dataclass(frozen=True, slots=True)
class StripPanel:
    """The scores of all agents on one kind of task, with their mean."""

    title: str
    ticks: Sequence[Bar]
    mean: float

    def tick(self, agent: int) -> Bar | None:
        """Return an agent's score; None if the agent has none."""
        for tick in self.ticks:
            if tick.agent == agent:
                return tick
        return None


@dataclass(frozen=True, slots=True)
class Strips:
    """The scores of all agents on the kinds of tasks of one axis, one kind per row."""

    axis: str
    scale: AxisScale
    strips: Sequence[StripPanel]

    @property
    def title(self) -> str:
        """The title of the panel."""
        return f"{self.scale.title} by {self.axis}"


CurveLook: TypeAlias = Literal["", "first", "second", "all"]
"""The style of a curve: the first or second row, all rows together, or plain."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A share at every step, in percent, with the name of the agent or group."""

    name: str
    values: Sequence[float]
    look: CurveLook = ""
    """"first" or "second" for the first rows of a board, "all" for all together, else empty."""


@dataclass(frozen=True, slots=True)
class Curves:
    """The shares of many agents at each step, over the same tasks.

    Only curves with a `look` are labelled.
    """

    title: str
    word: str
    """The noun for a step."""
    steps: Sequence[str]
    curves: Sequence[Curve]


@dataclass(frozen=True, slots=True)
class Heat:
    """Shares by agent and column, each shown as a shade with its number."""

    title: str
    columns: Sequence[tuple[str, str]]
    """The name of each column, and the number that it is based on."""
    rows: Sequence[tuple[str, Sequence[float | None]]]
    """The name of an agent, and its share in each column in percent; None if it is not known."""


Panel: TypeAlias = Ranking | Strips
"""A panel that is drawn during the build."""

Plot: TypeAlias = Cloud | Curves | Heat | BarList
"""A panel that the page draws itself, in percent of the available width."""


@dataclass(frozen=True, slots=True)
class ChartLabels:
    """The names of agents and metrics that a page uses in its charts."""

    names: Mapping[str, str]
    """The names of agents, by the id of their row."""
    title: Callable[[Metric], str]
    unit: Callable[[Metric], str]

    def axis(self, metric: Metric) -> str:
        """Return the name of a metric with its unit."""
        title = self.title(metric)
        unit = self.unit(metric)
        return title if unit in title.lower() else f"{title} ({unit})"


class Table(NamedTuple):
    """The numbers behind a chart."""

    heads: Sequence[str]
    lines: Sequence[tuple[str, Sequence[str]]]
    """The label of each line, and its cells, one for each head after the first."""

    @property
    def wordy(self) -> set[int]:
        """The indices of columns without any number."""
        return {column for column in range(1, len(self.heads)) if not self._has_number(column)}

    def _has_number(self, column: int) -> bool:
        return any(re.match(r"[\d+−]", texts[column - 1]) for _, texts in self.lines)


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart with its title, its sentence and its numbers."""

    id: str
    title: str
    sentence: str
    panels: Sequence[Panel | Plot]
    """The panels, side by side."""
    table: Table | None = None
    """The table of numbers; None if the page shows the numbers anyway."""


def digest_of(panel: Panel) -> str:
    """Return a digest of a panel's values and of the program that draws it."""
    return hashlib.sha256(f"{_program()} {panel!r}".encode()).hexdigest()[:24]


@cache
def _program() -> str:
    """Return a digest of this package's text and of the versions of the drawing libraries."""
    modules = [file for file in files(__package__).iterdir() if file.name.endswith(".py")]
    texts = sorted((module.name, module.read_text(encoding="utf-8")) for module in modules)
    versions = [version(name) for name in ("altair", "vl-convert-python")]
    return hashlib.sha256(repr((texts, versions)).encode()).hexdigest()
