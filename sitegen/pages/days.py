"""Events on boards, day by day, for the changelog and the feeds.

Start with `day_events`. A submission enters on its own date, or when its embargo ends. Results
carried to a new version of a track enter on the day of that version, and a revision enters on its
own day.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain
from typing import Literal

from sitegen.board import Board, Entry
from sitegen.board.findings import finding_subjects
from sitegen.board.history.ledger import Ledger
from sitegen.board.history.revisions import (
    RevisionView,
    added_attempts_of,
    latest_revision_words,
    revisions_of,
)
from sitegen.board.wording import joined
from sitegen.models.benchmark import Track
from sitegen.models.finding import Finding
from sitegen.models.release import LockedBoard, Release
from sitegen.models.site import Item
from sitegen.pages import addresses
from sitegen.pages.addresses import Link, board_link
from sitegen.pages.labels import visible
from sitegen.problems import agreeing, counted, grouped

DayEventKind = Literal[
    "entered",
    "reported",
    "carried",
    "corrected",
    "rerun",
    "completed",
    "extended",
    "withdrawn",
    "superseded",
    "version",
    "finding",
]
"""The kinds of events; all concern rows, except a new version of a track and a finding."""

_WORDS: dict[DayEventKind, str] = {
    "entered": "New on",
    "reported": "Published scores on",
    "carried": "Results carried to",
    "corrected": "Corrected on",
    "rerun": "Rounds run again on",
    "completed": "Results added on",
    "extended": "Attempts added on",
    "withdrawn": "Withdrawn from",
    "superseded": "Superseded on",
    "version": "New version:",
    "finding": "Finding on",
}
"""The words before the name of the board in the changelog, by kind of event."""

_MAX_ITEMS = 100
"""Maximum number of feed items for events since the last release."""


@dataclass(frozen=True, slots=True)
class DayRow:
    """A row or a finding that an event concerns."""

    id: str
    link: Link
    is_published: bool = True


@dataclass(frozen=True, slots=True)
class DayEvent:
    """An event on one day that concerns a row, a finding or a track."""

    day: str
    kind: DayEventKind
    board: Board
    reason: str
    """The reason for the event, or what changed; may be empty."""
    row: DayRow | None = None
    """The row or the finding; None for a new version of a track."""
    finding: Finding | None = None

    @property
    def words(self) -> str:
        """The words before the name of the board, such as "New on"."""
        return _WORDS[self.kind]

    @property
    def sentence(self) -> str:
        """The complete event as plain text, without its full stop."""
        text = f"{self.words} {board_link(self.board).title}"
        if self.row:
            text = f"{text}: {self.row.link.title}"
        if self.reason:
            text = f"{text} ({self.reason.rstrip('.')})"
        return text


def day_events(boards: Iterable[Board]) -> list[DayEvent]:
    """Return the events of each day, the latest day first, and board by board within a day."""
    events: list[DayEvent] = []
    for board in boards:
        events += _version_events(board)
        events += _finding_events(board)
        revised = set()
        for entry in board.all_entries:
            view = _revision_view(board, entry)
            if view:
                revised.add(view.revision.of)
            added = added_attempts_of(board, entry)
            if added:
                revised.add(added.earlier.id)
        for entry in board.all_entries:
            events += _entry_events(board, entry, is_revised=entry.id in revised)
    return sorted(events, key=lambda event: event.day, reverse=True)


def grouped_by_day(
    events: Sequence[DayEvent],
) -> list[tuple[str, list[tuple[Sequence[Link], str, str, list[DayRow]]]]]:
    """Return the events by day: the boards, the words, the reason and the rows of each event.

    Rows of a board with the same event for the same reason share one entry. A finding about several
    boards has one entry, under its first board.
    """
    finding_boards: dict[tuple[str, str], list[Link]] = defaultdict(list)
    for event in events:
        if event.finding and event.row:
            boards = finding_boards[event.board.benchmark.id, event.row.id]
            boards.append(board_link(event.board))
    rows_by_event: dict[tuple[str, str, str, tuple[Link, ...]], list[DayRow]] = defaultdict(list)
    for event in events:
        links = [board_link(event.board)]
        if event.finding and event.row:
            links = finding_boards[event.board.benchmark.id, event.row.id]
            if board_link(event.board) != links[0]:
                continue
        rows = rows_by_event[event.day, event.words, event.reason, tuple(links)]
        if event.row:
            rows.append(event.row)
    dated_events: list[tuple[str, tuple[Sequence[Link], str, str, list[DayRow]]]] = []
    for (day, words, reason, board_links), rows in rows_by_event.items():
        dated_events.append((day, (board_links, words, reason, rows)))
    return list(grouped(dated_events).items())


def _revision_view(board: Board, entry: Entry) -> RevisionView | None:
    """Return the revision that a row's submission made itself; None if it made none."""
    if not latest_revision_words(board, entry):
        return None
    return revisions_of(board, entry)[-1]


