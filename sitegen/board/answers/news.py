"""What a release brought."""

from collections.abc import Iterator, Mapping, Sequence

from sitegen.board.answers.answer import Answer, answered, number_text
from sitegen.board.ledger import BoardEvents, Event, ReleaseEvents, What
from sitegen.metrics.catalogue import METRICS
from sitegen.models.release import LockedRow
from sitegen.problems import counted

_DID: Mapping[What, str] = {
    "entered": "entered",
    "redacted": "had content removed",
    "withdrawn": "was withdrawn",
    "superseded": "was superseded",
    "left": "left",
    "restored": "stands again",
    "renamed": "has another name",
    "rescored": "was rescored",
    "moved": "moved",
}
_SEVERAL = {"was": "were", "stands": "stand", "has": "have"}
"""What became of a row, and of several."""


def release_answer(chapter: ReleaseEvents) -> Answer | None:
    """Say what a release brought."""
    events = [event for board in chapter.boards for event in board.events]
    found = {what: [event for event in events if event.what == what] for what in _DID}
    if len(found["moved"]) < len(events):
        found["moved"] = []  # they follow from the others
    clauses = [_clause(what, each) for what, each in found.items() if each]
    text = " and ".join(filter(None, (", ".join(clauses[:-1]), *clauses[-1:])))
    if not text:
        text = "No row of any board changed"
    told = [_name(each) for each in chapter.boards if each.events]
    where = f" on {told[0]}" if len(told) == 1 else f" on {len(told)} boards" if told else ""
    return answered(
        f"{text}{_unmoved(chapter)}{where}",
        f"{text}{_unmoved(chapter)}",
        f"{text}{where}",
        text,
        f"{len(events)} rows changed{where}",
        f"{len(events)} rows changed",
        sure=_release_sure(chapter),
    )


def _name(where: BoardEvents) -> str:
    return f"{where.benchmark.title}, {where.board.title}"


def _clause(what: What, events: Sequence[Event]) -> str:
    """Say what became of rows: of one by its name, and how its score changed where one did."""
    did = _DID[what]
    if len(events) > 1:
        verb, _, rest = did.partition(" ")
        return " ".join(filter(None, (f"{len(events)} rows", _SEVERAL.get(verb, verb), rest)))
    (event,) = events
    turn = event.turns[0] if what == "rescored" and len(event.turns) == 1 else None
    if turn and turn.before and turn.after and turn.metric in METRICS:
        metric, way = METRICS[turn.metric], "rose" if turn.after.value > turn.before.value else "fell"
        text = turn.after.printed or number_text(turn.after.value, metric)
        return f"{event.row.name}'s {metric.title} {way} to {text}"
    return f"{event.row.name} {did}"


def _unmoved(chapter: ReleaseEvents) -> str:
    """Say that no headline score moved, where other scores did."""
    metrics = {board.board.headline for board in chapter.boards}
    turns = [turn for board in chapter.boards for event in board.events if event.before for turn in event.turns]
    if len(metrics) != 1 or not turns or not metrics <= METRICS.keys() or metrics & {turn.metric for turn in turns}:
        return ""
    return f"; no {METRICS[metrics.pop()].title} moved"


def _release_sure(chapter: ReleaseEvents) -> Iterator[str]:
    before, release = chapter.before, chapter.release
    if before is None:
        yield "It is the first release."
        return
    yield f"Against the release of {before.date}."
    yield from (f"{_name(board)} is new." for board in chapter.boards if board.is_new)
    yield from (f"{_name(board)} is {board.board.status}." for board in chapter.boards if board.has_turned)
    for board in chapter.boards if len(chapter.boards) == 1 else ():
        was = {row.id: row for row in board.before.rows} if board.before else {}
        both = [row for row in board.board.rows if row.id in was]
        same = sum(_values(row) == _values(was[row.id]) for row in both)
        if both:
            yield f"{same} of {counted(len(both), 'row')} that both hold keep every value."
    boards = [(each.id, board) for each in release.benchmarks for board in each.boards]
    same = sum(before.board(name, board.track) == board for name, board in boards)
    if same:
        yield f"{same} of {counted(len(boards), 'board')} did not change."


def _values(row: LockedRow) -> Mapping[str, float]:
    return {metric: score.value for metric, score in row.scores.items()}
