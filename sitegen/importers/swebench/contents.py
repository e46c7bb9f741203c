"""Find the submissions and evaluations of a folder, with their summaries, logs and predictions.

`find_contents` is the entry point; the other functions match summaries with logs and predictions by
name.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.tree import Folder, SourceTree
from sitegen.importers.swebench import rules
from sitegen.importers.swebench.datasets import dataset_key
from sitegen.importers.swebench.evaluations import ModelEvaluation, entrant_of
from sitegen.importers.swebench.logs import LogFolder, find_logs
from sitegen.importers.swebench.predictions import Predictions, find_predictions, read_predictions
from sitegen.importers.swebench.submissions import (
    LeaderboardSubmission,
    is_submission,
    read_submission,
)
from sitegen.importers.swebench.summaries import (
    NO_LISTS,
    EvaluationSummary,
    looks_like_summary,
    name_of,
    read_summary,
)
from sitegen.problems import counted, listed

_REFETCHED = re.compile(r"(?P<run>.+)-\d+")
"""Run ids of reports that the command of the hosted evaluation fetched again."""


class SourceContents(NamedTuple):
    """The evaluations and submissions of a folder."""

    evaluations: list[ModelEvaluation]
    submissions: list[LeaderboardSubmission]

    def models(self) -> list[str]:
        """Return the distinct names of models and systems."""
        names = [evaluation.model for evaluation in self.evaluations]
        names += [submission.entrant.name for submission in self.submissions]
        return list(dict.fromkeys(names))

    def of_models(self, models: Collection[str]) -> "SourceContents":
        """Return the evaluations and submissions of the given models."""
        evaluations = [run for run in self.evaluations if run.model in models]
        submissions = [entry for entry in self.submissions if entry.entrant.name in models]
        return SourceContents(evaluations, submissions)

    def on_datasets(self, keys: Collection[str]) -> "SourceContents":
        """Return the evaluations and submissions that name a dataset with one of the keys."""

        def is_included(dataset: str) -> bool:
            return bool(dataset) and dataset_key(dataset) in keys

        evaluations = [run for run in self.evaluations if is_included(run.dataset)]
        submissions = [entry for entry in self.submissions if is_included(entry.dataset)]
        return SourceContents(evaluations, submissions)

    def instances_beside(self, submission: LeaderboardSubmission) -> set[str]:
        """Return the instances of all submissions on the same dataset as the given submission."""
        names: set[str] = set()
        for entry in self.submissions:
            if dataset_key(entry.dataset) == dataset_key(submission.dataset):
                names |= entry.instances
        return names


def find_contents(folders: Sequence[Folder], tree: SourceTree, log: ImportLog) -> SourceContents:
    """Return the evaluations and submissions in the given folders; unusable files are reported."""
    submission_folders = [folder for folder in folders if is_submission(folder, tree)]
    inside = {folder.path for folder in submission_folders}
    outside = [folder for folder in folders if not _is_inside(folder, inside)]
    submissions = [read_submission(folder, tree, log) for folder in submission_folders]
    predictions: list[Predictions] = []
    for path in find_predictions(outside):
        file = read_predictions(path)
        predictions += file.models
        if file.fault:
            fact = f"{path.name} {file.fault}"
            log.add_with_caveat(rules.PREDICTIONS, path, fact, None, fact)
    evaluations = pair_up(outside, find_logs(outside, tree), log)
    for evaluation in evaluations:
        evaluation.predictions = predictions_of(evaluation, predictions)
    return SourceContents(without_old_reports(evaluations, log), submissions)


def _is_inside(folder: Folder, paths: AbstractSet[Path]) -> bool:
    """Return whether a folder, or any of its parent folders, has one of the given paths."""
    return not paths.isdisjoint((folder.path, *folder.path.parents))


def pair_up(
    folders: Iterable[Folder], logs: Sequence[LogFolder], log: ImportLog
) -> list[ModelEvaluation]:
    """Return an evaluation for each summary, with its logs if any, and each other log folder."""
    summaries, unusable = _read_summaries(folders, log)
    logs_by_summary = [_logs_of(summary, summaries, logs) for summary in summaries]
    evaluations = without_copies(list(map(_evaluation_of, summaries, logs_by_summary)), log)
    paired = {evaluation.logs.path for evaluation in evaluations if evaluation.logs}
    for log_folder in logs:
        if log_folder.path not in paired:
            evaluations.append(_evaluation_of_logs(log_folder, evaluations))
    for path, fault in unusable:
        fact = f"{path.name} {fault}"
        if evaluations:
            log.add_with_caveat(kit_rules.LEFT_OUT, path, fact, None, fact)
        elif fault == NO_LISTS:
            log.add(rules.COUNTS_ONLY, path, fact)
        else:
            log.add(kit_rules.SOURCE_BROKEN, path, fact)
    return evaluations


def _read_summaries(
    folders: Iterable[Folder], log: ImportLog
) -> tuple[list[EvaluationSummary], list[tuple[Path, str]]]:
    """Return the summaries in the given folders, and the unusable files with their faults.

    Truncated summaries are reported.
    """
    summaries: list[EvaluationSummary] = []
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
                log.add(kit_rules.CUT_OFF, path, f"{name} {fault}")
            else:
                unusable.append((path, fault))
    return summaries, unusable


def _logs_of(
    summary: EvaluationSummary, summaries: Sequence[EvaluationSummary], logs: Sequence[LogFolder]
) -> LogFolder | None:
    """Return the logs of a summary; None if there are none.

    The harness names both after the model and the run. Logs in other folders belong to a summary if
    they can't belong to any other summary.
    """
    same_name = [log_folder for log_folder in logs if _is_named_after(summary, log_folder)]
    if same_name:
        return max(same_name, key=lambda log_folder: _shared_depth(summary.path, log_folder.path))
    candidates = [log_folder for log_folder in logs if _can_be_of(summary, log_folder)]
    if len(candidates) != 1:
        return None
    log_folder = candidates[0]
    owners = [summary for summary in summaries if _can_own(summary, log_folder)]
    return log_folder if len(owners) == 1 else None


def _shared_depth(summary_path: Path, logs_path: Path) -> int:
    """Return the number of folders that two paths share from the root."""
    depth = 0
    for name, logs_name in zip(summary_path.parts, logs_path.parts, strict=False):
        if name != logs_name:
            break
        depth += 1
    return depth


def _is_named_after(summary: EvaluationSummary, logs: LogFolder) -> bool:
    """Return whether a summary and logs are named after the same model and run."""
    return summary.path.name == f"{logs.model}.{logs.run_id}.json"


def _can_be_of(summary: EvaluationSummary, logs: LogFolder) -> bool:
    """Return whether logs in an unusual folder may belong to a summary."""
    if not logs.is_guess or summary.verdicts.keys().isdisjoint(logs.instances):
        return False
    if not logs.model or not name_of(summary.path).model:
        return logs.path.is_relative_to(summary.path.parent)
    return summary.path.name.startswith(f"{logs.model}.")


def _can_own(summary: EvaluationSummary, logs: LogFolder) -> bool:
    """Return whether logs may belong to a summary, by name or by their instances."""
    return _is_named_after(summary, logs) or _can_be_of(summary, logs)


def _evaluation_of(summary: EvaluationSummary, logs: LogFolder | None) -> ModelEvaluation:
    """Return the evaluation of a summary, with its logs if it has any."""
    path = summary.path
    if logs and _is_named_after(summary, logs):
        return ModelEvaluation(logs.model, logs.run_id, logs.dataset(), summary, logs)
    if summary.model or summary.dataset:
        run_id = path.absolute().parent.name
        return ModelEvaluation(summary.model, run_id, summary.dataset, summary, logs)
    name = name_of(path)
    if logs and name.model:
        model = logs.model or name.model
        run_id = path.stem.removeprefix(f"{model}.")
        return ModelEvaluation(model, run_id, name.dataset, summary, logs)
    guess = ""
    if name.is_guess:
        run = f"run {one_line(name.run_id)} of " if name.run_id else ""
        guess = f"{one_line(path.name)} is about {run}model {one_line(name.model)}"
    return ModelEvaluation(name.model, name.run_id, name.dataset, summary, logs, guess=guess)


def _evaluation_of_logs(logs: LogFolder, evaluations: Sequence[ModelEvaluation]) -> ModelEvaluation:
    """Return the evaluation of logs without a summary.

    Its instances no longer count in a neighbouring evaluation whose summary lists them. Such a
    summary is written for predictions of two models in one file, and is named after the first
    model.
    """
    guess = ""
    if logs.is_guess and logs.model:
        guess = f"the logs in {one_line(logs.path.name)} are of a model of that name"
    evaluation = ModelEvaluation(logs.model, logs.run_id, logs.dataset(), logs=logs, guess=guess)
    for candidate in evaluations:
        if candidate.summary is None or candidate.logs is None:
            continue
        if candidate.logs.path.parent == logs.path.parent:
            without_logs = candidate.summary.verdicts.keys() - candidate.logs.instances
            moved = sorted(without_logs & logs.instances)
            candidate.elsewhere |= dict.fromkeys(moved, evaluation.model)
    return evaluation


def without_copies(evaluations: Sequence[ModelEvaluation], log: ImportLog) -> list[ModelEvaluation]:
    """Return evaluations, except those whose summary is a copy of another summary."""
    distinct: list[ModelEvaluation] = []
    for evaluation in evaluations:
        if any(map(evaluation.is_copy_of, distinct)):
            log.note_passed_over("a copy of another summary", [evaluation.path])
        else:
            distinct.append(evaluation)
    return distinct


def without_old_reports(
    evaluations: Sequence[ModelEvaluation], log: ImportLog
) -> list[ModelEvaluation]:
    """Return evaluations, except hosted reports that were fetched again later."""
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
        later = f"{newer.path.name}, which was fetched later and has {number}"
        fact = f"{older.path.name}, replaced by {later}"
        log.add_with_caveat(kit_rules.RUN_REPLACED, older.path, fact, entrant, fact)
    return [evaluation for evaluation in evaluations if evaluation.path not in replaced]


def predictions_of(
    evaluation: ModelEvaluation, predictions: Sequence[Predictions]
) -> Predictions | None:
    """Return the predictions of an evaluation; None if there are none, or several models match.

    Predictions match by model; if the model is unknown, they must include all instances.
    """
    name = evaluation.folder_name
    if name:
        candidates = [item for item in predictions if item.folder_name == name]
    else:
        candidates = _predictions_of_instances(evaluation, predictions)
        if len({item.model for item in candidates}) > 1:
            return None
    instances = evaluation.instances
    return max(candidates, key=lambda item: len(instances & item.has_patch.keys()), default=None)


def _predictions_of_instances(
    evaluation: ModelEvaluation, predictions: Sequence[Predictions]
) -> list[Predictions]:
    """Return the predictions of named models that include every instance of an evaluation."""
    instances = evaluation.instances - evaluation.unpredicted
    if not instances:
        return []
    return [item for item in predictions if item.model and instances <= item.has_patch.keys()]


def pick_dataset(
    contents: SourceContents, options: ImportOptions, log: ImportLog
) -> tuple[SourceContents, ImportOptions]:
    """Return the contents on the datasets that `--task` names.

    Returns:
        The evaluations and submissions, and the options without the names of datasets.

    Raises:
        ProblemsError: The evaluations and submissions are on several datasets.
    """
    spellings: defaultdict[str, list[str]] = defaultdict(list)
    instances: defaultdict[str, set[str]] = defaultdict(set)
    entries: list[ModelEvaluation | LeaderboardSubmission] = [*contents.evaluations]
    entries += contents.submissions
    for entry in entries:
        if entry.dataset:
            key = dataset_key(entry.dataset)
            spellings[key].append(entry.dataset)
            instances[key] |= entry.instances
    instance_names: set[str] = set().union(*instances.values())
    requested_keys = set()
    task_names = []
    for name in options.task_names:
        if dataset_key(name) in spellings and name not in instance_names:
            requested_keys.add(dataset_key(name))
        else:
            task_names.append(name)
    picked_keys = list(instances)
    if requested_keys:
        contents = contents.on_datasets(requested_keys)
        options = replace(options, task_names=tuple(task_names))
        picked_keys = [key for key in instances if key in requested_keys]
    if len({frozenset(instances[key]) for key in picked_keys}) > 1:
        names = []
        for key in picked_keys:
            runs = counted(len(spellings[key]), "run")
            names.append(f"{one_line(spellings[key][0])} ({runs})")
        fact = f"the runs were evaluated on several datasets: {listed(names)}"
        log.add(rules.DATASETS, log.root, fact)
        log.stop_at_errors()
    return contents, options
