"""The name of a bundle's folder."""

import re
from datetime import date as Date  # noqa: N812 - the parameter is called date

_OTHER = re.compile(r"[^a-z0-9]+")


def bundle_id(date: Date, agent: str) -> str:
    """Name a bundle after its date and its agent, so that it can stand in an address."""
    return longer_id(date.isoformat(), agent)


def longer_id(name: str, fact: str) -> str:
    """Add a fact to a bundle's name."""
    return _OTHER.sub("-", f"{name}-{fact}".lower()).strip("-")
