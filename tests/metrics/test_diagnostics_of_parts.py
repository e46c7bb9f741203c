"""Diagnostics by phase, by kind of task or target and by budget, and the choice of what there is data for."""

import json
from collections import Counter
from itertools import chain
from typing import Any

import pytest
from kit.drawn_submissions import long, look, results, rounds, terms, told
from kit.real_data import real_data
from kit.result_grids import records

from sitegen.metrics.diagnostics.outline import PHASES, round_phase
from sitegen.metrics.diagnostics.sample import make_sample
from sitegen.metrics.diagnostics.tables import by_axis, by_budget, by_phase, make_diagnostics, targets
from sitegen.metrics.results import arrange_results
from sitegen.models.outcome import RunFigures

ONCE = terms(long("a", 2, domain="data"), long("b", 1, domain="games"), protocol="once", headline="resolved")
KINDS = terms(
    *(long(name, 2, domain="data") for name in "abc"),
    *(long(name, 1, domain="games") for name in "def"),
    protocol="once",
    headline="resolved",
)


def phases(*lengths: int) -> list[int]:
    """Count the rounds of tasks by phase."""
    counts = Counter(chain.from_iterable((round_phase(n, length) for n in range(1, length + 1)) for length in lengths))
    return [counts[phase] for phase in PHASES]


@pytest.mark.parametrize(
    ("length", "interior"),
    [(3, [1, 0, 0]), (4, [1, 1, 0]), (5, [1, 1, 1]), (6, [2, 1, 1]), (7, [2, 2, 1]), (8, [2, 2, 2])],
)
def test_the_interior_of_a_task_is_divided_evenly_and_from_the_front(length: int, interior: list[int]) -> None:
    assert phases(length) == [1, *interior, 1]


def test_the_phases_of_release_0_2_have_as_many_checkpoints_as_in_its_paper() -> None:
    """20 problems of 3 to 8 checkpoints, 93 together; such lengths follow from the five numbers."""
    lengths = [*[3] * 3, *[4] * 6, *[5] * 8, *[6] * 2, 8]
    assert sum(lengths) == 93
    assert phases(*lengths) == [20, 23, 18, 12, 20]


def test_the_phases_of_release_1_0_have_as_many_checkpoints_as_its_catalogue_gives() -> None:
    catalogue = json.loads(real_data("slop-code-bench", "catalog-v1.0.json").read_text(encoding="utf-8"))
    lengths = list(catalogue["problems"].values())
    assert (len(lengths), sum(lengths)) == (36, 196)
    assert phases(*lengths) == [36, 50, 41, 33, 36]


def test_phases_come_in_the_order_of_the_rounds() -> None:
    assert [round_phase(n, 8) for n in range(1, 9)] == ["Start", *["Early"] * 2, *["Mid"] * 2, *["Late"] * 2, "Final"]


def test_rounds_are_binned_by_the_length_that_a_task_is_set_up_with() -> None:
    """Round 2 of 3 is early, although a finding excludes round 3."""
    under = terms(long("a", 3), long("b", 5))
    sample = look(under, results(under, {"a": "##!", "b": "##..#"}))
    assert told(by_phase(sample)) == {
        "Start": "2 2/2",
        "Early": "2 2/2",
        "Mid": "1 0/1",
        "Late": "1 0/1",
        "Final": "1 1/1",
    }


def test_other_scores_of_checkpoints_stand_beside_the_verdict() -> None:
    """The second checkpoint fails only what came before it, the third its core."""
    under = terms(long("a", 3), headline="strict", columns=("strict", "iso", "core", "cost_per_round", "partial"))
    costs: dict[str, Any] = {"cost_usd": 0.5, "output_tokens": 10}
    round_results = [
        *records("a", "#", by_category={"core": (2, 2)}, **costs),
        *records("a", " .", by_category={"core": (2, 2), "regression": (0, 2)}, **costs),
        *records("a", "  .", by_category={"core": (0, 2)}, **costs | {"cost_usd": 1.5}),
    ]
    shown = by_phase(look(under, arrange_results(under.tasks.tasks, round_results, [], 1, 1)))
    assert list(shown.columns) == ["Rounds", "Strict", "Iso", "Core", "Cost per round"]
    assert told(shown) == {"Start": "1 1/1 1/1 1/1 0.5", "Early": "1 0/1 1/1 1/1 0.5", "Final": "1 0/1 0/1 0/1 1.5"}


def test_what_a_whole_run_cost_is_the_cost_of_no_phase() -> None:
    under = terms(long("a", 3), headline="strict", columns=("strict", "cost_per_round"))
    sheet = results(under, {"a": "###"}, runs=[RunFigures("a", 1, cost_usd=9.0, output_tokens=10)])
    assert told(by_phase(look(under, sheet)))["Start"] == "1 1/1 –"


