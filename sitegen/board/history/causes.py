"""Known causes of changed scores and ranks of a board between two releases."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from sitegen.board.findings import MarkedFinding
from sitegen.metrics.metric import Metric
from sitegen.models.release import LockedBenchmark, LockedBoard, LockedRow

CauseKind = Literal[
    "submission",
    "revision",
    "attempts",
    "recomputed",
    "table",
    "status",
    "name",
    "data",
    "tasks",
    "labels",
    "axes",
    "conditions",
    "finding",
    "redaction",
    "definition",
    "headline",
    "columns",
    "program",
    "others",
    "unknown",
]
"""The kind of cause of a change: `answers.news` has each kind in words.

`recomputed`: raw results replace a row's reported values. `others`: other rows changed. `labels`
are the labels of the tasks, `axes` their weights and clusters, and `conditions` the track's
protocol, attempts and reference rounds.
"""


@dataclass(frozen=True, slots=True)
class Cause:
    """A cause of a change."""

    kind: CauseKind
    about: str = ""
    """Details; may be empty."""
    finding: MarkedFinding | None = None
    """The finding, if a finding is the cause."""


class RowPair(NamedTuple):
    """A row in both states of a board, or a row and the earlier row that it replaces."""

    before: LockedRow
    after: LockedRow


_CONDITIONS = ("protocol", "attempts", "reference_rounds")


def locked_metric_title(metric: str, board: LockedBoard, metrics: Mapping[str, Metric]) -> str:
    """Return the title of a metric on a locked board; its id if the benchmark no longer has it."""
    definition = metrics.get(metric)
    if not definition:
        return metric
    return definition.title_for(board.attempts, board.round_word)


@dataclass(frozen=True)  # no slots: the changed rows are cached
class BoardStep:
    """One board of a benchmark in two releases."""

    benchmark_before: LockedBenchmark
    benchmark: LockedBenchmark
    board_before: LockedBoard
    """The board in the earlier release; without rows if the board is new."""
    board: LockedBoard
    programs: tuple[str, str]
    """Versions of the program that computed the two releases, the earlier release first."""
    findings: Mapping[str, MarkedFinding]
    """The findings about the board, by their digests."""
    metrics: Mapping[str, Metric]
    """The benchmark's current metrics, by id."""
    pairs: Sequence[RowPair]
    """The rows that both releases have."""

    def title_of(self, metric: str) -> str:
        """Return the title of a metric on the board; its id if the benchmark no longer has it."""
        return locked_metric_title(metric, self.board, self.metrics)

    def score_causes(
        self,
        row_before: LockedRow,
        row: LockedRow,
        metrics: Sequence[str],
    ) -> tuple[Cause, ...]:
        """Return the known causes of changes in a row's scores on some metrics."""
        columns = {*self.board_before.columns} & {*self.board.columns}
        on_both = [metric_id for metric_id in metrics if metric_id in columns]
        causes = []
        if on_both and row.evidence == "reported":
            causes += self._table_causes(row_before, row) or self._program_causes()
        elif on_both and row_before.evidence == "reported":
            causes += [Cause("recomputed"), *self.acting_findings(row)]
        elif on_both:
            causes += self._computing_causes(row, on_both) or self._program_causes()
        if len(on_both) < len(metrics):
            causes += self._column_causes()
        return tuple(causes)

    def rank_causes(self, row: LockedRow) -> tuple[Cause, ...]:
        """Return the causes of a change in a row's possible ranks while its scores stayed equal."""
        causes = [*self._headline_causes(), *self._condition_causes(), *self._axis_causes()]
        if self._changed_rows - {row.id}:
            causes.append(Cause("others"))
        if not causes:
            headline = [self.board.headline]
            causes = self._computing_causes(row, headline, also_labels=True)
        return tuple(causes or self._program_causes())

    def acting_findings(self, row: LockedRow) -> list[Cause]:
        """Return the new findings that change which of a row's results count."""
        if row.evidence == "reported":
            return []
        causes = []
        for mark in self.new_findings(row):
            if mark.finding.changes_results:
                causes.append(Cause("finding", mark.title, mark))
        return causes

    def new_findings(self, row: LockedRow) -> Iterator[MarkedFinding]:
        """Yield the findings about a row that are new in the later release."""
        earlier_digests = {finding.digest for finding in self.benchmark_before.findings}
        for finding in self.benchmark.findings:
            mark = self.findings.get(finding.digest)
            if mark and finding.digest not in earlier_digests and mark.concerns_row(row.id):
                yield mark

    def _computing_causes(
        self,
        row: LockedRow,
        metrics: Sequence[str],
        *,
        also_labels: bool = False,
    ) -> list[Cause]:
        """Return the inputs of scores that changed, as causes, such as results or definitions."""
        causes = []
        before = self.benchmark_before
        after = self.benchmark
        if self._has_other_results(row.id):
            causes.append(Cause("data"))
        if self._has_other_digest(before.task_sets, after.task_sets):
            causes.append(Cause("tasks"))
        uses_labels = also_labels or any(self._uses_labels(metric_id) for metric_id in metrics)
        if uses_labels and self._has_other_digest(before.labels, after.labels):
            causes.append(Cause("labels"))
        causes += self._condition_causes()
        causes += self.acting_findings(row)
        for metric_id in metrics:
            causes += self._definition_causes(metric_id)
        return causes

    def _definition_causes(self, metric: str) -> list[Cause]:
        before = self.board_before.versions.get(metric, 1)
        after = self.board.versions.get(metric)
        if after is None or before == after:
            return []
        change = "declared differently than before"
        if isinstance(before, int) and isinstance(after, int):
            change = f"version {before} → {after}"
        return [Cause("definition", f"{self.title_of(metric)}, {change}")]

    def _table_causes(self, row_before: LockedRow, row: LockedRow) -> list[Cause]:
        has_other_tables = self.benchmark_before.reported != self.benchmark.reported
        if row_before.date == row.date and not has_other_tables:
            return []
        return [Cause("table")]

    def _condition_causes(self) -> list[Cause]:
        changes = []
        for name in _CONDITIONS:
            before = getattr(self.board_before, name)
            after = getattr(self.board, name)
            if before != after:
                changes.append(f"`{name}` {_value_text(before)} → {_value_text(after)}")
        if not changes:
            return []
        return [Cause("conditions", ", ".join(changes))]

    def _headline_causes(self) -> list[Cause]:
        before = self.board_before.headline
        after = self.board.headline
        if before == after:
            return []
        return [Cause("headline", f"{self.title_of(before)} → {self.title_of(after)}")]

    def _axis_causes(self) -> list[Cause]:
        """Return a cause that names the axes whose weights or clusters changed.

        Empty if none changed, or if there were no axes before.
        """
        before = self.benchmark_before.axes
        after = self.benchmark.axes
        if not before:
            return []
        axis_ids = sorted({*before, *after})
        differing = []
        for axis_id in axis_ids:
            if before.get(axis_id) != after.get(axis_id):
                differing.append(axis_id)
        if not differing:
            return []
        return [Cause("axes", ", ".join(differing))]

    def _column_causes(self) -> list[Cause]:
        before = self.board_before.columns
        after = self.board.columns
        added = [self.title_of(metric_id) for metric_id in after if metric_id not in before]
        removed = [self.title_of(metric_id) for metric_id in before if metric_id not in after]
        clauses = []
        if added:
            clauses.append(f"with {', '.join(added)}")
        if removed:
            clauses.append(f"without {', '.join(removed)}")
        return [Cause("columns", " and ".join(clauses))]

    def _program_causes(self) -> list[Cause]:
        before, after = self.programs
        if before == after:
            return [Cause("unknown")]
        return [Cause("program", f"{before} → {after}")]

    @cached_property
    def _changed_rows(self) -> frozenset[str]:
        """Ids of ranked rows that entered or left, or whose results or headline score changed."""
        rows_before = {}
        paired = set()
        for row_before, row in self.pairs:
            rows_before[row.id] = row_before
            paired.add(row_before.id)
        changed = set()
        for row in self.board.rows:
            if self._has_changed(row, rows_before):
                changed.add(row.id)
        ranked_before = set()
        for row in self.board_before.rows:
            if row.rank is not None:
                ranked_before.add(row.id)
        return frozenset(changed | (ranked_before - paired))

    def _has_changed(self, row: LockedRow, rows_before: Mapping[str, LockedRow]) -> bool:
        """Return whether a ranked row is new, or its results or headline score changed."""
        row_before = rows_before.get(row.id)
        rank_before = None
        if row_before:
            rank_before = row_before.rank
        if row_before is None or row.rank is None or rank_before is None:
            return row.rank != rank_before
        return self._has_other_headline_score(row_before, row) or self._has_other_results(row.id)

    def _has_other_headline_score(self, row_before: LockedRow, row: LockedRow) -> bool:
        before = row_before.scores.get(self.board.headline)
        after = row.scores.get(self.board.headline)
        return before is not None and after is not None and before.value != after.value

    def _has_other_results(self, bundle: str) -> bool:
        before = self.benchmark_before.bundles.get(bundle)
        after = self.benchmark.bundles.get(bundle)
        if before is None or after is None:
            return False
        return (before.manifest, before.rounds) != (after.manifest, after.rounds)

    def _has_other_digest(self, before: Mapping[str, str], after: Mapping[str, str]) -> bool:
        """Return whether both releases have digests of the board's tasks, and these differ."""
        digest_before = before.get(self.board_before.tasks or "")
        digest = after.get(self.board.tasks or "")
        return digest_before is not None and digest is not None and digest_before != digest

    def _uses_labels(self, metric: str) -> bool:
        definition = self.metrics.get(metric)
        return bool(definition and definition.declared and definition.declared.axis)


def _value_text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)
