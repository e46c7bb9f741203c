"""A board's headline score by kinds of tasks, as a chart."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from kit.boards import board, bundle, entry_of, row, table, track
from kit.chart_boards import words

from sitegen.board.board import Board
from sitegen.charts.board_charts import entry_splits_chart, splits_chart
from sitegen.charts.chart import Strips


def split_row(name: str, **kinds: str) -> Mapping[str, Any]:
    """Print a dataset score with those on kinds of tasks."""
    groups = {"kind": {kind: {"value": Decimal(value)} for kind, value in kinds.items()}}
    return {"id": name, "values": {"dataset_score": {"value": Decimal("50.0"), "groups": groups}}}


def made(*rows: Mapping[str, Any]) -> Board:
    return board(tables=[table(*rows)], on=track(groupings=("kind",)))


def test_each_kind_has_the_scores_of_all_agents_and_their_mean() -> None:
    shown = made(split_row("a", tool="60.0", game="30.0"), split_row("b", tool="40.0", game="10.0"))
    chart = splits_chart(shown, words(shown))
    assert chart
    (panel,) = chart.panels
    assert isinstance(panel, Strips)
    drawn = [(strip.title, [(tick.name, tick.value) for tick in strip.ticks], strip.mean) for strip in panel.strips]
    assert drawn == [("tool", [("A", 60.0), ("B", 40.0)], 50.0), ("game", [("A", 30.0), ("B", 10.0)], 20.0)]


def test_underscores_of_values_are_spaces_and_other_values_are_printed_as_they_are() -> None:
    kinds = {"spec_evolution": "30.0", "django/django": "60.0"}
    shown = made(split_row("a", **kinds), split_row("b", **kinds))
    chart = splits_chart(shown, words(shown))
    assert chart
    assert chart.table
    assert chart.table.heads == ["Agent", "spec evolution", "django/django"]


def test_the_kinds_that_are_hardest_and_easiest_are_named() -> None:
    shown = made(split_row("a", tool="60.0", game="30.0"), split_row("b", tool="40.0", game="10.0"))
    chart = splits_chart(shown, words(shown))
    assert chart
    assert "By kind, the mean ranges from 20.0 (game) to 50.0 (tool)." in chart.sentence


def test_the_table_has_the_scores_that_are_drawn_and_a_dash_for_none() -> None:
    shown = made(
        split_row("a", tool="60.0", game="30.0"), split_row("b", tool="40.0", game="10.0"), split_row("c", tool="7.0")
    )
    chart = splits_chart(shown, words(shown))
    assert chart
    assert chart.table
    assert chart.table.lines == [("A", ["60.0", "30.0"]), ("B", ["40.0", "10.0"]), ("C", ["7.0", "–"])]


def test_a_board_that_is_not_split_has_no_such_chart() -> None:
    shown = made(row("a"), row("b"))
    assert splits_chart(shown, words(shown)) is None


def test_one_kind_of_tasks_compares_with_nothing() -> None:
    shown = made(split_row("a", tool="60.0"), split_row("b", tool="40.0"))
    assert splits_chart(shown, words(shown)) is None


def test_a_row_stands_beside_the_mean_and_the_ends_of_all() -> None:
    shown = made(split_row("a", tool="60.0", game="30.0"), split_row("b", tool="40.0", game="10.0"))
    chart = entry_splits_chart(shown, entry_of(shown, "b"), words(shown))
    assert chart
    assert chart.table
    assert chart.table.lines == [
        ("tool", ["40.0", "50.0", "40.0", "60.0"]),
        ("game", ["10.0", "20.0", "10.0", "30.0"]),
    ]
    assert "the thick mark is B" in chart.sentence


def test_a_row_and_its_board_share_their_drawings() -> None:
    shown = made(split_row("a", tool="60.0", game="30.0"), split_row("b", tool="40.0", game="10.0"))
    of_board, of_row = splits_chart(shown, words(shown)), entry_splits_chart(shown, shown.entries[0], words(shown))
    assert of_board
    assert of_row
    assert of_board.panels == of_row.panels


def test_a_row_without_such_scores_has_no_such_chart() -> None:
    shown = made(
        split_row("a", tool="60.0", game="30.0"), split_row("b", tool="40.0", game="10.0"), row("c", value="1.0")
    )
    assert entry_splits_chart(shown, entry_of(shown, "c"), words(shown)) is None


def test_a_withdrawn_submission_has_no_place_among_the_others() -> None:
    gone = bundle("gone", "##", status={"state": "withdrawn", "reason": "leaked"})
    shown = board(gone, tables=[table(split_row("a", tool="60.0", game="30.0"), split_row("b", tool="1", game="2"))])
    assert entry_splits_chart(shown, entry_of(shown, "gone"), words(shown)) is None
