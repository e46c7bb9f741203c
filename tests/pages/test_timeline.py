"""Scores over time on pages: drawn where there are two, and always as a table."""

from datetime import date

from kit.boards import board, bundle, entry_of
from lxml import html

from sitegen.board.board import Board
from sitegen.board.history.releases import lock_boards
from sitegen.models.release import Release
from sitegen.pages.labels import interval_text
from sitegen.pages.records import BoardRecords
from sitegen.pages.timeline import Timeline, board_timeline, entry_timeline, task_timeline

EARLIER, LATER = date(2026, 6, 25), date(2026, 7, 25)


def drawn(timeline: Timeline | None) -> list[str]:
    """Give what the dots of a drawing say."""
    assert timeline
    assert timeline.drawing
    return [title.text or "" for title in html.fromstring(timeline.drawing).iter("title")]


def sure(made: Board) -> str:
    """Write the interval of the only row's headline score."""
    return interval_text(made.inference.interval(made.entries[0], made.headline.id), made.headline.decimals)


def released(day: date, name: str, marks: str) -> Release:
    return lock_boards([[board(bundle("acme", marks, marks), rounds=(2, 2))]], {}, day, name, "1")


def test_a_row_is_drawn_as_releases_have_it_and_as_it_is() -> None:
    made = board(bundle("acme", "##", "##"), rounds=(2, 2))
    releases = [released(date(2026, 7, 1), "First", "#."), released(date(2026, 7, 8), "Second", "##")]
    timeline = entry_timeline(BoardRecords(made, releases), entry_of(made, "acme"))
    half, full = sure(board(bundle("acme", "#.", "#."), rounds=(2, 2))), sure(made)
    assert drawn(timeline) == [
        f"2026-07-01, First: 50.0, 95 % interval {half}",
        f"2026-07-08, Second: 100.0, 95 % interval {full}",
        f"now: 100.0, 95 % interval {full}",
    ]
    assert timeline
    assert timeline.about.endswith("Lines are 95 % intervals.")
    assert [point.text for point in timeline.points] == ["100.0", "100.0", "50.0"]


def test_the_best_of_a_board_and_of_a_task_are_drawn_by_day() -> None:
    made = board(bundle("acme", "#.", date=EARLIER), bundle("bolt", "##", date=LATER))
    best_scores = board_timeline(made)
    assert best_scores
    assert drawn(best_scores) == ["2026-06-25, acme: 50.0", "2026-07-25, bolt: 100.0"]
    about = "The best Dataset Score so far at each date, using the dates of the submissions."
    assert best_scores.about.startswith(about)
    (task,) = made.tasks.tasks
    best_shares = task_timeline(BoardRecords(made), task)
    assert best_shares
    assert drawn(best_shares) == ["2026-06-25, acme: 50 %", "2026-07-25, bolt: 100 %"]
    assert best_shares.about.startswith("The best share of rounds passed so far at each date, ")


def test_a_gap_is_no_dot() -> None:
    """A row without a score in a release leaves one score, which is nothing to draw."""
    made = board(bundle("acme", "##", "##"), rounds=(2, 2))
    full_release = released(date(2026, 7, 1), "First", "##")
    (benchmark,) = full_release.benchmarks
    (locked,) = benchmark.boards
    rows = tuple(row.model_copy(update={"scores": {}}) for row in locked.rows)
    gone = benchmark.model_copy(update={"boards": (locked.model_copy(update={"rows": rows}),)})
    release = full_release.model_copy(update={"benchmarks": (gone,)})
    timeline = entry_timeline(BoardRecords(made, [release]), entry_of(made, "acme"))
    assert timeline
    assert timeline.drawing is None
    assert [point.text for point in timeline.points] == ["100.0", "–"]


def test_a_single_best_is_no_history() -> None:
    made = board(bundle("acme", "##", date=EARLIER), bundle("bolt", "#.", date=LATER))
    assert board_timeline(made) is None
