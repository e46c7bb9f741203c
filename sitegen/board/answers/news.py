"""What a release brought: each change with its cause, and all of them in a sentence."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sitegen.board.answers.answer import Answer, answered, number_text
from sitegen.board.causes import Cause, CauseKind
from sitegen.board.comparison import task_points
from sitegen.board.ledger import (
    BoardEvents,
    Event,
    Ledger,
    ReleaseEvents,
    ScoreChange,
    place_of,
    turns_between,
)
from sitegen.board.score import GAP
from sitegen.metrics.metric import Metric
from sitegen.metrics.uncertainty import ROUNDING
from sitegen.models.release import LockedRow, LockedScore
from sitegen.problems import agreeing, counted, part_of

CAUSES: Mapping[CauseKind, str] = {
    "submission": "new submission",
    "recomputed": "raw results in the place of printed values",
    "table": "a published table",
    "status": "taken back",
    "name": "formerly",
    "data": "its results changed",
    "tasks": "the tasks changed",
    "labels": "the labels of tasks changed",
    "axes": "weights or clusters of an axis changed",
    "conditions": "the conditions of the track changed",
    "finding": "finding",
    "redaction": "redacted",
    "definition": "defined anew",
    "headline": "the board ranks by another metric",
    "columns": "the board has other columns",
    "program": "computed by another version of the program",
    "others": "what became of other rows",
    "unknown": "nothing on record tells why",
}
_DID: Mapping[str, tuple[str, str]] = {
    "entered": ("entered", "entered"),
    "corrected": ("was corrected", "were corrected"),
    "redacted": ("had content removed", "had content removed"),
    "withdrawn": ("was withdrawn", "were withdrawn"),
    "superseded": ("was superseded", "were superseded"),
    "left": ("left", "left"),
    "restored": ("stands again", "stand again"),
    "renamed": ("has another name", "have another name"),
    "recomputed": ("was recomputed from raw results", "were recomputed from raw results"),
    "rescored": ("was rescored", "were rescored"),
    "first": ("has more scores", "have more scores"),
    "fewer": ("has fewer scores", "have fewer scores"),
    "moved": ("has another rank", "have other ranks"),
}
"""What became of a row, and of several, by what is said of them: the strongest first."""

_FOLLOWS = {"first", "fewer", "moved"}
"""What is not said in a sentence where there is something else to say."""


class Change(NamedTuple):
    """What became of rows of a board for the same reason, or of the board itself: then it is new, or has no rows."""

    where: BoardEvents
    did: str
    """A key of `_DID`; "board" or "headline" where it is said of the board."""
    events: Sequence[Event]
    causes: Sequence[Cause]
    """Why, as far as is known, but for what the sentence says."""
    text: str
    """All of it in a sentence without its full stop."""
    why: str

    @property
    def is_of_board(self) -> bool:
        """Whether it is about the board itself."""
        return self.did in {"board", "headline"}


def changes_of(chapter: ReleaseEvents) -> Iterator[Change]:
    """Yield what a release changed, board by board: the board itself, then its rows."""
    for where in chapter.boards:
        board = where.board
        if where.is_new:
            printed = "printed " if all(row.evidence == "reported" for row in board.rows) else ""
            rows = counted(len(board.rows), f"{printed}row") if board.rows else "no row yet"
            yield Change(
                where, "board", where.events, (), f"{board_name(where)} is new, with {rows}", ""
            )
        if where.has_turned or (where.is_new and board.status != "current"):
            turned = (
                f"{board_name(where)} is {board.status}{' again' * (board.status == 'current')}"
            )
            yield Change(where, "board", (), (), turned, (board.reason or "").rstrip("."))
        if where.former_headline:
            former, headline = map(where.metric_title, (where.former_headline, board.headline))
            text = f"{board_name(where)} now ranks by {headline} instead of {former}"
            yield Change(where, "headline", (), (), text, "")
        for (did, *_), events in {} if where.is_new else _grouped([where]).items():
            text = (
                _one(where, did, events[0][1])
                if len(events) == 1
                else f"{len(events)} rows {_DID[did][1]}"
            )
            more = [
                each
                for each in events[0][1].causes
                if (did, each.kind) != ("recomputed", "recomputed")
            ]
            yield Change(
                where,
                did,
                [event for _, event in events],
                more,
                text,
                "; ".join(map(cause_words, more)),
            )


def board_name(where: BoardEvents) -> str:
    """Name a board with its benchmark."""
    return f"{where.benchmark.title}, {where.board.title}"


def cause_words(cause: Cause) -> str:
    """Say why something happened."""
    if cause.kind == "finding" and cause.about:
        remark = cause.finding.remark if cause.finding else ""
        return f"{CAUSES[cause.kind]} “{cause.about}”{f', {remark}' if remark else ''}"
    return f"{CAUSES[cause.kind]}: {cause.about}" if cause.about else CAUSES[cause.kind]


def _grouped(
    boards: Iterable[BoardEvents],
) -> dict[tuple[str, ...], list[tuple[BoardEvents, Event]]]:
    """Put together what happened to rows for the same reasons, in the order of what it was."""
    found: dict[tuple[str, ...], list[tuple[BoardEvents, Event]]] = {}
    for where in boards:
        corrected = {event.corrects.id for event in where.events if event.corrects}
        for event in where.events:
            if (
                event.what != "superseded" or event.row.id not in corrected
            ):  # the correction tells it
                key = (_said(event), *map(cause_words, event.causes))
                found.setdefault(key, []).append((where, event))
    return dict(sorted(found.items(), key=lambda each: [*_DID].index(each[0][0])))


def _said(event: Event) -> str:
    """Tell what is said of an event: a key of `_DID`."""
    if event.what == "rescored" and event.turns:
        if not any(turn.before for turn in event.turns):
            return "first"
        if not any(turn.after for turn in event.turns):
            return "fewer"
    if event.what == "rescored" and event.causes[0].kind == "recomputed":
        return "recomputed"
    return "corrected" if event.corrects else event.what


def points_of(
    ledger: Ledger, where: BoardEvents, event: Event, turn: ScoreChange
) -> list[tuple[str, float]]:
    """What tasks add to a difference of scores that is a plain mean over them; empty where that can't be told."""
    row, metric = (
        ledger.row(where.benchmark.id, where.board.track, event.row.id),
        where.metrics.get(turn.metric),
    )
    if not row or not metric or not turn.before or not turn.after or not event.earlier:
        return []
    was, now = map(task_points(row.board, metric).get, (event.earlier[1], event.row.id))
    parts = {task: now[task] - was[task] for task in now} if was and now else {}
    if (
        abs(sum(parts.values()) - (turn.after.value - turn.before.value)) > ROUNDING
    ):  # they are the release's no more
        return []
    return sorted(
        ((task, part) for task, part in parts.items() if abs(part) > ROUNDING),
        key=lambda each: -abs(each[1]),
    )


