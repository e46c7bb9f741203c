"""Write the generated site: pages, machine-readable files, and redirects from former addresses."""

import gc
from itertools import chain
from pathlib import Path

from sitegen.board.export import scores_json
from sitegen.board.history.ledger import make_ledger
from sitegen.metrics.special_functions import load_special_functions
from sitegen.models.site import Site
from sitegen.pages.charts import panels_of
from sitegen.pages.environment import COMPILED, Templates
from sitegen.pages.lead import lead_of
from sitegen.pages.sharing import cards_of
from sitegen.pages.transcript_sources import private_transcript_paths
from sitegen.pipeline.build_cache import BuildCache, StoredBundles, reusing_parsed_styles
from sitegen.pipeline.build_options import BuildOptions, BuildProgress, BuiltSite
from sitegen.pipeline.dask_workers import dask_reader
from sitegen.pipeline.data_files import write_data_files
from sitegen.pipeline.drawing import drawing, drawing_cards
from sitegen.pipeline.evaluating import Evaluation, evaluate_benchmarks
from sitegen.pipeline.forwarding import forward
from sitegen.pipeline.page_writer import Frame, PageWriter, WrittenGroup, cut_shells
from sitegen.problems import LinkError, Problem, ProblemsError, errors_of
from sitegen.publish.machine.processes import run_in_processes
from sitegen.publish.projects.wheel import program_version
from sitegen.publish.site.link_check import broken_links
from sitegen.publish.site.search_index import add_to_search
from sitegen.publish.site.sitemap import write_sitemap
from sitegen.publish.site.tree import SiteTree

COLLECTOR_THRESHOLD = 20_000
"""The threshold of garbage collection while pages are rendered; the default collects too often."""


def write_site(
    folder: Path, frame: Frame, options: BuildOptions, progress: BuildProgress
) -> BuiltSite:
    """Read and score a results folder, write all generated files, and check links.

    Raises:
        ProblemsError: The results have errors, or there are no results.
        UsageError: The settings name an unknown lead board, or a redirect can't be made.
        BuilderError: The authored pages can't be built.
        LinkError: A link of the site leads nowhere.
    """
    tree = frame.tree
    load_special_functions()
    evaluation, problems = _read_results(folder, frame, options, progress)
    # Scores and their intervals are computed before processes are forked, which then share them.
    scores = scores_json(evaluation.entries())
    # Repeated garbage collection of all results would double the time.
    gc.freeze()
    gc.set_threshold(COLLECTOR_THRESHOLD)
    with reusing_parsed_styles(frame.build_cache):
        pages, written = _write_pages(evaluation, frame, options, progress)
        ledger = make_ledger(evaluation.results.releases, evaluation.boards, program_version())
        pages.write_parts(ledger)
    names = chain.from_iterable(group.returned for _, group in written)
    add_to_search(tree, names)
    write_data_files(ledger, scores, pages)
    write_sitemap(tree, frame.site.address)
    forward(evaluation, tree, pages.templates)
    page_files: set[str] = set()
    for _, group in written:
        page_files.update(group.files)
    _require_links(tree, frame.site, set() if options.check_links else page_files)
    return BuiltSite(options.site, len(page_files), problems)


def _read_results(
    folder: Path, frame: Frame, options: BuildOptions, progress: BuildProgress
) -> tuple[Evaluation, tuple[Problem, ...]]:
    """Return the results of a folder and their problems."""
    remote_reader = dask_reader(options.scheduler) if options.scheduler else None
    bundle_cache = StoredBundles(frame.build_cache, remote_reader)
    evaluation = evaluate_benchmarks(
        folder, options.benchmarks, options.day, progress.reading, bundle_cache
    )
    problems = evaluation.problems()
    has_forbidden_errors = bool(errors_of(problems)) and not options.allow_problems
    if has_forbidden_errors or not evaluation.boards:
        raise ProblemsError(problems)
    lead_of(list(evaluation.all_boards()), frame.site.lead)  # Raises an error for an unknown board.
    return evaluation, problems


def _write_pages(
    evaluation: Evaluation, frame: Frame, options: BuildOptions, progress: BuildProgress
) -> tuple[PageWriter, list[WrittenGroup]]:
    """Write the generated pages in several processes, and draw their charts and share cards."""
    tree = frame.tree
    cache = frame.build_cache.cache
    panels = chain.from_iterable(map(panels_of, evaluation.boards))
    with drawing(panels, frame.work / "charts", cache) as draw:
        templates = Templates(frame.templates, draw, frame.site)
        _compile_templates(templates, frame.build_cache)
        releases = evaluation.results.releases
        # The cards are not referenced anywhere else, so they are freed once they are drawn.
        drawing_all_cards = drawing_cards(
            cards_of(evaluation.boards, releases, templates), frame.work / "cards", cache, tree
        )
        with drawing_all_cards:
            frame.finish_authored()
            _remove_closed_transcripts(evaluation, tree)
            shells = cut_shells(frame.stubs, tree)
            pages = PageWriter(evaluation, templates, shells, frame, progress.writing)
            shares = run_in_processes(
                options.jobs, pages.write_share, "a process that renders pages"
            )
    written = list(chain.from_iterable(shares))
    cache.add_groups(written)
    for _, group in written:
        # Other processes wrote most files, and each recorded them in its own copy of this list.
        tree.written.extend(group.files.items())
    return pages, written


def _compile_templates(templates: Templates, build_cache: BuildCache) -> None:
    """Load every template from the cache if possible, while the authored pages are built."""

    def compile_all() -> bytes:
        templates.preload()
        return COMPILED.dump()

    COMPILED.load(memoryview(build_cache.get_or_make("templates", compile_all, is_code=True)))
    templates.preload()


def _remove_closed_transcripts(evaluation: Evaluation, tree: SiteTree) -> None:
    """Remove the authored transcripts that must not be published."""
    for pattern in private_transcript_paths(evaluation.entries()):
        for path in tree.root.glob(pattern):
            path.unlink()


def _require_links(tree: SiteTree, site: Site, trusted: set[str]) -> None:
    """Raise a LinkError if a link in an untrusted file leads nowhere."""
    links = broken_links(tree.root, site.path, trusted)
    if links:
        raise LinkError(links)
