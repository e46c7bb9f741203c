"""Finds the harness's files in a folder, whatever version of it wrote them, and takes what results files state."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from datetime import date as Date  # noqa: N812 - as elsewhere
from pathlib import Path
from typing import Any, NamedTuple

from sitegen.importers.kit import rules
from sitegen.importers.kit.lines import read_table
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.told import number_of
from sitegen.importers.kit.tree import Folder, Tree, digest_of
from sitegen.models.record import LIMIT
from sitegen.problems import listed
from sitegen.reading.files import read_head

NEWEST = "0.4.13"
"""The newest version of the harness that this importer was checked with."""

_TIME = r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?"
_RESULTS = re.compile(rf"(?P<name>.+)_(?P<time>{_TIME})\.json")
_SAMPLES = re.compile(rf"samples_(?P<task>.+)_(?P<time>{_TIME})\.jsonl?")
_RESULTS_HEAD = re.compile(rb'\s*\{\s*"(?:results|config_general)"\s*:\s*\{')
"""How a results file begins whose name does not say that it is one."""

_NO_METRICS = frozenset({"alias", "name", "sample_len", "sample_count", "samples", " ", ""})
"""Keys of a task's results that are no metrics."""

_NAME_ARGUMENTS = ("peft", "delta", "pretrained", "model", "path", "engine")
"""Arguments of a model that hold its name, in the harness's own order."""

_MADE_UP = re.compile(r"[a-z0-9]{8}")
"""The name that the harness draws for a model whose arguments hold none."""


def table_of(value: object) -> Mapping[str, Any]:
    """Return a table of a file, empty where something else stands in its place."""
    return value if isinstance(value, dict) else {}


def text_of(value: object) -> str:
    """Return a text of a file, empty where something else stands in its place."""
    return value if isinstance(value, str) else ""


def arguments_of(value: object) -> dict[str, str]:
    """Return arguments by name, be they a table or a text such as "pretrained=acme/m1,dtype=float16"."""
    if isinstance(value, dict):
        return {
            str(name): str(argument) for name, argument in value.items() if argument is not None
        }
    pairs = re.findall(r"(\w+)=([^,]*)", text_of(value))
    return dict(pairs)


class Score(NamedTuple):
    """One of the figures that the harness states for a task."""

    metric: str
    filter: str
    """Name of the filter; "none" where there is none."""
    key: str
    """What the results have it under: "acc,none", or "acc" before version 0.4."""


