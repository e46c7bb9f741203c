"""Layout shifts of a page while it loads, as browsers measure them."""

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
    """Record layout shifts on pages that are opened from now on."""
    pages.add_init_script(_WATCH)


def shifted(page: Page) -> float:
    """Return the cumulative layout shift of a page after it was loaded and painted."""
    page.wait_for_load_state("networkidle")
    return float(page.evaluate(_READ))
