"""Write small runs with Terminal-Bench's own harness, for tests/samples/terminal_bench.

Usage: python tools/write_terminal_bench_runs.py FOLDER

Requires Python 3.12 with `terminal-bench` 0.2.18, but not Docker: a list determines the outcome of each task, and the
harness writes everything with `Harness.run`, its models and its lock. The models and agents named here do not exist.
"""

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

TEST_COUNTS = {"find-word": 2, "find-word.hard": 3, "fix-clock": 1}
"""The number of tests in each task."""

PASS, FAIL, TIMEOUT_PASS, TIMEOUT_FAIL = "pass", "fail", "timeout-pass", "timeout-fail"
NO_PARSE, TEST_TIMEOUT, CRASH, STOP, EMPTY = "no-parse", "test-timeout", "crash", "stop", "empty"

TASK_FILE = """\
instruction: Do the task.
difficulty: easy
parser_name: pytest
"""
FIRST_START = datetime(2026, 7, 1, 9, 0, tzinfo=UTC)
COMMIT = "1f3a9c4e5b6d7f8091a2b3c4d5e6f708192a3b4c"
DATASET = {"name": "sample-core", "version": "0.1.1"}
MODEL = {"model_name": "acme/sample-1"}

AGENTS = {"SampleAgent": "sample-agent", "NamedAgent": "Sample Worker", "OracleAgent": "oracle"}
"""The agent names stated by runs, by the agent's class; the second agent has its own model."""

Outcomes = Mapping[str, Sequence[str]]
"""The outcome of each attempt, by task."""


class StoppedError(BaseException):
    """Ends a run like Ctrl-C."""


@dataclass(frozen=True)
class SampleRun:
    """A run to write.

    Attributes:
        folder: Its folder; the number at the end of the folder's name is the day on which the run began.
        outcomes: The outcome of each attempt, by task.
        tokens: Input and output tokens that the agent reports.
    """

    folder: Path
    outcomes: Outcomes
    tokens: tuple[int, int] = (1200, 300)

    @property
    def start(self) -> datetime:
        """The time at which the run began."""
        return FIRST_START + timedelta(days=int(self.folder.name[-1]))

    def moment(self, seconds: float) -> str:
        """Return a time after the start of the run, in seconds."""
        return (self.start + timedelta(seconds=seconds)).isoformat()

    def trial(self, harness: Any, trial_handler: Any) -> Any:  # noqa: ANN401 - the harness's own types
        """Return the results of a trial, like `Harness._run_trial` after the trial's container has ended."""
        models = import_module("terminal_bench.harness.models")
        modes = import_module("terminal_bench.agents.failure_mode").FailureMode
        task = trial_handler.task_id
        numbers = trial_handler.trial_name.removeprefix(f"{task}.")
        attempt = int(numbers.partition("-of-")[0])
        outcome = self.outcomes[task][attempt - 1]
        results = models.TrialResults(
            trial_name=trial_handler.trial_name,
            task_id=task,
            instruction=trial_handler.instruction,
            trial_started_at=self.moment(0),
            agent_started_at=self.moment(5),
        )
        if outcome == CRASH:
            raise RuntimeError("the container did not start")
        if outcome == STOP:
            raise StoppedError
        results.agent_ended_at = self.moment(65 + attempt)
        if outcome in {TIMEOUT_PASS, TIMEOUT_FAIL}:
            results.failure_mode = modes.AGENT_TIMEOUT
        else:
            results.total_input_tokens, results.total_output_tokens = self.tokens
        results.test_started_at = self.moment(70)
        results.test_ended_at = self.moment(80)
        results.trial_ended_at = self.moment(81)
        if outcome == NO_PARSE:
            results.failure_mode = modes.PARSE_ERROR
            return results
        if outcome == TEST_TIMEOUT:
            results.failure_mode = modes.TEST_TIMEOUT
            return results
        results.parser_results = _tests(task, outcome)
        results.is_resolved = harness._is_resolved(results.parser_results)  # noqa: SLF001 - its own rule
        return results


def _tests(task: str, outcome: str) -> dict[str, Any]:
    """Return the outcomes of a task's tests."""
    status = import_module("terminal_bench.parsers.base_parser").UnitTestStatus
    if outcome == EMPTY:
        return {}
    names = [f"test_{number}" for number in range(1, TEST_COUNTS[task] + 1)]
    tests = dict.fromkeys(names, status.PASSED)
    if outcome in {FAIL, TIMEOUT_FAIL}:
        tests[names[-1]] = status.FAILED
    return tests


def _make_agents() -> None:
    """Create the agents' classes, which are never started, in the module from which the harness imports them."""
    base = import_module("terminal_bench.agents.base_agent").BaseAgent
    for class_name, name in AGENTS.items():
        members = {"name": staticmethod(partial(str, name))}
        globals()[class_name] = type(class_name, (base,), members)


