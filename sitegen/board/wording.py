"""Numbers and names as they are written in sentences."""

import re
from collections.abc import Sequence
from decimal import Context, Decimal
from typing import Literal

from sitegen.metrics.metric import Metric
from sitegen.models.release import LockedScore

_SLUG = re.compile(r"[a-z]+(_[a-z]+)+")
"""Words joined by underscores."""


def number_text(value: float, decimals: int, sign: Literal["+", "-"] = "-") -> str:
    """Return a number with a minus sign (−), and with a plus sign if asked for; 0 has no sign."""
    text = f"{value:{sign}.{decimals}f}"
    return (text if float(text) else text.lstrip("+-")).replace("-", "−")


MAX_PRINTED_DIGITS = 12
"""Maximum number of published digits; a longer number was computed: 0.14300000000000002."""
MORE_DECIMALS = 3
"""Digits kept of a computed number, in addition to the metric's decimals."""


def published_text(value: Decimal, decimals: int) -> str:
    """Return a number as its source publishes it, but rounded if its digits were computed."""
    if not value.is_finite() or len(value.as_tuple().digits) <= MAX_PRINTED_DIGITS:
        return str(value)
    digits = max(value.adjusted() + 1 + decimals + MORE_DECIMALS, MORE_DECIMALS)
    return f"{Context(prec=digits).create_decimal(value).normalize():f}"


def released_text(score: LockedScore, decimals: int) -> str:
    """Return a released score as text; a reported score as its source publishes it."""
    if score.printed is None:
        return f"{score.value:.{decimals}f}"
    if len(score.printed) <= MAX_PRINTED_DIGITS:
        return score.printed
    return published_text(Decimal(repr(score.value)), decimals)


def joined(names: Sequence[str]) -> str:
    """Return names as a list in a sentence: one, two and three."""
    *first_names, last_name = names
    if not first_names:
        return last_name
    return f"{', '.join(first_names)} and {last_name}"


def ordinal(number: int) -> str:
    """Return a rank as an English ordinal: 1st, 2nd, 3rd, 4th, 11th, 21st."""
    is_teen = 10 <= number % 100 <= 20  # noqa: PLR2004 - eleventh to nineteenth
    ending = "th" if is_teen else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


_SCORE_NOUNS = ("score", "reward", "rate", "accuracy", "cost", "time", "gap")
"""Last words of titles that can follow "the highest"."""


def score_noun(metric: Metric, title: str) -> str:
    """Return a metric's title as a noun phrase that can follow "the highest".

    Examples: "Strict score", "Dataset Score", "Net cost", "value of Avg Turns".
    """
    lower = title.lower()
    if lower.endswith(_SCORE_NOUNS) or lower.startswith("cost "):
        return title
    if metric.unit in {"percent", "share", "points"}:
        return f"{title} score"
    return f"value of {title}"


def capitalized(text: str) -> str:
    """Return a text with its first letter in upper case and the rest unchanged."""
    return f"{text[:1].upper()}{text[1:]}"


def value_title(value: str) -> str:
    """Return a value of an axis as it is displayed: "spec_evolution" as "spec evolution"."""
    return value.replace("_", " ") if _SLUG.fullmatch(value) else value
