"""What axe-core finds wrong with pages: nothing of any impact, in either scheme and width, before and after use."""

from collections.abc import Callable

import pytest
from axe import wrong_in_either_scheme, wrong_with
from board_rows import words_box
from page_kinds import REPORTED, drilldowns, every_address
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

BOARD = "demo/chain/"
WIDE, NARROW = 1440, 390


def board_with_filters(page: Page, site: str) -> None:
    page.goto(site + BOARD)
    page.locator("[data-filters] > summary").click()
    page.locator("[data-filters] input[type=checkbox]").first.check()
    expect(page.locator("[data-shown]")).to_contain_text("of")


def board_with_fewer_columns(page: Page, site: str) -> None:
    page.goto(site + BOARD)
    page.locator("[data-columns] > summary").click()
    page.locator("[data-columns] input[type=checkbox]").last.uncheck()


def board_sorted_twice_with_picks_and_withdrawn_rows(page: Page, site: str) -> None:
    page.goto(f"{site}{BOARD}?sort=case_score,-rank&withdrawn=1")
    for box in page.locator(".sg-pick input").all()[:4]:
        box.check()
    expect(page.locator(".sg-picked .sg-go")).to_be_visible()


def board_where_nothing_matches(page: Page, site: str) -> None:
    page.goto(site + BOARD)
    words_box(page).fill("nobody is called so")
    expect(page.locator("[data-shown]")).to_contain_text("No row matches")


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


def everything_unfolded(page: Page, site: str) -> None:
    page.goto(drilldowns(page, site)[1])
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")


def case_that_an_address_names(page: Page, site: str) -> None:
    run = drilldowns(page, site)[1]
    page.goto(run)
    page.goto(f"{run}#{page.locator('[data-case]').last.get_attribute('id')}")
    page.reload()


def menu_of_a_section(page: Page, site: str) -> None:
    page.goto(f"{site}submit/")
    if page.viewport_size == {"width": NARROW, "height": 900}:
        page.locator(".sg-drawer").press("Enter")
        expect(page.get_by_role("link", name="Import a table")).to_be_visible()


def code_that_was_copied(page: Page, site: str) -> None:
    page.goto(f"{site}submit/")
    page.locator(".md-code__button").first.click()


def charts_made_live(page: Page, site: str) -> None:
    page.goto(site + BOARD)
    page.locator(".sg-live button").first.click()
    expect(page.locator(".sg-live button[aria-pressed=true]")).to_be_visible()


STATES = (
    board_with_filters,
    board_with_fewer_columns,
    board_sorted_twice_with_picks_and_withdrawn_rows,
    board_where_nothing_matches,
    search_with_results,
    comparison,
    everything_unfolded,
    case_that_an_address_names,
    menu_of_a_section,
    code_that_was_copied,
    charts_made_live,
)


@pytest.fixture(params=[WIDE, NARROW])
def width(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture
def still_page(page: Page, width: int) -> Page:
    """A page in one width, where nothing moves."""
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(reduced_motion="reduce")
    return page


def test_nothing_is_wrong_with_any_kind_of_page(still_page: Page, demo_site: str) -> None:
    found: dict[str, list[str]] = {}
    for address in every_address(still_page, demo_site):
        still_page.goto(address)
        found[address] = wrong_in_either_scheme(still_page)
    assert {address: wrong for address, wrong in found.items() if wrong} == {}


def test_nothing_is_wrong_with_boards_of_published_tables(still_page: Page, own_site: str) -> None:
    found: dict[str, list[str]] = {}
    for address in ("", "evocode-bench/", *REPORTED):
        still_page.goto(own_site + address)
        still_page.evaluate("document.querySelectorAll('.md-content details').forEach(each => { each.open = true })")
        found[address] = wrong_in_either_scheme(still_page)
    still_page.goto(own_site + REPORTED[0])
    still_page.goto(str(still_page.locator("table[data-board] tbody th a").first.evaluate("link => link.href")))
    found["row"] = wrong_in_either_scheme(still_page)
    assert {address: wrong for address, wrong in found.items() if wrong} == {}


def test_nothing_is_wrong_with_pages_of_a_real_import(still_page: Page, real_site: str) -> None:
    """They are the largest, with long names of real tasks and cases."""
    board = "evocode-bench/official/"
    found: dict[str, list[str]] = {}
    for address in (real_site + board, *drilldowns(still_page, real_site, board)):
        still_page.goto(address)
        found[address] = wrong_with(still_page)
    assert {address: wrong for address, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize("reach", STATES, ids=lambda reach: reach.__name__)
def test_nothing_is_wrong_once_a_reader_has_used_a_page(
    still_page: Page, demo_site: str, reach: Callable[[Page, str], None]
) -> None:
    reach(still_page, demo_site)
    assert wrong_in_either_scheme(still_page) == []
