"""Scores as programs read them."""

import csv
import gzip
import io
import json
from dataclasses import replace
from decimal import Decimal

import pandas as pd
import pytest
from kit.boards import board, bundle, claims, row, table, track
from kit.result_grids import records

from sitegen.board.board import Board
from sitegen.board.every_eval_ever import record_files
from sitegen.board.explanation import explanation
from sitegen.board.export import Json, scores_json
from sitegen.board.tables import (
    MOST_LINES,
    round_column_meanings,
    rounds_are_many,
    rounds_csv,
    rounds_parquet,
    score_column_meanings,
    scores_csv,
)
from sitegen.metrics.catalogue import METRICS
from sitegen.models.declared import COLUMNS, FOLLOWING
from sitegen.models.outcome import RoundResult
from sitegen.models.site import Site


def rows(made: Board) -> list[Json]:
    """Export a board, by way of text."""
    document = json.loads(json.dumps(scores_json(made.board_entries), allow_nan=False))
    assert document.keys() == {"schema", "submissions"}
    assert document["schema"] == 1
    return list(document["submissions"])


def test_a_submission_has_the_shape_that_is_promised() -> None:
    ours = bundle(
        "ours", "#+", "+#", agent={"name": "Ours", "scaffold": "x"}, claims=claims("README", dataset_score="50.4")
    )
    (exported,) = rows(board(ours, on=track(columns=("dataset_score", "avg_rounds")), rounds=(2, 2)))
    agent, metrics = exported.pop("agent"), exported.pop("metrics")
    assert exported == {
        "benchmark": "mini",
        "track": "main",
        "id": "ours",
        "status": "published",
        "evidence": "recomputed",
        "checked": None,
        "coverage": {"tasks": 2, "expected_tasks": 2, "rounds": 4, "expected_rounds": 4},
        "missing": [],
        "attempts": {"made": 1, "expected": 1},
        "rank": 1,
        "rank_interval": [1, 1],
    }
    assert isinstance(agent, dict)
    assert (agent["name"], agent["scaffold"], agent["organization"]) == ("Ours", "x", None)
    assert isinstance(metrics, dict)
    low, high = (metrics["dataset_score"].pop(bound) for bound in ("low", "high"))
    assert 0 < low < 50 < high < 100
    assert metrics["dataset_score"] == {
        "value": 50.0,
        "unit": "percent",
        "interval": "bootstrap",
        "sd": None,
        "n": 2,
        "of": 2,
        "missing_note": None,
        "claimed": 50.4,
        "claim_source": "README",
        "claim_tasks": 2,
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
        "interval": None,
        "sd": None,
        "n": 0,
        "of": 2,
        "missing_note": "0 of 2 rounds known",
        "claimed": None,
        "claim_source": None,
        "claim_tasks": None,
        "agrees": None,
    }


def test_values_have_full_precision() -> None:
    (exported,) = rows(board(bundle("ours", "##."), rounds=(3,)))
    metrics = exported["metrics"]
    assert isinstance(metrics, dict)
    assert metrics["dataset_score"]["value"] == 100 * (2 / 3)


def test_a_mean_over_checkpoints_has_its_deviation() -> None:
    ours = bundle("ours", found=[*records("a", "#", cost_usd=1.0), *records("a", " .", cost_usd=3.0)])
    (exported,) = rows(board(ours))
    metrics = exported["metrics"]
    assert isinstance(metrics, dict)
    assert (metrics["cost_per_round"]["value"], metrics["cost_per_round"]["sd"]) == (2.0, pytest.approx(2**0.5))
    assert metrics["net_cost"]["sd"] is None


def test_a_printed_deviation_is_exported() -> None:
    printed = {"value": Decimal("42.0"), "sd": Decimal("1.50")}
    (exported,) = rows(board(tables=[table({"id": "theirs", "values": {"dataset_score": printed}})]))
    metrics = exported["metrics"]
    assert isinstance(metrics, dict)
    assert metrics["dataset_score"]["sd"] == 1.5


def test_a_reported_row_has_no_coverage() -> None:
    (exported,) = rows(board(tables=[table(row("theirs", "42.10"))]))
    metrics = exported["metrics"]
    assert isinstance(metrics, dict)
    assert (exported["evidence"], exported["rank"]) == ("reported", 1)
    assert exported["coverage"] == dict.fromkeys(("tasks", "expected_tasks", "rounds", "expected_rounds"))
    assert metrics["dataset_score"]["value"] == 42.1


