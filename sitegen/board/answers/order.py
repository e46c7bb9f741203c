"""Who is first on a board and how sure that is; which ranks a row may have; what the order hangs on."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from sitegen.board.answers.answer import Answer, answered, number_text
from sitegen.board.board import Board
from sitegen.board.comparison import comparisons
from sitegen.board.entry import Entry
from sitegen.board.score import GAP, Score
from sitegen.board.sureness import Sureness
from sitegen.metrics.metric import Metric
from sitegen.models.release import LockedBoard, Release
from sitegen.problems import counted, part_of


class _Place(NamedTuple):
    """A ranked row in a few facts."""

    name: str
    text: str
    """Its score as people read it."""
    rank: int | None
    """By value."""
    first: int | None
    """The first rank that it may have."""
    leads: bool


class _Verbs(NamedTuple):
    """The verbs of sentences about an order."""

    leads: str
    follows: str
    follow: str
    has: str
    share: str
    could: str
    is_ranked: str


_PRESENT = _Verbs("leads", "follows", "follow", "has", "share", "could be", "is ranked")
_PAST = _Verbs("led", "followed", "followed", "had", "shared", "could have been", "was ranked")
WITHDRAWN = "Withdrawn board: "
"""Begins every sentence about the order of a withdrawn board, which is in the past."""


def _title(board: Board) -> str:
    return board.headline.title_on(board.track, board.benchmark)


def _text(score: Score) -> str:
    return score.count_words if score.metric.is_count and score.counted else score.text


def _named(names: Sequence[str]) -> str:
    return f"{len(names)} rows" if len(names) > 2 else " and ".join(names)  # noqa: PLR2004 - more are too many to name


def _is_withdrawn(board: Board) -> bool:
    return board.track.status == "withdrawn"


def _orders(rows: Sequence[_Place], title: str, direction: str, *, is_withdrawn: bool) -> list[str]:
    """Return sentences that say who is first, the strongest first; of a withdrawn board, who was."""
    sentences = _order(rows, title, direction, _PAST if is_withdrawn else _PRESENT)
    return [f"{WITHDRAWN}{each}" if is_withdrawn else each for each in sentences]


def _order(rows: Sequence[_Place], title: str, direction: str, verbs: _Verbs) -> Iterator[str]:
    """Say who is first, the strongest sentence that holds first."""
    most = "highest" if direction == "higher" else "lowest"
    first, same = rows[0], [row.name for row in rows if row.rank == 1]
    could = sum(row.first in {1, None} for row in rows)
    if len(rows) == 1:
        yield f"{first.name} {verbs.has} {first.text} in {title}; no other agent {verbs.is_ranked} here"
        return
    second = rows[1]
    behind = [row.name for row in rows if row.rank == second.rank]
    follows = f"{_named(behind)} {verbs.follow if behind[1:] else verbs.follows} with {second.text}"
    if first.leads:
        yield f"{first.name} {verbs.leads} with {first.text}; {follows}"
        yield f"{first.name} {verbs.leads} with {first.text}"
    highest = f"{first.name} {verbs.has} the {most} {title}"
    if same[1:]:
        highest = f"{_named(same)} {verbs.share} the {most} {title}"
    if any(row.first for row in rows):
        yield f"{counted(could, 'row')} {verbs.could} first; {highest}, {first.text}"
        yield f"{could} of {counted(len(rows), 'row')} {verbs.could} first"
    elif not same[1:]:
        yield f"{highest}, {first.text}; {follows}"
    yield f"{highest}, {first.text}"


def board_answer(board: Board) -> Answer | None:
    """Say who is first on a board, and by how much; None where no row is ranked."""
    ranked, ranks = board.placed, board.certainty.ranks
    rows = [
        _Place(
            board.names[entry.id],
            _text(entry.scores[board.headline.id]),
            board.ranks[entry.id],
            ranks.get(entry.id, (None, None))[0],
            ranks.get(entry.id) == (1, 1),
        )
        for entry in ranked
    ]
    if not rows:
        return None
    sure = (_lead(board), neighbours(board, is_behind=_leads(board)))
    texts = _orders(
        rows, _title(board), board.headline.direction, is_withdrawn=_is_withdrawn(board)
    )
    return answered(*texts, sure=sure)


def _leads(board: Board) -> bool:
    """Whether the first row is shown to be better than every other."""
    ranked = board.placed
    return len(ranked) > 1 and board.certainty.ranks.get(ranked[0].id) == (1, 1)


def _lead(board: Board) -> str:
    """Say by how much the first row leads; empty where it does not, or where nothing is drawn."""
    if not _leads(board):
        return ""
    first, second = board.placed[:2]
    difference = comparisons(board, first, [second])[0].difference
    if difference is None:
        return ""
    metric, paired = difference.metric, difference.paired
    value, low, high = paired.value, paired.interval.low, paired.interval.high
    if metric.direction == "lower":
        value, low, high = -value, -high, -low
    points = " points" if metric.unit in {"percent", "points"} else ""
    lead, low_text, high_text = (number_text(each, metric.decimals) for each in (value, low, high))
    has = "had" if _is_withdrawn(board) else "has"
    words = paired.interval.words
    article = "an" if words.startswith("a") else "a"
    return f"The lead of {lead}{points} {has} {article} {words} of {low_text} to {high_text}."


def neighbours(board: Board, *, is_behind: bool = False) -> str:
    """Say how many neighbours are shown to be in the order that they stand in; of all, or of those behind the first."""
    if len(board.ranks) > 1 and not board.certainty.ranks:
        reported = all(entry.table for entry in board.placed)
        why = "these are printed values, without raw data" if reported else board.certainty.untested
        return f"The order is not tested: {why}."
    known = [entry for entry in board.placed if entry.id in board.certainty.ranks]
    pairs = list(pairwise(known[is_behind:]))
    apart = sum(board.certainty.standing(*pair) == "ahead" for pair in pairs)
    if not pairs:
        return ""
    if apart:
        behind = " behind it" if is_behind else ""
        if len(pairs) == 1:
            return f"The two rows{behind} can be told apart."
        return f"{apart} of {len(pairs)} pairs of neighbours{behind} can be told apart."
    return f"{'Behind it, no' if is_behind else 'No'} two neighbours can be told apart."


def snapshot_answer(locked: LockedBoard, release: Release, metric: Metric | None) -> Answer | None:
    """Say who was first on a board as a release has it."""
    ranked = sorted((row for row in locked.rows if row.rank), key=lambda row: row.rank or 0)
    often = [row.name for row in ranked]
    if not ranked or metric is None:
        return None
    rows = []
    for row in ranked:
        score = row.scores[locked.headline]
        name = (
            f"{row.name} ({row.scaffold})"
            if often.count(row.name) > 1 and row.scaffold
            else row.name
        )
        text = score.printed or f"{score.value:.{metric.decimals}f}"
        rows.append(
            _Place(
                name, text, row.rank, row.first, (row.first, row.last) == (1, 1) and len(ranked) > 1
            )
        )
    title = metric.named(locked.attempts, locked.rounds_word)
    texts = _orders(rows, title, metric.direction, is_withdrawn=locked.status == "withdrawn")
    return answered(*texts, sure=(f"As of {release.date}, as it was released.",))


def row_answer(board: Board, entry: Entry) -> Answer | None:
    """Say which ranks a row may have, and with which score."""
    status, title, rows = entry.status, _title(board), len(board.ranks)
    name, score = board.names.get(entry.id, entry.agent.name), entry.scores.get(board.headline.id)
    if not entry.is_ranked:
        what = f"{name} was {status.state}"
        day = f" on {status.date}" if status.date else ""
        return answered(f"{what} by {status.by}{day}" if status.by else "", f"{what}{day}", what)
    if entry.is_incomplete and entry.coverage:
        return answered(f"{name} has {entry.coverage.lack}, and so no rank")
    if score is None or score.value is None:
        return answered(
            f"{name} has no {title}: {score.gap}" if score and score.gap else "",
            f"{name} has no {title}",
        )
    place, told = board.certainty.place(entry), f"{_text(score)} in {title}"
    start, verbs, ranks = "", _PRESENT, "ranks"
    if _is_withdrawn(board):
        start, verbs, ranks = WITHDRAWN, _PAST, "ranked"
    has_score = f"{start}{name} {verbs.has} {told}"
    if entry.id not in board.ranks:
        text = f"{has_score}, and no rank"
    elif rows == 1:
        text = f"{has_score}; no other agent {verbs.is_ranked} here"
    elif place:
        text = f"{start}{name} {ranks} {place.replace('-', GAP)} of {rows}, with {told}"
    else:
        text = f"{has_score}, rank {board.ranks[entry.id]} of {rows} by the value alone"
    return answered(text, has_score, sure=_row_sure(board, entry))


def agent_answer(name: str, rows: Sequence[tuple[Board, Entry]]) -> Answer | None:
    """Say on how many boards an agent stands, and which of them it leads; None where it stands on none."""
    standing = [(board, entry) for board, entry in rows if entry.is_ranked]
    if not standing:
        return None
    live = [(board, entry) for board, entry in standing if not _is_withdrawn(board)]
    if not live:
        withdrawn = {id(board) for board, _ in standing}
        return answered(f"{name} is only on {counted(len(withdrawn), 'withdrawn board')}")
    boards = {id(board): board for board, _ in live}
    led = [board for board, entry in live if _leads(board) and entry is board.placed[0]]
    stands = f"{name} stands on {counted(len(boards), 'board')}"
    named = (
        f" and leads {', '.join(f'{board.benchmark.title} {board.track.title}' for board in led)}"
        if led
        else ""
    )
    return answered(f"{stands}{named}", f"{stands} and leads {len(led)}" if led else "", stands)


def _row_sure(board: Board, entry: Entry) -> Iterator[str]:
    if entry.table:
        yield "Reported by its source, not recomputed here."
    interval = board.certainty.interval(entry, board.headline.id)
    if interval:
        low, high = (
            number_text(each, board.headline.decimals) for each in (interval.low, interval.high)
        )
        article = "an" if interval.words.startswith("a") else "a"
        yield f"The score has {article} {interval.words} of {low} to {high}."
    if entry.id in board.certainty.ranks and len(board.ranks) > 1:
        found = [
            board.certainty.standing(entry, other) for other in board.entries if other is not entry
        ]
        ahead, behind = (found.count(each) for each in ("ahead", "behind"))
        yield f"Shown to be ahead of {ahead or 'no'} {'row' if ahead == 1 else 'rows'} and behind {behind or 'none'}."


def compare_answer(board: Board) -> Answer | None:
    """Say how many pairs of rows can be told apart; None where there are no two."""
    rows, sure = len(board.ranks), board.certainty
    if rows < 2:  # noqa: PLR2004 - a pair
        return None
    apart, pairs = sum(first - 1 for first, _ in sure.ranks.values()), rows * (rows - 1) // 2
    text = f"{apart or 'None'} of {pairs} pairs of rows can be told apart"
    if pairs == 1:
        text = f"The two rows can{'' if apart else 'not'} be told apart"
    grounds = f"This rests on {sure.grounds}, over all pairs at once."
    withdrawn = "The board was withdrawn." if _is_withdrawn(board) else ""
    return answered(text, sure=(withdrawn, grounds if sure.ranks else neighbours(board)))


def certainty_answer(found: Sureness) -> Answer | None:
    """Say how much of a board's order is shown, and how far it hangs on one task."""
    task = found.tasks[0]
    text = "No single task decides a rank by score"
    if task.without.moved:
        rows = part_of(task.without.moved, len(found.rows), "row")
        text = f"Without {task.task.name}, {rows} would have another rank by score"
    shown = neighbours(found.board).removesuffix(".")
    withdrawn = "The board was withdrawn." if _is_withdrawn(found.board) else ""
    if shown:
        return answered(shown, sure=(withdrawn, f"{text}."))
    return answered(text, sure=(withdrawn,))
