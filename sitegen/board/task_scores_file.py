"""Scores by task as one small file, from which a browser scores a board over some of its tasks.

`task_scores_file` returns the document. A page loads it only when a reader selects tasks.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from sitegen.board.board import Board
from sitegen.board.entry import Entry, reported_score
from sitegen.board.export import Json
from sitegen.board.wording import value_title
from sitegen.metrics.arrays import FloatArray
from sitegen.metrics.metric import MIN_COVERAGE, Extent, Extents, Metric, MetricError
from sitegen.metrics.resampling import split_scores
from sitegen.metrics.results import SubmissionResults, TaskResults
from sitegen.models.reported import Figure
from sitegen.models.task import Task

_NOT_BY_TASK = "the amount of known data cannot be counted task by task"
"""The reason for a gap in a score whose known amount is not the sum over its tasks."""


def has_choice_of_tasks(board: Board) -> bool:
    """Return whether a label distinguishes tasks of a board that has results by task."""
    if not any(entry.submission_results for entry in board.all_entries):
        return False
    for axis in _axis_names(board):
        labels = {task.labels.get(axis) for task in board.tasks.tasks}
        if len(labels) > 1:
            return True
    return False


def task_scores_file(board: Board) -> Json:
    """Return the parts of every score of a board by task, and the data to select and weight tasks.

    `axes` has the labels with their values, `tasks` the labels of each task, and `metrics` how the
    parts of a metric are combined into its score and interval: `parts` of a difference or a ratio
    are those of its two metrics. `submissions` has, for each metric, the lists `above` and `below`:
    the numerators and denominators of the score, with an item for each task. If `below` is missing,
    it is 1 for every task. `extents` says how much of each task the score covers, unless it covers
    everything: if there are two extents, the narrower one counts, or the second one if a task is in
    `by_run`. A selection that includes a task in `blocked` has no score, and `gap` is the reason if
    no selection has a score. `printed` has the scores that published tables state for a submission
    without results.
    """
    columns = _distinct_columns(board)
    rows = [entry for entry in board.all_entries if entry.submission_results]
    scores: dict[str, Json] = {entry.id: {} for entry in rows}
    for metric in columns:
        for name, parts in _parts_by_submission(board, metric, rows).items():
            scores[name][metric.id] = parts
    submissions = []
    for entry in board.all_entries:
        submission = _submission(board, entry)
        if entry.id in scores:
            submission["scores"] = scores[entry.id]
        submissions.append(submission)
    return {
        "schema": 1,
        "benchmark": board.benchmark.id,
        "track": board.track.id,
        "headline": board.headline.id,
        "least_known": MIN_COVERAGE,
        "axes": [_axis(board, name) for name in _axis_names(board)],
        "cluster": board.inference.cluster_word or None,
        "tasks": [_task(board, task) for task in board.tasks.tasks],
        "metrics": [_metric(board, metric) for metric in columns],
        "submissions": submissions,
    }


def _distinct_columns(board: Board) -> Sequence[Metric]:
    """Return the distinct metrics that a board shows, the headline metric first."""
    columns = {metric.id: metric for metric in (board.headline, *board.columns)}
    return tuple(columns.values())


def _axis_names(board: Board) -> Sequence[str]:
    """Return the axes for which tasks of a board have labels, declared axes first."""
    names = dict.fromkeys(board.benchmark.axes)
    for task in board.tasks.tasks:
        names |= dict.fromkeys(task.labels)
    labelled = []
    for name in names:
        if any(name in task.labels for task in board.tasks.tasks):
            labelled.append(name)
    return labelled


def _axis(board: Board, name: str) -> Json:
    """Return an axis with the values that tasks have and their titles, declared values first."""
    declared = board.benchmark.axes.get(name)
    counts: defaultdict[str, int] = defaultdict(int)
    for task in board.tasks.tasks:
        if name in task.labels:
            counts[task.labels[name]] += 1
    ordered = dict.fromkeys(declared.values) if declared else {}
    for value in sorted(counts):
        ordered.setdefault(value)
    values = []
    for value in ordered:
        if value in counts:
            values.append({"value": value, "title": value_title(value), "tasks": counts[value]})
    return {"id": name, "title": declared.title if declared else name, "values": values}


def _task(board: Board, task: Task) -> Json:
    """Return a task's id, labels and cluster, if it has one."""
    document: Json = {"id": task.id, "labels": dict(task.labels)}
    cluster = board.inference.cluster_by_task.get(task.id)
    if cluster is not None:
        document["cluster"] = cluster
    return document


def _metric(board: Board, metric: Metric) -> Json:
    """Return a metric's title and format, and how the parts of its tasks are combined."""
    document: Json = {
        "id": metric.id,
        "title": metric.title_on(board.track, board.benchmark),
        "direction": metric.direction,
        "decimals": metric.decimals,
        "interval": metric.interval_words,
    }
    return document | _rule(board, metric)


