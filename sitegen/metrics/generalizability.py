"""Shares of a score's uncertainty due to the choice of tasks and to run-to-run variation."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy  # loads its submodules on first use

from sitegen.metrics.arrays import FloatArray
from sitegen.metrics.intervals import FEWEST_TASKS, HIGH, MAX_LOG_HALF_WIDTH, Interval
from sitegen.metrics.metric import Metric
from sitegen.metrics.paired import tasks_to_detect
from sitegen.metrics.reruns import TwoRuns
from sitegen.metrics.tolerances import COMPONENT_TOLERANCE, VARIANCE_FLOOR


@dataclass(frozen=True, slots=True)
class RepeatedScores:
    """Scores of agents on the same tasks, and the variance of each score between runs."""

    means: FloatArray
    """Mean over the attempts of each agent on each task, shape (agents, tasks)."""
    run_variances: FloatArray
    """Unbiased estimates of the variance of each mean between runs, shape (agents, tasks)."""
    attempts: int
    """Number of attempts behind each mean."""

    @classmethod
    def from_attempts(cls, scores: Sequence[FloatArray]) -> "RepeatedScores":
        """Return the scores of at least 2 attempts.

        Args:
            scores: One array per agent, shape (tasks, attempts).
        """
        values = np.array(scores)
        attempts = values.shape[2]
        means = values.mean(axis=2)
        run_variances = values.var(axis=2, ddof=1) / attempts
        return cls(means, run_variances, attempts)

    @classmethod
    def from_two_runs(cls, runs: Sequence[TwoRuns], attempts: int) -> "RepeatedScores":
        """Return the scores of the studied runs, with variances from comparing both runs.

        An agent's mean change over all tasks between the two runs is left out, because it is not
        variation on single tasks: the runs may be months apart.

        Args:
            runs: The two runs of each agent, in the order of the rows; at least 2 tasks.
            attempts: Number of attempts behind each score, in either run.
        """
        means = np.array([run.studied for run in runs])
        other_means = np.array([run.other for run in runs])
        differences = means - other_means
        deviations = differences - differences.mean(axis=1, keepdims=True)
        tasks = means.shape[1]
        run_variances = deviations**2 / 2 * tasks / (tasks - 1)
        return cls(means, run_variances, attempts)


@dataclass(frozen=True, slots=True)
class VarianceComponents:
    """Variances of one attempt at one task, averaged over agents, in squared units of the score."""

    task: float
    """Between tasks, for one agent: some tasks are harder than others."""
    agent_task: float
    """Between tasks, for one agent relative to other agents: agents find different tasks hard."""
    run: float
    """Between attempts of one agent at one task."""


@dataclass(frozen=True, slots=True)
class RunShare:
    """The share of a variance that reruns of the same tasks would show, 0 to 1."""

    share: float
    interval: Interval
    """The 95 % interval of the share."""


@dataclass(frozen=True, slots=True)
class TasksNeeded:
    """The number of tasks needed to detect a difference, with an approximate interval."""

    tasks: int
    fewest: int
    most: int


@dataclass(frozen=True, slots=True)
class Generalizability:
    """The sources of the uncertainty of scores, and how to reduce it.

    Agents are fixed: the study is about the agents of the board, on other tasks like these.

    Source:
        R. L. Brennan, Generalizability Theory, 2001, chapter 3, with agents as a fixed facet; E.
        Miller, Adding Error Bars to Evals, arXiv:2411.00640, section 3.
    """

    components: VarianceComponents
    agents: int
    tasks: int
    attempts: int
    run_share_of_scores: RunShare
    """Share of the variance of one agent's score that comes from runs."""
    run_share_of_differences: RunShare
    """Share of the variance of a difference between two agents that comes from runs."""
    variances: FloatArray
    """Variances of one attempt, between runs and of agent × task, shape (2, tasks + 1).

    The first column is over all tasks; each of the other columns leaves out one task.
    """

    def tasks_needed(self, difference: float, attempts: int) -> TasksNeeded | None:
        """Return how many tasks like these are needed to detect a difference 80 % of the time.

        Args:
            difference: The difference between two scores, in the metric's unit.
            attempts: Number of attempts by each agent at each task.

        Returns:
            None if the difference is 0.
        """
        run, agent_task = self.variances
        variances = 2 * (agent_task + run / attempts)
        low_variance, high_variance = _jackknife_ends(variances)
        variance = 2 * (self.components.agent_task + self.components.run / attempts)
        tasks = tasks_to_detect(difference, variance**0.5)
        if not tasks:
            return None
        fewest = tasks_to_detect(difference, low_variance**0.5) or 0
        most = tasks_to_detect(difference, high_variance**0.5) or 0
        return TasksNeeded(tasks, min(fewest, tasks), max(most, tasks))


def averages_attempts(metric: Metric) -> bool:
    """Return whether a score is a mean over tasks of the mean over each task's attempts.

    Only for such a score does a second attempt halve the variance between runs. The chance that a
    single attempt passes, pass@1 or pass^1, is such a mean.
    """
    declared = metric.declared
    if declared is None or declared.of is None:
        return False
    attempts = declared.attempts or "mean"
    if attempts in {"pass_at_k", "pass_hat_k"} and declared.k == 1:
        attempts = "mean"
    tasks = declared.tasks or "mean"
    return attempts == tasks == "mean"


