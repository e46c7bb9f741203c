"""Every action by keyboard alone: no test here points or clicks."""

import re

import pytest
from kit.page_kinds import drilldown
from kit.tab_order import tab_to
from kit.timeouts import comes_to
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

BOARD = "demo/chain/"
FOCUSED = "document.activeElement"


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def names(page: Page) -> list[str]:
    return page.locator("table[data-board] tbody tr:visible .sg-agent a:not(.sg-flag)").all_inner_texts()


def test_a_board_is_sorted_by_one_column_and_a_second(page: Page, demo_site: str) -> None:
    page.goto(demo_site + BOARD)
    tab_to(page, page.locator("th[data-column=evidence] button").first)
    press(page, "Enter")
    tab_to(page, page.locator("th[data-column=date] button").first)
    press(page, "Shift+Enter", "Shift+Enter")
    expect(page).to_have_url(re.compile(r"\?sort=-evidence,date$"))
    expect(page.locator("th[data-column=evidence]")).to_have_attribute("aria-sort", "descending")
    values = page.locator("table[data-board] tbody tr:visible").evaluate_all(
        "rows => rows.map(row => [-row.querySelector('.sg-text').dataset.value, row.dataset.date])"
    )
    assert len({evidence for evidence, _ in values}) > 1
    assert values == sorted(values)


def test_rows_are_filtered_by_words_and_by_values(page: Page, demo_site: str) -> None:
    page.goto(demo_site + BOARD)
    everyone = names(page)
    tab_to(page, page.locator("[data-filters] > summary").first)
    press(page, "Enter")
    expect(page.locator("input[data-filter]")).to_be_visible()
    tab_to(page, page.locator("input[data-filter]").first)
    page.keyboard.type("alder")
    comes_to(lambda: names(page), [name for name in everyone if name.startswith("Alder")])
    press(page, "Control+A", "Delete")
    tab_to(page, page.locator("[data-filters] input[type=checkbox]").first)
    press(page, "Space")
    expect(page.locator("[data-shown]")).to_contain_text(f"of {len(everyone)} agents")
    assert 0 < len(names(page)) < len(everyone)
    press(page, "Escape")
    expect(page.locator("[data-filters]")).not_to_have_attribute("open", "")
    expect(page.locator("[data-filters] > summary")).to_be_focused()
    tab_to(page, page.locator("a[data-reset]").first)
    press(page, "Enter")
    comes_to(lambda: names(page), everyone)


def test_columns_are_chosen(page: Page, demo_site: str) -> None:
    page.goto(demo_site + BOARD)
    tab_to(page, page.locator("[data-columns] > summary").first)
    press(page, "Enter")
    expect(page.locator("[data-columns] input[value=evidence]")).to_be_visible()
    tab_to(page, page.locator("[data-columns] input[value=evidence]").first)
    press(page, "Space")
    expect(page.locator("th[data-column=evidence]")).to_be_hidden()
    press(page, "Space")
    expect(page.locator("th[data-column=evidence]")).to_be_visible()


def test_rows_are_picked_and_compared(page: Page, demo_site: str) -> None:
    page.goto(demo_site + BOARD)
    for _ in range(2):
        tab_to(page, page.locator("tr:not([hidden]) .sg-pick input:not(:checked)").first)
        press(page, "Space")
    tab_to(page, page.locator(".sg-picked .sg-go").first)
    press(page, "Enter")
    expect(page).to_have_url(re.compile(r"/demo/chain/compare/\?a=[^&]+&b=[^&]+$"))
    expect(page.locator("[data-scores] table")).to_be_visible()


def test_rows_to_compare_are_chosen_where_they_are_compared(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}{BOARD}compare/")
    for name in ("a", "b"):
        tab_to(page, page.locator(f".sg-choice select[name={name}]").first)
        press(page, "ArrowDown")
    expect(page.locator("[data-comparison]")).to_be_visible()
    tab_to(page, page.locator("details:has(> [data-rounds]) > summary").first)
    press(page, "Enter")
    expect(page.locator("[data-rounds] a[data-differs]").first).to_be_visible()
    tab_to(page, page.locator(".sg-differ input").first)
    press(page, "Space")
    expect(page).to_have_url(re.compile(r"rounds=all"))


