"""What the commands do: the one place where the stages meet."""

import gc
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from urllib.parse import urlsplit

from sitegen.board.board import Board, boards_of
from sitegen.board.claims import problems_of
from sitegen.board.entry import Entry
from sitegen.board.explanation import Explanation
from sitegen.board.export import scores_json
from sitegen.errors import LinkError, Problem, ProblemsError, UsageError, errors_of
from sitegen.importers.merge import merge
from sitegen.models.addition import Brought
from sitegen.models.incoming import Draft, Incoming
from sitegen.models.results import BenchmarkResults, Results
from sitegen.models.schemas import SCHEMAS, json_schema
from sitegen.pages import addresses
from sitegen.pages.environment import Fragment, Templates
from sitegen.pages.site import batches_of, fragments_of
from sitegen.publish.arrival import arriving
from sitegen.publish.builder import Stub, build_authored, site_url
from sitegen.publish.bundles import bundle_files, published
from sitegen.publish.definition import benchmark_files
from sitegen.publish.links import broken_links
from sitegen.publish.project import Project
from sitegen.publish.search import add_to_search
from sitegen.publish.shell import Shell, cut_shell
from sitegen.publish.slots import fill_slot
from sitegen.publish.tree import Tree, replacing
from sitegen.publish.workers import shared_out
from sitegen.store.folder import Progress, kind_of, read_benchmark_results, read_part


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


def judge(path: Path, progress: Progress | None = None) -> Judged:
    """Read results, score them, and compare the scores with what others claim.

    Args:
        path: A results folder, a benchmark's folder or a bundle.
        progress: Told of each bundle before it is read.
    """
    path = path.resolve()  # the folders around a bundle are found by its path, which may be `.`
    with _collector_off():
        results = read_part(path, progress)
        boards = [boards_of(benchmark) for benchmark in results.benchmarks]
        return Judged(results, boards, path if kind_of(path) == "bundle" else None)


def build(judged: Judged, project: Project, order: Order, progress: Callable[[object], None] | None = None) -> Built:
    """Build the site, and put it in the place of the old one when all went well.

    Args:
        judged: The results.
        project: The authored parts of the site.
        order: Where the site goes, and how it is made.
        progress: Told of each page that this process has written.

    Raises:
        ProblemsError: The results have errors, or hold nothing.
        BuilderError: The authored pages can't be built.
        LinkError: A link of the built site leads nowhere.
    """
    problems = judged.problems()
    if not judged.boards or (errors_of(problems) and not order.allow_problems):
        raise ProblemsError(problems)
    with replacing(order.site) as (tree, work), _collector_off():
        stubs = [Stub(boards[0].benchmark.id, boards[0].benchmark.title) for boards in judged.boards]
        build_authored(project, stubs, work, tree.root)
        writing = _Writing(judged, Templates(project.templates), tree, order.jobs, progress or _silent)
        written = [page for share in shared_out(order.jobs, writing.share) for page in share]
        writing.extras(written)
        links = broken_links(tree.root, urlsplit(site_url(project)).path or "/", order.jobs)
        if links:
            raise LinkError(links)
    return Built(order.site, len(written))


def explain(address: str, folder: Path) -> Explanation:
    """Find what an address of the site is about, to explain its scores.

    Args:
        address: BENCHMARK/TRACK/SUBMISSION or BENCHMARK/TRACK/SUBMISSION/TASK, as on the site.
        folder: The results folder.

    Raises:
        UsageError: Nothing that can be explained has that address.
    """
    benchmark, track, name, task = (*address.partition("#")[0].strip("/").split("/"), "", "", "", "")[:4]
    judged = judge(folder)
    for board, entry in judged.entries():
        if (board.benchmark.id, board.track.id, entry.id) == (benchmark, track, name):
            if entry.bundle is None:
                raise UsageError(f"{address} is reported by a published table: there are no rounds to explain it with")
            if task and task not in board.tasks.by_id():
                raise UsageError(f"track {track} has no task `{task}`")
            return Explanation(board, entry, entry.bundle, task or None)
    rows = ", ".join(f"{board.benchmark.id}/{board.track.id}/{entry.id}" for board, entry in judged.entries())
    raise UsageError(f"nothing has the address {address}; there are: {rows or 'no submissions'}")


def write_schemas(folder: Path) -> None:
    """Write the JSON Schema of every kind of record to a folder."""
    tree = Tree(folder)
    for name in SCHEMAS:
        tree.write(f"{name}.schema.json", json.dumps(json_schema(name), indent=2, ensure_ascii=False) + "\n")


