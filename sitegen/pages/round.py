"""The page of one round: its cases by submissions."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sitegen.board.entry import Entry
from sitegen.errors import counted
from sitegen.models.outcome import CaseStatus, Failure, RoundResult
from sitegen.models.task import Task, TaskRound
from sitegen.pages import addresses, labels
from sitegen.pages.board import board_crumbs
from sitegen.pages.cases import case_outcomes, round_cases
from sitegen.pages.environment import Crumb, Page, Templates
from sitegen.pages.heat import Cell
from sitegen.pages.records import Records
from sitegen.pages.tasks import round_cell

CaseKey = tuple[str, str | None, str | None]
"""What tells a case from another: id, requirement and intent. Ids alone are no key across agents."""


@dataclass(frozen=True, slots=True)
class Column:
    """A submission at the head of a column, with how it fared in the whole round."""

    title: str
    address: str
    cell: Cell


@dataclass(frozen=True, slots=True)
class CaseCell:
    """How one case ended for one submission."""

    submission: str
    status: str
    mark: str
    words: str
    address: str | None


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


def round_pages(records: Records, task: Task, templates: Templates) -> Iterator[Page]:
    """Show every round of a task, its cases by submissions."""
    board = records.board
    entries = board.submissions
    failures = {entry.id: _by_round(entry, task) for entry in entries}
    for each in task.rounds:
        told = {entry.id: _tell(records, entry, task, each, failures[entry.id].get(each.n, [])) for entry in entries}
        yield _page(records, task, each, told, templates)


def _page(records: Records, task: Task, each: TaskRound, told: Mapping[str, _Told], templates: Templates) -> Page:
    board = records.board
    benchmark, track = board.benchmark, board.track
    address = addresses.round_address(benchmark.id, track.id, task.id, each.n)
    title = f"{benchmark.round_name} {each.n}"
    rows = _rows(records, task, told)
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
        "columns": [_column(records, entry, task, each) for entry in board.submissions],
        "rows": rows,
        "previous": _neighbour(records, task, each.n - 1),
        "next": _neighbour(records, task, each.n + 1),
    }
    description = f"{title} of {task.name}: cases by submission. {benchmark.title}, {track.title}."
    return Page(address, f"{title} of {task.name}", description, templates.fill("round.html.j2", address, values))


def _by_round(entry: Entry, task: Task) -> Mapping[int, list[Failure]]:
    """The failures of the first attempt, which is the one that this page shows."""
    found: dict[int, list[Failure]] = defaultdict(list)
    for failure in entry.bundle.failures.of_task(task.id) if entry.bundle else ():
        if failure.attempt == 1 and failure.start == "own":
            found[failure.round].append(failure)
    return found


def _tell(records: Records, entry: Entry, task: Task, each: TaskRound, failures: Sequence[Failure]) -> _Told:
    result = next(iter(records.of_round(entry, task.id, each.n)), None)
    if result is None:
        return _Told(None, {}, tells_all_failures=False, has_outcomes=False)
    defined = {case.id for case in each.cases or ()}
    anchors = _anchors(result, each, failures)
    statuses: dict[CaseKey, tuple[CaseStatus, str]] = {}
    for case, status in case_outcomes(result, each):
        statuses[case.id, case.requirement, None] = (status, anchors.get(case.id, ""))
    has_outcomes = bool(statuses)
    if not has_outcomes:
        for failure in failures:
            intent = None if failure.case in defined else failure.intent
            statuses[failure.case, failure.requirement, intent] = (failure.status, anchors.get(failure.case, ""))
    tells_all = result.failed is not None and len(failures) >= result.failed
    return _Told(result, statuses, tells_all_failures=tells_all, has_outcomes=has_outcomes)


def _anchors(result: RoundResult, each: TaskRound, failures: Sequence[Failure]) -> dict[str, str]:
    cases = round_cases(result, each, failures)
    shown = [*(view for group in cases.groups for view in group.cases), *cases.passed]
    return {view.id: view.anchor for view in shown}


def _rows(records: Records, task: Task, told: Mapping[str, _Told]) -> list[CaseRow]:
    board = records.board
    keys = dict.fromkeys(key for each in told.values() for key in each.statuses)
    often: dict[CaseKey, int] = {
        key: sum(each.statuses[key][0] != "passed" for each in told.values() if key in each.statuses) for key in keys
    }
    rows = []
    for key in sorted(keys, key=lambda key: -often[key]):
        case, requirement, intent = key
        cells = [_cell(records, entry, task, told[entry.id], key) for entry in board.submissions]
        rows.append(CaseRow(case, requirement, intent if intent != requirement else None, cells))
    return rows


def _cell(records: Records, entry: Entry, task: Task, told: _Told, key: CaseKey) -> CaseCell:
    board = records.board
    status, anchor = _status(told, key)
    mark, word = labels.OUTCOMES[status]
    run = addresses.run_address(board.benchmark.id, board.track.id, entry.id, task.id)
    leads = f"{run}#{anchor}" if anchor else None
    return CaseCell(entry.id, status, mark, f"{entry.agent.name}: {key[0]} {word}", leads)


def _status(told: _Told, key: CaseKey) -> tuple[str, str]:
    """How a case ended, and where on the run page it stands; a state where none of the round's cases ran."""
    result = told.result
    if result is None:
        return "absent", ""
    if key in told.statuses:
        return told.statuses[key]
    if result.state != "scored":
        return result.state, ""
    if told.has_outcomes:
        return "absent", ""
    return ("passed" if told.tells_all_failures else "untold"), ""


def _column(records: Records, entry: Entry, task: Task, each: TaskRound) -> Column:
    board = records.board
    address = addresses.run_address(board.benchmark.id, board.track.id, entry.id, task.id)
    return Column(
        entry.agent.name, f"{address}#{addresses.round_anchor(each.n)}", round_cell(records, entry, task, each.n)
    )


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
