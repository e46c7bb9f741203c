"""Results small enough to check a score by eye, written as one mark per round."""

from collections.abc import Mapping, Sequence
from string import ascii_lowercase
from typing import Any

import numpy as np

from sitegen.metrics.arrays import TaskRewards
from sitegen.metrics.results import SubmissionResults, arrange_results
from sitegen.models.outcome import RoundResult, RunFigures, Start
from sitegen.models.task import Task, TaskRound

MARKS: Mapping[str, Mapping[str, Any]] = {
    "#": {"state": "scored", "reward": 1.0, "passed": 4, "total": 4},
    "+": {"state": "scored", "reward": 0.0, "passed": 3, "total": 4},
    ".": {"state": "scored", "reward": 0.0, "passed": 0, "total": 4},
    "v": {"state": "scored", "reward": 1.0},
    "n": {"state": "no_cases", "reward": 0.0, "passed": 0, "total": 0},
    "x": {"state": "aborted", "reward": 0.0, "passed": 0, "total": 0},
    "-": {"state": "unreached", "reward": 0.0, "passed": 0, "total": 0},
    ">": {"state": "fast_forwarded", "reward": 0.0, "passed": 0, "total": 0},
    "!": {"state": "excluded", "reward": 0.0},
}
"""The round that each mark represents.

All 4 cases pass (#), 3 pass (+) or none pass (.); a verdict without cases (v); no case ran (n); aborted (x); unreached
(-); fast-forwarded (>); excluded (!). A blank is a missing record.
"""


def grid(*attempts: str) -> TaskRewards:
    """Return the rewards of one task, shape (attempts, rounds): True for #."""
    return np.array([[mark == "#" for mark in attempt] for attempt in attempts], dtype=np.bool_)


def task(name: str, rounds: int, weights: Sequence[float] = ()) -> Task:
    """Return a task with numbered rounds; their weights are 1 by default."""
    round_weights = weights or [1.0] * rounds
    return Task(name, tuple(TaskRound(number, weight=weight) for number, weight in enumerate(round_weights, start=1)))


def records(name: str, marks: str, attempt: int = 1, start: Start = "own", **facts: Any) -> list[RoundResult]:  # noqa: ANN401 - any field of a record
    """Return the records of one attempt at a task."""
    return [
        RoundResult(name, attempt, number, start=start, **{**MARKS[mark], **facts})
        for number, mark in enumerate(marks, start=1)
        if mark != " "
    ]


def sheet(
    *tasks: str | Sequence[str],
    attempts: int | None = None,
    reference: Sequence[str] = (),
    runs: Sequence[RunFigures] = (),
) -> SubmissionResults:
    """Return a submission's results, given as marks.

    Args:
        tasks: The marks of each task, one text per attempt; the tasks are named a, b, c and so on.
        attempts: The number of attempts that the track requires; None for the number drawn.
        reference: The marks of each task's rounds that start from the reference state.
        runs: The figures of complete runs.
    """
    drawn = dict(
        zip(ascii_lowercase, ([marks] if isinstance(marks, str) else list(marks) for marks in tasks), strict=False)
    )
    round_results = [run for name, attempts_at in drawn.items() for run in _runs(name, attempts_at)]
    for name, marks in zip(drawn, reference, strict=False):
        round_results += records(name, marks, start="reference")
    made = len(drawn["a"])
    named = [task(name, len(attempts_at[0])) for name, attempts_at in drawn.items()]
    return arrange_results(named, round_results, runs, attempts or made, made)


def _runs(name: str, marks: Sequence[str]) -> list[RoundResult]:
    return [record for attempt, marked in enumerate(marks, start=1) for record in records(name, marked, attempt)]
