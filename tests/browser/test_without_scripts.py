"""Pages are complete where no script runs, and show no control that would do nothing there."""

import pytest
from page_kinds import every_address
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

COUNTS = """() => {
  const parts = ["tbody tr[data-submission]", "[data-cell]", "[data-case]", "table", "figure svg"];
  const count = part => [...document.querySelectorAll(part)].filter(each => !each.closest("[data-comparison]")).length;
  return Object.fromEntries(parts.map(part => [part, count(part)]));
}"""
"""How many rows, cells, cases, tables and charts there are, but those of a comparison, which scripts make."""

HIDDEN = """() => {
  const isReached = each => each.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const unfolds = each => each.closest("details:not([open])") !== null;
  const parts = [...document.querySelectorAll("main :is(table, [data-cell], [data-case], figure svg)")];
  const hidden = parts.filter(each => !isReached(each) && !unfolds(each) && !each.closest("[hidden]"));
  return hidden.map(each => each.outerHTML.slice(0, 100));
}"""
"""Parts that are neither seen nor folded, nor hidden with the row or section that they belong to."""

CONTROLS = """() => {
  const places = "button:enabled, input:enabled, select, [role=button], label:is([for=__search], [for^=__palette])";
  const controls = [...document.querySelectorAll(places)];
  const seen = controls.filter(each => each.checkVisibility({ opacityProperty: true, visibilityProperty: true }));
  return seen.map(each => each.outerHTML.slice(0, 100));
}"""


def test_every_table_heat_map_case_and_chart_is_there(page: Page, plain_page: Page, demo_site: str) -> None:
    for address in every_address(page, demo_site):
        page.goto(address)
        plain_page.goto(address)
        assert plain_page.evaluate(COUNTS) == page.evaluate(COUNTS), address
        assert plain_page.evaluate(HIDDEN) == [], address


def test_no_control_is_shown_that_needs_scripts(plain_page: Page, demo_site: str) -> None:
    found: dict[str, list[str]] = {}
    for address in every_address(plain_page, demo_site):
        plain_page.goto(address)
        found[address] = plain_page.evaluate(CONTROLS)
    assert {address: shown for address, shown in found.items() if shown} == {}


def test_a_narrow_window_has_its_menu_all_the_same(plain_page: Page, demo_site: str) -> None:
    plain_page.set_viewport_size({"width": 390, "height": 844})
    plain_page.goto(f"{demo_site}submit/")
    plain_page.locator("header label[for='__drawer']").click()
    plain_page.get_by_role("link", name="Import a table").click()
    expect(plain_page).to_have_url(f"{demo_site}submit/table/")
