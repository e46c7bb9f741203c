"""A table that is its own chart: each row has its score as a dot on one axis, with its interval."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sitegen.board import Board, Entry
from sitegen.charts.chart import AxisScale
from sitegen.charts.layout import Ruler, from_zero
from sitegen.metrics.intervals import Interval
from sitegen.pages import addresses, labels
from sitegen.pages.texts import join_texts

REPORTED = "sg-reported"
"""The look of a score that is reported, not recomputed."""
ONLY = "sg-only"
"""The look of a score whose row has a single rank."""

_TEXT_ROOM = 22
"""The room for the text of an interval beside its band, in percent of the axis."""
_PHONE_TEXT_ROOM = 30
"""The room for the same text on a phone."""

AxisTick = tuple[str, str, str]
"""The position of a tick on an axis, its text, and the end of the text at the tick."""


class ScoreStrip(NamedTuple):
    """A score on an axis with its interval, if it has one; positions in percent of the width."""

    words: str
    """The text alternative; empty if the text is beside it."""
    at: str
    low: str | None = None
    width: str = ""
    high: str = ""
    look: str = ""
    """`ONLY`, `REPORTED` or empty."""
    interval_text: str = ""
    """The interval in words, if there is room beside its band."""
    side: str = ""
    """The side of the band that the text is on: "end" for the right, "start" for the left."""


class ScoreAxis(NamedTuple):
    """The axis of the scores in a table; `name` is unique on its page."""

    name: str
    ruler: Ruler
    baselines: Sequence[float] = ()
    """Scores of the board's baselines."""

    @property
    def references(self) -> list[str]:
        """The positions of lines at the baselines."""
        return [self.at(value) for value in self.baselines]

    @property
    def ticks(self) -> Iterator[AxisTick]:
        """The ticks of the axis."""
        for tick in self.ruler.marks:
            percent = self.ruler.place(tick, 100)
            anchor = "middle"
            if percent <= 0:
                anchor = "start"
            elif percent >= 100:  # noqa: PLR2004 - percent
                anchor = "end"
            yield f"{percent:.2f}%", f"{tick:,.10g}", anchor

    def strip(
        self, text: str, value: float, interval: Interval | None, look: str, interval_text: str
    ) -> ScoreStrip:
        """Return a score with its interval, if it has one.

        Args:
            text: The text alternative of the strip.
            value: The score.
            interval: Its interval.
            look: `ONLY`, `REPORTED` or empty.
            interval_text: The interval in words, shown if there is room.
        """
        if interval is None:
            return ScoreStrip(text, self.at(value), look=look)
        low_percent = self.ruler.place(interval.low, 100)
        high_percent = self.ruler.place(interval.high, 100)
        side = _text_side(low_percent, 100 - high_percent)
        return ScoreStrip(
            words=text,
            at=self.at(value),
            low=self.at(interval.low),
            width=f"{high_percent - low_percent:.2f}%",
            high=self.at(interval.high),
            look=look,
            interval_text=interval_text if side else "",
            side=side,
        )

    def at(self, value: float) -> str:
        """Return the position of a value, in percent of the axis."""
        return f"{self.ruler.place(value, 100):.2f}%"


def _text_side(start_room: float, end_room: float) -> str:
    """Return the side of a band with room for the interval as text; empty if neither has room."""
    if end_room >= max(_TEXT_ROOM, min(start_room, _PHONE_TEXT_ROOM)):
        return "end"
    return "start" if start_room >= _TEXT_ROOM else ""


def score_axis(board: Board, entries: Sequence[Entry]) -> ScoreAxis:
    """Return an axis from 0 that includes the headline scores of rows, and their intervals."""
    metric = board.headline
    values = []
    for entry in entries:
        value = entry.value(metric.id)
        if value is not None:
            values.append(value)
        interval = board.inference.interval(entry, metric.id)
        if interval:
            values += [interval.low, interval.high]
    name = f"axis-{'-'.join(addresses.of(board))}"
    baselines = baseline_scores(board)
    ruler = from_zero(AxisScale(metric.title, metric.highest), [*values, *baselines])
    return ScoreAxis(name, ruler, baselines)


def baseline_scores(board: Board) -> list[float]:
    """Return the headline scores of a board's baselines."""
    scores = []
    for entry in board.apart:
        value = entry.value(board.headline.id)
        if entry.apart == "baseline" and value is not None and not entry.has_missing_tasks:
            scores.append(value)
    return scores


def strip_on(axis: ScoreAxis, board: Board, entry: Entry, *, is_alone: bool) -> ScoreStrip:
    """Return a row's headline score on an axis; its text alternative is empty beside a text."""
    metric = board.headline
    look = ""
    if entry.table_line:
        look = REPORTED
    elif has_single_rank(board, entry):
        look = ONLY
    value = entry.value(metric.id) or 0.0
    interval = board.inference.interval(entry, metric.id)
    interval_text = labels.row_interval_text(board, entry, metric)
    if is_alone:
        score = labels.score_text(entry.scores[metric.id])
        named_interval = ""
        if interval_text:
            named_interval = f"{metric.interval_words} {interval_text}"
        text = join_texts(score, named_interval, separator=", ")
        return axis.strip(text, value, interval, look, "")
    text = ""
    if interval_text:
        text = f"{metric.interval_words}: {interval_text}"
    return axis.strip(text, value, interval, look, interval_text)


def has_single_rank(board: Board, entry: Entry) -> bool:
    """Return whether the data supports a single rank for a row, on a board with several ranks."""
    ranks = board.inference.ranks.get(entry.id)
    if ranks is None or len(board.ranks) < 2:  # noqa: PLR2004 - several ranks
        return False
    first, last = ranks
    return first == last
