"""How many cases a round usually has and skips, and from how many submissions on that is said."""

import pytest
from kit.boards import bundle

from sitegen.board.usual import usual_skips, usual_totals
from sitegen.models.outcome import RoundResult
from sitegen.models.results import Bundle


def submission(name: str, *totals: int, skipped: int = 0) -> Bundle:
    """Return a submission with one attempt at one round for each number of cases."""
    round_results = []
    for attempt, total in enumerate(totals, start=1):
        round_results.append(RoundResult("a", attempt, 1, "scored", 1.0, total - skipped, total, skipped=skipped))
    return bundle(name, found=round_results)


@pytest.mark.parametrize(("other_count", "usual"), [(2, {}), (3, {("a", 1): 40})])
def test_three_others_say_how_many_cases_a_round_has(other_count: int, usual: object) -> None:
    bundles = [submission("short", 20), *(submission(f"other-{number}", 40) for number in range(other_count))]
    assert usual_totals(bundles) == usual


@pytest.mark.parametrize(("other_count", "usual"), [(2, {}), (3, {("a", 1): 0})])
def test_three_others_say_how_many_cases_a_round_skips(other_count: int, usual: object) -> None:
    skipping = submission("skipping", 40, skipped=30)
    bundles = [skipping, *(submission(f"other-{number}", 40) for number in range(other_count))]
    assert usual_skips(bundles) == usual


def test_several_attempts_of_one_submission_say_nothing_of_others() -> None:
    """Four attempts that all skip most cases would otherwise make that usual."""
    assert usual_skips([submission("skipping", 40, 40, 40, 40, skipped=39)]) == {}
    assert usual_totals([submission("short", 20, 20, 20)]) == {}


def test_no_number_of_cases_is_usual_unless_most_records_have_it() -> None:
    bundles = [submission(f"long-{number}", 40) for number in range(3)]
    bundles += [submission(f"short-{number}", 20) for number in range(3)]
    assert usual_totals(bundles) == {}
    assert usual_totals([*bundles, submission("long", 40)]) == {("a", 1): 40}


def test_rounds_that_nobody_skips_a_case_of_have_no_usual_skips() -> None:
    assert usual_skips([submission(f"other-{number}", 40) for number in range(5)]) == {}
