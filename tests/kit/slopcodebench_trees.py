"""Small run folders in the layout of every generation of SlopCodeBench, for tests to import."""

import json
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.slopcodebench.source import read_slopcodebench
from sitegen.models.incoming import Draft, Incoming
from sitegen.models.outcome import RoundResult
from sitegen.problems import Problem, ProblemsError

Json: TypeAlias = dict[str, Any]
Counts: TypeAlias = tuple[int, int]
"""The number of passed tests, and the number of all tests."""

OPTIONS = ImportOptions(
    today=date(2026, 7, 1), benchmark="slop-code-bench", track="runs", known_metrics=("strict", "iso", "core")
)

DAG = "dag_execution"
"""A problem with three checkpoints."""

PLANNER = "eve_jump_planner"
"""Another problem with three checkpoints."""

CONFIG = """\
agent:
  type: claude_code
  version: 2.0.51
  base_url: http://10.0.0.1:3000
  cost_limits: {step_limit: 0, cost_limit: 0, net_cost_limit: 0}
agent_config_path: /home/ada/configs/agents/claude_code.yaml
model: {name: glm-5, provider: zhipu}
one_shot: {enabled: false, prefix: '', include_first_prefix: false}
problems: [dag_execution]
prompt_content: Solve it, and keep the secret.
prompt_path: /home/ada/configs/prompts/just-solve.jinja
thinking: high
thinking_max_tokens: null
"""


def row(  # noqa: PLR0913 - a row has so many kinds of tests
    idx: int = 1,
    problem: str = DAG,
    *,
    core: Counts = (2, 2),
    functionality: Counts = (0, 0),
    error: Counts = (0, 0),
    regression: Counts = (0, 0),
    **facts: object,
) -> Json:
    """Return a row of the latest generation, whose checkpoint passes all tests by default."""
    counts = {"core": core, "functionality": functionality, "error": error, "regression": regression}
    passed, total = (sum(count[index] for count in counts.values()) for index in (0, 1))
    own_passed, own_total = passed - regression[0], total - regression[1]
    tests = {
        f"{name}_{key}": category_count[at]
        for name, category_count in counts.items()
        for at, key in enumerate(("passed", "total"))
    }
    defaults = {
        "problem": problem,
        "version": 2,
        "checkpoint": f"checkpoint_{idx}",
        "path": f"/home/ada/outputs/{problem}",
        "idx": idx,
        "state": "ran",
        "is_first": idx == 1,
        "is_last": idx == 3,
        "strict_pass_rate": passed / total if total else 0,
        "isolated_pass_rate": own_passed / own_total if own_total else 0,
        "core_pass_rate": core[0] / core[1] if core[1] else 0,
        "total_tests": total,
        "passed_tests": passed,
        **tests,
        "started": f"2026-06-0{idx}T10:00:00.000001",
        "ended": f"2026-06-0{idx}T10:07:00.500000",
        "duration": 420.5,
        "cost": 1.25,
        "steps": 7,
        "input": 1000,
        "output": 50,
        "cache_read": 0,
        "cache_write": 0,
        "reasoning": 0,
        "loc": 90,
        "sloc": 60,
        "total_lines": 90,
        "functions": 4,
        "methods": 0,
        "cc_high_count": 1,
        "cc_extreme_count": 1,
        "lint_per_loc": 0.1,
        "ast_grep_violations": 3,
        "verbosity_flagged_pct": 0.2,
        "mass.high_cc_pct": 0.7,
        "erosion": 0.75,
        "verbosity": 0.25,
    }
    return defaults | facts


def later_row(idx: int = 1, **facts: object) -> Json:
    """Return a row of the paper's generation, with composites computed by the runner."""
    return row(idx) | {"erosion": 0.7, "verbosity": 0.2} | facts


def early_row(idx: int = 1, *, core: Counts = (2, 2), **facts: object) -> Json:
    """Return a row of the first generations, in which some keys are missing and some have another meaning."""
    values = row(idx, core=core)
    absent = ("isolated_pass_rate", "sloc", "verbosity_flagged_pct", "erosion", "verbosity")
    values |= {"pass_rate": values.pop("strict_pass_rate"), "duration": 6.5, "elapsed": 420.5, "loc": 60}
    values |= {"mass.high_cc_pct": 70.0}
    return {key: value for key, value in values.items() if key not in absent} | facts


def strict_rows(*problems: str) -> list[Json]:
    """Return the rows of problems whose three checkpoints pass all tests."""
    return [row(idx, problem) for problem in problems or (DAG,) for idx in (1, 2, 3)]


