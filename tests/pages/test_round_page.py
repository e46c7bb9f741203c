"""A round's page: the same case in every submission, and what is not known said as such."""

from collections.abc import Mapping

from kit.boards import track
from kit.rendered_pages import round_pages
from kit.task_cases import TEMPLATES, book, counted, failure, ran, submission, task, tree, words
from lxml import html

from sitegen.models.benchmark import Track
from sitegen.models.outcome import RoundResult
from sitegen.models.results import Bundle
from sitegen.models.task import Task, TaskRound

LISTED = task(["c1:sort", "c2:save"])
UNLISTED = task(None)
TWICE = track(attempts=2, protocol="fail-stop", headline="mt_at_k", columns=("mt_at_k",))


def shown(about: Task, *bundles: Bundle, on: Track | None = None) -> html.HtmlElement:
    """Give the page of round 1."""
    return tree(next(iter(round_pages(book(about, *bundles, on=on), TEMPLATES))))


def rows(page: html.HtmlElement) -> Mapping[str, str]:
    """Give the marks of each case in the order of the submissions' names; _ where a cell is empty."""
    names = [words(head) for head in page.cssselect("thead th.sg-slant")]
    marks_by_case = {}
    for row in page.cssselect("tbody tr[id]"):
        head, *cells = row
        marks = dict(zip(names, (words(cell) or "_" for cell in cells), strict=True))
        marks_by_case[words(head)] = " ".join(marks[name] for name in sorted(marks))
    return marks_by_case


def folded(page: html.HtmlElement) -> Mapping[str, list[str]]:
    """Give the names of the cases that stand below the table, by what is said of them together."""
    return {
        words(details.cssselect("summary")[0]): [words(case) for case in details.cssselect("[id^='case-']")]
        for details in page.cssselect("details:has(.sg-names)")
    }


WHOLE = submission("whole", counted(1, 2, 2))
"""Passed every case of round 1."""


def test_the_case_that_tells_most_pairs_of_agents_apart_comes_first() -> None:
    outcomes_by_agent = {"acme": "ffp", "bolt": "fpp", "crew": "ppp", "dirt": "fff"}
    page = shown(
        task(["c1", "c2", "c3"]), *(submission(name, ran(1, letters)) for name, letters in outcomes_by_agent.items())
    )
    assert list(rows(page).items()) == [("c2", "✗ ✓ ✓ ✗"), ("c1", "✗ ✗ ✓ ✗"), ("c3", "✓ ✓ ✓ ✗")]


def test_cases_that_end_one_way_for_all_are_counted_and_named_below() -> None:
    page = shown(task(["c1:sort", "c2", "c3"]), submission("acme", ran(1, "fpf")), submission("bolt", ran(1, "fpp")))
    assert list(rows(page)) == ["c3"]
    assert folded(page) == {
        "1 case that failed in all 2 attempts that report it": ["c1 sort"],
        "1 case without a known failure": ["c2"],
    }
    assert "3 cases are named; 1 of them passed in some attempts and failed in others." in words(page)
    (failed,) = page.cssselect("a#case-c1")
    assert str(failed.get("href")).endswith("mini/main/acme/a/#round-1-c1")
    assert [page.cssselect(f"#case-{name}")[0].get("data-status") for name in ("c1", "c2")] == ["failed", "passed"]


def test_where_no_case_tells_agents_apart_the_page_says_so() -> None:
    page = shown(LISTED, submission("acme", ran(1, "pp")), submission("bolt", ran(1, "pp")))
    assert not rows(page)
    assert "No named case passed in some attempts and failed in others." in words(page)


def test_who_passed_is_named() -> None:
    page = shown(LISTED, submission("acme", ran(1, "pp")), submission("bolt", ran(1, "fp")), WHOLE)
    assert words(page.cssselect("[data-outcome=passed]")[0]) == "Passed by acme and whole."
    assert not shown(LISTED, submission("bolt", ran(1, "fp"))).cssselect("[data-outcome]")


def test_what_was_asked_is_shown_or_led_to() -> None:
    asked = Task("a", (TaskRound(1, title="# Add `sort`. Then test.", instruction="# Add `sort`. Then test it well."),))
    page = shown(asked, WHOLE)
    assert words(page.cssselect(".sg-lead")[0]) == "Add sort"
    assert page.cssselect("[data-asked] pre")[0].text == "# Add `sort`. Then test it well."
    page = shown(Task("a", (TaskRound(1),), url="https://example.org/a"), WHOLE)
    assert [words(link) for link in page.cssselect("a[href='https://example.org/a']")] == [
        "The instruction, at its source"
    ]


