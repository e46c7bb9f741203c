"""A reader picks two to four rows to compare, on a board that says where."""

import re

import pytest
from kit.board_in_browser import shown, words_box
from playwright.sync_api import Page, Route, expect

pytestmark = pytest.mark.browser


@pytest.fixture
def board(demo_site: str) -> str:
    """Address of a board whose rows can be compared."""
    return f"{demo_site}demo/chain/"


def pick(page: Page, number: int) -> None:
    page.locator("tr:not([hidden]) .sg-pick input").nth(number).check()


def test_two_picked_rows_lead_to_their_comparison(page: Page, board: str) -> None:
    """A box says whom it picks, and heads keep their one button as their first control."""
    page.goto(board)
    expect(page.get_by_role("checkbox", name="Select Gorse-XL to compare")).to_be_visible()
    controls = page.locator("table[data-board] thead th").evaluate_all(
        "heads => heads.map(head => [...head.querySelectorAll('a, button, input')].map(each => each.localName).join())"
    )
    assert set(controls) == {"button"}
    first, second, *_ = shown(page)
    bar = page.get_by_role("region", name="Agents to compare")
    expect(bar).to_be_hidden()
    pick(page, 0)
    expect(bar).to_contain_text("select one more to compare")
    expect(bar.get_by_role("link")).to_be_hidden()
    pick(page, 1)
    href = f"../../demo/chain/compare/?a={first}&b={second}"
    expect(bar.get_by_role("link", name="Compare")).to_have_attribute("href", href)
    expect(page).to_have_url(f"{board}?pick={first},{second}")


def test_four_rows_are_the_most(page: Page, board: str) -> None:
    page.goto(board)
    for number in range(4):
        pick(page, number)
    boxes = page.locator("tr:not([hidden]) .sg-pick input")
    expect(boxes.nth(4)).to_be_disabled()
    expect(boxes.nth(0)).to_be_enabled()
    boxes.nth(0).uncheck()
    expect(boxes.nth(4)).to_be_enabled()


def test_picks_stay_while_rows_are_filtered_and_sorted(page: Page, board: str) -> None:
    page.goto(board)
    chosen = shown(page)[1]
    pick(page, 1)
    words_box(page).fill("alder")
    page.keyboard.press("Escape")
    page.locator("table[data-board] thead th", has_text="Case Score").get_by_role("button").click()
    expect(page).to_have_url(f"{board}?sort=-case_score&filter=alder&pick={chosen}")
    expect(page.get_by_role("region", name="Agents to compare")).to_contain_text("Dogwood-2")


def test_a_link_to_picks_shows_them_and_clear_forgets_them(page: Page, board: str) -> None:
    page.goto(f"{board}?pick=2026-03-18-dogwood-2,gone,2026-01-22-alder-1")
    bar = page.get_by_role("region", name="Agents to compare")
    expect(bar).to_contain_text("Dogwood-2, Alder-1")
    bar.get_by_role("button", name="Clear").click()
    expect(bar).to_be_hidden()
    expect(page).to_have_url(board)


def test_a_board_that_says_not_where_offers_no_boxes(page: Page, demo_site: str) -> None:
    page.route("**/demo/chain/", without_comparison)
    page.goto(f"{demo_site}demo/chain/")
    expect(page.locator("[data-toolbar][data-ready]")).to_be_visible()
    expect(page.locator(".sg-pick, .sg-picked")).to_have_count(0)


def without_comparison(route: Route) -> None:
    """Take from a board where its rows are compared, where it says so."""
    answer = route.fetch()
    route.fulfill(response=answer, body=re.sub(r' data-compare="[^"]*"', "", answer.text()))
