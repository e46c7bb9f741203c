"""Figures far from what a board has seen: a hint to look, and never more than that."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from operator import attrgetter
from pathlib import Path
from statistics import fmean, median

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.metrics.effort import Typical, typical
from sitegen.metrics.grids import TaskGrid
from sitegen.metrics.likeness import best_shares, best_shares_of_rounds, middle_and_spread
from sitegen.metrics.metric import Unit
from sitegen.models.outcome import RoundResult, RunFigures
from sitegen.models.results import Bundle
from sitegen.problems import Problem, Rule, counted

SCORE_UNUSUAL = Rule.warning(
    "SCORE-UNUSUAL",
    "A score lies near what its board had before.",
    "look at the runs: a better or a worse agent is one reason, another track's data or a broken harness are others",
)
TASK_SOLVED_ALONE = Rule.warning(
    "TASK-SOLVED-ALONE",
    "A task that the whole board fails is not solved by one of its weaker agents.",
    "look at the transcripts of this task: whether it was known before, or its solution could be read",
)
EFFORT_UNUSUAL = Rule.warning(
    "EFFORT-UNUSUAL",
    "What a round took is of a size that others on the board know.",
    "check the unit: seconds, US dollars and single tokens are meant",
)
EFFORT_ZERO = Rule.warning(
    "EFFORT-ZERO",
    "A round that an agent passed took it at least one token.",
    "leave the figure out where nothing was measured; where it was, look how the round was passed",
)

_BEFORE = 8
"""So many earlier scores tell what is usual."""

_FAR = 5.0
"""So many robust standard deviations are far."""

_LEAST: Mapping[Unit, float] = {"percent": 3.0, "share": 0.03}
"""The standard deviation is taken to be at least that; in other units, at least a twentieth of the usual score."""

_OTHERS, _ROUNDS = 8, 4
"""A task that so many others failed at, with so many rounds, says something about the one that solved it."""

_HALF, _NEAR = 0.5, 0.75
"""Shares: of rounds, that others and the agent itself elsewhere do not get past; of cases, from which on others were
near, so that one more passes by luck: in a chain, rounds often fall or stand together."""

_FIGURES = ("input_tokens", "output_tokens", "cost_usd", "agent_seconds", "turns", "interactions")
_ROWS, _FACTOR, _BEYOND = 5, 300, 1000
"""Of so many submissions one is odd whose figures are mostly so many times the others', or a single one that is so
many times what is usual."""


def outlier_problems(board: Board) -> Iterator[Problem]:
    """Say what lies far from what a board had before, or has elsewhere: scores, effort, and tasks solved alone."""
    rows = [entry for entry in board.all_entries if entry.bundle]
    yield from chain.from_iterable(_unusual_score(board, entry) for entry in rows)
    bundles = [entry.bundle for entry in rows if entry.bundle]
    for name in _FIGURES:
        known = [taken for bundle in bundles if (taken := _Effort.of(bundle, name)).usual]
        usual = [each.usual for each in known]
        for place, each in enumerate(known if len(known) >= _ROWS else ()):
            yield from each.problems(median(usual[:place] + usual[place + 1 :]))
    for bundle in bundles:
        if 0 in set(map(attrgetter("output_tokens"), bundle.rounds)):
            found = [
                (line, each)
                for line, each in bundle.numbered_rounds()
                if each.output_tokens == 0 and each.solved
            ]
            for line, first in found[:1]:
                what = f"{_named(first)} was passed with 0 output tokens{_and_more(len(found) - 1)}"
                yield EFFORT_ZERO.broken(bundle.path / "rounds.jsonl", line, what)
    yield from _solved_alone(board)


def _unusual_score(board: Board, entry: Entry) -> Iterator[Problem]:
    """Hold a headline score against those that the board may have had before, those of reported rows included."""
    score, is_history = entry.scores[board.headline.id], board.results.arrivals.is_history
    others = [each for each in board.all_entries if each is not entry and not each.is_incomplete]
    values = (each.value(board.headline.id) for each in others if is_history(entry.id, each.id))
    before = [value for value in values if value is not None]
    if score.value is None or entry.bundle is None or entry.is_incomplete or len(before) < _BEFORE:
        return
    usual, spread = middle_and_spread(before)
    distance = (score.value - usual) / (
        max(spread, _LEAST.get(score.metric.unit, abs(usual) / 20)) or 1.0
    )
    if abs(distance) >= _FAR and not min(before) <= score.value <= max(before):
        digits, side = score.metric.decimals, "above" if distance > 0 else "below"
        what = (
            f"{score.metric.title} {score.text} lies {abs(distance):.1f} robust standard deviations {side} the median "
            f"of the {len(before)} other scores that may have been there before, {usual:.{digits}f}; they go from "
            f"{min(before):.{digits}f} to {max(before):.{digits}f}"
        )
        yield SCORE_UNUSUAL.broken(entry.bundle.path / "submission.toml", None, what)


def _solved_alone(board: Board) -> Iterator[Problem]:
    """Say which task was solved to its end by a weak agent alone, where others do not get past its middle."""
    rows = [entry for entry in board.submissions if entry.value(board.headline.id) is not None]
    for entry in rows[len(rows) // 2 :] if len(rows) > _OTHERS else ():
        others = [other for other in rows if other.agent.name != entry.agent.name]
        grids = _long_tasks(entry)
        shares = dict(zip(grids, best_shares_of_rounds(list(grids.values())), strict=True))
        share = fmean(shares.values()) if shares else 1.0
        for task in (task for task, own in shares.items() if own == 1 and share <= _HALF):
            best = [best_shares(grid) for other in others if (grid := _long_tasks(other).get(task))]
            rounds, cases = (
                map(max, zip(*best, strict=True)) if len(best) >= _OTHERS else (1.0, 1.0)
            )
            if rounds <= _HALF and cases <= _NEAR and entry.bundle:
                what = (
                    f"every round of {task} is passed, of which no other submission passes more than "
                    f"{rounds:.0%}, nor more than {cases:.0%} of its cases; "
                    f"of all tasks this one passes {share:.0%} of the rounds"
                )
                line = next(
                    (line for line, each in entry.bundle.numbered_rounds() if each.task == task),
                    None,
                )
                yield TASK_SOLVED_ALONE.broken(entry.bundle.path / "rounds.jsonl", line, what)


def _long_tasks(entry: Entry) -> Mapping[str, TaskGrid]:
    """The tasks that have enough rounds to tell anything."""
    grids = entry.sheet.tasks if entry.sheet else ()
    return {grid.task.id: grid for grid in grids if len(grid.rounds) >= _ROUNDS}


@dataclass(frozen=True)  # no slots: what is asked for is computed once and stays
class _Effort:
    """One kind of figure of what rounds, or whole runs, of a submission took, with the file that it stands in."""

    path: Path
    records: Sequence[RoundResult | RunFigures]
    lines: Sequence[int]
    """Lines of the records; none where they are not known."""
    name: str

    @classmethod
    def of(cls, bundle: Bundle, name: str) -> "_Effort":
        """Take a figure from rounds, or from whole runs where rounds have none."""
        lines = bundle.round_lines or range(1, len(bundle.rounds) + 1)
        by_round = cls(bundle.path / "rounds.jsonl", bundle.rounds, lines, name)
        return (
            by_round if by_round.usual else cls(bundle.path / "runs.jsonl", bundle.runs, (), name)
        )

    @property
    def figures(self) -> list[float | None]:
        """The figure of each record; nothing where such records never have it. Not kept: few are looked at again."""
        has_it = self.records and hasattr(self.records[0], self.name)
        return list(map(attrgetter(self.name), self.records)) if has_it else []

    @property
    def usual(self) -> float:
        """The median of those that are known, and not 0; 0 where there are none."""
        return self._typical.usual

    @cached_property
    def _typical(self) -> Typical:
        return typical(self.figures)

    def problems(self, others: float) -> Iterator[Problem]:
        """Say whether they are of another size than what the other submissions mostly have."""
        limit = _BEYOND * max(self.usual, others)
        if not 1 / _FACTOR < self.usual / others < _FACTOR:
            what = f"`{self.name}` is {self.usual:g} in the median, in other submissions {others:g}"
            first = next(place for place, figure in enumerate(self.figures) if figure)
        elif self._typical.most > limit:
            huge = [
                (place, figure)
                for place, figure in enumerate(self.figures)
                if figure and figure > limit
            ]
            first, figure = huge[0]
            what = f"`{self.name}` of {_named(self.records[first])} is {figure:g}"
            what += f", in other submissions {others:g}{_and_more(len(huge) - 1)}"
        else:
            return
        yield EFFORT_UNUSUAL.broken(self.path, self.lines[first] if self.lines else None, what)


def _named(record: RoundResult | RunFigures) -> str:
    if isinstance(record, RunFigures):
        return f"attempt {record.attempt} at {record.task}"
    return f"round {record.round} of {record.task}"


def _and_more(others: int) -> str:
    return f" (here and in {counted(others, 'more place')})" if others else ""
