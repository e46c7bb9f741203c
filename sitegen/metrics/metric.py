"""What a metric is: its definition, and every fact about it that others go by."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import cleandoc
from textwrap import dedent
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sitegen.metrics.grids import Sheet, Stack, versions_of
from sitegen.metrics.uncertainty import INTERVAL_95, INTERVAL_APPROXIMATE, TaskParts
from sitegen.models.benchmark import Benchmark, Protocol, Track
from sitegen.models.declared import Declared, DeclaredUnit, Direction
from sitegen.models.outcome import RoundResult
from sitegen.problems import SitegenError, counted

Unit = (
    Literal[
        "percent",
        "share",
        "tasks",
        "interactions",
        "turns",
        "thousand tokens",
        "USD",
        "minutes",
        "points",
    ]
    | DeclaredUnit
)

Things = Literal["tasks", "rounds", "attempts", "rounds of attempts"]
"""What a score can count some of. Of the last two, each attempt at a task has its own."""

Effort = Literal["cost", "steps", "tokens", "time"]

CHAIN: frozenset[Protocol] = frozenset({"chain"})
FAIL_STOP: frozenset[Protocol] = frozenset({"fail-stop"})
ONCE: frozenset[Protocol] = frozenset({"once"})
BY_ROUND = CHAIN | FAIL_STOP
"""Protocols whose agent works on one round after the other."""
ALL = BY_ROUND | ONCE

ENOUGH = 80
"""A mean over fewer percent of what it is defined over is a gap."""

INTRODUCTION = ""
"""Key of what stands before the first heading of a docstring."""

_HEADING = re.compile(r"^([A-Z][a-z]+):$", re.MULTILINE)


class MetricError(SitegenError):
    """A score can't be computed from what was measured: a gap, not a zero."""


class Extent(NamedTuple):
    """How many things a score is over, of those that it is defined over."""

    n: int
    of: int
    thing: str
    """One of them, in a word."""

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
    def missing_words(self) -> str:
        """What it is not over: "6 of 120 tasks"."""
        return f"{self.of - self.n:,} of {counted(self.of, self.thing)}"

    def narrower(self, other: "Extent") -> "Extent":
        """This one or another, whichever is over the smaller part: of what less is known, that is a gap."""
        return other if other.n * max(self.of, 1) < self.n * max(other.of, 1) else self


def known_tasks(sheet: Sheet) -> Extent:
    """The tasks that there are results for; the others count 0."""
    return Extent(len(sheet.tasks) - len(sheet.missing), len(sheet.tasks), "task")


def from_reference(result: RoundResult) -> bool:
    """Whether a round began from the reference state, which few tracks have."""
    return result.start == "reference"


@dataclass(frozen=True, slots=True)
class Measured:
    """What a metric makes of results."""

    value: float | None
    """In the metric's unit; None for a gap."""
    extent: Extent | None
    """What the value is over, of what it is defined over; None where that is not known either."""
    gap: str | None = None


