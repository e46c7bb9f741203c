"""Releases: what each brought and why, on the changelog, in the feeds, and the boards as they were."""

from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from sitegen.board.answers.news import CAUSES, release_answer
from sitegen.board.answers.order import snapshot_answer
from sitegen.board.export import event_id
from sitegen.board.ledger import BoardEvents, Cause, Event, Ledger, ReleaseEvents, Row, Turn, What
from sitegen.board.score import GAP
from sitegen.metrics.catalogue import METRICS
from sitegen.models.finding import Finding
from sitegen.models.release import LockedBoard, LockedScore, Release
from sitegen.pages import addresses, labels
from sitegen.pages.addresses import BoardAddresses, Link
from sitegen.pages.environment import Fragment, Templates
from sitegen.pages.labels import visible
from sitegen.pages.records import Snapshot
from sitegen.pages.site import View, Whole, authored_parts, headline, page_kind
from sitegen.problems import counted

TITLES: Mapping[What, str] = {
    "entered": "Entered",
    "redacted": "Redacted",
    "withdrawn": "Withdrawn",
    "superseded": "Superseded",
    "left": "Left",
    "restored": "Stands again",
    "renamed": "Renamed",
    "rescored": "Rescored",
    "moved": "Moved",
}
_SHOWN = 40
"""So many of the rounds that decided a change are listed; the others are counted."""


class TurnView(NamedTuple):
    """A score before and after, with the values in full."""

    title: str
    before: str
    after: str
    exact: str


class EventView(NamedTuple):
    """Something that happened to a row, as the changelog tells it; `address` is empty where nothing stands for it."""

    event: Event
    address: str
    place: str
    headline: TurnView | None
    turns: Sequence[TurnView]
    causes: Sequence[Link]
    earlier: Link | None
    rounds: Sequence[Link]
    more: int


class BoardView(NamedTuple):
    """What happened on a board, with the way to it and to what it was in this release; by what happened to rows."""

    title: str
    anchor: str
    address: str
    snapshot: str | None
    words: Sequence[str]
    headline: str
    groups: Sequence[tuple[str, Sequence[EventView]]]


@authored_parts
def release_parts(whole: Whole, templates: Templates) -> Iterator[Fragment]:
    """Tell of each release what it brought; on the changelog, list them, and tell what has come since."""
    ledger, since = whole.ledger, whole.ledger.since
    latest = [*reversed(ledger.releases)]
    values = {
        "releases": [(chapter.release, release_answer(chapter)) for chapter in latest],
        "since": [_board_view(ledger, since, each, is_locked=False) for each in since.boards] if since else [],
        "last": latest[0].release if latest else None,
    }
    text = templates.fill("releases.html.j2", addresses.CHANGELOG, values)
    yield Fragment(addresses.CHANGELOG, "releases", text)
    if latest:
        name = f"Changelog, release {_dated(latest[0].release)}"
        yield from headline(addresses.CHANGELOG, name, release_answer(latest[0]), templates)
    for chapter in ledger.releases:
        address = addresses.release_address(chapter.release.date)
        boards = [_board_view(ledger, chapter, each, is_locked=True) for each in chapter.boards]
        about = {"release": chapter.release, "before": chapter.before, "boards": boards}
        yield Fragment(address, "release", templates.fill("release.html.j2", address, about))
        yield from headline(address, _dated(chapter.release), release_answer(chapter), templates)


def _dated(release: Release) -> str:
    return f"{release.title}, {release.date}" if release.title else str(release.date)


def _board_view(ledger: Ledger, chapter: ReleaseEvents, events: BoardEvents, *, is_locked: bool) -> BoardView:
    benchmark, board = events.benchmark, events.board
    where, words = BoardAddresses(benchmark.id, board.track), []
    if events.is_new:
        words.append(f"The board is new, with {counted(len(board.rows), 'row')}.")
    if events.has_turned or (events.is_new and board.status != "current"):
        reason = f": {board.reason.rstrip('.')}" if board.reason else ""
        words.append(f"The track is {board.status}{reason}.")
    if board.superseded_by:
        words.append(f"Track {board.superseded_by} takes its place.")
    groups = [
        (title, [_event_view(ledger, events, event) for event in events.events if event.what == what])
        for what, title in TITLES.items()
    ]
    return BoardView(
        f"{benchmark.title}, {board.title}",
        f"{benchmark.id}-{board.track}",
        where.board,
        where.snapshot(chapter.release.date) if is_locked else None,
        words,
        _metric_title(board, board.headline),
        [(title, found) for title, found in groups if found],
    )


