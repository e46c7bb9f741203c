"""How much of what has no end is tried: a part in `make test`, all of it where SITEGEN_WHOLE is set."""

import os

IS_WHOLE = "SITEGEN_WHOLE" in os.environ
"""As `make fuzz` and `make harden` ask."""


def examples(number: int) -> int:
    """How many examples of so many are tried."""
    return number if IS_WHOLE else -(-number // 8)
