"""The hardest parts of a task: its requirements, the rounds that nobody passed, the cases that everybody failed."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sitegen.board.entry import Entry
from sitegen.models.outcome import RoundResult
from sitegen.models.task import TaskRound
from sitegen.pages import addresses
from sitegen.pages.casebook import Casebook
from sitegen.pages.cases import CaseKey, Told
from sitegen.pages.environment import Crumb
from sitegen.pages.suite import Row

_LISTED = 12
"""So many lines are shown of each kind."""

_SEVERAL = 2
"""Nobody and everybody are at least so many."""

_REACHED = {"scored", "no_cases", "aborted"}
_PERCENT = 100


@dataclass(frozen=True, slots=True)
class HardRequirement:
    """A requirement with how often it failed: in attempts, and in rounds of attempts."""

    title: str
    failed: int
    attempts: int
    rounds_failed: int
    rounds: int

    @property
    def share(self) -> float:
        """Percent of the attempts in which it failed."""
        return _PERCENT * self.failed / self.attempts


@dataclass(frozen=True, slots=True)
class HardRound:
    """A round that nobody passed, and how far the best got."""

    round: Crumb
    reached: int
    best: str


@dataclass(frozen=True, slots=True)
class HardCase:
    """A case that failed wherever it is known how it ended."""

    case: str
    requirement: str
    intent: str
    rounds: Sequence[Crumb]
    failed: int
    ran: int


@dataclass(frozen=True)  # no slots: each kind is found out once
class Hardest:
    """The hardest parts of a task."""

    book: Casebook

    @property
    def is_empty(self) -> bool:
        """Whether nothing of the kind is known."""
        return not (self.requirements or self.rounds or self.cases)

    @property
    def is_partial(self) -> bool:
        """Whether some submission names only some of its failed cases, so that more may have failed."""
        return any(not told.has_outcomes and not told.names_all_failed for _, told in self._told())

    @cached_property
    def requirements(self) -> list[HardRequirement]:
        """The requirements that failed in the largest share of attempts."""
        found = (_hard_requirement(title, list(attempts.values())) for title, attempts in self._checks.items())
        several = [each for each in found if each.failed and each.attempts >= _SEVERAL]
        return sorted(several, key=lambda each: (-each.share, -each.rounds_failed / each.rounds, -each.rounds))[
            :_LISTED
        ]

    @cached_property
    def rounds(self) -> list[HardRound]:
        """The rounds that several submissions reached and none passed."""
        return [found for each in self.book.task.rounds if (found := self._hard_round(each))]

    @property
    def cases(self) -> list[HardCase]:
        """The cases that everybody failed, those first that did in most rounds; not more than are shown."""
        return self._cases[:_LISTED]

    @property
    def other_cases(self) -> int:
        """How many more there are."""
        return max(0, len(self._cases) - _LISTED)

    @cached_property
    def _cases(self) -> list[HardCase]:
        found: dict[CaseKey, list[tuple[int, Row]]] = defaultdict(list)
        for number, rows in self.book.rows.items():
            ran = sum(where[2] == number for where, _ in self._told())
            for row in rows.values():
                if row.failed == row.told >= max(_SEVERAL, ran / 2):
                    found[row.key].append((number, row))
        return sorted((self._hard_case(*each) for each in found.items()), key=lambda case: -len(case.rounds))

    @cached_property
    def _checks(self) -> Mapping[str, Mapping[tuple[str, int], list[bool]]]:
        """Of each requirement, whether it failed in each round that checks it, by submission and attempt."""
        checked = {each.n: self._checked(each) for each in self.book.task.rounds}
        checks: dict[str, dict[tuple[str, int], list[bool]]] = defaultdict(lambda: defaultdict(list))
        for (name, attempt, number), told in self._told():
            failed = {known.requirement for known in told.cases if known.is_failed}
            for requirement in checked[number]:
                checks[requirement][name, attempt].append(requirement in failed)
        return checks

    def _checked(self, each: TaskRound) -> list[str]:
        """The requirements that a round checks, as far as they are known."""
        named = (key.requirement for key in self.book.rows[each.n])
        listed = (case.requirement for case in each.cases or ())
        return sorted({requirement for requirement in (*named, *listed) if requirement})

    def _told(self) -> Iterator[tuple[tuple[str, int, int], Told]]:
        """Give the rounds whose cases ran, by submission that stands, attempt and number."""
        for entry in self.book.records.board.submissions:
            for attempt, rounds in self.book.told[entry.id].items():
                for number, told in rounds.items():
                    if told.result.state == "scored":
                        yield (entry.id, attempt, number), told

    def _hard_round(self, each: TaskRound) -> HardRound | None:
        board = self.book.records.board
        results = [
            (entry, result)
            for entry in board.submissions
            for result in self.book.records.of_round(entry, self.book.task.id, each.n)
            if result.state in _REACHED
        ]
        if len({entry.id for entry, _ in results}) < _SEVERAL or any(result.solved for _, result in results):
            return None
        entry, best = max(results, key=lambda found: _share(found[1]))
        address = addresses.round_address(board.benchmark.id, board.track.id, self.book.task.id, each.n)
        title = f"{board.benchmark.round_name} {each.n}"
        return HardRound(Crumb(title, address), len(results), _best(entry, best))

    def _hard_case(self, key: CaseKey, rows: Sequence[tuple[int, Row]]) -> HardCase:
        rounds = [Crumb(str(number), self._row_address(number, key)) for number, _ in rows]
        intent = key.intent if key.intent and key.intent != key.requirement else ""
        failed, ran = sum(row.failed for _, row in rows), sum(row.told for _, row in rows)
        return HardCase(key.case, key.requirement or "", intent, rounds, failed, ran)

    def _row_address(self, number: int, key: CaseKey) -> str:
        board, place = self.book.records.board, self.book.row_places[number][key]
        page = addresses.round_address(board.benchmark.id, board.track.id, self.book.task.id, number, place.part)
        return f"{page}#{place.anchor}"


def _hard_requirement(title: str, attempts: Sequence[Sequence[bool]]) -> HardRequirement:
    failed = sum(any(rounds) for rounds in attempts)
    return HardRequirement(title, failed, len(attempts), sum(map(sum, attempts)), sum(map(len, attempts)))


def _share(result: RoundResult) -> float:
    return result.passed / result.total if result.passed and result.total else 0.0


def _best(entry: Entry, result: RoundResult) -> str:
    if not result.passed or not result.total:
        return "no case passed" if result.total is not None else "cases unknown"
    return f"{result.passed:,} of {result.total:,} cases: {entry.agent.name}"
