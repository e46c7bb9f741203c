"""Which submissions a diagnosis is over, on the pages of a track, a task and a submission."""

from collections.abc import Mapping
from typing import Any

from kit.boards import board, bundle, row, table
from kit.drawn_submissions import told

from sitegen.board.board import Board
from sitegen.metrics.diagnostics import Diagnostic

WITHDRAWN: Mapping[str, Any] = {"status": {"state": "withdrawn", "reason": "leaked"}}


def by_round(diagnostics: tuple[Diagnostic, ...]) -> Diagnostic:
    return next(diagnostic for diagnostic in diagnostics if diagnostic.id == "by-round")


def made(*names: str) -> Board:
    """Rank submissions to tasks of 2 and 3 rounds; "one" passes what the others fail."""
    bundles = [bundle(name, *(("##", "##.") if name == "one" else ("..", "#.."))) for name in names]
    return board(*bundles, rounds=(2, 3))


def test_a_track_is_diagnosed_over_all_submissions() -> None:
    assert told(by_round(made("one", "two").diagnosis.of_track)) == {"1": "2 3/4", "2": "2 2/4", "3": "1 0/2"}


def test_a_task_is_diagnosed_by_itself() -> None:
    shown = made("one", "two")
    assert told(by_round(shown.diagnosis.of_task(shown.tasks.tasks[0]))) == {"1": "1/2", "2": "1/2"}


def test_a_submission_is_diagnosed_beside_all_that_stand() -> None:
    shown = by_round(made("one", "two", "three").diagnosis.of_submission("one"))
    assert list(shown.columns) == ["Tasks", "Pass rate", "All submissions"]
    assert told(shown) == {"1": "2 2/2 4/6", "2": "2 2/2 2/6", "3": "1 0/1 0/3"}


def test_the_only_submission_has_nobody_to_stand_beside() -> None:
    assert list(by_round(made("one").diagnosis.of_submission("one")).columns) == ["Tasks", "Pass rate"]


def test_what_was_withdrawn_is_diagnosed_beside_the_others_and_not_among_them() -> None:
    gone = bundle("gone", "##", "###", **WITHDRAWN)
    shown = board(gone, bundle("two", "..", "#.."), rounds=(2, 3))
    assert told(by_round(shown.diagnosis.of_track)) == {"1": "2 1/2", "2": "2 0/2", "3": "1 0/1"}
    assert told(by_round(shown.diagnosis.of_submission("gone")))["1"] == "2 2/2 1/2"


def test_tasks_without_results_are_no_failures_of_a_submission_nor_of_the_others() -> None:
    partial_bundle = bundle("part", "##", missing=("b",))
    shown = board(partial_bundle, bundle("two", "#.", "#.."), rounds=(2, 3))
    assert told(by_round(shown.diagnosis.of_track)) == {"1": "2 2/2", "2": "2 0/2", "3": "1 0/1"}
    assert told(by_round(shown.diagnosis.of_submission("part"))) == {"1": "1/1 2/2", "2": "1/1 0/2"}


def test_a_reported_row_has_no_rounds_to_diagnose() -> None:
    assert board(tables=[table(row("acme"))]).diagnosis.of_track == ()