def test_what_does_not_stand_is_exported_without_rank() -> None:
    exported = rows(board(bundle("new", "#."), bundle("old", "##", status={"state": "withdrawn"})))
    assert [(exported_row["id"], exported_row["status"], exported_row["rank"]) for exported_row in exported] == [
        ("new", "published", 1),
        ("old", "withdrawn", None),
    ]


def test_a_table_has_a_line_a_row_and_nothing_for_a_gap() -> None:
    made = board(bundle("counted", "#+"), bundle("verdict", "v."), on=track(columns=("dataset_score", "case_score")))
    head, *lines = scores_csv(made.board_entries).splitlines()
    assert head.startswith("benchmark,track,id,agent,status,evidence,rank,dataset_score,case_score,")
    assert [line.split(",")[2:9] for line in lines] == [
        ["counted", "counted", "published", "recomputed", "1", "50.0", "87.5"],
        ["verdict", "verdict", "published", "recomputed", "1", "50.0", ""],
    ]


def test_a_table_says_behind_the_scores_how_sure_they_are() -> None:
    """The agents differ on each of eight tasks; the row of a published table counts 1 of 2."""
    printed = {"values": {"perfect_tasks": {"value": Decimal(1), "n": 2}}}
    tables = [table({"id": "theirs", **printed})]
    made = board(bundle("all", *["##"] * 8), bundle("none", *[".."] * 8), tables=tables, rounds=(2,) * 8)
    lines = list(csv.DictReader(scores_csv(made.board_entries).splitlines()))
    ranks = [(line["id"], line["rank_low"], line["rank_high"]) for line in lines]
    assert ranks == [("all", "1", "1"), ("none", "2", "2"), ("theirs", "", "")]
    assert not [name for name in lines[0] if "group" in name]
    bounds = [(line["perfect_tasks_low"], line["perfect_tasks_high"], line["perfect_tasks_interval"]) for line in lines]
    assert float(bounds[0][0]) == pytest.approx(8 * 0.025 ** (1 / 8))
    assert bounds[0][1:] == ("8.0", "binomial")
    assert [float(bound) for bound in bounds[2][:2]] == pytest.approx([0.0252, 1.9748], abs=1e-4)
    assert (lines[2]["perfect_tasks_interval"], lines[2]["dataset_score_low"]) == ("binomial", "")


def test_a_table_says_who_made_an_agent_and_what_is_claimed_of_it() -> None:
    agent = {"name": "Acme-1", "organization": "Acme", "scaffold": "shell", "open_weights": True}
    made = board(bundle("a", "##", agent=agent, claims=claims("README", dataset_score="41.5")), bundle("b", "#."))
    first, second = csv.DictReader(scores_csv(made.board_entries).splitlines())
    columns = ("organization", "scaffold", "open_weights", "dataset_score_claimed", "dataset_score_claim_source")
    assert [first[name] for name in columns] == ["Acme", "shell", "True", "41.5", "README"]
    assert {second[name] for name in columns} == {""}


def test_every_column_is_explained() -> None:
    made = board(bundle("a", "##"), bundle("b", "#."), on=track(columns=("dataset_score", "case_score")))
    (head, *_) = csv.reader(scores_csv(made.board_entries).splitlines())
    meanings = dict(score_column_meanings(made))
    shared = [name.removeprefix("METRIC") for name in meanings if name.startswith("METRIC")]
    of_metrics = {f"{metric}{suffix}" for metric in ("dataset_score", "case_score") for suffix in shared}
    named = {name for name in meanings if not name.startswith("METRIC")}
    assert {"dataset_score", "case_score"} <= named
    assert {name for name in head if name.startswith(("dataset_score", "case_score"))} <= of_metrics | named
    assert named <= set(head)
    assert meanings["dataset_score"] == "Dataset Score, percent"
    assert named - {*METRICS} <= COLUMNS, "no metric can be called so"
    assert shared == [f"_{name}" for name in FOLLOWING]


