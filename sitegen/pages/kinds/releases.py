"""Releases: their changes and causes, for the changelog and feeds, and boards as they were then."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

from sitegen.board import GAP, BoardEntry
from sitegen.board.answers.news import (
    RankNews,
    ReleaseChange,
    board_name,
    cause_words,
    changes_of,
    contributions_to_change,
    rank_news,
    release_answer,
    unchanged,
)
from sitegen.board.answers.ranking_headlines import snapshot_answer
from sitegen.board.export import event_id
from sitegen.board.history.causes import Cause
from sitegen.board.history.differences import VERDICT_FIELDS, Difference
from sitegen.board.history.ledger import BoardEvents, Event, Ledger, ReleaseEvents, ScoreChange
from sitegen.board.outcomes_file import is_bare
from sitegen.board.wording import number_text
from sitegen.models.finding import Finding
from sitegen.models.release import LockedRow, LockedScore, Release
from sitegen.models.site import Item
from sitegen.pages import addresses, labels
from sitegen.pages.addresses import BoardAddresses, Link
from sitegen.pages.days import findings_since_release, items_since_release
from sitegen.pages.environment import Fragment, Templates
from sitegen.pages.labels import visible
from sitegen.pages.rank_axis import RankAxis, RankSpan
from sitegen.pages.records import BoardSnapshot, has_run_page, run_address
from sitegen.pages.site import SiteContent, View, authored_parts, page_kind, title_fragment
from sitegen.pages.texts import join_texts

_MAX_DECIDING_ROUNDS = 40
"""Maximum number of rounds listed as deciding a change; further rounds are only counted."""


class ScoreView(NamedTuple):
    """A score before and after a change."""

    before: str
    """The earlier score; empty if there was none or if it is the same."""
    after: str
    exact: str
    """Both scores in full precision."""
    about: str
    """The change of the score; for a new score, its interval."""


TaskRoundLink = tuple[str, Link]
"""A task's id, and a link to one of its rounds."""


@dataclass(frozen=True, slots=True)
class DecidingTask:
    """A task that decided a row's change."""

    name: str
    rounds: Sequence[Link]
    """The rounds whose results differ."""
    points: str
    """The task's contribution to the change of the score, in points."""
    value: float | None
    """The same contribution as a number; None if it is not known."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The rounds and tasks that decided a row's change."""

    points_title: str = ""
    """The title of the score that the points add up to; empty if contributions are not known."""
    points_total: str = ""
    tasks: Sequence[DecidingTask] = ()
    left: int = 0
    """The number of deciding rounds that are not listed."""


@dataclass(frozen=True, slots=True)
class ChangedRowView:
    """A changed row: its ranks and scores before and after, and the rounds that decided it."""

    event: Event
    address: str
    """The address of the row's page; empty if it has none."""
    ranks_text: str
    """The ranks before and after, as text."""
    scores: Sequence[ScoreView]
    earlier: Link | None
    """The row that this row replaces; None if it replaces none."""
    decision: Decision


@dataclass(frozen=True, slots=True)
class ChangeView:
    """A change with its causes and the rows that it concerns."""

    change: ReleaseChange
    causes: Sequence[Link]
    columns: Sequence[str]
    """The titles of the scores, in column order."""
    rows: Sequence[ChangedRowView]


@dataclass(frozen=True, slots=True)
class ChangedRanksRow:
    """A row with its ranks before and after, as text and on the axis of ranks."""

    row: LockedRow
    address: str
    before: str
    after: str
    spans: Iterator[RankSpan]


@dataclass(frozen=True, slots=True)
class ChangedRanks:
    """The ranks of a board before and after, on one axis."""

    news: RankNews
    axis: RankAxis
    rows: Sequence[ChangedRanksRow]


@dataclass(frozen=True, slots=True)
class BoardChanges:
    """The events on a board."""

    title: str
    anchor: str
    address: str
    snapshot: str | None
    """The address of the board as it was in the release; None for changes since then."""
    changes: Sequence[ChangeView]
    ranks: ChangedRanks | None


@authored_parts
def release_parts(site_content: SiteContent, templates: Templates) -> Iterator[Fragment]:
    """Show the changes of each release, and on the changelog all releases and later changes."""
    ledger = site_content.ledger
    yield from _changelog_fragments(ledger, templates)
    for chapter in ledger.releases:
        yield from _release_fragments(ledger, chapter, templates)


