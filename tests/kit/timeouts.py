"""How long tests wait for a page: as long as a slow and busy machine may take. None of them measures time."""

from collections.abc import Callable
from time import monotonic, sleep
from typing import TypeVar

PATIENCE = 60_000
"""For what a page is expected to become, in milliseconds."""

_PAUSE = 0.05

Value = TypeVar("Value")


def comes_to(read: Callable[[], Value], wanted: Value) -> None:
    """Read until what is read is what is wanted; what was read last is told where it never is."""
    ends = monotonic() + PATIENCE / 1000
    found = read()
    while found != wanted and monotonic() < ends:
        sleep(_PAUSE)
        found = read()
    assert found == wanted
