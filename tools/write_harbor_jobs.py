"""Write job folders in every shape that an import must read, with Harbor's own runner and models.

The program itself does not need Harbor. Run this file with the Python of an environment that has it (3.12 or later):

    python tools/write_harbor_jobs.py OUT              every shape, each in a folder of its own
    python tools/write_harbor_jobs.py OUT NAME ...     these shapes
    python tools/write_harbor_jobs.py OUT --pack       every shape, in one archive named after the version

The archives in tests/samples/harbor were written by harbor 0.26.0 and harbor 0.9.0. Jobs, trials, retries, results and
locks are the runner's own; the sandbox is an empty folder, the agent follows a plan, and no model is called. Local
folders, tracebacks and the date are removed from the output.
"""

import argparse
import asyncio
import itertools
import json
import os
import re
import shutil
import sys
import tarfile
import tempfile
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

os.environ |= {
    "DO_NOT_TRACK": "1",
    "HARBOR_TELEMETRY_DISABLED": "1",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
}

environments = import_module("harbor.environments.base")
agents = import_module("harbor.agents.base")
job_models = import_module("harbor.models.job.config")
trial_results = import_module("harbor.models.trial.result")
jobs = import_module("harbor.job")

VERSION = version("harbor")
IS_OLD = VERSION.startswith("0.9.")
"""Version 0.9 can't grade trials again, and does not state which errors leave a reward valid."""

MODULE = "write_harbor_jobs"
JOB, LATER = "2026-09-10__10-00-00", "2026-09-11__10-00-00"
BROOK, CREEK, DELTA = "acme/brook-2", "acme/creek-1", "acme/delta-3"
SLOW = 30.0
"""Seconds that exceed every limit."""


@dataclass(frozen=True)
class Plan:
    """The events in one trial, or in one step of a trial."""

    files: Mapping[str, str] = field(default_factory=dict)
    """The content of the files that the verifier writes, by name."""
    raises: str = ""
    """The class of the exception that ends the agent; empty for none."""
    is_slow: bool = False
    """Whether the agent works longer than allowed."""
    is_verifier_slow: bool = False
    cancels: bool = False
    """Whether the job is stopped while the agent works."""
    start: str = ""
    """`slow` or `broken` if the sandbox does not start; otherwise empty."""


def reward(value: object) -> Plan:
    """Return the plan of a trial whose verifier writes reward.txt."""
    return Plan({"reward.txt": f"{value}\n"})


def rewards(**values: float) -> Plan:
    """Return the plan of a trial whose verifier writes reward.json."""
    return Plan({"reward.json": json.dumps(values)})


PASS, FAIL, NOTHING = reward(1), reward(0), Plan()
Planned = Mapping[tuple[str, str], Sequence[Plan]]
"""Plans for a model's trials or steps at a task, in order; the last plan repeats."""


@dataclass
class Script:
    """The events in the job that is running."""

    plans: dict[tuple[str, str], Sequence[Plan]] = field(default_factory=dict)
    counters: defaultdict[tuple[str, str], Iterator[int]] = field(
        default_factory=lambda: defaultdict(itertools.count)
    )
    trials: dict[str, tuple[str, str]] = field(default_factory=dict)
    """The model and the task of each trial, by the trial's name."""
    current: dict[str, Plan] = field(default_factory=dict)
    """The current plan of each trial, by the trial's name."""
    work: "asyncio.Task[Any] | None" = None

    def next_plan(self, trial: str) -> Plan:
        """Return the next plan of a trial."""
        plan_key = self.trials[trial]
        planned = self.plans.get(plan_key, [PASS])
        number = next(self.counters[plan_key])
        self.current[trial] = planned[min(number, len(planned) - 1)]
        return self.current[trial]


script = Script()


