"""A board over the tasks that a reader chooses: its numbers, what says so, the address, and the way back."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from kit.shipped_results import shipped
from playwright.sync_api import Locator, Page, expect

from sitegen.board import Board
from sitegen.board.export import row_json
from sitegen.models.task import LabelFilter
from sitegen.pages import labels
from sitegen.pipeline.subsets import select_tasks

BOARD = "evocode-bench/official/"
WORKFLOWS = ("Automation & scripting", "Brownfield modification", "Greenfield implementation")
ADDRESS = f"{BOARD}?tasks=workflow:{','.join(WORKFLOWS).replace(' ', '+').replace('&', '%26')}"


@pytest.fixture(scope="module")
def expected() -> Board:
    (restricted,) = select_tasks([shipped()], [LabelFilter("workflow", WORKFLOWS)])
    return next(board for board in restricted.all_boards() if board.track.id == "official")


def rows(page: Page) -> Locator:
    return page.locator("table[data-board] tbody tr[data-submission]:not([hidden])")


def cells(page: Page) -> dict[str, dict[str, Any]]:
    """Return the rank, and the value and interval of each score, of each row in its order."""
    script = """table => [...table.tBodies[0].rows].filter(row => !row.hidden).map(row => [row.dataset.submission, {
      rank: row.cells[0].textContent.trim(),
      meaning: row.cells[0].title,
      values: Object.fromEntries([...row.querySelectorAll("td[data-metric]")].map(
        cell => [cell.dataset.metric, cell.dataset.value ? Number(cell.dataset.value) : null])),
      texts: Object.fromEntries([...row.querySelectorAll("td[data-metric]")].map(
        cell => [cell.dataset.metric, cell.querySelector(".sg-value").textContent])),
      intervals: Object.fromEntries([...row.querySelectorAll("td[data-metric]")].map(
        cell => [cell.dataset.metric, cell.querySelector(".sg-bounds, svg text")?.textContent ?? ""])),
    }])"""
    return dict(page.locator("table[data-board]").evaluate(script))


def row_sources(page: Page) -> list[str]:
    sources: list[str] = rows(page).evaluate_all("rows => rows.map(row => row.outerHTML)")
    return sources


def require_board(shown_rows: Mapping[str, Any], board: Board) -> None:
    assert list(shown_rows) == [entry.id for entry in board.entries]
    for entry in board.entries:
        row = shown_rows[entry.id]
        assert row["rank"] == labels.rank_text(board, entry)
        assert row["meaning"] == labels.rank_meaning(board, entry)
        for metric in board.columns:
            assert row["values"][metric.id] == pytest.approx(entry.value(metric.id), abs=1e-9)
            assert row["texts"][metric.id] == labels.score_text(entry.scores[metric.id])
            assert row["intervals"][metric.id] == labels.row_interval_text(board, entry, metric)


def test_an_address_with_tasks_shows_what_the_program_makes_of_them(page: Page, own_site: str, expected: Board) -> None:
    page.goto(f"{own_site}{ADDRESS}")
    subset = page.locator("[data-subset]")
    expect(subset).to_have_attribute("data-subset", "11 of 25")
    expect(subset).to_contain_text("Recomputed in your browser over 11 of 25 tasks (Workflow: Automation & scripting,")
    require_board(cells(page), expected)
    expect(page.locator("[data-answer]")).to_have_text(
        "Too close to call over 11 of 25 tasks: 4 of 13 agents could be first"
    )


def test_the_way_back_leads_to_the_board_as_it_was(page: Page, own_site: str) -> None:
    page.goto(f"{own_site}{BOARD}")
    before = row_sources(page)
    head = page.locator("table[data-board] thead").inner_html()
    answer = page.locator("[data-answer]").inner_html()
    page.goto(f"{own_site}{ADDRESS}")
    page.get_by_role("button", name="Show all 25 tasks").click()
    expect(page).to_have_url(f"{own_site}{BOARD}")
    expect(page.locator("[data-subset]")).to_have_count(0)
    assert row_sources(page) == before
    assert page.locator("table[data-board] thead").inner_html() == head
    assert page.locator("[data-answer]").inner_html() == answer
    page.go_back()
    expect(page.locator("[data-subset]")).to_have_attribute("data-subset", "11 of 25")


def test_choices_in_the_menu_are_in_the_address_and_reading_it_makes_the_same_board(page: Page, own_site: str) -> None:
    page.goto(f"{own_site}{BOARD}")
    menu = page.locator("[data-toolbar] [data-tasks]")
    menu.locator("summary").click()
    for workflow in WORKFLOWS:
        menu.get_by_role("checkbox", name=workflow).check()
    expect(page.locator("[data-subset]")).to_have_attribute("data-subset", "11 of 25")
    weight = menu.get_by_role("spinbutton", name="Weight of Code & build")
    weight.fill("3")
    weight.blur()
    expect(page.locator("[data-subset]")).to_contain_text("your weights: Code & build × 3")
    expect(page.locator("[data-answer]")).to_contain_text("with your weights")
    expect(menu.locator("[data-chosen]")).to_have_text(" (11 of 25)")
    chosen, address = cells(page), page.url
    assert "tasks=workflow:Automation+%26+scripting," in address
    assert address.endswith("&weight=domain:Code+%26+build:3")
    page.goto("about:blank")
    page.goto(address)
    expect(page.locator("[data-subset]")).to_contain_text("× 3")
    assert cells(page) == chosen


def test_the_rows_of_an_export_are_over_these_tasks(page: Page, own_site: str, expected: Board) -> None:
    page.goto(f"{own_site}{ADDRESS}")
    expect(page.locator("[data-subset]")).to_be_visible()
    with page.expect_download() as download:
        page.locator("a[data-export=json]").click()
    document = json.loads(download.value.path().read_text(encoding="utf-8"))
    assert "tasks=workflow" in document["address"]
    by_row = {row["submission"]: row["dataset_score"] for row in document["rows"]}
    for entry in expected.entries:
        value = row_json(expected, entry)["metrics"]["dataset_score"]["value"]
        assert by_row[entry.id] == pytest.approx(value, abs=1e-9)


def test_what_is_no_selection_is_said_and_the_board_stays(page: Page, own_site: str) -> None:
    page.goto(f"{own_site}{BOARD}?tasks=colour:red")
    notice = page.locator(".sg-subset")
    expect(notice).to_have_text("Ignored: there is no axis “colour”. The board shows all tasks.")
    expect(rows(page).first).to_contain_text("59.7")


def test_a_board_of_published_scores_says_why_it_is_over_all_tasks(page: Page, own_site: str) -> None:
    page.goto(f"{own_site}evocode-bench/paper/?tasks=activity:review")
    expect(page.get_by_role("status").filter(has_text="only published scores")).to_have_text(
        "This board shows all tasks. It cannot be recomputed over some of them: "
        "its 13 agents have only published scores, without results by task."
    )
    expect(page.locator("[data-toolbar] [data-tasks]")).to_have_count(0)


def test_no_reader_pays_for_it_who_does_not_ask(page: Page, own_site: str) -> None:
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    page.goto(f"{own_site}{BOARD}")
    expect(page.locator("[data-toolbar][data-ready]")).to_be_visible()
    assert [url for url in requested if "task" in url.removeprefix(own_site)] == []
