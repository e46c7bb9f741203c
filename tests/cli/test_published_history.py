"""Published results that changed: told by `sitegen diff`, and by `sitegen validate --base`."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from kit.command import sitegen
from kit.results_folders import MANIFEST, ROUNDS, Tree

DATA_PROBLEMS, USED_WRONGLY = 1, 2
SILENT = "tidy, attempt 1, round 2"


def git(folder: Path, *arguments: str) -> None:
    who = {
        f"GIT_{role}_{field}": "someone@example.org" for role in ("AUTHOR", "COMMITTER") for field in ("NAME", "EMAIL")
    }
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, env={**os.environ, **who})  # noqa: S607 - wherever git is


class States(NamedTuple):
    """Two states of a results folder below a working directory."""

    folder: Path
    before: Tree
    after: Tree


@pytest.fixture
def states(tmp_path: Path) -> States:
    """Someone adds Zeta, and passes a round of Acme-1 in passing, whose manifest spells it in another way."""
    trees = Tree(tmp_path / "before"), Tree(tmp_path / "results")
    for tree in trees:
        tree.edit("submission.toml", 'name = "Acme-1"', 'name = "acme one"')
        tree.edit("submission.toml", "dataset_score = 25.0\n", "")
    before, after = trees
    manifest = MANIFEST.replace("Acme-1", "Zeta").replace("dataset_score = 25.0\n", "")
    after.add("2026-07-01-zeta", *ROUNDS, manifest=manifest)
    after.change(2, reward=1, passed=4)
    return States(tmp_path, before, after)


def diff_as_json(states: States) -> dict[str, Any]:
    result = sitegen("diff", "before", "results", "--format", "json", folder=states.folder)
    assert result.returncode == DATA_PROBLEMS, result.stderr
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def test_whoever_compares_with_a_branch_that_went_on_is_told(states: States) -> None:
    """What came there meanwhile looks as if it were deleted here."""
    for command in ("init -q", "add -A", "commit -q -m one", "branch mine"):
        git(states.folder, *command.split())
    (states.folder / "more").write_text("meanwhile", encoding="utf-8")
    for command in ("add -A", "commit -q -m two", "branch ahead", "switch -q mine"):
        git(states.folder, *command.split())
    stderr_by_base = {
        base: sitegen("validate", "results", "--base", base, folder=states.folder).stderr for base in ("ahead", "mine")
    }
    assert "ahead has commits that this branch lacks" in stderr_by_base["ahead"]
    assert "git merge-base ahead HEAD" in sitegen("diff", "ahead", "results", folder=states.folder).stderr
    assert stderr_by_base["mine"] == ""


def test_a_silent_change_hidden_in_an_addition_shows_as_json(states: States) -> None:
    (board,) = diff_as_json(states)["boards"]
    rows = {row["agent"]: row for row in board["rows"]}
    assert {agent: row["kind"] for agent, row in rows.items()} == {"Zeta": "new", "Acme-1": "changed"}
    (cell,) = rows["Acme-1"]["cells"]
    assert (cell["task"], cell["attempt"], cell["round"]) == ("tidy", 1, 2)
    turns = {difference["name"]: (difference["before"], difference["after"]) for difference in cell["differences"]}
    assert turns == {"reward": (0.0, 1.0), "passed": (3, 4)}


def test_a_silent_change_hidden_in_an_addition_is_a_problem_of_its_own(states: States) -> None:
    problems = diff_as_json(states)["problems"]["new"]
    (problem,) = (problem for problem in problems if problem["code"].startswith("HISTORY-"))
    assert (problem["code"], problem["severity"], problem["line"]) == ("HISTORY-EDITED", "error", 2)
    assert problem["path"] == "mini/submissions/2026-06-25-acme/rounds.jsonl"
    assert problem["what"] == f"Acme-1: 1 record differs: {SILENT} (reward 0 → 1, passed 3 → 4)"


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_a_silent_change_hidden_in_an_addition_shows_to_people(states: States, form: str) -> None:
    result = sitegen("diff", "before", "results", "--format", form, folder=states.folder)
    assert result.returncode == DATA_PROBLEMS, result.stderr
    plain = result.stdout.replace("`", "")
    assert f"{SILENT}: reward 0.0 → 1.0; passed 3 → 4" in plain
    assert "Acme-1 (2026-06-25-acme)\n" in plain
    assert "Zeta (2026-07-01-zeta): new\n" in plain
    assert "error HISTORY-EDITED mini/submissions/2026-06-25-acme/rounds.jsonl:2: Acme-1: 1 record differs" in plain


def test_an_addition_alone_is_no_problem(states: States) -> None:
    states.after.change(2, reward=0, passed=3)
    result = sitegen("diff", "before", "results", "--format", "text", folder=states.folder)
    assert result.returncode == 0, result.stdout
    assert "HISTORY" not in result.stdout


def told(result: "subprocess.CompletedProcess[str]") -> list[dict[str, Any]]:
    problems: list[dict[str, Any]] = json.loads(result.stdout)["problems"]
    return [problem for problem in problems if problem["code"].startswith("HISTORY-")]


def test_validation_tells_it_against_an_earlier_folder(states: States) -> None:
    result = sitegen("validate", "--base", "before", "--format", "json", folder=states.folder)
    assert result.returncode == DATA_PROBLEMS
    (problem,) = told(result)
    assert problem["path"] == "results/mini/submissions/2026-06-25-acme/rounds.jsonl"
    assert (problem["code"], problem["severity"], problem["line"]) == ("HISTORY-EDITED", "error", 2)
    assert json.loads(result.stdout)["ok"] is False


def test_validation_tells_it_against_a_revision(states: States) -> None:
    shutil.copytree(states.before.folder, states.folder / "kept")
    shutil.rmtree(states.after.folder)
    shutil.move(states.before.folder, states.after.folder)
    git(states.folder, "init", "-q")
    git(states.folder, "add", "results")
    git(states.folder, "commit", "-qm", "First")
    assert told(sitegen("validate", "--base", "HEAD", "--format", "json", folder=states.folder)) == []
    shutil.rmtree(states.after.bundle)
    (problem,) = told(sitegen("validate", "results", "--base", "HEAD", "--format", "json", folder=states.folder))
    assert (problem["code"], problem["line"]) == ("HISTORY-DELETED", None)
    assert problem["path"] == "results/mini/submissions/2026-06-25-acme"
    assert problem["what"] == "the submission 2026-06-25-acme of Acme-1 was removed"


def test_a_bundle_is_validated_against_its_own_past_only(states: States) -> None:
    bundles = [states.after.bundle, states.after.bundle.with_name("2026-07-01-zeta")]
    problem_lists = [
        told(sitegen("validate", bundle, "--base", "before", "--format", "json", folder=states.folder))
        for bundle in bundles
    ]
    assert [len(problems) for problems in problem_lists] == [1, 0]


def test_annotations_stand_where_the_change_is(states: States) -> None:
    result = sitegen("validate", "--base", "before", "--format", "github", folder=states.folder)
    annotation = "::error file=results/mini/submissions/2026-06-25-acme/rounds.jsonl,line=2,title=HISTORY-EDITED::"
    assert annotation in result.stdout


@pytest.mark.parametrize("base", ["nowhere", "before/mini"])
def test_a_base_that_holds_no_results_is_said(states: States, base: str) -> None:
    result = sitegen("validate", "--base", base, folder=states.folder)
    assert result.returncode == USED_WRONGLY
    assert base in result.stderr


@pytest.mark.parametrize("file", ["submissions/2026-06-25-acme/submission.toml", "findings.toml", "benchmark.toml"])
def test_a_key_of_very_many_parts_takes_no_time_and_is_told(states: States, file: str) -> None:
    (states.before.benchmark / "findings.toml").write_text("schema = 1\n", encoding="utf-8")
    (states.after.benchmark / "findings.toml").write_text("schema = 1\n", encoding="utf-8")
    path = states.after.benchmark / file
    path.write_text(f"{path.read_text(encoding='utf-8')}\n[x]\n{'.'.join(['a'] * 100_000)} = 1\n", encoding="utf-8")
    for arguments in (("validate", "results", "--base", "before"), ("diff", "before", "results")):
        result = sitegen(*arguments, folder=states.folder)
        assert result.returncode == DATA_PROBLEMS
        assert "TOML-SYNTAX" in result.stdout
        assert result.stderr == ""


@pytest.mark.parametrize("file", ["submission.toml", "rounds.jsonl"])
def test_of_a_file_that_is_too_large_it_is_told_that_it_differs(states: States, file: str) -> None:
    with (states.after.bundle / file).open("r+b") as sparse:
        sparse.truncate(2**33)
    result = sitegen("validate", "results", "--base", "before", folder=states.folder)
    assert result.returncode == DATA_PROBLEMS
    assert "error BUNDLE-TOO-LARGE" in result.stdout
    assert f"{file}: error HISTORY-EDITED" in result.stdout.replace(f"{file}:1:", f"{file}:")
    assert result.stderr == ""
