"""A submission's page: scores beside claims, its tasks from the most passed on, what is odd in words, and its cost."""

from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from kit.boards import board, bundle, claims, row, table, track
from kit.rendered_pages import submission_page
from kit.result_grids import records
from lxml import html

from sitegen.board.board import Board
from sitegen.pages.records import BoardRecords
from sitegen.problems import Problem

PRINTED = claims("README", dataset_score="50.0")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path) -> Any:  # noqa: ANN401 - a fixture that yields
    """Give the submission a folder, whose files its page lists; here it has none."""
    (tmp_path / "results/mini/submissions/ours").mkdir(parents=True)
    with chdir(tmp_path):
        yield


def page_of(made: Board) -> html.HtmlElement:
    (entry,) = (board_entry for board_entry in made.all_entries if board_entry.id == "ours")
    return html.fromstring(f"<main>{submission_page(BoardRecords(made), entry).content}</main>")


def words(element: html.HtmlElement) -> str:
    return " ".join(str(element.text_content()).split())


def heads(page: html.HtmlElement) -> list[str]:
    return [words(heading) for heading in page.cssselect(".sg-claimed-scores thead th")]


def test_parts_stand_in_the_order_of_what_readers_ask() -> None:
    page = page_of(board(bundle("ours", "##", "#."), bundle("other", "..", ".."), rounds=(2, 2)))
    (scores,) = page.cssselect(".sg-claimed-scores")
    headings = [words(heading) for heading in page.cssselect("h2")]
    assert [title for title in headings if title != "How the rounds went"] == [
        "Tasks by rounds",
        "Worst tasks",
        "Evidence",
        "Provenance",
        "Cost",
        "Against the other agents",
        "Cite and reuse",
    ]
    assert page.cssselect("h1, table")[1] is scores


def test_each_source_of_claims_is_a_column_beside_the_score() -> None:
    page = page_of(
        board(bundle("ours", "##", "..", claims=PRINTED), rounds=(2, 2), tables=[table(row("ours", "48.0"))])
    )
    assert heads(page)[2:4] == ["Claim 1", "Claim 2"]
    assert "Claim 1: README. Claim 2: A paper." in words(page)
    (line,) = page.cssselect("tr[data-agrees]")
    assert [words(cell) for cell in line[2:4]] == ["50.0 agrees", "48.0 differs"]
    assert (line.get("data-agrees"), len(line.cssselect(".sg-claim"))) == ("no", 1)


def test_without_a_claim_there_is_no_column_for_one() -> None:
    page = page_of(board(bundle("ours", "##", "#."), rounds=(2, 2)))
    assert heads(page) == ["Metric", "Recomputed", "95 % interval"]
    assert "Over 2 of 2 tasks." in words(page)


def test_tasks_stand_from_the_one_of_which_most_was_passed() -> None:
    page = page_of(board(bundle("ours", "#..", "###", "...", "##."), rounds=(3, 3, 3, 3)))
    lines = page.cssselect(".sg-heat tbody tr")
    assert [(words(table_row[0]), words(table_row[-1])) for table_row in lines] == [
        ("b", "3 / 3"),
        ("d", "2 / 3"),
        ("a", "1 / 3"),
        ("c", "0 / 3"),
    ]


def test_the_legend_names_the_states_that_occur_alone() -> None:
    legend = words(page_of(board(bundle("ours", "#n"), rounds=(2,))).cssselect(".sg-legend")[0])
    assert "no case ran: build or set-up failed" in legend
    assert not any(state in legend for state in ("never reached", "completed by the reference solution", "excluded"))


def test_the_legend_has_no_shades_if_nothing_passed_in_part() -> None:
    passed = page_of(board(bundle("ours", "#", "#"), rounds=(1, 1))).cssselect(".sg-legend li")
    assert [words(legend_item) for legend_item in passed] == ["✓ all passed"]
    failed = page_of(board(bundle("ours", "#", "."), rounds=(1, 1))).cssselect(".sg-legend li")
    assert [words(list_item) for list_item in failed] == ["✓ all passed", "0 none passed"]


def test_what_is_odd_is_told_in_words_once_for_each_kind_with_its_code_folded() -> None:
    path = Path("results/mini/submissions/ours/rounds.jsonl")
    odd = [Problem("ROUND-ODD", "warning", path, line, f"round {line} is odd", "look") for line in (1, 2, 3)]
    alone = Problem("TASK-ODD", "warning", path, None, "a task is odd", "look")
    made = replace(board(bundle("ours", "##")), problems=(*odd, alone))
    groups = page_of(made).xpath("//details[summary/h2='Warnings']/details")
    assert [words(kind_group.find("summary")) for kind_group in groups] == [
        "Round 1 is odd; 2 more of this kind",
        "A task is odd",
    ]
    codes_by_group = [[item.get("data-problem") for item in group.cssselect("li[data-problem]")] for group in groups]
    assert codes_by_group == [["ROUND-ODD"] * 3, ["TASK-ODD"]]
    assert not any(details.cssselect("summary code") or details.get("open") for details in groups)


