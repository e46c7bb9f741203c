"""What single files of a run hold, over all 0.x versions of `tb`: trials, lists, metadata, locks.

The runner adds keys from version to version, and people edit these files. A value that is not of
its type counts as absent. Instructions, recordings and names of users are not read.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Literal

import jiter

from sitegen.importers.kit.redaction import redacted
from sitegen.importers.kit.told import moment
from sitegen.models.record import LIMIT
from sitegen.problems import ProblemsError
from sitegen.reading.files import FILE_TOO_LARGE, LARGEST_LOG, opened

Record = Mapping[str, object]

Fault = Literal["cut off", "broken", "too large"]
"""Why a file can't be read: it ends too early, or it is not the JSON object that it should be."""

TRIAL_FOLDER = re.compile(r".+\.\d+-of-\d+(?:\..+)?")
"""What the folder of a trial is called: TASK.N-of-M.RUN, in older versions TASK.N-of-M."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_ATTEMPT = re.compile(r"(?P<number>\d{1,5})-of-(?P<total>\d{1,5})(?:\.(?P<run>.+))?")


@dataclass(frozen=True, slots=True)
class Trial:
    """One attempt of an agent at a task, as the runner recorded it."""

    path: Path
    """The file that tells of it: its own, or the list of its run."""
    task: str
    name: str
    """The name that the runner gave it; empty where it is not stated."""
    id: str
    """Empty where the file states none."""
    is_resolved: bool | None
    """The verdict; None where the trial came to none."""
    failure: str
    """How it failed, in plain words; empty where the runner noted nothing."""
    tests: Sequence[tuple[str, str]]
    """The name of each test and how it ended; empty where the record has none."""
    input_tokens: float | None = None
    output_tokens: float | None = None
    started: datetime | None = None
    agent_seconds: float | None = None
    test_seconds: float | None = None
    fault: Fault | None = None
    """Why its own file can't be read; None where it can."""

    @property
    def number(self) -> int | None:
        """Return the number of the attempt that its name states."""
        match = self._attempt()
        return int(match["number"]) if match and int(match["number"]) else None

    @property
    def total(self) -> int:
        """Return how many attempts at its task there are in the run, as its name states; else 1."""
        match = self._attempt()
        return int(match["total"]) if match else 1

    @property
    def run_id(self) -> str:
        """Return the run that its name states; empty where it states none."""
        match = self._attempt()
        return (match["run"] or "") if match else ""

    def _attempt(self) -> re.Match[str] | None:
        return _ATTEMPT.fullmatch(self.name.removeprefix(f"{self.task}."))


@dataclass(frozen=True, slots=True)
class Summary:
    """What a run's own list says of the run as a whole."""

    path: Path
    accuracy: float | None
    """The share of listed trials that were resolved."""
    resolved: int | None
    """How many of them were."""


@dataclass(frozen=True, slots=True)
class Metadata:
    """What `run_metadata.json` says of a run."""

    path: Path
    run_id: str
    uuid: str
    agent: str
    model: str
    dataset: str
    """Its name and version; empty for a folder of tasks."""
    task_names: Sequence[str]
    attempts: int | None
    has_all_tasks: bool
    """Whether neither a number of tasks nor tasks to leave out were given."""
    commit: str | None
    accuracy: float | None
    started: datetime | None
    ended: datetime | None


@dataclass(frozen=True, slots=True)
class Lock:
    """What `tb.lock` says of how a run was started."""

    path: Path
    version: str | None
    """Of the runner."""
    agent: str
    model: str
    reasoning: str
    scaffold_version: str
    dataset: str
    task_names: Sequence[str]
    has_all_tasks: bool
    limits: Mapping[str, str]
    """Limits that took the place of the tasks' own, by name."""


def read_object(path: Path) -> Record | Fault:
    """Return the JSON object that a file holds, or why there is none."""
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


def is_list(record: Record) -> bool:
    """Return whether a record lists the trials of a run."""
    return isinstance(record.get("results"), list)


def is_trial(record: Record) -> bool:
    """Return whether a record is a single trial."""
    marks = {"is_resolved", "trial_name", "parser_results"}
    return "task_id" in record and not marks.isdisjoint(record)


def trial_of(record: Record, path: Path, task: str = "", name: str = "") -> Trial:
    """Return a trial.

    Args:
        record: What the file holds of it.
        path: The file.
        task: The task, where the record names none.
        name: The trial's name, where the record states none.
    """
    verdict = record.get("is_resolved")
    identity = text_of(record.get("id")) or text_of(record.get("uuid"))
    started = _time(record.get("trial_started_at")) or _time(record.get("agent_started_at"))
    trial = Trial(
        path=path,
        task=text_of(record.get("task_id")) or task,
        name=text_of(record.get("trial_name")) or name,
        id=identity,
        is_resolved=verdict if isinstance(verdict, bool) else None,
        failure=_failure(record.get("failure_mode")),
        tests=_tests(_inner(record, "parser_results")),
    )
    return replace(
        trial,
        input_tokens=_amount(record.get("total_input_tokens")),
        output_tokens=_amount(record.get("total_output_tokens")),
        started=started,
        agent_seconds=_seconds(record, "agent"),
        test_seconds=_seconds(record, "test"),
    )


