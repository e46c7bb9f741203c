"""What the catalogue says about a metric."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sitegen.metrics.docstring import INTRODUCTION, paragraphs, sections
from sitegen.metrics.gaps import ENOUGH, Extent, MetricError
from sitegen.metrics.grids import Sheet
from sitegen.models.benchmark import Protocol

Unit = Literal["percent", "share", "tasks", "interactions", "turns", "thousand tokens", "USD", "minutes", "points"]

Things = Literal["tasks", "rounds", "attempts", "rounds of attempts"]
"""What a score can count some of. Of the last two, each attempt at a task has its own."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What a metric makes of results.

    Attributes:
        value: In the metric's unit; None for a gap.
        extent: What the value is over, of what it is defined over; None where that is not known either.
        gap: Why there is no value.
    """

    value: float | None
    extent: Extent | None
    gap: str | None = None


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
        compute: Gives the score in the unit, over what there is; raises MetricError where there is nothing.
        over: Says what the score is over, of what it is defined over.
        function: The function that holds the definition, whose docstring the methods page shows.
        measurement: What it averages, where that has a definition of its own whose version goes with the value.
        caveat: Says what to know of a score's evidence; None where there is nothing to say.
        form: How the scores of single tasks make the score: as their mean, each with its weight, or as their
            sum. None where two other metrics make it.
        terms: The ids of these two: a score is the first less the second.
        weigh: Which part of its extent a task weighs in a mean that is pooled over the tasks: `n`, what is known, or
            `of`, where what is missing counts 0. Where it is not said, each task that has a score weighs 1.
        is_total: Whether it adds up what was taken, so that it is a gap where a part of that is not known.
        counts: What it is a share or a number of, so that it is k of n; None where it counts nothing.
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
    over: Callable[[Sheet], Extent]
    measurement: str | None = None
    caveat: Callable[[Sheet], str | None] = lambda _: None
    form: Literal["mean", "sum"] | None = "mean"
    terms: tuple[str, str] | None = None
    weigh: Literal["n", "of"] | None = None
    is_total: bool = False
    counts: Things | None = None
    observations: Callable[[Sheet], Sequence[float]] | None = None
    version: int = 1

    @property
    def highest(self) -> float | None:
        """The highest score that there can be; None where there is none, or another one for each task set."""
        return {"percent": 100.0, "share": 1.0}.get(self.unit)

    def measure(self, sheet: Sheet) -> Measured:
        """Compute the score; a gap where the results do not allow it, or tell too little of what it is over."""
        extent = None
        try:
            extent = self.over(sheet)
            value = self.compute(sheet)
        except MetricError as error:
            return Measured(None, extent, str(error))
        lack = self._lack(extent)
        return Measured(None if lack else value, extent, lack)

    def _lack(self, extent: Extent) -> str | None:
        """Say that too little is known for a score; None where there is enough."""
        if self.is_total and extent.is_part:
            return f"known for {extent.words}: a total with unknown parts is none"
        return None if extent.is_enough else f"known for {extent.words}, fewer than {ENOUGH} %"

    def weight(self, sheet: Sheet) -> int:
        """Tell how much results weigh in a mean that is pooled over the tasks."""
        extent = self.over(sheet)
        return extent.n if self.weigh == "n" else extent.of

    def count(self, sheet: Sheet, value: float) -> tuple[int, int] | None:
        """Give k of n, where the score counts some of the things that there are; None where it counts nothing.

        Args:
            sheet: Results.
            value: Their score.
        """
        match self.counts:
            case None:
                return None
            case "tasks":
                n = len(sheet.tasks)
            case "attempts":
                n = len(sheet.tasks) * sheet.made
            case _:
                n = self.over(sheet).of
        return round(value if self.unit == "tasks" else value / 100 * n), n

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
