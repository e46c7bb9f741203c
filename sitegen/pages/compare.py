"""The page that compares rows of a board: every row with its scores, from which scripts let a reader choose."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sitegen.board.board import Board
from sitegen.board.comparison_file import EXCLUDED, LOST, MISSING, PASSED, STATES
from sitegen.board.entry import Entry
from sitegen.board.headtohead import FINDINGS, MOST, Step, steps
from sitegen.board.score import GAP, Score
from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.likeness import RULES
from sitegen.metrics.metric import Metric
from sitegen.models.outcome import State
from sitegen.pages import addresses, labels
from sitegen.pages.board import board_crumbs
from sitegen.pages.environment import Page, Templates
from sitegen.pages.figures import full_precision, interval_text, place_text, score_text, signed_text
from sitegen.pages.flags import Flag, flags_of, notes_of, score_flag
from sitegen.pages.heads import column_title
from sitegen.pages.waived import row_marks
from sitegen.problems import errors_of


@dataclass(frozen=True, slots=True)
class ComparedCell:
    """One score of a row. `value` is in full precision, None for a gap; `sure` is its interval.

    `flag` marks what findings changed.
    """

    metric: str
    title: str
    value: str | None
    text: str
    sure: str
    score: Score | None
    flag: Flag | None = None


@dataclass(frozen=True, slots=True)
class NextRow:
    """How a row stands to the next one: in a word, by how much, and why it is said."""

    word: str
    difference: str
    reason: str


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """A row that can be compared.

    Attributes:
        entry: The row.
        name: The agent's name, with what tells it from its namesakes.
        place: Its ranks as people read them.
        address: Its page.
        cells: Its scores, by the page's columns.
        next: How it stands to the next one; None where there is none.
        flags: Marks of the findings that name it.
    """

    entry: Entry
    name: str
    place: str
    address: str
    cells: Sequence[ComparedCell]
    next: NextRow | None
    flags: Sequence[Flag]


@dataclass(frozen=True, slots=True)
class Mark:
    """How a round is shown: its letter in the page's data, the look of a heat map's cell, and words."""

    letter: str
    state: State
    shade: str
    mark: str
    words: str


_FAILED = labels.CASES["failed"][0]

MARKS = (
    Mark(PASSED, "scored", "all", labels.MARKS["scored"], "passed"),
    Mark(STATES["scored"], "scored", "share-4", _FAILED, "not passed"),
    Mark(LOST, "scored", "share-7", f"({labels.MARKS['scored']})", "passed, but not every round before it"),
    *(
        Mark(letter, state, state, labels.MARKS[state], labels.STATES[state])
        for state, letter in STATES.items()
        if letter not in {STATES["scored"], EXCLUDED}
    ),
    Mark(EXCLUDED, "excluded", "excluded", labels.MARKS["excluded"], labels.STATES["excluded"]),
    Mark(MISSING, "unreached", "missing", "", "no record"),
)
"""How rounds are shown."""


def compare_page(board: Board, templates: Templates) -> Page:
    """Show every row of a board, and let a reader choose some to compare."""
    benchmark, track = board.benchmark, board.track
    address = addresses.compare_address(benchmark.id, track.id)
    scores, effort = _columns(board)
    values = {
        "title": "Compare",
        "crumbs": board_crumbs(board),
        "benchmark": benchmark,
        "track": track,
        "rows": list(_rows(board, (*scores, *effort))),
        "scores": [(column_title(metric, board), metric) for metric in scores],
        "effort": [(column_title(metric, board), metric) for metric in effort],
        "beside": [column_title(metric, board) for metric in effort if metric not in board.columns],
        "headline": column_title(board.headline, board),
        "most": MOST,
        "left_out": max(0, len(board.all_entries) - MOST),
        "marks": MARKS,
        "findings": notes_of(board, board.marks.on_any_task()),
        "rule": RULES[board.verdicts.rule],
        "has_rounds": sum(entry.sheet is not None for entry in board.all_entries) > 1,
        "has_reported": any(entry.table for entry in board.all_entries),
        "errors": errors_of(board.results.problems),
    }
    title = f"{benchmark.title}, {track.title}: compare"
    description = f"Rows of {benchmark.title}, {track.title}, side by side, and how sure their order is."
    return Page(address, title, description, templates.fill("compare.html.j2", address, values))


def _columns(board: Board) -> tuple[list[Metric], list[Metric]]:
    """Give the board's scores, and what is known of the cost of the work."""
    spent = [metric for metric in METRICS.values() if metric.effort and metric != board.headline]
    effort = [each for each in spent if any(entry.value(each.id) is not None for entry in board.all_entries)]
    return [metric for metric in board.columns if metric not in effort], effort


def _rows(board: Board, metrics: Sequence[Metric]) -> Iterator[ComparedRow]:
    names = distinct_names(board.all_entries)
    known = steps(board)
    for entry in board.all_entries:
        step = known.get(entry.id)
        yield ComparedRow(
            entry,
            names[entry.id],
            place_text(board, entry),
            addresses.entry_address(board.benchmark.id, board.track.id, entry.id),
            [_cell(board, entry, metric) for metric in metrics],
            _next_row(board, step) if step else None,
            flags_of(board, row_marks(board, entry)),
        )


def _cell(board: Board, entry: Entry, metric: Metric) -> ComparedCell:
    score, title = entry.scores.get(metric.id), column_title(metric, board)
    if score is None or score.value is None:
        return ComparedCell(metric.id, title, None, GAP, "", score)
    sure = interval_text(board.certainty.interval(entry, metric.id), metric)
    flag = score_flag(board, entry) if score.unfounded and not metric.effort else None
    return ComparedCell(metric.id, title, full_precision(score), score_text(score), sure, score, flag)


def _next_row(board: Board, step: Step) -> NextRow:
    word, reason = FINDINGS[step.letter]
    if step.difference is None:
        return NextRow(word, "", reason)
    paired = step.difference.paired
    apart = f"{signed_text(paired.value, board.headline)} ({interval_text(paired.interval, board.headline)})"
    return NextRow(word, apart, reason)


def distinct_names(entries: Sequence[Entry]) -> Mapping[str, str]:
    """Name rows so that no two have one name.

    Returns:
        By id: the agent's name, of a row that does not stand any more with its state; where others go by that, with
        the set-up or, where that does not tell them apart, with the id.
    """
    states = {entry.id: entry.remark for entry in entries}
    plain = {entry.id: _with(entry, states[entry.id]) for entry in entries}
    about = {entry.id: _with(entry, entry.agent.scaffold, entry.agent.reasoning, states[entry.id]) for entry in entries}
    names = {entry.id: _with(entry, entry.id) for entry in entries}
    return {**names, **_alone(about), **_alone(plain)}


def _alone(names: Mapping[str, str]) -> dict[str, str]:
    """Give the rows whose name no other row has."""
    often = Counter(names.values())
    return {row: name for row, name in names.items() if often[name] == 1}


def _with(entry: Entry, *more: str | None) -> str:
    known = ", ".join(filter(None, more))
    return f"{entry.agent.name} ({known})" if known else entry.agent.name
