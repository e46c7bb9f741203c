"""Measures the weight of pages, the part of it that is not content, and how long readers wait."""

import gzip
import re
import statistics
from collections.abc import Iterable
from heapq import nlargest
from itertools import islice
from pathlib import Path

from host import LEVEL, hosting
from reader import browsing, first_load, first_result, layout_shift, seen, sorting
from stopwatch import RUNS

LARGEST = 20
"""Number of the largest pages to examine closely."""
ROWS = 1000

CONTENT = re.compile(r'<article[^>]* class="[^"]*\bsg".*</article>', re.DOTALL)
"""Matches the content of a generated page; the rest is its frame. Authored pages do not match."""
FIRST_ROW = "tr[data-submission]:not([hidden]) td.sg-rank"
_ROW = re.compile(r"<tr [^>]*data-submission=.*?</tr>", re.DOTALL)


def heaviest(site: Path) -> tuple[float, int]:
    """Return the kilobytes, compressed, of the heaviest page, and the maximum number of elements on a page."""
    texts = [
        page.read_bytes()
        for page in nlargest(LARGEST, site.rglob("*.html"), key=lambda path: path.stat().st_size)
    ]
    sizes = (len(gzip.compress(text, LEVEL)) for text in texts)
    return max(sizes) / 1000, max(len(re.findall(rb"<[a-z]", text)) for text in texts)


def frame(site: Path) -> float:
    """Return the kilobytes of generated pages outside their content, as the median over a sample."""
    pages = (page.read_text(encoding="utf-8") for page in site.rglob("index.html"))
    around = (
        len(text.encode()) - len(content[0].encode())
        for text in pages
        if (content := CONTENT.search(text))
    )
    return statistics.median(islice(around, 100)) / 1000


def of_readers(site: Path, empty: Path) -> Iterable[tuple[str, float, str, float | None]]:
    """Yield what a reader waits for: name, figure, unit, and the maximum on any machine, if there is one.

    Args:
        site: A built site.
        empty: A site with the theme alone, one page and its search.
    """
    with browsing() as browser, hosting(site) as ours, hosting(empty) as bare:
        if browser is None:
            print("there is no Chromium: name one in SITEGEN_BROWSER to measure what a reader sees")
            return
        by_depth: dict[int, Path] = {}
        for page in sorted(site.rglob("index.html"), key=lambda path: path.stat().st_size):
            if CONTENT.search(page.read_text(encoding="utf-8")):
                by_depth[len(page.relative_to(site).parts)] = page
        addresses = {
            depth: page.relative_to(site).as_posix()[:-10] for depth, page in by_depth.items()
        }
        boards = (
            page
            for page in site.glob("*/*/index.html")
            if _ROW.search(page.read_text(encoding="utf-8"))
        )
        board = max(boards, key=lambda path: path.stat().st_size)
        address = board.relative_to(site).as_posix()[:-10]
        ratio = first_load(browser, ours, address).size / first_load(browser, bare, "").size
        yield "board, first load", ratio, "× an empty page with search", 1.2
        slow = [seen(browser, ours, address, FIRST_ROW) for _ in range(RUNS)]
        yield (
            "board's rows painted, slow line (at rest at most 805)",
            statistics.median(slow),
            "ms",
            None,
        )
        shifts = (layout_shift(browser, ours, address) for address in addresses.values())
        yield "layout shift, largest page of each depth", max(shifts), "at worst", 0.1
        first = statistics.median(first_result(browser, ours, "", "scheduler") for _ in range(RUNS))
        yield "search, first result (at rest at most 1,000)", first, "ms", None
        took = sorting(browser, ours, lengthened(board, site))
        yield f"{ROWS:,} rows sorted (at rest at most 250)", took, "ms", None


def lengthened(board: Path, site: Path) -> str:
    """Write a copy of a board with a thousand rows, made by repeating its own, and return its address."""
    text = board.read_text(encoding="utf-8")
    rows = _ROW.findall(text)
    copies = (_again(rows[number % len(rows)], number) for number in range(ROWS))
    before, _, after = text.partition(rows[0])
    long = board.parent.with_name(f"{board.parent.name}-long") / board.name
    long.parent.mkdir(exist_ok=True)
    long.write_text("".join((before, *copies, after.rpartition(rows[-1])[2])), encoding="utf-8")
    return f"{long.parent.relative_to(site).as_posix()}/"


def _again(row: str, number: int) -> str:
    named = re.sub(r'((?:id|data-submission)="[^"]*)', rf"\g<1>-{number}", row)
    return re.sub(r'(data-value="\d+\.\d*)', rf"\g<1>{number:04}", named)
