"""Archives are not read, and that is said: whoever forgot to unpack one sees it."""

from pathlib import Path

import pytest
from kit.harbor_trees import OPTIONS, PASSED, imported, played

from sitegen.importers.formats import load_format
from sitegen.importers.kit.tree import is_archive
from sitegen.problems import ProblemsError


@pytest.mark.parametrize("name", ["job.tar.gz", "JOB.TGZ", "runs.zip", "evocodebench_wtraj.tar.zst", "image.tar"])
def test_archives_are_known_by_their_names(name: str) -> None:
    assert is_archive(name)


@pytest.mark.parametrize("name", ["failures.jsonl.gz", "tarball", ".zip", "tar.py", "result.json"])
def test_other_files_are_no_archives(name: str) -> None:
    assert not is_archive(name)


def test_an_archive_beside_jobs_is_told(tmp_path: Path) -> None:
    played(tmp_path, PASSED)
    for name in ("more.tar.gz", "others.zip"):
        (tmp_path / "jobs" / name).touch()
    incoming = imported(tmp_path / "jobs", tmp_path / "tasks")
    problem = next(problem for problem in incoming.problems if problem.code == "SOURCE-ARCHIVE")
    assert problem.path.name == "more.tar.gz"
    assert problem.what == "this archive is not searched; the same applies to 1 other archive"
    assert problem.fix.startswith("unpack it if it contains results")


def test_an_archive_inside_a_run_is_the_agents(tmp_path: Path) -> None:
    incoming = played(tmp_path, PASSED)
    (trial,) = (path.parent for path in (tmp_path / "jobs").rglob("result.json") if (path.parent / "steps").exists())
    (trial / "agent.tar.gz").touch()
    assert imported(tmp_path / "jobs", tmp_path / "tasks") == incoming


@pytest.mark.parametrize("form", ["harbor", "harbor-multiturn", "slopcodebench"])
def test_a_source_of_archives_alone_says_what_to_do(tmp_path: Path, form: str) -> None:
    (tmp_path / "runs.tar.gz").touch()
    with pytest.raises(ProblemsError) as raised:
        load_format(form).read(tmp_path, OPTIONS)
    assert "SOURCE-ARCHIVE" in [problem.code for problem in raised.value.problems]