def _event_view(ledger: Ledger, where: BoardEvents, event: Event) -> EventView:
    board, row = where.board, event.row
    now, was = (labels.locked_place(each) if each else None for each in (row, event.before))
    score = row.scores.get(board.headline)
    stayed = Turn(board.headline, score, score) if score else None
    headline = next((turn for turn in event.turns if turn.metric == board.headline), stayed)
    # The scores of a row that is new are all new, and stand on its page.
    turns = [turn for turn in event.turns if turn.metric != board.headline] if event.before else []
    rounds = deciding_rounds(ledger, where, event)
    return EventView(
        event,
        _address(ledger, where, board.track, row.id),
        f"{was} → {now}" if was and was != now else now or GAP,
        _turn_view(board, headline) if headline else None,
        [_turn_view(board, turn) for turn in turns],
        [_cause(where, event, cause) for cause in event.causes],
        Link(event.earlier[1], _address(ledger, where, *event.earlier)) if event.earlier else None,
        rounds[:_SHOWN],
        max(0, len(rounds) - _SHOWN),
    )


def _turn_view(board: LockedBoard, turn: Turn) -> TurnView:
    before, after = (GAP if score is None else repr(score.value) for score in (turn.before, turn.after))
    exact = after if turn.before is None or turn.before == turn.after else f"{before} → {after}"
    decimals = METRICS[turn.metric].decimals if turn.metric in METRICS else 1
    was, now = (labels.locked_text(score, decimals) for score in (turn.before, turn.after))
    return TurnView(_metric_title(board, turn.metric), was, now, exact)


def _metric_title(board: LockedBoard, metric: str) -> str:
    title = METRICS[metric].title if metric in METRICS else metric
    return title.replace("@k", f"@{board.attempts}").replace("per round", f"per {board.rounds_word}")


def _cause(where: BoardEvents, event: Event, cause: Cause) -> Link:
    """Say why something happened, with the way to what tells more; to nowhere where the row's page does."""
    about = f"{CAUSES[cause.kind]}: {cause.about}" if cause.about else CAUSES[cause.kind]
    if cause.finding:
        return Link(about, BoardAddresses(where.benchmark.id, where.board.track).finding(cause.finding.id))
    if cause.kind == "definition":
        return Link(about, addresses.METHODS)
    replaced = cause.kind == "status" and event.row.by in {row.id for row in where.board.rows}
    return Link(f"{about} by {event.row.by}" if replaced and not cause.about else about, "")


def _address(ledger: Ledger, where: BoardEvents, track: str, name: str) -> str:
    """Tell where what stands for a row now has its page; empty where nothing does."""
    row = ledger.row(where.benchmark.id, track, name)
    return BoardAddresses(where.benchmark.id, track).entry(row.entry.id) if row else ""


class _Runs(NamedTuple):
    """The pages of a row's runs, and the attempts that they show, each with its task."""

    row: Row
    attempts: frozenset[tuple[str, int]]

    @classmethod
    def of(cls, row: Row) -> "_Runs":
        rounds = row.entry.sent.rounds if row.entry.sent else ()
        return cls(row, frozenset((each.task, each.attempt) for each in rounds if each.start == "own"))

    def address(self, task: str, number: int | None = None, attempt: int = 1) -> str:
        """Tell where a run stands; one of its rounds, where the page shows that."""
        run = addresses.of(self.row.board).run(self.row.entry.id, task)
        if number is None or (task, attempt) not in self.attempts:
            return run
        return f"{run}#{addresses.round_anchor(number, attempt)}"


