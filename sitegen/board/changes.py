"""What differs between two states of boards: definitions, tasks, findings, rows, and every record behind them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from operator import attrgetter
from typing import TypeAlias

from sitegen.board.board import Board
from sitegen.board.differences import (
    CellChange,
    Difference,
    Kind,
    TextChange,
    Value,
    cell_changes,
    differences,
    differing,
    flattened,
    kind_of,
    side_by_side,
    text_changes,
)
from sitegen.board.entry import Entry
from sitegen.models.finding import Finding, finding_ids
from sitegen.models.reported import ReportedTable
from sitegen.models.task import Case, Task, TaskRound
from sitegen.problems import counted

_Values: TypeAlias = dict[str, Value]

POSSIBLE = "possible ranks"
"""What the ranks that a row may have are called among its differences."""


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row that is new, gone or different."""

    id: str
    agent: str
    kind: Kind
    earlier: str
    """The row that it is compared with: its own, or the one of the same agent whose place it takes; may be empty."""
    about: Sequence[Difference]
    """Of what its manifest says: agent, date, status, provenance, claims."""
    scores: Sequence[Difference]
    """By metric."""
    places: Sequence[Difference]
    """Its rank by score, and the ranks that it may have where that is not sure."""
    cells: Sequence[CellChange] = ()
    """Records. Those of a row without an earlier one, and of one that is gone, are not listed."""
    texts: Sequence[TextChange] = ()

    @property
    def is_moved_only(self) -> bool:
        """Whether nothing but its ranks differ: others changed."""
        return self.kind == "changed" and not (self.about or self.scores or self.cells or self.texts)

    @property
    def is_empty(self) -> bool:
        """Whether nothing differs."""
        return self.is_moved_only and not self.places


@dataclass(frozen=True, slots=True)
class FindingChange:
    """A finding that is new, gone or different."""

    id: str
    kind: Kind
    values: Mapping[str, Value]
    """What it says, or said where it is gone, by its keys."""
    differences: tuple[Difference, ...] = ()


@dataclass(frozen=True, slots=True)
class BoardChange:
    """A board that is new, gone or different."""

    benchmark: str
    track: str
    kind: Kind
    about: Sequence[Difference]
    """Of the benchmark's and the track's definitions, and of the tasks."""
    rows: Sequence[RowChange]
    """Those whose own data changed first."""
    findings: Sequence[FindingChange] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing differs."""
        return self.kind == "changed" and not (self.about or self.rows or self.findings)


def board_changes(before: Sequence[Board], after: Sequence[Board]) -> list[BoardChange]:
    """Compare boards by benchmark and track, in the order of the later state, and as they are called there."""
    kept = {board.benchmark.id for board in after}
    names = {each.old: each.new for board in after for each in board.benchmark.renamed if each.old not in kept}
    then = {(names.get(board.benchmark.id, board.benchmark.id), board.track.id): board for board in before}
    now = {(board.benchmark.id, board.track.id): board for board in after}
    changes = []
    for where, new, old in side_by_side(now, then):
        about = definition_differences(old, new) if old and new else []
        found = BoardChange(*where, kind_of(old, new), about, row_changes(old, new), finding_changes(old, new))
        changes.append(found)
    return [change for change in changes if not change.is_empty]


def definition_differences(before: Board, after: Board) -> list[Difference]:
    """Compare the benchmark, the track and the tasks of two states of a board; a task that is new or gone is one.

    The order of what both have is compared where readers see it or sums hang on it.
    """
    found = differences(_definition(before), _definition(after))
    for name, new, old in differing(after.tasks.by_id(), before.tasks.by_id()):
        if old and new:
            found += differences(_task(old), _task(new))
        else:
            sizes = (counted(len(each.rounds), "round") if each else None for each in (old, new))
            found.append(Difference(f"task {name}", *sizes))
    was, now = _orders(before), _orders(after)
    for name, ids in now.items():
        one = [each for each in was[name] if each in ids]
        other = [each for each in ids if each in was[name]]
        if one != other:
            found.append(Difference(f"order of {name}", ", ".join(one), ", ".join(other)))
    return found


def _definition(board: Board) -> _Values:
    home = f"{board.benchmark.id}/{board.track.id}"
    places = {each.old: each.new.split("/") for each in board.benchmark.renamed}
    renamed = {old: "/".join(new) for old, new in places.items() if "/".join(new[:2]) in {home, board.benchmark.id}}
    tables = enumerate(board.results.reported_on(board.track), start=1)
    return flattened(
        {
            "benchmark": board.benchmark.model_dump(mode="json", exclude={"tracks", "renamed"}, exclude_none=True),
            "track": board.track.model_dump(mode="json", exclude_none=True),
            "renamed": renamed,
            **{f"table {number}": _table(each) for number, each in tables},
        }
    )


def _table(table: ReportedTable) -> dict[str, object]:
    """What a published table says beside its rows, which are told as rows."""
    told = table.model_dump(mode="json", exclude={"rows", "errata"}, exclude_none=True)
    errata = (each.model_dump(mode="json", exclude_none=True) for each in table.errata)
    return told | {f"erratum {number}": each for number, each in enumerate(errata, start=1)}


def _orders(board: Board) -> dict[str, list[str]]:
    return {
        "tracks": [track.id for track in board.benchmark.tracks],
        "axes": list(board.benchmark.axes),
        "tasks": [task.id for task in board.tasks.tasks],
    }


def _task(task: Task) -> _Values:
    """What stands at each place of a task, by round and case, with each case's place: outcomes are in that order."""
    rounds = {}
    for each in task.rounds:
        cases = {case.id: {"place": place, **_own(case, "id")} for place, case in enumerate(each.cases or (), start=1)}
        rounds[f"round {each.n}"] = {**_own(each, "n", "cases"), "cases": cases}
    return flattened({**_own(task, "id", "rounds"), **rounds}, f"task {task.id}")


