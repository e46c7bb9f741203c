"""Releases: what each brought and why, on the changelog, in the feeds, and the boards as they were."""

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Any

from sitegen.board.answers.answer import number_text
from sitegen.board.answers.news import (
    Change,
    board_name,
    cause_words,
    changes_of,
    points_of,
    rank_news,
    release_answer,
    unchanged,
)
from sitegen.board.answers.order import snapshot_answer
from sitegen.board.causes import Cause
from sitegen.board.differences import VERDICT
from sitegen.board.export import event_id
from sitegen.board.ledger import BoardEvents, Event, Ledger, ReleaseEvents, Row
from sitegen.board.outcomes_file import is_bare
from sitegen.board.score import GAP
from sitegen.metrics.metric import Metric
from sitegen.models.finding import Finding
from sitegen.models.release import LockedRow, LockedScore, Release
from sitegen.models.site import Item
from sitegen.pages import addresses, labels
from sitegen.pages.addresses import BoardAddresses, Link
from sitegen.pages.environment import Fragment, Templates
from sitegen.pages.labels import visible
from sitegen.pages.records import Snapshot
from sitegen.pages.site import View, Whole, authored_parts, headline, page_kind
from sitegen.pages.strips import RankAxis

_SHOWN = 40
"""So many of the rounds that decided a change are listed; the others are counted."""


Told = dict[str, Any]
"""What a template needs of something; `events.html.j2` says what that is."""


@authored_parts
def release_parts(whole: Whole, templates: Templates) -> Iterator[Fragment]:
    """Tell of each release what it brought; on the changelog, list them, and tell what has come since."""
    ledger, since = whole.ledger, whole.ledger.since
    latest = [*reversed(ledger.releases)]
    values = {
        "releases": [
            (each.release, release_answer(each), list(changes_of(each))) for each in latest
        ],
        "since": [_board_view(ledger, since, each, is_locked=False) for each in since.boards]
        if since
        else [],
        "last": latest[0].release if latest else None,
    }
    text = templates.fill("releases.html.j2", addresses.CHANGELOG, values)
    yield Fragment(addresses.CHANGELOG, "releases", text)
    if latest:
        name = f"Changelog, release {_dated(latest[0].release)}"
        yield from headline(addresses.CHANGELOG, name, release_answer(latest[0]), templates)
    for chapter in ledger.releases:
        address = addresses.release_address(chapter.release.date)
        about = {
            "release": chapter.release,
            "before": chapter.before,
            "boards": [
                _board_view(ledger, chapter, each, is_locked=True) for each in chapter.boards
            ],
            "unchanged": list(unchanged(chapter)),
        }
        yield Fragment(address, "release", templates.fill("release.html.j2", address, about))
        yield from headline(address, _dated(chapter.release), release_answer(chapter), templates)


def _dated(release: Release) -> str:
    return f"{release.title}, {release.date}" if release.title else str(release.date)


def _board_view(
    ledger: Ledger, chapter: ReleaseEvents, events: BoardEvents, *, is_locked: bool
) -> Told:
    """Show what happened on a board, with the way to it and to what it was in this release."""
    where = BoardAddresses(events.benchmark.id, events.board.track)
    changes = [each for each in changes_of(chapter) if each.where is events and each.did != "moved"]
    return {
        "title": board_name(events),
        "anchor": "-".join(where),
        "address": where.board,
        "snapshot": where.snapshot(chapter.release.date) if is_locked else None,
        "changes": [_change_view(ledger, each) for each in changes],
        "ranks": _ranks(ledger, events) if events.events and not events.is_new else None,
    }


def _change_view(ledger: Ledger, change: Change) -> Told:
    board = change.where.board
    turned = {turn.metric for event in change.events for turn in event.changed}
    metrics = [name for name in board.columns if name in turned or name == board.headline]
    if change.is_of_board:
        metrics = [board.headline]
    return {
        "change": change,
        "causes": [_cause(change, cause) for cause in change.causes],
        "columns": [change.where.metric_title(metric) for metric in metrics],
        "rows": [_row_view(ledger, change, event, metrics) for event in change.events],
    }


def _row_view(ledger: Ledger, change: Change, event: Event, metrics: Sequence[str]) -> Told:
    """Show a row that something happened to: its ranks and scores before and after, and what decided it."""
    where, row = change.where, event.row
    former, address = event.former, _address(ledger, where, where.board.track, row.id)
    now, was = (labels.locked_place(each) if each else None for each in (row, former))
    earlier = (
        Link(event.earlier[1], _address(ledger, where, *event.earlier)) if event.earlier else None
    )
    return {
        "event": event,
        "address": address,
        "place": f"{was} → {now}" if was and was != now else now or GAP,
        "scores": [
            _score_view(former, row, metric, where.metrics.get(metric)) for metric in metrics
        ],
        "earlier": earlier if earlier and earlier.address != address else None,
        **_deciding(ledger, change, event),
    }


