"""Which tasks the multi-turn fork's runs belong to, and how many rounds these have."""

from dataclasses import replace
from pathlib import Path

import pytest
from kit.multiturn_trees import FAIL, OPTIONS, PASS, Source, codes, draft_of, imported, new_source, refused, told

from sitegen.importers.harbor_multiturn.source import read_harbor_multiturn
from sitegen.problems import ProblemsError, UsageError


@pytest.fixture
def source(tmp_path: Path) -> Source:
    """A source with one task of three rounds."""
    source = new_source(tmp_path)
    source.task()
    return source


def test_tasks_carry_their_labels_and_kinds_of_change(source: Source) -> None:
    text = """\
[metadata]
name = "Tidy"
difficulty = "hard"

[metadata.multiround]
num_rounds = 2

[[metadata.multiround.rounds]]
round = 1
change_types = ["extension", "correction"]

[[metadata.multiround.rounds]]
round = 2
change_type = "conflict"
"""
    source.task("neat", text=text)
    source.of("acme-1", "neat").run("neat__AAAAAAA", [PASS, PASS])
    source.run("tidy__AAAAAAA", [PASS, FAIL])
    task = imported(source).task_sets[0].by_id()["neat"]
    assert [round_result.labels for round_result in task.rounds] == [("extension", "correction"), ("conflict",)]
    assert task.labels == {"difficulty": "hard"}


def test_the_papers_own_shape_of_a_task_is_read(tmp_path: Path) -> None:
    source = new_source(tmp_path)
    source.task(text='[metadata]\nnum_rounds = 2\nchange_types = [["extension"], ["conflict"]]\n')
    source.run("tidy__AAAAAAA", [PASS])
    (task,) = imported(source).task_sets[0].tasks
    assert [round_result.labels for round_result in task.rounds] == [("extension",), ("conflict",)]


def test_tasks_can_lie_elsewhere(source: Source, tmp_path: Path) -> None:
    source.run("tidy__AAAAAAA", [PASS, FAIL])
    elsewhere = tmp_path / "tasks"
    (source.root / "tasks").rename(elsewhere)
    assert told(read_harbor_multiturn(source.root, OPTIONS, elsewhere).drafts[0].rounds) == ["#.u"]


def test_a_folder_without_tasks_is_a_mistake(source: Source, tmp_path: Path) -> None:
    source.run("tidy__AAAAAAA", [PASS])
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match=r"contains no task\.toml"):
        read_harbor_multiturn(source.root, OPTIONS, tmp_path / "empty")


def test_tasks_can_hold_their_own_runs(tmp_path: Path) -> None:
    """The benchmark's scripts keep a task's runs in the task's folder."""
    source = new_source(tmp_path)
    source.task()
    source.of("acme-1", "tasks/tidy").run("tidy__AAAAAAA", [PASS, FAIL])
    assert told(draft_of(source).rounds) == ["#.u"]


def test_a_tasks_name_is_never_taken_from_a_runs_folder(tmp_path: Path) -> None:
    """The folder's name is cut to 32 characters, so that two tasks share it."""
    source = new_source(tmp_path)
    names = ["theme_d10_w4_ml_ai_mlops_migration_a", "theme_d10_w4_ml_ai_mlops_migration_b"]
    for name, outcome in zip(names, (PASS, FAIL), strict=True):
        source.task(name, rounds=1)
        source.of("acme-1", name).run(f"{name[:32]}__AAAAAAA", [outcome])
    assert told(draft_of(source).rounds) == ["#", "."]


def test_without_tasks_the_rounds_follow_from_whole_runs(tmp_path: Path) -> None:
    source = new_source(tmp_path)
    source.run("tidy__AAAAAAA", [PASS, FAIL], told={"verifier_result": {"aggregate_window_end": 4}})
    incoming = imported(source)
    assert told(incoming.drafts[0].rounds) == ["#.uu"]
    assert codes(incoming) == ["SOURCE-ASSUMED"]


def test_without_tasks_and_whole_runs_the_rounds_are_not_known(tmp_path: Path) -> None:
    source = new_source(tmp_path)
    source.branch("tidy__AAAAAAA__mr-r1-a0", [PASS], told={"verifier_result": {"aggregate_window_end": 1}})
    with pytest.raises(ProblemsError, match="SOURCE-TASK-UNKNOWN"):
        imported(source)


def test_a_run_that_does_not_tell_its_model_needs_a_name(source: Source) -> None:
    bare = {"config.json": None, "result.json": None}
    source.at("tidy/runs/2026-04-20__10-00-00").run("tidy__AAAAAAA", [PASS, FAIL], files=bare)
    assert [problem.code for problem in refused(source)] == ["SOURCE-AGENT-UNKNOWN"]
    assert draft_of(source, replace(OPTIONS, agent="Acme-1")).submission.agent.name == "Acme-1"


def test_runs_of_the_official_runner_are_left_to_its_importer(source: Source) -> None:
    source.run("tidy__AAAAAAA", [PASS, FAIL])
    folder = source.run("tidy__BBBBBBB", None)
    (folder / "steps" / "round-1").mkdir(parents=True)
    incoming = imported(source)
    assert told(incoming.drafts[0].rounds) == ["#.u"]
    assert any("official runner" in note for note in incoming.notes)


def test_a_source_of_other_runs_says_whose_they_are(source: Source) -> None:
    (source.root / "tidy" / "trial" / "steps" / "round-1").mkdir(parents=True)
    (source.root / "tidy" / "trial" / "result.json").touch()
    (problem,) = refused(source)
    note = "skipped: tidy/trial (a run of the official runner, for `sitegen import harbor`)"
    assert problem.what == f"found 0 runs: none that counts; {note}"


def test_a_source_without_runs_is_an_error(source: Source) -> None:
    assert [problem.code for problem in refused(source)] == ["SOURCE-EMPTY"]
