"""Figures far from what a board has seen."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
from kit.boards import board, bundle, row, table
from kit.result_grids import records
from kit.similar_submissions import CASES, drawn, each, ending, entered, others

from sitegen.board.outliers import outlier_problems
from sitegen.models.outcome import RunFigures
from sitegen.models.results import Arrivals, Bundle
from sitegen.problems import Problem

LATER = date(2026, 7, 1)
BEFORE = (42, 45, 47, 50, 52, 55, 58, 60)


def passing(name: str, share: int, **facts: Any) -> Bundle:  # noqa: ANN401 - any field of a manifest
    """Make a submission that passes so many of 100 rounds."""
    return bundle(name, "#" * share + "." * (100 - share), **facts)


def history(scores: Sequence[int] = BEFORE) -> list[Bundle]:
    """Make submissions of one day after another."""
    days = (date(2026, 6, 1) + timedelta(number) for number in range(len(scores)))
    return [
        passing(f"m-{number}", score, date=day) for number, (score, day) in enumerate(zip(scores, days, strict=True))
    ]


def scored(*bundles: Bundle) -> list[Problem]:
    return list(outlier_problems(board(*bundles, rounds=(100,))))


def told(*bundles: Bundle) -> list[tuple[str, str]]:
    """Give the code of each problem, with the submission that it is told of."""
    return [(problem.code, problem.path.parent.name) for problem in outlier_problems(entered(*bundles))]


@pytest.mark.parametrize(("share", "side"), [(99, "above"), (2, "below")])
def test_a_score_far_from_all_before_it_is_told(share: int, side: str) -> None:
    (problem,) = scored(*history(), passing("new", share, date=LATER))
    assert (problem.code, problem.severity, problem.path.parts[-2:]) == (
        "SCORE-UNUSUAL",
        "warning",
        ("new", "submission.toml"),
    )
    assert f"{side} the median (51.0) of the 8 earlier scores, which range from 42.0 to 60.0" in problem.what


@pytest.mark.parametrize("share", [20, 40, 75])
def test_a_score_somewhat_better_or_worse_is_none_of_this(share: int) -> None:
    assert scored(*history(), passing("new", share, date=LATER)) == []


def test_a_made_up_date_hides_no_score() -> None:
    for day in (date(2020, 1, 1), LATER):
        assert [problem.code for problem in scored(*history(), passing("odd", 99, date=day))] == ["SCORE-UNUSUAL"]


@pytest.mark.parametrize(
    "arrivals",
    [
        Arrivals({"odd": (0,), **{f"m-{number}": (1,) for number in range(8)}}),
        Arrivals(released={"odd": 0, **{f"m-{number}": 0 for number in range(8)}}),
    ],
)
def test_what_came_later_or_was_released_with_it_is_no_history(arrivals: Arrivals) -> None:
    made = board(*history(), passing("odd", 99), rounds=(100,))
    assert list(outlier_problems(replace(made, results=replace(made.results, arrivals=arrivals)))) == []


def test_seven_scores_are_no_history() -> None:
    assert scored(*history(BEFORE[:7]), passing("new", 99, date=LATER)) == []


def test_scores_that_lie_close_together_do_not_make_their_neighbour_odd() -> None:
    assert scored(*history([50] * 8), passing("new", 60, date=LATER)) == []


def test_reported_scores_are_history_too() -> None:
    printed = table(*(row(f"r-{number}", f"{share}.0") for number, share in enumerate(BEFORE)), date=date(2026, 6, 1))
    made = board(passing("new", 99, date=LATER), rounds=(100,), tables=[printed])
    assert [problem.code for problem in outlier_problems(made)] == ["SCORE-UNUSUAL"]


def spent(name: str, seed: int, factor: float, **facts: Any) -> Bundle:  # noqa: ANN401 - any field of a record
    """Make a submission whose rounds take some seconds each, the first one what is said."""
    made = [replace(record, agent_seconds=(100 + record.round) * factor) for record in drawn(seed)]
    return bundle(name, found=[replace(made[0], **facts), *made[1:]])


def test_seconds_that_are_milliseconds_are_told_once() -> None:
    fair = [spent(f"m-{seed}", seed, 1) for seed in range(5)]
    (problem,) = outlier_problems(entered(*fair, spent("odd", 9, 1000)))
    assert (problem.code, problem.line, problem.path.parts[-2:]) == ("EFFORT-UNUSUAL", 1, ("odd", "rounds.jsonl"))
    assert problem.what == "the median of `agent_seconds` is 120500, but 120.5 in other submissions"


def test_dear_and_cheap_models_are_of_one_size() -> None:
    fair = [spent(f"m-{seed}", seed, 1) for seed in range(5)]
    assert told(*fair, spent("dear", 9, 100), spent("cheap", 10, 0.01)) == []


def test_one_round_of_another_size_is_told_with_its_line() -> None:
    fair = [spent(f"m-{seed}", seed, 1) for seed in range(5)]
    (problem,) = outlier_problems(entered(*fair, spent("odd", 9, 1, agent_seconds=9e8)))
    assert problem.line == 1
    assert problem.what == "`agent_seconds` of round 1 of a is 9e+08, but the median of other submissions is 120.5"


def test_four_submissions_do_not_tell_what_is_usual() -> None:
    assert told(*(spent(f"m-{seed}", seed, 1) for seed in range(3)), spent("odd", 9, 1000)) == []


def test_figures_of_whole_runs_are_looked_at_where_rounds_have_none() -> None:
    made = [
        replace(other_bundle, runs=(RunFigures("a", 1, cost_usd=cost),))
        for other_bundle, cost in zip(others(6), (1, 2, 3, 2, 1, 9000), strict=True)
    ]
    (problem,) = outlier_problems(entered(*made))
    assert (problem.code, problem.line, problem.path.parts[-2:]) == ("EFFORT-UNUSUAL", None, ("other-5", "runs.jsonl"))


def test_a_round_passed_without_a_token_is_told_once() -> None:
    free = [ending(number, CASES if number > 2 else 1, output_tokens=0) for number in each(5)]
    (problem,) = outlier_problems(entered(bundle("a", found=free), rounds=5))
    assert (problem.code, problem.line) == ("EFFORT-ZERO", 3)
    assert problem.what == "round 3 of a was passed with 0 output tokens (here and in 2 more places)"


def test_a_round_that_was_not_passed_may_take_no_token() -> None:
    assert told(bundle("a", found=[ending(number, 1, output_tokens=0) for number in each(40)])) == []


def entrants(marks: str, last: str) -> list[Bundle]:
    """Make nine agents that fail at the first task to the same point and pass the second, and one that differs."""
    strong = [bundle(f"m-{number}", marks, "####") for number in range(9)]
    return [*strong, bundle("weak", found=[*records("a", last), *records("b", "....")])]


def codes(made: Sequence[Bundle]) -> list[tuple[str, int | None]]:
    problems = outlier_problems(board(*made, rounds=(4, 4)))
    return [(problem.code, problem.line) for problem in problems if problem.code != "SCORE-UNUSUAL"]


def test_a_weak_agent_that_alone_solves_what_all_fail_is_told() -> None:
    (problem,) = (
        problem
        for problem in outlier_problems(board(*entrants("#...", "####"), rounds=(4, 4)))
        if problem.code != "SCORE-UNUSUAL"
    )
    assert (problem.code, problem.line, problem.path.parts[-2:]) == ("TASK-SOLVED-ALONE", 1, ("weak", "rounds.jsonl"))
    assert problem.what == (
        "it passes every round of a; no other submission passes more than 25% of the task's rounds "
        "or 25% of its cases. Over all tasks, it passes 50% of rounds"
    )


def test_where_others_were_near_one_more_may_pass() -> None:
    assert codes(entrants("#+++", "####")) == []


def test_where_others_pass_most_of_it_one_more_may_pass_all() -> None:
    assert codes(entrants("###.", "####")) == []


def test_a_strong_agent_may_solve_what_nobody_did() -> None:
    weak = [bundle(f"m-{number}", "#...", "#...") for number in range(9)]
    assert codes([*weak, bundle("strong", "####", "####")]) == []


def test_a_board_of_a_few_says_nothing_of_a_task() -> None:
    assert codes(entrants("#...", "####")[3:]) == []
