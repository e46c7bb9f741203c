"""Sentences on the changes of a release and their causes, and a summary of the release."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sitegen.board.answers.answer import Answer, answered
from sitegen.board.history.causes import Cause, CauseKind
from sitegen.board.history.differences import only_item
from sitegen.board.history.ledger import (
    BoardEvents,
    Event,
    Ledger,
    ReleaseEvents,
    ScoreChange,
    locked_rank_text,
    score_changes_between,
)
from sitegen.board.history.revisions import (
    added_words,
    attempts_words,
    correction_words,
    rerun_words,
    times_words,
    word_for_reruns,
)
from sitegen.board.inference.comparison import task_contributions
from sitegen.board.score import GAP
from sitegen.board.wording import capitalized, joined, number_text, released_text
from sitegen.metrics.metric import Metric
from sitegen.metrics.tolerances import SCORE_TOLERANCE
from sitegen.models.release import (
    LockedBenchmark,
    LockedBoard,
    LockedRow,
    LockedScore,
    Release,
)
from sitegen.problems import agreeing, counted, part_of

CAUSES: Mapping[CauseKind, str] = {
    "submission": "new submission",
    "revision": "revised",
    "attempts": "attempts added",
    "recomputed": "raw results replaced published scores",
    "table": "published table added",
    "status": "no reason on record",
    "name": "formerly",
    "data": "results changed",
    "tasks": "the tasks changed",
    "labels": "the task labels changed",
    "axes": "weights or clusters of an axis changed",
    "conditions": "the track's conditions changed",
    "finding": "finding",
    "redaction": "redacted",
    "definition": "definition changed",
    "headline": "the board ranks by a different metric",
    "columns": "the board's columns changed",
    "program": "computed with a different version of the program",
    "others": "results of other agents changed",
    "unknown": "no cause on record",
}
# One table, so that the verbs of all changes can be compared.
_VERBS: Mapping[str, tuple[str, str]] = {
    "entered": ("is new", "are new"),
    "baseline": ("is new, as a baseline", "are new"),
    "rerun": ("had rounds run again", "had rounds run again"),
    "completed": ("has results of more tasks", "have results of more tasks"),
    "extended": ("had attempts added", "had attempts added"),
    "restated": ("was corrected", "were corrected"),
    "corrected": ("was corrected", "were corrected"),
    "redacted": ("had content removed", "had content removed"),
    "withdrawn": ("was withdrawn", "were withdrawn"),
    "superseded": ("was superseded", "were superseded"),
    "left": ("was removed", "were removed"),
    "restored": ("was reinstated", "were reinstated"),
    "renamed": ("was renamed", "were renamed"),
    "recomputed": (
        "now has scores recomputed from raw results",
        "now have scores recomputed from raw results",
    ),
    "rescored": ("was rescored", "were rescored"),
    "first": ("has new scores", "have new scores"),
    "fewer": ("has fewer scores", "have fewer scores"),
    "moved": ("changed rank", "changed rank"),
}
"""The verb for one row and for several rows, by kind of change; the most important kind first."""

_CONSEQUENCES = {"first", "fewer", "moved"}
"""Keys of `_VERBS` for mere consequences of other changes, named only if nothing else changed."""


class _RowEvent(NamedTuple):
    """An event with its board."""

    board_events: BoardEvents
    event: Event


class ReleaseChange(NamedTuple):
    """A change with the same causes to rows of a board, or a change to the board itself."""

    board_events: BoardEvents
    did: str
    """A key of `_VERBS`; "board", "headline" or "labels" for a change to the board itself."""
    events: Sequence[Event]
    causes: Sequence[Cause]
    """The known causes, excluding causes that the sentence already states."""
    text: str
    """The change as a sentence without its full stop."""
    why: str
    """The causes in words."""

    @property
    def is_of_board(self) -> bool:
        """Whether the change is to the board itself."""
        return self.did in {"board", "headline", "labels"}


def changes_of(chapter: ReleaseEvents) -> Iterator[ReleaseChange]:
    """Yield the changes of a release: for each board, changes to the board itself, then to rows."""
    for board_events in chapter.boards:
        yield from _board_changes(board_events)
        if not board_events.is_new:
            yield from _row_changes(board_events)


def _board_changes(board_events: BoardEvents) -> Iterator[ReleaseChange]:
    """Yield changes to a board itself: a new board, status or headline metric, or new labels."""
    board = board_events.board
    name = board_name(board_events)
    if board_events.is_new:
        text = f"{name} is new, with {_new_rows(board.rows)}"
        yield ReleaseChange(board_events, "board", board_events.events, (), text, "")
    if board_events.has_new_status or (board_events.is_new and board.status != "current"):
        again = ""
        if board.status == "current":
            again = " again"
        reason = (board.reason or "").rstrip(".")
        yield ReleaseChange(
            board_events, "board", (), (), f"{name} {_status_verb(board)}{again}", reason
        )
    if board_events.former_headline:
        former = board_events.metric_title(board_events.former_headline)
        headline = board_events.metric_title(board.headline)
        text = f"{name} now ranks by {headline} instead of {former}"
        yield ReleaseChange(board_events, "headline", (), (), text, "")
    if board_events.has_new_labels:
        yield ReleaseChange(board_events, "labels", (), (), _labels_sentence(board_events), "")


def _labels_sentence(board_events: BoardEvents) -> str:
    """Return a sentence saying that labels of a board's tasks changed, and naming new axes."""
    name = board_name(board_events)
    new_axes = board_events.new_axes
    if not new_axes:
        return f"Task labels of {name} changed"
    axes = f"{agreeing(len(new_axes), 'new axis', 'new axes')}: {', '.join(new_axes)}"
    before = board_events.benchmark_before
    if before and before.axes:
        return f"Task labels of {name} were added or changed ({axes})"
    return f"Task labels of {name} were added ({axes})"


