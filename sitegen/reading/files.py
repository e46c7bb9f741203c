"""Opens files safely: plain files inside of their folder, with a limit of size for each kind.

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
"""Bytes of a file in a results folder: git hosts accept no larger one."""
LARGEST_SOURCE = 8192 * MEGABYTE
"""Bytes of a file that a runner wrote: samples of large sweeps have some gigabytes."""
LARGEST_LOG = 1024 * MEGABYTE
"""Bytes of a log, or of a file that is read into memory at once."""
_LARGEST_BY_SUFFIX = {".toml": MEGABYTE, ".yaml": MEGABYTE // 4, ".json": 16 * MEGABYTE}
"""Bytes of files that people write, and of files that take many times their size when parsed."""
_MAX_SPARSENESS = 1000
"""Size of a file above `LARGEST` over its size on the disk; more means a copy that broke off."""
_BLOCK_SIZE = 512
"""Bytes of the blocks that `st_blocks` counts."""

LARGEST_UNPACKED = 200 * MEGABYTE
"""Unpacked bytes of a gzip file."""
_MAX_RATIO = 300
"""Unpacked bytes for each packed byte; texts that repeat themselves reach about 30."""
_ALWAYS_ALLOWED_SIZE = 16 * MEGABYTE
"""Unpacked bytes that a gzip file may have at any ratio."""
_MAX_GZIP_MEMBERS = 10_000
"""Gzip members that a file may consist of."""
_STEP = MEGABYTE // 16
"""Bytes unpacked at once. When a member ends, the rest of its step is copied."""
_PADDING = re.compile(rb"\0*")
_MAX_TOML_LINES = 20_000
"""Lines of TOML that people write: its parser takes long for many short lines."""


def largest_of(path: Path) -> int:
    """Return how many bytes a file of this kind may have."""
    if path.parent.name == "releases":  # a release has some kilobytes for each row of each board
        return LARGEST
    return _LARGEST_BY_SUFFIX.get(path.suffix, LARGEST)


@contextmanager
def opened(
    path: Path, *, root: Path | None = None, largest: float | None = None
) -> Iterator[io.BufferedReader]:
    """Open a plain file as bytes.

    Args:
        path: The file.
        root: The folder below which no part of the path may be a link; the file's own by default.
        largest: Bytes that it may have, by default those of its kind; infinity to read only its
            beginning.

    Raises:
        ProblemsError: It is missing, unreadable, a link, not a plain file, or too large.
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
    """Return the problem of a file that the operating system can't open or read."""
    if error.errno == errno.ELOOP:
        return LINK_REFUSED.broken(path, None, f"{error.filename} is a symbolic link")
    return FILE_UNREADABLE.broken(path, None, f"{path.name} can't be read: {error.strerror}")


def require_size(path: Path, size: int, largest: float | None = None) -> None:
    """Check that a file of a size is not too large.

    Raises:
        ProblemsError: It has more bytes than `largest`, or than its kind may have.
    """
    limit = largest_of(path) if largest is None else largest
    if size > limit:
        sizes = f"{size / MEGABYTE:.1f} MB, more than the limit of {limit / MEGABYTE:g} MB"
        fact = f"{path.name} has {sizes}"
        fix = "remove parts that are not results, or split the file" if limit > LARGEST else None
        raise ProblemsError([FILE_TOO_LARGE.broken(path, None, fact, fix)])


def _require_no_holes(path: Path, status: os.stat_result) -> None:
    """Check that a large file is on the disk: reading holes would return zeros for minutes."""
    if status.st_size <= LARGEST:
        return
    size_on_disk = status.st_blocks * _BLOCK_SIZE
    if size_on_disk * _MAX_SPARSENESS < status.st_size:
        sizes = f"{status.st_size / MEGABYTE:,.0f} MB, of which {size_on_disk / MEGABYTE:.1f}"
        fact = f"{path.name} has {sizes} are on the disk: it was not written completely"
        raise ProblemsError([FILE_UNREADABLE.broken(path, None, fact, "copy it again")])


def packed_bytes(path: Path, root: Path | None = None) -> bytes:
    """Return a file as it is. Raises the errors of `opened`."""
    with opened(path, root=root) as file:
        size = os.fstat(file.fileno()).st_size
        return file.read(min(largest_of(path), size + 1))


def unpacked(path: Path, data: bytes) -> bytes:
    """Return the content of a file: unpacked if its name ends in `.gz`, else as it is.

    Raises:
        ProblemsError: It can't be unpacked, or is too large then.
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
        fact = f"{path.name} has more than {size} when it is unpacked"
        raise ProblemsError([FILE_TOO_LARGE.broken(path, None, fact)])
    return text


def _unpack_in_steps(data: bytes, limit: int) -> Iterator[bytes]:
    """Yield the unpacked bytes of one or more gzip members, at most `limit` of them.

    Raises:
        EOFError: It is cut off, or has too many members.
        zlib.error: It is not packed.
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
    """Check that TOML that people write has not too many lines.

    Raises:
        ProblemsError: It has more lines than the parser can read in reasonable time.
    """
    lines = text.count(b"\n")
    if lines > _MAX_TOML_LINES and path.suffix == ".toml" and largest_of(path) < LARGEST:
        fact = f"{path.name} has {lines:,} lines, which is more than {_MAX_TOML_LINES:,}"
        problem = FILE_TOO_LARGE.broken(path, None, fact, "shorten it: a list fits on one line")
        raise ProblemsError([problem])


def read_bytes(path: Path, root: Path | None = None) -> tuple[bytes | None, list[Problem]]:
    """Return the bytes of a text, unpacked if packed, and the problems; None if it has any."""
    try:
        data = unpacked(path, packed_bytes(path, root))
        require_lines(path, data)
    except ProblemsError as error:
        return None, list(error.problems)
    if data.startswith(codecs.BOM_UTF8):
        return None, [TEXT_MARKED.broken(path, 1, f"{path.name} begins with a byte order mark")]
    return data, []


def read_text(path: Path, root: Path | None = None) -> tuple[str | None, list[Problem]]:
    """Return a file as UTF-8 text, and the problems; None instead of the text if it has any."""
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
    """Return the problem of a path at which there is something else than a file."""
    return FILE_UNREADABLE.broken(path, None, f"{path.name} is {kind}", "replace it with a file")


def _open_without_links(path: Path, root: Path) -> int:
    """Return a file descriptor, after opening each folder of the path from within the one before.

    No link is followed, and a named pipe is not waited for.
    """
    descriptor = os.open(root, os.O_RDONLY | os.O_NONBLOCK)
    for name in path.relative_to(root).parts:
        folder = descriptor
        try:
            descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        finally:
            os.close(folder)
    return descriptor