def _own(record: Task | TaskRound | Case, *but: str) -> dict[str, object]:
    """The known values of a record's fields, some left out."""
    known = {each.name: getattr(record, each.name) for each in fields(record) if each.name not in but}
    return {name: value for name, value in known.items() if value is not None}


def finding_changes(before: Board | None, after: Board | None) -> list[FindingChange]:
    """Compare the findings about a board, in the order of the later state."""
    changes = []
    for name, now, was in differing(_findings(after), _findings(before)):
        found = tuple(differences(was, now)) if was and now else ()
        changes.append(FindingChange(name, kind_of(was, now), now or was or {}, found))
    return changes


def _findings(board: Board | None) -> dict[str, _Values]:
    """The findings about rows of a board, and those about no row of any: all boards tell these that they name."""
    if board is None:
        return {}
    results, rows = board.results, {entry.id for entry in board.all_entries}

    def is_idle(finding: Finding) -> bool:
        bundles = {each.id for each in results.bundles if finding.is_on(each.submission.track)}
        lines = {row.id for table in results.reported if finding.is_on(table.track) for row in table.rows}
        return (bundles | lines).isdisjoint(finding.submissions)

    return {
        name: flattened(each.model_dump(mode="json", exclude_none=True))
        for name, each in zip(finding_ids(results.findings), results.findings, strict=True)
        if each.is_on(board.track.id)
        and (not each.submissions or not rows.isdisjoint(each.submissions) or is_idle(each))
    }


def row_changes(before: Board | None, after: Board | None) -> list[RowChange]:
    """Compare the rows of two states of a board; those whose own data changed come first."""
    was, now, former = _rows(before), _rows(after), _former(after)
    changes, kept = [], {*now}
    for name, row in now.items():
        own = next((each for each in (name, *former.get(name, ())) if each in was), "")
        earlier = own or _replaced(name, was, now)
        kept.add(earlier)
        changes.append(_row_change(row, was.get(earlier), "changed" if name in was else "new"))
    gone = [
        RowChange(name, row.entry.agent.name, "removed", "", [], differences(row.scores, {}), _moves(row.places, {}))
        for name, row in was.items()
        if name not in kept
    ]
    return sorted([*(change for change in changes if not change.is_empty), *gone], key=attrgetter("is_moved_only"))


def _former(board: Board | None) -> Mapping[str, Sequence[str]]:
    """What rows of a board were called before, by what they are called now, as its benchmark tells."""
    found: dict[str, list[str]] = defaultdict(list)
    home = f"{board.benchmark.id}/{board.track.id}/" if board else ""
    for each in board.benchmark.renamed if board else ():
        if each.old.startswith(home) and each.new.startswith(home):
            found[each.new.removeprefix(home)].append(each.old.removeprefix(home))
    return found


def _replaced(name: str, was: Mapping[str, "_Row"], now: Mapping[str, "_Row"]) -> str:
    """Find the row that a new row replaces; empty where there is none.

    It is the one whose status names it, or the one that is gone of the same agent; of several none is taken.
    """
    named = [other for other in now.keys() & was.keys() if now[other].entry.status.by == name]
    gone = [other for other in was.keys() - now.keys() if was[other].agent == now[name].agent]
    found = named or gone
    return found[0] if len(found) == 1 else ""


