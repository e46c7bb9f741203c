"""A reader takes a board home: the view as it is shown, and the whole board."""

import csv
import json
from pathlib import Path

import pytest
from kit.board_in_browser import address, shown
from playwright.sync_api import Page

pytestmark = pytest.mark.browser

METRICS = ("dataset_score", "case_score", "avg_rounds", "perfect_tasks")
VALUES = """cells => cells.map(cell => cell.dataset.value ?? "")"""


def saved(page: Page, kind: str) -> str:
    """The file of the view."""
    with page.expect_download() as download:
        page.get_by_role("link", name=kind, exact=True).click()
    assert download.value.suggested_filename == f"chain.{kind.lower()}"
    return Path(download.value.path()).read_text(encoding="utf-8")


def column(page: Page, metric: str) -> list[str]:
    """What a column of scores states, from top to bottom; "" for a gap."""
    cells = page.locator(f"tr:not([hidden]) > td[data-metric='{metric}']:not([data-group])")
    return [str(value) for value in cells.evaluate_all(VALUES)]


def test_csv_holds_the_shown_rows_in_their_order_with_every_digit(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/?sort=avg_rounds&scaffold=sim-shell&withdrawn=1")
    lines = list(csv.DictReader(saved(page, "CSV").splitlines()))
    assert [line["submission"] for line in lines] == shown(page)
    assert len(lines) > 2
    for metric in METRICS:
        assert [line[metric] for line in lines] == column(page, metric)
    assert any(len(line["dataset_score"]) > 10 for line in lines)
    assert {line["status"] for line in lines} == {"published", "withdrawn"}


def test_csv_holds_the_shown_columns_only(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/?columns=case_score,domain.tooling")
    (head, *_) = csv.reader(saved(page, "CSV").splitlines())
    about = ["submission", "status", "agent", "organization", "scaffold", "reasoning"]
    assert head == [*about, "case_score", "dataset_score.domain.tooling"]


def test_a_split_is_exported_as_it_stands_json_says_the_same_and_gaps_are_null(page: Page, demo_site: str) -> None:
    """One agent's rounds have no counted interactions left."""
    page.goto(f"{demo_site}demo/chain/?sort=agent")
    page.evaluate("document.querySelector('tr:not([hidden]) td[data-metric=avg_rounds]').removeAttribute('data-value')")
    lines, document = list(csv.DictReader(saved(page, "CSV").splitlines())), json.loads(saved(page, "JSON"))
    split = page.locator("tr:not([hidden]) > td[data-axis='domain'][data-group='tooling']").evaluate_all(VALUES)
    assert [line["dataset_score.domain.tooling"] for line in lines] == split
    assert document["address"] == address(page)
    assert [row["submission"] for row in document["rows"]] == shown(page)
    for line, row in zip(lines, document["rows"], strict=True):
        assert list(line) == list(row)
        assert [row[metric] for metric in METRICS] == [
            float(line[metric]) if line[metric] else None for metric in METRICS
        ]
    assert sum(row["avg_rounds"] is None for row in document["rows"]) == 1


def test_the_whole_board_is_a_file_of_every_row(page: Page, demo_site: str) -> None:
    page.goto(f"{demo_site}demo/chain/?filter=nobody")
    document = page.request.get(
        str(page.get_by_role("link", name="JSON", exact=True).evaluate("link => link.href"))
    ).json()
    table = page.request.get(str(page.get_by_role("link", name="CSV", exact=True).evaluate("link => link.href"))).text()
    rows = page.locator("tr[data-submission]").evaluate_all("rows => rows.map(row => row.dataset.submission)")
    assert sorted(submission["id"] for submission in document["submissions"]) == sorted(rows)
    for line in csv.DictReader(table.splitlines()):
        cell = page.locator(f"tr[data-submission='{line['id']}'] td[data-metric='dataset_score']:not([data-group])")
        assert cell.get_attribute("data-value") == line["dataset_score"]
