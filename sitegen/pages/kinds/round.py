"""The pages of a round: its cases by submission, on as many pages as they need."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from markupsafe import Markup

from sitegen.board import Board, Entry
from sitegen.board.answers.work import round_answer
from sitegen.board.findings import MarkedFinding
from sitegen.models.task import TaskRound
from sitegen.pages import addresses, labels
from sitegen.pages.addresses import Link
from sitegen.pages.case_cells import SILENCES, case_cells
from sitegen.pages.environment import Templates, TemplateValues
from sitegen.pages.findings import Flag, flags_of
from sitegen.pages.heat import HeatCell
from sitegen.pages.labels import visible
from sitegen.pages.pagination import CaseLocation
from sitegen.pages.records import TaskCases
from sitegen.pages.reports import ProblemReport, board_facts
from sitegen.pages.site import View, page_kind
from sitegen.pages.suites import CaseRow
from sitegen.pages.transcript_sources import reached_rounds, source_of
from sitegen.problems import counted


class FoldedCase(NamedTuple):
    """A case with the same outcome in all attempts."""

    name: str
    anchor: str
    requirement: str
    status: str
    address: str
    """The address of the case in an attempt that failed it; empty if none did."""
    flags: Sequence[Flag]


@page_kind(TaskCases, "round.html.j2")
def round_pages(task_cases: TaskCases, _: Templates) -> Iterator[View]:
    """Show every round of a task, with its cases by submission."""
    for defined in task_cases.task.rounds:
        locations_by_page: dict[int, list[CaseLocation]] = defaultdict(list)
        for location in task_cases.case_locations[defined.n].values():
            locations_by_page[location.page_number].append(location)
        page_count = len(locations_by_page) or 1
        for page_number in range(1, page_count + 1):
            locations = locations_by_page[page_number]
            page = _RoundPage(task_cases, defined, locations, page_number, page_count)
            yield page.view()


@dataclass(frozen=True, slots=True)
class _RoundPage:
    """One of the pages of a round, with the cases that fit on it."""

    task_cases: TaskCases
    defined: TaskRound
    case_locations: Sequence[CaseLocation]
    page_number: int
    page_count: int

    @property
    def board(self) -> Board:
        return self.task_cases.records.board

    @property
    def number(self) -> int:
        return self.defined.n

    @property
    def is_crowded(self) -> bool:
        """Whether the page shows only counts, because there would be too many cells."""
        return self.number in self.task_cases.crowded

    @property
    def _submission_ids(self) -> list[str]:
        return [entry.id for entry in self.board.submissions]

    @property
    def findings(self) -> Sequence[MarkedFinding]:
        """The findings that concern the round."""
        return self.board.findings.on_any_row(self.task_cases.task.id, self.number)

    @property
    def name(self) -> str:
        return f"{self.board.benchmark.round_word} {self.number} of {self.task_cases.task.name}"

    @property
    def title(self) -> str:
        if self.page_count == 1:
            return self.name
        return f"{self.name}, part {self.page_number} of {self.page_count}"

    def view(self) -> View:
        """Return the page as a view, before its template is filled."""
        task_cases = self.task_cases
        task = task_cases.task
        records = task_cases.records
        board_addresses = records.addresses
        address = board_addresses.round(task.id, self.number, self.page_number)
        round_facts = {"Task": task.id, self.board.benchmark.round_word: str(self.number)}
        report = ProblemReport(self.name, address, board_facts(self.board) | round_facts)
        task_link = Link(task.name, board_addresses.task(task.id))
        task_values = {
            "title": self.title,
            "crumbs": [*records.crumbs, Link("Tasks", board_addresses.tasks), task_link],
            "defined": self.defined,
            "asked": labels.round_title(self.defined),
            "url": task.url,
        }
        values = {
            **self._navigation(),
            **self._table(address),
            **task_values,
            "note": _visibility_note(task_cases, self.number),
            "passed": self._passing_runs(),
            "folded": self._folded_cases(),
            "outcomes": self._outcomes_address(),
            "report": report,
            "findings": self.findings,
        }
        answer = round_answer(self.board, task, self.number)
        return View(address, self.title, answer, values)

    def _outcomes_address(self) -> str:
        """Return the address of the file with all case outcomes; empty if the page shows them."""
        if not self.is_crowded:
            return ""
        return self.task_cases.records.addresses.outcomes(self.task_cases.task.id, self.number)

    def _navigation(self) -> TemplateValues:
        """Return links to the previous and the next round, and to the pages of this round."""
        board_addresses = self.task_cases.records.addresses
        task_id = self.task_cases.task.id
        neighbours: list[Link | None] = []
        for number in (self.number - 1, self.number + 1):
            link = None
            if number in self.task_cases.rows:
                title = f"{self.board.benchmark.round_word} {number}"
                link = Link(title, board_addresses.round(task_id, number))
            neighbours.append(link)
        page_links = []
        for page_number in range(1, self.page_count + 1):
            address = board_addresses.round(task_id, self.number, page_number)
            page_links.append(Link(f"Part {page_number}", address))
        return {"neighbours": tuple(neighbours), "parts": page_links, "part": self.page_number}

    def _table(self, address: str) -> TemplateValues:
        """Return the table of cases by submission, with its caption and the marks used in it."""
        board = self.board
        split_locations = [location for location in self.case_locations if location.row.is_split]
        cells_by_row = [Markup()] * len(split_locations)
        marks: set[str] = set()
        if not self.is_crowded:
            case_rows = [location.row for location in split_locations]
            root = addresses.root_of(address)
            cells_by_row, marks = case_cells(self.task_cases, self.number, case_rows, root)
        rows = _case_rows(board, split_locations, cells_by_row, self.findings)
        columns = []
        for entry, cell in zip(board.submissions, self.task_cases.cells[self.number], strict=True):
            columns.append(_column(self.task_cases, entry, cell, self.number))
        title_in_sentence = self.title[:1].lower() + self.title[1:]
        return {
            "caption": f"Cases of {title_in_sentence} by submission, the most evenly split first",
            "columns": columns,
            "rows": rows,
            "marks": _meanings(marks),
        }

    def _passing_runs(self) -> list[Link]:
        """Return links to the runs that passed the round in at least one attempt."""
        records = self.task_cases.records
        task = self.task_cases.task
        anchor = addresses.round_anchor(self.number)
        links = []
        for entry in self.board.submissions:
            results = records.round_results(entry, task.id, self.number)
            if any(result.solved for result in results):
                address = records.run_address(entry, task, anchor)
                links.append(Link(self.board.name_of(entry), address))
        return links

    def _folded_cases(self) -> list[tuple[int, list[FoldedCase]]]:
        """Return the cases with the same outcome everywhere, by the number of failed attempts."""
        folded: dict[int, list[FoldedCase]] = defaultdict(list)
        for location in self.case_locations:
            row = location.row
            if not row.is_split:
                failed_attempts = row.known_count if row.failed else 0
                folded[failed_attempts].append(self._folded_case(location))
        return sorted(folded.items(), reverse=True)

    def _folded_case(self, location: CaseLocation) -> FoldedCase:
        """Return a case with the same outcome everywhere, linked to an attempt that failed it."""
        row = location.row
        key = row.key
        status = "passed" if row.known_count else ""
        if row.failed:
            status = "failed"
        address = ""
        if row.failed and self.is_crowded:
            address = self._failing_run_address(row)
        linked = self._linked_ending(row)
        if linked and not address:
            status, address = linked
        requirement = visible(key.requirement or key.intent or "")
        flags = _flags_naming(self.board, self.findings, key.case)
        return FoldedCase(key.case, location.anchor, requirement, status, address, flags)

    def _failing_run_address(self, row: CaseRow) -> str:
        """Return the address of the round in the first run that includes a case that all fail."""
        suite = self.task_cases.suites[self.number]
        for submission_id, attempts in suite.reported_cases.items():
            if any(row.key in attempt_cases.keys for attempt_cases in attempts.values()):
                run_address = self.task_cases.records.addresses.run(
                    submission_id, self.task_cases.task.id
                )
                return f"{run_address}#{addresses.round_anchor(self.number)}"
        raise KeyError(row.key)

    def _linked_ending(self, row: CaseRow) -> tuple[str, str] | None:
        """Return the status and address of the first described failure of a case, if any."""
        columns = self.task_cases.suites[self.number].columns(self._submission_ids)
        for column, ending in zip(columns, row.endings, strict=False):
            if ending.case and ending.status and ending.status != "passed":
                run_locations = self.task_cases.run_locations[column.submission]
                address = run_locations.address_of((column.attempt, self.number), ending.case)
                return ending.status, address
        return None


def _case_rows(
    board: Board,
    case_locations: Sequence[CaseLocation],
    cells_by_row: Sequence[Markup],
    findings: Sequence[MarkedFinding],
) -> list[dict[str, Any]]:
    """Return cases by submission, with the findings that name each case and how often it failed."""
    rows = []
    for location, cells in zip(case_locations, cells_by_row, strict=True):
        row = location.row
        key = row.key
        intent = ""
        if key.intent and key.intent != key.requirement:
            intent = visible(key.intent)
        failures = f"failed in {row.failed} of {row.known_count}"
        rows.append(
            {
                "case": key.case,
                "anchor": location.anchor,
                "requirement": visible(key.requirement or ""),
                "intent": intent,
                "cells": cells,
                "flags": _flags_naming(board, findings, key.case),
                "words": failures,
            }
        )
    return rows


def _flags_naming(board: Board, findings: Sequence[MarkedFinding], case: str) -> Sequence[Flag]:
    """Return the marks of the findings that name a case of a round."""
    return flags_of(board, [marked for marked in findings if case in marked.finding.cases])


def _meanings(marks: Collection[str]) -> list[tuple[str, str]]:
    """Return marks with their meanings; an empty cell needs none."""
    meanings = [*labels.CASES.values(), *SILENCES.values()]
    return [(mark, text) for mark, text in meanings if mark and mark in marks]


def _column(task_cases: TaskCases, entry: Entry, cell: HeatCell, number: int) -> TemplateValues:
    """Return the head of a submission's column, with its result in the complete round."""
    records = task_cases.records
    task = task_cases.task
    source = source_of(records.board, entry, task.id)
    transcript = ""
    if source and reached_rounds(records.round_results(entry, task.id, number)):
        # if there are several attempts, the reader chooses an attempt on the transcripts page
        transcript = source.of(task.id, None, number).page
    return {
        "title": records.board.name_of(entry),
        "address": records.run_address(entry, task, addresses.round_anchor(number)),
        "cell": cell,
        "transcript": transcript,
    }


