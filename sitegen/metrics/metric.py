"""What a metric is: its definition, and every fact about it that other code relies on.

`Metric.measure` gives a submission's score, or the reason why there is none.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import cleandoc
from textwrap import dedent
from typing import Literal, NamedTuple, assert_never

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sitegen.metrics.contributions import Aggregation, TaskFractions
from sitegen.metrics.intervals import (
    INTERVAL_95,
    INTERVAL_APPROXIMATE,
)
from sitegen.metrics.results import ResultsBatch, SubmissionResults, measurement_versions
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

ValueRange = Literal["share", "open", "by unit"]
"""Between which values scores lie.

`share`: between 0 and 1 times the metric's factor; `open`: without a highest value; `by unit`:
between 0 and 100 % or 0 and 1 where the unit is percent or share, else without a highest value.
"""

CountedUnit = Literal["tasks", "rounds", "attempts", "rounds of attempts"]
"""What a score can count. Of the last two, each attempt at a task has its own."""

TaskWeighting = Literal["covered", "expected", "declared"]
"""What a task weighs in a mean over tasks.

`covered`: how many rounds or attempts its score is over; `expected`: also those that are missing
and count 0; `declared`: the weight that the benchmark declares for it, or for its group.
"""

Effort = Literal["cost", "steps", "tokens", "time"]

CHAIN: frozenset[Protocol] = frozenset({"chain"})
FAIL_STOP: frozenset[Protocol] = frozenset({"fail-stop"})
ONCE: frozenset[Protocol] = frozenset({"once"})
BY_ROUND = CHAIN | FAIL_STOP
"""Protocols whose agent works on one round after another."""
ALL = BY_ROUND | ONCE

MIN_COVERAGE = 80
"""A mean over fewer percent of what it is defined over is a gap."""

INTRODUCTION = ""
"""Key of the text before the first heading of a docstring."""

_HEADING = re.compile(r"^([A-Z][a-z]+):$", re.MULTILINE)


class MetricError(SitegenError):
    """A score cannot be computed from what was measured: a gap, not a zero."""


class Extent(NamedTuple):
    """How many rounds, attempts or tasks a score is over, of those that it is defined over."""

    covered: int
    """How many the score is over."""
    expected: int
    """How many it is defined over."""
    noun: str
    """The noun for one of them."""

    @property
    def is_part(self) -> bool:
        """Whether the score is over fewer than all of them."""
        return self.covered < self.expected

    @property
    def figures(self) -> str:
        """Both numbers: "4 of 5"."""
        return f"{self.covered:,} of {self.expected:,}"

    @property
    def words(self) -> str:
        """Both numbers with the noun: "4 of 5 checkpoints"."""
        return f"{self.covered:,} of {counted(self.expected, self.noun)}"

    @property
    def missing_words(self) -> str:
        """What the score is not over: "6 of 120 tasks"."""
        return f"{self.expected - self.covered:,} of {counted(self.expected, self.noun)}"

    def narrower(self, other_extent: "Extent") -> "Extent":
        """Return this extent or the other, whichever is the smaller part of its whole."""
        # The shares covered / expected, multiplied by both numbers expected.
        share = self.covered * max(other_extent.expected, 1)
        other_share = other_extent.covered * max(self.expected, 1)
        return other_extent if other_share < share else self


ExtentChoice = Literal["first", "second", "narrower"]
"""Which of two extents counts: one of them always, or the smaller part of its whole."""


class Extents(NamedTuple):
    """Two counts of how much of what a score is defined over is known, of which one counts."""

    first: Extent
    second: Extent
    choice: ExtentChoice
    """Which of them counts."""

    @property
    def deciding(self) -> Extent:
        """The one that counts."""
        match self.choice:
            case "first":
                return self.first
            case "second":
                return self.second
            case "narrower":
                return self.first.narrower(self.second)
            case _:
                assert_never(self.choice)


def task_extent(submission: SubmissionResults) -> Extent:
    """Return for how many tasks there are results; the others count 0."""
    task_count = len(submission.tasks)
    return Extent(task_count - len(submission.missing), task_count, "task")


def is_from_reference(result: RoundResult) -> bool:
    """Return whether a round began from the reference state."""
    return result.start == "reference"


@dataclass(frozen=True, slots=True)
class Measured:
    """The score that a metric gives results, or the reason why there is none."""

    value: float | None
    """In the metric's unit; None for a gap."""
    extent: Extent | None
    """What the value is over; None where that is unknown too."""
    gap: str | None = None
    """Why there is no value."""


