"""Randomness that depends on names alone, so that equal scales give equal results anywhere."""

from random import Random


def dice(*names: object) -> Random:
    """Give the random numbers that belong to some names.

    Every attempt at every task has dice of its own: more tasks or attempts add results, and leave
    the others as they were.
    """
    return Random("/".join(map(str, names)))  # noqa: S311 - a simulation keeps no secrets