@dataclass(frozen=True, slots=True)
class _Writing:
    """The generated pages of one build."""

    judged: Judged
    templates: Templates
    tree: Tree
    jobs: int
    progress: Callable[[object], None]

    def share(self, number: int) -> list[tuple[str, str]]:
        """Write one process's share of the pages: every so many-th batch. Gives their addresses and titles."""
        written: list[tuple[str, str]] = []
        for boards in self.judged.boards:
            shells = _shells(boards[0], self.tree)
            for batch in islice(batches_of(boards, self.templates), number, None, self.jobs):
                for page in batch():
                    shell = shells[addresses.depth(page.address)]
                    text = shell.stamp(page.title, page.description, page.address, page.content)
                    self.tree.write_page(page.address, text)
                    self.progress(page)
                    written.append((page.address, page.title))
        return written

    def extras(self, written: Sequence[tuple[str, str]]) -> None:
        """Write what is not a page of its own: raw files, generated parts of authored pages, scores, search."""
        raw = {results.benchmark.id: _copy_raw(results, self.tree) for results in self.judged.results.benchmarks}
        for fragment in fragments_of(self.judged.boards, raw, self.templates):
            _fill(self.tree, fragment)
        scores = scores_json(self.judged.entries())
        self.tree.write(addresses.SCORES, json.dumps(scores, indent=1, ensure_ascii=False) + "\n")
        add_to_search(self.tree, sorted(written))


def _silent(_: object) -> None:
    """Tell nobody."""


def _shells(board: Board, tree: Tree) -> dict[int, Shell]:
    """Cut the shell of a benchmark's pages, for every depth that they stand at."""
    stub = cut_shell(tree.page(addresses.benchmark_address(board.benchmark.id)).read_text(encoding="utf-8"))
    deepest = addresses.depth(addresses.round_address("b", "t", "task", 1))
    return {depth: stub.deeper(depth - 1) for depth in range(1, deepest + 1)}


def _copy_raw(results: BenchmarkResults, tree: Tree) -> list[str]:
    """Put the benchmark's files on the site as they were submitted: the evidence behind every number."""
    files = (path for path in results.path.rglob("*") if path.is_file() and not path.is_symlink())
    names = sorted(path.relative_to(results.path).as_posix() for path in files)
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


def bring_in(incoming: Incoming, into: Path, *, write: bool = True) -> Brought:
    """Add to a results folder what an importer or the simulator made: all of it, or nothing.

    Args:
        incoming: What was made.
        into: The results folder, made when absent.
        write: False to find out only what would be written.

    Raises:
        UsageError: The folder is no results folder.
        ProblemsError: What stands there contradicts the import, or can't be read; carries every error.
    """
    _require_results_folder(into)
    with _collector_off():
        folder = into / incoming.benchmark.id
        addition, problems = merge(_standing(folder), incoming)
        unchanged, differing = published(addition.drafts, folder / "submissions")
        if errors_of([*problems, *differing]):
            raise ProblemsError([*problems, *differing])
        created, changed = benchmark_files(addition, folder)
        new = [draft for draft in addition.drafts if draft.id not in unchanged]
        if write:
            _write(folder, created | changed, new)
    ids = tuple(draft.id for draft in new)
    warnings = (*incoming.problems, *problems)
    return Brought(folder, ids, tuple(unchanged), tuple(created), tuple(changed), warnings)


def _write(folder: Path, files: Mapping[str, bytes], drafts: Sequence[Draft]) -> None:
    """Write what is new of a benchmark, if anything is."""
    if not files and not drafts:
        return
    with arriving(folder.parent) as arrival:
        arrival.write(folder.name, files)
        for draft in drafts:
            arrival.write(f"{folder.name}/submissions/{draft.id}", bundle_files(draft))


def _require_results_folder(into: Path) -> None:
    if kind_of(into) in {"benchmark", "bundle"} or (into.exists() and not into.is_dir()):
        raise UsageError(f"{into} is no results folder; name the folder that holds the benchmarks' folders")


def _standing(folder: Path) -> BenchmarkResults | None:
    """Read the benchmark that an import goes to; None where its folder is absent or empty.

    Raises:
        ProblemsError: Its definition, its task sets or its findings have errors.
    """
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return None
    results, problems = read_benchmark_results(folder)
    if results is None:
        raise ProblemsError(problems)
    places = {folder, folder / "tasks"}
    broken = [problem for problem in errors_of(results.problems) if problem.path.parent in places]
    if broken:
        raise ProblemsError(broken)
    return results
