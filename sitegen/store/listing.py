"""A bundle's listed failures beside its rounds."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sitegen.models.outcome import Failure, RoundResult
from sitegen.store.jsonlines import Lines
from sitegen.store.traces import Key


@dataclass(frozen=True, slots=True)
class Listing:
    """A bundle's listed failures beside its rounds."""

    path: Path
    """Their file."""
    failures: Lines[Failure]
    rounds: Mapping[Key, RoundResult]
    positions: Mapping[Key, Sequence[int]]
    """Where the failures of each round stand in the list, from 0; no round without one."""

    @classmethod
    def of(cls, path: Path, rounds: Lines[RoundResult], failures: Lines[Failure]) -> "Listing":
        """Put a list and its rounds together."""
        positions: dict[Key, list[int]] = defaultdict(list)
        for position, each in enumerate(failures.records):
            positions[each.task, each.attempt, each.round, each.start].append(position)
        by_key: dict[Key, RoundResult] = {
            (each.task, each.attempt, each.round, each.start): each for each in rounds.records
        }
        return cls(path, failures, by_key, positions)

    def first(self) -> Iterator[tuple[Key, int, Failure]]:
        """Give the first failure of each round, with its line."""
        for key, positions in self.positions.items():
            yield key, self.failures.numbers[positions[0]], self.failures.records[positions[0]]

    def of_round(self, key: Key) -> list[tuple[int, Failure]]:
        """Give the failures of a round, each with its line."""
        numbers, records = self.failures.numbers, self.failures.records
        return [(numbers[position], records[position]) for position in self.positions.get(key, ())]

    def failed(self) -> dict[Key, int]:
        """Count the cases that are listed as failed, by round."""
        records = self.failures.records
        return {
            key: sum(records[position].status != "skipped" for position in positions)
            for key, positions in self.positions.items()
        }


def round_of(key: Key) -> str:
    """Name a round as a sentence does."""
    task, attempt, number, _ = key
    return f"round {number} of {task}, attempt {attempt}"
