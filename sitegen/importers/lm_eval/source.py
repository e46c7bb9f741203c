"""Import output of the lm-evaluation-harness: its results, and a line for each document."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date as Date  # noqa: N812 - as elsewhere
from pathlib import Path

from sitegen.importers.kit import rules
from sitegen.importers.kit.agents import chosen
from sitegen.importers.kit.drafts import slug_of
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.options import Format, ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rounds import GRADED, ImportSource
from sitegen.importers.kit.tree import SourceTree
from sitegen.importers.lm_eval.agents import AgentTasks, find_agents, read_all
from sitegen.importers.lm_eval.files import ScoreKey, TaskOutput, find_outputs, is_results
from sitegen.importers.lm_eval.reported import build_row, build_table
from sitegen.importers.lm_eval.runs import SUBSET, add_run, name_missing
from sitegen.importers.lm_eval.scores import (
    SHARES,
    RepeatedTask,
    ScoreChoice,
    choose_score,
    collect_rewards,
)
from sitegen.models.incoming import Incoming
from sitegen.problems import UsageError, agreeing, listed

_SUMMARY = "Documents of the lm-evaluation-harness, each answered once."

_MAX_SHOWN = 5
"""Maximum number of tasks or scores listed in a message; the rest are counted."""

_MAX_SHOWN_TASKS = 50
_MAX_REASON_LENGTH = 300
_MAX_CHOICE_REASON_LENGTH = 250


def read_lm_eval(source: Path, options: ImportOptions) -> Incoming:
    """Return the bundles of a folder of results: one per agent, with one task per document.

    Agents without documents become rows of a reported table.

    Raises:
        UsageError: A requested task, model or metric does not exist.
        ProblemsError: The folder contains nothing usable.
    """
    log = ImportLog(source)
    tree = SourceTree(source)
    outputs = find_outputs(tree, log)
    log.problems += tree.problems()
    log.stop_at_errors()
    outputs, document_names = _pick_tasks(outputs, options)
    outputs = _pick_models(outputs, options)
    _check_metric(outputs, options)
    agents = find_agents(outputs, options, log)
    log.stop_at_errors()
    read_all(agents, log)
    log.stop_at_errors()
    choices = _choose_scores(agents, options, log)
    imported = ImportSource(log, _SUMMARY, columns=GRADED)
    _add_agents(agents, choices, options, imported)
    if document_names:
        names = _complete_task_names(imported, outputs, options, document_names)
        options = replace(options, task_names=names)
    else:
        imported.has_picked_tasks = True
    return imported.imported(options)


def _add_agents(
    agents: Sequence[AgentTasks],
    choices: Mapping[str, ScoreChoice],
    options: ImportOptions,
    source: ImportSource,
) -> None:
    """Add the runs of agents to a source, and a reported table of agents without documents."""
    rows = []
    for agent in agents:
        if agent.has_documents:
            add_run(agent, choices, options, source)
            continue
        row = build_row(agent, choices, options, source.log)
        if row is not None:
            rows.append(row)
    name_missing(source, agents)
    if rows:
        day = _find_day(agents, options, source.log)
        source.reported.append(("lm-eval", build_table(rows, day, options)))
    if agents and not source.runs and not rows:
        _refuse(choices, source.log)


def _find_day(agents: Sequence[AgentTasks], options: ImportOptions, log: ImportLog) -> Date:
    """Return the day of a reported table: the requested day, or else the day of the last run."""
    if options.date:
        return options.date
    days = []
    for agent in agents:
        days += [output.file.day for output in agent.outputs if output.file.day]
    if not days:
        path = agents[0].outputs[0].path
        log.add_doubt(rules.DATE_MISSING, path, log.name(path), "no time is stated")
    return max(days, default=options.today)


def recognise(tree: SourceTree) -> str | None:
    """Return a phrase that names a results file of the harness; None if there is none."""
    return tree.example("results of the lm-evaluation-harness", _find_results(tree))


def _find_results(tree: SourceTree) -> Iterator[Path]:
    for folder in tree.walk():
        for name in folder.files:
            if is_results(folder, name):
                yield folder.path / name


FORMAT = Format(
    read_lm_eval, "main", extras=frozenset({"metric", "scale", "runs", "pick"}), recognise=recognise
)


def _pick_tasks(
    outputs: list[TaskOutput], options: ImportOptions
) -> tuple[list[TaskOutput], set[str]]:
    """Return the results of the requested tasks, and the requested names of individual documents.

    A name may be the name of a task or of a group of tasks, or the id or title of a document.

    Raises:
        UsageError: A name is none of these.
    """
    if not options.task_names or not outputs:
        return outputs, set()
    picked_tasks: set[str] = set()
    document_names: set[str] = set()
    unknown: list[str] = []
    tasks = {output.task for output in outputs}
    for name in options.task_names:
        matching_tasks = _expand_group(name, outputs)
        if not matching_tasks:
            document_names.add(name)
            matching_tasks = {task for task in tasks if _is_document(name, task)}
        if not matching_tasks:
            unknown.append(one_line(name))
        picked_tasks |= matching_tasks
    if unknown:
        available = listed(sorted(map(one_line, tasks)), _MAX_SHOWN_TASKS)
        raise UsageError(f"the source has no task {', '.join(unknown)}; it has: {available}")
    return [output for output in outputs if output.task in picked_tasks], document_names


def _expand_group(name: str, outputs: Sequence[TaskOutput]) -> set[str]:
    """Return the tasks of a group, or a task itself; empty if the name is neither."""
    tasks: set[str] = set()
    for output in outputs:
        tasks |= output.file.expand_group(name)
    return tasks


def _is_document(name: str, task: str) -> bool:
    """Return whether a name may be the id or title of a document of a task."""
    return name.startswith((f"{task}/", f"{task} ", f"{slug_of(task)}-"))


def _complete_task_names(
    source: ImportSource,
    outputs: Sequence[TaskOutput],
    options: ImportOptions,
    document_names: Collection[str],
) -> tuple[str, ...]:
    """Return the names of all requested documents, including those of requested tasks."""
    tasks: set[str] = set()
    for name in options.task_names:
        if name not in document_names:
            tasks |= _expand_group(name, outputs)
    names = [name for name, labels in source.labels.items() if labels[SUBSET] in tasks]
    return (*document_names, *names)


def _pick_models(outputs: list[TaskOutput], options: ImportOptions) -> list[TaskOutput]:
    """Return the results of the models to import."""
    models = set(chosen([output.file.model for output in outputs], options))
    return [output for output in outputs if output.file.model in models]


def _check_metric(outputs: Sequence[TaskOutput], options: ImportOptions) -> None:
    """Check that at least one task has the requested metric.

    Raises:
        UsageError: No task has the metric; the message lists the available metrics.
    """
    spellings: set[str] = set()
    for output in outputs:
        for score in output.file.scores(output.task):
            spellings |= score.spellings
    if options.metric and outputs and options.metric not in spellings:
        available = listed(sorted(map(one_line, spellings)))
        raise UsageError(
            f"no task here has the metric {options.metric}; the metrics are: {available}"
        )


def _choose_scores(
    agents: Sequence[AgentTasks], options: ImportOptions, log: ImportLog
) -> dict[str, ScoreChoice]:
    """Return which score of each task is the reward; choices among several scores are reported."""
    attempts_by_task: defaultdict[str, list[RepeatedTask]] = defaultdict(list)
    for agent in agents:
        for attempt in agent.all_attempts:
            if attempt.documents or not agent.has_documents:
                attempts_by_task[attempt.output.task].append(attempt)
    choices: dict[str, ScoreChoice] = {}
    for task, attempts in attempts_by_task.items():
        choices[task] = choose_score(attempts, options.metric, options.scale)
    _report_choices(choices, log)
    if options.scale is not None:
        _check_scale(attempts_by_task, choices, options.scale, log)
    return choices


def _report_choices(choices: Mapping[str, ScoreChoice], log: ImportLog) -> None:
    """Report the chosen scores if there were several, once for all tasks with the same choice."""
    tasks_by_choice: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for task, choice in choices.items():
        if choice.score is None or choice.is_requested:
            continue
        measures = [one_line(score.key) for score in choice.usable if score != choice.score]
        if measures:
            verb = agreeing(len(measures), "is a measure", "are measures")
            reason = f"and {listed(measures, _MAX_SHOWN)} {verb}"
        elif choice.reasons:
            reasons = one_line(choice.shown_reasons, _MAX_CHOICE_REASON_LENGTH)
            reason = f"the first score that can be the reward ({reasons})"
        else:
            continue
        tasks_by_choice[choice.score.key, reason].append(task)
    for (key, reason), tasks in tasks_by_choice.items():
        task_names = listed(map(one_line, tasks), _MAX_SHOWN)
        log.assume(f"{one_line(key)} is the reward of {task_names}, {reason}")


def _check_scale(
    attempts_by_task: Mapping[str, Sequence[RepeatedTask]],
    choices: Mapping[str, ScoreChoice],
    scale: float,
    log: ImportLog,
) -> None:
    """Report tasks whose values are already shares, which `--scale` would divide again."""
    small: list[str] = []
    shares: list[str] = []
    is_needed = False
    for task, attempts in attempts_by_task.items():
        score = choices[task].score
        if score is None:
            continue
        largest = _largest_value(attempts, score)
        if largest > 1:
            is_needed = True
        elif largest > 0:
            small.append(task)
            if score.metric in SHARES:
                shares.append(task)
    wrong = small if is_needed else shares
    if wrong and scale > 1:
        task_names = listed(map(one_line, wrong), _MAX_SHOWN)
        message = f"values of {task_names} are at most 1, but `--scale {scale:g}` would divide them"
        fix = "leave out `--scale`, or import tasks of one scale at a time, with `--task`"
        log.problems.append(rules.SCALE_UNSTATED.broken(log.root, None, message, fix))
        log.stop_at_errors()
    log.assume(f"every value is divided by {scale:g}, as `--scale` says")


def _largest_value(attempts: Sequence[RepeatedTask], score: ScoreKey) -> float:
    """Return the largest value of a score before scaling; 0 if there is no value."""
    values: list[object] = []
    for output, documents in attempts:
        if documents:
            values += documents.metric_values(score.metric, score.filter)
        else:
            values.append(output.file.figures(output.task).get(score.key))
    return max(collect_rewards(values), default=0)


def _refuse(choices: Mapping[str, ScoreChoice], log: ImportLog) -> None:
    """Report as an error that no task has a reward, with the reasons, and stop."""
    task_reasons = []
    for task, choice in choices.items():
        reasons = one_line(choice.shown_reasons, _MAX_REASON_LENGTH)
        task_reasons.append(f"{one_line(task)}: {reasons}")
    reason = listed(task_reasons, _MAX_SHOWN, separator="; ")
    message = f"no task has a score that can be the reward: {reason}"
    rule = rules.SOURCE_UNUSABLE
    if "`--scale`" in message:
        rule = rules.SCALE_UNSTATED
    elif "nothing was scored" in message:
        rule = rules.NOTHING_SCORED
    log.add(rule, log.root, message)
    log.stop_at_errors()
