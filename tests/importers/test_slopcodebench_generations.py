"""Rows of every generation of the runner: some of their keys changed their meaning, and no version tells it."""

import math
from decimal import Decimal
from pathlib import Path

import pytest
from kit.slopcodebench_trees import (
    draft_of,
    early_row,
    imported,
    later_row,
    measures_of,
    rounds_of,
    row,
    strict_rows,
    warned,
    write_run,
)

from sitegen.importers.slopcodebench.definition import phase
from sitegen.models.outcome import RoundResult


def test_a_row_becomes_a_round(tmp_path: Path) -> None:
    rounds = rounds_of(write_run(tmp_path, [row(core=(2, 2), functionality=(1, 3), regression=(4, 5))]))
    assert rounds[1] == RoundResult(
        "dag_execution",
        1,
        1,
        "scored",
        0,
        passed=7,
        total=10,
        by_category={"core": (2, 2), "functionality": (1, 3), "regression": (4, 5)},
        turns=7,
        input_tokens=1000,
        output_tokens=50,
        cost_usd=1.25,
        agent_seconds=420.5,
        measures={
            "erosion@E4": 0.75,
            "verbosity@V4": 0.25,
            "complex_share@E3": 0.7,
            "source_lines": 60,
            "total_lines": 90,
        },
    )


def test_a_round_is_passed_exactly_where_every_test_passed(tmp_path: Path) -> None:
    rows = [row(1, core=(3, 3)), row(2, core=(3, 3), regression=(299, 300)), row(3, core=(1, 1), error=(2, 2))]
    assert [round_result.reward for round_result in rounds_of(write_run(tmp_path, rows)).values()] == [1, 0, 1]


def test_checkpoints_that_were_never_reached_have_a_record(tmp_path: Path) -> None:
    rounds = rounds_of(write_run(tmp_path, [row(1)]))
    assert [round_result.state for round_result in rounds.values()] == ["scored", "unreached", "unreached"]
    assert (rounds[3].reward, rounds[3].passed, rounds[3].total, rounds[3].cost_usd) == (0, 0, 0, None)


@pytest.mark.parametrize("make", [row, later_row])
def test_in_later_generations_duration_is_the_agents_time(tmp_path: Path, make: type) -> None:
    first = rounds_of(write_run(tmp_path, [make(1, duration=420.5)]))[1]
    assert (first.agent_seconds, first.verifier_seconds) == (420.5, None)


def test_in_early_generations_duration_is_the_tests_time(tmp_path: Path) -> None:
    first = rounds_of(write_run(tmp_path, [early_row(1, duration=6.5, elapsed=420.5)]))[1]
    assert (first.agent_seconds, first.verifier_seconds) == (420.5, 6.5)


def test_source_lines_are_found_under_either_key(tmp_path: Path) -> None:
    later = measures_of(write_run(tmp_path / "later", [row(1, loc=90, sloc=60)]))
    early = measures_of(write_run(tmp_path / "early", [early_row(1, loc=60)]))
    assert (later["source_lines"], early["source_lines"]) == (60, 60)


def test_early_rows_are_scored_as_the_later_ones(tmp_path: Path) -> None:
    rows = [early_row(1), early_row(2, core=(1, 2))]
    assert [round_result.reward for round_result in rounds_of(write_run(tmp_path, rows)).values()] == [1, 0, 0]


def test_the_schema_version_has_no_say(tmp_path: Path) -> None:
    plain = draft_of(write_run(tmp_path / "plain", [row(1)]))
    marked = draft_of(write_run(tmp_path / "marked", [row(1, schema_version=99)]))
    assert plain == marked


def test_the_papers_generation_has_the_papers_definitions(tmp_path: Path) -> None:
    run = write_run(tmp_path, [later_row(1)], problem_catalog={})
    assert {key: value for key, value in measures_of(run).items() if "@" in key} == {
        "complex_share@E3": 0.7,
        "erosion@E3": 0.7,
        "verbosity@V3": 0.2,
    }


def test_a_summary_of_expected_checkpoints_tells_the_latest_generation(tmp_path: Path) -> None:
    """Its composites come from another program than the paper's."""
    run = write_run(tmp_path, [row(1)], problem_catalog={}, result={"expected_checkpoints": 3})
    assert {"erosion@E4", "verbosity@V4"} <= measures_of(run).keys()


