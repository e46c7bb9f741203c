"""Small promptfoo results, reduced to what the tests need."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Json = dict[str, Any]


def result(test: int = 0, column: int = 0, *, success: bool = True, **facts: object) -> Json:
    """Return the result of a test that is decided by one assertion."""
    description = str(facts.pop("description", ("tidy", "neat", "clean")[test % 3]))
    assertion = {"type": "contains", "value": "done"}
    score = float(success)
    return {
        "id": f"result-{test}-{column}",
        "testIdx": test,
        "promptIdx": column,
        "success": success,
        "score": score,
        "failureReason": 0 if success else 1,
        "latencyMs": 1500,
        "cost": 0.25,
        "namedScores": {"second": 1.0 - score},
        "provider": {"id": f"demo:chat:{('ada', 'bob')[column % 2]}", "label": ""},
        "prompt": {"raw": "Do it.", "label": "Do it."},
        "tokenUsage": {"prompt": 100, "completion": 20, "total": 120},
        "vars": {"place": description},
        "gradingResult": {
            "pass": success,
            "score": score,
            "reason": "All assertions passed" if success else "Expected output to contain done",
            "componentResults": [{"pass": success, "score": score, "assertion": assertion}],
        },
        "testCase": {"description": description, "vars": {"place": description}, "assert": [assertion]},
        **facts,
    }


def evaluation(results: Sequence[Json], name: str = "eval-1", **facts: object) -> Json:
    """Return the content of a results file, as written by `promptfoo eval -o`."""
    return {
        "evalId": name,
        "results": {
            "version": 3,
            "timestamp": "2026-06-11T10:00:00.000Z",
            "prompts": [],
            "results": list(results),
            "stats": {"successes": sum(result.get("success") is True for result in results)},
        },
        "config": {"description": "office"},
        "metadata": {"promptfooVersion": "0.121.20"},
        **facts,
    }


def write(path: Path, document: object) -> Path:
    """Write a file: a list as JSON Lines if the name ends with `.jsonl`, and anything else as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".jsonl" and isinstance(document, list):
        text = "".join(json.dumps(line) + "\n" for line in document)
    else:
        text = json.dumps(document)
    path.write_text(text, encoding="utf-8")
    return path