def _visibility_note(task_cases: TaskCases, number: int) -> str:
    """Return sentences on how many cases are known, and how many attempts name only some."""
    rows = task_cases.rows[number].values()
    sentences = []
    if rows:
        split = sum(row.is_split for row in rows)
        sentences.append(_split_sentence(split, len(rows)))
    partial = _partial_reports(task_cases, number)
    if partial:
        noun = "attempt" if task_cases.records.board.track.attempts > 1 else "submission"
        verb = "names" if partial == 1 else "name"
        subject = counted(partial, noun)
        sentences.append(
            f"{subject} {verb} only some of the failed cases; whether the other cases passed is "
            "unknown (?)."
        )
    return " ".join(sentences)


def _split_sentence(split: int, total: int) -> str:
    """Return a sentence on how many cases are named, and how many passed only in some attempts."""
    if total == 1 and split:
        return "1 case is named; it passed in some attempts and failed in others."
    if total == 1:
        return "1 case is named; it has the same outcome in every attempt that reports it."
    some_of_them = f"{split} of them"
    if split in {0, total}:
        some_of_them = "all of them" if split else "none of them"
    return (
        f"{total:,} cases are named; {some_of_them} passed in some attempts and failed in others."
    )


def _partial_reports(task_cases: TaskCases, number: int) -> int:
    """Return the number of attempts that name only some of the cases that failed in a round."""
    count = 0
    for entry in task_cases.records.board.submissions:
        for attempt_cases in task_cases.suites[number].reported_cases[entry.id].values():
            has_failures = bool(attempt_cases.result.failed)
            if has_failures and not attempt_cases.are_failed_cases_known:
                count += 1
    return count
