"""Measures pages against their budgets: how heavy they are, how soon they are seen, how fast they answer."""

import re
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path

from host import Host, compressed, hosting
from playwright.sync_api import Browser
from reader import browsing, first_load, first_result, layout_shift, seen, sorting
from stopwatch import RUNS, SITEGEN, line, run

from sitegen.store.layout import BESIDE_SUBMISSIONS

KILOBYTE = 1000
ROWS = 1000
PAGES = ["--agents", "30", "--tasks", "50"]
"""A simulated benchmark whose site has some 3,000 pages."""

SHAPES = {
    "home": r"index.html",
    "benchmark": r"[^/]+/index.html",
    "board": r"[^/]+/[^/]+/index.html",
    "tasks": r"[^/]+/[^/]+/tasks/index.html",
    "task": r"[^/]+/[^/]+/tasks/[^/]+/index.html",
    "round": r"[^/]+/[^/]+/tasks/[^/]+/\d+/index.html",
    "comparison": r"[^/]+/[^/]+/compare/index.html",
    "submission": rf"[^/]+/[^/]+/(?!(?:{'|'.join(BESIDE_SUBMISSIONS)})/)[^/]+/index.html",
    "run": r"[^/]+/[^/]+/(?!tasks/|compare/)[^/]+/[^/]+/.*index.html",
    "methods": r"methods/index.html",
}
"""Where the pages of each kind stand."""

HEAVIEST = {"task": (120, 8_000), "round": (160, 12_000), "run": (160, 12_000)}
"""By kind: kilobytes and elements that a page may have at most."""

FIRST_ROW = "tr[data-submission]:not([hidden]) td.sg-rank"
_ELEMENT = re.compile(r"<[a-z]")
_ROW = re.compile(r"<tr [^>]*data-submission=.*?</tr>", re.DOTALL)


def measure_pages(sites: dict[str, Path], empty: Path, work: Path) -> None:
    """Print the budgets of pages.

    Args:
        sites: Built sites by what they show.
        empty: A built site of the theme alone, with one page and its search.
        work: A folder for more sites.
    """
    for name, site in sites.items():
        print(f"\npages of {name}")
        for kind, (size, elements) in HEAVIEST.items():
            line(f"heaviest {kind} page", heaviest(site, kind), f"at most {size} KB, {elements:,} elements")
    with browsing() as browser:
        if browser is None:
            print("\nthere is no Chromium: name one in SITEGEN_BROWSER to measure what a reader sees")
            return
        for name, site in sites.items():
            print(f"\nwhat a reader sees of {name}")
            with hosting(site) as ours, hosting(empty) as bare:
                measure_board(browser, ours, bare, largest(site, "board"))
                measure_shifts(browser, ours, site)
        print("\nlarge boards and sites")
        measure_sorting(browser, next(iter(sites.values())))
        measure_search(browser, work)


def measure_board(browser: Browser, ours: Host, bare: Host, board: str) -> None:
    """Hold the first load of a board against that of an empty page of the theme."""
    weight, least = first_load(browser, ours, board), first_load(browser, bare, "")
    line("board, first load", f"{weight.size / KILOBYTE:.1f} KB, {weight.files} files")
    line("an empty page of the theme with search", f"{least.size / KILOBYTE:.1f} KB, {least.files} files")
    line("ratio to the empty page", f"{weight.size / least.size:.2f}", "at most 1.2")
    slow = in_turn(lambda: seen(browser, ours, board, FIRST_ROW), lambda: seen(browser, bare, "", "h1"))
    line("slow line and machine: board's rows painted", f"{slow[0]:.0f} ms", "at most 805 ms, on a machine at rest")
    line("slow line and machine: the empty page", f"{slow[1]:.0f} ms")


def measure_shifts(browser: Browser, host: Host, site: Path) -> None:
    """Look for parts that jump, on the largest page of each kind."""
    for kind in SHAPES:
        address = largest(site, kind)
        line(f"layout shift, {kind}", f"{layout_shift(browser, host, address):.3f}", "below 0.1")


def measure_sorting(browser: Browser, site: Path) -> None:
    """Sort a board of a thousand rows."""
    board = long_board(site)
    with hosting(site) as host:
        line(f"{ROWS:,} rows sorted", f"{sorting(browser, host, board):.0f} ms", "at most 250 ms")


def measure_search(browser: Browser, work: Path) -> None:
    """Search a site of three thousand pages for a task."""
    run([*SITEGEN, "demo", str(work / "many"), *PAGES])
    site = work / "many-site"
    run([*SITEGEN, "build", "--results", str(work / "many"), "--site", str(site)])
    many = sum(1 for _ in site.rglob("index.html"))
    with hosting(site) as host:
        times = [first_result(browser, host, "", "scheduler") for _ in range(RUNS)]
    line(f"search of {many:,} pages, first result", f"{statistics.median(times):.0f} ms", "at most 1,000 ms")


def in_turn(*measures: Callable[[], float]) -> list[float]:
    """Take the median of each of some figures that are measured in turn."""
    rounds = [[measure() for measure in measures] for _ in range(RUNS)]
    return [statistics.median(each) for each in zip(*rounds, strict=True)]


def heaviest(site: Path, kind: str) -> str:
    """Tell the size of the heaviest page of a kind, compressed, and the most elements that one has."""
    pages = list(pages_of(site, kind))
    size = max(len(compressed(page)) for page in pages)
    elements = max(len(_ELEMENT.findall(page.read_text(encoding="utf-8"))) for page in pages)
    return f"{size / KILOBYTE:.1f} KB, {elements:,}"


def largest(site: Path, kind: str) -> str:
    """Give the address of the largest page of a kind."""
    page = max(pages_of(site, kind), key=lambda path: path.stat().st_size)
    return page.relative_to(site).as_posix().removesuffix("index.html")


def pages_of(site: Path, kind: str) -> Iterator[Path]:
    """Find the pages of a kind: those of benchmarks, unless the kind is authored."""
    benchmarks = {path.name for path in (site / "data").iterdir() if path.is_dir()}
    for page in site.rglob("index.html"):
        name = page.relative_to(site).as_posix()
        if re.fullmatch(SHAPES[kind], name) and (kind in {"home", "methods"} or name.split("/")[0] in benchmarks):
            yield page


def long_board(site: Path) -> str:
    """Write a board of a thousand rows beside one of a site, its rows again and again, and give its address."""
    page = site / largest(site, "board") / "index.html"
    text = page.read_text(encoding="utf-8")
    rows = _ROW.findall(text)
    many = [_again(rows[number % len(rows)], number) for number in range(ROWS)]
    before, _, rest = text.partition(rows[0])
    long = page.parent.with_name(f"{page.parent.name}-long") / page.name
    long.parent.mkdir(exist_ok=True)
    long.write_text("".join((before, *many, rest.rpartition(rows[-1])[2])), encoding="utf-8")
    return f"{long.parent.relative_to(site).as_posix()}/"


def _again(row: str, number: int) -> str:
    named = re.sub(r'((?:id|data-submission)="[^"]*)', rf"\g<1>-{number}", row)
    return re.sub(r'(data-value="\d+\.\d*)', rf"\g<1>{number:04}", named)
