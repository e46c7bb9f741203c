"""Small tables of rounds, for tests to import."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.table.source import read_table
from sitegen.models.incoming import Incoming
from sitegen.problems import ProblemsError
from sitegen.publish.results.benchmarks import bundle_files

OPTIONS = ImportOptions(
    today=date(2026, 7, 1),
    benchmark="bench",
    track="main",
    date=date(2026, 6, 25),
    agent="Acme-1",
    known_metrics=("dataset_score",),
)

SEVERAL = replace(OPTIONS, agent=None)
"""Options for tables with an agent column."""

HEAD = "task,attempt,round,reward,passed,total"

Round = tuple[str, str, int, int, float | None]
"""An agent, a task, an attempt, a round and its reward; the reward is None without a verdict."""


def text(folder: Path, content: str | bytes, name: str = "table.csv") -> Path:
    """Write a table's text unchanged; return its path."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def csv(folder: Path, *lines: str, head: str = HEAD) -> Path:
    """Write a table as CSV; return its path."""
    return text(folder, "\n".join([head, *lines]) + "\n")


def jsonl(folder: Path, *rows: Mapping[str, object]) -> Path:
    """Write a table as JSON Lines; return its path."""
    return text(folder, "".join(json.dumps(row) + "\n" for row in rows), "table.jsonl")


def rounds_of(file: Path, options: ImportOptions = OPTIONS, **keyword_arguments: Any) -> list[Round]:  # noqa: ANN401 - of several types
    """Import a table; return its rounds."""
    rounds: list[Round] = []
    for draft in read_table(file, options, **keyword_arguments).drafts:
        for result in draft.rounds:
            reward = result.reward if result.state in {"scored", "no_cases"} else None
            rounds.append((draft.submission.agent.name, result.task, result.attempt, result.round, reward))
    return rounds


def rewards_of(file: Path, options: ImportOptions = OPTIONS, **keyword_arguments: Any) -> dict[str, float | None]:  # noqa: ANN401 - as above
    """Import a table with one record per task; return the rewards by task."""
    return {task: reward for _, task, _, _, reward in rounds_of(file, options, **keyword_arguments)}


def assumed(incoming: Incoming) -> list[str]:
    """Return the assumptions that an import reports."""
    return [note.removeprefix("assumed: ") for note in incoming.notes if note.startswith("assumed: ")]


def bundles(file: Path, options: ImportOptions = SEVERAL, **keyword_arguments: Any) -> list[dict[str, bytes]]:  # noqa: ANN401 - as above
    """Import a table; return the files of its bundles."""
    return [bundle_files(draft) for draft in read_table(file, options, **keyword_arguments).drafts]


def refusal(file: Path, options: ImportOptions = OPTIONS, **keyword_arguments: Any) -> tuple[str, int | None, str, str]:  # noqa: ANN401 - as above
    """Import an invalid table; return the code, line, text and fix of its only error."""
    with pytest.raises(ProblemsError) as raised:
        read_table(file, options, **keyword_arguments)
    (problem,) = [problem for problem in raised.value.problems if problem.is_error]
    return problem.code, problem.line, problem.what, problem.fix


def codes(file: Path, options: ImportOptions = OPTIONS, **keyword_arguments: Any) -> Sequence[str]:  # noqa: ANN401 - as above
    """Import an invalid table; return the codes of its errors."""
    with pytest.raises(ProblemsError) as raised:
        read_table(file, options, **keyword_arguments)
    return [problem.code for problem in raised.value.problems if problem.is_error]
