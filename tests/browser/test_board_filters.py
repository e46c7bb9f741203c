"""A reader narrows a board: by text, by what is stated of rows, by day, and to some columns."""

import pytest
from kit.board_in_browser import SHOWN, expect_shown, facet, menu, shown, words_box
from kit.timeouts import comes_to
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser


def test_text_narrows_while_it_is_typed(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/")
    words_box(page).press_sequentially("SIM shell birch")
    expect_shown(page, ["2026-04-02-birch-large"])
    expect(page.locator("[data-shown]")).to_have_text("1 of 8 agents")


def test_text_that_nothing_has_leaves_a_way_back(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/?filter=nobody")
    expect_shown(page, [])
    expect(page.locator("[data-shown]")).to_have_text("No agent matches: 0 of 8 agents")
    page.get_by_role("link", name="Reset").click()
    expect(page.locator(SHOWN)).to_have_count(8)
    expect(words_box(page)).to_have_value("")


def test_the_heading_of_a_filtered_board_is_about_the_agents_that_are_left(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/")
    about_all = page.locator("[data-answer]").inner_text()
    leader = page.locator(f"{SHOWN} .sg-agent a").first.inner_text()
    words_box(page).fill("Birch")
    heading = page.locator("h1 [data-answer]:visible")
    expect(heading).to_contain_text("Only Birch-Large matches the filter: ")
    assert leader not in heading.inner_text()
    expect(page.locator(".sg-sure")).to_be_hidden()
    page.get_by_role("link", name="Reset").click()
    expect(heading).to_have_text(about_all)
    expect(page.locator(".sg-sure")).to_be_visible()


def test_a_facet_counts_its_rows_and_shows_them(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/")
    menu(page, "Filter")
    value = facet(page, "organization").locator("label", has_text="Specimen Works")
    count = value.locator(".sg-count").inner_text()
    value.locator("input").check()
    expect(page.locator(SHOWN)).to_have_count(int(count))
    assert {organization for organization, _ in owners(page)} == {"Specimen Works"}


def owners(page: Page) -> set[tuple[str, str]]:
    """Organisations and scaffolds of the rows that a reader sees."""
    read = "rows => rows.map(({ dataset: { organization, scaffold } }) => [organization, scaffold])"
    return {(str(organization), str(scaffold)) for organization, scaffold in page.locator(SHOWN).evaluate_all(read)}


def test_facets_narrow_each_other(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/?organization=Specimen+Works")
    menu(page, "Filter (1)")
    scaffolds = facet(page, "scaffold").locator("label").filter(visible=True)
    counts = scaffolds.locator(".sg-count").all_inner_texts()
    assert sum(map(int, counts)) == len(shown(page))
    facet(page, "scaffold").locator("input[value='sim-shell']").check()
    comes_to(lambda: owners(page), {("Specimen Works", "sim-shell")})


def test_what_is_not_stated_is_a_value_too(page: Page, demo_site: str) -> None:
    """One agent has no reasoning setting."""
    page.goto(f"{demo_site}demo/chain/")
    menu(page, "Filter")
    facet(page, "reasoning").locator("label", has_text="not stated").locator("input").check()
    expect_shown(page, ["2026-01-14-cedar-mini"])


def test_a_facet_of_one_value_is_not_drawn(page: Page, demo_site: str) -> None:
    """On this board every row is complete."""
    page.goto(f"{demo_site}demo/fail-stop/")
    menu(page, "Filter")
    expect(facet(page, "scaffold")).to_be_visible()
    expect(facet(page, "evidence")).to_be_hidden()
    expect(facet(page, "status")).to_be_hidden()


def test_days_narrow_from_both_ends(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/")
    menu(page, "Filter")
    facet(page, "date").get_by_label("from").fill("2026-02-01")
    facet(page, "date").get_by_label("to").fill("2026-03-18")
    expect_shown(page, ["2026-02-03-gorse-xl", "2026-03-18-dogwood-2", "2026-02-13-ilex-1"])


def test_columns_are_left_out_and_come_back(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/")
    heads = page.locator("table[data-board] thead th").filter(visible=True)
    column_count = heads.count()
    menu(page, "Columns").get_by_label("Case Score").uncheck()
    expect(heads).to_have_count(column_count - 1)
    expect(page.locator("td[data-metric='case_score']").filter(visible=True)).to_have_count(0)
    expect(page.locator(SHOWN).first.locator("td, th").filter(visible=True)).to_have_count(column_count - 1)
    page.get_by_role("checkbox", name="Case Score").check()
    expect(heads).to_have_count(column_count)
    expect(page).to_have_url(f"{demo_site}demo/chain/")


def test_the_agent_is_no_column_to_leave_out(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/?columns=gone")
    menu(page, "Columns")
    expect(page.locator("[data-columns] input[value='agent']")).to_have_count(0)
    expect(page.locator("[data-columns] input[value='rank']")).to_be_checked()


def test_a_menu_closes_when_a_reader_turns_to_something_else(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/")
    menu(page, "Columns")
    menu(page, "Filter")
    expect(page.locator("details.sg-menu[open]")).to_have_count(1)
    page.locator("h1").click()
    expect(page.locator("details.sg-menu[open]")).to_have_count(0)


def test_a_board_is_ordered_over_the_tasks_of_one_kind_and_says_so(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/")
    menu(page, "Filter").get_by_label("Tasks").select_option("domain.tooling")
    expect(page).to_have_url(f"{demo_site}demo/chain/?sort=-domain.tooling")
    cells = page.locator(f"{SHOWN} td[data-group='tooling']")
    values = cells.evaluate_all("cells => cells.map(cell => +cell.dataset.value)")
    assert values == sorted(values, reverse=True)
    expect(page.locator("[data-shown]")).to_have_text("Ordered by tooling tasks only, without ranks")
    expect(page.locator(f"{SHOWN} td.sg-rank").filter(visible=True)).to_have_count(0)
    page.get_by_label("Tasks", exact=True).select_option("")
    expect(page).to_have_url(f"{demo_site}demo/chain/")
    expect(page.locator(f"{SHOWN} td.sg-rank").filter(visible=True)).to_have_count(8)
