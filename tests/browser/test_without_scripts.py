"""Pages are complete where no script runs, and show no control that would do nothing there."""

from collections.abc import Mapping
from typing import Any

import pytest
from openings import COUNTS, Opening
from playwright.sync_api import Browser, Page, expect

pytestmark = pytest.mark.browser

HIDDEN = """() => {
  const isReached = each => each.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const unfolds = each => each.closest("details:not([open])") !== null;
  const parts = [...document.querySelectorAll("main :is(table, [data-cell], [data-case], figure svg)")];
  const hidden = parts.filter(each => !isReached(each) && !unfolds(each) && !each.closest("[hidden]"));
  return hidden.map(each => each.outerHTML.slice(0, 100));
}"""
"""Parts that are neither seen nor folded, nor hidden with the row or section that they belong to."""

CONTROLS = """() => {
  const places = "button:enabled, input:enabled, select, [role=button], label[for=__search]";
  const controls = [...document.querySelectorAll(places)];
  const seen = controls.filter(each => each.checkVisibility({ opacityProperty: true, visibilityProperty: true }));
  return seen.map(each => each.outerHTML.slice(0, 100));
}"""


@pytest.fixture(scope="module")
def plain(browser: Browser, openings: Mapping[str, Opening]) -> Mapping[str, Mapping[str, Any]]:
    """What every kind of page holds, hides and shows where no script runs, by address."""
    context = browser.new_context(viewport={"width": 1440, "height": 1000}, java_script_enabled=False)
    page = context.new_page()
    found = {}
    for address in openings:
        page.goto(address)
        asked = {"counts": COUNTS, "hidden": HIDDEN, "controls": CONTROLS}
        found[address] = {name: page.evaluate(script) for name, script in asked.items()}
    context.close()
    return found


def test_every_table_heat_map_case_and_chart_is_there(
    openings: Mapping[str, Opening], plain: Mapping[str, Mapping[str, Any]]
) -> None:
    assert {address: page["counts"] for address, page in plain.items()} == {
        address: page.counts for address, page in openings.items()
    }
    assert {address: page["hidden"] for address, page in plain.items() if page["hidden"]} == {}


def test_no_control_is_shown_that_needs_scripts(plain: Mapping[str, Mapping[str, Any]]) -> None:
    assert {address: page["controls"] for address, page in plain.items() if page["controls"]} == {}


def test_a_narrow_window_has_its_menu_all_the_same(plain_page: Page, demo_site: str) -> None:
    plain_page.set_viewport_size({"width": 390, "height": 844})
    plain_page.goto(f"{demo_site}submit/")
    plain_page.locator("header label[for='__drawer']").click()
    plain_page.get_by_role("link", name="Import a table").click()
    expect(plain_page).to_have_url(f"{demo_site}submit/table/")
