"""Write run folders of SlopCodeBench in every shape that an import must read, with the runner's own code.

The program itself does not need the runner. Run this file with the Python (3.12 or later) of an environment with the
runner, `uv`, `ruff`, and a tree-sitter-language-pack before release 1.0, which loads its parsers from another location:

    python tools/write_slopcodebench_runs.py OUT           every shape, each in a folder of its own
    python tools/write_slopcodebench_runs.py OUT --pack    the same in one archive

The archive in tests/samples/slopcodebench was written by slop-code-bench 0.1.0 at commit feeab5a (31 January 2026).
Evaluations, rows, summaries, configurations and problem files are the runner's own; no agent ran, and the problems are
invented except for their names and their numbers of checkpoints.
"""

import json
import shutil
import sys
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import chdir, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

import yaml
from rich.console import Console

agents = import_module("slop_code.agent_runner.agent")
common = import_module("slop_code.common")
configs = import_module("slop_code.entrypoints.config.run_config")
evaluation = import_module("slop_code.evaluation.report")
measures = import_module("slop_code.metrics")
metrics = import_module("slop_code.entrypoints.evaluation.metrics")
models = import_module("slop_code.agent_runner.models")
one_shot = import_module("slop_code.entrypoints.problem_runner.one_shot")
problems = import_module("slop_code.evaluation")
quality = import_module("slop_code.metrics.quality_io")
summaries = import_module("slop_code.entrypoints.utils")

LENGTHS = {"dag_execution": 3, "eve_jump_planner": 3}
START = datetime(2026, 2, 1, 10, tzinfo=UTC).replace(
    tzinfo=None
)  # the runner writes local times without a zone
VERSION = "2.0.51"


@dataclass(frozen=True)
class Plan:
    """The outcome of a checkpoint: how each of its tests ends, by category."""

    core: str = "pp"
    functionality: str = ""
    error: str = ""
    regression: str = ""
    is_checked: bool = True
    has_failed: bool = False
    """Whether the agent's run ended with an error."""
    exit_code: int = 0
    """The exit code of pytest; a code other than 0 and 1 is a failure of the infrastructure."""


@dataclass(frozen=True)
class SampleRun:
    """A run of an agent on some problems."""

    folder: str
    plans: Mapping[str, Sequence[Plan]]
    """The checkpoints that the agent reached, by problem."""
    model: str = "brook-2"
    provider: str = "acme"
    thinking: str | None = "none"
    max_tokens: int | None = None
    prompt: str = "just-solve"
    problems: Sequence[str] | None = None
    """The problems in the configuration; None for the problems with plans."""
    limits: Mapping[str, float] = field(default_factory=dict)
    is_one_shot: bool = False
    is_interrupted: bool = False
    """Whether the run was stopped before it wrote rows and a summary."""
    day: int = 0


CODE = """\
def add(first: int, second: int) -> int:
    if first > second:
        return first + second
    return second + first


"""
"""The code that the agents wrote, repeated as often as the number of the checkpoint."""

LETTERS = {"p": "passed", "f": "failed", "s": "skipped", "e": "error"}
PASSED = Plan()
THREE = [PASSED, Plan(core="pf", regression="pp"), Plan(core="p", error="p", regression="ppp")]
"""Three checkpoints, of which the second does not pass strictly."""
BOTH = {"dag_execution": THREE, "eve_jump_planner": [PASSED, PASSED, PASSED]}

