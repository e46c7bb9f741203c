"""A finding that a later one corrects has the later title wherever it is shown, and leads to the later one."""

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from kit.findings import finding, with_findings
from kit.rendered_pages import all_pages, board_page, submission_page
from kit.task_cases import TEMPLATES, board, ran, submission, task, tree, words

from sitegen.board.answers.news import cause_words
from sitegen.board.board import Board
from sitegen.board.comparison_file import comparison_file
from sitegen.board.explanation import explanation
from sitegen.board.findings import marked_findings
from sitegen.board.history.causes import Cause
from sitegen.pages.findings import row_flags
from sitegen.pages.records import BoardRecords

TASK = task(["c1", "c2"], ["c1", "c2"])
LEAK = finding("Bob peeked", kind="leak", effect="zero", tasks=("a",), submissions=("bob",))
LEAK_ID = "2026-07-01-bob-peeked"
CORRECTION = finding("Bob peeked once", kind="note", date=date(2026, 8, 1), corrects=LEAK_ID, submissions=("bob",))
CORRECTION_ID = "2026-08-01-bob-peeked-once"
REMARK = "corrected on 2026-08-01"


@pytest.fixture
def made(tmp_path: Path) -> Board:
    ada = submission("ada", ran(1, "pp"), ran(2, "pf"))
    bob = submission("bob", ran(1, "pp"), ran(2, "pp"))
    bundles = [replace(bundle, path=tmp_path) for bundle in (ada, bob)]
    return with_findings(board(TASK, *bundles), LEAK, CORRECTION)


def test_the_last_correction_counts() -> None:
    second = finding("Bob never peeked", date=date(2026, 9, 1), corrects=LEAK_ID)
    leak, first, last = marked_findings((LEAK, CORRECTION, second))
    assert leak.correction == last
    assert leak.remark == "corrected on 2026-09-01"
    assert (first.remark, last.remark) == ("", "")


def test_the_board_shows_one_finding_with_its_current_text_and_folds_the_earlier_ones(made: Board) -> None:
    last = finding(
        "Bob saw one answer",
        kind="note",
        date=date(2026, 9, 1),
        corrects=CORRECTION_ID,
        submissions=("bob",),
        reason="It was an answer.",
        by="Eve",
    )
    page = tree(board_page(with_findings(made, LEAK, CORRECTION, last), TEMPLATES))
    (article,) = page.cssselect("article.sg-finding")
    assert (article.get("id"), article.get("data-effect")) == (f"finding-{LEAK_ID}", "zero")
    assert words(article.cssselect("h3")[0]) == "⚑ Bob saw one answer"
    assert words(article.cssselect(".sg-facts")[0]) == "2026-09-01 · Leak · counted as 0 · by Eve"
    assert "It was an answer." in [words(line) for line in article.cssselect("p")]
    (fold,) = article.cssselect("details[data-earlier]")
    assert words(fold.cssselect("summary")[0]) == "Earlier texts: 2026-08-01, 2026-07-01"
    assert [words(line) for line in fold.cssselect("p")] == [
        "2026-08-01, by Ada: Bob peeked once. It is so.",
        "2026-07-01, by Ada: Bob peeked. It is so.",
    ]


def test_every_address_of_a_finding_leads_to_its_block(made: Board) -> None:
    last = finding("Bob saw one answer", kind="note", date=date(2026, 9, 1), corrects=CORRECTION_ID)
    page = tree(board_page(with_findings(made, LEAK, CORRECTION, last), TEMPLATES))
    for name in (LEAK_ID, CORRECTION_ID, "2026-09-01-bob-saw-one-answer"):
        (target,) = page.cssselect(f"[id='finding-{name}']")
        assert [block.get("data-finding") for block in (target, *target.iterancestors("article"))][-1] == LEAK_ID


def test_the_board_counts_a_corrected_finding_once(made: Board) -> None:
    page = tree(board_page(made, TEMPLATES))
    assert [words(link) for link in page.cssselect("a[href$='#findings']")] == ["1 finding"]


def test_a_correction_with_an_effect_and_the_corrected_finding_lead_to_each_other(made: Board) -> None:
    facts: dict[str, Any] = {"kind": "leak", "effect": "zero", "submissions": ("bob",)}
    acting = finding("Bob peeked twice", date=date(2026, 8, 1), corrects=LEAK_ID, **facts)
    page = tree(board_page(with_findings(made, LEAK, acting), TEMPLATES))
    acting_id = "2026-08-01-bob-peeked-twice"
    (corrected,) = page.cssselect(f"#finding-{LEAK_ID} [data-corrected-by]")
    assert words(corrected) == "Corrected on 2026-08-01: Bob peeked twice"
    assert corrected.cssselect("a")[0].get("href") == f"#finding-{acting_id}"
    (correcting,) = page.cssselect(f"#finding-{acting_id} [data-corrects]")
    assert words(correcting) == "Corrects the finding of 2026-07-01: Bob peeked"
    assert correcting.cssselect("a")[0].get("href") == f"#finding-{LEAK_ID}"


