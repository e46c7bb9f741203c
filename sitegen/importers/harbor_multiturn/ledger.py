"""Turns the rounds of runs into records, with the cases that the verifier told of and what the work took."""

from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from sitegen.importers.harbor.cases import read_cases
from sitegen.importers.harbor.rulings import Played, Referee, spot_of
from sitegen.importers.harbor.trajectory import Trajectory
from sitegen.importers.harbor_multiturn.causes import cause_of
from sitegen.importers.harbor_multiturn.effort import of_round, transcript_of
from sitegen.importers.harbor_multiturn.runs import Run
from sitegen.importers.harbor_multiturn.tries import Cell
from sitegen.importers.kit.agents import Entrant
from sitegen.importers.kit.tree import Tree
from sitegen.models.outcome import RoundResult

PARENT = "parent_attempt@harbor-multiturn"
"""The measure that keeps a fan-out's lineage: the attempt from whose round before this one a round went on."""


@dataclass(slots=True)
class Ledger:
    """Makes the records of an import.

    Attributes:
        tree: The source.
        referee: Decides how rounds ended that have a verdict.
    """

    tree: Tree
    referee: Referee
    _transcripts: dict[Path, Trajectory] = field(default_factory=dict)

    def record(self, blank: RoundResult, cell: Cell | None, entrant: Entrant) -> Played:
        """Say how a round went.

        Args:
            blank: The record of a round that was never reached, as `unreached` makes it.
            cell: What is known of it; None where that is so.
            entrant: Whose it is.
        """
        row = cell.course.rows.get(blank.round) if cell else None
        if cell is None or row is None:
            return Played((blank,))
        run = cell.course.run
        effort = of_round(cell, blank.round, self._transcript(run))
        measures = {PARENT: float(cell.parent)} if cell.parent else None
        worked = replace(blank, **asdict(effort), measures=measures)
        if row.verdict is None:
            return Played((replace(worked, state="aborted", cause=cause_of(row, run.exception)),))
        verdict = replace(worked, state="scored", reward=row.verdict, passed=None, total=None)
        # The file without a round's number is that of the last round that was verified.
        log = run.verifier.file(f"round_{blank.round}_test-stdout.txt") if run.verifier else None
        cases, problems = read_cases(log)
        self.referee.report.problems += problems
        words = f"round {blank.round} of {blank.task} ({run.name})"
        return self.referee.score(verdict, cases, replace(spot_of(blank, entrant), words=words))

    def _transcript(self, run: Run) -> Trajectory:
        if run.path not in self._transcripts:
            self._transcripts[run.path], problems = transcript_of(run, self.tree)
            self.referee.report.problems += problems
            self.referee.pace.step()
        return self._transcripts[run.path]


def unreached(task: str, attempt: int, number: int) -> RoundResult:
    """Make the record of a round that was never reached."""
    return RoundResult(task, attempt, number, "unreached", 0, passed=0, total=0)
