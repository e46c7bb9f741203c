"""Commands that are killed or refused something leave what was there, or what was to be, and nothing else."""

from collections.abc import Mapping

import pytest
from trials import Trial, file_limit, trials

NAMES = (
    "build",
    "release",
    "redact",
    "withdraw",
    "supersede",
    "add-attempt",
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


@pytest.mark.parametrize("name", ["build", "release", "import", "demo", "init", "validate --fix"])
def test_a_file_that_may_not_grow_ends_the_command_with_an_exit_code_of_its_own(
    tried: Mapping[str, Trial], name: str
) -> None:
    row = tried[name].refused(file_limit(max(tried[name].sizes) - 1))
    assert row.is_clean, row
