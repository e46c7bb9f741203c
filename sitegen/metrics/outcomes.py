"""How often each case of a round failed, counted from the letters of its outcomes."""

from collections.abc import Sequence

import numpy as np


def case_counts(outcomes: Sequence[str]) -> tuple[list[int], list[int]]:
    """Count by place in how many rounds a case failed, and in how many it passed or failed.

    Each round has one letter a case: p pass, f fail, e error, s skipped. Lengths may differ.
    """
    width = max(map(len, outcomes), default=0)
    text = "".join(each.ljust(width) for each in outcomes).encode()
    letters = np.frombuffer(text, np.uint8).reshape(len(outcomes), width)
    failed = ((letters == ord("f")) | (letters == ord("e"))).sum(axis=0)
    return failed.tolist(), (failed + (letters == ord("p")).sum(axis=0)).tolist()
