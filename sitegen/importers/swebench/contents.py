"""Finds what a folder holds: runs, each with its summary, logs and predictions, and submissions."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.tree import Folder, Tree
from sitegen.importers.swebench import rules
from sitegen.importers.swebench.datasets import dataset_key
from sitegen.importers.swebench.evaluations import Evaluation, entrant_of
from sitegen.importers.swebench.logs import LogFolder, find_logs
from sitegen.importers.swebench.predictions import Predictions, find_predictions, read_predictions
from sitegen.importers.swebench.submissions import Submission, is_submission, read_submission
from sitegen.importers.swebench.summaries import Summary, looks_like_summary, name_of, read_summary
from sitegen.problems import counted, listed

_REFETCHED = re.compile(r"(?P<run>.+)-\d+")
"""What the command of the hosted evaluation calls a report that it fetched again."""


class Contents(NamedTuple):
    """What a folder holds."""

    evaluations: list[Evaluation]
    submissions: list[Submission]

    def models(self) -> list[str]:
        """Return the names of models and systems, each once."""
        names = [evaluation.model for evaluation in self.evaluations]
        names += [submission.entrant.name for submission in self.submissions]
        return list(dict.fromkeys(names))

    def of_models(self, models: Collection[str]) -> "Contents":
        """Return the runs and submissions of some models."""
        evaluations = [run for run in self.evaluations if run.model in models]
        submissions = [entry for entry in self.submissions if entry.entrant.name in models]
        return Contents(evaluations, submissions)

    def on_datasets(self, keys: Collection[str]) -> "Contents":
        """Return the runs and submissions that are surely on datasets of some keys."""
        evaluations = [
            run for run in self.evaluations if run.dataset and dataset_key(run.dataset) in keys
        ]
        submissions = [
            entry
            for entry in self.submissions
            if entry.dataset and dataset_key(entry.dataset) in keys
        ]
        return Contents(evaluations, submissions)

    def instances_beside(self, submission: Submission) -> set[str]:
        """Return the instances that the submissions on the dataset of one name."""
        names: set[str] = set()
        for entry in self.submissions:
            if dataset_key(entry.dataset) == dataset_key(submission.dataset):
                names |= entry.instances
        return names


def find_contents(folders: Sequence[Folder], tree: Tree, report: Report) -> Contents:
    """Return the runs and submissions in some folders; the report takes what can't be used."""
    sent = [folder for folder in folders if is_submission(folder, tree)]
    inside = [folder.path for folder in sent]
    outside = [folder for folder in folders if not _lies_in(folder, inside)]
    submissions = [read_submission(folder, tree, report) for folder in sent]
    predictions: list[Predictions] = []
    for path in find_predictions(outside):
        file = read_predictions(path)
        predictions += file.models
        if file.fault:
            fact = f"{path.name} {file.fault}"
            report.say(rules.PREDICTIONS, path, fact, None, fact)
    evaluations = pair_up(outside, find_logs(outside, tree), report)
    for evaluation in evaluations:
        evaluation.predictions = predictions_of(evaluation, predictions)
    return Contents(without_old_reports(evaluations, report), submissions)


def _lies_in(folder: Folder, paths: Iterable[Path]) -> bool:
    """Return whether a folder is one of some folders, or lies in one of them."""
    return any(folder.path.is_relative_to(path) for path in paths)


