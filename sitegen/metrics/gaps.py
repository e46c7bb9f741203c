"""Why a score can be missing, and how much of what it is defined over it has to be over."""

from typing import NamedTuple

from sitegen.problems import SitegenError, counted

ENOUGH = 80
"""A mean over fewer percent of what it is defined over is a gap."""


class MetricError(SitegenError):
    """A score can't be computed from what was measured: a gap, not a zero."""


class Extent(NamedTuple):
    """How many things a score is over, of those that it is defined over.

    Attributes:
        n: How many it is over.
        of: How many it is defined over.
        thing: One of them, in a word.
    """

    n: int
    of: int
    thing: str

    @property
    def is_part(self) -> bool:
        """Whether it is not over all of them."""
        return self.n < self.of

    @property
    def figures(self) -> str:
        """Both: "4 of 5"."""
        return f"{self.n:,} of {self.of:,}"

    @property
    def words(self) -> str:
        """Both, and what they are: "4 of 5 checkpoints"."""
        return f"{self.n:,} of {counted(self.of, self.thing)}"

    @property
    def is_enough(self) -> bool:
        """Whether it is over enough of them to speak for all."""
        return 100 * self.n >= ENOUGH * self.of

    def narrower(self, other: "Extent") -> "Extent":
        """Give this one or another, whichever is over the smaller part: of what less is known, that is a gap."""
        return other if other.n * max(self.of, 1) < self.n * max(other.of, 1) else self
