"""Collect the runs of one agent: its attempts, its sampled rounds, and its doubtful runs."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sitegen.importers.harbor_multiturn import rules
from sitegen.importers.harbor_multiturn.attempts import (
    FanOut,
    ForkAttempt,
    find_attempts,
    find_fan_outs,
)
from sitegen.importers.harbor_multiturn.kinds import Kind, Lineage
from sitegen.importers.harbor_multiturn.runs import ForkRun
from sitegen.importers.kit.agents import RankedAgent
from sitegen.importers.kit.import_log import ImportLog
from sitegen.models.finding import Finding
from sitegen.models.incoming import Draft
from sitegen.problems import Rule, counted

RunsByKind = Mapping[Kind, Sequence[ForkRun]]


@dataclass(frozen=True, slots=True)
class MultiturnSubmission:
    """The runs of one agent."""

    entrant: RankedAgent
    attempt_count: int
    """Number of attempts at each task; 1 if there are none, the minimum for a bundle."""
    attempts: Mapping[str, Sequence[ForkAttempt]]
    """The attempts at each task in order; fewer than `attempt_count` if some are missing."""
    surplus: Mapping[str, Sequence[ForkAttempt]]
    """Attempts beyond `attempt_count`, by task."""
    samples: Mapping[str, Mapping[int, ForkRun]]
    """The latest run of each round from the reference state, by task and round."""
    fan_outs: Mapping[str, Sequence[FanOut]]
    doubtful_runs: Mapping[Rule, Sequence[ForkRun]]
    """Runs that do not count, or that continue a missing run, by the rule that they break."""

    @property
    def runs(self) -> list[ForkRun]:
        """All runs that provide records."""
        runs: dict[Path, ForkRun] = {}
        for attempts in self.attempts.values():
            for attempt in attempts:
                runs |= {source.run.path: source.run for source in attempt.rounds.values()}
        for samples in self.samples.values():
            runs |= {run.path: run for run in samples.values()}
        return list(runs.values())

    @property
    def sample_count(self) -> int:
        """The number of rounds that were run from the reference state."""
        return sum(map(len, self.samples.values()))

    @property
    def has_plain_attempts(self) -> bool:
        """Whether any attempt is not part of a fan-out."""
        for attempts in (*self.attempts.values(), *self.surplus.values()):
            if any(attempt.final_run for attempt in attempts):
                return True
        return False

    def missing_attempts(self, tasks: Iterable[str]) -> dict[str, int]:
        """Return the number of missing attempts by task."""
        missing = {}
        for task in tasks:
            count = self.attempt_count - len(self.attempts.get(task, ()))
            if count:
                missing[task] = count
        return missing

    def notes(self, bundle: str, log: ImportLog) -> Iterator[str]:
        """Yield a line that counts attempts and samples, and a line about each resumed attempt."""
        facts = "no attempt"
        if self.attempts:
            attempts = counted(self.attempt_count, "attempt")
            facts = f"{attempts} at {counted(len(self.attempts), 'task')}"
        if self.sample_count:
            facts += f", {counted(self.sample_count, 'single round')} from the reference state"
        yield f"{bundle}: {facts}"
        for task, task_attempts in self.attempts.items():
            for number, attempt in enumerate(task_attempts, start=1):
                if attempt.final_run is None or attempt.final_run is attempt.first_run:
                    continue
                first_name = log.name(attempt.first_run.path)
                final_name = log.name(attempt.final_run.path)
                resume = f"{first_name}, resumed as {final_name}"
                yield f"{bundle}: attempt {number} at {task} is {resume}"

    def findings(self, draft: Draft, tasks: Iterable[str]) -> Iterator[Finding]:
        """Yield notes for readers about fan-outs, surplus attempts and missing attempts."""
        if self.fan_outs:
            title = "Attempts that branch from each other"
            yield _make_note(draft, title, self._describe_fan_outs(), self.fan_outs)
        if self.surplus:
            count = sum(map(len, self.surplus.values()))
            title = f"{counted(count, 'surplus attempt')} left out"
            usual = f"Most tasks have {counted(self.attempt_count, 'attempt')}"
            reason = f"{usual}; on tasks with more, the first attempts count."
            yield _make_note(draft, title, reason, self.surplus)
        missing = self.missing_attempts(tasks) if self.attempts else {}
        if missing:
            title = f"{counted(sum(missing.values()), 'attempt')} missing"
            reason = (
                "The source has no runs for them. Their rounds are recorded as unreached and "
                "count as 0."
            )
            yield _make_note(draft, title, reason, missing)

    def _describe_fan_outs(self) -> str:
        """Return a text that explains how the attempts of fan-outs depend on each other."""
        lines = []
        for task, fan_outs in self.fan_outs.items():
            lines += [f"{task}: {fan_out.describe_main_line()}" for fan_out in fan_outs]
        return (
            "Every round was run several times from the state that one run of the previous round "
            "left, whereas attempts are usually independent. Attempt 1 is the chain of runs that "
            "went furthest; the other attempts contain the remaining runs, round by round. "
            f"The chain consists of these runs: {'; '.join(lines)}."
        )


def _make_note(draft: Draft, title: str, reason: str, tasks: Iterable[str]) -> Finding:
    """Return a finding that is a note about a bundle."""
    return Finding(
        date=draft.submission.date,
        kind="note",
        title=title,
        reason=reason,
        tracks=(draft.submission.track,),
        submissions=(draft.id,),
        tasks=tuple(tasks),
    )


def build_submission(
    entrant: RankedAgent, runs_by_task: Mapping[str, RunsByKind], lineage: Lineage
) -> MultiturnSubmission:
    """Return the submission of an agent, from its runs by task and kind.

    Attempts at a task are numbered from 1 in the order of their jobs and names, which is
    chronological if the names contain times. The number of attempts is the most frequent number per
    task, or the larger of two equally frequent numbers. If a task has more attempts, for example
    after a failure, the first attempts count, so that nobody can choose among them.
    """
    builder = _SubmissionBuilder(lineage)
    for task, runs_by_kind in runs_by_task.items():
        builder.add_attempts(task, runs_by_kind)
        builder.add_samples(task, runs_by_kind.get("sample", ()))
    return builder.build(entrant)


@dataclass(slots=True)
class _SubmissionBuilder:
    """Collects an agent's runs, task by task."""

    lineage: Lineage
    attempts: dict[str, list[ForkAttempt]] = field(default_factory=dict)
    samples: dict[str, dict[int, ForkRun]] = field(default_factory=dict)
    fan_outs: dict[str, list[FanOut]] = field(default_factory=dict)
    replaced: list[ForkRun] = field(default_factory=list)
    """Runs that belong to no attempt, since a later run replaced them."""
    repeated_samples: list[ForkRun] = field(default_factory=list)
    empty_samples: list[ForkRun] = field(default_factory=list)
    """Samples without their round: the reference solution may have failed before it."""

    def add_attempts(self, task: str, runs_by_kind: RunsByKind) -> None:
        """Add the attempts at a task, both plain attempts and attempts of fan-outs."""
        plain = [*runs_by_kind.get("attempt", ()), *runs_by_kind.get("resume", ())]
        attempts, unused = find_attempts(plain, self.lineage)
        self.replaced += unused
        branches = [*runs_by_kind.get("root", ()), *runs_by_kind.get("child", ())]
        fan_outs = find_fan_outs(branches, self.lineage)
        if fan_outs:
            self.fan_outs[task] = fan_outs
        for fan_out in fan_outs:
            attempts += fan_out.attempts()
        if attempts:
            self.attempts[task] = sorted(attempts, key=_attempt_order)

    def add_samples(self, task: str, runs: Sequence[ForkRun]) -> None:
        """Add the runs of rounds from the reference state; the latest run of a round counts."""
        executed = [run for run in runs if run.executed_rounds]
        in_order = sorted(executed, key=lambda run: run.time_order)
        latest = {run.start: run for run in in_order}
        self.samples[task] = latest
        self.repeated_samples += [run for run in executed if run is not latest[run.start]]
        self.empty_samples += [run for run in runs if not run.executed_rounds]

    def build(self, entrant: RankedAgent) -> MultiturnSubmission:
        """Return the submission, once all tasks have been added."""
        count = _usual_count(self.attempts.values())
        counting = {}
        surplus = {}
        for task, attempts in self.attempts.items():
            counting[task] = attempts[:count]
            if len(attempts) > count:
                surplus[task] = attempts[count:]
        submission = MultiturnSubmission(
            entrant,
            count,
            counting,
            surplus,
            self.samples,
            self.fan_outs,
            doubtful_runs={},
        )
        doubtful_runs = {
            rules.RESUME_REPLACED: self.replaced,
            rules.ORIGIN_MISSING: list(filter(self.lineage.is_lost, submission.runs)),
            rules.SAMPLE_TWICE: self.repeated_samples,
            rules.SAMPLE_EMPTY: self.empty_samples,
        }
        return replace(submission, doubtful_runs=doubtful_runs)


def _attempt_order(attempt: ForkAttempt) -> tuple[str, ...]:
    return attempt.first_run.path_parts


def _usual_count(attempts_of_tasks: Iterable[Sequence[ForkAttempt]]) -> int:
    """Return the most frequent number of attempts at a task; 1 if there are no attempts."""
    task_counts = Counter(map(len, attempts_of_tasks))
    frequencies = [(tasks, attempts) for attempts, tasks in task_counts.items()]
    _, usual_count = max(frequencies, default=(0, 1))
    return usual_count
