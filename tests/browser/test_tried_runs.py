"""Runs that are tried, in a browser: the board, an agent's failing cases, and what it did."""

from collections.abc import Iterator

import pytest
from kit.built_sites import tried
from kit.real_data import real_data
from kit.transcripts import served
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

HARBOR, INSPECT = ("harbor", "harbor-0.9.0"), ("foreign", "inspect")


@pytest.fixture(scope="module", params=[HARBOR, INSPECT], ids=["harbor", "inspect"])
def shown(request: pytest.FixtureRequest) -> Iterator[tuple[str, bool]]:
    """Where runs are shown, and whether they are those of Harbor."""
    with served(tried(real_data(*request.param))) as address:
        yield address, request.param == HARBOR


def test_a_reader_gets_from_the_board_to_failures_and_to_a_transcript(page: Page, shown: tuple[str, bool]) -> None:
    address, is_harbor = shown
    board, row, run = (
        ("harbor-0-9/official", "2026-06-18-alpha", "demo-counter-chain")
        if is_harbor
        else ("inspect/main", "2026-11-23-delta-1", "vim-add-4")
    )
    page.goto(f"{address}{board}/")
    expect(page.locator("table[data-board] tr[data-submission]")).to_have_count(4 if is_harbor else 2)
    if is_harbor:
        page.goto(f"{address}{board}/{row}/{run}/")
        expect(page.locator("[data-case][data-status=failed]").first).to_be_attached()
    query = f"?task={run}&attempt=1" + "&round=1" * is_harbor
    page.goto(f"{address}{board}/{row}/tasks/trajectory/{query}")
    expect(page.locator("[data-expand]").first if is_harbor else page.get_by_text("look at the tests")).to_be_visible()
