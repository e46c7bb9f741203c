"""Make the rounds of one agent at one task of a publication, and report doubtful results."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sitegen.importers.evocodebench import rules
from sitegen.importers.evocodebench.cells import RoundCell
from sitegen.importers.evocodebench.sweep import EXCLUDED, SweepCell
from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import RankedAgent
from sitegen.importers.kit.cases import blank_round
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.redaction import one_line
from sitegen.models.outcome import Failure, RoundResult
from sitegen.problems import counted

SILENT = "unknown: the source does not tell an aborted round from one never reached"
"""The cause recorded for the first round without a verdict at a run's end."""

HOLE = "unknown: the source has no verdict here, though it has one for a later round"
NO_REWARD = "the source has test output but no reward"

TEXT_LENGTH = 170
"""Length at which the source truncates a case's texts."""

SHARE_ROUNDING = 0.0006
"""Maximum error of a share that is published to three decimal places."""


@dataclass(frozen=True, slots=True)
class TaskAttempt:
    """One agent's attempt at one task."""

    path: Path
    """Path of the task's file."""
    task: str
    """Id of the task."""
    agent: RankedAgent
    """The agent under its canonical name."""
    spelling: str
    """The agent's spelling in the source."""
    cells: Sequence[RoundCell | None]
    """One cell per round; None if there is neither a verdict nor output."""
    is_excluded: bool
    """Whether the source leaves the run out of the agent's score."""
    stated_passed: int | None
    """Number of rounds passed, as stated in the task's file."""
    stated_share: float | None
    """Share of rounds passed, as stated in the index, to three decimal places."""
    swept: SweepCell | None

    @property
    def passed(self) -> int:
        """Number of rounds passed."""
        return sum(cell.is_solved for _, cell in self.known_cells)

    @property
    def known_cells(self) -> list[tuple[int, RoundCell]]:
        """The rounds that the source mentions, by number, with their cells."""
        numbered = enumerate(self.cells, start=1)
        return [(number, cell) for number, cell in numbered if cell is not None]

    @property
    def last_known(self) -> int:
        """The number of the last round that the source mentions; 0 if it mentions no round."""
        return max((number for number, _ in self.known_cells), default=0)

    @property
    def silent_rounds(self) -> int:
        """Number of rounds without data at the end of the run; 0 if the run does not count."""
        return 0 if self.is_excluded else len(self.cells) - self.last_known

    @property
    def holes(self) -> list[int]:
        """Rounds without data before a round with data."""
        if self.is_excluded:
            return []
        cells = self.cells[: self.last_known]
        return [number for number, cell in enumerate(cells, start=1) if cell is None]

    @property
    def share_difference(self) -> str:
        """A clause with the difference between the index's share and the rounds; empty if equal."""
        if self.stated_share is None:
            return ""
        if abs(self.stated_share - self.passed / len(self.cells)) <= SHARE_ROUNDING:
            return ""
        rounds = f"{self.passed} of {counted(len(self.cells), 'round')} passed"
        return f"{self.task}: {self.stated_share:g}, but {rounds}"

    @property
    def sweep_difference(self) -> str:
        """A clause with the difference between the sweeps' table and the rounds; empty if equal."""
        if self.swept is None or (self.swept.passed is None and self.is_excluded):
            return ""
        if (self.swept.passed, self.swept.rounds) == (self.passed, len(self.cells)):
            return ""
        stated = EXCLUDED
        if self.swept.passed is not None:
            stated = f"{self.swept.passed}/{self.swept.rounds}"
        return f"{stated} here, but {self.passed}/{len(self.cells)} in the file"

    def results(self) -> Iterator[RoundResult]:
        """Yield the results of the rounds, up to the first round without data at the end.

        Later rounds were never reached. If the run does not count, all of its rounds are yielded as
        excluded.
        """
        for number, cell in enumerate(self.cells, start=1):
            if self.is_excluded:
                yield self._excluded_round(number, cell)
            elif number > self.last_known + 1:
                return
            elif cell is None:
                cause = HOLE if number <= self.last_known else SILENT
                yield self._aborted_round(number, cause)
            elif cell.reward is None:
                cause = cell.reward_fault or NO_REWARD
                if cell.early:
                    cause = f"{cause}; {cell.early}"
                yield self._aborted_round(number, cause)
            else:
                yield self._scored_round(number, cell)

    def _scored_round(self, number: int, cell: RoundCell) -> RoundResult:
        passed, total = cell.counts
        return RoundResult(
            self.task,
            1,
            number,
            cell.state,
            cell.reward or 0,
            passed=passed,
            total=total,
            skipped=cell.skipped if total and cell.skipped else None,
            cause=cell.early or cell.note or cell.gate_reason,
        )

    def _excluded_round(self, number: int, cell: RoundCell | None) -> RoundResult:
        if cell is None:
            return RoundResult(self.task, 1, number, "excluded", 0)
        return replace(self._scored_round(number, cell), state="excluded")

    def _aborted_round(self, number: int, cause: str) -> RoundResult:
        return replace(blank_round(self.task, 1, number, state="aborted"), cause=cause)

    def failures(self) -> Iterator[Failure]:
        """Yield the listed failed cases, in the order of the source.

        The failed cases of a round that contradicts itself are left out.
        """
        for number, cell in self.known_cells:
            if cell.contradiction or (cell.state != "scored" and not self.is_excluded):
                continue
            for requirement in cell.requirements:
                # A requirement states the category of its first case; other cases may differ.
                category = requirement.category
                for case in requirement.cases:
                    yield Failure(
                        self.task,
                        1,
                        number,
                        case.id,
                        category=category,
                        requirement=requirement.name,
                        requirement_failed=requirement.failed,
                        truncated=TEXT_LENGTH in map(len, case.texts.values()),
                        **case.stated_texts,
                    )
                    category = None

    def review(self, log: ImportLog) -> None:
        """Report doubtful results of the run.

        Some problems are reported only to the readers of the agent's bundle: the importing user
        gets one message about all runs.
        """
        for number, cell in self.known_cells:
            self._review_cell(number, cell, log)
        if self.holes:
            numbers = ", ".join(map(str, self.holes))
            gap = f"{self._name} has no verdict for round {numbers}"
            message = f"{gap}, but one for round {self.last_known}"
            fact = f"round {numbers} of {self.task}"
            log.add_with_caveat(rules.VERDICT_HOLE, self.path, message, self.agent, fact)
        if self.silent_rounds:
            fact = f"{counted(self.silent_rounds, 'round')} of {self.task}"
            log.add_caveat(self.agent, rules.VERDICT_MISSING, fact)
        if self.stated_passed not in {None, self.passed}:
            fact = f"{self.stated_passed} rounds passed, but {self.passed} have a reward of 1"
            message = f"{self._name}: `score` states {fact}"
            fact = f"{self.task}: {fact}"
            log.add_with_caveat(kit_rules.SCORE_DIFFERS, self.path, message, self.agent, fact)
        if self.share_difference:
            log.add_caveat(self.agent, kit_rules.SCORE_DIFFERS, self.share_difference)
        if self.sweep_difference:
            fact = f"{self.task}: {self.sweep_difference}"
            log.add_caveat(self.agent, rules.SWEEP_DIFFERS, fact)

    def _review_cell(self, number: int, cell: RoundCell, log: ImportLog) -> None:
        round_name = f"round {number} of {self.task}"
        for rule, fact in cell.breaches():
            message = f"{self._name}, round {number}: {fact}"
            log.add_with_caveat(rule, self.path, message, self.agent, f"{round_name} ({fact})")
        if cell.has_excess:
            counts = f"{cell.stated_failures:,} against {cell.failed or 0:,}"
            log.add_caveat(self.agent, rules.LISTED_EXCESS, f"{round_name} ({counts})")
        unexplained = cell.unexplained()
        if unexplained:
            fact = f"{round_name} ({counted(len(unexplained), 'requirement')})"
            log.add_caveat(self.agent, rules.REASON_LOST, fact)

    @property
    def _name(self) -> str:
        return one_line(self.spelling)
