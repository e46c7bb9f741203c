"""Read the usable parts of a run's small files: an unusable value affects only itself."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from sitegen.importers.kit.documents import plain_yaml, read_document
from sitegen.importers.kit.redaction import one_line
from sitegen.problems import listed
from sitegen.reading.files import read_text

M = TypeVar("M", bound=BaseModel)

MAX_TRIES = 20
"""Maximum number of times that a document is validated again without its unusable values."""

Location = tuple[int | str, ...]


def salvage(
    value: object, model: type[M], indivisible: Collection[str] = ()
) -> tuple[M | None, tuple[str, ...]]:
    """Return the record of a document, and the keys of unusable values that are left out.

    Args:
        value: The document as its parser returns it.
        model: The type of its record.
        indivisible: Keys whose value is useless if a part of it is left out.

    Returns:
        The record, or None if the document is of another kind, and keys such as `usage.cost`.
    """
    left_out: list[str] = []
    for _ in range(MAX_TRIES):
        try:
            return model.model_validate(value), tuple(left_out)
        except ValidationError as error:
            details = error.errors(include_input=False)
        paths = [_key_path(value, detail["loc"], indivisible) for detail in details]
        unusable = [path for path in dict.fromkeys(paths) if path]
        if not unusable or not isinstance(value, Mapping):
            break
        for path in unusable:
            value = _without(value, path)
            left_out.append(".".join(path))
    return None, ()


def _key_path(value: object, location: Location, indivisible: Collection[str]) -> tuple[str, ...]:
    """Return the keys from a document to an unusable value; lists are not entered."""
    path: list[str] = []
    node = value
    for key in location:
        # Locations also name the alternatives of a union, which are not keys.
        if not isinstance(node, Mapping) or key not in node:
            continue
        path.append(str(key))
        node = node[key]
        if key in indivisible or isinstance(node, list):
            break
    return tuple(path)


def _without(value: Mapping[str, Any], path: Sequence[str]) -> dict[str, Any]:
    """Return a copy of an object without the value at a path of keys."""
    copy = dict(value)
    key, *inner_path = path
    if inner_path and isinstance(copy.get(key), Mapping):
        copy[key] = _without(copy[key], inner_path)
    else:
        copy.pop(key, None)
    return copy


def read_json_parts(
    path: Path, model: type[M], indivisible: Collection[str] = ()
) -> tuple[M | None, str]:
    """Return the record in a JSON file, and a phrase about unusable values (empty if none)."""
    value, problem = read_document(path)
    if problem:
        return None, problem.what
    return _record_and_fault(path, *salvage(value, model, indivisible))


def read_yaml_parts(path: Path, model: type[M]) -> tuple[M | None, str]:
    """Return the record in a YAML file, and a phrase about unusable values (empty if none).

    Tags that request Python objects are ignored.
    """
    text, problems = read_text(path)
    if text is None:
        return None, problems[0].what
    try:
        value = plain_yaml(text)
    except yaml.MarkedYAMLError as error:
        line = f" in line {error.problem_mark.line + 1}" if error.problem_mark else ""
        return None, f"{path.name} is not YAML: {one_line(str(error.problem))}{line}"
    except (yaml.YAMLError, RecursionError) as error:
        return None, f"{path.name} is not YAML: {type(error).__name__}"
    # Messages never quote the value: aliases can make it larger than the available memory.
    return _record_and_fault(path, *salvage(value, model))


def _record_and_fault(
    path: Path, record: M | None, left_out: Sequence[str]
) -> tuple[M | None, str]:
    """Return a record, and a phrase about the keys that are left out (empty if none)."""
    if record is None:
        return None, f"{path.name} is not in the format that the runner writes"
    if not left_out:
        return record, ""
    keys = listed(f"`{one_line(key, 80)}`" for key in dict.fromkeys(left_out))
    return record, f"{keys} in {path.name}"
