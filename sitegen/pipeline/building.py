"""Building the site."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from sitegen.board.comparison_file import comparison_file
from sitegen.board.export import Json, scores_csv, scores_json
from sitegen.errors import LinkError, Problem, ProblemsError, errors_of
from sitegen.models.benchmark import Benchmark
from sitegen.models.results import BenchmarkResults
from sitegen.pages import addresses
from sitegen.pages.charts import panels_of
from sitegen.pages.environment import Fragment, Templates
from sitegen.pages.site import Batch, batches_of, fragments_of
from sitegen.pipeline.collector import collector_off
from sitegen.pipeline.drawing import KEPT, drawing
from sitegen.pipeline.judging import Judged, judge
from sitegen.pipeline.rules import all_rules
from sitegen.publish.builder import Stub, building_authored, site_url
from sitegen.publish.links import PageLinks, broken_links, links_of
from sitegen.publish.project import Project
from sitegen.publish.search import add_to_search
from sitegen.publish.shell import Shell, cut_shell
from sitegen.publish.slots import fill_slot
from sitegen.publish.tree import Tree, replacing
from sitegen.publish.workers import Turns, shared_out
from sitegen.store.folder import read_definitions


@dataclass(frozen=True, slots=True)
class Order:
    """How a site is to be built."""

    site: Path
    """The folder that it is to have."""
    jobs: int = 1
    """Processes that render pages side by side."""
    allow_problems: bool = False
    """Whether to publish what has errors, marked as such."""


@dataclass(frozen=True, slots=True)
class Built:
    """A site that was built."""

    site: Path
    pages: int
    """Generated pages; the authored ones are not counted."""
    problems: Sequence[Problem]
    """What is wrong with the results; errors only where they were allowed."""


@dataclass(frozen=True, slots=True)
class Watch:
    """Who is told how a build goes."""

    reading: Callable[[object], None]
    """Told of each bundle before it is read."""
    writing: Callable[[object], None]
    """Told of each page that this process has written."""


SILENT = Watch(lambda _: None, lambda _: None)


def build(folder: Path, project: Project, order: Order, watch: Watch = SILENT) -> Built:
    """Build the site of a results folder, and put it in the place of the old one when all went well.

    The builder works on the authored pages while the results are read.

    Args:
        folder: The results folder.
        project: The authored parts of the site.
        order: Where the site goes, and how it is made.
        watch: Who is told how it goes.

    Raises:
        ProblemsError: The results have errors, or hold nothing.
        BuilderError: The authored pages can't be built.
        LinkError: A link of the built site leads nowhere.
    """
    definitions = read_definitions(folder)
    stubs = [Stub(each.id, each.title) for each in definitions]
    base = urlsplit(site_url(project)).path or "/"
    with replacing(order.site) as (tree, work), collector_off():
        with building_authored(project, stubs, work, tree.root) as finish:
            judged = judge(folder, watch.reading)
            problems = judged.problems()
            _require_sound(judged, problems, order)
            scores = scores_json(judged.entries())  # now, so that processes share the intervals that it asks for
            panels = chain.from_iterable(map(panels_of, judged.boards))
            with drawing(panels, work / "charts", order.site / KEPT) as draw:
                finish()
                shells = {each.id: _shells(each, tree) for each in definitions}
                writing = _Writing(judged, Templates(project.templates, draw), shells, tree, base, watch.writing)
                written = list(chain.from_iterable(shared_out(order.jobs, writing.share)))
        _write_scores(judged, scores, tree)
        writing.extras(written)
        for path in sorted((work / "charts").iterdir()):
            tree.copy(path, f"{KEPT}/{path.name}")
        links = broken_links(tree.root, base, {page.file: page.links for page in written})
        if links:
            raise LinkError(links)
    return Built(order.site, len(written), problems)


def _require_sound(judged: Judged, problems: tuple[Problem, ...], order: Order) -> None:
    if not judged.boards or (errors_of(problems) and not order.allow_problems):
        raise ProblemsError(problems)


class _Written(NamedTuple):
    """A page that stands in the tree, and where it leads."""

    address: str
    title: str
    file: str
    links: PageLinks


@dataclass(frozen=True, slots=True)
class _Writing:
    """The generated pages of one build."""

    judged: Judged
    templates: Templates
    shells: Mapping[str, Mapping[int, Shell]]
    """By benchmark and depth; cut before the first page takes the place of a stub."""
    tree: Tree
    base: str
    """The path that the site will have on its host."""
    progress: Callable[[object], None]

    def share(self, turns: Turns) -> list[_Written]:
        """Write one process's share of the pages: the batches whose turn it is."""
        written: list[_Written] = []
        turn = next(turns)
        for number, (shells, batch) in enumerate(self._batches()):
            if number != turn:
                continue
            turn = next(turns)
            for page in batch():
                shell = shells[addresses.depth(page.address)]
                text = shell.stamp(page)
                file = self.tree.write_page(page.address, text)
                self.progress(page)
                written.append(_Written(page.address, page.title, file, links_of(file, text, self.base)))
        return written

    def _batches(self) -> Iterator[tuple[Mapping[int, Shell], Batch]]:
        for boards in self.judged.boards:
            shells = self.shells[boards[0].benchmark.id]
            yield from ((shells, batch) for batch in batches_of(boards, self.templates))

    def extras(self, written: Sequence[_Written]) -> None:
        """Write what is not a page of its own: raw files, generated parts of authored pages, search."""
        raw = {results.benchmark.id: _copy_raw(results, self.tree) for results in self.judged.results.benchmarks}
        for fragment in fragments_of(self.judged.boards, raw, all_rules(), self.judged.problems(), self.templates):
            _fill(self.tree, fragment)
        add_to_search(self.tree, sorted((page.address, page.title) for page in written))


