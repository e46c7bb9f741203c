"""Reads files as UTF-8 text: plain files only, and none beyond the size that is asked for."""

import codecs
import gzip
import io
import stat
import zlib
from pathlib import Path

from sitegen.errors import Problem
from sitegen.store import rules, structure_rules

MEGABYTE = 1024 * 1024
LARGEST = 100 * MEGABYTE
"""So much is read of a file: git hosts take no larger one."""
LARGEST_TOML = MEGABYTE
"""So much is read of a file that people write."""
LARGEST_UNPACKED = 200 * MEGABYTE
"""So much is unpacked of a file: a few bytes can unpack to any number of them."""


def read_bytes(path: Path) -> tuple[bytes | None, list[Problem]]:
    """Read a file, unpacked where its name ends in `.gz`.

    Returns:
        The bytes, or None where the file can't be read or may not be; and the problems.
    """
    problem = refusal(path)
    if problem:
        return None, [problem]
    try:
        data = path.read_bytes()
        unpacked = unpacked_of(data) if path.suffix == ".gz" else data
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        what = f"{path.name} can't be unpacked: {error}"
        return None, [rules.FILE_UNREADABLE.broken(path, None, what, "pack the file again with `gzip`")]
    except OSError as error:
        return None, [_unreadable(path, error)]
    if len(unpacked) > LARGEST_UNPACKED:
        what = f"{path.name} has more than {LARGEST_UNPACKED // MEGABYTE} MB when it is unpacked"
        return None, [structure_rules.FILE_TOO_LARGE.broken(path, None, what)]
    if unpacked.startswith(codecs.BOM_UTF8):
        return None, [rules.TEXT_MARKED.broken(path, 1, f"{path.name} begins with a byte order mark")]
    return unpacked, []


def refusal(path: Path) -> Problem | None:
    """Say why a file may not be read, before anything of it is; None where it may."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return rules.FILE_MISSING.broken(path, None, f"{path.name} is missing")
    except OSError as error:
        return _unreadable(path, error)
    if stat.S_ISLNK(status.st_mode):
        return rules.LINK_REFUSED.broken(path, None, f"{path.name} is a symbolic link")
    if not stat.S_ISREG(status.st_mode):
        kind = "a folder" if stat.S_ISDIR(status.st_mode) else "no plain file"
        return rules.FILE_UNREADABLE.broken(path, None, f"{path.name} is {kind}", "put a file in its place")
    largest = LARGEST_TOML if path.suffix == ".toml" else LARGEST
    if status.st_size > largest:
        what = f"{path.name} has {status.st_size / MEGABYTE:.1f} MB, which is more than {largest // MEGABYTE}"
        return structure_rules.FILE_TOO_LARGE.broken(path, None, what)
    return None


def unpacked_of(data: bytes) -> bytes:
    """Unpack no more than it takes to see that it is too much."""
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
        return file.read(LARGEST_UNPACKED + 1)


def _unreadable(path: Path, error: OSError) -> Problem:
    return rules.FILE_UNREADABLE.broken(path, None, f"{path.name} can't be read: {error.strerror}")


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