def _rule(board: Board, metric: Metric) -> Json:
    """Return how the parts of a metric's tasks are combined into its score and interval."""
    rule: Json = {
        "factor": metric.factor,
        "highest": metric.highest,
        "is_measured": metric.measurement is not None,
    }
    if metric.difference_of:
        rule["difference"] = [_rule(board, part) for part in metric.difference_of]
        return rule
    if metric.ratio_of:
        rule["ratio"] = [_rule(board, part) for part in metric.ratio_of]
        return rule
    declared = metric.declared
    rule["aggregation"] = metric.aggregation or "mean"
    rule["counts"] = metric.counted_unit
    rule["is_total"] = metric.is_total
    if declared and declared.tasks == "weighted":
        rule["has_own_weights"] = True
    if declared and declared.tasks == "macro" and declared.axis:
        axis = board.benchmark.axes.get(declared.axis) if metric.is_benchmark_declared else None
        rule["groups"] = {"axis": declared.axis, "weights": dict(axis.weights) if axis else {}}
    return rule


def _submission(board: Board, entry: Entry) -> Json:
    """Return a row without its scores: its name, its status, and which tasks count for it."""
    document: Json = {
        "id": entry.id,
        "name": board.name_of(entry),
        "is_published": entry.is_published,
        "is_apart": entry.apart is not None,
    }
    results = entry.submission_results
    if results is None:
        document["printed"] = _printed_scores(board, entry)
        return document
    counting = {task_results.task.id for task_results in results.tasks}
    excluded = []
    missing = []
    for column, task in enumerate(board.tasks.tasks):
        if task.id not in counting:
            excluded.append(column)
        elif task.id in results.missing:
            missing.append(column)
    version = board.headline.version_in(results)
    return document | {
        "attempts": results.attempts_made,
        "excluded": excluded,
        "missing": missing,
        "version": version,
    }


def _printed_scores(board: Board, entry: Entry) -> Json:
    """Return the values that a published table states, over all tasks and for groups of tasks.

    The values are by metric; `groups` is by axis and value.
    """
    if entry.table_line is None:
        return {}
    printed: Json = {}
    for metric in _distinct_columns(board):
        figure = entry.table_line.row.values.get(metric.id)
        if figure is None:
            continue
        groups: Json = {}
        for axis, figures in figure.groups.items():
            by_value: Json = {}
            for value, group_figure in figures.items():
                by_value[value] = _printed_score(board, metric, group_figure)
            groups[axis] = by_value
        printed[metric.id] = {**_printed_score(board, metric, figure), "groups": groups}
    return printed


def _printed_score(board: Board, metric: Metric, figure: Figure) -> Json:
    """Return a published figure with its interval, if it counts tasks."""
    score = reported_score(metric, figure, board.track)
    interval = board.inference.counted_interval(score)
    document: Json = {"value": score.value}
    if interval:
        document |= {"low": interval.low, "high": interval.high}
    return document


# The parts of scores


def _parts_by_submission(board: Board, metric: Metric, rows: Sequence[Entry]) -> Mapping[str, Json]:
    """Return the parts of a metric's scores, by submission."""
    if board.track.protocol not in metric.protocols:
        gap = f"not defined on {board.track.protocol} tracks"
        return {entry.id: {"gap": gap} for entry in rows}
    submissions = []
    for entry in rows:
        if entry.submission_results:
            submissions.append(entry.submission_results)
    documents = _parts(board, metric, submissions)
    by_submission = {}
    for entry, document in zip(rows, documents, strict=True):
        by_submission[entry.id] = document
    return by_submission


def _parts(
    board: Board, metric: Metric, submissions: Sequence[SubmissionResults]
) -> Sequence[Json]:
    """Return the parts of a metric's score for each submission."""
    if metric.declared and metric.declared.reported:
        return [{"gap": "only published tables report it"}] * len(submissions)
    pair = metric.difference_of or metric.ratio_of
    if pair:
        first, second = (_parts(board, part, submissions) for part in pair)
        both = zip(first, second, strict=True)
        return [{"parts": list(parts)} for parts in both]
    tasks = [task.id for task in board.tasks.tasks]
    fractions = split_scores(metric, submissions, tasks).ungrouped()
    documents = []
    for row, submission in enumerate(submissions):
        document: Json = {"above": _numbers(fractions.numerators[row])}
        below = _numbers(fractions.denominators[row])
        if any(weight != 1 for weight in below):
            document["below"] = below
        documents.append(document | _limits(metric, submission, tasks))
    return documents


def _numbers(values: FloatArray) -> list[float | None]:
    """Return numbers as JSON represents them: None for NaN, and whole numbers as integers."""
    numbers: list[float | None] = []
    for value in values.tolist():
        if math.isnan(value):
            numbers.append(None)
        elif value.is_integer():
            numbers.append(int(value))
        else:
            numbers.append(value)
    return numbers


