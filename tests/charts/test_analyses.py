"""The analyses of a board, each against a count that is made another way."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import exp
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import pytest
from kit.boards import board, bundle, row, table, track
from kit.chart_boards import printed, words
from kit.result_grids import records, task

from sitegen.board.making import make_boards
from sitegen.charts.analyses.catalogue import analyses
from sitegen.charts.analyses.effort import budget_chart, phase_charts, scaffolds_chart, tokens_chart
from sitegen.charts.analyses.kinds import attempts_chart, kinds_charts
from sitegen.charts.analyses.rounds import heat_chart, length_chart, modes_chart, rerun_chart, tasks_chart, tiers_chart
from sitegen.charts.chart import BarList, Chart, Curves, Heat
from sitegen.models.benchmark import Benchmark
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.models.task import TaskSet

ROUNDS = (3, 3, 3, 4, 4, 6, 6, 6)
"""Eight tasks of several lengths."""

NAMES = ("ada", "bob", "cyd", "dan", "eve", "fay")


def marks(agent_index: int) -> list[str]:
    """Agent 0 passes most: of task t it fails the rounds from 1 + (t + place) modulo 7 on."""
    return [
        "#" * min(length, 6 - (task + 2 * agent_index) % 7)
        + "." * (length - min(length, 6 - (task + 2 * agent_index) % 7))
        for task, length in enumerate(ROUNDS)
    ]


MARKS = {name: marks(agent_index) for agent_index, name in enumerate(NAMES)}
MADE = board(*(bundle(name, *drawn) for name, drawn in MARKS.items()), rounds=ROUNDS)


def lines(chart: Chart | None) -> Mapping[str, Sequence[str]]:
    assert chart
    assert chart.table
    assert all(len(texts) + 1 == len(chart.table.heads) for _, texts in chart.table.lines)
    return dict(chart.table.lines)


def ranking(chart: Chart) -> BarList:
    (panel,) = chart.panels
    assert isinstance(panel, BarList)
    return panel


def percent(k: int, n: int) -> float:
    return float(Fraction(100 * k, n))


def about(values: Sequence[float], quantile: float) -> tuple[float, float]:
    """Their 95 % interval, by the quantile of Student's t as tables print it for one value fewer."""
    half = quantile * stdev(values) / len(values) ** 0.5
    return fmean(values) - half, fmean(values) + half


def on_log_scale(values: Sequence[float], quantile: float) -> tuple[float, float]:
    """Their approximate interval, as of an amount."""
    factor = exp(quantile * stdev(values) / len(values) ** 0.5 / fmean(values))
    return fmean(values) / factor, fmean(values) * factor


def test_the_heat_map_counts_each_agent_at_each_round() -> None:
    chart = heat_chart(MADE, words(MADE))
    assert chart
    (panel,) = chart.panels
    assert isinstance(panel, Heat)
    has = [sum(length >= number for length in ROUNDS) for number in range(1, 7)]
    assert panel.columns == [(str(number), str(count)) for number, count in enumerate(has, start=1)]
    for name, drawn in MARKS.items():
        passed_counts = [sum(task_marks[at : at + 1] == "#" for task_marks in drawn) for at in range(6)]
        assert dict(panel.rows)[name.upper()] == pytest.approx(
            [percent(*counts) for counts in zip(passed_counts, has, strict=True)]
        )


def test_the_heat_map_names_the_round_that_is_passed_least_of_those_with_enough_tasks() -> None:
    """Round 6 is over three tasks, too few to be named."""
    chart = heat_chart(MADE, words(MADE))
    assert chart
    passed = {
        at: sum(task_marks[at] == "#" for drawn in MARKS.values() for task_marks in drawn if len(task_marks) > at)
        for at in range(4)
    }
    shares = {at + 1: percent(k, 6 * sum(length > at for length in ROUNDS)) for at, k in passed.items()}
    least = min(shares, key=lambda number: shares[number])
    assert f"round {least} least often ({shares[least]:.1f} %)" in chart.sentence


