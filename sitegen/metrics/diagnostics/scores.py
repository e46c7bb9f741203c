"""Scores on parts of the results, by the tasks' axes and by the phases of a task; and which diagnostics data allows."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import fmean

from sitegen.metrics.diagnostics import Cell, Diagnostic, Figure, Line, Share
from sitegen.metrics.diagnostics.outline import SHORTEST, left_out, phase_of
from sitegen.metrics.diagnostics.rounds import (
    against_reference,
    aptitude,
    by_budget,
    by_label,
    by_round,
    first_failure,
    recovery,
    targets,
)
from sitegen.metrics.diagnostics.sample import Kind, Sample, lines_of, shares
from sitegen.metrics.grids import Sheet, TaskGrid
from sitegen.metrics.metric import Metric
from sitegen.metrics.produced import version_of
from sitegen.metrics.targets import STRICT


def diagnostics_of(sample: Sample) -> tuple[Diagnostic, ...]:
    """Every diagnostic that there is data for; one with fewer than two lines says nothing and is left out."""
    return tuple(each for each in _possible(sample) if each.has_data) if sample.sheets else ()


def _possible(sample: Sample) -> Iterator[Diagnostic]:
    terms = sample.terms
    if terms.is_ordered:
        yield by_round(sample)
        yield against_reference(sample)
        yield recovery(sample)
        yield first_failure(sample)
        # Phases divide the interior of a task whose rounds are all run.
        if terms.track.protocol == "chain" and any(len(task.rounds) >= SHORTEST for task in terms.tasks):
            yield by_phase(sample)
        yield by_label(sample)
    else:
        yield targets(sample)
    yield aptitude(sample)
    if terms.track.protocol == "once":
        yield by_budget(sample)
    if sample.tasks > 1:
        for axis in terms.outline.axes:
            yield by_axis(sample, axis)


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
    groups = terms.outline.values(axis)
    parts: dict[str, list[Sheet]] = {value: [] for value in groups}
    for sheet in sample.sheets:
        grids: dict[str, list[TaskGrid]] = defaultdict(list)
        for grid in sheet.tasks:
            if axis in grid.task.labels:
                grids[grid.task.labels[axis]].append(grid)
        for value in parts.keys() & grids.keys():
            parts[value].append(replace(sheet, tasks=grids[value]))
    lines = []
    for value, part in parts.items():
        tasks = len({grid.task.id for sheet in part for grid in sheet.tasks})
        lines.append(Line(value, [tasks, score_of(headline, part)]))
    left = left_out(terms.tasks, groups)
    is_mean = len(sample.sheets) > 1 and any(isinstance(line.cells[-1], Figure) for line in lines)
    averaged = ", a mean over submissions" if is_mean else ""
    title, score = terms.benchmark.axes[axis].title, headline.title_on(terms.track, terms.benchmark)
    within = title if title[1:2].isupper() else title[:1].lower() + title[1:]  # an abbreviation stays as it is
    return Diagnostic(
        id=f"axis-{axis}",
        title=f"{score} by {within}",
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
    titles = (metric.title_on(terms.track, terms.benchmark) for metric in metrics)
    word = terms.word
    return Diagnostic(
        id="phases",
        title="Pass rate by phase of the task",
        sentence=f"The first {word} of a task is its start, the last one is final, and the {word}s between are early, "
        f"mid or late, by the length that the task is set up with. Over {sample.extent}.",
        corner="Phase",
        columns=[f"{terms.benchmark.round_name}s", terms.verdict, *titles],
        lines=lines_of(grouping, sample.spread(grouping), passed, *scores, tasks=sample.tasks_in(grouping)),
        key=1,
    )


def _in_phase(sheet: Sheet, phase: str) -> Sheet:
    """Keep the rounds of one phase, without figures that are known only for the whole run."""
    parts = []
    for grid in sheet.tasks:
        length = len(grid.task.rounds)
        kept = [place for place, number in enumerate(grid.rounds) if phase_of(number, length) == phase]
        if kept:
            part = replace(
                grid,
                rounds=[grid.rounds[place] for place in kept],
                results=[[attempt[place] for place in kept] for attempt in grid.results],
                reference=[grid.reference[place] for place in kept] if grid.reference else (),
                runs=[None] * len(grid.results),
            )
            parts.append(part)
    return replace(sheet, tasks=parts)


def score_of(metric: Metric, sheets: Sequence[Sheet]) -> Cell:
    """Score submissions, or parts of their results, together.

    Returns:
        k of n where the metric counts something, else the mean over those with a value. A gap where none has one, and
        where their values follow several definitions.
    """
    values, counts, versions = [], [], set()
    for sheet in sheets:
        value = metric.measure(sheet).value
        if value is not None:
            values.append(value)
            counts.append(metric.count(sheet, value))
            versions.add(version_of(metric, sheet))
    if len(versions) != 1:
        return None
    known = [each for each in counts if each]
    if len(known) < len(values):
        return Figure(fmean(values), metric)
    return Share(*map(sum, zip(*known, strict=True)))
