"""The hardest parts of a task: shares as k of n, and everybody means everybody who tells."""

from kit.boards import track
from kit.rendered_pages import task_page
from kit.task_cases import TEMPLATES, book, counted, failure, ran, submission, task, tree, words

from sitegen.models.outcome import RoundResult
from sitegen.pages.kinds.tasks import Hardest
from sitegen.pages.records import TaskCases

ONE = task(["c1:sort", "c2:save"])
TWO = task(["c1:sort", "c2:save"], ["c1:sort", "c2:save"])
UNLISTED = task(None)


def requirements(made: TaskCases) -> dict[str, str]:
    counts = {}
    for hardest in Hardest(made).requirements:
        rounds = f"{hardest.rounds_failed}/{hardest.rounds}"
        counts[hardest.title] = f"{hardest.failed}/{hardest.attempts} {rounds}"
    return counts


def everybody(made: TaskCases) -> dict[str, str]:
    cases = Hardest(made).cases
    return {case.case: f"{' '.join(n.title for n in case.rounds)}: {case.failed}/{case.ran}" for case in cases}


def test_a_requirement_counts_once_an_attempt() -> None:
    acme = submission("acme", ran(1, "fp"), ran(2, "fp"))
    made = book(TWO, acme, submission("bolt", ran(1, "ff"), ran(2, "pp")))
    assert requirements(made) == {"sort": "2/2 3/4", "save": "1/2 1/4"}


def test_each_attempt_counts() -> None:
    two_attempts = submission("acme", ran(1, "fp"), ran(1, "pp", attempt=2))
    assert requirements(book(ONE, two_attempts, on=track(attempts=2))) == {"sort": "1/2 1/2"}


def test_an_attempt_counts_where_it_got_to_a_round_that_checks_the_requirement() -> None:
    late = task(["c1:sort"], ["c1:sort", "c2:save"])
    unreached = RoundResult("a", 1, 2, "unreached", 0.0, 0, 0)
    acme, bolt = submission("acme", ran(1, "p"), ran(2, "pf")), submission("bolt", ran(1, "f"), unreached)
    crew = submission("crew", ran(1, "p"), ran(2, "pp"))
    assert requirements(book(late, acme, bolt, crew)) == {"save": "1/2 1/2", "sort": "1/3 1/5"}


def test_a_requirement_that_never_failed_is_not_hard() -> None:
    assert requirements(book(ONE, submission("acme", ran(1, "pp")), submission("bolt", ran(1, "pp")))) == {}


def test_one_attempt_is_no_share() -> None:
    assert requirements(book(ONE, submission("acme", ran(1, "ff")))) == {}


def test_where_sources_name_some_failures_the_counts_are_least_ones() -> None:
    sample = submission("acme", counted(1, 0, 2), failure(1, "c1"))
    assert Hardest(book(UNLISTED, sample)).is_partial
    assert not Hardest(book(ONE, submission("acme", ran(1, "ff")))).is_partial


def test_a_round_that_nobody_passed_says_how_far_the_best_got() -> None:
    made = book(TWO, submission("acme", ran(1, "fp"), ran(2, "ff")), submission("bolt", ran(1, "pp"), ran(2, "fp")))
    assert [
        (round_result.round.title, round_result.reached, round_result.best) for round_result in Hardest(made).rounds
    ] == [("Round 2", 2, "1 of 2 cases: bolt")]


def test_a_round_that_one_submission_reached_was_not_failed_by_everybody() -> None:
    unreached = RoundResult("a", 1, 1, "unreached", 0.0, 0, 0)
    assert Hardest(book(ONE, submission("acme", ran(1, "ff")), submission("bolt", unreached))).rounds == []


def test_a_case_that_everybody_failed_is_found_with_its_rounds() -> None:
    made = book(TWO, submission("acme", ran(1, "fp"), ran(2, "fp")), submission("bolt", ran(1, "ff"), ran(2, "fp")))
    assert everybody(made) == {"c1": "1 2: 4/4"}


def test_a_case_that_most_do_not_tell_of_is_no_case_that_everybody_failed() -> None:
    """Two of five fail it; of the others nothing is known."""
    telling = [submission(name, counted(1, 0, 2), failure(1, "c1")) for name in ("acme", "bolt")]
    silent = [submission(name, counted(1, 0, 2), failure(1, "c2")) for name in ("crew", "dyad", "echo")]
    assert list(everybody(book(UNLISTED, *telling, *silent))) == ["c2"]


def test_the_page_of_a_task_shows_them_as_a_hint() -> None:
    made = book(ONE, submission("acme", ran(1, "fp")), submission("bolt", ran(1, "fp")))
    page = tree(task_page(made, TEMPLATES))
    assert [table.get("data-hardest") for table in page.cssselect("[data-hardest]")] == [
        "rounds",
        "requirements",
        "cases",
    ]
    assert "check them before you draw conclusions" in words(page)


def test_a_task_without_cases_shows_nothing_of_the_kind() -> None:
    page = tree(task_page(book(UNLISTED, submission("acme", counted(1, 2, 2))), TEMPLATES))
    assert not page.cssselect("#hardest")
