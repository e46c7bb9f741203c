"""The pages of releases: what each brought, and why."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sitegen.board.ledger import BoardEvents, Cause, CauseKind, Event, Ledger, ReleaseEvents, Turn, What, place_of
from sitegen.board.score import GAP
from sitegen.metrics.catalogue import METRICS
from sitegen.models.release import LockedBoard, LockedRow, LockedScore, Release
from sitegen.pages import addresses
from sitegen.pages.deciding import deciding_rounds
from sitegen.pages.environment import Crumb, Fragment, Templates
from sitegen.pages.figures import locked_text
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
CAUSES: Mapping[CauseKind, str] = {
    "submission": "new submission",
    "table": "a published table",
    "status": "taken back",
    "name": "formerly",
    "data": "its results changed",
    "tasks": "the tasks changed",
    "finding": "finding",
    "redaction": "redacted",
    "definition": "defined anew",
    "program": "computed by another version of the program",
    "others": "what became of other rows",
    "unknown": "nothing on record tells why",
}
_SHOWN = 40
"""So many of the rounds that decided a change are listed; the others are counted."""


@dataclass(frozen=True, slots=True)
class TurnView:
    """A score before and after, with the values in full."""

    title: str
    before: str
    after: str
    exact: str


@dataclass(frozen=True, slots=True)
class EventView:
    """Something that happened to a row, as the changelog tells it; `address` is empty where nothing stands for it."""

    id: str
    what: What
    agent: str
    address: str
    place: str
    headline: TurnView | None
    turns: Sequence[TurnView]
    causes: Sequence[Crumb]
    earlier: Crumb | None
    cells: Sequence[Crumb]
    more: int


@dataclass(frozen=True, slots=True)
class GroupView:
    """Rows to which the same happened."""

    title: str
    events: Sequence[EventView]


@dataclass(frozen=True, slots=True)
class BoardEventsView:
    """What happened on a board, with the way to it and to what it was in this release."""

    title: str
    anchor: str
    address: str
    snapshot: str | None
    words: Sequence[str]
    headline: str
    groups: Sequence[GroupView]


@dataclass(frozen=True, slots=True)
class ReleaseView:
    """A release at a glance."""

    title: str
    date: str
    address: str
    words: str


def release_fragments(ledger: Ledger, templates: Templates) -> Iterator[Fragment]:
    """Tell of each release what it brought; on the changelog, list them, and tell what has come since."""
    latest = [*reversed(ledger.releases)]
    values = {
        "releases": [_glance(chapter) for chapter in latest],
        "since": list(_boards(ledger, ledger.since, is_locked=False)) if ledger.since else [],
        "last": latest[0].release if latest else None,
    }
    text = templates.fill("releases.html.j2", addresses.CHANGELOG, values)
    yield Fragment(addresses.CHANGELOG, "releases", text)
    for chapter in ledger.releases:
        address = addresses.release_address(chapter.release.date)
        about = {
            "release": chapter.release,
            "before": _glance_at(chapter.before) if chapter.before else None,
            "boards": list(_boards(ledger, chapter, is_locked=True)),
            "snapshots": list(_snapshots(chapter.release)),
        }
        yield Fragment(address, "release", templates.fill("release.html.j2", address, about))


def _glance(chapter: ReleaseEvents) -> ReleaseView:
    found = Counter(event.what for board in chapter.boards for event in board.events)
    told = [f"{found[what]} {TITLES[what].lower()}" for what in TITLES if found[what]]
    return _glance_at(chapter.release, ", ".join(told) or "nothing changed")


def _glance_at(release: Release, words: str = "") -> ReleaseView:
    return ReleaseView(release.name, str(release.date), addresses.release_address(release.date), words)


def _snapshots(release: Release) -> Iterator[Crumb]:
    for benchmark in release.benchmarks:
        for board in benchmark.boards:
            title = f"{benchmark.title}, {board.title}"
            yield Crumb(title, addresses.snapshot_address(release.date, benchmark.id, board.track))


def _boards(ledger: Ledger, chapter: ReleaseEvents, *, is_locked: bool) -> Iterator[BoardEventsView]:
    for each in chapter.boards:
        benchmark, board = each.benchmark, each.board
        snapshot = addresses.snapshot_address(chapter.release.date, benchmark.id, board.track)
        yield BoardEventsView(
            f"{benchmark.title}, {board.title}",
            f"{benchmark.id}-{board.track}",
            addresses.board_address(benchmark.id, board.track),
            snapshot if is_locked else None,
            list(_words(each)),
            _metric_title(board, board.headline),
            list(_groups(ledger, each)),
        )


def _groups(ledger: Ledger, where: BoardEvents) -> Iterator[GroupView]:
    for what, title in TITLES.items():
        events = [_event(ledger, where, event) for event in where.events if event.what == what]
        if events:
            yield GroupView(title, events)


def _words(events: BoardEvents) -> Iterator[str]:
    """Say what happened to the board itself."""
    board = events.board
    if events.is_new:
        yield f"The board is new, with {counted(len(board.rows), 'row')}."
    if events.has_turned or (events.is_new and board.status != "current"):
        reason = f": {board.reason.rstrip('.')}" if board.reason else ""
        yield f"The track is {board.status}{reason}."
    if board.superseded_by:
        yield f"Track {board.superseded_by} takes its place."


def _event(ledger: Ledger, where: BoardEvents, event: Event) -> EventView:
    board = where.board
    cells = deciding_rounds(ledger, where, event)
    return EventView(
        f"{where.benchmark.id}-{board.track}-{event.row.id}",
        event.what,
        event.row.name,
        _address(ledger, where, board.track, event.row.id),
        _place(event),
        _headline(board, event),
        list(_other_turns(board, event)),
        [_cause(where, event, cause) for cause in event.causes],
        _earlier(ledger, where, event),
        cells[:_SHOWN],
        max(0, len(cells) - _SHOWN),
    )


def _place(event: Event) -> str:
    now, was = (place_text(row) if row else None for row in (event.row, event.before))
    return f"{was} → {now}" if was and was != now else now or GAP


def place_text(row: LockedRow) -> str:
    """Write the ranks that a row might have had; a dash where it had none."""
    return (place_of(row) or GAP).replace("-", GAP)


def _headline(board: LockedBoard, event: Event) -> TurnView | None:
    """Give the headline score, before and after where it differs; None for a gap."""
    score = event.row.scores.get(board.headline)
    stayed = Turn(board.headline, score, score) if score else None
    turn = next((turn for turn in event.turns if turn.metric == board.headline), stayed)
    return _turn(board, turn) if turn else None


def _other_turns(board: LockedBoard, event: Event) -> Iterator[TurnView]:
    """Give the other scores that differ; of a row that is new they are all new, and stand on its page."""
    for turn in event.turns if event.before else ():
        if turn.metric != board.headline:
            yield _turn(board, turn)


def _turn(board: LockedBoard, turn: Turn) -> TurnView:
    values = [_exact(score) for score in (turn.before, turn.after)]
    exact = values[1] if turn.before is None or turn.before == turn.after else " → ".join(values)
    before, after = _text(turn.metric, turn.before), _text(turn.metric, turn.after)
    return TurnView(_metric_title(board, turn.metric), before, after, exact)


def _metric_title(board: LockedBoard, metric: str) -> str:
    title = METRICS[metric].title if metric in METRICS else metric
    return title.replace("@k", f"@{board.attempts}").replace("per round", f"per {board.rounds_word}")


def _text(metric: str, score: LockedScore | None) -> str:
    if score is None:
        return GAP
    decimals = METRICS[metric].decimals if metric in METRICS else 1
    return locked_text(score, decimals)


def _exact(score: LockedScore | None) -> str:
    return GAP if score is None else repr(score.value)


def _cause(where: BoardEvents, event: Event, cause: Cause) -> Crumb:
    """Say why something happened, with the way to what tells more; to nowhere where the row's page does."""
    about = f"{CAUSES[cause.kind]}: {cause.about}" if cause.about else CAUSES[cause.kind]
    board = addresses.board_address(where.benchmark.id, where.board.track)
    if cause.finding:
        return Crumb(about, f"{board}#{addresses.finding_anchor(cause.finding.id)}")
    if cause.kind == "definition":
        return Crumb(about, addresses.METHODS)
    replaced = cause.kind == "status" and event.row.by in {row.id for row in where.board.rows}
    return Crumb(f"{about} by {event.row.by}" if replaced and not cause.about else about, "")


def _earlier(ledger: Ledger, where: BoardEvents, event: Event) -> Crumb | None:
    if event.earlier is None:
        return None
    track, name = event.earlier
    return Crumb(name, _address(ledger, where, track, name))


def _address(ledger: Ledger, where: BoardEvents, track: str, name: str) -> str:
    """Give the address of what stands for a row now; empty where nothing does."""
    row = ledger.row(where.benchmark.id, track, name)
    return addresses.entry_address(where.benchmark.id, track, row.entry.id) if row else ""
