"""How records become arrays, and what that means for every score."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.result_grids import records, sheet, task

from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.metric import MetricError
from sitegen.metrics.results import SubmissionResults, arrange_results
from sitegen.models.outcome import RunFigures

MARKED = st.lists(st.text("#+.nx-!", min_size=1, max_size=5), min_size=1, max_size=3)


def score(metric: str, results: SubmissionResults) -> float:
    """Compute a metric in its unit."""
    return METRICS[metric].compute(results)


def gap(metric: str, results: SubmissionResults) -> str:
    """Say why a metric has no value."""
    with pytest.raises(MetricError) as raised:
        METRICS[metric].compute(results)
    return str(raised.value)


def test_scores_are_shown_in_percent() -> None:
    assert score("dataset_score", sheet("##..")) == 50


def test_cases_count_where_rounds_do_not() -> None:
    results = sheet("#+..")
    assert score("dataset_score", results) == 25
    assert score("case_score", results) == 100 * (1 + 0.75) / 4


@pytest.mark.parametrize("mark", list(".nx->"))
def test_only_scored_rounds_earn_something(mark: str) -> None:
    results = sheet("#" + mark)
    assert score("dataset_score", results) == score("case_score", results) == 50


def test_a_missing_round_counts_as_failed() -> None:
    results = sheet("# ")
    assert score("dataset_score", results) == score("case_score", results) == 50
    assert not all(results.results)


def test_a_missing_task_counts_as_failed() -> None:
    assert score("dataset_score", sheet("##", "  ")) == 50


def test_an_excluded_round_leaves_the_denominator() -> None:
    results = sheet("#!#.")
    assert score("dataset_score", results) == pytest.approx(100 * 2 / 3)


def test_an_excluded_round_breaks_no_chain() -> None:
    assert METRICS["mt_at_k"].compute(sheet("#!#.", attempts=1)) == pytest.approx(100 * 2 / 3)


def test_a_round_excluded_in_one_attempt_is_excluded_in_all() -> None:
    assert score("dataset_score", sheet(["#!", "#."])) == 100


def test_a_task_whose_every_round_is_excluded_leaves_the_mean() -> None:
    assert score("dataset_score", sheet("#.", "!!")) == 50


def test_a_verdict_without_cases_makes_the_case_score_a_gap() -> None:
    results = sheet("v#")
    assert score("dataset_score", results) == 100
    assert gap("case_score", results) == "a verdict comes without case counts"


def test_the_reward_passes_from_0_999_on() -> None:
    round_results = [*records("a", "#", reward=0.9991), *records("b", "#", reward=0.9989)]
    assert score("dataset_score", arrange_results([task("a", 1), task("b", 1)], round_results, (), 1, 1)) == 50


def test_weights_of_excluded_targets_leave_the_sum() -> None:
    """3 and 1 of 4 that count; the target of weight 6 is excluded."""
    results = arrange_results([task("a", 3, (3, 6, 1))], records("a", "#!."), (), 1, 1)
    assert score("completion", results) == 0.75


def test_weights_need_not_add_up_to_1() -> None:
    results = arrange_results([task("a", 2, (2, 6))], records("a", ".#"), (), 1, 1)
    assert score("completion", results) == 0.75


def test_rounds_from_the_reference_are_no_part_of_a_run() -> None:
    results = sheet(["#.", ".."], reference=["##"])
    assert score("mt_at_k", results) == 50
    assert score("sr", results) == 100
    assert score("gap", results) == 50


def test_a_missing_round_from_the_reference_counts_as_failed() -> None:
    assert score("sr", sheet("##", reference=["# "])) == 50


def test_a_metric_that_needs_every_attempt_is_a_gap_with_fewer() -> None:
    results = sheet("##", attempts=4, reference=["##"])
    assert gap("mt_at_k", results) == "every task needs 4 attempts, but one task has 1"
    assert gap("comp", results) == gap("gap", results) == gap("mt_at_k", results)
    assert score("sr", results) == 100


def test_an_attempt_without_a_record_is_missing_and_not_failed() -> None:
    """The bundle states nothing of it; its other attempt passed all."""
    results = sheet(["##", "  "], ["##", "##"])
    assert gap("mt_at_k", results) == "every task needs 2 attempts, but one task has 1"
    assert gap("comp", results) == gap("mt_at_k", results)


def test_a_round_without_a_record_is_failed_where_its_attempt_was_made() -> None:
    results = sheet(["# ", "  "], ["##", "##"], attempts=2)
    assert gap("mt_at_k", results) == "every task needs 2 attempts, but one task has 1"
    assert score("mt_at_k", sheet(["# ", " #"])) == 50


def test_a_task_without_a_record_has_no_attempts() -> None:
    assert gap("mt_at_k", sheet(["##"], ["  "])) == "every task needs 1 attempt, but one task has 0"


def test_an_attempt_in_which_the_reference_alone_worked_was_not_made() -> None:
    """The rounds before the one that was sampled stand as fast-forwarded, and the agent reached none of its own."""
    results = sheet(">>-", "###", reference=["##.", "###"])
    assert gap("mt_at_k", results) == "every task needs 1 attempt, but one task has 0"
    assert gap("comp", results) == gap("gap", results) == gap("mt_at_k", results)
    assert score("perfect_tasks", results) == 1
    assert score("sr", results) == pytest.approx(100 * 5 / 6)


def test_a_run_that_the_reference_brought_to_a_round_was_made() -> None:
    assert score("mt_at_k", sheet(">>#")) == score("perfect_tasks", sheet(">>#")) == 0


def test_where_every_try_began_from_the_reference_no_attempt_was_made() -> None:
    results = sheet("--", "-", reference=["#.", "#"])
    assert gap("mt_at_k", results) == gap("comp", results) == "every task needs 1 attempt, but one task has 0"
    assert gap("perfect_tasks", results) == "no attempt was made at any task"
    assert score("sr", results) == pytest.approx(100 * 2 / 3)


def test_an_excluded_round_that_was_tried_still_says_that_the_attempt_was_made() -> None:
    """Its record keeps its counts: the attempt failed the rounds that it did not reach."""
    own_rounds = [*records("a", "#", state="excluded"), *records("a", " --")]
    results = arrange_results([task("a", 3)], [*own_rounds, *records("a", "#.#", start="reference")], (), 1, 1)
    assert score("mt_at_k", results) == score("perfect_tasks", results) == 0


def test_an_attempt_that_was_never_reached_counts_0_beside_others() -> None:
    assert score("mt_at_k", sheet("--", "##", reference=["##", "##"])) == 50


def test_a_mean_uses_the_attempts_there_are() -> None:
    assert score("dataset_score", sheet("#.", attempts=4)) == 50


def test_interactions_are_those_of_reached_rounds() -> None:
    round_results = [*records("a", "#x", interactions=30), *records("a", "  -", interactions=0)]
    assert score("avg_rounds", arrange_results([task("a", 3)], round_results, (), 1, 1)) == 30


def test_a_runs_mean_stands_in_for_its_rounds() -> None:
    assert score("avg_rounds", sheet("##", runs=[RunFigures("a", 1, interactions_per_round=42)])) == 42


def test_a_rounds_own_value_wins() -> None:
    runs = [RunFigures("a", 1, interactions_per_round=42)]
    results = arrange_results([task("a", 2)], records("a", "##", interactions=10), runs, 1, 1)
    assert score("avg_rounds", results) == 10


def test_interactions_nobody_counted_are_a_gap() -> None:
    assert gap("avg_rounds", sheet("##")) == "no interactions known"


def test_figures_of_a_partial_run_are_scaled_to_the_full_task() -> None:
    """30 turns in 3 of 6 rounds make 60 in the full task."""
    assert score("avg_turns", sheet("##.---", runs=[RunFigures("a", 1, turns=30)])) == 60


def test_figures_of_rounds_are_scaled_by_the_rounds_that_have_one() -> None:
    round_results = [*records("a", "##", turns=10), *records("a", "  -", turns=0)]
    assert score("avg_turns", arrange_results([task("a", 3)], round_results, (), 1, 1)) == 30


def test_a_whole_run_is_not_scaled() -> None:
    """Nor is one of targets that are graded together: each of them has a verdict, or at least was reached."""
    assert score("avg_turns", sheet("##.nx", runs=[RunFigures("a", 1, turns=30)])) == 30


def test_rounds_that_are_excluded_do_not_scale_a_whole_run() -> None:
    assert score("avg_turns", sheet("#!#.", runs=[RunFigures("a", 1, turns=30)])) == 30


def test_a_run_without_turns_leaves_the_mean_of_its_task() -> None:
    runs = [RunFigures("a", 1, turns=10), RunFigures("b", 2, turns=40)]
    assert score("avg_turns", sheet(["#", "#"], ["#", "#"], ["#", "#"], runs=runs)) == 25


def test_tokens_are_counted_in_thousands() -> None:
    assert score("output_tokens_k", sheet("#", runs=[RunFigures("a", 1, output_tokens=2500)])) == 2.5


def test_a_run_that_reached_nothing_has_no_full_task() -> None:
    assert gap("avg_turns", sheet("--", runs=[RunFigures("a", 1, turns=30)])) == "no turns were counted"


def test_attempts_are_averaged_before_tasks() -> None:
    runs = [RunFigures("a", 1, turns=10), RunFigures("a", 2, turns=30), RunFigures("b", 1, turns=40)]
    assert score("avg_turns", sheet(["#", "#"], ["#", "#"], runs=runs)) == 30


@given(MARKED)
def test_the_order_of_records_does_not_matter(marked: list[str]) -> None:
    tasks = [task(name, len(marks)) for name, marks in zip("abc", marked, strict=False)]
    round_results = [record for name, marks in zip("abc", marked, strict=False) for record in records(name, marks)]
    ahead, back = arrange_results(tasks, round_results, (), 1, 1), arrange_results(tasks, round_results[::-1], (), 1, 1)
    assert [grid.results for grid in ahead.tasks] == [grid.results for grid in back.tasks]


@given(MARKED)
def test_every_score_that_is_a_share_stays_one(marked: list[str]) -> None:
    results = sheet(*marked)
    for metric in METRICS.values():
        try:
            value = metric.compute(results)
        except MetricError:
            continue
        assert 0 <= value <= {"percent": 100, "share": 1}.get(metric.unit, len(marked))


@given(MARKED)
def test_excluding_a_failed_round_never_lowers_the_dataset_score(marked: list[str]) -> None:
    results = sheet("#.", *marked[:2])
    excluded = sheet("#!", *marked[:2])
    assert score("dataset_score", excluded) >= score("dataset_score", results)


ATTEMPTS = (
    st.integers(1, 4)
    .flatmap(lambda rounds: st.lists(st.text("#+.nx-v", min_size=rounds, max_size=rounds), min_size=2, max_size=3))
    .filter(lambda attempts: set("".join(attempts)) != {"-"})
)
"""Attempts of which one reached a round: where none did beside rounds from the reference state, none was made."""


def values(*attempts: str, reference: str) -> dict[str, float]:
    """Compute every metric that attempts at one task allow; each has its own turns, tokens and interactions."""
    spent = {marks: float(number) for number, marks in enumerate(sorted(set(attempts)), start=1)}
    runs = [
        RunFigures("a", attempt, spent[marks], spent[marks], None, spent[marks], spent[marks])
        for attempt, marks in enumerate(attempts, start=1)
    ]
    results = sheet(attempts, reference=[reference], runs=runs)
    scores = {}
    for metric in METRICS.values():
        try:
            stops = metric.protocols == {"fail-stop"}
            scores[metric.id] = metric.compute(replace(results, is_fail_stop=stops))
        except MetricError:
            continue
    return scores


@given(ATTEMPTS)
def test_the_order_of_attempts_does_not_matter_to_any_score(attempts: list[str]) -> None:
    ahead, back = (
        values(*ordered_attempts, reference="#" * len(ordered_attempts[0]))
        for ordered_attempts in (attempts, attempts[::-1])
    )
    assert ahead == pytest.approx(back)
    assert {"mt_at_k", "sr", "gap", "comp", "resolved", "strict", "dataset_score"} <= ahead.keys()


@given(ATTEMPTS)
def test_every_score_stays_in_its_bounds(attempts: list[str]) -> None:
    for name, value in values(*attempts, reference=attempts[0]).items():
        low, high = {"percent": (0, 100), "share": (0, 1), "points": (-100, 100)}.get(
            METRICS[name].unit, (0, float("inf"))
        )
        assert low <= value <= high, name


@given(ATTEMPTS)
def test_scores_keep_their_order(attempts: list[str]) -> None:
    """All of a thing is rarer than some of it, and a kept round is a passed round."""
    scores = values(*attempts, reference=attempts[0])
    assert scores["comp"] <= scores["mt_at_k"] + 1e-9
    assert scores["solved"] <= scores["partial"] + 1e-9
    assert scores["resolved"] <= 100 * scores["completion"] + 1e-9
    assert scores["solved"] <= scores["strict"] + 1e-9
    best_of_all = 100 * sum(any(marks[i] in "#v" for marks in attempts) for i in range(len(attempts[0])))
    assert scores["mt_at_k"] <= best_of_all / len(attempts[0]) + 1e-9


def test_rounds_never_tried_from_the_reference_state_are_no_rounds_from_it() -> None:
    drawn = sheet("##", "#.", reference=("--", "--"))
    with pytest.raises(MetricError, match="reference state"):
        METRICS["sr"].compute(drawn)


def test_a_round_not_tried_from_the_reference_state_counts_as_failed_beside_those_that_were() -> None:
    assert METRICS["sr"].compute(sheet("##", "#.", reference=("#-", "--"))) == 25.0