SHAPES: Mapping[str, Sequence[SampleRun]] = {
    "complete": [SampleRun("run", BOTH)],
    "every-status": [
        SampleRun(
            "run", {"dag_execution": [Plan("ppse", functionality="pf", error="pe"), *THREE[1:]]}
        )
    ],
    "agent-failed": [
        SampleRun(
            "run", {"dag_execution": [PASSED, Plan("pf", has_failed=True)]}, problems=[*LENGTHS]
        )
    ],
    "not-checked": [
        SampleRun("run", {"dag_execution": [PASSED, Plan(is_checked=False, has_failed=True)]})
    ],
    "nothing-checked": [SampleRun("run", {"dag_execution": [Plan(is_checked=False)] * 3})],
    "runner-failed": [
        SampleRun("run", {**BOTH, "dag_execution": [PASSED, Plan("", exit_code=4), PASSED]})
    ],
    "no-core-test": [
        SampleRun("run", {**BOTH, "dag_execution": [PASSED, Plan("", functionality="p"), PASSED]})
    ],
    "interrupted": [
        SampleRun("run", {"dag_execution": THREE[:2]}, problems=[*LENGTHS], is_interrupted=True)
    ],
    "no-list-of-problems": [SampleRun("run", {"dag_execution": THREE}, problems=[])],
    "two-runs": [
        SampleRun("first", BOTH),
        SampleRun("second", {**BOTH, "dag_execution": [PASSED] * 3}, day=1),
    ],
    "rest-run-later": [
        SampleRun("first", {"dag_execution": THREE}, problems=[*LENGTHS]),
        SampleRun("second", {"eve_jump_planner": [PASSED] * 3}, day=1),
    ],
    "two-settings": [
        SampleRun("low", BOTH, thinking="low"),
        SampleRun("high", BOTH, thinking="high", day=1),
    ],
    "budget-of-tokens": [SampleRun("run", BOTH, thinking=None, max_tokens=8000)],
    "two-providers": [SampleRun("acme", BOTH), SampleRun("birch", BOTH, provider="birch", day=1)],
    "other-problems": [
        SampleRun("brook", BOTH),
        SampleRun("creek", {"dag_execution": THREE}, model="creek-1", day=1),
    ],
    "other-conditions": [
        SampleRun("run", BOTH, prompt="plan_first", limits={"step_limit": 100, "cost_limit": 2.5})
    ],
    "one-shot": [SampleRun("run", {"dag_execution": [PASSED]}, is_one_shot=True)],
}


