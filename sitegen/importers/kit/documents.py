"""Read JSON and YAML as tools write them, and tell files that are cut off from broken ones."""

import codecs
from pathlib import Path

import jiter
import yaml

from sitegen.importers.kit.rules import CUT_OFF, SOURCE_BROKEN
from sitegen.problems import Problem, ProblemsError
from sitegen.reading.files import LARGEST, opened

_ENDED = "EOF while parsing"
"""What the parser says of JSON that ends too early."""


def parse_document(data: bytes) -> object:
    """Return what JSON holds; numbers in it may be NaN or infinite.

    Raises:
        ValueError: It is not JSON, or one of its objects has a key twice.
    """
    plain = data.removeprefix(codecs.BOM_UTF8)
    return jiter.from_json(plain, allow_inf_nan=True, catch_duplicate_keys=True, cache_mode="keys")


def plain_yaml(text: str) -> object:
    """Return what YAML holds, as texts, lists and dicts only: numbers and dates stay texts."""
    parsed: object = yaml.load(text, yaml.BaseLoader)  # noqa: S506 - it builds nothing but texts
    return parsed


def is_cut(error: ValueError) -> bool:
    """Return whether JSON could not be parsed because it ends too early."""
    return _ENDED in str(error)


def read_document(path: Path, root: Path | None = None) -> tuple[object, Problem | None]:
    """Return what a JSON file holds, and why it can't be read, if it can't.

    Args:
        path: The file.
        root: No folder of the path below this one may be a link; the file's own folder if None.

    Returns:
        The parsed value and None; or None and a problem, which is `CUT_OFF` only if the file ends
        too early.
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
