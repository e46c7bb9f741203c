"""A bundle's listed failures beside its rounds."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, islice
from operator import attrgetter
from pathlib import Path

from sitegen.models.outcome import Failure, RoundResult
from sitegen.store.jsonlines import Lines
from sitegen.store.traces import Key


@dataclass(frozen=True)  # no slots: rounds are put in order where somebody asks
class Listing:
    """A bundle's listed failures beside its rounds."""

    path: Path
    """Their file."""
    failures: Lines[Failure]
    records: Sequence[RoundResult]
    positions: Mapping[Key, Sequence[int]]
    """Where the failures of each round stand in the list, from 0; no round without one."""

    @classmethod
    def of(cls, path: Path, rounds: Lines[RoundResult], failures: Lines[Failure]) -> "Listing":
        """Put a list and its rounds together."""
        positions: dict[Key, list[int]] = defaultdict(list)
        places = iter(range(len(failures.records)))
        keys = map(attrgetter("task", "attempt", "round", "start"), failures.records)
        for key, same in groupby(keys):  # mostly a round's failures stand together
            positions[key] += islice(places, len([*same]))
        return cls(path, failures, rounds.records, positions)

    @cached_property
    def rounds(self) -> Mapping[Key, RoundResult]:
        """Rounds by what they are about."""
        return {(each.task, each.attempt, each.round, each.start): each for each in self.records}

    def first(self) -> Iterator[tuple[Key, int, Failure]]:
        """Give the first failure of each round, with its line."""
        for key, positions in self.positions.items():
            yield key, self.failures.numbers[positions[0]], self.failures.records[positions[0]]

    def of_round(self, key: Key) -> list[tuple[int, Failure]]:
        """Give the failures of a round, each with its line."""
        numbers, records = self.failures.numbers, self.failures.records
        return [(numbers[position], records[position]) for position in self.positions.get(key, ())]

    @cached_property
    def failed(self) -> Mapping[Key, int]:
        """Number of cases that are listed as failed, by round."""
        records = self.failures.records
        endings = map(attrgetter("status"), records)
        skipped = {position for position, status in enumerate(endings) if status == "skipped"}
        return {
            key: len(positions) - (len(skipped.intersection(positions)) if skipped else 0)
            for key, positions in self.positions.items()
        }


def round_of(key: Key) -> str:
    """Name a round as a sentence does."""
    task, attempt, number, _ = key
    return f"round {number} of {task}, attempt {attempt}"
