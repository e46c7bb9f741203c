"""A run's page: every round, every case known, failing first; what broke, what was repaired, what it took."""

from collections.abc import Mapping

import pytest
from kit.rendered_pages import run_pages
from kit.task_cases import TEMPLATES, book, cases, counted, failure, ran, submission, task, tree, words
from lxml import html

from sitegen.models.outcome import Failure, RoundResult, RunFigures
from sitegen.models.results import Bundle
from sitegen.models.task import Task, TaskRound
from sitegen.pages.effort import effort_of

TWO = task(["c1:sort", "c2:sort", "c3:save"], ["c1:sort", "c2:sort", "c3:save"])
UNLISTED = task(None)
WHOLE = {"trajectories": "https://example.org/{task}.json"}
SORTED = {"intent": "sorts", "scenario": "three lines", "expected": "rc 0", "actual": "rc 4", "reason": "rc 4"}


def shown(about: Task, *records: RoundResult | Failure, other_bundles: tuple[Bundle, ...] = ()) -> html.HtmlElement:
    """Give the page of what acme did."""
    return page_of(about, submission("acme", *records), *other_bundles)


def page_of(about: Task, bundle: Bundle, *other_bundles: Bundle) -> html.HtmlElement:
    made = book(about, bundle, *other_bundles)
    entry = next(entry for entry in made.records.board.all_entries if entry.id == bundle.id)
    (page,) = run_pages(made, entry, TEMPLATES)
    return tree(page)


def texts(page: html.HtmlElement, selector: str) -> list[str]:
    return [words(element) for element in page.cssselect(selector)]


def matrix(page: html.HtmlElement) -> Mapping[str, str]:
    """Give the marks of each requirement by round."""
    rows = [[words(cell) for cell in row] for row in page.cssselect(".sg-broken tbody tr")]
    return {name: " ".join(marks) for name, *marks in rows}


def test_every_case_has_a_status_and_an_address() -> None:
    assert cases(shown(TWO, ran(1, "pfs"), ran(2, "epp"))) == {
        "round-1-c2": "failed",
        "round-1-c3": "skipped",
        "round-1-c1": "passed",
        "round-2-c1": "error",
        "round-2-c2": "passed",
        "round-2-c3": "passed",
    }


def test_a_text_that_the_source_cut_says_so() -> None:
    page = shown(UNLISTED, counted(1, 0, 1), failure(1, "c1", reason="it is", truncated=True))
    assert "text truncated by the source" in words(page)


def test_rounds_say_what_they_took_and_the_run_what_they_took_together() -> None:
    first = ran(1, "ppp", interactions=10, output_tokens=1000, cost_usd=0.5, agent_seconds=90, verifier_seconds=30)
    page = shown(TWO, first, ran(2, "ppp", interactions=5, output_tokens=500, cost_usd=0.25, agent_seconds=30))
    took = "10 tool calls · 1,000 output tokens · $0.50 · 1.5 min · 30 s for the check"
    assert texts(page, "#round-1 .sg-facts") == [took]
    assert "15 tool calls · 1,500 output tokens · $0.75 · 2.0 min in total" in words(page)


def test_a_judged_failure_is_told_in_the_words_of_the_benchmark() -> None:
    assert effort_of(ran(1, "pf", mode="stale", turns=3), {"stale": "Left stale"}) == "Failure: Left stale · 3 turns"


def test_a_sum_over_some_of_the_rounds_says_so() -> None:
    page = shown(TWO, ran(1, "ppp", cost_usd=0.5), ran(2, "ppp"))
    assert "$0.50 (in 1 of 2 rounds) in total" in words(page)


def test_one_of_a_thing_is_told_as_one() -> None:
    assert (
        effort_of(ran(1, "pf", interactions=1, turns=1, input_tokens=1), {}) == "1 tool call · 1 turn · 1 input token"
    )


