"""How sure a board is of its order."""

import json

import pytest
from boards import board, bundle, entry_of, row, table

from sitegen.board.export import scores_json


def test_who_is_better_on_every_task_has_a_place_alone() -> None:
    made = board(bundle("best", "##", "##", "##"), bundle("rest", "..", "..", ".."), rounds=(2, 2, 2))
    assert [made.certainty.place(entry) for entry in made.entries] == ["1", "2"]
    assert made.certainty.ranks == {"best": (1, 1), "rest": (2, 2)}


def test_who_may_be_as_good_shares_a_group_of_places() -> None:
    """Each is better on one task."""
    made = board(bundle("first", "##", "#."), bundle("second", "..", "##"), rounds=(2, 2))
    assert [made.certainty.place(entry) for entry in made.entries] == ["1-2", "1-2"]


def test_an_interval_holds_the_score_that_it_is_about() -> None:
    made = board(bundle("one", "##", "#.", ".."), rounds=(2, 2, 2))
    interval = made.certainty.interval(made.entries[0], "dataset_score")
    assert interval is not None
    assert 0 == interval.low < 50 < interval.high == 100


def test_places_beside_a_reported_row_are_not_known() -> None:
    """A published table has no tasks to draw again; the submission's own interval stays."""
    made = board(bundle("here", "##", ".."), tables=[table(row("elsewhere", "12.0"))], rounds=(2, 2))
    here = entry_of(made, "here")
    assert made.certainty.place(here) is None
    assert made.certainty.interval(here, "dataset_score") is not None
    assert made.certainty.interval(entry_of(made, "elsewhere"), "dataset_score") is None


def test_a_withdrawn_row_has_an_interval_and_no_place() -> None:
    gone = bundle("gone", "##", "..", status={"state": "withdrawn"})
    made = board(bundle("here", "##", "##"), gone, rounds=(2, 2))
    assert made.certainty.place(entry_of(made, "gone")) is None
    assert made.certainty.interval(entry_of(made, "gone"), "dataset_score") is not None


def test_a_board_without_submissions_is_sure_of_nothing() -> None:
    assert board(tables=[table(row("elsewhere"))]).certainty.intervals == {}


def test_scores_are_exported_with_intervals_and_groups() -> None:
    made = board(bundle("first", "##", "#."), bundle("second", "..", "##"), rounds=(2, 2))
    document = json.loads(json.dumps(scores_json((made, entry) for entry in made.entries)))
    first = document["submissions"][0]
    assert first["tie_group"] == "1-2"
    assert first["rank_interval"] == [1, 2]
    assert first["metrics"]["dataset_score"]["low"] == pytest.approx(50)
    assert first["metrics"]["dataset_score"]["high"] == pytest.approx(100)
