"""The share of random examples to try: an eighth in `make test`, and all if SITEGEN_WHOLE is set."""

import os

IS_WHOLE = "SITEGEN_WHOLE" in os.environ
"""Whether to try all examples, as in `make fuzz` and `make harden`."""


def examples(number: int) -> int:
    """Return the number of examples to try: the given number, or an eighth of it, rounded up."""
    return number if IS_WHOLE else -(-number // 8)
