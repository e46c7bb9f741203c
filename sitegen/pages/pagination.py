"""Page capacity, and the page of each case; cases that do not fit go on further pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from sitegen.pages import addresses
from sitegen.pages.cases import AttemptCases, CaseKey, KnownCase
from sitegen.pages.suites import CaseRow

ROOM = 7_000
"""Maximum number of HTML elements on a page without its frame; with it, the limit is 8,000."""

MAX_MATRIX_CELLS = 1_500
"""The part of `ROOM` that a run's matrix of requirements by rounds may take."""

CHARACTERS = 80
"""Number of characters that count as one element, so that a page stays below 160 KB compressed."""

_ROUND_WEIGHT = 40
_CASE_WEIGHT = 7
_TEXT_WEIGHT = 2
"""The numbers of elements of a round, a case and a text, not counting their content."""

AttemptRound = tuple[int, int]
"""The number of an attempt, and the number of a round."""

_CaseAnchor = tuple[AttemptRound, str]
"""A round of an attempt, and the anchor of a case in it."""

_CaseInRound = tuple[AttemptRound, KnownCase]


def rounds_to_move(weights: Sequence[float], room: float = ROOM) -> set[int]:
    """Return the indices of the rounds whose cases must move to other pages, the heaviest first.

    A round that moves still takes `_ROUND_WEIGHT` on the page.
    """
    leaving: set[int] = set()
    total = sum(weights)
    for index in sorted(range(len(weights)), key=lambda index: -weights[index]):
        if total <= room or weights[index] <= _ROUND_WEIGHT:
            break
        leaving.add(index)
        total -= weights[index] - _ROUND_WEIGHT
    return leaving


def page_slices(weights: Sequence[float], room: float = ROOM) -> list[slice]:
    """Return slices that each fit on a page, at least one; an oversized item has a slice alone."""
    starts = [0]
    filled = 0.0
    for index, weight in enumerate(weights):
        if filled and filled + weight > room:
            starts.append(index)
            filled = 0.0
        filled += weight
    return [slice(start, stop) for start, stop in pairwise([*starts, len(weights)])]


class CasePage(NamedTuple):
    """A page for cases of one round."""

    address: str
    cases: Sequence[KnownCase]


@dataclass(frozen=True)  # no slots: cached properties need a __dict__
class RunLocations:
    """The page on which each case of a run is shown.

    If no page shows a case, links to the case lead to its round on the run's own page.
    """

    address: str
    """The address of the run's own page."""
    cases_by_round: Mapping[AttemptRound, AttemptCases]
    lists_cases: bool = True
    """Whether pages list its cases; a brief page has one line per round instead."""
    lists_passed: bool = True
    """Whether pages also list passed cases; a dense submission has its passed cases in a file."""

    @cached_property
    def repeats(self) -> Mapping[_CaseAnchor, _CaseInRound]:
        """Cases that fail as in the previous round, each with the case that is described instead.

        Only cases with texts are included; for others, a link back is not worthwhile.
        """
        repeats: dict[_CaseAnchor, _CaseInRound] = {}
        previous: dict[object, _CaseInRound] = {}
        for key, attempt_cases in self.cases_by_round.items():
            current: dict[object, _CaseInRound] = {}
            for case in attempt_cases.failing:
                if not case.texts:
                    continue
                content = (key[0], case.status, case.identity, tuple(case.texts))
                described = previous.get(content)
                current.setdefault(content, described or (key, case))
                if described:
                    repeats[key, case.anchor] = described
            previous = current
        return repeats

    @cached_property
    def parts(self) -> Mapping[AttemptRound, Sequence[CasePage]]:
        """The pages of rounds whose cases do not fit on the run's own page."""
        if not self.lists_cases:
            return {}
        keys = list(self.cases_by_round)
        weights_by_key = {key: self._case_weights(key) for key in keys}
        round_weights = [_ROUND_WEIGHT + sum(weights_by_key[key]) for key in keys]
        pages = {}
        for index in sorted(rounds_to_move(round_weights, ROOM - MAX_MATRIX_CELLS)):
            key = keys[index]
            pages[key] = self._round_parts(key, weights_by_key[key])
        return pages

    def _round_parts(self, key: AttemptRound, weights: Sequence[float]) -> list[CasePage]:
        """Return the pages of a round's cases."""
        attempt, number = key
        anchor = addresses.round_anchor(number, attempt)
        cases = self.cases_by_round[key].cases
        pages = []
        for page_number, page_slice in enumerate(page_slices(weights), start=1):
            address = addresses.cases_address(self.address, anchor, page_number)
            pages.append(CasePage(address, cases[page_slice]))
        return pages

    def _case_weights(self, key: AttemptRound) -> list[float]:
        return [self._case_weight(key, case) for case in self.cases_by_round[key].cases]

    def _case_weight(self, key: AttemptRound, case: KnownCase) -> float:
        """Return the elements that a case takes: only its name if it passed or fails as before."""
        if not self._lists(case):
            return 0
        name_weight = 1 + (2 * len(case.anchor) + len(case.title)) / CHARACTERS
        if not case.texts or (key, case.anchor) in self.repeats:
            return name_weight
        text_length = sum(len(text) for _, text in case.texts)
        text_weight = _TEXT_WEIGHT * len(case.texts) + text_length / CHARACTERS
        return name_weight + _CASE_WEIGHT + text_weight

    def address_of(self, key: AttemptRound, case: KnownCase) -> str:
        """Return the address of the full description of a case."""
        if self._lists(case):
            return f"{self._pages.get((key, case.anchor), self.address)}#{case.anchor}"
        attempt, number = key
        return f"{self.address}#{addresses.round_anchor(number, attempt)}"

    def _lists(self, case: KnownCase) -> bool:
        """Return whether a page lists a case."""
        return self.lists_cases and (self.lists_passed or case.status != "passed")

    @cached_property
    def _pages(self) -> Mapping[_CaseAnchor, str]:
        """The pages of the cases that are not on the run's own page."""
        pages: dict[_CaseAnchor, str] = {}
        for key, parts in self.parts.items():
            for part in parts:
                pages |= {(key, case.anchor): part.address for case in part.cases}
        return pages


class CaseLocation(NamedTuple):
    """The position of a case on the pages of a round: its row, its anchor and its page."""

    row: CaseRow
    anchor: str
    page_number: int


def case_locations(rows: Sequence[CaseRow], columns: int) -> Mapping[CaseKey, CaseLocation]:
    """Return the positions of a round's cases, on as many pages as they need, in order.

    Args:
        rows: The cases.
        columns: Cells of a row on the page, one for each submission.
    """
    anchors = addresses.row_anchors([row.key for row in rows])
    weights = [_row_weight(row, columns) for row in rows]
    locations = {}
    for page_number, page_slice in enumerate(page_slices(weights), start=1):
        for row, anchor in zip(rows[page_slice], anchors[page_slice], strict=True):
            locations[row.key] = CaseLocation(row, anchor, page_number)
    return locations


def _row_weight(row: CaseRow, columns: int) -> float:
    """Return the elements that a case takes, with its cells if it distinguishes submissions."""
    text_weight = sum(len(text or "") for text in row.key) / CHARACTERS
    if not row.is_split:
        return 2 + text_weight
    cells = columns if row.endings else 0
    return 5 + cells + row.linked + text_weight
