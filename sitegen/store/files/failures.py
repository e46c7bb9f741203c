"""Read the list of a bundle's failed cases, which may have a million lines.

Read `read_failures` first. The list is read block by block and no record is kept: a few records at
a time fit in the processor's cache, which halves the time of reading all records at once. The texts
of an uncompressed file stay in the file until a page needs them.
"""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from math import inf
from operator import attrgetter
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct
from msgspec.json import encode

from sitegen.models.outcome import Failure, RoundKey
from sitegen.models.results import FailureLog, Meaning
from sitegen.problems import Problem, ProblemsError
from sitegen.reading.files import FILE_UNREADABLE, opened, read_bytes
from sitegen.reading.json import LineKind, untidy_lines
from sitegen.reading.privacy import private_problems

_FAILURE_LINES = LineKind(Failure)

_BLOCK = re.compile(rb'(\{"task": ?"[^"\\]*",)[^\n]*\n?(?:\1[^\n]*\n?){0,999}|[^\n]+\n?')
"""At most 1,000 lines that begin with the same task, or a single line of any form."""

_MIN_SCATTERED_SLICES = 1000
"""Minimum number of slices of a long list; a shorter list is read in file order."""
_MAX_SLICES_PER_ROUND = 4
"""Mean number of slices per round above which a long list is sorted before reading."""

_round_key = attrgetter("task", "attempt", "round", "start")
_meaning = attrgetter("case", "requirement")

FileState: TypeAlias = tuple[int, int]
"""The size of a file in bytes, and its modification time in nanoseconds."""

ListedFailure: TypeAlias = tuple[int, bytes, Failure]
"""The line number of a listed failure in its file, its JSON and its record."""


@dataclass(frozen=True, slots=True)
class FileTexts(Mapping[str, bytes]):
    """The lines of an uncompressed file by task, read on access.

    A large board has gigabytes of texts: validation reads each once, and a page needs those of one
    task.
    """

    path: Path
    spans: Mapping[str, Sequence[slice]]
    """The position of each task's lines in the file."""
    state: FileState
    """The state of the file when it was indexed; the file is refused if its state changed."""

    def __getitem__(self, task: str) -> bytes:
        """Return the lines of a task, without the final line feed.

        Raises:
            ProblemsError: The file was changed or can no longer be read.
        """
        spans = self.spans[task]
        try:
            with opened(self.path) as file:
                if state_of(os.fstat(file.fileno())) == self.state:
                    texts = []
                    for span in spans:
                        file.seek(span.start)
                        texts.append(file.read(span.stop - span.start))
                    return b"".join(texts).removesuffix(b"\n")
        except ProblemsError:
            pass  # An unreadable file is reported as a changed file.
        fact = f"{self.path.name} was changed while it was read"
        problem = FILE_UNREADABLE.broken(self.path, None, fact, "run the command again")
        raise ProblemsError([problem])

    def __iter__(self) -> Iterator[str]:
        """Iterate over the ids of the tasks that have lines."""
        return iter(self.spans)

    def __len__(self) -> int:
        """Return the number of tasks that have lines."""
        return len(self.spans)


def state_of(status: os.stat_result) -> FileState:
    """Return values that distinguish a file from earlier versions of it."""
    return status.st_size, status.st_mtime_ns


class LineBlock(Struct, frozen=True, eq=False):
    """Adjacent lines about one task."""

    source: bytes
    """Lines of JSON that contain the block."""
    span: slice
    """The position of the lines in the source."""
    numbers: Sequence[int]
    """The line number of each line in its file, from 1."""

    def read(self) -> list[ListedFailure]:
        """Parse the lines again, and return their failures."""
        text = self.source[self.span].removesuffix(b"\n")
        lines = text.split(b"\n")
        return list(zip(self.numbers, lines, _FAILURE_LINES.read(text), strict=True))


