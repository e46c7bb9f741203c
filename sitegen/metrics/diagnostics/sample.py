"""Submissions that are looked at together: what every diagnostic is made from."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import repeat

import numpy as np

from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.diagnostics.diagnostic import Cell, Line, Share
from sitegen.metrics.diagnostics.outline import Counts, Grouping, Outline
from sitegen.metrics.diagnostics.tally import Kind, Tally, sum_of, tally_of
from sitegen.metrics.failstop import MT_AT_K
from sitegen.metrics.grids import Sheet
from sitegen.metrics.metric import Metric
from sitegen.metrics.targets import STRICT
from sitegen.models.benchmark import Benchmark, Track
from sitegen.models.task import Task
from sitegen.problems import counted


@dataclass(frozen=True)  # no slots: the outline is made once and stays
class Terms:
    """The conditions that diagnostics are read under."""

    benchmark: Benchmark
    track: Track
    tasks: Sequence[Task]

    @cached_property
    def outline(self) -> Outline:
        """The track's rounds in one row."""
        return Outline(self.benchmark, self.tasks)

    @property
    def is_ordered(self) -> bool:
        """Whether rounds follow each other."""
        return self.benchmark.ordered and self.track.protocol != "once"

    @property
    def is_fail_stop(self) -> bool:
        """Whether nothing counts after an attempt's first failure."""
        return self.track.protocol == "fail-stop"

    @property
    def word(self) -> str:
        """What the benchmark calls a round, in lower case."""
        return self.benchmark.round_name.lower()

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics of the track's board, the headline first."""
        names = dict.fromkeys((self.track.headline, *self.track.columns))
        return tuple(METRICS[name] for name in names if name in METRICS)

    @property
    def verdict(self) -> str:
        """What the share of passed rounds is called on this track."""
        if self.is_fail_stop:
            return self.title_of(MT_AT_K)
        return STRICT.title if STRICT in self.metrics else "Pass rate"

    def title_of(self, metric: Metric) -> str:
        """Name a metric as the track's board does: with its number of attempts, and its word for a round."""
        return metric.title_on(self.track, self.benchmark)

    @property
    def passing(self) -> str:
        """What the share of passed rounds is a share of."""
        if not self.is_fail_stop:
            history = ", whatever became of the ones before" if self.is_ordered else ""
            return f"share of {self.word}s that pass{history}"
        attempts = self.track.attempts
        who = f"at least one of {attempts} attempts" if attempts > 1 else "the attempt"
        return f"share of {self.word}s that {who} passes with every {self.word} before it"


@dataclass(frozen=True, slots=True)
class Sample:
    """One submission or several, on all tasks of a track or on one.

    Attributes:
        terms: The conditions.
        sheets: The submissions' results, on the tasks that are looked at.
        tally: The same, counted.
    """

    terms: Terms
    sheets: Sequence[Sheet]
    tally: Tally

    def on(self, task: Task) -> "Sample":
        """Look at one task only."""
        parts = [[grid for grid in sheet.tasks if grid.task.id == task.id] for sheet in self.sheets]
        sheets = [replace(sheet, tasks=part) for sheet, part in zip(self.sheets, parts, strict=True) if part]
        outline = self.terms.outline
        return Sample(self.terms, sheets, self.tally.on(outline.task_places[task.id], outline))

    def totals(self, grouping: Grouping) -> Counts:
        """Add up the rounds of each group, shape (kinds, groups)."""
        return self.tally.rounds @ grouping.members

    def spread(self, grouping: Grouping) -> list[int]:
        """Count the rounds of each group that there is a verdict on, however many verdicts there are."""
        judged = (self.tally.rounds[Kind.VERDICTS] > 0).astype(np.int64)
        return [int(rounds) for rounds in judged @ grouping.members]

    def tasks_in(self, grouping: Grouping) -> list[int]:
        """Count the tasks with a round in each group that there is a verdict on."""
        judged = np.flatnonzero(self.tally.rounds[Kind.VERDICTS] > 0)
        members, task_of = grouping.members[judged] > 0, self.terms.outline.task_of[judged]
        return [len(np.unique(task_of[column])) for column in members.T]

    @property
    def followed(self) -> Grouping | None:
        """Rounds of the tasks that a curve follows, by their number; None where it follows none."""
        return self.terms.outline.followed if self.tasks > 1 else None

    @property
    def over(self) -> str:
        """Name the tasks that a curve over rounds follows; empty where it follows none."""
        cohort = self.terms.outline.cohort
        if cohort is None or self.followed is None:
            return ""
        number = max(self.tasks_in(self.followed))
        if cohort.tasks.all():
            return f"all {counted(number, 'task')}"
        return f"the {counted(number, 'task')} with {counted(cohort.last, self.terms.word)} or more"

    @property
    def tasks(self) -> int:
        """How many tasks are looked at."""
        return len(np.unique(self.terms.outline.task_of[self.tally.rounds[Kind.PRESENT] > 0]))

    @property
    def extent(self) -> str:
        """Say over what a diagnostic is taken."""
        made = {sheet.made for sheet in self.sheets}
        attempts = [f"{'up to ' if len(made) > 1 else ''}{counted(max(made), 'attempt')} each"] if max(made) > 1 else []
        submissions = [counted(len(self.sheets), "submission")] if len(self.sheets) > 1 else []
        return ", ".join([*submissions, counted(self.tasks, "task"), *attempts])


def sample_of(sheet: Sheet, terms: Terms) -> Sample:
    """Look at one submission by itself."""
    return Sample(terms, [sheet], tally_of(sheet, terms.outline, terms.track.protocol))


def pooled(samples: Sequence[Sample], terms: Terms) -> Sample:
    """Look at several submissions together; none at all is allowed."""
    sheets = [sheet for sample in samples for sheet in sample.sheets]
    return Sample(terms, sheets, sum_of([sample.tally for sample in samples], terms.outline))


def shares(counts: Counts, k: Kind, n: Kind) -> list[Share]:
    """Give a share of each group, from what is counted of it."""
    return [Share(*pair) for pair in zip(counts[k].tolist(), counts[n].tolist(), strict=True)]


def lines_of(grouping: Grouping, *columns: Sequence[Cell], tasks: Sequence[int | None] = ()) -> list[Line]:
    """Make a line of each group that holds a value.

    Args:
        grouping: Names the groups.
        columns: What stands in each column, one cell a group.
        tasks: How many tasks each group is over, where that is told.
    """
    rows = zip(grouping.heads, zip(*columns, strict=True), tasks or repeat(None), strict=False)
    lines = [Line(head.label, cells, head.group, number) for head, cells, number in rows]
    return [line for line in lines if line.is_measured]
