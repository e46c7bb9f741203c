"""Boards as releases lock them, and the history of rows across releases."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.history.differences import Value
from sitegen.board.history.revisions import revisions_of
from sitegen.board.score import GAP
from sitegen.metrics.intervals import interval_ends
from sitegen.models.declared import Direction
from sitegen.models.digests import (
    axis_digest,
    finding_digest,
    fingerprints,
    labels_digest,
    manifest_digest,
    table_digest,
    task_set_digest,
)
from sitegen.models.finding import Finding
from sitegen.models.release import (
    LockedBenchmark,
    LockedBoard,
    LockedBundle,
    LockedFinding,
    LockedRevision,
    LockedRow,
    LockedScore,
    Release,
)
from sitegen.models.results import BenchmarkResults, Bundle

Files = Mapping[tuple[str, str], Mapping[str, str]]
"""SHA-256 of a bundle's files by file name, by benchmark and bundle."""


def lock_boards(
    benchmarks: Sequence[Sequence[Board]], files: Files, day: date, title: str, program: str
) -> Release:
    """Return a release that locks boards as they are now.

    Args:
        benchmarks: The boards of each benchmark.
        files: Checksums of the bundles' files; without them, the release is only good for
            comparisons.
        day: The day of the release.
        title: The title of the release; if empty, the release has only its date.
        program: Version of the program.
    """
    locked = tuple(_locked_benchmark(boards, files) for boards in benchmarks)
    return Release(schema_version=1, date=day, title=title, program=program, benchmarks=locked)


def _locked_benchmark(boards: Sequence[Board], files: Files) -> LockedBenchmark:
    """Return a benchmark's boards with digests of all their inputs."""
    results = boards[0].results
    benchmark = results.benchmark
    bundles = {}
    for bundle in results.bundles:
        checksums = files.get((benchmark.id, bundle.id), {})
        bundles[bundle.id] = _locked_bundle(bundle, checksums)
    task_sets = {}
    labels = {}
    for task_set_id, tasks in results.task_sets.items():
        task_sets[task_set_id] = task_set_digest(tasks)
        labels[task_set_id] = labels_digest(tasks)
    axes = {}
    for axis_id, axis in benchmark.axes.items():
        axes[axis_id] = axis_digest(axis)
    findings = []
    for finding, recorded in zip(results.findings, results.recorded_findings(), strict=True):
        findings.append(_locked_finding(finding, recorded))
    locked_boards = [locked_board(board) for board in boards]
    return LockedBenchmark(
        id=benchmark.id,
        title=benchmark.title,
        task_sets=task_sets,
        labels=labels,
        axes=axes,
        reported=_table_digests(results),
        findings=tuple(findings),
        bundles=bundles,
        boards=tuple(locked_boards),
    )


def _locked_bundle(bundle: Bundle, checksums: Mapping[str, str]) -> LockedBundle:
    return LockedBundle(
        manifest=manifest_digest(bundle.submission),
        files=dict(checksums),
        rounds=fingerprints(bundle.rounds),
    )


def _locked_finding(finding: Finding, recorded: Finding) -> LockedFinding:
    """Return the digest of a finding as its file records it, with the title that is published."""
    digest = finding_digest(recorded)
    return LockedFinding(date=finding.date, title=finding.title, digest=digest)


def _table_digests(results: BenchmarkResults) -> dict[str, str]:
    """Return the digests of a benchmark's reported tables by file name.

    If problems are allowed, a table may be unreadable; boards are then only compared, and these
    digests are not used.
    """
    names = sorted(path.name for path in (results.path / "reported").glob("*.toml"))
    tables = zip(names, results.reported, strict=False)
    digests = {}
    for name, table in tables:
        digests[name] = table_digest(table)
    return digests


_LOCKED_TRACK_FIELDS = (
    "title",
    "protocol",
    "attempts",
    "reference_rounds",
    "tasks",
    "status",
    "reason",
    "superseded_by",
    "headline",
)


def locked_board(board: Board) -> LockedBoard:
    """Return a board as a release locks it."""
    track = board.track
    track_fields = {}
    for name in _LOCKED_TRACK_FIELDS:
        track_fields[name] = getattr(track, name)
    metric_ids = [metric.id for metric in board.columns]
    versions = {}
    for metric in board.columns:
        versions[metric.id] = metric.version
    rows = [_locked_row(board, entry) for entry in board.all_entries]
    return LockedBoard(
        track=track.id,
        **track_fields,
        columns=tuple(metric_ids),
        round_word=board.benchmark.round_word.lower(),
        versions=versions,
        rows=tuple(rows),
    )


