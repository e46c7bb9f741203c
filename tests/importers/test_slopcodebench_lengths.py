"""How many checkpoints a problem has: by the run's catalogue, or by one that is given."""

import json
from pathlib import Path

from real_data import real_data
from slop_trees import DAG, OPTIONS, imported, refused, row, strict_rows, warned, write_run

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
    known = LENGTHS["v1.0"]
    assert (len(known), sum(known.values())) == (36, 196)
    assert known == json.loads(real_data("slop-code-bench", "catalog-v1.0.json").read_text())["problems"]


def test_a_given_catalogue_wins(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [row(1), row(2)])
    assert lengths(run, catalogue(tmp_path, {DAG: 4})) == {DAG: 4}


def test_a_problem_of_unknown_length_is_an_error(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", strict_rows(DAG, "my_problem"))
    (error,) = refused(run)
    assert error.code == "SLOP-LENGTH-UNKNOWN"
    assert error.what == "the catalogue v1.0 does not tell how many checkpoints there are in my_problem"
    assert lengths(run, catalogue(tmp_path, {DAG: 3, "my_problem": 3})) == {DAG: 3, "my_problem": 3}


def test_a_release_that_is_not_known_needs_a_catalogue(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", problem_catalog={"version": "v9.9"})
    (error,) = refused(run)
    assert error.what.startswith("the catalogue v9.9, of which no counts are known here, does not tell")
    assert "--catalog" in error.fix


def test_a_run_that_names_no_catalogue_is_taken_for_the_known_release(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", problem_catalog={})
    assert warned(run)["SLOP-CATALOGUE-ASSUMED"].endswith("the counts of v1.0 are taken")
    assert "SLOP-CATALOGUE-ASSUMED" not in [
        problem.code for problem in read_slopcodebench(run, OPTIONS, catalogue(tmp_path, {DAG: 3})).problems
    ]


def test_a_catalogue_of_another_release_is_warned_of(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run")
    problems = read_slopcodebench(run, OPTIONS, catalogue(tmp_path, {DAG: 3}, "v2.0")).problems
    assert [problem.what for problem in problems] == ["the given catalogue is v2.0, and the runs name v1.0"]


def test_runs_of_two_catalogues_are_warned_of(tmp_path: Path) -> None:
    write_run(tmp_path / "a", [row(1, started="2026-05-01T00:00:00")])
    write_run(tmp_path / "b", problem_catalog={"version": "v1.0", "commit": "ffff"})
    assert warned(tmp_path)["SLOP-CATALOGUE-DIFFERS"] == "the runs name v1.0 at 4d38d300, v1.0 at ffff"


def test_a_checkpoint_beyond_the_catalogue_is_refused(tmp_path: Path) -> None:
    (error,) = refused(write_run(tmp_path, [*strict_rows(), row(4, is_last=True)]))
    assert (error.code, error.what) == (
        "SLOP-LENGTH-DIFFERS",
        f"by the catalogue, {DAG} has 3, and the run calls checkpoint 4 the last",
    )


def test_another_last_checkpoint_than_the_catalogues_is_refused(tmp_path: Path) -> None:
    (error,) = refused(write_run(tmp_path, [row(1), row(2, is_last=True)]))
    assert error.what == f"by the catalogue, {DAG} has 3, and the run calls checkpoint 2 the last"


def test_a_broken_catalogue_is_refused(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run")
    path = catalogue(tmp_path, {DAG: 0})
    assert "VALUE-REFUSED" in [error.code for error in refused(run, catalog=path)]


def test_names_that_no_address_can_hold_are_refused(tmp_path: Path) -> None:
    run = write_run(tmp_path, [row(1, "../../evil"), row(2, "Sp ace")])
    assert "SOURCE-TASK-ID" in [error.code for error in refused(run)]


def test_summaries_count_all_expected_checkpoints(tmp_path: Path) -> None:
    run = write_run(tmp_path, [row(1)], result={"expected_checkpoints": 3, "checkpoints_solved": 1})
    assert imported(run).problems == ()
