"""Sentences on who leads a board, how certain that is, and which ranks a row may have."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from sitegen.board.answers.answer import Answer, answered
from sitegen.board.board import Board, BoardEntry, distinct_name
from sitegen.board.entry import APART_WORDS, Entry
from sitegen.board.inference.comparison import comparisons
from sitegen.board.inference.robustness import Robustness
from sitegen.board.score import GAP, Score
from sitegen.board.wording import (
    capitalized,
    joined,
    number_text,
    ordinal,
    released_text,
    score_noun,
)
from sitegen.metrics.intervals import Interval
from sitegen.metrics.metric import Metric
from sitegen.models.release import LockedBoard, Release
from sitegen.problems import agreeing, counted


class _RankedRow(NamedTuple):
    """A ranked row with the values that sentences about the order use."""

    name: str
    text: str
    """The score as it is displayed."""
    rank: int | None
    """The rank by score alone."""
    first: int | None
    """The best rank that the row may have; None if its rank is not tested."""
    leads: bool
    """Whether the row is shown to be better than all other rows."""


class _Verbs(NamedTuple):
    """The verbs of sentences about an order."""

    leads: str
    follows: str
    follow: str
    has: str
    share: str
    could: str
    is_only: str
    is_ranked: str
    ranks: str
    came: str


_PRESENT = _Verbs(
    leads="leads",
    follows="follows",
    follow="follow",
    has="has",
    share="share",
    could="could be",
    is_only="is the only agent",
    is_ranked="is",
    ranks="ranks",
    came="came",
)
_PAST = _Verbs(
    leads="led",
    follows="followed",
    follow="followed",
    has="had",
    share="shared",
    could="could have been",
    is_only="was the only agent",
    is_ranked="was",
    ranks="ranked",
    came="had come",
)
WITHDRAWN = "Withdrawn board: "
"""Prefix of every sentence about the order of a withdrawn board; they are in the past tense."""

_WITHDRAWN_SENTENCE = "The board was withdrawn."


def _title(board: Board) -> str:
    return board.headline.title_on(board.track, board.benchmark)


def _score_text(score: Score) -> str:
    if score.metric.is_count and score.counted:
        return score.count_words
    return score.text


def _names_text(names: Sequence[str]) -> str:
    """Return the names if there are one or two, otherwise the number of agents."""
    if len(names) > 2:  # noqa: PLR2004 - two names fit in a headline
        return f"{len(names)} agents"
    return " and ".join(names)


def _is_withdrawn(board: Board) -> bool:
    return board.track.status == "withdrawn"


def _tense(*, is_withdrawn: bool) -> tuple[str, _Verbs]:
    """Return the prefix of sentences about an order, and their verbs."""
    if is_withdrawn:
        return WITHDRAWN, _PAST
    return "", _PRESENT


def _order_sentences(
    rows: Sequence[_RankedRow], metric: Metric, title: str, *, is_withdrawn: bool
) -> list[str]:
    """Return sentences that say who leads, the strongest first.

    Sentences about a withdrawn board are in the past tense.
    """
    start, verbs = _tense(is_withdrawn=is_withdrawn)
    sentences = []
    for sentence in _sentences(rows, metric, title, verbs):
        sentences.append(f"{start}{sentence}")
    return sentences


def _sentences(
    rows: Sequence[_RankedRow], metric: Metric, title: str, verbs: _Verbs
) -> Iterator[str]:
    """Yield sentences that say who leads; the strongest true sentence comes first."""
    first = rows[0]
    if len(rows) == 1:
        yield f"{first.name} {verbs.is_only} ranked here ({title} {first.text})"
        yield f"{first.name} {verbs.is_only} ranked here"
        return
    best = []
    behind = []
    for row in rows:
        if row.rank == 1:
            best.append(row.name)
        if row.rank == rows[1].rank:
            behind.append(row.name)
    follow = agreeing(len(behind), verbs.follows, verbs.follow)
    follows = f"{_names_text(behind)} {follow} with {rows[1].text}"
    if first.leads:
        yield f"{first.name} {verbs.leads} with {first.text}; {follows}"
        yield f"{first.name} {verbs.leads} with {first.text}"
    superlative = "highest" if metric.direction == "higher" else "lowest"
    extreme = f"the {superlative} {score_noun(metric, title)}"
    is_shared = len(best) > 1
    highest = f"{first.name} {verbs.has} {extreme}"
    if is_shared:
        highest = f"{_names_text(best)} {verbs.share} {extreme}"
    possibly_first = 0
    for row in rows:
        if row.first in {1, None}:
            possibly_first += 1
    if any(row.first for row in rows):
        yield f"{counted(possibly_first, 'agent')} {verbs.could} first; {highest}, {first.text}"
        yield f"{possibly_first} of {counted(len(rows), 'agent')} {verbs.could} first"
    elif not is_shared:
        yield f"{highest}, {first.text}; {follows}"
    yield f"{highest}, {first.text}"


def board_answer(board: Board) -> Answer | None:
    """Return a sentence on who leads a board, and by how much; None if no row is ranked."""
    rows = []
    for entry in board.ranked_entries:
        possible_ranks = board.inference.ranks.get(entry.id)
        first_rank = None
        if possible_ranks:
            first_rank = possible_ranks[0]
        row = _RankedRow(
            board.names[entry.id],
            _score_text(entry.scores[board.headline.id]),
            board.ranks[entry.id],
            first_rank,
            possible_ranks == (1, 1),
        )
        rows.append(row)
    if not rows:
        return None
    texts = _order_sentences(rows, board.headline, _title(board), is_withdrawn=_is_withdrawn(board))
    certainty = (_lead_sentence(board), neighbours(board, is_behind=_has_leader(board)))
    return answered(*texts, certainty=certainty)


def _has_leader(board: Board) -> bool:
    """Return whether the first row is shown to be better than every other row."""
    ranked = board.ranked_entries
    return len(ranked) > 1 and board.inference.ranks.get(ranked[0].id) == (1, 1)


def _lead_sentence(board: Board) -> str:
    """Return a sentence on the leader's margin; empty if no row clearly leads."""
    if not _has_leader(board):
        return ""
    first, second = board.ranked_entries[:2]
    difference = comparisons(board, first, [second])[0].difference
    if difference is None:
        return ""
    metric = difference.metric
    interval = difference.paired.interval
    lead = difference.paired.value
    low, high = interval.low, interval.high
    if metric.direction == "lower":
        lead, low, high = -lead, -high, -low
    points = ""
    if metric.unit in {"percent", "points"}:
        points = " points"
    _, verbs = _tense(is_withdrawn=_is_withdrawn(board))
    ends = f"{number_text(low, metric.decimals)} to {number_text(high, metric.decimals)}"
    return (
        f"The lead of {number_text(lead, metric.decimals)}{points} {verbs.has} "
        f"{_interval_noun(interval)} of {ends}."
    )