def _changelog_fragments(ledger: Ledger, templates: Templates) -> Iterator[Fragment]:
    """Yield the list of releases, the latest first, and the headline of the changelog."""
    releases = []
    for chapter in reversed(ledger.releases):
        changes = list(changes_of(chapter))
        releases.append((chapter.release, release_answer(chapter), changes))
    since = _board_views(ledger, ledger.since, is_locked=False) if ledger.since else []
    latest = ledger.releases[-1] if ledger.releases else None
    values = {
        "releases": releases,
        "since": since,
        "findings_since": findings_since_release(ledger),
        "last": latest.release if latest else None,
    }
    text = templates.fill("releases.html.j2", addresses.CHANGELOG, values)
    yield Fragment(addresses.CHANGELOG, "releases", text)
    if latest:
        name = f"Changelog · latest release: {_dated_title(latest.release)}"
        yield from title_fragment(addresses.CHANGELOG, name, release_answer(latest), templates)


def _release_fragments(
    ledger: Ledger, chapter: ReleaseEvents, templates: Templates
) -> Iterator[Fragment]:
    """Yield the changes of a release, and the headline of its page."""
    release = chapter.release
    address = addresses.release_address(release.date)
    values = {
        "release": release,
        "before": chapter.release_before,
        "boards": _board_views(ledger, chapter, is_locked=True),
        "unchanged": list(unchanged(chapter)),
    }
    text = templates.fill("release.html.j2", address, values)
    yield Fragment(address, "release", text)
    yield from title_fragment(address, _dated_title(release), release_answer(chapter), templates)


def _dated_title(release: Release) -> str:
    if release.title:
        return f"{release.title}, {release.date}"
    return str(release.date)


def _board_views(ledger: Ledger, chapter: ReleaseEvents, *, is_locked: bool) -> list[BoardChanges]:
    """Return the events on each board; `is_locked` is false for changes since the last release."""
    boards = chapter.boards
    return [_board_view(ledger, chapter, events, is_locked=is_locked) for events in boards]


def _board_view(
    ledger: Ledger, chapter: ReleaseEvents, events: BoardEvents, *, is_locked: bool
) -> BoardChanges:
    """Return the events on a board, with links to it and to its state in this release."""
    board_addresses = BoardAddresses(events.benchmark.id, events.board.track)
    changes = [change for change in changes_of(chapter) if change.board_events is events]
    shown_changes = [change for change in changes if change.did != "moved"]
    change_views = [_change_view(ledger, change) for change in shown_changes]
    snapshot = None
    if is_locked:
        snapshot = board_addresses.snapshot(chapter.release.date)
    has_ranks = events.events and not events.is_new
    return BoardChanges(
        title=board_name(events),
        anchor="-".join(board_addresses),
        address=board_addresses.board,
        snapshot=snapshot,
        changes=change_views,
        ranks=_rank_changes(ledger, events) if has_ranks else None,
    )


def _change_view(ledger: Ledger, change: ReleaseChange) -> ChangeView:
    """Return a change with its causes and the rows that it concerns."""
    metrics = _changed_metrics(change)
    titles = list(map(change.board_events.metric_title, metrics))
    causes = [_cause_link(change, cause) for cause in change.causes]
    rows = [_row_view(ledger, change, event, metrics) for event in change.events]
    return ChangeView(change, causes, titles, rows)


def _changed_metrics(change: ReleaseChange) -> Sequence[str]:
    """Return the metrics with columns for a change: the headline, and those that changed."""
    board = change.board_events.board
    if change.is_of_board:
        return [board.headline]
    metrics = {board.headline}
    for event in change.events:
        metrics |= {score_change.metric for score_change in event.changed}
    return [metric for metric in board.columns if metric in metrics]


