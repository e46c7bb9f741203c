"""Submissions without results for some tasks: no rank, no comparison, and a row that says so."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest
from kit.boards import beside, board, bundle, entry_of, row, table, track
from kit.findings import finding, with_findings

from sitegen.board.board import Board, BoardEntry
from sitegen.board.explanation import explanation
from sitegen.board.export import scores_json
from sitegen.board.history.releases import record_holders
from sitegen.board.inference.comparison import HeadToHead
from sitegen.charts.board_charts import board_charts
from sitegen.charts.chart import ChartLabels
from sitegen.models.results import Bundle

FIVE = (1,) * 5
WHOLE = bundle("whole", *".#.#.")
WORSE = bundle("worse", *"....#")
PART = bundle("part", *"####", missing=("e",))
LITTLE = bundle("little", *"##", missing=("c", "d", "e"))
REASON = "results for some tasks are not available"


@pytest.fixture
def made() -> Board:
    """Two whole rows, one that lacks a task of five, and one that lacks three."""
    return board(WHOLE, PART, WORSE, LITTLE, rounds=FIVE)


def exported(made: Board, name: str) -> Mapping[str, Any]:
    rows: Any = scores_json([BoardEntry(made, entry_of(made, name))])["submissions"]
    return dict(rows[0])


def test_it_stands_below_the_others_with_its_values(made: Board) -> None:
    """Four of five would have been the best score: what is lacking counts 0 in it."""
    values = [(entry.id, entry.value("dataset_score"), entry.remark) for entry in made.entries]
    assert values == [
        ("whole", 40.0, ""),
        ("worse", 20.0, ""),
        ("part", 80.0, "incomplete"),
        ("little", None, "incomplete"),
    ]


def test_it_has_no_rank_and_is_related_to_no_other_row(made: Board) -> None:
    assert made.ranks == {"whole": 1, "worse": 2}
    alone = board(WHOLE, WORSE, rounds=FIVE)
    assert made.inference.ranks == alone.inference.ranks == {"whole": (1, 2), "worse": (1, 2)}
    partial_entry, worse = entry_of(made, "part"), entry_of(made, "worse")
    assert (
        made.inference.pair_order(partial_entry, worse)
        == made.inference.pair_order(worse, partial_entry)
        == "cannot tell"
    )


def test_programs_are_told_what_it_lacks(made: Board) -> None:
    exported_row = exported(made, "part")
    assert (exported_row["rank"], exported_row["rank_interval"], exported_row["missing"]) == (None, None, ["e"])
    assert (exported_row["coverage"]["tasks"], exported_row["coverage"]["expected_tasks"]) == (4, 5)
    score = exported_row["metrics"]["dataset_score"]
    assert (score["value"], score["n"], score["of"]) == (80.0, 4, 5)
    little = exported(made, "little")["metrics"]["dataset_score"]
    assert (little["value"], little["n"], little["of"]) == (None, 2, 5)
    assert exported(made, "whole")["missing"] == []


def test_coverage_says_it_in_words(made: Board) -> None:
    assert str(entry_of(made, "little").coverage) == "2/5, no results for 3 of 5 tasks"


def test_it_is_compared_with_no_other_row(made: Board) -> None:
    full_entry, partial_entry, worse = (entry_of(made, name) for name in ("whole", "part", "worse"))
    alone = beside(made, partial_entry, full_entry)
    assert (alone.alone.order, alone.difference) == ("cannot tell", None)
    head_to_head = HeadToHead(made)
    assert [entry.id for entry in head_to_head.rows] == ["whole", "worse", "part", "little"]
    assert (
        head_to_head.headline_outcome(full_entry, partial_entry).reason
        == head_to_head.metric_outcome(made.headline, partial_entry, worse).reason
    )
    assert head_to_head.headline_outcome(full_entry, partial_entry).reason == REASON


def test_it_is_not_held_against_a_printed_row() -> None:
    printed = {"dataset_score": {"value": Decimal("20.0"), "n": 5}}
    made = board(PART, rounds=FIVE, tables=[table({"id": "theirs", "values": printed})])
    theirs, partial_entry = (entry_of(made, name) for name in ("theirs", "part"))
    assert HeadToHead(made).headline_outcome(theirs, partial_entry).reason == REASON


def test_it_is_not_the_best_of_its_day(made: Board) -> None:
    assert [entry.id for entry, _ in record_holders(made)] == ["whole"]


def test_no_chart_sets_it_beside_others() -> None:
    rows = [bundle("whole", *["##."] * 6), bundle("worse", *["#.."] * 6), bundle("part", *["###"] * 5, missing=("f",))]
    made = board(*rows, rounds=(3,) * 6)
    chart_labels = ChartLabels(
        {entry.id: entry.id for entry in made.entries}, lambda metric: metric.title, lambda metric: metric.unit
    )
    (chart,) = [chart for chart in board_charts(made, chart_labels) if chart.id == "curve"]
    assert chart.table
    assert [name for name, _ in chart.table.lines] == ["whole", "worse", "all 2 agents"]


def test_a_task_that_is_left_out_for_everybody_is_not_lacking(made: Board) -> None:
    judged = with_findings(made, finding("Broken", effect="exclude", tasks=("e",)))
    partial_entry = entry_of(judged, "part")
    assert (partial_entry.value("dataset_score"), judged.ranks["part"], partial_entry.remark) == (100.0, 1, "")
    assert exported(judged, "part")["missing"] == []
    little = exported(judged, "little")
    assert (little["missing"], little["rank"]) == (["c", "d"], None)
    assert str(entry_of(judged, "little").coverage) == "2/4, no results for 2 of 4 tasks"


def test_a_task_that_is_left_out_for_it_alone_is_still_lacking(made: Board) -> None:
    judged = with_findings(made, finding("Broken", effect="exclude", tasks=("e",), submissions=("part",)))
    assert exported(judged, "part")["missing"] == ["e"]
    assert "part" not in judged.ranks


def test_the_board_without_the_finding_lacks_the_task_again(made: Board) -> None:
    judged = with_findings(made, finding("Broken", effect="exclude", tasks=("e",)))
    (broken_finding,) = judged.results.findings
    for before in (judged.without_findings, judged.without_finding(broken_finding)):
        assert "part" not in before.ranks


def test_a_rerun_that_lacks_tasks_decides_nothing() -> None:
    again = bundle("again", *"####", agent={"name": "whole"}, missing=("e",))
    made = board(WHOLE, WORSE, again, rounds=FIVE)
    rerun = finding("Run again", kind="reproduction", submissions=("whole",), rerun="again")
    (held,) = with_findings(made, rerun).reproductions["whole"]
    assert (held.lead, held.obstacle) == (None, "one of the two has no results for some of the tasks")


def test_the_arithmetic_says_what_a_score_is_over(made: Board) -> None:
    partial_bundle: Bundle = PART
    lines = list(explanation(made, entry_of(made, "part"), partial_bundle))
    assert "  Averaged over rounds of a task, then attempts, then tasks: 4 of 5 tasks." in lines


def test_a_row_of_a_table_lacks_nothing() -> None:
    made = board(tables=[table(row("theirs"))], on=track())
    assert (entry_of(made, "theirs").has_missing_tasks, made.ranks) == (False, {"theirs": 1})
