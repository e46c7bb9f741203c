"""Imports what the lm-evaluation-harness writes: its results, and a line for each document."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date as Date  # noqa: N812 - as elsewhere
from pathlib import Path

from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import chosen
from sitegen.importers.kit.drafts import slug_of
from sitegen.importers.kit.options import Format, ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.rewards import reward_of
from sitegen.importers.kit.rounds import GRADED, Source
from sitegen.importers.kit.tree import Tree
from sitegen.importers.lm_eval.agents import AgentTasks, find_agents, read_all
from sitegen.importers.lm_eval.files import Score, TaskRun, find_results, is_results
from sitegen.importers.lm_eval.reported import Row, reported_row, reported_rows
from sitegen.importers.lm_eval.runs import SUBSET, add_run, name_missing
from sitegen.importers.lm_eval.scores import SHARES, Candidate, Choice, choose_score
from sitegen.models.incoming import Incoming
from sitegen.problems import UsageError, listed


def read_lm_eval(source: Path, options: ImportOptions) -> Incoming:
    """Return what a folder of results holds: a bundle for each agent, a task for each document.

    Agents without documents become rows of a reported table.

    Raises:
        UsageError: A task, model or metric that is asked for is not there.
        ProblemsError: The folder holds nothing that can be used.
    """
    report, tree = Report(source), Tree(source)
    task_runs = find_results(tree, report)
    report.problems += tree.problems()
    report.stop_at_errors()
    task_runs, document_names = _pick_tasks(task_runs, options)
    task_runs = _pick_models(task_runs, options)
    _check_metric(task_runs, options)
    agents = find_agents(task_runs, options, report)
    report.stop_at_errors()
    read_all(agents, report)
    report.stop_at_errors()
    choices = _choices(agents, options, report)
    results = Source(
        report, "Documents of the lm-evaluation-harness, each answered once.", columns=GRADED
    )
    rows: list[Row] = []
    for agent in agents:
        if agent.has_documents:
            add_run(agent, choices, options, results)
        elif row := reported_row(agent, choices, options, report):
            rows.append(row)
    name_missing(results, agents)
    if rows:
        results.reported.append(
            ("lm-eval", reported_rows(rows, _day(agents, options, report), options))
        )
    if agents and not results.runs and not rows:
        _refuse(choices, report)
    if document_names:
        names = _document_names(results, task_runs, options, document_names)
        options = replace(options, task_names=names)
    else:
        results.has_picked_tasks = True
    return results.imported(options)


def _day(agents: Sequence[AgentTasks], options: ImportOptions, report: Report) -> Date:
    """Return the day of a reported table: that of the last run."""
    files = [candidate.task_run.file for agent in agents for candidate in agent.candidates]
    days = [file.day for file in files if file.day]
    if not days and not options.date:
        report.doubt(
            rules.DATE_MISSING, files[0].path, report.name(files[0].path), "no time is stated"
        )
    return options.date or max(days, default=options.today)


def recognise(tree: Tree) -> str | None:
    """Return what tells of the harness: a file of results."""
    paths = (
        folder.path / name
        for folder in tree.walk()
        for name in folder.files
        if is_results(folder, name)
    )
    return tree.example("results of the lm-evaluation-harness", paths)


FORMAT = Format(
    read_lm_eval, "main", extras=frozenset({"metric", "scale", "runs", "pick"}), recognise=recognise
)


def _pick_tasks(task_runs: list[TaskRun], options: ImportOptions) -> tuple[list[TaskRun], set[str]]:
    """Return the results of the tasks that are asked for, and the names that are of single documents.

    A name may be that of a task of the harness, of a group of tasks, or of a document: its id or its title.

    Raises:
        UsageError: A name is none of these.
    """
    if not options.task_names or not task_runs:
        return task_runs, set()
    wanted: set[str] = set()
    document_names: set[str] = set()
    unknown: list[str] = []
    tasks = {task_run.task for task_run in task_runs}
    for name in options.task_names:
        matching: set[str] = set()
        for task_run in task_runs:
            matching |= task_run.file.tasks_of(name)
        if not matching:
            matching = {
                task
                for task in tasks
                if name.startswith((f"{task}/", f"{task} ", f"{slug_of(task)}-"))
            }
            document_names.add(name)
        if not matching:
            unknown.append(name)
        wanted |= matching
    if unknown:
        there = listed(sorted(map(one_line, tasks)), 50)
        raise UsageError(
            f"the source has no task {', '.join(map(one_line, unknown))}; it has: {there}"
        )
    return [task_run for task_run in task_runs if task_run.task in wanted], document_names


def _document_names(
    source: Source,
    task_runs: Sequence[TaskRun],
    options: ImportOptions,
    document_names: Collection[str],
) -> tuple[str, ...]:
    """Return the names of all documents that are asked for, by themselves or by their task."""
    tasks: set[str] = set()
    for name in options.task_names:
        if name not in document_names:
            for task_run in task_runs:
                tasks |= task_run.file.tasks_of(name)
    names = [name for name, labels in source.labels.items() if labels[SUBSET] in tasks]
    return (*document_names, *names)


def _pick_models(task_runs: list[TaskRun], options: ImportOptions) -> list[TaskRun]:
    """Return the results of the models that are asked for."""
    models = [task_run.file.model for task_run in task_runs]
    wanted = set(chosen(models, options))
    return [task_run for task_run in task_runs if task_run.file.model in wanted]


def _check_metric(task_runs: Sequence[TaskRun], options: ImportOptions) -> None:
    """Refuse a metric that no task has.

    Raises:
        UsageError: There is none of this name; the message lists those that there are.
    """
    spelled: set[str] = set()
    for task_run in task_runs:
        for score in task_run.file.scores(task_run.task):
            spelled |= {score.metric, score.key, f"{score.metric},{score.filter}"}
    if options.metric and task_runs and options.metric not in spelled:
        there = listed(sorted(map(one_line, spelled)))
        raise UsageError(f"no task here has the metric {options.metric}; there are: {there}")


def _choices(
    agents: Sequence[AgentTasks], options: ImportOptions, report: Report
) -> dict[str, Choice]:
    """Return which score of each task is the reward; what was chosen among several is noted as assumed."""
    by_task: defaultdict[str, list[Candidate]] = defaultdict(list)
    for agent in agents:
        for candidate in agent.candidates:
            if candidate.documents or not agent.has_documents:
                by_task[candidate.task_run.task].append(candidate)
    choices: dict[str, Choice] = {}
    alike: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for task, candidates in by_task.items():
        choice = choose_score(candidates, options.metric, options.scale)
        choices[task] = choice
        if choice.score is None or choice.is_asked_for:
            continue
        others = [one_line(score.key) for score in choice.usable if score != choice.score]
        if others:
            alike[choice.score.key, f"and {listed(others, 5)} a measure"].append(task)
        elif choice.reasons:
            why = one_line(choice.shown_reasons, 250)
            alike[choice.score.key, f"the first score that can be one ({why})"].append(task)
    for (key, why), tasks in alike.items():
        report.assume(f"{one_line(key)} is the reward of {listed(map(one_line, tasks), 5)}, {why}")
    if options.scale is not None:
        _check_scale(by_task, choices, options.scale, report)
    return choices


def _check_scale(
    by_task: Mapping[str, Sequence[Candidate]],
    choices: Mapping[str, Choice],
    scale: float,
    report: Report,
) -> None:
    """Report tasks whose values are shares already, which `--scale` would divide once more."""
    small: list[str] = []
    shares: list[str] = []
    is_needed = False
    for task, candidates in by_task.items():
        score = choices[task].score
        if score is None:
            continue
        values: list[float] = []
        for candidate in candidates:
            values += _raw_values(candidate, score)
        largest = max(values, default=0)
        is_needed = is_needed or largest > 1
        if 0 < largest <= 1:
            small.append(task)
            if score.metric in SHARES:
                shares.append(task)
    wrong = small if is_needed else shares
    if wrong and scale > 1:
        message = f"values of {listed(map(one_line, wrong), 5)} are at most 1, which `--scale {scale:g}` would divide"
        fix = "leave out `--scale`, or import tasks of one scale at a time, with `--task`"
        report.problems.append(rules.SCALE_UNSTATED.broken(report.root, None, message, fix))
        report.stop_at_errors()
    report.assume(f"every value is divided by {scale:g}, as `--scale` says")


def _raw_values(candidate: Candidate, score: Score) -> list[float]:
    """Return the values of a score, as the source has them."""
    task_run, documents = candidate
    values: Sequence[object] = [task_run.file.figures(task_run.task).get(score.key)]
    if documents:
        values = list(documents.values(score.metric, score.filter).values())
    numbers = [reward_of(value) for value in values]
    return [number for number in numbers if number is not None]


def _refuse(choices: Mapping[str, Choice], report: Report) -> None:
    """Refuse a source in which no task has a reward, with the reasons."""
    reasons = [
        f"{one_line(task)}: {one_line(choice.shown_reasons, 300)}"
        for task, choice in choices.items()
    ]
    message = f"no task has a score that can be the reward: {listed(reasons, 5, separator='; ')}"
    rule = rules.SOURCE_UNUSABLE
    if "`--scale`" in message:
        rule = rules.SCALE_UNSTATED
    elif "nothing was scored" in message:
        rule = rules.NOTHING_SCORED
    report.add(rule, report.root, message)
    report.stop_at_errors()
