"""On a phone a row's scores by part of the tasks open below it."""

import pytest
from playwright.sync_api import Page, ViewportSize, expect

pytestmark = pytest.mark.browser

PHONE: ViewportSize = {"width": 390, "height": 844}
PARTS = "tbody tr:not([hidden]) > .sg-split"


def test_a_row_opens_and_folds_once_its_window_is_narrow(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/")
    expect(page.locator("[data-toolbar][data-ready]")).to_be_visible()
    expect(page.locator(".sg-opener")).to_have_count(0)
    page.set_viewport_size(PHONE)
    row = page.locator("table[data-board] tbody tr:not([hidden])").first
    opener = row.get_by_role("button", name="scores by kind of task")
    expect(opener).to_have_attribute("aria-expanded", "false")
    expect(page.locator(PARTS).filter(visible=True)).to_have_count(0)
    opener.press("Enter")
    expect(opener).to_have_attribute("aria-expanded", "true")
    split_count = row.locator(".sg-split").count()
    assert split_count > 1
    expect(page.locator(PARTS).filter(visible=True)).to_have_count(split_count)
    opener.click()
    expect(page.locator(PARTS).filter(visible=True)).to_have_count(0)


def test_rows_are_open_where_the_view_is_about_parts(page: Page, demo_site: str) -> None:
    page.set_viewport_size(PHONE)
    page.goto(f"{demo_site}demo/chain/")
    column = page.locator("table[data-board] thead .sg-split").first.get_attribute("data-column")
    for asked in ("sort", "columns"):
        page.goto(f"{demo_site}demo/chain/?{asked}={column}")
        expect(page.locator(PARTS).filter(visible=True).first).to_be_visible()
        expect(page.locator(".sg-opener").filter(visible=True)).to_have_count(0)


def test_without_scripts_they_are_all_open(plain_page: Page, demo_site: str) -> None:
    plain_page.set_viewport_size(PHONE)
    plain_page.goto(f"{demo_site}demo/chain/")
    split_cells = plain_page.locator(PARTS)
    expect(split_cells.filter(visible=True)).to_have_count(split_cells.count())
    assert split_cells.count()