class Sandbox:
    """A sandbox that is a folder; its only program is the verifier."""

    trial_paths: Any

    def __init__(self, *args: object, **kwargs: object) -> None:
        """Create an empty folder."""
        super().__init__(*args, **kwargs)
        self.root = Path(tempfile.mkdtemp(prefix="sandbox-"))
        self.trial = str(self.trial_paths.trial_dir.name)

    @staticmethod
    def type() -> str:
        """Return the name of this kind of sandbox."""
        return "scripted"

    def _validate_definition(self) -> None:
        pass

    async def start(self, force_build: bool) -> None:  # noqa: ARG002, FBT001 - the runner's signature
        """Start the sandbox, or fail to do so."""
        plan = script.plans.get(script.trials[self.trial], [PASS])[0]
        if plan.start == "slow":
            await asyncio.sleep(SLOW)
        if plan.start == "broken":
            raise RuntimeError("the sandbox does not start")

    async def stop(self, delete: bool) -> None:  # noqa: ARG002, FBT001 - the runner's signature
        """Remove the folder."""
        shutil.rmtree(self.root, ignore_errors=True)

    def inside(self, path: object) -> Path:
        """Return the local path of a path in the sandbox."""
        return self.root / str(path).lstrip("/")

    async def upload_file(self, source_path: Path | str, target_path: str) -> None:
        """Copy a file into the sandbox."""
        self.inside(target_path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source_path, self.inside(target_path))

    async def upload_dir(self, source_dir: Path | str, target_dir: str) -> None:
        """Copy a folder into the sandbox."""
        shutil.copytree(source_dir, self.inside(target_dir), dirs_exist_ok=True)

    async def download_file(self, source_path: str, target_path: Path | str) -> None:
        """Copy a file out of the sandbox."""
        shutil.copyfile(self.inside(source_path), target_path)

    async def download_dir(self, source_dir: str, target_dir: Path | str) -> None:
        """Copy a folder out of the sandbox."""
        if self.inside(source_dir).is_dir():
            shutil.copytree(self.inside(source_dir), target_dir, dirs_exist_ok=True)

    async def exec(self, command: str, *_: object, **__: object) -> object:
        """Run the verifier; other commands do nothing."""
        verifier = self.inside("/logs/verifier")
        plan = script.current.get(self.trial, PASS)
        if "test.sh" in command and "chmod" not in command:
            if plan.is_verifier_slow:
                await asyncio.sleep(SLOW)
            verifier.mkdir(parents=True, exist_ok=True)
            for name, text in plan.files.items():
                (verifier / name).write_text(text, encoding="utf-8")
        elif "rm -" in command and "/logs/verifier" in command:
            shutil.rmtree(verifier, ignore_errors=True)
        return environments.ExecResult(stdout="/app", stderr="", return_code=0)


class Worker:
    """An agent that uses 1,000 tokens and follows a plan."""

    def __init__(
        self,
        *args: object,
        reasoning_effort: str | None = None,  # noqa: ARG002 - a setting that the runner passes
        **kwargs: object,
    ) -> None:
        """Accept any setting."""
        super().__init__(*args, **kwargs)

    @staticmethod
    def name() -> str:
        """Return the agent's name."""
        return "scripted"

    def version(self) -> str:
        """Return the agent's version."""
        return "1.0"

    async def setup(self, environment: object) -> None:
        """Set up nothing."""

    async def run(self, instruction: str, environment: Any, context: Any) -> None:  # noqa: ANN401, ARG002 - the runner's
        """Work on a task or a step according to its plan."""
        plan = script.next_plan(environment.trial)
        context.n_input_tokens, context.n_output_tokens, context.cost_usd = 1000, 100, 0.01
        if plan.cancels and script.work:
            script.work.cancel()
        if plan.cancels or plan.is_slow:
            await asyncio.sleep(SLOW)
        if plan.raises:
            raise type(plan.raises, (Exception,), {})("scripted")


ScriptedEnvironment = type("ScriptedEnvironment", (Sandbox, environments.BaseEnvironment), {})
_CAPABLE = (
    {}
    if IS_OLD
    else {
        "capabilities": agents.BaseAgent.capabilities.model_copy(update={"reasoning_effort": True})
    }
)
ScriptedAgent = type("ScriptedAgent", (Worker, agents.BaseAgent), _CAPABLE)


def write_task(
    root: Path, name: str, steps: Sequence[str] = (), head: str = "", verifier: str = ""
) -> Path:
    """Write a task that the runner accepts, and return its folder."""
    folder = root / "tasks" / name
    lines = [
        f'schema_version = "{"1.2" if IS_OLD else "1.4"}"\n{head}',
        "[agent]\ntimeout_sec = 0.3",
        f"[verifier]\ntimeout_sec = 0.3\n{verifier}",
        "[environment]\nbuild_timeout_sec = 0.3",
        *(f'[[steps]]\nname = "{step}"' for step in steps),
    ]
    step_folders = [folder / "steps" / step for step in steps] or [folder]
    files = {
        folder / "environment" / "Dockerfile": "FROM scratch\n",
        folder / "task.toml": "\n".join(lines) + "\n",
    }
    for step_folder in step_folders:
        files |= {
            step_folder / "instruction.md": "Do it.\n",
            step_folder / "tests" / "test.sh": "#!/bin/sh\n",
        }
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def two_tasks(root: Path) -> list[Path]:
    """Write the two tasks that most shapes use, and return their folders."""
    return [write_task(root, "merge-it"), write_task(root, "sort-it")]


