"""Imports runs of SWE-bench's evaluation and its relatives, and submissions to its leaderboard."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import chosen
from sitegen.importers.kit.claims import reported_table
from sitegen.importers.kit.joining import join_runs
from sitegen.importers.kit.options import Format, ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.rounds import GRADED, Run, Source
from sitegen.importers.kit.rules import DATE_ASSUMED
from sitegen.importers.kit.tree import Folder, Tree
from sitegen.importers.swebench import rules
from sitegen.importers.swebench.evaluations import Evaluation, entrant_of, order_runs, read_evaluation
from sitegen.importers.swebench.grading import REPOSITORY_AXIS, Grader
from sitegen.importers.swebench.logs import PATCH_FAILED, LogFolder, find_logs, is_instance_report
from sitegen.importers.swebench.predictions import Predictions, find_predictions, read_predictions
from sitegen.importers.swebench.submissions import (
    Submission,
    is_submission,
    read_run,
    read_submission,
    reported_row,
)
from sitegen.importers.swebench.summaries import Summary, SummaryName, looks_like_summary, name_of, read_summary
from sitegen.models.incoming import Incoming
from sitegen.models.reported import ReportedRow
from sitegen.problems import counted, listed

_NOT_WORD = re.compile(r"[^a-z0-9]+")
_REFETCHED = re.compile(r"(?P<run>.+)-\d+")
"""What the command of the hosted evaluation calls a report that it fetched again: with a number at its end."""


class Contents(NamedTuple):
    """What a folder holds."""

    evaluations: list[Evaluation]
    submissions: list[Submission]

    def models(self) -> list[str]:
        """Return the names of models and systems, each once."""
        names = [evaluation.model for evaluation in self.evaluations]
        names += [submission.entrant.name for submission in self.submissions]
        return list(dict.fromkeys(names))


def read_swebench(source: Path, options: ImportOptions) -> Incoming:
    """Read a folder with runs of the evaluation, or with submissions in the layout of the leaderboard's repository."""
    report, tree = Report(source), Tree(source)
    folders = tree.walk(leave_out={"trajs"})
    contents = find_contents(folders, tree, report)
    report.problems += tree.problems()
    report.stop_at_errors()
    wanted = chosen(contents.models(), options)
    contents = Contents(
        [evaluation for evaluation in contents.evaluations if evaluation.model in wanted],
        [submission for submission in contents.submissions if submission.entrant.name in wanted],
    )
    contents, options = pick_dataset(contents, options, report)
    grader = Grader(
        Source(
            report,
            "Instances of SWE-bench, each patched once.",
            columns=GRADED,
            undated=DATE_ASSUMED,
            lasting_axes=(REPOSITORY_AXIS,),
        )
    )
    check_names(contents.evaluations, options, report)
    runs = read_evaluations(contents.evaluations, grader, options)
    rows: list[ReportedRow] = []
    for submission in contents.submissions:
        run = read_run(submission, grader, instances_of(contents, submission))
        if run is not None:
            runs.append(run)
            continue
        row = reported_row(submission)
        if row is None:
            what = "the submission names only resolved instances, and not how many there are"
            report.add(rules.NO_RESULTS, submission.folder, what)
        else:
            rows.append(row)
            what = "the submission does not name every instance, so only its score was imported"
            report.add(rules.REPORTED_ONLY, submission.folder, what)
    report.stop_at_errors()
    runs = with_verdicts(runs, report)
    grader.finish(runs, join_runs(runs, options, report))
    if rows:
        day = options.date or max((each.day for each in contents.submissions if each.day), default=options.today)
        table = reported_table("SWE-bench submissions", "SWE-bench leaderboard", day, rows, options.track)
        grader.source.reported.append(("swe-bench", table))
    return grader.source.imported(options)


