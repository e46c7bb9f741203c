"""Reads JSON files into what they should hold."""

import re
from pathlib import Path
from typing import Any, Literal, TypeVar

import jiter
from pydantic import TypeAdapter, ValidationError

from sitegen.problems import Problem, Rule, reasons
from sitegen.reading.files import read_text
from sitegen.reading.shape import shape_problems

JSON_SYNTAX = Rule(
    "JSON-SYNTAX",
    "error",
    "JSON follows its grammar, and every line of JSON Lines is one object.",
    "correct the line",
    unwaivable=reasons.LOST,
)

T = TypeVar("T")

_LINE = re.compile(r" at line (\d+) column \d+")


def read_json(path: Path, model: type[T], root: Path | None = None) -> tuple[T | None, list[Problem]]:
    """Read a JSON file; a key that stands twice, and a number that is none, are refused.

    Args:
        path: The file.
        model: What it holds.
        root: The folder below which no part of the path may be a link; the file's own where absent.

    Returns:
        The value, or None where the file has problems; and the problems.
    """
    return _read(path, model, root, "float")


def read_printed_json(path: Path, model: type[T]) -> tuple[T | None, list[Problem]]:
    """Read a JSON file as `read_json` does, and keep the decimals that its numbers were printed with."""
    return _read(path, model, None, "decimal")


def strict_json(text: bytes, float_mode: Literal["float", "decimal"] = "float") -> Any:  # noqa: ANN401 - of any kind
    """Parse JSON and refuse what parsers let pass: a key that stands twice, and numbers that are none.

    Raises:
        ValueError: It is no such JSON.
    """
    return jiter.from_json(
        text, allow_inf_nan=False, catch_duplicate_keys=True, cache_mode="keys", float_mode=float_mode
    )


def _read(
    path: Path, model: type[T], root: Path | None, float_mode: Literal["float", "decimal"]
) -> tuple[T | None, list[Problem]]:
    text, problems = read_text(path, root)
    if text is None:
        return None, problems
    adapter = TypeAdapter(model)
    found: object = None
    try:
        found = strict_json(text.encode(), float_mode)
        return adapter.validate_python(found) if float_mode == "decimal" else adapter.validate_json(text), []
    except ValidationError as error:
        return None, shape_problems(error, path, lambda _: None, adapter, found)
    except ValueError as error:
        at = _LINE.search(str(error))
        return None, [JSON_SYNTAX.broken(path, int(at[1]) if at else None, f"broken JSON: {error}")]