def pair_up(
    folders: Iterable[Folder], logs: Sequence[LogFolder], report: Report
) -> list[Evaluation]:
    """Return the runs that summaries and logs tell of, each with both where both are there."""
    summaries: list[Summary] = []
    unusable: list[tuple[Path, str]] = []
    for folder in folders:
        for name in folder.files:
            path = folder.path / name
            if not looks_like_summary(path):
                continue
            summary, fault, is_cut = read_summary(path)
            if summary is not None:
                summaries.append(summary)
            elif is_cut:
                report.add(kit_rules.CUT_OFF, path, f"{name} {fault}")
            else:
                unusable.append((path, fault))
    evaluations = [
        _evaluation_of(summary, _logs_of(summary, summaries, logs)) for summary in summaries
    ]
    evaluations = without_copies(evaluations, report)
    paired = {evaluation.logs.path for evaluation in evaluations if evaluation.logs}
    for log_folder in logs:
        if log_folder.path not in paired:
            evaluations.append(_unsummarised(log_folder, evaluations))
    for path, fault in unusable:
        fact = f"{path.name} {fault}"
        if evaluations:
            report.say(kit_rules.LEFT_OUT, path, fact, None, fact)
        else:
            report.add(kit_rules.SOURCE_BROKEN, path, fact)
    return evaluations


def _logs_of(
    summary: Summary, summaries: Sequence[Summary], logs: Sequence[LogFolder]
) -> LogFolder | None:
    """Return the logs of a summary, or None.

    The harness calls both after model and run. Logs that lie in other folders are those of the one
    summary that fits.
    """
    same_name = [log_folder for log_folder in logs if _is_named_after(summary, log_folder)]
    if same_name:
        return max(same_name, key=lambda log_folder: _shared_depth(summary.path, log_folder.path))
    fitting = [log_folder for log_folder in logs if _can_be_of(summary, log_folder)]
    if len(fitting) != 1:
        return None
    rivals = [
        other
        for other in summaries
        if _is_named_after(other, fitting[0]) or _can_be_of(other, fitting[0])
    ]
    return fitting[0] if len(rivals) == 1 else None


def _shared_depth(path: Path, other: Path) -> int:
    """Return how many folders two paths share from the root."""
    depth = 0
    for part, other_part in zip(path.parts, other.parts, strict=False):
        if part != other_part:
            break
        depth += 1
    return depth


def _is_named_after(summary: Summary, logs: LogFolder) -> bool:
    """Return whether a summary and logs are called after the same model and run."""
    return summary.path.name == f"{logs.model}.{logs.run_id}.json"


def _can_be_of(summary: Summary, logs: LogFolder) -> bool:
    """Return whether logs that do not lie where the harness puts them can be those of a summary."""
    if not logs.is_guess or summary.verdicts.keys().isdisjoint(logs.instances):
        return False
    is_nameless = not name_of(summary.path).model
    if is_nameless or not logs.model:
        return logs.path.is_relative_to(summary.path.parent)
    return summary.path.name.startswith(f"{logs.model}.")


def _evaluation_of(summary: Summary, logs: LogFolder | None) -> Evaluation:
    """Return the run of a summary, with its logs if they are there."""
    path = summary.path
    if logs and _is_named_after(summary, logs):
        return Evaluation(logs.model, logs.run_id, logs.dataset(), summary, logs)
    name = name_of(path)
    if logs and name.model:
        model = logs.model or name.model
        run_id = path.stem.removeprefix(f"{model}.")
        return Evaluation(model, run_id, name.dataset, summary, logs)
    guess = ""
    if name.is_guess:
        run, model = one_line(name.run_id), one_line(name.model)
        guess = f"{one_line(path.name)} is about run {run} of model {model}"
    return Evaluation(name.model, name.run_id, name.dataset, summary, logs, guess=guess)


def _unsummarised(logs: LogFolder, evaluations: Sequence[Evaluation]) -> Evaluation:
    """Return the run of logs without a summary; the summary that counts its instances loses them.

    Predictions of two models in one file give one summary, which is called after the first of them.
    """
    guess = ""
    if logs.is_guess and logs.model:
        guess = f"the logs in {one_line(logs.path.name)} are of a model of that name"
    evaluation = Evaluation(logs.model, logs.run_id, logs.dataset(), logs=logs, guess=guess)
    for other in evaluations:
        if other.summary is None or other.logs is None:
            continue
        if other.logs.path.parent == logs.path.parent:
            counted_here = other.summary.verdicts.keys() - set(other.logs.instances)
            shared = sorted(counted_here & set(logs.instances))
            other.elsewhere = {**other.elsewhere, **dict.fromkeys(shared, evaluation.model)}
    return evaluation


