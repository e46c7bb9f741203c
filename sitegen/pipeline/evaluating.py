"""Read results, score them, and list their problems."""

import tempfile
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from sitegen.board import (
    Board,
    BoardEntry,
    Entry,
    make_boards,
    problems_in,
    problems_outside_bundles,
)
from sitegen.board.explanation import explanation
from sitegen.board.waivers import Waivers, collect_waivers
from sitegen.models.results import BenchmarkResults, Results
from sitegen.pipeline.addressing import similar_names, unknown_submission
from sitegen.pipeline.rules import rules_for_waivers
from sitegen.problems import Problem, UsageError
from sitegen.publish.machine.transaction import remove_leftovers, scratch_folder, scratch_home
from sitegen.reading.collector import collector_off as collector_off  # noqa: PLC0414 - for commands
from sitegen.store.checks.dates import with_date_problems
from sitegen.store.files.git_states import extract_results, refuse_results_elsewhere
from sitegen.store.files.layout import DEFINITION_FILE
from sitegen.store.readers.bundles import BundleCache
from sitegen.store.readers.folder import (
    Progress,
    ReadingScope,
    path_kind,
    read_results,
    read_results_around,
)

_LEVELS_BELOW_RESULTS = {"results": 0, "nothing": 0, "benchmark": 1, "submissions": 2, "bundle": 3}
"""The depth of each kind of folder below the results folder."""

_NAMES_OF_ROW = 3
"""The number of parts in a submission's address: benchmark, track and submission."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Results, their scores and all their problems."""

    results: Results
    boards: Sequence[Sequence[Board]]
    """The boards of each benchmark, in the order of `results.benchmarks`."""
    bundle: Path | None = None
    """The requested bundle, if only one was requested; None for all bundles."""

    def all_boards(self) -> Iterator[Board]:
        """Yield the boards of all benchmarks."""
        for boards in self.boards:
            yield from boards

    def entries(self) -> Iterator[BoardEntry]:
        """Yield the requested submissions, each with its board."""
        for board in self.all_boards():
            for entry in board.all_entries:
                if self.bundle is None or (entry.bundle and entry.bundle.path == self.bundle):
                    yield BoardEntry(board, entry)

    def problems(self) -> tuple[Problem, ...]:
        """Return all problems of the folder, benchmarks, bundles and claims, with waivers applied.

        If one bundle was requested, these are its own problems and the errors of its benchmark. If
        several tracks report the same problem of a shared file, it is listed once.
        """
        in_rows: list[Problem] = []
        for board, entry in self.entries():
            in_rows += problems_in(board, entry)
        for benchmark in self.results.benchmarks:
            for bundle in benchmark.embargoed:
                if self.bundle is None or self.bundle == bundle.path:
                    in_rows += bundle.problems
        outside = filter(self._is_relevant, self._problems_in_no_row())
        return tuple(dict.fromkeys((*self.results.problems, *outside, *in_rows)))

    def _is_relevant(self, problem: Problem) -> bool:
        """Return whether a problem outside the submissions concerns the requested results."""
        bundle = self.bundle
        if bundle is None or problem.path.is_relative_to(bundle):
            return True
        is_about_benchmark = not problem.path.is_relative_to(bundle.parent)
        return problem.is_error and is_about_benchmark

    def problems_outside(self) -> tuple[Problem, ...]:
        """Return the problems outside submissions: those of the folder and of its benchmarks."""
        return (*self.results.problems, *self._problems_in_no_row())

    def _problems_in_no_row(self) -> Iterator[Problem]:
        for benchmark in self.results.benchmarks:
            yield from benchmark.problems
        for board in self.all_boards():
            yield from problems_outside_bundles(board)
        for boards in self.boards:
            yield from boards[0].waivers.unused(_problems_of_benchmark(boards))


def _problems_of_benchmark(boards: Sequence[Board]) -> Iterator[Problem]:
    """Yield every problem of a benchmark, given all its boards."""
    yield from boards[0].results.problems
    for board in boards:
        yield from problems_outside_bundles(board)
    for board in boards:
        for entry in board.all_entries:
            yield from problems_in(board, entry)


