"""A run's page: every round, every case known, failing first; what broke, what was repaired, what it took."""

from collections.abc import Mapping

from casebooks import TEMPLATES, book, cases, counted, failure, ran, submission, task, tree, words
from lxml import html
from rendered import run_pages

from sitegen.models.outcome import Failure, RoundResult, RunFigures
from sitegen.models.results import Bundle
from sitegen.models.task import Task

TWO = task(["c1:sort", "c2:sort", "c3:save"], ["c1:sort", "c2:sort", "c3:save"])
UNLISTED = task(None)
SORTED = {"intent": "sorts", "scenario": "three lines", "expected": "rc 0", "actual": "rc 4", "reason": "rc 4"}


def shown(about: Task, *told: RoundResult | Failure, others: tuple[Bundle, ...] = ()) -> html.HtmlElement:
    """Give the page of what acme did."""
    return page_of(about, submission("acme", *told), *others)


def page_of(about: Task, bundle: Bundle, *others: Bundle) -> html.HtmlElement:
    made = book(about, bundle, *others)
    entry = next(each for each in made.records.board.all_entries if each.id == bundle.id)
    (page,) = run_pages(made, entry, TEMPLATES)
    return tree(page)


def texts(page: html.HtmlElement, selector: str) -> list[str]:
    return [words(each) for each in page.cssselect(selector)]


def marked(page: html.HtmlElement, name: str) -> Mapping[str, str]:
    """Give the round that a case turned in, by the case's anchor."""
    return {str(each.get("id")): str(each.get(f"data-{name}")) for each in page.cssselect(f"[data-{name}]")}


def test_every_case_has_a_status_and_an_address() -> None:
    assert cases(shown(TWO, ran(1, "pfs"), ran(2, "epp"))) == {
        "round-1-c2": "failed",
        "round-1-c3": "skipped",
        "round-1-c1": "passed",
        "round-2-c1": "error",
        "round-2-c2": "passed",
        "round-2-c3": "passed",
    }


def test_each_round_has_its_anchor_and_a_cell_in_the_strip() -> None:
    page = shown(TWO, ran(1, "ppp"), ran(2, "fpp"))
    assert [each.get("id") for each in page.cssselect("section.sg-round")] == ["round-1", "round-2"]
    cells = page.cssselect(".sg-strip a[data-cell]")
    assert [(cell.get("data-round"), cell.text) for cell in cells] == [("1", "✓"), ("2", "66")]


def test_a_failed_case_says_all_that_is_known_of_it_once() -> None:
    page = shown(TWO, ran(1, "fpp"), failure(1, "c1", **SORTED))
    assert texts(page, "#round-1-c1 > p") == ["✗ c1 sorts failed"]
    assert texts(page, "#round-1-c1 dt") == ["Scenario", "Expected", "Actual, reason"]
    assert texts(page, "#round-1-c1 dd") == ["three lines", "rc 0", "rc 4"]


def test_cases_stand_by_requirement_that_which_failed_most_first() -> None:
    often = (failure(1, f"c{n}", "often", reason="rc 4") for n in (2, 3))
    page = shown(UNLISTED, counted(1, 0, 3), failure(1, "c1", "rare", reason="rc 4"), *often)
    assert texts(page, "details.sg-group > summary") == ["often 2 failed", "rare 1 failed"]


def test_a_page_says_how_much_of_what_failed_the_source_names() -> None:
    page = shown(UNLISTED, counted(1, 1, 36), failure(1, "c1", reason="rc 4", requirement_failed=30))
    assert texts(page, "details.sg-group > summary") == ["sort 1 of 30 failed cases shown"]
    assert "1 of 35 failed cases shown: the source names no more." in words(page)


def test_that_no_text_is_known_is_said_once_for_all_cases_that_stand_together() -> None:
    page = shown(TWO, ran(1, "ffp"), ran(2, "ffp"), failure(2, "c1", reason="rc 4"))
    assert texts(page, "#round-1 details[open] > summary") == ["sort 2 failed, no text known"]
    assert texts(page, "#round-2 details[open] > summary") == ["sort 2 failed"]
    assert [each.get("id") for each in page.cssselect(".sg-case") if "No text is known of it." in words(each)] == [
        "round-2-c2"
    ]


def test_a_text_that_the_source_cut_says_so() -> None:
    page = shown(UNLISTED, counted(1, 0, 1), failure(1, "c1", reason="it is", truncated=True))
    assert "the source cut a text here" in words(page)


def test_a_regression_names_the_round_that_broke_it() -> None:
    page = shown(TWO, ran(1, "ppp"), ran(2, "fpp"))
    assert marked(page, "regression") == {"round-2-c1": "2"}
    assert texts(page, "#round-2-c1 em") == ["regression: passed in round 1, broke in round 2"]
    assert texts(page, ".sg-turned") == ["↘ 1 case broke here, having passed before: c1"]


