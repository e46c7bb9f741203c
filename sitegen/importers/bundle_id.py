"""The name of a bundle's folder."""

import hashlib
import re
from datetime import date as Date  # noqa: N812 - the parameter is called date

LONGEST = 60
"""Characters of a name: it stands in addresses, beside those of its benchmark, its track and a task."""

_OTHER = re.compile(r"[^a-z0-9]+")
_DIGITS = 8


def bundle_id(date: Date, agent: str) -> str:
    """Name a bundle after its date and its agent, so that it can stand in an address."""
    return longer_id(date.isoformat(), agent)


def longer_id(name: str, fact: str) -> str:
    """Add a fact to a bundle's name. A name that would be too long ends with a digest of what is cut off."""
    whole = f"{name}-{_OTHER.sub('-', fact.lower()).strip('-') or _digest(fact)}"
    if len(whole) <= LONGEST:
        return whole
    return f"{whole[: LONGEST - _DIGITS - 1].rstrip('-')}-{_digest(whole)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]
