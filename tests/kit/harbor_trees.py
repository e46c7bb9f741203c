"""Small folders in the formats of several versions of Harbor, for tests of imports."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any, Literal, TypeAlias

import pytest

from sitegen.importers.harbor.source import read_harbor
from sitegen.importers.kit.options import ImportOptions
from sitegen.metrics.catalogue import METRICS
from sitegen.models.incoming import Draft, Incoming
from sitegen.models.outcome import RoundResult
from sitegen.problems import Problem, ProblemsError

Json: TypeAlias = dict[str, Any]
Version: TypeAlias = Literal["0.5.0", "0.9.0", "0.24.0", "none"]
"""The version that wrote a folder; `none` leaves out all of the runner's files, as in an archive of transcripts."""

OPTIONS = ImportOptions(today=date(2026, 7, 1), benchmark="bench", track="official", known_metrics=METRICS)
JOB = "2026-06-18__10-00-00"

FAIL = (
    'CASE_RESULT case_id={} origin_step=base requirement_ref=req-1 case_type=core status={} intent="adds" '
    'scenario="two numbers" input="1 2" expected="3" actual="4" failure_reason="wrong sum"'
)


@dataclass(frozen=True)
class Play:
    """The outcome of a run in one round; values that are None are not written to the folder."""

    reward: float | None = 1.0
    cases: str | None = "pp"
    """One letter per case (p passed, f failed), or words separated by commas."""
    log: str | None = None
    """The verifier's output; None to derive it from the cases."""
    error: str | None = None
    calls: Sequence[int] | None = (2, 1)
    """The number of tool calls in each reply."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Further files in the round's folder."""
    rewards: Json | None = None
    """The rewards in the runner's result, if they differ from the rewards in the file."""


PASSED = Play()
FAILED = Play(0.0, "pf")
ABORTED = Play(None, None, log="verifier could not start", error="AgentTimeoutError")


def letters(cases: str) -> list[str]:
    """Return the cases, given as letters or as words."""
    return cases.split(",") if "," in cases else list(cases)


def log_of(cases: str) -> str:
    """Return the output of a verifier for the given cases."""
    outcomes = [{"p": "success", "f": "fail"}.get(letter, letter) for letter in letters(cases)]
    lines = [FAIL.format(f"c{number:03}", outcome) for number, outcome in enumerate(outcomes, start=1)]
    passed, failed = outcomes.count("success"), outcomes.count("fail")
    lines.append(f"CASE_SUMMARY total_cases={len(outcomes)} success_count={passed} fail_count={failed}")
    return "\n".join(lines) + "\n"


def transcript(calls: Sequence[int], model: str = "demo/alpha", **facts: object) -> Json:
    """Return a transcript with one reply for each number of tool calls."""
    steps: list[Json] = [{"step_id": 1, "source": "user", "message": "# Secret instruction"}]
    for number, several in enumerate(calls, start=2):
        made = [
            {"tool_call_id": f"t{call_number}", "function_name": "bash", "arguments": {}}
            for call_number in range(several)
        ]
        metrics = {"prompt_tokens": 100, "completion_tokens": 10, "cost_usd": 0.5}
        steps.append({"step_id": number, "source": "agent", "message": "ok", "tool_calls": made, "metrics": metrics})
    agent = {"name": "terminus-2", "version": "2.0.0", "model_name": model}
    return {"schema_version": "ATIF-v1.7", "agent": agent, "steps": steps, **facts}


