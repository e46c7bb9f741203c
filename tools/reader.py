"""A reader with a real browser: what a page makes it download, when its rows appear, and how long a click takes."""

import os
import shutil
import statistics
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from host import Host
from playwright.sync_api import Browser, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
RUNS = 3
PAUSE = 2000
"""Milliseconds between two clicks of a reader."""

SLOW_LINE = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 200_000,
    "uploadThroughput": 200_000,
}
"""A slow connection: milliseconds of latency and bytes per second (1.6 Mbit/s)."""
SLOW_MACHINE = {"rate": 4}

SEEN = """
window.seen = new Promise((resolve) => {
  const timed = new PerformanceObserver((list) => resolve(list.getEntries()[0].renderTime));
  timed.observe({ type: "element", buffered: true });
});
new MutationObserver((_, built) => {
  const first = document.querySelector("FIRST");
  if (!first) return;
  first.setAttribute("elementtiming", "first");
  built.disconnect();
}).observe(document, { childList: true, subtree: true });
"""
"""Records the milliseconds from the click that led to a page until its first matching element is painted."""

SHIFTED = """
window.shifted = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""

SORT = """button => new Promise(resolve => {
  const began = performance.now();
  button.click();
  requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began)));
})"""
"""Clicks a button, and returns the milliseconds until the result is painted."""

FOUND = """query => new Promise(resolve => {
  const began = performance.now();
  const list = document.querySelector(".md-search-result__list");
  new MutationObserver((_, seen) => {
    if (!list.querySelector(".md-search-result__item")) return;
    seen.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began)));
  }).observe(list, { childList: true, subtree: true });
  query.focus();
  query.value = "WORD";
  query.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true }));
})"""
"""Uses the search for the first time, and returns the milliseconds until a result is painted."""


@dataclass(frozen=True)
class Weight:
    """The data needed to open a page for the first time."""

    size: int
    """Bytes, compressed, including the favicon, a worker and the worker's requests."""
    files: int


@contextmanager
def browsing() -> Iterator[Browser | None]:
    """Yield the browser in `SITEGEN_BROWSER` ("" for Playwright's own) or on the path; None if there is none."""
    named = os.environ.get("SITEGEN_BROWSER")
    if named is None:
        named = next(filter(None, map(shutil.which, NAMES)), "none")
    if named == "none":
        yield None
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=named or None, args=list(FLAGS))
        yield browser
        browser.close()


@contextmanager
def opened(browser: Browser, script: str = "") -> Iterator[Page]:
    """Yield an empty page of a reader with no earlier visits.

    Args:
        browser: A running browser.
        script: A script to run on every page before the page's own scripts.
    """
    context = browser.new_context(viewport={"width": 1440, "height": 1000})
    if script:
        context.add_init_script(script)
    yield context.new_page()
    context.close()


def first_load(browser: Browser, host: Host, address: str) -> Weight:
    """Open a page, wait until it requests nothing more, and return its weight; typefaces are not counted."""
    host.sent.clear()
    with opened(browser) as page:
        page.goto(host.address + address)
        page.wait_for_load_state("networkidle")
    counted = [size for path, size in host.sent.items() if not path.endswith(".woff2")]
    return Weight(sum(counted), len(counted))


def layout_shift(browser: Browser, host: Host, address: str) -> float:
    """Return the sum of layout shifts while a page opens."""
    with opened(browser, SHIFTED) as page:
        page.goto(host.address + address)
        page.wait_for_load_state("networkidle")
        return float(page.evaluate("shifted"))


def seen(browser: Browser, host: Host, address: str, first: str) -> float:
    """Return the milliseconds until an element is painted, on a slow connection and a slow machine.

    Args:
        browser: A running browser.
        host: The host of the page.
        address: The address of the page below the host's.
        first: A selector for the element, which must have its own text.
    """
    with opened(browser, SEEN.replace("FIRST", first)) as page:
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.send("Network.emulateNetworkConditions", SLOW_LINE)
        session.send("Emulation.setCPUThrottlingRate", SLOW_MACHINE)
        page.goto(host.address + address)
        return float(page.evaluate("seen"))


def sorting(browser: Browser, host: Host, address: str) -> float:
    """Sort a board by a column that it is not sorted by, and return the milliseconds from click to paint."""
    with opened(browser) as page:
        page.goto(host.address + address)
        page.wait_for_load_state("networkidle")
        button = page.locator("table[data-board] th[aria-sort='none'] button").last
        times = []
        for _ in range(RUNS):
            times.append(float(button.evaluate(SORT)))
            page.wait_for_timeout(PAUSE)
        return statistics.median(times)


def first_result(browser: Browser, host: Host, address: str, search_word: str) -> float:
    """Search on a page for the first time, and return the milliseconds from first focus to a result."""
    with opened(browser) as page:
        page.goto(host.address + address)
        page.wait_for_load_state("networkidle")
        query = page.locator("[data-md-component='search-query']")
        return float(query.evaluate(FOUND.replace("WORD", search_word)))