def _status_verb(board: LockedBoard) -> str:
    """Return a board's status as a verb phrase: "was withdrawn"."""
    if board.status == "withdrawn":
        return "was withdrawn"
    if board.status == "legacy":
        return "is now a legacy track"
    return f"is {board.status}"


def _new_rows(rows: Sequence[LockedRow]) -> str:
    """Return a phrase with the number of a new board's agents, and whether all are reported."""
    if not rows:
        return "no agents yet"
    agents = counted(sum(map(_is_listed_agent, rows)), "agent")
    if all(row.evidence == "reported" for row in rows):
        return f"{agents} from published tables"
    return agents


def _is_listed_agent(row: LockedRow) -> bool:
    """Return whether a row is a published agent and not a baseline."""
    return row.state == "published" and row.apart != "baseline"


def _row_changes(board_events: BoardEvents) -> Iterator[ReleaseChange]:
    """Yield the changes to a board's rows, grouped by kind of change and cause."""
    for key, row_events in _grouped([board_events]).items():
        did = key[0]
        events = [event for _, event in row_events]
        causes = [cause for cause in events[0].causes if (did, cause.kind) not in _SAID_BY_VERBS]
        text = _group_sentence(did, row_events)
        why = "; ".join(map(cause_words, causes))
        yield ReleaseChange(board_events, did, events, causes, text, why)


_SAID_BY_VERBS = {
    ("recomputed", "recomputed"),
    ("entered", "submission"),
    ("baseline", "submission"),
    ("extended", "attempts"),
}
"""Pairs of a `_VERBS` key and a cause that say the same thing, so the cause is left out."""


