"""Places that commands are asked about or to write to, and that lie where they can't."""

import os
import shutil
from pathlib import Path

import pytest
from kit.command import sitegen
from kit.results_folders import Tree

USED_WRONGLY = 2


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return Tree(tmp_path / "results").folder


def test_a_site_takes_no_results_away_with_the_old_one(results: Path, tmp_path: Path) -> None:
    """It is replaced as a whole; results that lie in it would be gone."""
    site = tmp_path / "site"
    site.mkdir()
    (site / ".sitegen").touch()
    inside = shutil.copytree(results, site / "results")
    done = sitegen("build", "--results", inside, "--site", site)
    assert done.returncode == USED_WRONGLY
    assert (inside / "mini" / "benchmark.toml").exists()


@pytest.mark.parametrize("site_folder", ["results", "results/site", "link/site"])
def test_no_site_comes_into_the_results(results: Path, tmp_path: Path, site_folder: str) -> None:
    (tmp_path / "link").symlink_to(results)
    done = sitegen("build", "--results", results, "--site", tmp_path / site_folder)
    assert done.returncode == USED_WRONGLY
    assert [path.name for path in results.iterdir()] == ["mini"]


def test_a_state_without_a_name_is_none(results: Path) -> None:
    """A script whose variable is empty asks for a comparison, and must not be told that all is well."""
    for arguments in (("validate", results, "--base", ""), ("diff", "", results)):
        done = sitegen(*arguments)
        assert done.returncode == USED_WRONGLY
        assert "the state to compare with is empty; name a revision or a folder" in done.stderr


@pytest.mark.parametrize("name", ["mini", "mini/submissions", "mini/submissions/2026-06-25-acme", "releases"])
@pytest.mark.parametrize("fix", [True, False])
def test_a_link_that_leads_to_itself_is_a_link(results: Path, tmp_path: Path, name: str, fix: bool) -> None:  # noqa: FBT001
    base = shutil.copytree(results, tmp_path / "base")
    looped = results / name
    if looped.exists():
        shutil.rmtree(looped)
    looped.symlink_to(looped.name)
    done = sitegen("validate", results, "--base", base, *(("--fix",) if fix else ()))
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def test_a_release_goes_through_no_link_that_leads_to_itself(results: Path) -> None:
    (results / "releases").symlink_to("releases")
    assert sitegen("release", "2026-06-30", "--results", results).returncode in {1, 2}


def test_nobody_waits_for_who_writes_to_a_pipe(results: Path, tmp_path: Path) -> None:
    """It stands in the place of a folder, in which a file is looked for."""
    base = shutil.copytree(results, tmp_path / "base")
    shutil.rmtree(results / "mini" / "tasks")
    os.mkfifo(results / "mini" / "tasks")
    assert sitegen("diff", base, results).returncode == 1
    assert sitegen("diff", results, base).returncode in {0, 1}


def test_the_last_day_of_all_is_none(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "253402300799")
    assert sitegen("validate", results).returncode == USED_WRONGLY
