"""Find the files that any version of the harness wrote, and read the results files."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from datetime import date as Date  # noqa: N812 - as elsewhere
from pathlib import Path
from typing import Any, Literal, NamedTuple

from sitegen.importers.kit import rules
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.lines import read_table
from sitegen.importers.kit.tree import Folder, SourceTree, digest_of
from sitegen.importers.kit.values import figure_of
from sitegen.models.record import LIMIT
from sitegen.problems import listed
from sitegen.reading.files import read_head

NEWEST = "0.4.13"
"""The newest version of the harness with which this importer was checked."""

_HEAD_SIZE = 256

_TIME = r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?"
_TIME_FORMAT = "%Y-%m-%dT%H-%M-%S.%f"
_RESULTS_NAME = re.compile(rf"results_{_TIME}\.json")
_NAME_WITH_TIME = re.compile(rf".+_(?P<time>{_TIME})\.json")
_SAMPLES_NAME = re.compile(rf"samples_(?P<task>.+)_(?P<time>{_TIME})\.jsonl?")
_SAMPLES_NAME_WITHOUT_TIME = re.compile(r"samples_(?P<task>.+)\.jsonl?")
"""Name of a file of documents from which somebody removed the time."""
_RESULTS_HEAD = re.compile(rb'\s*\{\s*"(?:results|config_general)"\s*:\s*\{')
"""Beginning of a results file, which identifies it if its name does not."""

_NO_METRICS = frozenset({"alias", "name", "sample_len", "sample_count", "samples", " ", ""})
"""Keys of a task's results that are not metrics."""

_NAME_ARGUMENTS = ("peft", "delta", "pretrained", "model", "path", "engine")
"""Arguments of a model that may contain its name, in the harness's own order."""

_RANDOM_NAME = re.compile(r"[a-z0-9]{8}")
"""The name that the harness makes up for a model whose arguments contain no name."""

_NO_RESULTS_FIX = (
    "put the file results_TIME.json beside the documents: it names the model and the metrics"
)


def as_table(value: object) -> Mapping[str, Any]:
    """Return a value if it is a JSON object; otherwise an empty object."""
    return value if isinstance(value, dict) else {}


def as_text(value: object) -> str:
    """Return a value if it is a text; otherwise an empty text."""
    return value if isinstance(value, str) else ""


def as_list(value: object) -> Sequence[Any]:
    """Return a value if it is a JSON list; otherwise an empty list."""
    return value if isinstance(value, list) else []


def parse_arguments(value: object) -> dict[str, str]:
    """Return arguments by name, from an object or text such as "pretrained=acme/m1,dtype=bf16"."""
    if not isinstance(value, dict):
        return dict(re.findall(r"(\w+)=([^,]*)", as_text(value)))
    arguments = {}
    for name, argument in value.items():
        if argument is not None:
            arguments[str(name)] = str(argument)
    return arguments


class ScoreKey(NamedTuple):
    """One of the scores that the harness states for a task."""

    metric: str
    filter: str
    """Name of the filter; "none" if there is none."""
    key: str
    """The key in the results: "acc,none", or "acc" before version 0.4."""

    @property
    def spellings(self) -> set[str]:
        """The names by which `--metric` selects the score."""
        return {self.metric, self.key, f"{self.metric},{self.filter}"}