def test_a_row_of_the_evaluator_tells_the_latest_generation(tmp_path: Path) -> None:
    run = write_run(tmp_path, [row(1, scb_check={"status": "ok"})], problem_catalog={})
    assert "erosion@E4" in measures_of(run)


def test_in_early_rows_a_percentage_is_not_taken_for_a_share(tmp_path: Path) -> None:
    """`mass.high_cc_pct` went from 0 to 100 then, and was another quantity."""
    run = write_run(tmp_path, [early_row(1) | {"mass.high_cc_pct": 70.0}], problem_catalog={})
    assert 70.0 not in measures_of(run).values()


def test_erosion_of_the_first_generation_is_computed_from_its_counts(tmp_path: Path) -> None:
    """(1 complex function + 2 for an extreme one) / 4 functions + 0.1 lint errors a line."""
    run = write_run(tmp_path, [early_row(1)], problem_catalog={})
    assert measures_of(run)["erosion@E1"] == pytest.approx(0.85)


def test_erosion_of_the_second_generation_is_its_concentration(tmp_path: Path) -> None:
    run = write_run(tmp_path, [early_row(1) | {"mass.complexity_concentration": 0.4}], problem_catalog={})
    measures = measures_of(run)
    assert (measures["erosion@E2"], "erosion@E1" in measures) == (0.4, False)


def test_early_verbosity_needs_the_judge_of_style(tmp_path: Path) -> None:
    """(3 patterns + 6 flags) / 60 lines + (0 wrappers + 2 functions used once) / 4 functions."""
    judged = {"rubric_total_flags": 6, "trivial_wrappers": 0, "single_use_functions": 2}
    with_judge = write_run(tmp_path / "with", [early_row(1) | judged], problem_catalog={})
    without = write_run(tmp_path / "without", [early_row(1)], problem_catalog={})
    assert measures_of(with_judge)["verbosity@V0"] == pytest.approx(0.65)
    assert not any(key.startswith("verbosity") for key in measures_of(without))


def test_a_run_without_a_single_pattern_has_no_verbosity(tmp_path: Path) -> None:
    """An analyser that is not installed is written as clean code; the clones that are left are no verbosity."""
    run = write_run(tmp_path, [later_row(idx, ast_grep_violations=0) for idx in (1, 2, 3)], problem_catalog={})
    assert "verbosity@V3" not in measures_of(run)
    assert "`ast_grep_violations` is 0 in every row" in warned(run)["SOURCE-MEASURE-MISSING"]


def test_one_pattern_in_the_run_tells_that_the_analyser_was_there(tmp_path: Path) -> None:
    rows = [later_row(1, ast_grep_violations=0), later_row(2), later_row(3, ast_grep_violations=0)]
    run = write_run(tmp_path, rows, problem_catalog={})
    assert measures_of(run)["verbosity@V3"] == 0.2
    assert "SOURCE-MEASURE-MISSING" not in warned(run)


def test_without_the_evaluator_erosion_and_verbosity_are_gaps(tmp_path: Path) -> None:
    """What the runner itself measures is kept, under a name of its own."""
    plain = {key: value for key, value in row(1).items() if key not in {"erosion", "verbosity"}}
    run = write_run(tmp_path, [plain])
    assert measures_of(run).keys() == {"complex_share@E3", "source_lines", "total_lines"}
    message = warned(run)["SOURCE-MEASURE-MISSING"]
    assert message.startswith("erosion is not measured at 1 of 1 checkpoint with code: no")


def test_empty_code_has_no_erosion(tmp_path: Path) -> None:
    run = write_run(tmp_path, [row(1, loc=0, sloc=0, total_lines=0, erosion=0.0, verbosity=0.0), row(2), row(3)])
    assert measures_of(run) == {"source_lines": 0, "total_lines": 0}


@pytest.mark.parametrize("figure", [math.inf, -math.inf, math.nan])
def test_figures_that_are_no_numbers_are_gaps(tmp_path: Path, figure: float) -> None:
    run = write_run(tmp_path, [row(1) | {"delta.loc": figure, "erosion": figure, "duration": figure}])
    first = rounds_of(run)[1]
    assert (first.state, first.agent_seconds, "erosion@E4" in (first.measures or {})) == ("scored", None, False)


