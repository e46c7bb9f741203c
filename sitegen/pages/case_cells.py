"""The table cells of a round's cases by submission, as HTML; a large board has 100,000 cells.

A cell contains only its own details: its row names the case, its column names the submission, and
the legend of the page explains its mark.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from sitegen.board import Entry
from sitegen.models.outcome import CaseStatus
from sitegen.pages import labels
from sitegen.pages.findings import Flag, case_flags
from sitegen.pages.labels import escaped
from sitegen.pages.records import TaskCases
from sitegen.pages.suites import CaseEnding, CaseRow, Silence
from sitegen.pages.texts import join_texts

_UNSCORED_STATES = [state for state in labels.STATES if state != "scored"]

SILENCES: Mapping[Silence, tuple[str, str]] = {
    **{state: (labels.MARKS[state], labels.STATES[state]) for state in _UNSCORED_STATES},
    "missing": ("", "no record"),
    "absent": ("", "not run there"),
    "untold": ("?", "unknown: the source names only some of the failed cases"),
}
"""The mark and the text for each reason why a case's outcome is not known."""

_WORST_FIRST: Sequence[CaseStatus | None] = ("failed", "error", "skipped", "passed", None)
_PASSED_MARK = labels.CASES["passed"][0]


def case_cells(
    task_cases: TaskCases, number: int, rows: Sequence[CaseRow], root: str
) -> tuple[list[Markup], set[str]]:
    """Return the cells of each row as HTML, one per submission, and the set of marks used.

    Args:
        task_cases: The cases of the task.
        number: The round.
        rows: The cases that the page shows.
        root: The path from the page to the site's root.
    """
    suite = task_cases.suites[number]
    hooks = [f' data-case="{escaped(row.key.case)}"' for row in rows]
    marks: set[str] = set()
    columns = []
    start = 0
    for entry in task_cases.records.board.submissions:
        attempts = [column.attempt for column in suite.columns([entry.id])]
        column = _SubmissionCells(task_cases, entry, number, root, start, attempts, marks)
        columns.append(list(column.cells(rows, hooks)))
        start += len(attempts)
    # the content of each cell is escaped when the cell is made
    cells_by_row = [Markup("".join(cells)) for cells in zip(*columns, strict=True)]  # noqa: S704
    return cells_by_row, marks


@dataclass(frozen=True, slots=True)
class _SubmissionCells:
    """The cells of one submission in the rows of a round."""

    task_cases: TaskCases
    entry: Entry
    number: int
    root: str
    start: int
    """The index in a row of the submission's first outcome."""
    attempts: Sequence[int]
    marks: set[str] = field(default_factory=set)
    """The marks used so far; each new cell adds its mark."""

    def cells(self, rows: Sequence[CaseRow], case_hooks: Sequence[str]) -> Iterator[str]:
        """Yield the cell of each case, with the findings that name it.

        Args:
            rows: The cases.
            case_hooks: The HTML attribute that identifies each case, the same in all columns.
        """
        board = self.task_cases.records.board
        flags = case_flags(board, self.entry.id, self.task_cases.task.id, self.number)
        for row, case_hook in zip(rows, case_hooks, strict=True):
            attempt, worst = self._worst_ending(row)
            flag = flags.get(row.key.case) if flags else None
            hooks = f'{case_hook} data-status="{worst.status}"'
            if worst.status is None:
                mark, _ = SILENCES[worst.silence or "absent"]
                cell = _plain_cell("", mark, flag)
            elif worst.status == "passed":
                mark = _PASSED_MARK
                cell = _plain_cell(hooks, mark, flag)
            else:
                mark, remarks = self._mark_and_remarks(row, attempt, worst.status)
                address = self._address(attempt, worst)
                cell = _failed_cell(hooks, mark, remarks, address, flag)
            self.marks.add(mark)
            yield cell

    def _endings(self, row: CaseRow) -> Sequence[CaseEnding]:
        """Return the outcome of a case in each attempt of the submission."""
        return row.endings[self.start : self.start + len(self.attempts)]

    def _worst_ending(self, row: CaseRow) -> tuple[int, CaseEnding]:
        """Return the attempt with the worst outcome of a case, and that outcome."""
        if len(self.attempts) == 1:  # the usual case, in code that runs for every cell
            return self.attempts[0], row.endings[self.start]
        endings = zip(self.attempts, self._endings(row), strict=True)
        return min(endings, key=lambda ending: _WORST_FIRST.index(ending[1].status))

    def _mark_and_remarks(self, row: CaseRow, attempt: int, worst: CaseStatus) -> tuple[str, str]:
        """Return the mark of a case that did not pass in every attempt, and tooltip remarks."""
        mark, text = labels.CASES[worst]
        remarks = ""
        passed = 0
        if len(self.attempts) > 1:
            passed = sum(ending.status == "passed" for ending in self._endings(row))
        if passed:
            mark = f"{passed}/{len(self.attempts)}"
            remarks = f"{text}; passed in {mark} attempts"
        change = self.task_cases.transitions_in(self.entry, attempt, self.number).get(row.key)
        if change:
            round_noun = labels.rounds_word(self.task_cases.records.board.benchmark)
            remarks = join_texts(remarks, change.words(round_noun), separator="; ")
        return mark, remarks

    def _address(self, attempt: int, ending: CaseEnding) -> str:
        """Return the relative address of the case's description; empty if there is none."""
        if ending.case is None:
            return ""
        run_locations = self.task_cases.run_locations[self.entry.id]
        return self.root + run_locations.address_of((attempt, self.number), ending.case)


def _plain_cell(hooks: str, mark: str, flag: Flag | None) -> str:
    """Return a cell without a link."""
    if flag:
        hooks = f"{hooks}{_flag_attributes(flag)}"
    return f"<td{hooks}>{mark}</td>"


def _failed_cell(hooks: str, mark: str, remarks: str, address: str, flag: Flag | None) -> str:
    """Return the cell of a case that did not pass; remarks are on its link if it has one."""
    if not address:
        if flag:
            hooks = f"{hooks}{_flag_attributes(flag, remarks)}"
        elif remarks:
            hooks = f'{hooks} title="{escaped(remarks)}"'
        return f"<td{hooks}>{mark}</td>"
    if flag:
        hooks = f"{hooks}{_flag_attributes(flag)}"
    title = ""
    if remarks:
        title = f' title="{escaped(remarks)}"'
    return f'<td{hooks}><a href="{escaped(address)}"{title}>{mark}</a></td>'


def _flag_attributes(flag: Flag, remarks: str = "") -> str:
    """Return attributes with a cell's remarks and the findings that name its case."""
    words = join_texts(remarks, labels.visible(flag.words), separator="; ")
    return f' data-finding="{escaped(flag.ids)}" title="{escaped(words)}"'
