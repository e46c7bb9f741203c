"""The lines that a verifier prints: one CASE_RESULT a case and one CASE_SUMMARY a round, between anything else."""

import io
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from pathlib import Path

from sitegen.reading.files import opened

RESULT, SUMMARY = "CASE_RESULT", "CASE_SUMMARY"
_CASE, _SUM = RESULT.encode(), SUMMARY.encode()

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

_LONGEST = 1024 * 1024
"""Bytes that a case's line and what follows it are read up to in search of its end."""

_SIGNS = (b"Build failed", b"not found", b"error:")
"""What stands in lines that may say why no case ran."""

_WORTH_READING = (b"CASE_", b"FAIL:", *_SIGNS)
"""What a block holds that has anything to tell: by far the most of a large log has not."""

_LAST_TEXT = b'failure_reason="'
_HEAD = re.compile(rf"{RESULT}((?:\s++\w++=[^\s\"]*+(?![\"]))*)")
_TOKEN = re.compile(r"(\w+)=(\S+)")
_OPENING = re.compile(rf"\s({'|'.join(TEXTS)})=\"")
_BOUNDARY = re.compile(rf"\"\s+({'|'.join(TEXTS)})=\"")
_NUMBER = re.compile(r"\b(total_cases|success_count|fail_count)=(\d{1,9})\b")


@dataclass(frozen=True, slots=True)
class Summary:
    """What a verifier says a round's cases come to."""

    total: int
    passed: int
    failed: int


@dataclass(slots=True)
class Log:
    """What a verifier's log tells."""

    results: list[Mapping[str, str]] = field(default_factory=list)
    """The fields of each case by their names, in the order of the log."""
    summaries: list[Summary] = field(default_factory=list)
    """Those that differ, in the order of the log."""
    broken: int = 0
    """Lines that begin like a case or a summary and can't be read."""
    early: str | None = None
    """The line that says why no case ran, where there is one."""
    excess: bool = False
    """Whether the log has more case lines than are taken."""

    def add(self, record: str) -> None:
        """Take a line that begins like a case or a summary."""
        if not record.startswith(SUMMARY):
            fields = fields_of(record)
            if "status" in fields and "case_id" in fields:
                self.results.append(fields)
            else:
                self.broken += 1
        elif len(counts := {name: int(number) for name, number in _NUMBER.findall(record)}) < 3:  # noqa: PLR2004 - the three that a summary has
            self.broken += 1
        else:
            summary = Summary(counts["total_cases"], counts["success_count"], counts["fail_count"])
            if summary not in self.summaries[:_SUMMARIES]:
                self.summaries = [*self.summaries[: _SUMMARIES - 1], summary]


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

    def add(self, piece: bytes, log: Log) -> None:
        """Take a piece, and the record with it where it ends there."""
        if self.pieces is None:
            return
        self.pieces.append(piece)
        self.size += len(piece)
        is_line, begins, inside = piece.endswith(b"\n"), True, piece
        if self.quotes is None:
            _, mark, inside = piece.rpartition(_LAST_TEXT)
            begins = bool(mark)
        may_end = begins and is_line and inside.rstrip().endswith(b'"')
        if begins:
            self.quotes = (self.quotes or 0) + inside.count(b'"')
        if may_end:
            self.likely = self.likely or len(self.pieces)
        bare = is_line and len(self.pieces) == 1 and (b'="' not in piece or piece.startswith(_SUM))
        if bare or (may_end and (self.quotes or 0) % 2 == 1) or self.size > _LONGEST:
            self.end(log)

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


def read_log(path: Path) -> Log:
    """Read a verifier's log, whatever its size.

    Lines count where they begin with their mark: what stands further right was printed by something else.

    Raises:
        ProblemsError: The file can't be read.
    """
    log, record = Log(), _Record()
    taken, sign, at_start = 0, b"", True  # bytes of records, and the last line that sounds like an error
    with opened(path, largest=inf) as file:
        while block := file.read(_BLOCK):
            block += file.readline(_BLOCK)
            has_lines = record.pieces is not None or any(word in block for word in _WORTH_READING)
            for piece in io.BytesIO(block) if has_lines else (block,):
                if at_start and piece.startswith((_CASE, _SUM)):
                    record.end(log)
                    log.excess |= taken > LARGEST or len(log.results) >= MOST
                    # Once there are too many cases, only what they come to is taken: it stands at the end.
                    record = _Record(None if log.excess and piece.startswith(_CASE) else [])
                if record.pieces is not None:
                    taken += len(piece)
                    record.add(piece, log)
                elif at_start and log.early is None and piece.startswith(b"FAIL:"):
                    log.early = _text(piece).strip()
                elif any(word in piece for word in _SIGNS):
                    sign = piece
                at_start = piece.endswith(b"\n")
    record.end(log)
    log.early = log.early or _text(sign).strip() or None
    return log


def fields_of(record: str) -> dict[str, str]:
    """Tell the fields of a case's line by their names.

    A text goes up to the quote that is followed by the name of another field that has not been told yet; the last
    one goes up to the record's last quote.
    """
    head = _HEAD.match(record)
    fields = dict(_TOKEN.findall(head[1])) if head else {}
    opening = _OPENING.search(record, head.end() if head else 0)
    while opening:
        name, start = opening[1], opening.end()
        boundaries = (match for match in _BOUNDARY.finditer(record, start) if match[1] not in fields.keys() | {name})
        opening = next(boundaries, None)
        end = opening.start() if opening else record.rfind('"', start)
        fields[name] = record[start : end if end >= start else len(record)]
    return fields


def _text(data: bytes) -> str:
    return data.decode("utf-8", errors="replace")
