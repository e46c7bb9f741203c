"""Scores over time, for the pages of submissions, boards and tasks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.ledger.history import Past, records_of
from sitegen.board.score import GAP
from sitegen.models.task import Task
from sitegen.pages import addresses, labels
from sitegen.pages.environment import Crumb
from sitegen.pages.figures import locked_interval_text, locked_text
from sitegen.pages.records import Records
from sitegen.pages.releases import place_text


@dataclass(frozen=True, slots=True)
class Moment:
    """A score at a time.

    Attributes:
        when: The release or the day, with the way to what it was like then.
        who: Whose score it is, where a history is of several.
        place: The place that it gave; empty where a history has none.
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
    """

    title: str
    unit: str
    about: str
    moments: Sequence[Moment]


def entry_timeline(records: Records, entry: Entry) -> Timeline | None:
    """Show a row from release to release; None where no release has it."""
    board, pasts = records.board, records.pasts.get(entry.id, ())
    if not pasts:
        return None
    title = labels.title_of(board.headline, board.track, board.benchmark)
    moments = [_past(board, past) for past in reversed(pasts)]
    return Timeline("History", title, "In every release that has it, and as it is.", moments)


def board_timeline(board: Board) -> Timeline | None:
    """Show the best score that a board has seen, by day; None where a single row has been the best ever since."""
    found = records_of(board)
    if len(found) < 2:  # noqa: PLR2004 - one is no history
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
    return Timeline("The best so far", title, about, moments)


def task_timeline(records: Records, task: Task) -> Timeline | None:
    """Show the best that submissions have done on a task, by day; None where there is nothing to tell."""
    board, best = records.board, -1.0
    moments: list[Moment] = []
    shares = sorted(_shares(records, task), key=lambda each: (each[0].date, -each[1], each[0].id))
    for entry, share in shares:
        if share > best:
            best = share
            text = f"{100 * share:.0f} %"
            moments.append(Moment(_day(entry), _who(board, entry), "", repr(100 * share), text))
    if len(moments) < 2:  # noqa: PLR2004 - one is no history
        return None
    word = labels.rounds_word(board.benchmark, 2)
    about = "The best share up to each day, by the days that submissions state; of rows that stand."
    return Timeline("The best so far", f"{word.capitalize()} passed", about, moments[::-1])


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
