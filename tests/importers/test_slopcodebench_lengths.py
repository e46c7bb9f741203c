"""How many checkpoints a problem has: by the run's catalogue, or by one that is given."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from kit.real_data import real_data
from kit.slopcodebench_trees import CONFIG, DAG, OPTIONS, Json, imported, refused, row, strict_rows, warned, write_run

from sitegen.importers.slopcodebench.definition import LENGTHS
from sitegen.importers.slopcodebench.source import read_slopcodebench


def catalogue(folder: Path, lengths: dict[str, int], version: str = "v1.0") -> Path:
    """Write a catalogue."""
    path = folder / "catalogue.json"
    path.write_text(json.dumps({"version": version, "problems": lengths}), encoding="utf-8")
    return path


def lengths(source: Path, catalog: Path | None = None) -> dict[str, int]:
    (tasks,) = read_slopcodebench(source, OPTIONS, catalog).task_sets
    return {task.id: len(task.rounds) for task in tasks.tasks}


def test_the_counts_of_a_release_are_known() -> None:
    round_counts = LENGTHS["v1.0"]
    assert (len(round_counts), sum(round_counts.values())) == (36, 196)
    assert round_counts == json.loads(real_data("slop-code-bench", "catalog-v1.0.json").read_text())["problems"]


def test_a_given_catalogue_wins(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [row(1), row(2)])
    assert lengths(run, catalogue(tmp_path, {DAG: 4})) == {DAG: 4}


def test_a_problem_of_unknown_length_is_an_error(tmp_path: Path) -> None:
    rows = [*strict_rows(DAG), row(1, "my_problem"), row(2, "my_problem")]
    run = write_run(tmp_path / "run", rows)
    (error,) = refused(run)
    assert error.code == "SOURCE-TASK-UNKNOWN"
    assert error.what == "the catalogue v1.0 does not say how many checkpoints there are in my_problem"
    assert "`--catalog`" in error.fix
    assert lengths(run, catalogue(tmp_path, {DAG: 3, "my_problem": 3})) == {DAG: 3, "my_problem": 3}
    (tasks,) = read_slopcodebench(run, replace(OPTIONS, task_names=(DAG,))).task_sets
    assert [task.id for task in tasks.tasks] == [DAG]


def test_a_run_that_calls_a_checkpoint_the_last_tells_the_length(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", strict_rows(DAG, "my_problem"))
    assert lengths(run) == {DAG: 3, "my_problem": 3}
    incoming = imported(run)
    fact = "my_problem has 3 checkpoints, as a run calls checkpoint 3 the last"
    assert f"assumed: {fact}" in incoming.notes
    assert any(fact in caveat for caveat in incoming.drafts[0].submission.caveats)


def test_a_release_that_is_not_known_needs_a_catalogue(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", strict_rows()[:2], problem_catalog={"version": "v9.9"})
    (error,) = refused(run)
    assert error.what.startswith("the catalogue v9.9, whose counts are not known here, does not say")
    assert "--catalog" in error.fix


def test_a_newer_release_is_read_with_a_caveat(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", problem_catalog={"version": "v9.9"})
    assert lengths(run) == {DAG: 3}
    assert "SlopCodeBench's catalogue v9.9" in warned(run)["SOURCE-VERSION-NEWER"]


def test_a_run_that_names_no_catalogue_is_taken_for_the_known_release(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", problem_catalog={})
    assert warned(run)["SOURCE-ASSUMED"].endswith("the counts of v1.0 are used")
    assert "SOURCE-ASSUMED" not in [
        problem.code for problem in read_slopcodebench(run, OPTIONS, catalogue(tmp_path, {DAG: 3})).problems
    ]


def test_a_catalogue_of_another_release_is_warned_of(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run")
    problems = read_slopcodebench(run, OPTIONS, catalogue(tmp_path, {DAG: 3}, "v2.0")).problems
    assert [problem.what for problem in problems] == ["the given catalogue is v2.0, but the runs name v1.0"]


def test_runs_of_two_catalogues_are_warned_of(tmp_path: Path) -> None:
    write_run(tmp_path / "a", [row(1, started="2026-05-01T00:00:00")])
    other_config = CONFIG.replace("glm-5", "pangu")
    write_run(tmp_path / "b", config=other_config, problem_catalog={"version": "v1.0", "commit": "ffff"})
    assert warned(tmp_path)["SOURCE-CONDITIONS-DIFFER"] == "the runs name v1.0 at 4d38d300, v1.0 at ffff"


@pytest.mark.parametrize(
    ("rows", "expected_message"),
    [
        ([*strict_rows(), row(4, is_last=True)], "the run calls checkpoint 4 the last"),
        ([row(1), row(2, is_last=True)], "the run calls checkpoint 2 the last"),
        ([*strict_rows(), row(5)], "the run has a checkpoint 5"),
    ],
)
def test_other_checkpoints_than_the_catalogue_has_are_asked_about(
    tmp_path: Path, rows: list[Json], expected_message: str
) -> None:
    run = write_run(tmp_path / "run", rows)
    (error,) = refused(run)
    assert (error.code, error.what) == (
        "SOURCE-ROUND-UNKNOWN",
        f"according to the catalogue, {DAG} has 3, but {expected_message}",
    )
    assert "`--catalog`" in error.fix
    assert "`--task`" in error.fix


def test_a_given_catalogue_settles_which_checkpoints_there_are(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [*strict_rows(), row(4, is_last=True)])
    incoming = read_slopcodebench(run, OPTIONS, catalogue(tmp_path, {DAG: 3}))
    (draft,) = incoming.drafts
    assert [problem.code for problem in incoming.problems] == ["SOURCE-ROUNDS-DIFFER"]
    assert [round_result.round for round_result in draft.rounds] == [1, 2, 3]
    fact = f"{DAG} has 3, but the run calls checkpoint 4 the last"
    assert any(fact in caveat for caveat in draft.submission.caveats)


def test_the_runs_own_last_checkpoint_outweighs_a_catalogue_that_is_only_assumed(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [row(1), row(2, is_last=True)], problem_catalog={})
    assert lengths(run) == {DAG: 2}
    caveats = imported(run).drafts[0].submission.caveats
    assert any("dag_execution has 2 checkpoints" in caveat for caveat in caveats)


def test_runs_that_call_different_checkpoints_the_last_are_asked_about(tmp_path: Path) -> None:
    write_run(tmp_path / "a", [row(1), row(2, is_last=True)], problem_catalog={})
    write_run(tmp_path / "b", strict_rows(), config=CONFIG.replace("glm-5", "pangu"), problem_catalog={})
    (error,) = refused(tmp_path)
    assert error.code == "SOURCE-ROUND-UNKNOWN"


def test_a_broken_catalogue_is_refused(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run")
    path = catalogue(tmp_path, {DAG: 0})
    assert "VALUE-REFUSED" in [error.code for error in refused(run, catalog=path)]


def test_problems_whose_names_no_address_can_hold_are_left_out(tmp_path: Path) -> None:
    run = write_run(tmp_path, [*strict_rows(), row(1, "../../evil"), row(2, "Sp ace")])
    assert lengths(run) == {DAG: 3}
    assert "problem ../../evil, problem Sp ace" in warned(run)["SOURCE-LEFT-OUT"]


def test_summaries_count_all_expected_checkpoints(tmp_path: Path) -> None:
    run = write_run(tmp_path, [row(1)], result={"expected_checkpoints": 3, "checkpoints_solved": 1})
    assert imported(run).problems == ()
