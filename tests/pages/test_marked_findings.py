"""Findings on pages: every page marks what they concern, leads to them, and shows scores with and without them."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from kit.boards import board as drawn_board
from kit.boards import bundle, claims
from kit.findings import finding, with_findings
from kit.rendered_pages import board_page, compare_page, round_pages, run_pages, submission_page, task_page, tasks_page
from kit.task_cases import TEMPLATES, board, ran, submission, task, tree, words
from lxml import html

from sitegen.board.board import Board
from sitegen.board.comparison_file import comparison_file
from sitegen.models.outcome import RoundResult
from sitegen.models.site import Page
from sitegen.pages.findings import UNKNOWN
from sitegen.pages.records import BoardRecords, TaskCases

TASK = task(["c1", "c2"], ["c1", "c2"])
ADA = submission("ada", ran(1, "pp"), ran(2, "pf"))
BOB = submission("bob", ran(1, "pp"), ran(2, "pp"))
LEAK = finding("Bob peeked", kind="leak", effect="zero", tasks=("a",), rounds=(1,), submissions=("bob",))
CASE = finding("c2 is odd", effect="exclude", tasks=("a",), rounds=(2,), cases=("c2",))
LEAK_ID, CASE_ID = "2026-07-01-bob-peeked", "2026-07-01-c2-is-odd"
FOUND = f"mini/main/#finding-{LEAK_ID}"


@pytest.fixture
def made(tmp_path: Path) -> Board:
    """Two submissions and two findings, which turn their order."""
    bundles = (replace(agent_bundle, path=tmp_path) for agent_bundle in (ADA, BOB))
    return with_findings(board(TASK, *bundles), LEAK, CASE)


def book(made: Board) -> TaskCases:
    """Give the cases of the one task."""
    return TaskCases(BoardRecords(made), TASK)


def run(made: Board, name: str) -> html.HtmlElement:
    """Give the page of a run."""
    entry = next(entry for entry in made.all_entries if entry.id == name)
    assert entry.bundle
    (page,) = run_pages(book(made), entry, TEMPLATES)
    return tree(page)


def own_page(made: Board, name: str) -> html.HtmlElement:
    """Give the page of a submission."""
    entry = next(entry for entry in made.all_entries if entry.id == name)
    assert entry.bundle
    return tree(submission_page(BoardRecords(made), entry, TEMPLATES))


def marked_cells(page: html.HtmlElement) -> dict[tuple[str, str, str], str]:
    """Give the findings of each marked cell of a heat map, by submission, task and round."""
    return {
        (cell.get("data-submission"), cell.get("data-task"), cell.get("data-round")): cell.get("data-finding")
        for cell in page.cssselect("[data-cell][data-finding]")
    }


def names_on(page: html.HtmlElement) -> set[str]:
    """Give the findings that a page marks something by."""
    return set(" ".join(element.get("data-finding") for element in page.cssselect("[data-finding]")).split())


def links_on(page: html.HtmlElement) -> set[str]:
    """Give the findings that a page leads to."""
    links = (link.get("href").rpartition("#finding-") for link in page.cssselect("a[href*='#finding-']"))
    return {name for _, _, name in links}


def pages(made: Board) -> Iterator[Page]:
    """Give every page that shows what the findings concern."""
    entries = [entry for entry in made.all_entries if entry.bundle]
    yield board_page(made, TEMPLATES)
    yield compare_page(made, TEMPLATES)
    yield tasks_page(BoardRecords(made), TEMPLATES)
    yield task_page(book(made), TEMPLATES)
    yield from round_pages(book(made), TEMPLATES)
    for entry in entries:
        assert entry.bundle
        yield submission_page(BoardRecords(made), entry, TEMPLATES)
        yield from run_pages(book(made), entry, TEMPLATES)


def test_every_page_marks_what_a_finding_concerns_and_leads_to_it(made: Board) -> None:
    anchors = {article.get("id") for article in tree(board_page(made, TEMPLATES)).cssselect("article.sg-finding")}
    assert anchors == {f"finding-{LEAK_ID}", f"finding-{CASE_ID}"}
    for page in pages(made):
        names = names_on(tree(page))
        assert names, page.address
        assert names <= links_on(tree(page)), page.address


def test_pages_without_findings_have_no_mark(tmp_path: Path) -> None:
    plain = board(TASK, *(replace(agent_bundle, path=tmp_path) for agent_bundle in (ADA, BOB)))
    assert [page.address for page in pages(plain) if "data-finding" in page.content or "sg-flag" in page.content] == []


def test_the_cells_of_a_task_are_marked_where_a_finding_concerns_them(made: Board) -> None:
    assert marked_cells(tree(task_page(book(made), TEMPLATES))) == {
        ("bob", "a", "1"): LEAK_ID,
        ("ada", "a", "2"): CASE_ID,
        ("bob", "a", "2"): CASE_ID,
    }


def test_a_task_is_marked_by_the_findings_about_its_rounds(made: Board) -> None:
    assert marked_cells(tree(tasks_page(BoardRecords(made), TEMPLATES))) == {
        ("ada", "a", ""): CASE_ID,
        ("bob", "a", ""): f"{LEAK_ID} {CASE_ID}",
    }


def test_a_marked_cell_says_the_finding_in_words(made: Board) -> None:
    (cell,) = tree(task_page(book(made), TEMPLATES)).cssselect("[data-cell][data-submission=bob][data-round='1']")
    expected_text = "bob, round 1: 0 of 2 cases passed, 0 %; finding: Bob peeked (counted as 0)"
    assert (cell.get("title"), cell.get("aria-label")) == (expected_text, expected_text)


def test_the_head_of_a_round_leads_to_its_findings(made: Board) -> None:
    links = tree(task_page(book(made), TEMPLATES)).cssselect("tbody th a.sg-flag")
    assert [link.get("href").removeprefix("../../../../") for link in links] == [
        FOUND,
        f"mini/main/#finding-{CASE_ID}",
    ]


def test_the_row_of_a_case_is_marked_with_all_of_its_cells(made: Board) -> None:
    _, second = round_pages(book(made), TEMPLATES)
    (row,) = tree(second).cssselect("tbody tr[data-finding]")
    assert (row.get("id"), row.get("data-finding")) == ("case-c2", CASE_ID)
    cells = row.cssselect("td[data-case]")
    assert {(cell.get("data-status"), cell.get("data-finding")) for cell in cells} == {
        ("failed", CASE_ID),
        ("passed", CASE_ID),
    }
    assert all("finding: c2 is odd (cases excluded from scores)" in cell.get("title") for cell in cells)


def test_a_run_shows_how_a_round_went_with_and_without_the_finding(made: Board) -> None:
    """The cases are shown as they ended: findings decide what counts, not what happened."""
    first, second = run(made, "bob").cssselect("section.sg-round")
    assert first.get("data-finding") == LEAK_ID
    (verdict,) = first.cssselect(".sg-verdict")
    assert words(verdict) == "0 of 2 cases passed, 0 % without the finding: 2 of 2 cases passed"
    assert [case_element.get("data-status") for case_element in first.cssselect("[data-case]")] == ["passed", "passed"]
    (case,) = second.cssselect("[data-case][data-finding]")
    assert (case.get("data-case"), case.get("data-finding")) == ("c2", CASE_ID)


def test_a_round_that_a_case_is_left_out_of_is_judged_without_it(made: Board) -> None:
    *_, verdict = run(made, "ada").cssselect(".sg-verdict")
    assert words(verdict) == "1 of 1 case passed without the finding: 1 of 2 cases passed, 50 %"


def test_a_submission_shows_its_scores_with_and_without_findings(made: Board) -> None:
    page = own_page(made, "bob")
    (score,) = page.cssselect("td[data-metric=dataset_score]")
    (before,) = page.cssselect("td[data-before]")
    assert (words(score), words(before)) == ("50.0", "100.0 ⚑")
    assert before.get("data-finding") == f"{LEAK_ID} {CASE_ID}"
    assert ", of which 2 affect the scores; without them the rank would be (1) " in words(
        page.cssselect("[data-notice=findings]")[0]
    )


def test_a_claim_from_before_a_finding_says_so(tmp_path: Path) -> None:
    claimed = bundle("ada", "##.#", claims=claims(dataset_score="75.0"))
    sent = drawn_board(replace(claimed, path=tmp_path), rounds=(4,))
    shown = with_findings(sent, finding("odd", effect="exclude", tasks=("a",), rounds=(3,)))
    (row,) = own_page(shown, "ada").cssselect("tr[data-agrees]")
    assert row.get("data-agrees") == "yes"
    assert "75.0 agrees without findings" in words(row)


def test_a_board_shows_scores_with_and_without_findings(made: Board) -> None:
    page = tree(board_page(made, TEMPLATES))
    cells = {
        row.get("data-submission"): words(row.cssselect("td[data-metric=dataset_score]")[0])
        for row in page.cssselect("tr[data-submission]")
    }
    assert cells == {"ada": "100.0 50.0 without ⚑", "bob": "50.0 100.0 without ⚑"}
    (flag,) = page.cssselect("tr[data-submission=bob] th a.sg-flag")
    assert flag.get("data-finding") == LEAK_ID


def test_a_board_says_which_conclusions_a_finding_changed(made: Board) -> None:
    articles = {
        article.get("data-finding"): article for article in tree(board_page(made, TEMPLATES)).cssselect("article")
    }
    change_texts = {
        name: words(article_element.cssselect("[data-changed]")[0]) for name, article_element in articles.items()
    }
    assert change_texts[LEAK_ID] == (
        "It changes the Dataset Score of 1 of 2 agents; the score-based rank changes for 1 agent. "
        "ada has the best score; without the finding, ada and bob would."
    )
    assert change_texts[CASE_ID] == (
        "It changes the Dataset Score of 1 of 2 agents; the score-based rank changes for 1 agent. "
        "ada has the best score; without the finding, ada and bob would."
    )
    assert articles[LEAK_ID].get("data-effect") == "zero"


def test_a_finding_says_what_it_concerns(made: Board) -> None:
    texts = {
        article.get("data-finding"): words(article)
        for article in tree(board_page(made, TEMPLATES)).cssselect("article")
    }
    assert "2026-07-01 · Leak · counted as 0 · by Ada It is so. Applies to bob: a round 1." in texts[LEAK_ID]
    assert "Applies to all agents: a round 2; cases: c2." in texts[CASE_ID]


def test_what_a_finding_changes_is_not_known_of_records_that_hold_nothing(tmp_path: Path) -> None:
    excluded = replace(ADA, path=tmp_path, rounds=(ran(1, "pp"), RoundResult("a", 1, 2, "excluded", 0)))
    shown = with_findings(board(TASK, excluded), finding("odd", effect="exclude", tasks=("a",), rounds=(2,)))
    (change_note,) = tree(board_page(shown, TEMPLATES)).cssselect("[data-changed]")
    assert words(change_note) == UNKNOWN


def test_a_finding_that_changes_no_score_says_so(tmp_path: Path) -> None:
    unreached = replace(ADA, path=tmp_path, rounds=(ran(1, "ff"), RoundResult("a", 1, 2, "unreached", 0, 0, 0)))
    shown = with_findings(board(TASK, unreached), finding("odd", effect="exclude", tasks=("a",), rounds=(2,)))
    (change_note,) = tree(board_page(shown, TEMPLATES)).cssselect("[data-changed]")
    assert words(change_note) == "It changes no score and no rank on this board."


def test_the_page_that_compares_marks_rows_scores_and_rounds(made: Board) -> None:
    page = tree(compare_page(made, TEMPLATES))
    assert [flag.get("data-finding") for flag in page.cssselect("tr[data-submission=bob] th a.sg-flag")] == [LEAK_ID]
    assert len(page.cssselect("td[data-metric=dataset_score][data-finding]")) == 2
    assert comparison_file(made)["marks"] == [
        {"id": LEAK_ID, "title": "Bob peeked", "rows": ["bob"], "rounds": {"a": [1]}},
        {"id": CASE_ID, "title": "c2 is odd", "rows": [], "rounds": {"a": [2]}},
    ]
