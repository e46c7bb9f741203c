"""Read submissions to SWE-bench's leaderboard, in the layouts of its repository since 2023.

`read_submission` reads the files, and `read_run` builds a run from them; `reported_row` returns the
score of a submission that does not name all of its instances.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date as Date  # noqa: N812 - as elsewhere
from decimal import Decimal
from functools import partial
from pathlib import Path

import yaml

from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import RankedAgent, clean_agent_name
from sitegen.importers.kit.documents import plain_yaml
from sitegen.importers.kit.drafts import slug_of
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rounds import AgentResults, Key
from sitegen.importers.kit.stream import Shape, pick
from sitegen.importers.kit.transcripts import LONGEST, transcript_of
from sitegen.importers.kit.tree import Folder, SourceTree
from sitegen.importers.kit.values import figure_of, mapping_of, mappings_of
from sitegen.importers.swebench import rules
from sitegen.importers.swebench.datasets import SPLITS
from sitegen.importers.swebench.grading import Grader, StatedOutcome
from sitegen.importers.swebench.json_files import head_of, read_json_file
from sitegen.importers.swebench.logs import REPORT
from sitegen.importers.swebench.predictions import read_predictions
from sitegen.importers.swebench.reports import repository_of
from sitegen.metrics.catalogue import MEAN_REWARD, RESOLVED
from sitegen.models.reported import ReportedRow, ReportedValue
from sitegen.models.submission import Claims, Provenance
from sitegen.problems import listed
from sitegen.reading.files import read_text

RESULTS = "results.json"
METADATA = "metadata.yaml"
DETAILS = "per_instance_details.json"
COUNTS = "resolved_by_repo.json"
_MAX_INSTANCES = 1_000_000
"""Maximum plausible number of instances; larger numbers are ignored."""

_PREDICTIONS = ("all_preds.jsonl", "preds.jsonl", "all_preds.json", "preds.json")
_DATED_NAME = re.compile(r"(?P<day>\d{8})_(?P<name>.+)")
_OLD_LOG_NAME = re.compile(r"(?P<instance>.+?)\.(?P<model>.+)\.eval\.log")
"""File name of an instance's log, as written by the harness before it used containers."""

_NOT_EVALUATED: Mapping[str, str] = {
    "no_logs": "the evaluation left no log",
    "no_apply": "the patch could not be applied",
    "install_fail": "the repository could not be installed",
    "reset_failed": "the repository could not be reset",
    "test_errored": "the tests could not be run",
    "test_timeout": "the tests took too long",
    "error_ids": "the evaluation ended with an error",
}
"""Why instances have no verdict, by the name of the list in `results.json`."""

_WITHOUT_PATCH = (
    "no_generation",
    "none",
    "empty_patch_ids",
    "empty_error_patch_ids",
    "incomplete_ids",
)
"""Lists in `results.json` of instances that have no patch, or no prediction."""

_COMPLETE_LISTS = ("generated", "unresolved_ids")
"""Lists in `results.json` that also name unresolved instances."""

_LISTS = (
    "resolved",
    "with_logs",
    "applied",
    *_WITHOUT_PATCH,
    *_COMPLETE_LISTS,
    *_NOT_EVALUATED,
)
"""Lists of instances in `results.json`, in any of its layouts.

The first three are the current lists. The others are from the harness before it used containers, or
from Multi-SWE-bench, whose submissions contain a run's summary with `resolved` for `resolved_ids`.
"""

_TRAJECTORY: Shape = {"trajectory": dict.fromkeys(("thought", "response", "action", "observation"))}
"""The keys read from a trajectory by SWE-agent."""


def is_submission(folder: Folder, tree: SourceTree) -> bool:
    """Return whether a folder is a submission."""
    results_folder = tree.inner(folder, "results")
    if RESULTS in results_folder.files:
        return METADATA in folder.files or _has_results(results_folder.path / RESULTS)
    if METADATA in folder.files and DETAILS in folder.files:
        return True
    if RESULTS not in folder.files or folder.path.name == "results":
        return False
    return _has_results(folder.path / RESULTS)


def _has_results(path: Path) -> bool:
    """Return whether a file begins like the results of a submission."""
    head = head_of(path)
    return '"no_generation"' in head or ('"generated"' in head and '"with_logs"' in head)