def test_tasks_that_a_problem_is_about_go_by_their_titles_and_other_words_stay() -> None:
    """The task `b` is not meant by "of b"; nor is `a` by a part of another word."""
    made = board(bundle("ours", "##"))
    titled = [replace(task, title=f"Title of {task.id}") for task in made.tasks.tasks]
    path = Path("results/mini/submissions/ours/rounds.jsonl")
    fact = "round 1 of a ran 2 of b, unlike round 1 of a-2 and of a.b"
    odd = Problem("ROUND-ODD", "warning", path, 1, fact, "look").about_tasks("a")
    made = replace(made, tasks=replace(made.tasks, tasks=tuple(titled)), problems=(odd,))
    (summary,) = page_of(made).xpath("//details[summary/h2='Warnings']/details/summary")
    assert words(summary) == "Round 1 of Title of a ran 2 of b, unlike round 1 of a-2 and of a.b"


def test_what_is_missing_is_listed_in_a_line_but_for_what_decides() -> None:
    (section,) = page_of(board(bundle("ours", "##"))).cssselect("#evidence")
    shown, folded = (section.cssselect(f".sg-exhibits > div:last-child > {tag} li") for tag in ("ul", "details"))
    assert shown
    assert all(item.cssselect(".sg-decides") for item in shown)
    assert len(folded) > 5
    assert words(section.cssselect("summary")[0]).startswith(f"{len(folded)} more items:")


@pytest.mark.parametrize(
    ("figures", "expected_text"),
    [
        ({}, "No metric here measures tokens, cost or time, and no run reports them."),
        ({"input_tokens": 500}, "or time. The runs report 1,000 input tokens in total."),
        ({"cost_usd": 1.5}, "1.50 USD"),
    ],
    ids=["unknown", "told", "known"],
)
def test_what_the_work_cost_is_told_as_far_as_it_is_known(figures: dict[str, Any], expected_text: str) -> None:
    page = page_of(board(bundle("ours", found=records("a", "##", **figures))))
    cost = page.xpath("//summary[h2='Cost']/following-sibling::*[1]")[0]
    assert expected_text in words(cost)


@pytest.mark.parametrize("figures", [{"interactions": 3}, {"interactions": 3, "output_tokens": 9}])
def test_tool_calls_alone_are_no_cost(figures: dict[str, Any]) -> None:
    calls = track(headline="dataset_score", columns=("dataset_score", "avg_rounds"))
    page = page_of(board(bundle("ours", found=records("a", "##", **figures)), on=calls))
    (cost,) = page.xpath("//details[summary[h2='Cost']]")
    assert ("No run reports tokens, cost or time." in words(cost)) == ("output_tokens" not in figures)


def test_attempts_at_tasks_of_one_round_are_a_matrix() -> None:
    on = track(protocol="once", attempts=3, headline="resolved", columns=("resolved",))
    tried = [round_result for attempt, mark in enumerate("#.#", 1) for round_result in records("a", mark, attempt)]
    page = page_of(board(bundle("ours", found=tried), on=on, rounds=(1,)))
    (line,) = page.cssselect(".sg-heat--attempts tbody tr")
    assert [cell.get("data-shade") for cell in line.cssselect("[data-cell]")] == ["all", "share-0", "all"]
    assert [cell.get("title").partition(":")[0] for cell in line.cssselect("[data-cell]")] == [
        "a, attempt 1",
        "a, attempt 2",
        "a, attempt 3",
    ]
    assert words(line.cssselect(".sg-number")[0]) == "2 / 3"


def test_tasks_of_one_round_stand_in_columns_with_one_attempt_too() -> None:
    page = page_of(board(bundle("ours", "#", "."), rounds=(1, 1)))
    assert len(page.cssselect(".sg-heat--attempts tbody tr")) == 2
    assert not page_of(board(bundle("ours", "##", ".."), rounds=(2, 2))).cssselect(".sg-heat--attempts")


def test_the_worst_tasks_stand_beside_the_mean_of_the_others() -> None:
    ours, bundle_one, two = (
        bundle("ours", "##", "..", ".."),
        bundle("one", "##", "..", "##"),
        bundle("two", "##", "..", "#."),
    )
    page = page_of(board(ours, bundle_one, two, rounds=(2, 2, 2)))
    lines = [[words(cell) for cell in line.cssselect("th, td")] for line in page.cssselect("[data-worst] tbody tr")]
    assert lines == [["c", "0 / 2", "75.0 %"], ["b", "0 / 2", "0.0 %"]]


def test_what_follows_the_worst_tasks_is_folded() -> None:
    page = page_of(board(bundle("ours", "##"), bundle("other", "..")))
    assert page.cssselect("details.sg-fold")
    assert not page.cssselect("details.sg-fold[open]")
    assert page.cssselect("details.sg-fold section#evidence")
