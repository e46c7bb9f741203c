"""How much a page holds, and on which page each case stands: too much for one goes on pages of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from sitegen.pages import addresses
from sitegen.pages.cases import AttemptCases, CaseKey, KnownCase
from sitegen.pages.suites import Row

ROOM = 7_000
"""What a page holds beside its frame, in elements; with it, a page must stay below 8,000."""

MATRIX = 1_500
"""So much of it may the requirements of a run by its rounds take."""

CHARACTERS = 80
"""So many characters of text weigh as much as an element: a page must also stay below 160 KB, compressed."""

_ROUND, _CASE, _TEXT = 40, 7, 2
"""What these weigh beside what is in them."""

RoundKey = tuple[int, int]
"""An attempt and a round."""


def outgrown(weights: Sequence[float], room: float = ROOM) -> set[int]:
    """Choose what has to leave a page that has room for so much: the heaviest first, by their places."""
    left, total = set(), sum(weights)
    for place in sorted(range(len(weights)), key=lambda place: -weights[place]):
        if total <= room or weights[place] <= _ROUND:
            break
        left.add(place)
        total -= weights[place] - _ROUND
    return left


def portions(weights: Sequence[float], room: float = ROOM) -> list[slice]:
    """Cut a row of things into runs that each fit on a page, at least one; what weighs more has a page to itself."""
    cuts, filled = [0], 0.0
    for place, weight in enumerate(weights):
        if filled and filled + weight > room:
            cuts.append(place)
            filled = 0.0
        filled += weight
    return [slice(first, last) for first, last in zip(cuts, [*cuts[1:], len(weights)], strict=True)]


class Part(NamedTuple):
    """A page for cases of one round."""

    address: str
    cases: Sequence[KnownCase]


@dataclass(frozen=True)  # no slots: places are found once, where somebody asks
class RunPlaces:
    """Where the cases of one run stand, of which attempts tell by number and round; `address` is the run's own page.

    Where it has not all of them, what leads to a case leads to its round.
    """

    address: str
    told: Mapping[RoundKey, AttemptCases]
    has_cases: bool = True
    has_passed: bool = True

    @cached_property
    def repeats(self) -> Mapping[tuple[RoundKey, str], tuple[RoundKey, KnownCase]]:
        """Cases that fail as they did in the round before, and where that is told, by round and anchor.

        Only what has texts is worth a way back to them.
        """
        found: dict[tuple[RoundKey, str], tuple[RoundKey, KnownCase]] = {}
        before: dict[object, tuple[RoundKey, KnownCase]] = {}
        for key, told in self.told.items():
            earlier, before = before, {}
            for known in told.failing:
                if known.texts:
                    alike = (key[0], known.status, known.identity, tuple(known.texts))
                    first = earlier.get(alike)
                    before.setdefault(alike, first or (key, known))
                    if first:
                        found[key, known.anchor] = first
        return found

    @cached_property
    def parts(self) -> Mapping[RoundKey, Sequence[Part]]:
        """The pages that rounds have for themselves, where the run's own has no room for their cases."""
        if not self.has_cases:
            return {}
        weights = {
            key: [self._weight(key, known) for known in told.cases]
            for key, told in self.told.items()
        }
        keys = list(weights)
        found = {}
        for place in sorted(outgrown([_ROUND + sum(weights[key]) for key in keys], ROOM - MATRIX)):
            key, told = keys[place], self.told[keys[place]].cases
            anchor = addresses.round_anchor(key[1], key[0])
            found[key] = [
                Part(addresses.cases_address(self.address, anchor, number), told[cut])
                for number, cut in enumerate(portions(weights[key]), start=1)
            ]
        return found

    def _weight(self, key: RoundKey, known: KnownCase) -> float:
        """Weigh a case, in elements: one that passed, or fails as before, is its name."""
        if not self.has_passed and known.status == "passed":
            return 0
        name = 1 + (2 * len(known.anchor) + len(known.title)) / CHARACTERS
        if not known.texts or (key, known.anchor) in self.repeats:
            return name
        return (
            name
            + _CASE
            + _TEXT * len(known.texts)
            + sum(len(text) for _, text in known.texts) / CHARACTERS
        )

    def of_case(self, key: RoundKey, known: KnownCase) -> str:
        """Tell where all is shown that is known of a case."""
        if not self.has_cases or not (self.has_passed or known.status != "passed"):
            return f"{self.address}#{addresses.round_anchor(key[1], key[0])}"
        return f"{self._pages.get((key, known.anchor), self.address)}#{known.anchor}"

    @cached_property
    def _pages(self) -> Mapping[tuple[RoundKey, str], str]:
        """The pages of the cases that do not stand on the run's own."""
        pages = ((key, part) for key, parts in self.parts.items() for part in parts)
        return {(key, known.anchor): part.address for key, part in pages for known in part.cases}


class RowPlace(NamedTuple):
    """Where a case stands among submissions: the row, its anchor, and the page."""

    row: Row
    anchor: str
    part: int


def row_places(rows: Sequence[Row]) -> Mapping[CaseKey, RowPlace]:
    """Share the rows of a round out onto as many pages as they need, in their order.

    Those that tell submissions apart have a cell for each; of the others the page has the name.
    """
    anchors = addresses.row_anchors([row.key for row in rows])
    weights = [
        (5 + len(row.endings) + row.linked if row.is_split else 2)
        + sum(len(text or "") for text in row.key) / CHARACTERS
        for row in rows
    ]
    return {
        row.key: RowPlace(row, anchor, part)
        for part, cut in enumerate(portions(weights), start=1)
        for row, anchor in zip(rows[cut], anchors[cut], strict=True)
    }
