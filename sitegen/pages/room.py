"""How much a page holds. What is too much for one goes on pages of its own, so that none takes long to open."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sitegen.pages.cases import KnownCase

ROOM = 11_000
"""What a page holds beside its frame, in elements; with it, a page must stay below 12,000."""

CHARACTERS = 80
"""So many characters of text weigh as much as an element: a page must also stay below 160 KB, compressed."""

GROUP = 4
"""What a group of cases weighs beside them."""

_ROUND, _CASE, _TEXT = 24, 8, 2
"""What these weigh beside what is in them."""

Shows = Literal["texts", "names", "counts"]
"""What a run's own page shows of the cases of a round: all that is known of them, their names, or their number."""


@dataclass(frozen=True, slots=True)
class Weight:
    """What the cases of one round weigh on a run's own page, by what it shows of them."""

    texts: float
    names: float


def round_weight(cases: Sequence[KnownCase]) -> Weight:
    """Say what a round weighs with its cases, in elements."""
    groups = len({(known.requirement, known.status == "passed") for known in cases})
    texts = sum(map(weight_of, cases)) + GROUP * groups
    return Weight(_ROUND + texts, _ROUND + sum(map(name_weight, cases)) + groups)


def weight_of(known: KnownCase) -> float:
    """Say what a case weighs with all that is known of it, in elements; of one that passed, that is its name."""
    if known.status == "passed":
        return name_weight(known)
    letters = sum(len(text) for _, text in known.texts) + 2 * len(known.anchor) + len(known.title)
    return _CASE + _TEXT * len(known.texts) + letters / CHARACTERS


def name_weight(known: KnownCase) -> float:
    """Say what the name of a case weighs, in elements."""
    return 1 + (len(known.anchor) + len(known.title)) / CHARACTERS


def shown(rounds: Sequence[Weight], room: float = ROOM) -> list[Shows]:
    """Decide what a run's own page shows of each round: as much as there is room for, less of the heaviest first.

    Args:
        rounds: What the cases of each round weigh.
        room: What there is room for.
    """
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
