"""Cases as a run's pages show them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from sitegen.board.entry import Entry
from sitegen.errors import counted
from sitegen.pages import addresses, labels
from sitegen.pages.breakage import RoundTurns, round_turns, turn_words
from sitegen.pages.casebook import Casebook
from sitegen.pages.cases import CaseKey, KnownCase, Told
from sitegen.pages.environment import Crumb
from sitegen.pages.groups import Group, RoundCases
from sitegen.pages.history import Turn
from sitegen.pages.places import RoundPlace

_OPEN = 3
"""So many groups of failed cases stand open; a reader opens the others."""

_TELLING = 2
"""So many attempts must tell of a case before a page says in how many of them it failed."""


@dataclass(frozen=True, slots=True)
class CaseView:
    """A case on a page.

    Attributes:
        known: What is known of it.
        mark: How it ended, as a glyph.
        turn: Since when it fails, or passes, where it was otherwise before.
        turned: The same in words.
        address: Where all is shown that is known of it; empty where that is here.
        others: In how many attempts of all submissions it failed, and the way to them; None where too few tell.
    """

    known: KnownCase
    mark: str
    turn: Turn | None
    turned: str
    address: str = ""
    others: Crumb | None = None

    @property
    def truncated(self) -> bool:
        """Whether the source cut one of its texts."""
        return self.known.failure is not None and self.known.failure.truncated


@dataclass(frozen=True, slots=True)
class GroupView:
    """The cases of one requirement on a page."""

    title: str
    count: str
    cases: Sequence[CaseView]
    is_open: bool


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

    def names(self, groups: Sequence[Group], *, elsewhere: bool = False) -> list[GroupView]:
        """Show cases by their names.

        Args:
            groups: The cases.
            elsewhere: Whether another page shows more of them.
        """
        view = self._led if elsewhere else self._named
        return [
            GroupView(group.requirement, self._count(group), list(map(view, group.cases)), is_open=False)
            for group in groups
        ]

    def _named(self, known: KnownCase) -> CaseView:
        turn = self._turns.get(known.key)
        words = turn_words(turn, self._word, is_failed=known.is_failed) if turn else ""
        return CaseView(known, labels.CASES[known.status][0], turn, words)

    def _led(self, known: KnownCase) -> CaseView:
        address = self.book.places[self.entry.id].of_case((self.attempt, self.number), known)
        return replace(self._named(known), address=address)

    def _whole(self, known: KnownCase) -> CaseView:
        return replace(self._named(known), others=self._others(known) if known.is_failed else None)

    def _others(self, known: KnownCase) -> Crumb | None:
        place = self.book.row_place(self.number, known.key)
        if place is None or place.row.told < _TELLING:
            return None
        board = self.book.records.board
        all_tell = place.row.told == sum(1 for _ in place.row.all)
        words = f"fails for {place.row.failed} of {place.row.told}{'' if all_tell else ' that tell'}"
        page = addresses.round_address(board.benchmark.id, board.track.id, self.book.task.id, self.number, place.part)
        return Crumb(words, f"{page}#{place.anchor}")

    def _count(self, group: Group) -> str:
        if group.cases[0].status == "passed":
            return ""
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
