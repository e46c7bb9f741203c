"""A reader walks from a score to the case that decided it, by keyboard, with scripts and without."""

import pytest
from kit.tab_order import MOST, NEAR, tab_to
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser


def follow(page: Page, selector: str, near: int) -> None:
    """Go to a link by keyboard alone: Tab until it has the focus, then Enter."""
    page.wait_for_load_state()
    link = page.locator(selector).first
    target = str(link.evaluate("link => link.href"))
    tab_to(page, link, near)
    page.keyboard.press("Enter")
    expect(page).to_have_url(target)


def walk_by_submission(page: Page, board: str, near: int = NEAR) -> None:
    """Board, submission, run, case."""
    page.goto(board)
    follow(page, "table[data-board] tbody tr:nth-child(2) th a", near)
    expect(page.get_by_role("region", name="Scores")).to_be_visible()
    follow(page, "a[data-cell][data-shade^='share-']", near)
    assert "#round-" in page.url
    follow(page, ":is([data-case][data-status='failed'] a, a[data-case][data-status='failed'])", near)
    expect(page.locator(f"[id='{page.url.partition('#')[2]}']")).to_have_attribute("data-status", "failed")


def walk_by_task(page: Page, board: str, near: int = NEAR) -> None:
    """Board, one of the harder tasks, round, case."""
    page.goto(board)
    follow(page, "a[href$='tasks/']", near)
    follow(page, "table.sg-heat tbody tr:nth-child(5) th a", near)
    follow(page, "table.sg-heat tbody th a", near)
    follow(page, "td[data-case][data-status='failed'] a", near)
    assert "#round-" in page.url
    target = page.locator(f"[id='{page.url.partition('#')[2]}']")
    expect(target).to_be_visible()
    expect(target).to_have_attribute("data-status", "failed")


@pytest.mark.parametrize("walk", [walk_by_submission, walk_by_task])
def test_simulated_results_lead_from_board_to_case(page: Page, demo_site: str, walk: object) -> None:
    """From the first stop of each page on."""
    assert callable(walk)
    walk(page, f"{demo_site}demo/chain/", MOST)


@pytest.mark.parametrize("walk", [walk_by_submission, walk_by_task])
def test_real_results_do_so_without_scripts(plain_page: Page, real_site: str, walk: object) -> None:
    assert callable(walk)
    walk(plain_page, f"{real_site}evocode-bench/official/")
