"""Metrics: their definitions, and the facts about them on which other code relies.

`Metric.measure` returns a submission's score, or the reason why there is none.
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
"""The range of possible scores.

`share`: between 0 and 1 times the metric's factor; `open`: without a highest value; `by unit`:
between 0 and 100 % or 0 and 1 if the unit is percent or share, else without a highest value.
"""

CountedUnit = Literal["tasks", "rounds", "attempts", "rounds of attempts"]
"""The unit that a score can count. The last two units count each attempt at a task separately."""

TaskWeighting = Literal["covered", "expected", "declared"]
"""The weight of a task in a mean over tasks.

`covered`: the number of rounds or attempts behind its score; `expected`: the same, including
missing ones, which count as 0; `declared`: the weight that the benchmark declares for the task or
for its group.
"""

Effort = Literal["cost", "steps", "tokens", "time"]

CHAIN: frozenset[Protocol] = frozenset({"chain"})
FAIL_STOP: frozenset[Protocol] = frozenset({"fail-stop"})
ONCE: frozenset[Protocol] = frozenset({"once"})
BY_ROUND = CHAIN | FAIL_STOP
"""Protocols in which the agent works on one round after another."""
ALL = BY_ROUND | ONCE

MIN_COVERAGE = 80
"""Minimum percentage of the expected results that a score must cover; with less, it is a gap."""

INTRODUCTION = ""
"""Key of the text before the first heading of a docstring."""

_HEADING = re.compile(r"^([A-Z][a-z]+):$", re.MULTILINE)


class MetricError(SitegenError):
    """A score cannot be computed from the results: a gap, not a zero."""


class Extent(NamedTuple):
    """The number of rounds, attempts or tasks that a score covers, out of those expected."""

    covered: int
    """The number that the score covers."""
    expected: int
    """The number over which the score is defined."""
    noun: str
    """The singular noun for the items counted."""

    @property
    def is_part(self) -> bool:
        """Whether the score covers fewer than the expected number."""
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
        """The part that the score does not cover, in words: "6 of 120 tasks"."""
        return f"{self.expected - self.covered:,} of {counted(self.expected, self.noun)}"

    def narrower(self, other_extent: "Extent") -> "Extent":
        """Return this extent or the other, whichever covers the smaller share."""
        # Compares covered / expected of both extents, multiplied by both expected numbers.
        share = self.covered * max(other_extent.expected, 1)
        other_share = other_extent.covered * max(self.expected, 1)
        return other_extent if other_share < share else self


ExtentChoice = Literal["first", "second", "narrower"]
"""Which of two extents counts: the first, the second, or the extent with the smaller share."""


class Extents(NamedTuple):
    """Two extents of a score, counted in different units, one of which decides."""

    first: Extent
    second: Extent
    choice: ExtentChoice
    """Which of the two extents decides."""

    @property
    def deciding(self) -> Extent:
        """The extent that decides."""
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
    """Return how many tasks have results; all other tasks count as 0."""
    task_count = len(submission.tasks)
    return Extent(task_count - len(submission.missing), task_count, "task")


def is_from_reference(result: RoundResult) -> bool:
    """Return whether a round was started from the reference state."""
    return result.start == "reference"


@dataclass(frozen=True, slots=True)
class Measured:
    """The score of a metric on some results, or the reason why there is none."""

    value: float | None
    """The score, in the metric's unit; None for a gap."""
    extent: Extent | None
    """The extent of the value; None if that is unknown as well."""
    gap: str | None = None
    """Why there is no value."""


