"""Submissions to SWE-bench's leaderboard, in the layouts that its repository has had since 2023."""

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
from sitegen.importers.kit.agents import Entrant, named
from sitegen.importers.kit.drafts import slug_of
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.rounds import Run
from sitegen.importers.kit.stream import Shape, pick
from sitegen.importers.kit.told import number_of, plain_yaml
from sitegen.importers.kit.transcripts import LONGEST, transcript_of
from sitegen.importers.kit.tree import Folder, Tree
from sitegen.importers.swebench import rules
from sitegen.importers.swebench.datasets import SPLITS
from sitegen.importers.swebench.grading import Grader, Stated
from sitegen.importers.swebench.json_files import head_of, read_json_file
from sitegen.importers.swebench.logs import REPORT
from sitegen.importers.swebench.predictions import read_predictions
from sitegen.importers.swebench.reports import repository_of
from sitegen.metrics.catalogue import MEAN_REWARD, RESOLVED
from sitegen.models.reported import ReportedRow, ReportedValue
from sitegen.models.submission import Claims, Provenance
from sitegen.problems import listed
from sitegen.reading.files import read_text

RESULTS, METADATA = "results.json", "metadata.yaml"
DETAILS, COUNTS = "per_instance_details.json", "resolved_by_repo.json"
_MOST_INSTANCES = 1_000_000
"""Above this, a number is none of instances."""

_PREDICTIONS = ("all_preds.jsonl", "preds.jsonl", "all_preds.json", "preds.json")
_DATED = re.compile(r"(?P<day>\d{8})_(?P<name>.+)")
_OLD_LOG = re.compile(r"(?P<instance>.+?)\.(?P<model>.+)\.eval\.log")
"""What the harness before containers calls the log of an instance."""

_NOT_EVALUATED: Mapping[str, str] = {
    "no_logs": "the evaluation left no log",
    "no_apply": "the patch could not be applied",
    "install_fail": "the repository could not be installed",
    "reset_failed": "the repository could not be reset",
    "test_errored": "the tests could not be run",
    "test_timeout": "the tests took too long",
}
"""Why instances came to no verdict, by the lists of `results.json`."""

_LISTS = ("resolved", "no_generation", "none", "generated", "with_logs", "applied", *_NOT_EVALUATED)
"""Lists of `results.json`: today's three, and those of the harness before containers."""

_WORK: Shape = {"trajectory": dict.fromkeys(("thought", "response", "action", "observation"))}


def is_submission(folder: Folder, tree: Tree) -> bool:
    """Return whether a folder is a submission."""
    inner = tree.inner(folder, "results")
    if RESULTS in inner.files:
        return METADATA in folder.files or _has_results(inner.path / RESULTS)
    if METADATA in folder.files and DETAILS in folder.files:
        return True
    return (
        RESULTS in folder.files
        and folder.path.name != "results"
        and _has_results(folder.path / RESULTS)
    )


def _has_results(path: Path) -> bool:
    """Return whether a file begins as the results of a submission do."""
    head = head_of(path)
    return '"no_generation"' in head or ('"generated"' in head and '"with_logs"' in head)


