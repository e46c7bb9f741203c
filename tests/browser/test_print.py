"""Pages on paper: dark on light in either scheme, nothing cut off at the side, no control."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import pytest
from kit.axe import FOUND, LOOKS, NEWS, ready
from kit.browser_windows import leave
from kit.page_kinds import BOARDS, DRILLDOWNS, REPORTED, drilldown
from playwright.sync_api import Page

pytestmark = pytest.mark.browser

UPRIGHT, LANDSCAPE = 703, 1032
"""Width of A4 paper within margins of 12 mm, in CSS pixels."""

SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
CONTROLS = (".md-header", ".md-tabs", ".sg-crumbs", ".sg-ways", ".sg-line-ways", ".sg-toolbar", "input", "select")

CONTRAST = ("color-contrast",)

BEYOND = """width => {
  const parts = [...document.querySelectorAll("main *")].filter(each => each.checkVisibility());
  const isApart = each => each.closest("svg, caption, .sg-unseen") !== null;
  const beyond = parts.filter(each => each.getBoundingClientRect().right > width + 1 && !isApart(each));
  return beyond.map(each => each.outerHTML.slice(0, 100));
}"""


def printed(page: Page, width: int) -> None:
    """Make a page as wide as the paper that it is printed on."""
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(media="print", color_scheme="light")


def leaves(demo_site: str) -> dict[str, int]:
    """Give addresses of what people print, each with the width of its paper."""
    task, run, submission, turn = (drilldown(demo_site, f"{BOARDS[0]}{kind}") for kind in DRILLDOWNS)
    boards = dict.fromkeys((demo_site + board for board in BOARDS), LANDSCAPE)
    comparison = f"{demo_site}{BOARDS[0]}compare/?a=2026-01-22-alder-1&b=2026-04-02-birch-large&c=2026-01-27-elder-code"
    return boards | {comparison: LANDSCAPE, task: LANDSCAPE, turn: LANDSCAPE, run: UPRIGHT, submission: LANDSCAPE}


@dataclass(frozen=True)
class Sheet:
    """A page as it would be printed."""

    width: int
    named: str
    """The kind of paper that it asks for."""
    beyond: list[str]
    """Its parts that are cut off at the side."""
    grounds: Mapping[str, str]
    """The colour of its ground, by scheme."""
    faint: Mapping[str, list[str]]
    """Its texts without contrast, by scheme."""
    controls: list[str]
    """The controls and ways elsewhere that are seen."""


@pytest.fixture(scope="module")
def sheets(window: Page, demo_site: str) -> Mapping[str, Sheet]:
    """What people print, by address."""
    page = window
    sheets_by_address = {}
    for address, width in leaves(demo_site).items():
        printed(page, width)
        page.goto(address)
        if "?" in address:
            page.locator("[data-scores] tbody tr").first.wait_for()
        named = page.locator("body").evaluate("body => getComputedStyle(body).page")
        beyond = page.evaluate(BEYOND, width)
        controls = [control for control in CONTROLS if page.locator(control).filter(visible=True).count()]
        grounds: dict[str, str] = {}
        for scheme in SCHEMES:
            page.emulate_media(media="print", color_scheme=scheme)
            page.evaluate(LOOKS)
            grounds[scheme] = page.locator("body").evaluate("body => getComputedStyle(body).backgroundColor")
        ready(page)
        dark = page.evaluate(FOUND, CONTRAST)["found"]
        page.emulate_media(media="print", color_scheme="light")
        page.evaluate(NEWS)
        light = page.evaluate(FOUND, CONTRAST)["found"]
        faint = {"light": light, "dark": dark}
        sheets_by_address[address] = Sheet(width, named, beyond, grounds, faint, controls)
    leave(page)
    return sheets_by_address


@pytest.mark.parametrize("scheme", SCHEMES)
def test_paper_is_light_in_either_scheme(sheets: Mapping[str, Sheet], scheme: str) -> None:
    for address, sheet in sheets.items():
        assert sheet.grounds[scheme] == "rgb(255, 255, 255)", address
        assert sheet.faint[scheme] == [], address


def test_nothing_is_cut_off_at_the_side(page: Page, sheets: Mapping[str, Sheet], own_site: str) -> None:
    assert {address: sheet.beyond for address, sheet in sheets.items() if sheet.beyond} == {}
    printed(page, LANDSCAPE)
    for board in REPORTED:
        page.goto(own_site + board)
        assert page.evaluate(BEYOND, LANDSCAPE) == [], board


WIDEN = """() => {
  for (const row of document.querySelectorAll("table.sg-heat tr")) {
    const last = row.cells[row.cells.length - 1];
    for (let more = 0; more < 60; more += 1) row.append(last.cloneNode(true));
  }
}"""
"""Sixty submissions more than there are."""


@pytest.mark.parametrize("kind", ["tasks/", "tasks/doc-lantern/", "tasks/doc-lantern/2/"])
def test_every_column_of_a_wide_heat_map_is_on_paper(page: Page, demo_site: str, kind: str) -> None:
    printed(page, LANDSCAPE)
    page.goto(f"{demo_site}{BOARDS[0]}{kind}")
    page.evaluate(WIDEN)
    assert page.locator("table.sg-heat tr").first.locator("th, td").count() > 60
    assert page.evaluate(BEYOND, LANDSCAPE) == []


def test_boards_and_comparisons_take_wide_paper_and_runs_do_not(sheets: Mapping[str, Sheet]) -> None:
    for address, sheet in sheets.items():
        assert (sheet.named == "wide") == (sheet.width == LANDSCAPE), address


def test_controls_and_ways_elsewhere_are_not_printed(sheets: Mapping[str, Sheet]) -> None:
    assert {address: sheet.controls for address, sheet in sheets.items() if sheet.controls} == {}


PAGE = re.compile(rb"/Type\s*/Page[^s]")


@pytest.mark.parametrize(
    ("address", "max_pages"),
    [
        ("evocode-bench/official/", 4),
        ("evocode-bench/paper/", 4),
        ("evocode-bench/official/2026-06-25-gpt-5-5/", 4),
        ("evocode-bench/official/compare/?a=2026-06-25-gpt-5-5&b=2026-06-25-glm-5-2", 3),
    ],
)
def test_what_people_print_takes_few_pages(page: Page, own_site: str, address: str, max_pages: int) -> None:
    page.goto(own_site + address)
    if "?" in address:
        page.locator("[data-scores] tbody tr").first.wait_for()
    pages = len(PAGE.findall(page.pdf(prefer_css_page_size=True)))
    assert pages <= max_pages