def _locked_row(board: Board, entry: Entry) -> LockedRow:
    first, last = board.inference.ranks.get(entry.id, (None, None))
    scores = {}
    for metric in board.columns:
        score = _locked_score(board, entry, metric.id)
        if score:
            scores[metric.id] = score
    agent = entry.agent
    status = entry.status
    return LockedRow(
        id=entry.id,
        name=agent.name,
        organization=agent.organization,
        scaffold=agent.scaffold,
        reasoning=agent.reasoning,
        date=entry.date,
        state=status.state,
        by=status.by,
        reason=status.reason,
        apart=entry.apart,
        evidence=entry.evidence,
        rank=board.ranks.get(entry.id),
        first=first,
        last=last,
        missing_note=entry.missing_note(board.headline.id) or None,
        revision=_locked_revision(board, entry),
        scores=scores,
    )


def _locked_revision(board: Board, entry: Entry) -> LockedRevision | None:
    """Return the latest revision of a row as a release locks it; None if it has none.

    Revisions of carried results that were made on an earlier version of the track are left out.
    """
    views = [view for view in revisions_of(board, entry) if not view.track]
    if not views:
        return None
    view = views[-1]
    revision = view.revision
    corrected = {}
    for difference in view.corrections:
        corrected[difference.name] = (
            _correction_text(difference.before),
            _correction_text(difference.after),
        )
    before, after = view.scores
    return LockedRevision(
        of=revision.of,
        date=revision.date,
        reason=revision.reason,
        rounds=revision.rerun_count,
        added=len(revision.added),
        records=view.records,
        before=before,
        after=after,
        times=view.number,
        corrected=corrected,
    )


def _correction_text(value: Value) -> str:
    return GAP if value is None else str(value)


def _locked_score(board: Board, entry: Entry, metric: str) -> LockedScore | None:
    """Return a score with its interval as a release locks it; None for a gap."""
    score = entry.scores.get(metric)
    if score is None or score.value is None:
        return None
    low, high = interval_ends(board.inference.interval(entry, metric))
    printed = None
    if score.printed is not None:
        printed = str(score.printed)
    value = score.value or 0.0  # Removes the sign of -0.
    return LockedScore(value=value, low=low, high=high, printed=printed)


@dataclass(frozen=True, slots=True)
class RowAtRelease:
    """A row in a release, or the current row."""

    release: Release | None
    """The release; None for the current row."""
    row: LockedRow


def row_history(board: Board, releases: Sequence[Release]) -> Mapping[str, Sequence[RowAtRelease]]:
    """Return each row's state in the releases, the oldest first, and its current state, by row id.

    Rows that are in no release are left out.
    """
    history: dict[str, list[RowAtRelease]] = {}
    for release in releases:
        locked = release.board(board.benchmark.id, board.track.id)
        if locked:
            for row in locked.rows:
                history.setdefault(row.id, []).append(RowAtRelease(release, row))
    if not history:
        return {}
    for row in locked_board(board).rows:
        if row.id in history:
            history[row.id].append(RowAtRelease(None, row))
    return history


class ScoredRow(NamedTuple):
    """A row with the value by which it is compared."""

    entry: Entry
    value: float


def best_so_far(rows: Iterable[ScoredRow], direction: Direction = "higher") -> list[ScoredRow]:
    """Return the rows that were better than every earlier row, the earliest first."""
    sign = -1
    if direction == "higher":
        sign = 1
    by_day = sorted(rows, key=lambda row: (row.entry.date, -sign * row.value, row.entry.id))
    best: list[ScoredRow] = []
    for row in by_day:
        if not best or sign * row.value > sign * best[-1].value:
            best.append(row)
    return best


def record_holders(board: Board) -> list[ScoredRow]:
    """Return the published rows with a better headline score than every earlier row."""
    headline = board.headline
    rows = []
    for entry in board.entries:
        value = entry.value(headline.id)
        if value is not None and not entry.has_missing_tasks:
            rows.append(ScoredRow(entry, value))
    return best_so_far(rows, headline.direction)
