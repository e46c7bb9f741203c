"""A view of a board lives in its address: shared, gone back to, and outliving what it names."""

import re
from collections.abc import Mapping, Sequence
from urllib.parse import parse_qs, urlsplit

import pytest
from kit.board_in_browser import SHOWN, address, expect_shown, menu, shown, words_box
from kit.browser_windows import leave
from kit.timeouts import comes_to
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

RETIRED = ["2026-01-12-alder-1", "2026-04-21-katsura-large"]


def expect_query(page: Page, wanted: Mapping[str, Sequence[str]]) -> None:
    """Wait until the address asks for this and nothing else."""
    comes_to(lambda: parse_qs(urlsplit(address(page)).query), wanted)


def seen(page: Page) -> tuple[list[str], list[str], list[str | None]]:
    """Rows, heads and order of the board."""
    heads = page.locator("table[data-board] thead th").filter(visible=True)
    sorts = heads.evaluate_all("heads => heads.map(head => head.ariaSort)")
    return shown(page), heads.all_inner_texts(), sorts


def sort_by(page: Page, column: str) -> None:
    """Sort by a column, and wait until its head says so."""
    head = page.locator("table[data-board] thead th", has_text=column)
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", re.compile("ending"))


def test_a_copied_link_shows_the_same_view_elsewhere(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/")
    page.locator("table[data-board] thead th", has_text="Perfect Tasks").get_by_role("button").click()
    page.locator("table[data-board] thead th", has_text="Avg Rounds").get_by_role("button").click(modifiers=["Shift"])
    words_box(page).fill("e")
    page.keyboard.press("Escape")
    menu(page, "Columns").get_by_label("Case Score").uncheck()
    filters = menu(page, "Filter")
    filters.get_by_label("Specimen Works").check()
    filters.get_by_label("Lorem Institute").check()
    filters.get_by_label("withdrawn and superseded").check()
    expect(page).to_have_url(
        re.compile(r"\?sort=-perfect_tasks,avg_rounds&.*Specimen\+Works&.*=Lorem\+Institute&.*withdrawn=1")
    )
    assert len(shown(page)) > 3
    view, link = seen(page), address(page)
    leave(page)
    page.goto(link)
    comes_to(lambda: seen(page), view)
    expect(words_box(page)).to_have_value("e")
    expect(page.locator("th[data-second]")).to_contain_text("Avg Rounds")
    assert address(page) == link


def test_a_view_of_defaults_leaves_no_trace(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/")
    head = page.locator("table[data-board] thead th", has_text="Dataset Score").get_by_role("button")
    head.click()
    expect(page).to_have_url(f"{demo_site}demo/chain/?sort=dataset_score")
    head.click()
    expect(page).to_have_url(f"{demo_site}demo/chain/")
    menu(page, "Filter").get_by_label("high").check()
    expect(page).to_have_url(f"{demo_site}demo/chain/?reasoning=high")
    page.get_by_label("high").uncheck()
    expect(page).to_have_url(f"{demo_site}demo/chain/")


def test_back_and_forward_walk_through_the_steps(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/")
    views = [seen(page)]
    sort_by(page, "Case Score")
    views.append(seen(page))
    menu(page, "Filter").get_by_label("sim-shell").check()
    expect_query(page, {"sort": ["-case_score"], "scaffold": ["sim-shell"]})
    views.append(seen(page))
    page.go_back()
    comes_to(lambda: seen(page), views[1])
    expect(page.locator("[data-filters] input[value='sim-shell']")).not_to_be_checked()
    page.go_back()
    comes_to(lambda: seen(page), views[0])
    page.go_forward()
    page.go_forward()
    comes_to(lambda: seen(page), views[2])


def test_typing_is_no_step(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/")
    sort_by(page, "Case Score")
    words_box(page).press_sequentially("alder")
    expect_query(page, {"sort": ["-case_score"], "filter": ["alder"]})
    page.go_back()
    expect(page).to_have_url(f"{demo_site}demo/chain/")
    expect(words_box(page)).to_have_value("")


def test_a_view_is_there_again_after_a_visit_to_a_row(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/")
    words_box(page).fill("specimen")
    page.keyboard.press("Escape")
    sort_by(page, "Case Score")
    view = seen(page)
    row = page.locator("tr:not([hidden]) th.sg-agent a").first
    href = str(row.evaluate("link => link.href"))
    row.click()
    expect(page).to_have_url(href)
    page.go_back()
    expect(page.locator("th[aria-sort='descending']")).to_contain_text("Case Score")
    comes_to(lambda: seen(page), view)


STALE = (
    "?sort=gone,-gone&columns=gone&organization=Gone&pick=gone&from=soon&withdrawn=2&evidence=",
    "?sort=&columns=,,&filter=&pick=,&to=2026-99-99x&status=gone",
    "?sort=%E0%A4%A&filter=%&open_weights=maybe",
    "?unknown=1&sort=toString,__proto__",
)


def test_what_a_board_has_not_any_more_is_ignored(page: Page, demo_site: str) -> None:
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{demo_site}demo/chain/")
    plain = seen(page)
    for stale in STALE:
        page.goto(f"{demo_site}demo/chain/{stale}")
        expect(page.locator("[data-toolbar][data-ready]")).to_be_visible()
        sort_by(page, "Case Score")
        page.go_back()
        if "filter=%&" not in stale:
            comes_to(lambda: seen(page), plain)
    assert errors == []


def test_reset_forgets_the_view_and_back_brings_it_again(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/?ref=mail")
    reset = page.get_by_role("link", name="Reset")
    expect(reset).to_be_hidden()
    page.goto(f"{demo_site}demo/chain/?ref=mail&sort=-case_score&filter=alder")
    reset.click()
    expect(page).to_have_url(f"{demo_site}demo/chain/?ref=mail")
    expect(page.locator(SHOWN)).to_have_count(8)
    page.go_back()
    expect_shown(page, ["2026-01-22-alder-1"])


def test_withdrawn_rows_are_shown_struck_through_to_those_who_ask(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/")
    assert not set(RETIRED) & set(shown(page))
    menu(page, "Filter").get_by_label("withdrawn and superseded").check()
    expect_query(page, {"withdrawn": ["1"]})
    assert set(RETIRED) < set(shown(page))
    for name in RETIRED:
        row = page.locator(f"tr[data-submission='{name}']")
        expect(row.locator(".sg-rank")).to_have_text("–")
        expect(row.locator(".sg-agent a")).to_have_css("text-decoration-line", "line-through")
        expect(row.locator(".sg-headline .sg-value")).to_have_css("text-decoration-line", "line-through")
        expect(row).to_contain_text("superseded" if "alder" in name else "withdrawn")


def test_a_status_brings_its_rows_by_itself(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/?status=withdrawn")
    expect_shown(page, ["2026-04-21-katsura-large"])


def test_withdrawn_rows_sort_among_the_others_and_have_no_rank(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/?withdrawn=1")
    scores = page.locator("tr:not([hidden]) td.sg-headline").evaluate_all(
        "cells => cells.map(cell => +cell.dataset.value)"
    )
    assert len(scores) == 10
    assert scores == sorted(scores, reverse=True)
    page.locator("table[data-board] thead th", has_text="Rank").get_by_role("button").click()
    comes_to(lambda: set(shown(page)[-2:]), set(RETIRED))


def test_the_headline_board_of_a_benchmark_has_its_views_too(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/?filter=alder&sort=-case_score")
    expect_shown(page, ["2026-01-22-alder-1"])
    expect(page.locator("th[aria-sort='descending']")).to_contain_text("Case Score")