def test_what_is_known_of_a_whole_run_is_shown_where_rounds_do_not_tell() -> None:
    bundle = submission("acme", ran(1, "ppp"), runs=(RunFigures("a", 1, output_tokens=4200, cost_usd=1.0),))
    assert "4,200 output tokens · $1.00 in total" in words(page_of(TWO, bundle))


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
    assert texts(page, "h2[id^='attempt-'] + p") == ["0 of 1 round passed · 2 of 3 cases"] * 2


def test_a_round_without_a_record_is_shown_as_such() -> None:
    assert "no record" in texts(shown(TWO, ran(1, "ppp")), "#round-2 .sg-verdict")[0]


def test_each_round_has_its_anchor_and_a_bar_of_its_cases() -> None:
    page = shown(TWO, ran(1, "ppp"), ran(2, "fpp"))
    assert [section.get("id") for section in page.cssselect("section.sg-round")] == ["round-1", "round-2"]
    cells = page.cssselect(".sg-strip a[data-cell]")
    assert [(cell.get("data-round"), cell.get("href"), words(cell)) for cell in cells] == [
        ("1", "#round-1", "✓1"),
        ("2", "#round-2", "12"),
    ]
    heights = [[float(str(bar.get("height"))[:-1]) for bar in cell.cssselect("rect")] for cell in cells]
    assert heights == [[0.0, 86.0], [28.7, 57.3]]


def test_a_round_without_counts_has_no_bar() -> None:
    page = shown(UNLISTED, RoundResult("a", 1, 1, "aborted", 0.0, 0, 0))
    (cell,) = page.cssselect(".sg-strip a[data-cell]")
    assert words(cell) == "×"
    assert not page.cssselect("svg")
    (_, cell) = shown(TWO, ran(1, "fpp"), RoundResult("a", 1, 2, "aborted", 0.0, 0, 0)).cssselect(
        ".sg-strip a[data-cell]"
    )
    assert words(cell) == "×2"
    assert {str(bar.get("height")) for bar in cell.cssselect("rect")} == {"0.0%"}


def test_what_broke_when_is_counted_by_requirement_what_broke_first_on_top() -> None:
    page = shown(task(["c1:sort", "c2:sort", "c3:save"], *[["c1:sort", "c2:sort", "c3:save"]] * 2),
                 ran(1, "fpp"), ran(2, "ffs"), ran(3, "ppf"))  # fmt: skip
    assert matrix(page) == {"sort": "1 2 ·", "save": "· · 1"}


def test_of_many_requirements_those_stand_open_of_which_most_cases_failed() -> None:
    names = [f"c{n}:r{n}" for n in range(30)]
    page = shown(task(names, names), ran(1, "f" * 26 + "p" * 4), ran(2, "p" * 20 + "f" * 10))
    main, folded_requirements = (texts(table, "tbody th") for table in page.cssselect(".sg-broken"))
    assert (len(main), main[:2]) == (24, ["r0", "r1"])
    assert {f"r{n}" for n in range(20, 26)} <= {*main}
    assert len(folded_requirements) == 6
    assert texts(page, "details > summary")[0] == "6 requirements with fewer failed cases"


def test_a_requirement_counts_what_the_source_states_and_the_rest_is_said() -> None:
    failures = (failure(1, "c1", requirement_failed=30), failure(2, "c1", requirement_failed=35))
    page = shown(task(None, None), counted(1, 1, 36), counted(2, 1, 36), *failures)
    assert matrix(page) == {"sort": "30 35"}
    assert "5 failed cases in round 1 are not shown, because the source does not name the requirement." in words(page)


def test_without_requirements_or_further_rounds_nothing_is_said_of_them() -> None:
    assert not matrix(shown(task(["c1"], ["c1"]), ran(1, "f"), ran(2, "f")))
    assert not matrix(shown(task(["c1:sort"]), ran(1, "f")))


