"""The lines that a verifier prints: one CASE_RESULT a case and one CASE_SUMMARY a round, between anything else."""

import io
import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from math import inf
from pathlib import Path

from sitegen.reading.files import opened

RESULT, SUMMARY = "CASE_RESULT", "CASE_SUMMARY"

TEXTS = ("intent", "scenario", "input", "expected", "actual", "failure_reason")
"""The fields in quotes, in the order that they are printed in. No escape is known: a quote in them is a quote."""

LARGEST = 64 * 1024 * 1024
"""Bytes of cases that are taken of a log. The rest of a log may be of any size: it is not held."""

MOST = 50_000
"""Cases that are taken of a log."""

_SUMMARIES = 20
"""Different summaries that are taken of a log."""

_BLOCK = 256 * 1024
"""Bytes that are read at once; a line that is longer comes in several pieces."""

_WORTH_READING = (b"CASE_", b"FAIL:", b"Build failed", b"not found", b"error:")
"""What a block holds that has anything to tell: by far the most of a large log has not."""

_LONGEST = 1024 * 1024
"""Bytes that a case's line and what follows it are read up to in search of its end."""

_MARKS = (b"CASE_RESULT", b"CASE_SUMMARY")
_LAST_TEXT = b'failure_reason="'
_HEAD = re.compile(rf"{RESULT}((?:\s++\w++=[^\s\"]*+(?![\"]))*)")
_TOKEN = re.compile(r"(\w+)=(\S+)")
_OPENING = re.compile(rf"\s({'|'.join(TEXTS)})=\"")
_BOUNDARY = re.compile(rf"\"\s+({'|'.join(TEXTS)})=\"")
_NUMBER = re.compile(r"\b(total_cases|success_count|fail_count)=(\d{1,9})\b")
_SIGNS = (b"Build failed", b"not found", b"error:")
"""What stands in lines that may say why no case ran."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a verifier says a round's cases come to."""

    total: int
    passed: int
    failed: int


@dataclass(slots=True)
class Log:
    """What a verifier's log tells.

    Attributes:
        results: The fields of each case by their names, in the order of the log.
        summaries: Those that differ, in the order of the log.
        broken: Lines that begin like a case or a summary and can't be read.
        early: The line that says why no case ran, where there is one.
        excess: Whether the log has more case lines than are taken.
    """

    results: list[Mapping[str, str]] = field(default_factory=list)
    summaries: list[Summary] = field(default_factory=list)
    broken: int = 0
    early: str | None = None
    excess: bool = False

    def add(self, record: str) -> None:
        """Take a line that begins like a case or a summary."""
        if record.startswith(SUMMARY):
            counts = {name: int(number) for name, number in _NUMBER.findall(record)}
            if len(counts) < 3:  # noqa: PLR2004 - the three that a summary has
                self.broken += 1
                return
            summary = Summary(counts["total_cases"], counts["success_count"], counts["fail_count"])
            if summary not in self.summaries[:_SUMMARIES]:
                self.summaries = [*self.summaries[: _SUMMARIES - 1], summary]
        else:
            fields = fields_of(record)
            if "status" in fields and "case_id" in fields:
                self.results.append(fields)
            else:
                self.broken += 1


def read_log(path: Path) -> Log:
    """Read a verifier's log, whatever its size.

    Lines count where they begin with their mark: what stands further right was printed by something else.

    Raises:
        ProblemsError: The file can't be read.
    """
    reader = _Reader()
    with opened(path, largest=inf) as file:
        while block := file.read(_BLOCK):
            block += file.readline(_BLOCK)
            has_lines = reader.record.is_open or any(word in block for word in _WORTH_READING)
            for piece in io.BytesIO(block) if has_lines else (block,):
                reader.take(piece)
    reader.record.end(reader.log)
    reader.log.early = reader.log.early or _text(reader.sign).strip() or None
    return reader.log


