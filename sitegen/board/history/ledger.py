"""The events from one release to the next, and since the latest release, with their causes.

Events follow only from the data that releases lock, so a page about a release does not change when
boards change later.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import chain
from operator import itemgetter
from types import MappingProxyType
from typing import Literal, NamedTuple, get_args

from sitegen.board.agents import closest_of_agent, counterpart_of
from sitegen.board.board import Board, BoardEntry
from sitegen.board.findings import MarkedFinding
from sitegen.board.history.causes import BoardStep, Cause, RowPair, locked_metric_title
from sitegen.board.history.differences import CellChange, cell_changes, differing
from sitegen.board.history.releases import lock_boards
from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.metric import Metric
from sitegen.models.digests import finding_digest, read_prints
from sitegen.models.release import (
    LockedBenchmark,
    LockedBoard,
    LockedRevision,
    LockedRow,
    LockedScore,
    Release,
)
from sitegen.models.results import Bundle
from sitegen.models.revisions import added_attempts
from sitegen.problems import ranges

EventKind = Literal[
    "entered",
    "redacted",
    "withdrawn",
    "superseded",
    "left",
    "restored",
    "renamed",
    "rescored",
    "moved",
]
"""The kind of event, in the order in which events are listed.

A row that was rescored may also have moved; a renamed row may have two events.
"""


@dataclass(frozen=True, slots=True)
class ScoreChange:
    """A score that changed; None if the row did not have it before or does not have it after."""

    metric: str
    before: LockedScore | None
    after: LockedScore | None


class FormerRow(NamedTuple):
    """A row of the same benchmark that another row replaces."""

    track: str
    """The id of its track."""
    row: str
    """The id of the row."""


@dataclass(frozen=True, slots=True)
class Event:
    """A change to a row between two releases."""

    what: EventKind
    row: LockedRow
    """The row in the later release; if it left, the row in the earlier release."""
    row_before: LockedRow | None
    """The row in the earlier release; None if it is new."""
    causes: Sequence[Cause]
    """The known causes."""
    score_changes: Sequence[ScoreChange] = ()
    """The scores that changed."""
    replaces: FormerRow | None = None
    """The row that the event's row replaces, if any."""
    corrected_row: LockedRow | None = None
    """For a row that entered, the replaced row as the earlier release has it."""
    attempts: tuple[int, ...] = ()
    """The attempts that the row adds to those of the row it replaces; empty for other rows."""
    former_row: LockedRow | None = None
    """The replaced row if it is on the same board: `corrected_row`, or a row that is also new."""
    has_new_former_row: bool = False
    """Whether `former_row` is new as well and has no event: this event says that both are new."""

    @property
    def compared_with(self) -> LockedRow | None:
        """The row to compare with: the row as it was, or the row that it corrects."""
        return self.corrected_row or self.row_before

    @property
    def changed(self) -> Sequence[ScoreChange]:
        """The scores that differ from `compared_with`; all scores of a new row."""
        if self.corrected_row:
            return score_changes_between(self.corrected_row, self.row)
        return self.score_changes


