"""What a submission brings along to be followed by, and how much of one thing it brings."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from sitegen.board.reproduction import Reproduction
from sitegen.models.benchmark import Track
from sitegen.models.outcome import RoundResult
from sitegen.models.results import Bundle
from sitegen.models.submission import Provenance
from sitegen.models.task import TaskSet

Presence = Literal["there", "in part", "missing"]
"""How much is there of something that a reader may ask for."""


@dataclass(frozen=True, slots=True)
class Shown:
    """How much of one thing is there.

    Attributes:
        there: How many of its parts are.
        of: How many there could be; 0 where there is nothing to ask for.
        words: The same in a sentence.
    """

    there: int
    of: int
    words: str

    @property
    def presence(self) -> Presence:
        """Whether all of it is there, or some, or nothing."""
        if self.there >= self.of:
            return "there"
        return "in part" if self.there else "missing"


@dataclass(frozen=True)  # no slots: what several things are counted in is found once
class Dossier:
    """A submission with all that evidence is looked for in.

    Attributes:
        bundle: The submission.
        track: The track it is on.
        tasks: The track's task set.
        reproductions: What came of running it again.
    """

    bundle: Bundle
    track: Track
    tasks: TaskSet
    reproductions: Sequence[Reproduction] = field(default=())

    @property
    def provenance(self) -> Provenance:
        """What its manifest says of how the runs were made."""
        return self.bundle.submission.provenance

    @cached_property
    def scored(self) -> Sequence[RoundResult]:
        """The rounds that have a verdict and cases."""
        return [each for each in self.bundle.rounds if each.state == "scored"]

    @property
    def expected(self) -> Iterator[tuple[str, int, int, str]]:
        """The records that the track asks for: task, attempt, round and start."""
        made = min(self.bundle.submission.attempts or self.track.attempts, self.track.attempts)
        for task in self.tasks.tasks:
            for each in task.rounds:
                yield from ((task.id, attempt, each.n, "own") for attempt in range(1, made + 1))
                if self.track.reference_rounds:
                    yield task.id, 1, each.n, "reference"
