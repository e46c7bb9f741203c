"""Parse times in logs of Inspect, ignoring impossible times."""

from datetime import date as Date  # noqa: N812 - as in the models
from datetime import datetime

from sitegen.importers.kit.times import is_possible, parse_timestamp


def likely_moment(text: str | None, today: Date) -> datetime | None:
    """Return the time in a text; None if it is missing, before 2015 or after tomorrow."""
    time = parse_timestamp(text)
    return time if time is not None and is_possible(time.date(), today) else None