def test_thirds_pool_the_rounds_of_their_agents_over_the_same_tasks() -> None:
    chart = tiers_chart(MADE, words(MADE))
    assert chart
    (panel,) = chart.panels
    assert isinstance(panel, Curves)
    order = [entry.id for entry in MADE.entries]
    last = len(panel.steps)
    cohort = [task_index for task_index, length in enumerate(ROUNDS) if length >= last]
    assert panel.steps == [str(number) for number in range(1, last + 1)]
    for curve, pair in zip(panel.curves, (order[:2], order[2:4], order[4:]), strict=True):
        passed = [sum(MARKS[name][task][at] == "#" for name in pair for task in cohort) for at in range(last)]
        assert curve.values == pytest.approx([percent(k, 2 * len(cohort)) for k in passed])


def test_the_score_by_length_is_a_mean_over_agents_and_tasks() -> None:
    chart = length_chart(MADE, words(MADE))
    chart_lines = lines(chart)
    for name, task_indices in {"3 rounds": (0, 1, 2), "4 rounds": (3, 4), "6 rounds": (5, 6, 7)}.items():
        shares = [Fraction(MARKS[agent][at].count("#"), ROUNDS[at]) for agent in NAMES for at in task_indices]
        assert chart_lines[name][:2] == [str(len(task_indices)), f"{float(100 * sum(shares) / len(shares)):.1f}"]
        assert chart_lines[name][2] == "–", "so few tasks tell no interval"
    assert chart
    assert chart.sentence.startswith("There are too few tasks to tell whether length matters: mean Dataset Score is ")


@pytest.mark.parametrize(
    ("short", "long", "expected_start"),
    [
        (["##", "##", "#."], ["....", "#...", "...."], "Scores are higher on short tasks: "),
        (["..", "#.", ".."], ["####", "###.", "####"], "Scores are higher on long tasks: "),
        (["##", "..", "#."], ["####", "....", "##.."], "Task length has no clear effect: "),
    ],
)
def test_a_length_scores_higher_where_its_interval_lies_above(
    short: list[str], long: list[str], expected_start: str
) -> None:
    made = board(bundle("ada", *short * 4, *long * 4), rounds=(2,) * 12 + (4,) * 12)
    chart = length_chart(made, words(made))
    assert chart
    assert chart.sentence.startswith(f"{expected_start}mean Dataset Score is ")
    below, above = sorted(ranking(chart).bars, key=lambda bar: bar.value)
    assert below.high is not None
    assert above.low is not None
    assert (below.high < above.low) == ("do not overlap" in chart.sentence) == ("higher" in expected_start)


@pytest.mark.parametrize(
    ("marks", "heads", "sentence"),
    [
        (
            "#",
            ["All tasks"],
            "Failed attempts at a task had 2.00 times the output tokens of passed attempts, with an approximate",
        ),
        ("##", ["1", "2"], "In 2 of 2 rounds with"),
    ],
)
def test_what_failing_takes_is_held_against_passing_the_same_round(marks: str, heads: list[str], sentence: str) -> None:
    """At each task the one that fails takes 30 tokens, the two that pass 10 and 20: twice as many as their mean."""
    tasks = "abcdef"

    def spent(own_marks: str, tokens: int) -> list[Any]:
        return [record for name in tasks for record in records(name, own_marks, output_tokens=tokens)]

    made = board(
        bundle("ada", found=spent(marks, 10)),
        bundle("bob", found=spent(marks, 20)),
        bundle("cyd", found=spent("." * len(marks), 30)),
        rounds=(len(marks),) * 6,
    )
    chart = tokens_chart(made, words(made))
    assert lines(chart) == {head: ["12", "6", "6", "2.00", "2.00 to 2.00"] for head in heads}
    assert chart
    assert chart.sentence.startswith(sentence)