def _group_sentence(did: str, group: Sequence[_RowEvent], *, is_short: bool = False) -> str:
    """Return a sentence on the same change to one row or to several rows."""
    if len(group) == 1:
        board_events, event = group[0]
        return _row_sentence(board_events, did, event, is_short=is_short)
    _, verb = _VERBS[did]
    if did != "entered" and all(event.has_new_former_row for _, event in group):
        verb = f"are new and {verb}"
    first_board = group[0][0]
    is_on_one_board = all(board_events is first_board for board_events, _ in group)
    nouns = "agents" if is_on_one_board else "entries"
    if did == "baseline":
        nouns = "baselines"
    return f"{len(group)} {nouns} {verb}"


def board_name(board_events: BoardEvents) -> str:
    """Return the titles of a board's benchmark and track: "EvoCode-Bench (Paper)"."""
    return f"{board_events.benchmark.title} ({board_events.board.title})"


def cause_words(cause: Cause) -> str:
    """Return a phrase for a cause."""
    words = CAUSES[cause.kind]
    if not cause.about:
        return words
    if cause.kind in {"status", "revision"}:
        return cause.about
    if cause.kind != "finding":
        return f"{words}: {cause.about}"
    remark = cause.finding.remark if cause.finding else ""
    if remark:
        return f"{words} “{cause.about}”, {remark}"
    return f"{words} “{cause.about}”"


def _grouped(boards: Iterable[BoardEvents]) -> dict[tuple[str, ...], list[_RowEvent]]:
    """Group events by kind of change and causes, the most important kind first.

    A key begins with a key of `_VERBS`. A superseded row is left out if its correction is among the
    events: both report the same change.
    """
    groups: dict[tuple[str, ...], list[_RowEvent]] = {}
    for board_events in boards:
        corrected = {event.corrected_row.id for event in board_events.events if event.corrected_row}
        for event in board_events.events:
            if event.replaces and _is_revision(event):
                corrected.add(event.replaces.row)
        for event in board_events.events:
            if event.what == "superseded" and event.row.id in corrected:
                continue
            entry = "new" if event.has_new_former_row else ""
            key = (_verb_key(event), entry, *map(cause_words, event.causes))
            groups.setdefault(key, []).append(_RowEvent(board_events, event))
    order = list(_VERBS)
    return dict(sorted(groups.items(), key=lambda group: order.index(group[0][0])))


def _is_revision(event: Event) -> bool:
    """Return whether an event adds a revised submission."""
    return event.what == "entered" and event.row.revision is not None


def _verb_key(event: Event) -> str:
    """Return the key of `_VERBS` that describes an event."""
    if event.what == "rescored":
        if event.score_changes and not any(change.before for change in event.score_changes):
            return "first"
        if event.score_changes and not any(change.after for change in event.score_changes):
            return "fewer"
        if event.causes[0].kind == "recomputed":
            return "recomputed"
    if event.what == "entered":
        return _entered_verb(event)
    return event.what


def _entered_verb(event: Event) -> str:
    """Return the key of `_VERBS` that describes the entry of a row."""
    revision = _revision_verb(event)
    if revision:
        return revision
    if event.former_row and not event.has_new_former_row:
        return "corrected"
    return "baseline" if event.row.apart == "baseline" else "entered"


def _revision_verb(event: Event) -> str:
    """Return the key of `_VERBS` for what a row changes in the row it replaces.

    Empty if its runs are new.
    """
    revision = event.row.revision
    if revision and revision.rounds:
        return "rerun"
    if revision:
        return "completed" if revision.added else "restated"
    return "extended" if event.attempts else ""