def recognise(tree: Tree) -> str | None:
    """Return what a folder has of the evaluation: a submission, a run's summary or its logs; None if nothing."""
    for folder in tree.walk(leave_out={"trajs"}):
        if is_submission(folder, tree):
            return f"submissions to SWE-bench, such as {tree.shown(folder.path)}"
        for name in folder.files:
            path = folder.path / name
            if looks_like_summary(path):
                return f"runs of SWE-bench's evaluation, such as {tree.shown(path)}"
            if name == "report.json" and is_instance_report(path):
                return f"logs of SWE-bench's evaluation, such as {tree.shown(path)}"
    return None


FORMAT = Format(read_swebench, "main", extras=frozenset({"runs", "pick"}), recognise=recognise)


def find_contents(folders: Sequence[Folder], tree: Tree, report: Report) -> Contents:
    """Return the runs and submissions in some folders; the report takes what can't be used."""
    sent = [folder for folder in folders if is_submission(folder, tree)]
    inside = [folder.path for folder in sent]
    others = []
    for folder in folders:
        if not any(folder.path.is_relative_to(path) for path in inside):
            others.append(folder)
    submissions = [read_submission(folder, tree, report) for folder in sent]
    predictions: list[Predictions] = []
    for path in find_predictions(others):
        file = read_predictions(path)
        predictions += file.models
        if file.fault:
            what = f"{path.name} {file.fault}"
            report.say(rules.PREDICTIONS, path, what, None, what)
    logs = find_logs(others, tree)
    evaluations = pair_up(others, logs, report)
    for evaluation in evaluations:
        evaluation.predictions = predictions_of(evaluation, predictions)
    return Contents(without_old_reports(evaluations, report), submissions)


def pair_up(folders: Iterable[Folder], logs: Sequence[LogFolder], report: Report) -> list[Evaluation]:
    """Return the runs that summaries and logs tell of, each with both where both are there."""
    evaluations: list[Evaluation] = []
    unusable: list[tuple[Path, str]] = []
    paired: set[Path] = set()
    for folder in folders:
        for name in folder.files:
            path = folder.path / name
            if not looks_like_summary(path):
                continue
            summary, fault, is_cut = read_summary(path)
            if is_cut:
                report.add(kit_rules.CUT_OFF, path, f"{name} {fault}")
            elif summary is None:
                unusable.append((path, fault))
            else:
                evaluation = _evaluation_of(summary, logs)
                if evaluation.logs:
                    paired.add(evaluation.logs.path)
                evaluations.append(evaluation)
    evaluations = without_copies(evaluations, report)
    for log_folder in logs:
        if log_folder.path not in paired:
            evaluations.append(_unsummarised(log_folder, evaluations))
    for path, fault in unusable:
        if evaluations:
            fact = f"{path.name}, which {fault}"
            report.say(kit_rules.LEFT_OUT, path, fact, None, fact)
        else:
            report.add(kit_rules.SOURCE_BROKEN, path, f"{path.name} {fault}")
    return evaluations


def _evaluation_of(summary: Summary, logs: Sequence[LogFolder]) -> Evaluation:
    """Return the run of a summary, with its logs if they are there."""
    path = summary.path
    for log_folder in logs:
        if path.name == f"{log_folder.model}.{log_folder.run_id}.json":
            dataset = str(log_folder.run_file.get("dataset") or "")
            return Evaluation(log_folder.model, log_folder.run_id, dataset, summary, log_folder)
    name = name_of(path)
    for log_folder in logs:
        # SWE-bench-Live writes the summary into the folder of the logs.
        if log_folder.path == path.parent and log_folder.is_guess:
            return Evaluation(name.model, name.run_id or log_folder.run_id, name.dataset, summary, log_folder)
    guess = ""
    if name.is_guess:
        guess = f"{one_line(path.name)} is about run {one_line(name.run_id)} of model {one_line(name.model)}"
    return Evaluation(name.model, name.run_id, name.dataset, summary, guess=guess)


