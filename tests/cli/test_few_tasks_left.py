"""Findings may take out nearly every task: what is left is built, and says nothing that it can't know."""

import json
from pathlib import Path

import pytest
from kit.command import done, sitegen

EXCLUSION = """
[[findings]]
date = 2026-11-01
kind = "defect"
title = "A task with wrong tests"
reason = "Its tests contradict its request."
by = "Ann"
effect = "exclude"
tasks = ["{task}"]
"""


@pytest.mark.parametrize("remaining_count", [0, 1, 2, 4])
def test_a_board_with_few_tasks_left_is_built(remaining_count: int, tmp_path: Path) -> None:
    done("demo", "results", "--agents", "3", "--tasks", "6", folder=tmp_path)
    (task_file,) = (tmp_path / "results").glob("*/tasks/*.jsonl")
    tasks = [json.loads(line)["id"] for line in task_file.read_text("utf-8").splitlines()]
    findings = task_file.parents[1] / "findings.toml"
    with findings.open("a", encoding="utf-8") as file:
        for task in tasks[remaining_count:]:
            file.write(EXCLUSION.format(task=task))
    assert sitegen("validate", "results", folder=tmp_path).returncode == 0
    built = sitegen("build", "--results", "results", "--site", "site", folder=tmp_path)
    assert built.returncode == 0, built.stderr
