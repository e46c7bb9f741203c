"""Scores, intervals and places as people read them."""

from dataclasses import dataclass

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.score import GAP, Score
from sitegen.metrics.metric import Metric
from sitegen.metrics.uncertainty import Interval
from sitegen.models.release import LockedScore


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A score with its 95 % interval and its claims. `agrees` is "yes", "no" or "" where nobody claims a value."""

    score: Score
    value: str | None
    text: str
    sure: str
    agrees: str


def score_text(score: Score, board: Board) -> str:
    """Write a score; a count of tasks says out of how many."""
    if score.metric.unit != "tasks" or score.value is None:
        return score.text
    out_of = score.out_of if score.printed is not None else len(board.tasks.tasks)
    return f"{score.text} / {out_of}" if out_of else score.text


def interval_text(interval: Interval | None, metric: Metric) -> str:
    """Write an interval with the metric's decimals; empty where there is none."""
    return f"{interval.low:.{metric.decimals}f} to {interval.high:.{metric.decimals}f}" if interval else ""


def locked_text(score: LockedScore, decimals: int) -> str:
    """Write a score that a release has; as its source printed it where it is reported only."""
    return f"{score.value:.{decimals}f}" if score.printed is None else score.printed


def locked_interval_text(score: LockedScore, decimals: int) -> str:
    """Write the interval of a score that a release has; empty where there is none."""
    return "" if score.low is None or score.high is None else f"{score.low:.{decimals}f} to {score.high:.{decimals}f}"


def place_text(board: Board, entry: Entry) -> str:
    """Write a row's place: its group of rows that the data can't tell apart.

    Where nothing tells how sure a place is, it stands in brackets: the order of the values.
    """
    place = board.certainty.place(entry)
    if place is not None:
        return place.replace("-", GAP)
    return f"({board.ranks[entry.id]})" if entry.id in board.ranks else GAP


def full_precision(score: Score) -> str | None:
    """Write a value with every digit that it has."""
    if score.printed is not None:
        return str(score.printed)
    return None if score.value is None else repr(score.value)


def score_rows(board: Board, entry: Entry) -> list[ScoreRow]:
    """Give the scores of the board's columns, then those that somebody claims or reports."""
    columns = [entry.scores[metric.id] for metric in board.columns if metric.id in entry.scores]
    others = [score for score in entry.scores.values() if score not in columns and (score.claims or entry.table)]
    return [_score_row(score, board, entry) for score in (*columns, *others)]


def _score_row(score: Score, board: Board, entry: Entry) -> ScoreRow:
    sure = interval_text(board.certainty.interval(entry, score.metric.id), score.metric)
    agrees = "" if score.value is None or not score.claims else "no" if score.disputed else "yes"
    return ScoreRow(score, full_precision(score), score_text(score, board), sure, agrees)