@dataclass(frozen=True, slots=True)
class BoardEvents:
    """The events on a board between two releases."""

    benchmark: LockedBenchmark
    board: LockedBoard
    board_before: LockedBoard | None
    """The board in the earlier release; None if it is new."""
    events: Sequence[Event]
    """The events in the order of `EventKind`, then of the board."""
    row_pairs: Sequence[RowPair] = ()
    """The rows of both releases in pairs; the later row may replace the earlier row."""
    metrics: Mapping[str, Metric] = field(default_factory=lambda: METRICS)
    round_word: str = "round"
    """The benchmark's current word for a round, in lower case."""
    benchmark_before: LockedBenchmark | None = None
    """The benchmark in the earlier release; None if it is new."""

    def metric_title(self, metric: str) -> str:
        """Return the title of a metric on the board; its id if the benchmark no longer has it."""
        return locked_metric_title(metric, self.board, self.metrics)

    @property
    def is_new(self) -> bool:
        """Whether the board is new in the later release."""
        return self.board_before is None

    @property
    def has_new_status(self) -> bool:
        """Whether the status of the track changed, such as to withdrawn."""
        return self.board_before is not None and self.board_before.status != self.board.status

    @property
    def former_headline(self) -> str | None:
        """The earlier headline metric if it was different, otherwise None."""
        if self.board_before is None or self.board_before.headline == self.board.headline:
            return None
        return self.board_before.headline

    @property
    def has_new_labels(self) -> bool:
        """Whether labels of the board's tasks were added or changed; False if not known."""
        if self.board_before is None or self.benchmark_before is None:
            return False
        task_set = self.board.tasks
        if task_set is None or self.board_before.tasks != task_set:
            return False
        before = self.benchmark_before.labels.get(task_set)
        after = self.benchmark.labels.get(task_set)
        return before is not None and after is not None and before != after

    @property
    def new_axes(self) -> list[str]:
        """The axes of the benchmark that the earlier release does not have."""
        before = self.benchmark_before.axes if self.benchmark_before else {}
        return [axis for axis in self.benchmark.axes if axis not in before]

    @property
    def has_changed(self) -> bool:
        """Whether the board is new or changed."""
        if self.is_new or self.has_new_status or self.has_new_labels:
            return True
        return bool(self.former_headline or self.events)


@dataclass(frozen=True, slots=True)
class ReleaseEvents:
    """The changes of a release since the previous release."""

    release: Release
    """The release; for changes since the latest release, a release made of the current boards."""
    release_before: Release | None
    """The previous release; None for the first release."""
    boards: Sequence[BoardEvents]


@dataclass(frozen=True, slots=True)
class Ledger:
    """The events in a results folder, release by release."""

    releases: Sequence[ReleaseEvents]
    """The events of each release, the oldest first."""
    since: ReleaseEvents | None
    """The events since the latest release; None if there are no releases or no events."""
    benchmarks: Sequence[Sequence[Board]]
    """The current boards, by benchmark."""

    def deciding_cells(self, board_events: BoardEvents, event: Event) -> list[CellChange]:
        """Return the rounds whose verdict differs between a row and the row that it replaces.

        Only rounds of tasks that both rows have are compared.
        """
        if event.replaces is None:
            return []
        benchmark = board_events.benchmark.id
        before = self._bundle(benchmark, *event.replaces)
        after = self._bundle(benchmark, board_events.board.track, event.row.id)
        if before is None or after is None:
            return []
        tasks_before = {result.task for result in before.rounds}
        shared_tasks = tasks_before & {result.task for result in after.rounds}
        deciding = []
        for cell in cell_changes(before, after):
            if cell.changes_verdict and cell.task in shared_tasks:
                deciding.append(cell)
        return deciding

    def _bundle(self, benchmark: str, track: str, row_id: str) -> Bundle | None:
        row = self.row(benchmark, track, row_id)
        if row and row.entry.id == row_id:
            return row.entry.bundle
        return None

    def row(self, benchmark: str, track: str, row_id: str) -> BoardEntry | None:
        """Return the current row that represents a row of a release; None if there is none."""
        for board in chain.from_iterable(self.benchmarks):
            if (board.benchmark.id, board.track.id) == (benchmark, track):
                entry = board.entry_for(row_id)
                if not entry:
                    return None
                return BoardEntry(board, entry)
        return None


def make_ledger(
    releases: Sequence[Release], benchmarks: Sequence[Sequence[Board]], program: str
) -> Ledger:
    """Return the events of each release, and those since the latest release.

    Args:
        releases: The releases, the oldest first.
        benchmarks: The current boards, by benchmark.
        program: Version of the program that computed the current boards.
    """
    if not releases:
        return Ledger((), None, benchmarks)
    findings = {}
    metrics = {}
    round_words = {}
    for board in chain.from_iterable(benchmarks):
        by_digest = {}
        for mark in board.findings.all:
            by_digest[finding_digest(mark.finding)] = mark
        findings[board.benchmark.id, board.track.id] = by_digest
        metrics[board.benchmark.id] = board.metrics
        round_words[board.benchmark.id] = board.benchmark.round_word.lower()
    current = lock_boards(benchmarks, {}, date.max, "", program)
    chapters = []
    for before, after in zip((None, *releases), (*releases, current), strict=True):
        events = events_between(before, after, findings, metrics, round_words)
        chapters.append(ReleaseEvents(after, before, events))
    *release_chapters, since = chapters
    latest = None
    if since.boards:
        latest = since
    return Ledger(release_chapters, latest, benchmarks)


