"""Which conclusions of a board a finding changed: scores, ranks, who is first."""

from collections.abc import Sequence
from dataclasses import dataclass

from sitegen.board.board import Board
from sitegen.board.changes.boards import POSSIBLE, row_changes
from sitegen.board.changes.difference import Difference
from sitegen.models.finding import Finding


@dataclass(frozen=True, slots=True)
class Turn:
    """A row whose conclusions changed.

    Attributes:
        id: Its name in addresses.
        agent: What is ranked.
        score: Its headline score, without the finding and with it; None where that stays.
        rank: Its rank by score; None where that stays.
        possible: The ranks that it may have where that is not sure; None where they stay.
    """

    id: str
    agent: str
    score: Difference | None
    rank: Difference | None
    possible: Difference | None


@dataclass(frozen=True, slots=True)
class Conclusions:
    """What a finding changed on a board.

    Attributes:
        turns: Rows that changed, those whose rank changed first.
        highest: Agents of the best score without the finding, and with it: whether they lead is another question.
        rows: How many rows the board ranks.
    """

    turns: Sequence[Turn]
    highest: tuple[Sequence[str], Sequence[str]]
    rows: int

    @property
    def scored(self) -> int:
        """How many rows have another headline score."""
        return sum(turn.score is not None for turn in self.turns)

    @property
    def moved(self) -> list[Turn]:
        """Rows of another rank by score."""
        return [turn for turn in self.turns if turn.rank]

    @property
    def reconsidered(self) -> list[Turn]:
        """Rows whose rank by score stays, and whose possible ranks changed."""
        return [turn for turn in self.turns if turn.possible and not turn.rank]

    @property
    def has_other_highest(self) -> bool:
        """Whether somebody else has the best score."""
        return set(self.highest[0]) != set(self.highest[1])


def conclusions_of(board: Board, finding: Finding) -> Conclusions | None:
    """Compare a board with what it would be without one of its findings; None where that changes none of its rows."""
    before = board.without(finding)
    if before is board:
        return None
    headline = board.headline.id
    found = [
        Turn(row.id, row.agent, _of(row.scores, headline), _of(row.places, "rank"), _of(row.places, POSSIBLE))
        for row in row_changes(before, board)
    ]
    told = [turn for turn in found if turn.score or turn.rank or turn.possible]
    place = {entry.id: number for number, entry in enumerate(board.all_entries)}
    turns = sorted(told, key=lambda turn: (turn.rank is None, place[turn.id]))
    return Conclusions(turns, (_highest(before), _highest(board)), len(board.ranks))


def _of(found: Sequence[Difference], name: str) -> Difference | None:
    return next((each for each in found if each.name == name), None)


def _highest(board: Board) -> list[str]:
    return [entry.agent.name for entry in board.entries if board.ranks.get(entry.id) == 1]