def test_measurements_by_several_definitions_have_no_mean() -> None:
    under = terms(long("a", 3), headline="strict", columns=("strict", "erosion"))
    first_results, same_version_results, other_version_results = (
        results(under, {"a": "###"}, measures={key: value})
        for key, value in (("erosion@1", 0.25), ("erosion@1", 0.75), ("erosion@2", 0.5))
    )
    assert told(by_phase(look(under, first_results, same_version_results)))["Start"] == "1 2/2 0.5"
    assert told(by_phase(look(under, first_results, other_version_results)))["Start"] == "1 2/2 –"


def test_a_score_that_counts_tasks_is_pooled_over_submissions() -> None:
    first_results = results(KINDS, {"a": "##", "b": "##", "c": "..", "d": ".", "e": ".", "f": "."})
    second_results = results(KINDS, {"a": "#.", "b": "..", "c": "..", "d": "#", "e": "#", "f": "#"})
    assert told(by_axis(look(KINDS, first_results, second_results), "domain")) == {"data": "3 2/6", "games": "3 3/6"}


def test_a_score_that_is_a_mean_is_averaged_over_submissions() -> None:
    data, games = (long(name, 2, domain="data") for name in "abc"), (long(name, 1, domain="games") for name in "def")
    under = terms(*data, *games)
    first_results = results(under, {"a": "##", "b": "##", "c": "##", "d": "#", "e": "#", "f": "#"})
    second_results = results(under, {"a": "#.", "b": "#.", "c": "#."})
    assert told(by_axis(look(under, first_results, second_results), "domain")) == {"data": "3 75", "games": "3 100"}


def test_groups_of_fewer_than_three_tasks_are_no_groups() -> None:
    grouped_tasks = [long(f"{kind}-{index}", 1, domain=kind) for kind in ("data", "games") for index in range(3)]
    under = terms(*grouped_tasks, long("odd", 1, domain="web"), long("bare", 1))
    shown = by_axis(look(under, results(under, {task.id: "#" for task in under.tasks.tasks})), "domain")
    assert told(shown) == {"data": "3 100", "games": "3 100"}
    assert shown.sentence.endswith(
        "Based on 8 tasks. 2 of the 8 tasks are left out because their groups have fewer than 3 tasks."
    )


def test_one_large_group_compares_with_nothing() -> None:
    under = terms(*(long(name, 1, domain="data") for name in "abc"), *(long(name, 1, domain="games") for name in "de"))
    shown = make_diagnostics(look(under, results(under, dict.fromkeys("abcde", "#"))))
    assert "axis-domain" not in [diagnostic.id for diagnostic in shown]


def test_the_values_of_an_axis_come_in_the_benchmarks_order() -> None:
    kinds = ("other", "games", "data")
    under = terms(*(long(f"{kind}-{index}", 1, domain=kind) for kind in kinds for index in range(3)))
    shown = by_axis(look(under, results(under, {task.id: "#" for task in under.tasks.tasks})), "domain")
    assert [line.label for line in shown.lines] == ["data", "games", "other"]


def test_targets_weigh_the_same_under_each_label_and_each_value_of_an_axis() -> None:
    under = terms(
        rounds("a", "feature hard", "fix", domain="data"),
        rounds("b", "fix", "fix hard", domain="games"),
        *(long(name, 1, domain="data") for name in "cd"),
        *(long(name, 1, domain="games") for name in "ef"),
        protocol="once",
        headline="resolved",
    )
    sheet = results(under, {"a": "#.", "b": "##", "c": ".", "d": ".", "e": "#", "f": "#"})
    assert told(targets(look(under, sheet))) == {
        "Label fix": "3 2/3",
        "Label hard": "2 2/2",
        "Label feature": "1 1/1",
        "Domain data": "4 1/4",
        "Domain games": "4 4/4",
    }


def turns(**by_task: float) -> list[RunFigures]:
    """Say how many turns the first run at each task took."""
    return [RunFigures(name, 1, turns=turn_count) for name, turn_count in by_task.items()]


def test_a_run_of_exactly_the_budget_keeps_within_it() -> None:
    sample = look(ONCE, results(ONCE, {"a": "##", "b": "#"}, runs=turns(a=25, b=26)))
    assert told(by_budget(sample)) == {"10": "0/2", "25": "1/2", "50": "2/2", "No limit": "2/2"}