class RoundSlice(Struct, frozen=True, eq=False):
    """Adjacent failures of one round in a block."""

    block: LineBlock
    start: int
    """The index of the first failure in the block."""
    stop: int
    """The index after the last failure."""
    is_distinct: bool
    """Whether all failures are known to be different."""

    @property
    def first_line(self) -> int:
        """The line number of the first failure in its file."""
        return self.block.numbers[self.start]


@dataclass(frozen=True, slots=True)
class FailureIndex:
    """The positions of a bundle's listed failures, by round; records are not kept."""

    slices_by_round: Mapping[RoundKey, Sequence[RoundSlice]] = field(default_factory=dict)
    """The positions of each round's failures; rounds without failures are absent."""
    skipped: Mapping[RoundKey, int] = field(default_factory=dict)
    """The number of listed cases per round that were skipped and did not fail."""
    cut: Sequence[int] = ()
    """Line numbers of the failures whose texts the source shortened."""
    log: FailureLog = field(default_factory=FailureLog)
    refused: Sequence[bytes] = ()
    """Lines that could not be read as failures: broken JSON, or an unexpected form."""
    problems: tuple[Problem, ...] = ()
    """The problems of the refused lines, or the reason why the file can't be read."""
    private: tuple[Problem, ...] = ()
    """Secrets and private data in the texts; the affected failures are still listed."""
    is_read: bool = False
    """Whether the file exists and could be opened."""
    path: Path = Path()

    @property
    def is_empty(self) -> bool:
        """Whether the file has no content."""
        return self.is_read and not self.slices_by_round and not self.refused


def read_failures(path: Path) -> FailureIndex:
    """Return the positions of the failures in a list, and the problems with unreadable lines."""
    # The state is taken before reading, so that a later change is detected.
    state = state_of(path.lstat()) if path.exists() else None
    data, problems = read_bytes(path)
    if data is None:
        return FailureIndex(problems=tuple(problems), path=path)
    private = tuple(private_problems(path, data))
    index = _read_tidy(path, data, state)
    if index is None:
        index = _read_untidy(path, data)
    return replace(index, private=private, is_read=True, path=path)


def _read_untidy(path: Path, data: bytes) -> FailureIndex:
    """Read lines in any format, with the problems of unreadable lines."""
    lines = untidy_lines(path, data, _FAILURE_LINES)
    builder = _IndexBuilder(b"\n".join(lines.raw), lines.numbers)
    builder.add_untidy(lines.raw, lines.records)
    index = builder.index(builder.texts())
    return replace(index, refused=lines.refused, problems=lines.problems)


def _read_tidy(path: Path, data: bytes, state: FileState | None) -> FailureIndex | None:
    """Read lines that all have the usual format without faults; return None if any line differs."""
    if not _FAILURE_LINES.tidiness.is_seen_in(data):
        return None
    builder = _IndexBuilder(data, range(1, data.count(b"\n") + 2))
    try:
        if not builder.add_tidy(_MAX_SLICES_PER_ROUND):
            return _read_scattered(data)
    except ValueError:
        return None
    if path.suffix == ".gz" or state is None:
        return builder.index(builder.texts())
    return builder.index(FileTexts(path, dict(builder.spans), state))


def _read_scattered(data: bytes) -> FailureIndex:
    """Read a list whose rounds are scattered, with its lines sorted by round.

    Raises:
        ValueError: A line is not a failure.
    """
    lines = data.removesuffix(b"\n").split(b"\n")
    prefixes = [line.partition(b'"case"')[0] for line in lines]
    order = sorted(range(len(lines)), key=prefixes.__getitem__)
    sorted_data = b"\n".join(lines[index] for index in order)
    line_numbers = [index + 1 for index in order]
    builder = _IndexBuilder(sorted_data, line_numbers)
    builder.add_tidy()
    return builder.index(builder.texts())