def write_run(
    tasks: Path,
    sample: SampleRun,
    agent: str = "SampleAgent",
    **options: Any,  # noqa: ANN401 - those of `Harness`
) -> None:
    """Run all tasks; a run whose folder already exists is resumed."""
    harness = import_module("terminal_bench.harness").Harness(
        output_path=sample.folder.parent,
        run_id=sample.folder.name,
        agent_import_path=f"{__name__}:{agent}",
        dataset_path=tasks,
        n_attempts=max(map(len, sample.outcomes.values())),
        n_concurrent_trials=1,
        **options,
    )
    patches = {
        "_run_trial": partial(sample.trial, harness),
        "_get_git_commit_hash": lambda: COMMIT,
        "_get_user": lambda: "unknown",
    }
    vars(harness).update(patches)
    with suppress(StoppedError):
        harness.run()


def _remove_local_facts(sample: SampleRun) -> None:
    """Replace the local dataset with a published one, and local times and folders with fixed ones."""
    path = sample.folder / "run_metadata.json"
    metadata = json.loads(path.read_text(encoding="utf-8"))
    metadata |= {"dataset_path": None, "output_path": "runs", "start_time": sample.moment(0)}
    metadata |= {f"dataset_{key}": value for key, value in DATASET.items()}
    metadata["task_ids"] = sorted(metadata["task_ids"])
    if metadata["end_time"]:
        metadata["end_time"] = sample.moment(600)
    path.write_text(json.dumps(metadata, indent=4), encoding="utf-8")

    path = sample.folder / "tb.lock"
    lock = json.loads(path.read_text(encoding="utf-8"))
    lock["created_at"] = sample.moment(0)
    lock["invocation"] = {"command": "tb", "args": ["run"]}
    lock["agent"]["import_path"] = "sample_agents:SampleAgent"
    lock["dataset"] |= {**DATASET, "local_path": None, "task_ids": metadata["task_ids"]}
    lock["local_config"]["output_path"] = "runs"
    path.write_text(json.dumps(lock, indent=4), encoding="utf-8")
    (sample.folder / "run.log").unlink(missing_ok=True)


def _all(*outcomes: str) -> Outcomes:
    """Return the outcomes of the only attempt at each task."""
    return {task: [outcome] for task, outcome in zip(TEST_COUNTS, outcomes, strict=True)}


def write(folder: Path, tasks: Path) -> None:
    """Write every sample to a folder, after writing the tasks."""
    _make_agents()
    for task in TEST_COUNTS:
        (tasks / task).mkdir(parents=True)
        (tasks / task / "task.yaml").write_text(TASK_FILE, encoding="utf-8")

    def one(name: str, outcomes: Outcomes, number: int = 0, **options: Any) -> None:  # noqa: ANN401 - as above
        tokens = options.pop("tokens", (1200, 300))
        sample = SampleRun(folder / name / f"run-{number}", outcomes, tokens)
        write_run(tasks, sample, **(MODEL | options))
        _remove_local_facts(sample)

    usual = _all(PASS, FAIL, PASS)
    one("one-run", _all(PASS, TIMEOUT_FAIL, NO_PARSE))
    one("three-runs", usual)
    one("three-runs", _all(PASS, TIMEOUT_PASS, FAIL), 1)
    one("three-runs", _all(FAIL, FAIL, PASS), 2)
    five = {
        "find-word": [PASS, PASS, FAIL, PASS, PASS],
        "find-word.hard": [FAIL, CRASH, FAIL, PASS, TEST_TIMEOUT],
        "fix-clock": [TIMEOUT_PASS, FAIL, FAIL, FAIL, FAIL],
    }
    one("five-attempts", five, agent="NamedAgent", model_name=None)
    one("interrupted", _all(PASS, FAIL, STOP))
    write_run(tasks, SampleRun(folder / "resumed" / "run-0", _all(PASS, FAIL, STOP)), **MODEL)
    one("resumed", usual)
    one("rerun-fills", _all(PASS, CRASH, FAIL))
    one("rerun-fills", usual, 1, task_ids=["find-word.hard"])
    one("part", usual, exclude_task_ids=["fix*"])
    one("no-tests", _all(EMPTY, FAIL, PASS))
    one("no-verdicts", _all(CRASH, NO_PARSE, TEST_TIMEOUT))
    one("no-tokens", usual, tokens=(0, 0))
    for number, name in enumerate(("acme/sample-1", "acme/sample-2")):
        one("two-models", usual, number, model_name=name)
    for number, effort in enumerate(("low", "high")):
        one("two-efforts", usual, number, agent_kwargs={"reasoning_effort": effort})
    for number, name in enumerate(("acme/sample-1-20260501", "acme/sample-1-0")):
        one("two-spellings", usual, number, model_name=name)
    one("limits", usual, global_timeout_multiplier=2.0)
    one("oracle", usual, agent="OracleAgent", model_name="Oracle")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        write(Path(sys.argv[1]), Path(scratch) / "tasks")
