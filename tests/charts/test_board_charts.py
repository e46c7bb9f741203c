"""What the charts of a board show, from boards that can be read off."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from kit.boards import board, bundle, row, table, track
from kit.chart_boards import counts, printed, words
from kit.result_grids import records

from sitegen.charts.board_charts import (
    board_charts,
    cases_chart,
    curve_chart,
    effort_chart,
    reference_chart,
    released_chart,
)
from sitegen.charts.chart import Chart, Cloud, Curves
from sitegen.charts.layout import plotted
from sitegen.models.benchmark import Track
from sitegen.models.outcome import RoundResult
from sitegen.models.results import Bundle

RELAY = track(protocol="fail-stop", attempts=4, headline="mt_at_k", columns=("mt_at_k", "sr"))
TARGETS = track(protocol="once", headline="resolved", columns=("resolved",))


def effort(*rows: Mapping[str, Any], on: Track | None = None) -> Chart | None:
    made = board(tables=[table(*rows)], on=on)
    return effort_chart(made, words(made))


def clouds(chart: Chart | None) -> list[Cloud]:
    assert chart
    return [panel for panel in chart.panels if isinstance(panel, Cloud)]


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
    assert "C has the lowest Net cost (1.00 USD) and scores 40.0." in chart.sentence
    assert "On the front by Net cost: C and A." in chart.sentence


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
    priced_rows = [printed(name, net_cost="1.00", **figures) for name in "abc"]
    chart = effort(*priced_rows, printed("d", **figures))
    assert [len(cloud.dots) for cloud in clouds(chart)] == [3, 4]
    assert chart
    assert chart.table
    assert dict(chart.table.lines)["D"] == ["50.0", "–", "20.0 (front)"]


def test_a_score_against_cost_has_its_interval() -> None:
    rows = [printed(name, resolved=counts("50.0", 10), net_cost="1.00") for name in "abc"]
    made = board(tables=[table(*rows)], on=TARGETS)
    (cloud,) = clouds(effort_chart(made, words(made)))
    assert [cloud.dots[0].low, cloud.dots[0].high] == pytest.approx([18.7, 81.3], abs=0.05)


CASES = track(columns=("dataset_score", "case_score"))


def cased(name: str, *passed: int) -> Bundle:
    """Pass so many of four cases in each round of one task."""
    return bundle(
        name,
        found=[
            RoundResult(task="a", attempt=1, round=number, state="scored", reward=float(k == 4), passed=k, total=4)
            for number, k in enumerate(passed, start=1)
        ],
    )


def test_cases_are_set_against_rounds_and_the_widest_gap_is_named() -> None:
    made = board(cased("a", 4, 4), cased("b", 4, 3), cased("c", 3, 3), on=CASES)
    chart = cases_chart(made, words(made))
    assert chart
    assert chart.title == "C passes 75.0 % of cases and 0.0 % of rounds"
    assert chart.sentence.startswith("This is the widest gap among the 3 agents.")
    (cloud,) = clouds(chart)
    assert [(dot.name, dot.x, dot.y) for dot in cloud.dots] == [
        ("A", 100.0, 100.0),
        ("B", 87.5, 50.0),
        ("C", 75.0, 0.0),
    ]


def test_published_rows_are_not_among_those_whose_cases_are_set_against_rounds() -> None:
    made = board(cased("a", 4, 4), cased("b", 4, 3), cased("c", 3, 3), on=CASES, tables=[table(row("d"))])
    chart = cases_chart(made, words(made))
    assert chart
    assert "3 agents" in chart.sentence


def curve(*marks: str, second: str = "...") -> Chart | None:
    """Follow two agents over six tasks of three rounds."""
    made = board(bundle("a", *marks), bundle("b", *[second] * 6), rounds=(3,) * 6)
    return curve_chart(made, words(made))


def test_a_curve_follows_the_same_tasks_from_round_to_round() -> None:
    chart = curve(*["##."] * 3, *["#.."] * 3)
    assert chart
    (panel,) = chart.panels
    assert isinstance(panel, Curves)
    assert [(curve.name, curve.look, list(curve.values)) for curve in panel.curves] == [
        ("A", "first", [100.0, 50.0, 0.0]),
        ("B", "second", [0.0, 0.0, 0.0]),
        ("all 2 agents", "all", [50.0, 25.0, 0.0]),
    ]
    assert "50.0 % at round 1 and 0.0 % at round 3" in chart.sentence
    assert chart.title == "Round 1 is passed most often"


@pytest.mark.parametrize("marks", ["###", ".##"])
def test_the_first_round_is_no_peak_where_another_is_passed_as_often(marks: str) -> None:
    chart = curve(*[marks] * 6)
    assert chart
    assert chart.title == "Pass rate by round"


def test_a_curve_ends_where_a_fifth_of_the_tasks_has_ended() -> None:
    """Eight of ten tasks have three rounds; two of them go on, and one of the others has two rounds."""
    marks = ["##.", "##.", "##.", "##.", "##.", "##.", "##.##", "##.##", "..", "."]
    made = board(bundle("a", *marks), rounds=[len(mark) for mark in marks])
    chart = curve_chart(made, words(made))
    assert chart
    assert chart.sentence.endswith("Every point covers the 8 tasks with 3 rounds or more.")
    assert chart.table
    assert chart.table.lines[0] == ("A", ["100.0", "100.0", "0.0"])


def test_too_few_tasks_make_no_curve() -> None:
    made = board(bundle("a", "###"), bundle("b", "..."), rounds=(3,))
    assert curve_chart(made, words(made)) is None


def dated(name: str, value: str, day: date | None) -> Mapping[str, Any]:
    return {**printed(name, resolved=value), **({"model_released": day} if day else {})}


def test_scores_stand_against_the_day_of_the_model() -> None:
    days = [date(2026, 1, 5), date(2026, 2, 5), date(2026, 3, 5), None]
    rows = [
        dated(name, value, day) for name, value, day in zip("abcd", ("9.0", "8.0", "7.0", "6.0"), days, strict=True)
    ]
    made = board(tables=[table(*rows)], on=TARGETS)
    chart = released_chart(made, words(made))
    assert chart
    assert ("Lines are" in chart.sentence) == any(dot.low is not None for dot in clouds(chart)[0].dots)
    assert chart.sentence.startswith("No later model has a better score than 9.0 (A, 2026-01-05).")
    assert chart.sentence.endswith("The release date is unknown for 1 agent.")
    (cloud,) = clouds(chart)
    assert [date.fromordinal(int(dot.x)) for dot in cloud.dots] == days[:3]
    assert [text for _, text in plotted(cloud).across] == ["Jan 2026", "Feb 2026", "Mar 2026", "Apr 2026"]


def test_the_best_score_so_far_goes_from_the_first_model_to_the_best_one() -> None:
    days = [date(2026, 1, 5), date(2026, 1, 5), date(2026, 3, 5), date(2026, 4, 5)]
    rows = [dated(*row) for row in zip("abcd", ("2.0", "4.0", "9.0", "6.0"), days, strict=True)]
    made = board(tables=[table(*rows)], on=TARGETS)
    chart = released_chart(made, words(made))
    assert chart
    assert chart.sentence.startswith("The highest score so far went from 4.0 (B, 2026-01-05) to 9.0 (C, 2026-03-05)")


def test_a_chart_without_intervals_does_not_speak_of_lines() -> None:
    rows = [dated(name, "9.0", date(2026, month, 5)) for month, name in enumerate("abc", start=1)]
    made = board(tables=[table(*({**row, "values": {"dataset_score": row["values"]["resolved"]}} for row in rows))])
    chart = released_chart(made, words(made))
    assert chart
    assert "Lines are" not in chart.sentence


def test_efforts_without_intervals_say_once_that_nobody_can_be_shown_to_be_off_the_front() -> None:
    figures = {"net_cost": "1.00", "output_tokens_k": "30"}
    chart = effort(*(printed(name, dataset_score=f"{number}0.0", **figures) for number, name in enumerate("abc", 3)))
    assert chart
    note = "There are no intervals, so no other agent can be shown to be off the front."
    assert chart.sentence.count(note) == 1


def test_days_that_few_state_make_no_chart() -> None:
    made = board(tables=[table(dated("a", "9.0", date(2026, 1, 5)), dated("b", "8.0", None))], on=TARGETS)
    assert released_chart(made, words(made)) is None


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
    assert "1 of 3 agents lies above the diagonal" in chart.sentence
    assert chart.table
    assert dict(chart.table.lines)["A"] == ["50.0", "70.0", "20.0"]


def test_a_track_without_reference_rounds_has_no_such_chart() -> None:
    made = board(bundle("a", "##"), bundle("b", "#."), bundle("c", ".."))
    assert reference_chart(made, words(made)) is None


def test_scores_by_several_versions_of_a_definition_stand_on_no_common_axis() -> None:
    """Each of two agents has one measured round; they are measured by different versions."""
    on = track(headline="erosion", columns=("erosion",))
    records_by_version = {name: records("a", "#", measures={f"erosion@{name}": 0.5}) for name in ("v1", "v2")}
    made = board(
        *(bundle(name, found=version_records) for name, version_records in records_by_version.items()),
        on=on,
        rounds=(1,),
    )
    assert not made.ranks
    assert board_charts(made, words(made)) == []


def test_the_most_telling_charts_come_first() -> None:
    split = {"kind": {kind: {"value": Decimal("50.0")} for kind in ("tool", "game")}}
    score = {**counts("50.0", 10), "groups": split}
    rows = [printed(name, mt_at_k=score, sr="70.0", avg_turns="20.0") for name in "abc"]
    made = board(tables=[table(*rows)], on=RELAY.model_copy(update={"attempts": 1, "groupings": ("kind",)}))
    assert len(made.splits) == 1
    assert [chart.id for chart in board_charts(made, words(made))] == ["reference", "effort", "splits"]
