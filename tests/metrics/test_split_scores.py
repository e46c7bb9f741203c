"""A score split into tasks adds up to the score again."""

import pytest
from kit.result_grids import sheet, task

from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.contributions import TaskFractions
from sitegen.metrics.metric import Metric, MetricError
from sitegen.metrics.resampling import split_batched_scores, split_scores
from sitegen.metrics.results import SubmissionResults, arrange_results, batch_results
from sitegen.models.outcome import RoundResult, RunFigures

FAIL_STOP = sheet(("##.", "#.."), ("#....", "###.."), attempts=2, reference=("#.#", "##..#"))
RUNS = [RunFigures("a", 1, interactions_per_round=30.0, turns=9, output_tokens=900), RunFigures("b", 1, turns=4)]
CHAIN = sheet("#+.", "##!#n", "x--", runs=RUNS)


def categories(name: str, *by_round: dict[str, tuple[int, int]]) -> list[RoundResult]:
    """Give the records of a problem whose cases fall into categories, and what each checkpoint took."""
    return [
        RoundResult(
            name,
            1,
            number,
            "scored",
            0.0,
            by_category=case_counts,
            cost_usd=number,
            agent_seconds=10 * number,
            measures={"erosion@1": 1 / number, "verbosity@1": 2 / number},
        )
        for number, case_counts in enumerate(by_round, start=1)
    ]


GAPS = arrange_results(
    [task("a", 3), task("b", 2), task("c", 1)],
    [
        *categories("a", {"core": (1, 1)}, {"error": (2, 2)}, {"core": (1, 2), "error": (1, 1)}),
        *categories("b", {"core": (2, 2), "error": (0, 1)}),
        *categories("c", {"regression": (5, 5)}),
    ],
    (),
    1,
    1,
)
"""Problems of which some checkpoints have no core case, one has regressions only, and one has no record."""


SHEETS = (CHAIN, GAPS, FAIL_STOP)


def sheet_with(metric: Metric) -> SubmissionResults:
    """Give the first of the sheets that has a score."""
    for results in SHEETS:
        try:
            metric.compute(results)
        except MetricError:
            continue
        return results
    pytest.fail(f"no sheet has data for {metric.id}")


def total(fractions: TaskFractions) -> float:
    """Put a score together again."""
    total_score = float(fractions.numerators.sum())
    if fractions.aggregation == "mean":
        total_score /= float(fractions.denominators.sum())
    return total_score - total(fractions.subtrahend) if fractions.subtrahend else total_score


@pytest.mark.parametrize("metric", METRICS.values(), ids=list(METRICS))
def test_the_fractions_make_the_score(metric: Metric) -> None:
    results = sheet_with(metric)
    assert total(split_scores(metric, [results], ["a", "b", "c"])) == pytest.approx(metric.compute(results), abs=1e-12)


@pytest.mark.parametrize(("name", "weights"), [("core", [2, 2, 0]), ("iso", [3, 2, 0]), ("strict", [3, 2, 1])])
def test_checkpoints_without_such_cases_weigh_nothing(name: str, weights: list[int]) -> None:
    fractions = split_scores(METRICS[name], [GAPS], ["a", "b", "c"])
    assert fractions.denominators.tolist() == [weights]
    assert fractions.numerators.sum() / fractions.denominators.sum() == pytest.approx(METRICS[name].compute(GAPS))


@pytest.mark.parametrize("name", ["cost_per_round", "erosion"])
def test_problems_weigh_as_many_checkpoints_as_were_measured(name: str) -> None:
    fractions = split_scores(METRICS[name], [GAPS], ["a", "b", "c"])
    assert fractions.denominators.tolist() == [[3, 1, 1]]
    assert fractions.numerators.sum() / fractions.denominators.sum() == pytest.approx(METRICS[name].compute(GAPS))


def test_a_task_without_a_value_counts_for_nothing() -> None:
    """Nobody counted interactions on the second and third task."""
    fractions = split_scores(METRICS["avg_rounds"], [CHAIN], ["a", "b", "c"])
    assert fractions.denominators.tolist() == [[1.0, 0.0, 0.0]]


def test_pooled_rounds_weigh_as_many_as_a_task_has() -> None:
    fractions = split_scores(METRICS["sr"], [FAIL_STOP], ["a", "b"])
    assert fractions.denominators.tolist() == [[3.0, 5.0]]


def test_rounds_of_a_task_without_reference_records_weigh_as_failed_ones() -> None:
    """The second task has none, though the track has: the score counts its 5 rounds among the 8."""
    results = sheet(("##.", "#.."), ("#....", "###.."), attempts=2, reference=("#.#",))
    fractions = split_scores(METRICS["sr"], [results], ["a", "b"])
    assert fractions.denominators.tolist() == [[3.0, 5.0]]
    assert total(fractions) == pytest.approx(METRICS["sr"].compute(results)) == 25


def test_a_task_without_known_cost_adds_nothing_to_the_sum() -> None:
    results = arrange_results([task("a", 1), task("b", 1)], categories("a", {"core": (1, 1)}), (), 1, 1)
    fractions = split_scores(METRICS["net_cost"], [results], ["a", "b"])
    assert (fractions.numerators.tolist(), fractions.denominators.tolist()) == ([[1.0, 0.0]], [[1.0, 1.0]])


@pytest.mark.parametrize(
    "name",
    [name for name, metric in METRICS.items() if metric.computation.score_batch or metric.computation.split_scores],
)
def test_stacked_grids_say_what_the_definition_says_of_each(name: str) -> None:
    """Grids of several shapes, with an excluded round and a task that is left out."""
    sheets = [FAIL_STOP, sheet(("#.#", ".##"), ("#####", "##.##")), sheet(("##.", "###"), ("!!!!!", "!!!!!"))]
    sheets += [sheet(("#!#", "!.#"), ("###.#", "....."))]
    if METRICS[name].protocols != {"fail-stop"}:
        sheets += [sheet("#+.", "#.x-n"), sheet("###", "+++++")]
    tasks = ["a", "b"]
    stacked = split_batched_scores(METRICS[name], batch_results(sheets, tasks), (len(sheets), len(tasks)))
    alone = [split_scores(METRICS[name], [results], tasks) for results in sheets]
    assert stacked
    assert stacked.numerators.tolist() == [
        pytest.approx(row) for single_fractions in alone for row in single_fractions.numerators.tolist()
    ]
    assert stacked.denominators.tolist() == [
        row for own_fractions in alone for row in own_fractions.denominators.tolist()
    ]
    assert {stacked.aggregation} == {split_fractions.aggregation for split_fractions in alone}
