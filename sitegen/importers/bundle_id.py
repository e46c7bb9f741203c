"""The name of a bundle's folder."""

import re
from datetime import date as Date  # noqa: N812 - the parameter is called date

_OTHER = re.compile(r"[^a-z0-9]+")


def bundle_id(date: Date, agent: str) -> str:
    """Name a bundle after its date and its agent, so that it can stand in an address."""
    return _OTHER.sub("-", f"{date.isoformat()}-{agent}".lower()).strip("-")
