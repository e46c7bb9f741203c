"""Scores of random results, against a second computation that shares no code with the first."""

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from kit.command import sitegen
from kit.exact_extents import extent, told
from kit.exact_scores import Exact
from kit.random_results import TRACKS, Drawn, random_results
from kit.review_day import TODAY
from kit.thoroughness import examples

from sitegen.board.export import scores_json
from sitegen.pipeline.evaluating import evaluate

MAIN = ("mean_reward", "perfect_tasks", "avg_turns", "output_tokens_k", "net_cost")
BY_ROUND = (*MAIN, "avg_rounds", "cost_per_round", "minutes_per_round", "erosion", "verbosity")
CHECKPOINTS = ("strict", "iso", "core", "partial", "solved")
DEFINED: Mapping[str, Sequence[str]] = {
    "chain": (*BY_ROUND, *CHECKPOINTS, "dataset_score", "case_score"),
    "relay": (*BY_ROUND, "mt_at_k", "sr", "gap", "comp"),
    "targets": (*MAIN, "resolved", "completion"),
    "checkpoints": (*BY_ROUND, *CHECKPOINTS, "dataset_score", "case_score"),
}
EXPECTED_PROBLEMS = {
    "ROUND-MISSING",
    "ATTEMPTS-BELOW-TRACK",
    "ROUND-AFTER-FAILURE",
    "TASK-WEIGHTS-SUM",
    "ABORTED-AFTER-WORK",
    "ROUND-TOTAL-UNUSUAL",
    "ROUND-TOTAL-DEGENERATE",
    "ROUND-TOTAL-VARIES",
    "TASK-ROUND-TINY",
    "EFFORT-ZERO",
    "REWARD-FRACTIONAL",
    "COST-ZERO",
}


DEVIATING = ("cost_per_round", "minutes_per_round", "erosion", "verbosity")
SEEDS = range(examples(96))
KINDS = [f"{track}-{state}" for track in TRACKS for state in ("whole", "ragged")]


def same(number: float | Fraction) -> object:
    return pytest.approx(float(number), abs=1e-9, rel=0)


def values(metrics: Mapping[str, Any]) -> dict[str, float]:
    """Give what has a value."""
    return {name: score["value"] for name, score in metrics.items() if score["value"] is not None}


def expected(bundle: Drawn) -> dict[str, object]:
    """Compute every metric that the bundle's track allows."""
    exact = Exact(bundle)
    metric_values = {name: told(exact, name) for name in DEFINED[bundle.track]} if exact.tasks else {}
    return {name: same(value) for name, value in metric_values.items() if value is not None}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Any:  # noqa: ANN401 - a function of the seed
    """Draw and score results once for all tests of a seed: what was drawn, what was scored, and the problems."""

    @cache
    def of(seed: int) -> tuple[Mapping[str, Drawn], Mapping[str, Any], set[str]]:
        folder = tmp_path_factory.mktemp("random") / "results"
        drawn = random_results(folder, seed)
        judged = evaluate(folder, TODAY)
        rows: Any = json.loads(json.dumps(scores_json(judged.entries())))["submissions"]
        return drawn, {row["id"]: row["metrics"] for row in rows}, {problem.code for problem in judged.problems()}

    return of


@pytest.mark.parametrize("seed", SEEDS)
def test_random_results_are_as_sound_as_they_are_meant_to_be(results: Any, seed: int) -> None:  # noqa: ANN401 - a function of the seed
    _, _, codes = results(seed)
    assert codes <= EXPECTED_PROBLEMS


@pytest.mark.parametrize("seed", SEEDS)
def test_every_score_is_what_the_lines_give(results: Any, seed: int) -> None:  # noqa: ANN401 - a function of the seed
    drawn, scored, _ = results(seed)
    for name in KINDS:
        assert values(scored[name]) == expected(drawn[name]), name


@pytest.mark.parametrize("seed", SEEDS)
def test_every_score_says_what_it_is_over(results: Any, seed: int) -> None:  # noqa: ANN401 - a function of the seed
    drawn, scored, _ = results(seed)
    for name in KINDS:
        exact, stated_extents = (
            Exact(drawn[name]),
            {metric: (score["n"], score["of"]) for metric, score in scored[name].items()},
        )
        assert stated_extents == {metric: extent(exact, metric) for metric in stated_extents}, name


@pytest.mark.parametrize("seed", SEEDS)
def test_every_deviation_is_what_the_lines_give(results: Any, seed: int) -> None:  # noqa: ANN401 - a function of the seed
    drawn, scored, _ = results(seed)
    for name in KINDS:
        exact = Exact(drawn[name])
        stated_deviations = {metric: score["sd"] for metric, score in scored[name].items() if score["sd"] is not None}
        deviations = {metric: exact.deviation(metric) for metric in values(scored[name]).keys() & {*DEVIATING}}
        assert stated_deviations == {
            metric: same(value) for metric, value in deviations.items() if value is not None
        }, name


def test_what_is_drawn_covers_what_can_happen(results: Any) -> None:  # noqa: ANN401 - a function of the seed
    """Gaps of every metric that can have one, values of every metric, and every state that a score looks at."""
    seen: set[tuple[str, bool]] = set()
    states: set[str] = set()
    for seed in SEEDS:
        drawn, _, _ = results(seed)
        for bundle in drawn.values():
            computed_names = expected(bundle).keys()
            seen |= {(name, name in computed_names) for name in DEFINED[bundle.track]}
            states |= {row["state"] for row in bundle.rounds}
    assert {name for name, is_given in seen if is_given} == {name for names in DEFINED.values() for name in names}
    assert {"mt_at_k", "comp", "gap", "case_score", "iso", "core", "erosion"} <= {
        name for name, is_given in seen if not is_given
    }
    assert states == {"scored", "no_cases", "aborted", "unreached", "excluded"}


def test_the_command_prints_the_same(tmp_path: Path) -> None:
    drawn = random_results(tmp_path / "results", seed=1)
    rows = json.loads(sitegen("score", tmp_path / "results", "--format", "json").stdout)["submissions"]
    assert {row["id"]: values(row["metrics"]) for row in rows if row["id"] in drawn} == {
        name: expected(bundle) for name, bundle in drawn.items()
    }
