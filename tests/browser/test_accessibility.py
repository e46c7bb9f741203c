"""What axe-core finds wrong with pages that readers have used: nothing, in either scheme and width."""

from collections.abc import Callable

import pytest
from kit.axe import NARROW, WIDE, wrong_at_any_size, wrong_in_either_scheme
from kit.board_in_browser import words_box
from kit.page_kinds import drilldown
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

BOARD = "demo/chain/"


def board_with_filters_picks_withdrawn_rows_and_live_charts(page: Page, site: str) -> None:
    page.goto(f"{site}{BOARD}?sort=case_score,-rank&withdrawn=1")
    for box in page.locator(".sg-pick input").all()[:4]:
        box.check()
    expect(page.locator(".sg-picked .sg-go")).to_be_visible()
    page.locator(".sg-live button").first.click()
    expect(page.locator(".sg-live button[aria-pressed=true]")).to_be_visible()
    page.locator("[data-filters] > summary").click()
    page.locator("[data-filters] input[type=checkbox]").first.check()
    expect(page.locator("[data-shown]")).to_contain_text("of")


def board_with_fewer_columns(page: Page, site: str) -> None:
    page.goto(site + BOARD)
    page.locator("[data-columns] > summary").click()
    page.locator("[data-columns] input[type=checkbox]").last.uncheck()


def board_where_nothing_matches(page: Page, site: str) -> None:
    page.goto(site + BOARD)
    words_box(page).fill("nobody is called so")
    expect(page.locator("[data-shown]")).to_contain_text("No agent matches")


def search_with_results(page: Page, site: str) -> None:
    page.goto(site + BOARD)
    page.keyboard.press("/")
    page.keyboard.type("alder")
    expect(page.locator(".md-search-result__item").first).to_be_visible()


def comparison(page: Page, site: str) -> None:
    page.goto(f"{site}{BOARD}compare/")
    first, second, third = page.locator("[data-rows] .sg-pick input").all()[:3]
    first.check()
    second.check()
    expect(third).to_be_hidden()
    page.locator("details:has([data-rows]) > summary").click()
    third.check()
    page.locator("details:has(> [data-rounds]) > summary").click()
    page.locator("[data-rounds] a[data-differs]").first.wait_for()


def everything_unfolded_and_a_case_that_the_address_names(page: Page, site: str) -> None:
    run = drilldown(site, "demo/chain/run")
    page.goto(run)
    page.goto(f"{run}#{page.locator('[data-case]').last.get_attribute('id')}")
    page.reload()
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")


def menu_of_a_section(page: Page, site: str) -> None:
    page.goto(f"{site}submit/")
    page.locator(".sg-drawer").press("Enter")
    expect(
        page.get_by_role("navigation", name="Submit results").get_by_role("link", name="From promptfoo")
    ).to_be_visible()


def code_that_was_copied(page: Page, site: str) -> None:
    page.goto(f"{site}submit/")
    page.locator(".md-code__button").first.click()


STATES = (
    board_with_filters_picks_withdrawn_rows_and_live_charts,
    board_with_fewer_columns,
    board_where_nothing_matches,
    search_with_results,
    comparison,
    everything_unfolded_and_a_case_that_the_address_names,
    menu_of_a_section,
    code_that_was_copied,
)


@pytest.mark.parametrize("reach", STATES, ids=lambda reach: reach.__name__)
def test_nothing_is_wrong_once_a_reader_has_used_a_page(
    page: Page, demo_site: str, reach: Callable[[Page, str], None]
) -> None:
    """What is open in a window stays so when it becomes narrow; a menu is there in a narrow one alone."""
    is_menu = reach is menu_of_a_section
    page.set_viewport_size({"width": NARROW if is_menu else WIDE, "height": 900})
    page.emulate_media(reduced_motion="reduce")
    reach(page, demo_site)
    assert (wrong_in_either_scheme if is_menu else wrong_at_any_size)(page) == []