def _row_view(
    ledger: Ledger, change: ReleaseChange, event: Event, metrics: Sequence[str]
) -> ChangedRowView:
    """Return a changed row: its ranks and scores before and after, and what decided the change."""
    events = change.board_events
    row = event.row
    former = event.compared_with
    address = _row_address(ledger, events, events.board.track, row.id)
    predecessor = None
    if event.replaces:
        predecessor = Link(event.replaces.row, _row_address(ledger, events, *event.replaces))
        if predecessor.address == address:
            predecessor = None
    ranks_text = labels.locked_rank_text(row)
    if former:
        ranks_before = labels.locked_rank_text(former)
        if ranks_before != ranks_text:
            ranks_text = f"{ranks_before} → {ranks_text}"
    scores = []
    for metric in metrics:
        known_metric = events.metrics.get(metric)
        decimals = 1
        if known_metric:
            decimals = known_metric.decimals
        scores.append(_score_view(former, row, metric, decimals))
    return ChangedRowView(
        event=event,
        address=address,
        ranks_text=ranks_text,
        scores=scores,
        earlier=predecessor,
        decision=_decision(ledger, change, event),
    )


def _decision(ledger: Ledger, change: ReleaseChange, event: Event) -> Decision:
    """Return what decided a row's change: rounds whose verdict changed, and points by task."""
    if change.is_of_board:
        return Decision()
    events = change.board_events
    points: Mapping[str, float] = {}
    points_title = ""
    points_total = ""
    score_change = _deciding_score_change(event, events.board.headline)
    if score_change:
        points = dict(contributions_to_change(ledger, events, event, score_change))
    if score_change and score_change.before and score_change.after and points:
        difference = score_change.after.value - score_change.before.value
        points_title = events.metric_title(score_change.metric)
        points_total = number_text(difference, 2, "+")
    rounds: Sequence[TaskRoundLink] = ()
    # A finding that causes changes in several rows has its rounds listed once, beside its name.
    if len(change.events) == 1 or event.corrected_row:
        rounds = deciding_rounds(ledger, events, event)
    shown = rounds[:_MAX_DECIDING_ROUNDS]
    titles = _task_titles(ledger, events, event.row)
    tasks = _deciding_tasks(points, shown, titles)
    return Decision(points_title, points_total, tasks, len(rounds) - len(shown))


def _deciding_tasks(
    points: Mapping[str, float], rounds: Sequence[TaskRoundLink], titles: Mapping[str, str]
) -> list[DecidingTask]:
    """Return the tasks that contributed points, then further tasks whose rounds differ."""
    tasks = []
    task_ids = dict.fromkeys((*points, *(task_id for task_id, _ in rounds)))
    for task_id in task_ids:
        task_points = points.get(task_id)
        links = [link for name, link in rounds if name == task_id]
        points_text = "0" if task_points is None else number_text(task_points, 2, "+")
        name = titles.get(task_id, task_id)
        tasks.append(DecidingTask(name, links, points_text, task_points))
    return tasks


def _deciding_score_change(event: Event, headline_id: str) -> ScoreChange | None:
    """Return the score change to explain by task: the headline's, else the first; or None."""
    score_changes = [change for change in event.changed if change.before and change.after]
    for score_change in score_changes:
        if score_change.metric == headline_id:
            return score_change
    return score_changes[0] if score_changes else None


def _task_titles(ledger: Ledger, events: BoardEvents, row: LockedRow) -> Mapping[str, str]:
    """Return the titles of the tasks of a row's board, by id; empty if the row has no page."""
    current = ledger.row(events.benchmark.id, events.board.track, row.id)
    if current:
        return labels.task_names(current.board)
    return {}


def _score_view(former: LockedRow | None, row: LockedRow, metric: str, decimals: int) -> ScoreView:
    """Return a score before and after a change, rounded and with six decimals, and the change.

    For a new score, the interval takes the place of the change.
    """
    score_after = row.scores.get(metric)
    after = labels.locked_text(score_after, decimals)
    exact_after = _exact_value(score_after)
    if former is None:
        return ScoreView("", after, exact_after, labels.interval_text(score_after, decimals))
    score_before = former.scores.get(metric)
    before = labels.locked_text(score_before, decimals)
    exact = f"{_exact_value(score_before)} → {exact_after}"
    unchanged_view = ScoreView("" if before == after else before, after, exact, "")
    if score_before is None or score_after is None:
        return unchanged_view
    if score_before.value == score_after.value:
        return unchanged_view
    change = number_text(score_after.value - score_before.value, decimals, "+")
    return ScoreView(before, after, exact, change if change[0] in "+−" else "")


