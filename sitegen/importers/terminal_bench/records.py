"""Read individual files of a run, for all 0.x versions of `tb`: trials, lists, metadata and locks.

New versions of the runner add keys, and people edit these files. A value of the wrong type counts
as absent. Instructions, recordings and user names are not read.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal

import jiter

from sitegen.importers.kit.redaction import redact_text
from sitegen.importers.kit.times import parse_timestamp
from sitegen.models.record import LIMIT
from sitegen.problems import ProblemsError
from sitegen.reading.files import FILE_TOO_LARGE, LARGEST_LOG, opened

JsonObject = Mapping[str, object]

Fault = Literal["cut off", "broken", "too large"]
"""Why a file can't be read: it is truncated, not a JSON object as expected, or too large."""

TRIAL_FOLDER = re.compile(r".+\.\d+-of-\d+(?:\..+)?")
"""Names of trial folders: TASK.N-of-M.RUN; in older versions TASK.N-of-M."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_ATTEMPT = re.compile(r"(?P<number>\d{1,5})-of-(?P<total>\d{1,5})(?:\.(?P<run>.+))?")
_TRIAL_KEYS = frozenset({"is_resolved", "trial_name", "parser_results"})

_LIMITS = ("global_timeout_multiplier", "global_agent_timeout_sec", "global_test_timeout_sec")
_TASK_OPTIONS = frozenset({"-t", "-e", "--task-id", "--n-tasks", "--exclude-task-id"})
"""Options of the command that select tasks."""


@dataclass(frozen=True, slots=True)
class BenchTrial:
    """One attempt of an agent at a task, as recorded by the runner."""

    path: Path
    """The file from which the trial was read: its own file, or the list of its run."""
    task: str
    name: str
    """The runner's name for the trial; empty if it is not stated."""
    id: str = ""
    is_resolved: bool | None = None
    """The verdict; None if there is none."""
    failure: str = ""
    """How the trial failed, in plain words; empty if the runner recorded no failure."""
    tests: Sequence[tuple[str, str]] = ()
    """The name and the status of each test; empty if the record has none."""
    input_tokens: float | None = None
    output_tokens: float | None = None
    started: datetime | None = None
    agent_seconds: float | None = None
    test_seconds: float | None = None
    fault: Fault | None = None
    """Why the trial's own file can't be read; None if there is no such fault."""

    @property
    def number(self) -> int | None:
        """The number of the attempt in the trial's name; None if there is none."""
        return int(self._find_in_name("number") or 0) or None

    @property
    def total(self) -> int:
        """The number of attempts at the task in the run, from the trial's name; 1 if not stated."""
        return int(self._find_in_name("total") or 1)

    @property
    def run_id(self) -> str:
        """The id of the run in the trial's name; empty if there is none."""
        return self._find_in_name("run")

    def _find_in_name(self, group: str) -> str:
        """Return a group of the regular expression for the trial's name; empty if it is missing."""
        match = _ATTEMPT.fullmatch(self.name.removeprefix(f"{self.task}."))
        return (match[group] or "") if match else ""


@dataclass(frozen=True, slots=True)
class ListSummary:
    """The totals in a run's own list of trials."""

    path: Path
    accuracy: float | None
    """The share of listed trials that were resolved."""
    resolved: int | None
    """The number of listed trials that were resolved."""


@dataclass(frozen=True, slots=True)
class Metadata:
    """The contents of `run_metadata.json`; blank if a run has no such file."""

    path: Path | None = None
    run_id: str = ""
    uuid: str = ""
    agent: str = ""
    model: str = ""
    dataset: str = ""
    """The dataset's name and version; empty for a folder of tasks."""
    task_names: Sequence[str] = ()
    attempts: int | None = None
    has_all_tasks: bool = True
    """Whether the run had no limit on the number of tasks and excluded no task."""
    commit: str | None = None
    accuracy: float | None = None
    started: datetime | None = None
    ended: datetime | None = None


@dataclass(frozen=True, slots=True)
class Lock:
    """The contents of `tb.lock`, which records how a run was started; blank without the file."""

    path: Path | None = None
    version: str | None = None
    """The version of the runner."""
    agent: str = ""
    model: str = ""
    reasoning: str = ""
    scaffold_version: str = ""
    dataset: str = ""
    task_names: Sequence[str] = ()
    has_all_tasks: bool = True
    limits: Mapping[str, str] = field(default_factory=dict)
    """Limits that replaced the tasks' own, by name."""


@dataclass(frozen=True, slots=True)
class Fields:
    """Reads the values of a JSON object by type; a value of the wrong type counts as absent."""

    values: JsonObject

    def text(self, key: str) -> str:
        """Return a text without surrounding whitespace; empty if there is none."""
        return _parse_text(self.values.get(key))

    def texts(self, key: str) -> list[str]:
        """Return the non-empty texts in a list."""
        texts = map(_parse_text, self.items(key))
        return list(filter(None, texts))

    def items(self, key: str) -> list[object]:
        """Return the items of a list; empty if there is no list."""
        value = self.values.get(key)
        return value if isinstance(value, list) else []

    def amount(self, key: str) -> float | None:
        """Return a number from 0 to `LIMIT`; None for other values."""
        value = self.values.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        return value if 0 <= value <= LIMIT else None

    def flag(self, key: str) -> bool | None:
        """Return a Boolean; None for other values."""
        value = self.values.get(key)
        return value if isinstance(value, bool) else None

    def time(self, key: str) -> datetime | None:
        """Return a time in ISO 8601; None for other values."""
        return parse_timestamp(self.text(key))

    def fields(self, key: str) -> "Fields":
        """Return the fields of a nested object; empty if there is none."""
        value = self.values.get(key)
        return Fields(value if isinstance(value, dict) else {})

    def seconds(self, phase: str) -> float | None:
        """Return the duration of a phase of a trial, rounded to milliseconds.

        The result is None if a time is missing, or the clock ran backwards.
        """
        start = self.time(f"{phase}_started_at")
        end = self.time(f"{phase}_ended_at")
        if start is None or end is None or end < start:
            return None
        return round((end - start).total_seconds(), 3)

    def dataset(self, name_key: str, version_key: str) -> str:
        """Return a dataset's name and version; empty if neither is stated."""
        return f"{self.text(name_key)} {self.text(version_key)}".strip()