def test_one_name_for_two_checks_makes_two_rows() -> None:
    first = submission("acme", counted(1, 0, 2), failure(1, "c1", "sort", intent="numbers"))
    second = submission("bolt", counted(1, 0, 2), failure(1, "c1", "sort", intent="words"))
    page = shown(UNLISTED, first, second, WHOLE)
    assert rows(page) == {"c1 sortnumbers": "✗ ? ✓", "c1 sortwords": "? ✗ ✓"}
    assert len({row.get("id") for row in page.cssselect("tbody tr")}) == 2


def test_a_case_of_which_only_the_name_is_told_joins_the_one_that_has_it() -> None:
    named = ("c1", "c2")
    failing = submission("acme", ran(1, "fp", case_ids=named), failure(1, "c1", intent="sorts"))
    page = shown(UNLISTED, failing, submission("bolt", ran(1, "pp", case_ids=named)))
    assert rows(page) == {"c1 sortsorts": "✗ ✓"}


def test_a_name_that_two_checks_share_joins_neither() -> None:
    named = ("c1",)
    first = submission("acme", ran(1, "f", case_ids=named), failure(1, "c1", intent="numbers"))
    second = submission("bolt", ran(1, "f", case_ids=named), failure(1, "c1", intent="words"))
    page = shown(UNLISTED, first, second, submission("crew", ran(1, "p", case_ids=named)))
    assert folded(page) == {
        "2 cases that failed in the only attempt that reports them": ["c1 sort", "c1 sort"],
        "1 case without a known failure": ["c1"],
    }


def test_a_source_that_names_every_failure_tells_what_passed() -> None:
    failing = submission("acme", counted(1, 1, 2), failure(1, "c1"))
    assert rows(shown(UNLISTED, failing, submission("bolt", counted(1, 2, 2)))) == {"c1 sort": "✗ ✓"}


def test_a_source_that_names_some_failures_leaves_the_others_open() -> None:
    failing = submission("acme", counted(1, 1, 2), failure(1, "c1"))
    page = shown(UNLISTED, failing, submission("bolt", counted(1, 0, 2), failure(1, "c2")), WHOLE)
    assert rows(page)["c1 sort"] == "✗ ? ✓"
    assert "1 submission names only some of the failed cases" in words(page)
    assert "? unknown: the source names only some of the failed cases" in words(page)


def test_a_round_that_ran_no_case_shows_its_state() -> None:
    broken = RoundResult("a", 1, 1, "no_cases", 0.0, 0, 0)
    page = shown(LISTED, submission("acme", ran(1, "fp")), submission("bolt", broken), WHOLE)
    assert rows(page) == {"c1 sort": "✗ ⌀ ✓"}


def test_of_several_attempts_a_cell_says_in_how_many_a_case_passed() -> None:
    two_attempts = submission("acme", ran(1, "fp"), ran(1, "pp", attempt=2))
    page = shown(LISTED, two_attempts, on=TWICE)
    assert rows(page) == {"c1 sort": "1/2"}
    (cell,) = page.cssselect("tbody td > a")
    assert cell.get("title") == "failed; passed in 1/2 attempts"
    assert str(cell.get("href")).endswith("mini/main/acme/a/#round-1-c1")


def test_a_failed_cell_leads_to_the_attempt_that_failed() -> None:
    two_attempts = submission("acme", ran(1, "pp"), ran(1, "fp", attempt=2))
    (cell,) = shown(LISTED, two_attempts, on=TWICE).cssselect("tbody td > a")
    assert str(cell.get("href")).endswith("mini/main/acme/a/#attempt-2-round-1-c1")


def test_rows_columns_and_the_legend_say_what_a_cell_does_not_repeat() -> None:
    page = shown(LISTED, submission("acme", ran(1, "fp")), submission("bolt", ran(1, "pp")))
    (failed,) = page.cssselect("td[data-case=c1][data-status=failed]")
    (link,) = failed
    assert (failed.attrib.keys(), link.attrib.keys(), link.text) == (["data-case", "data-status"], ["href"], "✗")
    assert "✗ failed" in words(page.cssselect(".sg-legend")[0])
    row = failed.getparent()
    column = row.index(failed)
    heads = page.cssselect("thead tr:first-child th[scope=col]")
    assert (words(row[0]), row[0].get("scope"), words(heads[column])) == ("c1 sort", "row", "acme")


def test_a_cell_says_since_when_a_case_fails() -> None:
    two = task(["c1"], ["c1"])
    submissions = (submission(name, ran(1, "p"), ran(2, letter)) for name, letter in (("acme", "f"), ("bolt", "p")))
    _, second = round_pages(book(two, *submissions), TEMPLATES)
    (cell,) = tree(second).cssselect("tbody td > a")
    assert cell.get("title") == "regression: passed in round 1, broke in round 2"


def test_a_round_of_which_no_case_is_known_says_so() -> None:
    assert "No cases are named" in words(shown(UNLISTED, submission("acme", counted(1, 1, 2))))