def test_no_cost_without_a_token_is_unknown_and_not_free(tmp_path: Path) -> None:
    run = write_run(tmp_path, [row(1, cost=0.0, input=0, output=0), row(2, cost=0.0), row(3)])
    rounds = rounds_of(run)
    assert [round_result.cost_usd for round_result in rounds.values()] == [None, 0, 1.25]
    assert (rounds[1].input_tokens, rounds[1].output_tokens) == (None, None)
    assert "1 checkpoint (dag_execution 1)" in warned(run)["SOURCE-MEASURE-MISSING"]


def test_steps_that_nobody_counted_are_unknown(tmp_path: Path) -> None:
    assert rounds_of(write_run(tmp_path, [row(1, steps=0)]))[1].turns is None


def test_early_runners_wrote_rows_of_checkpoints_that_were_never_reached(tmp_path: Path) -> None:
    bare = {"problem": "dag_execution", "idx": 2, "checkpoint": "checkpoint_2", "is_first": False, "is_last": False}
    run = write_run(tmp_path, [early_row(1), bare | {"state": "skipped"}, bare | {"idx": 3, "state": "unknown"}])
    assert [round_result.state for round_result in rounds_of(run).values()] == ["scored", "unreached", "unreached"]


def test_a_row_whose_work_was_not_checked_was_aborted(tmp_path: Path) -> None:
    bare = {"problem": "dag_execution", "idx": 2, "state": "error", "cost": 0.75, "output": 5, "duration": 3.0}
    second = rounds_of(write_run(tmp_path, [row(1), bare]))[2]
    assert (second.state, second.cost_usd, second.agent_seconds) == ("aborted", 0.75, 3)
    assert second.cause == "the agent's run ended in an error, and its work was not checked"


def test_a_row_without_tests_has_no_cases(tmp_path: Path) -> None:
    first = rounds_of(write_run(tmp_path, [row(1, core=(0, 0))]))[1]
    assert (first.state, first.cause, first.by_category) == ("no_cases", "no test ran", None)


def test_errors_of_the_agent_leave_the_verdict_alone(tmp_path: Path) -> None:
    assert rounds_of(write_run(tmp_path, [row(1, state="error")]))[1].state == "scored"


def test_a_checkpoint_without_a_row_before_one_with_a_row_is_lost(tmp_path: Path) -> None:
    run = write_run(tmp_path, [row(1), row(3)])
    assert [round_result.state for round_result in rounds_of(run).values()] == ["scored", "aborted", "scored"]
    assert warned(run)["SOURCE-VERDICT-HOLE"] == "the run has no results for dag_execution 2"


def test_of_several_rows_the_last_one_counts(tmp_path: Path) -> None:
    run = write_run(tmp_path, [row(1, core=(0, 2)), row(2), row(1)])
    assert rounds_of(run)[1].reward == 1
    assert warned(run)["SOURCE-ENTRY-TWICE"] == "several rows are about dag_execution 1"


def test_a_summary_that_does_not_follow_from_the_rows_is_warned_of(tmp_path: Path) -> None:
    stated = {"checkpoints_solved": 2, "checkpoints_iso_solved": 3, "expected_checkpoints": 3, "costs": {"total": 3.75}}
    run = write_run(tmp_path, strict_rows(), result=stated)
    assert warned(run) == {"SOURCE-SCORE-DIFFERS": "`checkpoints_solved` is 2 there, but 3 in the checkpoints"}
    assert draft_of(run).submission.claims is None


def test_scores_of_a_summary_that_differ_are_claims(tmp_path: Path) -> None:
    stated = {"checkpoints_solved": 2, "pct_checkpoints_solved": 66.7, "costs": {"total": 4.0}}
    claims = draft_of(write_run(tmp_path, strict_rows(), result=stated)).submission.claims
    assert claims is not None
    assert claims.source == "SlopCodeBench: result.json"
    assert claims.values == {"strict": Decimal("66.7"), "net_cost": Decimal("4.0")}


def test_a_second_run_gives_equal_values(tmp_path: Path) -> None:
    run = write_run(tmp_path, strict_rows())
    assert imported(run) == imported(run)


@pytest.mark.parametrize(
    ("length", "phases"),
    [
        (3, "start early final"),
        (4, "start early mid final"),
        (5, "start early mid late final"),
        (6, "start early early mid late final"),
        (7, "start early early mid mid late final"),
        (8, "start early early mid mid late late final"),
    ],
)
def test_checkpoints_lie_in_the_papers_phases(length: int, phases: str) -> None:
    assert " ".join(phase(number, length) for number in range(1, length + 1)) == phases