class _IndexBuilder:
    """Collects the positions of tasks and rounds in the lines of a list of failures."""

    def __init__(self, source: bytes, line_numbers: Sequence[int]) -> None:
        """Start with lines of JSON, and the line number of each in its file."""
        self.spans: dict[str, list[slice]] = defaultdict(list)
        """The positions of each task's lines in the source."""
        self._slices_by_round: dict[RoundKey, list[RoundSlice]] = defaultdict(list)
        # The inner dictionaries are ordered sets.
        self._meanings: dict[tuple[str, int], dict[Meaning, None]] = defaultdict(dict)
        self._skipped: Counter[RoundKey] = Counter()
        self._cut_lines: list[int] = []
        self._source = source
        self._line_numbers = line_numbers
        self._line_count = 0
        self._slice_count = 0

    def add_tidy(self, max_slices_per_round: float = inf) -> bool:
        """Add all lines, each of which has the keys of a failure in the usual order.

        Returns:
            False if rounds have more than `max_slices_per_round` slices on average; only some lines
            were added in that case.

        Raises:
            ValueError: A line is not a failure.
        """
        for match in _BLOCK.finditer(self._source):
            self._add(slice(*match.span()), _FAILURE_LINES.read(match[0]))
            limit = max_slices_per_round * len(self._slices_by_round)
            if self._slice_count > max(_MIN_SCATTERED_SLICES, limit):
                return False
        return True

    def add_untidy(self, lines: Sequence[bytes], records: Sequence[Failure]) -> None:
        """Add lines in any format, with their records."""
        start = 0
        pairs = zip(lines, records, strict=True)
        for _, group in groupby(pairs, key=lambda pair: pair[1].task):
            pairs_of_task = list(group)
            size = sum(len(line) + 1 for line, _ in pairs_of_task)
            self._add(slice(start, start + size), [record for _, record in pairs_of_task])
            start += size

    def _add(self, span: slice, records: Sequence[Failure]) -> None:
        """Add adjacent failures of one task at a position in the source."""
        line_numbers = self._line_numbers[self._line_count : self._line_count + len(records)]
        text = self._source[span]
        # Searching for the words first is faster than checking every record.
        if b"truncated" in text:
            self._add_cut_lines(line_numbers, records)
        if b"skipped" in text:
            skipped = [record for record in records if record.status == "skipped"]
            self._skipped.update(map(_round_key, skipped))
        self._add_slices(LineBlock(self._source, span, line_numbers), records)
        self._line_count += len(records)
        self._add_span(records[0].task, span)

    def _add_cut_lines(self, line_numbers: Sequence[int], records: Sequence[Failure]) -> None:
        for line_number, record in zip(line_numbers, records, strict=True):
            if record.truncated:
                self._cut_lines.append(line_number)

    def _add_slices(self, block: LineBlock, records: Sequence[Failure]) -> None:
        """Add the rounds of a block, and the requirements of their cases."""
        all_meanings = list(map(_meaning, records))
        start = 0
        for key, group in groupby(map(_round_key, records)):
            stop = start + len(list(group))
            meanings = dict.fromkeys(all_meanings[start:stop])
            task, _, number, _ = key
            self._meanings[task, number] |= meanings
            is_distinct = len(meanings) == stop - start
            self._slices_by_round[key].append(RoundSlice(block, start, stop, is_distinct))
            self._slice_count += 1
            start = stop

    def _add_span(self, task: str, span: slice) -> None:
        """Add the position of a task's lines; adjacent positions are merged."""
        spans = self.spans[task]
        if spans and spans[-1].stop == span.start:
            spans[-1] = slice(spans[-1].start, span.stop)
        else:
            spans.append(span)

    def texts(self) -> dict[str, bytes]:
        """Return the lines of each task, without the final line feed."""
        texts = {}
        for task, spans in self.spans.items():
            text = b"".join(self._source[span] for span in spans)
            texts[task] = text.removesuffix(b"\n")
        return texts

    def index(self, texts: Mapping[str, bytes]) -> FailureIndex:
        """Return the index of the added lines; `texts` are the lines of each task."""
        meanings = {key: encode(list(values)) for key, values in self._meanings.items()}
        log = FailureLog(texts, meanings)
        return FailureIndex(self._slices_by_round, self._skipped, sorted(self._cut_lines), log)
