"""The trials of every kind of interval and test, on boards so few that only the machinery shows."""

from math import sqrt
from typing import get_args

import numpy as np
import pytest
from interval_coverage import cell_text, table_lines
from interval_trials import (
    DECLARED,
    KINDS,
    TRIALS,
    UNEQUAL,
    WIDTHS,
    Measurement,
    Shape,
    Trial,
    covers,
    declared_kinds,
    lumpy,
    mild,
    smooth,
    stratified,
    truths,
    unequal_attempts,
    whole,
)
from known_results import ATTEMPTS, TaskDesign, clusters_of, equal_sheets, tasks_of

from sitegen.metrics.intervals import Interval
from sitegen.metrics.reduction import Reduction
from sitegen.models.declared import OverAttempts, OverTasks

FIRST = {trial.measure: trial for trial in reversed(TRIALS) if trial.measure is not declared_kinds}
"""One trial of each kind; that of declared metrics takes a minute."""


def measurement(*values: float, limit: float | None = 0.94, is_least: bool = True, table: str = "Held") -> Measurement:
    return Measurement(table, "row", "column", np.array(values), limit, is_least)


@pytest.mark.parametrize("shape", [whole, lumpy, mild, smooth])
@pytest.mark.parametrize("level", [0.05, 0.6])
def test_scores_of_tasks_have_the_mean_that_is_asked_for(shape: Shape, level: float) -> None:
    scores = shape(np.full(40_000, level), np.random.default_rng(1))
    assert scores.mean() == pytest.approx(level, abs=0.01)
    assert (scores.min(), scores.max()) >= (0, 0)
    assert scores.max() <= 1


def test_equal_agents_pass_as_many_rounds_as_is_asked_for() -> None:
    sheets = equal_sheets(TaskDesign(300), 30.0, (4, 2), np.random.default_rng(2))
    assert len(sheets) == 8
    assert len(sheets[0].tasks[0].rewards) == ATTEMPTS
    passed = np.mean([grid.rewards.mean() for sheet in sheets for grid in sheet.tasks])
    assert passed == pytest.approx(0.3, abs=0.03)


def test_clusters_are_uneven_and_hold_every_task_once() -> None:
    design = TaskDesign(60, 12)
    clusters = clusters_of(design)
    assert len(clusters) == 12
    assert sorted(index for cluster in clusters.values() for index in cluster) == list(range(len(tasks_of(design))))
    sizes = sorted(map(len, clusters.values()))
    assert sizes[-1] > 3 * sizes[6]


def test_every_way_to_declare_a_metric_is_measured() -> None:
    """What is made of rounds, attempts and tasks, and what is taken: verdicts, rewards, cases, costs, measurements."""
    reductions = [
        Reduction.from_declared(metric.declared) for metric in KINDS if metric.declared and metric.declared.of
    ]
    assert {reduction.rounds for reduction in reductions} == {"mean", "sum", "last", "all", "weighted"}
    assert {reduction.attempts for reduction in reductions} == set(get_args(OverAttempts))
    assert {reduction.tasks for reduction in reductions} == set(get_args(OverTasks))
    assert {reduction.quantity for reduction in reductions} >= {
        "pass",
        "reward",
        "cases",
        "cost_usd",
        "measure:erosion",
    }


def test_the_best_of_fewer_attempts_is_a_gap() -> None:
    figures = {attempt.row: attempt for attempt in unequal_attempts(2, np.random.default_rng(3))}
    assert {figure.table for figure in figures.values()} == {UNEQUAL}
    assert {name for name, figure in figures.items() if figure.mean} == {"pass in the worst attempt"}
    assert not [figure.fault for figure in figures.values() if figure.fault]


@pytest.mark.parametrize("trial", FIRST.values(), ids=lambda trial: trial.measure.__name__)
def test_a_trial_gives_numbers_for_its_tables(trial: Trial) -> None:
    run = trial.run(4, np.random.default_rng(4))
    assert run
    assert all(len(figure.values) for figure in run)
    assert all(np.isfinite(figure.mean) or figure.row.startswith("item-rest") for figure in run)


def test_the_expected_score_of_a_level_is_what_rounds_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("interval_trials._TRUTH_TASKS", 600)
    monkeypatch.setattr("interval_trials._TRUTH_SHEETS", 2)
    truths.cache_clear()
    scores = truths(30.0, is_clustered=False)
    truths.cache_clear()
    assert scores["pass"] == pytest.approx(30, abs=4)
    assert scores["pass_in_the_worst_attempt"] < scores["pass"] < scores["pass_in_the_best_attempt"]


def test_an_interval_covers_what_lies_between_its_ends() -> None:
    assert covers([Interval(0, 1), Interval(0.6, 1), Interval(0, 0.5)], 0.5).tolist() == [1, 0, 1]


def test_a_stratified_bootstrap_is_widened_as_groups_are_small() -> None:
    """Two groups of two tasks, 0 and 1 each: the mean varies by 1/8 times 2 where half of its size is drawn."""
    scores = np.array([[0.0, 1.0, 0.0, 1.0]])
    low, high = stratified(scores, [range(2), range(2, 4)], np.random.default_rng(6))
    assert (low[0], high[0]) == pytest.approx((0.5 - sqrt(0.5), 0.5 + sqrt(0.5)), abs=0.02)


@pytest.mark.parametrize(("held", "is_broken"), [(376, False), (370, False), (360, True)])
def test_a_bound_is_broken_beyond_two_standard_errors(held: int, is_broken: bool) -> None:  # noqa: FBT001
    figure = measurement(*[1.0] * held, *[0.0] * (400 - held))
    assert (figure.fault is not None) == is_broken


def test_a_fault_names_what_is_broken() -> None:
    assert measurement(0.5, 0.5).fault == "Held: row, column: 0.5, not at least 0.94"
    assert measurement(0.5, 0.5, limit=0.06, is_least=False).fault == "Held: row, column: 0.5, not at most 0.06"
    assert measurement(0.5, 0.5, limit=None).fault is None


def test_a_table_marks_what_is_broken_and_what_has_no_bound() -> None:
    lines = list(table_lines(DECLARED, [measurement(0.5, 0.5), measurement(1.0, 1.0, limit=None)]))
    assert lines[1:3] == ["| | column |", "| --- | --- |"]
    assert cell_text(measurement(0.5, 0.5)) == "50.0 ± 0.0 !"
    assert cell_text(measurement(1.0, 1.0)) == "100.0 ± 0.0"
    assert cell_text(measurement(0.5, 0.5, limit=None)) == "(50.0 ± 0.0)"
    assert cell_text(measurement(1.25, 1.25, limit=1.35, is_least=False, table=WIDTHS)) == "1.25"
    assert cell_text(None) == "–"
