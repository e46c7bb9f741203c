"""The page of agents by boards, as readers use it: order, filters, boards of their choice, and two boards drawn."""

import re

import pytest
from kit.axe import WIDE, wrong_at_any_size
from kit.tab_order import tab_to
from kit.timeouts import comes_to
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

CHAIN, FAIL_STOP = "demo/chain", "demo/fail-stop"
VALUES = f"""rows => rows.map(row => row.querySelector('td[data-board="{FAIL_STOP}"]').dataset.value ?? null)"""


def agents(page: Page) -> list[str]:
    names = page.locator("tr[data-agent]:visible").evaluate_all("rows => rows.map(row => row.dataset.agent)")
    return list(map(str, names))


def test_every_column_sorts_both_ways_and_gaps_come_last(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}agents/")
    expect(page.locator(f'th[data-column="{CHAIN}"]')).to_have_attribute("aria-sort", "descending")
    head = page.locator(f'th[data-column="{FAIL_STOP}"]')
    for direction, sign in (("descending", -1), ("ascending", 1)):
        head.locator("button").click()
        expect(head).to_have_attribute("aria-sort", direction)
        values = page.locator("tr[data-agent]").evaluate_all(VALUES)
        numbers = [float(value) for value in values if value is not None]
        assert numbers == sorted(numbers, key=lambda number: sign * number)
        assert all(value is None for value in values[len(numbers) :])
    expect(page).to_have_url(re.compile(rf"\?sort={FAIL_STOP}$"))
    page.locator('th[data-column="agent"] button').click()
    assert agents(page) == sorted(agents(page), key=str.lower)


def test_filters_are_in_the_address_and_back_undoes_them(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}agents/")
    everyone = agents(page)
    page.locator("[data-choice=weights]").select_option("open")
    expect(page).to_have_url(re.compile(r"\?weights=open$"))
    open_agents = agents(page)
    assert 0 < len(open_agents) < len(everyone)
    expect(page.locator("[data-shown]")).to_contain_text(f"{len(open_agents)} of {len(everyone)} agents")
    page.reload()
    comes_to(lambda: agents(page), open_agents)
    page.go_back()
    comes_to(lambda: agents(page), everyone)


def test_boards_of_a_readers_choice_have_a_mean_rank_that_says_so(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}agents/?boards={CHAIN}")
    expect(page.locator(f'th[data-column="{FAIL_STOP}"]')).to_be_hidden()
    expect(page.locator("th[data-column=mean]")).to_have_count(0)
    page.locator(f'[data-matrix-tools] input[value="{FAIL_STOP}"]').check()
    expect(page.locator("[data-shown]")).to_contain_text("Mean rank is your own choice of 2 boards")
    page.locator("th[data-column=mean] button").click()
    expect(page).to_have_url(re.compile(rf"\?sort=mean&boards={CHAIN},{FAIL_STOP}$"))
    rows = page.locator("tr[data-agent]").evaluate_all(
        "rows => rows.map(row => ({"
        " mean: row.querySelector('.sg-mean').dataset.ownMeanRank,"
        " ranks: [...row.querySelectorAll('td[data-board]:not([hidden])')].map(({ dataset }) => dataset.rank) }))"
    )
    means = [float(row["mean"]) for row in rows if row["mean"] is not None]
    assert len(means) > 1
    assert means == sorted(means)
    for row, mean in zip(rows, means, strict=False):
        assert mean == sum(map(float, row["ranks"])) / len(row["ranks"])
    page.locator("[data-reset]").click()
    expect(page.locator("th[data-column=mean]")).to_have_count(0)
    expect(page).to_have_url(f"{demo_site}agents/")


def test_a_reader_chooses_the_two_boards_that_are_drawn(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}agents/")
    drawn = page.locator("[data-scatter]")
    first = drawn.locator("svg").inner_html()
    page.locator("[data-swap]").click()
    expect(page).to_have_url(re.compile(r"\?x=.*&y="))
    assert drawn.locator("svg").inner_html() != first
    points = drawn.locator("[data-point]").count()
    page.locator("[data-swap]").click()
    assert drawn.locator("[data-point]").count() == points
    expect(drawn.locator("circle")).to_have_count(points)


def test_the_page_is_used_by_keyboard_alone(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}agents/")
    tab_to(page, page.locator('th[data-column="released"] button'))
    page.keyboard.press("Enter")
    expect(page.locator('th[data-column="released"]')).to_have_attribute("aria-sort", "descending")
    tab_to(page, page.locator(f'[data-matrix-tools] input[value="{CHAIN}"]'))
    page.keyboard.press("Space")
    expect(page).to_have_url(re.compile(rf"boards={CHAIN}$"))


def test_without_scripts_the_page_is_complete_and_offers_nothing_that_needs_them(
    plain_window: Page, demo_site: str
) -> None:
    plain_window.goto(f"{demo_site}agents/")
    expect(plain_window.locator("tr[data-agent]").first).to_be_visible()
    expect(plain_window.locator("[data-scatter] svg")).to_be_visible()
    expect(plain_window.locator("[data-matrix-tools]")).to_be_hidden()
    expect(plain_window.locator("[data-scatter-tools]")).to_be_hidden()


@pytest.mark.parametrize("width", [390, 768, 1440])
def test_no_width_cuts_the_matrix(page: Page, demo_site: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{demo_site}agents/?boards={CHAIN},{FAIL_STOP}")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    if width < 1100:
        cut = "cells => cells.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1).length"
        assert page.locator("td[data-board]:visible").evaluate_all(cut) == 0


def test_axe_finds_nothing_where_a_reader_chose_boards(page: Page, demo_site: str) -> None:
    page.set_viewport_size({"width": WIDE, "height": 900})
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{demo_site}agents/?boards={CHAIN},{FAIL_STOP}&weights=open&sort=mean")
    expect(page.locator("th[data-column=mean]")).to_be_visible()
    assert wrong_at_any_size(page) == []