def contributions_to_change(
    ledger: Ledger, board_events: BoardEvents, event: Event, change: ScoreChange
) -> list[tuple[str, float]]:
    """Return each task's contribution to the change of a score that is a plain mean over tasks.

    The largest contributions come first. The list is empty if the current results do not add up to
    the change that the release records.
    """
    track = board_events.board.track
    row = ledger.row(board_events.benchmark.id, track, event.row.id)
    metric = board_events.metrics.get(change.metric)
    if row is None or metric is None or event.replaces is None:
        return []
    if change.before is None or change.after is None:
        return []
    contributions = task_contributions(row.board, metric)
    before = contributions.get(event.replaces.row)
    after = contributions.get(event.row.id)
    amounts: dict[str, float] = {}
    if before and after:
        amounts = {}
        for task in after:
            amounts[task] = after[task] - before[task]
    change_of_score = change.after.value - change.before.value
    if abs(sum(amounts.values()) - change_of_score) > SCORE_TOLERANCE:
        return []
    moved = [(task, amount) for task, amount in amounts.items() if abs(amount) > SCORE_TOLERANCE]
    return sorted(moved, key=lambda task_amount: -abs(task_amount[1]))


class RankNews(NamedTuple):
    """How ranks changed among the rows that both states of a board have."""

    text: str
    """The number of rows whose rank changed, as a sentence without its full stop."""
    why: str
    """The reasons, in sentences, if they follow from the rows; may be empty."""
    rows: Sequence[tuple[LockedRow | None, LockedRow]]
    """The ranked rows, before and after; the first of a pair is None for a new row."""


def rank_news(board_events: BoardEvents) -> RankNews | None:
    """Return how ranks of a board changed since its earlier state; None if no row has both."""
    earlier = {row.id: row_before for row_before, row in board_events.row_pairs}
    rows = [(earlier.get(row.id), row) for row in board_events.board.rows if row.rank]
    pairs = []
    moved = []
    for before, row in rows:
        if before and before.rank:
            pairs.append((before, row))
            if locked_rank_text(before) != locked_rank_text(row):
                moved.append((before, row))
    if not pairs:
        return None
    if not moved:
        return RankNews("No rank changed", "", rows)
    has = agreeing(len(moved), "has", "have")
    if all(before.first is None and row.first for before, row in moved):
        text = f"{counted(len(moved), 'agent')} {has} a rank range for the first time"
        return RankNews(text, "Earlier releases gave ranks without a range.", rows)
    is_wider = all(_is_one_rank_wider(before, row) for before, row in moved)
    has_one_row_more = len(rows) == len(pairs) + 1
    has_same_scores = not any(
        score_changes_between(before, row) for before, row in board_events.row_pairs
    )
    if is_wider and has_one_row_more and has_same_scores:
        verb = agreeing(len(moved), "is", "are")
        text = f"{counted(len(moved), 'rank range')} {verb} one rank wider"
        why = "One agent was added; no score changed."
        return RankNews(text, why, rows)
    text = f"{capitalized(part_of(len(moved), len(pairs), 'agent'))} changed rank"
    return RankNews(text, _rank_reasons(board_events), rows)


def _is_one_rank_wider(before: LockedRow, row: LockedRow) -> bool:
    return before.first == row.first and bool(before.last) and row.last == (before.last or 0) + 1


def _rank_reasons(board_events: BoardEvents) -> str:
    """Return sentences on why ranks of a board changed; empty if no reason is on record."""
    causes: list[Cause] = []
    follows_from_changes = False
    for event in board_events.events:
        if event.what == "moved":
            causes += event.causes
        elif event.row_before is not None:
            rank_before = locked_rank_text(event.row_before)
            follows_from_changes |= rank_before != locked_rank_text(event.row)
    follows_from_changes |= any(cause.kind == "others" for cause in causes)
    reasons = []
    for cause in causes:
        if cause.kind != "others":
            reasons.append(cause_words(cause))
    sentences = []
    for reason in dict.fromkeys(reasons):
        sentences.append(f"{capitalized(reason)}.")
    if follows_from_changes:
        sentences.append(
            "These changes follow from those above, because ranks are tested over all pairs of "
            "agents at once."
        )
    return " ".join(sentences)


