"""Changes as people and programs read them. Every text that came from elsewhere is quoted: it may be hostile."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby

from sitegen.board.changes.boards import BoardChange, RowChange
from sitegen.board.changes.cells import CellChange
from sitegen.board.changes.difference import Difference, Value
from sitegen.board.export import Json
from sitegen.errors import Problem, counted

_LISTED = 200
"""So many records of a row are listed as text; all are counted, and all stand in the JSON."""

_LONG = 60
"""So many characters of a value are shown as text."""

_TOLD = 1000
"""And so many of what a problem says: it names cells."""

_NOTHING = "\N{EN DASH}"


@dataclass(frozen=True, slots=True)
class Changes:
    """What differs between two states of a results folder.

    Attributes:
        boards: Boards that differ.
        new: Problems that the later state has and the earlier one has not.
        gone: Problems that the earlier state had and the later one has not.
    """

    boards: Sequence[BoardChange]
    new: Sequence[Problem] = ()
    gone: Sequence[Problem] = ()

    @property
    def are_none(self) -> bool:
        """Whether nothing differs."""
        return not (self.boards or self.new or self.gone)


def as_json(changes: Changes) -> Json:
    """Give changes as a document, with every value at full precision."""
    return {
        "schema": 1,
        "boards": [asdict(board) for board in changes.boards],
        "problems": {
            "new": [_problem(each) for each in changes.new],
            "gone": [_problem(each) for each in changes.gone],
        },
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


def as_lines(changes: Changes, *, markdown: bool) -> Iterator[str]:
    """Tell changes as text, or as Markdown that is safe to publish in a comment."""
    if changes.are_none:
        yield "Nothing differs."
    for board in changes.boards:
        yield from _Telling(markdown=markdown).board(board)
    for title, problems in (("New problems", changes.new), ("Problems that are gone", changes.gone)):
        if problems:
            yield from _Telling(markdown=markdown).problems(title, problems)


@dataclass(frozen=True, slots=True)
class _Telling:
    """One way to tell changes."""

    markdown: bool

    def board(self, board: BoardChange) -> Iterator[str]:
        """Tell what became of a board."""
        own = [row for row in board.rows if not row.is_moved_only]
        yield from self._title(2, f"{self._quoted(f'{board.benchmark}/{board.track}')}{_about(board.kind)}")
        yield self._summary(board, own)
        yield from self._differences("Definitions", board.about)
        for row in own:
            yield from self._row(row)
        moved = [row for row in board.rows if row.is_moved_only]
        yield from self._moves(moved)

    def problems(self, title: str, problems: Sequence[Problem]) -> Iterator[str]:
        """List problems."""
        yield from self._title(2, f"{title}: {len(problems)}")
        for each in problems:
            place = each.path.as_posix() + (f":{each.line}" if each.line else "")
            yield f"- {each.severity} {self._quoted(each.code)} {self._quoted(place)}: {self._quoted(each.what, _TOLD)}"
        yield ""

    def _summary(self, board: BoardChange, own: Sequence[RowChange]) -> str:
        kinds = [row.kind for row in own]
        cells = sum(len(row.cells) for row in own)
        parts = [f"{counted(kinds.count(kind), 'row')} {kind}" for kind in ("new", "removed", "changed")]
        told = [
            *parts,
            f"{counted(cells, 'record')} changed",
            f"{counted(len(board.rows) - len(own), 'row')} only moved",
        ]
        return f"{', '.join(told)}.\n"

    def _row(self, row: RowChange) -> Iterator[str]:
        yield from self._title(3, f"{self._quoted(row.agent)} ({self._quoted(row.id)}){_about(row.kind)}")
        if row.earlier not in {"", row.id}:
            yield f"- In the place of {self._quoted(row.earlier)}, with which it is compared"
        yield from self._differences("Place", row.places)
        yield from self._differences("Scores", row.scores)
        yield from self._differences("Manifest", row.about)
        for text in row.texts:
            yield f"- Texts of failed cases of {self._quoted(text.task, _TOLD)}: {text.gone} gone, {text.new} new"
        if row.cells:
            yield f"- Records: {len(row.cells)}"
            yield from self._cells(row.cells)
        yield ""

    def _cells(self, cells: Sequence[CellChange]) -> Iterator[str]:
        """List the records that differ one by one, and those that are new or gone by task and attempt."""
        changed = [cell for cell in cells if cell.kind == "changed"]
        for cell in changed[:_LISTED]:
            yield f"  - {self._place(cell)}, {_rounds([cell])}{_start(cell)}: {self._record(cell)}"
        if len(changed) > _LISTED:
            yield f"  - and {len(changed) - _LISTED} more"
        groups: dict[str, list[CellChange]] = defaultdict(list)
        for cell in cells:
            groups[f"{self._place(cell)}{_start(cell)}: {cell.kind}"].append(cell)
        yield from (f"  - {told}: {_rounds(group)}" for told, group in groups.items() if group[0].kind != "changed")

    def _place(self, cell: CellChange) -> str:
        return f"{self._quoted(cell.task, _TOLD)}, attempt {cell.attempt}"

    def _record(self, cell: CellChange) -> str:
        return "; ".join(f"{self._quoted(each.name)} {self._turn(each)}" for each in cell.differences)

    def _moves(self, rows: Sequence[RowChange]) -> Iterator[str]:
        if rows:
            yield from self._title(3, "Moved by the others")
        for row in rows:
            told = ", ".join(f"{each.name} {self._turn(each)}" for each in row.places)
            yield f"- {self._quoted(row.agent)} ({self._quoted(row.id)}): {told}"
        if rows:
            yield ""

    def _differences(self, title: str, found: Sequence[Difference]) -> Iterator[str]:
        if found:
            yield f"- {title}: " + "; ".join(f"{self._quoted(each.name)} {self._turn(each)}" for each in found)

    def _turn(self, difference: Difference) -> str:
        return f"{self._value(difference.before)} → {self._value(difference.after)}"

    def _value(self, value: Value) -> str:
        if value is None:
            return _NOTHING
        return self._quoted(value) if isinstance(value, str) else str(value)

    def _title(self, level: int, text: str) -> Iterator[str]:
        yield f"{'#' * level} {text}" if self.markdown else text
        yield ""

    def _quoted(self, text: str, longest: int = _LONG) -> str:
        """Show a text on one line, and in Markdown as code, where it names nobody and leads nowhere."""
        plain = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
        short = plain if len(plain) <= longest else f"{plain[:longest]}…"
        return f"`{short.replace('`', chr(0x2CB))}`" if self.markdown else short


def _start(cell: CellChange) -> str:
    return " from the reference state" if cell.start == "reference" else ""


def _rounds(cells: Sequence[CellChange]) -> str:
    """Name the rounds that records are about, those that follow each other as one: rounds 1-4, 6."""
    numbers = sorted(cell.round for cell in cells if cell.round)
    told = f"round{'s' * (len(numbers) > 1)} {', '.join(_ranges(numbers))}" if numbers else ""
    return ", ".join(filter(None, (told, "the whole run" * (len(numbers) < len(cells)))))


def _ranges(numbers: Sequence[int]) -> Iterator[str]:
    for _, run in groupby(enumerate(numbers), key=lambda each: each[1] - each[0]):
        first, *others = [number for _, number in run]
        yield f"{first}-{others[-1]}" if others else str(first)


def _about(kind: str) -> str:
    return "" if kind == "changed" else f": {kind}"