def evaluate(
    path: Path,
    day: date,
    progress: Progress | None = None,
    published: Collection[Path] = (),
    cache: BundleCache | None = None,
) -> Evaluation:
    """Read results, score them, compare the scores with claims, and apply waivers.

    Args:
        path: A results folder, a benchmark's folder or a bundle.
        day: The current day. Waivers must hold on this day, no date may be far after it, and
            submissions under embargo on it are excluded.
        progress: Called with each bundle before it is read.
        published: The folders of an earlier state's bundles; all other bundles are treated as new.
        cache: Bundles that were read earlier.
    """
    path = path.resolve()  # The folders above a bundle are found by its path, which may be `.`.
    remove_leftovers(scratch_home(results_of(path)))
    bundle = None
    if path_kind(path) == "bundle":
        bundle = path
    published_names = [(folder.parts[-3], folder.name) for folder in published]
    with collector_off():
        results = read_results_around(path, progress, published_names, cache, day)
        return _score(results, day, bundle)


def evaluate_with_embargoed(path: Path, day: date, progress: Progress | None = None) -> Evaluation:
    """Read and score results like `evaluate`, but as if every embargo had ended."""
    path = path.resolve()
    remove_leftovers(scratch_home(results_of(path)))
    bundle = None
    if path_kind(path) == "bundle":
        bundle = path
    with collector_off():
        return _score(read_results_around(path, progress), day, bundle)


def evaluate_benchmarks(
    folder: Path,
    only: Collection[str],
    day: date,
    progress: Progress | None = None,
    cache: BundleCache | None = None,
) -> Evaluation:
    """Read and score some benchmarks of a results folder, like `evaluate`.

    Args:
        folder: The results folder.
        only: The ids of the benchmarks to read; empty for all benchmarks.
        day: The current day.
        progress: Called with each bundle before it is read.
        cache: Bundles that were read earlier.
    """
    folder = folder.resolve()
    remove_leftovers(scratch_home(folder))
    with collector_off():
        results = read_results(folder, progress, (), cache, ReadingScope(only, day))
        return _score(results, day, None)


def _score(results: Results, day: date, bundle: Path | None) -> Evaluation:
    """Return results with their boards and with the problems that apply on a day."""
    benchmarks = []
    boards = []
    for benchmark in results.benchmarks:
        waived, benchmark_boards = score_benchmark(benchmark, day)
        benchmarks.append(waived)
        boards.append(benchmark_boards)
    return Evaluation(replace(results, benchmarks=tuple(benchmarks)), boards, bundle)


def score_benchmark(
    results: BenchmarkResults, day: date
) -> tuple[BenchmarkResults, Sequence[Board]]:
    """Return a benchmark with the problems that apply on a day, and its boards."""
    dated = with_date_problems(results.worded(), day)
    waived, waivers = _apply_waivers(dated, day)
    if waived.sealed:
        waived = replace(waived, sealed=_with_all_problems(waived.sealed, day))
    return waived, make_boards(waived, waivers)


def _with_all_problems(sealed: BenchmarkResults, day: date) -> BenchmarkResults:
    """Return submissions under embargo with all the problems that apply on a day."""
    scored, boards = score_benchmark(sealed, day)
    problems: dict[str, tuple[Problem, ...]] = {}
    for board in boards:
        for entry in board.all_entries:
            problems[entry.id] = problems_in(board, entry)
    bundles = []
    for bundle in scored.bundles:
        own_problems = problems.get(bundle.id, bundle.problems)
        bundles.append(replace(bundle, problems=own_problems))
    return replace(scored, bundles=tuple(bundles))


def _apply_waivers(results: BenchmarkResults, day: date) -> tuple[BenchmarkResults, Waivers]:
    """Return a benchmark with the problems that apply on a day, and the waivers in force."""
    waivers, waiver_problems = collect_waivers(results, day, rules_for_waivers)
    problems = (*waivers.applied(results.problems), *waiver_problems)
    return replace(results, problems=problems), waivers


def results_of(path: Path) -> Path:
    """Return the results folder at a path, or the one that contains the path."""
    resolved = path.resolve()
    folders = [resolved, *resolved.parents]
    levels = _LEVELS_BELOW_RESULTS[path_kind(resolved)]
    return folders[min(levels, len(folders) - 1)]


def problem_key(problem: Problem) -> tuple[str, Path, str]:
    """Return the values that identify a problem in another state; its line may differ there."""
    return problem.code, problem.path, problem.what


def is_below(path: Path, folders: Iterable[Path]) -> bool:
    """Return whether a path is one of the given folders or files, or is inside one of them."""
    return any(path.is_relative_to(folder) for folder in folders)


