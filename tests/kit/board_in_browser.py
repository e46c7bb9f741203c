"""Functions for tests of boards in a browser."""

from collections.abc import Sequence

from playwright.sync_api import Locator, Page, expect

from kit.timeouts import comes_to

SHOWN = "table[data-board] tr[data-submission]:not([hidden])"
"""The visible rows."""


def shown(page: Page) -> list[str]:
    """Return the ids of the visible rows, from top to bottom."""
    return [str(row) for row in page.locator(SHOWN).evaluate_all("rows => rows.map(row => row.dataset.submission)")]


def expect_shown(page: Page, rows: Sequence[str]) -> None:
    """Wait until these are the visible rows, from top to bottom."""
    comes_to(lambda: shown(page), list(rows))


def address(page: Page) -> str:
    """Return the current address of the page, as a reader would copy it."""
    return str(page.evaluate("location.href"))


def menu(page: Page, name: str) -> Locator:
    """Open a menu above the board, and wait until its content is loaded."""
    menu_details = page.locator("details.sg-menu", has=page.locator("summary", has_text=name))
    menu_details.locator("summary").click()
    expect(menu_details.locator("input").filter(visible=True).first).to_be_visible()
    return menu_details


def facet(page: Page, name: str) -> Locator:
    """Return a facet in the open menu of filters."""
    return page.locator(f"fieldset[data-facet='{name}']")


def words_box(page: Page) -> Locator:
    """Return the box for filtering by words in the menu of filters, which is opened if needed."""
    if page.locator("details[data-filters]").get_attribute("open") is None:
        menu(page, "Filter")
    return page.get_by_label("Filter by agent")
