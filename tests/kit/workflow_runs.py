"""A runner for the steps of our GitHub workflows on this machine, in order.

It supports only the workflow syntax that our workflows use, and fails on anything else. Actions are replaced by
stand-ins; `run:` steps run unchanged, in an environment that contains only what GitHub provides, and without network
access unless requested.
"""

import os
import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import yaml

WORKFLOWS = Path(__file__).parents[2] / ".github" / "workflows"

Json: TypeAlias = Any
StandIn: TypeAlias = Callable[[Mapping[str, Any]], None]
"""A replacement for an action, called with the step's `with` values."""

_EXPRESSION = re.compile(r"\$\{\{ ([\w.]+) \}\}")
_COMPARISON = re.compile(r"([\w.]+) (==|!=) '(\w+)'")
_SHELLS = {None: ["bash", "-e"], "bash": ["bash", "--noprofile", "--norc", "-eo", "pipefail"]}
"""The commands with which GitHub runs a step, without a named shell and with `bash`."""


def workflow(name: str) -> Json:
    """Return a workflow; the YAML parser reads the key `on` as true."""
    return yaml.safe_load((WORKFLOWS / f"{name}.yml").read_text(encoding="utf-8"))


@cache
def without_network() -> tuple[str, ...] | None:
    """Return the command prefix that disables network access; None if this machine can't disable it."""
    for prefix in (("unshare", "--net"), ("unshare", "--map-root-user", "--net")):
        try:
            subprocess.run([*prefix, "true"], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            continue
        return prefix
    return None


@dataclass(frozen=True)
class Step:
    """The outcome of a step.

    Attributes:
        name: The step's name.
        outcome: `success`, `failure` or `skipped`, regardless of the step's effect on the job.
        said: The step's output, including errors.
    """

    name: str
    outcome: str
    said: str = ""


@dataclass
class Runner:
    """A fresh GitHub runner machine without secrets.

    Attributes:
        folder: An empty folder for everything.
        context: Values that expressions may use in addition to `steps`, by dotted name.
        actions: Stand-ins by the action's name, without its version.
        instead: Replacements for `run:` steps, by the step's name.
        environment: Variables that this run adds to GitHub's own.
        online: Whether `run:` steps have network access.
    """

    folder: Path
    context: dict[str, str]
    actions: Mapping[str, StandIn]
    instead: Mapping[str, Callable[[], None]] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    online: bool = False

    @property
    def workspace(self) -> Path:
        """The job's working directory."""
        return self.folder / "workspace"

    @property
    def summary(self) -> str:
        """The text that the steps wrote for the run's summary page."""
        return (self.folder / "summary").read_text(encoding="utf-8")

    def run(self, job: Json) -> tuple[str, dict[str, Step]]:
        """Run a job; return its outcome and its steps by name."""
        if not self._holds(job.get("if")):
            return "skipped", {}
        self.workspace.mkdir(parents=True)
        (self.folder / "home").mkdir()
        for name in ("summary", "output"):
            (self.folder / name).touch()
        shell = job.get("defaults", {}).get("run", {}).get("shell")
        ended, steps = "success", {}
        for job_step in job["steps"]:
            step = self._step(job_step, shell) if ended == "success" else Step(job_step["name"], "skipped")
            steps[step.name] = step
            self.context[f"steps.{job_step.get('id')}.outcome"] = step.outcome
            if step.outcome == "failure" and not job_step.get("continue-on-error"):
                ended = "failure"
        return ended, steps

    def _step(self, step: Json, shell: str | None) -> Step:
        name = step["name"]
        if not self._holds(step.get("if")):
            return Step(name, "skipped")
        if "uses" in step:
            self.actions[step["uses"].partition("@")[0]](step.get("with", {}))
            return Step(name, "success")
        if name in self.instead:
            self.instead[name]()
            return Step(name, "success")
        ran = self._ran(step, _SHELLS[step.get("shell", shell)])
        return Step(name, "failure" if ran.returncode else "success", ran.stdout)

    def _ran(self, step: Json, shell: Sequence[str]) -> subprocess.CompletedProcess[str]:
        step_environment = {
            key: _EXPRESSION.sub(lambda match: self.context[match[1]], value)
            for key, value in step.get("env", {}).items()
        }
        assert "${{" not in step["run"], "a script takes values from its environment alone"
        return subprocess.run(
            [*(() if self.online else without_network() or ()), *shell, "-c", step["run"]],
            cwd=self.workspace / step.get("working-directory", "."),
            env=self._environment() | step_environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    def _environment(self) -> dict[str, str]:
        tuned = {key: value for key, value in os.environ.items() if key == "PATH" or key.startswith("OPENBLAS")}
        return {
            **tuned,
            "CI": "true",
            "LANG": "C.UTF-8",
            "HOME": str(self.folder / "home"),
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": str(self.workspace),
            "GITHUB_OUTPUT": str(self.folder / "output"),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary"),
            **self.environment,
        }

    def _holds(self, condition: str | None) -> bool:
        """Return whether comparisons joined by `&&` are true; a missing condition is true."""
        if condition is None:
            return True
        comparisons = [_COMPARISON.fullmatch(comparison_text) for comparison_text in condition.split(" && ")]
        assert all(comparisons), f"the runner of the tests does not understand `{condition}`"
        return all(
            (self.context[comparison[1]] == comparison[3]) == (comparison[2] == "==")
            for comparison in comparisons
            if comparison
        )