class Definition(NamedTuple):
    """What a metric is, in words and as a formula."""

    sentence: str
    remarks: Sequence[str]
    """Further paragraphs of the definition."""
    formula: str
    letters: Mapping[str, str]
    """What the letters and names of the formula stand for."""
    gap: str
    """When there is no score."""
    source: str
    """The publication that defines it."""

    @classmethod
    def in_docstring(cls, docstring: str | None) -> "Definition":
        """Return the definition that the sections of a function's docstring hold.

        "Formula" has the formula of the function's value and, after an empty line, one letter per
        line with its meaning; indented lines continue the one before. "Gap" says when there is no
        score, and "Source" which publication defines it.
        """
        text_by_heading = sections(docstring)
        sentence, *remarks = paragraphs(text_by_heading[INTRODUCTION])
        formula, _, legend = text_by_heading["Formula"].partition("\n\n")
        letters = {}
        for line in re.sub(r"\n +", " ", legend).splitlines():
            letter, _, meaning = line.partition(": ")
            letters[letter] = meaning
        gap = " ".join(text_by_heading["Gap"].split())
        source = " ".join(text_by_heading["Source"].split())
        return cls(sentence, remarks, formula, letters, gap, source)


@dataclass(frozen=True, slots=True)
class Computation:
    """How a metric's scores are computed from results, and what of these it uses."""

    function: Callable[..., float]
    """The function that computes it, whose docstring the methods page shows.

    It returns a share where the unit is percent or points, and raises MetricError where there is
    nothing to compute from.
    """
    arguments: Callable[[SubmissionResults], tuple[object, ...]] = lambda submission: (
        submission.rewards,
    )
    """Return the arguments of the function."""
    extent: Callable[[SubmissionResults], Extent] = task_extent
    """Return how much a score is over, of what it is defined over."""
    extents: Callable[[SubmissionResults], Extents] | None = None
    """Return the two extents of which one is `extent`; None where it is a single count.

    Over several tasks each of the two adds up, but the one that counts need not.
    """
    accepts_record: Callable[[RoundResult], bool] | None = None
    """Return whether the metric can use a record; None where it uses each with a verdict."""
    needs_reference: bool = False
    """Whether it needs rounds that began from the reference state, which few tracks have."""
    score_batch: Callable[[ResultsBatch], ArrayLike] | None = None
    """Return the function's value for each task of a batch, shape (tasks,).

    Only for metrics that follow from the results of a task. Scoring many at once takes a fraction
    of the time.
    """
    split_scores: Callable[[Sequence[ResultsBatch], tuple[int, int]], TaskFractions] | None = None
    """Return the scores of submissions split by task, for metrics that are declared."""
    observations: Callable[[SubmissionResults], Sequence[float]] | None = None
    """Return the values it is a mean of, where their standard deviation is shown beside it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A metric: how it is computed, and what pages and checks need to know of it.

    It is defined beside its function and listed in the catalogue. Its fields say how it is shown,
    how it is computed and aggregated, what kind of score it is, and how it is defined.
    """

    id: str
    """Name in files, addresses and code."""

    # How it is shown
    title: str
    published_title: str = ""
    """What its source calls it, where readers see a clearer title."""
    unit: Unit
    """Of the values that are shown and exported."""
    decimals: int = 1
    """Digits after the point on pages."""
    averaging_words: str
    """What is averaged over what, in words."""
    caveat: Callable[[SubmissionResults], str | None] = lambda _: None
    """Return a caveat about a score's evidence; None where there is none."""

    # How it is computed, and how the scores of tasks make the score
    computation: Computation
    protocols: frozenset[Protocol]
    """Protocols whose data it is defined on."""
    aggregation: Aggregation | None = "mean"
    """How the scores of individual tasks make the score.

    None where two other metrics make it, and where only tables report it.
    """
    task_weighting: TaskWeighting | None = None
    """How the mean over tasks weighs a task; None where each task that has a score weighs 1."""
    difference_of: "tuple[Metric, Metric] | None" = None
    """The two metrics whose difference it is, the first minus the second."""
    ratio_of: "tuple[Metric, Metric] | None" = None
    """The two metrics whose ratio it is, the first divided by the second."""

    # What kind of score it is
    direction: Direction = "higher"
    counted_unit: CountedUnit | None = None
    """What it is a share or a number of, so that it is k of n; None where it counts nothing."""
    is_total: bool = False
    """Whether it adds up amounts, so that it is a gap where a part of them is unknown."""
    value_range: ValueRange = "by unit"
    """Between which values its scores lie."""
    effort: Effort | None = None
    """What it says an agent spent; None for a score of what was achieved."""
    measurement: str | None = None
    """The measurement it averages, which has a versioned definition of its own."""

    # How it is defined
    declared: Declared | None = None
    """The declaration that it was made of, if any."""
    is_benchmark_declared: bool = False
    """Whether a benchmark declares it, so that its title is shown as written."""
    stated_definition: Definition | None = None
    """The definition, where it does not stand in the function's docstring."""
    version: int | str = 1
    """Version of the definition, from 1, or the digest of a benchmark's own.

    It goes up with every change that can move a score. Releases keep it, so that the changelog
    can tell a changed definition from changed results.
    """

    @property
    def is_tested(self) -> bool:
        """Whether tests over tasks compare its scores.

        They take scores that tasks contribute to by addition, which a median is not.
        """
        return self.aggregation != "median"

    @property
    def needed_attempts(self) -> int:
        """How many attempts at a task it takes at least, by its declaration; 0 for any number."""
        if self.ratio_of is not None:
            return max(part.needed_attempts for part in self.ratio_of)
        if self.declared is None:
            return 0
        return self.declared.k or 0

    @property
    def is_plain_mean(self) -> bool:
        """Whether it is the mean of one score over tasks, each of the same weight."""
        return self.aggregation == "mean" and not self.task_weighting and not self.difference_of

    @property
    def highest(self) -> float | None:
        """The highest possible score.

        None where there is none, or where it depends on the task set.
        """
        match self.value_range:
            case "share":
                return float(self.factor)
            case "open":
                return None
            case "by unit":
                return {"percent": 100.0, "share": 1.0}.get(self.unit)
            case _:
                assert_never(self.value_range)

    @property
    def counts_missing_as_zero(self) -> bool:
        """Whether missing results count 0, as for verdicts.

        Means of costs and measurements leave them out.
        """
        if self.ratio_of is not None:
            return False
        return self.effort is None and self.measurement is None and not self.is_total

    @property
    def interval_words(self) -> str:
        """What intervals of its scores are called.

        Intervals of amounts do not hold 95 times in 100, but those of their medians do.
        """
        if self.is_bounded or self.difference_of is not None or self.aggregation == "median":
            return INTERVAL_95
        return INTERVAL_APPROXIMATE

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
        """Factor from the function's value to the unit."""
        return {"percent": 100, "points": 100, "minutes": 1 / 60}.get(self.unit, 1)

    @property
    def is_count(self) -> bool:
        """Whether it is a number of tasks."""
        return self.aggregation == "sum" and self.counted_unit == "tasks"

    def full_value(self, count: int) -> float:
        """Return its value where every one of the tasks, rounds or attempts counts."""
        return self.factor * (count if self.is_count else 1)

    def title_on(self, track: Track, benchmark: Benchmark) -> str:
        """Return its title on a track, with the number of attempts and the word for a round."""
        return self.title_for(track.attempts, benchmark.round_word.lower())

    def title_for(self, attempts: int, round_word: str) -> str:
        """Return its title with a number of attempts and a word for a round.

        The title of a metric that a benchmark declares stays as written.
        """
        if self.is_benchmark_declared:
            return self.title
        title = self.title.replace("@k", f"@{attempts}")
        return title.replace("per round", f"per {round_word}")

    def compute(self, submission: SubmissionResults) -> float:
        """Return the score over what there is, in the unit.

        Raises:
            MetricError: There is nothing to compute from.
        """
        return self.factor * self.computation.function(*self.computation.arguments(submission))

    def score_batch(self, batch: ResultsBatch) -> NDArray[np.float64]:
        """Return the score of each task of a batch, in the unit, shape (tasks,).

        Raises:
            MetricError: Scores do not follow from the results of individual tasks.
        """
        score_batch = self.computation.score_batch
        if score_batch is None:
            raise MetricError(f"{self.title} does not follow from the results of a task")
        return self.factor * np.asarray(score_batch(batch), dtype=np.float64)

    def measure(self, submission: SubmissionResults) -> Measured:
        """Return a submission's score.

        It is a gap where the results do not allow one, or cover too little of what it is over.
        """
        extent = None
        try:
            extent = self.computation.extent(submission)
            value = self.compute(submission)
        except MetricError as error:
            return Measured(None, extent, str(error))
        if self.is_total and extent.is_part:
            gap = f"known for only {extent.words}, so there is no total"
            return Measured(None, extent, gap)
        if 100 * extent.covered < MIN_COVERAGE * extent.expected:
            return Measured(
                None, extent, f"known for only {extent.words}, less than {MIN_COVERAGE} %"
            )
        return Measured(value, extent)

    def weight(self, submission: SubmissionResults) -> int:
        """Return how much results weigh in a mean that is pooled over the tasks."""
        extent = self.computation.extent(submission)
        return extent.covered if self.task_weighting == "covered" else extent.expected

    def count(self, submission: SubmissionResults, value: float) -> tuple[int, int] | None:
        """Return a score as k of n; None where the metric counts nothing."""
        match self.counted_unit:
            case None:
                return None
            case "tasks":
                n = len(submission.tasks)
            case "attempts":
                n = len(submission.tasks) * submission.attempts_made
            case "rounds" | "rounds of attempts":
                n = self.computation.extent(submission).expected
            case _:
                assert_never(self.counted_unit)
        return round(value / self.full_value(n) * n), n

    def standard_deviation(self, submission: SubmissionResults) -> float | None:
        """Return the sample standard deviation of the values a score is a mean of, in the unit.

        None where there are fewer than two values, and for a metric that is shown without one.
        """
        observations = self.computation.observations
        if observations is None:
            return None
        values = observations(submission)
        if len(values) <= 1:
            return None
        return self.factor * float(np.std(values, ddof=1))

    def version_in(self, submission: SubmissionResults) -> str | None:
        """Return the version of the definition that its measurement was made by.

        None for none, for several, and for a metric without a measurement.
        """
        if self.measurement is None:
            return None
        versions = measurement_versions(submission, self.measurement)
        if len(versions) != 1:
            return None
        return versions[0].partition("@")[2] or None

    @property
    def definition(self) -> Definition:
        """The definition, in words and as a formula of the values that are shown."""
        if self.stated_definition:
            return self.stated_definition
        definition = Definition.in_docstring(self.computation.function.__doc__)
        if self.unit != "percent":
            return definition
        # The function returns a share.
        formula = definition.formula.replace(" = ", " = 100 · ", 1)
        return definition._replace(formula=formula)


def sections(docstring: str | None) -> Mapping[str, str]:
    """Return the text of each section of a docstring by its heading.

    A heading is a capitalised word and a colon, alone on an unindented line. The text before the
    first one is the introduction.
    """
    introduction, *pieces = _HEADING.split(cleandoc(docstring or ""))
    text_by_heading = {INTRODUCTION: introduction.strip()}
    headings = pieces[::2]
    texts = pieces[1::2]
    for heading, text in zip(headings, texts, strict=True):
        text_by_heading[heading] = dedent(text).strip()
    return text_by_heading


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text, each on one line."""
    blocks = re.split(r"\n\s*\n", text)
    return [" ".join(block.split()) for block in blocks if block.strip()]