class Definition(NamedTuple):
    """The definition of a metric, in words and as a formula."""

    sentence: str
    remarks: Sequence[str]
    """Further paragraphs of the definition."""
    formula: str
    letters: Mapping[str, str]
    """The meanings of the letters and names in the formula."""
    gap: str
    """The conditions under which there is no score."""
    source: str
    """The publication that defines the metric."""

    @classmethod
    def in_docstring(cls, docstring: str | None) -> "Definition":
        """Return the definition that the sections of a function's docstring state.

        "Formula" has the formula of the function's value and, after an empty line, one letter per
        line with its meaning; indented lines continue the previous line. "Gap" states when there is
        no score, and "Source" names the publication that defines the metric.
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
    """How a metric's scores are computed from results, and which results are used."""

    function: Callable[..., float]
    """The function that computes the score; the methods page shows its docstring.

    It returns a share if the unit is percent or points, and raises MetricError if there is nothing
    to compute from.
    """
    arguments: Callable[[SubmissionResults], tuple[object, ...]] = lambda submission: (
        submission.rewards,
    )
    """Return the arguments of the function."""
    extent: Callable[[SubmissionResults], Extent] = task_extent
    """Return how much of its expected results a score covers."""
    extents: Callable[[SubmissionResults], Extents] | None = None
    """Return two extents, of which `extent` is one; None if there is only a single count.

    Over several tasks each of the two extents adds up, but the deciding extent need not.
    """
    accepts_record: Callable[[RoundResult], bool] | None = None
    """Return whether the metric can use a record; None if it uses every record with a verdict."""
    needs_reference: bool = False
    """Whether the metric needs rounds started from the reference state, which few tracks have."""
    score_batch: Callable[[ResultsBatch], ArrayLike] | None = None
    """Return the function's value for each task of a batch, shape (tasks,).

    Only for metrics that can be computed for single tasks. Scoring many tasks at once takes a
    fraction of the time.
    """
    split_scores: Callable[[Sequence[ResultsBatch], tuple[int, int]], TaskFractions] | None = None
    """Return the scores of submissions split by task, for declared metrics."""
    observations: Callable[[SubmissionResults], Sequence[float]] | None = None
    """Return the values of which the score is a mean, if pages show their standard deviation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A metric: its computation, and what pages and checks need to know about it.

    A metric is defined next to its function and listed in the catalogue. Its fields say how it is
    shown, how it is computed and aggregated, what kind of score it is, and how it is defined.
    """

    id: str
    """Name in files, URLs and code."""

    # How it is shown
    title: str
    published_title: str = ""
    """Name used by its source, if readers see a clearer title."""
    unit: Unit
    """Unit of displayed and exported values."""
    decimals: int = 1
    """Number of decimal places on pages."""
    averaging_words: str
    """The averaging steps of the score, in words."""
    caveat: Callable[[SubmissionResults], str | None] = lambda _: None
    """Return a caveat about a score's evidence; None if there is no caveat."""

    # How it is computed, and how the scores of tasks make the score
    computation: Computation
    protocols: frozenset[Protocol]
    """Protocols for whose results the metric is defined."""
    aggregation: Aggregation | None = "mean"
    """How the scores of individual tasks are combined into the score.

    None if the score is computed from two other metrics, or only reported in tables.
    """
    task_weighting: TaskWeighting | None = None
    """The weight of a task in the mean over tasks; None if every task with a score has weight 1."""
    difference_of: "tuple[Metric, Metric] | None" = None
    """The two metrics whose difference the metric is, the first minus the second."""
    ratio_of: "tuple[Metric, Metric] | None" = None
    """The two metrics whose ratio the metric is, the first divided by the second."""

    # What kind of score it is
    direction: Direction = "higher"
    counted_unit: CountedUnit | None = None
    """The unit that the score counts, as k of n or as a number; None if it is not a count."""
    is_total: bool = False
    """Whether the metric adds up amounts, so that it is a gap if some amounts are unknown."""
    value_range: ValueRange = "by unit"
    """The range of possible scores."""
    effort: Effort | None = None
    """The kind of effort that the metric measures; None for a score of achievement."""
    measurement: str | None = None
    """The measurement that the metric averages, which has its own versioned definition."""

    # How it is defined
    declared: Declared | None = None
    """The declaration from which the metric was built, if any."""
    is_benchmark_declared: bool = False
    """Whether a benchmark declares the metric, so that its title is shown as written."""
    stated_definition: Definition | None = None
    """The definition, if it is not in the function's docstring."""
    version: int | str = 1
    """Version of the definition, from 1, or the digest of a benchmark's own definition.

    The version goes up with every change that can change a score. Releases store it, so that the
    changelog can distinguish a changed definition from changed results.
    """

    @property
    def is_tested(self) -> bool:
        """Whether tests over tasks compare the metric's scores.

        These tests need scores that are sums of contributions of tasks, which a median is not.
        """
        return self.aggregation != "median"

    @property
    def needed_attempts(self) -> int:
        """Minimum number of attempts at a task that the declaration requires; 0 for any number."""
        if self.ratio_of is not None:
            return max(part.needed_attempts for part in self.ratio_of)
        if self.declared is None:
            return 0
        return self.declared.k or 0

    @property
    def is_plain_mean(self) -> bool:
        """Whether the metric is a mean of scores over tasks of equal weight."""
        return self.aggregation == "mean" and not self.task_weighting and not self.difference_of

    @property
    def highest(self) -> float | None:
        """The highest possible score.

        None if there is none, or if it depends on the task set.
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
        """Whether missing results count as 0, as they do for verdicts.

        Means of costs and measurements leave missing results out.
        """
        if self.ratio_of is not None:
            return False
        return self.effort is None and self.measurement is None and not self.is_total

    @property
    def interval_words(self) -> str:
        """The name of intervals of the metric's scores.

        Intervals of amounts cover the true value less than 95 % of the time; intervals of medians
        do not.
        """
        if self.is_bounded or self.difference_of is not None or self.aggregation == "median":
            return INTERVAL_95
        return INTERVAL_APPROXIMATE

    @property
    def difference_interval_words(self) -> str:
        """The name of intervals of the difference between two of the metric's scores."""
        return INTERVAL_95 if self.is_bounded else INTERVAL_APPROXIMATE

    @property
    def is_bounded(self) -> bool:
        """Whether there is a highest score, in general or for each task set."""
        return self.highest is not None or self.is_count

    @property
    def factor(self) -> float:
        """Factor that converts the function's value to the unit."""
        return {"percent": 100, "points": 100, "minutes": 1 / 60}.get(self.unit, 1)

    @property
    def is_count(self) -> bool:
        """Whether the metric is a number of tasks."""
        return self.aggregation == "sum" and self.counted_unit == "tasks"

    def full_value(self, count: int) -> float:
        """Return the metric's value if every one of the tasks, rounds or attempts counts."""
        return self.factor * (count if self.is_count else 1)

    def title_on(self, track: Track, benchmark: Benchmark) -> str:
        """Return the title on a track, with its number of attempts and word for a round."""
        return self.title_for(track.attempts, benchmark.round_word.lower())

    def title_for(self, attempts: int, round_word: str) -> str:
        """Return the title with a number of attempts and a word for a round.

        The title of a benchmark-declared metric is returned as written.
        """
        if self.is_benchmark_declared:
            return self.title
        title = self.title.replace("@k", f"@{attempts}")
        return title.replace("per round", f"per {round_word}")

    def compute(self, submission: SubmissionResults) -> float:
        """Return the score over the available results, in the metric's unit.

        Raises:
            MetricError: There is nothing to compute from.
        """
        return self.factor * self.computation.function(*self.computation.arguments(submission))

    def score_batch(self, batch: ResultsBatch) -> NDArray[np.float64]:
        """Return the score of each task of a batch, in the metric's unit, shape (tasks,).

        Raises:
            MetricError: Scores cannot be computed for single tasks.
        """
        score_batch = self.computation.score_batch
        if score_batch is None:
            raise MetricError(f"{self.title} does not follow from the results of a task")
        return self.factor * np.asarray(score_batch(batch), dtype=np.float64)

    def measure(self, submission: SubmissionResults) -> Measured:
        """Return a submission's score.

        It is a gap if the results do not allow a score, or cover too little of the expected
        results.
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
        """Return the weight of results in a mean that is pooled over tasks."""
        extent = self.computation.extent(submission)
        return extent.covered if self.task_weighting == "covered" else extent.expected

    def count(self, submission: SubmissionResults, value: float) -> tuple[int, int] | None:
        """Return a score as k of n; None if the metric is not a count."""
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
        """Return the sample standard deviation of the values behind a mean, in the metric's unit.

        None if there are fewer than two values, or if the metric is shown without a standard
        deviation.
        """
        observations = self.computation.observations
        if observations is None:
            return None
        values = observations(submission)
        if len(values) <= 1:
            return None
        return self.factor * float(np.std(values, ddof=1))

    def version_in(self, submission: SubmissionResults) -> str | None:
        """Return the version of the definition by which the metric's measurement was made.

        None if there is no version or more than one, or if the metric has no measurement.
        """
        if self.measurement is None:
            return None
        versions = measurement_versions(submission, self.measurement)
        if len(versions) != 1:
            return None
        return versions[0].partition("@")[2] or None

    @property
    def definition(self) -> Definition:
        """The definition, in words and as a formula of the displayed values."""
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
    first heading is the introduction.
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