def deciding_rounds(ledger: Ledger, where: BoardEvents, event: Event) -> list[Link]:
    """Lead to the rounds that findings name which changed a row's scores, and to those unlike an earlier row's."""
    now = ledger.row(where.benchmark.id, where.board.track, event.row.id)
    was = ledger.row(where.benchmark.id, *event.earlier) if event.earlier else None
    if now is None:
        return []
    word, runs, earlier = where.board.rounds_word, _Runs.of(now), _Runs.of(was or now)
    found: list[Link] = []
    for cause in event.causes:
        if cause.finding and cause.kind == "finding":
            found += _concerned(runs, cause.finding.finding, word)
    for cell in ledger.deciding_cells(where, event):
        told = "; ".join(
            f"{each.name} {GAP if each.before is None else each.before} → {GAP if each.after is None else each.after}"
            for each in sorted(cell.differences, key=attrgetter("name"))
            if each.name in {"state", "reward", "passed", "total"}
        )
        title = f"{cell.task}, {word} {cell.round}: {told if cell.kind == 'changed' else cell.kind}"
        address = (earlier if cell.kind == "removed" else runs).address(cell.task, cell.round, cell.attempt)
        found.append(Link(title, address))
    return found


def _concerned(runs: _Runs, finding: Finding, word: str) -> Iterator[Link]:
    for task in runs.row.board.tasks.tasks:
        if task.id not in finding.tasks:
            continue
        if not finding.rounds:
            yield Link(f"{task.id}, every {word}", runs.address(task.id))
        for number in (each.n for each in task.rounds if each.n in finding.rounds):
            yield Link(f"{task.id}, {word} {number}", runs.address(task.id, number))


@page_kind(Snapshot, "snapshot.html.j2")
def snapshot_page(snapshot: Snapshot, _: Templates) -> Iterator[View]:
    """Show a board as a release has it."""
    board, locked, release = snapshot.board, snapshot.locked, snapshot.release
    title = f"{board.benchmark.title}: {locked.title}, release {release.name}"
    values = {
        "title": f"{locked.title}, as released on {release.date}",
        "columns": [METRICS[name] for name in locked.columns if name in METRICS],
    }
    yield View(addresses.of(board).snapshot(release.date), title, snapshot_answer(locked, release), values)


class Item(NamedTuple):
    """Something that a feed tells.

    Attributes:
        id: Its name, which no other item ever has.
        date: Day of the release that brought it.
        title: In a few words.
        address: Where it is told, below the site's root.
        words: In a sentence, without markup.
        tags: What it is about: the benchmark's id, and what happened.
    """

    id: str
    date: str
    title: str
    address: str
    words: str
    tags: tuple[str, ...]


def news_of(ledger: Ledger) -> list[Item]:
    """List everything that the feeds tell, the latest first: releases, and the single events that they brought."""
    return [item for chapter in reversed(ledger.releases) for item in _items(chapter)]


def _items(chapter: ReleaseEvents) -> Iterator[Item]:
    release = chapter.release
    day, address = str(release.date), addresses.release_address(release.date)
    answer = release_answer(chapter)
    words = visible(str(answer)) if answer else f"{release.name}."
    yield Item(f"release/{day}", day, f"Release {release.name}", address, words, ("release",))
    for where in chapter.boards:
        board, anchor = f"{where.benchmark.title}, {where.board.title}", f"{where.benchmark.id}-{where.board.track}"
        for event in where.events:
            causes = (
                f"{CAUSES[each.kind]}: {each.about}" if each.about else CAUSES[each.kind] for each in event.causes
            )
            scores = (
                f"{turn.metric} {_value(turn.before)} → {_value(turn.after)}"
                for turn in event.turns
                if turn.metric == where.board.headline
            )
            was = labels.locked_place(event.before) if event.before else GAP
            ranks = f"rank {was} → {labels.locked_place(event.row)}"
            told = ". ".join(filter(None, (visible("; ".join(causes)), "; ".join(scores), ranks)))
            title = f"{visible(event.row.name)}: {TITLES[event.what].lower()} ({board})"
            tags = (where.benchmark.id, event.what)
            yield Item(f"{day}/{event_id(where, event)}", day, title, f"{address}#{anchor}", f"{told}.", tags)


def _value(score: LockedScore | None) -> str:
    return GAP if score is None else repr(score.value)