FindingsByBoard = Mapping[tuple[str, str], Mapping[str, MarkedFinding]]
"""The findings about each board, by benchmark and track, then by digest."""

MetricsByBenchmark = Mapping[str, Mapping[str, Metric]]
"""The metrics of each benchmark, by benchmark id, then by metric id."""


def events_between(
    before: Release | None,
    after: Release,
    findings: FindingsByBoard,
    metrics: MetricsByBenchmark = MappingProxyType({}),
    round_words: Mapping[str, str] = MappingProxyType({}),
) -> list[BoardEvents]:
    """Return the events on each board that changed from one release to the next."""
    changed = []
    program_before = ""
    if before:
        program_before = before.program
    programs = (program_before, after.program)
    for benchmark in after.benchmarks:
        benchmark_before = None
        if before:
            benchmark_before = before.benchmark(benchmark.id)
        benchmark_metrics = metrics.get(benchmark.id, METRICS)
        for board in benchmark.boards:
            board_before = None
            if benchmark_before:
                board_before = benchmark_before.board(board.track)
            no_benchmark = LockedBenchmark(id=benchmark.id, title=benchmark.title)
            no_rows = board.model_copy(update={"rows": ()})
            step = BoardStep(
                benchmark_before or no_benchmark,
                benchmark,
                board_before or no_rows,
                board,
                programs,
                findings.get((benchmark.id, board.track), {}),
                benchmark_metrics,
                _row_pairs(board_before, board),
            )
            board_events = BoardEvents(
                benchmark,
                board,
                board_before,
                _events(step),
                step.pairs,
                benchmark_metrics,
                round_words.get(benchmark.id, board.round_word),
                benchmark_before,
            )
            if board_events.has_changed:
                changed.append(board_events)
    return changed


def locked_rank_text(row: LockedRow) -> str | None:
    """Return a row's possible ranks, or its rank by score in parentheses; None if unranked."""
    if row.first and row.last:
        if row.first == row.last:
            return str(row.first)
        return f"{row.first}-{row.last}"
    if not row.rank:
        return None
    return f"({row.rank})"


def _row_pairs(before: LockedBoard | None, board: LockedBoard) -> list[RowPair]:
    """Return the rows of two releases in pairs.

    A row is paired with the row with the same id, else with the published row that it replaces,
    else with a removed row of the same agent.
    """
    rows_before = _rows(before)
    rows = _rows(board)
    replaced = {}
    for row_id, row in rows.items():
        if row.by and _is_replaced(row, rows_before.get(row_id), rows_before):
            replaced[row.by] = rows_before[row_id]
    gone = [row for row_id, row in rows_before.items() if row_id not in rows]
    new = [row for row_id, row in rows.items() if row_id not in rows_before]
    pairs = []
    for row_id, row in rows.items():
        row_before = rows_before.get(row_id) or replaced.get(row_id)
        if row_before is None:
            row_before = counterpart_of(row, new, gone, lambda of_row: of_row)
        if row_before:
            pairs.append(RowPair(row_before, row))
    return pairs


def _is_replaced(
    row: LockedRow, row_before: LockedRow | None, rows_before: Mapping[str, LockedRow]
) -> bool:
    """Return whether a published row is now superseded by a row that is new on the board."""
    if row_before is None or row_before.state != "published" or row.state != "superseded":
        return False
    return bool(row.by) and row.by not in rows_before


