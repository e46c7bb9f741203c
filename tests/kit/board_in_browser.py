"""What the tests of boards look at in a browser."""

from collections.abc import Sequence

from playwright.sync_api import Locator, Page, expect

from kit.timeouts import comes_to

SHOWN = "table[data-board] tr[data-submission]:not([hidden])"
"""The rows that a reader sees."""


def shown(page: Page) -> list[str]:
    """Ids of the rows that a reader sees, from top to bottom."""
    return [str(row) for row in page.locator(SHOWN).evaluate_all("rows => rows.map(row => row.dataset.submission)")]


def expect_shown(page: Page, rows: Sequence[str]) -> None:
    """Wait until these are the rows that a reader sees, from top to bottom."""
    comes_to(lambda: shown(page), list(rows))


def address(page: Page) -> str:
    """The address that a reader would copy, as the page itself has it by now."""
    return str(page.evaluate("location.href"))


def menu(page: Page, name: str) -> Locator:
    """Open a menu above the board, and wait until it is filled: what is in it is loaded only then."""
    found = page.locator("details.sg-menu", has=page.locator("summary", has_text=name))
    found.locator("summary").click()
    expect(found.locator("input").filter(visible=True).first).to_be_visible()
    return found


def facet(page: Page, name: str) -> Locator:
    """A facet in the open menu of filters."""
    return page.locator(f"fieldset[data-facet='{name}']")


def words_box(page: Page) -> Locator:
    """The box to filter by words, in the menu of filters, which is opened where it is not."""
    if page.locator("details[data-filters]").get_attribute("open") is None:
        menu(page, "Filter")
    return page.get_by_label("Filter by agent")
