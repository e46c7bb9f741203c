"""Finds a submission's records by what they are about, as pages ask for them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.releases import Past, row_history
from sitegen.board.usual import UsualTotals, usual_totals
from sitegen.models.outcome import Failure, RoundResult, Start
from sitegen.models.release import Release

FailuresByRound = Mapping[tuple[int, int], Sequence[Failure]]
"""The failed cases of one submission on one task, by attempt and round."""


def failures_on(board: Board, task: str) -> Mapping[str, FailuresByRound]:
    """Give the failed cases of a task by submission; those from the reference state are left out."""
    return {entry.id: _by_round(entry.bundle.failures.of_task(task)) for entry in board.all_entries if entry.bundle}


def _by_round(failures: Sequence[Failure]) -> FailuresByRound:
    found: dict[tuple[int, int], list[Failure]] = defaultdict(list)
    for failure in failures:
        if failure.start == "own":
            found[failure.attempt, failure.round].append(failure)
    return dict(found)


@dataclass(frozen=True)
class Records:
    """A board's records, by submission, task, round and start, in the order of attempts."""

    board: Board
    releases: Sequence[Release] = ()
    """The oldest first."""

    @cached_property
    def pasts(self) -> Mapping[str, Sequence[Past]]:
        """The board's rows as releases have them and as they are, by id."""
        return row_history(self.board, self.releases)

    @cached_property
    def _by_run(self) -> Mapping[tuple[str, str, Start], Mapping[int, Mapping[int, RoundResult]]]:
        found: dict[tuple[str, str, Start], dict[int, dict[int, RoundResult]]] = defaultdict(lambda: defaultdict(dict))
        for entry in self.board.all_entries:
            for result in entry.bundle.rounds if entry.bundle else ():
                found[entry.id, result.task, result.start][result.attempt][result.round] = result
        return found

    @cached_property
    def usual(self) -> UsualTotals:
        """How many cases each round has in most submissions."""
        return usual_totals([entry.bundle for entry in self.board.all_entries if entry.bundle])

    @cached_property
    def _sent_by_run(self) -> Mapping[tuple[str, str], Mapping[int, Mapping[int, RoundResult]]]:
        found: dict[tuple[str, str], dict[int, dict[int, RoundResult]]] = defaultdict(lambda: defaultdict(dict))
        for entry in self.board.all_entries:
            for result in entry.before.bundle.rounds if entry.before and entry.before.bundle else ():
                if result.start == "own":
                    found[entry.id, result.task][result.attempt][result.round] = result
        return found

    def sent(self, entry: Entry, task: str) -> Sequence[tuple[int, Mapping[int, RoundResult]]]:
        """Give the attempts at a task as they were sent in, before findings had their effect."""
        if entry.before is None:
            return self.attempts(entry, task)
        return sorted(self._sent_by_run[entry.id, task].items()) if (entry.id, task) in self._sent_by_run else []

    def record(self, entry: Entry, task: str, attempt: int, number: int) -> RoundResult | None:
        """Give the record of one round of an attempt."""
        return dict(self.attempts(entry, task)).get(attempt, {}).get(number)

    def attempts(
        self, entry: Entry, task: str, start: Start = "own"
    ) -> Sequence[tuple[int, Mapping[int, RoundResult]]]:
        """Give the attempts at a task: number, and records by round."""
        return sorted(self._by_run[entry.id, task, start].items()) if (entry.id, task, start) in self._by_run else []

    def of_round(self, entry: Entry, task: str, number: int, start: Start = "own") -> list[RoundResult]:
        """Give the records of one round, one an attempt."""
        return [rounds[number] for _, rounds in self.attempts(entry, task, start) if number in rounds]

    def runs(self, entry: Entry, task: str) -> list[list[RoundResult]]:
        """Give the records that count of each attempt at a task."""
        return [
            [result for result in rounds.values() if result.state != "excluded"]
            for _, rounds in self.attempts(entry, task)
        ]
