"""Charts as readers see them: in both schemes, on a screen and on a phone, with and without sight."""

import pytest
from playwright.sync_api import Browser, Page, expect

pytestmark = pytest.mark.browser

BOARD = "demo/chain/"
COLOURS = """() => {
  const probe = document.querySelector(".sg-charts");
  const token = name => {
    probe.style.color = `var(--${name})`;
    const colour = getComputedStyle(probe).color;
    probe.style.color = "";
    return colour;
  };
  const dot = document.querySelector("[data-chart=scores] svg path");
  const name = document.querySelector("[data-chart=scores] svg text");
  return [getComputedStyle(dot).fill === token("pass"), getComputedStyle(name).fill !== token("paper"), token("pass")];
}"""
"""Of a drawing: whether its dots have the page's colour, whether its text can be seen, and that colour."""


def test_drawings_follow_the_colour_scheme(browser: Browser, demo_site: str) -> None:
    found = []
    for scheme in ("light", "dark"):
        context = browser.new_context(color_scheme="light" if scheme == "light" else "dark")
        page = context.new_page()
        page.goto(demo_site + BOARD)
        found.append(page.evaluate(COLOURS))
        context.close()
    assert [each[:2] for each in found] == [[True, True], [True, True]]
    assert found[0][2] != found[1][2]


def test_no_text_of_a_drawing_leaves_it(page: Page, demo_site: str) -> None:
    """Two units are left for fonts that are wider than the one that was reckoned with."""
    page.goto(demo_site + BOARD)
    beyond = page.locator(".sg-chart svg").evaluate_all(
        """drawings => drawings.flatMap(drawing => {
          const {left, right, bottom} = drawing.getBoundingClientRect();
          return [...drawing.querySelectorAll("text")].filter(text => {
            const box = text.getBoundingClientRect();
            return box.left < left - 2 || box.right > right + 2 || box.bottom > bottom + 2;
          }).map(text => text.textContent);
        })"""
    )
    assert beyond == []


def test_a_drawing_is_an_image_with_a_name_and_a_description(plain_page: Page, demo_site: str) -> None:
    plain_page.goto(demo_site + BOARD)
    drawings = plain_page.get_by_role("img", name="Dataset Score (%)", exact=True)
    expect(drawings).to_have_accessible_description(plain_page.locator("#chart-scores-about").inner_text())


def test_the_numbers_of_a_chart_can_be_opened_without_scripts(plain_page: Page, demo_site: str) -> None:
    plain_page.goto(demo_site + BOARD)
    chart = plain_page.locator("[data-chart=scores]")
    expect(chart.locator("table")).to_be_hidden()
    chart.locator("summary").click()
    expect(chart.locator("table")).to_be_visible()
    shown = "table[data-board] tbody tr:visible td[data-metric=dataset_score]:not([data-group]) .sg-value"
    assert chart.locator("tbody td:nth-child(2)").all_inner_texts() == plain_page.locator(shown).all_inner_texts()


def test_the_page_of_a_submission_marks_its_own_scores(page: Page, demo_site: str) -> None:
    page.goto(demo_site + BOARD)
    page.locator("table[data-board] tbody tr:visible th a").first.click()
    own = page.locator("[data-chart=splits] .sg-own")
    groups = page.locator("[data-chart=splits] tbody tr")
    expect(own).to_have_count(groups.count())
