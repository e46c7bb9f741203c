"""The way to the rounds that decided what became of a row."""

from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter

from sitegen.board.differences import CellChange
from sitegen.board.ledger import BoardEvents, Event, Ledger, Row
from sitegen.board.score import GAP
from sitegen.models.finding import Finding
from sitegen.pages import addresses
from sitegen.pages.environment import Crumb


def deciding_rounds(ledger: Ledger, where: BoardEvents, event: Event) -> list[Crumb]:
    """Give the rounds that findings name which changed a row's scores, and those that differ from an earlier row's."""
    now = ledger.row(where.benchmark.id, where.board.track, event.row.id)
    was = ledger.row(where.benchmark.id, *event.earlier) if event.earlier else None
    if now is None:
        return []
    word, runs, earlier = where.board.rounds_word, _Runs.of(now), _Runs.of(was or now)
    findings = [cause.finding.finding for cause in event.causes if cause.finding and cause.kind == "finding"]
    concerned = [crumb for finding in findings for crumb in _concerned(runs, finding, word)]
    cells = ledger.deciding_cells(where, event)
    return [*concerned, *(_cell(earlier if cell.kind == "removed" else runs, cell, word) for cell in cells)]


@dataclass(frozen=True, slots=True)
class _Runs:
    """The pages of a row's runs."""

    row: Row
    attempts: frozenset[tuple[str, int]]
    """Those that there are, each with its task."""

    @classmethod
    def of(cls, row: Row) -> "_Runs":
        """Look which there are."""
        rounds = row.entry.sent.rounds if row.entry.sent else ()
        return cls(row, frozenset((each.task, each.attempt) for each in rounds if each.start == "own"))

    def address(self, task: str, number: int | None = None, attempt: int = 1) -> str:
        """Give the address of a run; of one of its rounds, where the page shows that."""
        board = self.row.board
        run = addresses.run_address(board.benchmark.id, board.track.id, self.row.entry.id, task)
        if number is None or (task, attempt) not in self.attempts:
            return run
        return f"{run}#{addresses.round_anchor(number, attempt)}"


def _concerned(runs: _Runs, finding: Finding, word: str) -> Iterator[Crumb]:
    for task in runs.row.board.tasks.tasks:
        if task.id not in finding.tasks:
            continue
        if not finding.rounds:
            yield Crumb(f"{task.id}, every {word}", runs.address(task.id))
        for number in (each.n for each in task.rounds if each.n in finding.rounds):
            yield Crumb(f"{task.id}, {word} {number}", runs.address(task.id, number))


def _cell(runs: _Runs, cell: CellChange, word: str) -> Crumb:
    told = "; ".join(
        f"{each.name} {GAP if each.before is None else each.before} → {GAP if each.after is None else each.after}"
        for each in sorted(cell.differences, key=attrgetter("name"))
        if each.name in {"state", "reward", "passed", "total"}
    )
    title = f"{cell.task}, {word} {cell.round}: {told if cell.kind == 'changed' else cell.kind}"
    return Crumb(title, runs.address(cell.task, cell.round, cell.attempt))
