"""Figures far from what a board has seen: a hint to look, and never more than that."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import fmean, median

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.unusual_effort import effort_problems
from sitegen.metrics.grids import TaskGrid
from sitegen.metrics.likeness import best_shares, best_shares_of_rounds
from sitegen.metrics.metric import Unit
from sitegen.problems import Problem, Rule

SCORE_UNUSUAL = Rule(
    "SCORE-UNUSUAL",
    "warning",
    "A score lies near what its board had before.",
    "look at the runs: a better or a worse agent is one reason, another track's data or a broken harness are others",
)
TASK_SOLVED_ALONE = Rule(
    "TASK-SOLVED-ALONE",
    "warning",
    "A task that the whole board fails is not solved by one of its weaker agents.",
    "look at the transcripts of this task: whether it was known before, or its solution could be read",
)

_BEFORE = 8
"""So many earlier scores tell what is usual."""

_FAR = 5.0
"""So many robust standard deviations are far."""

_SIGMA = 1.4826
"""Median absolute deviations in a standard deviation, where values are normally distributed."""

_LEAST: Mapping[Unit, float] = {"percent": 3.0, "share": 0.03}
"""The standard deviation is taken to be at least that; in other units, at least a twentieth of the usual score."""

_OTHERS, _ROUNDS = 8, 4
"""A task that so many others failed at, with so many rounds, says something about the one that solved it."""

_HALF, _NEAR = 0.5, 0.75
"""Shares: of rounds, that others and the agent itself elsewhere do not get past; of cases, from which on others were
near, so that one more passes by luck: in a chain, rounds often fall or stand together."""


def outlier_problems(board: Board) -> Iterator[Problem]:
    """Say what lies far from what a board had before, or has elsewhere: scores, effort, and tasks solved alone."""
    rows = [entry for entry in board.all_entries if entry.bundle]
    yield from chain.from_iterable(_unusual_score(board, entry) for entry in rows)
    yield from effort_problems([entry.bundle for entry in rows if entry.bundle])
    yield from _solved_alone(board)


def _unusual_score(board: Board, entry: Entry) -> Iterator[Problem]:
    score, before = entry.scores[board.headline.id], _scores_before(board, entry)
    if score.value is None or entry.bundle is None or entry.is_incomplete or len(before) < _BEFORE:
        return
    usual = median(before)
    distance = (score.value - usual) / _spread(before, score.metric.unit)
    if abs(distance) >= _FAR and not min(before) <= score.value <= max(before):
        digits, side = score.metric.decimals, "above" if distance > 0 else "below"
        what = (
            f"{score.metric.title} {score.text} lies {abs(distance):.1f} robust standard deviations {side} the median "
            f"of the {len(before)} other scores that may have been there before, {usual:.{digits}f}; they go from "
            f"{min(before):.{digits}f} to {max(before):.{digits}f}"
        )
        yield SCORE_UNUSUAL.broken(entry.bundle.path / "submission.toml", None, what)


def _scores_before(board: Board, entry: Entry) -> list[float]:
    """Give the headline scores that a board may have had before a submission, those of reported rows included."""
    is_history = board.results.arrivals.is_history
    others = [each for each in board.all_entries if each is not entry and not each.is_incomplete]
    earlier = [each for each in others if is_history(entry.id, each.id)]
    return [value for each in earlier if (value := each.value(board.headline.id)) is not None]


def _spread(values: Sequence[float], unit: Unit) -> float:
    """Give the standard deviation of scores, as their median deviation has it, or the least that it is taken to be."""
    usual = median(values)
    spread = _SIGMA * median(abs(value - usual) for value in values)
    return max(spread, _LEAST.get(unit, abs(usual) / 20)) or 1.0


def _solved_alone(board: Board) -> Iterator[Problem]:
    """Say which task was solved to its end by a weak agent alone, where others do not get past its middle."""
    rows = [entry for entry in board.submissions if entry.value(board.headline.id) is not None]
    weaker = rows[len(rows) // 2 :] if len(rows) > _OTHERS else []
    for entry in weaker:
        others = [other for other in rows if other.agent.name != entry.agent.name]
        yield from _alone(entry, {name: _Field.at(name, others) for name in _solved(entry)})


def _solved(entry: Entry) -> list[str]:
    """Give the tasks that an agent solved which passes little elsewhere; none where it passes more than half."""
    shares = _shares_of_rounds(entry)
    solved = [name for name, share in shares.items() if share == 1]
    return solved if solved and fmean(shares.values()) <= _HALF else []


@dataclass(frozen=True, slots=True)
class _Field:
    """How far others come at one task.

    Attributes:
        rounds: Share of rounds that each passes.
        cases: Share of cases that each passes.
    """

    rounds: Sequence[float]
    cases: Sequence[float]

    @classmethod
    def at(cls, task: str, others: Sequence[Entry]) -> "_Field":
        """Collect what the best attempt of each of the others passes of a task."""
        grids = (_long_tasks(other).get(task) for other in others)
        best = [best_shares(grid) for grid in grids if grid]
        return cls([rounds for rounds, _ in best], [cases for _, cases in best])

    @property
    def fails(self) -> bool:
        """Whether there are enough of them, and none comes near."""
        return len(self.rounds) >= _OTHERS and max(self.rounds) <= _HALF and max(self.cases) <= _NEAR


def _alone(entry: Entry, fields: Mapping[str, _Field]) -> Iterator[Problem]:
    share = fmean(_shares_of_rounds(entry).values()) if fields else 0.0
    for task, field in fields.items():
        if field.fails and entry.bundle:
            what = (
                f"every round of {task} is passed, of which no other submission passes more than "
                f"{max(field.rounds):.0%}, nor more than {max(field.cases):.0%} of its cases; "
                f"of all tasks this one passes {share:.0%} of the rounds"
            )
            numbered = entry.bundle.numbered_rounds()
            line = next((line for line, each in numbered if each.task == task), None)
            yield TASK_SOLVED_ALONE.broken(entry.bundle.path / "rounds.jsonl", line, what)


def _long_tasks(entry: Entry) -> Mapping[str, TaskGrid]:
    """Give the tasks that have enough rounds to tell anything."""
    grids = entry.sheet.tasks if entry.sheet else ()
    return {grid.task.id: grid for grid in grids if len(grid.rounds) >= _ROUNDS}


def _shares_of_rounds(entry: Entry) -> dict[str, float]:
    """Give the share of rounds that the best attempt passes, by long task."""
    grids = _long_tasks(entry)
    return dict(zip(grids, best_shares_of_rounds(list(grids.values())), strict=True))
