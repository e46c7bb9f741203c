"""Trials of every kind of interval and test that the site publishes, on simulated results with known true scores.

A trial simulates boards and returns measurements: the value found on each board, the table cell that it belongs to, and
the bound that it must meet.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import assert_never

import numpy as np
import scipy
from known_boards import LENGTHS, Numbers
from known_results import TaskDesign, clusters_of, equal_sheets, single_attempt, tasks_of

from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.contributions import TaskFractions, cluster_degrees, jackknife_contributions
from sitegen.metrics.estimates import estimate_mean, estimate_score
from sitegen.metrics.generalizability import RepeatedScores, study_variances, variance_components
from sitegen.metrics.intervals import (
    Interval,
    Weights,
    binomial_interval,
    bounded_intervals,
    clustered_intervals,
    draw_weights,
)
from sitegen.metrics.metric import Metric
from sitegen.metrics.metric_builder import build_benchmark_metric, build_ratio_metric
from sitegen.metrics.paired import compare_paired, smallest_differences, tasks_to_detect
from sitegen.metrics.rank_tests import shown_better, shown_better_by_counts
from sitegen.metrics.rates import pooled_rate
from sitegen.metrics.resampling import Resampling
from sitegen.metrics.results import SubmissionResults
from sitegen.metrics.task_effects import correlation_interval, item_rest_correlations
from sitegen.models.declared import Declared

COVERAGE = 0.94
"""Minimum share of 95 % intervals that must contain the truth."""
FALSE_ALARMS = 0.06
"""Maximum share of boards on which equal agents may be separated."""
WIDTH = 1.35
"""Maximum width of intervals of means over groups, relative to those of a stratified bootstrap."""
LEAST_POWER = 0.78
"""Minimum power over the number of tasks that is said to show a difference in 80 % of all cases."""
CLOSE = 1e-9

LEVELS = (0.05, 0.3, 0.6, 0.92)
AGENTS = 5

SEPARATED = "Boards of equal agents that tell any two apart, %, by declared metric"
DECLARED = "Intervals of declared metrics that hold, %"
BOUNDED = "Intervals of scores that hold, %: tasks, by kind of task scores and level"
GROUPED = (
    "Intervals of means over groups (macro) that hold, %: groups, by kind of task scores and level"
)
WIDTHS = "Width of intervals of means over groups, in widths of a stratified bootstrap"
BOOTSTRAP = "How often that stratified bootstrap holds, %"
CLUSTERED = "Intervals of scores on tasks in clusters that hold, %: sizes, by level"
PAIRS = "Intervals of the difference of two agents that hold, %: tasks, by kind of task scores and levels"
ALARMS = "Equal pairs told apart alone, %"
COUNTS = "Printed counts: intervals that hold, and boards of equal rows that tell any two apart, %"
ESTIMATES = "Intervals of estimates that hold, %"
STUDIES = "Intervals of the share of luck, and of the tasks that a difference takes, that hold, %"
POWERS = "Power at the number of tasks, and at the difference, that is said to be enough, %"
AMOUNTS = "Approximate intervals of amounts that hold, %: no bound"
UNEQUAL = "Scores by the best or the worst attempt that are shown where one attempt of several was made, %"
FLOOR = (
    "Boards of agents with equal means and unlike task scores that tell any two apart, %: no bound"
)


@dataclass(frozen=True)
class Measurement:
    """The values measured on simulated boards.

    Attributes:
        table: The title of the table.
        row: What is measured.
        column: The kind of board.
        values: One number for each board.
        limit: The maximum or minimum of the mean; None if there is no bound.
        is_least: Whether the limit is a minimum.
    """

    table: str
    row: str
    column: str
    values: Numbers
    limit: float | None = COVERAGE
    is_least: bool = True

    @property
    def mean(self) -> float:
        """The mean over the boards."""
        return float(np.nanmean(self.values)) if np.isfinite(self.values).any() else float("nan")

    @property
    def error(self) -> float:
        """The standard error of the mean; agents of one board are dependent, but boards are independent."""
        finite = self.values[np.isfinite(self.values)]
        return float(finite.std(ddof=1) / np.sqrt(len(finite))) if len(finite) > 1 else float("nan")

    @property
    def is_ratio(self) -> bool:
        """Whether it is a ratio of sizes rather than a share."""
        return self.table == WIDTHS

    @property
    def fault(self) -> str | None:
        """A message if the bound is broken by more than two standard errors; None otherwise."""
        if self.limit is None or np.isnan(self.mean):
            return None
        beyond = self.limit - self.mean if self.is_least else self.mean - self.limit
        if beyond <= 2 * self.error + CLOSE:
            return None
        asked = "at least" if self.is_least else "at most"
        return f"{self.table}: {self.row}, {self.column}: {self.mean:.4g}, not {asked} {self.limit:.4g}"


@dataclass(frozen=True)
class Trial:
    """A simulation of boards.

    Attributes:
        measure: Takes the facts, the number of boards to simulate, and the random generator.
        facts: The properties of the boards.
        share: The number of boards, relative to that of the whole measurement.
    """

    measure: Callable[..., Iterator[Measurement]]
    facts: tuple[object, ...] = ()
    share: float = 1.0

    def run(self, boards: int, random: np.random.Generator) -> list[Measurement]:
        """Simulate the given number of boards, and return the measurements."""
        return list(self.measure(*self.facts, boards, random))


def covers(intervals: Sequence[Interval], truth: Numbers | float) -> Numbers:
    """Return 1 for each interval that contains the truth, and 0 for each other interval."""
    low = np.array([interval.low for interval in intervals])
    high = np.array([interval.high for interval in intervals])
    held: Numbers = ((low <= truth + CLOSE) & (high >= truth - CLOSE)).astype(np.float64)
    return held


# Declared metrics, from records through their reduction


def _declared(
    name: str, unit: str = "percent", direction: str = "higher", **facts: object
) -> Metric:
    identity = name.replace(" ", "_").replace("@", "_at_").replace("^", "_hat_").replace("-", "_")
    fields = {"id": identity, "title": name, "unit": unit, "direction": direction} | facts
    return build_benchmark_metric(Declared.model_validate(fields), {})


def _ratio(name: str, numerator: Metric, denominator: Metric) -> Metric:
    identity = name.replace(" ", "_")
    declared = Declared(
        id=identity,
        title=name,
        unit="usd",
        direction="lower",
        numerator=numerator.id,
        denominator=denominator.id,
    )
    return build_ratio_metric(declared, numerator, denominator)


_SOLVED = _declared("solved tasks", "count", of="pass", rounds="all", tasks="sum")
_PASSED = _declared("all passed rounds", "count", of="pass", rounds="sum", tasks="sum")
_SPENT = _declared("cost of all tasks", "usd", "lower", of="cost_usd", rounds="sum", tasks="sum")

KINDS: tuple[Metric, ...] = (
    _declared("pass", of="pass"),
    _declared("pass of all rounds", of="pass", rounds="all"),
    _declared("pass of the last round", of="pass", rounds="last"),
    _declared("pass by weight of rounds", of="pass", rounds="weighted"),
    _declared("passed rounds", "number", of="pass", rounds="sum"),
    _declared("pass in the best attempt", of="pass", attempts="best"),
    _declared("pass in the worst attempt", of="pass", attempts="worst"),
    _declared("pass in the first attempt", of="pass", attempts="first"),
    _declared("pass@2", of="pass", rounds="all", attempts="pass_at_k", k=2),
    _declared("pass^2", of="pass", rounds="all", attempts="pass_hat_k", k=2),
    _declared("tasks of passes", "number", of="pass", tasks="sum"),
    _declared("perfect tasks", "count", of="pass", rounds="all", attempts="best", tasks="count"),
    _declared("pass pooled over rounds", of="pass", tasks="pooled"),
    _declared("pass over areas", of="pass", tasks="macro", axis="area"),
    _declared("pass by weight of tasks", of="pass", tasks="weighted"),
    _declared("median pass", of="pass", tasks="median"),
    _declared("reward", "share", of="reward"),
    _declared("reward in the best attempt", "share", of="reward", attempts="best"),
    _declared("cases", of="cases"),
    _declared("cases over areas", of="cases", tasks="macro", axis="area"),
    _declared("cases by weight of tasks", of="cases", tasks="weighted"),
    _declared("cost", "usd", "lower", of="cost_usd"),
    _declared("cost of a task", "usd", "lower", of="cost_usd", rounds="sum"),
    _declared("cost of the best attempt", "usd", "lower", of="cost_usd", attempts="best"),
    _declared(
        "median cost of the median attempt",
        "usd",
        "lower",
        of="cost_usd",
        rounds="sum",
        attempts="median",
        tasks="median",
    ),
    _declared("cost pooled over rounds", "usd", "lower", of="cost_usd", tasks="pooled"),
    _SPENT,
    _SOLVED,
    _PASSED,
    _ratio("cost per solved task", _SPENT, _SOLVED),
    _ratio("cost per passed round", _SPENT, _PASSED),
    _declared("erosion", "share", "lower", of="measure:erosion", tasks="pooled"),
    _declared("erosion by task", "share", "lower", of="measure:erosion"),
)
"""A metric of each declared kind: the value taken from a round, and how rounds, attempts and tasks are combined."""

DESIGNS = (
    TaskDesign(10),
    TaskDesign(25),
    TaskDesign(40, 6),
    TaskDesign(50, 8),
    TaskDesign(60, 12),
    TaskDesign(120, 40),
)
PERCENTS = (5.0, 30.0, 60.0, 90.0)
"""The levels of boards of equal agents, in turn."""
_TRUTH_TASKS, _TRUTH_SHEETS = 10_000, 20


@cache
def truths(level: float, *, is_clustered: bool) -> Mapping[str, float]:
    """Return an agent's expected score at a level for each of `KINDS`, from many tasks; for a sum, per task."""
    tasks = _TRUTH_TASKS // _TRUTH_SHEETS
    design = _SingleClusters(tasks) if is_clustered else TaskDesign(tasks)
    sheets = equal_sheets(design, level, (_TRUTH_SHEETS, 1), np.random.default_rng(1))
    board = _resampled(sheets, design)
    expected_scores = {}
    for metric in KINDS:
        fractions = board.fractions(metric, board.scored_submissions(metric))
        expected_scores[metric.id] = _expected(fractions)
    return expected_scores


