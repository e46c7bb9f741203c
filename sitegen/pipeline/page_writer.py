"""Write the generated pages of a site into shells cut from authored pages."""

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

from sitegen.board.history.ledger import Ledger
from sitegen.models.benchmark import AGENTS
from sitegen.models.results import BenchmarkResults
from sitegen.models.site import Name, Page, Site
from sitegen.pages import addresses
from sitegen.pages.addresses import BoardAddresses
from sitegen.pages.cache_keys import digest_of
from sitegen.pages.environment import Fragment, Templates
from sitegen.pages.kinds.agents import agent_pages
from sitegen.pages.kinds.reference import keys_fragments, rules_fragments
from sitegen.pages.site import PageGroup, PageJob, SiteContent, generated_fragments, page_jobs
from sitegen.pipeline.build_cache import BuildCache
from sitegen.pipeline.evaluating import Evaluation, is_below
from sitegen.pipeline.rules import all_rules
from sitegen.problems import Problem, grouped
from sitegen.publish.machine.processes import JobNumbers, take_jobs
from sitegen.publish.results.embargoed_files import files_without_embargoed
from sitegen.publish.site.authored import Stub
from sitegen.publish.site.cache import FileGroup, store_problems
from sitegen.publish.site.stamping import PALETTE, Shell, cut_shell, fill_slot
from sitegen.publish.site.styles import inline_styles, read_page_words
from sitegen.publish.site.tree import SiteTree

CHARTS = "assets/charts"
"""The site's folder of charts and their specifications."""

_BOARD_STYLES = re.compile(r'<link rel="stylesheet" href="[^"]*assets/board\.css">\s*')
"""Matches the style sheet that only the landing pages of boards and benchmarks need."""

WrittenGroup = tuple[str, FileGroup]
"""A group of pages in the site: the key of the group in the cache, and its files."""

Shells = Mapping[tuple[str, bool, int], Shell]
"""The shells of pages, by section, whether the page is a landing page, and depth below the root."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The parts of a site that generated pages are written into."""

    tree: SiteTree
    """The site that is being built."""
    work: Path
    """A folder for intermediate files."""
    templates: Path
    stubs: Sequence[Stub]
    """The placeholder page of each section, from which shells are cut."""
    finish_authored: Callable[[], None]
    """Waits until the authored pages are in the site."""
    site: Site
    build_cache: BuildCache


def cut_shells(stubs: Sequence[Stub], tree: SiteTree) -> Shells:
    """Cut the shells of all pages from the stubs, before generated pages replace the stubs."""
    shells = {}
    max_depth = addresses.depth(BoardAddresses("b", "t").round("task", 1))
    for stub in stubs:
        path = tree.page(addresses.benchmark_address(stub.section))
        page = PALETTE.sub("", path.read_text(encoding="utf-8"))
        inner_page = _BOARD_STYLES.sub("", page)
        landing_page = inline_styles(page, path.parent)
        for is_landing, stub_page in ((False, inner_page), (True, landing_page)):
            for depth in range(1, max_depth + 1):
                shells[stub.section, is_landing, depth] = cut_shell(stub_page, depth - 1)
    return shells


