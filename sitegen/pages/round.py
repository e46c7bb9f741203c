"""The page of one round: its cases by submissions, on as many pages as they need."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.findings import Marked
from sitegen.models.outcome import CaseStatus
from sitegen.models.task import TaskRound
from sitegen.pages import addresses, labels
from sitegen.pages.board import board_crumbs
from sitegen.pages.breakage import turn_words
from sitegen.pages.casebook import Casebook
from sitegen.pages.environment import Crumb, Page, Templates
from sitegen.pages.flags import Flag, case_flags, flags_of, notes_of
from sitegen.pages.heat import Cell
from sitegen.pages.places import RowPlace, RunPlaces
from sitegen.pages.subjects import round_report
from sitegen.pages.suite import Ending, Row, Silence
from sitegen.pages.tasks import round_cell
from sitegen.pages.text import visible
from sitegen.pages.transcripts import reached, source_of
from sitegen.problems import counted


@dataclass(frozen=True, slots=True)
class Column:
    """A submission at the head of a column, with how it fared in the whole round."""

    title: str
    address: str
    cell: Cell
    transcript: str


class CaseCell(NamedTuple):
    """How one case ended for one submission. `status` is empty where the submission does not tell.

    A tuple, since templates take tens of thousands of them apart.
    """

    status: str
    mark: str
    words: str = ""
    address: str = ""
    finding: str = ""
    """Names of the findings that concern it, with blanks between them."""


@dataclass(frozen=True, slots=True)
class CaseRow:
    """One case by submissions."""

    case: str
    anchor: str
    requirement: str
    intent: str
    cells: Sequence[CaseCell]
    flags: Sequence[Flag] = ()
    """Marks of the findings that name it."""
    words: str = ""
    """How often it fails."""


SILENCES: Mapping[Silence, tuple[str, str]] = {
    **{state: (labels.MARKS[state], words) for state, words in labels.STATES.items() if state != "scored"},
    "missing": ("", "no record"),
    "absent": ("", "not among the cases that ran there"),
    "untold": ("?", "passed or failed: the source names only some of the failed cases"),
}
"""Mark and words for what is not known of a case."""


@dataclass(frozen=True, slots=True)
class _Round:
    """What the pages of one round share."""

    book: Casebook
    defined: TaskRound
    templates: Templates

    @property
    def title(self) -> str:
        return f"{self.book.records.board.benchmark.round_name} {self.defined.n} of {self.book.task.name}"

    def address(self, part: int = 1) -> str:
        board = self.book.records.board
        return addresses.round_address(board.benchmark.id, board.track.id, self.book.task.id, self.defined.n, part)


def round_pages(book: Casebook, templates: Templates) -> Iterator[Page]:
    """Show every round of a task, its cases by submissions."""
    for defined in book.task.rounds:
        parts: dict[int, list[RowPlace]] = defaultdict(list)
        for place in book.row_places[defined.n].values():
            parts[place.part].append(place)
        each = _Round(book, defined, templates)
        for part in range(1, max(parts, default=1) + 1):
            yield _page(each, parts[part], part, len(parts) or 1)


def _page(each: _Round, places: Sequence[RowPlace], part: int, parts: int) -> Page:
    board = each.book.records.board
    benchmark, track, task = board.benchmark, board.track, each.book.task
    number = each.defined.n
    columns = [_Cells(each.book, entry, number) for entry in board.submissions]
    marks = board.marks.by_round.get((task.id, number), ())
    rows = [_row(columns, each_place, _flags(board, marks, each_place)) for each_place in places]
    title = f"{each.title}, part {part} of {parts}" if parts > 1 else each.title
    values = {
        "title": title,
        "crumbs": [
            *board_crumbs(board),
            Crumb("Tasks", addresses.tasks_address(benchmark.id, track.id)),
            Crumb(task.name, addresses.task_address(benchmark.id, track.id, task.id)),
        ],
        "benchmark": benchmark,
        "track": track,
        "lead": each.defined.title,
        "labels_of_round": each.defined.labels,
        "note": _note(each.book, number),
        "caption": f"Cases of {title} by submission, those that fail most often first",
        "columns": [_column(each.book, entry, number) for entry in board.submissions],
        "rows": rows,
        "report": round_report(each.book, number, each.address(part)),
        "findings": notes_of(board, marks),
        "marks": _marks(rows),
        "previous": _neighbour(each, -1),
        "next": _neighbour(each, 1),
        "parts": [Crumb(f"Part {each_part}", each.address(each_part)) for each_part in range(1, parts + 1)],
        "part": part,
    }
    description = f"{title}: cases by submission. {benchmark.title}, {track.title}."
    return Page(
        each.address(part), title, description, each.templates.fill("round.html.j2", each.address(part), values)
    )


@dataclass(frozen=True)  # no slots: what its cells share is found out once
class _Cells:
    """The cells of one submission in the rows of a round."""

    book: Casebook
    entry: Entry
    number: int

    @cached_property
    def _places(self) -> RunPlaces:
        return self.book.places[self.entry.id]

    @cached_property
    def _flags(self) -> Mapping[str, Flag]:
        return case_flags(self.book.records.board, self.entry.id, self.book.task.id, self.number)

    @cached_property
    def _word(self) -> str:
        return labels.rounds_word(self.book.records.board.benchmark)

    def of_row(self, row: Row) -> CaseCell:
        """Tell how a case ended for the submission, and mark it where findings name it."""
        cell, flag = self._ending(row), self._flags.get(row.key.case)
        return (
            cell._replace(finding=flag.ids, words="; ".join(filter(None, (cell.words, flag.words)))) if flag else cell
        )

    def _ending(self, row: Row) -> CaseCell:
        """Tell how a case ended for the submission: over several attempts, that in which it fared worst."""
        endings = row.endings[self.entry.id]
        attempt, worst = next(iter(endings.items())) if len(endings) == 1 else min(endings.items(), key=_severity)
        if worst.status == "passed":
            return _PASSED
        if worst.status is None:
            return _SILENT[worst.silence or "absent"]
        mark, words = _look(worst.status, endings)
        turn = self.book.turns_in(self.entry, attempt, self.number).get(row.key)
        if turn:
            words = f"{words}; {turn_words(turn, self._word, is_failed=True)}"
        address = self._places.of_case((attempt, self.number), worst.case) if worst.case else ""
        return CaseCell(worst.status, mark, f"{self.entry.agent.name}: {visible(row.key.case)} {words}", address)


def _look(worst: CaseStatus, endings: Mapping[int, Ending]) -> tuple[str, str]:
    """Give mark and words for a case that did not pass in every attempt."""
    mark, word = labels.CASES[worst]
    passed = sum(ending.status == "passed" for ending in endings.values())
    share = f"{passed}/{len(endings)}"
    return (share, f"{word}; passed in {share} attempts") if passed else (mark, word)


def _row(columns: Sequence[_Cells], place: RowPlace, flags: Sequence[Flag]) -> CaseRow:
    row, key = place.row, place.row.key
    intent = visible(key.intent) if key.intent and key.intent != key.requirement else ""
    cells = [column.of_row(row) for column in columns]
    words = f"fails for {row.failed} of {row.told}"
    return CaseRow(key.case, place.anchor, visible(key.requirement or ""), intent, cells, flags, words)


def _flags(board: Board, marks: Sequence[Marked], place: RowPlace) -> Sequence[Flag]:
    """Mark a case that findings name, whatever the submission."""
    return flags_of(board, [each for each in marks if place.row.key.case in each.finding.cases]) if marks else ()


def _severity(ending: tuple[int, Ending]) -> int:
    return _WORST_FIRST.index(ending[1].status)


_WORST_FIRST: Sequence[CaseStatus | None] = ("failed", "error", "skipped", "passed", None)
_PASSED = CaseCell("passed", labels.CASES["passed"][0])
_SILENT = {silence: CaseCell("", mark) for silence, (mark, _) in SILENCES.items()}


def _marks(rows: Sequence[CaseRow]) -> list[tuple[str, str]]:
    """Say what the marks mean that stand in these rows."""
    seen = {cell.mark for row in rows for cell in row.cells}
    known = [*labels.CASES.values(), *SILENCES.values()]
    return [(mark, words) for mark, words in known if mark in seen and mark]


def _column(book: Casebook, entry: Entry, number: int) -> Column:
    board = book.records.board
    run = addresses.run_address(board.benchmark.id, board.track.id, entry.id, book.task.id)
    cell = round_cell(book.records, entry, book.task, number)
    return Column(entry.agent.name, f"{run}#{addresses.round_anchor(number)}", cell, _transcript(book, entry, number))


def _transcript(book: Casebook, entry: Entry, number: int) -> str:
    """Lead to what the submission's agent did in the round; over several attempts, to the choice among them."""
    source = source_of(book.records.board, entry, book.task.id)
    worked = reached(book.records.of_round(entry, book.task.id, number))
    return source.of(book.task.id, None, number).page if source and worked else ""


def _neighbour(each: _Round, step: int) -> Crumb | None:
    """Lead to the round before or after."""
    board, number = each.book.records.board, each.defined.n + step
    if number not in each.book.rows:
        return None
    address = addresses.round_address(board.benchmark.id, board.track.id, each.book.task.id, number)
    return Crumb(f"{board.benchmark.round_name} {number}", address)


def _note(book: Casebook, number: int) -> str:
    """Say how much of the round can be seen here."""
    known = f"{counted(len(book.rows[number]), 'case')} known by name."
    silent = sum(
        not told.has_outcomes and not told.names_all_failed and bool(told.result.failed)
        for entry in book.records.board.submissions
        for told in book.suites[number].told[entry.id].values()
    )
    if not silent:
        return known
    noun = "attempt" if book.records.board.track.attempts > 1 else "submission"
    verb = "names" if silent == 1 else "name"
    return f"{known} {counted(silent, noun)} {verb} only some failed cases: the others passed or failed (?)."
