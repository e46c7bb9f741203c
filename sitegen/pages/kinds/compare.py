"""The page on which readers compare rows of a board."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from sitegen.board import Board, Entry
from sitegen.board.answers.ranking_headlines import compare_answer
from sitegen.board.comparison_file import EXCLUDED, LOST, MISSING, PASSED, STATES
from sitegen.board.history.versions import compare_versions
from sitegen.board.inference.comparison import (
    MAX_COMPARED_ROWS,
    Comparison,
    compare_neighbours,
)
from sitegen.board.wording import number_text
from sitegen.metrics.metric import Metric
from sitegen.models.outcome import State
from sitegen.pages import labels
from sitegen.pages.addresses import Link
from sitegen.pages.environment import Templates, TemplateValues
from sitegen.pages.findings import row_flags
from sitegen.pages.notices import untested_sentence
from sitegen.pages.records import BoardRecords
from sitegen.pages.rivals import describe_rules, difference_texts
from sitegen.pages.row_parts import MAX_ROWS, RowPart, row_parts
from sitegen.pages.site import View, page_kind
from sitegen.pages.standings import StandingsColumn, score_column
from sitegen.pages.texts import join_texts
from sitegen.problems import errors_of


class RoundMark(NamedTuple):
    """How a round is displayed."""

    letter: str
    """The letter of the round in the page's data."""
    state: str
    shade: str
    """The shade of the round's cell."""
    mark: str
    text: str


def _state_marks() -> Iterator[RoundMark]:
    """Yield the marks of rounds that have no verdict."""
    for state, letter in STATES.items():
        if state not in {"scored", "excluded"}:
            yield _state_mark(letter, state)


def _state_mark(letter: str, state: State) -> RoundMark:
    return RoundMark(letter, state, state, labels.MARKS[state], labels.STATES[state])


def _verdict_marks() -> Iterator[RoundMark]:
    """Yield the marks of rounds that have a verdict."""
    passed_mark = labels.MARKS["scored"]
    failed_mark, _ = labels.CASES["failed"]
    yield RoundMark(PASSED, "scored", "all", passed_mark, "passed")
    yield RoundMark(STATES["scored"], "scored", "share-0", failed_mark, "not passed")
    lost_text = "passed, but not all earlier ones did"
    yield RoundMark(LOST, "scored", "share-7", f"({passed_mark})", lost_text)


MARKS: Sequence[RoundMark] = (
    *_verdict_marks(),
    *_state_marks(),
    _state_mark(EXCLUDED, "excluded"),
    RoundMark(MISSING, "unreached", "missing", "", "no record"),
)


@page_kind(BoardRecords, "compare.html.j2")
def compare_page(records: BoardRecords, _: Templates) -> Iterator[View]:
    """Show every row of a board, and let readers choose the rows to compare."""
    board = records.board
    values = {
        "title": "Compare",
        "compared": board.cached_by(_compared_table),
        "marks": _marks_on(board),
        "findings": board.findings.on_any_task(),
        "errors": errors_of(board.results.problems),
        "versions": _version_values(board),
        **_comparison_terms(board),
    }
    title = f"{board.title}: compare"
    yield View(records.addresses.compare, title, compare_answer(board), values)


@page_kind(BoardRecords, "compare_rows.html.j2")
def compare_rows_pages(records: BoardRecords, _: Templates) -> Iterator[View]:
    """Show the rows of a long board that do not fit on the comparison page itself."""
    board = records.board
    if len(board.all_entries) <= MAX_ROWS:
        return
    compared = board.cached_by(_compared_table)
    crumbs = [*records.crumbs, Link("Compare", records.addresses.compare)]
    for part in compared.parts[1:]:
        title = f"Compare, rows {part.span}"
        values = {
            "title": title,
            "crumbs": crumbs,
            "compared": compared,
            "part": part,
            **_comparison_terms(board),
        }
        address = records.addresses.compared_rows(part.number)
        view_title = f"{board.title}: compare, rows {part.span}"
        yield View(address, view_title, compare_answer(board), values)


class ComparedTable(NamedTuple):
    """All rows of a board with their scores and effort."""

    rows: Sequence[TemplateValues]
    scores: Sequence[StandingsColumn]
    effort: Sequence[StandingsColumn]

    @property
    def parts(self) -> list[RowPart]:
        """The parts of the table, one per page."""
        return row_parts([True] * len(self.rows))


