"""Reads JSON that tools wrote: what a shape names, NaN as an unknown value, cut-off files named so."""

import io
import json
import math
import mmap
import os
import re
from collections.abc import Mapping
from pathlib import Path

from sitegen.importers.kit.report import Report
from sitegen.importers.kit.rules import CUT_OFF, SOURCE_BROKEN
from sitegen.importers.kit.stream import Shape, picked
from sitegen.problems import ProblemsError
from sitegen.reading.files import MEGABYTE, opened

_LARGEST_WITH_NAN = 64 * MEGABYTE
"""Bytes of a file that is read a second time, as a whole, because it holds NaN."""

_LONGEST_TEXT = 4096
"""Bytes of a text that is taken; a longer one is given as `...`."""

_MARKS = re.compile(rb'"(?:[^"\\]++|\\.)*+("?)|[\[{]|[\]}]', re.DOTALL)
"""A text, with its closing quote if it has one; or a bracket that opens or closes a value."""


def read_json_source(
    path: Path,
    shape: Shape,
    report: Report,
    lists: Mapping[tuple[str, ...], list[object]] | None = None,
    longest: int = _LONGEST_TEXT,
) -> object:
    """Return what a shape names of a JSON file; None where it can't be read, which the report says.

    Args:
        path: The file.
        shape: The keys to take, as in `stream`.
        report: Takes `CUT_OFF` where the file ends too early, and `SOURCE_BROKEN` where it is no JSON.
        lists: Lists of any length, by the keys that lead to them in the file: their members are put there.
        longest: Bytes of a text that is taken; a longer one is given as `...`.
    """
    try:
        with opened(path, largest=math.inf) as file:
            size = os.fstat(file.fileno()).st_size
            sinks = {place: members.append for place, members in (lists or {}).items()}
            try:
                return picked(file, size, shape, sinks, longest)
            except ValueError as error:
                fault = str(error)
            if size > 0 and not is_cut_off(path):
                file.seek(0)
                plain = _without_nan(file.read()) if size <= _LARGEST_WITH_NAN else None
                if plain is not None:
                    for members in (lists or {}).values():
                        members.clear()
                    return picked(io.BytesIO(plain), len(plain), shape, sinks, longest)
                report.add(SOURCE_BROKEN, path, f"{path.name} can't be used: {fault}")
            else:
                what = f"{path.name} ends before its last value does" if size > 0 else f"{path.name} is empty"
                report.add(CUT_OFF, path, what)
    except ProblemsError as error:
        report.problems += error.problems
    except ValueError as error:
        report.add(SOURCE_BROKEN, path, f"{path.name} can't be used: {error}")
    return None


def is_cut_off(path: Path) -> bool:
    """Return whether a JSON file ends while a text or a bracket is still open."""
    depth = 0
    try:
        with opened(path, largest=math.inf) as file:
            if os.fstat(file.fileno()).st_size == 0:
                return True
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                for mark in _MARKS.finditer(data):
                    first = mark[0][:1]
                    if first == b'"' and not mark[1]:
                        return True
                    if first in b"[{":
                        depth += 1
                    elif first in b"]}":
                        depth -= 1
    except ProblemsError:
        return False
    return depth > 0


def json_line(line: bytes) -> object:
    """Return the value of a line of JSON Lines, with NaN as None; a ValueError says why there is none."""
    try:
        return json.loads(line, parse_constant=_unknown)
    except RecursionError as error:
        raise ValueError("its values are nested too deeply") from error


def _without_nan(data: bytes) -> bytes | None:
    """Return JSON with null for every NaN and infinity; None where it is no JSON apart from them."""
    try:
        return json.dumps(json.loads(data, parse_constant=_unknown)).encode()
    except (ValueError, RecursionError):
        return None


def _unknown(_name: str) -> None:
    """Stand for a number that is none."""
