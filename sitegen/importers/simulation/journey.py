"""One attempt at a task, from its first round to its last."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from sitegen.importers.simulation.effort import FREE, Effort, Pace
from sitegen.importers.simulation.workspace import Odds, Workspace
from sitegen.models.outcome import Start, State
from sitegen.models.task import Task, TaskRound

_COLLAPSES = (
    "cargo build: error[E0432]: unresolved import `crate::store::Index`",
    "pip install .: error: metadata-generation-failed",
    "tsc: src/report.ts(41,17): error TS2345: Argument of type 'string | undefined' is not assignable",
    "ModuleNotFoundError: No module named 'app.cli'",
    "go build ./...: undefined: parseWindow",
    "make: *** [Makefile:12: build] Error 2",
)
"""Why no case ran."""

_ABORTS = ("agent_exhausted_budget", "sandbox_failed", "model_provider_failed", "verifier_failed")
"""Why a reached round has no verdict."""

_FORGIVEN = "verifier_failed"
"""The one cause after which an attempt goes on: the agent's work was done."""


@dataclass(frozen=True, slots=True)
class Step:
    """How one round of an attempt ended, before a bundle says as much of it as it keeps.

    Attributes:
        round: The round as the task defines it.
        state: How it ended.
        outcomes: One letter a case; empty unless the round was scored.
        effort: What it cost.
        cause: Why it was aborted, or why no case ran.
        start: The state it began from.
    """

    round: TaskRound
    state: State
    outcomes: str = ""
    effort: Effort = FREE
    cause: str | None = None
    start: Start = "own"

    @property
    def solved(self) -> bool:
        """Whether every case that ran passed."""
        return self.state == "scored" and not set(self.outcomes) & set("fe")


@dataclass(frozen=True, slots=True)
class Journey:
    """One attempt at a task: who makes it, and under which conditions.

    Attributes:
        task: What is attempted.
        odds: What may happen in a round.
        pace: What a round costs.
        excluded: The round that a finding excludes, if it is one of this task's.
        forwarded: Rounds at the start that the reference did.
    """

    task: Task
    odds: Odds
    pace: Pace
    excluded: int | None = None
    forwarded: int = 0

    def chain(self, rng: Random) -> tuple[Step, ...]:
        """Run and score every round, until the attempt breaks off."""
        return tuple(self._walk(rng, fail_stop=False))

    def fail_stop(self, rng: Random) -> tuple[Step, ...]:
        """Run the rounds up to the first that fails."""
        return tuple(self._walk(rng, fail_stop=True))

    def reference(self, rng: Random) -> tuple[Step, ...]:
        """Run each round by itself, from the reference state before it."""
        alone = (self._attempted(Workspace(rng, self.odds), task_round) for task_round in self.task.rounds)
        return tuple(replace(step, start="reference") for step in alone)

    def _walk(self, rng: Random, *, fail_stop: bool) -> Iterator[Step]:
        workspace = Workspace(rng, self.odds)
        over = False
        for task_round in self.task.rounds:
            idle = self._idle(task_round.n, over=over)
            step = Step(task_round, idle) if idle else self._attempted(workspace, task_round)
            over = over or self._ends(step, fail_stop=fail_stop)
            yield step

    def _idle(self, number: int, *, over: bool) -> State | None:
        """Give the state of a round that the agent has no part in; None for one that it works on."""
        forwarded = number <= self.forwarded
        if not (forwarded or over):
            return None
        if number == self.excluded:
            return "excluded"
        return "fast_forwarded" if forwarded else "unreached"

    def _ends(self, step: Step, *, fail_stop: bool) -> bool:
        if step.state in {"excluded", "fast_forwarded"}:
            return False
        if fail_stop and not step.solved:
            return True
        return step.state == "aborted" and step.cause != _FORGIVEN

    def _attempted(self, workspace: Workspace, task_round: TaskRound) -> Step:
        rng = workspace.rng
        workspace.work(task_round)
        if task_round.n == self.excluded:
            return Step(task_round, "excluded")
        effort = self.pace.effort(rng)
        fate = rng.random()
        if fate < self.odds.abort:
            return Step(task_round, "aborted", effort=effort, cause=rng.choice(_ABORTS))
        if fate < self.odds.abort + self.odds.collapse:
            return Step(task_round, "no_cases", effort=effort, cause=rng.choice(_COLLAPSES))
        return Step(task_round, "scored", workspace.outcomes(task_round.cases or ()), effort)
