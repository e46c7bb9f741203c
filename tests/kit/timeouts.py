"""Timeouts for tests that wait for a page, long enough for a slow and busy machine; they do not measure speed."""

from collections.abc import Callable
from time import monotonic, sleep
from typing import TypeVar

PATIENCE = 60_000
"""Maximum time for a page to reach the expected state, in milliseconds."""

_PAUSE = 0.05

Value = TypeVar("Value")


def comes_to(read: Callable[[], Value], wanted: Value) -> None:
    """Read repeatedly until the wanted value appears; fail with the last value read if it does not."""
    ends = monotonic() + PATIENCE / 1000
    last_value = read()
    while last_value != wanted and monotonic() < ends:
        sleep(_PAUSE)
        last_value = read()
    assert last_value == wanted
