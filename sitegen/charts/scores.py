"""The headline scores of a board, each with its interval."""

from collections.abc import Iterator, Sequence

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.score import GAP
from sitegen.charts.chart import Chart, Table, Words
from sitegen.charts.panel import Bar, Ranking, Scale
from sitegen.metrics.metric import Metric
from sitegen.metrics.uncertainty import Interval
from sitegen.problems import counted

MOST = 30
"""More rows would be a picture of a table."""


def scale_of(metric: Metric, words: Words) -> Scale:
    """Give a metric's scale."""
    return Scale(words.axis(metric), metric.highest)


def scores_chart(board: Board, words: Words) -> Chart | None:
    """Show how sure the headline scores are; None where nothing tells that of any."""
    metric = board.headline
    rows = [entry for entry in board.entries if entry.has_score(metric.id)]
    sure = {entry.id: board.certainty.interval(entry, metric.id) for entry in rows}
    if not any(sure.values()):
        return None
    shown = rows[:MOST]
    bars = [_bar(place, entry, board, sure[entry.id], words) for place, entry in enumerate(shown)]
    return Chart(
        id="scores",
        title=f"{words.title(metric)}, with 95 % intervals",
        sentence=_sentence(board, len(bars), len(rows), words.title(metric)),
        panels=[Ranking(scale_of(metric, words), bars)],
        table=_table(shown, list(sure.values()), board, words),
    )


def _bar(place: int, entry: Entry, board: Board, interval: Interval | None, words: Words) -> Bar:
    low, high = (interval.low, interval.high) if interval else (None, None)
    metric = board.headline.id
    return Bar(place, words.names[entry.id], entry.value(metric) or 0.0, entry.text(metric), low, high)


def _sentence(board: Board, shown: int, rows: int, title: str) -> str:
    if rows == 1:
        return f"{title} of the only agent; the line is the 95 % interval."
    who = f"the first {shown} of {counted(rows, 'agent')}" if shown < rows else counted(rows, "agent")
    return f"{title} of {who}, best first; the line is the 95 % interval. {_first(board)}"


def _first(board: Board) -> str:
    """Say how many rows could be first, as far as anything tells."""
    sure = board.certainty
    if len(sure.ranks) < 2:  # noqa: PLR2004 - a pair
        return "Nothing here tells how sure their order is."
    if (1, 1) in sure.ranks.values():
        return "The first is shown to be ahead of every other ranked row."
    return f"{len(sure.could_be_first)} of the {len(board.ranks)} ranked rows could be first."


def _table(shown: Sequence[Entry], sure: Sequence[Interval | None], board: Board, words: Words) -> Table:
    metric = board.headline
    lines = [
        (words.names[entry.id], [entry.text(metric.id), *_bounds(interval, metric)])
        for entry, interval in zip(shown, sure, strict=False)
    ]
    return Table(["Agent", words.axis(metric), "95 % from", "to"], lines)


def _bounds(interval: Interval | None, metric: Metric) -> Iterator[str]:
    for bound in (interval.low, interval.high) if interval else (None, None):
        yield GAP if bound is None else f"{bound:.{metric.decimals}f}"
