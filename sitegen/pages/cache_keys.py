"""Cache keys of the pages of tasks and runs: a page is made again only when its key changes.

Keys are digests of whole values, so that a key covers more than a page shows rather than less.
Of the findings, a key has those that mark a round of the task; effects of others are in results.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from sitegen.board import Board, Entry
from sitegen.models.outcome import RoundResult
from sitegen.models.results import Bundle
from sitegen.models.task import Task
from sitegen.problems import grouped

_ResultsByTask = Mapping[str, list[RoundResult]]


def digest_of(*values: object) -> str:
    """Return a digest of values, which must differ in their `repr` if they differ."""
    return sha256(repr(values).encode()).hexdigest()


@dataclass(frozen=True)  # no slots: cached properties need a __dict__
class CacheKeys:
    """The cache keys of pages about one board."""

    board: Board
    dense: Collection[str]
    """The submissions that report more outcomes than their pages have room for."""
    pageless: Collection[str]
    """The rows that report no individual cases."""

    @cached_property
    def _board_digest(self) -> str:
        return digest_of(self.board.benchmark, self.board.track)

    @cached_property
    def _rows(self) -> Mapping[str, tuple[str, Sequence[_ResultsByTask]]]:
        """What all pages of a row show, and its results by task: those that count, and as sent."""
        return {entry.id: self._row(entry) for entry in self.board.all_entries}

    def _row(self, entry: Entry) -> tuple[str, Sequence[_ResultsByTask]]:
        """Return a digest of what all pages of a row show, and its results by task."""
        sent = None
        if entry.without_findings:
            sent = entry.without_findings.bundle
        bundles = [bundle for bundle in (entry.bundle, sent) if bundle]
        states = [(bundle.submission, sorted(bundle.left_out)) for bundle in bundles]
        digest = digest_of(
            entry.id,
            entry.agent,
            entry.date,
            entry.status,
            entry.evidence,
            entry.has_missing_tasks,
            entry.is_published,
            states,
            entry.id in self.dense,
            entry.id in self.pageless,
        )
        return digest, list(map(_results_by_task, bundles))

    @cached_property
    def _run_digests(self) -> dict[tuple[str, str], str]:
        """The digests that `of_run` has returned, by submission and task."""
        return {}

    def of_run(self, entry: Entry, task: Task) -> str:
        """Return the key of a run's pages: what its submission reports of the task."""
        key = entry.id, task.id
        if key not in self._run_digests:
            row_digest, results_by_task = self._rows[entry.id]
            reported: list[object] = [results.get(task.id) for results in results_by_task]
            if entry.bundle:
                reported += _bundle_values(entry.bundle, task)
            marks = self.board.marks.on_task(entry.id, task.id)
            digest = digest_of(self._board_digest, row_digest, task, reported, marks)
            self._run_digests[key] = digest
        return self._run_digests[key]

    def of_task(self, task: Task) -> str:
        """Return the key of a task's pages: what all submissions report of it, in board order."""
        board = self.board
        run_digests = [self.of_run(entry, task) for entry in board.all_entries]
        order = [entry.id for entry in board.entries]
        marks = board.marks.by_task.get(task.id)
        return digest_of(self._board_digest, run_digests, order, board.names, marks)


def _results_by_task(bundle: Bundle) -> _ResultsByTask:
    return grouped((result.task, result) for result in bundle.rounds)


def _bundle_values(bundle: Bundle, task: Task) -> list[object]:
    """Return what a bundle holds about a run beside its results."""
    failures = bundle.failures
    values: list[object] = [run for run in bundle.runs if run.task == task.id]
    values.append(sha256(failures.texts.get(task.id, b"")).hexdigest())
    values += [failures.meanings.get((task.id, task_round.n)) for task_round in task.rounds]
    return values