@pytest.mark.parametrize(
    ("before", "after", "change", "trend"),
    [("ppp", "fpp", "1 more than in round 1", "more"), ("ffp", "fpp", "1 fewer than in round 1", "fewer"),
     ("fpp", "ppf", "1 more and 1 fewer than in round 1", None),
     ("fpp", "pfp", "the same number as in round 1", None),
     ("ppp", "ppp", "", None), ("ffp", "ffp", "as in round 1", None)],
)  # fmt: skip
def test_a_round_says_how_failures_changed(before: str, after: str, change: str, trend: str | None) -> None:
    page = shown(TWO, ran(1, before), ran(2, after))
    assert texts(page, "#round-2 .sg-since") == [change] * bool(change)
    assert [since.get("data-trend") for since in page.cssselect("#round-2 .sg-since")] == [trend] * bool(change)


def test_failures_among_other_numbers_of_cases_are_called_neither_more_nor_fewer() -> None:
    page = shown(task(["c1"], ["c1", "c2", "c3"]), ran(1, "p"), ran(2, "fff"))
    (since,) = page.cssselect("#round-2 .sg-since")
    assert (since.text, since.get("data-trend")) == ("round 1: 0 of 1 failed", None)


def test_rounds_that_fail_alike_point_back_to_the_first_of_them() -> None:
    page = shown(task(*[["c1:sort"]] * 3), *(ran(number, "f") for number in (1, 2, 3)))
    assert [link.get("href") for link in page.cssselect("a.sg-since")] == ["#round-1", "#round-1"]


def test_as_many_failures_of_which_not_all_are_named_are_not_called_the_same() -> None:
    failures = (failure(1, "c1", intent="sorts"), failure(2, "c1", intent="saves"))
    page = shown(task(None, None), counted(1, 0, 9), counted(2, 0, 9), *failures)
    assert texts(page, "#round-2 .sg-since") == ["the same number as in round 1"]


def test_a_failed_case_says_all_that_is_known_of_it_once() -> None:
    page = shown(TWO, ran(1, "fpp"), failure(1, "c1", **SORTED))
    assert texts(page, "#round-1-c1 > p") == ["c1 sort: sorts"]
    assert texts(page, "#round-1-c1 dt") == ["Scenario", "Expected", "Actual, reason"]
    assert texts(page, "#round-1-c1 dd") == ["three lines", "rc 0", "rc 4"]


def test_failed_cases_stand_by_their_reason_which_is_told_once() -> None:
    reasons = {"c1": "rc 4", "c2": "rc 4", "c3": "rc 1", "c4": "rc 2"}
    failures = [failure(1, case, f"r-{case}", intent=case, reason=reason) for case, reason in reasons.items()]
    page = shown(UNLISTED, counted(1, 0, 5), *failures, failure(1, "c5", "save"))
    assert texts(page, "#round-1 details details > summary") == [
        "rc 4 2 cases: r-c1, r-c2",
        "Other reasons 2 cases: r-c3, r-c4",
    ]
    assert [details.get("open") is not None for details in page.cssselect("#round-1 details")] == [True, True, False]
    assert not page.cssselect("#round-1-c1 dd")
    assert texts(page, "#round-1-c3 dd") == ["rc 1"]
    assert texts(page, "#round-1 p.sg-names") == ["save 1 failed: c5"]


def test_what_failed_the_same_way_in_the_round_before_is_told_there() -> None:
    failures = [failure(number, f"c{number}", **SORTED) for number in (1, 2)]
    page = shown(task(None, None), counted(1, 0, 1), counted(2, 0, 1), *failures)
    (case,) = page.cssselect("#round-2-c2")
    assert (case.tag, case.get("href"), case.get("data-status")) == ("a", "#round-1-c1", "failed")
    assert words(page).count("three lines") == 1


def test_of_another_attempt_all_is_told() -> None:
    failures = [failure(1, "c1", attempt=attempt, **SORTED) for attempt in (1, 2)]
    page = shown(UNLISTED, counted(1, 0, 1), counted(1, 0, 1, attempt=2), *failures)
    assert len(page.cssselect("article[data-case]")) == 2


def test_a_page_says_how_much_of_what_failed_the_source_names() -> None:
    page = shown(UNLISTED, counted(1, 1, 36), failure(1, "c1", requirement_failed=30))
    assert texts(page, "#round-1 summary") == ["1 of 35 failed cases listed"]
    assert texts(page, "#round-1 p.sg-names") == ["sort 1 of 30 failed cases listed: c1"]
    assert "The source names none of them." in words(shown(UNLISTED, counted(1, 1, 36)))


