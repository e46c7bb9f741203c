"""A cost of 0 beside tokens is unknown everywhere, unless the submission declares its agent free."""

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from kit.boards import board, bundle, entry_of, table
from kit.chart_boards import words
from kit.command import done
from kit.result_grids import records
from kit.results_folders import ROUNDS, Tree

import sitegen
from sitegen.board.board import Board
from sitegen.board.every_eval_ever import record_files
from sitegen.board.export import row_json
from sitegen.board.rules import rules_json
from sitegen.charts.analyses.effort import tokens_chart
from sitegen.charts.board_charts import effort_chart
from sitegen.charts.chart import Chart, Cloud, Dot
from sitegen.models.outcome import RunFigures
from sitegen.models.results import Bundle
from sitegen.models.site import Site

TASKS = "abcdefgh"


def priced(name: str, marks: str, *dollars: float | None, free: bool | None = None) -> Bundle:
    """Make a submission that has one round at each of eight tasks, each with tokens and a cost."""
    costs = dollars * (len(TASKS) // len(dollars))
    round_results = [
        record
        for task, mark, cost in zip(TASKS, marks * 8, costs, strict=False)
        for record in records(task, mark, cost_usd=cost, output_tokens=100.0)
    ]
    return bundle(name, found=round_results, agent={"name": name, "free": free})


def ranked(*bundles: Bundle, **facts: Any) -> Board:  # noqa: ANN401 - any argument of a board
    return board(*bundles, rounds=(1,) * len(TASKS), **facts)


def cost_of(made: Board, name: str, metric: str = "cost_per_round") -> Mapping[str, Any]:
    scores: Mapping[str, Mapping[str, Any]] = row_json(made, entry_of(made, name))["metrics"]
    return scores.get(metric, {"value": None})


@pytest.mark.parametrize("metric", ["cost_per_round", "net_cost"])
def test_a_cost_of_0_is_a_gap_and_that_of_a_free_agent_is_0(metric: str) -> None:
    made = ranked(priced("zero", "#", 0.0), priced("free", "#", 0.0, free=True), priced("paid", "#", 0.5))
    assert cost_of(made, "zero", metric)["value"] is None
    assert cost_of(made, "free", metric)["value"] == 0
    assert cost_of(made, "paid", metric)["value"] in {0.5, 4.0}


def test_without_a_declaration_of_true_the_agent_is_not_free() -> None:
    made = ranked(priced("no", "#", 0.0, free=False))
    assert cost_of(made, "no")["value"] is None


def test_a_mean_leaves_costs_of_0_out_and_says_so() -> None:
    made = ranked(priced("some", "#", 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 0.0))
    score = cost_of(made, "some")
    assert (score["value"], score["n"], score["of"], score["missing_note"]) == (2.0, 7, 8, "over 7 of 8 rounds")
    assert cost_of(made, "some", "net_cost")["value"] is None


def test_the_cost_of_a_run_is_unknown_where_it_is_0() -> None:
    rounds = [record for task in TASKS for record in records(task, "#", output_tokens=100.0)]
    for free, value in ((None, None), (True, 0.0)):
        agent = {"name": "ours", "free": free}
        made_of = bundle("ours", found=rounds, agent=agent)
        runs = tuple(RunFigures(task, 1, cost_usd=0.0, output_tokens=100.0) for task in TASKS)
        made = ranked(Bundle(made_of.id, made_of.path, made_of.submission, made_of.rounds, runs))
        assert cost_of(made, "ours")["value"] == value


def test_rows_hand_on_no_cost_that_is_unknown() -> None:
    made = ranked(priced("zero", "#", 0.0), priced("free", "#", 0.0, free=True))
    for name, expected_cost in (("zero", None), ("free", "0.0")):
        files = record_files(made, entry_of(made, name), Site())
        (samples,) = [text for path, text in files.items() if path.endswith(".jsonl")]
        costs = {json.loads(line)["metadata"].get("cost_usd") for line in samples.splitlines()}
        assert costs == {expected_cost}


def test_whoever_recomputes_a_row_is_told_that_its_agent_is_free() -> None:
    made: Any = rules_json([ranked(priced("zero", "#", 0.0), priced("free", "#", 0.0, free=True))])
    submissions = made["boards"][0]["submissions"]
    assert ("free" in submissions["zero"], submissions["free"]["free"]) == (False, True)


def test_charts_of_what_rounds_took_leave_it_out() -> None:
    rounds = [record for task in TASKS for record in records(task, "#", cost_usd=0.0)]
    failed = [record for task in TASKS for record in records(task, ".", cost_usd=1.0)]
    made = ranked(bundle("zero", found=rounds), bundle("paid", found=failed))
    assert tokens_chart(made, words(made)) is None


def cloud_of(chart: Chart | None) -> Cloud:
    assert chart
    cloud = chart.panels[0]
    assert isinstance(cloud, Cloud)
    return cloud


def dots_of(chart: Chart | None) -> dict[str, Dot]:
    return {dot.name: dot for dot in cloud_of(chart).dots}


def effort(made: Board) -> Chart:
    chart = effort_chart(made, words(made))
    assert chart
    return chart


PAID: Sequence[Bundle] = (
    priced("acme", "########", *[4.0] * 8),
    priced("bolt", "####....", *[1.0] * 8),
    priced("cord", "###.....", *[3.0] * 8),
)


def test_a_cost_of_0_does_not_win_the_pareto_chart() -> None:
    unknown = dots_of(effort(ranked(*PAID, priced("zero", "########", 0.0))))
    assert {name for name, dot in unknown.items() if dot.is_front} == {"ACME", "BOLT"}
    assert "ZERO" not in unknown
    free = dots_of(effort(ranked(*PAID, priced("zero", "########", 0.0, free=True))))
    assert [name for name, dot in free.items() if dot.is_front] == ["ZERO"]


def test_a_cost_over_a_part_of_the_rounds_is_marked_and_not_on_the_front() -> None:
    chart = effort(ranked(*PAID, priced("part", "########", *[0.1] * 7, None)))
    partial_dot = dots_of(chart)["PART"]
    assert (partial_dot.is_front, partial_dot.note) == (False, "over 7 of 8 rounds")
    assert {name for name, dot in dots_of(chart).items() if dot.is_front} == {"ACME", "BOLT"}
    assert chart.table
    assert dict(chart.table.lines)["PART"][1] == "0.10 (over 7 of 8 rounds)"
    assert "Not compared (dashed outline): PART (over 7 of 8 rounds)." in chart.sentence


def test_a_printed_cost_of_0_is_not_on_the_front_unless_the_row_says_that_it_is_free() -> None:
    def table_of(**facts: object) -> Board:
        rows = [
            {"id": name, "values": {"dataset_score": Decimal(score), "net_cost": Decimal(cost)}, **fields}
            for name, score, cost, fields in (
                ("acme", "60.0", "9.00", {}),
                ("bolt", "50.0", "5.00", {}),
                ("zero", "70.0", "0.00", facts),
            )
        ]
        return board(tables=[table(*rows)])

    assert {name for name, dot in dots_of(effort(table_of())).items() if dot.is_front} == {"ACME", "BOLT"}
    assert {name for name, dot in dots_of(effort(table_of(free=True))).items() if dot.is_front} == {"ZERO"}


def test_the_front_says_what_its_intervals_show() -> None:
    """The expensive agent that fails everything is beaten; the one that is nearly as good is too close to call."""
    rows = (
        priced("acme", "#######.", *[1.0, 1.2] * 4),
        priced("bolt", "######..", *[1.1, 1.2] * 4),
        priced("drab", "........", *[40.0, 44.0] * 4),
    )
    chart = effort(ranked(*rows))
    dots = dots_of(chart)
    assert [name for name, dot in dots.items() if dot.is_front] == ["ACME"]
    acme = dots["ACME"]
    assert None not in (acme.low, acme.high, acme.x_low, acme.x_high)
    assert "on the Pareto front, where no other agent is better on both axes; intervals are ignored" in chart.sentence
    assert (
        "1 of the 2 other agents is clearly beaten on both axes (the intervals do not overlap), and 1 is too close"
        in (chart.sentence)
    )


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    tree = Tree(tmp_path / "results")
    tree.rounds(*({**round_result, "cost_usd": 0.0, "output_tokens": 90} for round_result in ROUNDS[:2]), ROUNDS[2])
    return tree


def test_validation_names_the_records_and_the_choice_that_decides(tree: Tree) -> None:
    (problem,) = [candidate for candidate in tree.told() if candidate.code == "COST-ZERO"]
    assert (problem.severity, problem.place) == ("warning", "rounds.jsonl:1")
    assert "2 rounds" in problem.what
    assert "round 1 of tidy, attempt 1; round 2 of tidy, attempt 1" in problem.what
    assert "`free = true` below `[agent]`" in problem.fix
    tree.edit("submission.toml", "[agent]", "[agent]\nfree = true")
    assert "COST-ZERO" not in tree.codes()


def test_tables_of_rounds_have_no_cost_where_it_is_unknown(tree: Tree) -> None:
    assert sitegen.load(tree.folder).rounds.cost_usd.isna().all()
    tree.edit("submission.toml", "[agent]", "[agent]\nfree = true")
    tables = sitegen.load(tree.folder)
    assert tables.rounds.cost_usd.tolist()[:2] == [0.0, 0.0]
    assert tables.boards.free.tolist() == [True]


def test_a_release_keeps_the_records_as_they_were_sent(tree: Tree) -> None:
    """What is unknown is left out of scores, and not of what a release holds bundles against."""
    done("release", "2026-07-02", "--results", tree.folder)
    tree.change(1, turns=3)
    problems = [problem for problem in tree.told() if problem.code == "RELEASE-BUNDLE-DIFFERS"]
    assert [problem.what.partition(": ")[2] for problem in problems] == ["round 1 of tidy, attempt 1 differs"]
