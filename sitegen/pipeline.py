"""What the commands do: the one place where the stages meet."""

import gc
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from sitegen.board.board import Board, boards_of
from sitegen.board.claims import problems_of
from sitegen.board.export import scores_json
from sitegen.errors import LinkError, Problem, ProblemsError, errors_of
from sitegen.models.results import BenchmarkResults, Results
from sitegen.pages import addresses
from sitegen.pages.environment import Fragment, Templates
from sitegen.pages.site import fragments_of, pages_of
from sitegen.publish.builder import Stub, build_authored, site_url
from sitegen.publish.links import broken_links
from sitegen.publish.project import Project
from sitegen.publish.search import add_to_search
from sitegen.publish.shell import Shell, cut_shell
from sitegen.publish.slots import fill_slot
from sitegen.publish.tree import Tree, replacing
from sitegen.store.folder import Progress, read_results


@dataclass(frozen=True, slots=True)
class Judged:
    """Results with their scores, and everything that is wrong with them."""

    results: Results
    boards: Sequence[Sequence[Board]]
    """By benchmark."""

    def all_boards(self) -> Iterator[Board]:
        """Give the boards of all benchmarks."""
        for boards in self.boards:
            yield from boards

    def problems(self) -> tuple[Problem, ...]:
        """Give every problem: of the folder, of its benchmarks, of their bundles and of their claims."""
        outside = [problem for results in self.results.benchmarks for problem in results.problems]
        inside = [
            problem for board in self.all_boards() for entry in board.all_entries for problem in problems_of(entry)
        ]
        return (*self.results.problems, *outside, *inside)


@dataclass(frozen=True, slots=True)
class Built:
    """A site that was built."""

    site: Path
    pages: int
    """Generated pages; the authored ones are not counted."""


def judge(folder: Path, progress: Progress | None = None) -> Judged:
    """Read a results folder, score it, and compare the scores with what others claim."""
    with _collector_off():
        results = read_results(folder, progress)
        return Judged(results, [boards_of(benchmark) for benchmark in results.benchmarks])


def build(judged: Judged, project: Project, site: Path, *, allow_problems: bool = False) -> Built:
    """Build the site, and put it in the place of the old one when all went well.

    Args:
        judged: The results.
        project: The authored parts of the site.
        site: The folder that the site is to have.
        allow_problems: Publish what has errors, marked as such.

    Raises:
        ProblemsError: The results have errors, or hold nothing.
        BuilderError: The authored pages can't be built.
        LinkError: A link of the built site leads nowhere.
    """
    problems = judged.problems()
    if not judged.boards or (errors_of(problems) and not allow_problems):
        raise ProblemsError(problems)
    with replacing(site) as (tree, work), _collector_off():
        stubs = [Stub(boards[0].benchmark.id, boards[0].benchmark.title) for boards in judged.boards]
        build_authored(project, stubs, work, tree.root)
        pages = _write_pages(judged, project, tree)
        links = broken_links(tree.root, urlsplit(site_url(project)).path or "/")
        if links:
            raise LinkError(links)
    return Built(site, pages)


def _write_pages(judged: Judged, project: Project, tree: Tree) -> int:
    templates = Templates(project.templates)
    written: list[tuple[str, str]] = []
    for boards in judged.boards:
        shells = _shells(boards[0], tree)
        for page in pages_of(boards, templates):
            shell = shells[addresses.depth(page.address)]
            tree.write_page(page.address, shell.stamp(page.title, page.description, page.address, page.content))
            written.append((page.address, page.title))
    raw = {results.benchmark.id: _copy_raw(results, tree) for results in judged.results.benchmarks}
    for fragment in fragments_of(judged.boards, raw, templates):
        _fill(tree, fragment)
    tree.write(addresses.SCORES, json.dumps(scores_json(judged.all_boards()), indent=1) + "\n")
    add_to_search(tree, written)
    return len(written)


def _shells(board: Board, tree: Tree) -> dict[int, Shell]:
    """Cut the shell of a benchmark's pages, for every depth that they stand at."""
    stub = cut_shell(tree.page(addresses.benchmark_address(board.benchmark.id)).read_text(encoding="utf-8"))
    deepest = addresses.depth(addresses.round_address("b", "t", "task", 1))
    return {depth: stub.deeper(depth - 1) for depth in range(1, deepest + 1)}


def _copy_raw(results: BenchmarkResults, tree: Tree) -> list[str]:
    """Put the benchmark's files on the site as they were submitted: the evidence behind every number."""
    names = sorted(path.relative_to(results.path).as_posix() for path in results.path.rglob("*") if path.is_file())
    shown = [name for name in names if not any(part.startswith(".") for part in name.split("/"))]
    for name in shown:
        tree.copy(results.path / name, addresses.raw_address(results.benchmark.id, name))
    return shown


def _fill(tree: Tree, fragment: Fragment) -> None:
    path = tree.page(fragment.address)
    filled = fill_slot(path.read_text(encoding="utf-8"), fragment.slot, fragment.content)
    tree.write_page(fragment.address, filled)


@contextmanager
def _collector_off() -> Iterator[None]:
    """Keep the garbage collector off: records hold no cycles, and looking for some doubles the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