def _deciding(ledger: Ledger, change: Change, event: Event) -> Told:
    """Tell what decided what became of a row: rounds whose verdicts differ, and what each task adds to a score."""
    where, board = change.where, change.where.board
    turns = (
        [] if change.is_of_board else [turn for turn in event.changed if turn.before and turn.after]
    )
    turn = next(
        (each for each in turns if each.metric == board.headline), turns[0] if turns else None
    )
    points = dict(points_of(ledger, where, event, turn)) if turn else {}
    # What a finding concerns is told once, beside its name, where it is the cause for several rows.
    is_alone = len(change.events) == 1 or event.corrects
    cells = deciding_rounds(ledger, where, event) if is_alone and not change.is_of_board else []
    found = ledger.row(where.benchmark.id, board.track, event.row.id)
    names = {task.id: task.name for task in found.board.tasks.tasks} if found else {}
    title, total = "", ""
    if turn and turn.before and turn.after and points:
        title, total = (
            where.metric_title(turn.metric),
            number_text(turn.after.value - turn.before.value, 2, "+"),
        )
    tasks = [
        {
            "name": names.get(task, task),
            "rounds": [link for name, link in cells[:_SHOWN] if name == task],
            "points": number_text(points[task], 2, "+") if task in points else "0",
            "value": points.get(task),
        }
        for task in dict.fromkeys((*points, *(name for name, _ in cells[:_SHOWN])))
    ]
    return {
        "points_title": title,
        "points_total": total,
        "tasks": tasks,
        "left": max(0, len(cells) - _SHOWN),
    }


def _score_view(
    former: LockedRow | None, row: LockedRow, metric: str, known: Metric | None
) -> tuple[str, str, str, str]:
    """Show a score after a change.

    Returns:
        What it was, empty where there was none or it is the same; what it is; both in full; and by how much they
        differ, or its interval where it is new.
    """
    was, now = (each.scores.get(metric) if each else None for each in (former, row))
    decimals = known.decimals if known else 1
    before, after = (labels.locked_text(score, decimals) for score in (was, now))
    exact = " → ".join(
        GAP if score is None else repr(score.value) for score in ((was, now) if former else (now,))
    )
    if former is None:
        return ("", after, exact, labels.interval_text(now, decimals))
    if was is None or now is None or was.value == now.value:
        return ("" if before == after else before, after, exact, "")
    change = number_text(now.value - was.value, decimals, "+")
    return (before, after, exact, change if change[0] in "+−" else "")


def _ranks(ledger: Ledger, where: BoardEvents) -> Told | None:
    """Draw the ranks of a board before and after, on one axis; None where there are none to tell of."""
    news = rank_news(where)
    if news is None:
        return None
    axis = RankAxis(
        max(max(row.last or 0, row.rank or 0, (was and was.last) or 0) for was, row in news.rows)
    )
    rows = [
        {
            "row": row,
            "address": _address(ledger, where, where.board.track, row.id),
            "before": labels.locked_place(was) if was else GAP,
            "after": labels.locked_place(row),
            "spans": axis.spans(was, row),
        }
        for was, row in news.rows
    ]
    return {"news": news, "axis": axis, "rows": rows}


def _cause(change: Change, cause: Cause) -> Link:
    """Say why something happened, with the way to what tells more; to nowhere where the row's page does."""
    about, board = cause_words(cause), change.where.board
    if cause.finding:
        return Link(
            about, BoardAddresses(change.where.benchmark.id, board.track).finding(cause.finding.id)
        )
    if cause.kind == "definition":
        return Link(about, addresses.METHODS)
    by = change.events[0].row.by
    replaced = (
        cause.kind == "status" and len(change.events) == 1 and by in {row.id for row in board.rows}
    )
    return Link(f"{about} by {by}" if replaced and not cause.about else about, "")


def _address(ledger: Ledger, where: BoardEvents, track: str, name: str) -> str:
    """Tell where what stands for a row now has its page; empty where nothing does."""
    row = ledger.row(where.benchmark.id, track, name)
    return BoardAddresses(where.benchmark.id, track).entry(row.entry.id) if row else ""


def _run_address(row: Row, task: str, number: int | None = None, attempt: int = 1) -> str:
    """Tell where a run of a row stands; one of its rounds, where its page shows that."""
    where, name = addresses.of(row.board), row.entry.id
    if len(row.board.tasks.by_id()[task].rounds) == 1 and is_bare(row.board, row.entry):
        return f"{where.entry(name)}#{addresses.run_anchor(task)}"
    sent = row.entry.sent.rounds if row.entry.sent and number is not None else ()
    is_shown = any((each.task, each.attempt, each.start) == (task, attempt, "own") for each in sent)
    return f"{where.run(name, task)}{f'#{addresses.round_anchor(number or 0, attempt)}' if is_shown else ''}"