def write(path: Path, content: object) -> Path:
    """Write a file: text unchanged, and other values as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=4), encoding="utf-8")
    return path


def write_task(folder: Path, name: str, rounds: int | Sequence[str] = 2, more: str = "") -> Path:
    """Write the definition of a task, with an instruction that must not be published."""
    names = [f"round-{n}" for n in range(1, rounds + 1)] if isinstance(rounds, int) else rounds
    head = 'schema_version = "1.2"\n[metadata]\nname = "A task"\ndifficulty = "hard"\ncategory = "demo"\n'
    steps = "".join(f'\n[[steps]]\nname = "{name}"\n' for name in names)
    for step_name in names:
        write(folder / name / "steps" / step_name / "instruction.md", "# Secret instruction")
    return write(folder / name / "task.toml", head + more + steps)


def _span(start: int, seconds: int) -> Json:
    return {"started_at": f"2026-06-18T10:{start:02}:00Z", "finished_at": f"2026-06-18T10:{start:02}:{seconds:02}Z"}


def _step(name: str, position: int, play: Play) -> Json:
    rewards = play.rewards if play.rewards is not None or play.reward is None else {"reward": play.reward}
    calls = play.calls or ()
    used = {"n_input_tokens": 100 * len(calls), "n_cache_tokens": 0, "n_output_tokens": 10 * len(calls)}
    return {
        "step_name": name,
        "agent_result": used | {"cost_usd": 0.5 * len(calls), "metadata": {"n_episodes": len(calls)}},
        "verifier_result": {"rewards": rewards} if rewards else None,
        "exception_info": _exception(play.error),
        "agent_execution": _span(position, 30),
        "verifier": _span(position, 5),
    }


def _exception(kind: str | None) -> Json | None:
    if kind is None:
        return None
    message = "Traceback: /home/eval/secret.py sk-abcdefghijklmnop0123"
    return {"exception_type": kind, "exception_message": message, "exception_traceback": message}


@dataclass(frozen=True)
class Trial:
    """A trial to write; names of rounds default to those of `write_task`."""

    task: str = "tidy"
    model: str = "demo/alpha"
    name: str | None = None
    """The name of the trial's folder; None to derive it from the task's name, like the runner."""
    version: Version = "0.9.0"
    scaffold: str = "terminus-2"
    names: Sequence[str] | None = None
    config: Json = field(default_factory=dict)
    """Further settings."""
    result: Json = field(default_factory=dict)
    """Keys to add to the runner's result, or to replace in it."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Further files in the trial's folder."""
    digest: str = "sha256:" + "0" * 64
    started: str = "2026-06-18T10:00:00Z"

    def write(self, job: Path, *plays: Play) -> Path:
        """Write the trial's folder, with a round for each play; later rounds are not reached."""
        folder = job / (self.name or f"{self.task[:32].rstrip('_-')}__abcdefg")
        names = self.names or [f"round-{number}" for number in range(1, len(plays) + 1)]
        for name, play in zip(names, plays, strict=True):
            self._write_round(folder / "steps" / name, play)
        for name, text in self.files.items():
            write(folder / name, text)
        if self.version != "none":
            steps = [
                _step(name, position, play) for position, (name, play) in enumerate(zip(names, plays, strict=True))
            ]
            write(folder / "result.json", self._result(job, folder, steps))
            write(folder / "config.json", self._config(job))
            write(folder / "trial.log", "Starting step 1\n")
            self._write_locks(job, folder)
        return folder

    def _write_round(self, folder: Path, play: Play) -> None:
        if play.calls is not None:
            write(folder / "agent" / "trajectory.json", transcript(play.calls, self.model))
        output = play.log if play.log is not None else (log_of(play.cases) if play.cases else None)
        if output is not None:
            write(folder / "verifier" / "test-stdout.txt", output)
        if play.reward is not None:
            write(folder / "verifier" / "reward.txt", f"{play.reward:g}\n")
        for name, text in play.files.items():
            write(folder / name, text)
        (folder / "artifacts").mkdir(parents=True, exist_ok=True)

    def _config(self, job: Path) -> Json:
        agent = {"name": self.scaffold, "model_name": self.model, "kwargs": {}, "env": {"KEY": "${KEY}"}}
        full = {
            "task": {"path": f"/home/eval/tasks/{self.task}", "git_url": None, "name": None},
            "trial_name": f"{self.task[:32]}__abcdefg",
            "trials_dir": f"/home/eval/jobs/{job.name}",
            "agent": agent | self.config.get("agent", {}),
            "job_id": f"job-{job.name}",
        }
        if self.version == "0.24.0":
            full["task"] = {"path": full["task"]["path"]}
            full["agent"] = {key: value for key, value in full["agent"].items() if value}
        return full | {key: value for key, value in self.config.items() if key != "agent"}

    def _result(self, job: Path, folder: Path, steps: list[Json]) -> Json:
        result = {
            "id": f"id-{job.name}-{folder.name}",
            "task_name": self.task,
            "trial_name": folder.name,
            "trial_uri": f"file:///home/eval/{folder.name}",
            "task_id": {"path": f"/home/eval/tasks/{self.task}"},
            "config": self._config(job),
            "agent_info": {
                "name": self.scaffold,
                "version": "2.0.0",
                "model_info": {"name": self.model.rpartition("/")[2], "provider": "demo"},
            },
            "agent_result": None,
            "verifier_result": {"rewards": {"reward": 1.0}},
            "exception_info": None,
            "started_at": self.started,
            "finished_at": self.started,
            "step_results": steps,
        }
        return result | self.result

    def _write_locks(self, job: Path, folder: Path) -> None:
        task = {"name": self.task, "type": "local", "digest": self.digest, "path": f"/home/eval/tasks/{self.task}"}
        if self.version == "0.9.0":
            lock = {"schema_version": 1, "harbor": {"version": "0.9.0"}, "invocation": ["/home/eval/run", "--key"]}
            write(job / "lock.json", lock | {"trials": [{"task": task}]})
        if self.version == "0.24.0":
            write(job / "lock.json", {"schema_version": 3, "harbor": {"version": "0.24.0"}, "trials": [{"task": task}]})
            write(folder / "lock.json", {"schema_version": 2, "task": task})
        write(job / "config.json", {"job_name": job.name, "jobs_dir": "/home/eval/jobs"})
        counters = {"n_retries": 0} if self.version != "0.5.0" else {"n_trials": 1, "n_errors": 0}
        write(job / "result.json", {"id": f"job-{job.name}", "n_total_trials": 1, "stats": counters})
        write(job / "job.log", "")


