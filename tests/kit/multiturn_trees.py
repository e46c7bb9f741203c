"""Small folders in the format of Harbor's multi-turn fork, for tests of imports."""

import json
from collections import ChainMap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

import pytest

from sitegen.importers.harbor_multiturn.source import read_harbor_multiturn
from sitegen.importers.kit.options import ImportOptions
from sitegen.models.incoming import Draft, Incoming
from sitegen.models.outcome import RoundResult
from sitegen.problems import Problem, ProblemsError

Json: TypeAlias = dict[str, Any]

OPTIONS = ImportOptions(
    today=date(2026, 7, 1), benchmark="bench", track="legacy", known_metrics=("mt_at_k", "sr", "gap", "comp")
)
HOST = "/home/eval/secret-project"
"""The folder that the runs state as their own."""

PASS, FAIL = "pass", "fail"

NEXT_JOB = "tidy/harbor_jobs/acme-1/2026-04-21__10-00-00"

UNCHANGED: Mapping[str, str | None] = MappingProxyType({})
"""An empty set of changes to the files of a run."""


@dataclass(frozen=True)
class Source:
    """A source of runs, nested as in the benchmark's scripts: `TASK/harbor_jobs/MODEL/JOB/RUN`."""

    root: Path
    place: str = "tidy/harbor_jobs/acme-1/2026-04-20__10-00-00"
    """The folder to which the next runs are written."""

    def at(self, folder: str) -> "Source":
        """Return the same source with another folder for its next runs."""
        return replace(self, place=folder)

    def of(self, model: str, task: str = "tidy") -> "Source":
        """Return the same source for the runs of another model or task."""
        return self.at(f"{task}/harbor_jobs/{model}/2026-04-20__10-00-00")

    def task(self, name: str = "tidy", rounds: int = 3, text: str | None = None) -> None:
        """Define a task."""
        lines = [f'[metadata]\nname = "Project {name}"\n\n[metadata.multiround]\nnum_rounds = {rounds}\n']
        change = '\n[[metadata.multiround.rounds]]\nround = {}\nchange_types = ["extension"]\n'
        lines += [change.format(number) for number in range(1, rounds + 1)]
        folder = self.root / "tasks" / name
        folder.mkdir(parents=True)
        (folder / "task.toml").write_text("".join(lines) if text is None else text)

    def run(
        self,
        name: str,
        rows: Sequence[object] | None,
        *,
        verifier: Json | None = None,
        told: Json | None = None,
        files: Mapping[str, str | None] = UNCHANGED,
    ) -> Path:
        """Write a run.

        Args:
            name: The name of its folder.
            rows: The outcomes of its rounds, in the form that `row` takes; None to leave out the list of rounds.
            verifier: The range of its rounds.
            told: Further keys of `result.json`.
            files: Further or changed files; None to leave a file out.
        """
        bounds = verifier or {}
        entries = entries_of(rows or (), bounds.get("multiround_start_round") or 1)
        written: dict[str, str | None] = {
            "config.json": json.dumps(settings(name, self.place, bounds)),
            "result.json": json.dumps(result_of(name, self.place, bounds) | (told or {})),
            "verifier/multiround_results.json": None if rows is None else json.dumps(entries),
            "agent/trajectory.json": json.dumps(trajectory([entry["round"] for entry in entries])),
        }
        by_round = [verifier_files(entry) for entry in entries]
        return write_run(self.root / self.place / name, *by_round, written, files)

    def sample(self, number: int, outcome: object, name: str | None = None, told: Json | None = None) -> Path:
        """Write a run of one round from the reference state."""
        bounds = {"multiround_start_round": number, "multiround_max_round": number}
        return self.run(name or f"tidy__SR0000{number}", [outcome], verifier=bounds, told=told)

    def branch(
        self, name: str, outcomes: Sequence[object], parent: str | None = None, told: Json | None = None
    ) -> Path:
        """Write a branch of a fan-out: the rounds that it inherited, then its own round."""
        number = len(outcomes)
        origin = f"{HOST}/somewhere/2026-04-20__10-00-00/{parent}" if parent else None
        bounds = {"multiround_start_round": number, "multiround_max_round": number, "multiround_resume_source": origin}
        before = [(position, outcome) for position, outcome in enumerate(outcomes[:-1], start=1) if outcome is not None]
        rows = [
            {**row(round_number, earlier_outcome), "status": "fast_forwarded"}
            for round_number, earlier_outcome in before
        ]
        own_row = None if outcomes[-1] is None else row(number, outcomes[-1])
        return self.run(name, [*rows, own_row], verifier=bounds, told=told)