def _expected(fractions: TaskFractions) -> float:
    """Return the score that follows from the fractions of many tasks; for a sum, per task."""
    if fractions.divisor is not None:
        return _expected(replace(fractions, divisor=None)) / _expected(fractions.divisor)
    match fractions.aggregation:
        case "mean":
            return float(fractions.numerators.sum() / fractions.denominators.sum())
        case "sum":
            return float(fractions.numerators.mean())
        case "median":
            return float(np.median(fractions.numerators))
        case _:
            assert_never(fractions.aggregation)


@dataclass(frozen=True)
class _SingleClusters(TaskDesign):
    """Tasks that each form their own cluster, so that the mean over tasks is the mean over clusters."""

    clusters: int = 1

    @property
    def cluster_sizes(self) -> list[int]:
        return [1] * self.tasks


def _resampled(sheets: Sequence[SubmissionResults], design: TaskDesign) -> Resampling:
    """Return the agents of a board with their scores for all of `KINDS`, ready for resampling."""
    names = [task.id for task in tasks_of(design)]
    by_name = {f"agent {number}": sheet for number, sheet in enumerate(sheets)}
    scores = {metric.id: dict.fromkeys(by_name, 0.0) for metric in KINDS}
    board = Resampling(by_name, scores, names, clusters_of(design))
    for metric in KINDS:
        of_agents = board.fractions(metric, board.scored_submissions(metric)).scores.tolist()
        scores[metric.id].update(zip(by_name, of_agents, strict=True))
    return board


