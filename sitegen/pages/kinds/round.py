"""The page of one round: its cases by submissions, on as many pages as they need."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

from sitegen.board.answers.work import round_answer
from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.findings import Marked
from sitegen.models.outcome import CaseStatus
from sitegen.models.task import TaskRound
from sitegen.pages import addresses, labels
from sitegen.pages.addresses import Link
from sitegen.pages.environment import Templates
from sitegen.pages.findings import Flag, case_flags, flags_of
from sitegen.pages.heat import Cell
from sitegen.pages.kinds.trajectory import reached, source_of
from sitegen.pages.labels import visible
from sitegen.pages.pagination import RowPlace
from sitegen.pages.records import TaskCases
from sitegen.pages.reports import Report, board_facts
from sitegen.pages.site import View, page_kind
from sitegen.pages.suites import Ending, Row, Silence
from sitegen.problems import counted

CaseCell = tuple[str, str, str, str, str]
"""How one case ended for one submission: status (empty where nothing is told), mark, words, address, and findings.

A tuple, since templates take tens of thousands of them apart; names of findings have blanks between them.
"""

SILENCES: Mapping[Silence, tuple[str, str]] = {
    **{
        state: (labels.MARKS[state], words)
        for state, words in labels.STATES.items()
        if state != "scored"
    },
    "missing": ("", "no record"),
    "absent": ("", "not among the cases that ran there"),
    "untold": ("?", "passed or failed: the source names only some of the failed cases"),
}
"""Mark and words for what is not known of a case."""

_WORST_FIRST: Sequence[CaseStatus | None] = ("failed", "error", "skipped", "passed", None)
_PASSED = ("passed", labels.CASES["passed"][0], "", "", "")
_SILENT = {silence: ("", mark, "", "", "") for silence, (mark, _) in SILENCES.items()}


@page_kind(TaskCases, "round.html.j2")
def round_pages(cases: TaskCases, _: Templates) -> Iterator[View]:
    """Show every round of a task, its cases by submissions."""
    for defined in cases.task.rounds:
        parts: dict[int, list[RowPlace]] = defaultdict(list)
        for place in cases.row_places[defined.n].values():
            parts[place.part].append(place)
        for part in range(1, max(parts, default=1) + 1):
            yield _view(cases, defined, parts[part], (part, len(parts) or 1))


def _view(
    cases: TaskCases, defined: TaskRound, places: Sequence[RowPlace], part: tuple[int, int]
) -> View:
    """Show one part of a round: which of how many."""
    records, task, number = cases.records, cases.task, defined.n
    board, where = records.board, records.where
    entries, marks = board.submissions, board.marks.by_round.get((task.id, number), ())
    word, address = board.benchmark.round_word, where.round(task.id, number, part[0])
    name = f"{word} {number} of {task.name}"
    title = f"{name}, part {part[0]} of {part[1]}" if part[1] > 1 else name
    split = [place for place in places if place.row.is_split]
    is_crowded = number in cases.crowded
    rows = _rows(
        board,
        [] if is_crowded else [_Cells(cases, entry, number) for entry in entries],
        split,
        marks,
    )
    folded: dict[int, list[object]] = defaultdict(list)
    for place in (each for each in places if not each.row.is_split):
        folded[place.row.told if place.row.failed else 0].append(_folded(cases, number, place))
    neighbours = (
        Link(f"{word} {each}", where.round(task.id, each)) if each in cases.rows else None
        for each in (number - 1, number + 1)
    )
    facts = {**board_facts(board), "Task": task.id, word: str(number)}
    values = {
        "title": title,
        "crumbs": [
            *records.crumbs,
            Link("Tasks", where.tasks),
            Link(task.name, where.task(task.id)),
        ],
        "defined": defined,
        "note": _note(cases, number),
        "caption": f"Cases of {title} by submission, those that tell them apart most evenly first",
        "asked": labels.round_title(defined),
        "url": task.url,
        "passed": [
            Link(entry.agent.name, records.run(entry, task, addresses.round_anchor(number)))
            for entry in entries
            if any(result.solved for result in records.of_round(entry, task.id, number))
        ],
        "folded": sorted(folded.items(), reverse=True),
        "columns": [
            _column(cases, *each, number) for each in zip(entries, cases.cells[number], strict=True)
        ],
        "rows": rows,
        "outcomes": where.outcomes(task.id, number) if is_crowded else "",
        "report": Report(name, address, facts),
        "findings": marks,
        "marks": _marks(rows),
        "neighbours": tuple(neighbours),
        "parts": [
            Link(f"Part {each}", where.round(task.id, number, each))
            for each in range(1, part[1] + 1)
        ],
        "part": part[0],
    }
    return View(address, title, round_answer(board, task, number), values)


@dataclass(frozen=True, slots=True)
class _Cells:
    """The cells of one submission in the rows of a round."""

    cases: TaskCases
    entry: Entry
    number: int

    def of_rows(self, rows: Iterable[Row]) -> Iterator[CaseCell]:
        """Tell how cases ended for the submission, and mark those that findings name."""
        name, flags = (
            self.entry.id,
            case_flags(self.cases.records.board, self.entry.id, self.cases.task.id, self.number),
        )
        for row in rows:
            endings = row.endings[name]
            if len(endings) == 1:
                ((attempt, worst),) = endings.items()
            else:
                attempt, worst = min(
                    endings.items(), key=lambda ending: _WORST_FIRST.index(ending[1].status)
                )
            if worst.status == "passed":
                cell = _PASSED
            elif worst.status is None:
                cell = _SILENT[worst.silence or "absent"]
            else:
                cell = self._failed(row, attempt, worst)
            if flags and (flag := flags.get(row.key.case)):
                status, mark, words, address, _ = cell
                cell = status, mark, "; ".join(filter(None, (words, flag.words))), address, flag.ids
            yield cell

    def _failed(self, row: Row, attempt: int, worst: Ending) -> CaseCell:
        """Tell of a case that did not pass: over several attempts, of that in which it fared worst."""
        mark, words = _look(worst.status or "failed", row.endings[self.entry.id])
        turn = self.cases.turns_in(self.entry, attempt, self.number).get(row.key)
        if turn:
            word = labels.rounds_word(self.cases.records.board.benchmark)
            words = f"{words}; {turn.words(word)}"
        address = (
            self.cases.places[self.entry.id].of_case((attempt, self.number), worst.case)
            if worst.case
            else ""
        )
        return (
            worst.status or "",
            mark,
            f"{self.entry.agent.name}: {visible(row.key.case)} {words}",
            address,
            "",
        )


def _look(worst: CaseStatus, endings: Mapping[int, Ending]) -> tuple[str, str]:
    """Choose mark and words for a case that did not pass in every attempt."""
    mark, word = labels.CASES[worst]
    passed = sum(ending.status == "passed" for ending in endings.values())
    share = f"{passed}/{len(endings)}"
    return (share, f"{word}; passed in {share} attempts") if passed else (mark, word)


def _rows(
    board: Board, columns: Sequence[_Cells], places: Sequence[RowPlace], marks: Sequence[Marked]
) -> list[dict[str, Any]]:
    """Show cases by submissions, with the marks of the findings that name them, and how often they fail."""
    shown = [place.row for place in places]
    cells_of_rows = (
        zip(*(column.of_rows(shown) for column in columns), strict=True) if columns else repeat(())
    )
    return [
        {
            "case": key.case,
            "anchor": place.anchor,
            "requirement": visible(key.requirement or ""),
            "intent": visible(key.intent) if key.intent and key.intent != key.requirement else "",
            "cells": cells,
            "flags": _flags(board, marks, key.case),
            "words": f"fails for {row.failed} of {row.told}",
        }
        for place, cells in zip(places, cells_of_rows, strict=False)
        for row, key in [(place.row, place.row.key)]
    ]


def _flags(board: Board, marks: Sequence[Marked], case: str) -> Sequence[Flag]:
    """Mark a case of a round with the findings that name it."""
    return flags_of(board, [each for each in marks if case in each.finding.cases]) if marks else ()


def _folded(
    cases: TaskCases, number: int, place: RowPlace
) -> tuple[str, str, str, str, str, Sequence[Flag]]:
    """Name a case that ends in one way for all who tell of it, with the way to one in which it failed if that is told.

    Returns:
        The case, its anchor, its requirement, its status, the address, and the marks of findings.
    """
    row, key, records = place.row, place.row.key, cases.records
    status, address = ("failed" if row.failed else "passed" if row.told else ""), ""
    if row.failed and number in cases.crowded:  # all that have it have failed it
        name = next(
            name
            for name, told in cases.suites[number].told.items()
            if any(key in e.keys for e in told.values())
        )
        address = f"{records.where.run(name, cases.task.id)}#{addresses.round_anchor(number)}"
    for name, attempts in row.endings.items():
        for attempt, ending in attempts.items():
            if ending.case and ending.status != "passed" and not address:
                address, status = (
                    cases.places[name].of_case((attempt, number), ending.case),
                    ending.status or status,
                )
    flags = _flags(
        records.board, records.board.marks.by_round.get((cases.task.id, number), ()), key.case
    )
    return (
        key.case,
        place.anchor,
        visible(key.requirement or key.intent or ""),
        status,
        address,
        flags,
    )


def _marks(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Say what the marks mean that stand in these rows."""
    seen = {mark for row in rows for _, mark, *_ in row["cells"]}
    known = [*labels.CASES.values(), *SILENCES.values()]
    return [(mark, words) for mark, words in known if mark in seen and mark]