@dataclass(frozen=True, slots=True)
class ResultsFile:
    """What a results file states. Nothing in it can be relied on: every method copes with what may be missing."""

    path: Path
    content: Mapping[str, Any]
    time: str
    """When it was written: of several the later sorts behind the earlier."""
    digest: str = ""
    """By which copies of the file are known."""

    @property
    def day(self) -> Date | None:
        """The day of the run."""
        try:
            return Date.fromisoformat(self.time[:10])
        except ValueError:
            return None

    @property
    def config(self) -> Mapping[str, Any]:
        """How the harness was called."""
        return table_of(self.content.get("config"))

    @property
    def model_arguments(self) -> dict[str, str]:
        """The arguments of the model's class."""
        return arguments_of(self.config.get("model_args"))

    @property
    def named_model(self) -> str:
        """The model as its arguments name it."""
        arguments = self.model_arguments
        named = [arguments[name] for name in _NAME_ARGUMENTS if arguments.get(name, "").strip()]
        return named[0] if named else ""

    @property
    def model(self) -> str:
        """The model's full name; empty where nothing tells it."""
        leaderboard = table_of(self.content.get("config_general"))
        stated = text_of(self.content.get("model_name")) or text_of(leaderboard.get("model_name"))
        folder = self.path.parent.name
        from_folder = folder.replace("__", "/", 1) if "__" in folder else ""
        return (
            stated.strip() or self.named_model or from_folder or text_of(self.config.get("model"))
        )

    @property
    def has_made_up_name(self) -> bool:
        """Whether the harness drew the model's name, as its arguments hold none."""
        name = text_of(self.content.get("model_name"))
        return (
            bool(_MADE_UP.fullmatch(name)) and not self.named_model and bool(self.model_arguments)
        )

    @property
    def version(self) -> str | None:
        """The harness's version, if it is stated."""
        return text_of(self.content.get("lm_eval_version")) or None

    @property
    def groups(self) -> dict[str, list[str]]:
        """The tasks and groups of each group."""
        groups: dict[str, list[str]] = {name: [] for name in table_of(self.content.get("groups"))}
        for name, members in table_of(self.content.get("group_subtasks")).items():
            if isinstance(members, list) and members:
                groups[name] = [member for member in members if isinstance(member, str)]
        return groups

    @property
    def tasks(self) -> list[str]:
        """The tasks that it has results of; not groups, which repeat them."""
        results = table_of(self.content.get("results"))
        configs = table_of(self.content.get("configs"))
        if configs:
            return [name for name in results if name in configs]
        groups = self.groups
        return [name for name in results if name not in groups and name != "all"]

    def tasks_of(self, name: str) -> set[str]:
        """Return the tasks of a group, those of its groups included; of a task itself."""
        tasks: set[str] = set()
        seen: set[str] = set()
        waiting = [name]
        groups = self.groups
        own_tasks = set(self.tasks)
        while waiting:
            member = waiting.pop()
            if member in seen:
                continue
            seen.add(member)
            if member in own_tasks:
                tasks.add(member)
            waiting.extend(groups.get(member, ()))
        return tasks

    def figures(self, task: str) -> Mapping[str, Any]:
        """Return the figures of a task."""
        return table_of(table_of(self.content.get("results")).get(task))

    def scores(self, task: str) -> list[Score]:
        """Return the scores of a task, in the order of the file."""
        scores = []
        for key, value in self.figures(task).items():
            metric, comma, name = key.partition(",")
            is_figure = bool(comma) or isinstance(value, int | float)
            if is_figure and metric not in _NO_METRICS and not metric.endswith("_stderr"):
                scores.append(Score(metric, name or "none", key))
        return scores

    def task_config(self, task: str) -> Mapping[str, Any]:
        """Return how a task is defined."""
        return table_of(table_of(self.content.get("configs")).get(task))

    def metric_config(self, task: str, metric: str) -> Mapping[str, Any]:
        """Return how a metric of a task is defined."""
        metrics = self.task_config(task).get("metric_list")
        for entry in metrics if isinstance(metrics, list) else ():
            if table_of(entry).get("metric") == metric:
                return table_of(entry)
        return {}

    def number(self, task: str, kind: str) -> int | None:
        """Return how many documents a task has ("original"), or was run on ("effective")."""
        value = table_of(table_of(self.content.get("n-samples")).get(task)).get(kind)
        return value if type(value) is int and 0 <= value <= LIMIT else None

    def conditions(self, task: str) -> tuple[str, str]:
        """Return a task's version and its number of examples in the prompt; empty where they are not stated."""
        version = table_of(self.content.get("versions")).get(task)
        shots = table_of(self.content.get("n-shot")).get(task, self.config.get("num_fewshot"))
        stated_version = "" if version is None else str(version)
        stated_shots = "" if shots is None else str(shots)
        return stated_version, stated_shots


@dataclass(frozen=True, slots=True)
class TaskRun:
    """A task in one file of results, with the file of its documents."""

    file: ResultsFile
    task: str
    samples: Path | None

    @property
    def path(self) -> Path:
        """The file of results."""
        return self.file.path

    @property
    def shown_conditions(self) -> str:
        """What scores of the task depend on beside the model, in words."""
        version, shots = self.file.conditions(self.task)
        return f"version {version or 'unknown'}, {shots or 'unknown'}-shot"