def agent(model: str, **settings: object) -> dict[str, object]:
    """Return the configuration of an agent with a model."""
    return {"import_path": f"{MODULE}:ScriptedAgent", "model_name": model, **settings}


async def run(
    root: Path,
    tasks: Sequence[Path],
    planned: Mapping[str, Sequence[Plan]] | Planned | None = None,
    name: str = JOB,
    **settings: Any,  # noqa: ANN401 - as the runner's model of a job has them
) -> Path:
    """Run a job and return its folder.

    Args:
        root: The folder of the shape.
        tasks: Folders of the tasks.
        planned: Plans by task, for the usual model, or by model and task.
        name: Name of the job.
        settings: Further settings of the job.
    """
    global script  # noqa: PLW0603 - the runner makes the agents and sandboxes, which look here
    script = Script()
    for plan_key, several in (planned or {}).items():
        script.plans[(BROOK, plan_key) if isinstance(plan_key, str) else plan_key] = several
    environment = {
        "import_path": f"{MODULE}:ScriptedEnvironment",
        **settings.pop("environment", {}),
    }
    config = {
        "job_name": name,
        "jobs_dir": root / "jobs",
        "quiet": True,
        "n_concurrent_trials": 1,
        "environment": environment,
        "agents": [agent(BROOK)],
        "tasks": [{"path": task} for task in tasks],
        **settings,
    }
    job = await jobs.Job.create(job_models.JobConfig.model_validate(config))
    for trial in job._trial_configs:  # noqa: SLF001 - the runner draws the trials' names
        task = trial.task.get_task_id().get_name().rpartition("/")[2]
        script.trials[trial.trial_name] = (trial.agent.model_name or "", task)
    script.work = asyncio.ensure_future(job.run())
    with suppress(asyncio.CancelledError):
        await script.work
    return root / "jobs" / name


def alter(path: Path, **changes: object) -> None:
    """Replace keys in a JSON file."""
    content = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(content | changes, indent=4), encoding="utf-8")


async def reward_txt(root: Path) -> None:
    """Write the usual job, with one reward in reward.txt."""
    await run(root, two_tasks(root), {"merge-it": [FAIL]})


async def diagnostics(root: Path) -> None:
    """Write figures in addition to `reward`, for one of two tasks."""
    await run(root, two_tasks(root), {"merge-it": [rewards(reward=1, style=0.4)]})


async def one_other_key(root: Path) -> None:
    """Write a single figure with a name other than `reward`."""
    await run(
        root,
        two_tasks(root),
        {"merge-it": [rewards(accuracy=0.5)], "sort-it": [rewards(accuracy=1)]},
    )


async def several_keys(root: Path) -> None:
    """Write several figures, none of them named `reward`."""
    planned = {
        "merge-it": [rewards(accuracy=1, style=0.5)],
        "sort-it": [rewards(accuracy=0, style=1)],
    }
    await run(root, two_tasks(root), planned)


async def provider_failed(root: Path) -> None:
    """Write a reward together with a failure of the provider, which the runner treats as invalid."""
    await run(root, two_tasks(root), {"merge-it": [replace(PASS, raises="RateLimitError")]})


async def error_policy(root: Path) -> None:
    """Write the same job with a setting that treats such a reward as valid."""
    policy = {"RateLimitError": {"has_valid_reward": True}}
    planned = {"merge-it": [replace(PASS, raises="RateLimitError")]}
    await run(root, two_tasks(root), planned, override_error_policy=policy)


async def agent_timeout(root: Path) -> None:
    """Write agents that ran out of time, with and without a verdict."""
    planned = {
        "merge-it": [replace(PASS, is_slow=True)],
        "sort-it": [replace(NOTHING, is_slow=True)],
    }
    await run(root, two_tasks(root), planned)


async def verifier_timeout(root: Path) -> None:
    """Write a verifier that ran out of time."""
    await run(root, two_tasks(root), {"merge-it": [Plan(is_verifier_slow=True)]})


async def no_sandbox(root: Path) -> None:
    """Write sandboxes that do not start, or that start too slowly."""
    tasks = [*two_tasks(root), write_task(root, "split-it")]
    await run(root, tasks, {"merge-it": [Plan(start="broken")], "split-it": [Plan(start="slow")]})


