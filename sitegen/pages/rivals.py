"""A submission beside every other row of its board: how far apart, and whether the data can tell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sitegen.board.board import Board
from sitegen.board.certainty import Standing
from sitegen.board.comparison import Comparison, comparisons
from sitegen.board.entry import Entry
from sitegen.board.score import GAP
from sitegen.metrics.likeness import RULES
from sitegen.pages import addresses, labels
from sitegen.pages.figures import interval_text, place_text, signed_text

_NEAR = 60
"""So many rows before and behind a submission are held against it; the page that compares has the others."""


@dataclass(frozen=True, slots=True)
class RivalRow:
    """Another row of the board. `only` are the rounds that one passes and the other does not: ours, theirs.

    `standing` is that of the pair alone, `on_board` that as one of all pairs; `tasks` is how many would tell.
    """

    place: str
    agent: str
    address: str
    standing: str
    difference: str
    sure: str
    p: str
    tasks: str
    on_board: str
    only: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Rivals:
    """Every other row of a board beside one submission.

    Attributes:
        metric: Title of the headline score.
        rule: When a round counts as passed, as a sentence; empty where no rounds are compared.
        rows: In the order of the board; of a long one, those around the submission.
        left_out: How many rows of the board are not among them.
    """

    metric: str
    rule: str
    rows: Sequence[RivalRow]
    left_out: int


def rivals_of(board: Board, entry: Entry) -> Rivals | None:
    """Hold a submission against the other rows; None where it stands alone, or does not stand any more."""
    if entry.id not in board.ranks:
        return None
    near = _nearest(board, entry)
    found = comparisons(board, entry, near)
    names = labels.names_of(board.entries)
    rows = [_row(board, each, names) for each in found.values()]
    rules = {each.rounds.rule for each in found.values() if each.rounds}
    rule = " ".join(RULES[name] for name in sorted(rules))
    title = labels.title_of(board.headline, board.track, board.benchmark)
    return Rivals(title, rule, rows, len(board.ranks) - 1 - len(rows)) if rows else None


def _nearest(board: Board, entry: Entry) -> list[Entry]:
    """Give the ranked rows before and behind a submission, on a long board those that are near."""
    ranked = [each for each in board.entries if each.id in board.ranks]
    place = ranked.index(entry)
    return [*ranked[max(0, place - _NEAR) : place], *ranked[place + 1 : place + 1 + _NEAR]]


def _row(board: Board, comparison: Comparison, names: Mapping[str, str]) -> RivalRow:
    other, rounds = comparison.second, comparison.rounds
    difference = comparison.differences.get(board.headline.id)
    paired = difference.paired if difference else None
    return RivalRow(
        place_text(board, other),
        names[other.id],
        addresses.entry_address(board.benchmark.id, board.track.id, other.id),
        _IN_WORDS[comparison.standing],
        signed_text(paired.value, board.headline) if paired else GAP,
        interval_text(paired.interval, board.headline) if paired else GAP,
        _p(paired.p) if paired else GAP,
        GAP if not paired or paired.tasks is None else f"{paired.tasks:,}",
        comparison.on_board,
        (rounds.only_first, rounds.only_second) if rounds else None,
    )


_IN_WORDS: Mapping[Standing, str] = {
    "ahead": "likely ahead",
    "behind": "likely behind",
    "cannot tell": "cannot tell",
}
_SMALLEST = 0.001


def _p(value: float) -> str:
    """Write a p value; what is smaller than three decimals show is said to be."""
    return f"< {_SMALLEST}" if value < _SMALLEST else f"{value:.3f}"
