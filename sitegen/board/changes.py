"""What differs between two states of boards: definitions, tasks, findings, rows, and every record behind them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
    known_fields,
    side_by_side,
    text_changes,
)
from sitegen.board.entry import Entry
from sitegen.models.finding import Finding, finding_ids
from sitegen.models.task import Task
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
    rank: Difference
    """Its rank in one value before and after, which may be equal: the ranks that it may have, such as "3-10".

    Where its order is not tested this is its rank by score, and None for a row that is not ranked.
    """
    cells: Sequence[CellChange] = ()
    """Records. Those of a row without an earlier one, and of one that is gone, are not listed."""
    texts: Sequence[TextChange] = ()

    @property
    def is_moved_only(self) -> bool:
        """Whether nothing but its ranks differ: others changed."""
        return self.kind == "changed" and not (
            self.about or self.scores or self.cells or self.texts
        )

    @property
    def has_other_rank(self) -> bool:
        """Whether it was there before, under this name or another, and its rank is another one now."""
        return self.kind == "changed" and self.rank.before != self.rank.after

    @property
    def is_addition(self) -> bool:
        """Whether it came without taking the place of another."""
        return self.kind == "new" and not self.earlier


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
    names = {
        each.old: each.new
        for board in after
        for each in board.benchmark.renamed
        if each.old not in kept
    }
    then = {
        (names.get(board.benchmark.id, board.benchmark.id), board.track.id): board
        for board in before
    }
    now = {(board.benchmark.id, board.track.id): board for board in after}
    changes = []
    for where, new, old in side_by_side(now, then):
        about = definition_differences(old, new) if old and new else []
        found = BoardChange(
            *where, kind_of(old, new), about, row_changes(old, new), finding_changes(old, new)
        )
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
    was, now = (
        {
            "tracks": [track.id for track in board.benchmark.tracks],
            "axes": list(board.benchmark.axes),
            "tasks": [task.id for task in board.tasks.tasks],
        }
        for board in (before, after)
    )
    for name, ids in now.items():
        one = [each for each in was[name] if each in ids]
        other = [each for each in ids if each in was[name]]
        if one != other:
            found.append(Difference(f"order of {name}", ", ".join(one), ", ".join(other)))
    return found


def _definition(board: Board) -> _Values:
    """What a board is defined by; of published tables, what they say beside their rows, which are told as rows."""
    home = f"{board.benchmark.id}/{board.track.id}"
    names = {each.old: each.new for each in board.benchmark.renamed}
    found: dict[str, object] = {
        "benchmark": board.benchmark.model_dump(
            mode="json", exclude={"tracks", "renamed"}, exclude_none=True
        ),
        "track": board.track.model_dump(mode="json", exclude_none=True),
        "renamed": {
            old: new
            for old, new in names.items()
            if "/".join(new.split("/")[:2]) in {home, board.benchmark.id}
        },
    }
    for number, table in enumerate(board.results.reported_on(board.track), start=1):
        told = table.model_dump(mode="json", exclude_none=True)
        del told["rows"]
        told |= {f"erratum {place}": each for place, each in enumerate(told.pop("errata"), start=1)}
        told |= {f"exhibit {each.pop('id')}": each for each in told.pop("exhibits")}
        found[f"table {number}"] = told
    return flattened(found)


def _task(task: Task) -> _Values:
    """What stands at each place of a task, by round and case, with each case's place: outcomes are in that order."""
    rounds = {}
    for each in task.rounds:
        cases = enumerate(each.cases or (), start=1)
        told = {case.id: {"place": place, **known_fields(case, "id")} for place, case in cases}
        rounds[f"round {each.n}"] = {**known_fields(each, "n", "cases"), "cases": told}
    return flattened({**known_fields(task, "id", "rounds"), **rounds}, f"task {task.id}")


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
        lines = {
            row.id for table in results.reported if finding.is_on(table.track) for row in table.rows
        }
        return (bundles | lines).isdisjoint(finding.submissions)

    return {
        name: flattened(each.model_dump(mode="json", exclude_none=True))
        for name, each in zip(finding_ids(results.findings), results.findings, strict=True)
        if each.is_on(board.track.id)
        and (not each.submissions or not rows.isdisjoint(each.submissions) or is_idle(each))
    }


