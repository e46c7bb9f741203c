"""Find `[[redirects]]` that would hide a page of the site or lead nowhere, before the build."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import PurePosixPath

from sitegen.models.addresses import file_of_former
from sitegen.models.benchmark import BESIDE_SUBMISSIONS, INTEGRITY, Benchmark
from sitegen.models.results import BenchmarkResults
from sitegen.problems import Problem, Rule, reasons
from sitegen.reading.shape import suggestion
from sitegen.reading.toml import read_toml
from sitegen.store.checks.addresses import addresses_in
from sitegen.store.files.layout import DEFINITION_FILE

REDIRECT_TAKEN = Rule.error(
    "REDIRECT-TAKEN",
    "A redirect begins at an address that the site or another redirect uses.",
    "list an address of the former site once, and only if this site does not use it",
    unwaivable=reasons.ADDRESSES,
)
REDIRECT_UNKNOWN = Rule.error(
    "REDIRECT-UNKNOWN",
    "A redirect leads to a page that does not exist.",
    "name a page by its address, such as BENCHMARK/TRACK",
    unwaivable=reasons.ADDRESSES,
)

SITE_FILES = frozenset(
    {
        "index.html",
        "404.html",
        "sitemap.xml",
        "robots.txt",
        "feed.xml",
        "feed.json",
        "llms.txt",
        "card.png",
        "site.sha256",
    }
)
"""The files at the root of every site."""

_COMMON_PAGES = (
    "methods",
    "methods/metrics",
    "submit",
    "submit/checks",
    "changelog",
    "data",
    "api",
    "agents",
)
"""Pages that every site has outside its benchmarks."""

_SUBMISSION_DEPTH = 3
"""The number of names in BENCHMARK/TRACK/SUBMISSION."""
_TASK_DEPTH = 4
"""The number of names in BENCHMARK/TRACK/tasks/TASK."""


def redirect_problems(benchmarks: Sequence[BenchmarkResults]) -> Iterator[Problem]:
    """Yield the faulty redirects of benchmarks that share a site.

    The build checks redirects to authored pages, which are not known here.
    """
    if not any(results.benchmark.redirects for results in benchmarks):
        return
    pages = set(_COMMON_PAGES)
    for results in benchmarks:
        pages.update(_pages_of(results))
    used_files = {*SITE_FILES, *map(file_of_former, pages)}
    benchmark_ids = {results.benchmark.id for results in benchmarks}
    for results in benchmarks:
        if not results.benchmark.redirects:
            continue
        document = read_toml(results.path / DEFINITION_FILE, Benchmark)
        for index, redirect in enumerate(results.benchmark.redirects):
            file = file_of_former(redirect.old)
            if hides(file, used_files):
                fact = f"{redirect.old} is an address of the site or of another redirect"
                yield document.broken(REDIRECT_TAKEN, ("redirects", index, "from"), fact)
            used_files.add(file)
            if not _may_exist(redirect.new, pages, benchmark_ids):
                fact = f"the site has no page at {redirect.new}"
                fix = suggestion(redirect.new, pages)
                yield document.broken(REDIRECT_UNKNOWN, ("redirects", index, "to"), fact, fix)


def hides(file: str, existing_files: Collection[str]) -> bool:
    """Return whether a file can't be created next to the existing files.

    Either its name is taken by a file or a folder, or one of its folders has the name of a file.
    """
    folders = {parent.as_posix() for parent in PurePosixPath(file).parents}
    if file in existing_files or not folders.isdisjoint(existing_files):
        return True
    return any(existing.startswith(f"{file}/") for existing in existing_files)


def _pages_of(results: BenchmarkResults) -> Iterator[str]:
    """Yield the addresses of a benchmark's pages down to its submissions, tasks and rounds."""
    benchmark_id = results.benchmark.id
    yield from addresses_in(results)
    yield f"{benchmark_id}/{INTEGRITY}"
    for track in results.benchmark.tracks:
        for name in sorted(BESIDE_SUBMISSIONS):
            yield f"{benchmark_id}/{track.id}/{name}"


def _may_exist(address: str, pages: Collection[str], benchmark_ids: Collection[str]) -> bool:
    """Return whether a page may exist at an address.

    Pages outside benchmarks are not all known, and pages below a submission or a task depend on its
    results: any of these pages may exist.
    """
    names = address.split("/")
    if names[0] not in benchmark_ids or address in pages:
        return True
    if len(names) <= _SUBMISSION_DEPTH:
        return False
    _, _, section, *_ = names
    depth = _TASK_DEPTH if section in BESIDE_SUBMISSIONS else _SUBMISSION_DEPTH
    return len(names) > depth and "/".join(names[:depth]) in pages
