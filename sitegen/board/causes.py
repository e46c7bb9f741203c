"""Why scores and ranks of a board changed from one release to the next, as far as these tell."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from sitegen.board.findings import Marked
from sitegen.metrics.metric import Metric
from sitegen.models.release import LockedBenchmark, LockedBoard, LockedRow

CauseKind = Literal[
    "submission",
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
"""What brought something about: `answers.news` has each in words.

A row is `recomputed` where raw results come in the place of published values, and moves by `others`
where these changed. `labels` are those of the tasks, `axes` their weights and clusters, `conditions`
the track's protocol, attempts and reference rounds.
"""


@dataclass(frozen=True, slots=True)
class Cause:
    """What brought something about."""

    kind: CauseKind
    about: str = ""
    """What there is to say of it; may be empty."""
    finding: Marked | None = None
    """The finding with its name in addresses, where it was one."""


RowPairs = Sequence[tuple[LockedRow, LockedRow]]
"""The rows that two states of a board have, each as it was and as it is."""


@dataclass(frozen=True)  # no slots: which rows changed is found out once
class BoardStep:
    """One board of a benchmark in two releases."""

    was: LockedBenchmark
    now: LockedBenchmark
    before: LockedBoard
    board: LockedBoard
    programs: tuple[str, str]
    """Versions of the program that computed both."""
    findings: Mapping[str, Marked]
    """The findings about the board, by their digests."""
    metrics: Mapping[str, Metric]
    """The metrics that the benchmark knows now, by id."""
    pairs: RowPairs
    """The rows that both releases have."""

    def title_of(self, metric: str) -> str:
        """Return what the board calls a metric; its id where nobody knows it any more."""
        known = self.metrics.get(metric)
        return known.named(self.board.attempts, self.board.rounds_word) if known else metric

    def score_causes(
        self,
        was: LockedRow,
        row: LockedRow,
        metrics: Sequence[str],
    ) -> tuple[Cause, ...]:
        """Return why a row has other scores by some metrics than before, as far as is known."""
        columns = {*self.before.columns} & {*self.board.columns}
        on_both = [name for name in metrics if name in columns]
        causes = []
        if on_both and row.evidence == "reported":
            causes += self._table_causes(was, row) or self._program_causes()
        elif on_both and was.evidence == "reported":
            causes += [Cause("recomputed"), *self.acting_findings(row)]
        elif on_both:
            causes += self._computing_causes(row, on_both) or self._program_causes()
        if len(on_both) < len(metrics):
            causes += self._column_causes()
        return tuple(causes)

    def rank_causes(self, row: LockedRow) -> tuple[Cause, ...]:
        """Return why a row has other possible ranks while its scores are the same."""
        causes = [*self._headline_causes(), *self._condition_causes(), *self._axis_causes()]
        if self._changed_rows - {row.id}:
            causes.append(Cause("others"))
        headline = [self.board.headline]
        causes = causes or self._computing_causes(row, headline, also_labels=True)
        return tuple(causes or self._program_causes())

    def acting_findings(self, row: LockedRow) -> list[Cause]:
        """Return the findings that are new and change what counts of a row's results."""
        if row.evidence == "reported":
            return []
        acting = [each for each in self.new_findings(row) if each.finding.changes_results]
        return [Cause("finding", each.finding.title, each) for each in acting]

    def new_findings(self, row: LockedRow) -> Iterator[Marked]:
        """Yield the findings about a row that the earlier release does not have."""
        earlier = {each.digest for each in self.was.findings}
        for locked in self.now.findings:
            marked = self.findings.get(locked.digest)
            if marked and locked.digest not in earlier and marked.concerns_row(row.id):
                yield marked

    def _computing_causes(
        self,
        row: LockedRow,
        metrics: Sequence[str],
        *,
        also_labels: bool = False,
    ) -> list[Cause]:
        """Return what differs of all that scores of a row are computed from."""
        causes = []
        if self._has_other_results(row.id):
            causes.append(Cause("data"))
        if self._differ(self.was.task_sets, self.now.task_sets):
            causes.append(Cause("tasks"))
        uses_labels = also_labels or any(self._uses_labels(name) for name in metrics)
        if uses_labels and self._differ(self.was.labels, self.now.labels):
            causes.append(Cause("labels"))
        causes += self._condition_causes()
        causes += self.acting_findings(row)
        for name in metrics:
            causes += self._definition_causes(name)
        return causes

    def _definition_causes(self, metric: str) -> Iterator[Cause]:
        before, after = self.before.versions.get(metric, 1), self.board.versions.get(metric)
        if after is None or before == after:
            return
        is_numbered = isinstance(before, int) and isinstance(after, int)
        how = f"version {before} → {after}" if is_numbered else "declared otherwise than before"
        yield Cause("definition", f"{self.title_of(metric)}, {how}")

    def _table_causes(self, was: LockedRow, row: LockedRow) -> list[Cause]:
        is_printed_again = was.date != row.date or self.was.reported != self.now.reported
        return [Cause("table")] if is_printed_again else []

    def _condition_causes(self) -> list[Cause]:
        conditions = ("protocol", "attempts", "reference_rounds")
        parts = []
        for name in conditions:
            before, after = getattr(self.before, name), getattr(self.board, name)
            if before != after:
                parts.append(f"`{name}` {_written(before)} → {_written(after)}")
        return [Cause("conditions", ", ".join(parts))] if parts else []

    def _headline_causes(self) -> list[Cause]:
        before, after = self.before.headline, self.board.headline
        if before == after:
            return []
        return [Cause("headline", f"{self.title_of(before)} → {self.title_of(after)}")]

    def _axis_causes(self) -> list[Cause]:
        """Return the axes whose weights or clusters differ, where the earlier release has axes."""
        if not self.was.axes:
            return []
        names = sorted({*self.was.axes, *self.now.axes})
        differing = [name for name in names if self.was.axes.get(name) != self.now.axes.get(name)]
        return [Cause("axes", ", ".join(differing))] if differing else []

    def _column_causes(self) -> list[Cause]:
        before, after = self.before.columns, self.board.columns
        new = [self.title_of(name) for name in after if name not in before]
        gone = [self.title_of(name) for name in before if name not in after]
        parts = [f"with {', '.join(new)}"] if new else []
        parts += [f"without {', '.join(gone)}"] if gone else []
        return [Cause("columns", " and ".join(parts))]

    def _program_causes(self) -> list[Cause]:
        before, after = self.programs
        if before == after:
            return [Cause("unknown")]
        return [Cause("program", f"{before} → {after}")]

    @cached_property
    def _changed_rows(self) -> frozenset[str]:
        """The ids of ranked rows that entered, left, or have other results or headline scores."""
        changed = set()
        earlier = {row.id: was for was, row in self.pairs}
        for row in self.board.rows:
            was = earlier.get(row.id)
            if was is None:
                has_changed = row.rank is not None
            elif row.rank is None or was.rank is None:
                has_changed = row.rank != was.rank
            else:
                has_changed = self._has_other_headline_score(was, row)
                has_changed |= self._has_other_results(row.id)
            if has_changed:
                changed.add(row.id)
        kept = {was.id for was, _ in self.pairs}
        for row in self.before.rows:
            if row.rank is not None and row.id not in kept:
                changed.add(row.id)
        return frozenset(changed)

    def _has_other_headline_score(self, was: LockedRow, row: LockedRow) -> bool:
        before, after = (each.scores.get(self.board.headline) for each in (was, row))
        return before is not None and after is not None and before.value != after.value

    def _has_other_results(self, bundle: str) -> bool:
        before, after = self.was.bundles.get(bundle), self.now.bundles.get(bundle)
        if before is None or after is None:
            return False
        return (before.manifest, before.rounds) != (after.manifest, after.rounds)

    def _differ(self, before: Mapping[str, str], after: Mapping[str, str]) -> bool:
        """Return whether both releases hold digests of the board's tasks, and these differ."""
        was, now = before.get(self.before.tasks or ""), after.get(self.board.tasks or "")
        return was is not None and now is not None and was != now

    def _uses_labels(self, metric: str) -> bool:
        known = self.metrics.get(metric)
        return bool(known and known.declared and known.declared.axis)


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
