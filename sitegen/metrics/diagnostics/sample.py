"""Counts of the results of submissions in a track's rounds.

The counts of several submissions can be added, and the counts of a single task selected.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from sitegen.metrics.arrays import kept_rounds
from sitegen.metrics.conditions import Conditions
from sitegen.metrics.diagnostics import Cell, Line, Share
from sitegen.metrics.diagnostics.outline import Counts, Grouping, Outline
from sitegen.metrics.results import SubmissionResults, TaskResults, reached_results
from sitegen.models.benchmark import Protocol
from sitegen.models.task import Task
from sitegen.problems import counted

FIFTHS = 5
"""Number of equal parts that a task is divided into, to locate first failures."""

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
"""Budgets of turns per run, the same for every submission."""

UNKNOWN = len(BUDGETS) + 1
"""Index of runs without a turn count; the index before it is for runs above the largest budget."""


class Kind(IntEnum):
    """The kinds of counts for each round."""

    PRESENT = 0
    """Submissions for which the round counts."""
    VERDICTS = 1
    """Verdicts: one for each attempt that the submission made at any task.

    On a fail-stop track, one for each submission that made every attempt at the task.
    """
    PASSED = 2
    """Passing verdicts; on a fail-stop track, a round passes if any attempt keeps it."""
    REPEATED = 3
    """Submissions that made every attempt at the task, if the track asks for several attempts."""
    ANY = 4
    """Repeated submissions with at least one passing attempt."""
    EVERY = 5
    """Repeated submissions whose attempts all pass."""
    REFERENCE = 6
    """Submissions that also run the round from the reference state."""
    SOLVED = 7
    """Submissions that pass the round from the reference state."""
    FAILED = 8
    """Attempts by these submissions that do not pass the round on their own work."""
    RECOVERED = 9
    """Failed attempts whose submission passes the round from the reference state."""


@dataclass(frozen=True, slots=True, eq=False)  # arrays have no single answer to ==
class Tally:
    """Counts of one or more submissions."""

    rounds: Counts
    """Counts by kind and round, shape (kinds, rounds), in the order of the outline."""
    failures: Counts
    """First failures by the fifth of the task in which they occur, shape (tasks, fifths)."""
    tasks: Counts
    """Submissions by task, shape (3, tasks).

    The rows count submissions that made all attempts, if there are several; of these, submissions
    with an attempt that passes every round; and of these, submissions whose attempts all pass every
    round.
    """
    runs: Counts
    """Runs by the smallest budget that they stay within, shape (2, tasks, budgets + 2).

    The rows count all runs, and runs that pass every round. The last two columns are for runs above
    the largest budget and for runs without a turn count.
    """

    def combined(self, other_tally: "Tally") -> "Tally":
        """Return the counts of the submissions of both tallies combined."""
        return Tally(
            self.rounds + other_tally.rounds,
            self.failures + other_tally.failures,
            self.tasks + other_tally.tasks,
            self.runs + other_tally.runs,
        )

    def on(self, task: int, outline: Outline) -> "Tally":
        """Return the counts of one task, by its index in the outline."""
        is_round_of_task = outline.task_by_round == task
        is_task = np.arange(len(outline.tasks)) == task
        is_task_row = is_task[:, None]
        return Tally(
            self.rounds * is_round_of_task,
            self.failures * is_task_row,
            self.tasks * is_task,
            self.runs * is_task_row,
        )


def empty_tally(outline: Outline) -> Tally:
    """Return counts of 0; the counts of runs share memory, because most tracks do not use them."""
    task_count = len(outline.tasks)
    rounds = np.zeros((len(Kind), len(outline.rounds)), dtype=np.int64)
    failures = np.zeros((task_count, FIFTHS), dtype=np.int64)
    tasks = np.zeros((3, task_count), dtype=np.int64)
    runs = np.broadcast_to(np.int64(0), (2, task_count, UNKNOWN + 1))
    return Tally(rounds, failures, tasks, runs)


def tally_submission(submission: SubmissionResults, outline: Outline, protocol: Protocol) -> Tally:
    """Count a submission's results in a track's rounds.

    On a fail-stop track nothing counts as passed after an attempt's first failure. A round that is
    missing or was never reached did not pass; a round that a finding excludes is not counted. A
    submission may have made fewer attempts at one task than at another. An attempt without any
    record on a task still counts as failed there, as in scores. But it has no first failure, and
    the task is left out of the counts that require every attempt.
    """
    tally = empty_tally(outline)
    if not submission.tasks:
        return tally
    task_indices = []
    length_list = []
    column_arrays = []
    kept_rewards = []
    passed_before_list = []
    for task_results in submission.tasks:
        kept = kept_rounds(task_results.rewards)
        task_indices.append(outline.task_places[task_results.task.id])
        length_list.append(len(task_results.rounds))
        column_arrays.append(outline.places(task_results))
        kept_rewards.append(kept)
        passed_before_list.append(kept.sum(axis=1))
    tasks = np.array(task_indices)
    lengths = np.array(length_list, dtype=np.int64)
    lengths_column = lengths[:, None]
    # Number of rounds that each attempt passes before its first failure, shape (tasks, attempts).
    passed_before = np.array(passed_before_list, dtype=np.int64)
    passes_all = passed_before == lengths_column
    is_made = np.ones(passed_before.shape, dtype=np.bool_)
    for row, task_results in enumerate(submission.tasks):
        is_made[row, list(task_results.unmade_attempts)] = False
    attempts_made = is_made.sum(axis=1)
    is_repeated = (attempts_made == submission.attempts_asked) & (submission.attempts_asked > 1)

    has_failed = is_made & ~passes_all
    tally.failures[tasks] = _first_failures(passed_before + 1, lengths_column, has_failed)

    passing = [np.ones_like(is_repeated), passes_all.any(axis=1), passes_all.all(axis=1)]
    tally.tasks[:, tasks] = is_repeated & np.array(passing)

    if protocol == "once":
        budgets = np.array(
            [
                _budgets_kept(task_results, submission.attempts_made)
                for task_results in submission.tasks
            ]
        )
        runs = budgets[:, :, None] == np.arange(UNKNOWN + 1)
        counted_runs = np.zeros(tally.runs.shape, dtype=np.int64)
        counted_runs[:, tasks] = runs.sum(axis=1), (runs & passes_all[:, :, None]).sum(axis=1)
        tally = replace(tally, runs=counted_runs)

    is_fail_stop = protocol == "fail-stop"
    rewards = kept_rewards if is_fail_stop else submission.rewards
    passed = np.concatenate([task_rewards.sum(axis=0) for task_rewards in rewards])
    attempts = np.repeat(attempts_made, lengths)
    columns = np.concatenate(column_arrays)
    counts = _round_counts(submission, passed, attempts, is_fail_stop=is_fail_stop)
    tally.rounds[:, columns] = counts
    return tally


def _first_failures(numbers: Counts, lengths: Counts, has_failed: NDArray[np.bool_]) -> Counts:
    """Return the first failures of the attempts at each task by fifth, shape (tasks, fifths).

    Args:
        numbers: Number of the first round that an attempt fails, shape (tasks, attempts).
        lengths: Number of rounds of each task, shape (tasks, 1).
        has_failed: Whether an attempt was made and failed, shape (tasks, attempts).
    """
    fifths = -(-FIFTHS * numbers // lengths) - 1
    is_in_fifth = fifths[:, :, None] == np.arange(FIFTHS)
    failures = is_in_fifth & has_failed[:, :, None]
    counts: Counts = failures.sum(axis=1)
    return counts


def _round_counts(
    submission: SubmissionResults, passed: Counts, attempts: Counts, *, is_fail_stop: bool
) -> Counts:
    """Return the counts for the rounds of a submission, shape (kinds, counted rounds).

    Args:
        submission: The submission's results.
        passed: Number of attempts that pass each round; on a fail-stop track, that keep it.
        attempts: Number of attempts that were made at each round's task.
        is_fail_stop: Whether nothing counts after an attempt's first failure.
    """
    has_every_attempt = (attempts == submission.attempts_asked).astype(np.int64)
    repeated = has_every_attempt * (submission.attempts_asked > 1)
    solved = np.concatenate(
        [_solved_from_reference(task_results) for task_results in submission.tasks]
    )
    has_reference = int(any(any(task_results.reference) for task_results in submission.tasks))
    failed = has_reference * (attempts - passed)
    any_passes = passed > 0
    counts = np.empty((len(Kind), len(passed)), dtype=np.int64)
    counts[Kind.PRESENT] = 1
    if is_fail_stop:
        counts[Kind.VERDICTS] = has_every_attempt
        counts[Kind.PASSED] = has_every_attempt * any_passes
    else:
        counts[Kind.VERDICTS] = submission.attempts_made
        counts[Kind.PASSED] = passed
    counts[Kind.REPEATED] = repeated
    counts[Kind.ANY] = repeated * any_passes
    counts[Kind.EVERY] = repeated * (passed == attempts)
    counts[Kind.REFERENCE] = has_reference
    counts[Kind.SOLVED] = solved
    counts[Kind.FAILED] = failed
    counts[Kind.RECOVERED] = failed * solved
    return counts


def _solved_from_reference(task_results: TaskResults) -> Counts:
    """Return 1 for each round that passes from the reference state, else 0."""
    solved = [result is not None and result.solved for result in task_results.reference]
    return np.array(solved, dtype=np.int64)


def _budgets_kept(task_results: TaskResults, attempts: int) -> list[int]:
    """Return the index of the smallest budget that each run of a task stays within.

    The turns of a run are the sum over its rounds, or the run's own total if no round has a count.
    """
    indices = []
    for attempt in range(attempts):
        records = reached_results(task_results.results[attempt])
        turns = [result.turns for result in records if result.turns is not None]
        run = task_results.runs[attempt]
        total = None
        if turns:
            total = sum(turns)
        elif run:
            total = run.turns
        index = UNKNOWN if total is None else bisect_left(BUDGETS, total)
        indices.append(index)
    return indices


@dataclass(frozen=True, slots=True)
class Sample:
    """The results of one or several submissions, on all tasks of a track or on one task."""

    conditions: Conditions
    submissions: Sequence[SubmissionResults]
    tally: Tally

    def on(self, task: Task) -> "Sample":
        """Return the sample restricted to one task."""
        submissions = []
        for submission in self.submissions:
            for task_results in submission.tasks:
                if task_results.task.id == task.id:
                    submissions.append(replace(submission, tasks=[task_results]))
        outline = self.conditions.outline
        tally = self.tally.on(outline.task_places[task.id], outline)
        return Sample(self.conditions, submissions, tally)

    def totals(self, grouping: Grouping) -> Counts:
        """Return the counts of each group of rounds, shape (kinds, groups)."""
        return self.tally.rounds @ grouping.members

    def rounds_in(self, grouping: Grouping) -> list[int]:
        """Return how many rounds of each group have at least one verdict."""
        has_verdict = (self.tally.rounds[Kind.VERDICTS] > 0).astype(np.int64)
        rounds_by_group = has_verdict @ grouping.members
        return [int(rounds) for rounds in rounds_by_group]

    def tasks_in(self, grouping: Grouping) -> list[int]:
        """Return how many tasks have a round with a verdict in each group."""
        rounds = np.flatnonzero(self.tally.rounds[Kind.VERDICTS] > 0)
        is_member = grouping.members[rounds] > 0
        task_indices = self.conditions.outline.task_by_round[rounds]
        return [len(np.unique(task_indices[column])) for column in is_member.T]

    @property
    def followed(self) -> Grouping | None:
        """Rounds of the tasks that a curve follows, by number; None if there is no curve."""
        if self.tasks <= 1:
            return None
        return self.conditions.outline.followed

    @property
    def over(self) -> str:
        """The tasks that a curve over rounds follows, in words; empty if there is no curve."""
        cohort = self.conditions.outline.cohort
        if cohort is None or self.followed is None:
            return ""
        tasks = counted(max(self.tasks_in(self.followed)), "task")
        if cohort.tasks.all():
            return f"all {tasks}"
        return f"the {tasks} with {counted(cohort.last, self.conditions.round_word)} or more"

    @property
    def tasks(self) -> int:
        """The number of tasks with a round that counts."""
        is_present = self.tally.rounds[Kind.PRESENT] > 0
        present_tasks = np.unique(self.conditions.outline.task_by_round[is_present])
        return len(present_tasks)

    @property
    def extent(self) -> str:
        """The basis of a diagnostic, in words: "13 submissions and 25 tasks"."""
        extent = counted(self.tasks, "task")
        if len(self.submissions) > 1:
            extent = f"{counted(len(self.submissions), 'submission')} and {extent}"
        attempts_made = {submission.attempts_made for submission in self.submissions}
        largest_number = max(attempts_made)
        if largest_number > 1:
            limit = "up to " if len(attempts_made) > 1 else ""
            attempts = counted(largest_number, "attempt")
            each = " each" if self.tasks > 1 or len(self.submissions) > 1 else ""
            return f"{extent}, with {limit}{attempts}{each}"
        return extent


def make_sample(submission: SubmissionResults, conditions: Conditions) -> Sample:
    """Return the sample of one submission."""
    tally = tally_submission(submission, conditions.outline, conditions.track.protocol)
    return Sample(conditions, [submission], tally)


def pool_samples(samples: Sequence[Sample], conditions: Conditions) -> Sample:
    """Return the combined sample of several submissions, possibly none."""
    tally = empty_tally(conditions.outline)
    submissions: list[SubmissionResults] = []
    for sample in samples:
        tally = tally.combined(sample.tally)
        submissions += sample.submissions
    return Sample(conditions, submissions, tally)


def shares(counts: Counts, k: Kind, n: Kind) -> list[Share]:
    """Return the share k of n for each group, given the kinds of counts for k and n."""
    pairs = zip(counts[k].tolist(), counts[n].tolist(), strict=True)
    return [Share(*pair) for pair in pairs]


def make_lines(grouping: Grouping, *columns: Sequence[Cell]) -> list[Line]:
    """Return a line for each group that has a measured value; columns have one cell per group."""
    rows = zip(*columns, strict=True)
    lines = []
    for head, cells in zip(grouping.heads, rows, strict=False):
        line = Line(head.label, cells, head.group)
        if line.is_measured:
            lines.append(line)
    return lines
