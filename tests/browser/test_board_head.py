"""A board answers at once: few words and few pixels before its first row, and one axis that all rows share."""

import re
from collections.abc import Mapping, Sequence

import pytest
from kit.page_kinds import BOARDS, REPORTED
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

ROW = "table[data-board] tbody tr[data-submission]:not([hidden])"
WORDS = """() => {
  const table = document.querySelector("table[data-board]");
  const seen = [];
  const walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const { currentNode: text } = walk;
    if (table.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING || table.contains(text)) break;
    const parent = text.parentElement;
    const isText = !parent.closest("script, style, .sg-unseen, .sg-notice");
    const isSeen = isText && parent.checkVisibility({ visibilityProperty: true });
    if (isSeen) seen.push(text.textContent);
  }
  return seen.join(" ");
}"""
"""What a reader reads before the table, but for the notice that says why a track is no longer current."""


PLACES = """rows => rows.map(row => {
  const parts = [...row.querySelectorAll(".sg-rank, .sg-agent a:not(.sg-flag), .sg-headline .sg-value")];
  return parts.map(part => part.getBoundingClientRect().toJSON());
})"""
"""Of each row: where its rank, its agent and its headline score stand."""


def stand_on_a_line(boxes: Sequence[Mapping[str, float]]) -> bool:
    """Whether the parts of a row are seen beside each other on a phone."""
    tops = [box["top"] for box in boxes]
    return max(tops) - min(tops) < 8 and all(0 <= box["left"] < box["right"] <= 390 for box in boxes)


def expect_lines(phone: Page) -> None:
    """Find the rank, the agent and the headline score of each row beside each other."""
    rows = phone.locator(ROW).evaluate_all(PLACES)
    assert rows
    assert {len(boxes) for boxes in rows} == {3}
    assert all(map(stand_on_a_line, rows))


def test_rank_agent_and_headline_score_are_seen_on_a_phone(page: Page, demo_site: str) -> None:
    """On other boards too, in the tests below."""
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{demo_site}demo/")
    expect_lines(page)


@pytest.mark.parametrize("address", REPORTED)
def test_few_words_and_pixels_stand_before_the_first_row_and_no_filter_has_one_value(
    page: Page, own_site: str, address: str
) -> None:
    page.goto(own_site + address)
    expect(page.locator("[data-toolbar][data-ready]")).to_be_visible()
    assert len(re.findall(r"[\w.@%-]+", page.evaluate(WORDS))) <= 66
    sizes = page.locator(".sg-line *").evaluate_all(
        "all => all.map(each => parseFloat(getComputedStyle(each).fontSize))"
    )
    assert max(sizes) <= 13
    for width, max_top in ((1440, 420), (390, 500)):
        page.set_viewport_size({"width": width, "height": 900})
        box = page.locator(ROW).first.bounding_box()
        assert box
        assert box["y"] < max_top
    expect_lines(page)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.locator("[data-filters] summary").click()
    expect(page.get_by_label("Filter by agent")).to_be_visible()
    facets = page.locator("[data-filters] fieldset[data-facet]").filter(visible=True)
    values = facets.evaluate_all(
        "all => all.map(each => [...each.querySelectorAll('label')].filter(label => label.checkVisibility()).length)"
    )
    assert all(number > 1 for number in values)


@pytest.mark.parametrize("address", BOARDS)
def test_the_intervals_of_all_rows_stand_on_one_axis(page: Page, demo_site: str, address: str) -> None:
    page.goto(demo_site + address)
    drawn = page.locator(f"{ROW} .sg-interval")
    boxes = drawn.evaluate_all(
        "all => all.map(each => { const { left, width } = each.getBoundingClientRect(); return [left, width]; })"
    )
    assert len(boxes) > 2
    assert len({tuple(map(round, box)) for box in boxes}) == 1
    axis = page.locator("table[data-board] .sg-axis").bounding_box()
    assert axis
    assert [axis["x"], axis["width"]] == pytest.approx(boxes[0], abs=1)
    values = page.locator(f"{ROW} td.sg-headline").evaluate_all("all => all.map(each => +each.dataset.value)")
    dots = drawn.locator(".sg-dot").evaluate_all("all => all.map(each => parseFloat(each.getAttribute('cx')))")
    scale = dots[0] / values[0]
    assert dots == pytest.approx([value * scale for value in values], abs=0.01)
    assert page.locator("table[data-board] [style]").count() == 0
    page.set_viewport_size({"width": 390, "height": 900})
    expect_lines(page)
    other_cells = page.locator(f"{ROW} td.sg-number:not(.sg-headline):has(> .sg-value[title*='interval'])")
    interval_texts = other_cells.locator("> .sg-bounds").filter(visible=True)
    assert interval_texts.count() == other_cells.count() > 0


def test_what_scripts_would_do_is_not_shown_without_them(plain_page: Page, demo_site: str) -> None:
    plain_page.goto(f"{demo_site}demo/chain/")
    expect(plain_page.locator(".sg-line summary").filter(visible=True)).to_have_count(0)
    for name in ("CSV", "JSON"):
        link = plain_page.locator(".sg-line").get_by_role("link", name=name, exact=True)
        assert plain_page.request.get(str(link.evaluate("link => link.href"))).ok