def _rows(board: Board | None) -> dict[str, "_Row"]:
    return {} if board is None else {entry.id: _Row(board, entry) for entry in board.all_entries}


@dataclass(frozen=True, slots=True)
class _Row:
    """A row with what is compared of it."""

    board: Board
    entry: Entry

    @property
    def agent(self) -> tuple[str | None, ...]:
        """What tells its agent from others."""
        agent = self.entry.agent
        return agent.name, agent.scaffold, agent.reasoning

    @property
    def about(self) -> _Values:
        """What its manifest says, or its line of a published table."""
        told = self.entry.bundle.submission if self.entry.bundle else self.entry.reported
        return flattened(told.model_dump(mode="json", exclude_none=True)) if told else {}

    @property
    def scores(self) -> _Values:
        return {name: score.value for name, score in self.entry.scores.items() if score.value is not None}

    @property
    def places(self) -> _Values:
        """Its rank by score, and the ranks that it may have, as far as they are known."""
        found = self.board.certainty.ranks.get(self.entry.id)
        places = "-".join(map(str, sorted({*found}))) if found else None
        return {"rank": self.board.ranks.get(self.entry.id), POSSIBLE: places}


def _moves(before: Mapping[str, Value], after: Mapping[str, Value]) -> list[Difference]:
    """Compare ranks; possible ones that are sure before and after are those by score, and not told twice."""
    found = differences(before, after)
    return [each for each in found if each.name != POSSIBLE or "-" in f"{each.before}{each.after}"]


def _row_change(after: _Row, before: _Row | None, kind: Kind) -> RowChange:
    name, agent = after.entry.id, after.entry.agent.name
    if before is None:
        return RowChange(name, agent, kind, "", [], differences({}, after.scores), _moves({}, after.places))
    about, scores = differences(before.about, after.about), differences(before.scores, after.scores)
    change = RowChange(name, agent, kind, before.entry.id, about, scores, _moves(before.places, after.places))
    # Results are compared as they were sent in: what findings do to them shows in the scores.
    was, now = before.entry.sent, after.entry.sent
    if was is None or now is None or was is now:
        return change
    if not now.rounds:  # a redaction took them: a report does not tell once more what had to leave
        return replace(change, about=[each for each in about if each.after is not None])
    return replace(change, cells=cell_changes(was, now), texts=text_changes(was, now))


@dataclass(frozen=True, slots=True)
class Turn:
    """A row whose conclusions a finding changed, each from without it to with it; None for what stays."""

    id: str
    agent: str
    score: Difference | None
    """Its headline score."""
    rank: Difference | None
    """Its rank by score."""
    possible: Difference | None
    """The ranks that it may have where that is not sure."""


@dataclass(frozen=True, slots=True)
class Conclusions:
    """What a finding changed on a board: scores, ranks, who is first."""

    turns: Sequence[Turn]
    """Rows that changed, those whose rank changed first."""
    highest: tuple[Sequence[str], Sequence[str]]
    """Agents of the best score without the finding, and with it: whether they lead is another question."""
    rows: int
    """How many rows the board ranks."""

    @property
    def scored(self) -> int:
        """How many rows have another headline score."""
        return sum(turn.score is not None for turn in self.turns)

    @property
    def moved(self) -> list[Turn]:
        """Rows of another rank by score."""
        return [turn for turn in self.turns if turn.rank]

    @property
    def reconsidered(self) -> list[Turn]:
        """Rows whose rank by score stays, and whose possible ranks changed."""
        return [turn for turn in self.turns if turn.possible and not turn.rank]

    @property
    def has_other_highest(self) -> bool:
        """Whether somebody else has the best score."""
        return set(self.highest[0]) != set(self.highest[1])


def conclusions_of(board: Board, finding: Finding) -> Conclusions | None:
    """Compare a board with what it would be without one of its findings; None where that changes none of its rows."""
    before = board.without(finding)
    if before is board:
        return None
    headline = board.headline.id
    turns = [
        Turn(row.id, row.agent, _of(row.scores, headline), _of(row.places, "rank"), _of(row.places, POSSIBLE))
        for row in row_changes(before, board)
    ]
    order = {entry.id: number for number, entry in enumerate(board.all_entries)}
    told = [turn for turn in turns if turn.score or turn.rank or turn.possible]
    told.sort(key=lambda turn: (turn.rank is None, order[turn.id]))
    return Conclusions(told, (_highest(before), _highest(board)), len(board.ranks))


def _of(found: Sequence[Difference], name: str) -> Difference | None:
    return next((each for each in found if each.name == name), None)


def _highest(board: Board) -> list[str]:
    return [entry.agent.name for entry in board.entries if board.ranks.get(entry.id) == 1]
