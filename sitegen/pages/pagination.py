"""How much a page holds, and on which page each case stands: too much for one goes on pages of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Literal, NamedTuple

from sitegen.pages import addresses
from sitegen.pages.cases import AttemptCases, CaseKey, Group, KnownCase, RoundCases, grouped
from sitegen.pages.suites import Row

ROOM = 11_000
"""What a page holds beside its frame, in elements; with it, a page must stay below 12,000."""

CHARACTERS = 80
"""So many characters of text weigh as much as an element: a page must also stay below 160 KB, compressed."""

_GROUP, _ROUND, _CASE, _TEXT = 4, 24, 8, 2
"""What these weigh beside what is in them."""

Shows = Literal["texts", "names", "counts"]
"""What a run's own page shows of the cases of a round: all that is known of them, their names, or their number."""

RoundKey = tuple[int, int]
"""An attempt and a round."""


class Weight(NamedTuple):
    """What the cases of one round weigh on a run's own page, in elements: with all that is known, or as names."""

    texts: float
    names: float


def weight_of(known: KnownCase) -> float:
    """Weigh a case with all that is known of it, in elements; of one that passed, that is its name."""
    if known.status == "passed":
        return _name_weight(known)
    letters = sum(len(text) for _, text in known.texts) + 2 * len(known.anchor) + len(known.title)
    return _CASE + _TEXT * len(known.texts) + letters / CHARACTERS


def _name_weight(known: KnownCase) -> float:
    return 1 + (len(known.anchor) + len(known.title)) / CHARACTERS


def shown(rounds: Sequence[Weight], room: float = ROOM) -> list[Shows]:
    """Decide what a run's own page shows of each round: as much as there is room for, less of the heaviest first."""
    decided: list[Shows] = ["texts"] * len(rounds)
    total = sum(each.texts for each in rounds)
    for place in sorted(range(len(rounds)), key=lambda place: -rounds[place].texts):
        if total <= room:
            break
        if rounds[place].names < rounds[place].texts:
            decided[place] = "names"
            total -= rounds[place].texts - rounds[place].names
    for place in sorted(range(len(rounds)), key=lambda place: -rounds[place].names):
        if total <= room:
            break
        total -= rounds[place].texts if decided[place] == "texts" else rounds[place].names
        total += _ROUND
        decided[place] = "counts"
    return decided


def portions(weights: Sequence[float], room: float = ROOM) -> list[slice]:
    """Cut a row of things into runs that each fit on a page; there is always one.

    Args:
        weights: What each thing weighs, in elements.
        room: What a page has room for. A single thing that weighs more has a page to itself.
    """
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
    cases: RoundCases


class RoundPlace(NamedTuple):
    """Where the cases of one round stand.

    Attributes:
        cases: All of them.
        shows: What the run's own page shows of them.
        parts: The pages that they have for themselves; none where the run's own shows all that is known.
    """

    cases: RoundCases
    shows: Shows
    parts: Sequence[Part] = ()


@dataclass(frozen=True)  # no slots: places are found once, where somebody asks
class RunPlaces:
    """Where the cases of one run stand, of which attempts tell by number and round; `address` is the run's own page."""

    address: str
    told: Mapping[RoundKey, AttemptCases]

    @cached_property
    def rounds(self) -> Mapping[RoundKey, RoundPlace]:
        """The places of each round's cases, by attempt and round."""
        weights = []
        for told in self.told.values():
            groups = len({(known.requirement, known.status == "passed") for known in told.cases})
            texts, names = (sum(map(weigh, told.cases)) for weigh in (weight_of, _name_weight))
            weights.append(Weight(_ROUND + (texts + _GROUP * groups), _ROUND + names + groups))
        found = {}
        for (key, told), shows in zip(self.told.items(), shown(weights), strict=True):
            cases, (attempt, number) = grouped(told), key
            anchor = addresses.round_anchor(number, attempt)
            parts = parts_of(cases) if shows != "texts" else ()
            pages = [Part(addresses.cases_address(self.address, anchor, n), part) for n, part in enumerate(parts, 1)]
            found[key] = RoundPlace(cases, shows, pages)
        return found

    def of_case(self, key: RoundKey, known: KnownCase) -> str:
        """Tell where all is shown that is known of a case."""
        return f"{self._pages.get((key, known.anchor), self.address)}#{known.anchor}"

    @cached_property
    def _pages(self) -> Mapping[tuple[RoundKey, str], str]:
        """The pages of the cases that do not stand on the run's own."""
        return {
            (key, known.anchor): part.address
            for key, place in self.rounds.items()
            for part in place.parts
            for known in (*part.cases.failing, *part.cases.passing)
        }


def parts_of(cases: RoundCases) -> list[RoundCases]:
    """Cut the cases of a round into what one page each has room for, in their order; there is always one part."""
    members = [(group, known) for group in (*cases.groups, *cases.passed) for known in group.cases]
    parts = []
    for cut in portions([weight_of(known) + _GROUP * (known is group.cases[0]) for group, known in members]):
        groups: list[Group] = []  # those that have members in this part, with those members only
        for _, found in groupby(members[cut], key=lambda member: id(member[0])):
            (group, first), *others = found
            groups.append(group._replace(cases=[first, *(known for _, known in others)]))
        failing = [group for group in groups if group.cases[0].status != "passed"]
        parts.append(RoundCases(failing, groups[len(failing) :]))
    return parts


class RowPlace(NamedTuple):
    """Where a case stands among submissions: the row, its anchor, and the page."""

    row: Row
    anchor: str
    part: int


def row_places(rows: Sequence[Row]) -> Mapping[CaseKey, RowPlace]:
    """Share the rows of a round out onto as many pages as they need, in their order."""
    anchors = addresses.row_anchors([row.key for row in rows])
    weights = [
        5 + len(row.endings) + row.linked + sum(len(text or "") for text in row.key) / CHARACTERS for row in rows
    ]
    return {
        row.key: RowPlace(row, anchor, part)
        for part, cut in enumerate(portions(weights), start=1)
        for row, anchor in zip(rows[cut], anchors[cut], strict=True)
    }