def nest(root: Path, task: str, model: str, job: str = JOB) -> Path:
    """Return the folder of a job, nested as in EvoCode-Bench."""
    return root / task / "harbor_jobs" / model / job


def alter(path: Path, **changes: object) -> None:
    """Replace keys of a JSON file; keys that are set to None are removed."""
    content = json.loads(path.read_text(encoding="utf-8")) | changes
    write(path, {key: value for key, value in content.items() if value is not None})


def imported(
    source: Path,
    tasks: Path | None = None,
    pick: Literal["latest", "first"] | None = None,
    options: ImportOptions = OPTIONS,
) -> Incoming:
    """Import a valid folder."""
    return read_harbor(source, replace(options, pick=pick), tasks)


def one_draft(source: Path, tasks: Path | None = None, options: ImportOptions = OPTIONS) -> Draft:
    """Import a valid folder of one agent, and return its draft."""
    (draft,) = imported(source, tasks, options=options).drafts
    return draft


def rounds_of(source: Path, *plays: Play, trial: Trial | None = None, rounds: int | None = None) -> list[RoundResult]:
    """Write and import one trial of a task that has at least as many rounds as the trial; return the rounds."""
    draft = played(source, *plays, trial=trial, rounds=rounds).drafts[0]
    return list(draft.rounds)


def played(source: Path, *plays: Play, trial: Trial | None = None, rounds: int | None = None) -> Incoming:
    """Write one trial and its task, and import them; without the runner's files, the path identifies the trial."""
    which = trial or Trial()
    write_task(source / "tasks", which.task, which.names or rounds or len(plays))
    nested = nest(source / "jobs", which.task, which.model.rpartition("/")[2])
    which.write(nested if which.version == "none" else source / "jobs" / JOB, *plays)
    return imported(source / "jobs", source / "tasks")


def codes(incoming: Incoming) -> list[str]:
    """Return the codes of an import's warnings, except for the warning that every run of an old runner has."""
    return [problem.code for problem in incoming.problems if problem.code != "HARBOR-VERIFIER-EXPOSED"]


def refused(
    source: Path,
    tasks: Path | None = None,
    pick: Literal["latest", "first"] | None = None,
    options: ImportOptions = OPTIONS,
) -> list[Problem]:
    """Import an invalid folder, and return the errors."""
    with pytest.raises(ProblemsError) as raised:
        read_harbor(source, replace(options, pick=pick), tasks)
    return [problem for problem in raised.value.problems if problem.is_error]