def _unsummarised(logs: LogFolder, evaluations: Sequence[Evaluation]) -> Evaluation:
    """Return the run of logs without a summary, and take its instances from the summary that counts them.

    Predictions of two models in one file give one summary, which is called after the first of them.
    """
    dataset = str(logs.run_file.get("dataset") or "")
    guess = ""
    if logs.is_guess and logs.model:
        guess = f"the logs in {one_line(logs.path.name)} are of a model of that name"
    evaluation = Evaluation(logs.model, logs.run_id, dataset, logs=logs, guess=guess)
    for other in evaluations:
        if other.summary is None or other.logs is None or other.logs.path.parent != logs.path.parent:
            continue
        shared = set(logs.instances) & other.summary.verdicts.keys() - set(other.logs.instances)
        other.elsewhere = {**other.elsewhere, **dict.fromkeys(sorted(shared), evaluation.model)}
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
    if (evaluation.folder_name, evaluation.run_id, evaluation.dataset) != (
        other.folder_name,
        other.run_id,
        other.dataset,
    ):
        return False
    ours, theirs = evaluation.summary, other.summary
    if ours is None or theirs is None:
        return False
    return replace(ours, path=theirs.path) == theirs


def without_old_reports(evaluations: Sequence[Evaluation], report: Report) -> list[Evaluation]:
    """Return runs without reports of the hosted evaluation that were fetched again when more instances had ended."""
    by_run = {evaluation.run_id: evaluation for evaluation in evaluations if evaluation.dataset and not evaluation.logs}
    replaced: set[int] = set()
    for run_id in sorted(by_run):
        match = _REFETCHED.fullmatch(run_id)
        older = by_run.get(match["run"]) if match else None
        newer = by_run[run_id]
        if older is None or older.summary is None or newer.summary is None or older.dataset != newer.dataset:
            continue
        if older.summary.verdicts.items() <= newer.summary.verdicts.items():
            replaced.add(id(older))
            newer.run_id = older.run_id
            entrant, _ = entrant_of(newer.model)
            what = f"{older.path.name}, for {newer.path.name}, which has {counted(len(newer.summary.verdicts), 'verdict')}"
            report.say(kit_rules.RUN_REPLACED, older.path, what, entrant, what)
    return [evaluation for evaluation in evaluations if id(evaluation) not in replaced]


def predictions_of(evaluation: Evaluation, predictions: Sequence[Predictions]) -> Predictions | None:
    """Return the predictions of a run: those of its model, or those of exactly its instances if it has no name."""
    if evaluation.folder_name:
        fitting = [each for each in predictions if each.folder_name == evaluation.folder_name]
    else:
        wanted = evaluation.instances - set(evaluation.summary.unpredicted if evaluation.summary else ())
        fitting = [each for each in predictions if each.model and wanted and wanted <= each.has_patch.keys()]
        if len({each.model for each in fitting}) > 1:
            return None
    if not fitting:
        return None
    return max(fitting, key=lambda each: len(evaluation.instances & each.has_patch.keys()))


def dataset_key(dataset: str) -> str:
    """Return what the spellings of a dataset have in common: SWE-bench/SWE-bench_Lite, swe-bench_lite and lite."""
    last = dataset.rstrip("/").rpartition("/")[2].casefold()
    key = _NOT_WORD.sub("", last).replace("swebench", "")
    return {"m": "multimodal", "bashonly": "verified", "test": "full", "": "full"}.get(key, key)