def test_more_turns_without_success_resolve_nothing_more() -> None:
    """The last line is the resolved rate."""
    sample = look(ONCE, results(ONCE, {"a": "#.", "b": "#"}, runs=turns(a=60, b=7)))
    assert told(by_budget(sample)) == {"10": "1/2", "25": "1/2", "50": "1/2", "75": "1/2", "No limit": "1/2"}


def test_a_round_s_own_turns_win_over_those_of_its_run() -> None:
    sample = look(ONCE, results(ONCE, {"a": "##", "b": "#"}, runs=turns(a=7, b=7), turns=20.0))
    assert told(by_budget(sample)) == {"10": "0/2", "25": "1/2", "50": "2/2", "No limit": "2/2"}


def test_a_run_without_a_count_of_turns_is_in_the_last_line_only() -> None:
    shown = by_budget(look(ONCE, results(ONCE, {"a": "##", "b": "#"}, runs=turns(a=7))))
    assert told(shown) == {"10": "1/2", "No limit": "2/2"}
    assert "1 run without a turn count" in shown.sentence


def test_a_run_beyond_the_largest_budget_is_in_the_last_line_only() -> None:
    lines = told(by_budget(look(ONCE, results(ONCE, {"a": "##", "b": "."}, runs=turns(a=10_001, b=3)))))
    assert (lines["10,000"], lines["No limit"]) == ("0/2", "1/2")


def test_no_count_of_turns_is_no_budget() -> None:
    assert not by_budget(look(ONCE, results(ONCE, {"a": "##", "b": "#"}))).has_data


def test_a_chain_shows_what_rounds_in_order_can_show() -> None:
    under = terms(rounds("a", "add", "fix", "add"))
    shown = make_diagnostics(look(under, results(under, {"a": "#.#"})))
    assert [diagnostic.id for diagnostic in shown] == ["by-round", "first-failure", "phases", "labels"]


def test_a_fail_stop_track_shows_what_attempts_and_the_reference_state_tell() -> None:
    tasks = [long(f"{kind}-{index}", 3, domain=kind) for kind in ("data", "games") for index in range(3)]
    under = terms(*tasks, protocol="fail-stop", attempts=2, headline="mt_at_k", reference_rounds=True)
    names = [task.id for task in tasks]
    sheet = results(under, {key: ["#..", "##."] for key in names}, dict.fromkeys(names, "###"))
    assert [diagnostic.id for diagnostic in make_diagnostics(look(under, sheet))] == [
        "by-round",
        "sr-mt",
        "recovery",
        "first-failure",
        "aptitude",
        "axis-domain",
    ]


def test_targets_show_nothing_that_needs_an_order() -> None:
    sample = look(
        KINDS,
        results(KINDS, {"a": "##", "b": "..", "c": "..", "d": ".", "e": ".", "f": "."}, runs=turns(a=5, b=5, d=5)),
    )
    assert [diagnostic.id for diagnostic in make_diagnostics(sample)] == ["targets", "budget", "axis-domain"]


def test_rounds_of_a_benchmark_without_order_show_nothing_that_needs_one() -> None:
    under = terms(rounds("a", "add", "fix", "add"), ordered=False)
    assert [diagnostic.id for diagnostic in make_diagnostics(look(under, results(under, {"a": "#.#"})))] == ["targets"]


def test_short_tasks_have_no_phases() -> None:
    under = terms(long("a", 2), long("b", 2))
    assert "phases" not in [
        diagnostic.id for diagnostic in make_diagnostics(look(under, results(under, {"a": "#.", "b": "##"})))
    ]


def test_a_single_line_compares_nothing_and_is_left_out() -> None:
    under = terms(rounds("a", "add"))
    assert make_diagnostics(look(under, results(under, {"a": "#"}))) == ()


def test_nobody_s_results_show_nothing() -> None:
    assert make_diagnostics(look(ONCE)) == ()


def test_tallies_are_combined_and_never_put_one_after_the_other() -> None:
    tally = make_sample(results(ONCE, {"a": "##", "b": "#"}), ONCE).tally
    combined_tally = tally.combined(tally)
    assert combined_tally.rounds.tolist() == (2 * tally.rounds).tolist()
    assert combined_tally.runs.tolist() == (2 * tally.runs).tolist()
    with pytest.raises(TypeError):
        tally + tally  # type: ignore[operator]


def test_submissions_hold_no_budgets_where_targets_are_not_graded_at_the_end() -> None:
    """On a board of 1,000 submissions and 200 tasks they would take 64 MB."""
    chain = terms(long("a", 2), long("b", 1))
    tally = make_sample(results(chain, {"a": "##", "b": "#"}), chain).tally
    assert tally.runs.sum() == 0
    assert tally.runs.strides == (0, 0, 0)