def _interval_noun(interval: Interval) -> str:
    """Return the noun for an interval with its article: "a 95 % interval"."""
    article = "a"
    if interval.words.startswith("a"):
        article = "an"
    return f"{article} {interval.words}"


def neighbours(board: Board, *, is_behind: bool = False) -> str:
    """Return a sentence on how many pairs of neighbouring rows differ clearly; may be empty.

    Args:
        board: The board.
        is_behind: Whether to leave out the pair of the leader and the second row.
    """
    inference = board.inference
    if len(board.ranks) > 1 and not inference.ranks:
        why = inference.untested_order
        if all(entry.table_line for entry in board.ranked_entries):
            why = "these are published scores without raw data"
        return f"The order is not tested: {why}."
    tested = [entry for entry in board.ranked_entries if entry.id in inference.ranks]
    pairs = list(pairwise(tested[is_behind:]))
    if not pairs:
        return ""
    clear_pairs = 0
    for first, second in pairs:
        if inference.pair_order(first, second) == "ahead":
            clear_pairs += 1
    behind = ""
    if is_behind:
        behind = "behind the leader, "
    if len(pairs) == 1:
        if is_behind:
            agents = "the next two agents"
        elif len(tested) < len(board.ranked_entries):
            agents = "the two agents that could be tested"
        else:
            agents = "the two agents"
        are = "differ clearly" if clear_pairs else "are too close to call"
        return f"{capitalized(behind + agents)} {are}."
    if not clear_pairs:
        return f"{capitalized(behind + 'all neighbouring agents')} are too close to call."
    differ = agreeing(clear_pairs, "differs", "differ")
    clause = f"{clear_pairs} of {len(pairs)} pairs of neighbouring agents {differ} clearly"
    if is_behind:
        return f"Behind the leader, {clause}."
    return f"{clause}."


