"""Writes large inputs for `bench.py`: boards with cases as outcomes or as rows, and transcripts in Harbor's shape."""

import hashlib
import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SUBMISSIONS, TASKS, ATTEMPTS, ROUNDS, CASES = 100, 115, 4, 4, 55
Record = dict[str, Any]

STEPS = 8
_TASK = 'schema_version = "1.2"\n[metadata]\nname = "A task"\n'
_STEP = '\n[[steps]]\nname = "round-{}"\n'
_TEXT = 'A line of what a program printed, with a "quote", a tab\t and a number: 12345.\n' * 40
"""What a tool shows: a few kilobytes, as in real transcripts."""

_DEFINITION = f"""\
schema = 1
id = "large"
title = "Large"
simulated = true

[[tracks]]
id = "main"
title = "Main"
protocol = "chain"
attempts = {ATTEMPTS}
tasks = "all"
headline = "dataset_score"
columns = ["dataset_score", "case_score", "avg_rounds", "perfect_tasks"]
"""


def outcomes_tree(folder: Path) -> int:
    """Write a whole large board whose rounds tell their cases as outcomes; give the number of cases."""
    _write_benchmark(folder)
    return sum(
        _write_bundle(folder, number, list(_rounds(number, level=0.6 + number / 300))) for number in range(SUBMISSIONS)
    )


def rows_tree(folder: Path) -> int:
    """Write a whole large board of which every case failed and has a row; give the number of cases."""
    _write_benchmark(folder)
    return sum(
        _write_bundle(folder, number, list(_rounds(number, level=0)), has_rows=True) for number in range(SUBMISSIONS)
    )


def change_one(folder: Path) -> None:
    """Give one submission of a large board other results, as if it had been run again."""
    shutil.rmtree(_bundle(folder, 0))
    _write_bundle(folder, 0, list(_rounds(0, level=0.5)))


def _write_benchmark(folder: Path) -> None:
    (folder / "large" / "tasks").mkdir(parents=True)
    (folder / "large" / "benchmark.toml").write_text(_DEFINITION, encoding="utf-8")
    tasks = ({"id": _task(task), "rounds": [{"n": n} for n in _numbers()]} for task in range(TASKS))
    (folder / "large" / "tasks" / "all.jsonl").write_text(_lines(tasks), encoding="utf-8")


def _rounds(number: int, level: float) -> Iterator[Record]:
    """Draw the records of a submission that passes a share of its cases."""
    dice = random.Random(number)
    for task in range(TASKS):
        for attempt in range(1, ATTEMPTS + 1):
            for n in _numbers():
                outcomes = "".join(dice.choices("pf", (level, 1 - level), k=CASES + (task + n) % 11 - 5))
                outcomes = "p" * len(outcomes) if dice.random() < level / 2 else outcomes
                yield {
                    "task": _task(task),
                    "attempt": attempt,
                    "round": n,
                    "state": "scored",
                    "reward": int("f" not in outcomes),
                    "passed": outcomes.count("p"),
                    "total": len(outcomes),
                    "outcomes": outcomes,
                    "interactions": dice.randint(5, 90),
                    "turns": dice.randint(5, 60),
                    "input_tokens": dice.randint(9000, 900_000),
                    "output_tokens": dice.randint(900, 90_000),
                    "cost_usd": round(dice.uniform(0, 3), 2),
                    "agent_seconds": round(dice.uniform(9, 900), 1),
                }


def _write_bundle(folder: Path, number: int, rounds: list[Record], *, has_rows: bool = False) -> int:
    bundle = _bundle(folder, number)
    bundle.mkdir(parents=True)
    manifest = f'schema = 1\ntrack = "main"\ndate = 2026-06-25\n\n[agent]\nname = "Agent {number}"\n'
    files = {"rounds.jsonl": _lines(rounds), "submission.toml": manifest}
    if has_rows:
        files["failures.jsonl"] = _lines(_rows(rounds))
    for name, text in files.items():
        (bundle / name).write_text(text, encoding="utf-8")
    sums = (f"{hashlib.sha256(text.encode()).hexdigest()}  {name}\n" for name, text in files.items())
    (bundle / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")
    return sum(int(each["total"]) for each in rounds)


def _bundle(folder: Path, number: int) -> Path:
    return folder / "large" / "submissions" / f"agent-{number}"


def _rows(rounds: list[Record]) -> Iterator[Record]:
    for each in rounds:
        for case in range(each["total"]):
            key = {name: each[name] for name in ("task", "attempt", "round")}
            yield {**key, "case": f"case-{case}", "requirement": f"R{case // 5}", "reason": "exit code 1, expected 0"}


def _task(number: int) -> str:
    return f"task-{number}"


def _numbers() -> range:
    return range(1, ROUNDS + 1)


def _lines(records: Iterator[Record] | list[Record]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def transcripts_tree(folder: Path, megabytes: int, trials: int = 32) -> None:
    """Write trials of one model, each at a task of its own, whose transcripts take so much room together.

    Args:
        folder: Gets `tasks/` and `jobs/`.
        megabytes: Size of all transcripts.
        trials: How many trials.
    """
    transcript = _transcript(megabytes * 1024 * 1024 // (trials * STEPS))
    steps = "".join(_STEP.format(number) for number in range(1, STEPS + 1))
    for trial in range(1, trials + 1):
        task = f"task-{trial}"
        _write(folder / "tasks" / task / "task.toml", _TASK + steps)
        job = folder / "jobs" / task / "harbor_jobs" / "model" / "2026-06-18__10-00-00" / f"{task}__abcdefg"
        for number in range(1, STEPS + 1):
            played = job / "steps" / f"round-{number}"
            _write(played / "agent" / "trajectory.json", transcript)
            _write(played / "verifier" / "reward.txt", "1\n")


def _transcript(size: int) -> str:
    """Make a transcript of so many bytes, or a little more."""
    call = {"tool_call_id": "t1", "function_name": "bash", "arguments": {"command": "make"}}
    observation = {"results": [{"source_call_id": "t1", "content": _TEXT}]}
    metrics = {"prompt_tokens": 1000, "completion_tokens": 100, "cost_usd": 0.01}
    step = {"source": "agent", "message": "ok", "tool_calls": [call], "observation": observation, "metrics": metrics}
    many = max(1, size // len(json.dumps(step)))
    agent = {"name": "terminus-2", "version": "2.0.0", "model_name": "demo/model"}
    steps = [{"step_id": number, **step} for number in range(1, many + 1)]
    return json.dumps({"schema_version": "ATIF-v1.7", "agent": agent, "steps": steps})


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