def deciding_rounds(ledger: Ledger, where: BoardEvents, event: Event) -> list[tuple[str, Link]]:
    """Lead to the rounds that findings name which changed a row's scores, and to those unlike an earlier row's.

    Each comes with its task.
    """
    now = ledger.row(where.benchmark.id, where.board.track, event.row.id)
    was = ledger.row(where.benchmark.id, *event.earlier) if event.earlier else None
    if now is None:
        return []
    word, found = where.board.rounds_word, list[tuple[str, Link]]()
    for cause in event.causes:
        if cause.finding and cause.kind == "finding":
            found += _concerned(now, cause.finding.finding, word)
    for cell in ledger.deciding_cells(where, event):
        told = "; ".join(
            f"{each.name} {GAP if each.before is None else each.before} → {GAP if each.after is None else each.after}"
            for each in sorted(cell.differences, key=attrgetter("name"))
            if each.name in VERDICT
        )
        title = f"{word} {cell.round}: {told if cell.kind == 'changed' else cell.kind}"
        row = was if was and cell.kind == "removed" else now
        found.append(
            (cell.task, Link(title, _run_address(row, cell.task, cell.round, cell.attempt)))
        )
    return found


def _concerned(row: Row, finding: Finding, word: str) -> Iterator[tuple[str, Link]]:
    """Lead to the rounds of a row that a finding names, each with its task."""
    for task in row.board.tasks.tasks:
        if task.id in finding.tasks and not finding.rounds:
            yield task.id, Link(f"every {word}", _run_address(row, task.id))
        for number in (
            each.n for each in task.rounds if task.id in finding.tasks and each.n in finding.rounds
        ):
            yield task.id, Link(f"{word} {number}", _run_address(row, task.id, number))


@page_kind(Snapshot, "snapshot.html.j2", "Release")
def snapshot_page(snapshot: Snapshot, _: Templates) -> Iterator[View]:
    """Show a board as a release has it."""
    board, locked, release = snapshot.board, snapshot.locked, snapshot.release
    title = f"{board.benchmark.title}: {locked.title}, release {release.name}"
    values = {
        "title": f"{locked.title}, as released on {release.date}",
        "columns": [board.metrics[name] for name in locked.columns if name in board.metrics],
    }
    yield View(
        addresses.of(board).snapshot(release.date),
        title,
        snapshot_answer(locked, release, board.metrics.get(locked.headline)),
        values,
    )


def news_of(ledger: Ledger) -> list[Item]:
    """List everything that the feeds tell, the latest first: releases, and the single events that they brought."""
    return [item for chapter in reversed(ledger.releases) for item in _items(chapter)]


def _items(chapter: ReleaseEvents) -> Iterator[Item]:
    release = chapter.release
    day, address = str(release.date), addresses.release_address(release.date)
    answer = release_answer(chapter)
    words = visible(str(answer)) if answer else f"{release.name}."
    yield Item(f"release/{day}", day, f"Release {release.name}", address, words, ("release",))
    for change in changes_of(chapter):
        where, first = change.where, next(iter(change.events), None)
        name = f"{where.benchmark.id}/{where.board.track}"
        anchor = f"{address}#{where.benchmark.id}-{where.board.track}"
        why = f"{change.why[:1].upper()}{change.why[1:]}" if change.why else ""
        told = (_told(where, event) for event in change.events)
        text = ". ".join(filter(None, (visible(change.text), visible(why), "; ".join(told))))
        title = visible(
            change.text if change.is_of_board else f"{change.text} ({board_name(where)})"
        )
        id_ = f"{name}/{'new' if first else where.board.status}"
        if change.did == "headline":
            id_ = f"{name}/headline"
        if first and not change.is_of_board:
            id_ = event_id(where, first)
        yield Item(f"{day}/{id_}", day, title, anchor, f"{text}.", (where.benchmark.id, change.did))


def _told(where: BoardEvents, event: Event) -> str:
    """Say of a row which ranks it may have and what its headline score is, each with what it was."""
    metric, was = where.board.headline, labels.locked_place(event.former) if event.former else GAP
    turn = next((each for each in event.changed if each.metric == metric), None)
    scores = [f"{metric} {_value(turn.before)} → {_value(turn.after)}"] if turn else []
    place = f"{visible(event.row.name)}: rank {was} → {labels.locked_place(event.row)}"
    return ", ".join(filter(None, (place, *scores, event.row.missing_note)))


def _value(score: LockedScore | None) -> str:
    return GAP if score is None else repr(score.value)
