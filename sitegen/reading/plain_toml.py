"""Read a TOML file whose problems do not matter here, without line numbers, models or messages."""

import tomllib
from pathlib import Path
from typing import Any


def read_plain_toml(path: Path) -> dict[str, Any]:
    """Return the values of a TOML file; empty if the file can't be read."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