@dataclass(slots=True)
class _Record:
    """A line that begins with a mark, and what follows it until it ends: texts may hold line breaks and quotes.

    A case ends with the quote that closes its last text. Quotes inside of texts come in pairs as a rule, so the
    first closing quote that leaves pairs is taken; where there is none before the next mark, the first of all.
    """

    pieces: list[bytes] | None = None
    """What was read of it; None once it has ended."""
    quotes: int | None = None
    """Quotes in its last text so far; None where that has not begun."""
    likely: int | None = None
    """Pieces up to the first place where it may end."""
    size: int = 0

    @property
    def is_open(self) -> bool:
        """Whether what follows may belong to it."""
        return self.pieces is not None

    def add(self, piece: bytes, log: Log) -> None:
        """Take a piece, and the record with it where it ends there."""
        if self.pieces is None:
            return
        self.pieces.append(piece)
        self.size += len(piece)
        is_line = piece.endswith(b"\n")
        bare = is_line and len(self.pieces) == 1 and (b'="' not in piece or piece.startswith(b"CASE_SUMMARY"))
        if bare or self._ends_with(piece, is_line=is_line) or self.size > _LONGEST:
            self.end(log)

    def _ends_with(self, piece: bytes, *, is_line: bool) -> bool:
        inside = self._of_last_text(piece)
        if inside is None:
            return False
        self.quotes = (self.quotes or 0) + inside.count(b'"')
        may_end = is_line and inside.rstrip().endswith(b'"')
        self.likely = self.likely or (len(self.pieces or ()) if may_end else None)
        return may_end and self.quotes % 2 == 1

    def _of_last_text(self, piece: bytes) -> bytes | None:
        """Give what of a piece belongs to the last text; None where that has not begun."""
        if self.quotes is not None:
            return piece
        _, begins, inside = piece.rpartition(_LAST_TEXT)
        return inside if begins else None

    def end(self, log: Log) -> None:
        """Take the record as far as it goes."""
        if self.pieces is None:
            return
        whole = _text(b"".join(self.pieces)).rstrip()
        paired = self.quotes is not None and self.quotes % 2 == 1 and whole.endswith('"')
        if self.likely and not paired:
            whole = _text(b"".join(self.pieces[: self.likely])).rstrip()
        first = whole.partition("\n")[0].rstrip()
        log.add(first if self.quotes is None and first.endswith('"') else whole)
        self.pieces = None


@dataclass(slots=True)
class _Reader:
    """Takes the pieces of a log: its lines, and blocks of it that have nothing to tell."""

    log: Log = field(default_factory=Log)
    record: _Record = field(default_factory=_Record)
    taken: int = 0
    """Bytes of records so far."""
    sign: bytes = b""
    """The last line that sounds like an error."""
    at_start: bool = True
    """Whether the next piece begins a line."""

    def take(self, piece: bytes) -> None:
        """Take a piece."""
        if self.at_start and piece.startswith(_MARKS):
            self._begin(is_case=piece.startswith(b"CASE_RESULT"))
        if self.record.is_open:
            self.taken += len(piece)
            self.record.add(piece, self.log)
        else:
            self._notice(piece)
        self.at_start = piece.endswith(b"\n")

    def _begin(self, *, is_case: bool) -> None:
        """Begin a record. Once there are too many cases, only what they come to is taken: it stands at the end."""
        self.record.end(self.log)
        self.log.excess |= self.taken > LARGEST or len(self.log.results) >= MOST
        self.record = _Record(None if is_case and self.log.excess else [])

    def _notice(self, piece: bytes) -> None:
        """See whether a line says why no case ran."""
        if self.at_start and self.log.early is None and piece.startswith(b"FAIL:"):
            self.log.early = _text(piece).strip()
        elif any(word in piece for word in _SIGNS):
            self.sign = piece


def fields_of(record: str) -> dict[str, str]:
    """Tell the fields of a case's line by their names.

    A text goes up to the quote that is followed by the name of another field; the last one goes up to
    the record's last quote.
    """
    head = _HEAD.match(record)
    fields = dict(_TOKEN.findall(head[1])) if head else {}
    opening = _OPENING.search(record, head.end() if head else 0)
    while opening:
        name, start = opening[1], opening.end()
        boundary = _next_field(record, start, fields.keys() | {name})
        if boundary is None:
            end = record.rfind('"', start)
            fields[name] = record[start : end if end >= start else len(record)]
            break
        fields[name] = record[start : boundary.start()]
        opening = boundary
    return fields


def _next_field(record: str, start: int, seen: AbstractSet[str]) -> re.Match[str] | None:
    """Find where a text ends and a field begins that has not been told yet."""
    return next((match for match in _BOUNDARY.finditer(record, start) if match[1] not in seen), None)


def _text(data: bytes) -> str:
    return data.decode("utf-8", errors="replace")
