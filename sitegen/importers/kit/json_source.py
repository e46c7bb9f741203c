"""Read the needed keys of JSON files that tools wrote, and report files that are cut off."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.rules import CUT_OFF, SOURCE_BROKEN
from sitegen.importers.kit.stream import CutOffJsonError, Shape, Sink, picked
from sitegen.problems import ProblemsError
from sitegen.reading.files import LARGEST_SOURCE, opened

_MAX_TEXT_BYTES = 4096
"""A longer text is read as `...`."""


def read_json_source(
    path: Path,
    shape: Shape,
    log: ImportLog,
    sinks: Mapping[tuple[str, ...], Sink] | None = None,
    longest: int = _MAX_TEXT_BYTES,
) -> object:
    """Return the keys of a JSON file that a shape names; None if it can't be read, which is logged.

    Args:
        path: The file.
        shape: The keys to take, as in `stream`.
        log: Takes `CUT_OFF` if the file ends too early, and `SOURCE_BROKEN` if it is not JSON.
        sinks: Functions that take the members of lists of any length, by the keys that lead to the
            lists.
        longest: Bytes of a text that is taken; a longer one is read as `...`.
    """
    try:
        with opened(path, largest=LARGEST_SOURCE) as file:
            size = os.fstat(file.fileno()).st_size
            return picked(file, size, shape, sinks, longest)
    except ProblemsError as error:
        log.problems += error.problems
    except CutOffJsonError:
        fault = "ends before its last value does" if path.stat().st_size else "is empty"
        log.add(CUT_OFF, path, f"{path.name} {fault}")
    except ValueError as error:
        log.add(SOURCE_BROKEN, path, f"{path.name} can't be used: {error}")
    return None


def json_line(line: bytes) -> object:
    """Return the value of a line of JSON Lines, with NaN and Infinity as None.

    Raises:
        ValueError: The line is not JSON, or its values are nested too deeply.
    """
    try:
        return json.loads(line, parse_constant=lambda _: None)
    except RecursionError as error:
        raise ValueError("its values are nested too deeply") from error
