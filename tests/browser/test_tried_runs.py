"""Runs that are tried, in a browser: the board, an agent's failing cases, and what it did."""

from collections.abc import Iterator

import pytest
from command import tried
from playwright.sync_api import Page, expect
from real_data import real_data

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where runs of Harbor are shown."""
    source, temporary = real_data("harbor", "harbor-0.9.0"), tmp_path_factory.mktemp("tried")
    with tried(source, temporary) as address:
        yield address
    assert list(temporary.iterdir()) == []


def test_a_reader_gets_from_the_board_to_failing_cases_and_to_a_transcript(page: Page, address: str) -> None:
    page.goto(f"{address}harbor-0-9/official/")
    rows = page.locator("table[data-board] tr[data-submission]")
    expect(rows).to_have_count(4)
    page.goto(f"{address}harbor-0-9/official/2026-06-18-alpha/demo-counter-chain/")
    expect(page.locator("[data-case][data-status=failed]").first).to_be_attached()
    page.goto(
        f"{address}harbor-0-9/official/2026-06-18-alpha/tasks/trajectory/?task=demo-counter-chain&attempt=1&round=1"
    )
    expect(page.locator("[data-expand]").first).to_be_visible()
