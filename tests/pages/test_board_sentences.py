"""What a board's sentences and its badge say of how many rows there are, and of how sure their ranks are."""

from datetime import date

import pytest
from kit.boards import board, bundle, row, table, track
from kit.chart_boards import counts, printed
from kit.result_grids import records
from kit.task_cases import TEMPLATES
from lxml import html

from sitegen.board.board import Board
from sitegen.board.inference.board_inference import BY_COUNTS, BY_TASKS
from sitegen.models.submission import RerunRounds, Revision
from sitegen.pages.notices import order_basis, rerun_notice, unknown_notice
from sitegen.pages.sharing import badges_of

WITHDRAWN = {"state": "withdrawn", "reason": "a mistake", "date": date(2026, 7, 1)}
LONE = board(bundle("lone", "##", "#."), rounds=(2, 2))
PAIR = board(bundle("first", "##", "##"), bundle("second", "..", ".."), rounds=(2, 2))
OF_ONE_TASK = board(bundle("first", "##"), bundle("second", "#."))
REPORTED = board(tables=[table(row("printed"))])
EIGHT = (1,) * 8
BETWEEN = board(bundle("first", *"########"), bundle("middle", *"####...."), bundle("last", *"........"), rounds=EIGHT)


@pytest.mark.parametrize(
    ("made", "expected_basis"),
    [
        (LONE, ""),
        (
            OF_ONE_TASK,
            "Ranks in brackets follow the scores alone: a single task is too few for a test.",
        ),
        (
            REPORTED,
            "Ranks in brackets follow the published scores alone: without raw data their uncertainty is unknown.",
        ),
    ],
)
def test_a_board_says_what_its_ranks_follow(made: Board, expected_basis: str) -> None:
    assert order_basis(made) == expected_basis


def test_printed_counts_of_rounds_give_no_ranks_and_the_board_says_why() -> None:
    """Taken one by one, 90 of 93 rounds would differ from 3 of 93; as tasks they are a few."""
    rows = [printed(name, strict=counts(value, 93)) for name, value in (("a", "96.8"), ("b", "3.2"))]
    assert order_basis(board(on=track(headline="strict", columns=("strict",)), tables=[table(*rows)])) == (
        "Ranks in brackets follow the published scores alone. These count rounds, and the rounds of a task "
        "are correlated, so a test that treats them as independent would find false differences."
    )


def test_printed_counts_of_tasks_give_ranks_over_several_attempts_too() -> None:
    """A task is solved by some of them or by none: it counts once."""
    on = track(protocol="fail-stop", attempts=4, headline="comp", columns=("comp",))
    rows = [printed(name, comp=counts(value, 100)) for name, value in (("a", "90.0"), ("b", "10.0"))]
    assert f"Ranks are based on {BY_COUNTS}, tested for" in order_basis(board(on=on, tables=[table(*rows)]))


def test_a_board_says_over_how_many_pairs_at_once_its_ranks_are_shown() -> None:
    """Published scores have no part in it."""
    assert (
        f"Ranks are based on {BY_TASKS}, tested over all 3 pairs of agents at once (95 % confidence)."
        in order_basis(BETWEEN)
    )
    sent = [bundle(name, *mark * 8) for name, mark in (("first", "#"), ("last", "."))]
    on = track(headline="perfect_tasks", columns=("perfect_tasks",))
    rows = [printed(name, perfect_tasks=counts(value, 8)) for name, value in (("a", "7"), ("b", "2"), ("c", "1"))]
    assert (f"Ranks are based on {BY_TASKS}, tested for the only pair of agents (95 % confidence).") in order_basis(
        board(*sent, on=on, rounds=EIGHT, tables=[table(*rows)])
    )


@pytest.mark.parametrize(("made", "expected_text"), [(LONE, "1 agent<"), (PAIR, "2 agents<")])
def test_a_badge_counts_the_agents_of_its_board(made: Board, expected_text: str) -> None:
    assert expected_text in dict(badges_of(made, [], TEMPLATES))["mini/main/badge.svg"]


def test_the_badge_of_a_row_that_does_not_stand_has_another_ground() -> None:
    badges = dict(badges_of(board(bundle("kept", "##"), bundle("gone", "#.", status=WITHDRAWN)), [], TEMPLATES))
    kept_fill, gone = (
        html.fromstring(badges[f"mini/main/{name}/badge.svg"]).xpath("//path/@fill") for name in ("kept", "gone")
    )
    assert kept_fill != gone


def test_a_badge_tells_the_ranks_that_a_row_may_have() -> None:
    badges = dict(badges_of(BETWEEN, [], TEMPLATES))
    assert "rank 1–3 of 3 · 50.0 %" in badges["mini/main/middle/badge.svg"]


@pytest.mark.parametrize("attempts", [1, 2])
def test_a_board_of_single_attempts_says_that_another_run_may_differ(attempts: int) -> None:
    round_results = [record for n in range(1, attempts + 1) for name in "ab" for record in records(name, "#.", n)]
    bundles = [bundle(name, found=round_results, attempts=attempts) for name in ("x", "y")]
    made = board(*bundles, on=track(attempts=attempts), rounds=(2, 2))
    warning = "another run of the same agent may score differently"
    assert (warning in order_basis(made)) == (attempts == 1)


def test_a_board_says_how_many_submissions_have_rounds_run_again() -> None:
    corrected = Revision(of="old", date=date(2026, 6, 30), reason="flaky network")
    rerun = RerunRounds(task="a", attempt=1, rounds=(1,))
    revised = corrected.model_copy(update={"reruns": (rerun,)})
    none = board(bundle("ash", "##"), bundle("elm", "#.", revisions=(corrected,)))
    assert rerun_notice(none) == "No submission on this board has rounds that were run again."
    one_revised = board(bundle("ash", "##", revisions=(revised,)), bundle("elm", "#."))
    assert rerun_notice(one_revised) == "1 of 2 submissions has rounds run again; the agent's row says how many."
    both_revised = board(bundle("ash", "##", revisions=(revised,)), bundle("elm", "#.", revisions=(revised,)))
    assert rerun_notice(both_revised) == "2 of 2 submissions have rounds run again; the agents' rows say how many."
    assert rerun_notice(REPORTED) == ""


def test_a_board_says_what_is_known_of_no_agent() -> None:
    facts = {"name": "Elm", "open_weights": True, "model_released": date(2026, 1, 5)}
    nothing = "Cost, the model's release date and whether weights are open are not known for any agent on this board."
    assert unknown_notice(REPORTED) == nothing
    board_with_facts = board(bundle("ash", "##"), bundle("elm", "#.", agent=facts))
    assert unknown_notice(board_with_facts) == "Cost is not known for any agent on this board."
    costs = board(bundle("elm", found=records("a", "##", cost_usd=0.5), agent=facts))
    assert unknown_notice(costs) == ""
    assert unknown_notice(board()) == ""
