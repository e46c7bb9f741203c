"""Makes a release of the boards as they are."""

from collections.abc import Mapping, Sequence
from datetime import date

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.score import Score
from sitegen.models.digests import finding_digest, fingerprints, manifest_digest, table_digest, task_set_digest
from sitegen.models.release import (
    LockedBenchmark,
    LockedBoard,
    LockedBundle,
    LockedFinding,
    LockedRow,
    LockedScore,
    Release,
)
from sitegen.models.results import BenchmarkResults, Bundle

Files = Mapping[tuple[str, str], Mapping[str, str]]
"""SHA-256 of a bundle's files by name, by benchmark and bundle."""


def release_of(benchmarks: Sequence[Sequence[Board]], files: Files, day: date, title: str, program: str) -> Release:
    """Lock boards with everything that they come from.

    Args:
        benchmarks: Boards by benchmark.
        files: Checksums of the bundles' files; empty where the result is only to be compared.
        day: The release's date.
        title: What it is called; empty where it has only its date.
        program: The version of the program that computed the scores.
    """
    locked = tuple(_benchmark(boards, files) for boards in benchmarks)
    return Release(schema_version=1, date=day, title=title, program=program, benchmarks=locked)


def locked_board(board: Board) -> LockedBoard:
    """Give a board as a release keeps it."""
    track = board.track
    return LockedBoard(
        track=track.id,
        title=track.title,
        protocol=track.protocol,
        attempts=track.attempts,
        reference_rounds=track.reference_rounds,
        tasks=track.tasks,
        status=track.status,
        reason=track.reason,
        superseded_by=track.superseded_by,
        headline=track.headline,
        columns=tuple(metric.id for metric in board.columns),
        rounds_word=board.benchmark.round_name.lower(),
        versions={metric.id: metric.version for metric in board.columns},
        rows=tuple(_row(board, entry) for entry in board.all_entries),
    )


def _benchmark(boards: Sequence[Board], files: Files) -> LockedBenchmark:
    results = boards[0].results
    benchmark = results.benchmark
    return LockedBenchmark(
        id=benchmark.id,
        title=benchmark.title,
        task_sets={name: task_set_digest(tasks) for name, tasks in results.task_sets.items()},
        reported=_tables(results),
        findings=tuple(
            LockedFinding(date=each.date, title=each.title, digest=finding_digest(each)) for each in results.findings
        ),
        bundles={bundle.id: _bundle(bundle, files.get((benchmark.id, bundle.id), {})) for bundle in results.bundles},
        boards=tuple(map(locked_board, boards)),
    )


def _tables(results: BenchmarkResults) -> dict[str, str]:
    names = sorted(path.name for path in (results.path / "reported").glob("*.toml"))
    # Some can't be read where problems are allowed: then boards are only compared, for which nobody asks for tables.
    return {name: table_digest(table) for name, table in zip(names, results.reported, strict=False)}


def _bundle(bundle: Bundle, files: Mapping[str, str]) -> LockedBundle:
    return LockedBundle(
        manifest=manifest_digest(bundle.submission), files=dict(files), rounds=fingerprints(bundle.rounds)
    )


def _row(board: Board, entry: Entry) -> LockedRow:
    places = board.certainty.ranks.get(entry.id)
    shown = {metric.id: entry.scores[metric.id] for metric in board.columns if metric.id in entry.scores}
    scores = {name: _score(board, entry, name, score) for name, score in shown.items()}
    return LockedRow(
        id=entry.id,
        name=entry.agent.name,
        organization=entry.agent.organization,
        scaffold=entry.agent.scaffold,
        reasoning=entry.agent.reasoning,
        date=entry.date,
        state=entry.status.state,
        by=entry.status.by,
        reason=entry.status.reason,
        evidence=entry.evidence,
        rank=board.ranks.get(entry.id),
        first=places[0] if places else None,
        last=places[1] if places else None,
        scores={name: score for name, score in scores.items() if score},
    )


def _score(board: Board, entry: Entry, name: str, score: Score) -> LockedScore | None:
    if score.value is None:
        return None
    interval = board.certainty.interval(entry, name)
    printed = None if score.printed is None else str(score.printed)
    low, high = (interval.low, interval.high) if interval else (None, None)
    return LockedScore(value=score.value, low=low, high=high, printed=printed)
