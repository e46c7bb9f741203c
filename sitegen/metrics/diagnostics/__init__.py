"""Diagnostics: small tables that show pass rates and failures in more detail than the scores.

`tables.make_diagnostics` computes them from a `sample.Sample`, which counts results for the rounds
that an `outline.Outline` arranges in a single row.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from sitegen.metrics.metric import Metric

FEWEST_LINES = 2
"""Minimum number of lines in a table: a single line can't be compared with anything."""


@dataclass(frozen=True, slots=True)
class Share:
    """A share k of n, as integers pooled over attempts and submissions."""

    k: int
    n: int

    @property
    def value(self) -> float | None:
        """The share, 0 to 1; None if n is 0."""
        return self.k / self.n if self.n else None


@dataclass(frozen=True, slots=True)
class MetricValue:
    """A metric's value that is not a share k of n, in the metric's unit."""

    value: float
    metric: Metric


Cell: TypeAlias = Share | MetricValue | int | None
"""A cell of a table: a measured value, a count, or a gap."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a diagnostic."""

    label: str
    cells: Sequence[Cell]
    """One cell per column."""
    group: str = ""
    """Label shared with neighbouring lines; empty if lines are not grouped."""

    @property
    def is_measured(self) -> bool:
        """Whether the line contains a measured value, not just counts."""
        return any(_is_value(cell) for cell in self.cells)

    def with_cell(self, column: int, cell: Cell) -> "Line":
        """Return the line with a cell inserted."""
        cells = list(self.cells)
        cells.insert(column, cell)
        return replace(self, cells=cells)


def _is_value(cell: Cell) -> bool:
    """Return whether a cell contains a measured value."""
    if isinstance(cell, Share):
        return cell.n > 0
    return isinstance(cell, MetricValue)


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A table of pass rates or failures."""

    id: str
    title: str
    sentence: str
    corner: str
    """Heading of the column of labels."""
    columns: Sequence[str]
    lines: Sequence[Line]
    """Lines that have a measured value."""
    total: Line | None = None
    """A line for all lines combined; None if a total would not be meaningful."""
    key: int = 0
    """Index of the column by which submissions are compared."""
    curve: Sequence[Line] = ()
    """Points of a curve, all over the same tasks; empty if there is no curve."""
    over: str = ""
    """The tasks behind the curve, in words."""

    @property
    def has_data(self) -> bool:
        """Whether there are enough lines to compare."""
        return len(self.lines) >= FEWEST_LINES


def add_overall_column(diagnostic: Diagnostic, overall: Diagnostic) -> Diagnostic:
    """Return a submission's diagnostic with a column for all submissions next to its key column.

    Args:
        diagnostic: The submission's diagnostic; it has data.
        overall: The same diagnostic for all submissions; a missing line becomes a gap.
    """
    column = diagnostic.key + 1
    overall_cells = {}
    for line in overall.lines:
        overall_cells[line.group, line.label] = line.cells[overall.key]
    values = [cell for cell in diagnostic.lines[0].cells if not isinstance(cell, int)]
    head = "All submissions"
    if len(values) != 1:
        head = f"{diagnostic.columns[diagnostic.key]}, all"
    lines = []
    for line in diagnostic.lines:
        overall_cell = overall_cells.get((line.group, line.label))
        lines.append(line.with_cell(column, overall_cell))
    total = diagnostic.total
    if total is not None:
        overall_total = None
        if overall.total:
            overall_total = overall.total.cells[overall.key]
        total = total.with_cell(column, overall_total)
    columns = [*diagnostic.columns[:column], head, *diagnostic.columns[column:]]
    return replace(diagnostic, columns=columns, lines=lines, total=total)
