"""Build the site of a results folder."""

import os
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import msgspec

from sitegen.models.benchmark import AGENTS, benchmarks_by_group
from sitegen.models.site import CSV, JSON, PARQUET
from sitegen.pipeline.build_cache import BuildCache
from sitegen.pipeline.build_options import NO_PROGRESS, BuildOptions, BuildProgress, BuiltSite
from sitegen.pipeline.selecting import (
    benchmarks_left_out,
    chosen_definitions,
    require_benchmarks,
)
from sitegen.problems import UsageError
from sitegen.publish.machine.transaction import files_below, remove_leftovers, scratch_home
from sitegen.publish.projects.project import Project
from sitegen.publish.results.edition import public_edition
from sitegen.publish.site.authored import (
    Additions,
    SlottedPage,
    Stub,
    building_authored,
    settings_in,
    site_in,
)
from sitegen.publish.site.cache import BuildRecord, PageCache, cache_in, store_problems
from sitegen.publish.site.inputs import Inputs
from sitegen.publish.site.tree import SiteTree, replace_site
from sitegen.reading.collector import collector_off
from sitegen.store.files.git_states import has_tracked_files, submissions_by_commit
from sitegen.store.files.layout import RELEASES_FOLDER
from sitegen.store.readers.releases import read_releases, release_titles, releases_about

Finish = Callable[[], None]
"""Waits until the authored pages are in the site."""


def build(
    folder: Path, project: Project, options: BuildOptions, progress: BuildProgress = NO_PROGRESS
) -> BuiltSite:
    """Build the site of a results folder, and replace the old site only if the build succeeds.

    The authored pages are built in another process while the results are read. If nothing has
    changed since the last build, the existing site is kept.

    Raises:
        UsageError: Parquet is requested but its library is not installed; the site is inside the
            results folder or contains it; git tracks files of the cache; a requested benchmark does
            not exist; or the settings name an unknown lead board.
        ProblemsError: The results have errors, or there are no results.
        BuilderError: The authored pages can't be built.
        LinkError: A link of the built site leads nowhere.
    """
    if options.has_parquet and find_spec("pyarrow") is None:
        raise UsageError(
            "--parquet needs pyarrow, which is not installed; run `pip install pyarrow`"
        )
    require_benchmarks(folder, options.benchmarks)
    site = Path(os.path.realpath(options.site))
    results = Path(os.path.realpath(folder))
    if site.is_relative_to(results) or results.is_relative_to(site):
        raise UsageError(
            f"one of {options.site} and {folder} contains the other, and a build replaces the "
            "site; name another folder with --site"
        )
    if has_tracked_files(options.cache):
        raise UsageError(
            f"git tracks files in {options.cache}, the cache, where a pull request could put pages "
            f"that nobody reviews; run `git rm -r --cached {options.cache}`, and commit the change"
        )
    with (
        cache_in(options.cache, site, results) as cache,
        cache.scratch_path("edition") as scratch_path,
        public_edition(folder, options.day, scratch_path) as (edition, to_source),
    ):
        edition_path = Path(os.path.realpath(edition))
        inputs = Inputs.read(project, edition_path)
        digest = _site_digest(inputs, folder, options)
        remove_leftovers(scratch_home(site))
        reused = cache.reuse_last_site(digest, edition_path)
        if reused is not None:
            problems = [to_source(problem) for problem in reused.problems]
            return BuiltSite(options.site, reused.page_count, problems, cache.sizes)
        built = _build_edition(edition, options, progress, BuildCache(cache, inputs))
        if inputs.are_as_read():
            stored = store_problems(built.problems, edition_path)
            cache.keep(BuildRecord(digest, built.pages, stored))
        else:
            # A file changed during the build, so pages may mix its old and new content.
            cache.clear()
        problems = [to_source(problem) for problem in built.problems]
        return replace(built, problems=problems, sizes=cache.sizes)


