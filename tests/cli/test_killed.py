"""Commands that are killed or refused something leave what was there, or what was to be, and nothing else."""

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from trials import Trial, file_limit, run, trials

NAMES = (
    "build",
    "release",
    "redact",
    "withdraw",
    "supersede",
    "add-attempt",
    "correct",
    "replace-rounds",
    "submit",
    "import",
    "import --supersedes",
    "export",
    "demo",
    "init",
    "init, in the folder",
    "validate --fix",
    "validate --fix, in the folder",
)
"""The commands that write; `make harden` kills each of them more often."""


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Trial]:
    found = trials(tmp_path_factory.mktemp("trials"))
    assert tuple(found) == NAMES
    return found


@pytest.mark.parametrize("name", NAMES)
def test_a_killed_command_leaves_all_or_nothing(tried: Mapping[str, Trial], name: str) -> None:
    row = tried[name].killed_at_step((1 + NAMES.index(name)) / (1 + len(NAMES)))
    assert row.is_clean, row


@pytest.mark.parametrize("name", ["validate --fix", "validate --fix, in the folder"])
@pytest.mark.parametrize("part", [0.7, 0.85])
def test_a_repair_is_in_place_as_a_whole(tried: Mapping[str, Trial], name: str, part: float) -> None:
    """These steps are those that write."""
    row = tried[name].killed_at_step(part)
    assert row.is_clean, row


@pytest.mark.parametrize("part", [0.9, 0.95, 1])
def test_an_import_into_new_folders_leaves_nothing_that_the_next_command_keeps(
    tried: Mapping[str, Trial], part: float
) -> None:
    """What it works in lies above all of them, and the next command works in the last one."""
    into = Path("new", "deep", "results")
    words = tuple(str(into) if word == "results" else word for word in tried["import"].words)
    work = tried["import"].start.parent / "deep"
    shutil.copytree(tried["import"].start, work)
    steps = int(run(work, words, at_step=0).said.rpartition("\n")[2])
    shutil.rmtree(work)
    shutil.copytree(tried["import"].start, work)
    run(work, words, at_step=1 + round(part * (steps - 1)))
    assert (work / into / "mini" / "benchmark.toml").is_file()
    assert list(work.rglob(".sitegen-*"))
    assert run(work, ("validate", str(into))).code == 0
    assert not list(work.rglob(".sitegen-*"))
    shutil.rmtree(work)


@pytest.mark.parametrize("name", ["build", "release", "import", "demo", "init", "validate --fix"])
def test_a_file_that_may_not_grow_ends_the_command_with_an_exit_code_of_its_own(
    tried: Mapping[str, Trial], name: str
) -> None:
    row = tried[name].refused(file_limit(max(tried[name].sizes) - 1))
    assert row.is_clean, row
