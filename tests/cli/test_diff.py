"""`sitegen diff`: two folders, or two revisions."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from comment import FOLD, SCREEN
from kit.built_sites import real_snapshot
from kit.command import sitegen
from kit.results_folders import MANIFEST, ROUNDS, Tree

DATA_PROBLEMS, USED_WRONGLY = 1, 2


def git(folder: Path, *arguments: str) -> None:
    who = {
        f"GIT_{role}_{field}": "someone@example.org" for role in ("AUTHOR", "COMMITTER") for field in ("NAME", "EMAIL")
    }
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, env={**os.environ, **who})  # noqa: S607 - wherever git is


def changed_rows(document: dict[str, Any]) -> dict[str, Any]:
    return {row["id"]: row for board in document["boards"] for row in board["rows"]}


@pytest.fixture
def states(tmp_path: Path) -> tuple[Path, Path]:
    """Two results folders, the second with another verdict and another claim to go with it."""
    before, after = Tree(tmp_path / "before"), Tree(tmp_path / "after")
    after.change(1, reward=0, passed=1)
    after.edit("submission.toml", "dataset_score = 25.0", "dataset_score = 0.0")
    return before.folder, after.folder


def test_a_report_repeats_the_caveats_of_what_is_new(tmp_path: Path) -> None:
    before, after = Tree(tmp_path / "before"), Tree(tmp_path / "after")
    caveat = 'date = 2026-06-25\ncaveats = ["Costs are not known."]'
    after.add("other", *ROUNDS, manifest=MANIFEST.replace("Acme-1", "Other-1").replace("date = 2026-06-25", caveat))
    report = sitegen("diff", before.folder, after.folder, "--format", "markdown", folder=tmp_path).stdout
    first, fold, folded_text = report.partition(f"\n{FOLD}\n")
    assert first.count("\n") < SCREEN
    assert "- `Other-1` on `mini/main`: `Dataset Score` " in first
    assert "New problems: 1 of `SUBMISSION-CAVEAT`" in first
    assert "Costs are not known." in folded_text
    assert (bool(fold), folded_text.endswith("\n</details>\n")) == (True, True)


def test_two_folders_are_compared(states: tuple[Path, Path], tmp_path: Path) -> None:
    result = sitegen("diff", *states, "--format", "json", folder=tmp_path)
    assert result.returncode == DATA_PROBLEMS, result.stderr  # what is published may not be edited
    row = changed_rows(json.loads(result.stdout))["2026-06-25-acme"]
    assert [(cell["task"], cell["round"]) for cell in row["cells"]] == [("tidy", 1)]
    assert {score["name"]: (score["before"], score["after"]) for score in row["scores"]}["dataset_score"] == (25.0, 0.0)
    assert "claims.dataset_score" in {difference["name"] for difference in row["about"]}


def test_a_folder_is_compared_with_a_revision(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "results")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "First")
    tree.change(2, output_tokens=5)
    result = sitegen("diff", "HEAD", "results", folder=tmp_path)
    assert result.returncode == DATA_PROBLEMS, result.stderr
    assert "tidy, attempt 1, round 2: output_tokens – → 5" in result.stdout
    git(tmp_path, "commit", "-qam", "Second")
    assert sitegen("diff", "HEAD~1", "HEAD", folder=tmp_path).stdout == result.stdout


def test_a_link_is_no_state(states: tuple[Path, Path], tmp_path: Path) -> None:
    """Else a change could let the results be a link to what they are compared with, and nothing would differ."""
    base, _ = states
    (tmp_path / "results").symlink_to(base)
    for arguments in (("diff", base, "results"), ("diff", "results", base), ("validate", "results", "--base", base)):
        result = sitegen(*arguments, folder=tmp_path)
        assert (result.returncode, result.stdout) == (2, "")
        assert result.stderr.startswith("error: results is a link")


def test_an_error_that_is_new_is_told_and_ends_with_1(tmp_path: Path) -> None:
    before, after = Tree(tmp_path / "before"), Tree(tmp_path / "after")
    after.change(1, passed=2)
    result = sitegen("diff", before.folder, after.folder, "--format", "markdown", folder=tmp_path)
    assert result.returncode == DATA_PROBLEMS
    assert "## New problems: 2" in result.stdout
    assert "- error `ROUND-REWARD-DESPITE-FAILURE` `mini/submissions/2026-06-25-acme/rounds.jsonl:1`" in result.stdout


def test_nothing_is_said_of_what_errors_in_both_states_hide(tmp_path: Path) -> None:
    before, after = Tree(tmp_path / "before"), Tree(tmp_path / "after")
    for tree in (before, after):
        tree.add("other", *ROUNDS, manifest=MANIFEST.replace("Acme-1", "Other-1"))
        tree.change(1, passed=2)
    hidden = "may hide differences: run `sitegen validate`.\n"
    result = sitegen("diff", before.folder, after.folder, folder=tmp_path)
    assert result.returncode == DATA_PROBLEMS
    assert result.stdout == f"No differences in the files that could be read; 1 error in both states {hidden}"
    shutil.rmtree(after.folder / "mini" / "submissions" / "other")
    report = sitegen("diff", before.folder, after.folder, folder=tmp_path).stdout
    first, _, errors_text = report.partition("\n\n")
    whose, _, first = first.partition("\n")
    assert whose.startswith(
        "This is a maintainer's pull request without a new submission: the submission other of Other-1"
    )
    assert first.startswith("Removes Other-1; ")
    assert "nothing" not in first
    assert errors_text.startswith(f"1 error in both states {hidden}")


def test_what_is_neither_folder_nor_revision_is_said(tmp_path: Path) -> None:
    Tree(tmp_path / "results")
    for name in ("nowhere", "--output=x"):
        result = sitegen("diff", "results", "--", name, folder=tmp_path)
        assert result.returncode == USED_WRONGLY
        assert f"{name} is neither a folder nor a revision" in result.stderr


def test_real_snapshots_differ_in_just_the_records_that_their_files_say() -> None:
    """Held against the JSON lines of the bundles, compared without the program's models."""
    folders = [real_snapshot(name) for name in ("2026-06-13", "2026-06-20-subset")]
    result = sitegen("diff", *folders, "--format", "json")
    document = json.loads(result.stdout)
    records_before, records_after = map(records_by_agent, folders)
    compared = 0
    for row in changed_rows(document).values():
        if not row["earlier"]:
            continue
        before, after = records_before[row["earlier"]], records_after[row["id"]]
        expected = {key for key in before | after if before.get(key) != after.get(key)}
        assert {(cell["task"], cell["attempt"], cell["round"]) for cell in row["cells"]} == expected
        compared += len(expected)
    assert compared > 1000


def records_by_agent(folder: Path) -> dict[str, dict[tuple[str, int, int], dict[str, Any]]]:
    """Read the rounds of every bundle by its name, as JSON."""
    records_by_bundle = {}
    for path in folder.glob("*/submissions/*/rounds.jsonl"):
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        records_by_bundle[path.parent.name] = {(line["task"], line["attempt"], line["round"]): line for line in lines}
    return records_by_bundle
