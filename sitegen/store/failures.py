"""Reads the list of a bundle's failed cases, which may have a million lines.

It is read piece by piece, and no record is kept: so few at a time stay where the processor has them at hand, and take
half as long as all at once. The texts of a plain file stay in it until a page asks for them.
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

from msgspec import Struct
from msgspec.json import encode

from sitegen.models.outcome import Failure, Place
from sitegen.models.results import FailureLog, Meaning
from sitegen.problems import Problem, ProblemsError
from sitegen.reading.files import FILE_UNREADABLE, opened, read_bytes
from sitegen.reading.json import LineKind, untidy_lines
from sitegen.reading.privacy import private_problems


@dataclass(frozen=True, slots=True)
class FileTexts(Mapping[str, bytes]):
    """Lines of a plain file, by task.

    A large board has gigabytes of them: validation looks at each once, and a page needs those of one task.
    """

    path: Path
    places: Mapping[str, Sequence[slice]]
    """Where the lines of each task stand."""
    state: tuple[int, int]
    """Size of the file and when it was changed, so that no other one is taken for it."""

    def __getitem__(self, task: str) -> bytes:
        """Read the lines of a task, without an empty one at the end; a ProblemsError where the file changed."""
        places = self.places[task]
        try:
            with opened(self.path) as file:
                if state_of(os.fstat(file.fileno())) == self.state:
                    parts = []
                    for place in places:
                        file.seek(place.start)
                        parts.append(file.read(place.stop - place.start))
                    return b"".join(parts).removesuffix(b"\n")
        except ProblemsError:
            pass  # it is told below, as any other change
        what = f"{self.path.name} was changed while it was read"
        raise ProblemsError(
            [FILE_UNREADABLE.broken(self.path, None, what, "run the command again")]
        )

    def __iter__(self) -> Iterator[str]:
        """The tasks that have lines."""
        return iter(self.places)

    def __len__(self) -> int:
        """Count the tasks that have lines."""
        return len(self.places)


def state_of(status: os.stat_result) -> tuple[int, int]:
    """What tells a file from the one that it was before: its size, and when it was changed."""
    return status.st_size, status.st_mtime_ns


_KIND = LineKind(Failure)


_PIECE = re.compile(rb'(\{"task": ?"[^"\\]*",)[^\n]*\n?(?:\1[^\n]*\n?){0,999}|[^\n]+\n?')
"""Lines that begin with the same task, and not too many; else a line by itself."""


_MANY, _FEW = 1000, 4
"""A list of more places than many, and of more than a few for each round, is put in order before it is read."""


_key_of = attrgetter("task", "attempt", "round", "start")
_meaning_of = attrgetter("case", "requirement")


class Piece(Struct, frozen=True, eq=False):
    """Lines that stand together and are about one task."""

    source: bytes
    """A text that holds them, as JSON, one a line."""
    place: slice
    """Where they stand in it."""
    numbers: Sequence[int]
    """The number of each in its file, from 1."""

    def rows(self) -> list[tuple[int, bytes, Failure]]:
        """Read them once more, each with its number and its JSON."""
        text = self.source[self.place].removesuffix(b"\n")
        return list(zip(self.numbers, text.split(b"\n"), _KIND.read(text), strict=True))


class Stretch(Struct, frozen=True, eq=False):
    """Rows of a piece that stand together and are about one round."""

    piece: Piece
    start: int
    stop: int
    is_distinct: bool
    """Whether no two of them are the same, for sure."""


@dataclass(frozen=True, slots=True)
class Failures:
    """What a list of failed cases holds."""

    rounds: Mapping[Place, Sequence[Stretch]] = field(default_factory=dict)
    """Where the failures of each round stand; no round without one."""
    skipped: Mapping[Place, int] = field(default_factory=dict)
    """How many cases of a round are listed that were skipped, and did not fail."""
    cut: Sequence[int] = ()
    """Lines whose texts the source cut."""
    log: FailureLog = field(default_factory=FailureLog)
    refused: Sequence[bytes] = ()
    """Lines that hold no failure: broken JSON, or another shape."""
    problems: tuple[Problem, ...] = ()
    private: tuple[Problem, ...] = ()
    """What of its texts is nobody's business; they are listed all the same."""
    is_read: bool = False
    """Whether the file is there and could be opened."""
    path: Path = Path()

    @property
    def is_empty(self) -> bool:
        """Whether the file holds nothing at all."""
        return self.is_read and not self.rounds and not self.refused


