"""Paths of real data, which is stored outside the project and never copied into it."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest


def real_data(*path_parts: str) -> Path:
    """Return the path of real data; skip the test if it is not on this machine."""
    return _beside("data", *path_parts)


def published_table(name: str) -> Path:
    """Return the path of a paper's transcribed tables; skip the test if they are not on this machine."""
    return _beside("published", name)


def schema_of_others(name: str) -> Path:
    """Return the path of another project's published schema; skip the test if it is not on this machine."""
    return _beside("reference", "schemas", f"{name}.schema.json")


def real_data_or_none(*path_parts: str) -> Path | None:
    """Return the path of real data, or None if there is none; for parameter lists, which can't be skipped."""
    path = _root().joinpath("data", *path_parts)
    return path if path.exists() else None


def _root() -> Path:
    return Path(os.environ.get("SITEGEN_REAL_DATA", Path(__file__).parents[3] / "shared"))


def _beside(*path_parts: str) -> Path:
    path = _root().joinpath(*path_parts)
    if not path.exists():
        pytest.skip(f"no real data at {_root()}: set SITEGEN_REAL_DATA")
    return path


def stopped_at_a_gate(cell: Mapping[str, Any]) -> bool:
    """Return whether a published round passed no case, and failed only because of its build or a missing program."""
    failed = {fail["req"] for fail in cell["fails"]}
    return bool(cell["total"]) and not cell["pass"] and failed <= {"build", "binary-exists"}