class Definition(NamedTuple):
    """What a metric is, in words and as a formula."""

    sentence: str
    remarks: Sequence[str]
    """What there is to say beyond that, one paragraph each."""
    formula: str
    letters: Mapping[str, str]
    """What the letters and names of the formula stand for."""
    gap: str
    """When there is no score."""
    source: str
    """Where it comes from."""

    @classmethod
    def in_docstring(cls, docstring: str | None) -> "Definition":
        """Read it in the sections of a docstring."""
        told = sections(docstring)
        sentence, *remarks = paragraphs(told[INTRODUCTION])
        formula, _, letters = told["Formula"].partition("\n\n")
        meanings = dict(line.split(": ", 1) for line in letters.splitlines())
        gap = told["Raises"].partition(": ")[2]
        return cls(
            sentence,
            remarks,
            formula,
            meanings,
            " ".join(gap.split()),
            " ".join(told["Source"].split()),
        )


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric with all that is known of it. It stands beside its function, and is in the catalogue by that."""

    id: str
    """Name in files, addresses and code."""
    title: str
    unit: Unit
    """Of the values that are shown and exported."""
    mean: str
    """What is averaged over what, in words."""
    protocols: frozenset[Protocol]
    """Those whose data it is defined on."""
    function: Callable[..., float]
    """The function that holds the definition, whose docstring the methods page shows: a share where the unit is percent
    or points; raises MetricError where there is nothing to compute from."""
    takes: Callable[[Sheet], tuple[object, ...]] = lambda sheet: (sheet.rewards,)
    """What of a submission's results the function takes."""
    direction: Direction = "higher"
    decimals: int = 1
    """Digits after the point on pages."""
    over: Callable[[Sheet], Extent] = known_tasks
    """What a score is over, of what it is defined over."""
    of_task: Callable[[Stack], ArrayLike] | None = None
    """What the function gives of each grid of a stack, shape (grids,). Only for metrics that follow from the grid of a
    task: scoring many at once takes a fraction of the time."""
    table: Callable[[Sequence[Stack], tuple[int, int]], TaskParts] | None = None
    """The function's values by submission and task, for metrics that are declared."""
    declared: Declared | None = None
    """What it was made of, where it is declared."""
    definition: Definition | None = None
    """Where that does not stand in the function's docstring."""
    is_own: bool = False
    """Whether a benchmark declares it: its title is shown as it is written."""
    form: Literal["mean", "sum"] | None = "mean"
    """How the scores of single tasks make the score: as their mean, each with its weight, or as their sum. None where
    two other metrics make it."""
    terms: "tuple[Metric, Metric] | None" = None
    """These two: a score is the first less the second."""
    weigh: Literal["n", "of", "own"] | None = None
    """Which part of its extent a task weighs in a mean that is pooled over the tasks: what is known, or also what is
    missing and counts 0; or the task's own weight. Where it is not said, each task that has a score weighs 1."""
    counts: Things | None = None
    """What it is a share or a number of, so that it is k of n; None where it counts nothing."""
    is_total: bool = False
    """Whether it adds up what was taken, so that it is a gap where a part of that is not known."""
    effort: Effort | None = None
    """What it tells an agent to have spent; None for a score of what came of it."""
    needs: Callable[[RoundResult], bool] | None = None
    """What a record must tell so that it counts here; None where its verdict does."""
    measurement: str | None = None
    """What it averages, where that has a definition of its own whose version goes with the value."""
    observations: Callable[[Sheet], Sequence[float]] | None = None
    """What it is a mean of, as the function has it, where their standard deviation is shown beside it."""
    caveat: Callable[[Sheet], str | None] = lambda _: None
    """What to know of a score's evidence; None where there is nothing to say."""
    is_share: bool | None = None
    """Whether it lies between 0 and 1 times its factor; None where its unit tells."""
    version: int | str = 1
    """Which definition this is, from 1, or the digest of a benchmark's own. It goes up with every change that can
    move a score: releases keep it, so that the changelog can tell a changed definition from changed results."""

    @property
    def is_plain_mean(self) -> bool:
        """Whether it is the mean over tasks of one thing, in which each task weighs the same."""
        return self.form == "mean" and not self.weigh and not self.terms

    @property
    def highest(self) -> float | None:
        """The highest score that there can be; None where there is none, or another one for each task set."""
        if self.is_share is None:
            return {"percent": 100.0, "share": 1.0}.get(self.unit)
        return float(self.factor) if self.is_share else None

    @property
    def counts_missing_as_zero(self) -> bool:
        """Whether what is missing counts 0, as for verdicts; means of costs and measurements leave it out."""
        return self.effort is None and self.measurement is None and not self.is_total

    @property
    def interval_words(self) -> str:
        """What intervals of its scores are called: those of amounts do not hold 95 times in 100."""
        return INTERVAL_95 if self.is_bounded or self.terms is not None else INTERVAL_APPROXIMATE

    @property
    def difference_interval_words(self) -> str:
        """What intervals of the difference between two of its scores are called."""
        return INTERVAL_95 if self.is_bounded else INTERVAL_APPROXIMATE

    @property
    def is_bounded(self) -> bool:
        """Whether there is a highest score, in general or for each task set."""
        return self.highest is not None or self.is_count

    @property
    def factor(self) -> float:
        """What the function gives, times this, is in the unit."""
        return {"percent": 100, "points": 100, "minutes": 1 / 60}.get(self.unit, 1)

    @property
    def is_count(self) -> bool:
        """Whether it is a number of tasks."""
        return self.form == "sum" and self.counts == "tasks"

    def full(self, things: int) -> float:
        """Its value where it counts all of so many things."""
        return self.factor * (things if self.is_count else 1)

    def title_on(self, track: Track, benchmark: Benchmark) -> str:
        """What a track calls it: with its number of attempts, and with the benchmark's word for a round."""
        return self.named(track.attempts, benchmark.round_word.lower())

    def named(self, attempts: int, word: str) -> str:
        """What it is called with a number of attempts and a word for a round; one that is declared as it is written."""
        if self.is_own:
            return self.title
        return self.title.replace("@k", f"@{attempts}").replace("per round", f"per {word}")

    def compute(self, sheet: Sheet) -> float:
        """The score over what there is, in the unit; raises MetricError where there is nothing."""
        return self.factor * self.function(*self.takes(sheet))

    def scores(self, stack: Stack) -> NDArray[np.float64]:
        """What each submission of a stack scores on its task, in the unit; only for metrics with `of_task`."""
        if self.of_task is None:
            raise MetricError(f"{self.title} does not follow from the grid of a task")
        return self.factor * np.asarray(self.of_task(stack), dtype=np.float64)

    def measure(self, sheet: Sheet) -> Measured:
        """The score; a gap where the results do not allow it, or tell too little of what it is over."""
        extent = lack = None
        try:
            extent = self.over(sheet)
            value = self.compute(sheet)
        except MetricError as error:
            return Measured(None, extent, str(error))
        if self.is_total and extent.is_part:
            lack = f"known for {extent.words}: a total with unknown parts is none"
        elif 100 * extent.n < ENOUGH * extent.of:
            lack = f"known for {extent.words}, fewer than {ENOUGH} %"
        return Measured(None if lack else value, extent, lack)

    def weight(self, sheet: Sheet) -> int:
        """How much results weigh in a mean that is pooled over the tasks."""
        extent = self.over(sheet)
        return extent.n if self.weigh == "n" else extent.of

    def count(self, sheet: Sheet, value: float) -> tuple[int, int] | None:
        """K of n, where a score of results counts some of the things that there are; None where it counts nothing."""
        match self.counts:
            case None:
                return None
            case "tasks":
                n = len(sheet.tasks)
            case "attempts":
                n = len(sheet.tasks) * sheet.made
            case _:
                n = self.over(sheet).of
        return round(value / self.full(n) * n), n

    def spread(self, sheet: Sheet) -> float | None:
        """The sample standard deviation of what a score is a mean of, in the unit.

        None where there are fewer than two values, and for a metric that is shown without one.
        """
        values = self.observations(sheet) if self.observations else ()
        return self.factor * float(np.std(values, ddof=1)) if len(values) > 1 else None

    def version_in(self, sheet: Sheet) -> str | None:
        """By which version of its definition its measurement was made; None for none, several, or no measurement."""
        found = versions_of(sheet, self.measurement) if self.measurement else []
        return found[0].partition("@")[2] or None if len(found) == 1 else None

    @property
    def told(self) -> Definition:
        """What it is, in words and as a formula."""
        return self.definition or Definition.in_docstring(self.function.__doc__)


def sections(docstring: str | None) -> Mapping[str, str]:
    """The text of each section of a docstring by its heading, so that a definition is told once.

    A heading is a capitalised word and a colon, alone on an unindented line; what comes before the first one is the
    introduction.
    """
    first, *others = _HEADING.split(cleandoc(docstring or ""))
    texts = zip(others[::2], others[1::2], strict=True)
    return {INTRODUCTION: first.strip()} | {
        heading: dedent(text).strip() for heading, text in texts
    }


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a text, each on one line."""
    return [" ".join(each.split()) for each in re.split(r"\n\s*\n", text) if each.strip()]
