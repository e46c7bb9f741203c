"""Scores on parts of the results: by the tasks' axes, and by the phases of a task."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import NamedTuple

from sitegen.metrics.diagnostics.diagnostic import Cell, Diagnostic, Figure, Line, Share
from sitegen.metrics.diagnostics.phases import SHORTEST, phase_of
from sitegen.metrics.diagnostics.sample import Sample, lines_of, shares
from sitegen.metrics.diagnostics.tally import Kind
from sitegen.metrics.grids import Sheet, TaskGrid
from sitegen.metrics.groups import left_out
from sitegen.metrics.metric import Metric
from sitegen.metrics.produced import version_of
from sitegen.metrics.targets import STRICT


def by_axis(sample: Sample, axis: str) -> Diagnostic:
    """The track's headline score on the tasks that share a value of an axis, with their number.

    Args:
        sample: Every submission is scored by itself; a score that counts k of n is pooled over them, any
            other is a mean over them.
        axis: The axis, by its key.

    Source:
        EvoCode-Bench, arXiv:2605.24110v1, table 2, and RoadmapBench, table 2: the same scores, split.
    """
    terms, headline = sample.terms, sample.terms.metrics[0]
    parts = _by_value(sample, axis)
    lines = [Line(value, [_tasks(part), score_of(headline, part)]) for value, part in parts.items()]
    left = left_out(terms.tasks, terms.outline.values(axis))
    is_mean = len(sample.sheets) > 1 and any(isinstance(line.cells[-1], Figure) for line in lines)
    averaged = ", a mean over submissions" if is_mean else ""
    title, score = terms.benchmark.axes[axis].title, terms.title_of(headline)
    return Diagnostic(
        id=f"axis-{axis}",
        title=f"{score} by {_within_a_sentence(title)}",
        sentence=" ".join(filter(None, [f"{score} on the tasks of each kind{averaged}. Over {sample.extent}.", left])),
        corner=title,
        columns=["Tasks", score],
        lines=[line for line in lines if line.is_measured],
        key=1,
    )


def by_phase(sample: Sample) -> Diagnostic:
    """Share of rounds that pass by the phase of their task, and the track's other scores of rounds.

    Args:
        sample: Rounds are binned by the configured length of their task, and pooled over submissions, tasks
            and attempts. A mean of measurements is a mean over submissions.

    Source:
        SlopCodeBench, arXiv:2603.24755v1, section 2.2: "Progress phases".
    """
    terms, grouping = sample.terms, sample.terms.outline.by_phase
    # Means over rounds have a value on some rounds of a task; the verdict has a column of its own.
    metrics = [each for each in terms.metrics if each.weigh and "chain" in each.protocols and each is not STRICT]
    passed = shares(sample.totals(grouping), Kind.PASSED, Kind.VERDICTS)
    parts = [[_in_phase(sheet, head.label) for sheet in sample.sheets] for head in grouping.heads] if metrics else []
    scores = [[score_of(metric, part) for part in parts] for metric in metrics]
    word = terms.word
    return Diagnostic(
        id="phases",
        title="Pass rate by phase of the task",
        sentence=f"The first {word} of a task is its start, the last one is final, and the {word}s between are early, "
        f"mid or late, by the length that the task is set up with. Over {sample.extent}.",
        corner="Phase",
        columns=[f"{terms.benchmark.round_name}s", terms.verdict, *map(terms.title_of, metrics)],
        lines=lines_of(grouping, sample.spread(grouping), passed, *scores, tasks=sample.tasks_in(grouping)),
        key=1,
    )


def has_phases(sample: Sample) -> bool:
    """Whether a task has an interior that can be divided, on a track whose rounds are all run."""
    tasks = sample.terms.tasks
    return sample.terms.track.protocol == "chain" and any(len(task.rounds) >= SHORTEST for task in tasks)


def score_of(metric: Metric, sheets: Sequence[Sheet]) -> Cell:
    """Score submissions together: k of n where the metric counts something, else a mean over those with a value.

    Args:
        metric: The metric.
        sheets: The submissions' results, or parts of them.

    Returns:
        A gap where no submission has a value, and where their values follow several definitions.
    """
    found = list(_scores(metric, sheets))
    if len({score.version for score in found}) != 1:
        return None
    counts = [score.counted for score in found if score.counted]
    if len(counts) < len(found):
        return Figure(fmean(score.value for score in found), metric)
    return Share(*map(sum, zip(*counts, strict=True)))


class _Score(NamedTuple):
    """One submission's value, with the version of its definition and k of n where it has these."""

    value: float
    version: str | None
    counted: tuple[int, int] | None


def _scores(metric: Metric, sheets: Iterable[Sheet]) -> Iterator[_Score]:
    for sheet in sheets:
        value = metric.measure(sheet).value
        if value is not None:
            yield _Score(value, version_of(metric, sheet), metric.count(sheet, value))


def _by_value(sample: Sample, axis: str) -> Mapping[str, list[Sheet]]:
    """Give the results on the tasks of each value of an axis, in the order that values are shown."""
    parts: dict[str, list[Sheet]] = {value: [] for value in sample.terms.outline.values(axis)}
    for sheet in sample.sheets:
        grids: dict[str, list[TaskGrid]] = defaultdict(list)
        for grid in sheet.tasks:
            if axis in grid.task.labels:
                grids[grid.task.labels[axis]].append(grid)
        for value in parts.keys() & grids.keys():
            parts[value].append(replace(sheet, tasks=grids[value]))
    return parts


def _tasks(sheets: Sequence[Sheet]) -> int:
    return len({grid.task.id for sheet in sheets for grid in sheet.tasks})


def _in_phase(sheet: Sheet, phase: str) -> Sheet:
    parts = [_narrowed(grid, phase) for grid in sheet.tasks]
    return replace(sheet, tasks=[part for part in parts if part.rounds])


def _narrowed(grid: TaskGrid, phase: str) -> TaskGrid:
    """Keep the rounds of one phase, without figures that are known only for the whole run."""
    length = len(grid.task.rounds)
    kept = [place for place, number in enumerate(grid.rounds) if phase_of(number, length) == phase]
    return replace(
        grid,
        rounds=[grid.rounds[place] for place in kept],
        results=[[attempt[place] for place in kept] for attempt in grid.results],
        reference=[grid.reference[place] for place in kept] if grid.reference else (),
        runs=[None] * len(grid.results),
    )


def _within_a_sentence(title: str) -> str:
    """Begin with a small letter, unless the title begins with an abbreviation."""
    return title if title[1:2].isupper() else title[:1].lower() + title[1:]
