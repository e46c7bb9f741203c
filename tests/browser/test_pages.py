"""What readers meet on several kinds of pages, in a wide window and on a phone."""

import re
from collections.abc import Mapping
from itertools import compress, pairwise

import pytest
from kit.built_sites import demo, site_of
from lxml import html
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser


def test_mark_name_tabs_and_search_are_one_line(page: Page, own_site: str) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    for address in ("", "methods/", "evocode-bench/official/", "changelog/2026-06-25/"):
        page.goto(own_site + address)
        header = page.locator(".md-header").bounding_box()
        assert header, address
        assert (header["y"], header["height"]) == (0, 56), address
        boxes = [
            page.locator(f".md-header {selector}").first.bounding_box()
            for selector in (".md-logo", ".md-header__title", ".md-tabs__item--active a", ".md-search__form")
        ]
        visible_boxes = [box for box in boxes if box]
        assert len(visible_boxes) == 4, address
        assert all(box["y"] >= 0 and box["y"] + box["height"] <= 56 for box in visible_boxes), address
        assert all(
            left_box["x"] + left_box["width"] <= right_box["x"] for left_box, right_box in pairwise(visible_boxes)
        ), address


@pytest.mark.parametrize("reader", ["page", "plain_page"])
def test_the_tab_of_a_page_is_in_the_menu_of_a_narrow_window(
    request: pytest.FixtureRequest, own_site: str, reader: str
) -> None:
    """On pages that are made of results it needs no script."""
    page: Page = request.getfixturevalue(reader)
    page.set_viewport_size({"width": 390, "height": 844})
    for address in ("evocode-bench/paper/", "evocode-bench/official/tasks/"):
        page.goto(own_site + address)
        expect(page.locator(".md-tabs__item--active a")).to_be_hidden()
        page.get_by_role("button", name="Menu").press("Enter")
        expect(page.locator(".md-tabs__item--active a")).to_be_in_viewport()
        assert page.locator(".md-tabs__item a").count() >= 8
        page.keyboard.press("Escape")
        expect(page.locator(".md-tabs__item--active a")).to_be_hidden()


def test_a_narrow_window_has_its_menu_without_scripts_too(plain_page: Page, demo_site: str) -> None:
    plain_page.set_viewport_size({"width": 390, "height": 844})
    plain_page.goto(f"{demo_site}submit/")
    plain_page.locator("header label[for='__drawer']").click()
    chapter = plain_page.get_by_role("navigation", name="Submit results")
    chapter.get_by_role("link", name="Import", exact=True).click()
    expect(plain_page).to_have_url(f"{demo_site}submit/importing/")


def test_states_of_rounds_are_told_apart_without_colour() -> None:
    """Each state that occurs, in any shade and of any number, has a mark of its own, in the cell and in words."""
    looks: set[tuple[bool, str, str, bool]] = set()
    for file in (site_of(demo()) / "demo" / "chain" / "tasks").glob("*/index.html"):
        for cell in html.fromstring(file.read_bytes()).cssselect("[data-cell]"):
            kind, mark = re.sub(r"-\d$", "", cell.attrib["data-shade"]), re.sub(r"^\d+$", "number", cell.text_content())
            looks.add((cell.get("data-state") == "scored", kind, mark, bool(cell.get("aria-label"))))
    scored, kinds, marks, labelled = zip(*looks, strict=True)
    assert all(labelled)
    assert {"all", "share", "no_cases", "aborted", "unreached", "fast_forwarded", "excluded"} <= set(kinds)
    assert set(compress(kinds, scored)) == {"all", "share"}
    assert len(looks) == len(set(kinds)) == len(set(marks)), looks


def expect_near_the_top(page: Page, row: str, max_top_by_width: Mapping[int, int]) -> None:
    """Find the answer and a row on the first screen, the row no further down than may be in a window so wide."""
    for width, max_top in max_top_by_width.items():
        page.set_viewport_size({"width": width, "height": 844})
        answer, first = (page.locator(selector).first.bounding_box() for selector in ("[data-answer]", row))
        assert answer
        assert first
        assert answer["y"] + answer["height"] <= 260
        assert first["y"] <= max_top


def test_the_home_page_has_its_answer_and_its_first_row_on_the_first_screen(page: Page, own_site: str) -> None:
    page.goto(own_site)
    expect_near_the_top(page, "tr[data-submission]", {1440: 268, 390: 323})
    before = page.evaluate("""() => {
      const range = document.createRange();
      range.setStart(document.querySelector("article"), 0);
      range.setEndBefore(document.querySelector("tr[data-submission]"));
      return range.toString().replace(/\\{.*\\}/s, "");
    }""")
    assert len(before.split()) <= 60


def test_a_submission_has_its_scores_and_claims_on_the_first_screen(page: Page, own_site: str) -> None:
    page.goto(f"{own_site}evocode-bench/official/2026-06-25-glm-5-2/")
    for width, max_top, max_height in ((1440, 310, 4500), (390, 420, 7500)):
        expect_near_the_top(page, "tr[data-agrees]", {width: max_top})
        assert page.evaluate("document.documentElement.scrollHeight") <= max_height
