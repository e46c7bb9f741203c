"""Reading results, scoring them, and saying what is wrong with them."""

import gc
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date as Date  # noqa: N812 - as in the models
from difflib import get_close_matches
from itertools import chain, starmap
from pathlib import Path

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.explanation import Explanation
from sitegen.board.review import boards_of, problems_beside, problems_in
from sitegen.board.waivers import Waivers, waivers_of
from sitegen.models.results import BenchmarkResults, Results
from sitegen.pipeline.rules import rules_of_results
from sitegen.problems import Problem, UsageError
from sitegen.publish.aside import clear, home_of
from sitegen.store.folder import Progress, kind_of, read_part
from sitegen.store.provenance import with_dates_judged

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
        inside = [problem for board, entry in self.entries() for problem in problems_in(board, entry)]
        bundle, outside = self.bundle, self._outside()
        return (
            *self.results.problems,
            *(each for each in outside if bundle is None or _concerns(each, bundle)),
            *inside,
        )

    def problems_outside(self) -> tuple[Problem, ...]:
        """Give the problems that lie in no row: of the folder, of its benchmarks, and of what is no row for them."""
        return (*self.results.problems, *self._outside())

    def _outside(self) -> Iterator[Problem]:
        for results in self.results.benchmarks:
            yield from results.problems
        for board in self.all_boards():
            yield from problems_beside(board)
        for boards in self.boards:
            yield from _idle_waivers(boards)


def _concerns(problem: Problem, bundle: Path) -> bool:
    """Whether a problem lies in a bundle, or is an error of the benchmark that it is read against."""
    return problem.path.is_relative_to(bundle) or (problem.is_error and not problem.path.is_relative_to(bundle.parent))


@contextmanager
def collector_off() -> Iterator[None]:
    """Keep the garbage collector off: records hold no cycles, and looking for some doubles the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def judge(path: Path, day: Date, progress: Progress | None = None, published: Collection[Path] = ()) -> Judged:
    """Read results, score them, compare the scores with what others claim, and let pass what is waived.

    Args:
        path: A results folder, a benchmark's folder or a bundle.
        day: Today: waivers are to hold on it, and no date lies far ahead.
        progress: Told of each bundle before it is read.
        published: The folders of bundles that were there at an earlier state: other ones came later.
    """
    path = path.resolve()  # the folders around a bundle are found by its path, which may be `.`
    clear(home_of(results_of(path)))
    with collector_off():
        results = read_part(path, progress, [(each.parts[-3], each.name) for each in published])
        waived = [_waived(with_dates_judged(benchmark, day), day) for benchmark in results.benchmarks]
        boards = list(starmap(boards_of, waived))
        judged = replace(results, benchmarks=tuple(benchmark for benchmark, _ in waived))
        return Judged(judged, boards, path if kind_of(path) == "bundle" else None)


def results_of(path: Path) -> Path:
    """Give the results folder that a path is, or belongs to."""
    whole = path.resolve()
    levels = {"benchmark": 1, "submissions": 2, "bundle": 3}.get(kind_of(whole), 0)
    return [whole, *whole.parents][min(levels, len(whole.parents))]


def _waived(results: BenchmarkResults, day: Date) -> tuple[BenchmarkResults, Waivers]:
    """Give a benchmark with its problems as they count on a day, and the waivers that hold."""
    waivers, found = waivers_of(results, day, rules_of_results())
    return replace(results, problems=(*waivers.applied(results.problems), *found)), waivers


def _idle_waivers(boards: Sequence[Board]) -> Iterator[Problem]:
    """Say which waivers of a benchmark let nothing pass."""
    found = [*boards[0].results.problems]
    for board in boards:
        found += problems_beside(board)
        found += chain.from_iterable(problems_in(board, entry) for entry in board.all_entries)
    return boards[0].waivers.unused(found)


def _near(address: str, known: Sequence[str]) -> list[str]:
    """Propose addresses that may be meant, one a line: a whole board of them helps nobody."""
    near = get_close_matches(address.strip("/"), known, n=_PROPOSED, cutoff=0)
    left = len(known) - len(near)
    more = [f"  and {left} more, as `sitegen score` lists them"] if left else []
    return ["there are:", *(f"  {each}" for each in near), *more] if near else ["there are no submissions"]


def explain(address: str, judged: Judged) -> Explanation:
    """Find what an address of the site is about, to explain its scores.

    Args:
        address: BENCHMARK/TRACK/SUBMISSION or BENCHMARK/TRACK/SUBMISSION/TASK, as on the site.
        judged: The results.

    Raises:
        UsageError: Nothing that can be explained has that address.
    """
    benchmark, track, name, task = (*address.partition("#")[0].strip("/").split("/"), "", "", "", "")[:4]
    rows = {(board.benchmark.id, board.track.id, entry.id): (board, entry) for board, entry in judged.entries()}
    if (benchmark, track, name) not in rows:
        first, *more = _near(address, list(map("/".join, rows)))
        raise UsageError(f"nothing has the address {address}; {first}", *more)
    board, entry = rows[benchmark, track, name]
    if entry.bundle is None:
        raise UsageError(f"{address} is reported by a published table: there are no rounds to explain it with")
    if task and task not in board.tasks.by_id():
        raise UsageError(f"track {track} has no task `{task}`")
    return Explanation(board, entry, entry.bundle, task or None)
