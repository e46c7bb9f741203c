"""Takes what can be used of a run's small files: a value of the wrong kind costs no more than itself."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from sitegen.importers.kit.documents import read_document
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.told import plain_yaml
from sitegen.problems import listed
from sitegen.reading.files import read_text

M = TypeVar("M", bound=BaseModel)

MAX_TRIES = 20
"""Times that a value is looked at again without what was wrong with it."""

Location = tuple[int | str, ...]


def salvage(
    value: object, model: type[M], indivisible: Collection[str] = ()
) -> tuple[M | None, tuple[str, ...]]:
    """Return what a document holds, and the keys of values that can't be used and are left out.

    Args:
        value: The document as its parser gives it.
        model: What it should hold.
        indivisible: Keys whose value is of no use without a part of it.

    Returns:
        The record, None if the document is nothing of the kind, and the keys such as `usage.cost`.
    """
    left_out: list[str] = []
    for _ in range(MAX_TRIES):
        try:
            return model.model_validate(value), tuple(left_out)
        except ValidationError as error:
            locations = [detail["loc"] for detail in error.errors(include_input=False)]
        places = [_place(value, location, indivisible) for location in locations]
        wrong = [place for place in dict.fromkeys(places) if place]
        if not wrong or not isinstance(value, Mapping):
            break
        for place in wrong:
            value = _without(value, place)
            left_out.append(".".join(place))
    return None, ()


def _place(value: object, location: Location, indivisible: Collection[str]) -> tuple[str, ...]:
    """Return the keys that lead to what is wrong in a document, as far as objects are nested."""
    keys: list[str] = []
    node = value
    for part in location:
        # Locations also name the alternatives of a union, which are no keys.
        if not isinstance(node, Mapping) or part not in node:
            continue
        keys.append(str(part))
        node = node[part]
        if part in indivisible or isinstance(node, list):
            break
    return tuple(keys)


def _without(value: Mapping[str, Any], place: Sequence[str]) -> dict[str, Any]:
    """Return a copy of an object that lacks one of its values."""
    copy = dict(value)
    first, *rest = place
    if rest and isinstance(copy.get(first), Mapping):
        copy[first] = _without(copy[first], rest)
    else:
        copy.pop(first, None)
    return copy


def read_json_parts(
    path: Path, model: type[M], indivisible: Collection[str] = ()
) -> tuple[M | None, str]:
    """Return what a JSON file holds, and what of it can't be used, as words; empty if all can."""
    value, problem = read_document(path)
    if problem:
        return None, problem.what
    return _with_words(path, *salvage(value, model, indivisible))


def read_yaml_parts(path: Path, model: type[M]) -> tuple[M | None, str]:
    """Return what a YAML file holds, and what of it can't be used, as words; empty if all can.

    No object is built that the file might ask for.
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
    # What stands there is not told: through aliases it can be longer than any memory.
    return _with_words(path, *salvage(value, model))


def _with_words(path: Path, record: M | None, left_out: Sequence[str]) -> tuple[M | None, str]:
    """Return a record, and which keys of its file are left out."""
    if record is None:
        return None, f"{path.name} does not hold what the runner writes"
    if not left_out:
        return record, ""
    keys = listed(f"`{one_line(key, 80)}`" for key in dict.fromkeys(left_out))
    return record, f"{keys} in {path.name}"
