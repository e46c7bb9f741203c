"""A board of 450 rows comes in parts: scripts fetch the others once they are needed, links lead to them without."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from kit.axe import wrong_with
from kit.board_in_browser import expect_shown, facet, menu, shown
from kit.built_sites import made_once, site_of
from kit.long_boards import row_name, write_long_board
from kit.transcripts import served
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

ROWS = 450
BOARD = "long/main/"
IN_PART_3 = row_name(ROWS - 1)


@pytest.fixture(scope="module")
def long_site() -> Iterator[str]:
    def write(folder: Path) -> None:
        write_long_board(folder, ROWS)

    with served(site_of(made_once("long-board", write))) as address:
        yield address


def in_order(numbers: range) -> list[str]:
    return [row_name(number) for number in numbers]


def test_a_first_sort_is_over_all_rows(page: Page, long_site: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.removeprefix(long_site)))
    page.goto(long_site + BOARD)
    expect(page.locator("[data-toolbar][data-ready]")).to_be_visible()
    assert shown(page) == in_order(range(200))
    assert not [address for address in asked if "rows-" in address]
    page.get_by_role("button", name="Completion").click()
    expect_shown(page, in_order(range(ROWS))[::-1])
    assert sorted(address for address in asked if "rows-" in address) == [f"{BOARD}rows-2/", f"{BOARD}rows-3/"]
    link = page.locator(f"tr[data-submission={IN_PART_3}] .sg-agent a").first
    assert link.evaluate("link => link.href") == f"{long_site}{BOARD}{IN_PART_3}/"
    page.go_back()
    expect_shown(page, in_order(range(ROWS)))


def test_a_filter_finds_a_row_of_the_third_part(page: Page, long_site: str) -> None:
    page.goto(long_site + BOARD)
    menu(page, "Filter")
    facet(page, "organization").get_by_label("Rare").check()
    expect_shown(page, [IN_PART_3])
    page.goto(f"{long_site}{BOARD}?filter={IN_PART_3}")
    expect_shown(page, [IN_PART_3])


def test_an_anchor_leads_to_a_row_of_the_third_part(page: Page, long_site: str) -> None:
    page.goto(f"{long_site}{BOARD}#{IN_PART_3}")
    expect(page.locator(f"#{IN_PART_3}")).to_be_in_viewport()


def test_columns_and_picks_last_when_the_other_rows_come(page: Page, long_site: str) -> None:
    page.goto(f"{long_site}{BOARD}?columns=resolved")
    page.get_by_label("Select Agent 3 to compare").check()
    assert len(shown(page)) == 200
    page.get_by_role("button", name="Show all 450 rows").click()
    expect_shown(page, in_order(range(ROWS)))
    expect(page.locator(f"#{IN_PART_3} [data-metric=completion]")).to_be_hidden()
    expect(page.get_by_label("Select Agent 3 to compare")).to_be_checked()
    page.get_by_label(f"Select Agent {ROWS - 1} to compare").check()
    expect(page.locator(".sg-picked")).to_contain_text(f"Agent 3, Agent {ROWS - 1}")
    page.locator(".sg-picked .sg-go").click()
    expect(page.locator("[data-told]")).to_contain_text(
        f"Agent {ROWS - 1} ranks too low: only the best 200 agents can be compared"
    )


def test_a_part_that_cannot_be_loaded_leaves_the_board_as_it_is(fresh_page: Page, long_site: str) -> None:
    fresh_page.route("**/rows-3/", lambda route: route.abort())
    fresh_page.goto(long_site + BOARD)
    fresh_page.get_by_role("button", name="Completion").click()
    expect(fresh_page.get_by_role("alert")).to_contain_text("could not be loaded")
    assert shown(fresh_page) == in_order(range(200))
    fresh_page.unroute("**/rows-3/")
    fresh_page.get_by_role("button", name="Completion").click()
    expect_shown(fresh_page, in_order(range(ROWS))[::-1])


def test_without_scripts_links_lead_through_all_parts(plain_page: Page, long_site: str) -> None:
    for first in (BOARD, f"{BOARD}compare/"):
        plain_page.goto(long_site + first)
        rows = "table:is([data-board], [data-rows]) tr[data-submission]"
        submissions = plain_page.locator(rows).evaluate_all("rows => rows.map(row => row.dataset.submission)")
        for _ in range(2):
            plain_page.locator("a[rel=next]").click()
            submissions += plain_page.locator(rows).evaluate_all("rows => rows.map(row => row.dataset.submission)")
        assert submissions == in_order(range(ROWS))
        expect(plain_page.locator("a[rel=next]")).to_have_count(0)


@pytest.mark.parametrize("address", [BOARD, f"{BOARD}rows-2/", f"{BOARD}compare/rows-3/"])
def test_axe_finds_nothing_wrong_with_parts(fresh_page: Page, long_site: str, address: str) -> None:
    fresh_page.goto(long_site + address)
    assert wrong_with(fresh_page) == []
