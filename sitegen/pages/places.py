"""Where each case stands: on a run's own page or on one that a heavy round has for itself, and among submissions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sitegen.pages import addresses
from sitegen.pages.cases import CaseKey, KnownCase, Told
from sitegen.pages.groups import RoundCases, grouped, parts_of
from sitegen.pages.room import CHARACTERS, Shows, portions, round_weight, shown
from sitegen.pages.suite import Row

RoundKey = tuple[int, int]
"""An attempt and a round."""


@dataclass(frozen=True, slots=True)
class Part:
    """A page for cases of one round."""

    address: str
    cases: RoundCases


@dataclass(frozen=True, slots=True)
class RoundPlace:
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
    """Where the cases of one run stand.

    Attributes:
        address: Of the run's own page.
        told: What is told of the cases, by attempt and round.
    """

    address: str
    told: Mapping[RoundKey, Told]

    @cached_property
    def rounds(self) -> Mapping[RoundKey, RoundPlace]:
        """The places of each round's cases, by attempt and round."""
        decided = shown([round_weight(told.cases) for told in self.told.values()])
        return {
            key: self._place(key, grouped(told), shows)
            for (key, told), shows in zip(self.told.items(), decided, strict=True)
        }

    def of_case(self, key: RoundKey, known: KnownCase) -> str:
        """Give the address at which all is shown that is known of a case."""
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

    def _place(self, key: RoundKey, cases: RoundCases, shows: Shows) -> RoundPlace:
        if shows == "texts":
            return RoundPlace(cases, shows)
        attempt, number = key
        anchor = addresses.round_anchor(number, attempt)
        parts = enumerate(parts_of(cases), start=1)
        return RoundPlace(
            cases, shows, [Part(addresses.cases_address(self.address, anchor, n), part) for n, part in parts]
        )


@dataclass(frozen=True, slots=True)
class RowPlace:
    """Where a case stands among submissions: the row, its anchor, and the page."""

    row: Row
    anchor: str
    part: int


def row_places(rows: Sequence[Row]) -> Mapping[CaseKey, RowPlace]:
    """Share the rows of a round out onto as many pages as they need, in their order."""
    anchors = addresses.row_anchors([row.key for row in rows])
    cuts = portions([_row_weight(row) for row in rows])
    return {
        row.key: RowPlace(row, anchor, part)
        for part, cut in enumerate(cuts, start=1)
        for row, anchor in zip(rows[cut], anchors[cut], strict=True)
    }


def _row_weight(row: Row) -> float:
    return 5 + len(row.endings) + row.linked + sum(len(text or "") for text in row.key) / CHARACTERS