def _rank_changes(ledger: Ledger, events: BoardEvents) -> ChangedRanks | None:
    """Return the ranks of a board before and after, on one axis; None if there are none to show."""
    news = rank_news(events)
    if news is None:
        return None
    ranks = []
    for row_before, row in news.rows:
        last_before = None
        if row_before:
            last_before = row_before.last
        ranks += [row.last or 0, row.rank or 0, last_before or 0]
    axis = RankAxis(max(ranks))
    rows = []
    for row_before, row in news.rows:
        address = _row_address(ledger, events, events.board.track, row.id)
        ranks_before = labels.locked_rank_text(row_before) if row_before else GAP
        ranks_after = labels.locked_rank_text(row)
        spans = axis.spans(row_before, row)
        rows.append(ChangedRanksRow(row, address, ranks_before, ranks_after, spans))
    return ChangedRanks(news, axis, rows)


def _cause_link(change: ReleaseChange, cause: Cause) -> Link:
    """Return a cause, linked to its explanation unless the page of the row explains it."""
    text = cause_words(cause)
    board = change.board_events.board
    if cause.finding:
        board_addresses = BoardAddresses(change.board_events.benchmark.id, board.track)
        address = board_addresses.finding(cause.finding.id)
        return Link(text, address)
    if cause.kind == "definition":
        return Link(text, addresses.METHODS)
    if cause.kind == "status" and len(change.events) == 1 and not cause.about:
        replacement_id = change.events[0].row.by
        if any(row.id == replacement_id for row in board.rows):
            title = f"{text} by {replacement_id}"
            return Link(title, "")
    return Link(text, "")


def _row_address(ledger: Ledger, events: BoardEvents, track: str, row_id: str) -> str:
    """Return the current address of a row's page; empty if it has none."""
    row = ledger.row(events.benchmark.id, track, row_id)
    if row:
        return BoardAddresses(events.benchmark.id, track).entry(row.entry.id)
    return ""


def _run_address(row: BoardEntry, task_id: str, number: int | None = None, attempt: int = 1) -> str:
    """Return the address of a row's run on a task, or of one of the run's rounds.

    A run's page has an anchor for every round of the attempts that were sent in.
    """
    entry = row.entry
    task = row.board.tasks.by_id()[task_id]
    has_page = has_run_page(task, has_cases=not is_bare(row.board, entry))
    address = run_address(row.board, entry, task, has_page=has_page)
    if not has_page or number is None or not entry.sent:
        return address
    for result in entry.sent.rounds:
        if (result.task, result.attempt, result.start) == (task_id, attempt, "own"):
            return f"{address}#{addresses.round_anchor(number, attempt)}"
    return address


def deciding_rounds(ledger: Ledger, events: BoardEvents, event: Event) -> list[TaskRoundLink]:
    """Return links to the rounds that changed a row's scores, each with its task.

    These are the rounds that findings name, and the rounds that differ from the replaced row.
    """
    current = ledger.row(events.benchmark.id, events.board.track, event.row.id)
    if current is None:
        return []
    replaced = None
    if event.replaces:
        replaced = ledger.row(events.benchmark.id, *event.replaces)
    round_noun = events.board.round_word
    links: list[TaskRoundLink] = []
    for cause in event.causes:
        if cause.finding and cause.kind == "finding":
            links += _rounds_of_finding(current, cause.finding.finding, round_noun)
    for cell in ledger.deciding_cells(events, event):
        what_changed: str = cell.kind
        if cell.kind == "changed":
            what_changed = _verdict_changes(cell.differences)
        row = replaced if replaced and cell.kind == "removed" else current
        address = _run_address(row, cell.task, cell.round, cell.attempt)
        title = f"{round_noun} {cell.round}: {what_changed}"
        links.append((cell.task, Link(title, address)))
    return links


def _verdict_changes(differences: Sequence[Difference]) -> str:
    """Return a text on how the verdict of a round changed, field by field."""
    texts = []
    for difference in sorted(differences, key=attrgetter("name")):
        if difference.name in VERDICT_FIELDS:
            before = GAP if difference.before is None else difference.before
            after = GAP if difference.after is None else difference.after
            texts.append(f"{difference.name} {before} → {after}")
    return "; ".join(texts)


