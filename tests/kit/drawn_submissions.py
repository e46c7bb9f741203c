"""Submissions for diagnostics, written as one mark per round, and diagnostics as plain text."""

from collections.abc import Mapping, Sequence
from typing import Any

from kit.result_grids import records
from sitegen.metrics.conditions import Conditions
from sitegen.metrics.diagnostics import Cell, Diagnostic, Line, MetricValue, Share
from sitegen.metrics.diagnostics.sample import Sample, make_sample, pool_samples
from sitegen.metrics.results import SubmissionResults, arrange_results
from sitegen.models.benchmark import Benchmark
from sitegen.models.outcome import RoundResult, RunFigures
from sitegen.models.task import Task, TaskRound, TaskSet

AXES = {"domain": {"title": "Domain", "values": ("data", "games")}}


def rounds(name: str, *labels: str, **axes: str) -> Task:
    """Return a task whose rounds have the given labels, separated by spaces."""
    return Task(
        name,
        tuple(TaskRound(n, labels=tuple(round_labels.split())) for n, round_labels in enumerate(labels, 1)),
        labels=axes,
    )


def long(name: str, length: int, **axes: str) -> Task:
    """Return a task with the given number of unlabelled rounds."""
    return rounds(name, *[""] * length, **axes)


def terms(*tasks: Task, ordered: bool = True, **track: Any) -> Conditions:  # noqa: ANN401 - any field of a track
    """Return the conditions of a track, by default a chain with one attempt."""
    defaults = {"id": "main", "title": "Main", "protocol": "chain", "tasks": "all", "headline": "dataset_score"}
    described = {**defaults, "columns": (track.get("headline", "dataset_score"),), **track}
    benchmark = {"schema": 1, "id": "mini", "title": "Mini", "ordered": ordered, "axes": AXES, "tracks": (described,)}
    model = Benchmark.model_validate(benchmark)
    return Conditions(model, model.tracks[0], TaskSet("all", tasks))


def results(
    under: Conditions,
    marks_by_task: Mapping[str, str | Sequence[str]],
    reference: Mapping[str, str] | None = None,
    runs: Sequence[RunFigures] = (),
    **facts: Any,  # noqa: ANN401 - any field of a record
) -> SubmissionResults:
    """Return a submission's results.

    Args:
        under: The conditions.
        marks_by_task: The marks of each task, as in `grids`, by attempt if there are several.
        reference: The marks of each task's rounds that start from the reference state.
        runs: The figures of complete runs.
        facts: Further values for each record of a round that an agent worked on.
    """
    round_results: list[RoundResult] = []
    for name, marks in marks_by_task.items():
        for attempt, marked in enumerate([marks] if isinstance(marks, str) else marks, 1):
            round_results += records(name, marked, attempt, **facts)
    for name, marked in (reference or {}).items():
        round_results += records(name, marked, start="reference")
    made = max((round_result.attempt for round_result in round_results), default=1)
    return arrange_results(under.tasks.tasks, round_results, runs, under.track.attempts, made)


def look(under: Conditions, *sheets: SubmissionResults) -> Sample:
    """Return the pooled sample of several submissions."""
    return pool_samples([make_sample(sheet, under) for sheet in sheets], under)


def told(diagnostic: Diagnostic) -> dict[str, str]:
    """Return the lines of a diagnostic, with cells separated by spaces: shares as k/n, gaps as a dash."""
    lines = [*diagnostic.lines, *([diagnostic.total] if diagnostic.total else [])]
    return {_name(line): " ".join(map(_text, line.cells)) for line in lines}


def _name(line: Line) -> str:
    return f"{line.group.split(':')[0]} {line.label}".strip()


def _text(cell: Cell) -> str:
    if isinstance(cell, Share):
        return f"{cell.k}/{cell.n}"
    if isinstance(cell, MetricValue):
        return f"{cell.value:g}"
    return "–" if cell is None else str(cell)
