"""Each way to cheat is refused, or its row says why nobody should trust it yet; nobody else is named for it."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from corpus.changes import spoil
from corpus.entries import DAY, FOLDER, Entry
from kit.results_folders import seal

from sitegen.pages.labels import checked_text
from sitegen.pipeline.evaluating import evaluate
from sitegen.problems import Problem, errors_of

CHEATS: Mapping[str, Mapping[str, Any]] = tomllib.loads((FOLDER / "cheats.toml").read_text(encoding="utf-8"))


def sent_in(name: str, folder: Path) -> tuple[Path, tuple[Problem, ...]]:
    """Publish a small folder, cheat, and give what is said against that."""
    entry = Entry(name, "cheats", {"published": [], **CHEATS[name]})
    journals = [checked_change for checked_change in entry.values["change"] if "check" in checked_change]
    entry.values["change"] = [plain_change for plain_change in entry.values["change"] if "check" not in plain_change]
    tree = entry.spoil(folder)
    for bundle in tree.glob("*/submissions/*"):
        seal(bundle)
    for change in journals:
        spoil(tree, change)
    return tree, entry.judged(tree)


@pytest.mark.parametrize("name", CHEATS)
def test_a_cheat_is_refused_or_its_row_says_what_is_missing(name: str, tmp_path: Path) -> None:
    cheat = CHEATS[name]
    tree, problems = sent_in(name, tmp_path)
    if "refused" in cheat:
        assert cheat["refused"] in {error.code for error in errors_of(problems)}
        return
    assert {problem.path.parent.name for problem in problems if problem.path.parent.parent.name == "submissions"} <= {
        "chain-elm"
    }
    if "doubted" in cheat:
        accused = {problem.path.parent.name for problem in problems if problem.code == cheat["doubted"]}
        assert accused == {"chain-elm"}
    rows = {entry.id: (board, entry) for board, entry in evaluate(tree, DAY).entries()}
    board, entry = rows["chain-elm"]
    assert checked_text(board, entry) == cheat.get("shown", "not verified")
    assert entry.evidence not in {"verified", "reproduced"}


def test_there_are_the_seventeen_ways() -> None:
    assert len(CHEATS) == 17
    outcome_keys = ("refused", "doubted", "shown")
    assert all(
        sum(key in cheat for key in outcome_keys) == 1 and cheat["wrong"].endswith(".") for cheat in CHEATS.values()
    )
