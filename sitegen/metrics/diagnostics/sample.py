"""What submissions made of a track's rounds, counted so that submissions add up and tasks can be picked."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

import numpy as np

from sitegen.metrics.catalogue import STRICT, metrics_of
from sitegen.metrics.diagnostics import Cell, Line, Share
from sitegen.metrics.diagnostics.outline import Counts, Grouping, Outline
from sitegen.metrics.failstop import MT_AT_K
from sitegen.metrics.grids import Sheet, TaskGrid, reached
from sitegen.metrics.metric import Metric
from sitegen.models.benchmark import Benchmark, Protocol, Track
from sitegen.models.task import Task
from sitegen.problems import counted

FIFTHS = 5
"""Parts of a task that a first failure can fall into."""

BUDGETS = (
    10,
    25,
    50,
    75,
    100,
    150,
    200,
    300,
    400,
    500,
    750,
    1000,
    1500,
    2000,
    3000,
    4000,
    5000,
    7500,
    10_000,
)
"""Turns that a run may take: the same for every submission, so that they compare."""

UNKNOWN = len(BUDGETS) + 1
"""The place of runs whose turns nobody counted; the place before it is that of runs beyond the largest budget."""


class Kind(IntEnum):
    """What is counted of each round."""

    PRESENT = 0
    """Submissions that the round counts for."""
    VERDICTS = 1
    """Verdicts: one an attempt; one a submission on a fail-stop track, where it made every attempt at the task."""
    PASSED = 2
    """Verdicts that are a pass; on a fail-stop track, some attempt keeps the round."""
    REPEATED = 3
    """Submissions that made every one of several attempts at the task."""
    ANY = 4
    """Of these, those with some attempt that passes."""
    EVERY = 5
    """Of these, those whose every attempt passes."""
    REFERENCE = 6
    """Submissions that also run the round from the reference state."""
    SOLVED = 7
    """Of these, those that pass it then."""
    FAILED = 8
    """Attempts of these that do not pass the round when they live with their own work."""
    RECOVERED = 9
    """Of these, those whose submission passes the round from the reference state."""


class Tally(NamedTuple):
    """Counts of one or more submissions, whose sum is the count of them together."""

    rounds: Counts
    """By kind and round, shape (kinds, rounds), in the order of the outline."""
    failures: Counts
    """First failures by the fifth of the task that they fall into, shape (tasks, fifths)."""
    tasks: Counts
    """Submissions by task, shape (3, tasks): that made every one of several attempts; of these, with some attempt that
    passes every round; of these, whose every attempt does."""
    runs: Counts
    """Runs by the smallest budget that they keep within, shape (2, tasks, budgets + 2): all of them, and those that
    pass every round. The last places are those of longer runs and of uncounted ones."""

    def on(self, task: int, outline: Outline) -> "Tally":
        """Keep the counts of one task, by its place in the outline."""
        alone = np.arange(len(outline.tasks)) == task
        rounds = self.rounds * (outline.task_of == task)
        return Tally(
            rounds, self.failures * alone[:, None], self.tasks * alone, self.runs * alone[:, None]
        )


def empty_tally(outline: Outline) -> Tally:
    """The counts of no submission."""
    tasks = len(outline.tasks)
    shapes = (
        (len(Kind), len(outline.rounds)),
        (tasks, FIFTHS),
        (3, tasks),
        (2, tasks, UNKNOWN + 1),
    )
    return Tally(*(np.zeros(shape, dtype=np.int64) for shape in shapes))


def tally_of(sheet: Sheet, outline: Outline, protocol: Protocol) -> Tally:
    """Count what a submission made of a track's rounds.

    After an attempt's first failure nothing counts as passed on a fail-stop track. A round that is missing or was never
    reached did not pass; a round that a finding excludes is not counted at all. An attempt without any record was not
    made: it failed nowhere, and the best of the others is not the best of all.
    """
    tally, grids, best = empty_tally(outline), sheet.tasks, protocol == "fail-stop"
    if not grids:
        return tally
    kept = [np.logical_and.accumulate(rewards, axis=1) for rewards in sheet.rewards]
    lengths = np.array([len(grid.rounds) for grid in grids], dtype=np.int64)
    until = np.array(
        [rewards.sum(axis=1) for rewards in kept], dtype=np.int64
    )  # passed before the first failure
    made = np.array(
        [[place not in grid.unmade for place in range(sheet.made)] for grid in grids],
        dtype=np.bool_,
    )
    is_whole = (
        made.sum(axis=1) == sheet.attempts
    )  # every attempt that the track asks for, shape (tasks,)
    is_repeated = is_whole & (sheet.attempts > 1)
    tasks = np.array([outline.task_places[grid.task.id] for grid in grids])

    fifths = -(-FIFTHS * (until + 1) // lengths[:, None]) - 1
    failed = made & (until < lengths[:, None])
    tally.failures[tasks] = ((fifths[:, :, None] == np.arange(FIFTHS)) & failed[:, :, None]).sum(
        axis=1
    )

    passes = until == lengths[:, None]
    tally.tasks[:, tasks] = is_repeated & np.array(
        [np.ones_like(is_whole), passes.any(axis=1), passes.all(axis=1)]
    )

    if protocol == "once":
        budgets = [
            [_budget_place(grid, attempt) for attempt in range(sheet.made)] for grid in grids
        ]
        runs = np.array(budgets)[:, :, None] == np.arange(UNKNOWN + 1)
        tally.runs[:, tasks] = runs.sum(axis=1), (runs & passes[:, :, None]).sum(axis=1)

    whole, repeated, attempts = (
        np.repeat(each.astype(np.int64), lengths)
        for each in (is_whole, is_repeated, made.sum(axis=1))
    )
    passed = np.concatenate([rewards.sum(axis=0) for rewards in (kept if best else sheet.rewards)])
    records = [each for grid in grids for each in grid.reference]
    has_reference = int(any(records))
    solved = np.array([bool(each and each.solved) for each in records], dtype=np.int64)
    lost = has_reference * (attempts - passed)
    places = np.concatenate([outline.places(grid) for grid in grids])
    tally.rounds[Kind.PRESENT, places] = 1
    tally.rounds[Kind.VERDICTS, places] = whole if best else sheet.made
    tally.rounds[Kind.PASSED, places] = whole * (passed > 0) if best else passed
    tally.rounds[Kind.REPEATED, places] = repeated
    tally.rounds[Kind.ANY, places] = repeated * (passed > 0)
    tally.rounds[Kind.EVERY, places] = repeated * (passed == sheet.made)
    tally.rounds[Kind.REFERENCE, places] = has_reference
    tally.rounds[Kind.SOLVED, places] = solved
    tally.rounds[Kind.FAILED, places] = lost
    tally.rounds[Kind.RECOVERED, places] = lost * solved
    return tally


def _budget_place(grid: TaskGrid, attempt: int) -> int:
    """The place of the smallest budget that a run keeps within; its turns are those of its rounds, or its own."""
    own = [each.turns for each in reached(grid.results[attempt]) if each.turns is not None]
    run = grid.runs[attempt]
    turns = sum(own) if own else run.turns if run else None
    return UNKNOWN if turns is None else bisect_left(BUDGETS, turns)


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
        return self.benchmark.round_word.lower()

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics of the track's board, the headline first."""
        known = metrics_of(self.benchmark)
        return tuple(known[name] for name in self.track.shown if name in known)

    @property
    def verdict(self) -> str:
        """What the share of passed rounds is called on this track."""
        if self.is_fail_stop:
            return MT_AT_K.title_on(self.track, self.benchmark)
        return STRICT.title if STRICT in self.metrics else "Pass rate"

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
    """One submission or several, on all tasks of a track or on one: what every diagnostic is made from."""

    terms: Terms
    sheets: Sequence[Sheet]
    tally: Tally

    def on(self, task: Task) -> "Sample":
        """Look at one task only."""
        parts = [[grid for grid in sheet.tasks if grid.task.id == task.id] for sheet in self.sheets]
        sheets = [
            replace(sheet, tasks=part)
            for sheet, part in zip(self.sheets, parts, strict=True)
            if part
        ]
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
        attempts = (
            [f"{'up to ' if len(made) > 1 else ''}{counted(max(made), 'attempt')} each"]
            if max(made) > 1
            else []
        )
        submissions = [counted(len(self.sheets), "submission")] if len(self.sheets) > 1 else []
        return ", ".join([*submissions, counted(self.tasks, "task"), *attempts])


def sample_of(sheet: Sheet, terms: Terms) -> Sample:
    """Look at one submission by itself."""
    return Sample(terms, [sheet], tally_of(sheet, terms.outline, terms.track.protocol))


def pooled(samples: Sequence[Sample], terms: Terms) -> Sample:
    """Look at several submissions together; none at all is allowed."""
    tallies = zip(empty_tally(terms.outline), *(sample.tally for sample in samples), strict=True)
    sheets = [sheet for sample in samples for sheet in sample.sheets]
    return Sample(terms, sheets, Tally(*(np.sum(counts, axis=0) for counts in tallies)))


def shares(counts: Counts, k: Kind, n: Kind) -> list[Share]:
    """A share of each group, from what is counted of it."""
    return [Share(*pair) for pair in zip(counts[k].tolist(), counts[n].tolist(), strict=True)]


def lines_of(grouping: Grouping, *columns: Sequence[Cell]) -> list[Line]:
    """A line of each group that holds a value; each column has one cell a group."""
    rows = zip(grouping.heads, zip(*columns, strict=True), strict=False)
    lines = [Line(head.label, cells, head.group) for head, cells in rows]
    return [line for line in lines if line.is_measured]