def _shells(benchmark: Benchmark, tree: Tree) -> dict[int, Shell]:
    """Cut the shell of a benchmark's pages, for every depth that they stand at."""
    stub = tree.page(addresses.benchmark_address(benchmark.id)).read_text(encoding="utf-8")
    deepest = addresses.depth(addresses.round_address("b", "t", "task", 1))
    return {depth: cut_shell(stub, depth - 1) for depth in range(1, deepest + 1)}


def _copy_raw(results: BenchmarkResults, tree: Tree) -> list[str]:
    """Put the benchmark's files on the site as they were submitted: the evidence behind every number."""
    files = (path for path in results.path.rglob("*") if path.is_file() and not path.is_symlink())
    names = (path.relative_to(results.path).as_posix() for path in files)
    shown = sorted(name for name in names if "/." not in f"/{name}")
    for name in shown:
        tree.copy(results.path / name, addresses.raw_address(results.benchmark.id, name))
    return shown


def _write_scores(judged: Judged, scores: Json, tree: Tree) -> None:
    """Write the scores of every row, all in one file and by board, and how every two rows of a board compare."""
    tree.write(addresses.SCORES, _json_text(scores))
    for board in judged.all_boards():
        rows = [(board, entry) for entry in board.all_entries]
        as_json, as_csv = addresses.board_scores(board.benchmark.id, board.track.id)
        tree.write(as_json, _json_text(scores_json(rows)))
        tree.write(as_csv, scores_csv(rows))
        compared = json.dumps(comparison_file(board), separators=(",", ":"), ensure_ascii=False)
        tree.write(addresses.compare_data(board.benchmark.id, board.track.id), compared + "\n")


def _json_text(document: Json) -> str:
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _fill(tree: Tree, fragment: Fragment) -> None:
    path = tree.page(fragment.address)
    filled = fill_slot(path.read_text(encoding="utf-8"), fragment.slot, fragment.content)
    tree.write_page(fragment.address, filled)
