"""A site whose settings do not say where it is: pages complete citations and the badge from their own address."""

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

BOARD = "demo/chain/"


def test_citation_badge_and_examples_get_whole_addresses(page: Page, demo_site: str) -> None:
    page.goto(demo_site + BOARD)
    cite = page.locator("section:has(#cite)")
    expect(cite.locator(".sg-quote")).to_contain_text(f"{demo_site}{BOARD}")
    bibtex = page.get_by_role("group", name="Citation in BibTeX", include_hidden=True)
    assert f"  url = {{{demo_site}{BOARD}}},\n}}" in (bibtex.text_content() or "")
    cite.locator("summary", has_text="Badge in Markdown").click()
    badge = cite.get_by_role("group", name="Badge in Markdown")
    expect(badge).to_contain_text(f"]({demo_site}{BOARD})")
    expect(badge).to_contain_text("[![Demo Multi-step](")
    expect(page.locator("[data-notice=address]")).to_be_hidden()
    example = page.get_by_role("group", name="In pandas", include_hidden=True)
    assert f'read_csv("{demo_site}api/v1/demo/chain.csv")' in (example.text_content() or "")


def test_scores_of_a_row_are_cited_by_whole_addresses(page: Page, demo_site: str) -> None:
    page.goto(demo_site + BOARD)
    page.goto(str(page.locator("table[data-board] tbody tr:visible th a").first.evaluate("link => link.href")))
    address_element = page.locator("[data-own-address]").last
    assert (address_element.text_content() or "").startswith(f"{demo_site}{BOARD}")


def test_without_scripts_a_page_says_what_is_missing(plain_page: Page, demo_site: str) -> None:
    plain_page.goto(demo_site + BOARD)
    expect(plain_page.locator("[data-notice=address]")).to_be_visible()
    expect(plain_page.locator("[data-own-badge]")).to_be_hidden()
