"""Writing the generated pages of a site, beside the authored ones."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from sitegen.board.export import scores_json
from sitegen.board.ledger import Ledger, ledger_of
from sitegen.models.results import BenchmarkResults
from sitegen.pages import addresses
from sitegen.pages.addresses import BoardAddresses
from sitegen.pages.charts import panels_of
from sitegen.pages.environment import CSV, JSON, PARQUET, Fragment, Page, Site, Templates
from sitegen.pages.sharing import cards_of
from sitegen.pages.site import Batch, Whole, batches_of, fragments_of
from sitegen.pipeline.cards import drawing_cards
from sitegen.pipeline.drawing import KEPT, drawing
from sitegen.pipeline.forwarding import forward
from sitegen.pipeline.judging import Judged, judge
from sitegen.pipeline.offering import offer
from sitegen.pipeline.order import Built, Order, Watch
from sitegen.pipeline.program import program_version
from sitegen.pipeline.rules import all_rules
from sitegen.problems import LinkError, Problem, ProblemsError, errors_of
from sitegen.publish.builder import Stub
from sitegen.publish.links import PageLinks, broken_links, links_of
from sitegen.publish.search import add_to_search
from sitegen.publish.shell import Shell, cut_shell
from sitegen.publish.sitemap import write_map
from sitegen.publish.slots import fill_slot
from sitegen.publish.theme import with_styles_inside, write_page_styles
from sitegen.publish.tree import Tree
from sitegen.publish.workers import Turns, shared_out


@dataclass(frozen=True, slots=True)
class Frame:
    """What the generated pages of a site are written into.

    Attributes:
        tree: The site.
        work: A folder for scratch work.
        base: The path that the site will have on its host.
        templates: Where the templates of pages stand.
        stubs: A page for every benchmark, which the builder makes.
        finish: Waits for the builder.
        site: The address that the site will have, ending in `/`; empty where it is not known.
        name: What the site is called.
    """

    tree: Tree
    work: Path
    base: str
    templates: Path
    stubs: Sequence[Stub]
    finish: Callable[[], None]
    site: str = ""
    name: str = ""


def write_site(folder: Path, frame: Frame, order: Order, watch: Watch) -> Built:
    """Read and score a results folder, write everything that is generated, and check every link.

    Args:
        folder: The results folder.
        frame: What is written into.
        order: How the site is made.
        watch: Who is told how it goes.

    Raises:
        ProblemsError: The results have errors, or hold nothing.
        BuilderError: The authored pages can't be built.
        LinkError: A link of the site leads nowhere.
    """
    judged = judge(folder, order.day, watch.reading)
    problems = judged.problems()
    _require_sound(judged, problems, order)
    scores = scores_json(judged.entries())  # now, so that processes share the intervals that it asks for
    panels = chain.from_iterable(map(panels_of, judged.boards))
    kinds = (JSON, CSV, PARQUET) if order.has_parquet else (JSON, CSV)
    with drawing(panels, frame.work / "charts", order.site / KEPT) as draw:
        templates = Templates(frame.templates, draw, Site(frame.site, frame.name, kinds))
        templates.ready()  # in the builder's time
        cards = cards_of(judged.boards, judged.results.releases, templates)
        with drawing_cards(cards, frame.work / "cards", order.site, frame.tree):
            frame.finish()
            write_page_styles(frame.tree.root / "assets" / "stylesheets")
            shells = {stub.section: _shells(stub, frame.tree) for stub in frame.stubs}
            writing = _Writing(judged, templates, shells, frame, watch.writing)
            written = list(chain.from_iterable(shared_out(order.jobs, writing.share)))
    ledger = ledger_of(judged.results.releases, judged.boards, program_version())
    writing.extras(ledger, written)
    offer(ledger, scores, frame.tree, writing.templates)
    write_map(frame.tree, frame.site)
    forward(judged.results, judged.all_boards(), frame.tree, writing.templates)
    links = broken_links(frame.tree.root, frame.base, {page.file: page.links for page in written})
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
    shells: Mapping[str, "_Shells"]
    """By benchmark; cut before the first page takes the place of a stub."""
    frame: Frame
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
                text = shells.stamp(page)
                file = self.frame.tree.write_page(page.address, text)
                self.progress(page)
                written.append(_Written(page.address, page.title, file, links_of(file, text, self.frame.base)))
        return written

    def _batches(self) -> Iterator[tuple["_Shells", Batch]]:
        for boards in self.judged.boards:
            shells = self.shells[boards[0].benchmark.id]
            releases = self.judged.results.releases
            yield from ((shells, batch) for batch in batches_of(boards, self.templates, releases))

    def extras(self, ledger: Ledger, written: Sequence[_Written]) -> None:
        """Write what is not a page of its own: raw files, generated parts of authored pages, drawings, search."""
        raw = {results.benchmark.id: _copy_raw(results, self.frame.tree) for results in self.judged.results.benchmarks}
        for fragment in fragments_of(Whole(ledger, raw, all_rules(), self.judged.problems()), self.templates):
            _fill(self.frame.tree, fragment)
        for path in sorted((self.frame.work / "charts").iterdir()):
            self.frame.tree.copy(path, f"{KEPT}/{path.name}")
        self._write_unusable()
        add_to_search(self.frame.tree, sorted((page.address, page.title) for page in written))

    def _write_unusable(self) -> None:
        """Say of a benchmark with a definition that can't be used that it is not shown: its tab leads there."""
        usable = {boards[0].benchmark.id for boards in self.judged.boards}
        for stub in self.frame.stubs:
            if stub.section not in usable:
                words = "Its definition has errors, so nothing of it is shown."
                page = Page(addresses.benchmark_address(stub.section), stub.title, words, f"<p>{words}</p>")
                self.frame.tree.write_page(page.address, self.shells[stub.section].stamp(page))


@dataclass(frozen=True, slots=True)
class _Shells:
    """The shells of a benchmark's pages, by the depth that they stand at."""

    common: Mapping[int, Shell]
    landing: Mapping[int, Shell]
    """Of pages that carry their styles: readers who arrive there have none yet."""

    def stamp(self, page: Page) -> str:
        """Make a page."""
        shells = self.landing if page.is_landing else self.common
        return shells[addresses.depth(page.address)].stamp(page)


def _shells(stub: Stub, tree: Tree) -> _Shells:
    """Cut the shells of a benchmark's pages from its stub."""
    path = tree.page(addresses.benchmark_address(stub.section))
    page = path.read_text(encoding="utf-8")
    return _Shells(_by_depth(page), _by_depth(with_styles_inside(page, path.parent)))


def _by_depth(page: str) -> dict[int, Shell]:
    deepest = addresses.depth(BoardAddresses("b", "t").round("task", 1))
    return {depth: cut_shell(page, depth - 1) for depth in range(1, deepest + 1)}


def _copy_raw(results: BenchmarkResults, tree: Tree) -> list[str]:
    """Put the benchmark's files on the site as they were submitted: the evidence behind every number."""
    files = (path for path in results.path.rglob("*") if path.is_file() and not path.is_symlink())
    names = (path.relative_to(results.path).as_posix() for path in files)
    shown = sorted(filter(addresses.is_carried, names))
    for name in shown:
        tree.copy(results.path / name, addresses.raw_address(results.benchmark.id, name))
    return shown


def _fill(tree: Tree, fragment: Fragment) -> None:
    path = tree.page(fragment.address)
    filled = fill_slot(path.read_text(encoding="utf-8"), fragment.slot, fragment.content)
    tree.write_page(fragment.address, filled)
