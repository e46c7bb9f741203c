"""Scores over time, for the pages of submissions, boards and tasks: as a drawing, and as a table."""

from collections.abc import Sequence
from datetime import date
from statistics import fmean
from typing import NamedTuple

from markupsafe import Markup

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.releases import best_so_far, records_of
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

_ABOUT = "history-about"
"""The anchor of the sentence that says what a drawing shows; a page has one history."""


class Moment(NamedTuple):
    """A score at a time, in full and as people read it, with its interval; what a history has not is empty."""

    when: Link
    """The release or the day, with the way to what it was like then."""
    who: Link | None
    """Whose score it is, where a history is of several."""
    place: str
    """The ranks that it gave."""
    value: str | None
    text: str
    sure: str = ""


class Timeline(NamedTuple):
    """Scores over time, the latest first, and what to know of them in a sentence."""

    title: str
    unit: str
    """What its scores are."""
    about: str
    moments: Sequence[Moment]
    drawing: Markup | None = None
    """The same as SVG; None where the score was never another."""
    interval_head: str = ""
    """The head of the column of intervals; empty where no moment has one."""


def entry_timeline(records: BoardRecords, entry: Entry) -> Timeline | None:
    """Show a row from release to release; None where no release has it."""
    board, pasts = records.board, records.pasts.get(entry.id, ())
    if not pasts:
        return None
    title, decimals = labels.title_on(board), board.headline.decimals
    interval_head = labels.interval_head([board.headline])
    moments: list[Moment] = []
    drawn: list[history.Moment] = []
    for past in pasts:
        row, score = past.row, past.row.scores.get(board.headline.id)
        text, sure = labels.locked_text(score, decimals), labels.interval_text(score, decimals)
        place = labels.locked_place(row) if row.state == "published" else row.state
        if past.release:
            day, told = past.release.date, f"{past.release.date}, {past.release.name}"
            when = Link(past.release.name, records.where.snapshot(day))
        else:
            day, told, when = None, "now", Link("now", records.where.board)
        moments.append(Moment(when, None, place, repr(score.value) if score else None, text, sure))
        if score:
            about = visible(f"{told}: {text}") + (
                f", {board.headline.interval_words} {sure}" if sure else ""
            )
            drawn.append(history.Moment(day, score.value, text, about, score.low, score.high))
    about = "In every release that has it, and as it is."
    if (
        len({(point.value, point.low, point.high) for point in drawn}) < FEWEST
    ):  # a flat line tells nothing
        return Timeline("History", title, about, moments[::-1], None, interval_head)
    sure = (
        f" The line through a dot is its {board.headline.interval_words}."
        if any(point.low is not None for point in drawn)
        else ""
    )
    picture = _drawing(
        scale_of(board.headline, words_of(board)), drawn, f"{title} of {entry.agent.name} over time"
    )
    return Timeline("History", title, f"{about}{sure}", moments[::-1], picture, interval_head)


def board_timeline(board: Board) -> Timeline | None:
    """Show the best score that a board has seen, by day; None where a single row has been the best ever since."""
    title, decimals = labels.title_on(board), board.headline.decimals
    best = [(entry, value, f"{value:.{decimals}f}") for entry, value in records_of(board)]
    return _so_far(
        board,
        best,
        ("score", title),
        (scale_of(board.headline, words_of(board)), f"The best {title} so far"),
    )


def task_timeline(records: BoardRecords, task: Task) -> Timeline | None:
    """Show the best that submissions have done on a task, by day; None where there is nothing to tell."""
    board, shares = records.board, []
    for entry in board.submissions:
        runs = [run for run in records.runs(entry, task.id) if run]
        if runs:
            shares.append(
                (entry, fmean(sum(each.solved for each in run) / len(run) for run in runs))
            )
    best = [(entry, 100 * share, f"{100 * share:.0f} %") for entry, share in best_so_far(shares)]
    title = f"{labels.rounds_word(board.benchmark, 2).capitalize()} passed"
    return _so_far(
        board, best, ("share", title), (Scale(f"{title} (%)", 100.0), f"{title}, the best so far")
    )


def _so_far(
    board: Board,
    best: Sequence[tuple[Entry, float, str]],
    what: tuple[str, str],
    picture: tuple[Scale, str],
) -> Timeline | None:
    """Show rows each of which was the best of its day, the earliest first; None where there are too few.

    What the values are is told in a word and by their title, their picture by its scale and what it is called.
    """
    if len(best) < FEWEST:
        return None
    moments, drawn = [], []
    for entry, value, text in best:
        name = visible(board.name_of(entry))
        moments.append(
            Moment(Link(str(entry.date), ""), entry_link(board, entry), "", repr(value), text)
        )
        drawn.append(history.Moment(entry.date, value, name, f"{entry.date}, {name}: {text}"))
    made = _drawing(picture[0], drawn, picture[1], max(entry.date for entry in board.entries))
    about = f"The best {what[0]} up to each day, by the days that submissions state; of rows that stand."
    return Timeline("The best so far", what[1], about, moments[::-1], made)


def _drawing(
    scale: Scale, drawn: Sequence[history.Moment], title: str, until: date = date.min
) -> Markup:
    """Draw moments, the earliest first."""
    made = history.drawn_history(history.History(scale, drawn, until), visible(title), _ABOUT)
    return Markup(made)  # noqa: S704 - all text in a drawing is escaped
