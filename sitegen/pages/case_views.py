"""Cases as a run's pages show them, and what broke or was repaired in a round."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from sitegen.pages import labels
from sitegen.pages.addresses import Link
from sitegen.pages.cases import AttemptCases, CaseKey, Group, KnownCase, RoundCases
from sitegen.pages.findings import Flag, case_flags
from sitegen.pages.pagination import RoundPlace, Shows
from sitegen.pages.records import Run
from sitegen.pages.suites import Turn
from sitegen.problems import counted

_NAMED = 12
"""So many cases that turned are led to by name; of more, the number is told."""

_OPEN = 3
"""So many groups of failed cases stand open; a reader opens the others."""

_TELLING = 2
"""So many attempts must tell of a case before a page says in how many of them it failed."""


@dataclass(frozen=True, slots=True)
class TurnList:
    """Cases that turned in a round: how many, and the way to some of them."""

    count: int
    cases: Sequence[Link]


class RoundTurns(NamedTuple):
    """What turned in a round.

    Attributes:
        broke: Cases that fail from this round on, after they had passed.
        repaired: Cases that pass from this round on, after they had failed.
        still_broken: How many cases broke in an earlier round and fail still.
    """

    broke: TurnList
    repaired: TurnList
    still_broken: int

    @property
    def any(self) -> bool:
        """Whether anything turned in this round."""
        return bool(self.broke.count or self.repaired.count)


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
    others: Link | None
    flag: Flag | None


class PassedView(NamedTuple):
    """A case that passed. Its fields are those of other cases."""

    anchor: str
    case: str
    since: int | None
    turned: str
    flag: Flag | None


class PassedGroup(NamedTuple):
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


class CasesView(NamedTuple):
    """The cases of a round on a page.

    Attributes:
        shows: How much of them the page shows.
        failing: How many of those that did not pass are known.
        passing: How many of those that passed are known.
        groups: Those that did not pass, by requirement.
        passed: Those that passed, by requirement.
        parts: Addresses of the round's own pages, where it has any.
    """

    shows: Shows
    failing: int
    passing: int
    groups: Sequence[GroupView]
    passed: Sequence[PassedGroup]
    parts: Sequence[str] = ()


@dataclass(frozen=True)  # no slots: what it knows of its cases is found out once
class RunRound:
    """One round of a run, of which there is a record."""

    run: Run
    attempt: int
    number: int

    @property
    def turned(self) -> RoundTurns:
        """What broke and what was repaired in it."""
        rounds = self.run.told[self.attempt]

        def is_failed(key: CaseKey) -> bool:
            known = rounds[self.number].by_key.get(key)
            return known is not None and known.is_failed

        def ways(places: Sequence[tuple[CaseKey, int]]) -> TurnList:
            """Lead to cases, each in a round in which it is known to have failed."""
            found = [Link(key.case, self._place_in(rounds, key, number)) for key, number in places[:_NAMED]]
            return TurnList(len(places), found)

        failing = {key for key in self._turns if is_failed(key)}
        here = [key for key, turn in self._turns.items() if turn.since == self.number]
        broke = [(key, self.number) for key in here if key in failing]
        repaired = [(key, self._turns[key].before) for key in here if key not in failing]
        return RoundTurns(ways(broke), ways(repaired), len(failing) - len(broke))

    def _place_in(self, rounds: Mapping[int, AttemptCases], key: CaseKey, number: int) -> str:
        return self.run.places.of_case((self.attempt, number), rounds[number].by_key[key])

    @cached_property
    def _turns(self) -> Mapping[CaseKey, Turn]:
        return self.run.cases.turns_in(self.run.entry, self.attempt, self.number)

    @cached_property
    def _flags(self) -> Mapping[str, Flag]:
        return case_flags(self.run.cases.records.board, self.run.entry.id, self.run.cases.task.id, self.number)

    @cached_property
    def _word(self) -> str:
        return labels.rounds_word(self.run.cases.records.board.benchmark)

    def view(self, part: RoundCases | None = None) -> CasesView:
        """Show what a page of the round's own holds of its cases, or what the run's page has room for."""
        place = RoundPlace(part, "texts") if part else self.run.places.rounds[self.attempt, self.number]
        cases, shows = place.cases, place.shows
        failing, passing = len(cases.failing), len(cases.passing)
        parts = [each.address for each in place.parts]
        if shows == "counts":
            return CasesView(shows, failing, passing, (), (), parts)
        groups = [self._group(group, place, shows) for place, group in enumerate(cases.groups)]
        passed = [PassedGroup(group.requirement, list(map(self._passed, group.cases))) for group in cases.passed]
        return CasesView(shows, failing, passing, groups, passed, parts)

    def _group(self, group: Group, place: int, shows: Shows) -> GroupView:
        """Show cases that did not pass: with all that is known of them, or their names, which another page tells of."""
        broken = sum(known.is_failed and known.key in self._turns for known in group.cases)
        shown = f"{group.failed} failed"
        if group.named < group.failed:
            shown = f"{group.named} of {counted(group.failed, 'failed case')} shown"
        parts = (
            shown if group.failed else "",
            f"{group.skipped} skipped" if group.skipped else "",
            counted(broken, "regression") if broken else "",
        )
        count = ", ".join(filter(None, parts))
        if shows == "names":
            return GroupView(group.requirement, count, list(map(self._led, group.cases)), is_open=False)
        is_open = place < _OPEN and group.failed > 0
        return GroupView(group.requirement or "Cases", count, list(map(self._whole, group.cases)), is_open)

    def _passed(self, known: KnownCase) -> PassedView:
        turn = self._turns.get(known.key) if self._turns else None
        flag = self._flags.get(known.case.id)
        if turn is None:
            return PassedView(known.anchor, known.case.id, None, "", flag)
        return PassedView(known.anchor, known.case.id, turn.since, turn.words(self._word, is_failed=False), flag)

    def _led(self, known: KnownCase) -> CaseView:
        return self._case(known, self.run.places.of_case((self.attempt, self.number), known), None)

    def _whole(self, known: KnownCase) -> CaseView:
        cases = self.run.cases
        place = cases.row_place(self.number, known.key) if known.is_failed else None
        if place is None or place.row.told < _TELLING:
            return self._case(known, "", None)
        row = place.row
        words = f"fails for {row.failed} of {row.told}{'' if row.told == row.attempts else ' that tell'}"
        return self._case(known, "", Link(words, cases.row_address(self.number, place)))

    def _case(self, known: KnownCase, address: str, others: Link | None) -> CaseView:
        turn = self._turns.get(known.key)
        words = turn.words(self._word, is_failed=known.is_failed) if turn else ""
        since, mark = turn.since if turn else None, labels.CASES[known.status][0]
        about = (known, known.anchor, known.case.id, known.title, known.texts)
        return CaseView(*about, mark, since, words, address, others, self._flags.get(known.case.id))
