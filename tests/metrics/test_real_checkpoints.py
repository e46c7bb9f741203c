"""Two real runs of SlopCodeBench: what its own summaries say is what the metrics give."""

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

import pytest
from kit.real_data import real_data
from kit.result_grids import task

from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.results import SubmissionResults, arrange_results
from sitegen.models.outcome import RoundResult

RUNS = {
    "glm": "glm-5-kimi_claude_code-2.0.51_baseline_20260604T2240",
    "pangu": "pangu_claude_code-2.0.51_just-solve_none_20260601T2146",
}
CATEGORIES = ("core", "functionality", "error", "regression")


@dataclass(frozen=True)
class Run:
    """A run as sheet, beside the summary that the benchmark's own program wrote."""

    results: SubmissionResults
    summary: dict[str, Any]

    def score(self, metric: str) -> float:
        """Compute a metric."""
        return METRICS[metric].compute(self.results)


def run_of(name: str) -> Run:
    """Read a run; its checkpoints that were not produced have no record."""
    folder = real_data("slop-code-bench", RUNS[name])
    lines = (folder / "checkpoint_results.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    catalog = json.loads(real_data("slop-code-bench", "catalog-v1.0.json").read_text(encoding="utf-8"))["problems"]
    tasks = [task(problem, catalog[problem]) for problem in Counter(row["problem"] for row in rows)]
    summary = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    return Run(arrange_results(tasks, [record_of(row) for row in rows], (), 1, 1), summary)


def record_of(row: dict[str, Any]) -> RoundResult:
    """Make the record of a produced checkpoint."""
    return RoundResult(
        row["problem"],
        1,
        row["idx"],
        "scored",
        float(row["strict_pass_rate"] == 1),
        row["passed_tests"],
        row["total_tests"],
        by_category={name: (row[f"{name}_passed"], row[f"{name}_total"]) for name in CATEGORIES},
        cost_usd=row["cost"],
        input_tokens=row["input"],
        output_tokens=row["output"],
        agent_seconds=row["duration"],
    )


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize(
    ("metric", "key"),
    {
        "strict": "pct_checkpoints_solved",
        "iso": "pct_checkpoints_iso_solved",
        "core": "pct_checkpoints_core_solved",
        "partial": "pct_problems_partial",
        "solved": "pct_problems_solved",
    }.items(),
)
def test_solve_rates_are_those_of_the_summary(name: str, metric: str, key: str) -> None:
    """Of all expected checkpoints: the second run did not produce 17 of its 103."""
    run = run_of(name)
    assert run.score(metric) == pytest.approx(run.summary[key], abs=1e-9)


@pytest.mark.parametrize("name", RUNS)
def test_the_whole_cost_is_that_of_the_summary(name: str) -> None:
    run = run_of(name)
    assert run.score("net_cost") == pytest.approx(run.summary["costs"]["total"])


@pytest.mark.parametrize(("metric", "key", "unit"), [("cost_per_round", "costs", 1), ("minutes_per_round", "time", 60)])
def test_means_and_deviations_are_those_of_the_summary(metric: str, key: str, unit: int) -> None:
    run = run_of("glm")
    expected_summary = run.summary[key]["checkpoint"]
    assert run.score(metric) * unit == pytest.approx(expected_summary["mean"])
    spread = METRICS[metric].standard_deviation(run.results)
    assert spread is not None
    assert spread * unit == pytest.approx(expected_summary["stddev"])


def test_checkpoints_without_dollars_and_tokens_have_no_cost() -> None:
    """The summary takes 11 of 86 for free, and so prints a mean that is too low."""
    run = run_of("pangu")
    assert run.score("cost_per_round") * 75 == pytest.approx(run.summary["costs"]["checkpoint"]["mean"] * 86)