def declared_kinds(
    design: TaskDesign, boards: int, random: np.random.Generator
) -> Iterator[Measurement]:
    """Measure every declared kind of metric on boards of equal agents, with a quarter of the boards at each level."""
    boards_per_level = max(boards // len(PERCENTS), 1)
    by_level = [
        equal_sheets(design, level, (boards_per_level, AGENTS), random) for level in PERCENTS
    ]
    sheets = [sheet for of_level in by_level for sheet in of_level]
    expected_by_level = [truths(level, is_clustered=design.clusters > 0) for level in PERCENTS]
    numbers = random.integers(2**32, size=boards_per_level * len(PERCENTS))
    weights = weights_of(len(tasks_of(design)), int(random.integers(REPEATED)))
    board = _resampled(sheets, design)
    board.__dict__["weights"] = weights  # cached between trials, with fewer draws than on a site
    for metric in KINDS:
        if metric.is_tested:
            sign = 1 if metric.direction == "higher" else -1
            made = _contributions_by_board(board, metric)
            names = [[f"{unit} {number}" for unit in board.units] for number in numbers]
            apart = []
            for rows, units in zip(made, names, strict=True):
                apart.append(shown_better(sign * rows, units).any())
            is_apart = np.array(apart, dtype=np.float64)
            yield Measurement(
                SEPARATED, metric.title, design.words, is_apart, FALSE_ALARMS, is_least=False
            )
        factor = len(tasks_of(design)) if metric.aggregation == "sum" else 1
        expected = factor * np.repeat(
            [truth[metric.id] for truth in expected_by_level], boards_per_level * AGENTS
        )
        intervals = board.intervals(metric)
        if not intervals:  # a median over clustered tasks has no intervals
            continue
        has_interval = np.array([name in intervals for name in board.submissions])
        held = np.full(len(expected), np.nan)
        held[has_interval] = covers(list(intervals.values()), expected[has_interval])
        limit = COVERAGE if metric.interval_words.startswith("95") else None
        yield Measurement(
            DECLARED, metric.title, design.words, _means(held.reshape(-1, AGENTS)), limit
        )


def _contributions_by_board(board: Resampling, metric: Metric) -> list[Numbers]:
    """Return what each unit contributes to the scores of each board of `AGENTS` agents.

    Contributions to a ratio depend on the other agents of a board. An agent whose ratio would be divided by 0 has no
    contributions.
    """
    if not metric.ratio_of:
        return list(
            board.order_contributions(metric, board.scored_submissions(metric)).reshape(
                -1, AGENTS, len(board.units)
            )
        )
    names = list(board.submissions)
    divisors = board.fractions(metric, board.scored_submissions(metric)).divisor
    assert divisors is not None
    by_board = []
    for start in range(0, len(names), AGENTS):
        scored = {}
        for row in range(start, start + AGENTS):
            if divisors.numerators[row].any():
                scored[names[row]] = board.submissions[names[row]]
        scores = {metric.id: dict.fromkeys(scored, 1.0)}
        of_agents = Resampling(scored, scores, board.tasks, board.clusters)
        if len(scored) > 1:
            by_board.append(
                of_agents.order_contributions(metric, of_agents.scored_submissions(metric))
            )
        else:
            by_board.append(np.zeros((0, len(board.units))))
    return by_board


def _means(values: Numbers) -> Numbers:
    """Return the mean of the known values in each row; NaN if a row has none."""
    is_known = np.isfinite(values)
    counts = is_known.sum(axis=1)
    sums = np.where(is_known, values, 0.0).sum(axis=1)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def unequal_attempts(boards: int, random: np.random.Generator) -> Iterator[Measurement]:
    """Measure how often equal agents are separated if one of them made fewer attempts.

    The best attempt has a bound. The worst of fewer attempts is truly better, so its separation has no bound.
    """
    design = TaskDesign(10)
    sheets = equal_sheets(design, 30.0, (boards, 1), random)
    for metric in (*KINDS, METRICS["perfect_tasks"], METRICS["comp"]):
        if metric.declared is None or metric.declared.attempts not in {"best", "worst"}:
            continue
        values = [metric.measure(single_attempt(sheet)).value for sheet in sheets]
        is_shown = np.array([value is not None for value in values], dtype=np.float64)
        limit = 0.0 if metric.declared.attempts == "best" else None
        yield Measurement(UNEQUAL, metric.title, "1 of 3 attempts", is_shown, limit, is_least=False)


# Scores of tasks, made up without rounds

Shape = Callable[[Numbers, np.random.Generator], Numbers]
"""Simulates scores of tasks from 0 to 1 with the given means."""


@cache
def _logits(spread: float) -> tuple[Numbers, Numbers]:
    """Return means, and the logits that have these means if they vary with the given spread."""
    logits = np.linspace(-18.0, 18.0, 721)
    at, weights = np.polynomial.hermite_e.hermegauss(80)
    means = scipy.special.expit(logits[:, np.newaxis] + spread * at) @ weights / weights.sum()
    return means, logits


def whole(means: Numbers, random: np.random.Generator) -> Numbers:
    """Simulate tasks that pass completely or not at all."""
    return (random.random(means.shape) < means).astype(np.float64)


def lumpy(means: Numbers, random: np.random.Generator, spread: float = 3.0) -> Numbers:
    """Simulate shares of rounds; on most tasks an agent passes nearly all or nearly no rounds, as on the real board."""
    known_means, logits = _logits(spread)
    chances = np.interp(means, known_means, logits) + spread * random.standard_normal(means.shape)
    rounds = random.choice(LENGTHS, means.shape)
    shares: Numbers = random.binomial(rounds, scipy.special.expit(chances)) / rounds
    return shares


def mild(means: Numbers, random: np.random.Generator) -> Numbers:
    """Simulate shares of rounds on tasks of similar difficulty."""
    return lumpy(means, random, 0.76)


def smooth(means: Numbers, random: np.random.Generator) -> Numbers:
    """Simulate shares of many cases on tasks of similar difficulty."""
    safe = np.clip(means, 1e-3, 1 - 1e-3)
    return random.beta(4 * safe, 4 * (1 - safe))


SHAPES: Mapping[str, Shape] = {"0 or 1": whole, "lumpy": lumpy, "mild": mild, "smooth": smooth}
REPEATED = 4
"""Number of sets of task weights that intervals use in turn."""


@cache
def weights_of(tasks: int, number: int) -> Weights:
    """Return cached weights for a number of tasks."""
    return draw_weights([f"task {task} of {number}" for task in range(tasks)], 4_000)


def bounded_scores(tasks: int, boards: int, random: np.random.Generator) -> Iterator[Measurement]:
    """Measure plain, pooled and weighted means."""
    weights = weights_of(tasks, int(random.integers(REPEATED)))
    heavy = np.exp(1.5 * random.standard_normal((boards, tasks)))
    one_heavy = np.ones((boards, tasks))
    one_heavy[:, 0] = tasks / 2
    uneven = random.integers(1, 6, (boards, tasks)).astype(np.float64)
    rounds = random.choice(LENGTHS, (boards, tasks)).astype(np.float64)
    sizes = {
        "mean": np.ones((boards, tasks)),
        "pooled": rounds,
        "pooled, a few long tasks": np.ceil(heavy),
        "weights 1 to 5": uneven,
        "weights log-normal": heavy,
        "one heavy task": one_heavy,
    }
    for name, shape in SHAPES.items():
        for level in LEVELS:
            scores = shape(np.full((boards, tasks), level), random)
            for kind, size in sizes.items():
                fractions = TaskFractions(
                    scores * size, size, has_declared_weights=kind.startswith(("weights", "one"))
                )
                held = covers(bounded_intervals(fractions, weights, 1.0), level)
                yield Measurement(BOUNDED, f"{kind} of {tasks}", f"{name} {level:g}", held)


GROUP_SIZES: Mapping[str, Sequence[int]] = {
    "10 × 12": [12] * 10,
    "7 × 3": [3] * 7,
    "5 × 2": [2] * 5,
    "6 × 1": [1] * 6,
    "1, 1, 2, 3, 5, 8, 20": [1, 1, 2, 3, 5, 8, 20],
    "1, 5, 5": [1, 5, 5],
    "1, 30": [1, 30],
}
_GROUP_SPREADS = (0.0, 1.5)
_STRATIFIED_DRAWS = 1_000


def _has_width_bound(groups: str, level: float) -> bool:
    """Return whether the stratified bootstrap measures width well; with 7 × 3 tasks, it does not near the ends."""
    return groups == "10 × 12" or (groups == "7 × 3" and level in {0.3, 0.6})


def group_means(groups: str, boards: int, random: np.random.Generator) -> Iterator[Measurement]:
    """Measure means over groups that are alike and groups that differ, and the width of their intervals."""
    sizes = GROUP_SIZES[groups]
    ends = np.cumsum(sizes)
    group_ranges = [range(end - size, end) for end, size in zip(ends.tolist(), sizes, strict=True)]
    none = np.ones((sum(sizes) + 2, 1))
    for name, shape in SHAPES.items():
        for level in LEVELS:
            for spread in _GROUP_SPREADS:
                logits = scipy.special.logit(level) + spread * random.standard_normal(
                    (boards, len(sizes))
                )
                chances = scipy.special.expit(logits)
                scores = shape(np.repeat(chances, sizes, axis=1), random)
                fractions = TaskFractions(scores, np.ones_like(scores)).weighted_by_group(
                    [(group, 1.0) for group in group_ranges]
                )
                intervals = bounded_intervals(fractions, none, 1.0)
                column = f"{name} {level:g}{', unlike groups' if spread else ''}"
                yield Measurement(GROUPED, groups, column, covers(intervals, chances.mean(axis=1)))
                if groups not in {"10 × 12", "7 × 3"}:
                    continue
                ours = np.array([interval.high - interval.low for interval in intervals])
                low, high = stratified(scores[: max(boards // 4, 2)], group_ranges, random)
                theirs = float((high - low).mean())
                limit = WIDTH if _has_width_bound(groups, level) else None
                yield Measurement(WIDTHS, groups, column, ours / theirs, limit, is_least=False)
                truth = chances.mean(axis=1)[: len(low)]
                held = ((low <= truth) & (truth <= high)).astype(np.float64)
                yield Measurement(BOOTSTRAP, groups, column, held, None)


def stratified(
    scores: Numbers, groups: Sequence[range], random: np.random.Generator
) -> tuple[Numbers, Numbers]:
    """Return the ends of a stratified bootstrap of means over groups, widened by √(n / (n − 1)) in each group."""
    drawn = np.zeros((len(scores), _STRATIFIED_DRAWS))
    for group in groups:
        tasks = len(group)
        often = random.multinomial(tasks, np.full(tasks, 1 / tasks), _STRATIFIED_DRAWS).T / tasks
        values = scores[:, group.start : group.stop]
        means = values.mean(axis=1, keepdims=True)
        drawn += means + (values @ often - means) * (tasks / (tasks - 1)) ** 0.5
    low, high = np.percentile(drawn / len(groups), (2.5, 97.5), axis=1)
    return low, high


def clustered_scores(
    clusters: int, boards: int, random: np.random.Generator
) -> Iterator[Measurement]:
    """Measure scores, and differences between scores, whose tasks form clusters of even or uneven size."""
    for name in ("even", "uneven"):
        sizes = (
            [6] * clusters if name == "even" else TaskDesign(8 * clusters, clusters).cluster_sizes
        )
        ends = np.cumsum(sizes)
        cluster_ranges = {
            str(end): range(end - size, end) for end, size in zip(ends.tolist(), sizes, strict=True)
        }
        for level in LEVELS:
            for spread in (0.0, 1.5):
                total_spread = float(np.hypot(spread, 1.5))
                known_means, logits = _logits(total_spread)
                middle = float(np.interp(level, known_means, logits))
                shared = np.repeat(
                    spread * random.standard_normal((boards, clusters)), sizes, axis=1
                )
                scores = middle + shared + 1.5 * random.standard_normal((boards, sum(sizes)))
                scores = whole(scipy.special.expit(scores), random)
                held = covers(clustered_intervals(scores, cluster_ranges, 1.0), level)
                column = f"{level:g}{', clusters differ' if spread else ''}"
                yield Measurement(CLUSTERED, f"{clusters} {name}", column, held)
                values = jackknife_contributions(scores, cluster_ranges)
                degrees = cluster_degrees(cluster_ranges)
                comparisons = []
                for first, second in zip(values[::2], values[1::2], strict=False):
                    comparisons += compare_paired(first, second[np.newaxis], 1.0, degrees)
                held = covers([pair.interval for pair in comparisons], 0.0)
                yield Measurement(CLUSTERED, f"difference, {clusters} {name}", column, held)


PAIR_LEVELS = ((0.05, 0.05), (0.3, 0.3), (0.92, 0.92), (0.05, 0.2), (0.3, 0.6), (0.6, 0.92))


def pairs(tasks: int, boards: int, random: np.random.Generator) -> Iterator[Measurement]:
    """Measure differences between two agents that share half of the variation in task difficulty."""
    for name, spread in (("0 or 1", 3.0), ("lumpy", 3.0), ("mild", 0.76)):
        known_means, logits = _logits(spread)
        rounds = (
            np.ones((boards, tasks), dtype=int)
            if name == "0 or 1"
            else random.choice(LENGTHS, (boards, tasks))
        )
        for levels in PAIR_LEVELS:
            hard = random.standard_normal((boards, tasks))
            scores = []
            for level in levels:
                taste = random.standard_normal((boards, tasks))
                chances = np.interp(level, known_means, logits) + spread * 0.5**0.5 * (hard + taste)
                scores.append(random.binomial(rounds, scipy.special.expit(chances)) / rounds)
            truth = levels[1] - levels[0]
            comparisons = [
                compare_paired(second, first[np.newaxis], 1.0)[0]
                for first, second in zip(scores[0], scores[1], strict=True)
            ]
            column = f"{name} {levels[0]:g} and {levels[1]:g}"
            yield Measurement(
                PAIRS,
                f"{tasks} tasks",
                column,
                covers([pair.interval for pair in comparisons], truth),
            )
            if not truth:
                shown = np.array([pair.is_shown for pair in comparisons], dtype=np.float64)
                yield Measurement(
                    ALARMS, f"{tasks} tasks", column, shown, FALSE_ALARMS, is_least=False
                )


def printed_counts(tasks: int, boards: int, random: np.random.Generator) -> Iterator[Measurement]:
    """Measure statements about published counts of tasks; rows of a board do not share task difficulty."""
    for level in LEVELS:
        counts = random.binomial(tasks, level, (boards, 13))
        intervals = {k: binomial_interval(k, tasks) for k in range(tasks + 1)}
        held = (
            covers([intervals[k] for k in counts.ravel().tolist()], level)
            .reshape(counts.shape)
            .mean(axis=1)
        )
        yield Measurement(COUNTS, f"interval, {tasks} tasks", f"{level:g}", held)
        apart = [shown_better_by_counts([(k, tasks) for k in row]).any() for row in counts.tolist()]
        yield Measurement(
            COUNTS,
            f"13 rows told apart, {tasks} tasks",
            f"{level:g}",
            np.array(apart, dtype=np.float64),
            FALSE_ALARMS,
            is_least=False,
        )


def estimates(tasks: int, boards: int, random: np.random.Generator) -> Iterator[Measurement]:
    """Measure rates over tasks, scores over part of the tasks, and means of amounts."""
    names = [f"task {task} of {random.integers(REPEATED)}" for task in range(tasks)]
    board_count = min(boards, 400)  # each board draws weights of tasks
    for level in LEVELS:
        even = 1 + random.poisson(4, (board_count, tasks))
        uneven = np.ceil(np.exp(1 + 1.2 * random.standard_normal((board_count, tasks)))).astype(int)
        for kind, sizes in (("rate", even), ("rate, a few long tasks", uneven)):
            chances = random.beta(1.5 * level, 1.5 * (1 - level), sizes.shape)
            counts = random.binomial(sizes, chances)
            rates = [
                pooled_rate(dict(zip(names, zip(k, n, strict=True), strict=True)), {})
                for k, n in zip(counts.tolist(), sizes.tolist(), strict=True)
            ]
            intervals = [rate.interval for rate in rates if rate and rate.interval]
            yield Measurement(
                ESTIMATES, f"{kind}, {tasks} tasks", f"{level:g}", covers(intervals, level)
            )
        held = []
        for _ in range(board_count):
            scores = lumpy(np.full((5, tasks), level), random)
            made = estimate_score(
                TaskFractions(scores, np.ones_like(scores)), names, names, 1.0, {}
            )
            held += [float(covers([made.interval], level)[0])] if made and made.interval else []
        yield Measurement(
            ESTIMATES, f"score of 5 agents on {tasks} tasks", f"{level:g}", np.array(held)
        )
    for kind, spread in (("log-normal 0.5", 0.5), ("log-normal 1", 1.0)):
        values = np.exp(spread * random.standard_normal((board_count, tasks)))
        amounts = []
        for row in values.tolist():
            made_of = estimate_mean(
                {name: [value] for name, value in zip(names, row, strict=True)}, {}
            )
            amounts += [made_of.interval] if made_of and made_of.interval else []
        truth = float(np.exp(spread**2 / 2))
        yield Measurement(AMOUNTS, f"mean of {tasks} tasks", kind, covers(amounts, truth), None)


def clustered_rates(
    clusters: int, boards: int, random: np.random.Generator
) -> Iterator[Measurement]:
    """Measure rates over tasks in clusters of uneven size."""
    sizes = TaskDesign(8 * clusters, clusters).cluster_sizes
    cluster_by_task = {
        f"task {task}": str(number) for task, number in enumerate(np.repeat(range(clusters), sizes))
    }
    known_means, logits = _logits(float(np.hypot(1.5, 1.5)))
    for level in LEVELS:
        held = []
        for _ in range(boards):
            shared = np.repeat(1.5 * random.standard_normal(clusters), sizes)
            chances = (
                np.interp(level, known_means, logits)
                + shared
                + 1.5 * random.standard_normal(sum(sizes))
            )
            counts = random.binomial(5, scipy.special.expit(chances)).tolist()
            rate = pooled_rate(
                {task: (k, 5) for task, k in zip(cluster_by_task, counts, strict=True)},
                cluster_by_task,
            )
            held += [float(covers([rate.interval], level)[0])] if rate and rate.interval else []
        yield Measurement(ESTIMATES, f"rate, {clusters} clusters", f"{level:g}", np.array(held))


def correlations(agents: int, boards: int, random: np.random.Generator) -> Iterator[Measurement]:
    """Measure item-rest correlations over agents."""
    for tasks in (10, 25):
        held = []
        for _ in range(max(boards // 8, 2)):
            hard = 2 * random.standard_normal(tasks)
            large_sample = _item_scores(4_000, hard, random)
            truth = item_rest_correlations(large_sample)
            sample_correlations = item_rest_correlations(_item_scores(agents, hard, random))
            inside = []
            for correlation, true in zip(sample_correlations, truth, strict=True):
                interval = (
                    None if correlation is None else correlation_interval(correlation, agents)
                )
                if interval is not None and true is not None:
                    inside.append(interval.low <= true <= interval.high)
            held.append(float(np.mean(inside)) if inside else np.nan)
        yield Measurement(
            ESTIMATES, f"item-rest correlation, {tasks} tasks", f"{agents} agents", np.array(held)
        )


def _item_scores(agents: int, hard: Numbers, random: np.random.Generator) -> Numbers:
    logits = (
        random.standard_normal((agents, 1))
        - 0.5
        + hard
        + random.standard_normal((agents, len(hard)))
    )
    return random.binomial(8, scipy.special.expit(logits)) / 8


def shares_of_luck(tasks: int, boards: int, random: np.random.Generator) -> Iterator[Measurement]:
    """Measure the share of run-to-run variance, and the number of tasks that a difference requires, on lumpy scores."""
    for spread in (0.3, 1.0, 2.0):
        for agents, attempts in ((2, 2), (2, 4), (8, 2), (8, 4)):
            column = f"{agents} agents × {attempts} attempts, spread {spread:g}"
            large_sample = _attempts(agents, 10_000, attempts, spread, np.random.default_rng(1))
            components = variance_components(RepeatedScores.from_attempts(list(large_sample)))
            run = components.run / attempts
            truths_of_luck = run / (components.task + run), run / (components.agent_task + run)
            needed = tasks_to_detect(0.1, (2 * (components.agent_task + run)) ** 0.5) or 0
            held: list[list[bool]] = [[], [], []]
            for _ in range(max(boards // 2, 2)):
                drawn = _attempts(agents, tasks, attempts, spread, random)
                study = study_variances(RepeatedScores.from_attempts(list(drawn)))
                if study is None:
                    continue
                for index, share in enumerate(
                    (study.run_share_of_scores, study.run_share_of_differences)
                ):
                    held[index].append(
                        share.interval.low <= truths_of_luck[index] <= share.interval.high
                    )
                range_of_tasks = study.tasks_needed(0.1, attempts)
                if range_of_tasks:
                    held[2].append(range_of_tasks.fewest <= needed <= range_of_tasks.most)
            for row, inside in zip(("scores", "differences", "tasks needed"), held, strict=True):
                limit = None if row == "tasks needed" else COVERAGE
                values = np.array(inside, dtype=np.float64)
                yield Measurement(STUDIES, f"{row}, {tasks} tasks", column, values, limit)


def _attempts(
    agents: int, tasks: int, attempts: int, spread: float, random: np.random.Generator
) -> Numbers:
    """Return simulated scores, shape (agents, tasks, attempts)."""
    level = np.linspace(-2.5, 0.5, agents)[:, np.newaxis, np.newaxis]
    logits = level + spread * (
        random.standard_normal((1, tasks, 1)) + random.standard_normal((agents, tasks, 1))
    )
    logits = logits + 0.8 * random.standard_normal((agents, tasks, attempts))
    return random.binomial(8, scipy.special.expit(logits)) / 8


def powers(boards: int, random: np.random.Generator) -> Iterator[Measurement]:
    """Measure how often a difference is shown over the number of tasks that is said to be sufficient."""
    for effect in (0.2, 0.35, 0.6, 1.0, 2.0):
        tasks = tasks_to_detect(effect, 1.0) or 0
        shown = _shown(effect, tasks, boards, random)
        yield Measurement(
            POWERS, "tasks to tell", f"{effect:g} standard deviations", shown, LEAST_POWER
        )
    for tasks in (5, 10, 25, 115):
        noise = random.standard_normal((2, tasks))
        smallest = smallest_differences(noise)
        if smallest:
            spread = float((noise[0] - noise[1]).std(ddof=1))
            shown = _shown(smallest[1] / spread, tasks, boards, random)
            yield Measurement(POWERS, "smallest difference", f"{tasks} tasks", shown, LEAST_POWER)


def _shown(effect: float, tasks: int, boards: int, random: np.random.Generator) -> Numbers:
    values = effect + random.standard_normal((boards, tasks))
    pairs_shown = compare_paired(np.zeros(tasks), -values, None)
    return np.array([pair.is_shown for pair in pairs_shown], dtype=np.float64)


def near_the_floor(boards: int, random: np.random.Generator) -> Iterator[Measurement]:
    """Measure boards near the floor whose agents have equal means, half spread over all tasks and half on a few."""
    for tasks in (10, 25, 115):
        for level in (0.03, 0.06, 0.3):
            apart = []
            for number in range(boards):
                means = np.full((6, tasks), level)
                scores = np.vstack([mild(means[:3], random), lumpy(means[3:], random, 4.5)])
                apart.append(
                    shown_better(
                        scores, [f"task {task} of {number}" for task in range(tasks)]
                    ).any()
                )
            yield Measurement(
                FLOOR, f"{tasks} tasks", f"{level:g}", np.array(apart, dtype=np.float64), None
            )


TRIALS: tuple[Trial, ...] = (
    *(Trial(declared_kinds, (design,), 0.4) for design in DESIGNS),
    Trial(unequal_attempts, (), 0.01),
    *(Trial(bounded_scores, (tasks,), 2.0) for tasks in (5, 7, 10, 25, 115)),
    *(Trial(group_means, (groups,), 2.0) for groups in GROUP_SIZES),
    *(Trial(clustered_scores, (clusters,), 3.0) for clusters in (6, 8, 12, 40)),
    *(Trial(pairs, (tasks,), 2.0) for tasks in (5, 10, 25, 115)),
    *(Trial(printed_counts, (tasks,)) for tasks in (5, 25, 115)),
    *(Trial(estimates, (tasks,)) for tasks in (5, 10, 25)),
    *(Trial(clustered_rates, (clusters,)) for clusters in (6, 12, 40)),
    *(Trial(correlations, (agents,)) for agents in (5, 13, 40)),
    *(Trial(shares_of_luck, (tasks,)) for tasks in (5, 10, 25)),
    Trial(powers, (), 3.0),
    Trial(near_the_floor, (), 0.5),
)
"""All trials, in addition to the rank sets in `interval_coverage`."""
