"""The effort for a full task: turns, tokens, and the cost of all tasks.

Figures of partial runs are scaled to the full task.
"""

from collections.abc import Iterator, Sequence
from math import fsum
from operator import attrgetter
from statistics import fmean
from typing import NamedTuple

import numpy as np

from sitegen.metrics.metric import (
    ALL,
    Computation,
    Extent,
    ExtentChoice,
    Extents,
    Metric,
    MetricError,
    task_extent,
)
from sitegen.metrics.reduction import Reduction
from sitegen.metrics.results import SubmissionResults, TaskResults


def figure_extents(submission: SubmissionResults, figure: str) -> Extents:
    """Return the number of runs and the number of reached rounds for which a figure is known.

    The smaller share decides.
    """
    known_runs = 0
    known_rounds = 0
    all_runs = 0
    all_rounds = 0
    for task_results in submission.tasks:
        for _, covered_rounds in _runs(task_results, figure):
            known_runs += 1
            known_rounds += covered_rounds
        for worked_rounds in filter(None, task_results.reached_results):
            all_runs += 1
            all_rounds += len(worked_rounds)
    runs = Extent(known_runs, all_runs, "run")
    rounds = Extent(known_rounds, all_rounds, submission.word)
    return Extents(runs, rounds, "narrower")


def per_full_task(tasks: Sequence[TaskResults], figure: str) -> float:
    """Return the mean of a figure over runs, then over tasks.

    Each run is scaled from the rounds it covers to its full task.

    Raises:
        MetricError: No run has the figure.
    """
    task_means = []
    for task_results in tasks:
        rounds = len(task_results.rounds)
        scaled = []
        for total, covered_rounds in _runs(task_results, figure):
            scaled.append(total * rounds / covered_rounds)
        if scaled:
            task_means.append(fmean(scaled))
    if not task_means:
        noun = figure.replace("_", " ")
        raise MetricError(f"no {noun} were counted")
    return fmean(task_means)


def _runs(task_results: TaskResults, figure: str) -> Iterator[tuple[float, int]]:
    """Yield the figure of each run that reports it, and the number of rounds that it covers."""
    get_figure = attrgetter(figure)
    for worked_rounds, run in zip(task_results.reached_results, task_results.runs, strict=True):
        values = [value for value in map(get_figure, worked_rounds) if value is not None]
        if values:
            yield sum(values), len(values)
            continue
        total = getattr(run, figure, None)
        if total is not None and worked_rounds:
            yield total, len(worked_rounds)


def avg_turns(tasks: Sequence[TaskResults]) -> float:
    """Turns that a full task takes; partial runs are scaled up to the full task.

    Formula:
        Avg Turns = mean_t mean_a turns(t, a) · rounds(t) / covered(t, a)

        mean_a, mean_t: over the attempts, and then the tasks, whose turns were counted
        turns(t, a): replies of the model in the rounds that attempt a at task t covers
        rounds(t): all rounds of task t
        covered(t, a): rounds in which turns were counted; all rounds if targets are graded at the
            end

    Gap:
        Turns are known for less than 80 % of the runs, or for less than 80 % of the rounds that
        they reached. Runs and tasks without a count are left out of the means.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, section 3.4 and appendix F.1: "Avg. Turns". Table 2 of
        RoadmapBench, arXiv:2605.15846, reports the same average.
    """
    return per_full_task(tasks, "turns")


AVG_TURNS = Metric(
    id="avg_turns",
    title="Avg Turns",
    unit="turns",
    direction="lower",
    averaging_words="runs of a task, then tasks",
    protocols=ALL,
    computation=Computation(
        function=avg_turns,
        arguments=lambda submission: (submission.tasks,),
        extent=lambda submission: figure_extents(submission, "turns").deciding,
        extents=lambda submission: figure_extents(submission, "turns"),
        accepts_record=lambda result: result.turns is not None,
    ),
    effort="steps",
    version=2,
)


def output_tokens_k(tasks: Sequence[TaskResults]) -> float:
    """Thousands of output tokens that a full task takes; partial runs are scaled up to it.

    Formula:
        Output Tokens = mean_t mean_a tokens(t, a) / 1000 · rounds(t) / covered(t, a)

        mean_a, mean_t: over the attempts, and then the tasks, whose tokens were counted
        tokens(t, a): tokens that the model wrote in the rounds that attempt a at task t covers
        rounds(t): all rounds of task t
        covered(t, a): rounds in which tokens were counted; all rounds if targets are graded at the
            end

    Gap:
        Output tokens are known for less than 80 % of the runs, or for less than 80 % of the rounds
        that they reached. Runs and tasks without a count are left out of the means.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, section 3.4 and appendix F.1: "Output Tok. (K)". Table 2
        of RoadmapBench, arXiv:2605.15846, reports the same average.
    """
    return per_full_task(tasks, "output_tokens") / 1000


OUTPUT_TOKENS_K = Metric(
    id="output_tokens_k",
    title="Output Tokens",
    unit="thousand tokens",
    direction="lower",
    averaging_words="runs of a task, then tasks",
    protocols=ALL,
    computation=Computation(
        function=output_tokens_k,
        arguments=lambda submission: (submission.tasks,),
        extent=lambda submission: figure_extents(submission, "output_tokens").deciding,
        extents=lambda submission: figure_extents(submission, "output_tokens"),
        accepts_record=lambda result: result.output_tokens is not None,
    ),
    effort="tokens",
    version=2,
)


_COSTS = Reduction("cost_usd", tasks="pooled")


def net_cost(submission: SubmissionResults) -> float:
    """Total cost of all produced checkpoints.

    Formula:
        Net cost = Σ cost

        cost: cost in US dollars of each produced checkpoint, or of a run that reports only its
            total

    Gap:
        The cost of a produced checkpoint is unknown, or a task has no results. A cost of 0 counts
        as unknown unless the agent is declared free, and a sum with unknown parts is not shown.

    Source:
        SlopCodeBench, arXiv:2603.24755v1, table 1: "Net $".
    """
    fractions = _COSTS.split_scores(submission.batches, (1, len(submission.tasks)))
    if not fractions.denominators.any():
        raise MetricError("no cost known")
    return fsum(fractions.numerators[0].tolist())


def _cost_extents(submission: SubmissionResults) -> Extents:
    """Return the extent in rounds with a known cost, and the extent in tasks with results.

    The extent in tasks decides if some tasks lack results; otherwise the extent in rounds does.
    """
    tasks = task_extent(submission)
    choice: ExtentChoice = "second" if tasks.is_part else "first"
    return Extents(_COSTS.extent(submission), tasks, choice)


NET_COST = Metric(
    id="net_cost",
    title="Net cost",
    unit="USD",
    direction="lower",
    decimals=2,
    averaging_words="nothing: a sum over produced checkpoints",
    protocols=ALL,
    computation=Computation(
        function=net_cost,
        arguments=lambda submission: (submission,),
        extent=lambda submission: _cost_extents(submission).deciding,
        extents=_cost_extents,
    ),
    aggregation="sum",
    is_total=True,
    effort="cost",
    version=3,
)


class Typical(NamedTuple):
    """The median and the maximum of some figures; 0 if there are none."""

    median: float
    largest: float


def typical(figures: Sequence[float | None]) -> Typical:
    """Return the median and the maximum of the figures that are known and above 0."""
    values = np.array(figures, dtype=np.float64)
    positive = values[values > 0]
    if not positive.size:
        return Typical(0.0, 0.0)
    return Typical(float(np.median(positive)), float(positive.max()))
