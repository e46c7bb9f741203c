"""The Pareto front: what can be had for less than it costs elsewhere, or better for as much."""

from collections.abc import Sequence

Offer = tuple[float, float]
"""What something costs and what it is worth: the less, the better, and the more, the better."""


def pareto_front(offers: Sequence[Offer]) -> list[int]:
    """Find the offers that no other beats.

    One offer beats another that costs as much or more and is worth as much or less, unless both are equal.

    Returns:
        Their places, from 0: by rising cost, equal ones in their own order.
    """
    best = [place for place, offer in enumerate(offers) if not any(_beats(other, offer) for other in offers)]
    return sorted(best, key=lambda place: offers[place])


def _beats(one: Offer, other: Offer) -> bool:
    return one[0] <= other[0] and one[1] >= other[1] and one != other
