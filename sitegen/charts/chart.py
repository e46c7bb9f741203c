"""What a chart is, as plain values: panels to draw, a sentence that says what they show, and their numbers."""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import NamedTuple, TypeAlias

from sitegen.metrics.metric import Metric


@dataclass(frozen=True, slots=True)
class Scale:
    """What an axis measures."""

    title: str
    """With its unit."""
    most: float | None = None
    """No value is larger, as 100 for percent; None where values have no bound."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A value with its interval, where it has one."""

    agent: int | None
    """Place of its agent on the board, from 0; None where the value is of no single agent."""
    name: str
    value: float
    text: str
    """The value as pages show it."""
    low: float | None = None
    high: float | None = None

    @property
    def ends(self) -> list[float]:
        """The value and, where it has one, both ends of its interval."""
        return [end for end in (self.value, self.low, self.high) if end is not None]


@dataclass(frozen=True, slots=True)
class Ranking:
    """One value below the other, each drawn as a dot on its interval."""

    scale: Scale
    bars: Sequence[Bar]

    @property
    def title(self) -> str:
        """What is drawn."""
        return self.scale.title


@dataclass(frozen=True, slots=True)
class Dot:
    """An agent between two scores: one to the right, one upwards."""

    agent: int
    """Place on the board, from 0."""
    name: str
    x: float
    y: float
    text: str
    """Both scores as pages show them."""
    low: float | None = None
    """Lower end of the 95 % interval of the score upwards, as `high` is the upper one; None where nothing tells it."""
    high: float | None = None
    is_front: bool = False
    """Whether the panel's front goes through it."""
    x_low: float | None = None
    """Lower end of the interval to the right, as `x_high` is the upper one; None where nothing tells it."""
    x_high: float | None = None
    note: str = ""
    """Why it is no candidate for the front, such as "over 4 of 5 rounds"; empty where it is one."""


@dataclass(frozen=True, slots=True)
class Cloud:
    """Agents between two scores, in the board's order."""

    x: Scale
    y: Scale
    dots: Sequence[Dot]
    diagonal: str | None = None
    """What to call the line where both scores are equal; None where they can't be compared."""
    is_dated: bool = False
    """Whether what goes to the right are days, counted from the year 1."""

    @property
    def title(self) -> str:
        """What is drawn."""
        return f"{self.y.title} against {self.x.title}"


@dataclass(frozen=True, slots=True)
class Strip:
    """The scores of all agents on one kind of tasks, with their mean."""

    title: str
    ticks: Sequence[Bar]
    mean: float

    def tick(self, agent: int) -> Bar | None:
        """Find an agent's score; None where it has none."""
        return next((tick for tick in self.ticks if tick.agent == agent), None)


@dataclass(frozen=True, slots=True)
class Strips:
    """The scores of all agents on several kinds of tasks, which an axis tells apart, one kind below the other."""

    axis: str
    scale: Scale
    strips: Sequence[Strip]

    @property
    def title(self) -> str:
        """What is drawn."""
        return f"{self.scale.title} by {self.axis}"


@dataclass(frozen=True, slots=True)
class Curve:
    """A share at every step, in percent, and whose it is."""

    name: str
    values: Sequence[float]
    look: str = ""
    """"first" or "second" for the first rows of a board, "all" for all rows together; empty for another row."""


@dataclass(frozen=True, slots=True)
class Curves:
    """Shares of many rows from step to step, all over the same tasks; those with a look are named at their end."""

    title: str
    word: str
    """What a step is called."""
    steps: Sequence[str]
    curves: Sequence[Curve]


@dataclass(frozen=True, slots=True)
class Heat:
    """Shares by agent and column, each a shade with its number: a table, which says its numbers itself."""

    title: str
    columns: Sequence[tuple[str, str]]
    """What each column is, and over how much."""
    rows: Sequence[tuple[str, Sequence[float | None]]]
    """An agent's name, and its share of each column, in percent; None where there is none."""


Panel: TypeAlias = Ranking | Strips
"""What is drawn beside the build."""

Plot: TypeAlias = Cloud | Curves | Heat
"""What a page draws itself, in percent of the width that it has."""


@dataclass(frozen=True, slots=True)
class Words:
    """What a page calls the things that its charts show."""

    names: Mapping[str, str]
    """Of agents, by the id of their row."""
    title: Callable[[Metric], str]
    unit: Callable[[Metric], str]

    def axis(self, metric: Metric) -> str:
        """Name a metric with its unit."""
        title, unit = self.title(metric), self.unit(metric)
        return title if unit in title.lower() else f"{title} ({unit})"


class Table(NamedTuple):
    """The numbers behind a chart: what each line is about, and one text for each head after the first."""

    heads: Sequence[str]
    lines: Sequence[tuple[str, Sequence[str]]]

    @property
    def wordy(self) -> set[int]:
        """The places of columns that hold no number."""
        told = range(1, len(self.heads))
        return {
            at
            for at in told
            if not any(re.match(r"[\d+−]", texts[at - 1]) for _, texts in self.lines)
        }


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart with everything that stands around it."""

    id: str
    title: str
    sentence: str
    panels: Sequence[Panel | Plot]
    """Side by side."""
    table: Table | None = None
    """None where the page has tables of the numbers anyway."""


def digest_of(panel: Panel) -> str:
    """Tell a drawing from every other: that of other values, and that of another version of this program."""
    return hashlib.sha256(f"{_program()} {panel!r}".encode()).hexdigest()[:24]


@cache
def _program() -> str:
    """Tell what draws: the text of this package, and the versions of the libraries that draw."""
    own = [file for file in files(__package__).iterdir() if file.name.endswith(".py")]
    texts = sorted((file.name, file.read_text(encoding="utf-8")) for file in own)
    versions = [version(name) for name in ("altair", "vl-convert-python")]
    return hashlib.sha256(repr((texts, versions)).encode()).hexdigest()
