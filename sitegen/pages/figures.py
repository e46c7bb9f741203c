"""Scores, intervals and ranks as people read them."""

from collections.abc import Sequence
from dataclasses import dataclass

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.score import GAP, Claim, Score
from sitegen.metrics.metric import Metric
from sitegen.metrics.uncertainty import Interval
from sitegen.models.release import LockedScore


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A score with its 95 % interval and its claims.

    Attributes:
        score: The score.
        value: In full precision; None for a gap.
        text: As people read it.
        sure: Its interval in words.
        agrees: "yes", "no", or "" where nobody claims a value that compares.
        claims: What is claimed, each with how it stands to the score in words.
        apart: How all claims stand to the score, where that is the same, since they do not compare; else empty.
    """

    score: Score
    value: str | None
    text: str
    sure: str
    agrees: str
    claims: Sequence[tuple[Claim, str]]
    apart: str


def score_text(score: Score) -> str:
    """Write a score; a count of tasks says out of how many."""
    return f"{score.text} / {score.counted[1]}" if score.metric.unit == "tasks" and score.counted else score.text


def interval_text(interval: Interval | None, metric: Metric) -> str:
    """Write an interval with the metric's decimals; empty where there is none."""
    return f"{interval.low:.{metric.decimals}f} to {interval.high:.{metric.decimals}f}" if interval else ""


def signed_text(value: float, metric: Metric) -> str:
    """Write a difference with its sign and the metric's decimals; what is rounded to 0 has no sign."""
    text = f"{value:+.{metric.decimals}f}"
    return text if float(text) else text[1:]


def locked_text(score: LockedScore, decimals: int) -> str:
    """Write a score that a release has; as its source printed it where it is reported only."""
    return f"{score.value:.{decimals}f}" if score.printed is None else score.printed


def locked_interval_text(score: LockedScore, decimals: int) -> str:
    """Write the interval of a score that a release has; empty where there is none."""
    return "" if score.low is None or score.high is None else f"{score.low:.{decimals}f} to {score.high:.{decimals}f}"


def place_text(board: Board, entry: Entry) -> str:
    """Write the ranks that a row may have.

    Where nothing tells how sure a rank is, it stands in brackets: the order of the values.
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
    compared = score.value is not None and len(score.incomparable) < len(score.claims)
    agrees = "" if not compared else "no" if score.disputed else "yes"
    standing = {claim: score.standing(claim) for claim in score.claims}
    apart = next(iter(standing.values()), "") if not compared and len(set(standing.values())) == 1 else ""
    claims = [(claim, "" if apart else words) for claim, words in standing.items()]
    return ScoreRow(score, full_precision(score), score_text(score), sure, agrees, claims, apart)