def write_run(folder: Path, *files: Mapping[str, str | None]) -> Path:
    """Write the files of a run that have a text; if a file is given several times, the last text is used."""
    for path, text in ChainMap(*map(dict, reversed(files))).items():
        if text is not None:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
    return folder


def new_source(folder: Path) -> Source:
    """Create an empty source."""
    root = folder / "source"
    root.mkdir()
    return Source(root)


def entries_of(rows: Sequence[object], first: int) -> list[Json]:
    """Return the list of rounds, without rounds that have no outcome."""
    return [row(number, outcome) for number, outcome in enumerate(rows, start=first) if outcome is not None]


def write_fan_out(source: Source) -> None:
    """Write a fan-out of two: a1 passes round 1, its child a0 passes round 2, and both children of a0 fail."""
    source.branch("tidy__AAAAAAA__mr-r1-a0", [FAIL], told=effort(9))
    source.branch("tidy__BBBBBBB__mr-r1-a1", [PASS], told=effort(8))
    parent = "tidy__BBBBBBB__mr-r1-a1"
    source.branch("tidy__CCCCCCC__mr-r2-p1-hBBBBBBB-a0", [PASS, PASS], parent, told=effort(20))
    source.branch("tidy__DDDDDDD__mr-r2-p1-hBBBBBBB-a1", [PASS, "agent_timeout"], parent, told=effort(30))
    parent = "tidy__CCCCCCC__mr-r2-p1-hBBBBBBB-a0"
    source.branch("tidy__EEEEEEE__mr-r3-p0-hCCCCCCC-a0", [PASS, PASS, FAIL], parent, told=effort(33))
    source.branch("tidy__FFFFFFF__mr-r3-p0-hCCCCCCC-a1", [PASS, PASS, FAIL], parent, told=effort(33))


def row(number: int, outcome: object) -> Json:
    """Return an entry of the list of rounds, from `pass`, `fail`, a status without a verdict, or the entry itself."""
    if isinstance(outcome, dict):
        return outcome
    rewards = {PASS: 1.0, FAIL: 0.0}
    kinds = {"change_type": "extension", "change_types": ["extension"]}
    status = "completed" if outcome in rewards else outcome
    return {"round": number, **kinds, "reward": rewards.get(str(outcome)), "status": status}


def verifier_files(entry: Json) -> dict[str, str]:
    """Return the verifier's files of a round with a verdict: four cases, one of which fails if the round fails."""
    if not isinstance(entry.get("reward"), int | float):
        return {}
    start, passed = f"verifier/round_{entry['round']}", 4 if entry["reward"] == 1 else 3
    return {
        f"{start}_reward.txt": f"{entry['reward']:g}\n",
        f"{start}_test-exit-code.txt": "0",
        f"{start}_test-stdout.txt": summary(passed, 4),
    }


def summary(passed: int, total: int) -> str:
    """Return the summary line of a round's cases."""
    return f"CASE_SUMMARY total_cases={total} success_count={passed} fail_count={total - passed}\n"