@dataclass(slots=True)
class SubmissionLists:
    """The content of `results.json` and of the files next to it."""

    lists: dict[str, list[str]] = field(default_factory=dict)
    """Instances by the name of the list."""
    details: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """Facts in `per_instance_details.json`, by instance."""
    by_repository: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Counts of instances (resolved, total), keyed by repository."""
    stated_total: int = 0
    """The number of instances that `results.json` states; 0 if it states none."""

    @property
    def resolved(self) -> set[str]:
        """The instances that are listed as resolved."""
        names = set(self.lists.get("resolved", ()))
        for name, facts in self.details.items():
            if facts.get("resolved") is True:
                names.add(name)
        return names

    @property
    def without_patch(self) -> set[str]:
        """The instances that are listed as having no patch."""
        names: set[str] = set()
        for key in _WITHOUT_PATCH:
            names.update(self.lists.get(key, ()))
        return names

    @property
    def instances(self) -> set[str]:
        """All instances that occur in a list."""
        return set(self.details).union(*self.lists.values())

    @property
    def names_all(self) -> bool:
        """Whether the lists also name unresolved instances."""
        return bool(self.details) or not self.lists.keys().isdisjoint(_COMPLETE_LISTS)

    @property
    def total(self) -> int:
        """The number of instances that the files state; 0 if they state none."""
        by_counts = sum(total for _, total in self.by_repository.values())
        return by_counts or self.stated_total

    def cause(self, instance: str) -> str:
        """Return why an instance has no verdict, according to the lists; empty if not stated."""
        for key, cause in _NOT_EVALUATED.items():
            if instance in self.lists.get(key, ()):
                return cause
        if "with_logs" in self.lists and instance not in self.lists["with_logs"]:
            return _NOT_EVALUATED["no_logs"]
        if "applied" in self.lists and instance not in self.lists["applied"]:
            return "no test result could be read from the log"
        return ""


@dataclass(slots=True)
class LeaderboardSubmission:
    """The submission of one system."""

    folder: Path
    entrant: RankedAgent
    facts: dict[str, object]
    day: Date | None
    is_checked: bool | None
    attempts: str
    dataset: str
    """The leaderboard split that was submitted to, from the folder's name; empty if unknown."""
    results: SubmissionLists
    has_patch: Mapping[str, bool] | None
    """Whether each predicted instance has a patch; None if there are no predictions."""
    reports: Mapping[str, Path]
    """Paths of the existing reports, by instance."""
    trajectories: Path | None
    """The folder with the trajectories of the system; None if there is none."""

    @property
    def instances(self) -> set[str]:
        """All instances that occur in a file."""
        return self.results.instances | self.reports.keys() | (self.has_patch or {}).keys()

    @property
    def names_all(self) -> bool:
        """Whether the files name every instance, including unresolved instances."""
        if self.has_patch is not None or self.results.names_all:
            return True
        if self.results.total == len(self.instances):
            return True
        return bool(self.reports) and self.results.resolved <= self.reports.keys()

    @property
    def total(self) -> int:
        """The number of instances of the split; 0 if it is unknown."""
        by_counts = self.results.total
        if by_counts >= len(self.instances) > 0:
            return by_counts
        return SPLITS.get(self.dataset, 0)


def read_submission(folder: Folder, tree: SourceTree, log: ImportLog) -> LeaderboardSubmission:
    """Return the content of a submission's folder."""
    path = folder.path.absolute()
    metadata = _read_metadata(folder, log)
    day, folder_name = _day_and_name(path.name)
    name = (
        _text(metadata, "info", "name") or _text(metadata, "name") or clean_agent_name(folder_name)
    )
    organizations = _texts(metadata, "tags", "org")
    facts: dict[str, object] = {
        "organization": ", ".join(organizations[:3]) or None,
        "model": _text(metadata, "tags", "model") or None,
    }
    checked = _text(metadata, "tags", "checked") or _text(metadata, "verified")
    is_checked = checked.casefold().startswith("true") if checked else None
    attempts = _text(metadata, "tags", "system", "attempts") or "1"
    dataset = _dataset_of(path)
    results = _read_results(folder, tree, log)
    has_patch = _read_patches(folder, log)
    reports = _reports_in(tree.inner(folder, "logs"))
    trajectories = folder.path / "trajs" if "trajs" in folder.folders else None
    return LeaderboardSubmission(
        folder.path,
        RankedAgent(name),
        facts,
        day,
        is_checked,
        attempts,
        dataset,
        results,
        has_patch,
        reports,
        trajectories,
    )


