"""What the published files hold: `index.json` and one file a task. Keys that nothing here needs are passed over."""

from dataclasses import field
from typing import Annotated, Literal

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from sitegen.models.outcome import PASS_REWARD
from sitegen.models.record import Count, Position

_OPEN = ConfigDict(extra="ignore", strict=True, allow_inf_nan=False)

GATES = frozenset({"build", "binary-exists"})
"""Requirements that are checked before any case can run: that the project builds, and that its program is there."""

Verdict = Literal["scored", "no_cases", "aborted"]
"""The states that a published cell can tell of."""


@dataclass(frozen=True, slots=True, config=_OPEN)
class IndexTask:
    """A task as the index lists it."""

    task: str
    n_rounds: Position
    name: str = ""
    difficulty: str = ""
    category: str = ""
    score: dict[str, float | None] = field(default_factory=dict)
    """Share of rounds passed by each agent, to three places; null where a run does not count."""


@dataclass(frozen=True, slots=True, config=_OPEN)
class Index:
    """The agents and tasks of a publication."""

    models: tuple[Annotated[str, Field(min_length=1)], ...]
    tasks: tuple[IndexTask, ...]


@dataclass(frozen=True, slots=True, config=_OPEN)
class ListedCase:
    """A failed case, its texts cut."""

    id: str
    intent: str = ""
    scenario: str = ""
    expected: str = ""
    actual: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, config=_OPEN)
class FailedRequirement:
    """The failed cases of one requirement in one round, a few of them listed."""

    req: str
    n: Position
    """Failed cases, listed or not."""
    type: str | None = None
    """Kind of the first failed case; a requirement's cases can be of several kinds."""
    reason: str = ""
    """What the first failed case says, cut, and made up from its other texts where it says nothing."""
    cases: tuple[ListedCase, ...] = ()


@dataclass(frozen=True, slots=True, config=_OPEN)
class Cell:
    """How one agent fared in one round."""

    reward: float | None = None
    passed: Annotated[Count | None, Field(alias="pass")] = None
    failed: Annotated[Count | None, Field(alias="fail")] = None
    total: Count | None = None
    fails: tuple[FailedRequirement, ...] = ()
    early: str | None = None
    """What was said before any case ran."""
    note: str | None = None
    """Why nothing is known but the reward."""

    def __post_init__(self) -> None:
        if self.total is not None and None in {self.passed, self.failed}:
            raise ValueError("where there is `total`, there are `pass` and `fail`")

    @property
    def solved(self) -> bool:
        """Whether the round counts as passed."""
        return self.reward is not None and self.reward >= PASS_REWARD

    @property
    def state(self) -> Verdict:
        """What the cell says about the round's end."""
        if self.reward is None:
            return "aborted"
        unexplained = self.note is None or self.early is not None
        nothing_ran = (self.total == 0 and unexplained) or self.stopped_at is not None
        return "no_cases" if nothing_ran and not self.solved else "scored"

    @property
    def stopped_at(self) -> str | None:
        """What the check before all cases says, where that is all that was checked, and failed; else None."""
        if not self.failed or self.passed or self.stated_failures != self.failed:
            return None
        return self.fails[0].reason if all(group.req in GATES for group in self.fails) else None

    @property
    def counts(self) -> tuple[int | None, int | None]:
        """Cases passed and cases in all; both None where they are not known."""
        if self.state == "no_cases":
            return 0, 0
        return (self.passed, self.total) if self.total else (None, None)

    @property
    def skipped(self) -> int:
        """Cases that neither passed nor failed; below 0 where the counts contradict each other."""
        return 0 if self.total is None else self.total - (self.passed or 0) - (self.failed or 0)

    @property
    def stated_failures(self) -> int:
        """Failed cases that the failed requirements add up to."""
        return sum(group.n for group in self.fails)

    @property
    def tells_excess(self) -> bool:
        """Whether more failures are stated than counted."""
        return self.stated_failures > (self.failed or 0)

    @property
    def lists_every_failure(self) -> bool:
        """Whether there is a text for each failed case."""
        return bool(self.total) and sum(len(group.cases) for group in self.fails) >= (self.failed or 0)


@dataclass(frozen=True, slots=True, config=_OPEN)
class RoundHeading:
    """A round's number and title."""

    n: int
    title: str = ""


@dataclass(frozen=True, slots=True, config=_OPEN)
class TaskFile:
    """Every agent's rounds at one task."""

    n_rounds: int
    models: dict[str, dict[str, Cell | None]]
    """Cells by agent and by the round's number; null where there is neither a verdict nor output."""
    task: str | None = None
    rounds: tuple[RoundHeading, ...] = ()
    score: dict[str, int | None] = field(default_factory=dict)
    """Rounds passed by each agent; null where a run does not count."""
