"""What another version of the program would change is told, and nothing is written."""

import shutil
from pathlib import Path

from kit.command import ROOT, done, sitegen
from kit.results_folders import Tree

USED_WRONGLY = 2


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if "__pycache__" not in path.parts)


def test_scores_ranks_problems_and_pages_that_would_differ_are_named(tmp_path: Path) -> None:
    """Another version takes every reward for a pass."""
    results = Tree(tmp_path / "results").folder
    other_version = tmp_path / "other"
    shutil.copytree(ROOT / "sitegen", other_version / "sitegen")
    for name in ("mkdocs.yml", "site_src", "templates"):
        (other_version / name).symlink_to(ROOT / name)
    outcome = other_version / "sitegen" / "models" / "outcome.py"
    text = outcome.read_text(encoding="utf-8")
    assert "PASS_REWARD = 0.999" in text
    outcome.write_text(text.replace("PASS_REWARD = 0.999", "PASS_REWARD = 0.0"), encoding="utf-8")
    done("init", "board", folder=tmp_path)
    before = files(tmp_path)
    result = sitegen("upgrade", other_version, "--check", "--results", results, folder=tmp_path / "board")
    assert "scores: 1 of 1 entry differ\n  mini/main/2026-06-25-acme: dataset_score 25 to 50, " in result.stdout
    assert "ranks: 0 of 1 entry differ\nproblems: 2 new\n" in result.stdout
    assert "error ROUND-REWARD-DESPITE-FAILURE: " in result.stdout
    assert "  mini/main/: changed\n" in result.stdout
    assert "  agents/: changed\n" in result.stdout, "it has the scores of all boards"
    assert "  changelog/: changed\n" not in result.stdout
    assert result.returncode == 1, "the other version finds errors"
    assert files(tmp_path) == before


def test_what_is_no_program_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.whl").write_bytes(b"none")
    for program, message in (
        ("x.whl", "can't be unpacked"),
        (".", "neither a checkout"),
        ("absent", "neither a checkout"),
    ):
        result = sitegen("upgrade", program, "--check", folder=tmp_path)
        assert (result.returncode, message in result.stderr) == (USED_WRONGLY, True)
