"""Changes as people and programs read them."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain, filterfalse, islice
from operator import attrgetter

from sitegen.board.changes.boards import BoardChange, RowChange
from sitegen.board.changes.cells import CellChange
from sitegen.board.changes.definitions import FindingChange
from sitegen.board.changes.difference import Difference
from sitegen.board.changes.room import LARGEST_REPORT, ROOMS, Room, in_a_line, listed, rest_of
from sitegen.board.changes.wording import TOLD, Wording, rounds_of, start_of
from sitegen.board.export import Json
from sitegen.models.release import Release
from sitegen.problems import Problem, counted

_SHORTENED = (
    "Shortened: lists end with how many more there are. What differs and what is gone is told before what is new. "
    "`sitegen diff` tells all as text and as JSON; a check keeps it beside this report, as `changes.txt`."
)


@dataclass(frozen=True, slots=True)
class Changes:
    """What differs between two states of a results folder.

    Attributes:
        boards: Boards that differ.
        new: Problems that the later state has and the earlier one has not.
        gone: Problems that the earlier state had and the later one has not.
        releases: Releases that the earlier state has not.
    """

    boards: Sequence[BoardChange]
    new: Sequence[Problem] = ()
    gone: Sequence[Problem] = ()
    releases: Sequence[Release] = ()

    @property
    def are_none(self) -> bool:
        """Whether nothing differs."""
        return not (self.boards or self.new or self.gone or self.releases)


def as_json(changes: Changes) -> Json:
    """Give changes as a document, with every value at full precision."""
    return {
        "schema": 1,
        "boards": [asdict(board) for board in changes.boards],
        "problems": {
            "new": [_problem(each) for each in changes.new],
            "gone": [_problem(each) for each in changes.gone],
        },
        "releases": [{"date": str(each.date), "title": each.title} for each in changes.releases],
    }


def _problem(problem: Problem) -> Json:
    return {
        "code": problem.code,
        "severity": problem.severity,
        "path": problem.path.as_posix(),
        "line": problem.line,
        "what": problem.what,
        "fix": problem.fix,
    }


def as_text(changes: Changes) -> list[str]:
    """Tell changes as lines of text, all of them."""
    return list(_Telling(Wording(markdown=False), Room()).all(changes))


def as_markdown(changes: Changes, largest: int = LARGEST_REPORT) -> list[str]:
    """Tell changes as lines of Markdown that are safe to publish in a comment, and fit one.

    Args:
        changes: What differs.
        largest: Bytes that the lines may have. Where all of it is longer, lists are shortened: first what is new,
            then what only moved, and last problems and whatever differs or is gone of what was there.
    """
    wording = Wording(markdown=True)
    whole, *shorter = ROOMS
    lines = list(_Telling(wording, whole).all(changes))
    for room in shorter:
        if _size(lines) <= largest:
            break
        lines = [_SHORTENED, "", *_Telling(wording, room).all(changes)]
    return lines


def _size(lines: Sequence[str]) -> int:
    return sum(len(line.encode()) + 1 for line in lines)


@dataclass(frozen=True, slots=True)
class _Telling:
    """One way to tell changes, in so much room."""

    wording: Wording
    room: Room

    def all(self, changes: Changes) -> Iterator[str]:
        """Tell everything, redactions and problems first."""
        if changes.are_none:
            yield "Nothing differs."
        yield from self._redactions(changes.boards)
        yield from self._problems("New problems", changes.new, self.room.others)
        yield from self._releases(changes.releases)
        new = [board for board in changes.boards if board.kind == "new"]
        others = [board for board in changes.boards if board.kind != "new"]
        for boards, most, what in (
            (others, self.room.rows, " boards that differ or are gone"),
            (new, self.room.new_boards, " new boards"),
        ):
            yield from chain.from_iterable(map(self._board, islice(boards, most)))
            yield from rest_of(len(boards) - most, what=what)
        yield from self._problems("Problems that are gone", changes.gone, self.room.moves)

    def _redactions(self, boards: Sequence[BoardChange]) -> Iterator[str]:
        """List what is new of them: what others published leaves by them, and no check refuses it."""
        new = (each for board in boards for each in board.findings if each.kind == "new")
        told = dict.fromkeys(self.wording.finding(each) for each in new if each.values.get("kind") == "redaction")
        if told:
            yield from self.wording.title(2, f"New redactions: {len(told)}")
            yield from (*listed([*told], self.room.rows), "")

    def _releases(self, releases: Sequence[Release]) -> Iterator[str]:
        if releases:
            yield from self.wording.title(2, f"New releases: {len(releases)}")
            told = [f"- {each.date} {self.wording.quoted(each.name, TOLD)}" for each in releases]
            yield from (*listed(told, self.room.others), "")

    def _problems(self, title: str, problems: Sequence[Problem], most: int) -> Iterator[str]:
        """List problems, errors first."""
        if problems:
            yield from self.wording.title(2, f"{title}: {len(problems)}")
            errors_first = sorted(problems, key=lambda each: not each.is_error)
            yield from listed([self._problem(each) for each in errors_first], most)
            yield ""

    def _problem(self, problem: Problem) -> str:
        quoted = self.wording.quoted
        place = problem.path.as_posix() + (f":{problem.line}" if problem.line else "")
        return f"- {problem.severity} {quoted(problem.code)} {quoted(place, TOLD)}: {quoted(problem.what, TOLD)}"

    def _board(self, board: BoardChange) -> Iterator[str]:
        """Tell what became of a board: what is gone or differs comes before what is new."""
        name = self.wording.quoted(f"{board.benchmark}/{board.track}", TOLD)
        yield from self.wording.title(2, f"{name}{_about(board.kind)}")
        yield _summary(board)
        yield ""
        yield from self._definitions(board)
        own = [row for row in board.rows if not row.is_moved_only]
        touched = sorted(filterfalse(_is_addition, own), key=lambda row: row.kind != "removed")
        yield from self._rows(touched, self.room.rows, " rows that differ or are gone")
        yield from self._rows(list(filter(_is_addition, own)), self.room.additions, " new rows")
        yield from self._moves([row for row in board.rows if row.is_moved_only])

    def _rows(self, rows: Sequence[RowChange], most: int, what: str) -> Iterator[str]:
        yield from chain.from_iterable(map(self._row, rows[:most]))
        if len(rows) > most:
            yield from (*rest_of(len(rows) - most, what=what), "")

    def _definitions(self, board: BoardChange) -> Iterator[str]:
        new = list(filter(_is_new_task, board.about))
        told = [
            *self._differences("Definitions", list(filterfalse(_is_new_task, board.about))),
            *self._differences("New tasks", new, self.room.additions),
            *listed(list(map(self.wording.finding, sorted(board.findings, key=_is_mere_note))), self.room.others),
        ]
        yield from told
        if told:
            yield ""

    def _row(self, row: RowChange) -> Iterator[str]:
        quoted = self.wording.quoted
        yield from self.wording.title(3, f"{quoted(row.agent)} ({quoted(row.id, TOLD)}){_about(row.kind)}")
        if row.earlier not in {"", row.id}:
            yield f"- In the place of {quoted(row.earlier, TOLD)}, with which it is compared"
        yield from self._differences("Ranks", row.places)
        yield from self._differences("Scores", row.scores)
        yield from self._differences("Manifest", row.about)
        texts = [
            f"- Texts of failed cases of {quoted(text.task, TOLD)}: {text.gone} gone, {text.new} new"
            for text in row.texts
        ]
        yield from listed(texts, self.room.others)
        if row.cells:
            yield f"- Records: {len(row.cells)}"
            yield from self._cells(row.cells)
        yield ""

    def _cells(self, cells: Sequence[CellChange]) -> Iterator[str]:
        """List the records that differ one by one, and those that are new or gone by task and attempt."""
        changed = [cell for cell in cells if cell.kind == "changed"]
        yield from listed([f"  - {self.wording.record(cell)}" for cell in changed], self.room.others, "  ")
        for kind, most in (("removed", self.room.others), ("new", self.room.additions)):
            groups: dict[str, list[CellChange]] = defaultdict(list)
            for cell in cells:
                if cell.kind == kind:
                    groups[f"{self.wording.place(cell)}{start_of(cell)}: {kind}"].append(cell)
            yield from listed([f"  - {told}: {rounds_of(group)}" for told, group in groups.items()], most, "  ")

    def _moves(self, rows: Sequence[RowChange]) -> Iterator[str]:
        if rows:
            yield from self.wording.title(3, "Moved by the others")
            yield from listed([self._move(row) for row in rows], self.room.moves)
            yield ""

    def _move(self, row: RowChange) -> str:
        told = ", ".join(f"{each.name} {self.wording.turn(each)}" for each in row.places)
        return f"- {self.wording.quoted(row.agent)} ({self.wording.quoted(row.id, TOLD)}): {told}"

    def _differences(self, title: str, found: Sequence[Difference], most: int | None = None) -> Iterator[str]:
        if found:
            parts = [self.wording.difference(each) for each in found]
            yield from in_a_line(title, parts, self.room.others if most is None else most)


def _summary(board: BoardChange) -> str:
    own = [row for row in board.rows if not row.is_moved_only]
    kinds = list(map(attrgetter("kind"), own))
    told = [
        *(f"{counted(kinds.count(kind), 'row')} {kind}" for kind in ("new", "removed", "changed")),
        f"{counted(sum(len(row.cells) for row in own), 'record')} changed",
        f"{counted(len(board.rows) - len(own), 'row')} only moved",
    ]
    return f"{', '.join(told)}."


def _is_mere_note(change: FindingChange) -> bool:
    """Whether a finding came that has no effect and lets nothing pass: others are told before it."""
    said = change.values
    return change.kind == "new" and said.get("kind") != "waiver" and said.get("effect") in {None, "note"}


def _is_new_task(found: Difference) -> bool:
    """Whether a difference is a task as a whole: those of its parts have names that go on."""
    return found.before is None and found.name.startswith("task ") and "." not in found.name


def _is_addition(row: RowChange) -> bool:
    """Whether a row came without taking the place of another."""
    return row.kind == "new" and not row.earlier


def _about(kind: str) -> str:
    return "" if kind == "changed" else f": {kind}"
