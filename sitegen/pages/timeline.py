"""Scores over time, for the pages of submissions, boards and tasks: as a drawing, and as a table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from statistics import fmean
from typing import ClassVar, NamedTuple

from markupsafe import Markup

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.releases import records_of
from sitegen.charts import history
from sitegen.charts.board_charts import scale_of
from sitegen.charts.chart import Scale
from sitegen.models.task import Task
from sitegen.pages import labels
from sitegen.pages.addresses import Link, entry_link
from sitegen.pages.charts import words_of
from sitegen.pages.labels import visible
from sitegen.pages.records import BoardRecords

FEWEST = 2
"""One score is no history."""


class Moment(NamedTuple):
    """A score at a time.

    Attributes:
        when: The release or the day, with the way to what it was like then.
        who: Whose score it is, where a history is of several.
        place: The ranks that it gave; empty where a history has none.
        value: The score in full; None for a gap.
        text: The score as people read it.
        sure: Its 95 % interval in words; empty where nothing tells.
    """

    when: Link
    who: Link | None
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
        drawing: The same as SVG; None where the score was never another.
    """

    anchor: ClassVar[str] = "history-about"
    """Of the sentence that says what a drawing shows; a page has one history."""

    title: str
    unit: str
    about: str
    moments: Sequence[Moment]
    drawing: Markup | None = None


def entry_timeline(records: BoardRecords, entry: Entry) -> Timeline | None:
    """Show a row from release to release; None where no release has it."""
    board, pasts = records.board, records.pasts.get(entry.id, ())
    if not pasts:
        return None
    title, decimals = labels.title_on(board), board.headline.decimals
    moments: list[Moment] = []
    drawn: list[history.Moment] = []
    for past in pasts:
        row, score = past.row, past.row.scores.get(board.headline.id)
        text, sure = labels.locked_text(score, decimals), labels.locked_interval(score, decimals)
        place = labels.locked_place(row) if row.state == "published" else row.state
        if past.release:
            day, told = past.release.date, f"{past.release.date}, {past.release.name}"
            when = Link(past.release.name, records.where.snapshot(day))
        else:
            day, told, when = None, "now", Link("now", records.where.board)
        moments.append(Moment(when, None, place, repr(score.value) if score else None, text, sure))
        if score:
            about = visible(f"{told}: {text}") + (f", 95 % interval {sure}" if sure else "")
            drawn.append(history.Moment(day, score.value, text, about, score.low, score.high))
    about = "In every release that has it, and as it is."
    if len({(point.value, point.low, point.high) for point in drawn}) < FEWEST:  # a flat line tells nothing
        return Timeline("History", title, about, moments[::-1])
    sure = " The line through a dot is its 95 % interval." if any(point.low is not None for point in drawn) else ""
    picture = _drawing(scale_of(board.headline, words_of(board)), drawn, f"{title} of {entry.agent.name} over time")
    return Timeline("History", title, f"{about}{sure}", moments[::-1], picture)


def board_timeline(board: Board) -> Timeline | None:
    """Show the best score that a board has seen, by day; None where a single row has been the best ever since."""
    title, decimals = labels.title_on(board), board.headline.decimals
    best = [(record.entry, record.value, f"{record.value:.{decimals}f}") for record in records_of(board)]
    about = "The best score up to each day, by the days that submissions state; of rows that stand."
    return _so_far(board, best, (title, about), (scale_of(board.headline, words_of(board)), f"The best {title} so far"))


def task_timeline(records: BoardRecords, task: Task) -> Timeline | None:
    """Show the best that submissions have done on a task, by day; None where there is nothing to tell."""
    board, highest = records.board, -1.0

    def shares() -> Iterator[tuple[Entry, float]]:
        """Yield the share of the task's rounds that each row passed, the mean of its attempts."""
        for entry in board.submissions:
            runs = [run for run in records.runs(entry, task.id) if run]
            if runs:
                yield entry, fmean(sum(each.solved for each in run) / len(run) for run in runs)

    best = []
    for entry, share in sorted(shares(), key=lambda each: (each[0].date, -each[1], each[0].id)):
        if share > highest:
            highest = share
            best.append((entry, 100 * share, f"{100 * share:.0f} %"))
    title = f"{labels.rounds_word(board.benchmark, 2).capitalize()} passed"
    about = "The best share up to each day, by the days that submissions state; of rows that stand."
    return _so_far(board, best, (title, about), (Scale(f"{title} (%)", 100.0), f"{title}, the best so far"))


def _so_far(
    board: Board, best: Sequence[tuple[Entry, float, str]], words: tuple[str, str], picture: tuple[Scale, str]
) -> Timeline | None:
    """Show rows each of which was the best of its day, with their values; None where there are too few.

    Args:
        board: Their board.
        best: The earliest first.
        words: What the values are, and what to know of them.
        picture: The scale of the values, and what their drawing is called.
    """
    if len(best) < FEWEST:
        return None
    moments = [
        Moment(Link(str(entry.date), ""), entry_link(board, entry), "", repr(value), text)
        for entry, value, text in reversed(best)
    ]
    drawn = []
    for entry, value, text in best:
        name = visible(entry.agent.name)
        drawn.append(history.Moment(entry.date, value, name, f"{entry.date}, {name}: {text}"))
    made = _drawing(picture[0], drawn, picture[1], max(entry.date for entry in board.entries))
    return Timeline("The best so far", *words, moments, made)


def _drawing(scale: Scale, drawn: Sequence[history.Moment], title: str, until: date = date.min) -> Markup:
    """Draw moments, the earliest first."""
    made = history.drawn_history(history.History(scale, drawn, until), visible(title), Timeline.anchor)
    return Markup(made)  # noqa: S704 - all text in a drawing is escaped