async def no_number(root: Path) -> None:
    """Write verdicts that are not numbers: NaN in either file, no file, and an empty file."""
    planned = {
        "json-nan": [Plan({"reward.json": '{"reward": NaN}'})],
        "no-file": [NOTHING],
        "text-nan": [reward("nan")],
        "zero-bytes": [Plan({"reward.txt": ""})],
    }
    tasks = [write_task(root, name) for name in (*planned, "sort-it")]
    await run(root, tasks, planned)


async def percent(root: Path) -> None:
    """Write rewards of 0 to 100."""
    await run(root, two_tasks(root), {"merge-it": [reward(75)], "sort-it": [reward(100)]})


async def cancelled(root: Path) -> None:
    """Write a job that was stopped: one trial finished, one was cancelled, and one never began."""
    tasks = [*two_tasks(root), write_task(root, "trim-it")]
    await run(root, tasks, {"sort-it": [Plan(cancels=True)]})


async def killed(root: Path) -> None:
    """Write a job whose runner was killed: one trial has no result, and the job has no end."""
    job = await run(root, two_tasks(root))
    (trial,) = job.glob("sort-it__*")
    (trial / "result.json").unlink()
    shutil.rmtree(trial / "verifier")
    alter(job / "result.json", finished_at=None)


async def retried(root: Path) -> None:
    """Write a trial that the runner retried."""
    retry: dict[str, object] = {
        "max_retries": 1,
        "min_wait_sec": 0.01,
        "include_exceptions": ["RateLimitError"],
    }
    await run(
        root, two_tasks(root), {"merge-it": [Plan(raises="RateLimitError"), PASS]}, retry=retry
    )


async def resumed(root: Path) -> None:
    """Write a job that was stopped and resumed."""
    tasks = two_tasks(root)
    job = await run(root, tasks, {"sort-it": [Plan(cancels=True)]})
    for trial in job.glob(
        "sort-it__*"
    ):  # as the command that resumes a job does with cancelled trials
        shutil.rmtree(trial)
    await run(root, tasks, {"merge-it": [FAIL], "sort-it": [PASS]})


async def rerun_fills(root: Path) -> None:
    """Write three attempts, one without a verdict, and a second job that reran it."""
    tasks = two_tasks(root)
    failed = Plan(raises="InternalServerError")
    await run(
        root, tasks, {"merge-it": [PASS, failed, PASS], "sort-it": [PASS, FAIL, PASS]}, n_attempts=3
    )
    await run(root, tasks[:1], name=LATER)


async def two_jobs(root: Path) -> None:
    """Write two jobs of one agent on the same tasks."""
    tasks = two_tasks(root)
    await run(root, tasks, {"sort-it": [FAIL]})
    await run(root, tasks, {"merge-it": [FAIL], "sort-it": [FAIL]}, name=LATER)


async def copied(root: Path) -> None:
    """Write a job that exists in two copies."""
    job = await run(root, two_tasks(root), {"sort-it": [FAIL]})
    shutil.copytree(job, root / "jobs" / "backup" / job.name)


async def parts(root: Path) -> None:
    """Write two jobs of one agent on different tasks."""
    tasks = two_tasks(root)
    await run(root, tasks[:1])
    await run(root, tasks[1:], {"sort-it": [FAIL]}, name=LATER)


async def attempts(root: Path) -> None:
    """Write three attempts at each task."""
    planned = {"merge-it": [PASS, FAIL, PASS], "sort-it": [FAIL, FAIL, PASS]}
    await run(root, two_tasks(root), planned, n_attempts=3)


async def efforts(root: Path) -> None:
    """Write one model with two reasoning settings, and another model, in a single job."""
    low, high = ({"reasoning_effort": effort} for effort in ("low", "high"))
    several = [agent(BROOK, kwargs=low), agent(BROOK, kwargs=high), agent(CREEK)]
    plans = {(BROOK, "merge-it"): [FAIL, PASS], (CREEK, "merge-it"): [FAIL]}
    await run(root, [write_task(root, "merge-it")], plans, agents=several)


async def providers(root: Path) -> None:
    """Write one model that is served by two providers."""
    direct, routed = "anthropic/claude-brook-2", "openrouter/anthropic/claude-brook-2"
    plans = {(direct, "merge-it"): [PASS], (routed, "merge-it"): [FAIL]}
    await run(root, [write_task(root, "merge-it")], plans, agents=[agent(direct), agent(routed)])


