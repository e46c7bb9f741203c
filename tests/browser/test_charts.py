"""Charts as readers see them: in both schemes, on a screen and on a phone, with and without sight."""

from pathlib import Path

import pytest
from lxml import etree, html
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

BOARD = "demo/chain/"
SURE = "demo/chain/certainty/"
COLOURS = """() => {
  const probe = document.querySelector(".sg-charts");
  const token = name => {
    probe.style.color = `var(--${name})`;
    const colour = getComputedStyle(probe).color;
    probe.style.color = "";
    return colour;
  };
  const dot = document.querySelector("[data-chart=cases] .sg-dot");
  const name = document.querySelector("[data-chart=cases] .sg-label");
  return [getComputedStyle(dot).fill === token("mark"), getComputedStyle(name).fill !== token("paper"), token("mark")];
}"""
"""Of a drawing: whether its dots have the page's colour, whether its text can be seen, and that colour."""


def test_drawings_follow_the_colour_scheme(page: Page, demo_site: str) -> None:
    colours_by_scheme = []
    page.emulate_media(color_scheme="light")
    page.goto(demo_site + BOARD)
    colours_by_scheme.append(page.evaluate(COLOURS))
    page.emulate_media(color_scheme="dark")
    page.goto(demo_site + BOARD)
    colours_by_scheme.append(page.evaluate(COLOURS))
    assert [scheme_colours[:2] for scheme_colours in colours_by_scheme] == [[True, True], [True, True]]
    assert colours_by_scheme[0][2] != colours_by_scheme[1][2]


