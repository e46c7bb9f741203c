"""A board is whole without scripts, does not jump, and prints without its controls."""

import pytest
from kit.board_in_browser import shown
from kit.layout_shifts import shifted
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

BOARDS = ("demo/chain/", "demo/", "demo/fail-stop/")
WIDTHS = """table => {
  const widths = () => [...table.tHead.querySelectorAll("th")].map(head => head.getBoundingClientRect().width);
  const sort = button => { button.click(); return widths(); };
  return [widths(), ...[...table.tHead.querySelectorAll("button:enabled")].map(sort)];
}"""
"""Widths of the columns as they came, and after each click on a head."""


@pytest.fixture(params=[1440, 390])
def sized(request: pytest.FixtureRequest, page: Page) -> Page:
    """A page in a wide and in a narrow window."""
    page.set_viewport_size({"width": request.param, "height": 900})
    return page


@pytest.mark.parametrize("view", ["", "?filter=gorse", "?columns=case_score&withdrawn=1&sort=case_score"])
def test_nothing_jumps_while_a_board_opens(sized: Page, demo_site: str, view: str) -> None:
    sized.goto(f"{demo_site}demo/chain/{view}")
    expect(sized.locator("[data-toolbar][data-ready]")).to_be_visible()
    assert shifted(sized) < 0.05


@pytest.mark.parametrize("address", BOARDS)
def test_sorting_makes_no_column_wider(page: Page, demo_site: str, address: str) -> None:
    """Arrows that point up, down and both ways may differ by a pixel or two."""
    page.goto(demo_site + address)
    expect(page.locator("[data-toolbar][data-ready]").first).to_be_visible()
    as_it_came, *sorted_ = page.locator("table[data-board]").first.evaluate(WIDTHS)
    assert len(sorted_) > 5
    assert all(widths == pytest.approx(as_it_came, abs=2) for widths in sorted_)


def test_a_board_is_whole_without_scripts_whatever_view_a_link_asks_for(plain_page: Page, demo_site: str) -> None:
    for address in (*BOARDS, "demo/chain/?filter=gorse&sort=case_score"):
        plain_page.goto(demo_site + address)
        expect(plain_page.locator("table[data-board]").first).to_be_visible()
        assert len(shown(plain_page)) >= (8 if "chain" in address else 4)
        expect(plain_page.locator("[data-toolbar]")).to_be_hidden()
        expect(plain_page.locator("table[data-board] tr[hidden]").filter(visible=True)).to_have_count(0)
        assert plain_page.locator("table[data-board] :is(td, th)[hidden]").count() == 0


def test_without_scripts_withdrawn_rows_are_told_below(plain_page: Page, demo_site: str) -> None:
    plain_page.goto(f"{demo_site}demo/chain/?withdrawn=1#2026-04-21-katsura-large")
    row = plain_page.locator("li[id='2026-04-21-katsura-large']")
    expect(row).to_be_in_viewport()
    expect(row.locator("s")).to_have_text("Katsura-Large")


def test_a_board_appears_where_its_scripts_do_not(page: Page, demo_site: str) -> None:
    """A link to a view waits for the scripts, but not for ever."""
    page.route("**/assets/scripts/board-rows.js", lambda route: route.abort())
    page.goto(f"{demo_site}demo/chain/?filter=gorse")
    expect(page.locator("table[data-board]")).to_be_visible()


def test_a_board_prints_without_its_controls(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/?filter=sim-shell")
    page.emulate_media(media="print")
    expect(page.locator("[data-toolbar]")).to_be_hidden()
    expect(page.locator("tr[data-submission]").filter(visible=True)).to_have_count(3)


def test_controls_fit_a_narrow_window(sized: Page, demo_site: str) -> None:
    sized.goto(f"{demo_site}demo/chain/?withdrawn=1")
    for menu in sized.locator("details.sg-menu summary").all():
        menu.click()
        expect(sized.locator("details.sg-menu[open] input").filter(visible=True).first).to_be_visible()
        assert sized.evaluate("document.documentElement.scrollWidth <= innerWidth")
        panel = sized.locator("details.sg-menu[open] .sg-panel").bounding_box()
        assert panel
        assert panel["x"] >= 0
        assert panel["x"] + panel["width"] <= sized.evaluate("innerWidth")
