"""What a diagnostic is: a small table that says how rounds went, beside the scores."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from sitegen.metrics.metric import Metric

FEWEST_LINES = 2
"""A table of one line compares nothing."""


@dataclass(frozen=True, slots=True)
class Share:
    """k of n, in whole numbers: attempts and submissions are pooled, each counts by itself."""

    k: int
    n: int

    @property
    def value(self) -> float | None:
        """The share, 0 to 1; None where there is nothing to have a share of."""
        return self.k / self.n if self.n else None


@dataclass(frozen=True, slots=True)
class Figure:
    """A metric's value that is no share of whole things, in the metric's unit."""

    value: float
    metric: Metric


Cell: TypeAlias = Share | Figure | int | None
"""What stands in a table: a measured value, a number of things, or a gap."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a diagnostic."""

    label: str
    cells: Sequence[Cell]
    """One a column."""
    group: str = ""
    """What it has in common with the lines around it; empty where lines are not grouped."""

    @property
    def is_measured(self) -> bool:
        """Whether it holds a value, and not only numbers of things."""
        return any(
            isinstance(cell, Figure) or (isinstance(cell, Share) and cell.n > 0)
            for cell in self.cells
        )

    def with_cell(self, place: int, cell: Cell) -> "Line":
        """The same with one more cell."""
        return replace(self, cells=[*self.cells[:place], cell, *self.cells[place:]])


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
    """Those that hold a value."""
    total: Line | None = None
    """All lines together; None where that says nothing."""
    key: int = 0
    """Place of the column to compare submissions by, from 0."""
    curve: Sequence[Line] = ()
    """Lines that all are over the same tasks, for a curve to go along; empty where no tasks are followed."""
    over: str = ""
    """These tasks, in words."""

    @property
    def has_data(self) -> bool:
        """Whether there is something to compare."""
        return len(self.lines) >= FEWEST_LINES


def beside(own: Diagnostic, others: Diagnostic) -> Diagnostic:
    """Set the key column of one submission's diagnostic, which has data, beside that of all submissions, line by line.

    A line that these lack is a gap.
    """
    place = own.key + 1
    found = {(line.group, line.label): line.cells[others.key] for line in others.lines}
    is_alone = sum(not isinstance(cell, int) for cell in own.lines[0].cells) == 1
    head = "All submissions" if is_alone else f"{own.columns[own.key]}, all"
    lines = [line.with_cell(place, found.get((line.group, line.label))) for line in own.lines]
    total = own.total
    if total is not None:
        total = total.with_cell(place, others.total.cells[others.key] if others.total else None)
    return replace(
        own, columns=[*own.columns[:place], head, *own.columns[place:]], lines=lines, total=total
    )
