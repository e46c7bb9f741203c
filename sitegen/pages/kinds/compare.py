"""Rows of a board against each other: the page that compares some, and the table of one row's rivals."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sitegen.board.answers.order import compare_answer
from sitegen.board.board import Board
from sitegen.board.certainty import Standing
from sitegen.board.comparison import FINDINGS, MOST, Step, comparisons, steps
from sitegen.board.comparison_file import EXCLUDED, LOST, MISSING, PASSED, STATES
from sitegen.board.entry import Entry
from sitegen.board.score import GAP
from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.likeness import RULES
from sitegen.models.outcome import State
from sitegen.pages import labels
from sitegen.pages.environment import Templates
from sitegen.pages.findings import Flag, row_flags
from sitegen.pages.records import BoardRecords
from sitegen.pages.site import View, page_kind
from sitegen.pages.standings import Column, ScoreCell, TextCell, score_column
from sitegen.problems import errors_of

_NEAR = 60
"""So many rows before and behind a submission are held against it; the page that compares has the others."""


class ComparedRow(NamedTuple):
    """A row that can be compared.

    Attributes:
        entry: The row.
        name: The agent's name, with what tells it from its namesakes.
        cells: Its scores, by the page's columns.
        next: How it stands to the next one, in a word, and by how much or why; None where there is none.
        flags: Marks of the findings that name it.
    """

    entry: Entry
    name: str
    cells: Sequence[TextCell | ScoreCell]
    next: tuple[str, str] | None
    flags: Sequence[Flag]


class Mark(NamedTuple):
    """How a round is shown: its letter in the page's data, the look of a heat map's cell, and words."""

    letter: str
    state: State
    shade: str
    mark: str
    words: str


_FAILED = labels.CASES["failed"][0]

MARKS = (
    Mark(PASSED, "scored", "all", labels.MARKS["scored"], "passed"),
    Mark(STATES["scored"], "scored", "share-0", _FAILED, "not passed"),
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


@page_kind(BoardRecords, "compare.html.j2")
def compare_page(records: BoardRecords, _: Templates) -> Iterator[View]:
    """Show every row of a board, and let a reader choose some to compare."""
    board, entries = records.board, records.board.all_entries
    spent = [metric for metric in METRICS.values() if metric.effort and metric != board.headline]
    effort = [each for each in spent if any(entry.value(each.id) is not None for entry in entries)]
    scores = [score_column(board, metric) for metric in board.columns if metric not in effort]
    efforts = [score_column(board, metric, has_flags=False) for metric in effort]
    values = {
        "title": "Compare",
        "rows": list(_rows(board, (*scores, *efforts))),
        "scores": scores,
        "effort": efforts,
        "most": MOST,
        "left_out": max(0, len(entries) - MOST),
        "marks": MARKS,
        "findings": board.marks.on_any_task(),
        "rule": RULES[board.verdicts.rule],
        "has_rounds": sum(entry.sheet is not None for entry in entries) > 1,
        "has_reported": any(entry.table for entry in entries),
        "errors": errors_of(board.results.problems),
    }
    title = f"{board.benchmark.title}, {board.track.title}"
    yield View(records.where.compare, f"{title}: compare", compare_answer(board), values)


def _rows(board: Board, columns: Sequence[Column]) -> Iterator[ComparedRow]:
    names, against = distinct_names(board.all_entries), steps(board)
    for entry in board.all_entries:
        cells = [column.cell(entry) for column in columns]
        beside = _next_row(board, against[entry.id]) if entry.id in against else None
        yield ComparedRow(entry, names[entry.id], cells, beside, row_flags(board, entry))


def _next_row(board: Board, step: Step) -> tuple[str, str]:
    word, reason = FINDINGS[step.letter]
    if step.difference is None:
        return word, reason
    paired = step.difference.paired
    sure = labels.interval_text(paired.interval, board.headline)
    return word, f"{labels.signed_text(paired.value, board.headline)} ({sure})"


def distinct_names(entries: Sequence[Entry]) -> Mapping[str, str]:
    """Name rows so that no two have one name.

    Returns:
        By id: the agent's name, of a row that does not stand any more with its state; where others go by that, with
        the set-up or, where that does not tell them apart, with the id.
    """
    found: dict[str, str] = {}
    for told in (  # the last that is nobody else's name is taken
        {entry.id: [entry.id] for entry in entries},
        {entry.id: [entry.agent.scaffold, entry.agent.reasoning, entry.remark] for entry in entries},
        {entry.id: [entry.remark] for entry in entries},
    ):
        known = {entry.id: ", ".join(filter(None, told[entry.id])) for entry in entries}
        names = {each.id: each.agent.name + (f" ({known[each.id]})" if known[each.id] else "") for each in entries}
        often = Counter(names.values())
        found |= {row: name for row, name in names.items() if often[name] == 1 or row not in found}
    return found


class RivalRow(NamedTuple):
    """Another row of the board. `only` are the rounds that one passes and the other does not: ours, theirs.

    `standing` is that of the pair alone, `on_board` that as one of all pairs; `tasks` is how many would tell.
    """

    entry: Entry
    agent: str
    standing: str
    difference: str
    sure: str
    p: str
    tasks: str
    on_board: str
    only: tuple[int, int] | None


class Rivals(NamedTuple):
    """The other rows of a board beside one submission.

    Attributes:
        rule: When a round counts as passed, as a sentence; empty where no rounds are compared.
        rows: In the order of the board; of a long one, those around the submission.
        left_out: How many rows of the board are not among them.
    """

    rule: str
    rows: Sequence[RivalRow]
    left_out: int


_ALONE: Mapping[Standing, str] = {"ahead": "likely ahead", "behind": "likely behind", "cannot tell": "cannot tell"}
_SMALLEST = 0.001
"""What is smaller than three decimals show is said to be."""


def rivals_of(board: Board, entry: Entry) -> Rivals | None:
    """Hold a submission against the other rows; None where it stands alone, or does not stand any more."""
    if entry.id not in board.ranks:
        return None
    ranked = [each for each in board.entries if each.id in board.ranks]
    place = ranked.index(entry)
    near = [*ranked[max(0, place - _NEAR) : place], *ranked[place + 1 : place + 1 + _NEAR]]
    names, metric, rows, rules = board.names, board.headline, [], set()
    for each in comparisons(board, entry, near).values():
        difference, only = each.differences.get(metric.id), None
        apart = sure = p = tasks = GAP
        if difference:
            paired = difference.paired
            apart, sure = labels.signed_text(paired.value, metric), labels.interval_text(paired.interval, metric)
            p = f"< {_SMALLEST}" if paired.p < _SMALLEST else f"{paired.p:.3f}"
            tasks = GAP if paired.tasks is None else f"{paired.tasks:,}"
        if each.rounds:
            only = (each.rounds.only_first, each.rounds.only_second)
            rules.add(each.rounds.rule)
        name, alone = names[each.second.id], _ALONE[each.standing]
        rows.append(RivalRow(each.second, name, alone, apart, sure, p, tasks, each.on_board, only))
    rule = " ".join(RULES[name] for name in sorted(rules))
    return Rivals(rule, rows, len(ranked) - 1 - len(rows)) if rows else None