def test_a_note_about_a_result_begins_with_the_day_of_its_current_text(made: Board) -> None:
    last = finding("Bob saw one answer", kind="note", date=date(2026, 9, 1), corrects=CORRECTION_ID)
    made = with_findings(made, LEAK, CORRECTION, last)
    bob = next(row for row in made.all_entries if row.id == "bob")
    (line,) = tree(submission_page(BoardRecords(made), bob, TEMPLATES)).cssselect(".sg-findings li")
    about = words(line.cssselect(".sg-about")[0])
    assert about == "corrected on 2026-09-01, first recorded on 2026-07-01 · counted as 0"


def test_a_list_does_not_repeat_the_note_that_corrects_one_of_its_findings(made: Board) -> None:
    bob = next(row for row in made.all_entries if row.id == "bob")
    page = tree(submission_page(BoardRecords(made), bob, TEMPLATES))
    assert not page.cssselect(f".sg-findings [data-finding='{CORRECTION_ID}']")
    assert words(page.cssselect("[data-notice='findings'] summary")[0]).startswith("1 finding about these results")


def test_a_correction_with_an_effect_of_its_own_is_listed_beside_the_corrected_finding(made: Board) -> None:
    acting = finding(
        "Bob peeked twice", kind="leak", effect="zero", date=date(2026, 8, 1), corrects=LEAK_ID, submissions=("bob",)
    )
    marks = with_findings(made, LEAK, acting).findings.about_row("bob")
    assert [mark.title for mark in marks] == ["Bob peeked", "Bob peeked twice"]


def test_the_last_of_several_corrections_gives_the_title() -> None:
    second = finding("Bob never peeked", kind="note", date=date(2026, 9, 1), corrects=CORRECTION_ID)
    assert marked_findings((LEAK, CORRECTION, second))[0].title == "Bob never peeked"


def test_every_page_that_names_the_finding_says_that_it_was_corrected(made: Board) -> None:
    naming = [page for page in all_pages([made]) if "Bob peeked once<" in page.content]
    flagged = [page for page in all_pages([made]) if "finding: Bob peeked once (" in page.content]
    assert len(naming) > 3
    assert len(flagged) > 3
    assert [page.address for page in naming if REMARK not in page.content.lower()] == []
    assert [page.address for page in flagged if f", {REMARK})" not in page.content] == []


def test_a_list_of_findings_leads_to_the_correction(made: Board) -> None:
    bob = next(entry for entry in made.all_entries if entry.id == "bob")
    assert bob.bundle
    page = tree(submission_page(BoardRecords(made), bob, TEMPLATES))
    (line,) = page.cssselect(f".sg-findings [data-finding='{LEAK_ID}']")
    links = {words(link): link.get("href") for link in line.cssselect("a")}
    assert links[REMARK].endswith(f"mini/main/#finding-{CORRECTION_ID}")


def test_flags_files_and_explanations_say_so(made: Board) -> None:
    bob = next(entry for entry in made.all_entries if entry.id == "bob")
    assert bob.bundle
    assert row_flags(made, bob)[0].words == f"finding: Bob peeked once (counted as 0, {REMARK})"
    assert f"finding {LEAK_ID} (zero): Bob peeked once ({REMARK})" in "\n".join(explanation(made, bob, bob.bundle))
    marks: Any = comparison_file(made)["marks"]
    assert [mark["title"] for mark in marks] == [f"Bob peeked once ({REMARK})"]
    leak = made.findings.all[0]
    assert cause_words(Cause("finding", leak.title, leak)) == f"finding “Bob peeked once”, {REMARK}"


def test_a_withdrawal_by_a_corrected_finding_says_so(made: Board) -> None:
    withdrawal = finding("Bob peeked", kind="leak", effect="withdraw", submissions=("bob",))
    gone = with_findings(made, withdrawal, CORRECTION)
    bob = next(entry for entry in gone.all_entries if entry.id == "bob")
    page = tree(submission_page(BoardRecords(gone), bob, TEMPLATES))
    assert f"Finding: Bob peeked once, {REMARK}." in words(page.cssselect("[data-notice='tombstone']")[0])
