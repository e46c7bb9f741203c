"""Waivers on the command line: every command judges by the same day, which the environment can fix."""

from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from kit.command import sitegen
from kit.results_folders import Tree

from sitegen.cli.console import today
from sitegen.problems import UsageError

DATA_PROBLEMS, USED_WRONGLY = 1, 2
JULY, AUGUST = "1785456000", "1785542400"
"""Midnight at the beginning of 31 July and of 1 August 2026, UTC."""

WAIVER = """
[[findings]]
date = 2026-06-26
kind = "waiver"
title = "Published with a typo"
code = "CLAIM-DIFFERS"
by = "Ann"
until = 2026-07-31
reason = "The vendor corrects its page."
"""


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(tmp_path / "results")
    made.edit("submission.toml", "dataset_score = 25.0", "dataset_score = 99.0")
    made.findings(WAIVER)
    return made


def commands(tree: Tree) -> list[list[str | Path]]:
    """Every command that ends with an exit code for errors of the results."""
    site = tree.folder.parent / "site"
    return [
        ["validate", tree.folder],
        ["validate", tree.bundle],
        ["score", tree.folder],
        ["diff", tree.folder, tree.folder],
        ["build", "--results", tree.folder, "--site", site],
    ]


def test_every_command_lets_pass_what_is_waived_and_no_longer(tree: Tree) -> None:
    assert [sitegen(*command, SOURCE_DATE_EPOCH=JULY).returncode for command in commands(tree)] == [0] * 5
    assert [sitegen(*command, SOURCE_DATE_EPOCH=AUGUST).returncode for command in commands(tree)] == [DATA_PROBLEMS] * 5


def test_a_day_that_is_none_is_a_mistake_of_the_caller(tree: Tree) -> None:
    done = sitegen("validate", tree.folder, SOURCE_DATE_EPOCH="yesterday")
    assert done.returncode == USED_WRONGLY
    assert 'SOURCE_DATE_EPOCH is "yesterday", but it must be a number of seconds since 1970' in done.stderr


@pytest.mark.parametrize(
    ("seconds", "day"), [(JULY, date(2026, 7, 31)), (str(int(AUGUST) - 1), date(2026, 7, 31)), ("0", date(1970, 1, 1))]
)
def test_the_environment_fixes_the_day(seconds: str, day: date) -> None:
    assert today({"SOURCE_DATE_EPOCH": seconds}) == day


@pytest.mark.parametrize("seconds", ["yesterday", "1.5", "9" * 30, "-" + "9" * 30])
def test_what_is_no_time_is_refused(seconds: str) -> None:
    with pytest.raises(UsageError, match="SOURCE_DATE_EPOCH"):
        today({"SOURCE_DATE_EPOCH": seconds})


@pytest.mark.parametrize("environment", [{}, {"SOURCE_DATE_EPOCH": ""}])
def test_otherwise_it_is_the_clock_s(environment: dict[str, str]) -> None:
    before = datetime.now(tz=UTC).date()
    assert before <= today(environment) <= datetime.now(tz=UTC).date()