def unchanged(chapter: ReleaseEvents) -> Iterator[str]:
    """Yield phrases for the values and boards that a release left unchanged."""
    for board_events in chapter.boards:
        for metric in board_events.board.columns if board_events.board_before else ():
            values = _unchanged_values(board_events, metric)
            if values:
                title = board_events.metric_title(metric)
                yield f"{values} of {title} on {board_name(board_events)}"
    before = chapter.release_before
    for benchmark in chapter.release.benchmarks if before else ():
        boards = [board for board in benchmark.boards if _is_same_board(before, benchmark, board)]
        if boards:
            titles = [board.title for board in boards]
            yield f"Everything on {benchmark.title} ({'; '.join(titles)})"


def _is_same_board(before: Release | None, benchmark: LockedBenchmark, board: LockedBoard) -> bool:
    """Return whether a board is the same as in the previous release."""
    if before is None or before.board(benchmark.id, board.track) != board:
        return False
    benchmark_before = before.benchmark(benchmark.id)
    if benchmark_before is None or board.tasks is None:
        return True
    labels_before = benchmark_before.labels.get(board.tasks)
    labels = benchmark.labels.get(board.tasks)
    return labels_before is None or labels is None or labels_before == labels


def _unchanged_values(board_events: BoardEvents, metric: str) -> str:
    """Return a phrase with the number of a metric's values that did not change; empty if none."""
    values = []
    for row_before, row in board_events.row_pairs:
        before = row_before.scores.get(metric)
        after = row.scores.get(metric)
        if row.rank and before and after:
            values.append((before.value, after.value))
    unchanged_count = 0
    for value_before, value in values:
        if value_before == value:
            unchanged_count += 1
    if not unchanged_count:
        return ""
    if unchanged_count < len(values):
        return f"{unchanged_count} of {counted(len(values), 'value')}"
    if unchanged_count == 2:  # noqa: PLR2004 - a pair
        return "Both values"
    if unchanged_count > 1:
        return f"All {counted(unchanged_count, 'value')}"
    return "The only value"


def score_words(score: LockedScore | None, metric: Metric | None) -> str:
    """Return a score as it is displayed; a dash if there is none."""
    if score is None:
        return GAP
    if score.printed or metric is None:
        return released_text(score, metric.decimals if metric else 1)
    return number_text(score.value, metric.decimals)


def _row_sentence(
    board_events: BoardEvents, did: str, event: Event, *, is_short: bool = False
) -> str:
    """Return a sentence about a change to a row, with its agent's name.

    The sentence names the changed score if there is only one. For a new row, it names the score and
    the rank, unless it has to be short.
    """
    row = event.row
    if event.what == "withdrawn" and event.row_before is None:
        return f"{row.name} was added and withdrawn"
    if event.has_new_former_row and not is_short:
        return _revised_entry_sentence(board_events, event)
    if did in {"rerun", "completed", "restated", "extended"}:
        return _revision_sentence(board_events, event, is_short=is_short)
    if did == "entered" and not is_short:
        return _entry_sentence(board_events, row)
    headline = board_events.board.headline
    change = _main_change(event, did, headline)
    if did in {"rescored", "corrected"} and change and change.metric in board_events.metrics:
        return f"{row.name}'s {_change_words(board_events, change, is_short=is_short)}"
    verb, _ = _VERBS[did]
    return f"{row.name} {verb}"


def _entry_sentence(board_events: BoardEvents, row: LockedRow) -> str:
    """Return a sentence saying that a row is new, with its headline score and its rank."""
    if row.apart == "baseline":
        verb, _ = _VERBS["baseline"]
        return f"{row.name} {verb}"
    headline = board_events.board.headline
    score = row.scores.get(headline)
    if score is None:
        return f"{row.name} is new"
    rank = locked_rank_text(row)
    is_tested = rank is not None and "(" not in rank
    rank_words = f" and rank {rank.replace('-', GAP)}" if rank and is_tested else ""
    score_text = score_words(score, board_events.metrics.get(headline))
    if row.apart == "late":
        rank_words = ", after the deadline"
    return f"{row.name} is new, with a score of {score_text}{rank_words}"


