"""Times that a source states and that can't be right: clocks that were never set, files that somebody changed."""

from datetime import date as Date  # noqa: N812 - what is called date elsewhere, too
from datetime import datetime, timedelta

from sitegen.models.submission import Provenance

FIRST_DAY = Date(2015, 1, 1)
"""No agent ran before this day."""

ZONES = timedelta(days=1)
"""Where the day begins first, it is so much ahead."""


def is_possible(day: Date, today: Date) -> bool:
    """Return whether runs can have been made on a day."""
    return FIRST_DAY <= day <= today + ZONES


def with_possible_times(provenance: Provenance, today: Date) -> tuple[Provenance, list[str]]:
    """Return a provenance without times that can't be right, and what each of them was.

    Where runs end before they begin, neither time is kept.
    """
    faults = []
    kept = {"started": provenance.started, "finished": provenance.finished}
    for name, moment in kept.items():
        if moment is not None and not is_possible(_day_of(moment), today):
            faults.append(f"`{name}` is {moment}")
            kept[name] = None
    started, finished = kept["started"], kept["finished"]
    if started is not None and finished is not None and _is_after(started, finished):
        faults.append(f"`started` is {started}, after `finished`, which is {finished}")
        kept = {"started": None, "finished": None}
    return provenance.model_copy(update=kept), faults


def _day_of(moment: datetime | Date) -> Date:
    return moment.date() if isinstance(moment, datetime) else moment


def _is_after(one: datetime | Date, other: datetime | Date) -> bool:
    """Return whether a moment lies after another; by their days, where their clocks do not compare."""
    if (
        isinstance(one, datetime)
        and isinstance(other, datetime)
        and (one.tzinfo is None) == (other.tzinfo is None)
    ):
        return one > other
    return _day_of(one) > _day_of(other)
