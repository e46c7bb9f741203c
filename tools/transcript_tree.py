"""Writes a tree of long transcripts in the shape of Harbor's, for `bench.py` to import."""

import json
from pathlib import Path

ROUNDS = 8
TASK = 'schema_version = "1.2"\n[metadata]\nname = "A task"\n'
STEP = '\n[[steps]]\nname = "round-{}"\n'
TEXT = 'A line of what a program printed, with a "quote", a tab\t and a number: 12345.\n' * 40
"""What a tool shows: a few kilobytes, as in real transcripts."""


def write_tree(folder: Path, megabytes: int, trials: int = 32) -> None:
    """Write trials of one model, each at a task of its own, whose transcripts take so much room together.

    Args:
        folder: Gets `tasks/` and `jobs/`.
        megabytes: Size of all transcripts.
        trials: How many trials.
    """
    transcript = _transcript(megabytes * 1024 * 1024 // (trials * ROUNDS))
    steps = "".join(STEP.format(number) for number in range(1, ROUNDS + 1))
    for trial in range(1, trials + 1):
        task = f"task-{trial}"
        _write(folder / "tasks" / task / "task.toml", TASK + steps)
        job = folder / "jobs" / task / "harbor_jobs" / "model" / "2026-06-18__10-00-00" / f"{task}__abcdefg"
        for number in range(1, ROUNDS + 1):
            played = job / "steps" / f"round-{number}"
            _write(played / "agent" / "trajectory.json", transcript)
            _write(played / "verifier" / "reward.txt", "1\n")


def _transcript(size: int) -> str:
    """Make a transcript of so many bytes, or a little more."""
    call = {"tool_call_id": "t1", "function_name": "bash", "arguments": {"command": "make"}}
    observation = {"results": [{"source_call_id": "t1", "content": TEXT}]}
    metrics = {"prompt_tokens": 1000, "completion_tokens": 100, "cost_usd": 0.01}
    step = {"source": "agent", "message": "ok", "tool_calls": [call], "observation": observation, "metrics": metrics}
    many = max(1, size // len(json.dumps(step)))
    agent = {"name": "terminus-2", "version": "2.0.0", "model_name": "demo/model"}
    steps = [{"step_id": number, **step} for number in range(1, many + 1)]
    return json.dumps({"schema_version": "ATIF-v1.7", "agent": agent, "steps": steps})


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