def _entry_events(board: Board, entry: Entry, *, is_revised: bool) -> Iterator[DayEvent]:
    """Yield the events of a row.

    A supersession is left out if the row that revises this one has an event of its own.
    """
    name = board.names.get(entry.id, entry.agent.name)
    link = Link(visible(name), addresses.of(board).entry(entry.id))
    row = DayRow(entry.id, link, entry.is_published)
    view = _revision_view(board, entry)
    added = added_attempts_of(board, entry)
    submission = entry.submission
    if view:
        kind: DayEventKind = "completed"
        if view.revision.reruns:
            kind = "rerun"
        elif view.revision.is_correction:
            kind = "corrected"
        words = view.words.removeprefix("corrected: ")
        reason = f"{words}; {view.revision.reason}"
        yield DayEvent(_visible_day(view.revision.date, entry), kind, board, reason, row)
    elif added:
        day = added.earlier.submission.status.date or entry.date
        reason = added.words.replace(" added", "", 1)
        yield DayEvent(_visible_day(day, entry), "extended", board, reason, row)
    elif submission and submission.carried:
        source = _track_of(board, submission.carried.track)
        title = source.title if source else submission.carried.track
        day = _version_day(board) or entry.date
        yield DayEvent(_visible_day(day, entry), "carried", board, f"from {title}", row)
    else:
        kind = "reported" if entry.table_line else "entered"
        yield DayEvent(_visible_day(entry.date, entry), kind, board, "", row)
    status = entry.status
    if status.state == "published" or not status.date:
        return
    if status.state == "superseded" and is_revised:
        return
    yield DayEvent(str(status.date), status.state, board, status.reason or "", row)


def _visible_day(day: date, entry: Entry) -> str:
    """Return the first day on which readers could see an event, given the row's embargo."""
    embargo = entry.submission.embargo if entry.submission else None
    return str(max(day, embargo) if embargo else day)


def _version_day(board: Board) -> date | None:
    """Return the day on which a new version of a track began; None if it has no results.

    If results were carried over, this is the date of the latest carried result. Otherwise, it is
    the earliest day on which a submission arrived, or its own date if no arrival is recorded.
    """
    carried = []
    others = []
    for entry in board.all_entries:
        arrived = board.results.arrivals.days.get(entry.id)
        if arrived:
            others.append(arrived)
        elif entry.submission and entry.submission.carried:
            carried.append(entry.date)
        else:
            others.append(entry.date)
    if carried:
        return max(carried)
    return min(others, default=None)


def _version_events(board: Board) -> Iterator[DayEvent]:
    """Yield an event for a track that is a new version of another one, once it has results."""
    replaced = _track_of(board, board.track.replaces)
    day = _version_day(board)
    if replaced is None or day is None:
        return
    reason = f"replaces {replaced.title}"
    if replaced.status_reason:
        reason = f"{reason}: {replaced.status_reason}"
    yield DayEvent(str(day), "version", board, reason)


