"""The page of one round: its cases by submissions."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sitegen.board.entry import Entry
from sitegen.errors import counted
from sitegen.models.outcome import CaseStatus, RoundResult
from sitegen.models.task import Task, TaskRound
from sitegen.pages import addresses, labels
from sitegen.pages.board import board_crumbs
from sitegen.pages.cases import known_cases
from sitegen.pages.environment import Crumb, Page, Templates
from sitegen.pages.heat import Cell
from sitegen.pages.records import FailuresByRound, Records
from sitegen.pages.tasks import round_cell

CaseKey = tuple[str, str | None, str | None]
"""What tells a case from another: id, requirement and intent. Ids alone are no key across agents."""


@dataclass(frozen=True, slots=True)
class Column:
    """A submission at the head of a column, with how it fared in the whole round."""

    title: str
    run: str
    address: str
    cell: Cell


@dataclass(frozen=True, slots=True)
class CaseCell:
    """How one case ended for one submission. `status` is empty where the submission does not tell."""

    status: str
    mark: str
    words: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True)
class CaseRow:
    """One case by submissions."""

    case: str
    requirement: str | None
    intent: str | None
    cells: Sequence[CaseCell]


@dataclass(frozen=True, slots=True)
class _Told:
    """What one submission tells about the cases of a round."""

    result: RoundResult | None
    statuses: Mapping[CaseKey, tuple[CaseStatus, str]]
    """Status and anchor of each case it tells about."""
    tells_all_failures: bool
    has_outcomes: bool

    @property
    def total(self) -> int | None:
        """How many cases it ran; None where it does not tell."""
        return self.result.total if self.result else None


def round_pages(
    records: Records, task: Task, failures: Mapping[str, FailuresByRound], templates: Templates
) -> Iterator[Page]:
    """Show every round of a task, its cases by submissions.

    Of several attempts the first is shown; the others are on the run pages.
    """
    for each in task.rounds:
        told = {
            entry.id: _tell(next(iter(records.of_round(entry, task.id, each.n)), None), each, failures[entry.id])
            for entry in records.board.submissions
        }
        yield _page(records, task, each, told, templates)


def _page(records: Records, task: Task, each: TaskRound, told: Mapping[str, _Told], templates: Templates) -> Page:
    board = records.board
    benchmark, track = board.benchmark, board.track
    address = addresses.round_address(benchmark.id, track.id, task.id, each.n)
    title = f"{benchmark.round_name} {each.n}"
    columns = [_column(records, entry, task, each) for entry in board.submissions]
    rows = _rows(columns, [told[entry.id] for entry in board.submissions])
    values = {
        "title": f"{title} of {task.name}",
        "crumbs": [
            *board_crumbs(board),
            Crumb("Tasks", addresses.tasks_address(benchmark.id, track.id)),
            Crumb(task.name, addresses.task_address(benchmark.id, track.id, task.id)),
        ],
        "benchmark": benchmark,
        "track": track,
        "lead": each.title,
        "labels_of_round": each.labels,
        "note": _note(len(rows), told),
        "caption": f"Cases of {title.lower()} of {task.name} by submission, those that fail most often first",
        "columns": columns,
        "rows": rows,
        "previous": _neighbour(records, task, each.n - 1),
        "next": _neighbour(records, task, each.n + 1),
    }
    description = f"{title} of {task.name}: cases by submission. {benchmark.title}, {track.title}."
    return Page(address, f"{title} of {task.name}", description, templates.fill("round.html.j2", address, values))


def _tell(result: RoundResult | None, each: TaskRound, failures: FailuresByRound) -> _Told:
    if result is None:
        return _Told(None, {}, tells_all_failures=False, has_outcomes=False)
    listed = failures.get((result.attempt, result.round), ())
    defined = {case.id for case in each.cases or ()}
    statuses: dict[CaseKey, tuple[CaseStatus, str]] = {}
    for known in known_cases(result, each, listed):
        intent = known.failure.intent if known.failure and known.case.id not in defined else None
        statuses.setdefault((known.case.id, known.requirement, intent), (known.status, known.anchor))
    tells_all = result.failed is not None and len(listed) >= result.failed
    return _Told(result, statuses, tells_all_failures=tells_all, has_outcomes=result.outcomes is not None)


def _rows(columns: Sequence[Column], told: Sequence[_Told]) -> list[CaseRow]:
    """Arrange the cases, those that fail most often first.

    Args:
        columns: The submissions.
        told: What each of them tells.
    """
    failures: Counter[CaseKey] = Counter()
    suites: dict[CaseKey, set[int | None]] = defaultdict(set)
    for each in told:
        for key, (status, _) in each.statuses.items():
            failures[key] += status != "passed"
            suites[key].add(each.total)
    rows = []
    for key, _ in failures.most_common():
        case, requirement, intent = key
        cells = [_cell(column, each, key, suites[key]) for column, each in zip(columns, told, strict=True)]
        rows.append(CaseRow(case, requirement, intent if intent != requirement else None, cells))
    return rows


def _cell(column: Column, told: _Told, key: CaseKey, suites: Collection[int | None]) -> CaseCell:
    """How a case ended for a submission; why nothing is known of it, where nothing is.

    A case that a submission does not list as failed has passed only where it lists all that failed, of a
    suite as large as one that is known to hold the case: suites break off, and then the case never ran.
    """
    if key in told.statuses:
        status, anchor = told.statuses[key]
        if status == "passed":
            return _PASSED
        mark, word = labels.CASES[status]
        return CaseCell(status, mark, f"{column.title}: {key[0]} {word}", f"{column.run}#{anchor}")
    if told.result is None:
        return _ABSENT
    if told.result.state != "scored":
        return _SILENT[told.result.state]
    if told.has_outcomes:
        return _ABSENT
    return _PASSED if told.tells_all_failures and told.total in suites else _UNTOLD


_PASSED = CaseCell("passed", labels.CASES["passed"][0])
_UNTOLD = CaseCell("", "?")
_ABSENT = CaseCell("", "")
_SILENT = {state: CaseCell("", mark) for state, mark in labels.MARKS.items()}


def _column(records: Records, entry: Entry, task: Task, each: TaskRound) -> Column:
    board = records.board
    run = addresses.run_address(board.benchmark.id, board.track.id, entry.id, task.id)
    cell = round_cell(records, entry, task, each.n)
    return Column(entry.agent.name, run, f"{run}#{addresses.round_anchor(each.n)}", cell)


def _neighbour(records: Records, task: Task, number: int) -> Crumb | None:
    board = records.board
    if not 1 <= number <= len(task.rounds):
        return None
    address = addresses.round_address(board.benchmark.id, board.track.id, task.id, number)
    return Crumb(f"{board.benchmark.round_name} {number}", address)


def _note(rows: int, told: Mapping[str, _Told]) -> str:
    """Say how much of the round can be seen here."""
    silent = sum(1 for each in told.values() if each.result and not each.has_outcomes and not each.tells_all_failures)
    known = f"{counted(rows, 'case')} known by name."
    if silent:
        verb = "names" if silent == 1 else "name"
        known += f" {counted(silent, 'submission')} {verb} only some failed cases: the others passed or failed (?)."
    return known