def without_copies(evaluations: Sequence[Evaluation], report: Report) -> list[Evaluation]:
    """Return runs without those whose summary is a copy of another one's."""
    kept: list[Evaluation] = []
    for evaluation in evaluations:
        if any(_is_copy(evaluation, other) for other in kept):
            report.passed_over("a copy of another summary", [evaluation.path])
        else:
            kept.append(evaluation)
    return kept


def _is_copy(evaluation: Evaluation, other: Evaluation) -> bool:
    """Return whether two runs have the same name and the same summary."""
    ours, theirs = evaluation.summary, other.summary
    if ours is None or theirs is None or evaluation.key != other.key:
        return False
    return replace(ours, path=theirs.path) == theirs


def without_old_reports(evaluations: Sequence[Evaluation], report: Report) -> list[Evaluation]:
    """Return runs without reports of the hosted evaluation that were fetched again later."""
    hosted = {evaluation.run_id: evaluation for evaluation in evaluations if evaluation.is_hosted}
    replaced = set()
    for run_id, newer in sorted(hosted.items()):
        match = _REFETCHED.fullmatch(run_id)
        older = hosted.get(match["run"]) if match else None
        if older is None or not newer.continues(older):
            continue
        replaced.add(older.path)
        newer.run_id = older.run_id
        entrant, _ = entrant_of(newer.model)
        number = counted(len(newer.instances), "instance")
        fact = f"{older.path.name}, for {newer.path.name}, which was fetched later and has {number}"
        report.say(kit_rules.RUN_REPLACED, older.path, fact, entrant, fact)
    return [evaluation for evaluation in evaluations if evaluation.path not in replaced]


def predictions_of(
    evaluation: Evaluation, predictions: Sequence[Predictions]
) -> Predictions | None:
    """Return the predictions of a run: those of its model, or of its instances if it has no name."""
    if evaluation.folder_name:
        fitting = [file for file in predictions if file.folder_name == evaluation.folder_name]
    else:
        wanted = evaluation.instances - evaluation.unpredicted
        fitting = [
            file
            for file in predictions
            if file.model and wanted and wanted <= file.has_patch.keys()
        ]
        if len({file.model for file in fitting}) > 1:
            return None
    if not fitting:
        return None
    return max(fitting, key=lambda file: len(evaluation.instances & file.has_patch.keys()))


def pick_dataset(
    contents: Contents, options: ImportOptions, report: Report
) -> tuple[Contents, ImportOptions]:
    """Keep the runs on the datasets that `--task` names; if several are left, report an error.

    Returns:
        The runs and submissions that are left, and the options without the names of datasets.
    """
    spellings: defaultdict[str, list[str]] = defaultdict(list)
    instances: defaultdict[str, set[str]] = defaultdict(set)
    entries: list[Evaluation | Submission] = [*contents.evaluations, *contents.submissions]
    for entry in entries:
        if entry.dataset:
            key = dataset_key(entry.dataset)
            spellings[key].append(entry.dataset)
            instances[key] |= entry.instances
    named_instances = {name for names in instances.values() for name in names}
    wanted = set()
    task_names = []
    for name in options.task_names:
        if dataset_key(name) in spellings and name not in named_instances:
            wanted.add(dataset_key(name))
        else:
            task_names.append(name)
    if wanted:
        contents = contents.on_datasets(wanted)
        options = replace(options, task_names=tuple(task_names))
    left = [key for key in instances if key in wanted or not wanted]
    if len({frozenset(instances[key]) for key in left}) > 1:
        shown = [
            f"{one_line(spellings[key][0])} ({counted(len(spellings[key]), 'run')})" for key in left
        ]
        report.add(
            rules.DATASETS,
            report.root,
            f"the runs were evaluated on several datasets: {listed(shown)}",
        )
        report.stop_at_errors()
    return contents, options
