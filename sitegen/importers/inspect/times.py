"""Parse times in logs of Inspect, and ignore impossible ones."""

from datetime import date as Date  # noqa: N812 - as elsewhere
from datetime import datetime

from sitegen.importers.kit.times import is_possible, parse_timestamp


def likely_moment(text: str | None, today: Date) -> datetime | None:
    """Return a time; None if there is none, or if it is before 2015 or after tomorrow."""
    time = parse_timestamp(text)
    return time if time is not None and is_possible(time.date(), today) else None
