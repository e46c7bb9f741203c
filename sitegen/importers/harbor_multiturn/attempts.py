"""Arrange the runs of one agent at one task as attempts.

A re-run after a failure is not an additional attempt. A fan-out runs each round several times,
always from the state in which one run of the previous round ended, and counts as many attempts as
its widest round has runs.

The first attempt is the main line: the runs that went furthest, each of which continues the
previous one.

The other attempts contain the remaining runs of each round, which began from the main line as well.
So some attempt passes a round if and only if one of the round's runs passed it, as with independent
attempts.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sitegen.importers.harbor_multiturn.kinds import Lineage
from sitegen.importers.harbor_multiturn.runs import ForkRun
from sitegen.models.outcome import PASS_REWARD
from sitegen.problems import grouped


@dataclass(frozen=True, slots=True)
class RoundSource:
    """The run that provides a round of an attempt."""

    run: ForkRun
    previous: ForkRun | None = None
    """The run that this run continues, if every round of the attempt is a separate run."""
    parent_attempt: int | None = None
    """The attempt of the fan-out to which the previous run belongs, from 1."""


@dataclass(frozen=True, slots=True)
class ForkAttempt:
    """One attempt at a task."""

    first_run: ForkRun
    rounds: Mapping[int, RoundSource]
    """The rounds that the attempt reached, by number."""
    final_run: ForkRun | None = None
    """The run that provides the attempt's usage; None for a fan-out, whose usage is by round."""


@dataclass(frozen=True, slots=True)
class FanOut:
    """The runs of one fan-out."""

    runs_by_round: Mapping[int, Sequence[ForkRun]]
    """The runs by round, in the order of the numbers in their names."""
    parents: Mapping[Path, ForkRun]
    """The run that each run continues, keyed by the run's folder; missing runs are left out."""

    def main_line(self) -> dict[int, ForkRun]:
        """Return the runs that went furthest, by round.

        If the run of a round is missing, the run of the next round provides its verdict.
        """
        last_round = max(self.runs_by_round)
        last_run = _find_passed(self.runs_by_round[last_round], last_round)
        line: dict[int, ForkRun] = {}
        run: ForkRun | None = last_run
        while run is not None:
            line[run.branch.round] = run
            run = self.parents.get(run.path)
        inherited: dict[int, ForkRun] = {}
        for round_number, line_run in line.items():
            earlier = [number for number in line_run.rounds if number < round_number]
            inherited |= dict.fromkeys(earlier, line_run)
        return inherited | line

    def attempts(self) -> list[ForkAttempt]:
        """Return the runs as attempts, the main line first."""
        main_line = self.main_line()
        side_runs = {}
        for number, runs in self.runs_by_round.items():
            side_runs[number] = [run for run in runs if run is not main_line.get(number)]
        lines = [main_line]
        for index in range(max(map(len, side_runs.values()))):
            line = {number: runs[index] for number, runs in side_runs.items() if index < len(runs)}
            lines.append(line)
        attempt_numbers: dict[Path, int] = {}
        for attempt, line in enumerate(lines, start=1):
            attempt_numbers |= {run.path: attempt for run in line.values()}
        first_run = self.runs_by_round[min(self.runs_by_round)][0]
        return [
            ForkAttempt(first_run, self._round_sources(line, attempt_numbers)) for line in lines
        ]

    def _round_sources(
        self, line: Mapping[int, ForkRun], attempt_numbers: Mapping[Path, int]
    ) -> dict[int, RoundSource]:
        """Return the run that provides each round of a line of runs, by round number."""
        sources = {}
        for number, run in sorted(line.items()):
            previous = self.parents.get(run.path) if number == run.branch.round else None
            parent_attempt = attempt_numbers[previous.path] if previous else None
            sources[number] = RoundSource(run, previous, parent_attempt)
        return sources

    def describe_main_line(self) -> str:
        """Return a description of the main line: the number of the run in each of its rounds."""
        branches = [(number, run.branch) for number, run in sorted(self.main_line().items())]
        names = [f"round {n} a{branch.number}" for n, branch in branches if branch.round == n]
        return ", ".join(names)


def _find_passed(runs: Sequence[ForkRun], number: int) -> ForkRun:
    """Return the first run that passed a round, or the first run if none passed."""
    for run in runs:
        row = run.rounds.get(number)
        if row is not None and (row.verdict or 0) >= PASS_REWARD:
            return run
    return runs[0]


def find_fan_outs(runs: Sequence[ForkRun], lineage: Lineage) -> list[FanOut]:
    """Return the fan-outs of one agent at one task, one for each job in which a fan-out began."""
    by_path = {run.path: run for run in runs}
    parents: dict[Path, ForkRun] = {}
    for run in runs:
        parent = lineage.find_parent(run)
        known_parent = by_path.get(parent.path) if parent else None
        if known_parent and known_parent.branch.round < run.branch.round:
            parents[run.path] = known_parent
    runs_by_job: defaultdict[tuple[str, ...], list[ForkRun]] = defaultdict(list)
    for run in sorted(runs, key=_branch_order):
        root = run
        while root.path in parents:
            root = parents[root.path]
        runs_by_job[root.job].append(run)
    fan_outs = []
    for _, job_runs in sorted(runs_by_job.items()):
        runs_by_round = grouped((run.branch.round, run) for run in job_runs)
        fan_outs.append(FanOut(dict(sorted(runs_by_round.items())), parents))
    return fan_outs


def _branch_order(run: ForkRun) -> tuple[int, int, tuple[str, ...]]:
    """Return the sort key of a run among the runs of its round."""
    return run.branch.parent or 0, run.branch.number, run.path_parts


def find_attempts(
    runs: Sequence[ForkRun], lineage: Lineage
) -> tuple[list[ForkAttempt], list[ForkRun]]:
    """Return the plain attempts of an agent at a task, each with the runs that continue it.

    A resume replaces the rounds of the run that it continues. If a run was resumed several times,
    the latest resume counts.

    Returns:
        The attempts, and the runs that belong to no attempt.
    """
    paths = {run.path for run in runs}
    first_runs: list[ForkRun] = []
    resumes: defaultdict[Path, list[ForkRun]] = defaultdict(list)
    for run in runs:
        origin = lineage.find_origin(run) if run.continues_run else None
        if origin is not None and origin.path in paths:
            resumes[origin.path].append(run)
        else:
            first_runs.append(run)
    attempts = []
    used: set[Path] = set()
    for first_run in first_runs:
        attempt = _follow_resumes(first_run, resumes)
        attempts.append(attempt)
        used.update(source.run.path for source in attempt.rounds.values())
    return attempts, [run for run in runs if run.path not in used]


def _follow_resumes(first_run: ForkRun, resumes: Mapping[Path, Sequence[ForkRun]]) -> ForkAttempt:
    """Return the attempt that begins with a run, with the latest resume of each of its runs."""
    run = first_run
    rounds = dict.fromkeys(run.rounds, RoundSource(run))
    while run.path in resumes:
        run = max(resumes[run.path], key=lambda resume: resume.time_order)
        rounds = {number: source for number, source in rounds.items() if number < run.start}
        rounds |= dict.fromkeys(run.executed_rounds, RoundSource(run))
    return ForkAttempt(first_run, rounds, run)