def _limits(metric: Metric, submission: SubmissionResults, tasks: Sequence[str]) -> Json:
    """Return how much of each task a score covers, and the tasks that prevent a score.

    Empty if everything is known for all tasks.
    """
    limits: Json = {}
    blocked = _blocked_tasks(metric, submission)
    if blocked:
        limits["blocked"] = [tasks.index(task) for task in blocked]
    try:
        if _is_complete(metric, submission):
            return limits
    except MetricError:
        pass  # The score is a gap over all tasks, but may exist over some of them.
    choices: Mapping[str, Extents] = {}
    extents_by_task: dict[str, Sequence[Extent]] = {}
    if metric.computation.extents:
        choices = _choices_by_task(metric.computation.extents, submission)
        for task, both in choices.items():
            extents_by_task[task] = (both.first, both.second)
    else:
        extents_by_task = _extents_by_task(metric, submission)
    counts = []
    for position in range(2 if metric.computation.extents else 1):
        known_counts = []
        expected_counts = []
        for task in tasks:
            extent = Extent(0, 0, "")
            if task in extents_by_task:
                extent = extents_by_task[task][position]
            known_counts.append(extent.covered)
            expected_counts.append(extent.expected)
        counts.append({"known": known_counts, "of": expected_counts})
    limits["extents"] = counts
    if metric.computation.extents:
        limits["by_run"] = _tasks_known_by_run(choices, tasks)
    elif not _adds_up(metric, submission, extents_by_task):
        limits["gap"] = _NOT_BY_TASK
    return limits


def _is_complete(metric: Metric, submission: SubmissionResults) -> bool:
    """Return whether all data that a score is defined over is known."""
    if metric.computation.extents is None:
        return not metric.computation.extent(submission).is_part
    first, second, _ = metric.computation.extents(submission)
    return not first.is_part and not second.is_part


def _extents_by_task(metric: Metric, submission: SubmissionResults) -> dict[str, Sequence[Extent]]:
    """Return the extent of each task; tasks without an extent are left out."""
    extents: dict[str, Sequence[Extent]] = {}
    for task_results in submission.tasks:
        try:
            extent = metric.computation.extent(_only(submission, task_results))
        except MetricError:
            continue
        extents[task_results.task.id] = (extent,)
    return extents


def _choices_by_task(
    extents_of: Callable[[SubmissionResults], Extents], submission: SubmissionResults
) -> Mapping[str, Extents]:
    """Return the two extents of each task, and which of them counts; some tasks have no extents."""
    choices: dict[str, Extents] = {}
    for task_results in submission.tasks:
        with suppress(MetricError):
            choices[task_results.task.id] = extents_of(_only(submission, task_results))
    return choices


def _tasks_known_by_run(choices: Mapping[str, Extents], tasks: Sequence[str]) -> list[int] | None:
    """Return the indices of tasks whose second extent counts; None if the narrower one counts."""
    columns: list[int] = []
    for task, extents in choices.items():
        if extents.choice == "narrower":
            return None
        if extents.choice == "second":
            columns.append(tasks.index(task))
    return columns


def _adds_up(
    metric: Metric, submission: SubmissionResults, extents: Mapping[str, Sequence[Extent]]
) -> bool:
    """Return whether the extents of individual tasks add up to the extent of all tasks."""
    try:
        complete = metric.computation.extent(submission)
    except MetricError:
        return True
    known_count = 0
    expected_count = 0
    for (extent,) in extents.values():
        if extent.expected and extent.noun != complete.noun:
            return False
        known_count += extent.covered
        expected_count += extent.expected
    return (known_count, expected_count) == (complete.covered, complete.expected)


def _blocked_tasks(metric: Metric, submission: SubmissionResults) -> Sequence[str]:
    """Return the ids of the tasks that keep the submission from having a score.

    Such a task has too few attempts, for example. If there is a score over all tasks, no task is
    blocked. Otherwise, a task is blocked if it and a task with a score have no score together.
    """
    if _has_value(metric, submission):
        return ()
    scored = None
    for task_results in submission.tasks:
        if _has_value(metric, _only(submission, task_results)):
            scored = task_results
            break
    blocked = []
    for task_results in submission.tasks:
        if task_results is scored:
            continue
        pair = [task_results] if scored is None else [scored, task_results]
        if not _has_value(metric, _only(submission, *pair)):
            blocked.append(task_results.task.id)
    return blocked


def _has_value(metric: Metric, submission: SubmissionResults) -> bool:
    """Return whether a score can be computed from results, however little they cover."""
    try:
        metric.compute(submission)
    except MetricError:
        return False
    return True


def _only(submission: SubmissionResults, *tasks: TaskResults) -> SubmissionResults:
    """Return a submission's results on some of its tasks."""
    return replace(submission, tasks=list(tasks))
