"""Read files of any size as streams: unpack them, decode them, and split them into rows of cells.

`text_format` finds the encoding of a file, `opened_text` opens it, and `DelimitedRows` splits it.
"""

import codecs
import csv
import gzip
import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TextIO

from sitegen.problems import SitegenError
from sitegen.reading.files import LARGEST_SOURCE, opened

_GZIP = b"\x1f\x8b"
_STEP = 1024 * 1024
_HEAD_LENGTH = 64 * 1024
"""Number of characters that `TextFormat` keeps from the beginning of a text."""

MAX_CELL_LENGTH = 16 * 1024 * 1024
"""Maximum number of characters in a cell."""

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is its beginning
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_MIN_UTF16_ZERO_SHARE = 0.3
"""Minimum share of zero bytes in UTF-16 text of mostly Western letters."""

_LINE_BREAK = re.compile(r"\r\n|\r|\n")


class CutOffError(SitegenError):
    """Raised when a file ends before its contents do."""


class NotTextError(SitegenError):
    """Raised when a file that should be text is not."""


class RowError(SitegenError):
    """Raised when the rest of a text can't be split into rows of cells; carries the line."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


@contextmanager
def opened_stream(path: Path) -> Iterator[io.BufferedReader | gzip.GzipFile]:
    """Open a file of any size as bytes, unpacked if it is packed with gzip, regardless of its name.

    Raises:
        ProblemsError: The file is not a regular file, or can't be opened.
        CutOffError: The packed data ends early; raised during reading.
        NotTextError: The packed data is damaged; raised during reading.
    """
    with opened(path, largest=LARGEST_SOURCE) as file:
        if file.peek(2)[:2] != _GZIP:
            yield file
            return
        with gzip.GzipFile(fileobj=file) as unpacked:
            try:
                yield unpacked
            except EOFError as error:
                raise CutOffError(
                    f"{path.name} is cut off: its packed contents are incomplete"
                ) from error
            except (gzip.BadGzipFile, zlib.error) as error:
                raise NotTextError(f"{path.name} can't be unpacked: {error}") from error


def unpacked_head(path: Path, size: int) -> bytes:
    """Return the first bytes of a file, unpacked as far as possible."""
    data = b""
    try:
        with opened_stream(path) as file:
            while step := file.read(min(_HEAD_LENGTH, size - len(data))):
                data += step
    except (CutOffError, NotTextError):
        pass
    return data


class TextFormat(NamedTuple):
    """The encoding of a text, and facts found while decoding it."""

    encoding: str
    """Name of the codec that decodes the text and drops a byte order mark."""
    head: str
    """The beginning of the text."""
    ends_with_line_break: bool
    is_guessed: bool = False
    """Whether the encoding is only the most likely one."""
    is_cut: bool = False
    """Whether the text ends in the middle of a character."""


def text_format(path: Path) -> TextFormat:
    """Return the encoding of a text: from its byte order mark, else UTF-8, UTF-16 or Windows-1252.

    Raises:
        NotTextError: The file contains bytes that no text has.
        CutOffError: The file is packed and ends early.
        ProblemsError: The file can't be opened.
    """
    encoding = _marked_encoding(path)
    if encoding is not None:
        try:
            return _decoded(path, encoding)
        except UnicodeDecodeError as error:
            raise NotTextError(
                f"{path.name} is marked as UTF-8, but has bytes that are not UTF-8"
            ) from error
    try:
        utf8_format = _decoded(path, "utf-8")
    except UnicodeDecodeError:
        return _decoded_as_western(path)
    if utf8_format.is_cut and utf8_format.head.isascii():
        # Only its last letter is not UTF-8, so the text has another encoding.
        return _decoded_as_western(path)
    return utf8_format


@contextmanager
def opened_text(path: Path, encoding: str) -> Iterator[TextIO]:
    """Open a text with its line breaks unchanged. Raises the errors of `opened_stream`."""
    with opened_stream(path) as file:
        stream = io.TextIOWrapper(file, encoding=encoding, errors="replace", newline="")
        yield stream
        stream.detach()


def _marked_encoding(path: Path) -> str | None:
    """Return the encoding that the first bytes of a file show; None if they could be UTF-8.

    Raises:
        NotTextError: The file has zero bytes and is not UTF-16.
    """
    head = unpacked_head(path, 4096)
    for mark, encoding in _BYTE_ORDER_MARKS:
        if head.startswith(mark):
            return encoding
    even_zeros = head[::2].count(0)
    odd_zeros = head[1::2].count(0)
    if not even_zeros and not odd_zeros:
        return None
    has_both = even_zeros and odd_zeros
    if not has_both and even_zeros + odd_zeros >= _MIN_UTF16_ZERO_SHARE * len(head):
        return "utf-16-le" if odd_zeros else "utf-16-be"
    raise NotTextError(f"{path.name} has zero bytes, which text never has")


def _decoded_as_western(path: Path) -> TextFormat:
    """Return the format of a text that is not UTF-8."""
    try:
        return _decoded(path, "cp1252")._replace(is_guessed=True)
    except UnicodeDecodeError:
        return _decoded(path, "latin-1")._replace(is_guessed=True)


def _decoded(path: Path, encoding: str) -> TextFormat:
    """Decode a text to its end, and return its format.

    Raises:
        UnicodeDecodeError: The bytes do not fit the encoding. This is not raised for UTF-16 and
            UTF-32, which are identified by their first bytes.
    """
    is_strict = encoding not in {"utf-16", "utf-32", "utf-16-le", "utf-16-be"}
    decoder = codecs.getincrementaldecoder(encoding)("strict" if is_strict else "replace")
    head = last = ""
    is_cut = False
    with opened_stream(path) as file:
        while step := file.read(_STEP):
            text = decoder.decode(step)
            last = text[-1:] or last
            if len(head) < _HEAD_LENGTH:
                head = (head + text)[:_HEAD_LENGTH]
        try:
            is_cut = bool(decoder.decode(b"", final=True))
        except UnicodeDecodeError:
            is_cut = True
    return TextFormat(encoding, head, last in {"\n", "\r"}, is_cut=is_cut)


class Dialect(NamedTuple):
    """The syntax of delimited text."""

    delimiter: str
    has_escapes: bool = False
    """Whether a quote inside quotes is written as `\\"` instead of as two quotes."""


@dataclass(slots=True)
class DelimitedRows:
    """The rows of cells in a text, read in batches."""

    stream: TextIO
    dialect: Dialect
    is_ended: bool = False
    last_line: int = 0
    """Number of the last line read."""
    _reader: Any = field(init=False)

    def __post_init__(self) -> None:
        self._reader = csv.reader(
            self.stream,
            delimiter=self.dialect.delimiter,
            doublequote=not self.dialect.has_escapes,
            escapechar="\\" if self.dialect.has_escapes else None,
            strict=True,
        )

    def take(self, size: int) -> list[list[str]]:
        """Return up to `size` further rows, fewer at the end; a blank line is a row without cells.

        Raises:
            RowError: A quote is not closed, or text follows a closing quote.
        """
        # The library has one limit for all of its readers, so the earlier limit is restored.
        earlier_limit = csv.field_size_limit(MAX_CELL_LENGTH)
        try:
            rows = list(islice(self._reader, size))
        except csv.Error as error:
            raise RowError(self._reader.line_num, str(error)) from error
        finally:
            csv.field_size_limit(earlier_limit)
            self.last_line = self._reader.line_num
        self.is_ended = len(rows) < size
        return rows


def line_numbers(rows: Sequence[Sequence[str]], first: int, last: int) -> list[int]:
    """Return the number of the line on which each row starts.

    Args:
        rows: Consecutive rows.
        first: Number of the line on which the first row starts.
        last: Number of the line on which the last row ends.
    """
    if last - first + 1 == len(rows):
        return list(range(first, last + 1))
    numbers = []
    line = first
    for row in rows:
        numbers.append(line)
        breaks = [len(_LINE_BREAK.findall(cell)) for cell in row]
        line += 1 + sum(breaks)
    return numbers


def first_rows(text: str, dialect: Dialect, size: int) -> tuple[list[list[str]], bool]:
    """Return the first rows of a text, and whether all of them could be read."""
    reader = DelimitedRows(io.StringIO(text, newline=""), dialect)
    rows: list[list[str]] = []
    try:
        while len(rows) < size and not reader.is_ended:
            rows += reader.take(1)
    except RowError:
        return rows, False
    return rows, True


def has_zip_directory(file: BinaryIO) -> bool:
    """Return whether a zip archive has its member directory, which is at the end of the file."""
    return zipfile.is_zipfile(file)
