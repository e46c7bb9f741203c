"""Read times, and leave out times that unset clocks or changed files make impossible."""

from datetime import UTC, datetime, timedelta
from datetime import date as Date  # noqa: N812 - as in the models

from sitegen.models.submission import Provenance

FIRST_DAY = Date(2015, 1, 1)
"""The first plausible day of a run; earlier days are treated as impossible."""

ZONES = timedelta(days=1)
"""Tolerance for time zones ahead of the zone of the importing machine."""


def parse_timestamp(text: str | None) -> datetime | None:
    """Return the time in an ISO 8601 text, as UTC if it has no offset; None for other texts."""
    try:
        time = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def local_moment(text: str | None) -> datetime | None:
    """Return the time in an ISO 8601 text without its zone; None for other texts.

    Some versions of a tool omit the zone, and times with and without a zone can't be compared.
    """
    time = parse_timestamp(text)
    return time.replace(tzinfo=None) if time else None


def is_possible(day: Date, today: Date) -> bool:
    """Return whether a run's day is plausible: not before `FIRST_DAY` and not after tomorrow."""
    return FIRST_DAY <= day <= today + ZONES


def with_possible_times(provenance: Provenance, today: Date) -> tuple[Provenance, list[str]]:
    """Return a provenance without impossible times, and a description of each removed time.

    If runs end before they begin, both times are left out.
    """
    faults = []
    times = {"started": provenance.started, "finished": provenance.finished}
    for name, moment in times.items():
        if moment is not None and not is_possible(_to_day(moment), today):
            faults.append(f"`{name}` is {moment}")
            times[name] = None
    started = times["started"]
    finished = times["finished"]
    if started is not None and finished is not None and _is_after(started, finished):
        faults.append(f"`started` is {started}, after `finished`, which is {finished}")
        times = {"started": None, "finished": None}
    return provenance.model_copy(update=times), faults


def _to_day(moment: datetime | Date) -> Date:
    return moment.date() if isinstance(moment, datetime) else moment


def _is_after(first: datetime | Date, second: datetime | Date) -> bool:
    """Return whether the first moment is later; compare days if only one has a time or a zone."""
    if isinstance(first, datetime) and isinstance(second, datetime):
        is_comparable = (first.tzinfo is None) == (second.tzinfo is None)
        if is_comparable:
            return first > second
    return _to_day(first) > _to_day(second)