def test_no_text_of_a_drawing_leaves_it(page: Page, demo_site: str) -> None:
    """Two units are left for fonts that are wider than the one that was reckoned with."""
    page.goto(demo_site + BOARD)
    beyond = page.locator(".sg-chart svg[data-drawing]").evaluate_all(
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
    for name, chart in (
        ("Dataset Score (%) by domain", "splits"),
        ("Dataset Score (%) against Case Score (%)", "cases"),
    ):
        drawing = plain_page.get_by_role("img", name=name, exact=True)
        expect(drawing).to_have_accessible_description(plain_page.locator(f"#chart-{chart}-about").inner_text())


def test_the_numbers_of_a_chart_can_be_opened_without_scripts(plain_page: Page, demo_site: str) -> None:
    plain_page.goto(demo_site + BOARD)
    chart = plain_page.locator("[data-chart=cases]")
    expect(chart.locator("table")).to_be_hidden()
    chart.locator("summary").click()
    expect(chart.locator("table")).to_be_visible()
    shown = "table[data-board] tbody tr:visible td[data-metric=dataset_score]:not([data-group]) .sg-value"
    assert chart.locator("tbody td:nth-child(3)").all_inner_texts() == plain_page.locator(shown).all_inner_texts()


def test_a_plot_keeps_the_size_of_its_text_at_any_width(plain_page: Page, demo_site: str) -> None:
    plain_page.goto(demo_site + BOARD)
    for width in (1440, 390):
        plain_page.set_viewport_size({"width": width, "height": 900})
        sizes = (
            plain_page.locator(".sg-plot text")
            .filter(visible=True)
            .evaluate_all("texts => [...new Set(texts.map(text => Math.round(text.getBoundingClientRect().height)))]")
        )
        assert sizes
        assert all(12 <= size <= 18 for size in sizes)
        names = plain_page.locator("[data-chart=cases] .sg-label").filter(visible=True)
        assert names.count() >= 3


def test_the_page_of_a_submission_marks_its_own_scores(page: Page, demo_site: str) -> None:
    page.goto(demo_site + BOARD)
    page.goto(str(page.locator("table[data-board] tbody tr:visible th a").first.evaluate("link => link.href")))
    own_marks = page.locator("[data-chart=splits] .sg-own")
    groups = page.locator("[data-chart=splits] tbody tr")
    expect(own_marks).to_have_count(groups.count())


@pytest.mark.parametrize("width", [390, 1440])
def test_ways_to_save_a_chart_take_no_room_from_its_numbers(page: Page, demo_site: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{demo_site}{BOARD}")
    charts = page.locator("figure.sg-chart:has(> .sg-save):has(> details)")
    assert charts.count()
    for chart in charts.all():
        chart.locator("summary").click()
        numbers = chart.locator("details > .sg-scroll")
        assert numbers.evaluate('(box) => box.offsetWidth == box.closest("figure").offsetWidth')


LIVE = ".sg-live-chart path[aria-label]"


def ask(page: Page, chart: str) -> None:
    """Ask for a live chart, and wait until it is there."""
    page.locator(f"[data-chart={chart}] .sg-live button").click()
    expect(page.locator(f"[data-chart={chart}] .sg-live button")).to_have_attribute("aria-pressed", "true")


def test_live_charts_are_loaded_when_asked_for_and_not_before(page: Page, demo_site: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(demo_site + BOARD, wait_until="networkidle")
    assert not [url for url in asked if "vega" in url or "/charts/" in url]
    ask(page, "splits")
    assert any(url.endswith("assets/vendor/vega-embed.js") for url in asked)
    assert all(url.startswith(demo_site) for url in asked)


def test_pointing_at_a_mark_tells_whose_it_is_and_shows_that_agent_everywhere(page: Page, demo_site: str) -> None:
    page.goto(demo_site + BOARD)
    ask(page, "splits")
    mark = page.locator(f"[data-chart=splits] {LIVE}").last  # no other lies upon it
    name = (mark.get_attribute("aria-label") or "").partition(":")[0]
    before = mark.get_attribute("fill")
    mark.hover()
    expect(page.locator("#vg-tooltip-element")).to_contain_text(name)
    expect(mark).not_to_have_attribute("fill", before or "")
    lit = mark.get_attribute("fill") or ""
    for other_mark in page.locator(f'[data-chart=splits] .sg-live-chart path[aria-label^="{name}:"]').all():
        expect(other_mark).to_have_attribute("fill", lit)


def test_the_drawing_comes_back(page: Page, demo_site: str) -> None:
    page.goto(demo_site + SURE)
    drawing = page.locator("[data-chart=keeping] svg[data-drawing]").first
    ask(page, "keeping")
    expect(drawing).to_be_hidden()
    page.locator("[data-chart=keeping] .sg-live button").click()
    expect(drawing).to_be_visible()
    expect(page.locator(".sg-live-chart")).to_have_count(0)


def test_a_chart_that_cannot_be_had_stays_a_drawing(page: Page, demo_site: str) -> None:
    page.goto(demo_site + SURE)
    page.route("**/assets/charts/*.json", lambda route: route.fulfill(status=404))
    page.locator("[data-chart=keeping] .sg-live button").click()
    expect(page.locator("[data-chart=keeping] .sg-live [role=status]")).to_have_text(
        "The chart could not be made interactive: its data could not be loaded (status 404)"
    )
    expect(page.locator("[data-chart=keeping] svg[data-drawing]").first).to_be_visible()


def saved_picture(page: Page, chart: str, kind: str) -> bytes:
    """Save a picture of a chart; its file is named for the page and the chart."""
    link = page.locator(f"[data-chart={chart}] a[download$='.{kind}']")
    with page.expect_download() as download:
        link.click()
    assert download.value.suggested_filename == f"demo-chain-{chart}.{kind}"
    return Path(download.value.path()).read_bytes()


def test_every_chart_can_be_saved_with_its_title_and_its_source(page: Page, demo_site: str) -> None:
    page.goto(demo_site + BOARD)
    expect(page.locator("figure a[download$='.svg']")).to_have_count(page.locator("figure").count())
    for chart in ("cases", "splits"):
        picture = html.fromstring(saved_picture(page, chart, "svg"))
        texts = " ".join(text.text_content() for text in picture.iter("text"))
        figure = page.locator(f"[data-chart={chart}]")
        assert str(figure.locator("h2").text_content()) in texts
        assert f"Source: {demo_site}{BOARD}#chart-{chart}" in texts
        drawn = figure.locator("svg text").all_text_contents()
        assert len(drawn) > 5
        assert set(" ".join(drawn).split()) <= set(texts.split())
        assert "var(" not in etree.tostring(picture, encoding="unicode")


def test_a_png_has_two_pixels_for_each_of_the_picture(page: Page, demo_site: str) -> None:
    page.goto(demo_site + BOARD)
    picture = saved_picture(page, "cases", "png")
    assert picture.startswith(b"\x89PNG")
    assert int.from_bytes(picture[16:20]) == 1600
    assert len(picture) > 10_000


def test_a_heat_map_is_drawn_with_its_grounds_and_numbers(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/analysis/")
    figure = page.locator("figure:has(.sg-shades)").first
    with page.expect_download() as download:
        figure.locator("a[download$='.svg']").click()
    picture = html.fromstring(Path(download.value.path()).read_bytes())
    numbers = figure.locator(".sg-shades td").all_inner_texts()
    texts = [text.text_content() for text in picture.iter("text")]
    assert all(number in texts for number in numbers)
    assert len(list(picture.iter("rect"))) > len(numbers)
    expect(figure.locator(".sg-shades")).to_be_visible()
