"""The records behind a row that differ between two states."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sitegen.board.changes.difference import Difference, Kind, kind_of, record_differences
from sitegen.models.outcome import RoundResult, RunFigures, Start
from sitegen.models.results import Bundle, FailureLog

_Where: TypeAlias = tuple[str, int, int | None, Start]
_Record: TypeAlias = RoundResult | RunFigures


@dataclass(frozen=True, slots=True)
class CellChange:
    """A record that differs.

    Attributes:
        task: Id of its task.
        attempt: Which attempt.
        round: Which round; None where it is about the whole attempt.
        start: The state the round began from.
        kind: Whether it is new, gone or different.
        differences: Its values that differ; all that it had, or has, where it is gone or new.
    """

    task: str
    attempt: int
    round: int | None
    start: Start
    kind: Kind
    differences: Sequence[Difference]


@dataclass(frozen=True, slots=True)
class TextChange:
    """Texts of failed cases of one task that differ: how many are gone, and how many are new."""

    task: str
    gone: int
    new: int


def cell_changes(before: Bundle, after: Bundle) -> list[CellChange]:
    """Compare the records of a submission's rounds and runs, in the order of the later state."""
    was, now = dict(_cells(before)), dict(_cells(after))
    changes = (_cell_change(where, was.get(where), now.get(where)) for where in dict.fromkeys((*now, *was)))
    return [change for change in changes if change.differences]


def _cell_change(where: _Where, before: _Record | None, after: _Record | None) -> CellChange:
    return CellChange(*where, kind_of(before, after), record_differences(before, after))


def text_changes(before: Bundle, after: Bundle) -> list[TextChange]:
    """Compare the texts of a submission's failed cases, line by line."""
    was, now = before.failures, after.failures
    found = (_texts(task, was, now) for task in sorted({*was.texts, *now.texts}))
    return [change for change in found if change.gone or change.new]


def _cells(bundle: Bundle) -> Iterator[tuple[_Where, _Record]]:
    for result in bundle.rounds:
        yield (result.task, result.attempt, result.round, result.start), result
    for run in bundle.runs:
        yield (run.task, run.attempt, None, "own"), run


def _texts(task: str, was: FailureLog, now: FailureLog) -> TextChange:
    before, after = Counter(was.lines_of(task)), Counter(now.lines_of(task))
    return TextChange(task, (before - after).total(), (after - before).total())
