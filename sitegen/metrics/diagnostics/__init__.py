"""Diagnostics: small tables that say how rounds went, beside the scores.

`tables.make_diagnostics` makes them of a `sample.Sample`, which counts the rounds that an
`outline.Outline` puts in one row.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from sitegen.metrics.metric import Metric

FEWEST_LINES = 2
"""A table of one line compares nothing."""


@dataclass(frozen=True, slots=True)
class Share:
    """k of n, in whole numbers, pooled over attempts and submissions."""

    k: int
    n: int

    @property
    def value(self) -> float | None:
        """The share, 0 to 1; None where n is 0."""
        return self.k / self.n if self.n else None


@dataclass(frozen=True, slots=True)
class MetricValue:
    """A metric's value that is not k of n, in the metric's unit."""

    value: float
    metric: Metric


Cell: TypeAlias = Share | MetricValue | int | None
"""A cell of a table: a measured value, a number of things, or a gap."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a diagnostic."""

    label: str
    cells: Sequence[Cell]
    """One per column."""
    group: str = ""
    """Label that it shares with the lines around it; empty where lines are not grouped."""

    @property
    def is_measured(self) -> bool:
        """Whether it holds a value, and not only numbers of things."""
        return any(_is_value(cell) for cell in self.cells)

    def with_cell(self, column: int, cell: Cell) -> "Line":
        """Return the line with one more cell."""
        cells = list(self.cells)
        cells.insert(column, cell)
        return replace(self, cells=cells)


def _is_value(cell: Cell) -> bool:
    """Return whether a cell holds a measured value."""
    if isinstance(cell, Share):
        return cell.n > 0
    return isinstance(cell, MetricValue)


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A table that says how rounds went."""

    id: str
    title: str
    sentence: str
    corner: str
    """Head of the column of labels."""
    columns: Sequence[str]
    lines: Sequence[Line]
    """Lines that hold a value."""
    total: Line | None = None
    """All lines together; None where that says nothing."""
    key: int = 0
    """Index of the column to compare submissions by."""
    curve: Sequence[Line] = ()
    """Points of a curve, all over the same tasks; empty where there is no curve."""
    over: str = ""
    """These tasks, in words."""

    @property
    def has_data(self) -> bool:
        """Whether there is something to compare."""
        return len(self.lines) >= FEWEST_LINES


def add_overall_column(diagnostic: Diagnostic, overall: Diagnostic) -> Diagnostic:
    """Return a submission's diagnostic with a column for all submissions beside its key column.

    Args:
        diagnostic: The submission's; it has data.
        overall: The same of all submissions; a line that it lacks is a gap.
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
