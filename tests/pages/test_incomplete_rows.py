"""What pages say of scores that are over a part, of rows that lack tasks, and of claims over other tasks."""

from collections.abc import Mapping
from contextlib import chdir
from pathlib import Path

import pytest
from kit.boards import board, bundle, claims, row, table, track
from kit.findings import finding, with_findings
from kit.rendered_pages import benchmark_page, board_page, submission_page
from kit.result_grids import records
from lxml import html

from sitegen.board.board import Board
from sitegen.models.site import Page
from sitegen.pages.environment import Templates
from sitegen.pages.records import BoardRecords

TEMPLATES = Templates(Path(__file__).parents[2] / "templates" / "pages")
COLUMNS = ("dataset_score", "erosion")
CHECKS = track(columns=COLUMNS)


def tree(page: Page) -> html.HtmlElement:
    return html.fromstring(page.content)


def words(element: html.HtmlElement) -> str:
    return " ".join(" ".join(element.itertext()).split())


def rows(made: Board) -> Mapping[str, html.HtmlElement]:
    """Give the rows of a board's table by their ids, in order."""
    table_rows = tree(board_page(made, TEMPLATES)).cssselect("table[data-board] tr[data-submission]")
    return {row.get("data-submission"): row for row in table_rows}


def own_page(made: Board, name: str, folder: Path) -> html.HtmlElement:
    """Give the page of a submission, which lies below a folder."""
    entry = next(entry for entry in made.all_entries if entry.id == name)
    assert entry.bundle
    with chdir(folder):
        entry.bundle.path.mkdir(parents=True)
        return tree(submission_page(BoardRecords(made), entry, TEMPLATES))


def cell(element: html.HtmlElement, metric: str) -> html.HtmlElement:
    (metric_cell,) = element.cssselect(f"td[data-metric={metric}]")
    return metric_cell


def measured(name: str, number: int) -> Board:
    """Rank one run of five rounds, in the first of which erosion was measured."""
    measured_rounds = records("a", "#" * number, measures={"erosion@1": 0.0})
    silent = records("a", " " * number + "#" * (5 - number))
    return board(bundle(name, found=[*measured_rounds, *silent]), on=CHECKS, rounds=(5,))


def test_a_mean_over_a_part_says_so_in_its_cell() -> None:
    mean_cell = cell(rows(measured("ours", 4))["ours"], "erosion")
    assert mean_cell.get("data-value") == "0.0"
    assert "over 4 of 5" in words(mean_cell)
    (value,) = mean_cell.cssselect(".sg-value")
    assert value.get("title") == "over 4 of 5 rounds"


def test_a_mean_over_too_small_a_part_is_a_dash_with_its_reason() -> None:
    mean_cell = cell(rows(measured("ours", 1))["ours"], "erosion")
    assert (mean_cell.get("data-value"), words(mean_cell)) == (None, "– 1 of 5 known")
    (value,) = mean_cell.cssselect(".sg-value")
    assert value.get("title") == "known for only 1 of 5 rounds, less than 80 %"


def test_a_score_over_everything_says_so_where_a_reader_points_at_it() -> None:
    score_cell = cell(rows(measured("ours", 5))["ours"], "dataset_score")
    assert words(score_cell) == "100.0"
    (value,) = score_cell.cssselect(".sg-value")
    assert value.get("title").endswith("over 1 of 1 task")


def test_the_submissions_page_says_of_every_score_what_it_is_over(tmp_path: Path) -> None:
    page = own_page(measured("ours", 4), "ours", tmp_path)
    lines = [words(table_row) for table_row in page.cssselect("tr[data-agrees]")]
    assert ["1 of 1 task" in lines[0], "4 of 5 rounds" in lines[1]] == [True, True]


@pytest.fixture
def lacking() -> Board:
    """A whole row, and a better one that lacks a task of five."""
    return board(bundle("whole", *"#...."), bundle("part", *"####", missing=("e",)), rounds=(1,) * 5)


def test_an_incomplete_row_stands_last_with_a_dash_for_its_rank(lacking: Board) -> None:
    rows_by_id = rows(lacking)
    assert list(rows_by_id) == ["whole", "part"]
    assert words(rows_by_id["part"].cssselect("td.sg-rank")[0]) == "–"
    agent = words(rows_by_id["part"].cssselect("th.sg-agent")[0])
    assert agent == "part incomplete no results for 1 of 5 tasks"
    assert "1 of 5 tasks missing, counted as 0" in words(cell(rows_by_id["part"], "dataset_score"))


def test_scripts_know_an_incomplete_row(lacking: Board) -> None:
    assert [row.get("data-incomplete") is not None for row in rows(lacking).values()] == [False, True]


def test_the_page_of_an_incomplete_submission_names_the_tasks(lacking: Board, tmp_path: Path) -> None:
    (notice,) = own_page(lacking, "part", tmp_path).cssselect("[data-notice=incomplete]")
    expected_notice = "Incomplete: no results for 1 of 5 tasks: e. It is not ranked or compared with other agents."
    assert words(notice) == expected_notice
    assert not own_page(lacking, "whole", tmp_path).cssselect("[data-notice=incomplete]")


def official(*names: str) -> Board:
    """Claim a score over three tasks of each row, of which one is left out."""
    drawn = [bundle(name, "#", ".", "!", claims=claims("README", dataset_score="66.7")) for name in names]
    return with_findings(board(*drawn, rounds=(1, 1, 1)), finding("Broken", effect="exclude", tasks=("c",)))


def test_claims_that_all_do_not_compare_are_told_of_once() -> None:
    made = official("one", "two")
    for page in (board_page(made, TEMPLATES), benchmark_page((made,), TEMPLATES)):
        (notice,) = tree(page).cssselect("[data-notice=claims]")
        assert words(notice) == (
            "Claims for these agents cover 3 tasks; the scores here cover 2, "
            "so the two are not comparable. The agents' pages list the claims."
        )
    rows_by_id = rows(made)
    assert [words(table_row.cssselect("th.sg-agent")[0]) for table_row in rows_by_id.values()] == ["one", "two"]
    assert not any(row_element.cssselect(".sg-claim") for row_element in rows_by_id.values())


def test_a_claim_that_does_not_compare_is_told_in_its_row_where_others_do() -> None:
    fine = bundle("fine", "#", ".", "!", claims=claims(dataset_score="50.0"))
    odd = bundle("odd", "#", ".", "!", claims=claims("README", dataset_score="66.7"))
    made = with_findings(board(fine, odd, rounds=(1, 1, 1)), finding("Broken", effect="exclude", tasks=("c",)))
    agent_texts = {name: words(table_row.cssselect("th.sg-agent")[0]) for name, table_row in rows(made).items()}
    assert agent_texts == {"fine": "fine", "odd": "odd claims not comparable (over 3 tasks)"}


def test_several_sources_over_other_tasks_are_told_of_once(tmp_path: Path) -> None:
    drawn = bundle("one", "#", ".", "!", claims=claims("README", dataset_score="66.7"))
    unmarked_board = board(drawn, rounds=(1, 1, 1), tables=[table(row("one", "66.9"))])
    made = with_findings(unmarked_board, finding("Broken", effect="exclude", tasks=("c",)))
    page = own_page(made, "one", tmp_path)
    (line,) = page.cssselect("tr[data-agrees]")
    assert [words(cell) for cell in line[-3:-1]] == ["66.7", "66.9"]
    assert words(page).count("Claims not comparable (over 3 tasks). Claim 1: README. Claim 2: A paper.") == 1
    assert line.get("data-agrees") == ""
    assert not line.cssselect(".sg-claim")
