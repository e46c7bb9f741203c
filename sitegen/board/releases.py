"""Boards as releases keep them, and what has become of rows from release to release."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.metrics.uncertainty import ends_of
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
from sitegen.models.release import (
    LockedBenchmark,
    LockedBoard,
    LockedBundle,
    LockedFinding,
    LockedRow,
    LockedScore,
    Release,
)

Files = Mapping[tuple[str, str], Mapping[str, str]]
"""SHA-256 of a bundle's files by name, by benchmark and bundle."""


def release_of(
    benchmarks: Sequence[Sequence[Board]], files: Files, day: date, title: str, program: str
) -> Release:
    """Lock boards, by benchmark, as they are, with everything that they come from and the program's version.

    Without checksums of the bundles' files the result is only to be compared; without a title it has only its date.
    """
    locked = []
    for boards in benchmarks:
        results = boards[0].results
        home = results.benchmark.id
        tables = sorted(path.name for path in (results.path / "reported").glob("*.toml"))
        bundles = {}
        for each in results.bundles:
            digest, inside = manifest_digest(each.submission), dict(files.get((home, each.id), {}))
            bundles[each.id] = LockedBundle(
                manifest=digest, files=inside, rounds=fingerprints(each.rounds)
            )
        findings = (
            LockedFinding(date=each.date, title=each.title, digest=finding_digest(each))
            for each in results.findings
        )
        benchmark = LockedBenchmark(
            id=home,
            title=results.benchmark.title,
            task_sets={name: task_set_digest(tasks) for name, tasks in results.task_sets.items()},
            labels={name: labels_digest(tasks) for name, tasks in results.task_sets.items()},
            axes={name: axis_digest(axis) for name, axis in results.benchmark.axes.items()},
            # Some can't be read where problems are allowed: then boards are only compared, and nobody asks for tables.
            reported={
                name: table_digest(table)
                for name, table in zip(tables, results.reported, strict=False)
            },
            findings=tuple(findings),
            bundles=bundles,
            boards=tuple(map(locked_board, boards)),
        )
        locked.append(benchmark)
    return Release(
        schema_version=1, date=day, title=title, program=program, benchmarks=tuple(locked)
    )


def locked_board(board: Board) -> LockedBoard:
    """A board as a release keeps it."""
    track = board.track
    same = (
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
    return LockedBoard(
        track=track.id,
        **{name: getattr(track, name) for name in same},
        columns=tuple(metric.id for metric in board.columns),
        rounds_word=board.benchmark.round_word.lower(),
        versions={metric.id: metric.version for metric in board.columns},
        rows=tuple(_row(board, entry) for entry in board.all_entries),
    )


def _row(board: Board, entry: Entry) -> LockedRow:
    first, last = board.certainty.ranks.get(entry.id, (None, None))
    scores = {}
    for name in (metric.id for metric in board.columns if entry.value(metric.id) is not None):
        score, interval = entry.scores[name], board.certainty.interval(entry, name)
        low, high = ends_of(interval)
        printed = None if score.printed is None else str(score.printed)
        scores[name] = LockedScore(value=score.value or 0.0, low=low, high=high, printed=printed)
    return LockedRow(
        id=entry.id,
        **{
            name: getattr(entry.agent, name)
            for name in ("name", "organization", "scaffold", "reasoning")
        },
        date=entry.date,
        **{name: getattr(entry.status, name) for name in ("state", "by", "reason")},
        evidence=entry.evidence,
        rank=board.ranks.get(entry.id),
        first=first,
        last=last,
        missing_note=entry.missing_note(board.headline.id) or None,
        scores=scores,
    )


@dataclass(frozen=True, slots=True)
class Past:
    """A row as a release has it; as it is, where there is no release."""

    release: Release | None
    row: LockedRow


def row_history(board: Board, releases: Sequence[Release]) -> Mapping[str, Sequence[Past]]:
    """The rows of a board as releases have them and as they are, by id; rows that no release has are left out."""
    found: dict[str, list[Past]] = {}
    for release in releases:
        locked = release.board(board.benchmark.id, board.track.id)
        for row in locked.rows if locked else ():
            found.setdefault(row.id, []).append(Past(release, row))
    for row in locked_board(board).rows if found else ():
        if row.id in found:
            found[row.id].append(Past(None, row))
    return found


def best_so_far(
    values: Iterable[tuple[Entry, float]], direction: Direction = "higher"
) -> list[tuple[Entry, float]]:
    """The rows that were the best of their day, the earliest first, each with its value."""
    sign, best = 1 if direction == "higher" else -1, list[tuple[Entry, float]]()
    for entry, value in sorted(
        values, key=lambda each: (each[0].date, -sign * each[1], each[0].id)
    ):
        if not best or sign * value > sign * best[-1][1]:
            best.append((entry, value))
    return best


def records_of(board: Board) -> list[tuple[Entry, float]]:
    """The rows that were the best of their day by the headline score; those that stand."""
    scores = (
        (entry, entry.value(board.headline.id))
        for entry in board.entries
        if not entry.is_incomplete
    )
    return best_so_far(
        ((entry, value) for entry, value in scores if value is not None), board.headline.direction
    )
