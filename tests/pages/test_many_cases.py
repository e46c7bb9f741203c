"""Boards with more cases than pages have room for: counts and some names on pages, and the rest in files."""

import json
import math
from dataclasses import replace
from pathlib import Path

from kit.boards import track
from kit.rendered_pages import round_pages, run_pages, submission_page, tasks_page
from kit.task_cases import board, book, counted, failure, ran, submission, task, tree, words

from sitegen.board.making import make_boards
from sitegen.board.outcomes_file import MOST_CELLS, MOST_OUTCOMES, outcomes_files
from sitegen.metrics.outcomes import case_counts
from sitegen.models.benchmark import Benchmark
from sitegen.models.outcome import RoundResult
from sitegen.models.results import BenchmarkResults
from sitegen.models.task import Task, TaskRound, TaskSet
from sitegen.pages.records import BoardRecords

MANY = MOST_OUTCOMES // 2 + 1
TWO = task(None, None)
AGENTS = MOST_CELLS // 50 + 1


def test_cases_are_counted_by_their_places_where_suites_are_of_several_lengths() -> None:
    assert case_counts(["pfe", "fs", "p"]) == ([1, 1, 1], [3, 1, 1])


def test_a_run_with_too_many_outcomes_has_a_line_a_round_with_some_cases_that_failed() -> None:
    """Five failed, of which three are named; the page says how many more there are, and where all are."""
    made = book(TWO, submission("x", ran(1, "fffffp" + "p" * MANY), ran(2, "e" + "p" * MANY)))
    (page,) = run_pages(made, made.records.board.all_entries[0])
    root = tree(page)
    assert [row.get("id") for row in root.cssselect("tr[data-state]")] == ["round-1", "round-2"]
    shown = [
        (case_element.get("data-case"), case_element.get("data-status"))
        for case_element in root.cssselect("[data-case]")
    ]
    assert shown == [("case-1", "failed"), ("case-2", "failed"), ("case-3", "failed"), ("case-1", "error")]
    assert "and 2 more" in words(root.get_element_by_id("round-1"))
    assert "4 fewer" in words(root.get_element_by_id("round-2"))
    (table,) = root.cssselect("[data-outcomes]")
    assert str(table.get("data-outcomes")).endswith("api/v1/mini/main/cases/a/")
    assert any("rounds.jsonl" in str(link.get("href")) for link in root.cssselect("a"))


def test_a_run_below_the_limit_has_every_case() -> None:
    made = book(TWO, submission("x", ran(1, "fp" * 50), ran(2, "pp")))
    (page,) = run_pages(made, made.records.board.all_entries[0])
    assert len(tree(page).cssselect("[data-case]")) == 102


def test_what_one_submission_tells_does_not_make_the_pages_of_another_brief() -> None:
    made = book(TWO, submission("x", ran(1, "f" + "p" * MANY), ran(2, "p" * MANY)), submission("y", ran(1, "fp")))
    assert made.brief == {"x"}


def test_a_link_to_a_case_that_is_not_on_the_page_leads_to_its_round() -> None:
    made = book(TWO, submission("x", ran(1, "fp"), ran(2, "p" * MOST_OUTCOMES)), submission("y", ran(1, "pp")))
    links = tree(round_pages(made)[0]).cssselect("td[data-case='case-1'] a")
    assert [str(link.get("href")).split("/")[-1] for link in links] == ["#round-1"]


def test_texts_of_cases_stay_on_the_page_of_a_run_whose_passed_cases_are_in_a_file() -> None:
    named_failure = failure(1, "c9", reason="off by one")
    made = book(TWO, submission("x", ran(1, "f" + "p" * MANY), ran(2, "p" * MANY), named_failure))
    root = tree(run_pages(made, made.records.board.all_entries[0])[0])
    assert [case_element.get("data-case") for case_element in root.cssselect("[data-case]")] == ["c9"]
    assert f"{MANY:,} passed cases in a file" in words(root)


