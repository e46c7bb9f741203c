"""The agents of a board that are shown to be better, recomputed from the scores of single tasks.

The method and its random draws are those of the methods page, but the code is independent of the program's.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from kit.results_files import MEANS_OVER_TASKS, BoardFiles, BoardRow, declared_board

FLIPS = 4_000
SURE = 0.95
EQUAL = 1e-5
"""Statistics that exceed the bound by less than this share count as equal to it."""
UNCLEAR = 5e-6
"""Statistics this close to `EQUAL` may fall on either side of it in single precision."""

Parts = Mapping[str, tuple[Fraction, Fraction]]
"""Each task's contribution to a score, and its weight in the score, by task id."""


def task_parts(board: BoardFiles, row: BoardRow) -> Parts | None:
    """Return the parts of a row's headline score; None for metrics that are not simple sums or means over tasks."""
    submission, metric = row.submission, board.headline
    if submission is None:
        return None
    if metric in board.own_metrics:
        return declared_parts(board, row)
    if metric == "strict":
        return {task: pooled_part(row, task) for task in submission.counted_tasks}
    if metric not in {*MEANS_OVER_TASKS, "perfect_tasks"}:
        return None
    task_contributions = {}
    for task in submission.counted_tasks:
        matching_tasks = [defined_task for defined_task in submission.tasks if defined_task["id"] == task]
        rounds = [round_result for round_result in submission.rounds if round_result["task"] == task]
        alone = replace(submission, tasks=matching_tasks, rounds=rounds)
        value = getattr(alone.exact, metric)()
        if value is None:
            return None
        task_contributions[task] = (value, Fraction(1))
    return task_contributions


def pooled_part(row: BoardRow, task: str) -> tuple[Fraction, Fraction]:
    """Return 100 times the number of passed rounds of a task over all attempts, and the number of rounds."""
    assert row.submission
    exact = row.submission.exact
    verdicts = [verdict for attempt in exact.attempts for verdict in exact.verdicts(task, attempt)]
    return Fraction(100 * sum(verdicts)), Fraction(len(verdicts))


def declared_parts(board: BoardFiles, row: BoardRow) -> Parts | None:
    """Return the parts of a declared metric of verdicts; None if it is not a mean over tasks or a task has no score."""
    metric, submission = board.own_metrics[board.headline], row.submission
    is_mean = metric.get("of") in {"pass", "reward", "cases"} and metric.get("tasks", "mean") in {
        "mean",
        "weighted",
    }
    if not is_mean or submission is None:
        return None
    lines = declared_board(board.benchmark, submission)
    factor, task_contributions = (100 if metric["unit"] == "percent" else 1), {}
    for task in lines.tasks:
        value = lines.by_task(metric, task)
        if value is None:
            return None
        is_weighted = metric.get("tasks") == "weighted"
        weight = Fraction(str(task.get("weight", 1))) if is_weighted else Fraction(1)
        task_contributions[task["id"]] = (factor * value * weight, weight)
    return task_contributions


def contributions(board: BoardFiles, task_contributions: Parts) -> list[float]:
    """Return the contribution of each unit (a task or a cluster) to a score, which is the mean of the contributions.

    A task contributes its score times its weight. If a score lacks some tasks, a contribution is the score plus the
    task's weighted deviation from it.
    """
    tasks, is_sum = board.counted_tasks, board.headline == "perfect_tasks"
    numerators = [task_contributions.get(task, (Fraction(), Fraction()))[0] for task in tasks]
    weights = [task_contributions.get(task, (Fraction(), Fraction()))[1] for task in tasks]
    if is_sum:
        made = [len(tasks) * value for value in numerators]
    else:
        total = sum(weights, Fraction())
        score, factor = sum(numerators, Fraction()) / total, len(tasks) / total
        is_complete = all(weight > 0 for weight in weights)
        made = []
        for value, weight in zip(numerators, weights, strict=True):
            drawn = factor * (value - score * weight) + score
            made.append(factor * value if is_complete else drawn)
    by_task = dict(zip(tasks, made, strict=True))
    if not board.clusters:
        return [float(value) for value in made]
    share = Fraction(len(board.clusters), len(tasks))
    groups = [board.clusters[name] for name in sorted(board.clusters)]
    return [float(share * sum(by_task[task] for task in group)) for group in groups]


def signs_of(units: Sequence[str]) -> NDArray[np.float64]:
    """Return the random signs of the units, shape (units, draws), seeded by the units' names."""
    digest = hashlib.sha256("\n".join(units).encode()).digest()
    raw = np.random.PCG64(int.from_bytes(digest[:8], "big")).random_raw(len(units) * FLIPS)
    return np.where(raw >= 2**63, 1.0, -1.0).reshape(len(units), FLIPS)


def better_pairs(board: BoardFiles) -> set[tuple[str, str]] | None:
    """Return the pairs (better, worse) that are shown if all pairs of the board are tested at once.

    Returns None if the headline's parts are not simple, or if rounding decides a pair.
    """
    rows = board.ranked
    contributions_by_row = [task_parts(board, row) for row in rows]
    known_contributions = [
        row_contributions for row_contributions in contributions_by_row if row_contributions is not None
    ]
    if len(known_contributions) < len(rows) or not board.has_intervals:
        return None
    if len(rows) < 2:
        return set()
    sign = 1 if board.is_higher_better else -1
    made = sign * np.array(
        [contributions(board, complete_contributions) for complete_contributions in known_contributions]
    )
    signs = signs_of(sorted(board.clusters) or board.counted_tasks)
    pairs = [(i, j) for i in range(len(rows)) for j in range(i + 1, len(rows))]
    apart = np.array([made[i] - made[j] for i, j in pairs])
    squares = (apart**2).sum(axis=1)
    scale = np.sqrt(squares + squares.mean() / 2)
    if not squares.any():
        return set()
    observed = apart.sum(axis=1) / scale
    drawn = np.abs(apart @ signs) / scale[:, np.newaxis]
    better, undecided_pairs = set(), list(range(len(pairs)))
    while undecided_pairs:
        bound = float(np.quantile(drawn[undecided_pairs].max(axis=0), SURE, method="higher"))
        excess = (
            {pair: abs(observed[pair]) / bound - 1 for pair in undecided_pairs}
            if bound
            else dict.fromkeys(undecided_pairs, 0.0)
        )
        if any(abs(value - EQUAL) < UNCLEAR for value in excess.values()):
            return None
        shown = [pair for pair in undecided_pairs if excess[pair] > EQUAL]
        if not shown:
            break
        for pair in shown:
            first, second = (rows[row_index].id for row_index in pairs[pair])
            better.add((first, second) if observed[pair] > 0 else (second, first))
        undecided_pairs = [pair for pair in undecided_pairs if pair not in shown]
    return better
