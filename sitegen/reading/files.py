"""Open files safely: regular files inside their folder, with a size limit for each kind.

`opened` is the only place where the program opens a file that somebody else wrote. It follows no
links, and nothing can replace the file while it is read.
"""

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
    "A file that the format requires is missing.",
    "add the file",
    mend=mends.CHECKSUMS,
)
LINK_REFUSED = Rule.error(
    "LINK-REFUSED",
    "A file is a link.",
    "replace the link with the file itself",
    unwaivable=reasons.FETCHED,
)
FILE_UNREADABLE = _LOST("FILE-UNREADABLE", "A file can't be read.", "write the file again")
FILE_TOO_LARGE = Rule.error(
    "FILE-TOO-LARGE",
    "A file is too large for its kind, packed or unpacked, or larger than 100 MB, the limit of "
    "git hosts.",
    "keep failures in `failures.jsonl.gz`, and shorten the longest texts",
    unwaivable=reasons.FETCHED,
)
TEXT_NOT_UTF8 = _LOST("TEXT-NOT-UTF8", "A text file is not UTF-8.", "save the file as UTF-8")
TEXT_MARKED = Rule.error(
    "TEXT-BYTE-ORDER-MARK",
    "A text file begins with a byte order mark.",
    "save the file as UTF-8 without a byte order mark (BOM)",
    unwaivable=reasons.TIDY,
    mend=mends.MARKS,
)

