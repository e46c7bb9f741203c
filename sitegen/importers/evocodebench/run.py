"""One agent's way through one task, as it was published."""

from dataclasses import dataclass
from pathlib import Path

from sitegen.importers.evocodebench.files import Cell


@dataclass(frozen=True, slots=True)
class Run:
    """One agent's way through one task."""

    path: Path
    """The task's file."""
    task: str
    agent: str
    """The one name that the agent goes by."""
    spelling: str
    """How the task's file spells it."""
    cells: tuple[Cell | None, ...]
    """One a round; None where there is neither a verdict nor output."""
    excluded: bool = False
    """Whether the source leaves the run out of the agent's score."""
    stated_passed: int | None = None
    """Rounds passed, as the task's file adds them up."""
    stated_share: float | None = None
    """Share of rounds passed, as the index states it, to three places."""

    @property
    def passed(self) -> int:
        """Rounds passed."""
        return sum(cell.solved for _, cell in self.told)

    @property
    def told(self) -> tuple[tuple[int, Cell], ...]:
        """The rounds that the source tells of, each with its cell."""
        return tuple((number, cell) for number, cell in enumerate(self.cells, start=1) if cell is not None)

    @property
    def verdicts(self) -> tuple[Cell, ...]:
        """The cells of the rounds that were scored on their cases, as far as those are known."""
        return tuple(cell for _, cell in self.told if cell.state == "scored")

    @property
    def last_told(self) -> int:
        """The last round that the source tells of; 0 where it tells of none."""
        return max((number for number, _ in self.told), default=0)

    @property
    def silent_end(self) -> int:
        """Rounds at the end that the source tells nothing of."""
        return len(self.cells) - self.last_told

    @property
    def holes(self) -> tuple[int, ...]:
        """Rounds that the source tells nothing of, though it tells of a later one."""
        return tuple(sorted(set(range(1, self.last_told)) - {number for number, _ in self.told}))
