"""Times in logs of Inspect, as far as they can be true."""

from datetime import date as Date  # noqa: N812 - as elsewhere
from datetime import datetime, timedelta

from sitegen.importers.kit.told import moment

_FIRST_DAY = Date(2015, 1, 1)
"""No log is older; an earlier date is a clock that was not set."""


def likely_moment(text: str | None, today: Date) -> datetime | None:
    """Return the moment that a text states; None where it states none, or one before 2015 or after tomorrow."""
    time = moment(text)
    if time is None or not _FIRST_DAY <= time.date() <= today + timedelta(days=1):
        return None
    return time
