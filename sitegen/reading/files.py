"""The one opener of files: plain ones inside of their tree, of a size that their kind has, and never a swapped one."""

import codecs
import errno
import hashlib
import io
import math
import os
import re
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from sitegen.problems import Problem, ProblemsError, Rule, mends, reasons
from sitegen.reading.shortages import is_shortage

_LOST = partial(Rule.error, unwaivable=reasons.LOST)
FILE_MISSING = _LOST(
    "FILE-MISSING",
    "Every file that the format asks for is there.",
    "add the file",
    mend=mends.CHECKSUMS,
)
LINK_REFUSED = Rule.error(
    "LINK-REFUSED",
    "Files are plain files: nothing in a folder leads elsewhere.",
    "put the file itself in the place of the link",
    unwaivable=reasons.FETCHED,
)
FILE_UNREADABLE = _LOST("FILE-UNREADABLE", "Every file can be read.", "write the file again")
FILE_TOO_LARGE = Rule.error(
    "FILE-TOO-LARGE",
    "A file has a size that its kind needs, packed and unpacked, and at most 100 MB, which is what git hosts take.",
    "keep failures in `failures.jsonl.gz`, and shorten the longest texts",
    unwaivable=reasons.FETCHED,
)
TEXT_NOT_UTF8 = _LOST("TEXT-NOT-UTF8", "Text is UTF-8.", "save the file as UTF-8")
TEXT_MARKED = Rule.error(
    "TEXT-BYTE-ORDER-MARK",
    "Text is UTF-8 without a byte order mark.",
    "save the file as UTF-8 without a byte order mark (BOM)",
    unwaivable=reasons.TIDY,
    mend=mends.MARKS,
)

