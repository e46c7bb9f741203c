"""A round's page: the same case in every submission, and what is not known said as such."""

from collections.abc import Mapping

from boards import track
from casebooks import TEMPLATES, book, counted, failure, ran, submission, task, tree, words
from lxml import html
from rendered import round_pages

from sitegen.models.benchmark import Track
from sitegen.models.outcome import RoundResult
from sitegen.models.results import Bundle
from sitegen.models.task import Task

LISTED = task(["c1:sort", "c2:save"])
UNLISTED = task(None)
TWICE = track(attempts=2, protocol="fail-stop", headline="mt_at_k", columns=("mt_at_k",))


def shown(about: Task, *bundles: Bundle, on: Track | None = None) -> html.HtmlElement:
    """Give the page of round 1."""
    return tree(next(iter(round_pages(book(about, *bundles, on=on), TEMPLATES))))


def rows(page: html.HtmlElement) -> Mapping[str, str]:
    """Give the marks of each case in the order of the submissions' names; _ where a cell is empty."""
    names = [words(head) for head in page.cssselect("thead th.sg-slant")]
    found = {}
    for row in page.cssselect("tbody tr[id]"):
        head, *cells = row
        marks = dict(zip(names, (words(cell) or "_" for cell in cells), strict=True))
        found[words(head)] = " ".join(marks[name] for name in sorted(marks))
    return found


def test_the_case_that_fails_most_often_comes_first() -> None:
    page = shown(LISTED, submission("acme", ran(1, "pf")), submission("bolt", ran(1, "ff")))
    assert list(rows(page).items()) == [("c2 save", "✗ ✗"), ("c1 sort", "✓ ✗")]


def test_one_name_for_two_checks_makes_two_rows() -> None:
    first = submission("acme", counted(1, 0, 2), failure(1, "c1", "sort", intent="numbers"))
    second = submission("bolt", counted(1, 0, 2), failure(1, "c1", "sort", intent="words"))
    page = shown(UNLISTED, first, second)
    assert rows(page) == {"c1 sortnumbers": "✗ ?", "c1 sortwords": "? ✗"}
    assert len({row.get("id") for row in page.cssselect("tbody tr")}) == 2


def test_a_case_of_which_only_the_name_is_told_joins_the_one_that_has_it() -> None:
    named = ("c1", "c2")
    failing = submission("acme", ran(1, "fp", case_ids=named), failure(1, "c1", intent="sorts"))
    assert rows(shown(UNLISTED, failing, submission("bolt", ran(1, "pp", case_ids=named)))) == {
        "c1 sortsorts": "✗ ✓",
        "c2": "✓ ✓",
    }


def test_a_name_that_two_checks_share_joins_neither() -> None:
    named = ("c1",)
    first = submission("acme", ran(1, "f", case_ids=named), failure(1, "c1", intent="numbers"))
    second = submission("bolt", ran(1, "f", case_ids=named), failure(1, "c1", intent="words"))
    page = shown(UNLISTED, first, second, submission("crew", ran(1, "p", case_ids=named)))
    assert rows(page)["c1"] == "_ _ ✓"


def test_a_source_that_names_every_failure_tells_what_passed() -> None:
    failing = submission("acme", counted(1, 1, 2), failure(1, "c1"))
    assert rows(shown(UNLISTED, failing, submission("bolt", counted(1, 2, 2)))) == {"c1 sort": "✗ ✓"}


def test_a_source_that_names_some_failures_leaves_the_others_open() -> None:
    failing = submission("acme", counted(1, 1, 2), failure(1, "c1"))
    page = shown(UNLISTED, failing, submission("bolt", counted(1, 0, 2), failure(1, "c2")))
    assert rows(page)["c1 sort"] == "✗ ?"
    assert "1 submission names only some failed cases" in words(page)
    assert "? passed or failed: the source names only some of the failed cases" in words(page)


def test_a_round_that_ran_no_case_shows_its_state() -> None:
    broken = RoundResult("a", 1, 1, "no_cases", 0.0, 0, 0)
    page = shown(LISTED, submission("acme", ran(1, "fp")), submission("bolt", broken))
    assert rows(page) == {"c1 sort": "✗ ⌀", "c2 save": "✓ ⌀"}


def test_of_several_attempts_a_cell_says_in_how_many_a_case_passed() -> None:
    both = submission("acme", ran(1, "fp"), ran(1, "pp", attempt=2))
    page = shown(LISTED, both, on=TWICE)
    assert rows(page) == {"c1 sort": "1/2", "c2 save": "✓"}
    (cell,) = page.cssselect("tbody a.sg-cell")
    assert cell.get("title") == "acme: c1 failed; passed in 1/2 attempts"
    assert str(cell.get("href")).endswith("mini/main/acme/a/#round-1-c1")


def test_a_failed_cell_leads_to_the_attempt_that_failed() -> None:
    both = submission("acme", ran(1, "pp"), ran(1, "fp", attempt=2))
    (cell,) = shown(LISTED, both, on=TWICE).cssselect("tbody a.sg-cell")
    assert str(cell.get("href")).endswith("mini/main/acme/a/#attempt-2-round-1-c1")


def test_a_cell_says_since_when_a_case_fails() -> None:
    two = task(["c1"], ["c1"])
    _, second = round_pages(book(two, submission("acme", ran(1, "p"), ran(2, "f"))), TEMPLATES)
    (cell,) = tree(second).cssselect("tbody a.sg-cell")
    assert cell.get("title") == "acme: c1 failed; regression: passed in round 1, broke in round 2"


def test_a_round_of_which_no_case_is_known_says_so() -> None:
    assert "No single case is known" in words(shown(UNLISTED, submission("acme", counted(1, 1, 2))))
