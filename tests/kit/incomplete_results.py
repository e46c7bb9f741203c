"""A results folder with rows that lack tasks or attempts, a reported row, and a complete row."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from kit.results_folders import json_lines, write_bundle

DEFINITION = """\
schema = 1
id = "gaps"
title = "Gaps"

[[tracks]]
id = "main"
title = "Main"
protocol = "chain"
attempts = 4
tasks = "all"
headline = "dataset_score"
columns = ["dataset_score", "case_score"]
"""

TASKS = ("a", "b", "c", "d", "e", "f")
"""The tasks, with two rounds each."""

MISSING = "1 of 6 tasks missing, counted as 0"
FEWER = "1 of 4 attempts"

FINDINGS = """\
schema = 1

[[findings]]
date = 2026-07-01
kind = "defect"
title = "Broken check"
reason = "The check of round 2 is wrong"
effect = "exclude"
tasks = ["a"]
rounds = [2]

[[findings]]
date = 2026-07-01
kind = "defect"
title = "Broken task"
reason = "Nobody can solve it"
effect = "exclude"
tasks = ["c"]
"""
"""Findings that exclude a round, and every round of a task."""


def gaps(folder: Path, findings: str = "") -> Path:
    """Write a results folder with rows `whole`, `lacking` (no results for a task), `once` (one attempt) and `printed`.

    `whole` passes every round in 3 of 4 attempts, `lacking` passes all rounds of 5 tasks, and `once` passes all rounds
    except the second round of task a.
    except the second of task a.
    """
    home = folder / "gaps"
    (home / "tasks").mkdir(parents=True)
    (home / "reported").mkdir()
    (home / "benchmark.toml").write_text(DEFINITION, encoding="utf-8")
    tasks = [{"id": task, "rounds": [{"n": 1}, {"n": 2}]} for task in TASKS]
    (home / "tasks" / "all.jsonl").write_text(json_lines(*tasks), encoding="utf-8")
    if findings:
        (home / "findings.toml").write_text(findings, encoding="utf-8")
    whole_records = [_record(task, n, k, is_passed=n < 4) for task in TASKS for n in range(1, 5) for k in (1, 2)]
    lacking = [_record(task, n, k) for task in TASKS[:5] for n in range(1, 5) for k in (1, 2)]
    once = [_record(task, 1, k, is_passed=(task, k) != ("a", 2)) for task in TASKS for k in (1, 2)]
    _write(home, "whole", whole_records)
    _write(home, "lacking", lacking, 'missing = ["f"]\n')
    _write(home, "once", once, "attempts = 1\n")
    (home / "reported" / "paper.toml").write_text(
        'schema = 1\ntrack = "main"\ntitle = "Table 1"\nsource = "A paper"\ndate = 2026-06-01\n\n'
        '[[rows]]\nid = "printed"\nname = "Printed"\nvalues = { dataset_score = 42.5 }\n',
        encoding="utf-8",
    )
    return folder


def _record(task: str, attempt: int, number: int, *, is_passed: bool = True) -> Mapping[str, object]:
    counts = {"reward": int(is_passed), "passed": 4 if is_passed else 1, "total": 4}
    return {"task": task, "attempt": attempt, "round": number, "state": "scored", **counts}


def _write(home: Path, name: str, records: Sequence[Mapping[str, object]], stated: str = "") -> None:
    manifest = f'schema = 1\ntrack = "main"\ndate = 2026-06-25\n{stated}\n[agent]\nname = "{name.title()}"\n'
    write_bundle(home / "submissions" / name, manifest, records)