def _events(step: BoardStep) -> list[Event]:
    """Return the events on a board, in the order of `EventKind`."""
    rows_before = {}
    paired = set()
    for row_before, row in step.pairs:
        rows_before[row.id] = row_before
        paired.add(row_before.id)
    events = []
    for row in step.board_before.rows:
        if row.id not in paired:
            events.append(Event("left", row, row, ()))
    for row in step.board.rows:
        former_row = rows_before.get(row.id)
        if former_row is None:
            events.append(_entered(step, row, _replaced_row(step, row)))
        elif former_row.id == row.id:
            events += _same_row_events(step, row, former_row)
        else:
            events += _replacing_row_events(step, row, former_row)
    events = _joined_entries(events)
    return sorted(events, key=lambda event: get_args(EventKind).index(event.what))


def _joined_entries(events: Sequence[Event]) -> list[Event]:
    """Return the events, excluding those of rows that entered and were already replaced.

    The events of their successors mention these rows.

    A row that revises another row, or adds attempts, keeps its event.
    """
    entered = {event.row.id for event in events if event.what == "entered"}
    joined = set()
    for event in events:
        row = event.row
        is_replaced = row.state == "superseded" and row.by in entered
        has_news = row.revision or event.attempts or event.corrected_row
        if event.what == "entered" and is_replaced and not has_news:
            joined.add(row.id)
    kept = []
    for event in events:
        if event.row.id in joined:
            continue
        if event.former_row and event.former_row.id in joined:
            event = replace(event, has_new_former_row=True)  # noqa: PLW2901 - the same event
        kept.append(event)
    return kept


def _entered(step: BoardStep, row: LockedRow, replaced: FormerRow | None) -> Event:
    """Return the event of a row that entered, given the row it replaces; a revision names that row.

    A revision that an earlier row already had is inherited, so it is not part of the event. A row
    that was withdrawn since it entered counts as withdrawn.
    """
    if row.revision and not replaced:
        replaced = FormerRow(step.board.track, row.revision.of)
    corrected = None
    former_row = None
    if replaced and replaced.track == step.board.track:
        corrected = _rows(step.board_before).get(replaced.row)
        former_row = corrected or _rows(step.board).get(replaced.row)
    if row.revision and _is_inherited(row.revision, step, former_row):
        row = row.model_copy(update={"revision": None})
    changes = score_changes_between(None, row)
    cause = _source_cause(row)
    attempts: tuple[int, ...] = ()
    if row.revision:
        cause = Cause("revision", row.revision.reason)
    elif former_row:
        attempts = _added_attempts(step, former_row, row)
    if attempts:
        cause = Cause("attempts", ranges(attempts))
    outcome: EventKind = "entered"
    if row.state == "withdrawn":
        outcome = "withdrawn"
        cause = Cause("status", row.reason or "")
    return Event(outcome, row, None, (cause,), changes, replaced, corrected, attempts, former_row)


def _added_attempts(step: BoardStep, row_before: LockedRow, row: LockedRow) -> tuple[int, ...]:
    """Return the attempts that a row adds to those of the row that it replaces."""
    before = step.benchmark.bundles.get(row_before.id)
    after = step.benchmark.bundles.get(row.id)
    if before is None or after is None:
        return ()
    return added_attempts(read_prints(before.rounds), read_prints(after.rounds))


def _is_inherited(revision: LockedRevision, step: BoardStep, former_row: LockedRow | None) -> bool:
    """Return whether the replaced row, or a row of the earlier release, already had a revision."""
    key = (revision.of, revision.date, revision.reason)
    rows = list(step.board_before.rows)
    if former_row:
        rows.append(former_row)
    for row in rows:
        earlier = row.revision
        if earlier and (earlier.of, earlier.date, earlier.reason) == key:
            return True
    return False


def _replacing_row_events(
    step: BoardStep, row: LockedRow, row_before: LockedRow
) -> Iterator[Event]:
    """Yield the events of a row that replaced another row.

    A row with the same values was only imported again, which is not an event.
    """
    changes = score_changes_between(row_before, row)
    replaced = FormerRow(step.board.track, row_before.id)
    if row_before.evidence == "reported" and row.evidence != "reported":
        causes = (Cause("recomputed"), *step.acting_findings(row))
        yield Event("rescored", row, row_before, causes, changes, replaced)
    elif row_before.id in _rows(step.board) and (
        changes or _is_revision(row, row_before) or _added_attempts(step, row_before, row)
    ):
        yield _entered(step, row, replaced)
    elif changes:
        yield Event("rescored", row, row_before, (_source_cause(row),), changes, replaced)
    elif locked_rank_text(row_before) != locked_rank_text(row):
        yield Event("moved", row, row_before, step.rank_causes(row), (), replaced)


