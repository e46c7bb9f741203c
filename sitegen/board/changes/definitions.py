"""What differs of all that boards depend on beside the submissions: benchmark, track, tasks and findings."""

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields
from typing import TypeAlias

from sitegen.board.board import Board
from sitegen.board.changes.difference import Difference, Kind, Value, differences, flattened, kind_of
from sitegen.models.finding import Finding, finding_ids
from sitegen.models.reported import ReportedTable
from sitegen.models.results import BenchmarkResults
from sitegen.models.task import Case, Task, TaskRound
from sitegen.problems import counted

_Values: TypeAlias = dict[str, Value]


@dataclass(frozen=True, slots=True)
class FindingChange:
    """A finding that is new, gone or different.

    Attributes:
        id: Its name in addresses.
        kind: Whether it is new, gone or different.
        values: What it says, or said where it is gone, by its keys.
        differences: Where it is different, what differs.
    """

    id: str
    kind: Kind
    values: Mapping[str, Value]
    differences: tuple[Difference, ...] = ()


def definition_differences(before: Board, after: Board) -> list[Difference]:
    """Compare the benchmark, the track and the tasks of two states of a board; a task that is new or gone is one."""
    return [
        *differences(_definition(before), _definition(after)),
        *_task_differences(before, after),
        *_order_differences(before, after),
    ]


def _definition(board: Board) -> _Values:
    benchmark = board.benchmark.model_dump(mode="json", exclude={"tracks", "renamed"}, exclude_none=True)
    track = board.track.model_dump(mode="json", exclude_none=True)
    tables = {
        f"table {number}": _table(each) for number, each in enumerate(board.results.reported_on(board.track), start=1)
    }
    return flattened({"benchmark": benchmark, "track": track, "renamed": _renamings(board), **tables})


def _table(table: ReportedTable) -> dict[str, object]:
    """Give what a published table says beside its rows, which are told as rows."""
    told = table.model_dump(mode="json", exclude={"rows", "errata"}, exclude_none=True)
    errata = (each.model_dump(mode="json", exclude_none=True) for each in table.errata)
    return told | {f"erratum {number}": each for number, each in enumerate(errata, start=1)}


def _order_differences(before: Board, after: Board) -> Iterator[Difference]:
    """Compare the order of what both states have, where readers see it or sums hang on it."""
    was, now = _orders(before), _orders(after)
    for name, ids in now.items():
        one = [each for each in was[name] if each in ids]
        other = [each for each in ids if each in was[name]]
        if one != other:
            yield Difference(f"order of {name}", ", ".join(one), ", ".join(other))


def _orders(board: Board) -> dict[str, list[str]]:
    return {
        "tracks": [track.id for track in board.benchmark.tracks],
        "axes": list(board.benchmark.axes),
        "tasks": [task.id for task in board.tasks.tasks],
    }


def _renamings(board: Board) -> dict[str, str]:
    """Give by its former address what was renamed of a board, or of the benchmark as a whole."""
    homes = {f"{board.benchmark.id}/{board.track.id}", board.benchmark.id}
    parts = {each.old: each.new.split("/") for each in board.benchmark.renamed}
    return {old: "/".join(new) for old, new in parts.items() if "/".join(new[:2]) in homes}


def _task_differences(before: Board, after: Board) -> Iterator[Difference]:
    was, now = before.tasks.by_id(), after.tasks.by_id()
    for name in dict.fromkeys((*now, *was)):
        old, new = was.get(name), now.get(name)
        if old is None or new is None:
            yield Difference(f"task {name}", _size(old), _size(new))
        elif old != new:
            yield from differences(_task(old), _task(new))


def _size(task: Task | None) -> str | None:
    return counted(len(task.rounds), "round") if task else None


def _task(task: Task) -> _Values:
    """Give what stands at each place of a task, by round and case."""
    rounds = {f"round {each.n}": _round(each) for each in task.rounds}
    return flattened({**_own(task, "id", "rounds"), **rounds}, f"task {task.id}")


def _round(each: TaskRound) -> dict[str, object]:
    """Give a round with its cases and the place of each: outcomes are written in that order."""
    cases = {case.id: {"place": place, **_own(case, "id")} for place, case in enumerate(each.cases or (), start=1)}
    return {**_own(each, "n", "cases"), "cases": cases}


def _own(record: Task | TaskRound | Case, *but: str) -> dict[str, object]:
    """Give the known values of a record's fields, some left out."""
    known = {each.name: getattr(record, each.name) for each in fields(record) if each.name not in but}
    return {name: value for name, value in known.items() if value is not None}


def finding_changes(before: Board | None, after: Board | None) -> list[FindingChange]:
    """Compare the findings about a board, in the order of the later state."""
    was, now = _findings(before), _findings(after)
    changes = (_finding_change(name, was.get(name), now.get(name)) for name in dict.fromkeys((*now, *was)))
    return [change for change in changes if change.kind != "changed" or change.differences]


def _findings(board: Board | None) -> dict[str, _Values]:
    if board is None:
        return {}
    findings = board.results.findings
    rows = {entry.id for entry in board.all_entries}
    return {
        name: flattened(finding.model_dump(mode="json", exclude_none=True))
        for name, finding in zip(finding_ids(findings), findings, strict=True)
        if finding.is_on(board.track.id) and _is_about(finding, rows, board.results)
    }


def _is_about(finding: Finding, rows: AbstractSet[str], results: BenchmarkResults) -> bool:
    """Whether a finding is about rows of a board, or about no row of any: that is told on all boards that it names."""
    return not finding.submissions or not rows.isdisjoint(finding.submissions) or _is_idle(finding, results)


def _is_idle(finding: Finding, results: BenchmarkResults) -> bool:
    """Whether none of the submissions that a finding names stands on a track that it names."""
    bundles = {each.id for each in results.bundles if finding.is_on(each.submission.track)}
    rows = {row.id for table in results.reported if finding.is_on(table.track) for row in table.rows}
    return (bundles | rows).isdisjoint(finding.submissions)


def _finding_change(name: str, before: _Values | None, after: _Values | None) -> FindingChange:
    found = tuple(differences(before, after)) if before and after else ()
    return FindingChange(name, kind_of(before, after), after or before or {}, found)