@dataclass(frozen=True)  # no slots: digests are cached properties
class PageWriter:
    """Writes the generated pages of a build. A section is the id of a benchmark, or `AGENTS`."""

    evaluation: Evaluation
    templates: Templates
    shells: Shells
    frame: Frame
    progress: Callable[[int, int], None]
    """Called with the number of batches started and the total number of batches."""

    def write_share(self, turns: JobNumbers) -> list[WrittenGroup]:
        """Write one process's share of the pages, and reuse unchanged groups.

        Args:
            turns: The indices of the batches that this process must write, in order.
        """
        cache = self.frame.build_cache.cache
        written: list[WrittenGroup] = []
        batches = deque(self._batches())
        batch_count = len(batches)
        for turn, (section, batch) in take_jobs(batches, turns):
            for group in batch():
                key = self.cache_key(section, group.name, group.cache_key)
                write_group = partial(self._write_group, section, group)
                written_group = cache.group(key, self.frame.tree, write_group)
                written.append((key, written_group))
            self.progress(min(turn, batch_count), batch_count)
        return written

    def _batches(self) -> Iterator[tuple[str, PageJob]]:
        """Yield all batches of pages, each with its section."""
        releases = self.evaluation.results.releases
        for boards in self.evaluation.boards:
            for batch in page_jobs(boards, self.templates, releases):
                yield boards[0].benchmark.id, batch
        boards_of_all = list(self.evaluation.all_boards())
        agents = PageGroup("agents", None, partial(agent_pages, boards_of_all, self.templates))
        yield AGENTS, lambda: [agents]

    def cache_key(self, section: str, name: str, needs: str | None) -> str:
        """Return a digest of all inputs of a group of files; empty if any input is unknown.

        Args:
            section: The section of the group.
            name: The name of the group, unique in the section.
            needs: A digest of the group's inputs; None if it may depend on everything in the
                section.
        """
        common = self._common_digests[section]
        if not common:
            return ""
        if needs is None:
            needs = self._section_digests[section]
        return digest_of(common, name, needs)

    def _write_group(self, section: str, group: PageGroup) -> list[Name]:
        """Write a group of pages, and return the names that the search should find on them."""
        names: list[Name] = []
        for page in group.pages():
            self._write_page(section, page)
            names += page.names
        return names

    def _write_page(self, section: str, page: Page) -> None:
        """Write a page into the shell of its section, kind and depth.

        A landing page contains its style sheets, because first-time readers have not loaded them
        yet.
        """
        shell = self.shells[section, page.is_landing, addresses.depth(page.address)]
        self.frame.tree.write_page(page.address, shell.fill(page))

    @cached_property
    def _common_digests(self) -> Mapping[str, str]:
        """Digests of the program, templates, shells and site facts, by section."""
        shells = grouped((section, shell) for (section, _, _), shell in self.shells.items())
        inputs = self.frame.build_cache.inputs
        return {
            section: inputs.digest_of_templates(self.frame.site, shells[section])
            for section in shells
        }

    @cached_property
    def _section_digests(self) -> Mapping[str, str]:
        """Digests of everything that the pages of a section can depend on, by section."""
        inputs = self.frame.build_cache.inputs
        results = self.evaluation.results
        problems = self.evaluation.problems()
        all_stored = store_problems(problems, results.path)
        digests = {AGENTS: inputs.digest_of_folders([results.path], all_stored)}
        for benchmark, boards in zip(results.benchmarks, self.evaluation.boards, strict=True):
            directory = benchmark.benchmark.agents
            stored = store_problems(self._problems_about(benchmark, problems), results.path)
            values = (stored, benchmark.arrivals, boards[0].waivers.numbered, directory)
            folders = (benchmark.path, results.path / "releases")
            digests[benchmark.benchmark.id] = inputs.digest_of_folders(folders, *values)
        return digests

    def _problems_about(
        self, benchmark: BenchmarkResults, problems: Sequence[Problem]
    ) -> list[Problem]:
        """Return the problems in a benchmark's folder and outside all benchmarks' folders."""
        other_folders = {results.path for results in self.evaluation.results.benchmarks}
        other_folders.discard(benchmark.path)
        return [problem for problem in problems if not is_below(problem.path, other_folders)]

    def write_parts(self, ledger: Ledger) -> None:
        """Write raw files, parts of authored pages, charts, and pages of broken benchmarks."""
        tree = self.frame.tree
        raw_files = {}
        for benchmark in self.evaluation.results.benchmarks:
            raw_files[benchmark.benchmark.id] = _copy_raw_files(benchmark, tree)
        content = SiteContent(ledger, raw_files, self.evaluation.problems())
        fragments = (*self._documentation(), *generated_fragments(content, self.templates))
        for address, slot, text in fragments:
            page = tree.page(address).read_text(encoding="utf-8")
            tree.write_page(address, fill_slot(page, slot, text))
        self._inline_landing_styles(ledger)
        for path in sorted((self.frame.work / "charts").iterdir()):
            tree.copy(path, f"{CHARTS}/{path.name}")
        self._write_broken_benchmarks()

    def _documentation(self) -> list[Fragment]:
        """Return the generated parts of the documentation: rules, and keys of all records."""
        build_cache = self.frame.build_cache
        rules = build_cache.get_or_compute("rules", self._rules_fragments)
        # A project with pages of its own may not document the format.
        if not self.frame.tree.page(addresses.FORMAT).exists():
            return rules
        return rules + build_cache.get_or_compute("keys", self._keys_fragments)

    def _rules_fragments(self) -> list[Fragment]:
        return list(rules_fragments(all_rules(), self.templates))

    def _keys_fragments(self) -> list[Fragment]:
        return list(keys_fragments(self.templates))

    def _inline_landing_styles(self, ledger: Ledger) -> None:
        """Put the style sheets that authored landing pages need into these pages."""
        tree = self.frame.tree
        days = [release.release.date for release in ledger.releases]
        for address in ("", addresses.CHANGELOG, *map(addresses.release_address, days)):
            path = tree.page(address)
            page = path.read_text(encoding="utf-8")
            words = read_page_words(path, tree.root)
            tree.write_page(address, inline_styles(page, path.parent, words))

    def _write_broken_benchmarks(self) -> None:
        """Write a page for each benchmark without boards, since a tab links to it."""
        sections = {AGENTS}
        for boards in self.evaluation.boards:
            sections.add(boards[0].benchmark.id)
        text = "Its definition has errors, so none of it is shown."
        for stub in self.frame.stubs:
            if stub.section not in sections:
                address = addresses.benchmark_address(stub.section)
                self._write_page(stub.section, Page(address, stub.title, text, f"<p>{text}</p>"))


def _copy_raw_files(results: BenchmarkResults, tree: SiteTree) -> list[str]:
    """Copy a benchmark's files to the site as they were submitted, and return their names.

    The copies do not mention submissions under embargo.
    """
    paths = results.path.rglob("*")
    files = [path for path in paths if path.is_file() and not path.is_symlink()]
    names = [file.relative_to(results.path).as_posix() for file in files]
    embargoed = tuple(f"submissions/{bundle.id}/" for bundle in results.embargoed)
    published_names = []
    for name in sorted(filter(addresses.is_carried, names)):
        if not name.startswith(embargoed):
            published_names.append(name)
    edited = files_without_embargoed(results)
    copied_names = []
    for name in published_names:
        address = addresses.raw_address(results.benchmark.id, name)
        if name not in edited:
            tree.copy(results.path / name, address)
        elif (content := edited[name]) is not None:
            tree.write_bytes(address, content)
        else:
            continue
        copied_names.append(name)
    return copied_names