def test_rounds_have_a_line_each_with_what_was_not_measured_empty() -> None:
    made = board(bundle("a", "#.", agent={"name": "=1"}))
    head, *lines = csv.reader(rounds_csv(made).decode().splitlines())
    assert head == [name for name, _ in round_column_meanings(made)]
    assert [line[:9] for line in lines] == [
        ["a", "'=1", made.tasks.tasks[0].id, "1", str(n), "own", "scored", reward, solved]
        for n, reward, solved in ((1, "1.0", "True"), (2, "0.0", "False"))
    ]


def test_many_rounds_are_packed() -> None:
    tasks, rounds = MOST_LINES // 10_000 + 1, 10_000
    long_board = board(bundle("a", *["#" * rounds] * tasks), rounds=(rounds,) * tasks)
    lines = gzip.decompress(rounds_csv(long_board)).splitlines()
    assert (rounds_are_many(long_board), len(lines)) == (True, tasks * rounds + 1)
    assert not rounds_are_many(board(bundle("a", "#.")))


@pytest.mark.parametrize("name", ["=HYPERLINK(1)", "+1", "-1", "@sum", "\uff1d1", "\uff0b1", "\uff0d1", "\uff20sum"])
def test_no_name_is_a_formula_for_a_program_that_opens_the_table(name: str) -> None:
    made = board(bundle("a", "##", agent={"name": name}))
    (line,) = csv.DictReader(scores_csv(made.board_entries).splitlines())
    assert line["agent"] == f"'{name}"


def test_a_measurement_of_integers_and_floats_is_a_column_of_floats() -> None:
    first, second = records("a", "##")
    results = (replace(first, measures={"turns@1": 1}), replace(second, measures={"turns@1": 2.5}))
    made = board(bundle("acme", found=results))
    frame = pd.read_parquet(io.BytesIO(rounds_parquet(made)))
    assert (str(frame["turns@1"].dtype), frame["turns@1"].tolist()) == ("float64", [1.0, 2.5])
    lines = list(csv.DictReader(rounds_csv(made).decode().splitlines()))
    assert [line["turns@1"] for line in lines] == ["1", "2.5"]


def test_measurements_that_are_integers_have_the_type_of_all_measurements() -> None:
    results = [replace(result, measures={"turns@1": 3}) for result in records("a", "##")]
    frame = pd.read_parquet(io.BytesIO(rounds_parquet(board(bundle("acme", found=results)))))
    assert str(frame["turns@1"].dtype) == "float64"


def test_a_round_with_cases_and_no_number_of_passed_ones_is_explained_by_its_state() -> None:
    results = [RoundResult("a", 1, 1, "scored", 1.0, total=5), RoundResult("a", 1, 2, "scored", 0.0, 0, 5)]
    made = board(bundle("acme", found=results))
    (entry,) = made.entries
    assert entry.bundle
    lines = list(explanation(made, entry, entry.bundle, "a"))
    assert "  attempt 1, round 1: scored, reward 1" in lines
    assert "  attempt 1, round 2: 0 of 5 cases, reward 0" in lines


@pytest.mark.parametrize(("total", "is_summed"), [(None, False), (0, True), (5, True)])
def test_shares_of_cases_are_only_summed_if_cases_were_counted(total: int | None, *, is_summed: bool) -> None:
    made = board(bundle("acme", found=[RoundResult("a", 1, 1, "scored", 1.0, total, total)]))
    (entry,) = made.entries
    assert entry.bundle
    lines = list(explanation(made, entry, entry.bundle, "a"))
    assert any("case shares add up to" in line for line in lines) is is_summed


def test_a_round_is_exported_with_the_title_and_weight_of_its_number() -> None:
    made = board(bundle("acme", "##"))
    (task,) = made.tasks.tasks
    first, second = task.rounds
    rounds = (replace(second, title="Second", weight=3.0), replace(first, title="First"))
    reordered = replace(made.tasks, tasks=(replace(task, rounds=rounds),))
    (entry,) = made.entries
    files = record_files(replace(made, tasks=reordered), entry, Site())
    (text,) = (text for name, text in files.items() if name.endswith(".jsonl"))
    prompts = {line["sample_id"]: line["input"]["raw"] for line in map(json.loads, text.decode().splitlines())}
    assert prompts == {"a/round-1": "First", "a/round-2": "Second"}
