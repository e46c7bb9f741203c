"""Tells rows and columns that sum up others, which must not be taken for results."""

import re
from collections.abc import Iterable

_SUMMARY = re.compile(
    r"(?:(?:grand|macro|micro|weighted|overall|column|row|total|task)[ _-]?)*"
    r"(?:average|avg|means?|total|totals|overall|sum|all|summary|aggregate|"
    r"durchschnitt|mittelwert|summe|gesamt|moyenne|promedio)"
    r"(?:[ _-]?(?:score|reward|accuracy|acc|pass rate|resolved|tasks|of all|result|results|value|%))?"
)
_MARKS = re.compile(r"^[\W_]+|\([^)]*\)\W*$|[\W_]+$")


def is_summary(name: str) -> bool:
    """Return whether a row or column of this name holds an average or a sum of others."""
    plain = _MARKS.sub("", _MARKS.sub("", name.strip().casefold()))
    return _SUMMARY.fullmatch(plain) is not None


def summaries(names: Iterable[str]) -> list[str]:
    """Return the names that are those of averages and sums."""
    return [name for name in names if is_summary(name)]
