"""What readers see of a waiver: a mark on the row, and on the submission's page by whom, until when and why."""

from datetime import date
from pathlib import Path

import pytest
from kit.rendered_pages import board_page, rules_fragments, submission_page
from kit.results_folders import Tree
from kit.review_day import TODAY
from lxml import html

from sitegen.pages.environment import Templates
from sitegen.pages.records import BoardRecords
from sitegen.pipeline.evaluating import evaluate
from sitegen.pipeline.rules import all_rules

TEMPLATES = Templates(Path(__file__).parents[2] / "templates" / "pages")

WAIVER = """
[[findings]]
date = 2026-06-26
kind = "waiver"
title = "Published with a typo"
code = "CLAIM-DIFFERS"
by = "Ann"
until = 2026-07-31
reason = "The vendor corrects its page."
"""
WORDS = "CLAIM-DIFFERS waived by Ann until 2026-07-31: The vendor corrects its page."


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(tmp_path / "results")
    made.edit("submission.toml", "dataset_score = 25.0", "dataset_score = 99.0")
    made.findings(WAIVER)
    return made


def pages_of(tree: Tree, day: date = TODAY) -> tuple[html.HtmlElement, html.HtmlElement]:
    """Give the page of the board and that of its one submission."""
    ((board, entry),) = evaluate(tree.folder, day).entries()
    assert entry.bundle
    pages = (board_page(board, TEMPLATES), submission_page(BoardRecords(board), entry, TEMPLATES))
    return html.fromstring(pages[0].content), html.fromstring(pages[1].content)


def test_a_row_that_a_waiver_keeps_is_marked_and_leads_to_it(tree: Tree) -> None:
    page, _ = pages_of(tree)
    (mark,) = page.cssselect("tr[data-submission] th .sg-flag")
    assert mark.get("aria-label") == WORDS
    assert mark.get("href").endswith("mini/main/#finding-2026-06-26-published-with-a-typo")
    assert not page.cssselect(".sg-fault")


def test_the_submission_says_by_whom_until_when_and_why(tree: Tree) -> None:
    _, page = pages_of(tree)
    (note,) = page.cssselect("[data-notice=waived] li")
    assert " ".join(note.text_content().split()) == f"⚑ {WORDS} Published with a typo"
    (problem,) = page.cssselect("[data-problem=CLAIM-DIFFERS]")
    assert problem.get("data-severity") == "warning"
    assert not page.cssselect("[data-notice=errors]")


def test_a_waiver_that_ended_marks_nothing(tree: Tree) -> None:
    board, page = pages_of(tree, date(2026, 8, 1))
    assert not board.cssselect("tr[data-submission] th .sg-flag")
    assert not page.cssselect("[data-notice=waived]")
    assert [item.get("data-problem") for item in page.cssselect("[data-notice=errors] li")] == ["CLAIM-DIFFERS"]


def told(code: str) -> str:
    fragments = (html.fromstring(fragment.content) for fragment in rules_fragments(all_rules(), TEMPLATES))
    rows = (row for fragment in fragments for row in fragment.cssselect(f"[data-rule={code}]"))
    return str(next(rows).cssselect("td")[-1].text_content())


def test_the_rules_say_what_can_be_repaired_and_what_can_be_waived() -> None:
    assert told("TEXT-BYTE-ORDER-MARK").endswith("--fix removes the mark")
    assert told("CLAIM-DIFFERS").endswith("can be waived")
    assert "waived" not in told("KEY-UNKNOWN")
    assert "waived" not in told("MERGE-BUNDLE-DIFFERS")