@dataclass(frozen=True, slots=True)
class ResultsFile:
    """A results file. Any of its values may be missing or of the wrong type."""

    path: Path
    content: Mapping[str, Any]
    time: str
    """When the file was written, as a text that sorts chronologically; empty if unknown."""
    digest: str = ""
    """SHA-256 of the file, used to detect copies."""

    def section(self, name: str) -> Mapping[str, Any]:
        """Return a top-level table of the file by name; empty if there is no such table."""
        return as_table(self.content.get(name))

    @property
    def day(self) -> Date | None:
        """The day of the run; None if unknown."""
        try:
            return Date.fromisoformat(self.time[:10])
        except ValueError:
            return None

    @property
    def config(self) -> Mapping[str, Any]:
        """The options of the harness."""
        return self.section("config")

    @property
    def model_arguments(self) -> dict[str, str]:
        """The arguments of the model's class."""
        return parse_arguments(self.config.get("model_args"))

    @property
    def argument_name(self) -> str:
        """The name of the model in its arguments; empty if they do not contain it."""
        arguments = self.model_arguments
        for name in _NAME_ARGUMENTS:
            if arguments.get(name, "").strip():
                return arguments[name]
        return ""

    @property
    def model(self) -> str:
        """The full name of the model; empty if unknown."""
        leaderboard = self.section("config_general")
        stated = as_text(self.content.get("model_name")) or as_text(leaderboard.get("model_name"))
        if stated.strip():
            return stated.strip()
        if self.argument_name:
            return self.argument_name
        folder = self.path.parent.name
        if "__" in folder:
            return folder.replace("__", "/", 1)
        return as_text(self.config.get("model"))

    @property
    def has_random_name(self) -> bool:
        """Whether the harness made up a name because the model's arguments contain none."""
        if not _RANDOM_NAME.fullmatch(as_text(self.content.get("model_name"))):
            return False
        return bool(self.model_arguments) and not self.argument_name

    @property
    def version(self) -> str | None:
        """The harness's version, if it is stated."""
        return as_text(self.content.get("lm_eval_version")) or None

    @property
    def groups(self) -> dict[str, list[str]]:
        """The tasks and nested groups of each group."""
        groups: dict[str, list[str]] = {name: [] for name in self.section("groups")}
        for name, members in self.section("group_subtasks").items():
            if as_list(members):
                groups[name] = [member for member in members if isinstance(member, str)]
        return groups

    @property
    def tasks(self) -> list[str]:
        """The tasks with results, excluding groups, which repeat the results of their tasks."""
        results = self.section("results")
        configs = self.section("configs")
        if configs:
            return [name for name in results if name in configs]
        groups = self.groups
        return [name for name in results if name not in groups and name != "all"]

    def expand_group(self, name: str) -> set[str]:
        """Return the tasks of a group and of its nested groups; for a task, the task itself."""
        groups = self.groups
        seen: set[str] = set()
        pending = [name]
        while pending:
            member = pending.pop()
            if member not in seen:
                seen.add(member)
                pending += groups.get(member, ())
        return seen.intersection(self.tasks)

    def figures(self, task: str) -> Mapping[str, Any]:
        """Return the figures of a task by key."""
        return as_table(self.section("results").get(task))

    def scores(self, task: str) -> list[ScoreKey]:
        """Return the scores of a task, in the order of the file."""
        scores = []
        for key, value in self.figures(task).items():
            metric, comma, filter_name = key.partition(",")
            is_figure = bool(comma) or isinstance(value, int | float)
            if is_figure and metric not in _NO_METRICS and not metric.endswith("_stderr"):
                scores.append(ScoreKey(metric, filter_name or "none", key))
        return scores

    def task_config(self, task: str) -> Mapping[str, Any]:
        """Return the definition of a task."""
        return as_table(self.section("configs").get(task))

    def metric_config(self, task: str, metric: str) -> Mapping[str, Any]:
        """Return the definition of a metric of a task."""
        metrics = as_list(self.task_config(task).get("metric_list"))
        for entry in map(as_table, metrics):
            if entry.get("metric") == metric:
                return entry
        return {}

    def document_count(self, task: str, kind: Literal["original", "effective"]) -> int | None:
        """Return a task's number of documents; None if it is not stated.

        Args:
            task: The task.
            kind: `original` for all documents of the task, `effective` for those that were run.
        """
        value = as_table(self.section("n-samples").get(task)).get(kind)
        return value if type(value) is int and 0 <= value <= LIMIT else None

    def conditions(self, task: str) -> tuple[str, str]:
        """Return a task's version and number of examples in the prompt, each empty if unknown."""
        version = self.section("versions").get(task)
        shots = self.section("n-shot").get(task, self.config.get("num_fewshot"))
        return "" if version is None else str(version), "" if shots is None else str(shots)


@dataclass(frozen=True, slots=True)
class TaskOutput:
    """A task in one results file, with the file of its documents."""

    file: ResultsFile
    task: str
    samples: Path | None
    """The file of documents; None if there is none."""

    @property
    def path(self) -> Path:
        """The path of the results file."""
        return self.file.path

    @property
    def shown_conditions(self) -> str:
        """The task's version and number of examples in the prompt, in words."""
        version, shots = self.file.conditions(self.task)
        return f"version {version or 'unknown'}, {shots or 'unknown'}-shot"


