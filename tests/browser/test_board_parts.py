"""On a phone a row's scores by part of the tasks open below it."""

import pytest
from playwright.sync_api import Page, ViewportSize, expect

pytestmark = pytest.mark.browser

PHONE: ViewportSize = {"width": 390, "height": 844}
PARTS = "tbody tr:not([hidden]) > .sg-split"


@pytest.fixture
def phone(page: Page) -> Page:
    page.set_viewport_size(PHONE)
    return page


def test_a_row_opens_and_folds(phone: Page, demo_site: str) -> None:
    phone.goto(f"{demo_site}demo/chain/")
    row = phone.locator("table[data-board] tbody tr:not([hidden])").first
    opener = row.get_by_role("button", name="scores by part of the tasks")
    expect(opener).to_have_attribute("aria-expanded", "false")
    expect(phone.locator(PARTS).filter(visible=True)).to_have_count(0)
    opener.press("Enter")
    expect(opener).to_have_attribute("aria-expanded", "true")
    many = row.locator(".sg-split").count()
    assert many > 1
    expect(phone.locator(PARTS).filter(visible=True)).to_have_count(many)
    opener.click()
    expect(phone.locator(PARTS).filter(visible=True)).to_have_count(0)


@pytest.mark.parametrize("asked", ["sort", "columns"])
def test_rows_are_open_where_the_view_is_about_parts(phone: Page, demo_site: str, asked: str) -> None:
    phone.goto(f"{demo_site}demo/chain/")
    head = phone.locator("table[data-board] thead .sg-split").first
    phone.goto(f"{demo_site}demo/chain/?{asked}={head.get_attribute('data-column')}")
    expect(phone.locator(PARTS).filter(visible=True).first).to_be_visible()
    expect(phone.locator(".sg-opener").filter(visible=True)).to_have_count(0)


def test_without_scripts_they_are_all_open(plain_page: Page, demo_site: str) -> None:
    plain_page.set_viewport_size(PHONE)
    plain_page.goto(f"{demo_site}demo/chain/")
    parts = plain_page.locator(PARTS)
    expect(parts.filter(visible=True)).to_have_count(parts.count())
    assert parts.count()


def test_a_window_that_becomes_narrow_gets_them_too(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/")
    expect(page.locator("[data-toolbar][data-ready]")).to_be_visible()
    expect(page.locator(".sg-opener")).to_have_count(0)
    page.set_viewport_size(PHONE)
    expect(page.locator(".sg-opener").filter(visible=True).first).to_be_visible()
