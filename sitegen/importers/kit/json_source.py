"""Read selected keys of JSON files written by tools, and report truncated files."""

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
"""Maximum size in bytes of a text; a longer text is read as `...`."""


def read_json_source(
    path: Path,
    shape: Shape,
    log: ImportLog,
    sinks: Mapping[tuple[str, ...], Sink] | None = None,
    longest: int = _MAX_TEXT_BYTES,
) -> object:
    """Return the part of a JSON file that a shape names; log a problem and return None on failure.

    Args:
        path: The file.
        shape: The keys to read, as in `stream`.
        log: Receives `CUT_OFF` if the file is truncated, and `SOURCE_BROKEN` if it is not JSON.
        sinks: Functions that receive the items of lists of any length, by the keys that lead to the
            lists.
        longest: The maximum size of a text in bytes; a longer text is read as `...`.
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