def snapshot_answer(locked: LockedBoard, release: Release, metric: Metric | None) -> Answer | None:
    """Return a sentence on who led a board in a release; None if no row was ranked."""
    ranked = [row for row in locked.rows if row.rank]
    ranked.sort(key=lambda row: row.rank or 0)
    if not ranked or metric is None:
        return None
    counts = Counter(row.name for row in ranked)
    rows = []
    for row in ranked:
        score = row.scores[locked.headline]
        leads = (row.first, row.last) == (1, 1) and len(ranked) > 1
        name = distinct_name(row.name, row.scaffold, counts)
        text = released_text(score, metric.decimals)
        rows.append(_RankedRow(name, text, row.rank, row.first, leads))
    title = metric.title_for(locked.attempts, locked.round_word)
    is_withdrawn = locked.status == "withdrawn"
    texts = _order_sentences(rows, metric, title, is_withdrawn=is_withdrawn)
    return answered(*texts, certainty=(f"As released on {release.date}.",))


def row_answer(board: Board, entry: Entry) -> Answer | None:
    """Return a sentence on the ranks that a row may have, and its score."""
    if not entry.is_published:
        return _retired_answer(board, entry)
    name = board.name_of(entry)
    title = _title(board)
    score = entry.scores.get(board.headline.id)
    if entry.has_missing_tasks and entry.coverage:
        return answered(f"{name} is not ranked: {entry.coverage.lack}")
    if score is None:
        return answered(f"{name} has no {title}")
    if score.value is None:
        gap = ""
        if score.gap:
            gap = f"{name} has no {title}: {score.gap}"
        return answered(gap, f"{name} has no {title}")
    return _scored_row_answer(board, entry, f"{title} {_score_text(score)}")


def _retired_answer(board: Board, entry: Entry) -> Answer | None:
    """Return a sentence saying that a row was withdrawn or superseded, by whom and when."""
    status = entry.status
    retired = f"{board.name_of(entry)} was {status.state}"
    day = ""
    if status.date:
        day = f" on {status.date}"
    decided_by = ""
    if status.by:
        decided_by = f"{retired} by {status.by}{day}"
    return answered(decided_by, f"{retired}{day}", retired)


def _scored_row_answer(board: Board, entry: Entry, score: str) -> Answer | None:
    """Return a sentence on the ranks that a row may have.

    `score` is the title of the headline metric with the row's value.
    """
    name = board.name_of(entry)
    start, verbs = _tense(is_withdrawn=_is_withdrawn(board))
    row_count = len(board.ranks)
    possible_ranks = board.inference.possible_ranks(entry)
    if entry.apart == "baseline":
        text = f"{start}{name} {verbs.is_ranked} a baseline and not ranked"
    elif entry.apart == "late":
        text = f"{start}{name} {verbs.came} after the deadline and {verbs.is_ranked} not ranked"
    elif entry.id not in board.ranks:
        text = f"{start}{name} {verbs.is_ranked} not ranked"
    elif row_count == 1:
        text = f"{start}{name} {verbs.is_only} ranked here"
    elif possible_ranks:
        rank = possible_ranks.replace("-", GAP)
        if possible_ranks.isdecimal():
            rank = ordinal(int(possible_ranks))
        text = f"{start}{name} {verbs.ranks} {rank} of {row_count}"
    else:
        rank = ordinal(board.ranks[entry.id])
        text = f"{start}{name} {verbs.ranks} {rank} of {row_count} by score alone"
    return answered(f"{text} ({score})", text, certainty=_row_certainty(board, entry))


def agent_answer(name: str, rows: Sequence[BoardEntry]) -> Answer | None:
    """Return a sentence on how many boards an agent appears on, and which of them it leads.

    None if the agent has no published row.
    """
    published = []
    reasons_unranked = []
    for board, entry in rows:
        if entry.is_published and entry.apart:
            reasons_unranked.append(APART_WORDS[entry.apart])
        elif entry.is_published:
            published.append(BoardEntry(board, entry))
    if not published and reasons_unranked:
        reasons = joined(list(dict.fromkeys(reasons_unranked)))
        return answered(f"{name} is not ranked on any board: {reasons}")
    if not published:
        return None
    current = [row for row in published if not _is_withdrawn(row.board)]
    if not current:
        withdrawn = {id(board) for board, _ in published}
        return answered(f"{name} appears only on {counted(len(withdrawn), 'withdrawn board')}")
    boards = {id(board) for board, _ in current}
    withdrawn = {id(board) for board, _ in published} - boards
    also = f"; also on {counted(len(withdrawn), 'withdrawn board')}" if withdrawn else ""
    published_on = f"{name} appears on {counted(len(boards), 'board')}"
    led = []
    for board, entry in current:
        if _has_leader(board) and entry is board.ranked_entries[0]:
            led.append(f"{board.benchmark.title} ({board.track.title})")
    if not led:
        return answered(f"{published_on}{also}", published_on)
    return answered(
        f"{published_on} and leads {joined(led)}{also}",
        f"{published_on} and leads {len(led)} of them{also}",
        published_on,
    )