MEGABYTE = 1024 * 1024
LARGEST = 100 * MEGABYTE
"""So much is read of a file: git hosts take no larger one."""
LARGEST_SOURCE = 8192 * MEGABYTE
"""So much is read of a file that a runner wrote: samples of large sweeps have some GB."""
LARGEST_LOG = 1024 * MEGABYTE
"""So much of a log, or of what is read as a whole."""
_HOLES = 1000
"""A file above `LARGEST` of which less than this part is on the disk is empty, as a copy is that was broken off."""
_BLOCK = 512
"""Bytes of the blocks that the system counts."""
_BY_SUFFIX = {".toml": MEGABYTE, ".yaml": MEGABYTE // 4, ".json": 16 * MEGABYTE}
"""So much of what people write, and of what takes many times its size when it is parsed."""

LARGEST_UNPACKED = 200 * MEGABYTE
"""So much is unpacked of a file."""
_RATIO, _FREE = 300, 16 * MEGABYTE
"""Beyond the second, a file may unpack to so many times its size: texts that repeat themselves do to 30 times."""
_PARTS, _STEP = 10_000, MEGABYTE // 16
"""So many gzip files in a row make up a packed one, and so many bytes are unpacked at once: each that ends has the rest
of its step copied."""
_PADDING = re.compile(rb"\0*")
_LINES = 20_000
"""So many lines has TOML that people write; it is slower to read than it is long, and the slowest has short lines."""


def largest_of(path: Path) -> int:
    """How many bytes are read of a file of its kind."""
    is_release = path.parent.name == "releases"  # it has some KB for each row of each board
    return LARGEST if is_release else _BY_SUFFIX.get(path.suffix, LARGEST)


@contextmanager
def opened(
    path: Path, *, root: Path | None = None, largest: float | None = None
) -> Iterator[io.BufferedReader]:
    """Open a plain file as bytes; a ProblemsError where it is none or too large. None can take its place later."""
    try:
        with open(path, "rb", opener=lambda *_: _descriptor(path, root or path.parent)) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise ProblemsError([_misplaced(path, "no plain file")])
            require_size(path, status.st_size, largest)
            if largest != math.inf:  # else its head is all that is read
                _require_no_holes(path, status)
            yield file
    except FileNotFoundError as error:
        raise ProblemsError([FILE_MISSING.broken(path, None, f"{path.name} is missing")]) from error
    except IsADirectoryError as error:
        raise ProblemsError([_misplaced(path, "a folder")]) from error
    except OSError as error:
        if is_shortage(error):
            raise
        what = f"{path.name} can't be read: {error.strerror}"
        problem = FILE_UNREADABLE.broken(path, None, what)
        if error.errno == errno.ELOOP:
            problem = LINK_REFUSED.broken(path, None, f"{error.filename} is a symbolic link")
        raise ProblemsError([problem]) from error


def require_size(path: Path, size: int, largest: float | None = None) -> None:
    """Refuse a file of more bytes than are read of its kind with a ProblemsError."""
    most = largest_of(path) if largest is None else largest
    if size > most:
        what = f"{path.name} has {size / MEGABYTE:.1f} MB, which is more than {most / MEGABYTE:g}"
        fix = "leave out what holds no results, or split the file" if most > LARGEST else None
        raise ProblemsError([FILE_TOO_LARGE.broken(path, None, what, fix)])


def _require_no_holes(path: Path, status: os.stat_result) -> None:
    """Refuse a large file that is all but empty on the disk: reading it would yield zeros for minutes."""
    on_disk = status.st_blocks * _BLOCK
    if status.st_size > LARGEST and on_disk * _HOLES < status.st_size:
        what = f"{path.name} has {status.st_size / MEGABYTE:,.0f} MB, of which {on_disk / MEGABYTE:.1f} are on the disk"
        raise ProblemsError(
            [
                FILE_UNREADABLE.broken(
                    path, None, f"{what}: it was not written whole", "copy it again"
                )
            ]
        )


def packed_bytes(path: Path, root: Path | None = None) -> bytes:
    """Read a file as it is. Raises what `opened` does."""
    with opened(path, root=root) as file:
        return file.read(min(largest_of(path), os.fstat(file.fileno()).st_size + 1))


def unpacked(path: Path, data: bytes) -> bytes:
    """What a file holds, unpacked where its name ends in `.gz`; a ProblemsError where that fails or is too much."""
    if path.suffix != ".gz":
        return data
    most = min(LARGEST_UNPACKED, max(_FREE, _RATIO * len(data)))
    try:
        text = b"".join(_parts(data, most + 1))
    except (EOFError, zlib.error) as error:
        what = f"{path.name} can't be unpacked: {error}"
        problem = FILE_UNREADABLE.broken(path, None, what, "pack the file again with `gzip`")
        raise ProblemsError([problem]) from error
    if len(text) > most:
        told = f"{most // MEGABYTE} MB" if most == LARGEST_UNPACKED else f"{_RATIO} times its size"
        what = f"{path.name} has more than {told} when it is unpacked"
        raise ProblemsError([FILE_TOO_LARGE.broken(path, None, what)])
    return text


def _parts(data: bytes, most: int) -> Iterator[bytes]:
    """Unpack in steps, each of which takes no longer than its bytes do, until there is so much or nothing is left.

    Raises:
        EOFError: It is cut off, or is made of more gzip files than one is.
        zlib.error: It is not packed.
    """
    place, parts, part = 0, 0, None
    while most > 0 and place < len(data):
        if part is None:
            parts += 1
            if parts > _PARTS:
                raise EOFError(f"it is made of more than {_PARTS:,} packed files")
            part = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        step = data[place : place + _STEP]
        found = part.decompress(step, most)
        place += len(step) - len(part.unused_data)
        most -= len(found)
        yield found
        if part.eof:
            part, padding = None, _PADDING.match(data, place)
            place = padding.end() if padding else place
    if part is not None and most > 0:
        raise EOFError("it ends before its end is marked")


def require_lines(path: Path, text: bytes) -> None:
    """Refuse TOML of more lines than are read of what people write with a ProblemsError."""
    lines = text.count(b"\n")
    if lines > _LINES and path.suffix == ".toml" and largest_of(path) < LARGEST:
        what = f"{path.name} has {lines:,} lines, which is more than {_LINES:,}"
        raise ProblemsError(
            [FILE_TOO_LARGE.broken(path, None, what, "shorten it: lists fit on one line")]
        )


def read_bytes(path: Path, root: Path | None = None) -> tuple[bytes | None, list[Problem]]:
    """The bytes of a text, unpacked where the name ends in `.gz`, None where they can't be read; and the problems."""
    try:
        data = unpacked(path, packed_bytes(path, root))
        require_lines(path, data)
    except ProblemsError as error:
        return None, list(error.problems)
    if data.startswith(codecs.BOM_UTF8):
        return None, [TEXT_MARKED.broken(path, 1, f"{path.name} begins with a byte order mark")]
    return data, []


def read_text(path: Path, root: Path | None = None) -> tuple[str | None, list[Problem]]:
    """A file as UTF-8, None where it can't be read; and the problems."""
    data, problems = read_bytes(path, root)
    if data is None:
        return None, problems
    try:
        return data.decode(), []
    except UnicodeDecodeError as error:
        return None, [utf8_problem(path, data.count(b"\n", 0, error.start) + 1, error)]


def read_head(path: Path, size: int) -> bytes | None:
    """Read the first bytes of a file of any size; None where it can't be read."""
    try:
        with opened(path, largest=math.inf) as file:
            return file.read(size)
    except ProblemsError:
        return None


def sha256_of(path: Path) -> str:
    """Hash a file. Raises what `opened` does."""
    with opened(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def utf8_problem(path: Path, line: int, error: UnicodeDecodeError) -> Problem:
    """Which byte of a line is not UTF-8."""
    return TEXT_NOT_UTF8.broken(path, line, f"byte 0x{error.object[error.start]:02x} is not UTF-8")


def _misplaced(path: Path, kind: str) -> Problem:
    return FILE_UNREADABLE.broken(path, None, f"{path.name} is {kind}", "put a file in its place")


def _descriptor(path: Path, root: Path) -> int:
    """Open each part of a path in the one before it, without following it and without waiting for who writes to it."""
    number = os.open(root, os.O_RDONLY | os.O_NONBLOCK)
    for part in path.relative_to(root).parts:
        folder = number
        try:
            number = os.open(part, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        finally:
            os.close(folder)
    return number