def unreadable_trial(path: Path, fault: Fault) -> Trial:
    """Return a trial of which only the names of its folders are known."""
    task, name = path.parent.parent.name, path.parent.name
    return Trial(path, task, name, "", None, f"its file is {fault}", (), fault=fault)


def trials_of(record: Record, path: Path) -> list[Trial]:
    """Return the trials that a run's list names, in its order; what names no task is left out."""
    results = record.get("results")
    items = results if isinstance(results, list) else []
    records = [item for item in items if isinstance(item, dict) and text_of(item.get("task_id"))]
    return [trial_of(item, path) for item in records]


def summary_of(record: Record, path: Path) -> Summary:
    """Return what a run's list says of the run as a whole."""
    resolved = _amount(record.get("n_resolved"))
    accuracy = _amount(record.get("accuracy"))
    return Summary(path, accuracy, None if resolved is None else int(resolved))


def metadata_of(record: Record, path: Path) -> Metadata:
    """Return what a run's metadata say."""
    attempts = _amount(record.get("n_attempts"))
    commit = text_of(record.get("commit_hash"))
    return Metadata(
        path=path,
        run_id=text_of(record.get("run_id")),
        uuid=text_of(record.get("uuid")),
        agent=text_of(record.get("agent_name")),
        model=text_of(record.get("model_name")),
        dataset=_dataset(record.get("dataset_name"), record.get("dataset_version")),
        task_names=_texts(record.get("task_ids")),
        attempts=int(attempts) if attempts else None,
        has_all_tasks=not record.get("exclude_task_ids") and not record.get("n_tasks"),
        commit=None if commit in {"", "unknown"} else commit,
        accuracy=_amount(record.get("accuracy")),
        started=_time(record.get("start_time")),
        ended=_time(record.get("end_time")),
    )


def lock_of(record: Record, path: Path) -> Lock:
    """Return what a run's lock says."""
    agent = _inner(record, "agent")
    options = _inner(agent, "extra_kwargs")
    config = _inner(record, "run_config")
    dataset = _inner(record, "dataset")
    arguments = _texts(_inner(record, "invocation").get("args"))
    limits = {}
    for key in ("global_timeout_multiplier", "global_agent_timeout_sec", "global_test_timeout_sec"):
        limit = _amount(config.get(key))
        if limit is not None and (key, limit) != ("global_timeout_multiplier", 1):
            limits[key] = f"{limit:g}"
    return Lock(
        path=path,
        version=text_of(_inner(record, "harness").get("version")) or None,
        agent=text_of(agent.get("name")),
        model=text_of(agent.get("model_name")) or text_of(options.get("model_name")),
        reasoning=text_of(options.get("reasoning_effort")),
        scaffold_version=text_of(options.get("version")),
        dataset=_dataset(dataset.get("name"), dataset.get("version")),
        task_names=_texts(dataset.get("task_ids")),
        has_all_tasks=not any(_picks_tasks(argument) for argument in arguments),
        limits=limits,
    )


def text_of(value: object) -> str:
    """Return a text without the space around it; empty where the value is none."""
    return value.strip() if isinstance(value, str) else ""


_PICKING = ("--task-id", "--n-tasks", "--exclude-task-id")


def _picks_tasks(argument: str) -> bool:
    """Return whether an argument of the command picks some of the tasks."""
    return argument in {"-t", "-e"} or argument.partition("=")[0] in _PICKING


def _inner(record: Record, key: str) -> Record:
    value = record.get(key)
    return value if isinstance(value, dict) else {}


def _texts(value: object) -> list[str]:
    values = value if isinstance(value, list) else []
    return [text_of(item) for item in values if text_of(item)]


def _dataset(name: object, version: object) -> str:
    return " ".join(filter(None, (text_of(name), text_of(version))))


def _failure(value: object) -> str:
    words = text_of(value).replace("_", " ")
    return "" if words in {"unset", "none"} else words


def _tests(tests: Record) -> list[tuple[str, str]]:
    """Return tests and how they ended, by name: the runner lists passed tests first."""
    return [(redacted(name), text_of(tests[name]).lower()) for name in sorted(tests)]


def _amount(value: object) -> float | None:
    """Return a number of at least 0."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if 0 <= value <= LIMIT else None


def _time(value: object) -> datetime | None:
    return moment(text_of(value))


def _seconds(record: Record, part: str) -> float | None:
    """Return how long a part of a trial took, to the millisecond.

    None where a time is missing, or the clock ran backwards.
    """
    start = _time(record.get(f"{part}_started_at"))
    end = _time(record.get(f"{part}_ended_at"))
    if start is None or end is None or end < start:
        return None
    return round((end - start).total_seconds(), 3)
