"""The day on which a command runs: waivers end on one, and an import without a date is of it."""

import os
from collections.abc import Mapping
from datetime import UTC, date, datetime

from sitegen.problems import UsageError
from sitegen.store.provenance import ZONES

_FIXED = "SOURCE_DATE_EPOCH"
"""Seconds since 1970 that stand for now, so that a build can be made again: reproducible-builds.org."""


def today(environment: Mapping[str, str] = os.environ) -> date:
    """Give the day in UTC, the one that the environment fixes before the clock's.

    Args:
        environment: Its variables.

    Raises:
        UsageError: The environment fixes something that is no time.
    """
    fixed = environment.get(_FIXED)
    if not fixed:
        return datetime.now(tz=UTC).date()
    try:
        return (
            datetime.fromtimestamp(int(fixed), tz=UTC).date() + ZONES - ZONES
        )  # the last day of all has none behind it
    except (ValueError, OverflowError, OSError) as error:
        raise UsageError(f'{_FIXED} is "{fixed}", which is no number of seconds since 1970') from error