def row_changes(before: Board | None, after: Board | None) -> list[RowChange]:
    """Compare the rows of two states of a board; those whose own data changed come first."""
    was, now = (
        {entry.id: entry for entry in board.all_entries} if board else {}
        for board in (before, after)
    )
    home = f"{after.benchmark.id}/{after.track.id}/" if after else ""
    renamed = [
        (each.old.removeprefix(home), each.new.removeprefix(home))
        for each in (after.benchmark.renamed if after else ())
        if each.old.startswith(home) and each.new.startswith(home)
    ]
    changes, kept = [], {*now}
    for name, entry in now.items():
        names = (name, *(old for old, new in renamed if new == name))
        earlier = next(filter(was.__contains__, names), None) or _replaced(name, was, now)
        kept.add(earlier)
        then = (before, was[earlier]) if before and earlier else None
        changes.append(
            _row_change(
                "changed" if name in was else "new", then, (after, entry) if after else None
            )
        )
    changes = [each for each in changes if each.places or not each.is_moved_only]
    gone = [
        _row_change("removed", (before, entry), None)
        for name, entry in was.items()
        if before and name not in kept
    ]
    return sorted([*changes, *gone], key=attrgetter("is_moved_only"))


def _replaced(name: str, was: Mapping[str, Entry], now: Mapping[str, Entry]) -> str:
    """The row that a new row replaces: the one that names it, or the only one of its agent that is gone; else empty."""
    same = attrgetter("name", "scaffold", "reasoning")
    named = [other for other in now.keys() & was.keys() if now[other].status.by == name]
    gone = [
        other
        for other in was.keys() - now.keys()
        if same(was[other].agent) == same(now[name].agent)
    ]
    found = named or gone
    return found[0] if len(found) == 1 else ""


def _figures(board: Board, entry: Entry) -> tuple[_Values, _Values]:
    """The scores of a row, and its ranks as far as they are known: by score, and those that it may have."""
    scores: _Values = {
        name: score.value for name, score in entry.scores.items() if score.value is not None
    }
    return scores, {"rank": board.ranks.get(entry.id), POSSIBLE: board.certainty.place(entry)}


def _about(entry: Entry) -> _Values:
    """What a row's manifest says, or its line of a published table."""
    told = entry.bundle.submission if entry.bundle else entry.reported
    return flattened(told.model_dump(mode="json", exclude_none=True)) if told else {}


def _row_change(
    kind: Kind, before: tuple[Board, Entry] | None, after: tuple[Board, Entry] | None
) -> RowChange:
    (scores, places), (new_scores, new_places) = (
        _figures(*row) if row else ({}, {}) for row in (before, after)
    )
    # Possible ranks that are sure before and after are those by score, and not told twice.
    ranks = [
        each
        for each in differences(places, new_places)
        if each.name != POSSIBLE or "-" in f"{each.before}{each.after}"
    ]
    rank = Difference(
        "rank", *(each.get(POSSIBLE) or each.get("rank") for each in (places, new_places))
    )
    rows = [row for _, row in filter(None, (before, after))]
    scored = differences(scores, new_scores)
    change = RowChange(rows[-1].id, rows[-1].agent.name, kind, "", [], scored, ranks, rank)
    if not (before and after):
        return change
    old, new = rows
    about = differences(_about(old), _about(new))
    change = replace(change, earlier=old.id, about=about)
    # Results are compared as they were sent in: what findings do to them shows in the scores.
    was, now = old.sent, new.sent
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
    """How many rows the board has, ranked or not."""

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


def conclusions_of(board: Board, finding: Finding) -> Conclusions | None:
    """Compare a board with what it would be without one of its findings; None where that changes none of its rows."""
    before = board.without(finding)
    if before is board:
        return None
    turns = []
    for row in row_changes(before, board):
        found = {each.name: each for each in (*row.scores, *row.places)}
        turns.append(
            Turn(row.id, row.agent, *map(found.get, (board.headline.id, "rank", POSSIBLE)))
        )
    order = {entry.id: number for number, entry in enumerate(board.all_entries)}
    told = [turn for turn in turns if turn.score or turn.rank or turn.possible]
    told.sort(key=lambda turn: (turn.rank is None, order[turn.id]))
    return Conclusions(told, (_highest(before), _highest(board)), len(board.all_entries))


def _highest(board: Board) -> list[str]:
    return [entry.agent.name for entry in board.entries if board.ranks.get(entry.id) == 1]