def _compared_table(board: Board) -> ComparedTable:
    """Return the table of all rows of a board."""
    effort_metrics = _effort_metrics(board)
    score_metrics = [metric for metric in board.columns if metric not in effort_metrics]
    scores = [score_column(board, metric) for metric in score_metrics]
    effort = [score_column(board, metric, has_flags=False) for metric in effort_metrics]
    return ComparedTable(list(_rows(board, (*scores, *effort))), scores, effort)


def _version_values(board: Board) -> TemplateValues | None:
    """Return values for the agents on both a track and the track that it replaces, if any."""
    versions = compare_versions(board)
    if versions is None:
        return None
    rows = []
    for pair in versions.pairs:
        row: dict[str, object] = {
            "name": pair.later.agent.name,
            "later": pair.later,
            "earlier": pair.earlier,
            "is_carried": pair.is_carried,
            "outcome": pair.comparison.alone,
            **difference_texts(board, pair.comparison),
        }
        rows.append(row)
    return {
        "earlier": versions.earlier,
        "task_count": len(versions.tasks),
        "rows": rows,
    }


def _marks_on(board: Board) -> Sequence[RoundMark]:
    """Return the marks that rounds of a board may have."""
    if board.tasks.is_of_one_round:
        return [mark for mark in MARKS if mark.letter != LOST]
    return MARKS


def _comparison_terms(board: Board) -> TemplateValues:
    """Return the number of rows that can be compared, their kinds and the rules."""
    entries = board.all_entries
    with_rounds = sum(entry.submission_results is not None for entry in entries)
    has_reported = any(entry.table_line for entry in entries)
    return {
        "most": MAX_COMPARED_ROWS,
        "left_out": max(0, len(entries) - MAX_COMPARED_ROWS),
        "rule": describe_rules(board, [board.verdicts.rule]),
        "unit": board.inference.cluster_word or "task",
        "untested": untested_sentence(board),
        "has_rounds": with_rounds > 1,
        "has_reported": has_reported,
    }


def _effort_metrics(board: Board) -> list[Metric]:
    """Return the metrics of effort that at least one row has, except for the headline."""
    metrics = []
    for metric in board.metrics.values():
        is_measured = any(entry.value(metric.id) is not None for entry in board.all_entries)
        if metric.effort and metric != board.headline and is_measured:
            metrics.append(metric)
    return metrics


def _rows(board: Board, columns: Sequence[StandingsColumn]) -> Iterator[TemplateValues]:
    """Yield the values of each row, with its comparison with the next row."""
    names = distinct_names(board.all_entries)
    comparisons_by_id = compare_neighbours(board)
    for entry in board.all_entries:
        comparison = comparisons_by_id.get(entry.id)
        yield {
            "entry": entry,
            "name": names[entry.id],
            "cells": [column.cell(entry) for column in columns],
            "next": _compare_with_next(board, comparison) if comparison else None,
            "flags": row_flags(board, entry),
        }


def _compare_with_next(board: Board, comparison: Comparison) -> tuple[str, str]:
    """Return a row's comparison with the next row: the verdict, and the difference or a reason."""
    outcome = comparison.outcome
    if comparison.difference is None:
        return outcome.word, outcome.reason
    paired = comparison.difference.paired
    decimals = board.headline.decimals
    interval = labels.interval_text(paired.interval, decimals)
    return outcome.word, f"{number_text(paired.value, decimals, '+')} ({interval})"


def distinct_names(entries: Sequence[Entry]) -> Mapping[str, str]:
    """Return distinct names of rows, by id.

    A row has its agent's name, with its state if it is no longer published. If other rows have the
    same name, its setup is appended, or its id if the setup is also the same.
    """
    by_state = _names_with(entries, {entry.id: entry.remark for entry in entries})
    by_setup = _names_with(entries, {entry.id: _setup_text(entry) for entry in entries})
    names = _names_with(entries, {entry.id: entry.id for entry in entries})
    for candidates in (by_setup, by_state):  # the shortest unique name wins
        count_by_name = Counter(candidates.values())
        for entry_id, name in candidates.items():
            if count_by_name[name] == 1:
                names[entry_id] = name
    return names


def _names_with(entries: Iterable[Entry], remarks: Mapping[str, str]) -> dict[str, str]:
    """Return the agents' names by id, each with a remark in brackets if there is one."""
    names = {}
    for entry in entries:
        remark = remarks[entry.id]
        names[entry.id] = f"{entry.agent.name} ({remark})" if remark else entry.agent.name
    return names


def _setup_text(entry: Entry) -> str:
    agent = entry.agent
    return join_texts(agent.scaffold, agent.reasoning, entry.remark, separator=", ")
