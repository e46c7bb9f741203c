"""Helpers that join texts on pages."""

from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")


def join_texts(*texts: str | None, separator: str = " · ") -> str:
    """Return the texts that are not empty, joined on one line."""
    return separator.join(filter(None, texts))


def only_value(values: Iterable[T]) -> T | None:
    """Return the value that all items share; None if they differ or there are none."""
    distinct = set(values)
    return distinct.pop() if len(distinct) == 1 else None