class RankNews(NamedTuple):
    """What became of the ranks of rows that both states of a board have."""

    text: str
    """How many differ."""
    why: str
    """Why, as far as it follows from the rows."""
    rows: Sequence[tuple[LockedRow | None, LockedRow]]
    """The ranked rows as they are, each behind itself as it was; None for one that is new."""


def rank_news(where: BoardEvents) -> RankNews | None:
    """Hold the ranks of a board against those before; None where no row has one, or all are new."""
    earlier = {row.id: was for was, row in where.kept}
    rows = [(earlier.get(row.id), row) for row in where.board.rows if row.rank]
    pairs = [(was, row) for was, row in rows if was and was.rank]
    moved = [(was, row) for was, row in pairs if place_of(was) != place_of(row)]
    if not pairs:
        return None
    is_one = len(moved) == 1
    has, are = ("has", "is") if is_one else ("have", "are")
    rows_moved = part_of(len(moved), len(pairs), "row")
    text = f"{rows_moved[:1].upper()}{rows_moved[1:]} {has} other possible ranks"
    why = _rank_reasons(where)
    is_wider = all(
        was.first == row.first and was.last and row.last == was.last + 1 for was, row in moved
    )
    if not moved:
        text, why = "No rank changed", ""
    elif all(was.first is None and row.first for was, row in moved):
        text = f"{counted(len(moved), 'row')} {has} a range of ranks for the first time"
        why = "Before, ranks had no range."
    elif (
        is_wider
        and len(rows) == len(pairs) + 1
        and not any(turns_between(*pair) for pair in where.kept)
    ):
        text = f"{counted(len(moved), 'rank range')} {are} one rank wider"
        why = "Because there is one row more: no other value of the board changed."
    return RankNews(text, why, rows)


def _rank_reasons(where: BoardEvents) -> str:
    """Return why ranks of a board changed, in sentences: because other rows did, or for another reason."""
    reasons: list[str] = []
    has_followed = False
    for event in where.events:
        if event.what != "moved":
            has_followed |= event.before is not None and place_of(event.before) != place_of(
                event.row
            )
            continue
        has_followed |= any(cause.kind == "others" for cause in event.causes)
        reasons += [cause_words(cause) for cause in event.causes if cause.kind != "others"]
    sentences = [f"{reason[:1].upper()}{reason[1:]}." for reason in dict.fromkeys(reasons)]
    if has_followed:
        sentences.append("They follow from the changes above, over all pairs of rows at once.")
    return " ".join(sentences)


def unchanged(chapter: ReleaseEvents) -> Iterator[str]:
    """Yield what a release did not change: values of boards that it changed, and boards as a whole."""
    for where in chapter.boards:
        for metric in where.board.columns if where.before else ():
            values = [
                (was.scores.get(metric), row.scores.get(metric))
                for was, row in where.kept
                if row.rank
            ]
            both = [(was.value, now.value) for was, now in values if was and now]
            same, title = sum(was == now for was, now in both), where.metric_title(metric)
            if same:
                many = f"{same} of {counted(len(both), 'value')}"
                if same == len(both):
                    many = f"All {counted(same, 'value')}" if same > 1 else "The only value"
                yield f"{many} of {title} on {board_name(where)}"
    before = chapter.before
    for each in chapter.release.benchmarks if before else ():
        same_boards = [
            board.title
            for board in each.boards
            if before and before.board(each.id, board.track) == board
        ]
        if same_boards:
            yield f"Everything on {each.title}, {' and '.join(same_boards)}"


