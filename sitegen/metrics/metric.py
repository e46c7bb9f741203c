"""What the catalogue says about a metric."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from sitegen.metrics.grids import Sheet
from sitegen.models.benchmark import Protocol

Unit = Literal["percent", "share", "tasks", "interactions", "turns", "thousand tokens", "USD", "minutes", "points"]


@dataclass(frozen=True, slots=True)
class Metric:
    """A row of the catalogue.

    Attributes:
        id: Name in files, addresses and code.
        title: What readers see.
        unit: Of the values that are shown and exported.
        direction: Which values are better.
        decimals: Digits after the point on pages.
        mean: What is averaged over what, in words.
        protocols: The protocols whose data it is defined on.
        compute: Gives the score in the unit; raises MetricError for a gap.
        function: The function that holds the definition, whose docstring the methods page shows.
        measurement: What it averages, where that has a definition of its own whose version goes with the value.
        pooling: What a score is a mean of: tasks that weigh the same, or rounds pooled over tasks. None where
            it is neither, so that drawing tasks again does not tell how sure it is.
        caveat: Says what to know of a score's evidence; None where there is nothing to say.
    """

    id: str
    title: str
    unit: Unit
    direction: Literal["higher", "lower"]
    decimals: int
    mean: str
    protocols: frozenset[Protocol]
    compute: Callable[[Sheet], float]
    function: Callable[..., float]
    measurement: str | None = None
    pooling: Literal["tasks", "rounds"] | None = None
    caveat: Callable[[Sheet], str | None] = lambda _: None

    @property
    def definition(self) -> str:
        """The definition in a sentence."""
        return (self.function.__doc__ or "").strip().splitlines()[0]

    @property
    def source(self) -> str:
        """Where the definition comes from."""
        return " ".join((self.function.__doc__ or "").split("Source:")[-1].split())