def _revised_entry_sentence(board_events: BoardEvents, event: Event) -> str:
    """Return a sentence saying that a row is new, and what it changes in an earlier row."""
    sentence = _entry_sentence(board_events, event.row)
    words = _revision_words(board_events, event)
    if not words and event.former_row:
        words = f"it supersedes {event.former_row.id}"
    return f"{sentence}; {words}"


def _revision_sentence(board_events: BoardEvents, event: Event, *, is_short: bool) -> str:
    """Return a sentence on a revision: "Acme-1: 3 of 48 rounds run again: 54.2 to 60.4"."""
    row = event.row
    if _revision_verb(event) != "restated":
        return f"{row.name}: {_revision_words(board_events, event)}"
    if is_short:
        entry = " is new and" if event.has_new_former_row else ""
        return f"{row.name}{entry} was corrected"
    return f"{row.name} was {_revision_words(board_events, event)}"


def _revision_words(board_events: BoardEvents, event: Event) -> str:
    """Return a clause on what a row changes in the row it replaces; empty if its runs are new."""
    revision = event.row.revision
    if revision is None:
        return _attempts_words(board_events, event) if event.attempts else ""
    added = ""
    if revision.added:
        added = added_words(revision.added, board_events.board.track)
    if not revision.rounds:
        return added or correction_words(dict(revision.corrected))
    noun = word_for_reruns(board_events.round_word)
    scores = (revision.before, revision.after)
    words = rerun_words(revision.rounds, revision.records, noun, scores)
    times = times_words(revision.times)
    if times:
        words = f"{words} ({times})"
    return f"{words}; {added}" if added else words


def _attempts_words(board_events: BoardEvents, event: Event) -> str:
    """Return a clause on the attempts added to a row: "attempt 4 added: 54.2 to 60.4"."""
    headline = board_events.board.headline
    metric = board_events.metrics.get(headline)
    before = None
    if event.former_row:
        before = event.former_row.scores.get(headline)
    after = event.row.scores.get(headline)
    scores = (score_words(before, metric), score_words(after, metric))
    return attempts_words(event.attempts, scores)


def _main_change(event: Event, did: str, headline: str) -> ScoreChange | None:
    """Return the score change that a sentence about the event names; None if it names none."""
    changes = []
    for change in event.changed:
        if change.before and change.after:
            changes.append(change)
    if did == "corrected":
        for change in changes:
            if change.metric == headline:
                return change
    return only_item(changes)


def _change_words(board_events: BoardEvents, change: ScoreChange, *, is_short: bool) -> str:
    """Return a clause that says how a score changed: "Resolved rose from 40.1 to 41.0"."""
    metric = board_events.metrics[change.metric]
    title = board_events.metric_title(change.metric)
    before = 0.0
    if change.before:
        before = change.before.value
    after = 0.0
    if change.after:
        after = change.after.value
    verb = "rose"
    if after <= before:
        verb = "fell"
    start = ""
    if not is_short:
        start = f" from {score_words(change.before, metric)}"
    return f"{title} {verb}{start} to {score_words(change.after, metric)}"


def release_answer(chapter: ReleaseEvents) -> Answer | None:
    """Return a sentence on what a release changed, and sentences on what it left unchanged."""
    row_events: dict[str, list[_RowEvent]] = {}
    for key, group in _grouped(chapter.boards).items():
        row_events.setdefault(key[0], []).extend(group)
    has_new_labels = any(board.has_new_labels for board in chapter.boards)
    text = _release_sentence(row_events, has_new_labels=has_new_labels)
    boards = [board_name(board) for board in chapter.boards if board.events]
    board_clause = ""
    if boards:
        board_clause = f" on {len(boards)} boards"
        if len(boards) == 1:
            board_clause = f" on {boards[0]}"
    unmoved = _unmoved(chapter)
    row_count = sum(map(len, row_events.values()))
    brief = f"{counted(row_count, 'entry')} changed"
    return answered(
        f"{text}{unmoved}{board_clause}",
        f"{text}{unmoved}",
        f"{text}{board_clause}",
        text,
        f"{brief}{board_clause}",
        brief,
        certainty=_release_certainty(chapter),
    )