def _dataset_of(path: Path) -> str:
    """Return the split, from the folders above a submission; empty if it is unknown.

    Submissions to Multi-SWE-bench are in `evaluation/LANGUAGE/SPLIT/SUBMISSION`. The splits of its
    languages are not those of SWE-bench.
    """
    split = path.parent.name
    if split not in SPLITS:
        return ""
    language = path.parent.parent
    return f"{language.name} {split}" if language.parent.name == "evaluation" else split


def _day_and_name(folder_name: str) -> tuple[Date | None, str]:
    """Return the day (or None) and the system's name in the name of a submission's folder."""
    match = _DATED_NAME.fullmatch(folder_name)
    if match is None:
        return None, folder_name
    day = None
    with suppress(ValueError):
        day = Date.fromisoformat(match["day"])
    return day, match["name"]


def _reports_in(logs: Folder) -> dict[str, Path]:
    """Return the paths of the reports in a folder of logs, by instance."""
    paths = {name: logs.path / name / REPORT for name in logs.folders}
    return {name: path for name, path in paths.items() if path.is_file()}


def _read_metadata(folder: Folder, log: ImportLog) -> object:
    """Return the content of `metadata.yaml`; None if there is none."""
    if METADATA not in folder.files:
        return None
    path = folder.path / METADATA
    text, problems = read_text(path)
    if text is None:
        log.add(rules.METADATA, path, f"it can't be read: {problems[0].what}")
        return None
    try:
        return plain_yaml(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        log.add(rules.METADATA, path, f"it is not valid YAML: {str(error).splitlines()[0]}")
        return None


def _texts(metadata: object, *keys: str) -> list[str]:
    """Return the texts at a path of keys in the metadata, whose value may be a text or a list."""
    value = metadata
    for key in keys:
        value = mapping_of(value).get(key)
    values = value if isinstance(value, list) else [value]
    texts = [clean_agent_name(text) for text in values if isinstance(text, str)]
    return list(filter(None, texts))


def _text(metadata: object, *keys: str) -> str:
    """Return the first text at a path of keys in the metadata; empty if there is none."""
    return next(iter(_texts(metadata, *keys)), "")


def _read_patches(folder: Folder, log: ImportLog) -> dict[str, bool] | None:
    """Return whether each predicted instance has a patch; None if there are no predictions."""
    names = [name for name in _PREDICTIONS if name in folder.files]
    if not names:
        return None
    path = folder.path / names[0]
    file = read_predictions(path)
    if file.fault:
        # This is an error: a missing line would drop unresolved instances from the score.
        rule = kit_rules.CUT_OFF if file.is_cut else kit_rules.SOURCE_BROKEN
        log.add(rule, path, f"{path.name} {file.fault}")
    patches: dict[str, bool] = {}
    for predictions in file.models:
        patches |= predictions.has_patch
    return patches


def _read_results(folder: Folder, tree: SourceTree, log: ImportLog) -> SubmissionLists:
    """Return the lists of instances and other facts in the results of a submission."""
    results_folder = tree.inner(folder, "results")
    results = SubmissionLists()
    path = folder.path / RESULTS
    if RESULTS in results_folder.files:
        path = results_folder.path / RESULTS
    if path.is_file():
        content = _read_object(path, log)
        results.lists = _lists_of(content)
        results.stated_total = _count_of(content.get("total_instances"))
    if "generated" in results.lists:
        logged = results.lists.setdefault("with_logs", [])
        for name in tree.inner(folder, "logs").files:
            match = _OLD_LOG_NAME.fullmatch(name)
            if match and match["instance"] not in logged:
                logged.append(match["instance"])
    if DETAILS in folder.files:
        details = _read_object(folder.path / DETAILS, log)
        results.details = {name: item for name, item in details.items() if isinstance(item, dict)}
    counts_path = results_folder.path / COUNTS
    if counts_path.is_file():
        results.by_repository = _counts_of(read_json_file(counts_path).value)
    return results


def _read_object(path: Path, log: ImportLog) -> Mapping[str, object]:
    """Return the JSON object in a file; without an object, report an error and return `{}`."""
    file = read_json_file(path)
    if isinstance(file.value, dict):
        return file.value
    rule = kit_rules.CUT_OFF if file.is_cut else kit_rules.SOURCE_BROKEN
    log.add(rule, path, f"{path.name} {file.fault or 'contains no JSON object'}")
    return {}


def _lists_of(value: Mapping[str, object]) -> dict[str, list[str]]:
    """Return the lists of instances in `results.json`, merged if each repository has its own."""
    tables: list[object] = [value]
    if value.keys().isdisjoint(_LISTS):
        tables = list(value.values())
    lists: dict[str, list[str]] = {}
    for table in map(mapping_of, tables):
        for key in _LISTS:
            names = table.get(key)
            if isinstance(names, list):
                texts = [name for name in names if isinstance(name, str) and name.strip()]
                lists.setdefault(key, []).extend(texts)
    return lists


def _counts_of(value: object) -> dict[str, tuple[int, int]]:
    """Return the counts of instances (resolved, total), keyed by repository."""
    counts: dict[str, tuple[int, int]] = {}
    for name, facts in mapping_of(value).items():
        if isinstance(facts, dict):
            counts[name] = _count_of(facts.get("resolved")), _count_of(facts.get("total"))
    return counts


def _count_of(value: object) -> int:
    """Return a value if it is a plausible number of instances; otherwise 0."""
    return value if isinstance(value, int) and 0 <= value <= _MAX_INSTANCES else 0


def read_run(
    submission: LeaderboardSubmission, grader: Grader, dataset_instances: Iterable[str]
) -> AgentResults | None:
    """Return the run of a submission; None if some of its instances are unknown.

    Args:
        submission: The submission.
        grader: Makes the rounds, and collects the doubts about them.
        dataset_instances: Instances of all submissions in the source on the same dataset.
    """
    log = grader.log
    run = AgentResults(
        submission.folder, submission.entrant, dict(submission.facts), submission.day
    )
    run.provenance = Provenance(harness="swebench")
    if submission.trajectories:
        run.transcripts = partial(_trajectories, submission.trajectories, submission.entrant.name)
    instances = submission.instances
    if not submission.names_all:
        unlisted = _unlisted(submission, dataset_instances)
        if unlisted is None:
            return None
        instances |= unlisted
        log.assume("instances that `results.json` does not list are not resolved", run.entrant)
    run.planned = sorted(instances)
    differences = [_grade(submission, instance, run, grader) for instance in run.planned]
    facts = [*filter(None, differences), *_repository_differences(submission, run)]
    if facts:
        path = submission.folder / "results" / RESULTS
        grader.remark(run, kit_rules.SCORE_DIFFERS, path, listed(facts, 20, separator="; "))
        percent = Decimal(100 * len(submission.results.resolved)) / max(1, len(instances))
        stated = {RESOLVED.id: percent.quantize(Decimal("0.01"))}
        run.claims = Claims(source="SWE-bench submission: results.json", **stated)
    _remark_shortcomings(submission, run, grader)
    return run


def _remark_shortcomings(
    submission: LeaderboardSubmission, run: AgentResults, grader: Grader
) -> None:
    """Add remarks about what a submission lacks."""
    folder = submission.folder
    if not submission.reports:
        grader.remark(run, rules.NO_LOGS, folder)
    if submission.is_checked is False:
        grader.remark(run, rules.UNCHECKED, folder)
    if submission.has_patch is not None:
        with_patch = submission.results.instances - submission.results.without_patch
        unpredicted = sorted(with_patch - submission.has_patch.keys())
        if unpredicted:
            fact = f"it has no prediction for {listed(map(one_line, unpredicted))}"
            grader.remark(run, rules.PREDICTIONS, folder, fact)
    if len(run.planned) < submission.total:
        split = submission.dataset or "the counts by repository"
        fact = f"{len(run.planned)} of the {submission.total} instances of {split}"
        grader.remark(run, rules.FEWER, folder, fact)
    if submission.attempts != "1":
        note = f"the system makes {submission.attempts} attempts, but one answer counts"
        grader.log.notes.append(f"{run.entrant}: {note}")


def _unlisted(
    submission: LeaderboardSubmission, dataset_instances: Iterable[str]
) -> set[str] | None:
    """Return all instances of a submission, including unlisted ones; None if unknown.

    The instances are known if the source names as many of each repository as the counts state.
    """
    candidates = submission.instances | set(dataset_instances)
    counts = Counter(str(repository_of(name)) for name in candidates)
    totals = {name: total for name, (_, total) in submission.results.by_repository.items()}
    return candidates if totals and dict(counts) == totals else None


def _grade(
    submission: LeaderboardSubmission, instance: str, run: AgentResults, grader: Grader
) -> str:
    """Add the round of an instance, and return a clause about contradictions between its files."""
    results = submission.results
    is_listed = instance in results.resolved
    has_patch = (submission.has_patch or {}).get(instance)
    path = submission.reports.get(instance)
    name = one_line(instance)
    if has_patch is False or (instance in results.without_patch and not has_patch):
        run.grade(instance, 1, 0, "there is no patch", "no_cases")
        if path:
            grader.remark(run, rules.STALE, path, instance=instance)
        return f"{name} is listed as resolved, but has no patch" if is_listed else ""
    logs = submission.folder / "logs" if submission.reports else None
    outcome = _listed_outcome(submission, instance)
    graded = grader.grade(run, instance, path, logs=logs, stated=outcome)
    _add_figures(results.details.get(instance, {}), instance, run)
    if graded is None or graded.resolved == is_listed:
        return ""
    if graded.resolved:
        return f"{name} is resolved in its report, but not listed as resolved"
    return f"{name} is not resolved in its report, but listed as resolved"


def _listed_outcome(submission: LeaderboardSubmission, instance: str) -> StatedOutcome:
    """Return the outcome of an instance according to the lists of a submission."""
    results = submission.results
    is_listed = instance in results.resolved
    cause = results.cause(instance)
    if is_listed and cause:
        return StatedOutcome(cause=f"it is listed as resolved, but another list says: {cause}")
    if is_listed:
        return StatedOutcome(resolved=True)
    if cause:
        return StatedOutcome(cause=cause)
    if not submission.reports or instance in results.details:
        return StatedOutcome(resolved=False)
    return StatedOutcome()


def _add_figures(facts: Mapping[str, object], instance: str, run: AgentResults) -> None:
    """Add the cost and the number of calls of an instance to its round."""
    key: Key = (instance, 1, 1, "own")
    cost_usd = figure_of(facts.get("cost"))
    if cost_usd is not None and cost_usd >= 0:
        run.results[key] = replace(run.results[key], cost_usd=cost_usd)
    calls = figure_of(facts.get("api_calls"))
    if calls is not None and calls >= 0:
        run.results[key] = replace(run.results[key], turns=calls)


def _repository_differences(submission: LeaderboardSubmission, run: AgentResults) -> Iterator[str]:
    """Yield contradictions between the counts by repository and the instances."""
    counts = submission.results.by_repository
    if not counts:
        return
    # Instances of an unknown repository are counted under an empty name.
    all_instances: Counter[str] = Counter()
    resolved_instances: Counter[str] = Counter()
    for (task, *_), result in run.results.items():
        repository = repository_of(task) or ""
        all_instances[repository] += 1
        resolved_instances[repository] += result.reward == 1
    for name in sorted({*all_instances, *counts}):
        resolved, total = counts.get(name, (0, 0))
        if resolved != resolved_instances[name] or all_instances[name] > total:
            repository = one_line(name) or "an unknown repository"
            by_instances = f"{resolved_instances[name]} of {all_instances[name]}"
            in_file = f"{COUNTS} has {resolved} of {total}"
            yield f"{by_instances} instances of {repository} are resolved, but {in_file}"


def reported_row(submission: LeaderboardSubmission) -> ReportedRow | None:
    """Return the score of a submission that lacks instances; None if the total is unknown."""
    total = submission.total
    resolved = len(submission.results.resolved)
    if not 0 < total >= resolved:
        return None
    share = Decimal(resolved) / total
    values = {
        RESOLVED.id: ReportedValue(value=(100 * share).quantize(Decimal("0.01"))),
        MEAN_REWARD.id: ReportedValue(value=share.quantize(Decimal("0.0001"))),
    }
    facts = {key: value for key, value in submission.facts.items() if value}
    name = submission.entrant.name
    if facts.get("model") == name:
        del facts["model"]
    return ReportedRow.model_validate(
        {"id": slug_of(name), "name": name, "values": values, **facts}
    )


def _trajectories(folder: Path, model: str) -> Iterator[tuple[tuple[str, int], bytes]]:
    """Yield the transcript of each instance with a trajectory by SWE-agent.

    Yields:
        The key (task and attempt) and the text of the transcript.
    """
    for path in sorted(folder.glob("*.traj")):
        content, problems = pick(path, _TRAJECTORY, longest=LONGEST)
        if problems:
            continue
        messages: list[dict[str, object]] = []
        for turn in mappings_of(mapping_of(content).get("trajectory")):
            call = {"function": "action", "arguments": {"command": turn.get("action")}}
            text = turn.get("thought") or turn.get("response")
            messages.append({"role": "assistant", "content": text, "tool_calls": [call]})
            messages.append({"role": "tool", "content": turn.get("observation")})
        if messages:
            yield (path.stem, 1), transcript_of(messages, model)
