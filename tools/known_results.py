"""Simulated results of equally good agents: records of rounds with verdicts, cases, costs and measurements.

Boards are simulated together: their agents are the submissions in one list, on tasks with the same names, rounds,
weights and labels. Only the agents' results differ from board to board.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import scipy
from known_boards import Numbers, ability

from sitegen.metrics.results import SubmissionResults, arrange_results
from sitegen.models.outcome import RoundResult
from sitegen.models.task import Task, TaskRound

ATTEMPTS = 3
ROUNDS = (1, 2, 3, 4)
"""Numbers of rounds of the tasks, in turn."""
CASES = 5
TASTE = 1.5
"""The spread of an agent's own easiness of tasks within a cluster."""
CLUSTER_TASTE = 1.5
"""The spread of an agent's own easiness between clusters of tasks."""
RUN = 0.8
"""The spread between attempts of one agent at one task."""
TASK_SPREAD = 2.1
"""The spread of the difficulty of tasks for all agents, as in `ability`."""
COST_SPREAD = 0.5
"""Standard deviations of the logarithm of a cost: between tasks, between agents on a task, and between rounds."""

AREAS = (0.4, 0.3, 0.2, 0.1)
"""The shares of tasks in each area; `macro` is the mean over areas."""


@dataclass(frozen=True)
class TaskDesign:
    """The tasks of simulated boards.

    Attributes:
        tasks: The number of tasks; approximate if there are clusters.
        clusters: The number of clusters of uneven size; 0 if tasks are independent.
    """

    tasks: int
    clusters: int = 0

    @property
    def words(self) -> str:
        """A description of the design, as the head of a column."""
        return f"{self.clusters} clusters" if self.clusters else f"{self.tasks} tasks"

    @property
    def cluster_sizes(self) -> list[int]:
        """The number of tasks in each cluster: log-normal, with the largest several times the median."""
        quantiles = (np.arange(self.clusters) + 0.5) / self.clusters
        sizes = np.exp(scipy.special.ndtri(quantiles))
        return [max(1, round(size)) for size in self.tasks * sizes / sizes.sum()]


@cache
def tasks_of(design: TaskDesign) -> tuple[Task, ...]:
    """Return the tasks of a design, with weights from 1 to 5 and labels for area and cluster."""
    sizes = design.cluster_sizes or [1] * design.tasks
    cluster_of = [f"cluster-{number}" for number, size in enumerate(sizes) for _ in range(size)]
    bounds = np.cumsum(AREAS)
    tasks = []
    for number, cluster in enumerate(cluster_of):
        # Tasks are assigned to areas in turn, so that no area is a cluster.
        area = int(np.searchsorted(bounds, (number * 0.618) % 1))
        rounds = [
            TaskRound(index + 1, weight=1.0 + index)
            for index in range(ROUNDS[number % len(ROUNDS)])
        ]
        labels = {"area": f"area-{area}", "cluster": cluster}
        tasks.append(
            Task(f"task-{number}", tuple(rounds), labels=labels, weight=float(1 + number % 5))
        )
    return tuple(tasks)


def clusters_of(design: TaskDesign) -> dict[str, list[int]]:
    """Return the indices of the tasks in each cluster; empty if tasks are independent."""
    if not design.clusters:
        return {}
    indices: dict[str, list[int]] = {}
    for index, task in enumerate(tasks_of(design)):
        indices.setdefault(task.labels["cluster"], []).append(index)
    return indices


def equal_sheets(
    design: TaskDesign, level: float, shape: tuple[int, int], random: np.random.Generator
) -> list[SubmissionResults]:
    """Return the results of equally good agents, board by board.

    Args:
        design: The tasks.
        level: The percentage of rounds that pass.
        shape: The number of boards, and of agents per board.
        random: The random generator.
    """
    tasks = tasks_of(design)
    boards, agents = shape
    sheet_shape = boards, agents, len(tasks)
    hard = TASK_SPREAD * random.standard_normal((boards, 1, len(tasks)))
    taste = TASTE * random.standard_normal(sheet_shape)
    if design.clusters:
        sizes = design.cluster_sizes
        by_cluster = CLUSTER_TASTE * random.standard_normal((boards, agents, len(sizes)))
        taste = taste + np.repeat(by_cluster, sizes, axis=2)
    runs = RUN * random.standard_normal((*sheet_shape, ATTEMPTS))
    own_spread = float(np.sqrt(TASTE**2 + (CLUSTER_TASTE**2 if design.clusters else 0.0) + RUN**2))
    logits = ability(level, own_spread) + (hard + taste)[..., np.newaxis] + runs
    costs = COST_SPREAD * (
        random.standard_normal((boards, 1, len(tasks))) + random.standard_normal(sheet_shape)
    )
    flat_logits = logits.reshape(boards * agents, len(tasks), ATTEMPTS)
    flat_costs = costs.reshape(boards * agents, len(tasks))
    return [_sheet(tasks, *pair, random) for pair in zip(flat_logits, flat_costs, strict=True)]


def _sheet(
    tasks: Sequence[Task], logits: Numbers, costs: Numbers, random: np.random.Generator
) -> SubmissionResults:
    """Return the results of one agent.

    Args:
        tasks: The tasks.
        logits: The logit of passing a round, shape (tasks, attempts).
        costs: The logarithm of the typical cost of a round of each task.
        random: The random generator.
    """
    longest = max(ROUNDS)
    chances = np.repeat(scipy.special.expit(logits)[:, :, np.newaxis], longest, axis=2)
    passes = random.random(chances.shape) < chances
    cases = np.where(passes, CASES, random.binomial(CASES - 1, chances)).tolist()
    spent = np.exp(
        costs[:, np.newaxis, np.newaxis] + COST_SPREAD * random.standard_normal(chances.shape)
    ).tolist()
    eroded = np.clip(1 - chances + 0.1 * random.standard_normal(chances.shape), 0.0, 1.0).tolist()
    records = []
    for index, task in enumerate(tasks):
        for attempt in range(ATTEMPTS):
            of_attempt = zip(
                cases[index][attempt], spent[index][attempt], eroded[index][attempt], strict=True
            )
            for task_round, (passed, cost, erosion) in zip(task.rounds, of_attempt, strict=False):
                records.append(
                    RoundResult(
                        task.id,
                        attempt + 1,
                        task_round.n,
                        "scored",
                        passed / CASES,
                        passed,
                        CASES,
                        cost_usd=cost,
                        measures={"erosion@1": erosion},
                    )
                )
    return arrange_results(tasks, records, [], ATTEMPTS, ATTEMPTS)


def single_attempt(sheet: SubmissionResults) -> SubmissionResults:
    """Return the results of an agent that made only the first of several attempts."""
    tasks = [grid.task for grid in sheet.tasks]
    records = [result for result in sheet.results if result is not None and result.attempt == 1]
    return arrange_results(tasks, records, [], sheet.attempts_asked, 1)
