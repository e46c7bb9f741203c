"""Small publications in the format of EvoCode-Bench, for tests of imports."""

import json
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from sitegen.importers.evocodebench.benchmark import FACTS
from sitegen.importers.evocodebench.source import read_published
from sitegen.importers.kit.options import ImportOptions
from sitegen.models.incoming import Draft, Incoming
from sitegen.problems import Problem, ProblemsError

Json: TypeAlias = dict[str, Any]
Runs: TypeAlias = Mapping[str, Mapping[str, Sequence[Json | None]]]

OPTIONS = ImportOptions(
    today=date(2026, 7, 1),
    benchmark="evocode-bench",
    track="official",
    facts=FACTS,
    known_metrics=("dataset_score", "case_score", "avg_rounds", "perfect_tasks"),
)


def passed(cases: int = 2) -> Json:
    """Return the cell of a round in which all cases passed."""
    return {"pass": cases, "total": cases, "fail": 0, "reward": 1, "fails": []}


def failed(*groups: Json, cases: int = 4, fails: int = 1) -> Json:
    """Return the cell of a round in which some cases failed."""
    return {"pass": cases - fails, "total": cases, "fail": fails, "reward": 0, "fails": list(groups)}


def requirement(*cases: Json, n: int | None = None, reason: str = "") -> Json:
    """Return the failed cases of one requirement."""
    return {"req": "R1", "type": "core", "n": n or len(cases), "reason": reason, "cases": list(cases)}


def case(name: str = "c001", **texts: str) -> Json:
    """Return a failed case, with empty texts by default."""
    return {"id": name, "intent": "", "scenario": "", "expected": "", "actual": "", "reason": ""} | texts


def publish(folder: Path, runs: Runs) -> Path:
    """Write the files of a publication.

    Args:
        folder: The folder to write to; the publication is a subfolder with a date in its name.
        runs: The cells by task and agent.
    """
    source = folder / "2026-06-25-site"
    (source / "tasks").mkdir(parents=True)
    entries = []
    for position, (task, by_agent) in enumerate(runs.items(), start=1):
        file = task_file(task, position, by_agent)
        write(source / "tasks" / f"{task}.json", file)
        shares = {agent: round(solved / file["n_rounds"], 3) for agent, solved in file["score"].items()}
        entries.append({"task": task, **file["meta"], "n_rounds": file["n_rounds"], "score": shares})
    agents = list(dict.fromkeys(agent for by_agent in runs.values() for agent in by_agent))
    write(source / "index.json", {"models": agents, "tasks": entries})
    return source


def task_file(task: str, position: int, by_agent: Mapping[str, Sequence[Json | None]]) -> Json:
    """Return the content of a task's file."""
    rounds = max(map(len, by_agent.values()))
    return {
        "task": task,
        "meta": {"name": f"project-{position}", "difficulty": "hard", "category": f"kind-{position}"},
        "n_rounds": rounds,
        "rounds": [{"n": n, "title": f"Step {n}", "md": f"Do **thing** {n}.\n"} for n in range(1, rounds + 1)],
        "models": {agent: {str(n): cell for n, cell in enumerate(cells, 1)} for agent, cells in by_agent.items()},
        "score": {agent: sum(map(is_solved, cells)) for agent, cells in by_agent.items()},
        "common_fail": [],
    }


def is_solved(cell: object) -> bool:
    """Return whether a cell has a reward of 1."""
    return isinstance(cell, dict) and cell.get("reward") == 1


def publish_cells(folder: Path, *cells: Json | None, agent: str = "GPT-5.5") -> Path:
    """Write a publication with one agent's run at one task."""
    return publish(folder, {"tidy": {agent: cells}})


def write(path: Path, content: Json) -> None:
    """Write a JSON file on one line, as the publications do."""
    path.write_text(json.dumps(content, separators=(",", ":")), encoding="utf-8")


def alter(path: Path, **changes: object) -> None:
    """Replace keys of a JSON file."""
    write(path, json.loads(path.read_text(encoding="utf-8")) | changes)


def imported(source: Path, options: ImportOptions = OPTIONS) -> Incoming:
    """Import a valid publication."""
    return read_published(source, options)


def draft_of(source: Path, options: ImportOptions = OPTIONS) -> Draft:
    """Import a valid publication of one agent, and return its draft."""
    (draft,) = read_published(source, options).drafts
    return draft


def refused(source: Path, options: ImportOptions = OPTIONS) -> list[Problem]:
    """Import an invalid publication, and return the errors."""
    with pytest.raises(ProblemsError) as raised:
        read_published(source, options)
    return [problem for problem in raised.value.problems if problem.is_error]


def warned(source: Path, options: ImportOptions = OPTIONS) -> list[Problem]:
    """Import a valid publication, and return the warnings."""
    return list(read_published(source, options).problems)
