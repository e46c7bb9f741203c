"""A bundle's listed failures beside its rounds."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import itemgetter
from pathlib import Path

from sitegen.models.outcome import Failure, RoundResult
from sitegen.store.failures import Failures, Piece
from sitegen.store.traces import Key


@dataclass(frozen=True)  # no slots: rounds are put in order where somebody asks
class Listing:
    """A bundle's listed failures beside its rounds."""

    path: Path
    """Their file."""
    failures: Failures
    records: Sequence[RoundResult]

    @cached_property
    def rounds(self) -> Mapping[Key, RoundResult]:
        """Rounds by what they are about."""
        return {(each.task, each.attempt, each.round, each.start): each for each in self.records}

    @cached_property
    def _rows(self) -> Callable[[Piece], Sequence[tuple[int, bytes, Failure]]]:
        """Reads a piece once more; mostly the one that was read last is asked for again."""
        return lru_cache(maxsize=1)(Piece.rows)

    @cached_property
    def _scattered(self) -> Mapping[Key, Sequence[tuple[int, bytes, Failure]]]:
        """Failures of the rounds that are listed in several places, read in the order of the file: each piece once."""
        several = [
            (each.piece.numbers[each.start], key, each)
            for key, stretches in self.failures.rounds.items()
            if len(stretches) > 1
            for each in stretches
        ]
        found: dict[Key, list[tuple[int, bytes, Failure]]] = defaultdict(list)
        for _, key, each in sorted(several, key=itemgetter(0)):
            found[key] += self._rows(each.piece)[each.start : each.stop]
        return found

    def of_round(self, key: Key) -> Sequence[tuple[int, bytes, Failure]]:
        """Give the failures of a round, each with its line and its JSON."""
        stretches = self.failures.rounds.get(key, ())
        if len(stretches) > 1:
            return self._scattered[key]
        return [row for each in stretches for row in self._rows(each.piece)[each.start : each.stop]]

    def first(self, key: Key) -> tuple[int, Failure]:
        """Give the first failure of a round that has one, with its line."""
        line, _, first = self.of_round(key)[0]
        return line, first

    @cached_property
    def failed(self) -> Mapping[Key, int]:
        """Number of cases that are listed as failed, by round."""
        skipped = self.failures.skipped
        return {
            key: sum(each.stop - each.start for each in stretches) - skipped.get(key, 0)
            for key, stretches in self.failures.rounds.items()
        }


def round_of(key: Key) -> str:
    """Name a round as a sentence does."""
    task, attempt, number, _ = key
    return f"round {number} of {task}, attempt {attempt}"
