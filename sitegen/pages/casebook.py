"""Everything known about the cases of one task, found out once for all of its pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sitegen.board.entry import Entry
from sitegen.models.task import Task
from sitegen.pages import addresses
from sitegen.pages.cases import CaseKey, Told, told_of
from sitegen.pages.history import Step, Turn, turns
from sitegen.pages.places import RowPlace, RunPlaces, row_places
from sitegen.pages.records import Records, failures_on
from sitegen.pages.suite import Row, Suite

Attempts = Mapping[int, Mapping[int, Told]]
"""What a submission tells about the cases of a task, by attempt and round."""


@dataclass(frozen=True)  # no slots: everything is found out once, where somebody asks
class Casebook:
    """The cases of one task.

    Attributes:
        records: Of the board that the task belongs to.
        task: The task.
    """

    records: Records
    task: Task

    @cached_property
    def told(self) -> Mapping[str, Attempts]:
        """What each submission tells, also those that do not stand any more.

        It is what was sent in: findings decide what counts, not what happened.
        """
        failures = failures_on(self.records.board, self.task.id)
        defined = {each.n: each for each in self.task.rounds}
        return {
            entry.id: {
                attempt: {
                    number: told_of(result, defined[number], failures[entry.id].get((attempt, number), ()))
                    for number, result in sorted(rounds.items())
                    if number in defined
                }
                for attempt, rounds in self.records.sent(entry, self.task.id)
            }
            for entry in self.records.board.all_entries
            if entry.bundle
        }

    @cached_property
    def suites(self) -> Mapping[int, Suite]:
        """The cases of each round, by submission."""
        return {each.n: Suite(each.n, self._of_round(each.n)) for each in self.task.rounds}

    @cached_property
    def rows(self) -> Mapping[int, Mapping[CaseKey, Row]]:
        """The cases of each round in the submissions that stand, those that fail most often first."""
        names = [entry.id for entry in self.records.board.submissions]
        return {number: {row.key: row for row in suite.rows(names)} for number, suite in self.suites.items()}

    @cached_property
    def row_places(self) -> Mapping[int, Mapping[CaseKey, RowPlace]]:
        """Where the rows of each round stand."""
        return {number: row_places(list(rows.values())) for number, rows in self.rows.items()}

    @cached_property
    def places(self) -> Mapping[str, RunPlaces]:
        """Where the cases of each submission stand."""
        board = self.records.board
        return {
            name: RunPlaces(
                addresses.run_address(board.benchmark.id, board.track.id, name, self.task.id),
                {(attempt, number): told for attempt, rounds in attempts.items() for number, told in rounds.items()},
            )
            for name, attempts in self.told.items()
        }

    @cached_property
    def turns(self) -> Mapping[tuple[str, int], Mapping[int, Mapping[CaseKey, Turn]]]:
        """The cases that broke or were repaired, by submission and attempt, then by round.

        Empty where rounds do not follow each other, so that nothing can break.
        """
        board = self.records.board
        if not board.benchmark.ordered or board.track.protocol == "once":
            return {}
        return {
            (name, attempt): turns(self._steps(rounds))
            for name, attempts in self.told.items()
            for attempt, rounds in attempts.items()
        }

    def row_place(self, number: int, key: CaseKey) -> RowPlace | None:
        """Find the row of a case on a round's page; None where no submission that stands tells of it."""
        return self.row_places[number].get(self.suites[number].whole(key))

    def turns_in(self, entry: Entry, attempt: int, number: int) -> Mapping[CaseKey, Turn]:
        """Give what holds in a round of the cases that broke or were repaired by then."""
        return self.turns.get((entry.id, attempt), {}).get(number, {})

    def _steps(self, rounds: Mapping[int, Told]) -> Sequence[Step]:
        return [(self.suites[number], told) for number, told in rounds.items()]

    def _of_round(self, number: int) -> Mapping[str, Mapping[int, Told]]:
        return {
            name: {attempt: rounds[number] for attempt, rounds in attempts.items() if number in rounds}
            for name, attempts in self.told.items()
        }
