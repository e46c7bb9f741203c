"""Cases as a run's pages show them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from sitegen.board.entry import Entry
from sitegen.pages import addresses, labels
from sitegen.pages.breakage import RoundTurns, round_turns, turn_words
from sitegen.pages.casebook import Casebook
from sitegen.pages.cases import CaseKey, KnownCase, Told
from sitegen.pages.environment import Crumb
from sitegen.pages.flags import Flag, case_flags
from sitegen.pages.groups import Group, RoundCases
from sitegen.pages.history import Turn
from sitegen.pages.places import RoundPlace
from sitegen.problems import counted

_OPEN = 3
"""So many groups of failed cases stand open; a reader opens the others."""

_TELLING = 2
"""So many attempts must tell of a case before a page says in how many of them it failed."""


class CaseView(NamedTuple):
    """A case on a page. A tuple, since templates take thousands of them apart.

    Attributes:
        known: What is known of it.
        anchor, case, title, texts: Some of that.
        mark: How it ended, as a glyph.
        since: The round since which it fails, or passes, where it was otherwise before.
        turned: The same in words.
        address: Where all is shown that is known of it; empty where that is here.
        others: In how many attempts of all submissions it failed, and the way to them; None where too few tell.
        flag: The mark of the findings that name it; None where none do.
    """

    known: KnownCase
    anchor: str
    case: str
    title: str
    texts: Sequence[tuple[str, str]]
    mark: str
    since: int | None
    turned: str
    address: str
    others: Crumb | None
    flag: Flag | None = None


class PassedView(NamedTuple):
    """A case that passed. Its fields are those of other cases."""

    anchor: str
    case: str
    since: int | None
    turned: str
    flag: Flag | None = None


@dataclass(frozen=True, slots=True)
class PassedGroup:
    """The cases of one requirement that passed."""

    title: str
    cases: Sequence[PassedView]


@dataclass(frozen=True, slots=True)
class GroupView:
    """The cases of one requirement on a page."""

    title: str
    count: str
    cases: Sequence[CaseView]
    is_open: bool

    @property
    def is_silent(self) -> bool:
        """Whether nothing is known of any of its cases but how it ended."""
        return not any(each.texts or each.title for each in self.cases)


@dataclass(frozen=True)  # no slots: what it knows of its cases is found out once
class RunRound:
    """One round of a run, of which there is a record."""

    book: Casebook
    entry: Entry
    attempt: int
    number: int

    @property
    def told(self) -> Told:
        """What is told of its cases."""
        return self.book.told[self.entry.id][self.attempt][self.number]

    @property
    def place(self) -> RoundPlace:
        """Where its cases stand."""
        return self.book.places[self.entry.id].rounds[self.attempt, self.number]

    @property
    def turned(self) -> RoundTurns:
        """What broke and what was repaired in it."""
        rounds = self.book.told[self.entry.id][self.attempt]
        return round_turns(self.attempt, rounds, self.number, self._turns, self.book.places[self.entry.id])

    @cached_property
    def _turns(self) -> Mapping[CaseKey, Turn]:
        return self.book.turns_in(self.entry, self.attempt, self.number)

    @cached_property
    def _flags(self) -> Mapping[str, Flag]:
        return case_flags(self.book.records.board, self.entry.id, self.book.task.id, self.number)

    @cached_property
    def _word(self) -> str:
        return labels.rounds_word(self.book.records.board.benchmark)

    def groups(self, cases: RoundCases) -> list[GroupView]:
        """Show the cases that did not pass, with all that is known of them."""
        return [
            GroupView(
                group.requirement or "Cases",
                self._count(group),
                list(map(self._whole, group.cases)),
                is_open=place < _OPEN and group.failed > 0,
            )
            for place, group in enumerate(cases.groups)
        ]

    def names(self, groups: Sequence[Group]) -> list[GroupView]:
        """Show the names of cases that did not pass, of which another page shows more."""
        return [
            GroupView(group.requirement, self._count(group), list(map(self._led, group.cases)), is_open=False)
            for group in groups
        ]

    def passed(self, groups: Sequence[Group]) -> list[PassedGroup]:
        """Show cases that passed."""
        return [PassedGroup(group.requirement, list(map(self._passed, group.cases))) for group in groups]

    def _passed(self, known: KnownCase) -> PassedView:
        turn = self._turns.get(known.key) if self._turns else None
        flag = self._flags.get(known.case.id)
        if turn is None:
            return PassedView(known.anchor, known.case.id, None, "", flag)
        words = turn_words(turn, self._word, is_failed=False)
        return PassedView(known.anchor, known.case.id, turn.since, words, flag)

    def _named(self, known: KnownCase, address: str = "", others: Crumb | None = None) -> CaseView:
        turn = self._turns.get(known.key)
        words = turn_words(turn, self._word, is_failed=known.is_failed) if turn else ""
        since, mark = turn.since if turn else None, labels.CASES[known.status][0]
        about = (known, known.anchor, known.case.id, known.title, known.texts)
        return CaseView(*about, mark, since, words, address, others, self._flags.get(known.case.id))

    def _led(self, known: KnownCase) -> CaseView:
        return self._named(known, self.book.places[self.entry.id].of_case((self.attempt, self.number), known))

    def _whole(self, known: KnownCase) -> CaseView:
        return self._named(known, others=self._others(known) if known.is_failed else None)

    def _others(self, known: KnownCase) -> Crumb | None:
        place = self.book.row_place(self.number, known.key)
        if place is None or place.row.told < _TELLING:
            return None
        row, board = place.row, self.book.records.board
        words = f"fails for {row.failed} of {row.told}{'' if row.told == row.attempts else ' that tell'}"
        page = addresses.round_address(board.benchmark.id, board.track.id, self.book.task.id, self.number, place.part)
        return Crumb(words, f"{page}#{place.anchor}")

    def _count(self, group: Group) -> str:
        broken = sum(known.is_failed and known.key in self._turns for known in group.cases)
        missing = group.named < group.failed
        shown = (
            f"{group.named} of {counted(group.failed, 'failed case')} shown" if missing else f"{group.failed} failed"
        )
        parts = (
            shown if group.failed else "",
            f"{group.skipped} skipped" if group.skipped else "",
            counted(broken, "regression") if broken else "",
        )
        return ", ".join(filter(None, parts))
