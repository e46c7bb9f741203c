"""What an import accepts, every other command accepts too, in the same folder and without an edit."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from kit.command import sitegen
from kit.real_data import real_data
from kit.real_samples import Sample, samples
from kit.thoroughness import IS_WHOLE

SAMPLES = samples()


def first_of_each_format(all_samples: Sequence[Sample]) -> list[Sample]:
    """Return one sample of each format."""
    by_format: dict[str, Sample] = {}
    for sample in all_samples:
        by_format.setdefault(sample.form, sample)
    return list(by_format.values())


def git(folder: Path, *arguments: str) -> None:
    """Run git in a folder."""
    identity = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    command = ["git", *identity, *arguments]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def accepted(arguments: Sequence[str | Path], lists: Sequence[Sequence[str]], folder: Path, **variables: str) -> None:
    """Run a command with the first list of options that it accepts."""
    for options in lists:
        done = sitegen(*arguments, *options, folder=folder, **variables)
        if done.returncode == 0:
            break
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Import every sample into one folder of a git repository that has an untracked file."""
    real_data("real")
    folder = tmp_path_factory.mktemp("repository")
    git(folder, "init", "--quiet")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", "Begin")
    (folder / "untracked.txt").write_text("Not added.", encoding="utf-8")
    for sample in SAMPLES:
        arguments = ("import", sample.form, sample.source, "--into", "results", "--benchmark", sample.name)
        accepted(arguments, sample.options, folder)
    return folder / "results"


def test_everything_imported_is_valid(results: Path) -> None:
    done = sitegen("validate", results, "--format", "json", folder=results.parent)
    problems = [problem for problem in json.loads(done.stdout)["problems"] if problem["severity"] == "error"]
    assert problems == []
    assert done.returncode == 0


def test_everything_imported_is_scored(results: Path) -> None:
    done = sitegen("score", results, "--format", "json", folder=results.parent)
    assert done.returncode == 0, done.stderr
    benchmarks = {row["benchmark"] for row in json.loads(done.stdout)["submissions"]}
    assert benchmarks == {sample.name for sample in SAMPLES}


def test_everything_imported_is_built(results: Path) -> None:
    done = sitegen("build", "--results", results, "--site", results.parent / "site", folder=results.parent)
    assert done.returncode == 0, done.stderr
    for sample in SAMPLES:
        assert (results.parent / "site" / sample.name / "index.html").exists(), sample.name


@pytest.mark.parametrize("sample", SAMPLES, ids=[sample.name for sample in SAMPLES])
def test_everything_imported_can_be_submitted_to_a_new_board(sample: Sample, tmp_path: Path) -> None:
    assert sitegen("init", tmp_path / "board", "--benchmark", "board").returncode == 0
    arguments = ("submit", sample.source, "--to", "board/main", "--format", sample.form, "--dry-run")
    accepted(arguments, sample.options, tmp_path / "board")


TRIED = SAMPLES if IS_WHOLE else first_of_each_format(SAMPLES)


@pytest.mark.parametrize("sample", TRIED, ids=[sample.name for sample in TRIED])
def test_everything_imported_can_be_tried(sample: Sample, tmp_path: Path) -> None:
    lists = [[option for option in options if option != "--allow-missing"] for options in sample.options]
    arguments = ("try", sample.source, "--format", sample.form, "--no-serve")
    accepted(arguments, lists, tmp_path, TMPDIR=str(tmp_path))


def test_there_are_samples_of_every_format() -> None:
    real_data("real")
    assert len(SAMPLES) >= 70
