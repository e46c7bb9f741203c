"""Scores as programs read them."""

import json

from boards import board, bundle, claims, row, table, track

from sitegen.board.board import Board
from sitegen.board.export import Json, scores_csv, scores_json


def rows(made: Board) -> list[Json]:
    """Export a board, by way of text."""
    document = json.loads(json.dumps(scores_json((made, entry) for entry in made.all_entries), allow_nan=False))
    assert document.keys() == {"schema", "submissions"}
    assert document["schema"] == 1
    return list(document["submissions"])


def test_a_submission_has_the_shape_that_is_promised() -> None:
    ours = bundle("ours", "#+", agent={"name": "Ours", "scaffold": "x"}, claims=claims("README", dataset_score="50.4"))
    (exported,) = rows(board(ours, on=track(columns=("dataset_score", "avg_rounds"))))
    agent, metrics = exported.pop("agent"), exported.pop("metrics")
    assert exported == {
        "benchmark": "mini",
        "track": "main",
        "id": "ours",
        "status": "published",
        "evidence": "recomputed",
        "coverage": {"tasks": 1, "expected_tasks": 1, "rounds": 2, "expected_rounds": 2},
        "rank": 1,
        "rank_interval": [1, 1],
        "tie_group": "1",
    }
    assert isinstance(agent, dict)
    assert (agent["name"], agent["scaffold"], agent["organization"]) == ("Ours", "x", None)
    assert isinstance(metrics, dict)
    assert metrics["dataset_score"] == {
        "value": 50.0,
        "unit": "percent",
        "low": 50.0,
        "high": 50.0,
        "claimed": 50.4,
        "claim_source": "README",
        "agrees": False,
    }


def test_a_gap_is_null() -> None:
    (exported,) = rows(board(bundle("ours", "##"), on=track(columns=("avg_rounds",))))
    metrics = exported["metrics"]
    assert isinstance(metrics, dict)
    assert metrics["avg_rounds"] == {
        "value": None,
        "unit": "interactions",
        "low": None,
        "high": None,
        "claimed": None,
        "claim_source": None,
        "agrees": None,
    }


def test_values_have_full_precision() -> None:
    (exported,) = rows(board(bundle("ours", "##."), rounds=(3,)))
    metrics = exported["metrics"]
    assert isinstance(metrics, dict)
    assert metrics["dataset_score"]["value"] == 100 * (2 / 3)


def test_a_reported_row_has_no_coverage() -> None:
    (exported,) = rows(board(tables=[table(row("theirs", "42.10"))]))
    metrics = exported["metrics"]
    assert isinstance(metrics, dict)
    assert (exported["evidence"], exported["rank"]) == ("reported", 1)
    assert exported["coverage"] == dict.fromkeys(("tasks", "expected_tasks", "rounds", "expected_rounds"))
    assert metrics["dataset_score"]["value"] == 42.1


def test_what_does_not_stand_is_exported_without_rank() -> None:
    exported = rows(board(bundle("new", "#."), bundle("old", "##", status={"state": "withdrawn"})))
    assert [(each["id"], each["status"], each["rank"]) for each in exported] == [
        ("new", "published", 1),
        ("old", "withdrawn", None),
    ]


def test_a_table_has_a_line_a_row_and_nothing_for_a_gap() -> None:
    made = board(bundle("counted", "#+"), bundle("verdict", "v."), on=track(columns=("dataset_score", "case_score")))
    head, *lines = scores_csv((made, entry) for entry in made.all_entries).splitlines()
    assert head.startswith("benchmark,track,id,agent,status,evidence,rank,dataset_score,case_score,")
    assert [line.split(",")[2:9] for line in lines] == [
        ["counted", "counted", "published", "recomputed", "1", "50.0", "87.5"],
        ["verdict", "verdict", "published", "recomputed", "1", "50.0", ""],
    ]