def score_words(score: LockedScore | None, metric: Metric | None) -> str:
    """Write a score as people read it; a dash for a gap."""
    if score is None:
        return GAP
    if score.printed or metric is None:
        return score.printed or f"{score.value:.1f}"
    return number_text(score.value, metric.decimals)


def _one(where: BoardEvents, did: str, event: Event, *, is_short: bool = False) -> str:
    """Say what became of a row, by its agent's name: how a score changed where one did, or where a new one stands."""
    row, turns = event.row, [turn for turn in event.changed if turn.before and turn.after]
    own = next((turn for turn in turns if turn.metric == where.board.headline), None)
    turn = own if did == "corrected" and own else turns[0] if len(turns) == 1 else None
    place, score = place_of(row), row.scores.get(where.board.headline)
    if did == "entered" and score and not is_short:
        rank = f", rank {place.replace('-', GAP)}" if place and "(" not in place else ""
        return f"{row.name} entered with {score_words(score, where.metrics.get(where.board.headline))}{rank}"
    if (
        did in {"rescored", "corrected"}
        and turn
        and turn.before
        and turn.after
        and turn.metric in where.metrics
    ):
        way = "rose" if turn.after.value > turn.before.value else "fell"
        was = "" if is_short else f" from {score_words(turn.before, where.metrics[turn.metric])}"
        title = where.metric_title(turn.metric)
        return f"{row.name}'s {title} {way}{was} to {score_words(turn.after, where.metrics[turn.metric])}"
    return f"{row.name} {_DID[did][0]}"


def release_answer(chapter: ReleaseEvents) -> Answer | None:
    """Say what a release brought."""
    found: dict[str, list[tuple[BoardEvents, Event]]] = {}
    for (did, *_), pairs in _grouped(chapter.boards).items():
        found.setdefault(did, []).extend(pairs)
    told_apart = {did: pairs for did, pairs in found.items() if did not in _FOLLOWS} or found
    clauses = [
        _one(pairs[0][0], did, pairs[0][1], is_short=True)
        if len(pairs) == 1
        else f"{len(pairs)} rows {_DID[did][1]}"
        for did, pairs in told_apart.items()
    ]
    text = (
        " and ".join(filter(None, (", ".join(clauses[:-1]), *clauses[-1:])))
        or "No row of any board changed"
    )
    told, rows = (
        [board_name(each) for each in chapter.boards if each.events],
        sum(map(len, found.values())),
    )
    where = f" on {told[0]}" if len(told) == 1 else f" on {len(told)} boards" if told else ""
    unmoved, brief = _unmoved(chapter), f"{counted(rows, 'row')} changed"
    texts = (
        f"{text}{unmoved}{where}",
        f"{text}{unmoved}",
        f"{text}{where}",
        text,
        f"{brief}{where}",
        brief,
    )
    return answered(*texts, sure=_release_sure(chapter))


def _unmoved(chapter: ReleaseEvents) -> str:
    """Say that no headline score moved, where other scores did."""
    metrics = {board.metric_title(board.board.headline) for board in chapter.boards}
    moved = {
        board.metric_title(turn.metric)
        for board in chapter.boards
        for event in board.events
        if event.former
        for turn in event.changed
        if turn.before
    }
    if len(metrics) != 1 or not moved or metrics & moved:
        return ""
    return f"; no {metrics.pop()} moved"


def _release_sure(chapter: ReleaseEvents) -> Iterator[str]:
    before, release = chapter.before, chapter.release
    if before is None:
        yield "It is the first release."
        return
    yield f"Against the release of {before.date}."
    yield from (f"{board_name(board)} is new." for board in chapter.boards if board.is_new)
    yield from (
        f"{board_name(board)} is {board.board.status}."
        for board in chapter.boards
        if board.has_turned
    )
    for board in chapter.boards if len(chapter.boards) == 1 else ():
        both = [pair for pair in board.kept if pair[1].state == "published"]
        same = sum(not turns_between(was, row) for was, row in both)
        if same:
            keeps = agreeing(same, "keeps", "keep")
            if len(both) == 1:
                yield "The only row that both hold keeps every value."
            else:
                yield f"{same} of {len(both)} rows that both hold {keeps} every value."
    boards = [(each.id, board) for each in release.benchmarks for board in each.boards]
    same = sum(before.board(name, board.track) == board for name, board in boards)
    if same:
        unchanged_boards = part_of(same, len(boards), "board")
        yield f"{unchanged_boards[:1].upper()}{unchanged_boards[1:]} did not change."
