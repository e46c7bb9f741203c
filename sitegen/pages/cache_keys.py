"""Cache keys of the pages of tasks and runs: a page is rendered again only if its key changes.

Keys are digests of complete values, so a key may cover more than a page shows, but never less. A
key covers the findings that mark a round of the task; the effects of other findings are part of the
results.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

import msgspec

from sitegen.board import Board, Entry
from sitegen.models.results import Bundle
from sitegen.models.task import Task
from sitegen.pages.run_index import RunIndex


def digest_of(*values: object) -> str:
    """Return a digest of values; values that differ must have a different `repr`."""
    return sha256(repr(values).encode()).hexdigest()


@dataclass(frozen=True)  # no slots: cached properties need a __dict__
class CacheKeys:
    """The cache keys of pages about one board."""

    board: Board
    dense: Collection[str]
    """The submissions that report more outcomes than their pages have room for."""
    pageless: Collection[str]
    """The rows that report no individual cases."""
    runs: tuple[RunIndex, RunIndex]
    """The results that count, then the results that findings change, as they were submitted."""

    @cached_property
    def _board_digest(self) -> str:
        return digest_of(self.board.benchmark, self.board.track)

    @cached_property
    def _row_digests(self) -> Mapping[str, str]:
        """Digests of the content that all pages of a row share, by the row's id."""
        return {entry.id: self._row_digest(entry) for entry in self.board.all_entries}

    def _row_digest(self, entry: Entry) -> str:
        """Return a digest of the content that all pages of a row share."""
        sent = None
        if entry.without_findings:
            sent = entry.without_findings.bundle
        bundles = [bundle for bundle in (entry.bundle, sent) if bundle]
        states = [(bundle.submission, sorted(bundle.left_out)) for bundle in bundles]
        return digest_of(
            entry.id,
            entry.agent,
            self.board.name_of(entry),
            entry.date,
            entry.status,
            entry.evidence,
            entry.has_missing_tasks,
            entry.is_published,
            states,
            entry.id in self.dense,
            entry.id in self.pageless,
        )

    @cached_property
    def _run_digests(self) -> dict[str, dict[str, str]]:
        """The keys that `of_run` has returned for the last task, by task and submission."""
        return {}

    @cached_property
    def _task_digests(self) -> dict[str, str]:
        """The digests that `_task_digest` has returned, by task."""
        return {}

    def _task_digest(self, task: Task) -> str:
        """Return a digest of a task as its benchmark defines it, with all of its cases."""
        if task.id not in self._task_digests:
            self._task_digests[task.id] = digest_of(task)
        return self._task_digests[task.id]

    def of_run(self, entry: Entry, task: Task) -> str:
        """Return the cache key of a run's pages, which covers the records of the task."""
        if task.id not in self._run_digests:
            self._run_digests.clear()  # pages are made task by task
            self._run_digests[task.id] = {}
        digests = self._run_digests[task.id]
        if entry.id not in digests:
            key = entry.id, task.id
            row_digest = self._row_digests[entry.id]
            reported: list[object] = [tuple(runs.results(*key)) for runs in self.runs]
            if entry.bundle:
                reported += _bundle_values(entry.bundle, task)
            reported_digest = sha256(msgspec.msgpack.encode(reported)).hexdigest()
            marks = self.board.findings.on_task(entry.id, task.id)
            digests[entry.id] = digest_of(
                self._board_digest, row_digest, self._task_digest(task), reported_digest, marks
            )
        return digests[entry.id]

    def of_task(self, task: Task) -> str:
        """Return the cache key of a task's pages, which covers all submissions' records of it."""
        board = self.board
        run_digests = [self.of_run(entry, task) for entry in board.all_entries]
        order = [entry.id for entry in board.entries]
        marks = board.findings.by_task.get(task.id)
        return digest_of(self._board_digest, run_digests, order, board.names, marks)


def _bundle_values(bundle: Bundle, task: Task) -> list[object]:
    """Return a bundle's data about a run, except for its results."""
    failures = bundle.failures
    values: list[object] = [run for run in bundle.runs if run.task == task.id]
    values.append(sha256(failures.texts.get(task.id, b"")).hexdigest())
    values += [failures.meanings.get((task.id, task_round.n)) for task_round in task.rounds]
    return values
