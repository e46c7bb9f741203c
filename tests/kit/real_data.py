"""The way to real data, which is kept beside the project and never copied into it."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest


def real_data(*parts: str) -> Path:
    """Give the path of real data, or skip the test where there is none on this machine."""
    return _beside("data", *parts)


def published_table(name: str) -> Path:
    """Give the path of a paper's tables, transcribed, or skip the test where there are none on this machine."""
    return _beside("published", name)


def schema_of_others(name: str) -> Path:
    """Give the path of a schema that somebody else publishes, or skip the test where there are none on this machine."""
    return _beside("reference", "schemas", f"{name}.schema.json")


def real_data_or_none(*parts: str) -> Path | None:
    """Give the path of real data, or None where there is none: for lists of tests, which can't be skipped."""
    path = _root().joinpath("data", *parts)
    return path if path.exists() else None


def _root() -> Path:
    return Path(os.environ.get("SITEGEN_REAL_DATA", Path(__file__).parents[3] / "shared"))


def _beside(*parts: str) -> Path:
    path = _root().joinpath(*parts)
    if not path.exists():
        pytest.skip(f"no real data at {_root()}: set SITEGEN_REAL_DATA")
    return path


def stopped_at_a_gate(cell: Mapping[str, Any]) -> bool:
    """Whether all that was checked in a published round is that the project builds or its program is there."""
    failed = {each["req"] for each in cell["fails"]}
    return bool(cell["total"]) and not cell["pass"] and failed <= {"build", "binary-exists"}
