"""A run: everything that its folder tells."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from sitegen.importers.kit.report import Doubt
from sitegen.importers.slopcodebench.checkpoint import LOST
from sitegen.importers.slopcodebench.files import Summary
from sitegen.importers.slopcodebench.quality import Key
from sitegen.importers.slopcodebench.settings import Settings
from sitegen.models.outcome import RoundResult


@dataclass(frozen=True, slots=True)
class Run:
    """A run: everything that its folder tells."""

    path: Path
    settings: Settings
    results: Mapping[Key, RoundResult]
    """A record of each checkpoint that the folder tells of, as of a first attempt."""
    starts: Mapping[Key, str]
    """When checkpoints began, by the clock of the machine that the run was made on."""
    ends: Mapping[Key, str]
    last: Mapping[str, int]
    """The last checkpoint of each problem, where the folder tells it."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Version of each problem, where the rows tell it."""
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Labels of problems, where the folder holds their descriptions."""
    summary: Summary | None = None
    """What the runner made of the run."""
    seed: int | None = None
    has_rows: bool = True
    """Whether the runner wrote its own rows, as it does when a run ends."""
    doubts: tuple[Doubt, ...] = ()
    """What is doubtful about its checkpoints."""

    @property
    def problems(self) -> tuple[str, ...]:
        """Problems that the run was to solve: those it lists, and those it began."""
        return tuple(sorted({*self.settings.problems, *(problem for problem, _ in self.results)}))

    @property
    def produced(self) -> list[RoundResult]:
        """The checkpoints that the agent got to."""
        return [result for result in self.results.values() if result.state != "unreached"]

    @property
    def lists_cases(self) -> bool:
        """Whether the outcome of every case of every scored checkpoint is told."""
        scored = [result for result in self.results.values() if result.state == "scored"]
        return bool(scored) and all(result.outcomes is not None for result in scored)

    @property
    def started(self) -> datetime | None:
        """When the first checkpoint began."""
        return min(_times(self.starts.values()), default=None)

    @property
    def finished(self) -> datetime | None:
        """When the last checkpoint ended."""
        return max(_times(self.ends.values()), default=None)

    @property
    def is_in_one_piece(self) -> bool:
        """Whether every problem's first checkpoint is its last, as in one-shot runs."""
        return set(self.last.values()) == {1}

    @property
    def lost(self) -> list[Key]:
        """The checkpoints that nothing is told of, though something is told of a later one of their problem."""
        told = {(result.task, result.round) for result in self.produced}
        earlier = ((problem, number) for problem, last in sorted(told) for number in range(1, last))
        return [key for key in dict.fromkeys(earlier) if key not in told]

    def rounds(self, lengths: Mapping[str, int], attempt: int) -> Iterator[RoundResult]:
        """Give every expected record.

        Args:
            lengths: Checkpoints by problem.
            attempt: Which of its agent's attempts the run is.
        """
        lost = set(self.lost)
        for problem in sorted(lengths):
            for number in range(1, lengths[problem] + 1):
                known = self.results.get((problem, number))
                if (problem, number) in lost:
                    yield RoundResult(problem, attempt, number, "aborted", 0, passed=0, total=0, cause=LOST)
                elif known is None:
                    yield RoundResult(problem, attempt, number, "unreached", 0, passed=0, total=0)
                else:
                    yield replace(known, attempt=attempt)

    def is_copy_of(self, other: "Run") -> bool:
        """Whether both folders hold the same run: one of its checkpoints began at the same microsecond in both."""
        if self.settings.model != other.settings.model:
            return False
        if self.starts or other.starts:
            return any(other.starts.get(key) == start for key, start in self.starts.items())
        return self.results == other.results and self.settings == other.settings


def _times(texts: Iterable[str]) -> Iterator[datetime]:
    for text in texts:
        try:
            found = datetime.fromisoformat(text)
        except ValueError:
            continue
        yield found.replace(tzinfo=None)
