"""Small runs of Aider's benchmark."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from sitegen.importers.aider.source import RESULTS


def write_aider_run(
    folder: Path, model: str, exercises: Mapping[str, Sequence[bool]], edit_format: str = "diff", **facts: object
) -> Path:
    """Write a run's folder.

    Args:
        folder: The folder of the run.
        model: The model, as Aider spells it.
        exercises: The outcomes of each exercise, by language and name: `go/tidy`.
        edit_format: The edit format.
        facts: Further values of every exercise's results.
    """
    for name, outcomes in exercises.items():
        language, _, exercise = name.partition("/")
        exercise_folder = folder / language / "exercises" / "practice" / exercise
        exercise_folder.mkdir(parents=True, exist_ok=True)
        results = {
            "testdir": f"/benchmarks/{folder.name}/{name}",
            "testcase": exercise,
            "model": model,
            "edit_format": edit_format,
            "tests_outcomes": list(outcomes),
            "cost": 0.25,
            "duration": 12.5,
            "test_timeouts": 0,
            "commit_hash": "a755079-dirty",
            "reasoning_effort": None,
            "prompt_tokens": 1000,
            "completion_tokens": 200,
        }
        (exercise_folder / RESULTS).write_text(json.dumps(results | facts, indent=4), encoding="utf-8")
    return folder
