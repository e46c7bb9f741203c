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
    other = tmp_path / "other"
    shutil.copytree(ROOT / "sitegen", other / "sitegen")
    for part in ("mkdocs.yml", "site_src", "templates"):
        (other / part).symlink_to(ROOT / part)
    outcome = other / "sitegen" / "models" / "outcome.py"
    text = outcome.read_text(encoding="utf-8")
    assert "PASS_REWARD = 0.999" in text
    outcome.write_text(text.replace("PASS_REWARD = 0.999", "PASS_REWARD = 0.0"), encoding="utf-8")
    done("init", "board", folder=tmp_path)
    before = files(tmp_path)
    told = sitegen("upgrade", other, "--check", "--results", results, folder=tmp_path / "board")
    assert "scores: 1 of 1 entry differ\n  mini/main/2026-06-25-acme: dataset_score 25 to 50, " in told.stdout
    assert "ranks: 0 of 1 entry differ\nproblems: 2 new\n" in told.stdout
    assert "error ROUND-REWARD-DESPITE-FAILURE: " in told.stdout
    assert "  mini/main/: changed\n" in told.stdout
    assert "  agents/: changed\n" in told.stdout, "it has the scores of all boards"
    assert "  changelog/: changed\n" not in told.stdout
    assert told.returncode == 1, "the other version finds errors"
    assert files(tmp_path) == before


def test_what_is_no_program_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.whl").write_bytes(b"none")
    for place, what in (("x.whl", "can't be unpacked"), (".", "neither a checkout"), ("absent", "neither a checkout")):
        told = sitegen("upgrade", place, "--check", folder=tmp_path)
        assert (told.returncode, what in told.stderr) == (USED_WRONGLY, True)