def _row_certainty(board: Board, entry: Entry) -> Iterator[str]:
    """Yield sentences on a score's interval, and on how many rows are clearly better and worse."""
    inference = board.inference
    if entry.table_line:
        yield "Reported by the source; not recomputed here."
    interval = inference.interval(entry, board.headline.id)
    if interval:
        low = number_text(interval.low, board.headline.decimals)
        high = number_text(interval.high, board.headline.decimals)
        yield f"The score has {_interval_noun(interval)} of {low} to {high}."
    if entry.id in inference.ranks and len(board.ranks) > 1:
        other_rows = [row for row in board.entries if row is not entry]
        orders = [inference.pair_order(entry, row) for row in other_rows]
        ahead = orders.count("ahead")
        behind = orders.count("behind")
        yield _clear_differences(ahead, behind)


def _clear_differences(ahead: int, behind: int) -> str:
    """Return a sentence on how many agents a row is clearly ahead of, and how many behind."""
    if not ahead and not behind:
        return "It is not clearly ahead of or behind any other agent."
    if not ahead:
        return f"It is clearly behind {counted(behind, 'agent')} and clearly ahead of none."
    return (
        f"It is clearly ahead of {counted(ahead, 'agent')} and clearly behind {behind or 'none'}."
    )


def compare_answer(board: Board) -> Answer | None:
    """Return a sentence on how many pairs of rows differ clearly; None if there are no pairs."""
    inference = board.inference
    row_count = len(board.ranks)
    if row_count < 2:  # noqa: PLR2004 - a pair
        return None
    clear_pairs = 0
    for first, _ in inference.ranks.values():
        clear_pairs += first - 1
    text = _differing_pairs(clear_pairs, row_count)
    grounds = f"This is based on {inference.grounds}, tested over all pairs at once."
    if not inference.ranks:
        text = f"Differences between the {row_count} agents are not tested"
        if row_count == 2:  # noqa: PLR2004 - a pair
            text = "The difference between the two agents is not tested"
        grounds = neighbours(board)
    return answered(text, certainty=(_withdrawn_sentence(board), grounds))


def _differing_pairs(clear_pairs: int, row_count: int) -> str:
    """Return a sentence on how many pairs of agents (`clear_pairs`) differ clearly."""
    if row_count == 2:  # noqa: PLR2004 - a pair
        if clear_pairs:
            return "The two agents differ clearly"
        return "The two agents are too close to call"
    pair_count = row_count * (row_count - 1) // 2
    if not clear_pairs:
        return f"None of the {pair_count:,} pairs of agents differ clearly"
    differ = agreeing(clear_pairs, "differs", "differ")
    return f"{clear_pairs:,} of {pair_count:,} pairs of agents {differ} clearly"


def _withdrawn_sentence(board: Board) -> str:
    if _is_withdrawn(board):
        return _WITHDRAWN_SENTENCE
    return ""


def certainty_answer(robustness: Robustness) -> Answer | None:
    """Return a sentence on how clear a board's order is, or how much it depends on one task."""
    task = robustness.tasks[0]
    text = "No score-based rank depends on a single task"
    if task.without.moved_rows:
        row_count = len(robustness.rows)
        agents = f"{task.without.moved_rows} of the {row_count} agents"
        if task.without.moved_rows == row_count:
            agents = f"all {row_count} agents"
            if row_count == 2:  # noqa: PLR2004 - a pair
                agents = "both agents"
        name = task.task.name
        text = f"Dropping the task {name} would change the score-based rank of {agents}"
    shown = neighbours(robustness.board).removesuffix(".")
    withdrawn = _withdrawn_sentence(robustness.board)
    if shown:
        return answered(shown, certainty=(withdrawn, f"{text}."))
    return answered(text, certainty=(withdrawn,))
