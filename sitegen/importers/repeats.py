"""Names that stand several times where they should stand once."""

from collections import Counter
from collections.abc import Iterable


def repeated(names: Iterable[str]) -> list[str]:
    """Give the names that occur more than once, each once, in the order of their first occurrence."""
    counts = Counter(names)
    return list(counts - Counter(counts.keys()))
