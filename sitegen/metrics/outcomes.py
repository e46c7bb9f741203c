"""How often each case of a round failed, counted from the letters of its outcomes."""

from collections.abc import Sequence

import numpy as np


def case_counts(outcomes: Sequence[str]) -> tuple[list[int], list[int]]:
    """Return the number of rounds in which each case failed, and in which it passed or failed.

    Args:
        outcomes: One text per round with one letter per case: p pass, f fail, e error, s skipped.
            Lengths may differ.

    Returns:
        Two lists, indexed by the position of the case.
    """
    width = max(map(len, outcomes), default=0)
    padded = "".join(letters.ljust(width) for letters in outcomes)
    table = np.frombuffer(padded.encode(), np.uint8).reshape(len(outcomes), width)
    has_failed = (table == ord("f")) | (table == ord("e"))
    has_passed = table == ord("p")
    failed = has_failed.sum(axis=0)
    passed = has_passed.sum(axis=0)
    return failed.tolist(), (failed + passed).tolist()
