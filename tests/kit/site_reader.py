"""Somebody who reads a site: clicks what is seen, by its words, and reads what a page then shows."""

import re
from dataclasses import dataclass, field

from playwright.sync_api import Locator, Page, expect

MOST_CLICKS = 2


@dataclass
class Reader:
    """Somebody who clicks, and reads what is seen."""

    page: Page
    site: str
    clicks: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.page.goto(self.site)

    def click(self, what: str | Locator) -> None:
        """Follow a link, or open what is folded, by its words."""
        self.clicks += 1
        if isinstance(what, str):
            what = self.page.get_by_role("main").locator("a, summary").filter(has_text=re.compile(rf"^\s*{what}\s*$"))
        what.first.click()
        self.page.wait_for_load_state()

    def search(self, words: str) -> None:
        """Type words, and follow the first hit that has them."""
        self.page.locator("input.md-search__input").click()
        self.page.keyboard.type(words)
        self.click(self.page.locator(".md-search-result__link").filter(has_text=words))
        expect(self.page.locator("[data-answer]")).to_be_visible()

    def sees(self, *words: str, within: str = "main") -> None:
        """Find words on the page, in at most two clicks."""
        assert self.clicks <= MOST_CLICKS
        for each in words:
            expect(self.page.locator(within).first).to_contain_text(each, use_inner_text=True)
