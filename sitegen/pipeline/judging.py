"""Reading results, scoring them, and saying what is wrong with them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sitegen.board.board import Board, boards_of
from sitegen.board.claims import problems_of
from sitegen.board.entry import Entry
from sitegen.board.explanation import Explanation
from sitegen.errors import Problem, UsageError
from sitegen.models.results import Results
from sitegen.pipeline.collector import collector_off
from sitegen.store.folder import Progress, kind_of, read_part


@dataclass(frozen=True, slots=True)
class Judged:
    """Results with their scores, and everything that is wrong with them."""

    results: Results
    boards: Sequence[Sequence[Board]]
    """By benchmark."""
    bundle: Path | None = None
    """The one bundle that was asked for; None for all."""

    def all_boards(self) -> Iterator[Board]:
        """Give the boards of all benchmarks."""
        for boards in self.boards:
            yield from boards

    def entries(self) -> Iterator[tuple[Board, Entry]]:
        """Give the rows that were asked for, each with its board."""
        for board in self.all_boards():
            for entry in board.all_entries:
                if self.bundle is None or (entry.bundle and entry.bundle.path == self.bundle):
                    yield board, entry

    def problems(self) -> tuple[Problem, ...]:
        """Give every problem: of the folder, of its benchmarks, of their bundles and of their claims."""
        outside = [problem for results in self.results.benchmarks for problem in results.problems]
        inside = [problem for _, entry in self.entries() for problem in problems_of(entry)]
        bundle = self.bundle
        if bundle is not None:
            outside = [problem for problem in outside if _concerns(problem, bundle)]
        return (*self.results.problems, *outside, *inside)


def _concerns(problem: Problem, bundle: Path) -> bool:
    """Whether a problem lies in a bundle, or is an error of the benchmark that it is read against."""
    return problem.path.is_relative_to(bundle) or (problem.is_error and not problem.path.is_relative_to(bundle.parent))


def judge(path: Path, progress: Progress | None = None) -> Judged:
    """Read results, score them, and compare the scores with what others claim.

    Args:
        path: A results folder, a benchmark's folder or a bundle.
        progress: Told of each bundle before it is read.
    """
    path = path.resolve()  # the folders around a bundle are found by its path, which may be `.`
    with collector_off():
        results = read_part(path, progress)
        boards = [boards_of(benchmark) for benchmark in results.benchmarks]
        return Judged(results, boards, path if kind_of(path) == "bundle" else None)


def explain(address: str, folder: Path) -> Explanation:
    """Find what an address of the site is about, to explain its scores.

    Args:
        address: BENCHMARK/TRACK/SUBMISSION or BENCHMARK/TRACK/SUBMISSION/TASK, as on the site.
        folder: The results folder.

    Raises:
        UsageError: Nothing that can be explained has that address.
    """
    benchmark, track, name, task = (*address.partition("#")[0].strip("/").split("/"), "", "", "", "")[:4]
    rows = {(board.benchmark.id, board.track.id, entry.id): (board, entry) for board, entry in judge(folder).entries()}
    if (benchmark, track, name) not in rows:
        known = ", ".join(map("/".join, rows)) or "no submissions"
        raise UsageError(f"nothing has the address {address}; there are: {known}")
    board, entry = rows[benchmark, track, name]
    if entry.bundle is None:
        raise UsageError(f"{address} is reported by a published table: there are no rounds to explain it with")
    if task and task not in board.tasks.by_id():
        raise UsageError(f"track {track} has no task `{task}`")
    return Explanation(board, entry, entry.bundle, task or None)