def move_problems(problems: Iterable[Problem], folder: Path, to: Path) -> list[Problem]:
    """Return problems in one folder as problems of the same files in another folder."""
    return [problem.moved(folder, to) for problem in problems]


@contextmanager
def state_of(name: str, results: Path) -> Iterator[Path]:
    """Yield a state of a results folder: the folder itself, or a copy of it at a revision.

    A symbolic link is refused, because it could point to the state that it is compared with, and
    then no difference would be found. A copy is removed afterwards.

    Args:
        name: A folder, or a revision of the repository that contains the working directory.
        results: The path of the results folder in a revision, relative to the working directory.

    Raises:
        UsageError: The name is neither a folder nor a revision, or the revision has no such folder.
    """
    if not name:
        raise UsageError(
            "the state to compare with is empty; name a revision or a folder, or check that the "
            "shell variable is set"
        )
    if Path(name).is_dir():
        require_no_link(Path(name))
        refuse_results_elsewhere(name, _definitions_below(Path(name)))
        yield Path(name).resolve()
        return
    with scratch_folder(Path(tempfile.gettempdir()).resolve()) as scratch:
        folder = scratch / "results"
        folder.mkdir()
        extract_results(results, name, folder)
        yield folder


def has_results(name: str, results: Path) -> bool:
    """Return whether a state, named as in `state_of`, contains a benchmark."""
    with state_of(name, results) as folder:
        return any(folder.glob(f"*/{DEFINITION_FILE}"))


def _definitions_below(folder: Path) -> Iterator[str]:
    """Yield benchmark definitions one level too deep, if a folder has none at the right level."""
    if any(folder.glob(f"*/{DEFINITION_FILE}")):
        return
    for path in folder.glob(f"*/*/{DEFINITION_FILE}"):
        yield path.relative_to(folder).as_posix()


def require_no_link(folder: Path) -> None:
    """Raise a UsageError if a folder is a symbolic link."""
    if folder.is_symlink():
        raise UsageError(
            f"{folder} is a link, and may lead to the state that it is compared with; name the "
            "folder itself"
        )


def explain(address: str, evaluation: Evaluation) -> Iterator[str]:
    """Return the lines that explain the scores of a submission or of one of its tasks.

    Args:
        address: BENCHMARK/TRACK/SUBMISSION or BENCHMARK/TRACK/SUBMISSION/TASK.
        evaluation: The results that contain the submission.

    Raises:
        UsageError: There is no such submission or task, or the submission has no rounds.
    """
    board, entry, task = row_at(address, evaluation)
    if entry.bundle is None:
        raise UsageError(
            f"{address} comes from a published table without rounds, so there is no arithmetic "
            "to explain; `--summary` shows its scores"
        )
    if task and task not in board.tasks.by_id():
        similar = similar_names(task, board.tasks.by_id())
        raise UsageError(f"track {board.track.id} has no task {task}{similar}")
    return explanation(board, entry, entry.bundle, task or None)


def row_at(address: str, evaluation: Evaluation) -> tuple[Board, Entry, str]:
    """Return the board and the row at an address, and the task in the address or an empty string.

    Raises:
        UsageError: There is no such row.
    """
    names = address.partition("#")[0].strip("/").split("/")
    task = names[3] if len(names) > _NAMES_OF_ROW else ""
    rows = {row_address(*row): row for row in evaluation.entries()}
    row = rows.get("/".join(names[:_NAMES_OF_ROW]))
    if row is None:
        _refuse_embargoed(names, evaluation.results)
        raise UsageError(unknown_submission(address, list(rows)))
    board, entry = row
    return board, entry, task


def _refuse_embargoed(names: Sequence[str], results: Results) -> None:
    """Raise a UsageError if the parts of an address name a submission under embargo."""
    for benchmark in results.benchmarks:
        for bundle in benchmark.embargoed:
            address = [benchmark.benchmark.id, bundle.submission.track, bundle.id]
            if names[:_NAMES_OF_ROW] == address:
                day = bundle.submission.embargo
                raise UsageError(
                    f"{bundle.id} is under embargo: its scores are shown from {day} on; "
                    "`--embargoed` shows them here"
                )


def row_address(board: Board, entry: Entry) -> str:
    """Return a row's address on the site: BENCHMARK/TRACK/SUBMISSION."""
    return f"{board.benchmark.id}/{board.track.id}/{entry.id}"