def write_run(folder: Path, rows: Sequence[Json] | None = None, *, config: str | None = CONFIG, **files: Json) -> Path:
    """Write a run folder; return its path.

    Args:
        folder: The run's folder.
        rows: The rows; None for one problem that is solved in all three checkpoints.
        config: The text of the configuration; None to write no configuration.
        files: Further JSON files by name without extension; `problem_catalog` defaults to the v1.0 catalog.
    """
    folder.mkdir(parents=True, exist_ok=True)
    write_rows(folder, strict_rows() if rows is None else rows)
    return write_beside(folder, config, **files)


def write_beside(folder: Path, config: str | None = CONFIG, **files: Json) -> Path:
    """Write the files of a run except for its rows, and return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    if config is not None:
        (folder / "config.yaml").write_text(config, encoding="utf-8")
    for name, content in ({"problem_catalog": {"version": "v1.0", "commit": "4d38d300"}} | files).items():
        if content:
            (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    return folder


def write_rows(folder: Path, rows: Sequence[Json]) -> None:
    """Write the rows of a run, with infinite figures as the runner writes them."""
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "checkpoint_results.jsonl").write_text(text, encoding="utf-8")


def write_checkpoint(
    run: Path, idx: int = 1, problem: str = DAG, *, tests: Json | list[Json] | None = None, **facts: object
) -> Path:
    """Write the folder of a checkpoint; return its path.

    Args:
        run: The run's folder.
        idx: Number of the checkpoint, from 1.
        problem: The checkpoint's problem.
        tests: The tests in `evaluation.json`; None to write no such file.
        facts: Further keys of `evaluation.json`.
    """
    folder = run / problem / f"checkpoint_{idx}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "prompt.txt").write_text("Solve it, and keep the secret.", encoding="utf-8")
    (folder / "inference_result.json").write_text(json.dumps(inference(idx)), encoding="utf-8")
    if tests is not None:
        (folder / "evaluation.json").write_text(json.dumps(evaluation(tests) | facts), encoding="utf-8")
    return folder


def inference(idx: int = 1, **facts: object) -> Json:
    """Return the content of `inference_result.json`."""
    tokens = {"input": 500, "output": 20, "cache_read": 0, "cache_write": 0, "reasoning": 0}
    defaults = {
        "started": f"2026-06-0{idx}T10:00:00.000001",
        "completed": f"2026-06-0{idx}T10:01:00.000001",
        "elapsed": 60.0,
        "had_error": False,
        "error_message": None,
        "usage": {"cost": 0.5, "steps": 3, "net_tokens": tokens, "current_tokens": tokens},
    }
    return defaults | facts


def evaluation(tests: Json | list[Json]) -> Json:
    """Return the content of `evaluation.json`, with counts of the tests listed in groups."""
    passed: Json = {}
    total: Json = {}
    for group, names in tests.items() if isinstance(tests, dict) else ():
        category = group.rpartition("-")[2]
        passed[category] = passed.get(category, 0) + len(names["passed"])
        total[category] = total.get(category, 0) + sum(map(len, names.values()))
    return {
        "schema_version": 1,
        "tests": tests,
        "pass_counts": passed,
        "total_counts": total,
        "duration": 6.5,
        "pytest_exit_code": 0,
        "infrastructure_failure": False,
    }


def bucket(*passed: str, failed: Sequence[str] = (), skipped: Sequence[str] = ()) -> Json:
    """Return a group of tests."""
    return {"passed": list(passed), "failed": list(failed), "skipped": list(skipped)}


def imported(source: Path, options: ImportOptions = OPTIONS) -> Incoming:
    """Import valid run folders."""
    return read_slopcodebench(source, options)


def draft_of(source: Path, options: ImportOptions = OPTIONS) -> Draft:
    """Import the runs of one agent; return their only bundle."""
    (draft,) = read_slopcodebench(source, options).drafts
    return draft


def rounds_of(source: Path) -> dict[int, RoundResult]:
    """Import a run of one problem; return its checkpoints by number."""
    return {round_result.round: round_result for round_result in draft_of(source).rounds}


def measures_of(source: Path) -> Mapping[str, float]:
    """Import a run; return the measurements of its first checkpoint."""
    return rounds_of(source)[1].measures or {}


def refused(source: Path, options: ImportOptions = OPTIONS, catalog: Path | None = None) -> list[Problem]:
    """Import invalid run folders; return the errors."""
    with pytest.raises(ProblemsError) as raised:
        read_slopcodebench(source, options, catalog)
    return [problem for problem in raised.value.problems if problem.is_error]


def warned(source: Path) -> dict[str, str]:
    """Import valid run folders; return the texts of the warnings, by code."""
    return {problem.code: problem.what for problem in read_slopcodebench(source, OPTIONS).problems}
