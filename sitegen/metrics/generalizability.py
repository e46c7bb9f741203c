"""How much of a score's uncertainty is the choice of the tasks, and how much is luck from run to run."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sitegen.metrics.grids import Sheet
from sitegen.metrics.metric import Metric
from sitegen.metrics.paired import tasks_to_tell
from sitegen.metrics.resampling import attempt_scores
from sitegen.metrics.uncertainty import HIGH, LOW, ROUNDING, Interval, raw_draws

FEWEST_TASKS = 5
"""Fewer tasks say nothing of how much tasks vary."""

_DRAWS = 1_000
_CELLS = 2_000_000
"""Numbers that are held at once while tasks are drawn again."""

Values = NDArray[np.float64]
"""What agents score with each attempt at each task, shape (agents, tasks, attempts)."""


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
    """The share of a variance that another run of the same tasks would show, 0 to 1, with its 95 % interval."""

    share: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class Generalizability:
    """A study of tasks × attempts: where the uncertainty of scores comes from, and what would make it smaller.

    Source:
        R. L. Brennan, Generalizability Theory, 2001, chapter 3, with agents as a fixed facet; E. Miller, Adding Error
        Bars to Evals, arXiv:2411.00640, section 3.
    """

    components: Components
    tasks: int
    attempts: int
    of_scores: RunShare
    """Of the variance of one agent's score."""
    of_differences: RunShare
    """Of the variance of a difference between two agents."""

    def tasks_needed(self, difference: float, attempts: int) -> int | None:
        """Return how many tasks like these detect a difference between two agents in 80 % of all cases.

        Args:
            difference: Of two scores, in the metric's unit.
            attempts: Tries of each agent at each task.
        """
        variance = 2 * (self.components.agent_task + self.components.run / attempts)
        return tasks_to_tell(difference, variance**0.5)


def study_of(metric: Metric, sheets: Sequence[Sheet]) -> Generalizability | None:
    """Return the study of submissions that made several attempts at the same tasks; None where they cannot tell."""
    if not sheets:
        return None
    names = [grid.task.id for grid in sheets[0].tasks]
    if any([grid.task.id for grid in sheet.tasks] != names for sheet in sheets):
        return None
    values = [attempt_scores(metric, sheet) for sheet in sheets]
    return study(np.array(values), names)


def study(values: Values, task_names: list[str]) -> Generalizability | None:
    """Return where the uncertainty of scores comes from; None where the runs cannot tell.

    Args:
        values: At least 2 agents, `FEWEST_TASKS` tasks and 2 attempts.
        task_names: Seed of the draws.
    """
    agents, tasks, attempts = values.shape
    is_known = not np.isnan(values).any()
    if not is_known or agents < 2 or tasks < FEWEST_TASKS or attempts < 2:  # noqa: PLR2004 - one of a kind does not vary
        return None
    components = components_of(values)
    scores = components.task + components.run / attempts
    differences = components.agent_task + components.run / attempts
    if scores <= ROUNDING or differences <= ROUNDING:
        return None
    drawn_scores, drawn_differences = _drawn_shares(values, task_names)
    run = components.run / attempts
    return Generalizability(
        components,
        tasks,
        attempts,
        RunShare(run / scores, _interval(drawn_scores)),
        RunShare(run / differences, _interval(drawn_differences)),
    )


def components_of(values: Values) -> Components:
    """Return the variance components by the usual mean squares of a crossed design; none is below 0."""
    agents, tasks, attempts = values.shape
    run = float(values.var(axis=2, ddof=1).mean())
    means = values.mean(axis=2)
    between_tasks = float(means.var(axis=1, ddof=1).mean())
    centred = means - means.mean(axis=1, keepdims=True) - means.mean(axis=0) + means.mean()
    interaction = float((centred**2).sum()) / ((agents - 1) * (tasks - 1))
    return Components(
        task=max(between_tasks - run / attempts, 0.0),
        agent_task=max(interaction - run / attempts, 0.0),
        run=run,
    )


def _drawn_shares(values: Values, task_names: list[str]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the shares of run-to-run variance with the tasks drawn again, `_DRAWS` times."""
    agents, tasks, attempts = values.shape
    chosen = (raw_draws(task_names, tasks * _DRAWS) % tasks).astype(np.intp).reshape(_DRAWS, tasks)
    run_by_task = values.var(axis=2, ddof=1).mean(axis=0) / attempts
    means = values.mean(axis=2)
    shares_of_scores = np.empty(_DRAWS)
    shares_of_differences = np.empty(_DRAWS)
    step = max(1, _CELLS // (agents * tasks))
    for start in range(0, _DRAWS, step):
        places = chosen[start : start + step]
        part = slice(start, start + len(places))
        drawn = means[:, places]
        run = run_by_task[places].mean(axis=1)
        scores = drawn.var(axis=2, ddof=1).mean(axis=0)
        centred = drawn - drawn.mean(axis=2, keepdims=True)
        centred -= centred.mean(axis=0)
        differences = (centred**2).sum(axis=(0, 2)) / ((agents - 1) * (tasks - 1))
        shares_of_scores[part] = _shares(run, scores)
        shares_of_differences[part] = _shares(run, differences)
    return shares_of_scores, shares_of_differences


def _shares(run: NDArray[np.float64], total: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return run / total, at most 1; 1 where nothing else varies."""
    safe = np.where(total > ROUNDING, total, 1.0)
    return np.where(total > ROUNDING, np.minimum(run / safe, 1.0), 1.0)


def _interval(drawn: NDArray[np.float64]) -> Interval:
    low, high = np.percentile(drawn, (LOW, HIGH)).tolist()
    return Interval(low, high).rounded()