async def baselines(root: Path) -> None:
    """Write the agents `nop` and `oracle` in addition to a model."""
    task = write_task(root, "merge-it")
    (task / "solution").mkdir()
    (task / "solution" / "solve.sh").write_text("#!/bin/sh\n")
    await run(root, [task], agents=[{"name": "nop"}, {"name": "oracle"}, agent(BROOK)])


async def steps(root: Path) -> None:
    """Write a task with three steps: finished, stopped by an error, and with an invalid reward at the second step."""
    task = write_task(root, "grow-it", ["parse", "store", "serve"])
    plans = {
        (BROOK, "grow-it"): [PASS, replace(PASS, is_slow=True), FAIL],
        (CREEK, "grow-it"): [PASS, Plan(is_slow=True)],
        (DELTA, "grow-it"): [PASS, replace(PASS, raises="RateLimitError"), PASS],
    }
    await run(root, [task], plans, agents=[agent(model) for model, _ in plans])


async def steps_without_tasks(root: Path) -> None:
    """Write the same job without the folder of the tasks."""
    await steps(root)
    shutil.rmtree(root / "tasks")


async def step_keys(root: Path) -> None:
    """Write steps with figures in addition to `reward`."""
    task = write_task(root, "grow-it", ["parse", "store"])
    await run(root, [task], {"grow-it": [rewards(reward=1, style=0.2), rewards(reward=0, style=1)]})


async def names(root: Path) -> None:
    """Write tasks whose names contain an owner, spaces, capitals or another alphabet."""
    tasks = [
        write_task(root, "word-count", head='[task]\nname = "acme/word-count"'),
        write_task(root, "Sort It (v2)"),
        write_task(root, "sort-it-v2"),
        write_task(root, "überprüfung"),
    ]
    await run(root, tasks, {"Sort It (v2)": [FAIL]})


async def without_tasks(root: Path) -> None:
    """Write tasks from a registry and from a repository, without their folders.

    Neither source can be reached from here, so the runner's model of a result states where the tasks come from.
    """
    job = await run(root, two_tasks(root), {"sort-it": [FAIL]})
    package = {"org": "acme", "name": "merge-it", "ref": f"sha256:{'a' * 64}"}
    repository = {
        "git_url": "https://git.example.org/tasks.git",
        "git_commit_id": "b" * 40,
        "path": "x/sort-it",
    }
    restate(job, "acme/merge-it", package, {"name": "acme/merge-it", "ref": package["ref"]})
    restate(job, "sort-it", repository, repository)
    shutil.rmtree(root / "tasks")


def restate(job: Path, task: str, task_id: Mapping[str, str], config: Mapping[str, str]) -> None:
    """State in a trial's files that its task comes from elsewhere."""
    (trial,) = job.glob(f"{task.rpartition('/')[2]}__*")
    content = json.loads((trial / "result.json").read_text(encoding="utf-8"))
    content |= {"task_name": task, "task_id": task_id}
    content["config"]["task"] = config
    result = trial_results.TrialResult.model_validate(content)
    (trial / "result.json").write_text(result.model_dump_json(indent=4), encoding="utf-8")
    (trial / "config.json").write_text(result.config.model_dump_json(indent=4), encoding="utf-8")


async def limits(root: Path) -> None:
    """Write limits that differ from the tasks' own."""
    settings: dict[str, Any] = {"timeout_multiplier": 2.0, "environment": {"override_cpus": 8}}
    await run(root, two_tasks(root), {"sort-it": [FAIL]}, **settings)


async def unverified(root: Path) -> None:
    """Write a job without a verifier, in addition to a verified job."""
    tasks = two_tasks(root)
    await run(root, tasks, {"sort-it": [FAIL]})
    await run(root, tasks, name=LATER, verifier={"disable": True})


async def extra_instructions(root: Path) -> None:
    """Write a run with more instructions than the task contains."""
    await run(root, two_tasks(root), {"sort-it": [FAIL]}, extra_instructions=["Be quick."])


async def regraded(root: Path) -> None:
    """Write a job that grades the trial of another job again."""
    task = write_task(root, "merge-it", verifier='environment_mode = "separate"')
    (task / "tests" / "Dockerfile").write_text("FROM scratch\n")
    first = await run(root, [task], {"merge-it": [FAIL]})
    source = {"action": "regrade", "type": "local", "path": first}
    await run(root, [task], name=LATER, source_jobs=[source], agents=[])