def find_results(tree: Tree, report: Report) -> list[TaskRun]:
    """Return the tasks of all results files of a source; files that belong to none are reported."""
    task_runs: list[TaskRun] = []
    left: list[Path] = []
    for folder in tree.walk():
        tree.pass_over_archives(folder)
        samples = _samples_by_time(folder)
        used: set[Path] = set()
        for path, time in _candidates(folder):
            file = _read_results(path, time, report)
            if file is None:
                continue
            for task in file.tasks:
                documents = samples[time].get(task) or _old_samples(folder, file, task)
                if documents:
                    used.add(documents)
                task_runs.append(TaskRun(file, task, documents))
        for paths in samples.values():
            left += [path for path in paths.values() if path not in used]
    if left:
        _report_left(left, task_runs, report)
    return task_runs


def is_results(folder: Folder, name: str) -> bool:
    """Return whether a file is one of results, after a short look."""
    match = _RESULTS.fullmatch(name)
    if match and match["name"] == "results":
        return True
    if not name.endswith(".json") or _SAMPLES.fullmatch(name):
        return False
    if not _RESULTS_HEAD.match(read_head(folder.path / name, 256) or b""):
        return False
    content, _ = read_table(folder.path / name)
    return content is not None and _has_results(content)


def _has_results(content: Mapping[str, Any]) -> bool:
    """Return whether a table is that of a results file."""
    has_tasks = any(
        isinstance(figures, dict) for figures in table_of(content.get("results")).values()
    )
    return has_tasks and ("configs" in content or "versions" in content)


def _candidates(folder: Folder) -> Iterator[tuple[Path, str]]:
    """Yield the files of a folder that may hold results, each with the time in its name."""
    for name in folder.files:
        match = _RESULTS.fullmatch(name)
        is_named = match is not None and not _SAMPLES.fullmatch(name)
        is_plain = match is not None and match["name"] == "results"
        if is_plain or (name.endswith(".json") and not _SAMPLES.fullmatch(name)):
            head = read_head(folder.path / name, 256) or b""
            if is_plain or _RESULTS_HEAD.match(head):
                yield folder.path / name, match["time"] if match and is_named else ""


def _read_results(path: Path, time: str, report: Report) -> ResultsFile | None:
    """Read a results file; None where it is none, or can't be read, which is reported."""
    content, problems = read_table(path)
    report.problems += problems
    if content is None:
        return None
    if not _has_results(content):
        if time:
            report.add(
                rules.SOURCE_BROKEN,
                path,
                "the file has no table `results` with a table for each task",
            )
        return None
    return ResultsFile(path, content, time or _time_in(content), digest_of([path]) or "")


def _time_in(content: Mapping[str, Any]) -> str:
    """Return when a run began, as the names of files have it; empty where that is not stated."""
    stamp = number_of(content.get("date"))
    try:
        return datetime.fromtimestamp(stamp, UTC).strftime("%Y-%m-%dT%H-%M-%S.%f") if stamp else ""
    except (OverflowError, OSError, ValueError):
        return ""


def _samples_by_time(folder: Folder) -> defaultdict[str, dict[str, Path]]:
    """Return the files of documents of a folder, by the time in their name and the task."""
    samples: defaultdict[str, dict[str, Path]] = defaultdict(dict)
    for name in folder.files:
        match = _SAMPLES.fullmatch(name)
        if match:
            samples[match["time"]][match["task"]] = folder.path / name
    return samples


def _old_samples(folder: Folder, file: ResultsFile, task: str) -> Path | None:
    """Return the file of a task's documents as versions before 0.4.3 call it, after the model's arguments."""
    arguments = file.config.get("model_args")
    if not isinstance(arguments, str):
        return None
    prefix = re.sub(r"[/=]", "__", arguments)
    name = f"{prefix}_{task}.jsonl"
    return folder.path / name if name in folder.files else None


def _report_left(left: list[Path], task_runs: list[TaskRun], report: Report) -> None:
    """Report files of documents of which there are no results: without them it is unknown what they mean."""
    names = listed(report.name(path) for path in sorted(left))
    message = f"{names}: there are no results of the same task and time (results_TIME.json)"
    if task_runs:
        report.say(rules.LEFT_OUT, min(left), message, None, f"{names} (no results beside it)")
    elif not report.problems:
        fix = "put the file results_TIME.json beside the documents: it names the model and the metrics"
        report.problems.append(rules.SOURCE_BROKEN.broken(min(left), None, message, fix))