def test_any_and_every_attempt_count_rounds_that_keep_all_before_them() -> None:
    """Ada keeps 2 rounds of 4 in one attempt and 1 in the other, at each of 6 tasks; Bob 4 and 4."""
    drawn = {"ada": ("##.#", "#.##"), "bob": ("####", "####")}
    records_by_agent = {
        name: [
            record for task in "abcdef" for at, marked in enumerate(tries, 1) for record in records(task, marked, at)
        ]
        for name, tries in drawn.items()
    }
    stop = track(protocol="fail-stop", attempts=2, headline="mt_at_k", columns=("mt_at_k",))
    made = board(
        *(bundle(name, found=agent_records) for name, agent_records in records_by_agent.items()),
        on=stop,
        rounds=(4,) * 6,
    )
    chart = attempts_chart(made, words(made))
    assert lines(chart) == {"BOB": ["100.0"] * 3, "ADA": ["50.0", "37.5", "25.0"]}
    assert chart
    (panel,) = chart.panels
    assert isinstance(panel, Curves)
    pairs = [[(kept_rounds > at) for kept_rounds in (2, 1, 4, 4)] for at in range(4)]
    every_attempt = [percent((two and kept_one) + (all_four and again), 2) for two, kept_one, all_four, again in pairs]
    any_attempt = [percent((two or kept_one) + (all_four or again), 2) for two, kept_one, all_four, again in pairs]
    means = [percent(sum(pair), 4) for pair in pairs]
    assert [list(curve.values) for curve in panel.curves] == [any_attempt, means, every_attempt]
    assert "attempts pass 100 % at round 1 and 100 % at round 4" in chart.sentence


def test_kinds_of_targets_are_told_by_agent() -> None:
    """The first target of each task is a fix, the others are features."""
    once = track(protocol="once", headline="resolved", columns=("resolved",))
    made = board(bundle("ada", "#..", "##."), bundle("bob", "###", "#.."), on=once, rounds=(3, 3))
    tasks = [
        replace(task, rounds=tuple(replace(r, labels=("fix",) if r.n == 1 else ("feature",)) for r in task.rounds))
        for task in made.tasks.tasks
    ]
    benchmark = made.benchmark.model_copy(update={"ordered": False})
    results = replace(made.results, benchmark=benchmark, task_sets={"all": TaskSet("all", tuple(tasks))})
    (made,) = make_boards(results)
    (chart,) = kinds_charts(made, words(made))
    (panel,) = chart.panels
    assert isinstance(panel, Heat)
    kind_names = [label.rpartition(": ")[2] for label, _ in panel.columns]
    shares_by_agent = {name: dict(zip(kind_names, shares, strict=True)) for name, shares in panel.rows}
    assert shares_by_agent["ADA"] == {"fix": 100.0, "feature": 25.0}
    assert shares_by_agent["BOB"] == {"fix": 100.0, "feature": 50.0}
    assert shares_by_agent["All agents"] == {"fix": 100.0, "feature": 37.5}
    assert dict(zip(kind_names, (n for _, n in panel.columns), strict=True)) == {"fix": "4", "feature": "8"}