async def every_exception(root: Path) -> None:
    """Write a trial for each exception that the runner classifies, with a reward of 1 if the verifier runs."""
    policies = import_module("harbor.models.trial.error_policy").ERROR_POLICIES
    planned = {}
    for number, name in enumerate([*policies, "SomethingElseError"], start=1):
        planned[f"{name.lower()}-{number}"] = [replace(PASS, raises=name)]
    await run(root, [write_task(root, task) for task in planned], planned)


ALL_VERSIONS: Sequence[Callable[[Path], Coroutine[Any, Any, None]]] = (
    *(
        reward_txt,
        diagnostics,
        one_other_key,
        several_keys,
        provider_failed,
        agent_timeout,
        verifier_timeout,
    ),
    *(
        no_sandbox,
        no_number,
        percent,
        cancelled,
        killed,
        retried,
        resumed,
        rerun_fills,
        two_jobs,
        copied,
        parts,
    ),
    *(
        attempts,
        efforts,
        providers,
        baselines,
        steps,
        steps_without_tasks,
        step_keys,
        names,
        without_tasks,
        limits,
    ),
    unverified,
)
NEW_VERSIONS: Sequence[Callable[[Path], Coroutine[Any, Any, None]]] = (
    error_policy,
    extra_instructions,
    regraded,
    every_exception,
)
SHAPES = {
    shape.__name__.replace("_", "-"): shape
    for shape in (ALL_VERSIONS if IS_OLD else (*ALL_VERSIONS, *NEW_VERSIONS))
}

_DROPPED = frozenset(
    {"job.log", "exception.txt", "manifest.json", "Dockerfile", "instruction.md", "test.sh"}
)
"""Files that the tests do not need."""


def make_neutral(root: Path) -> None:
    """Remove local folders, long texts and dates from all files."""
    packages = Path(str(import_module("harbor").__file__)).parents[1]
    folders = {
        root: "/eval",
        packages: "/packages",
        Path(__file__).parent: "/tools",
        Path(sys.prefix): "/python",
    }
    for path in sorted(root.rglob("*"), reverse=True):
        if path.is_symlink() or path.name in _DROPPED:
            path.unlink()
        elif path.is_dir() and (path.name == ".sources" or not any(path.iterdir())):
            shutil.rmtree(path)
        elif path.is_file():
            path.write_text(_neutral(path, root, folders), encoding="utf-8")


def _neutral(path: Path, root: Path, folders: Mapping[Path, str]) -> str:
    """Return the text of a file without local details."""
    text = path.read_text(encoding="utf-8")
    for folder, name in folders.items():
        text = text.replace(str(folder), name)
    job = next(
        (segment for segment in path.relative_to(root).parts if segment in {JOB, LATER}), JOB
    )
    text = text.replace(f"{datetime.now(UTC):%Y-%m-%d}T", f"{job[:10]}T")
    if path.name == "trial.log":
        return "".join(
            line
            for line in text.splitlines(keepends=True)
            if line.startswith(("Starting step ", "Step "))
        )
    if path.suffix == ".json" and path.name != "reward.json":
        text = re.sub(r'("exception_traceback": )"(?:[^"\\]|\\.)*"', r'\1"Traceback"', text)
        text = json.dumps(json.loads(text), separators=(",", ":"), ensure_ascii=False) + "\n"
    return text


def write_shape(name: str, folder: Path) -> None:
    """Write a shape to a folder."""
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch).resolve() / name
        root.mkdir()
        asyncio.run(SHAPES[name](root))
        make_neutral(root)
        shutil.rmtree(folder / name, ignore_errors=True)
        shutil.copytree(root, folder / name)


def pack(folder: Path, archive: Path) -> None:
    """Pack the shapes in a folder, without local user names and times."""

    def neutral(member: tarfile.TarInfo) -> tarfile.TarInfo:
        member.uid = member.gid = member.mtime = 0
        member.uname = member.gname = ""
        return member

    with tarfile.open(archive, "w:xz", preset=9) as target:
        for path in sorted(folder.rglob("*")):
            target.add(path, path.relative_to(folder), recursive=False, filter=neutral)


def main() -> None:
    """Write the given shapes, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("names", nargs="*", help=", ".join(SHAPES))
    parser.add_argument("--pack", action="store_true")
    asked = parser.parse_args()
    sys.modules[MODULE] = sys.modules["__main__"]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) if asked.pack else asked.out
        for name in asked.names or SHAPES:
            write_shape(name, folder)
            print(name, flush=True)
        if asked.pack:
            pack(folder, asked.out / f"harbor-{VERSION}.tar.xz")


if __name__ == "__main__":
    main()
