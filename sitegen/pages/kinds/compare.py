"""Rows of a board against each other: the page that compares some, and the table of one row's rivals."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sitegen.board.answers.answer import number_text
from sitegen.board.answers.order import compare_answer
from sitegen.board.board import Board
from sitegen.board.certainty import Standing
from sitegen.board.comparison import FINDINGS, MOST, Comparison, Step, comparisons, steps
from sitegen.board.comparison_file import EXCLUDED, LOST, MISSING, PASSED, STATES
from sitegen.board.entry import Entry
from sitegen.board.score import GAP
from sitegen.metrics.likeness import RULES, VerdictRule
from sitegen.pages import labels
from sitegen.pages.environment import Templates
from sitegen.pages.findings import row_flags
from sitegen.pages.notices import too_few_clusters
from sitegen.pages.records import BoardRecords
from sitegen.pages.site import View, page_kind
from sitegen.pages.standings import Column, score_column
from sitegen.problems import errors_of

_NEAR = 60
"""So many rows before and behind a submission are held against it; the page that compares has the others."""


_FAILED = labels.CASES["failed"][0]

MARKS = (
    (PASSED, "scored", "all", labels.MARKS["scored"], "passed"),
    (STATES["scored"], "scored", "share-0", _FAILED, "not passed"),
    (LOST, "scored", "share-7", f"({labels.MARKS['scored']})", "passed, but not all before it"),
    *(
        (letter, state, state, labels.MARKS[state], labels.STATES[state])
        for state, letter in STATES.items()
        if letter not in {STATES["scored"], EXCLUDED}
    ),
    (EXCLUDED, "excluded", "excluded", labels.MARKS["excluded"], labels.STATES["excluded"]),
    (MISSING, "unreached", "missing", "", "no record"),
)
"""How rounds are shown: the letter in the page's data, the state and the ground of a heat map's cell, mark, words."""


@page_kind(BoardRecords, "compare.html.j2")
def compare_page(records: BoardRecords, _: Templates) -> Iterator[View]:
    """Show every row of a board, and let a reader choose some to compare."""
    board, entries = records.board, records.board.all_entries
    spent = [
        metric for metric in board.metrics.values() if metric.effort and metric != board.headline
    ]
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
        "marks": [each for each in MARKS if each[0] != LOST or not board.tasks.is_of_one_round],
        "findings": board.marks.on_any_task(),
        "rule": _in_words(board, [board.verdicts.rule]),
        "unit": board.certainty.cluster_word or "task",
        "untested": too_few_clusters(board),
        "has_rounds": sum(entry.sheet is not None for entry in entries) > 1,
        "has_reported": any(entry.table for entry in entries),
        "errors": errors_of(board.results.problems),
    }
    yield View(records.where.compare, f"{board.title}: compare", compare_answer(board), values)


def _rows(board: Board, columns: Sequence[Column]) -> Iterator[Mapping[str, object]]:
    names, against = distinct_names(board.all_entries), steps(board)
    for entry in board.all_entries:
        yield {
            "entry": entry,
            "name": names[entry.id],
            "cells": [column.cell(entry) for column in columns],
            "next": _next_row(board, against[entry.id]) if entry.id in against else None,
            "flags": row_flags(board, entry),
        }


def _next_row(board: Board, step: Step) -> tuple[str, str]:
    """Say how a row stands to the next one, and by how much or why."""
    word, reason = FINDINGS[step.letter]
    if step.difference is None:
        return word, reason
    paired = step.difference.paired
    sure = labels.interval_text(paired.interval, board.headline.decimals)
    return word, f"{number_text(paired.value, board.headline.decimals, '+')} ({sure})"


def distinct_names(entries: Sequence[Entry]) -> Mapping[str, str]:
    """Name rows so that no two have one name.

    Returns:
        By id: the agent's name, of a row that does not stand any more with its state; where others go by that, with
        the set-up or, where that does not tell them apart, with the id.
    """
    found: dict[str, str] = {}
    for told in (  # the last that is nobody else's name is taken
        {entry.id: [entry.id] for entry in entries},
        {
            entry.id: [entry.agent.scaffold, entry.agent.reasoning, entry.remark]
            for entry in entries
        },
        {entry.id: [entry.remark] for entry in entries},
    ):
        known = {entry.id: ", ".join(filter(None, told[entry.id])) for entry in entries}
        names = {
            each.id: each.agent.name + (f" ({known[each.id]})" if known[each.id] else "")
            for each in entries
        }
        often = Counter(names.values())
        found |= {row: name for row, name in names.items() if often[name] == 1 or row not in found}
    return found


_ALONE: Mapping[Standing, str] = {
    "ahead": "likely ahead",
    "behind": "likely behind",
    "cannot tell": "cannot tell",
}
_SMALLEST = 0.001
"""What is smaller than three decimals show is said to be."""


def rivals_of(board: Board, entry: Entry) -> Mapping[str, Any] | None:
    """Hold a submission against the other rows; None where it stands alone, or does not stand any more."""
    if entry.id not in board.ranks:
        return None
    ranked = board.placed
    place = ranked.index(entry)
    near = [*ranked[max(0, place - _NEAR) : place], *ranked[place + 1 : place + 1 + _NEAR]]
    found = comparisons(board, entry, near)
    rules = sorted({each.rounds.rule for each in found if each.rounds})
    rows = [_rival(board, each) for each in found]
    return (
        {"rule": _in_words(board, rules), "rows": rows, "left_out": len(ranked) - 1 - len(rows)}
        if rows
        else None
    )


def _in_words(board: Board, rules: Sequence[VerdictRule]) -> str:
    """Say when a round counts as passed, but for what is plain: one attempt is the first."""
    return " ".join(RULES[rule] for rule in rules if rule != "first" or board.track.attempts > 1)


def _rival(board: Board, found: Comparison) -> Mapping[str, Any]:
    """Say how another row stands to one: this pair alone, and as one of all pairs of the board."""
    metric = board.headline
    difference, apart = found.difference, dict.fromkeys(("difference", "sure", "p", "tasks"), GAP)
    if difference:
        paired = difference.paired
        apart = {
            "difference": number_text(paired.value, metric.decimals, "+"),
            "sure": labels.interval_text(paired.interval, metric.decimals),
            "p": f"< {_SMALLEST}" if paired.p < _SMALLEST else f"{paired.p:.3f}",
            "tasks": GAP if paired.tasks is None else f"{paired.tasks:,}",
        }
    return {
        "entry": found.second,
        "agent": board.names[found.second.id],
        "standing": _ALONE[found.standing],
        **apart,
        "on_board": found.on_board,
        "rounds": found.rounds,
    }
