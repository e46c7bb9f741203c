"""Read JSON and YAML written by tools, and distinguish truncated files from broken files."""

import codecs
import json
from pathlib import Path

import jiter
import yaml

from sitegen.importers.kit.rules import CUT_OFF, SOURCE_BROKEN
from sitegen.problems import Problem, ProblemsError
from sitegen.reading.files import LARGEST, MEGABYTE, opened

_ENDED = "EOF while parsing"
"""The parser's error message for truncated JSON."""

_MAX_GROWTH = 20
"""Maximum ratio of the sizes of JSON and YAML, whose aliases may repeat a value many times."""


def parse_document(data: bytes) -> object:
    """Return the value of a JSON document; its numbers may be NaN or infinite.

    Raises:
        ValueError: The data is not JSON, or an object has a duplicate key.
    """
    plain = data.removeprefix(codecs.BOM_UTF8)
    return jiter.from_json(plain, allow_inf_nan=True, catch_duplicate_keys=True, cache_mode="keys")


def plain_yaml(text: str) -> object:
    """Return a YAML document as strings, lists and dicts; numbers and dates stay strings."""
    parsed: object = yaml.load(text, yaml.BaseLoader)  # noqa: S506 - it creates only strings
    return parsed


class _JsonLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """A loader that builds only values of JSON: dates stay strings."""


_JsonLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def yaml_as_json(data: bytes) -> bytes:
    """Return a YAML document as JSON.

    Raises:
        ValueError: The data is not YAML, or its aliases make the JSON many times larger.
    """
    largest = MEGABYTE + _MAX_GROWTH * len(data)
    try:
        document = yaml.load(data, _JsonLoader)  # noqa: S506 - it builds only values of JSON
        pieces = []
        size = 0
        for piece in json.JSONEncoder().iterencode(document):
            pieces.append(piece)
            size += len(piece)
            if size > largest:
                raise ValueError("its aliases repeat values too often")
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from error
    except (TypeError, RecursionError) as error:
        raise ValueError("its values are not those of JSON") from error
    return "".join(pieces).encode()


def is_cut(error: ValueError) -> bool:
    """Return whether JSON could not be parsed because it is truncated."""
    return _ENDED in str(error)


def read_document(path: Path, root: Path | None = None) -> tuple[object, Problem | None]:
    """Return the value of a JSON file, or the problem that prevents reading it.

    Args:
        path: The file.
        root: A folder below which no folder on the path may be a symbolic link; None for the
            file's own folder.

    Returns:
        The parsed value and None; or None and a problem, which is `CUT_OFF` only if the file is
        truncated.
    """
    try:
        with opened(path, root=root, largest=LARGEST) as file:
            data = file.read()
    except ProblemsError as error:
        return None, error.problems[0]
    try:
        return parse_document(data), None
    except ValueError as error:
        if is_cut(error):
            return None, CUT_OFF.broken(path, None, f"{path.name} ends in the middle: {error}")
        return None, SOURCE_BROKEN.broken(path, None, f"{path.name} is not JSON: {error}")