def test_labels_and_recovery_are_told_by_agent() -> None:
    """Each mark is looked at by itself; a round has one label or two."""
    labels = [("fix",), ("feature",), ("fix", "feature")] * 3
    own_marks = {"ada": ("##.#.##.", "#.#.##..", ".##.#"), "bob": ("#.##....", "###..#.#", "#..##")}
    anew = {"ada": ("########", "#.#.#.#.", ".#.#."), "bob": (".#.#.#.#", "####....", "##.##")}
    reference_records = {
        name: [
            record
            for task, marked in zip("abc", anew[name], strict=True)
            for record in records(task, marked, 1, "reference")
        ]
        for name in own_marks
    }
    bundles = [bundle(name, *drawn, found=reference_records[name]) for name, drawn in own_marks.items()]
    made = board(*bundles, on=track(reference_rounds=True), rounds=(8, 8, 5))
    tasks = [
        replace(task, rounds=tuple(replace(r, labels=labels[r.n - 1]) for r in task.rounds))
        for task in made.tasks.tasks
    ]
    (made,) = make_boards(replace(made.results, task_sets={"all": TaskSet("all", tuple(tasks))}))
    counted: dict[tuple[str, str, str], list[bool]] = defaultdict(list)
    for name, drawn in own_marks.items():
        for marked, again in zip(drawn, anew[name], strict=True):
            for n, (mark, reference_mark) in enumerate(zip(marked, again, strict=True), start=1):
                phase = ("Early: rounds 1 to 3", "Middle: rounds 4 to 6", "Late: round 7 and later")[(n - 1) // 3]
                for who in (name.upper(), "All agents"):
                    for label in labels[n - 1]:
                        counted["by-agent-labels", who, f"{phase}: {label}"].append(mark == "#")
                    if mark != "#":
                        counted["by-agent-recovery", who, str(n)].append(reference_mark == "#")
    chart_shares = {
        (chart.id, row, label): share
        for chart in kinds_charts(made, words(made))
        for panel in chart.panels
        if isinstance(panel, Heat)
        for row, shares in panel.rows
        for (label, _), share in zip(panel.columns, shares, strict=True)
        if share is not None
    }
    assert chart_shares == pytest.approx({key: percent(sum(passes), len(passes)) for key, passes in counted.items()})
    assert {chart for chart, *_ in chart_shares} == {"by-agent-labels", "by-agent-recovery"}


def test_judged_failures_are_shared_out_by_their_modes() -> None:
    """Ada's two failures are judged, and one of Bob's two."""
    modes = {"missed": "Missed", "stale": "Left stale"}
    records_by_agent = {
        "ada": [*records("a", "#."), *records("b", ".#")],
        "bob": [*records("a", "#."), *records("b", "#.")],
    }
    records_by_agent["ada"][1], records_by_agent["ada"][2] = (
        replace(records_by_agent["ada"][at], mode="missed") for at in (1, 2)
    )
    records_by_agent["bob"][3] = replace(records_by_agent["bob"][3], mode="stale")
    made = board(
        *(bundle(name, found=agent_records) for name, agent_records in records_by_agent.items()), rounds=(2, 2)
    )
    (made,) = make_boards(replace(made.results, benchmark=made.benchmark.model_copy(update={"modes": modes})))
    chart = modes_chart(made, words(made))
    assert lines(chart) == {"ADA": ["2", "0"], "BOB": ["0", "1"]}
    assert chart
    assert "“Missed”: 66.7 % of the 3 failed rounds whose failure was judged, out of 4 in total" in chart.sentence
    assert [bar.text for bar in ranking(chart).bars] == ["66.7", "33.3"]


def test_each_agent_has_its_own_curve_over_budgets() -> None:
    """Ada resolves within 8, 20 and 60 turns, and not within 90; bob resolves one, within 30."""
    once = track(protocol="once", headline="resolved", columns=("resolved",))

    def runs(*marks_and_turns: tuple[str, int]) -> list[Any]:
        return [
            record
            for name, (mark, turns) in zip("abcd", marks_and_turns, strict=True)
            for record in records(name, mark, turns=turns)
        ]

    ada = bundle("ada", found=runs(("#", 8), ("#", 20), ("#", 60), (".", 90)))
    bob = bundle("bob", found=runs(("#", 30), (".", 8), (".", 8), (".", 8)))
    made = board(ada, bob, on=once, rounds=(1,) * 4)
    chart = budget_chart(made, words(made))
    assert lines(chart) == {
        "ADA": ["25.0", "50.0", "50.0", "75.0", "75.0"],
        "BOB": ["0.0", "0.0", "25.0", "25.0", "25.0"],
    }
    assert chart
    assert chart.table
    assert chart.table.heads[1:] == ["10", "25", "50", "75", "100"]


def in_scaffolds(name: str, scaffold: str, *drawn: str) -> Bundle:
    return bundle(f"{name}-{scaffold}", *drawn, agent={"name": name, "scaffold": scaffold})


def test_two_scaffolds_are_compared_task_by_task() -> None:
    made = board(
        in_scaffolds("ada", "left", *["##"] * 7, ".."), in_scaffolds("ada", "right", *["#."] * 7, ".."), rounds=(2,) * 8
    )
    chart = scaffolds_chart(made, words(made))
    ((first, second, apart, ends),) = lines(chart).values()
    assert (first, second, apart) == ("87.5", "43.8", "+43.8")
    low, _ = about([*[50.0] * 7, 0.0], 2.3646)
    assert ends == f"{low:.1f} to 63.0"
    assert chart
    assert "Each agent was tested over the same tasks; 1 of the 1 difference is clear." in chart.sentence


def test_printed_scores_in_two_scaffolds_are_not_tested() -> None:
    rows = [
        row(f"ada-{scaffold}", value, name="ada", scaffold=scaffold)
        for scaffold, value in (("left", "40.0"), ("right", "42.5"))
    ]
    made = board(tables=[table(*rows)])
    chart = scaffolds_chart(made, words(made))
    assert lines(chart) == {"ada": ["40.0", "42.5", "−2.5", "–"]}
    assert chart
    assert "Differences are not tested" in chart.sentence


def test_measurements_are_shown_by_phase_and_their_rise_is_counted() -> None:
    """Five tasks rise from 0.1 by 0.1 a round, one falls as fast: a slope of 4/6 of 0.1."""
    round_results = []
    for index, name in enumerate("abcdef"):
        values = [0.1 * at for at in range(1, 6)]
        for at, value in enumerate(reversed(values) if index == 5 else values):
            round_results += [records(name, "#####", measures={"erosion@one": value})[at]]
    made = board(bundle("ada", found=round_results), bundle("bob", *["#...."] * 6), rounds=(5,) * 6)
    (chart,) = phase_charts(made, words(made))
    assert [bar.text for bar in ranking(chart).bars] == ["0.167", "0.233", "0.300", "0.367", "0.433"]
    assert (
        "Erosion (one) is higher at the last round of a run than at the first in 5 of 6 runs, 83.3 %" in chart.sentence
    )
    assert "the slope is +0.067 per round" in chart.sentence
    assert chart.title == "Erosion (one) by phase of the task"
    measured = [[*[0.1 * at] * 5, 0.1 * (6 - at)] for at in range(1, 6)]  # each phase is of one round
    ends = [on_log_scale(phase_values, 2.5706) for phase_values in measured]
    drawn = [(bar.low, bar.high) for bar in ranking(chart).bars]
    assert drawn == [pytest.approx(end, abs=1e-5) for end in ends]
    expected_texts = [
        f"{fmean(phase_values):.3f} ({low:.3f} to {high:.3f}), 6 tasks".replace("-", "−")
        for phase_values, (low, high) in zip(measured, ends, strict=True)
    ]
    assert lines(chart)["ADA"] == lines(chart)["All agents"] == expected_texts
    assert set(lines(chart)["BOB"]) == {"–"}


def test_a_track_that_was_run_again_is_held_against_what_replaced_it() -> None:
    """Of eight rounds a task that both have, ada loses one at each task, and gains two at task a."""
    shown = {"id": "old", "superseded_by": "new", "status": "withdrawn", "reason": "a leak"}
    tracks = (track(**shown), track(id="new"))
    before = bundle("ada-1", "####....", *["####...."] * 5, track="old", agent={"name": "Ada"})
    after = bundle("ada-2", "###.##..", *["###....."] * 4, "###.-...", track="new", agent={"name": "ADA"})
    gone = bundle("ada-3", *["########"] * 6, track="new", agent={"name": "ADA"}, status={"state": "withdrawn"})
    tasks = TaskSet("all", tuple(task(name, 8) for name in "abcdef"))
    fields = {"schema": 1, "id": "mini", "title": "Mini", "tracks": tracks, "aliases": {"Ada": "ADA"}}
    results = BenchmarkResults(
        Path("mini"), Benchmark.model_validate(fields), {"all": tasks}, (before, after, gone), ()
    )
    old, new = make_boards(results)
    chart = rerun_chart(old, words(old))
    assert lines(chart) == {"ADA-1": ["47", "24", "20", "2", "6"]}
    assert chart
    assert [bar.text for bar in ranking(chart).bars] == [f"{percent(8, 47):.1f}"]
    assert chart.sentence.startswith(
        "Between “Main” and “Main”, 8 of 47 verdicts changed: 2 from fail to pass and 6 from pass to fail. "
        "Only rounds with a verdict on both tracks are counted (1 agent, 6 tasks)."
    )
    assert rerun_chart(new, words(new)) is None


def test_the_task_set_is_counted_by_length() -> None:
    chart_lines = lines(tasks_chart(MADE, words(MADE)))
    assert chart_lines == {"3 rounds": ["3", "9"], "4 rounds": ["2", "8"], "6 rounds": ["3", "18"]}


def test_a_board_without_data_has_no_analyses() -> None:
    made = board(tables=[table(printed("a", dataset_score="1.0"), printed("b", dataset_score="2.0"))])
    assert analyses(made, words(made)) == []
