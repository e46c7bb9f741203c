"""Parts of long tables: a page shows the first rows, and further pages show the others."""

from collections.abc import Sequence
from typing import NamedTuple

MAX_ROWS = 200
"""Maximum number of rows of a table on one page; a longer table continues on further pages."""


class RowPart(NamedTuple):
    """The rows of a table that are on one page."""

    number: int
    """The number of the part, from 1."""
    first: int
    """The position of its first row among the counted rows, from 1."""
    last: int
    """The position of its last counted row."""
    total: int
    """The number of counted rows in all parts."""
    rows: slice
    """The positions of its rows among all rows, including those not counted."""

    @property
    def span(self) -> str:
        """The range of its rows: "201 to 400"."""
        return f"{self.first:,} to {self.last:,}"


def row_parts(is_counted: Sequence[bool]) -> list[RowPart]:
    """Return the parts of a table, at least one, each with `MAX_ROWS` counted rows or fewer.

    Args:
        is_counted: For each row of the table, whether readers see it at first. Rows that are
            hidden until a reader asks for them stay behind the counted row before them.
    """
    starts = [0]
    firsts = [1]
    count = 0
    for index, counts in enumerate(is_counted):
        if counts and count and count % MAX_ROWS == 0:
            starts.append(index)
            firsts.append(count + 1)
        count += counts
    stops = [*starts[1:], len(is_counted)]
    lasts = [*(first - 1 for first in firsts[1:]), count]
    parts = []
    bounds = zip(firsts, lasts, starts, stops, strict=True)
    for number, (first, last, start, stop) in enumerate(bounds, start=1):
        parts.append(RowPart(number, first, last, count, slice(start, stop)))
    return parts
