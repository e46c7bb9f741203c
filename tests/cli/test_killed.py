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
    trials_by_name = trials(tmp_path_factory.mktemp("trials"))
    assert tuple(trials_by_name) == NAMES
    return trials_by_name


@pytest.mark.parametrize("name", NAMES)
def test_a_killed_command_leaves_all_or_nothing(tried: Mapping[str, Trial], name: str) -> None:
    row = tried[name].killed_at_step((1 + NAMES.index(name)) / (1 + len(NAMES)))
    assert row.is_clean, row


@pytest.mark.parametrize("name", ["validate --fix", "validate --fix, in the folder"])
@pytest.mark.parametrize("fraction", [0.7, 0.85])
def test_a_repair_is_in_place_as_a_whole(tried: Mapping[str, Trial], name: str, fraction: float) -> None:
    """These steps are those that write."""
    row = tried[name].killed_at_step(fraction)
    assert row.is_clean, row


def test_an_import_into_new_folders_leaves_nothing_that_the_next_command_keeps(
    tried: Mapping[str, Trial], tmp_path: Path
) -> None:
    """The import works in a folder above all new ones, and the next command starts in the deepest of them.

    Only its last steps matter: those between the move into place and the end, when the results and the folder for
    work in progress are there together.
    """
    start = tried["import"].start
    into = Path("new", "deep", "results")
    arguments = tuple(str(into) if argument == "results" else argument for argument in tried["import"].words)
    counted = shutil.copytree(start, tmp_path / "counted")
    steps = int(run(counted, arguments, at_step=0).said.rpartition("\n")[2])
    kills_with_both = 0
    for step in range(steps, 0, -1):
        work = shutil.copytree(start, tmp_path / str(step))
        run(work, arguments, at_step=step)
        if not (work / into / "mini" / "benchmark.toml").is_file():
            break
        if list(work.rglob(".sitegen-*")):
            kills_with_both += 1
        checked = run(work, ("validate", str(into)))
        is_kept = (work / into / "mini" / "benchmark.toml").is_file()
        assert (checked.code == 0) == is_kept, checked.said
        if step == steps:
            assert is_kept
        assert not list(work.rglob(".sitegen-*"))
    assert kills_with_both >= 3


@pytest.mark.parametrize("name", ["build", "release", "import", "demo", "init", "validate --fix"])
def test_a_file_that_may_not_grow_ends_the_command_with_an_exit_code_of_its_own(
    tried: Mapping[str, Trial], name: str
) -> None:
    row = tried[name].refused(file_limit(max(tried[name].sizes) - 1))
    assert row.is_clean, row
