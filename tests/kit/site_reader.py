"""A simulated reader who follows a site's links by their texts, and reads the pages."""

import re
from dataclasses import dataclass, field

from playwright.sync_api import Locator, Page, expect

MOST_CLICKS = 2


@dataclass
class Reader:
    """A reader who counts clicks and checks visible texts."""

    page: Page
    site: str
    clicks: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.page.goto(self.site)

    def click(self, target: str | Locator) -> None:
        """Click a link or a disclosure by its text, or a given element, and count the click."""
        self.clicks += 1
        if isinstance(target, str):
            target = (
                self.page.get_by_role("main").locator("a, summary").filter(has_text=re.compile(rf"^\s*{target}\s*$"))
            )
        target.first.click()
        self.page.wait_for_load_state()

    def search(self, text: str) -> None:
        """Type text into the search, and follow the first result that contains it."""
        self.page.locator("input.md-search__input").click()
        self.page.keyboard.type(text)
        self.click(self.page.locator(".md-search-result__link").filter(has_text=text))
        expect(self.page.locator("[data-answer]")).to_be_visible()

    def sees(self, *texts: str, within: str = "main") -> None:
        """Check that texts are visible on the page, and that at most the allowed number of clicks was needed."""
        assert self.clicks <= MOST_CLICKS
        for text in texts:
            expect(self.page.locator(within).first).to_contain_text(text, use_inner_text=True)