def read_failures(path: Path) -> Failures:
    """Read every failure that can be read, and say what is wrong with the other lines."""
    state = (
        state_of(path.lstat()) if path.exists() else None
    )  # before it is read: what comes after is another file
    data, problems = read_bytes(path)
    if data is None:
        return Failures(problems=tuple(problems), path=path)
    private = tuple(private_problems(path, data))
    found = _tidy(path, data, state)
    if found is None:
        lines = untidy_lines(path, data, _KIND)
        gathering = _Gathering(b"\n".join(lines.raw), lines.numbers)
        gathering.add_untidy(lines.raw, lines.records)
        found = replace(gathering.failures(), refused=lines.refused, problems=lines.problems)
    return replace(found, private=private, is_read=True, path=path)


def _tidy(path: Path, data: bytes, state: tuple[int, int] | None) -> Failures | None:
    """Read lines that are written the usual way and sound; None where one is not, which takes a closer look."""
    if not _KIND.tidiness.is_seen_in(data):
        return None
    found = _Gathering(data, range(1, data.count(b"\n") + 2))
    try:
        if found.add_tidy(_FEW):
            is_packed = path.suffix == ".gz"
            return found.failures(
                None if is_packed or state is None else FileTexts(path, dict(found.places), state)
            )
        # Lines of one round together, in their order, each with its number.
        lines = data.removesuffix(b"\n").split(b"\n")
        leads = [line.partition(b'"case"')[0] for line in lines]
        order = sorted(range(len(lines)), key=leads.__getitem__)
        by_round = _Gathering(
            b"\n".join(map(lines.__getitem__, order)), [place + 1 for place in order]
        )
        by_round.add_tidy()
    except ValueError:
        return None
    return by_round.failures()


class _Gathering:
    """Goes through lines and notes what stands where."""

    def __init__(self, source: bytes, numbers: Sequence[int]) -> None:
        """Take lines of JSON, and the number of each."""
        self.places: dict[str, list[slice]] = defaultdict(list)
        """Where the lines of each task stand."""
        self._rounds: dict[Place, list[Stretch]] = defaultdict(list)
        self._meanings: dict[tuple[str, int], dict[Meaning, None]] = defaultdict(
            dict
        )  # in a known order
        self._skipped: Counter[Place] = Counter()
        self._cut: list[int] = []
        self._source = source
        self._numbers = numbers
        self._at = self._stretches = 0

    def add_tidy(self, limit: float = inf) -> bool:
        """Add lines of which each has the keys of a failure in their order; a ValueError where one holds none.

        False where only some were added: rounds are listed in more places than `limit`, in the mean.
        """
        for found in _PIECE.finditer(self._source):
            self._add(slice(*found.span()), _KIND.read(found[0]))
            if self._stretches > max(_MANY, limit * len(self._rounds)):
                return False
        return True

    def add_untidy(self, lines: Sequence[bytes], records: Sequence[Failure]) -> None:
        """Add lines that are written in any way."""
        start = 0
        for _, same in groupby(zip(lines, records, strict=True), lambda each: each[1].task):
            of_task = list(same)
            stop = start + sum(len(line) + 1 for line, _ in of_task)
            self._add(slice(start, stop), [record for _, record in of_task])
            start = stop

    def _add(self, place: slice, records: Sequence[Failure]) -> None:
        """Add failures of one task that stand together."""
        task, numbers = records[0].task, self._numbers[self._at : self._at + len(records)]
        text = self._source[place]
        if b"truncated" in text:
            self._cut += [
                number for number, each in zip(numbers, records, strict=True) if each.truncated
            ]
        if b"skipped" in text:
            self._skipped.update(_key_of(each) for each in records if each.status == "skipped")
        piece, all_meanings, start = (
            Piece(self._source, place, numbers),
            list(map(_meaning_of, records)),
            0,
        )
        for key, same in groupby(map(_key_of, records)):
            stop = start + len([*same])
            meanings = dict.fromkeys(all_meanings[start:stop])
            self._meanings[task, key[2]] |= meanings
            self._rounds[key].append(Stretch(piece, start, stop, len(meanings) == stop - start))
            start = stop
            self._stretches += 1
        self._at += start
        places = self.places[task]
        joined = bool(places) and places[-1].stop == place.start
        places.append(slice(places.pop().start, place.stop) if joined else place)

    def failures(self, texts: Mapping[str, bytes] | None = None) -> Failures:
        """What was added. The lines are taken along, unless texts say where they are."""
        meanings = {where: encode([*told]) for where, told in self._meanings.items()}
        if texts is None:
            parts = {
                task: b"".join(map(self._source.__getitem__, places))
                for task, places in self.places.items()
            }
            texts = {task: text.removesuffix(b"\n") for task, text in parts.items()}
        return Failures(self._rounds, self._skipped, sorted(self._cut), FailureLog(texts, meanings))