def find_outputs(tree: SourceTree, log: ImportLog) -> list[TaskOutput]:
    """Return the tasks of all results files; documents without results are reported."""
    outputs: list[TaskOutput] = []
    unused: set[Path] = set()
    for folder in tree.walk():
        tree.pass_over_archives(folder)
        samples = _find_samples(folder)
        for paths in samples.values():
            unused.update(paths.values())
        for file in _read_folder(folder, log):
            samples_by_task = samples[_time_in_name(file.path)]
            for task in file.tasks:
                documents = samples_by_task.get(task) or _find_old_samples(folder, file, task)
                outputs.append(TaskOutput(file, task, documents))
    unused.difference_update(output.samples for output in outputs if output.samples)
    if unused:
        _report_unused(unused, log, has_outputs=bool(outputs))
    return outputs


def is_results(folder: Folder, name: str) -> bool:
    """Return whether a file is a results file; it is read completely only if necessary."""
    if _RESULTS_NAME.fullmatch(name):
        return True
    if not _may_hold_results(folder, name):
        return False
    content, _ = read_table(folder.path / name)
    return content is not None and _has_results(content)


def _may_hold_results(folder: Folder, name: str) -> bool:
    """Return whether a file may be a results file, judging by its name and its beginning."""
    if _RESULTS_NAME.fullmatch(name):
        return True
    if not name.endswith(".json") or _SAMPLES_NAME.fullmatch(name):
        return False
    head = read_head(folder.path / name, _HEAD_SIZE) or b""
    return _RESULTS_HEAD.match(head) is not None


def _has_results(content: Mapping[str, Any]) -> bool:
    """Return whether a table is the content of a results file."""
    results = as_table(content.get("results"))
    has_tasks = any(isinstance(figures, dict) for figures in results.values())
    return has_tasks and ("configs" in content or "versions" in content)


def _read_folder(folder: Folder, log: ImportLog) -> Iterator[ResultsFile]:
    """Yield the results files of a folder."""
    for name in folder.files:
        if _may_hold_results(folder, name):
            file = _read_results(folder.path / name, log)
            if file is not None:
                yield file


def _time_in_name(path: Path) -> str:
    """Return the time in the name of a results file; empty if there is none."""
    match = _NAME_WITH_TIME.fullmatch(path.name)
    return match["time"] if match else ""


def _read_results(path: Path, log: ImportLog) -> ResultsFile | None:
    """Return a results file; None if it is something else or can't be read. Errors are reported."""
    content, problems = read_table(path)
    log.problems += problems
    if content is None:
        return None
    time = _time_in_name(path)
    if not _has_results(content):
        if time:
            message = "the file has no table `results` with a table for each task"
            log.add(rules.SOURCE_BROKEN, path, message)
        return None
    return ResultsFile(path, content, time or _parse_time(content), digest_of([path]) or "")


def _parse_time(content: Mapping[str, Any]) -> str:
    """Return when a run began, in the format of file names; empty if not stated."""
    timestamp = figure_of(content.get("date"))
    if not timestamp:
        return ""
    try:
        return datetime.fromtimestamp(timestamp, UTC).strftime(_TIME_FORMAT)
    except (OverflowError, OSError, ValueError):
        return ""


def _find_samples(folder: Folder) -> defaultdict[str, dict[str, Path]]:
    """Return the files of documents in a folder, keyed by the time in their name and by task.

    The time is empty if the name contains none, as in the name of the results file `results.json`.
    """
    samples: defaultdict[str, dict[str, Path]] = defaultdict(dict)
    for name in folder.files:
        match = _SAMPLES_NAME.fullmatch(name)
        time = match["time"] if match else ""
        match = match or _SAMPLES_NAME_WITHOUT_TIME.fullmatch(name)
        if match:
            samples[time][match["task"]] = folder.path / name
    return samples


def _find_old_samples(folder: Folder, file: ResultsFile, task: str) -> Path | None:
    """Return the file of a task's documents, as named by versions before 0.4.3.

    These versions name the file after the model's arguments.
    """
    arguments = file.config.get("model_args")
    if not isinstance(arguments, str):
        return None
    prefix = re.sub(r"[/=]", "__", arguments)
    return folder.file(f"{prefix}_{task}.jsonl")


def _report_unused(paths: set[Path], log: ImportLog, *, has_outputs: bool) -> None:
    """Report files of documents that can't be interpreted, since they have no results."""
    first = min(paths)
    names = listed(log.name(path) for path in sorted(paths))
    message = f"{names}: no results file has the same task and time (results_TIME.json)"
    if has_outputs:
        log.add_with_caveat(rules.LEFT_OUT, first, message, None, f"{names} (no results beside it)")
    elif not log.problems:
        log.problems.append(rules.SOURCE_BROKEN.broken(first, None, message, _NO_RESULTS_FIX))