def _rounds_of_finding(
    row: BoardEntry, finding: Finding, round_noun: str
) -> Iterator[TaskRoundLink]:
    """Yield links to the rounds of a row that a finding names, each with its task."""
    for task in row.board.tasks.tasks:
        if task.id not in finding.tasks:
            continue
        if not finding.rounds:
            yield task.id, Link(f"every {round_noun}", _run_address(row, task.id))
        for task_round in task.rounds:
            number = task_round.n
            if number in finding.rounds:
                address = _run_address(row, task.id, number)
                title = f"{round_noun} {number}"
                yield task.id, Link(title, address)


@page_kind(BoardSnapshot, "snapshot.html.j2", "Release")
def snapshot_page(snapshot: BoardSnapshot, _: Templates) -> Iterator[View]:
    """Show a board as it is in a release."""
    board = snapshot.board
    locked = snapshot.locked
    release = snapshot.release
    address = addresses.of(board).snapshot(release.date)
    title = f"{board.benchmark.title}: {locked.title}, release {release.date}"
    scores = [row.scores.get(locked.headline) for row in locked.rows]
    values = {
        "title": f"{board.benchmark.title}, {locked.title}",
        "columns": [board.metrics[name] for name in locked.columns if name in board.metrics],
        "has_intervals": any(score and score.low is not None for score in scores),
    }
    answer = snapshot_answer(locked, release, board.metrics.get(locked.headline))
    yield View(address, title, answer, values)


def news_of(ledger: Ledger) -> list[Item]:
    """Return the items of the feeds, latest first.

    Events since the last release come first, followed by each release and its changes.
    """
    items = items_since_release(ledger)
    for chapter in reversed(ledger.releases):
        items += _feed_items(chapter)
    return items


def _feed_items(chapter: ReleaseEvents) -> Iterator[Item]:
    """Yield an item for a release, and one for each of its changes."""
    release = chapter.release
    day = str(release.date)
    address = addresses.release_address(release.date)
    answer = release_answer(chapter)
    text = visible(str(answer)) if answer else f"{release.name}."
    title = f"Release {release.date}"
    yield Item(f"release/{day}", day, title, address, text, ("release",))
    for change in changes_of(chapter):
        yield _change_item(change, day, address)


def _change_item(change: ReleaseChange, day: str, address: str) -> Item:
    """Return the feed item of a change in a release."""
    events = change.board_events
    benchmark_id = events.benchmark.id
    anchor = f"{address}#{benchmark_id}-{events.board.track}"
    reason = visible(f"{change.why[:1].upper()}{change.why[1:]}")
    row_texts = "; ".join(_row_text(events, event) for event in change.events)
    text = join_texts(visible(change.text), reason, row_texts, separator=". ")
    title = change.text
    if not change.is_of_board:
        title = f"{board_name(events)}: {change.text}"
    item_id = f"{day}/{_change_id(change)}"
    categories = (benchmark_id, change.did)
    return Item(item_id, day, visible(title), anchor, f"{text}.", categories)


def _change_id(change: ReleaseChange) -> str:
    """Return the id of a change within its release."""
    events = change.board_events
    if change.events and not change.is_of_board:
        return event_id(events, change.events[0])
    board_id = f"{events.benchmark.id}/{events.board.track}"
    if change.did in {"headline", "labels"}:
        return f"{board_id}/{change.did}"
    return f"{board_id}/{'new' if change.events else events.board.status}"


def _row_text(events: BoardEvents, event: Event) -> str:
    """Return a text with a row's ranks and headline score, each with its earlier value."""
    metric = events.board.headline
    rank_before = GAP
    if event.compared_with:
        rank_before = labels.locked_rank_text(event.compared_with)
    rank_after = labels.locked_rank_text(event.row)
    rank_text = f"{visible(event.row.name)}: rank {rank_before} → {rank_after}"
    score_text = ""
    for score_change in event.changed:
        if score_change.metric == metric:
            before = _exact_value(score_change.before)
            after = _exact_value(score_change.after)
            score_text = f"{metric} {before} → {after}"
            break
    return join_texts(rank_text, score_text, event.row.missing_note, separator=", ")


def _exact_value(score: LockedScore | None) -> str:
    """Return a value with at most six decimals, as text; a dash for a gap."""
    return GAP if score is None else repr(round(score.value, 6))
