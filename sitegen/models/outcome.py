"""Results of rounds and runs, and the texts of the cases that did not pass."""

from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Annotated, Literal, TypeVar

from pydantic import Field

from sitegen.models.record import Amount, Count, Measure, Position, slim

PASS_REWARD = 0.999
"""The reward from which a round counts as passed."""

State = Literal["scored", "no_cases", "aborted", "unreached", "fast_forwarded", "excluded"]
"""How a round ended.

`scored`: verdict and cases. `no_cases`: a verdict of 0, and no case ran. `aborted`: reached, but
without a verdict. `unreached`: the run ended before it. `fast_forwarded`: done by the reference
solution. `excluded`: by a finding.
"""

REACHED = frozenset({"scored", "no_cases", "aborted"})
"""States of the rounds that an agent worked on, with any result."""

Start = Literal["own", "reference"]
"""The state from which a round started: the agent's own work, or the reference solution."""

CaseStatus = Literal["passed", "failed", "error", "skipped"]
"""The outcome of one case."""

OUTCOME_STATUS: dict[str, CaseStatus] = {"p": "passed", "f": "failed", "e": "error", "s": "skipped"}
"""The letters of `outcomes`."""

RoundKey = tuple[str, int, int, Start]
"""The key of a round of an attempt: the task, the attempt, the round, and its start."""


@slim
class RoundResult:
    """The result of one attempt in one round.

    A round that was never reached has a record whose state says so.
    """

    task: str
    """Id of the task."""
    attempt: Position
    """The number of the attempt, from 1."""
    round: Position
    """The number of the round in the task, from 1."""
    state: State
    """The state in which the round ended; the methods page explains each state."""
    reward: Annotated[float, Field(ge=0, le=1)]
    """The verdict, from 0 to 1; a round passes from 0.999 on. 0 for every state except `scored` and
    `excluded`."""
    passed: Count | None = None
    """Number of cases passed. Absent, like `total`, if the source states a verdict but no cases."""
    total: Count | None = None
    """Cases of the round, including skipped cases."""
    skipped: Count | None = None
    """Cases that neither passed nor failed."""
    start: Start = "own"
    """`reference` if the round started from the reference solution of the earlier rounds."""
    outcomes: Annotated[str, Field(pattern="^[pfes]*$")] | None = None
    """One letter per case, in the order of the task's list: `p` passed, `f` failed, `e` error, `s`
    skipped."""
    case_ids: tuple[str, ...] | None = None
    """Names of the cases, only if they differ from the task's list."""
    by_category: dict[str, tuple[Count, Count]] | None = None
    """Number of cases passed and total number, by category: `{"core": [8, 9]}`."""
    interactions: Amount | None = None
    """Tool calls that the agent made."""
    turns: Amount | None = None
    """Replies that the model gave."""
    input_tokens: Amount | None = None
    """Tokens read, including cached tokens."""
    cached_tokens: Amount | None = None
    """The input tokens that came from a cache."""
    output_tokens: Amount | None = None
    """Tokens written."""
    cost_usd: Amount | None = None
    """US dollars. A cost of 0 is unknown unless the submission's agent is declared `free`."""
    agent_seconds: Amount | None = None
    """Wall time of the agent."""
    verifier_seconds: Amount | None = None
    """Wall time of the check."""
    measures: dict[str, Measure] | None = None
    """Further measurements, by name and version of the definition: `{"erosion@scb-2026-03":
    0.68}`."""
    cause: str | None = None
    """Why the round was aborted, or why no case ran."""
    mode: str | None = None
    """How a failed round failed, if somebody judged it: one of the benchmark's `modes`."""
    grader_digest: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None
    """SHA-256 of the grader's output, as the runner wrote it."""
    transcript_digest: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None
    """SHA-256 of the round's transcript, as the runner wrote it."""

    @property
    def place(self) -> RoundKey:
        """The key of the round, which is unique within a submission."""
        return self.task, self.attempt, self.round, self.start

    @property
    def solved(self) -> bool:
        """Whether the round counts as passed."""
        return self.state == "scored" and self.reward >= PASS_REWARD

    @property
    def failed(self) -> int | None:
        """The number of failed cases; None if the source has no case counts."""
        if self.total is None or self.passed is None:
            return None
        return self.total - self.passed - (self.skipped or 0)


ROUND_KEY = attrgetter("task", "attempt", "round", "start")
"""Returns the key of a round as `RoundResult.place` does, three times as fast."""


@slim
class RunFigures:
    """Figures that are known only for a complete run, not for its rounds.

    A round's own value takes precedence.
    """

    task: str
    attempt: Position
    interactions_per_round: Amount | None = None
    """Mean tool calls of a reached round."""
    turns: Amount | None = None
    input_tokens: Amount | None = None
    """Tokens read, including cached tokens."""
    cached_tokens: Amount | None = None
    """The input tokens that came from a cache."""
    output_tokens: Amount | None = None
    cost_usd: Amount | None = None
    agent_seconds: Amount | None = None


Priced = TypeVar("Priced", RoundResult, RunFigures)
"""A record that may have a cost."""

_COST = attrgetter("cost_usd")


def with_known_costs(records: Sequence[Priced], *, is_free: bool) -> Sequence[Priced]:
    """Return records without costs of 0 that mean unknown; other records stay the same objects.

    Harnesses write a cost of 0 for a model whose price they do not know, so 0 counts as unknown
    unless the agent is declared free.
    """
    if is_free or 0 not in map(_COST, records):
        return records
    return tuple(map(_without_zero_cost, records))


def _without_zero_cost(record: Priced) -> Priced:
    return replace(record, cost_usd=None) if record.cost_usd == 0 else record


@slim
class Failure:
    """The texts of one case that did not pass."""

    task: str
    attempt: Position
    round: Position
    case: str
    """Name of the case."""
    status: Literal["failed", "error", "skipped"] = "failed"
    category: str | None = None
    """Kind of case."""
    requirement: str | None = None
    """The requirement that the case checks."""
    requirement_failed: Position | None = None
    """Cases of this requirement that failed in this round, listed here or not."""
    origin: str | None = None
    """Where the case was introduced."""
    intent: str | None = None
    """The purpose of the case."""
    scenario: str | None = None
    """What the case did."""
    input: str | None = None
    """The input of the program."""
    expected: str | None = None
    """The expected result."""
    actual: str | None = None
    """The actual result."""
    reason: str | None = None
    """Why the case did not pass."""
    truncated: bool = False
    """Whether the source cut one of the texts."""
    start: Start = "own"
