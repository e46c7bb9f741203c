"""Boards that differ between two states, with their rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from sitegen.board.board import Board
from sitegen.board.changes.cells import CellChange, TextChange, cell_changes, text_changes
from sitegen.board.changes.definitions import FindingChange, definition_differences, finding_changes
from sitegen.board.changes.difference import Difference, Kind, Value, differences, flattened, kind_of
from sitegen.board.entry import Entry
from sitegen.models.results import Bundle

POSSIBLE = "possible ranks"
"""What the ranks that a row may have are called among its differences."""


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row that is new, gone or different.

    Attributes:
        id: Its name in addresses.
        agent: What is ranked.
        kind: Whether it is new, gone or different.
        earlier: The row that it is compared with: its own, or the one of the same agent whose place it takes; empty
            where there is none.
        about: Of what its manifest says, what differs: agent, date, status, provenance, claims.
        scores: Values that differ, by metric.
        places: Its rank by score, and the ranks that it may have where that is not sure, where they differ.
        cells: Records that differ. Those of a row without an earlier one, and of one that is gone, are not listed.
        texts: Texts of failed cases that differ, by task.
    """

    id: str
    agent: str
    kind: Kind
    earlier: str
    about: Sequence[Difference]
    scores: Sequence[Difference]
    places: Sequence[Difference]
    cells: Sequence[CellChange] = ()
    texts: Sequence[TextChange] = ()

    @property
    def is_moved_only(self) -> bool:
        """Whether nothing but its ranks differ: others changed."""
        own = self.about or self.scores or self.cells or self.texts
        return self.kind == "changed" and not own

    @property
    def is_empty(self) -> bool:
        """Whether nothing differs."""
        return self.is_moved_only and not self.places


@dataclass(frozen=True, slots=True)
class BoardChange:
    """A board that is new, gone or different.

    Attributes:
        benchmark: Id of the benchmark.
        track: Id of the track.
        kind: Whether it is new, gone or different.
        about: What differs of the benchmark's and the track's definitions, and of the tasks.
        rows: Rows that differ, those whose own data changed first.
        findings: Findings about it that differ.
    """

    benchmark: str
    track: str
    kind: Kind
    about: Sequence[Difference]
    rows: Sequence[RowChange]
    findings: Sequence[FindingChange] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing differs."""
        return self.kind == "changed" and not (self.about or self.rows or self.findings)


def board_changes(before: Sequence[Board], after: Sequence[Board]) -> list[BoardChange]:
    """Compare boards by benchmark and track, in the order of the later state."""
    was, now = _by_address(before, after), _by_address(after, ())
    changes = (_board_change(where, was.get(where), now.get(where)) for where in dict.fromkeys((*now, *was)))
    return [change for change in changes if not change.is_empty]


def _by_address(boards: Sequence[Board], later: Sequence[Board]) -> dict[tuple[str, str], Board]:
    """Give boards by benchmark and track, as these are called in a later state."""
    kept = {board.benchmark.id for board in later}
    names = {each.old: each.new for board in later for each in board.benchmark.renamed if each.old not in kept}
    return {(names.get(board.benchmark.id, board.benchmark.id), board.track.id): board for board in boards}


def _board_change(where: tuple[str, str], before: Board | None, after: Board | None) -> BoardChange:
    about = definition_differences(before, after) if before and after else []
    kind, findings = kind_of(before, after), finding_changes(before, after)
    return BoardChange(*where, kind, about, row_changes(before, after), findings)


def row_changes(before: Board | None, after: Board | None) -> list[RowChange]:
    """Compare the rows of two states of a board; those whose own data changed come first."""
    was, now = _rows(before), _rows(after)
    former = _former(after)
    earlier = {name: _own(name, was, former) or _replaced(name, was, now) for name in now}
    changes = [_row_change(now[name], was.get(earlier[name]), is_new=name not in was) for name in now]
    kept = {*now, *earlier.values()}
    left = [row for name, row in was.items() if name not in kept]
    found = [*(change for change in changes if not change.is_empty), *map(_gone, left)]
    return sorted(found, key=attrgetter("is_moved_only"))


def _former(board: Board | None) -> dict[str, str]:
    """Give what rows of a board are called now by what they were called before, as its benchmark tells."""
    if board is None:
        return {}
    home = f"{board.benchmark.id}/{board.track.id}/"
    renamed = [each for each in board.benchmark.renamed if each.old.startswith(home) and each.new.startswith(home)]
    return {each.old.removeprefix(home): each.new.removeprefix(home) for each in renamed}


def _own(name: str, was: Mapping[str, "_Row"], former: Mapping[str, str]) -> str:
    """Give what a row was called in the earlier state; empty where it was not there."""
    names = (name, *(old for old, new in former.items() if new == name))
    return next((each for each in names if each in was), "")


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
    def about(self) -> dict[str, Value]:
        """What its manifest says, or its line of a published table."""
        told = self.entry.bundle.submission if self.entry.bundle else self.entry.reported
        return flattened(told.model_dump(mode="json", exclude_none=True)) if told else {}

    @property
    def scores(self) -> dict[str, Value]:
        return {name: score.value for name, score in self.entry.scores.items() if score.value is not None}

    @property
    def places(self) -> dict[str, Value]:
        """Its rank by score, and the ranks that it may have, as far as they are known."""
        found = self.board.certainty.ranks.get(self.entry.id)
        places = "-".join(map(str, sorted({*found}))) if found else None
        return {"rank": self.board.ranks.get(self.entry.id), POSSIBLE: places}

    @property
    def bundle(self) -> Bundle | None:
        """Its results as they were sent in, where it has any: what findings do to them shows in the scores."""
        return self.entry.sent


def _moves(before: Mapping[str, Value], after: Mapping[str, Value]) -> list[Difference]:
    """Compare ranks; possible ones that are sure before and after are those by score, and not told twice."""
    found = differences(before, after)
    return [each for each in found if each.name != POSSIBLE or "-" in f"{each.before}{each.after}"]


def _gone(row: _Row) -> RowChange:
    scores = differences(row.scores, {})
    return RowChange(row.entry.id, row.entry.agent.name, "removed", "", [], scores, _moves(row.places, {}))


def _row_change(after: _Row, before: _Row | None, *, is_new: bool) -> RowChange:
    name, agent = after.entry.id, after.entry.agent.name
    kind: Kind = "new" if is_new else "changed"
    if before is None:
        return RowChange(name, agent, kind, "", [], differences({}, after.scores), _moves({}, after.places))
    change = RowChange(
        name,
        agent,
        kind,
        before.entry.id,
        differences(before.about, after.about),
        differences(before.scores, after.scores),
        _moves(before.places, after.places),
    )
    if before.bundle is None or after.bundle is None or before.bundle is after.bundle:
        return change
    if not after.bundle.rounds:  # a redaction took them: a report does not tell once more what had to leave
        return replace(change, about=[each for each in change.about if each.after is not None])
    cells, texts = cell_changes(before.bundle, after.bundle), text_changes(before.bundle, after.bundle)
    return replace(change, cells=cells, texts=texts)