def test_a_heat_map_is_walked_and_a_cell_opened(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}{BOARD}tasks/")
    tab_to(page, page.locator("table.sg-heat a[data-cell]").first)
    press(page, "ArrowRight", "ArrowDown", "End", "ArrowLeft", "Home")
    press(page, "ArrowRight")
    href = str(page.evaluate(f"{FOCUSED}.href"))
    cell = page.locator("table.sg-heat tbody tr").nth(1).locator("a[data-cell]").nth(1)
    expect(cell).to_be_focused()
    press(page, "Enter")
    expect(page).to_have_url(href)


def test_cases_of_a_round_are_walked_and_one_opened(page: Page, demo_site: str) -> None:
    page.goto(f"{drilldown(demo_site, 'demo/chain/task')}2/")
    tab_to(page, page.locator("table.sg-heat tbody td[data-status] > a").first)
    press(page, "ArrowDown", "ArrowUp", "Enter")
    expect(page.locator("[data-case]:target")).to_be_visible()


def test_a_folded_case_is_opened_and_linked_to(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}{BOARD}2026-04-02-birch-large/doc-lantern/")
    fold = page.locator("details.sg-group:not([open]):has(a[data-case])").first
    anchor = str(fold.locator("a[data-case]").first.get_attribute("id"))
    summary = page.locator("summary").evaluate_all(
        f"all => all.findIndex(each => each.parentElement.querySelector('#{anchor}'))"
    )
    tab_to(page, page.locator("summary").nth(int(summary)))
    press(page, "Enter")
    tab_to(page, page.locator(f"#{anchor}").first)
    target_hash = str(page.evaluate(f"{FOCUSED}.hash"))
    press(page, "Enter")
    expect(page).to_have_url(re.compile(f"{target_hash}$"))
    expect(page.locator("[data-case]:target")).to_be_visible()


def test_something_is_searched_for_and_opened(page: Page, demo_site: str) -> None:
    page.goto(demo_site + BOARD)
    tab_to(page, page.locator("input.md-search__input").first)
    page.keyboard.type("hexagonal")
    first = page.locator(".md-search-result__link").first
    expect(first).to_be_visible()
    href = str(first.evaluate("link => link.href"))
    press(page, "ArrowDown", "Enter")
    page.wait_for_url(f"{href.partition('?')[0]}**")


def test_a_hit_of_any_kind_is_walked_to_and_escape_leaves_the_search(page: Page, demo_site: str) -> None:
    page.goto(demo_site + BOARD)
    press(page, "/")
    page.keyboard.type("alder")
    links = page.locator(".md-search-result__link")
    expect(links.nth(1)).to_be_visible()
    kinds = page.locator(".md-search-result__link .md-tag").all_inner_texts()
    assert kinds[0] == "Agent", "agents come first"
    press(page, "ArrowDown", "ArrowDown")
    expect(links.nth(1)).to_be_focused()
    press(page, "Escape")
    expect(page.locator("[data-md-toggle='search']")).not_to_be_checked()
    expect(page.locator(".md-search :focus")).to_have_count(0)
    press(page, "/")
    expect(page.locator("input.md-search__input")).to_be_focused()


def test_the_scheme_is_chosen(page: Page, demo_site: str) -> None:
    page.goto(demo_site)
    page.emulate_media(color_scheme="light")
    body, switch = page.locator("body"), page.locator(".sg-scheme")
    tab_to(page, switch)
    for scheme, scheme_name in (("slate", "dark"), ("default", "light"), ("default", "system default")):
        press(page, "Enter")
        expect(body).to_have_attribute("data-md-color-scheme", scheme)
        expect(switch).to_have_accessible_name(f"Colours: {scheme_name}")
    press(page, "Enter")
    page.goto(f"{demo_site}submit/")
    expect(body).to_have_attribute("data-md-color-scheme", "slate")


def test_a_narrow_window_has_a_menu_for_keys(page: Page, demo_site: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{demo_site}submit/")
    tab_to(page, page.locator(".sg-drawer").first)
    press(page, "Enter")
    expect(page.locator(".sg-drawer")).to_have_attribute("aria-expanded", "true")
    expect(page.locator(".md-sidebar--primary :focus")).to_be_visible()
    press(page, "Escape")
    expect(page.locator(".sg-drawer")).to_be_focused()
    press(page, "Enter")
    expect(page.locator(".md-sidebar--primary :focus")).to_be_visible()
    tab_to(page, page.locator(".md-sidebar--primary a[href$='table/']").first)
    press(page, "Enter")
    page.wait_for_url("**/submit/table/")
