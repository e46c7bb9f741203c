"""Recognise rows and columns that summarise others and must not be read as results."""

import re

_SUMMARY = re.compile(
    r"(?:(?:grand|macro|micro|weighted|overall|column|row|total|task)[ _-]?)*"
    r"(?:average|avg|means?|total|totals|overall|sum|all|summary|aggregate|"
    r"durchschnitt|mittelwert|summe|gesamt|moyenne|promedio)"
    r"(?:[ _-]?"
    r"(?:score|reward|accuracy|acc|pass rate|resolved|tasks|of all|result|results|value|%))?"
)
_MARKS = re.compile(r"^[\W_]+|\([^)]*\)\W*$|[\W_]+$")


def is_summary(name: str) -> bool:
    """Return whether a row or column with this name contains averages or sums of other values."""
    plain = _MARKS.sub("", _MARKS.sub("", name.strip().casefold()))
    return _SUMMARY.fullmatch(plain) is not None
