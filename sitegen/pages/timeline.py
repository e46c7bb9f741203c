"""Scores over time, on the pages of submissions, boards and tasks: a drawing and a table."""

from collections.abc import Sequence
from datetime import date
from statistics import fmean
from typing import NamedTuple

from markupsafe import Markup

from sitegen.board import Board, Entry
from sitegen.board.history.releases import RowAtRelease, ScoredRow, best_so_far, record_holders
from sitegen.charts import history
from sitegen.charts.board_charts import scale_of
from sitegen.charts.chart import AxisScale
from sitegen.models.task import Task
from sitegen.pages import labels
from sitegen.pages.addresses import Link, entry_link
from sitegen.pages.charts import chart_labels
from sitegen.pages.labels import visible
from sitegen.pages.records import BoardRecords
from sitegen.pages.selection import count_solved, latest_date

MIN_SCORES = 2
"""Minimum number of different scores for a history."""

_DESCRIPTION_ANCHOR = "history-about"
"""The anchor of the sentence that describes a drawing; a page has one history."""


class TimelinePoint(NamedTuple):
    """A score at a point in time, with all its digits and as text, with its interval.

    Fields that a history does not use are empty.
    """

    when: Link
    """The release or the day, with a link to the board as it was then."""
    who: Link | None
    """The row with the score, for a history of several rows."""
    ranks_text: str
    """The ranks at that time, as text."""
    value: str | None
    text: str
    interval_text: str = ""


class Timeline(NamedTuple):
    """Scores over time, the latest first, and a sentence about them."""

    title: str
    unit: str
    """The title of the scores."""
    about: str
    points: Sequence[TimelinePoint]
    drawing: Markup | None = None
    """The history as SVG; None if the score never changed."""
    interval_head: str = ""
    """The head of the column of intervals; empty if no point has one."""


def entry_timeline(records: BoardRecords, entry: Entry) -> Timeline | None:
    """Return the history of a row from release to release; None if no release has it."""
    board = records.board
    pasts = records.pasts.get(entry.id, ())
    if not pasts:
        return None
    points = [_release_point(records, past) for past in pasts]
    drawn_points = []
    for past, point in zip(pasts, points, strict=True):
        score = past.row.scores.get(board.headline.id)
        if score:
            day = None
            if past.release:
                day = past.release.date
            about = _point_text(board, past, point)
            drawn_point = history.Moment(day, score.value, point.text, about, score.low, score.high)
            drawn_points.append(drawn_point)
    title = labels.title_on(board)
    about = "The score in each release and now."
    drawing = None
    different_scores = {(point.value, point.low, point.high) for point in drawn_points}
    if len(different_scores) >= MIN_SCORES:  # a flat line shows nothing
        if any(point.low is not None for point in drawn_points):
            about = f"{about} Lines are {board.headline.interval_words}s."
        scale = scale_of(board.headline, chart_labels(board))
        drawing = _draw_history(scale, drawn_points, f"{title} of {entry.agent.name} over time")
    interval_head = labels.interval_head([board.headline])
    return Timeline("History", title, about, points[::-1], drawing, interval_head)


def _release_point(records: BoardRecords, past: RowAtRelease) -> TimelinePoint:
    """Return the state of a row in a release, or now."""
    metric = records.board.headline
    link = Link("now", records.addresses.board)
    if past.release:
        address = records.addresses.snapshot(past.release.date)
        link = Link(str(past.release.date), address)
    row = past.row
    score = row.scores.get(metric.id)
    ranks_text: str = row.state
    if row.state == "published":
        ranks_text = labels.locked_rank_text(row)
    return TimelinePoint(
        when=link,
        who=None,
        ranks_text=ranks_text,
        value=repr(score.value) if score else None,
        text=labels.locked_text(score, metric.decimals),
        interval_text=labels.interval_text(score, metric.decimals),
    )


def _point_text(board: Board, past: RowAtRelease, point: TimelinePoint) -> str:
    """Return the text alternative of a point of a row's history."""
    day = "now"
    if past.release:
        day = f"{past.release.date}, {past.release.name}"
    text = visible(f"{day}: {point.text}")
    if point.interval_text:
        return f"{text}, {board.headline.interval_words} {point.interval_text}"
    return text


class _BestSoFar(NamedTuple):
    """Rows that were each the best of their day, with a description of their history."""

    subject: str
    """The noun phrase for the values, for use in a sentence."""
    unit: str
    scale: AxisScale
    drawing_title: str
    rows: Sequence[tuple[Entry, float, str]]
    """Each row with its value and text, the earliest first."""


def board_timeline(board: Board) -> Timeline | None:
    """Return the best score so far, by day; None if a single row has always been the best."""
    title = labels.title_on(board)
    decimals = board.headline.decimals
    best = [(entry, value, f"{value:.{decimals}f}") for entry, value in record_holders(board)]
    scale = scale_of(board.headline, chart_labels(board))
    drawing_title = f"Best {title} so far"
    return _best_timeline(board, _BestSoFar(title, title, scale, drawing_title, best))


def task_timeline(records: BoardRecords, task: Task) -> Timeline | None:
    """Return the best share of a task's rounds that passed, by day; None if it never changed."""
    board = records.board
    shares = []
    for entry in board.submissions:
        runs = filter(None, records.counting_results_by_attempt(entry, task.id))
        run_shares = [count_solved(run) / len(run) for run in runs]
        if run_shares:
            shares.append(ScoredRow(entry, fmean(run_shares)))
    best = [(entry, 100 * share, f"{100 * share:.0f} %") for entry, share in best_so_far(shares)]
    rounds_word = labels.rounds_word(board.benchmark, 2)
    title = f"{rounds_word.capitalize()} passed"
    subject = f"share of {rounds_word} passed"
    scale = AxisScale(f"{title} (%)", 100.0)
    drawing_title = f"{title}, best so far"
    return _best_timeline(board, _BestSoFar(subject, title, scale, drawing_title, best))


def _best_timeline(board: Board, best_rows: _BestSoFar) -> Timeline | None:
    """Return the history of the best rows; None if there are too few."""
    if len(best_rows.rows) < MIN_SCORES:
        return None
    points = []
    drawn_points = []
    for entry, value, text in best_rows.rows:
        day = Link(str(entry.date), "")
        points.append(TimelinePoint(day, entry_link(board, entry), "", repr(value), text))
        name = visible(board.name_of(entry))
        drawn_points.append(
            history.Moment(entry.date, value, name, f"{entry.date}, {name}: {text}")
        )
    latest = latest_date(board.entries) or date.min
    drawing = _draw_history(best_rows.scale, drawn_points, best_rows.drawing_title, latest)
    about = (
        f"The best {visible(best_rows.subject)} so far at each date, using the dates of the "
        "submissions. "
        "Withdrawn and superseded results are left out."
    )
    return Timeline("Best so far", best_rows.unit, about, points[::-1], drawing)


def _draw_history(
    scale: AxisScale, drawn_points: Sequence[history.Moment], title: str, until: date = date.min
) -> Markup:
    """Return the drawing of a history, the earliest point first."""
    svg = history.drawn_history(
        history.History(scale, drawn_points, until), visible(title), _DESCRIPTION_ANCHOR
    )
    return Markup(svg)  # noqa: S704 - all text in a drawing is escaped
