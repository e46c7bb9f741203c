"""Reads JSON that tools wrote into what a shape names, and names a file that is cut off so."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

from sitegen.importers.kit.report import Report
from sitegen.importers.kit.rules import CUT_OFF, SOURCE_BROKEN
from sitegen.importers.kit.stream import CutOffError, Shape, Sink, picked
from sitegen.problems import ProblemsError
from sitegen.reading.files import LARGEST_SOURCE, opened

_LONGEST_TEXT = 4096
"""Bytes of a text that is taken; a longer one is given as `...`."""


def read_json_source(
    path: Path,
    shape: Shape,
    report: Report,
    sinks: Mapping[tuple[str, ...], Sink] | None = None,
    longest: int = _LONGEST_TEXT,
) -> object:
    """Return what a shape names of a JSON file; None where it can't be read, which the report says.

    Args:
        path: The file.
        shape: The keys to take, as in `stream`.
        report: Takes `CUT_OFF` where the file ends too early, and `SOURCE_BROKEN` where it is no JSON.
        sinks: What takes the members of lists of any length, by the keys that lead to the lists.
        longest: Bytes of a text that is taken; a longer one is given as `...`.
    """
    try:
        with opened(path, largest=LARGEST_SOURCE) as file:
            size = os.fstat(file.fileno()).st_size
            return picked(file, size, shape, sinks, longest)
    except ProblemsError as error:
        report.problems += error.problems
    except CutOffError:
        what = (
            f"{path.name} ends before its last value does"
            if path.stat().st_size
            else f"{path.name} is empty"
        )
        report.add(CUT_OFF, path, what)
    except ValueError as error:
        report.add(SOURCE_BROKEN, path, f"{path.name} can't be used: {error}")
    return None


def json_line(line: bytes) -> object:
    """Return the value of a line of JSON Lines, with NaN as None; a ValueError says why there is none."""
    try:
        return json.loads(line, parse_constant=lambda _: None)
    except RecursionError as error:
        raise ValueError("its values are nested too deeply") from error