@dataclass(slots=True)
class Results:
    """What `results.json` and the files beside it list."""

    lists: dict[str, list[str]] = field(default_factory=dict)
    """Instances by the name of the list."""
    details: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """What `per_instance_details.json` says, by instance."""
    by_repository: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Instances resolved and instances in all, by repository."""

    @property
    def resolved(self) -> set[str]:
        """The instances that are listed as resolved."""
        listed_names = set(self.lists.get("resolved", ()))
        return listed_names | {
            name for name, facts in self.details.items() if facts.get("resolved") is True
        }

    @property
    def without_patch(self) -> set[str]:
        """The instances that are listed as being without a patch."""
        return {*self.lists.get("no_generation", ()), *self.lists.get("none", ())}

    @property
    def instances(self) -> set[str]:
        """Every instance that some list names."""
        return {name for names in self.lists.values() for name in names} | self.details.keys()

    @property
    def names_all(self) -> bool:
        """Whether the lists name instances that are not resolved, too."""
        return "generated" in self.lists or bool(self.details)

    @property
    def total(self) -> int:
        """How many instances there are in all, by the counts for each repository; 0 if unknown."""
        return sum(total for _, total in self.by_repository.values())

    def cause(self, instance: str) -> str:
        """Return why an instance came to no verdict, as the lists say; empty where they do not."""
        for key, cause in _NOT_EVALUATED.items():
            if instance in self.lists.get(key, ()):
                return cause
        if "with_logs" in self.lists and instance not in self.lists["with_logs"]:
            return _NOT_EVALUATED["no_logs"]
        if "applied" in self.lists and instance not in self.lists["applied"]:
            return "no test result could be read from the log"
        return ""


@dataclass(slots=True)
class Submission:
    """What was submitted of one system."""

    folder: Path
    entrant: Entrant
    facts: dict[str, object]
    day: Date | None
    is_checked: bool | None
    attempts: str
    dataset: str
    """The part of the leaderboard that it was sent to, by its folder; empty if unknown."""
    results: Results
    has_patch: Mapping[str, bool] | None
    """Whether instances have a patch, if they have a prediction; None without predictions."""
    reports: Mapping[str, Path]
    """The reports that are there, by instance."""
    trajectories: Path | None
    """The folder of what the system did; None where there is none."""

    @property
    def instances(self) -> set[str]:
        """Every instance that some file names."""
        return self.results.instances | self.reports.keys() | (self.has_patch or {}).keys()

    @property
    def names_all(self) -> bool:
        """Whether its files name every instance, not only those that are resolved."""
        if self.has_patch is not None or self.results.names_all:
            return True
        if self.results.total == len(self.instances):
            return True
        return bool(self.reports) and self.results.resolved <= self.reports.keys()

    @property
    def total(self) -> int:
        """How many instances there are in all; 0 where nothing says so."""
        counted = self.results.total
        return counted if counted >= len(self.instances) > 0 else SPLITS.get(self.dataset, 0)


def read_submission(folder: Folder, tree: Tree, report: Report) -> Submission:
    """Return what a submission holds."""
    whole = folder.path.absolute()
    match = _DATED.fullmatch(whole.name)
    metadata = _read_metadata(folder, report)
    given_name = match["name"] if match else whole.name
    names = [*_texts(metadata, "info", "name"), *_texts(metadata, "name"), named(given_name)]
    day = None
    if match:
        with suppress(ValueError):
            day = Date.fromisoformat(match["day"])
    checked = _texts(metadata, "tags", "checked") or _texts(metadata, "verified")
    attempts = _texts(metadata, "tags", "system", "attempts")
    is_checked = checked[0].casefold().startswith("true") if checked else None
    dataset = whole.parent.name if whole.parent.name in SPLITS else ""
    results = _read_results(folder, tree, report)
    has_patch = _read_patches(folder, report)
    return Submission(
        folder.path,
        Entrant(names[0]),
        _facts_of(metadata),
        day,
        is_checked,
        attempts[0] if attempts else "1",
        dataset,
        results,
        has_patch,
        _reports_in(tree.inner(folder, "logs")),
        folder.path / "trajs" if "trajs" in folder.folders else None,
    )


def _facts_of(metadata: object) -> dict[str, object]:
    """Return what metadata say of a system beside its name."""
    organizations = _texts(metadata, "tags", "org")
    models = _texts(metadata, "tags", "model")
    return {
        "organization": ", ".join(organizations[:3]) or None,
        "model": models[0] if models else None,
    }


def _reports_in(logs: Folder) -> dict[str, Path]:
    """Return the reports of instances in the folder of logs."""
    reports = {}
    for name in logs.folders:
        path = logs.path / name / REPORT
        if path.is_file():
            reports[name] = path
    return reports


def _read_metadata(folder: Folder, report: Report) -> object:
    """Return the contents of `metadata.yaml`; None where there are none."""
    if METADATA not in folder.files:
        return None
    path = folder.path / METADATA
    text, problems = read_text(path)
    if text is None:
        report.add(rules.METADATA, path, f"it can't be read: {problems[0].what}")
        return None
    try:
        return plain_yaml(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        report.add(rules.METADATA, path, f"it is not valid YAML: {str(error).splitlines()[0]}")
        return None


def _texts(metadata: object, *keys: str) -> list[str]:
    """Return the texts that stand in metadata under some keys, which may be one text or a list."""
    value = metadata
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    values = value if isinstance(value, list) else [value]
    return [named(text) for text in values if isinstance(text, str) and named(text)]


def _read_patches(folder: Folder, report: Report) -> dict[str, bool] | None:
    """Return which instances have a patch, by the predictions; None without predictions."""
    for name in _PREDICTIONS:
        if name in folder.files:
            path = folder.path / name
            file = read_predictions(path)
            if file.fault:
                # Without every line, instances that are not resolved would be missing from the score.
                rule = kit_rules.CUT_OFF if file.is_cut else kit_rules.SOURCE_BROKEN
                report.add(rule, path, f"{name} {file.fault}")
            patches: dict[str, bool] = {}
            for predictions in file.models:
                patches |= predictions.has_patch
            return patches
    return None


def _read_results(folder: Folder, tree: Tree, report: Report) -> Results:
    """Return what the lists of a submission say."""
    inner = tree.inner(folder, "results")
    results = Results()
    path = inner.path / RESULTS if RESULTS in inner.files else folder.path / RESULTS
    if path.is_file():
        results.lists = _lists_of(_object_in(path, report))
    if "generated" in results.lists:
        logged = results.lists.setdefault("with_logs", [])
        for name in tree.inner(folder, "logs").files:
            match = _OLD_LOG.fullmatch(name)
            if match and match["instance"] not in logged:
                logged.append(match["instance"])
    if DETAILS in folder.files:
        details = _object_in(folder.path / DETAILS, report)
        results.details = {
            name: facts for name, facts in details.items() if isinstance(facts, dict)
        }
    counts_path = inner.path / COUNTS
    if counts_path.is_file():
        results.by_repository = _counts_of(read_json_file(counts_path).value)
    return results


def _object_in(path: Path, report: Report) -> Mapping[str, object]:
    """Return the object of a file that decides which instances count; report why there is none."""
    file = read_json_file(path)
    if isinstance(file.value, dict):
        return file.value
    rule = kit_rules.CUT_OFF if file.is_cut else kit_rules.SOURCE_BROKEN
    report.add(rule, path, f"{path.name} {file.fault or 'holds no JSON object'}")
    return {}


def _lists_of(value: Mapping[str, object]) -> dict[str, list[str]]:
    """Return the lists of instances in `results.json`; in 2023 each repository had its own."""
    tables: list[object] = [value]
    if not any(key in value for key in _LISTS):
        tables = list(value.values())
    lists: dict[str, list[str]] = {}
    for table in tables:
        for key in _LISTS:
            names = table.get(key) if isinstance(table, dict) else None
            if isinstance(names, list):
                texts = [name for name in names if isinstance(name, str) and name.strip()]
                lists.setdefault(key, []).extend(texts)
    return lists


def _counts_of(value: object) -> dict[str, tuple[int, int]]:
    """Return instances resolved and in all, by repository."""
    counts: dict[str, tuple[int, int]] = {}
    for name, facts in value.items() if isinstance(value, dict) else ():
        if isinstance(facts, dict):
            counts[name] = _count_of(facts.get("resolved")), _count_of(facts.get("total"))
    return counts


def _count_of(value: object) -> int:
    """Return a number of instances; 0 for a value that can be none."""
    return value if isinstance(value, int) and 0 <= value <= _MOST_INSTANCES else 0


def read_run(submission: Submission, grader: Grader, known_instances: Iterable[str]) -> Run | None:
    """Return the run of a submission, or None where its instances are not all known.

    Args:
        submission: The submission.
        grader: Takes its verdicts.
        known_instances: Instances that the source names elsewhere, on the same dataset.
    """
    report = grader.report
    run = Run(submission.folder, submission.entrant, dict(submission.facts), submission.day)
    run.provenance = Provenance(harness="swebench")
    if submission.trajectories:
        run.transcripts = partial(_trajectories, submission.trajectories, submission.entrant.name)
    instances = submission.instances
    if not submission.names_all:
        unlisted = _unlisted(submission, known_instances)
        if unlisted is None:
            return None
        instances |= unlisted
        report.assume("instances that `results.json` does not list are not resolved", run.entrant)
    run.planned = sorted(instances)
    differing: list[str] = []
    for instance in run.planned:
        difference = _grade(submission, instance, run, grader)
        if difference:
            differing.append(difference)
    differing += _against_repositories(submission, run)
    if differing:
        path = submission.folder / "results" / RESULTS
        grader.remark(run, kit_rules.SCORE_DIFFERS, path, listed(differing, 20, separator="; "))
        share = Decimal(100 * len(submission.results.resolved)) / max(1, len(instances))
        stated = {RESOLVED.id: share.quantize(Decimal("0.01"))}
        run.claims = Claims(source="SWE-bench submission: results.json", **stated)
    _remark_on(submission, run, grader)
    return run


def _remark_on(submission: Submission, run: Run, grader: Grader) -> None:
    """Note what a submission lacks."""
    folder = submission.folder
    if not submission.reports:
        grader.remark(run, rules.NO_LOGS, folder)
    if submission.is_checked is False:
        grader.remark(run, rules.UNCHECKED, folder)
    if submission.has_patch is not None:
        listed_names = submission.results.instances - submission.results.without_patch
        without = sorted(listed_names - submission.has_patch.keys())
        if without:
            fact = f"it has no prediction for {listed(map(one_line, without))}"
            grader.remark(run, rules.PREDICTIONS, folder, fact)
    if len(run.planned) < submission.total:
        split = submission.dataset or "the counts by repository"
        fact = f"{len(run.planned)} of the {submission.total} instances of {split}"
        grader.remark(run, rules.FEWER, folder, fact)
    if submission.attempts != "1":
        note = f"the system makes {submission.attempts} attempts, and one answer counts"
        grader.report.notes.append(f"{run.entrant}: {note}")


def _unlisted(submission: Submission, known_instances: Iterable[str]) -> set[str] | None:
    """Return the instances of a submission that no list names, or None where they are not known.

    They are known where the other instances of the source are as many in each repository as the counts
    say.
    """
    candidates = submission.instances | set(known_instances)
    counts = Counter(repository_of(name) for name in candidates)
    totals = {name: total for name, (_, total) in submission.results.by_repository.items()}
    if totals and {str(name): number for name, number in counts.items()} == totals:
        return candidates
    return None


def _grade(submission: Submission, instance: str, run: Run, grader: Grader) -> str:
    """Add what came of an instance, and return how its files differ, as a clause."""
    results = submission.results
    is_listed = instance in results.resolved
    has_patch = (submission.has_patch or {}).get(instance)
    path = submission.reports.get(instance)
    name = one_line(instance)
    if has_patch is False or (instance in results.without_patch and not has_patch):
        run.grade(instance, 1, 0, "there is no patch", "no_cases")
        if path:
            grader.remark(run, rules.STALE, path, instance=instance)
        return f"{name} is listed as resolved and has no patch" if is_listed else ""
    cause = results.cause(instance)
    logs = submission.folder / "logs" if submission.reports else None
    stated = Stated(cause=cause)
    if is_listed and cause:
        stated = Stated(cause=f"it is listed as resolved, and another list says: {cause}")
    elif is_listed:
        stated = Stated(resolved=True)
    elif not cause and (not submission.reports or instance in results.details):
        stated = Stated(resolved=False)
    graded = grader.grade(run, instance, path, logs=logs, stated=stated)
    _add_figures(results.details.get(instance, {}), instance, run)
    if graded and graded.resolved != is_listed:
        word = "resolved" if graded.resolved else "not resolved"
        return (
            f"{name} is {word} in its report, and {'' if is_listed else 'not '}listed as resolved"
        )
    return ""


def _add_figures(facts: Mapping[str, object], instance: str, run: Run) -> None:
    """Add the cost and the calls of an instance to its round."""
    result = run.results[instance, 1, 1, "own"]
    cost, calls = number_of(facts.get("cost")), number_of(facts.get("api_calls"))
    if cost is not None and cost >= 0:
        result = replace(result, cost_usd=cost)
    if calls is not None and calls >= 0:
        result = replace(result, turns=calls)
    run.results[instance, 1, 1, "own"] = result


def _against_repositories(submission: Submission, run: Run) -> Iterator[str]:
    """Yield how the counts by repository differ from what the instances say."""
    counts = submission.results.by_repository
    if not counts:
        return
    here = Counter(repository_of(instance) for instance in run.planned)
    solved = Counter(
        repository_of(task) for (task, *_), result in run.results.items() if result.reward == 1
    )
    for name in sorted({*(key or "" for key in here), *counts}):
        resolved, total = counts.get(name, (0, 0))
        key = name or None
        if resolved != solved[key] or here[key] > total:
            shown = one_line(name) or "an unknown repository"
            yield f"{solved[key]} of {here[key]} of {shown} are resolved; {COUNTS} has {resolved} of {total}"


def reported_row(submission: Submission) -> ReportedRow | None:
    """Return the score of a submission that does not name every instance; None without a total."""
    total, resolved = submission.total, len(submission.results.resolved)
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
    """Yield what a system did at each instance, where its files are those that SWE-agent writes."""
    for path in sorted(folder.glob("*.traj")):
        contents, problems = pick(path, _WORK, longest=LONGEST)
        turns = contents.get("trajectory") if isinstance(contents, dict) and not problems else None
        messages: list[dict[str, object]] = []
        for turn in turns if isinstance(turns, list) else ():
            if not isinstance(turn, dict):
                continue
            call = {"function": "action", "arguments": {"command": turn.get("action")}}
            words = turn.get("thought") or turn.get("response")
            messages.append({"role": "assistant", "content": words, "tool_calls": [call]})
            messages.append({"role": "tool", "content": turn.get("observation")})
        if messages:
            yield (path.stem, 1), transcript_of(messages, model)