def _parse_text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def read_object(path: Path) -> JsonObject | Fault:
    """Return the JSON object in a file, or why it can't be read."""
    try:
        with opened(path, largest=LARGEST_LOG) as file:
            data = file.read().removeprefix(_BYTE_ORDER_MARK)
    except ProblemsError as error:
        return "too large" if error.problems[0].code == FILE_TOO_LARGE.code else "broken"
    try:
        value = jiter.from_json(data)
    except ValueError as error:
        return "cut off" if str(error).startswith("EOF") else "broken"
    return value if isinstance(value, dict) else "broken"


def is_list(record: JsonObject) -> bool:
    """Return whether a record lists the trials of a run."""
    return isinstance(record.get("results"), list)


def is_trial(record: JsonObject) -> bool:
    """Return whether a record is a single trial."""
    return "task_id" in record and not _TRIAL_KEYS.isdisjoint(record)


def parse_trial(record: JsonObject, path: Path, task: str = "", name: str = "") -> BenchTrial:
    """Return the trial in a record.

    Args:
        record: The trial's record in the file.
        path: The file.
        task: The task, used if the record names none.
        name: The trial's name, used if the record states none.
    """
    fields = Fields(record)
    failure = fields.text("failure_mode").replace("_", " ")
    if failure in {"unset", "none"}:
        failure = ""
    return BenchTrial(
        path,
        fields.text("task_id") or task,
        fields.text("trial_name") or name,
        fields.text("id") or fields.text("uuid"),
        fields.flag("is_resolved"),
        failure,
        tests=_parse_tests(fields.fields("parser_results")),
        input_tokens=fields.amount("total_input_tokens"),
        output_tokens=fields.amount("total_output_tokens"),
        started=fields.time("trial_started_at") or fields.time("agent_started_at"),
        agent_seconds=fields.seconds("agent"),
        test_seconds=fields.seconds("test"),
    )


def _parse_tests(fields: Fields) -> list[tuple[str, str]]:
    """Return names and statuses of tests, sorted by name: the runner lists passed tests first."""
    return [(redact_text(name), fields.text(name).lower()) for name in sorted(fields.values)]


def unreadable_trial(path: Path, fault: Fault) -> BenchTrial:
    """Return a trial whose file can't be read, named after its folders."""
    folder = path.parent
    failure = f"its file is {fault}"
    return BenchTrial(path, folder.parent.name, folder.name, failure=failure, fault=fault)


def parse_trials(record: JsonObject, path: Path) -> list[BenchTrial]:
    """Return the trials in a run's list, in order; entries without a task are left out."""
    records = [item for item in Fields(record).items("results") if isinstance(item, dict)]
    return [parse_trial(item, path) for item in records if Fields(item).text("task_id")]


def parse_summary(record: JsonObject, path: Path) -> ListSummary:
    """Return the totals in a run's list."""
    fields = Fields(record)
    resolved = fields.amount("n_resolved")
    return ListSummary(path, fields.amount("accuracy"), None if resolved is None else int(resolved))


def parse_metadata(record: JsonObject, path: Path) -> Metadata:
    """Return the metadata of a run."""
    fields = Fields(record)
    attempts = fields.amount("n_attempts")
    commit = fields.text("commit_hash")
    if commit == "unknown":
        commit = ""
    is_limited = record.get("exclude_task_ids") or record.get("n_tasks")
    return Metadata(
        path,
        run_id=fields.text("run_id"),
        uuid=fields.text("uuid"),
        agent=fields.text("agent_name"),
        model=fields.text("model_name"),
        dataset=fields.dataset("dataset_name", "dataset_version"),
        task_names=fields.texts("task_ids"),
        attempts=int(attempts) if attempts else None,
        has_all_tasks=not is_limited,
        commit=commit or None,
        accuracy=fields.amount("accuracy"),
        started=fields.time("start_time"),
        ended=fields.time("end_time"),
    )


def parse_lock(record: JsonObject, path: Path) -> Lock:
    """Return the lock of a run."""
    fields = Fields(record)
    agent = fields.fields("agent")
    options = agent.fields("extra_kwargs")
    dataset = fields.fields("dataset")
    arguments = fields.fields("invocation").texts("args")
    long_options = [argument.partition("=")[0] for argument in arguments if argument[:2] == "--"]
    return Lock(
        path,
        version=fields.fields("harness").text("version") or None,
        agent=agent.text("name"),
        model=agent.text("model_name") or options.text("model_name"),
        reasoning=options.text("reasoning_effort"),
        scaffold_version=options.text("version"),
        dataset=dataset.dataset("name", "version"),
        task_names=dataset.texts("task_ids"),
        has_all_tasks=_TASK_OPTIONS.isdisjoint({*arguments, *long_options}),
        limits=_parse_limits(fields.fields("run_config")),
    )


def _parse_limits(config: Fields) -> dict[str, str]:
    """Return the limits that replaced the tasks' own; a multiplier of 1 replaces nothing."""
    limits = {}
    for name in _LIMITS:
        limit = config.amount(name)
        is_unchanged = name == "global_timeout_multiplier" and limit == 1
        if limit is not None and not is_unchanged:
            limits[name] = f"{limit:g}"
    return limits
