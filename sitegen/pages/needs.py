"""What pages of tasks and runs are made of, as digests: a page need not be made again while its digest is the same.

What they are about goes in as whole values, so that a digest rather covers more than a page shows.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.models.outcome import RoundResult
from sitegen.models.task import Task
from sitegen.problems import grouped


def digest_of(*values: object) -> str:
    """Name values that their `repr` tells apart."""
    return sha256(repr(values).encode()).hexdigest()


@dataclass(frozen=True)  # no slots: what is found out once stays
class Needs:
    """What pages about one board are made of."""

    board: Board
    dense: Collection[str]
    """The submissions that tell more outcomes than their pages have room for."""
    pageless: Collection[str]
    """Those that tell of no case."""

    @cached_property
    def _common(self) -> str:
        return digest_of(self.board.benchmark, self.board.track, self.board.results.findings)

    @cached_property
    def _rows(self) -> Mapping[str, tuple[str, Sequence[Mapping[str, list[RoundResult]]]]]:
        """Of each submission what all its pages say, and its records by task: those that count, and those sent in."""
        found = {}
        for entry in self.board.all_entries:
            sent = entry.before.bundle if entry.before else None
            bundles = [bundle for bundle in (entry.bundle, sent) if bundle]
            several = [grouped((each.task, each) for each in bundle.rounds) for bundle in bundles]
            states = [(bundle.submission, sorted(bundle.left_out)) for bundle in bundles]
            own = (
                entry.id,
                entry.agent,
                entry.date,
                entry.status,
                entry.evidence,
                entry.is_incomplete,
                entry.is_ranked,
            )
            found[entry.id] = (
                digest_of(*own, states, entry.id in self.dense, entry.id in self.pageless),
                several,
            )
        return found

    @cached_property
    def _runs(self) -> dict[tuple[str, str], str]:
        return {}

    def of_run(self, entry: Entry, task: Task) -> str:
        """What the pages of a run are made of: what its submission tells of the task."""
        key = entry.id, task.id
        if key not in self._runs:
            own, several = self._rows[entry.id]
            told: list[object] = [records.get(task.id) for records in several]
            if bundle := entry.bundle:
                told += [each for each in bundle.runs if each.task == task.id]
                told += [sha256(bundle.failures.texts.get(task.id, b"")).hexdigest()]
                told += [bundle.failures.meanings.get((task.id, each.n)) for each in task.rounds]
            self._runs[key] = digest_of(self._common, own, task, told)
        return self._runs[key]

    def of_task(self, task: Task) -> str:
        """What the pages of a task are made of: what every submission tells of it, in the order of the board."""
        board = self.board
        runs = [self.of_run(entry, task) for entry in board.all_entries]
        return digest_of(self._common, runs, [entry.id for entry in board.entries], board.names)
