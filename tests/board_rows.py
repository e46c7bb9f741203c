"""What the tests of boards look at in a browser."""

from playwright.sync_api import Locator, Page

SHOWN = "table[data-board] tr[data-submission]:not([hidden])"
"""The rows that a reader sees."""


def shown(page: Page) -> list[str]:
    """Ids of the rows that a reader sees, from top to bottom."""
    return [str(row) for row in page.locator(SHOWN).evaluate_all("rows => rows.map(row => row.dataset.submission)")]


def address(page: Page) -> str:
    """The address that a reader would copy, as the page itself has it by now."""
    return str(page.evaluate("location.href"))


def menu(page: Page, name: str) -> Locator:
    """Open a menu above the board."""
    found = page.locator("details.sg-menu", has=page.locator("summary", has_text=name))
    found.locator("summary").click()
    return found


def facet(page: Page, name: str) -> Locator:
    """A facet in the open menu of filters."""
    return page.locator(f"fieldset[data-facet='{name}']")