def settings(name: str, folder: str, verifier: Mapping[str, object]) -> Json:
    """Return the settings of a run."""
    return {
        "task": {"path": f"{HOST}/tasks/{folder.partition('/')[0]}"},
        "trial_name": name,
        "trials_dir": f"{HOST}/{folder}",
        "agent": {"name": "terminus-2", "model_name": "openai/gpt-0", "kwargs": {"api_key": "sk-0123456789abcdefghij"}},
        "verifier": {"disable": False, **verifier},
    }


def result_of(name: str, folder: str, verifier: Mapping[str, object]) -> Json:
    """Return the result of a run."""
    return {
        "task_name": folder.partition("/")[0],
        "trial_name": name,
        "trial_uri": f"file://{HOST}/{folder}/{name}",
        "config": settings(name, folder, verifier),
        "agent_info": {"name": "terminus-2", "version": "2.0.0", "model_info": {"name": "gpt-0", "provider": "openai"}},
        "agent_result": {
            "n_input_tokens": 5000,
            "n_output_tokens": 500,
            "cost_usd": None,
            "metadata": {"n_episodes": 9},
        },
        "exception_info": None,
        "started_at": "2026-04-20T10:00:00",
        "finished_at": "2026-04-20T11:00:00",
    }


def began(time: str) -> Json:
    """Return the start of a run, for `result.json`."""
    return {"started_at": time}


def died(exception: str) -> Json:
    """Return the exception that ended a run, for `result.json`."""
    return {"exception_info": {"exception_type": exception, "exception_traceback": f'File "{HOST}/agent.py"'}}


def effort(episodes: int, tokens: int = 500) -> Json:
    """Return the effort of a run, for `result.json`."""
    return {"agent_result": {"n_output_tokens": tokens, "metadata": {"n_episodes": episodes}}}


def trajectory(rounds: Sequence[int]) -> Json:
    """Return a transcript with one reply and two tool calls per round."""
    prompt = "Do not show this prompt"
    steps: list[Json] = []
    for number in rounds:
        steps.append({"step_id": len(steps) + 1, "source": "user", "message": prompt, "extra": {"round": number}})
        call = {"function_name": "bash_command", "arguments": {"keystrokes": "ls\n"}}
        calls = [{"tool_call_id": name, **call} for name in "cd"]
        reply = {"step_id": len(steps) + 1, "source": "agent", "message": "ok", "tool_calls": calls}
        steps.append({**reply, "extra": {"round": number}})
    return {"schema_version": "ATIF-v1.6", "agent": {"name": "terminus-2", "version": "2.0.0"}, "steps": steps}


def imported(source: Source, options: ImportOptions = OPTIONS, tasks: Path | None = None) -> Incoming:
    """Import a valid source."""
    return read_harbor_multiturn(source.root, options, tasks)


def draft_of(source: Source, options: ImportOptions = OPTIONS) -> Draft:
    """Import a valid source of one agent."""
    (draft,) = imported(source, options).drafts
    return draft


def refused(source: Source, options: ImportOptions = OPTIONS) -> list[Problem]:
    """Import an invalid source, and return the errors."""
    with pytest.raises(ProblemsError) as raised:
        imported(source, options)
    return [problem for problem in raised.value.problems if problem.is_error]


def codes(incoming: Incoming) -> list[str]:
    """Return the codes of an import's warnings."""
    return [problem.code for problem in incoming.problems]


def told(rounds: Sequence[RoundResult], start: str = "own") -> list[str]:
    """Return runs as lines, with `#` for a round that passed, `.` for one that failed, and a letter for a state.

    `a` is aborted, `n` no cases, `u` unreached.
    """
    marks = {"aborted": "a", "no_cases": "n", "unreached": "u"}
    lines: dict[tuple[str, int], str] = {}
    for round_result in rounds:
        if round_result.start == start:
            mark = marks.get(round_result.state) or ("#" if round_result.solved else ".")
            lines[round_result.task, round_result.attempt] = (
                lines.get((round_result.task, round_result.attempt), "") + mark
            )
    return list(lines.values())
