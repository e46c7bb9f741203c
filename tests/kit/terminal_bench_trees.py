"""Small runs of Terminal-Bench in its runner's format, and samples that the runner wrote."""

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

SAMPLES = Path(__file__).parents[1] / "samples" / "terminal_bench"
"""The runs written by `tools/write_terminal_bench_runs.py`."""

_NAMES = UUID("3c5a4ee6-2f0d-4f8e-9a35-6f2c5fb5d9a1")


def trial(
    run: str,
    task: str,
    is_resolved: bool | None,  # noqa: FBT001 - a verdict
    number: str = "1-of-1",
    **facts: Any,  # noqa: ANN401 - any JSON
) -> dict[str, Any]:
    """Return a trial with one test, as its own file and its run's list contain it."""
    name = f"{task}.{number}.{run}"
    tests = None if is_resolved is None else {"test_it": "passed" if is_resolved else "failed"}
    return {
        "id": str(uuid5(_NAMES, name)),
        "trial_name": name,
        "task_id": task,
        "is_resolved": is_resolved,
        "failure_mode": "unset" if tests else "unknown_agent_error",
        "parser_results": tests,
        "total_input_tokens": 1200,
        "total_output_tokens": 300,
        "trial_started_at": "2026-07-01T09:00:00+00:00",
        "agent_started_at": "2026-07-01T09:00:05+00:00",
        "agent_ended_at": "2026-07-01T09:01:05.5+00:00",
        "test_started_at": "2026-07-01T09:01:10+00:00",
        "test_ended_at": "2026-07-01T09:01:20+00:00",
        **facts,
    }


def put(path: Path, value: object) -> Path:
    """Write a JSON file; return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def write_list(path: Path, trials: Sequence[Mapping[str, Any]], **facts: object) -> Path:
    """Write the list of a run's trials; return its path."""
    resolved = sum(trial["is_resolved"] is True for trial in trials)
    accuracy = resolved / len(trials) if trials else 0.0
    return put(path, {"results": list(trials), "n_resolved": resolved, "accuracy": accuracy, **facts})


def write_metadata(folder: Path, model: str | None, day: int = 1, **facts: object) -> Path:
    """Write a run's metadata, without the names of its tasks; return the path."""
    metadata = {
        "run_id": folder.name,
        "uuid": str(uuid5(_NAMES, str(folder))),
        "dataset_name": "sample-core",
        "dataset_version": "0.1.1",
        "agent_name": "sample-agent",
        "n_attempts": 1,
        "model_name": f"demo/{model}" if model else None,
        "start_time": f"2026-07-0{day}T09:00:00+00:00",
        "end_time": f"2026-07-0{day}T09:10:00+00:00",
        "commit_hash": "unknown",
    }
    return put(folder / "run_metadata.json", metadata | facts)


def write_run(folder: Path, model: str | None, verdicts: Mapping[str, bool | None], day: int = 1) -> Path:
    """Write a run with one attempt at each task; return its folder."""
    trials = []
    for task, verdict in verdicts.items():
        identity = str(uuid5(_NAMES, f"{folder} {task}"))
        trials.append(trial(folder.name, task, verdict, id=identity))
    write_list(folder / "results.json", trials)
    for trial_result in trials:
        put(folder / trial_result["task_id"] / trial_result["trial_name"] / "results.json", trial_result)
    write_metadata(folder, model, day)
    return folder


def sample(name: str, root: Path) -> Path:
    """Copy a sample so that a test can change it; return the copy."""
    return Path(shutil.copytree(SAMPLES / name, root / name))


def change(path: Path, **facts: object) -> None:
    """Change keys of the JSON object in a file."""
    value = json.loads(path.read_text(encoding="utf-8"))
    put(path, value | facts)