def _site_digest(inputs: Inputs, folder: Path, options: BuildOptions) -> str:
    """Return a digest of all inputs of the site; empty if any input is unknown."""
    # Folders, the number of processes and the Dask scheduler do not change the site.
    site_options = replace(options, site=Path(), cache=Path(), jobs=1, scheduler="")
    added = [sorted(submissions) for submissions in submissions_by_commit(folder)]
    return inputs.digest_of_all(site_options, added, _fixed_time())


def _fixed_time() -> str | None:
    return os.environ.get("SOURCE_DATE_EPOCH")


def _build_edition(
    folder: Path, options: BuildOptions, progress: BuildProgress, build_cache: BuildCache
) -> BuiltSite:
    """Build the site from the public edition of the results, and replace any existing site."""
    stubs = _page_stubs(folder, options.benchmarks)
    slots = _release_slots(folder, options.benchmarks)
    left_out = benchmarks_left_out(folder, options.benchmarks)
    additions = Additions(stubs, slots, left_out)
    authored_key = build_cache.inputs.digest_without_results(additions, _fixed_time())
    with replace_site(options.site) as (tree, work):
        project = build_cache.inputs.project.with_fallback(work)
        start = partial(building_authored, project, additions, work, tree.root)
        with _authored_pages(start, authored_key, tree, build_cache.cache) as finish:
            # This import takes half a second, during which the authored pages are built.
            with collector_off():  # Imported modules are never freed.
                from sitegen.pipeline.page_writer import Frame  # noqa: PLC0415 - see above
                from sitegen.pipeline.writing import write_site  # noqa: PLC0415 - see above

            kinds = (JSON, CSV, PARQUET) if options.has_parquet else (JSON, CSV)
            site = site_in(settings_in(project.settings), kinds)
            if site.lead.split("/")[0] in left_out:
                site = replace(site, lead="")
            frame = Frame(tree, work, project.templates, stubs, finish, site, build_cache)
            return write_site(folder, frame, options, progress)


def _page_stubs(folder: Path, only: Collection[str]) -> list[Stub]:
    """Return a stub for the agents, and then one for each benchmark, in the order of groups."""
    stubs = [Stub(AGENTS, "Agents")]
    definitions = chosen_definitions(folder, only)
    for benchmarks in benchmarks_by_group(definitions).values():
        for benchmark in benchmarks:
            group = benchmark.group or ""
            stubs.append(Stub(benchmark.id, benchmark.title, group, benchmark.group_anchor))
    return stubs


def _release_slots(folder: Path, only: Collection[str]) -> list[SlottedPage]:
    """Return the authored page of each release, as a child of the changelog."""
    slots = []
    days = None
    if only:
        releases = read_releases(folder / RELEASES_FOLDER).record
        about = releases_about(releases, only, chosen_definitions(folder, only))
        days = [str(release.date) for release in about]
    for day, title in release_titles(folder, days).items():
        name = day
        if title != day:
            name = f"{title}, {day}"
        slots.append(SlottedPage(f"changelog/{day}.md", name, "release", "changelog/index.md"))
    return slots


@contextmanager
def _authored_pages(
    start: Callable[[], AbstractContextManager[Finish]], key: str, tree: SiteTree, cache: PageCache
) -> Iterator[Finish]:
    """Start building the authored pages, or reuse those that the last build saved under a key.

    Yields:
        A function that adds the saved pages to the site, or waits until the new ones are there.
    """
    saved = cache.get(key)
    if saved:
        saved_files: dict[str, bytes] = msgspec.msgpack.decode(saved)

        def write_saved() -> None:
            for name, content in saved_files.items():
                tree.write_bytes(name, content)

        yield write_saved
        return
    with start() as finish:

        def finish_and_save() -> None:
            finish()
            files = {}
            for name in files_below(tree.root):
                files[name] = (tree.root / name).read_bytes()
            cache.put(key, msgspec.msgpack.encode(files))

        yield finish_and_save
