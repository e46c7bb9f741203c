"""Scores over time, for the pages of submissions, boards and tasks: as a drawing, and as a table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from statistics import fmean
from typing import ClassVar

from markupsafe import Markup

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.releases import Past, records_of
from sitegen.board.score import GAP
from sitegen.charts import history
from sitegen.charts.panel import Scale
from sitegen.charts.scores import scale_of
from sitegen.models.task import Task
from sitegen.pages import addresses, labels
from sitegen.pages.charts import words_of
from sitegen.pages.environment import Crumb
from sitegen.pages.figures import locked_interval_text, locked_text
from sitegen.pages.records import Records
from sitegen.pages.releases import place_text
from sitegen.pages.text import visible

FEWEST = 2
"""One score is no history."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A score at a time.

    Attributes:
        when: The release or the day, with the way to what it was like then.
        who: Whose score it is, where a history is of several.
        place: The ranks that it gave; empty where a history has none.
        value: The score in full; None for a gap.
        text: The score as people read it.
        sure: Its 95 % interval in words; empty where nothing tells.
    """

    when: Crumb
    who: Crumb | None
    place: str
    value: str | None
    text: str
    sure: str = ""


@dataclass(frozen=True, slots=True)
class Timeline:
    """Scores over time, the latest first.

    Attributes:
        title: What it shows.
        unit: What its scores are.
        about: What to know of it, in a sentence.
        moments: The scores.
        drawing: The same as SVG; None where there is a single score.
    """

    anchor: ClassVar[str] = "history-about"
    """Of the sentence that says what a drawing shows; a page has one history."""

    title: str
    unit: str
    about: str
    moments: Sequence[Moment]
    drawing: Markup | None = None


def entry_timeline(records: Records, entry: Entry) -> Timeline | None:
    """Show a row from release to release; None where no release has it."""
    board, pasts = records.board, records.pasts.get(entry.id, ())
    if not pasts:
        return None
    title = labels.title_of(board.headline, board.track, board.benchmark)
    moments = [_past(board, past) for past in reversed(pasts)]
    drawn = [point for past in pasts if (point := _point(board, past))]
    about = "In every release that has it, and as it is."
    if len(drawn) < FEWEST:
        return Timeline("History", title, about, moments)
    sure = " The line through a dot is its 95 % interval." if any(point.low is not None for point in drawn) else ""
    picture = _drawing(_scale(board), drawn, f"{title} of {entry.agent.name} over time")
    return Timeline("History", title, f"{about}{sure}", moments, picture)


def board_timeline(board: Board) -> Timeline | None:
    """Show the best score that a board has seen, by day; None where a single row has been the best ever since."""
    found = records_of(board)
    if len(found) < FEWEST:
        return None
    title, decimals = labels.title_of(board.headline, board.track, board.benchmark), board.headline.decimals
    moments = [
        Moment(
            _day(record.entry),
            _who(board, record.entry),
            "",
            repr(record.value),
            f"{record.value:.{decimals}f}",
        )
        for record in reversed(found)
    ]
    about = "The best score up to each day, by the days that submissions state; of rows that stand."
    drawn = [_best(record.entry, record.value, f"{record.value:.{decimals}f}") for record in found]
    picture = _drawing(_scale(board), drawn, f"The best {title} so far", _latest(board))
    return Timeline("The best so far", title, about, moments, picture)


def task_timeline(records: Records, task: Task) -> Timeline | None:
    """Show the best that submissions have done on a task, by day; None where there is nothing to tell."""
    board, best = records.board, -1.0
    moments: list[Moment] = []
    drawn: list[history.Moment] = []
    shares = sorted(_shares(records, task), key=lambda each: (each[0].date, -each[1], each[0].id))
    for entry, share in shares:
        if share > best:
            best = share
            text = f"{100 * share:.0f} %"
            moments.append(Moment(_day(entry), _who(board, entry), "", repr(100 * share), text))
            drawn.append(_best(entry, 100 * share, text))
    if len(moments) < FEWEST:
        return None
    word = labels.rounds_word(board.benchmark, 2)
    about = "The best share up to each day, by the days that submissions state; of rows that stand."
    title = f"{word.capitalize()} passed"
    picture = _drawing(Scale(f"{title} (%)", 100.0), drawn, f"{title}, the best so far", _latest(board))
    return Timeline("The best so far", title, about, moments[::-1], picture)


def _drawing(scale: Scale, drawn: Sequence[history.Moment], title: str, until: date = date.min) -> Markup:
    """Draw moments, the earliest first."""
    made = history.drawn_history(history.History(scale, drawn, until), visible(title), Timeline.anchor)
    return Markup(made)  # noqa: S704 - all text in a drawing is escaped


def _scale(board: Board) -> Scale:
    return scale_of(board.headline, words_of(board))


def _latest(board: Board) -> date:
    return max(entry.date for entry in board.entries)


def _best(entry: Entry, value: float, text: str) -> history.Moment:
    name = visible(entry.agent.name)
    return history.Moment(entry.date, value, name, f"{entry.date}, {name}: {text}")


def _point(board: Board, past: Past) -> history.Moment | None:
    """Give a moment to draw; None for a gap."""
    score, decimals = past.row.scores.get(board.headline.id), board.headline.decimals
    if score is None:
        return None
    text, sure = locked_text(score, decimals), locked_interval_text(score, decimals)
    when = f"{past.release.date}, {past.release.name}" if past.release else "now"
    about = visible(f"{when}: {text}") + (f", 95 % interval {sure}" if sure else "")
    return history.Moment(past.release.date if past.release else None, score.value, text, about, score.low, score.high)


def _shares(records: Records, task: Task) -> Iterator[tuple[Entry, float]]:
    """Give the share of a task's rounds that each row passed, the mean of its attempts."""
    for entry in records.board.submissions:
        runs = [run for run in records.runs(entry, task.id) if run]
        if runs:
            yield entry, fmean(sum(each.solved for each in run) / len(run) for run in runs)


def _past(board: Board, past: Past) -> Moment:
    where, row = (board.benchmark.id, board.track.id), past.row
    if past.release is None:
        when = Crumb("now", addresses.board_address(*where))
    else:
        when = Crumb(past.release.name, addresses.snapshot_address(past.release.date, *where))
    score, decimals = row.scores.get(board.headline.id), board.headline.decimals
    place = place_text(row) if row.state == "published" else row.state
    if score is None:
        return Moment(when, None, place, None, GAP)
    text, sure = locked_text(score, decimals), locked_interval_text(score, decimals)
    return Moment(when, None, place, repr(score.value), text, sure)


def _day(entry: Entry) -> Crumb:
    return Crumb(str(entry.date), "")


def _who(board: Board, entry: Entry) -> Crumb:
    return Crumb(entry.agent.name, addresses.entry_address(board.benchmark.id, board.track.id, entry.id))
