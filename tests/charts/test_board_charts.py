"""What the charts of a board show, from boards that can be read off."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import pytest
from boards import board, bundle, row, table, track
from charted import counts, printed, words
from grids import records

from sitegen.board.board import Board
from sitegen.charts.board_charts import MOST, board_charts, effort_chart, reference_chart, scores_chart
from sitegen.charts.chart import Chart, Cloud, Ranking
from sitegen.models.benchmark import Track

RELAY = track(protocol="fail-stop", attempts=4, headline="mt_at_k", columns=("mt_at_k", "sr"))
TARGETS = track(protocol="once", headline="resolved", columns=("resolved",))


def effort(*rows: Mapping[str, Any], on: Track | None = None) -> Chart | None:
    made = board(tables=[table(*rows)], on=on)
    return effort_chart(made, words(made))


def clouds(chart: Chart | None) -> list[Cloud]:
    assert chart
    return [panel for panel in chart.panels if isinstance(panel, Cloud)]


def ranking(made: Board) -> Ranking:
    chart = scores_chart(made, words(made))
    assert chart
    (panel,) = chart.panels
    assert isinstance(panel, Ranking)
    return panel


def sentence(made: Board) -> str:
    """Tell what the chart of the scores says."""
    chart = scores_chart(made, words(made))
    assert chart
    return chart.sentence


def test_a_score_is_set_against_what_it_cost() -> None:
    chart = effort(
        printed("a", dataset_score="60.0", net_cost="9.50"),
        printed("b", dataset_score="50.0", net_cost="12.00"),
        printed("c", dataset_score="40.0", net_cost="1.00"),
    )
    (cloud,) = clouds(chart)
    assert [(dot.name, dot.x, dot.y) for dot in cloud.dots] == [("A", 9.5, 60.0), ("B", 12.0, 50.0), ("C", 1.0, 40.0)]
    assert [dot.name for dot in cloud.dots if dot.is_front] == ["A", "C"]


def test_the_front_is_named_by_rising_cost() -> None:
    chart = effort(
        printed("a", dataset_score="60.0", net_cost="9.50"),
        printed("b", dataset_score="50.0", net_cost="12.00"),
        printed("c", dataset_score="40.0", net_cost="1.00"),
    )
    assert chart
    assert "By Net cost: C and A." in chart.sentence


def test_where_less_is_better_the_front_is_below() -> None:
    chart = effort(
        printed("a", erosion="0.10", net_cost="9.00"),
        printed("b", erosion="0.20", net_cost="5.00"),
        printed("c", erosion="0.30", net_cost="7.00"),
        on=track(headline="erosion", columns=("erosion",)),
    )
    (cloud,) = clouds(chart)
    assert [dot.name for dot in cloud.dots if dot.is_front] == ["A", "B"]


def test_cost_turns_and_tokens_each_have_a_panel() -> None:
    figures = {"net_cost": "1.00", "avg_turns": "20.0", "output_tokens_k": "30"}
    chart = effort(*(printed(name, dataset_score="50.0", **figures) for name in "abc"))
    assert [cloud.x.title for cloud in clouds(chart)] == [
        "Net cost (USD)",
        "Avg Turns",
        "Output Tokens (thousand tokens)",
    ]


def test_a_board_without_cost_turns_and_tokens_has_no_such_chart() -> None:
    assert effort(row("a"), row("b"), row("c")) is None


def test_two_agents_make_no_front() -> None:
    assert effort(*(printed(name, dataset_score="50.0", net_cost="1.00") for name in "ab")) is None


def test_an_agent_whose_cost_is_not_known_is_a_dash_in_the_table_and_no_dot() -> None:
    figures = {"avg_turns": "20.0", "dataset_score": "50.0"}
    known = [printed(name, net_cost="1.00", **figures) for name in "abc"]
    chart = effort(*known, printed("d", **figures))
    assert [len(cloud.dots) for cloud in clouds(chart)] == [3, 4]
    assert chart
    assert chart.table
    assert dict(chart.table.lines)["D"] == ["50.0", "–", "20.0 (front)"]


def test_a_score_has_its_interval() -> None:
    made = board(tables=[table(printed("a", resolved=counts("50.0", 10)))], on=TARGETS)
    (bar,) = ranking(made).bars
    assert bar.value == 50.0
    assert [bar.low, bar.high] == pytest.approx([18.7, 81.3], abs=0.05)


def test_scores_that_nothing_tells_the_interval_of_are_not_drawn_again() -> None:
    made = board(tables=[table(row("a"), row("b"))])
    assert scores_chart(made, words(made)) is None


def test_the_table_of_scores_has_the_numbers_that_are_drawn() -> None:
    made = board(tables=[table(printed("a", resolved=counts("50.0", 10)), printed("b", resolved="20.0"))], on=TARGETS)
    chart = scores_chart(made, words(made))
    assert chart
    assert chart.table
    assert chart.table.lines == [("A", ["50.0", "18.7", "81.3"]), ("B", ["20.0", "–", "–"])]


def test_a_long_board_shows_its_first_rows() -> None:
    rows = [printed(f"agent-{number:02}", resolved=counts(f"{90 - number}.0", 100)) for number in range(MOST + 5)]
    made = board(tables=[table(*rows)], on=TARGETS)
    chart = scores_chart(made, words(made))
    assert chart
    assert len(ranking(made).bars) == MOST
    assert f"the first {MOST} of {MOST + 5} agents" in chart.sentence


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (("50.0", "49.0", "2.0"), "2 of the 3 ranked rows could be first."),
        (("90.0", "49.0", "2.0"), "The first is shown to be ahead of every other ranked row."),
    ],
)
def test_it_is_said_how_many_could_be_the_best(values: Sequence[str], said: str) -> None:
    rows = [printed(name, resolved=counts(value, 100)) for name, value in zip("abc", values, strict=True)]
    assert sentence(board(tables=[table(*rows)], on=TARGETS)).endswith(said)


def test_nobody_is_first_where_nothing_tells_of_the_order() -> None:
    """The counts are of rounds, which hang together within a task."""
    rows = [printed(name, strict=counts(value, 100)) for name, value in (("a", "90.0"), ("b", "2.0"))]
    on = track(headline="strict", columns=("strict",))
    assert sentence(board(tables=[table(*rows)], on=on)).endswith("Nothing here tells how sure their order is.")


def test_a_row_that_nothing_tells_of_could_be_first_too() -> None:
    rows = [printed(name, resolved=counts(value, 100)) for name, value in (("a", "90.0"), ("b", "2.0"))]
    made = board(tables=[table(*rows, printed("c", resolved="50.0"))], on=TARGETS)
    assert sentence(made).endswith("2 of the 3 ranked rows could be first.")


def test_sr_is_set_against_mt_with_a_diagonal() -> None:
    rows = [
        printed("a", mt_at_k="50.0", sr="70.0", gap="20.0"),
        printed("b", mt_at_k="40.0", sr="40.0"),
        printed("c", mt_at_k="30.0", sr="20.0"),
    ]
    made = board(tables=[table(*rows)], on=RELAY)
    chart = reference_chart(made, words(made))
    (cloud,) = clouds(chart)
    assert [(dot.name, dot.x, dot.y) for dot in cloud.dots] == [("A", 50.0, 70.0), ("B", 40.0, 40.0), ("C", 30.0, 20.0)]
    assert cloud.diagonal == "SR = MT@k"
    assert chart
    assert "1 of 3 agents lie above it" in chart.sentence
    assert chart.table
    assert dict(chart.table.lines)["A"] == ["50.0", "70.0", "20.0"]


def test_a_track_without_reference_rounds_has_no_such_chart() -> None:
    made = board(bundle("a", "##"), bundle("b", "#."), bundle("c", ".."))
    assert reference_chart(made, words(made)) is None


def test_scores_by_several_versions_of_a_definition_stand_on_no_common_axis() -> None:
    """Each of two agents has one measured round; they are measured by different versions."""
    on = track(headline="erosion", columns=("erosion",))
    found = {name: records("a", "#", measures={f"erosion@{name}": 0.5}) for name in ("v1", "v2")}
    made = board(*(bundle(name, found=each) for name, each in found.items()), on=on, rounds=(1,))
    assert not made.ranks
    assert board_charts(made, words(made)) == []


def test_a_board_has_three_charts_at_most() -> None:
    split = {"kind": {kind: {"value": Decimal("50.0")} for kind in ("tool", "game")}}
    score = {**counts("50.0", 10), "groups": split}
    rows = [printed(name, mt_at_k=score, sr="70.0", avg_turns="20.0") for name in "abc"]
    made = board(tables=[table(*rows)], on=RELAY.model_copy(update={"attempts": 1, "groupings": ("kind",)}))
    assert len(made.splits) == 1
    assert [chart.id for chart in board_charts(made, words(made))] == ["scores", "reference", "effort"]