def study_variances(scores: RepeatedScores) -> Generalizability | None:
    """Return the sources of the uncertainty of scores; None if the runs cannot show them.

    Args:
        scores: Scores of at least 2 agents on at least `FEWEST_TASKS` tasks.
    """
    agents, tasks = scores.means.shape
    has_gap = np.isnan(scores.means).any() or np.isnan(scores.run_variances).any()
    if has_gap or agents < 2 or tasks < FEWEST_TASKS:  # noqa: PLR2004 - a pair of agents
        return None
    components = variance_components(scores)
    run = components.run / scores.attempts
    score_variance = components.task + run
    difference_variance = components.agent_task + run
    if score_variance <= COMPONENT_TOLERANCE or difference_variance <= COMPONENT_TOLERANCE:
        return None
    run_left, scores_left, differences_left = _variances_left_out(scores)
    agent_task_left = np.maximum(differences_left - run_left, 0.0)
    score_interval = _share_interval(run_left, scores_left)
    difference_interval = _share_interval(run_left, differences_left)
    return Generalizability(
        components=components,
        agents=agents,
        tasks=tasks,
        attempts=scores.attempts,
        run_share_of_scores=RunShare(run / score_variance, score_interval),
        run_share_of_differences=RunShare(run / difference_variance, difference_interval),
        variances=np.stack([run_left * scores.attempts, agent_task_left]),
    )


def variance_components(scores: RepeatedScores) -> VarianceComponents:
    """Return variance components from the mean squares of a crossed design, each at least 0."""
    means = scores.means
    agents, tasks = means.shape
    run = float(scores.run_variances.mean())
    between_tasks = float(means.var(axis=1, ddof=1).mean())
    agent_means = means.mean(axis=1, keepdims=True)
    task_means = means.mean(axis=0)
    centred = means - agent_means - task_means + means.mean()
    degrees = (agents - 1) * (tasks - 1)
    interaction = float((centred**2).sum()) / degrees
    task = max(between_tasks - run, 0.0)
    agent_task = max(interaction - run, 0.0)
    return VarianceComponents(task=task, agent_task=agent_task, run=run * scores.attempts)


def _variances_left_out(scores: RepeatedScores) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return three variances, each over all tasks and then with each task left out in turn.

    Each array has the shape (tasks + 1,). The first is the variance of a mean between runs; the
    second is the variance of an agent's means between tasks; the third is half the variance,
    between tasks, of a difference between two agents.
    """
    agents, tasks = scores.means.shape
    task_variances = scores.run_variances.mean(axis=0)
    left_out = (task_variances.sum() - task_variances) / (tasks - 1)
    run = np.append(task_variances.mean(), left_out)
    score_variances = _squares_left_out(scores.means) / agents
    centred = scores.means - scores.means.mean(axis=0)
    difference_variances = _squares_left_out(centred) / (agents - 1)
    return run, score_variances, difference_variances


def _squares_left_out(table: FloatArray) -> FloatArray:
    """Return the sum of the rows' variances over all columns, then with each column left out."""
    columns = table.shape[1]
    deviations = table - table.mean(axis=1, keepdims=True)
    squares = (deviations**2).sum(axis=1, keepdims=True)
    # Leaving out a column reduces the sum of squares about the new mean by n / (n - 1) times the
    # column's own square.
    falls = deviations**2 * columns / (columns - 1)
    left_out = (squares - falls) / (columns - 2)
    over_all_columns = squares.sum() / (columns - 1)
    return np.append(over_all_columns, np.maximum(left_out, 0.0).sum(axis=0))


def _share_interval(run: FloatArray, total: FloatArray) -> Interval:
    """Return the 95 % interval of run / total, at most 1.

    The interval is 0 to 1, and thus uninformative, if no run differs from another.
    """
    if run[0] <= VARIANCE_FLOOR:
        return Interval(0.0, 1.0, "t")
    low, high = _jackknife_ends(run / np.maximum(total, VARIANCE_FLOOR))
    ratio = float(run[0] / max(total[0], VARIANCE_FLOOR))
    share = min(ratio, 1.0)
    interval = Interval(min(low, share), max(min(high, 1.0), share), "t")
    return interval.rounded()


def _jackknife_ends(values: FloatArray) -> tuple[float, float]:
    """Return the ends of a 95 % interval of a ratio of two variances.

    For a single variance the interval is approximate. It is the jackknife over tasks on a
    logarithmic scale, with Student's t. Percentiles of resampled tasks cover the true value in 55
    to 85 % of trials with 5 tasks, and in 85 to 95 % with 25 tasks; this interval covers it in 93
    to 97 %.

    Args:
        values: The value over all tasks, then with each task left out in turn; at least
            `FEWEST_TASKS` tasks.

    Source:
        J. N. Arvesen, T. H. Schmitz, Robust procedures for variance component problems using the
        jackknife, Biometrics 26, 1970.
    """
    tasks = len(values) - 1
    logs = np.log(np.maximum(values, VARIANCE_FLOOR))
    left_out = logs[1:]
    squares = (left_out - left_out.mean()) ** 2
    standard_error = float((tasks - 1) / tasks * squares.sum()) ** 0.5
    quantile = float(scipy.special.stdtrit(tasks - 1, HIGH / 100))
    half = min(quantile * standard_error, MAX_LOG_HALF_WIDTH)
    middle = float(logs[0])
    low = float(np.exp(middle - half))
    high = float(np.exp(middle + half))
    return low, high
