"""Reading a state of results, scoring it, and saying what is wrong with it."""

import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date as Date  # noqa: N812 - as in the models
from difflib import get_close_matches
from itertools import chain, starmap
from pathlib import Path

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.explanation import explanation
from sitegen.board.review import boards_of, problems_beside, problems_in
from sitegen.board.waivers import Waivers, waivers_of
from sitegen.models.results import BenchmarkResults, Results
from sitegen.pipeline.rules import rules_of_results
from sitegen.problems import Problem, UsageError
from sitegen.publish.transaction import remove_leftovers, scratch_folder, scratch_home
from sitegen.reading.collector import collector_off as collector_off  # noqa: PLC0414 - commands take it from here
from sitegen.store.bundles import Memory
from sitegen.store.folder import Progress, kind_of, read_part
from sitegen.store.layout import DEFINITION
from sitegen.store.provenance import with_dates_judged
from sitegen.store.revision import require_results, unpack

_PROPOSED = 5
"""So many addresses are proposed for one that nothing has."""


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
        """Give every problem as it counts: of the folder, of its benchmarks, of their bundles and of their claims."""
        inside = [
            problem for board, entry in self.entries() for problem in problems_in(board, entry)
        ]
        bundle, outside = self.bundle, self._outside()
        if bundle is not None:  # its own, and the errors of the benchmark that it is read against
            outside = (
                each
                for each in outside
                if each.path.is_relative_to(bundle)
                or (each.is_error and not each.path.is_relative_to(bundle.parent))
            )
        return (*self.results.problems, *outside, *inside)

    def problems_outside(self) -> tuple[Problem, ...]:
        """Give the problems that lie in no row: of the folder, of its benchmarks, and of what is no row for them."""
        return (*self.results.problems, *self._outside())

    def _outside(self) -> Iterator[Problem]:
        for results in self.results.benchmarks:
            yield from results.problems
        for board in self.all_boards():
            yield from problems_beside(board)
        for boards in self.boards:
            inside = (problems_in(board, entry) for board in boards for entry in board.all_entries)
            found = chain(
                boards[0].results.problems,
                *map(problems_beside, boards),
                chain.from_iterable(inside),
            )
            yield from boards[0].waivers.unused(found)


def judge(
    path: Path,
    day: Date,
    progress: Progress | None = None,
    published: Collection[Path] = (),
    memory: Memory | None = None,
) -> Judged:
    """Read results, score them, compare the scores with what others claim, and let pass what is waived.

    Args:
        path: A results folder, a benchmark's folder or a bundle.
        day: Today: waivers are to hold on it, and no date lies far ahead.
        progress: Told of each bundle before it is read.
        published: The folders of bundles that were there at an earlier state: other ones came later.
        memory: What is known of bundles that were read before.
    """
    path = path.resolve()  # the folders around a bundle are found by its path, which may be `.`
    remove_leftovers(scratch_home(results_of(path)))
    with collector_off():
        results = read_part(
            path, progress, [(each.parts[-3], each.name) for each in published], memory
        )
        waived = [
            _waived(with_dates_judged(benchmark.worded(), day), day)
            for benchmark in results.benchmarks
        ]
        boards = list(starmap(boards_of, waived))
        judged = replace(results, benchmarks=tuple(benchmark for benchmark, _ in waived))
        return Judged(judged, boards, path if kind_of(path) == "bundle" else None)


def results_of(path: Path) -> Path:
    """Give the results folder that a path is, or belongs to."""
    whole = path.resolve()
    levels = {"benchmark": 1, "submissions": 2, "bundle": 3}.get(kind_of(whole), 0)
    return [whole, *whole.parents][min(levels, len(whole.parents))]


@contextmanager
def state_of(name: str, results: Path) -> Iterator[Path]:
    """Give a state of a results folder: the folder itself, or a copy of what it was at a revision.

    A link is no state: whoever made one of both may let it lead to the other, and nothing would differ. A copy is
    removed afterwards.

    Args:
        name: A folder, or a revision of the repository around the working directory.
        results: The results folder in a revision, below the working directory.

    Raises:
        UsageError: The name is neither, or the revision has no such folder.
    """
    if not name:
        raise UsageError(
            "the state to compare with has no name: a variable that is empty, it may be"
        )
    if Path(name).is_dir():
        require_no_link(Path(name))
        require_results(name, _definitions_below(Path(name)))
        yield Path(name).resolve()
        return
    with scratch_folder(Path(tempfile.gettempdir()).resolve()) as scratch:
        folder = scratch / "results"
        folder.mkdir()
        unpack(name, results, folder)
        yield folder


def has_results(name: str, results: Path) -> bool:
    """Return whether a state of `state_of` has a benchmark; where it has none, all that is here is new."""
    with state_of(name, results) as folder:
        return any(folder.glob(f"*/{DEFINITION}"))


def _definitions_below(folder: Path) -> Iterator[str]:
    """Yield the definitions of benchmarks in folders of a folder, if it holds none itself."""
    if not any(folder.glob(f"*/{DEFINITION}")):
        yield from (
            path.relative_to(folder).as_posix() for path in folder.glob(f"*/*/{DEFINITION}")
        )


def require_no_link(folder: Path) -> None:
    """Refuse a link in the place of a folder.

    Raises:
        UsageError: It is one.
    """
    if folder.is_symlink():
        raise UsageError(
            f"{folder} is a link, and what it leads to may be what it is compared with; name the folder"
        )


def _waived(results: BenchmarkResults, day: Date) -> tuple[BenchmarkResults, Waivers]:
    """Give a benchmark with its problems as they count on a day, and the waivers that hold."""
    waivers, found = waivers_of(results, day, rules_of_results)
    return replace(results, problems=(*waivers.applied(results.problems), *found)), waivers


def explain(address: str, judged: Judged) -> Iterator[str]:
    """Explain the scores of what BENCHMARK/TRACK/SUBMISSION or BENCHMARK/TRACK/SUBMISSION/TASK is about, by line.

    Raises:
        UsageError: Nothing that can be explained has that address.
    """
    benchmark, track, name, task = (
        *address.partition("#")[0].strip("/").split("/"),
        "",
        "",
        "",
        "",
    )[:4]
    rows = {
        (board.benchmark.id, board.track.id, entry.id): (board, entry)
        for board, entry in judged.entries()
    }
    if (benchmark, track, name) not in rows:
        known = list(map("/".join, rows))
        near = get_close_matches(
            address.strip("/"), known, n=_PROPOSED, cutoff=0
        )  # a whole board helps nobody
        lines = [f"  {each}" for each in near]
        if len(known) > len(near):
            lines.append(f"  and {len(known) - len(near)} more, as `sitegen score` lists them")
        there = "there are:" if near else "there are no submissions"
        raise UsageError(f"nothing has the address {address}; {there}", *lines)
    board, entry = rows[benchmark, track, name]
    if entry.bundle is None:
        raise UsageError(
            f"{address} is reported by a published table: there are no rounds to explain it with"
        )
    if task and task not in board.tasks.by_id():
        raise UsageError(f"track {track} has no task `{task}`")
    return explanation(board, entry, entry.bundle, task or None)
