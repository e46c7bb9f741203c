"""How far the parts of a page jump while it comes, as browsers count it."""

from playwright.sync_api import BrowserContext, Page

_WATCH = """
window.shifted = 0;
window.watchShifts = entries => {
  for (const { value, hadRecentInput } of entries) if (!hadRecentInput) window.shifted += value;
};
window.shiftObserver = new PerformanceObserver(list => window.watchShifts(list.getEntries()));
window.shiftObserver.observe({ type: "layout-shift", buffered: true });
"""

_READ = """async () => {
  for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
  window.watchShifts(window.shiftObserver.takeRecords());
  return window.shifted;
}"""


def watch_shifts(pages: BrowserContext | Page) -> None:
    """Have pages that are opened from now on note how far their parts jump."""
    pages.add_init_script(_WATCH)


def shifted(page: Page) -> float:
    """How far the parts of a page have jumped by the time that it has come and was painted."""
    page.wait_for_load_state("networkidle")
    return float(page.evaluate(_READ))