def _release_sentence(
    row_events: Mapping[str, Sequence[_RowEvent]], *, has_new_labels: bool
) -> str:
    """Return a sentence about changes to rows, excluding changes that only follow from others."""
    main = {}
    for did, group in row_events.items():
        if did not in _CONSEQUENCES:
            main[did] = group
    shown = main or row_events
    clauses = []
    for did, group in shown.items():
        clauses.append(_group_sentence(did, group, is_short=True))
    if not clauses and has_new_labels:
        return "Task labels changed, but no board entry did"
    if not clauses:
        return "No entry of any board changed"
    return joined(clauses)


def _unmoved(chapter: ReleaseEvents) -> str:
    """Return a clause saying that no headline score changed, if other scores did; else empty."""
    headlines = set()
    moved: set[str] = set()
    for board_events in chapter.boards:
        headlines.add(board_events.metric_title(board_events.board.headline))
        for event in board_events.events:
            if event.compared_with is None:
                continue
            for change in event.changed:
                if change.before:
                    moved.add(board_events.metric_title(change.metric))
    if len(headlines) != 1 or not moved or headlines & moved:
        return ""
    return f"; no {headlines.pop()} changed"


def _release_certainty(chapter: ReleaseEvents) -> Iterator[str]:
    """Yield sentences on the previous release, on new boards, and on what stayed the same."""
    before = chapter.release_before
    if before is None:
        yield "This is the first release."
        return
    yield f"Compared with the release of {before.date}."
    for board_events in chapter.boards:
        if board_events.is_new:
            yield f"{board_name(board_events)} is new."
    for board_events in chapter.boards:
        if board_events.has_new_status:
            yield f"{board_name(board_events)} {_status_verb(board_events.board)}."
    for board_events in chapter.boards:
        if board_events.has_new_labels:
            yield f"{_labels_sentence(board_events)}."
    if len(chapter.boards) == 1:
        yield _same_rows(chapter.boards[0])
    yield _same_boards(before, chapter.release)


def _same_rows(board_events: BoardEvents) -> str:
    """Return a sentence on how many rows of a board kept all their scores; empty if none did."""
    pairs = [(before, row) for before, row in board_events.row_pairs if row.state == "published"]
    unchanged_count = 0
    for before, row in pairs:
        if not score_changes_between(before, row):
            unchanged_count += 1
    if not unchanged_count:
        return ""
    if len(pairs) == 1:
        return "The only agent in both releases kept all its scores."
    if unchanged_count == len(pairs):
        agents = "The two" if len(pairs) == 2 else f"All {len(pairs)}"  # noqa: PLR2004 - a pair
        return f"{agents} agents in both releases kept all their scores."
    their = agreeing(unchanged_count, "its", "their")
    return f"{unchanged_count} of the {len(pairs)} agents in both releases kept all {their} scores."


def _same_boards(before: Release, after: Release) -> str:
    """Return a sentence on how many boards did not change since a release; empty if all changed.

    Withdrawn boards and boards without agents are counted too, as in `unchanged`.
    """
    unchanged_count = 0
    total = 0
    new_count = 0
    for benchmark in after.benchmarks:
        for board in benchmark.boards:
            if before.board(benchmark.id, board.track) is None:
                new_count += 1
                continue
            total += 1
            if _is_same_board(before, benchmark, board):
                unchanged_count += 1
    if not unchanged_count:
        return ""
    noun = "earlier board" if new_count else "board"
    if unchanged_count < total:
        return f"{unchanged_count} of the {counted(total, noun)} did not change."
    if total == 1:
        return f"The only {noun} did not change."
    return f"None of the {counted(total, noun)} changed."