def test_a_round_of_too_many_submissions_counts_each_case() -> None:
    made = book(task(None), *(submission(f"x{n}", ran(1, ("f" if n else "p") + "p" * 48 + "f")) for n in range(AGENTS)))
    (page,) = round_pages(made)
    root = tree(page)
    rows = {row.get("data-name"): words(row) for row in root.cssselect("tr[data-name]")}
    assert rows == {"case-1": f"case-1 failed in {AGENTS - 1} of {AGENTS}"}
    assert len(root.cssselect("[data-cell]")) == AGENTS
    assert [case_element.get("data-case") for case_element in root.cssselect("[data-status='failed']")] == ["case-50"]
    ((name, number, file),) = outcomes_files(made.records.board)
    assert (name, number, file["suites"]) == ("a", 1, [])
    assert json.loads(json.dumps(file))["rows"]["x0"] == [[1, None, "p" * 49 + "f"]]


def test_no_page_leads_to_a_file_where_all_cases_have_room() -> None:
    assert not list(outcomes_files(board(TWO, submission("x", ran(1, "pf")))))


def test_a_run_of_one_round_without_cases_has_no_page_and_its_row_says_all(tmp_path: Path) -> None:
    made = book(task(None), replace(submission("x", counted(1, 2, 5, cost_usd=1.5, turns=7)), path=tmp_path))
    entry = made.records.board.all_entries[0]
    assert made.runs == []
    row = tree(submission_page(made.records, entry)).get_element_by_id("run-a")
    assert "7 turns · $1.50" in words(row)
    assert "2 of 5 cases passed" in str(row.cssselect("[data-cell]")[0].get("title"))
    links = [str(link.get("href")) for link in tree(round_pages(made)[0]).cssselect("a")]
    assert any(link.endswith("/x/#run-a") for link in links)


def test_a_run_of_one_round_that_tells_a_case_has_a_page() -> None:
    made = book(task(None), submission("x", ran(1, "pf")))
    assert len(run_pages(made, made.records.board.all_entries[0])) == 1
    several = book(task(None), submission("x", counted(1, 2, 5), counted(1, 3, 5, attempt=2)), on=track(attempts=2))
    assert len(several.runs) == 1


def test_tasks_of_too_many_submissions_count_them_by_how_they_fared() -> None:
    side = math.isqrt(MOST_CELLS) + 1
    tasks = tuple(Task(f"t{n}", (TaskRound(1),)) for n in range(side))
    bundles = tuple(
        submission(f"x{n}", *(RoundResult(task.id, 1, 1, "scored", float(n % 2)) for task in tasks))
        for n in range(side)
    )
    about = Benchmark.model_validate({"schema": 1, "id": "mini", "title": "Mini", "tracks": (track(),)})
    (made,) = make_boards(BenchmarkResults(Path("results/mini"), about, {"all": TaskSet("all", tasks)}, bundles))
    root = tree(tasks_page(BoardRecords(made)))
    first = root.cssselect(".sg-tasks tbody tr")[0]
    assert [words(count_cell) for count_cell in first.cssselect("td:not([class])")] == [
        str(side // 2),
        str(side - side // 2),
    ]
    assert len(root.cssselect("[data-task-share]")) == side
    assert not root.cssselect("[data-cell]")


def test_a_large_board_stays_within_what_a_page_may_weigh() -> None:
    """A hundred submissions of four attempts at four rounds of 700 cases."""
    about, cases = task(None, None, None, None), 700
    bundles = []
    for submission_index in range(100):
        outcomes = ("pf" if submission_index % 2 else "fp") * (cases // 2)
        rounds = (ran(number, outcomes, attempt) for number in range(1, 5) for attempt in range(1, 5))
        bundles.append(submission(f"x{submission_index}", *rounds, attempts=4))
    made = book(about, *bundles, on=track(attempts=4))
    run, *further_pages = run_pages(made, made.records.board.all_entries[0])
    assert not further_pages
    for page, max_length in ((run, 20_000), *((page, 200_000) for page in round_pages(made))):
        assert len(page.content) < max_length
        assert sum(1 for _ in tree(page).iter()) < 5_000