def test_a_repair_names_the_round_that_repaired_it() -> None:
    page = shown(TWO, ran(1, "fpp"), ran(2, "ppp"))
    assert marked(page, "repaired") == {"round-2-c1": "2"}
    assert texts(page, "#round-2-c1") == ["✓ c1 (failed in round 1, repaired in round 2)"]
    (way,) = page.cssselect(".sg-turned a")
    assert str(way.get("href")).endswith("#round-1-c1")


def test_what_broke_earlier_and_fails_still_is_counted() -> None:
    three = task(*[["c1:sort", "c2:sort"]] * 3)
    page = shown(three, ran(1, "pp"), ran(2, "ff"), ran(3, "fp"))
    assert texts(page, "#round-3 .sg-turned--broke") == ["↘ 1 case broke in an earlier round and still fails"]


def test_a_turn_behind_rounds_that_do_not_tell_may_have_come_in_one_of_them() -> None:
    three = task(["c1"], None, ["c1"])
    page = shown(three, ran(1, "p"), counted(2, 0, 1), ran(3, "f"))
    assert texts(page, "#round-3-c1 em") == ["regression: passed in round 1, broke in round 3 or before"]


def test_a_case_leads_to_the_same_one_in_all_submissions() -> None:
    page = shown(TWO, ran(1, "fpp"), others=(submission("bolt", ran(1, "fpp")), submission("crew", ran(1, "ppp"))))
    (way,) = page.cssselect("#round-1-c1 > p > a:not([href^='#'])")
    assert way.text == "fails for 2 of 3"
    assert str(way.get("href")).endswith("mini/main/tasks/a/1/#case-c1")


def test_a_case_that_nobody_else_tells_of_is_compared_with_nobody() -> None:
    assert "fails for" not in words(shown(TWO, ran(1, "fpp")))


def test_rounds_say_what_they_took_and_the_run_what_they_took_together() -> None:
    first = ran(1, "ppp", interactions=10, output_tokens=1000, cost_usd=0.5, agent_seconds=90, verifier_seconds=30)
    page = shown(TWO, first, ran(2, "ppp", interactions=5, output_tokens=500, cost_usd=0.25, agent_seconds=30))
    took = "10 tool calls · 1,000 output tokens · $0.50 · 1.5 min · 0.5 min to check"
    assert texts(page, "#round-1 .sg-facts") == [took]
    assert "In all: 15 tool calls · 1,500 output tokens · $0.75 · 2.0 min" in words(page)


def test_a_sum_over_some_of_the_rounds_says_so() -> None:
    page = shown(TWO, ran(1, "ppp", cost_usd=0.5), ran(2, "ppp"))
    assert "In all: $0.50 (in the 1 round of 2 that tell)" in words(page)


def test_what_is_known_of_a_whole_run_is_shown_where_rounds_do_not_tell() -> None:
    bundle = submission("acme", ran(1, "ppp"), runs=(RunFigures("a", 1, output_tokens=4200, cost_usd=1.0),))
    assert "In all: 4,200 output tokens · $1.00" in words(page_of(TWO, bundle))


def test_the_trajectory_is_led_to() -> None:
    pattern = "https://example.org/runs/{task}/{attempt}.json"
    bundle = submission("acme", ran(1, "ppp"), provenance={"trajectories": pattern})
    (link,) = page_of(TWO, bundle).cssselect("a[href^='https:']")
    assert link.get("href") == "https://example.org/runs/a/1.json"


def test_a_trajectory_that_is_not_on_the_web_is_named_and_not_linked() -> None:
    bundle = submission("acme", ran(1, "ppp"), provenance={"trajectories": "javascript:alert(1)"})
    page = page_of(TWO, bundle)
    assert "Trajectory: javascript:alert(1)" in words(page)
    assert not page.cssselect("a[href^='javascript']")


def test_what_a_case_says_is_never_markup() -> None:
    page = shown(UNLISTED, counted(1, 0, 1), failure(1, "<b>c1</b>", reason="<script>alert(1)</script>\x1b[31m"))
    assert not page.cssselect("article script, article b")
    assert "<script>alert(1)</script>␛[31m" in words(page)


def test_attempts_have_anchors_of_their_own() -> None:
    page = shown(TWO, ran(1, "fpp"), ran(1, "ppf", attempt=2))
    assert {"round-1-c1": "failed", "attempt-2-round-1-c3": "failed"}.items() <= cases(page).items()
    assert "Attempt 1: 0 of 1 round passed; attempt 2: 0 of 1 round passed" in words(page)


def test_a_round_without_a_record_is_shown_as_such() -> None:
    assert "no record" in texts(shown(TWO, ran(1, "ppp")), "#round-2 .sg-verdict")[0]