def pick_dataset(contents: Contents, options: ImportOptions, report: Report) -> tuple[Contents, ImportOptions]:
    """Keep the runs on the dataset that `--task` names, and report an error where several datasets are left.

    Returns:
        The runs and submissions that are left, and the options without the names of datasets.
    """
    spellings: defaultdict[str, list[str]] = defaultdict(list)
    instances: defaultdict[str, set[str]] = defaultdict(set)
    for part in (*contents.evaluations, *contents.submissions):
        dataset = part.dataset if isinstance(part, Evaluation) else part.split
        if dataset:
            spellings[dataset_key(dataset)].append(dataset)
            instances[dataset_key(dataset)] |= part.instances
    named = {name: dataset_key(name) for name in options.task_names if dataset_key(name) in spellings}
    every_instance: set[str] = set().union(*instances.values())
    named = {name: key for name, key in named.items() if name not in every_instance}
    if named:
        keys = set(named.values())
        contents = Contents(
            [each for each in contents.evaluations if dataset_key(each.dataset) in keys and each.dataset],
            [each for each in contents.submissions if dataset_key(each.split) in keys and each.split],
        )
        options = replace(options, task_names=tuple(name for name in options.task_names if name not in named))
        instances = defaultdict(set, {key: names for key, names in instances.items() if key in keys})
    if len({frozenset(names) for names in instances.values()}) > 1:
        places = [f"{one_line(spellings[key][0])} ({counted(len(spellings[key]), 'run')})" for key in instances]
        report.add(rules.DATASETS, report.root, f"the runs were evaluated on several datasets: {listed(places)}")
        report.stop_at_errors()
    return contents, options


def instances_of(contents: Contents, submission: Submission) -> set[str]:
    """Return the instances that other submissions on the dataset of one name."""
    names: set[str] = set()
    for other in contents.submissions:
        if dataset_key(other.split) == dataset_key(submission.split):
            names |= other.instances
    return names


def check_names(evaluations: Iterable[Evaluation], options: ImportOptions, report: Report) -> None:
    """Report an error for every run of which nothing tells the model, unless the importing person names the agent."""
    if options.agent:
        return
    for evaluation in evaluations:
        if not evaluation.model:
            what = f"neither the name of {evaluation.path.name} nor a file of predictions says which model was evaluated"
            report.add(kit_rules.AGENT_UNKNOWN, evaluation.path, what)
    report.stop_at_errors()


def read_evaluations(evaluations: Sequence[Evaluation], grader: Grader, options: ImportOptions) -> list[Run]:
    """Return the runs of evaluations, those of an agent in the order of time."""
    by_model: defaultdict[str, list[Evaluation]] = defaultdict(list)
    for evaluation in evaluations:
        by_model[evaluation.model].append(evaluation)
    runs = []
    for own in by_model.values():
        ordered, is_stated = order_runs(own)
        own_runs = [read_evaluation(evaluation, grader, options.agent) for evaluation in ordered]
        tasks = [task for run in own_runs for task, *_ in run.results]
        if not is_stated and len(set(tasks)) < len(tasks):
            names = listed([one_line(evaluation.run_id or evaluation.path.name) for evaluation in ordered])
            entrant = own_runs[0].entrant
            grader.report.assume(f"the runs of {entrant} took place in the order of their run ids: {names}", entrant)
        runs += own_runs
    return runs


def with_verdicts(runs: Collection[Run], report: Report) -> list[Run]:
    """Return the runs in which some instance came to a verdict; the others are left out by name.

    A patch that could not be applied is a verdict on the agent; other instances without one are not.
    """
    kept = [run for run in runs if _has_verdict(run)]
    empty = [run for run in runs if not _has_verdict(run)]
    if empty and not kept:
        names = listed([report.name(run.path) for run in empty])
        what = f"no instance came to a verdict in {names}"
        report.add(kit_rules.NOTHING_SCORED, empty[0].path, what)
        report.stop_at_errors()
    for run in empty:
        fact = f"{report.name(run.path)}, in which no instance came to a verdict"
        report.say(kit_rules.LEFT_OUT, run.path, fact, None, fact)
    return kept


def _has_verdict(run: Run) -> bool:
    """Return whether some instance of a run came to a verdict."""
    for result in run.results.values():
        if result.state != "aborted" or result.cause == PATCH_FAILED:
            return True
    return False