def _column(cases: TaskCases, entry: Entry, cell: Cell, number: int) -> Mapping[str, object]:
    """Show a submission at the head of a column, with how it fared in the whole round."""
    records, task = cases.records, cases.task
    # What the agent did in the round is led to; over several attempts, the choice among them.
    source = source_of(records.board, entry, task.id)
    worked = reached(records.of_round(entry, task.id, number))
    return {
        "title": entry.agent.name,
        "address": records.run(entry, task, addresses.round_anchor(number)),
        "cell": cell,
        "transcript": source.of(task.id, None, number).page if source and worked else "",
    }


def _note(cases: TaskCases, number: int) -> str:
    """Say how much of the round can be seen here."""
    board = cases.records.board
    rows = cases.rows[number].values()
    split = sum(row.is_split for row in rows)
    known = f"{counted(len(rows), 'case')} known by name; {split or 'none'} of them tell{'s' if split == 1 else ''}"
    known = f"{known} submissions apart." if rows else ""
    silent = sum(
        not told.has_outcomes and not told.names_all_failed and bool(told.result.failed)
        for entry in board.submissions
        for told in cases.suites[number].told[entry.id].values()
    )
    if not silent:
        return known
    noun = "attempt" if board.track.attempts > 1 else "submission"
    verb = "names" if silent == 1 else "name"
    return f"{known} {counted(silent, noun)} {verb} only some failed cases: the others passed or failed (?).".lstrip()
