"""What a chart is: panels to draw, a sentence that says what they show, and their numbers as a table."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sitegen.charts.panel import Panel
from sitegen.metrics.metric import Metric


@dataclass(frozen=True, slots=True)
class Words:
    """What a page calls the things that its charts show.

    Attributes:
        names: Of agents, by the id of their row.
        title: Names a metric.
        unit: Gives a metric's unit as a head shows it.
    """

    names: Mapping[str, str]
    title: Callable[[Metric], str]
    unit: Callable[[Metric], str]

    def axis(self, metric: Metric) -> str:
        """Name a metric with its unit."""
        title, unit = self.title(metric), self.unit(metric)
        return title if unit in title.lower() else f"{title} ({unit})"


@dataclass(frozen=True, slots=True)
class Table:
    """The numbers behind a chart, as pages show them.

    Attributes:
        heads: Of all columns; the first column names the lines.
        lines: What each line is about, and one text a column; a dash is a gap.
    """

    heads: Sequence[str]
    lines: Sequence[tuple[str, Sequence[str]]]


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart with everything that stands around it.

    Attributes:
        id: Its name on pages.
        title: What readers see.
        sentence: What it shows.
        panels: What is drawn, side by side.
        table: The same numbers; None where the page has tables of them anyway.
    """

    id: str
    title: str
    sentence: str
    panels: Sequence[Panel]
    table: Table | None = None
