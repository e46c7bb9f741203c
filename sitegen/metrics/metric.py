"""What the catalogue says about a metric."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sitegen.metrics.docstring import INTRODUCTION, paragraphs, sections
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
        caveat: Says what to know of a score's evidence; None where there is nothing to say.
        form: How the scores of single tasks make the score: as their mean, each with its weight, or as their
            sum. None where two other metrics make it.
        terms: The ids of these two: a score is the first less the second.
        weigh: How much some tasks weigh in such a mean, whether they have a score by themselves or not. Where it is
            not said, each task that has one weighs 1.
        observations: What it is a mean of, in the unit, where their standard deviation is shown beside it.
        version: Which definition this is, from 1. It goes up with every change that can move a score: releases keep
            it, so that the changelog can tell a changed definition from changed results.
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
    caveat: Callable[[Sheet], str | None] = lambda _: None
    form: Literal["mean", "sum"] | None = "mean"
    terms: tuple[str, str] | None = None
    weigh: Callable[[Sheet], float] | None = None
    observations: Callable[[Sheet], Sequence[float]] | None = None
    version: int = 1

    def spread(self, sheet: Sheet) -> float | None:
        """Compute the sample standard deviation of what it is a mean of.

        Args:
            sheet: Results that it has a score for.

        Returns:
            In the unit; None where there are fewer than two values, and for a metric that is shown without one.
        """
        values = self.observations(sheet) if self.observations else ()
        return float(np.std(values, ddof=1)) if len(values) > 1 else None

    @property
    def definition(self) -> str:
        """The definition in a sentence."""
        return paragraphs(self._told[INTRODUCTION])[0]

    @property
    def remarks(self) -> Sequence[str]:
        """What there is to say about the definition beyond that, one paragraph each."""
        return paragraphs(self._told[INTRODUCTION])[1:]

    @property
    def formula(self) -> str:
        """The definition as a formula."""
        return self._told["Formula"].partition("\n\n")[0]

    @property
    def letters(self) -> Mapping[str, str]:
        """What the letters and names of the formula stand for."""
        lines = self._told["Formula"].partition("\n\n")[2].splitlines()
        return {name: meaning for name, _, meaning in (line.partition(": ") for line in lines)}

    @property
    def gap(self) -> str:
        """When there is no score."""
        return " ".join(self._told["Raises"].partition(": ")[2].split())

    @property
    def source(self) -> str:
        """Where the definition comes from."""
        return " ".join(self._told["Source"].split())

    @property
    def _told(self) -> Mapping[str, str]:
        return sections(self.function.__doc__)