def _track_of(board: Board, track_id: str | None) -> Track | None:
    """Return the track of the board's benchmark with an id; None if there is none."""
    for track in board.benchmark.tracks:
        if track.id == track_id:
            return track
    return None


def _finding_events(board: Board) -> Iterator[DayEvent]:
    dates = {mark.id: mark.finding.date for mark in board.findings.all}
    for mark in board.findings.all:
        title = mark.title
        if mark.finding.corrects and mark.finding.corrects in dates:
            title = f"{title} (corrects the finding of {dates[mark.finding.corrects]})"
        link = Link(visible(title), addresses.of(board).finding(mark.id))
        row = DayRow(mark.id, link)
        yield DayEvent(str(mark.finding.date), "finding", board, "", row, mark.finding)


def items_since_release(ledger: Ledger) -> list[Item]:
    """Return the feed items of events since the last release, the latest first.

    Without a release, the items cover all events.
    """
    latest = ledger.releases[-1].release if ledger.releases else None
    boards = [board for boards in ledger.benchmarks for board in boards]
    items = []
    for event in day_events(boards):
        if latest is None or not _is_in_release(event, latest):
            items.append(_item(event, latest))
    items.sort(key=lambda item: item.date, reverse=True)
    return items[:_MAX_ITEMS]


def findings_since_release(ledger: Ledger) -> str:
    """Return a phrase on the findings added and corrected since the last release; may be empty.

    A finding about several boards counts once.
    """
    if not ledger.releases:
        return ""
    release = ledger.releases[-1].release
    added = set()
    corrected = set()
    for board in chain.from_iterable(ledger.benchmarks):
        benchmark_id = board.benchmark.id
        for subject in finding_subjects(board.findings.all):
            key = (benchmark_id, subject.finding.id)
            if not _has_finding(release, benchmark_id, subject.finding.finding):
                added.add(key)
            elif not _has_finding(release, benchmark_id, subject.current.finding):
                corrected.add(key)
    clauses = []
    for verb, keys in (("added", added), ("corrected", corrected)):
        if keys:
            findings = counted(len(keys), "finding")
            clauses.append(f"{findings} {agreeing(len(keys), 'was', 'were')} {verb}")
    return joined(clauses) if clauses else ""


def _has_finding(release: Release, benchmark_id: str, finding: Finding) -> bool:
    """Return whether a release includes a finding, identified by its date and title."""
    benchmark = release.benchmark(benchmark_id)
    locked_findings = benchmark.findings if benchmark else ()
    titles = {(locked.date, locked.title) for locked in locked_findings}
    return (finding.date, finding.title) in titles


def _is_in_release(event: DayEvent, release: Release) -> bool:
    """Return whether a release includes an event."""
    benchmark_id = event.board.benchmark.id
    board = release.board(benchmark_id, event.board.track.id)
    if event.finding:
        return _has_finding(release, benchmark_id, event.finding)
    if board is None:
        return False
    return event.row is None or _had_happened(event, event.row.id, board)


def _had_happened(event: DayEvent, row_id: str, board: LockedBoard) -> bool:
    """Return whether a locked board reflects an event of a row."""
    for row in board.rows:
        if row.id == row_id:
            return event.kind not in {"withdrawn", "superseded"} or row.state == event.kind
    return False


def _item(event: DayEvent, release: Release | None) -> Item:
    """Return the feed item of an event; it is never dated before the last release."""
    day = event.day
    if release:
        day = max(day, str(release.date))
    board = event.board
    names = [event.day, board.benchmark.id, board.track.id, event.kind]
    address = addresses.of(board).board
    title = f"{event.words} {board_link(board).title}"
    if event.row:
        names.append(event.row.id)
        address = event.row.link.address
        title = f"{title}: {event.row.link.title}"
    categories = (board.benchmark.id, event.kind)
    item_id = f"day/{'/'.join(names)}"
    return Item(item_id, day, visible(title), address, f"{visible(event.sentence)}.", categories)