def write_problem(folder: Path, name: str) -> Any:  # noqa: ANN401 - the runner's own type
    """Write an invented problem with a real name, and return its configuration."""
    definition = {
        "version": 1,
        "name": name,
        "description": "A sample.",
        "category": "sample",
        "difficulty": "Easy",
        "author": "nobody",
        "tags": ["sample"],
        "entry_file": "main",
        "timeout": 60,
        "checkpoints": {
            f"checkpoint_{number}": {"version": 1, "order": number, "state": "Core Tests"}
            for number in range(1, LENGTHS[name] + 1)
        },
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.yaml").write_text(yaml.safe_dump(definition), "utf-8")
    for number in range(1, LENGTHS[name] + 1):
        (folder / f"checkpoint_{number}.md").write_text(f"Do thing {number}.\n", "utf-8")
    return problems.ProblemConfig.from_yaml(folder)


def write_checkpoint(
    folder: Path, plan: Plan, problem: str, number: int, started: datetime
) -> None:
    """Write the files of a checkpoint: the usage of the agent's run, and the outcomes of the tests."""
    name = folder.name
    tokens = models.TokenUsage(input=1000 * number, output=100 * number)
    usage = models.UsageTracker(
        cost=0.25 * number, steps=5 * number, net_tokens=tokens, current_tokens=tokens
    )
    result = agents.CheckpointInferenceResult(
        started=started,
        completed=started + timedelta(minutes=number),
        elapsed=60 * number,
        usage=usage,
        had_error=plan.has_failed,
    )
    document = common.serialize_path_dict(result.model_dump(mode="json"))
    folder.mkdir(parents=True)
    (folder / "inference_result.json").write_text(
        json.dumps(document, indent=2, sort_keys=True), "utf-8"
    )
    snapshot = folder / "snapshot"
    snapshot.mkdir()
    (snapshot / "main.py").write_text(CODE * number, "utf-8")
    quality.save_quality_metrics(folder, *measures.measure_snapshot_quality("main.py", snapshot))
    if not plan.is_checked:
        return
    results = evaluation.CorrectnessResults(
        problem_name=problem,
        problem_version=1,
        checkpoint_name=name,
        checkpoint_version=1,
        duration=6.5,
        entrypoint="python main.py",
        pytest_exit_code=plan.exit_code,
        pytest_collected=len(plan.core + plan.functionality + plan.error + plan.regression),
        infrastructure_failure=plan.exit_code > 1,
    )
    for group in evaluation.GroupType:
        for index, letter in enumerate(getattr(plan, group.name.lower()), start=1):
            made_for = f"checkpoint_{number - 1}" if group.value == "Regression" else name
            test = evaluation.TestResult(
                id=f"test_{group.name.lower()}_{index}",
                checkpoint=made_for,
                group_type=group,
                status=LETTERS[letter],
                duration_ms=10.0,
                file_path=f"tests/test_{made_for}.py",
            )
            results.add_test_result(test)
    results.save(folder)


def write_run(folder: Path, sample: SampleRun, definitions: Mapping[str, Any]) -> None:
    """Write a run's configuration and problems, and its rows and summary if the run ended."""
    planned = sample.plans if sample.problems is None else sample.problems
    config = configs.ResolvedRunConfig(
        agent_config_path=None,
        agent={
            "type": "claude_code",
            "version": VERSION,
            "cost_limits": {"step_limit": 0, **sample.limits},
        },
        environment_config_path=None,
        environment={"type": "docker", "name": "sample"},
        prompt_path=Path(f"configs/prompts/{sample.prompt}.jinja"),
        prompt_content="Solve it.",
        model=configs.ModelConfig(provider=sample.provider, name=sample.model),
        thinking=sample.thinking,
        thinking_max_tokens=sample.max_tokens,
        pass_policy=evaluation.PassPolicy.ANY,
        problems=list(planned),
        save_dir="outputs",
        save_template=folder.name,
        output_path=f"outputs/{folder.name}",
        one_shot=configs.OneShotConfig(enabled=sample.is_one_shot),
    )
    folder.mkdir(parents=True)
    dumped = common.serialize_path_dict(config.model_dump(mode="json"))
    (folder / "config.yaml").write_text(yaml.dump(dumped), "utf-8")
    reports: list[dict[str, Any]] = []
    for problem, plans in sample.plans.items():
        definition = definitions[problem]
        if sample.is_one_shot:
            definition = one_shot.apply_one_shot_mode(definition, config.one_shot)
        reports += _write_problem_run(folder / problem, definition, plans, sample)
    if sample.is_interrupted or not reports:
        return
    rows = folder / common.CHECKPOINT_RESULTS_FILENAME
    metrics.update_results_jsonl(rows, reports)
    with suppress(
        ValueError
    ):  # this release can't summarize a run with a token budget, and stops there
        summaries.display_and_save_summary(rows, folder, dumped, Console(file=StringIO()))


def _write_problem_run(
    folder: Path,
    definition: Any,  # noqa: ANN401 - the runner's own type
    plans: Sequence[Plan],
    sample: SampleRun,
) -> list[dict[str, Any]]:
    """Write the outcome of a run at a problem, and return the runner's rows; empty if it fails to make them."""
    folder.mkdir()
    dumped = common.serialize_path_dict(definition.model_dump(mode="json"))
    (folder / "problem.yaml").write_text(yaml.dump(dumped, sort_keys=True), "utf-8")
    states = dict.fromkeys(definition.checkpoints, "skipped")
    for number, (name, plan) in enumerate(
        zip(definition.checkpoints, plans, strict=False), start=1
    ):
        started = START + timedelta(days=sample.day, hours=number, microseconds=len(folder.name))
        write_checkpoint(folder / name, plan, definition.name, number, started)
        states[name] = "error" if plan.has_failed else "ran"
    info = {"seed": 42, "summary": {"checkpoints": states}}
    (folder / "run_info.yaml").write_text(yaml.dump(info), "utf-8")
    try:
        reports, _ = metrics.create_problem_reports(folder, definition)
    except (ZeroDivisionError, KeyError):  # like `run_agent`, which continues without the problem
        return []
    return list(reports)


def write_shapes(out: Path) -> None:
    """Write every shape to its own folder."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        definitions = {name: write_problem(Path(folder) / name, name) for name in LENGTHS}
        for shape, samples in SHAPES.items():
            shutil.rmtree(out / shape, ignore_errors=True)
            for sample in samples:
                write_run(out / shape / sample.folder, sample, definitions)
        for name in ("snapshot", "quality_analysis", "evaluation"):
            for path in list(out.rglob(name)):
                shutil.rmtree(path)
        for path in out.rglob("*"):
            if path.suffix in {".json", ".jsonl", ".yaml"}:
                text = (
                    path.read_text("utf-8").replace(str(out), "outputs").replace(folder, "problems")
                )
                path.write_text(text, "utf-8")


def without_owner(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Return a member of an archive without its owner and its time."""
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    return member


def main() -> None:
    """Write the samples."""
    out = Path(sys.argv[1]).absolute()
    if "--pack" not in sys.argv:
        write_shapes(out)
        return
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        write_shapes(Path(folder) / "shapes")
        with tarfile.open(out / "slop-code-bench-0.1.0.tar.xz", "w:xz") as archive:
            for shape in SHAPES:
                archive.add(Path(folder) / "shapes" / shape, shape, filter=without_owner)


if __name__ == "__main__":
    main()
