"""Load results for notebooks and scripts; only the requested results are read and scored."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from difflib import get_close_matches
from pathlib import Path

from sitegen.board.board import BoardEntry
from sitegen.board.frames import ResultFrames
from sitegen.board.row_problems import problems_in
from sitegen.models.benchmark import Benchmark
from sitegen.pipeline.evaluating import evaluate, row_address, score_benchmark
from sitegen.problems import (
    Problem,
    ProblemsError,
    UsageError,
    agreeing,
    errors_of,
    grouped,
    listed,
)
from sitegen.store.files.layout import DEFINITION_FILE, SUBMISSIONS_FOLDER
from sitegen.store.readers.benchmarks import read_benchmark
from sitegen.store.readers.folder import NOTHING_FOUND, path_kind, read_bundle_alone

MAX_SUGGESTIONS = 3
"""The largest number of names suggested in place of an unknown name."""

_MAX_LISTED_NAMES = 8
"""The largest number of names listed if none resembles the unknown name."""

_FORMS = "BENCHMARK, BENCHMARK/TRACK or BENCHMARK/TRACK/SUBMISSION"
"""The forms of an address, as part of a message."""

_MOST_NAMES = 3
"""The number of parts in a full address: benchmark, track and submission."""


def load_frames(path: str | Path, address: str | None, day: date) -> ResultFrames:
    """Return the data frames of a results folder, a benchmark, a track or a submission.

    Args:
        path: A results folder, a benchmark's folder or a bundle.
        address: The address, as on the site, of the results to load from a results folder; None for
            all.
        day: The current day. Waivers must hold on this day, and no date may be far after it.

    Raises:
        ProblemsError: The path has no results, or the requested results have errors.
        UsageError: The address does not exist.
    """
    folder = Path(path)
    if not _has_results(folder):
        raise ProblemsError([_no_results(folder)])
    if address is not None:
        return _load_address(folder, address, day)
    if path_kind(folder.resolve()) == "bundle":
        return _load_bundle(folder, day)
    return _load_folder(folder, day)


def _load_folder(folder: Path, day: date, wanted: Sequence[str] = ()) -> ResultFrames:
    """Return the data frames of a results folder or a benchmark's folder.

    Args:
        folder: The folder.
        day: The current day.
        wanted: The ids of the track and the submission to return, or of the track only; empty for
            all.

    Raises:
        ProblemsError: The results have errors.
    """
    evaluation = evaluate(folder, day)
    _raise_errors(evaluation.problems())
    rows = []
    for board, entry in evaluation.entries():
        if [board.track.id, entry.id][: len(wanted)] == list(wanted):
            rows.append(BoardEntry(board, entry))
    if not rows and len(wanted) > 1:
        addresses = [row_address(board, entry) for board, entry in evaluation.entries()]
        raise _unknown("submission", "/".join((folder.name, *wanted)), addresses)
    return ResultFrames(rows)


def _load_bundle(folder: Path, day: date, track: str | None = None) -> ResultFrames:
    """Return the data frames of a submission without reading other submissions.

    Args:
        folder: The bundle of the submission.
        day: The current day.
        track: The track in the address; None to accept any track.

    Raises:
        ProblemsError: The bundle or its benchmark has errors.
        UsageError: The submission belongs to another track.
    """
    bundle = folder.resolve()
    reading = read_bundle_alone(bundle)
    results = reading.record
    if results is None:
        raise ProblemsError(errors_of(reading.problems))
    scored, boards = score_benchmark(results, day)
    rows: list[BoardEntry] = []
    all_problems = list(scored.problems)
    for board in boards:
        for entry in board.all_entries:
            if entry.bundle:
                rows.append(BoardEntry(board, entry))
                # The board's own problems come from comparing submissions, and only one was read.
                all_problems += problems_in(replace(board, problems=()), entry)
    _raise_errors(all_problems)
    for board, entry in rows:
        if track is not None and board.track.id != track:
            address = f"{board.benchmark.id}/{track}/{entry.id}"
            raise _unknown("submission", address, [row_address(board, entry)])
    return ResultFrames(rows, has_ranks=False)


def _load_address(results: Path, address: str, day: date) -> ResultFrames:
    """Return the data frames of the results at an address in a results folder.

    Raises:
        UsageError: The folder is not a results folder, or the address does not exist.
        ProblemsError: The requested results have errors.
    """
    if path_kind(results.resolve()) != "results":
        raise UsageError(
            f"an address needs a results folder, but {results} is a folder inside of one; pass the "
            "results folder, or leave the address out"
        )
    names = address.strip("/").split("/")
    if not all(names) or len(names) > _MOST_NAMES:
        raise UsageError(f'"{address}" is not an address; write {_FORMS}')
    benchmark_ids = [path.parent.name for path in sorted(results.glob(f"*/{DEFINITION_FILE}"))]
    if names[0] not in benchmark_ids:
        raise _unknown("benchmark", names[0], benchmark_ids)
    folder = results / names[0]
    if len(names) == 1:
        return _load_folder(folder, day)
    reading = read_benchmark(folder)
    benchmark = reading.record
    if benchmark is None:
        raise ProblemsError(errors_of(reading.problems))
    _require_track(benchmark, names)
    if len(names) == _MOST_NAMES:
        bundle = folder / SUBMISSIONS_FOLDER / names[2]
        if bundle.is_dir():
            return _load_bundle(bundle, day, names[1])
    return _load_folder(folder, day, names[1:])


def _require_track(benchmark: Benchmark, names: Sequence[str]) -> None:
    """Raise a UsageError if a benchmark does not have the track named in an address."""
    tracks = [track.id for track in benchmark.tracks]
    if names[1] not in tracks:
        addresses = [f"{names[0]}/{track}" for track in tracks]
        raise _unknown("track", "/".join(names[:2]), addresses)


def _unknown(noun: str, address: str, addresses: Sequence[str]) -> UsageError:
    """Return the error for a benchmark, track or submission that does not exist.

    Args:
        noun: The kind of the missing object: "benchmark", "track" or "submission".
        address: The address that was not found.
        addresses: All addresses of this kind; addresses whose last part is similar are suggested.
    """
    by_last_name = grouped((_last_name(existing), existing) for existing in addresses)
    similar: list[str] = []
    for name in get_close_matches(_last_name(address), by_last_name, MAX_SUGGESTIONS):
        similar += by_last_name[name]
    message = f"there is no {noun} {address}"
    if similar:
        return UsageError(f"{message}; did you mean {' or '.join(similar)}?")
    if not addresses:
        return UsageError(f"{message}, and there are no others")
    verb = agreeing(len(addresses), "is", "are")
    return UsageError(f"{message}; there {verb} {listed(addresses, _MAX_LISTED_NAMES)}")


def _last_name(address: str) -> str:
    return address.rpartition("/")[2]


def _has_results(folder: Path) -> bool:
    """Return whether a path is inside a results folder, or contains a benchmark or submissions."""
    match path_kind(folder.resolve()):
        case "nothing":
            return False
        case "results":
            definitions = folder.glob(f"*/{DEFINITION_FILE}")
            return any(definitions) or any(folder.glob(f"*/{SUBMISSIONS_FOLDER}"))
        case _:
            return True


def _no_results(folder: Path) -> Problem:
    """Return the problem of a path without results; it suggests similar folders with results."""
    if not folder.exists():
        fact = f"there is no folder {folder}"
        candidates = _folders_in(folder.parent)
        names = get_close_matches(folder.name, [path.name for path in candidates])
        similar = [folder.parent / name for name in names]
    else:
        fact = f"{folder} has no benchmark and is not a submission"
        similar = _folders_in(folder)
    with_results = [str(path) for path in similar if _has_results(path)]
    fix = "name a results folder, a benchmark's folder or a submission's folder"
    if with_results:
        fix = f"did you mean {' or '.join(with_results[:MAX_SUGGESTIONS])}?"
    return NOTHING_FOUND.broken(folder, None, fact, fix)


def _folders_in(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return [path for path in sorted(folder.iterdir()) if path.is_dir()]


def _raise_errors(problems: Iterable[Problem]) -> None:
    """Raise a ProblemsError if any of the problems are errors."""
    errors = errors_of(problems)
    if errors:
        raise ProblemsError(errors)
