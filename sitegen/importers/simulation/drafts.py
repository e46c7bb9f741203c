"""Simulated bundles: the runs of one entry, with its manifest."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from sitegen.importers.simulation.books import Books
from sitegen.importers.simulation.claims import own_claims, printed_elsewhere
from sitegen.importers.simulation.defects import Defect
from sitegen.importers.simulation.definition import CHAIN
from sitegen.importers.simulation.dice import dice
from sitegen.importers.simulation.effort import Pace
from sitegen.importers.simulation.entries import RESUMED, Entry
from sitegen.importers.simulation.journey import Journey, Step
from sitegen.importers.simulation.reports import Reporter
from sitegen.importers.simulation.scale import Scale
from sitegen.importers.simulation.workspace import Odds
from sitegen.models.incoming import Draft
from sitegen.models.outcome import Failure, RoundResult
from sitegen.models.submission import Claims, Detail, Provenance, Submission, Submitter
from sitegen.models.task import Task, TaskSet


@dataclass(frozen=True, slots=True)
class Run:
    """One attempt of an entry at a task, walked to its end.

    Attributes:
        task: Id of the task.
        attempt: The attempt, from 1.
        steps: Rounds from the agent's own start, then those from the reference state.
    """

    task: str
    attempt: int
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Press:
    """Makes the bundles of one simulated benchmark.

    Attributes:
        scale: How large it is.
        task_set: Its tasks.
        defect: The round that is excluded.
    """

    scale: Scale
    task_set: TaskSet
    defect: Defect

    def draft(self, entry: Entry) -> Draft:
        """Make up the runs of an entry, and write its bundle."""
        runs = self._runs(entry)
        books = Books.of(entry)
        rounds = tuple(books.result(run.task, run.attempt, step) for run in runs for step in run.steps)
        figures = tuple(line for run in runs for line in books.figures(run.task, run.attempt, run.steps))
        return Draft(entry.id, self._submission(entry, rounds), rounds, figures, self._failures(entry, runs))

    def _runs(self, entry: Entry) -> list[Run]:
        attempts = range(1, (self.scale.attempts if entry.track == CHAIN else max(self.scale.attempts, 2)) + 1)
        return [
            Run(task.id, attempt, self._steps(entry, task, attempt))
            for task in self.task_set.tasks
            for attempt in attempts
        ]

    def _steps(self, entry: Entry, task: Task, attempt: int) -> tuple[Step, ...]:
        ease = entry.skill - dice(self.scale.seed, "difficulty", task.id).uniform(-0.9, 0.9)
        resumed = (
            entry.entrant.rank == RESUMED
            and entry.track == CHAIN
            and (task.id, attempt) == (self.task_set.tasks[0].id, 1)
        )
        journey = Journey(
            task=task,
            odds=Odds.of(ease),
            pace=Pace.of(self.scale.seed, entry.entrant.agent),
            excluded=self.defect.in_task(task.id),
            forwarded=2 if resumed else 0,
        )
        rng = dice(self.scale.seed, "run", entry.id, task.id, attempt)
        if entry.track == CHAIN:
            return journey.chain(rng)
        return journey.fail_stop(rng) + (journey.reference(rng) if attempt == 1 else ())

    def _failures(self, entry: Entry, runs: Sequence[Run]) -> tuple[Failure, ...]:
        if entry.detail == "counts":
            return ()
        limit = self._limit(runs)
        written = []
        for run in runs:
            reporter = Reporter(self.scale.seed, entry.entrant.agent.name, run.task, run.attempt, limit)
            for step in run.steps:
                written += reporter.failures(step)
        return tuple(written)

    def _limit(self, runs: Sequence[Run]) -> int:
        """Give the most failures that a round may write up: all, unless that makes too many."""
        broken = [sum(map(step.outcomes.count, "fe")) for run in runs for step in run.steps]
        failed = [count for count in broken if count]
        if sum(failed) <= self.scale.texts:
            return max(failed, default=0)
        return max(1, self.scale.texts // len(failed))

    def _submission(self, entry: Entry, rounds: Sequence[RoundResult]) -> Submission:
        agent = entry.entrant.agent
        is_shy = entry.entrant.rank % 3 == 1
        return Submission(
            schema_version=1,
            track=entry.track,
            date=entry.date,
            agent=agent,
            status=entry.status,
            provenance=Provenance(harness="sim") if is_shy else self._provenance(entry),
            detail=Detail(cases=entry.detail),
            claims=_claims(entry, rounds),
            submitter=None if is_shy else Submitter(name="The demo team", organization=agent.organization),
        )

    def _provenance(self, entry: Entry) -> Provenance:
        return Provenance(
            harness="sim",
            harness_version="1.0",
            code_commit=f"{dice(self.scale.seed, 'commit', entry.id).getrandbits(160):040x}",
            dirty=False,
            seeds=(self.scale.seed,),
            started=entry.date - timedelta(days=4),
            finished=entry.date - timedelta(days=1),
        )


def _claims(entry: Entry, rounds: Sequence[RoundResult]) -> Claims | None:
    if entry.track != CHAIN or entry.extra:
        return None
    if entry.entrant.rank == 0:
        return own_claims(rounds)
    return printed_elsewhere(rounds) if entry.entrant.rank == 1 else None