MEGABYTE = 1024 * 1024
LARGEST = 100 * MEGABYTE
"""Maximum size of a file in a results folder, in bytes; git hosts accept no larger file."""
LARGEST_SOURCE = 8192 * MEGABYTE
"""Maximum size of a runner's file, in bytes; samples of large sweeps take several gigabytes."""
LARGEST_LOG = 1024 * MEGABYTE
"""Maximum size of a log, or of a file that is read into memory at once, in bytes."""
_LARGEST_BY_SUFFIX = {".toml": MEGABYTE, ".yaml": MEGABYTE // 4, ".json": 16 * MEGABYTE}
"""Size limits in bytes, by suffix, of files that people write or that need much memory."""
_MAX_SPARSENESS = 1000
"""Maximum ratio of apparent to allocated size above `LARGEST`; larger ratios are broken copies."""
_BLOCK_SIZE = 512
"""Bytes in the blocks that `st_blocks` counts."""

LARGEST_UNPACKED = 200 * MEGABYTE
"""Maximum unpacked size of a gzip file, in bytes."""
_MAX_RATIO = 300
"""Maximum ratio of unpacked to packed bytes; repetitive text reaches about 30."""
_ALWAYS_ALLOWED_SIZE = 16 * MEGABYTE
"""Unpacked size up to which a gzip file may have any compression ratio, in bytes."""
_MAX_GZIP_MEMBERS = 10_000
"""Maximum number of gzip members in a file."""
_STEP = MEGABYTE // 16
"""Bytes unpacked at a time. When a member ends, the rest of the step is copied."""
_PADDING = re.compile(rb"\0*")
_MAX_TOML_LINES = 20_000
"""Maximum number of lines in a handwritten TOML file; the parser is slow on many short lines."""


def largest_of(path: Path) -> int:
    """Return the largest size allowed for this kind of file, in bytes."""
    if path.parent.name == "releases":  # a release has some kilobytes for each row of each board
        return LARGEST
    return _LARGEST_BY_SUFFIX.get(path.suffix, LARGEST)


@contextmanager
def opened(
    path: Path, *, root: Path | None = None, largest: float | None = None
) -> Iterator[io.BufferedReader]:
    """Open a regular file for reading bytes.

    Args:
        path: The file.
        root: No part of the path below this folder may be a link; by default, the file's folder.
        largest: Largest size in bytes, by default the limit for this kind of file; infinity to
            read only the beginning of the file.

    Raises:
        ProblemsError: The file is missing, unreadable, a link, not a regular file, or too large.
    """

    def open_below_root(_path: str, _flags: int) -> int:
        return _open_without_links(path, root or path.parent)

    try:
        with open(path, "rb", opener=open_below_root) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise ProblemsError([_not_a_file(path, "not a plain file")])
            require_size(path, status.st_size, largest)
            if largest != math.inf:
                _require_no_holes(path, status)
            yield file
    except FileNotFoundError as error:
        raise ProblemsError([FILE_MISSING.broken(path, None, f"{path.name} is missing")]) from error
    except IsADirectoryError as error:
        raise ProblemsError([_not_a_file(path, "a folder")]) from error
    except OSError as error:
        if is_shortage(error):
            raise
        raise ProblemsError([_open_problem(path, error)]) from error


def _open_problem(path: Path, error: OSError) -> Problem:
    """Return the problem of a file that the operating system fails to open or read."""
    if error.errno == errno.ELOOP:
        return LINK_REFUSED.broken(path, None, f"{error.filename} is a symbolic link")
    return FILE_UNREADABLE.broken(path, None, f"{path.name} can't be read: {error.strerror}")


def require_size(path: Path, size: int, largest: float | None = None) -> None:
    """Check that a file's size is within the limit.

    Raises:
        ProblemsError: The size exceeds `largest`, or the limit for this kind of file.
    """
    limit = largest_of(path) if largest is None else largest
    if size > limit:
        sizes = f"{size / MEGABYTE:.1f} MB, more than the limit of {limit / MEGABYTE:g} MB"
        fact = f"{path.name} is {sizes}"
        fix = "remove parts that are not results, or split the file" if limit > LARGEST else None
        raise ProblemsError([FILE_TOO_LARGE.broken(path, None, fact, fix)])


def _require_no_holes(path: Path, status: os.stat_result) -> None:
    """Check that a large file is allocated on disk; reading holes would yield zeros for minutes."""
    if status.st_size <= LARGEST:
        return
    size_on_disk = status.st_blocks * _BLOCK_SIZE
    if size_on_disk * _MAX_SPARSENESS < status.st_size:
        size = f"{status.st_size / MEGABYTE:,.0f} MB"
        stored = f"only {size_on_disk / MEGABYTE:.1f} MB is on disk"
        fact = f"{path.name} is {size}, of which {stored}: it was not written completely"
        raise ProblemsError([FILE_UNREADABLE.broken(path, None, fact, "copy it again")])


def packed_bytes(path: Path, root: Path | None = None) -> bytes:
    """Return a file's bytes as stored. Raises the errors of `opened`."""
    with opened(path, root=root) as file:
        size = os.fstat(file.fileno()).st_size
        return file.read(min(largest_of(path), size + 1))


def unpacked(path: Path, data: bytes) -> bytes:
    """Return the content of a file, unpacked if its name ends in `.gz`.

    Raises:
        ProblemsError: The data can't be unpacked, or is too large when unpacked.
    """
    if path.suffix != ".gz":
        return data
    limit = min(LARGEST_UNPACKED, max(_ALWAYS_ALLOWED_SIZE, _MAX_RATIO * len(data)))
    try:
        text = b"".join(_unpack_in_steps(data, limit + 1))
    except (EOFError, zlib.error) as error:
        fact = f"{path.name} can't be unpacked: {error}"
        problem = FILE_UNREADABLE.broken(path, None, fact, "pack the file again with `gzip`")
        raise ProblemsError([problem]) from error
    if len(text) > limit:
        size = f"{_MAX_RATIO} times its size"
        if limit == LARGEST_UNPACKED:
            size = f"{limit // MEGABYTE} MB"
        fact = f"{path.name} is more than {size} when unpacked"
        raise ProblemsError([FILE_TOO_LARGE.broken(path, None, fact)])
    return text


def _unpack_in_steps(data: bytes, limit: int) -> Iterator[bytes]:
    """Yield the unpacked bytes of one or more gzip members, at most `limit` bytes in total.

    Raises:
        EOFError: The data is cut off, or has too many members.
        zlib.error: The data is not gzip.
    """
    position = 0
    members = 0
    unpacker = None
    while limit > 0 and position < len(data):
        if unpacker is None:
            members += 1
            if members > _MAX_GZIP_MEMBERS:
                raise EOFError(f"it consists of more than {_MAX_GZIP_MEMBERS:,} packed files")
            unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        step = data[position : position + _STEP]
        text = unpacker.decompress(step, limit)
        position += len(step) - len(unpacker.unused_data)
        limit -= len(text)
        yield text
        if unpacker.eof:
            unpacker = None
            padding = _PADDING.match(data, position)
            position = padding.end() if padding else position
    if unpacker is not None and limit > 0:
        raise EOFError("it ends before its end marker")


def require_lines(path: Path, text: bytes) -> None:
    """Check that a TOML file that people write does not have too many lines.

    Raises:
        ProblemsError: The text has more lines than the parser can read in reasonable time.
    """
    lines = text.count(b"\n")
    if lines > _MAX_TOML_LINES and path.suffix == ".toml" and largest_of(path) < LARGEST:
        fact = f"{path.name} has {lines:,} lines, which is more than {_MAX_TOML_LINES:,}"
        problem = FILE_TOO_LARGE.broken(path, None, fact, "shorten it: a list fits on one line")
        raise ProblemsError([problem])


def read_bytes(path: Path, root: Path | None = None) -> tuple[bytes | None, list[Problem]]:
    """Return a file's bytes, unpacked if packed, and no problems; or None and the problems."""
    try:
        data = unpacked(path, packed_bytes(path, root))
        require_lines(path, data)
    except ProblemsError as error:
        return None, list(error.problems)
    if data.startswith(codecs.BOM_UTF8):
        return None, [TEXT_MARKED.broken(path, 1, f"{path.name} begins with a byte order mark")]
    return data, []


def read_text(path: Path, root: Path | None = None) -> tuple[str | None, list[Problem]]:
    """Return a file as UTF-8 text, and no problems; or None and the problems."""
    data, problems = read_bytes(path, root)
    if data is None:
        return None, problems
    try:
        return data.decode(), []
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return None, [utf8_problem(path, line, error)]


def read_head(path: Path, size: int) -> bytes | None:
    """Return the first bytes of a file of any size; None if it can't be read."""
    try:
        with opened(path, largest=math.inf) as file:
            return file.read(size)
    except ProblemsError:
        return None


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file. Raises the errors of `opened`."""
    with opened(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def utf8_problem(path: Path, line: int, error: UnicodeDecodeError) -> Problem:
    """Return the problem of a line with a byte that is not UTF-8."""
    return TEXT_NOT_UTF8.broken(path, line, f"byte 0x{error.object[error.start]:02x} is not UTF-8")


def _not_a_file(path: Path, kind: str) -> Problem:
    """Return the problem of a path that is not a regular file."""
    return FILE_UNREADABLE.broken(path, None, f"{path.name} is {kind}", "replace it with a file")


def _open_without_links(path: Path, root: Path) -> int:
    """Open a file folder by folder from its root, and return its descriptor.

    No link is followed, and the call does not block on a named pipe.
    """
    descriptor = os.open(root, os.O_RDONLY | os.O_NONBLOCK)
    for name in path.relative_to(root).parts:
        folder = descriptor
        try:
            descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        finally:
            os.close(folder)
    return descriptor