def _is_revision(row: LockedRow, row_before: LockedRow) -> bool:
    """Return whether a row revises another row; this is an event even if no score changed."""
    return row.revision is not None and row.revision.of in {row_before.id, row_before.formerly}


def _replaced_row(step: BoardStep, row: LockedRow) -> FormerRow | None:
    """Return the row that a new row replaces: a superseded row that names the new row.

    Otherwise, it is the row of the same agent on the tracks that this track supersedes, if any.
    """
    former = []
    for board in step.benchmark.boards:
        for other_row in board.rows:
            if other_row.state == "superseded" and other_row.by == row.id:
                return FormerRow(board.track, other_row.id)
            if board.superseded_by == step.board.track:
                former.append((board.track, other_row))
    closest = closest_of_agent(row, former, itemgetter(1))
    if closest is None:
        return None
    track, former_row = closest
    return FormerRow(track, former_row.id)


def _same_row_events(step: BoardStep, row: LockedRow, row_before: LockedRow) -> Iterator[Event]:
    """Yield the events of a row that both releases have."""
    if row_before.formerly and row_before.formerly != row.formerly:
        yield Event("renamed", row, row_before, (Cause("name", row_before.formerly),))
    changes = score_changes_between(row_before, row)
    redactions = _redactions(step, row)
    if redactions:
        yield Event("redacted", row, row_before, redactions, changes)
    elif _is_imported_again(step, row, row_before):
        return
    elif row_before.state != row.state:
        outcome: EventKind = "restored"
        if row.state != "published":
            outcome = row.state
        yield Event(outcome, row, row_before, (Cause("status", row.reason or ""),), changes)
    elif changes:
        causes = step.score_causes(row_before, row, [change.metric for change in changes])
        yield Event("rescored", row, row_before, causes, changes)
    elif locked_rank_text(row_before) != locked_rank_text(row):
        yield Event("moved", row, row_before, step.rank_causes(row))


def _is_imported_again(step: BoardStep, row: LockedRow, row_before: LockedRow) -> bool:
    """Return whether a row was replaced by a row with the same values."""
    successor = _rows(step.board).get(row.by or "")
    if successor is None or not _is_replaced(row, row_before, _rows(step.board_before)):
        return False
    return not score_changes_between(row_before, successor)


def _redactions(step: BoardStep, row: LockedRow) -> list[Cause]:
    """Return the new redactions of a row's content, as causes."""
    causes = []
    for mark in step.new_findings(row):
        finding = mark.finding
        if finding.redacts(row.id):
            content = "content"
            if finding.tasks:
                content = f"texts of {', '.join(finding.tasks)}"
            about = f"{content} removed by {finding.by} on {finding.date}: {finding.reason}"
            causes.append(Cause("redaction", about, mark))
    return causes


def _source_cause(row: LockedRow) -> Cause:
    return Cause("table" if row.evidence == "reported" else "submission")


def _rows(board: LockedBoard | None) -> dict[str, LockedRow]:
    if not board:
        return {}
    return {row.id: row for row in board.rows}


def score_changes_between(before: LockedRow | None, after: LockedRow) -> list[ScoreChange]:
    """Return the scores whose values differ, in the order of the later row."""
    scores_before = {}
    if before:
        scores_before = before.scores
    scores_after = after.scores
    values_before = {metric: score.value for metric, score in scores_before.items()}
    values_after = {metric: score.value for metric, score in scores_after.items()}
    changes = []
    for metric, _, _ in differing(values_after, values_before):
        changes.append(ScoreChange(metric, scores_before.get(metric), scores_after.get(metric)))
    return changes
