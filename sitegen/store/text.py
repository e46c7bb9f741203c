"""Reads files as UTF-8 text."""

import codecs
import gzip
import zlib
from pathlib import Path

from sitegen.errors import Problem
from sitegen.store import rules


def read_bytes(path: Path) -> tuple[bytes | None, list[Problem]]:
    """Read a file, unpacked where its name ends in `.gz`.

    Returns:
        The bytes, or None where the file can't be read; and the problems.
    """
    try:
        data = path.read_bytes()
        unpacked = gzip.decompress(data) if path.suffix == ".gz" else data
    except FileNotFoundError:
        return None, [rules.FILE_MISSING.broken(path, None, f"{path.name} is missing")]
    except IsADirectoryError:
        return None, [rules.FILE_UNREADABLE.broken(path, None, f"{path.name} is a folder", "put a file in its place")]
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        what = f"{path.name} can't be unpacked: {error}"
        return None, [rules.FILE_UNREADABLE.broken(path, None, what, "pack the file again with `gzip`")]
    except OSError as error:
        return None, [rules.FILE_UNREADABLE.broken(path, None, f"{path.name} can't be read: {error.strerror}")]
    if unpacked.startswith(codecs.BOM_UTF8):
        return None, [rules.TEXT_MARKED.broken(path, 1, f"{path.name} begins with a byte order mark")]
    return unpacked, []


def read_text(path: Path) -> tuple[str | None, list[Problem]]:
    """Read a file as UTF-8.

    Returns:
        The text, or None where the file can't be read; and the problems.
    """
    data, problems = read_bytes(path)
    if data is None:
        return None, problems
    try:
        return data.decode(), []
    except UnicodeDecodeError as error:
        return None, [utf8_problem(path, data.count(b"\n", 0, error.start) + 1, error)]


def utf8_problem(path: Path, line: int, error: UnicodeDecodeError) -> Problem:
    """Say which byte of a line is not UTF-8."""
    return rules.TEXT_NOT_UTF8.broken(path, line, f"byte 0x{error.object[error.start]:02x} is not UTF-8")
