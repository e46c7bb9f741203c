"""How much of a score's uncertainty is the choice of the tasks, and how much is luck from run to run."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sitegen.metrics.metric import Metric
from sitegen.metrics.paired import tasks_to_tell
from sitegen.metrics.reruns import TwoRuns
from sitegen.metrics.uncertainty import HIGH, LOW, ROUNDING, Interval, raw_draws

FEWEST_TASKS = 5
"""Fewer tasks say nothing of how much tasks vary."""

_DRAWS = 1_000
_CELLS = 2_000_000
"""Numbers that are held at once while tasks are drawn again."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TaskScores:
    """Scores of agents at the same tasks, with how much each would differ in another run."""

    means: Floats
    """Mean over the attempts of each agent at each task, shape (agents, tasks)."""
    run_variances: Floats
    """Unbiased estimates of the variance of each of these means between runs, of the same shape."""
    attempts: int
    """Attempts that each mean is over."""

    @classmethod
    def from_attempts(cls, scores: Sequence[Floats]) -> "TaskScores":
        """Read both off at least 2 attempts: of each agent an array of shape (tasks, attempts)."""
        values = np.array(scores)
        attempts = values.shape[2]
        return cls(values.mean(axis=2), values.var(axis=2, ddof=1) / attempts, attempts)

    @classmethod
    def from_two_runs(cls, runs: Sequence[TwoRuns], attempts: int) -> "TaskScores":
        """Read them off two runs of the same agents, of which the first is what is studied.

        What an agent gains over all tasks from one run to the other is no luck at single tasks, and left out: the
        two runs may lie months apart.

        Args:
            runs: Of each agent, the run that is studied and the other one, at least 2 tasks.
            attempts: Attempts that each score is over, in either run.
        """
        means = np.array([first for first, _ in runs])
        apart = means - np.array([second for _, second in runs])
        apart = apart - apart.mean(axis=1, keepdims=True)
        tasks = means.shape[1]
        return cls(means, apart**2 / 2 * tasks / (tasks - 1), attempts)


@dataclass(frozen=True, slots=True)
class Components:
    """Variances of one attempt at one task, averaged over agents, in squared units of the metric."""

    task: float
    """Between tasks, for one agent: some tasks are harder."""
    agent_task: float
    """Between tasks, of one agent beside the others: what is hard for one agent is easy for another."""
    run: float
    """Between attempts of one agent at one task."""


@dataclass(frozen=True, slots=True)
class RunShare:
    """The share of a variance that another run of the same tasks would show, 0 to 1.

    The interval is the middle 95 % of samples in which the tasks are drawn again.
    """

    share: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class TasksNeeded:
    """How many tasks detect a difference, with the ends for the middle 95 % of samples of the tasks."""

    tasks: int
    fewest: int
    most: int


@dataclass(frozen=True, slots=True)
class Generalizability:
    """A study of tasks × attempts: where the uncertainty of scores comes from, and what would make it smaller.

    Agents are fixed: it is about the agents of the board, on other tasks like these.

    Source:
        R. L. Brennan, Generalizability Theory, 2001, chapter 3, with agents as a fixed facet; E. Miller, Adding Error
        Bars to Evals, arXiv:2411.00640, section 3.
    """

    components: Components
    agents: int
    tasks: int
    attempts: int
    of_scores: RunShare
    """Of the variance of one agent's score."""
    of_differences: RunShare
    """Of the variance of a difference between two agents."""
    drawn: Floats
    """Variances between runs and of agent × task of one attempt in each sample of the tasks, shape (2, draws)."""

    def tasks_needed(self, difference: float, attempts: int) -> TasksNeeded | None:
        """Return how many tasks like these detect a difference between two agents in 80 % of all cases.

        Args:
            difference: Of two scores, in the metric's unit.
            attempts: Tries of each agent at each task.

        Returns:
            None for no difference.
        """
        run, agent_task = self.drawn
        ends = np.percentile(2 * (agent_task + run / attempts), (LOW, HIGH)).tolist()
        variance = 2 * (self.components.agent_task + self.components.run / attempts)
        numbers = [tasks_to_tell(difference, each**0.5) for each in (variance, *ends)]
        tasks, fewest, most = (0 if number is None else number for number in numbers)
        if not tasks:
            return None
        return TasksNeeded(tasks, min(fewest, tasks), max(most, tasks))


