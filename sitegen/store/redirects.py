"""Finds `[[redirects]]` that would hide a page of the site, or that lead to none, before a site is built."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import PurePosixPath

from sitegen.models.addresses import file_of_former
from sitegen.models.benchmark import BESIDE_SUBMISSIONS, INTEGRITY, Benchmark
from sitegen.models.results import BenchmarkResults
from sitegen.problems import Problem, Rule, reasons
from sitegen.reading.shape import suggestion
from sitegen.reading.toml import read_toml
from sitegen.store.layout import DEFINITION
from sitegen.store.releases import addresses_in

_OWN = partial(Rule.error, unwaivable=reasons.ADDRESSES)
REDIRECT_TAKEN = _OWN(
    "REDIRECT-TAKEN",
    "A redirect begins at an address where the site has nothing, and that no other redirect uses.",
    "name an address that the former site had and this one does not have, once",
)
REDIRECT_UNKNOWN = _OWN(
    "REDIRECT-UNKNOWN",
    "A redirect leads to a page of the site.",
    "name a page by its address, such as BENCHMARK/TRACK",
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
"""Files at the root of every site."""

_STANDING = (
    "methods",
    "methods/metrics",
    "submit",
    "submit/checks",
    "changelog",
    "data",
    "api",
    "agents",
)
"""Pages of every site beside those of benchmarks."""

_BOARD_PARTS = 2
_ROW_PARTS = 3
_TASK_PARTS = 4


def redirect_problems(benchmarks: Sequence[BenchmarkResults]) -> Iterator[Problem]:
    """Yield what is wrong with the redirects of benchmarks that share a site.

    Pages that only the authored part of a site has are not known here: the build checks those.
    """
    if not any(results.benchmark.redirects for results in benchmarks):
        return
    pages: set[str] = set(_STANDING)
    for results in benchmarks:
        pages.update(_pages_of(results))
    site_files = {file_of_former(page) for page in pages} | SITE_FILES
    homes = {results.benchmark.id for results in benchmarks}
    redirect_files: set[str] = set()
    for results in benchmarks:
        if not results.benchmark.redirects:
            continue
        document = read_toml(results.path / DEFINITION, Benchmark)
        for number, redirect in enumerate(results.benchmark.redirects):
            file = file_of_former(redirect.old)
            if hides(file, site_files | redirect_files):
                what = (
                    f"{redirect.old} is an address that the site has, or that another redirect uses"
                )
                yield document.broken(REDIRECT_TAKEN, ("redirects", number, "from"), what)
            redirect_files.add(file)
            if not _may_exist(redirect.new, pages, homes):
                what = f"the site has nothing at {redirect.new}"
                fix = suggestion(redirect.new, pages)
                yield document.broken(REDIRECT_UNKNOWN, ("redirects", number, "to"), what, fix)


def hides(file: str, others: set[str]) -> bool:
    """Return whether a file has the name of another, or needs a folder where another file is, or the reverse."""
    folders = {parent.as_posix() for parent in PurePosixPath(file).parents}
    return (
        file in others
        or not folders.isdisjoint(others)
        or any(other.startswith(f"{file}/") for other in others)
    )


def _pages_of(results: BenchmarkResults) -> Iterator[str]:
    """Yield the addresses of a benchmark's pages down to its rows, tasks and rounds."""
    yield from addresses_in(results)
    yield f"{results.benchmark.id}/{INTEGRITY}"
    for track in results.benchmark.tracks:
        yield from (
            f"{results.benchmark.id}/{track.id}/{name}" for name in sorted(BESIDE_SUBMISSIONS)
        )


def _may_exist(address: str, pages: set[str], homes: set[str]) -> bool:
    """Return whether a page may be at an address; below a row, where pages depend on results, any may."""
    parts = address.split("/")
    if parts[0] not in homes or address in pages:
        return True
    if len(parts) <= _ROW_PARTS:
        return False
    above = _TASK_PARTS if parts[_BOARD_PARTS] in BESIDE_SUBMISSIONS else _ROW_PARTS
    return len(parts) > above and "/".join(parts[:above]) in pages
