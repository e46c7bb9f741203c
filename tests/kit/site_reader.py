"""A simulated reader of a site, who follows links by their words and reads the page shown."""

import re
from dataclasses import dataclass, field

from playwright.sync_api import Locator, Page, expect

MOST_CLICKS = 2


@dataclass
class Reader:
    """A reader who counts clicks and checks visible words."""

    page: Page
    site: str
    clicks: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.page.goto(self.site)

    def click(self, what: str | Locator) -> None:
        """Click a link or a disclosure by its words, or an element; count the click."""
        self.clicks += 1
        if isinstance(what, str):
            what = self.page.get_by_role("main").locator("a, summary").filter(has_text=re.compile(rf"^\s*{what}\s*$"))
        what.first.click()
        self.page.wait_for_load_state()

    def search(self, words: str) -> None:
        """Type words into the search, and follow the first hit that contains them."""
        self.page.locator("input.md-search__input").click()
        self.page.keyboard.type(words)
        self.click(self.page.locator(".md-search-result__link").filter(has_text=words))
        expect(self.page.locator("[data-answer]")).to_be_visible()

    def sees(self, *words: str, within: str = "main") -> None:
        """Check that words are on the page, and that at most two clicks were needed."""
        assert self.clicks <= MOST_CLICKS
        for each in words:
            expect(self.page.locator(within).first).to_contain_text(each, use_inner_text=True)