def averages_attempts(metric: Metric) -> bool:
    """Return whether a score is a mean over tasks, and of each task a mean over attempts.

    Only then does a second attempt halve the variance between runs.
    """
    declared = metric.declared
    if declared is None or declared.reported:
        return False
    return (declared.attempts or "mean") == "mean" and (declared.tasks or "mean") == "mean"


def study(scores: TaskScores, task_names: Sequence[str]) -> Generalizability | None:
    """Return where the uncertainty of scores comes from; None where the runs cannot tell.

    Args:
        scores: Of at least 2 agents at `FEWEST_TASKS` tasks.
        task_names: Seed of the draws.
    """
    agents, tasks = scores.means.shape
    is_known = not (np.isnan(scores.means).any() or np.isnan(scores.run_variances).any())
    if not is_known or agents < 2 or tasks < FEWEST_TASKS:  # noqa: PLR2004 - one agent differs from none
        return None
    components = components_of(scores)
    run = components.run / scores.attempts
    of_score, of_difference = components.task + run, components.agent_task + run
    if of_score <= ROUNDING or of_difference <= ROUNDING:
        return None
    drawn_run, drawn_scores, drawn_differences = _drawn_variances(scores, task_names)
    drawn = np.stack([drawn_run * scores.attempts, np.maximum(drawn_differences - drawn_run, 0.0)])
    return Generalizability(
        components,
        agents,
        tasks,
        scores.attempts,
        RunShare(run / of_score, _interval(_shares(drawn_run, drawn_scores))),
        RunShare(run / of_difference, _interval(_shares(drawn_run, drawn_differences))),
        drawn,
    )


def components_of(scores: TaskScores) -> Components:
    """Return the variance components by the usual mean squares of a crossed design; none is below 0."""
    means = scores.means
    agents, tasks = means.shape
    run = float(scores.run_variances.mean())
    between_tasks = float(means.var(axis=1, ddof=1).mean())
    centred = means - means.mean(axis=1, keepdims=True) - means.mean(axis=0) + means.mean()
    interaction = float((centred**2).sum()) / ((agents - 1) * (tasks - 1))
    return Components(
        task=max(between_tasks - run, 0.0),
        agent_task=max(interaction - run, 0.0),
        run=run * scores.attempts,
    )


def _drawn_variances(scores: TaskScores, task_names: Sequence[str]) -> tuple[Floats, Floats, Floats]:
    """Return three variances with the tasks drawn again, each of shape (draws,).

    Of a mean between runs; of an agent's means between tasks; and half of that of a difference between two agents.
    """
    means = scores.means
    agents, tasks = means.shape
    chosen = (raw_draws(task_names, tasks * _DRAWS) % tasks).astype(np.intp).reshape(_DRAWS, tasks)
    run = scores.run_variances.mean(axis=0)[chosen].mean(axis=1)
    of_scores = np.empty(_DRAWS)
    of_differences = np.empty(_DRAWS)
    step = max(1, _CELLS // (agents * tasks))
    for start in range(0, _DRAWS, step):
        places = chosen[start : start + step]
        part = slice(start, start + len(places))
        drawn = means[:, places]
        of_scores[part] = drawn.var(axis=2, ddof=1).mean(axis=0)
        centred = drawn - drawn.mean(axis=2, keepdims=True)
        centred -= centred.mean(axis=0)
        of_differences[part] = (centred**2).sum(axis=(0, 2)) / ((agents - 1) * (tasks - 1))
    return run, of_scores, of_differences


def _shares(run: Floats, total: Floats) -> Floats:
    """Return run / total, at most 1; 1 where nothing else varies."""
    safe = np.where(total > ROUNDING, total, 1.0)
    return np.where(total > ROUNDING, np.minimum(run / safe, 1.0), 1.0)


def _interval(drawn: Floats) -> Interval:
    low, high = np.percentile(drawn, (LOW, HIGH)).tolist()
    return Interval(low, high).rounded()