def test_a_regression_names_the_round_that_broke_it() -> None:
    page = shown(TWO, ran(1, "ppp"), ran(2, "fpp"))
    (case,) = page.cssselect("[data-regression]")
    assert (case.get("id"), case.get("title")) == ("round-2-c1", "regression: passed in round 1, broke in round 2")


def test_a_turn_behind_rounds_that_do_not_tell_may_have_come_in_one_of_them() -> None:
    page = shown(task(["c1"], None, ["c1"]), ran(1, "p"), counted(2, 0, 1), ran(3, "f"))
    (case,) = page.cssselect("[data-regression]")
    assert case.get("title") == "regression: passed in round 1, broke in round 3 or earlier"


def test_what_broke_and_was_mended_and_broke_again_is_told_with_its_last_turn() -> None:
    page = shown(task(*[["c1"]] * 4), *(ran(number, letter) for number, letter in enumerate("pfpf", start=1)))
    titles_by_case = {case.get("id"): case.get("title") for case in page.cssselect("[data-regression]")}
    assert titles_by_case == {
        "round-2-c1": "regression: passed in round 1, broke in round 2",
        "round-4-c1": "regression: passed in round 3, broke in round 4",
    }


def test_another_submission_changes_no_page_of_a_run() -> None:
    """Nothing that a run's page says comes from others: neither its text nor its card's."""
    acme = submission("acme", ran(1, "ppp"), ran(2, "fpp"), failure(2, "c1", **SORTED))
    other_submissions = (
        submission("bolt", ran(1, "fpp"), ran(2, "fff")),
        submission("crew", ran(1, "ppps"), ran(2, "ppp")),
    )
    alone, together = book(TWO, acme), book(TWO, acme, *other_submissions)
    page_lists = [[run_pages(made, entry, TEMPLATES) for entry in made.records.board.entries if entry.id == "acme"]
             for made in (alone, together)]  # fmt: skip
    assert page_lists[0] == page_lists[1]
    assert page_lists[0] != []


def test_the_way_to_what_the_agent_did_leads_to_the_round_also_in_a_transcript_of_all() -> None:
    bundle = submission(
        "acme", ran(1, "ppp"), ran(2, "fpp"), provenance={"trajectories": "https://example.org/{task}.json"}
    )
    (trajectory_link,) = page_of(TWO, bundle).cssselect("#round-2 .sg-facts a[href*='trajectory']")
    assert str(trajectory_link.get("href")).endswith("mini/main/acme/tasks/trajectory/?task=a&attempt=1&round=2")


def test_a_failed_case_leads_to_what_the_agent_did_in_its_round() -> None:
    bundle = submission("acme", ran(1, "fpp"), failure(1, "c1", **SORTED), provenance=WHOLE)
    (trajectory_link,) = page_of(TWO, bundle).cssselect("#round-1-c1 a[href*='trajectory']")
    assert str(trajectory_link.get("href")).endswith("?task=a&attempt=1&round=1")


def test_what_was_asked_is_said_in_a_line_without_markup() -> None:
    about = Task("a", (TaskRound(1, title="Add a `--json` flag to **every** command. Then test it."), TaskRound(2)))
    page = shown(about, counted(1, 1, 1), counted(2, 1, 1))
    assert texts(page, ".sg-round h3") == ["Round 1 Add a --json flag to every command", "Round 2"]


def test_a_run_says_where_the_source_names_failed_cases_without_a_reason() -> None:
    silent = shown(TWO, ran(1, "fpp"))
    (note,) = silent.cssselect("[data-unexplained]")
    assert words(note) == "The source names the failed cases, but not why they failed. Records as submitted"
    explained_page = shown(TWO, ran(1, "fpp"), failure(1, "c1", **SORTED))
    assert not explained_page.cssselect("[data-unexplained]")
