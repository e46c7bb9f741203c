"""Whole benchmarks for the corpus, written as a line an agent: what is odd about one shows beside many."""

import string
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from kit.results_folders import json_lines, seal

_DIGITS = string.digits + string.ascii_lowercase
_MOST = 30
"""Cases of every round; `u` stands for all of them."""
_DEFINITION = """\
schema = 1
id = "{id}"
title = "Crowd"

[[tracks]]
id = "main"
title = "Main"
protocol = "chain"
tasks = "all"
headline = "dataset_score"
columns = ["dataset_score"]
"""


def write_crowd(folder: Path, agents: Mapping[str, str]) -> None:
    """Write a benchmark whose agents enter one a day.

    Args:
        folder: The benchmark's folder.
        agents: By agent, a word for each task with a sign for each round: how many of 30 cases it passes, as a digit
            to the base 36. Every round takes 100 seconds.
    """
    (folder / "tasks").mkdir(parents=True)
    (folder / "benchmark.toml").write_text(_DEFINITION.format(id=folder.name), encoding="utf-8")
    lengths = [len(task_signs) for task_signs in next(iter(agents.values())).split()]
    tasks = [{"id": f"task-{task}", "rounds": _rounds(length)} for task, length in enumerate(lengths, start=1)]
    (folder / "tasks" / "all.jsonl").write_text(json_lines(*tasks), encoding="utf-8")
    for day, (agent, agent_signs) in enumerate(agents.items()):
        bundle = folder / "submissions" / agent
        bundle.mkdir(parents=True)
        made = date(2026, 6, 1) + timedelta(days=day)
        manifest = f'schema = 1\ntrack = "main"\ndate = {made}\n\n[agent]\nname = "{agent}"\n'
        (bundle / "submission.toml").write_text(manifest, encoding="utf-8")
        (bundle / "rounds.jsonl").write_text(json_lines(*_records(agent_signs.split())), encoding="utf-8")
        seal(bundle)


def _rounds(length: int) -> Sequence[Mapping[str, int]]:
    return [{"n": number} for number in range(1, length + 1)]


def _records(signs_by_task: Sequence[str]) -> Iterator[Mapping[str, Any]]:
    for task, signs in enumerate(signs_by_task, start=1):
        for number, sign in enumerate(signs, start=1):
            passed = _DIGITS.index(sign)
            yield {
                "task": f"task-{task}",
                "attempt": 1,
                "round": number,
                "state": "scored",
                "reward": int(passed == _MOST),
                "passed": passed,
                "total": _MOST,
                "agent_seconds": 100,
            }
