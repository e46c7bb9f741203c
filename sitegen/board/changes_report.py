"""Changes as people and programs read them. Every text that came from elsewhere is quoted: it may be hostile."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain, filterfalse, groupby, islice

from sitegen.board.changes import BoardChange, FindingChange, RowChange
from sitegen.board.differences import CellChange, Difference, Value
from sitegen.board.export import Json
from sitegen.models.release import Release
from sitegen.problems import Problem, counted

LARGEST_REPORT = 45_000
"""Bytes that a report may have as Markdown: with what makes it harmless it then fits a comment, which takes 65,536
characters on GitHub."""

_SHORTENED = (
    "Shortened: lists end with how many more there are. What differs and what is gone is told before what is new. "
    "`sitegen diff` tells all as text and as JSON; a check keeps it beside this report, as `changes.txt`."
)

_LONG = 60
"""So many characters of a value are shown as text."""

_DECIMALS = 6
"""And so many decimals of a number."""

_TOLD = 1000
"""And so many of what a problem says: it names cells."""

_LONGEST_LINE = 1_500
"""Characters of a list within a line: what makes a report harmless cuts lines of 2,000."""

_NOTHING = "\N{EN DASH}"

_SCOPE = ("tracks", "submissions", "tasks", "rounds", "cases", "code", "until", "rerun")


@dataclass(frozen=True, slots=True)
class Changes:
    """What differs between two states of a results folder."""

    boards: Sequence[BoardChange]
    new: Sequence[Problem] = ()
    """Problems that the later state has and the earlier one has not."""
    gone: Sequence[Problem] = ()
    releases: Sequence[Release] = ()
    """Releases that the earlier state has not."""

    @property
    def are_none(self) -> bool:
        """Whether nothing differs."""
        return not (self.boards or self.new or self.gone or self.releases)

    @property
    def redactions(self) -> list[FindingChange]:
        """The redactions that came: what others published leaves by them, and no check refuses it."""
        findings = chain.from_iterable(board.findings for board in self.boards)
        return [each for each in findings if each.kind == "new" and each.values.get("kind") == "redaction"]


def as_json(changes: Changes) -> Json:
    """Give changes as a document, with every value at full precision."""
    new, gone = (
        [
            {
                "code": each.code,
                "severity": each.severity,
                "path": each.path.as_posix(),
                "line": each.line,
                "what": each.what,
                "fix": each.fix,
            }
            for each in problems
        ]
        for problems in (changes.new, changes.gone)
    )
    return {
        "schema": 1,
        "boards": [asdict(board) for board in changes.boards],
        "problems": {"new": new, "gone": gone},
        "releases": [{"date": str(each.date), "title": each.title} for each in changes.releases],
    }


def as_text(changes: Changes) -> list[str]:
    """Tell changes as lines of text, all of them."""
    return list(_Report(Wording(markdown=False), _LIMITS[0]).all(changes))


def as_markdown(changes: Changes, largest: int = LARGEST_REPORT) -> list[str]:
    """Tell changes as lines of Markdown that are safe to publish in a comment, and fit one, of so many bytes.

    Where all of it is longer, lists are shortened: first what is new, then what only moved, and last problems and
    whatever differs or is gone of what was there.
    """
    wording = Wording(markdown=True)
    lines: list[str] = []
    for number, limits in enumerate(_LIMITS):
        head = [_SHORTENED, ""] if number else []
        lines = [*head, *_Report(wording, limits).all(changes)]
        if sum(len(line.encode()) + 1 for line in lines) <= largest:
            break
    return lines


@dataclass(frozen=True, slots=True)
class _Limits:
    """How many entries of a list are told before the rest is counted."""

    additions: int
    """Of lists of what came without touching what was there: rows, tasks, records."""
    moves: int
    """Of lists of what follows from the rest: ranks, problems that are gone."""
    others: int
    """Of all other lists: problems, what is gone, what differs."""

    @property
    def rows(self) -> int:
        """How many rows, or boards, that differ or are gone are told: more than of the lists in them."""
        return self.others * _ROWS_TO_ENTRIES

    @property
    def new_boards(self) -> int:
        """How many new boards are told, where a few may come at once and many hardly do."""
        return self.additions * _ROWS_TO_ENTRIES


_ROWS_TO_ENTRIES = 20
"""So many rows, or boards, are told for each entry that a list of one of them may have."""

_ALL = 1_000_000_000
_FEWER = (200, 100, 50, 20, 10, 5, 3, 2, 1, 0)
_LIMITS: Sequence[_Limits] = (
    _Limits(_ALL, _ALL, _ALL),
    *(_Limits(number, _ALL, _ALL) for number in _FEWER),
    *(_Limits(0, number, _ALL) for number in _FEWER),
    *(_Limits(0, 0, number) for number in _FEWER),
)
"""The whole report, then shorter and shorter ones: what is gone or differs is left out last, since it hides there."""


@dataclass(frozen=True, slots=True)
class Wording:
    """One way to write: as text, or as Markdown that is safe to publish in a comment."""

    markdown: bool

    def title(self, level: int, text: str) -> Iterator[str]:
        """A heading, and the blank line after it."""
        yield f"{'#' * level} {text}" if self.markdown else text
        yield ""

    def quoted(self, text: str, longest: int = _LONG) -> str:
        """Show a text on one line, and in Markdown as code, where it names nobody and leads nowhere."""
        plain = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
        short = plain if len(plain) <= longest else f"{plain[:longest]}…"
        return f"`{short.replace('`', chr(0x2CB))}`" if self.markdown else short

    def difference(self, found: Difference) -> str:
        """Write a value that differs, with its name."""
        return f"{self.quoted(found.name, _TOLD)} {self.turn(found)}"

    def turn(self, found: Difference) -> str:
        """Write a value that differs; as a reader reads it, and in full where only that tells the two apart."""
        before, after = self._value(_short(found.before)), self._value(_short(found.after))
        if before == after:
            before, after = map(self._value, _from_where_they_differ(found.before, found.after))
        return f"{before} → {after}"

    def _value(self, value: Value) -> str:
        if value is None:
            return _NOTHING
        return self.quoted(value) if isinstance(value, str) else str(value)

    def finding(self, change: FindingChange) -> str:
        """Write a finding: as a whole where it is new or gone, else what differs of it."""
        said = change.values
        title = self.quoted(str(said.get("title", "")), _TOLD)
        head = f"- Finding {change.kind}: {said.get('date')}, {said.get('kind')}, effect {said.get('effect')}: {title}"
        if change.kind == "changed":
            return f"{head}; {'; '.join(map(self.difference, change.differences))}"
        scope = [f"{name} {self.quoted(str(said[name]), _TOLD)}" for name in _SCOPE if name in said]
        by = [f"by {self.quoted(str(said['by']))}"] if "by" in said else []
        reason = [self.quoted(str(said["reason"]), _TOLD)] if "reason" in said else []
        return "; ".join([head, *scope, *by, *reason])

    def place(self, cell: CellChange) -> str:
        """Write where a record belongs."""
        return f"{self.quoted(cell.task, _TOLD)}, attempt {cell.attempt}"


def _short(value: Value) -> Value:
    return round(value, _DECIMALS) if isinstance(value, float) else value


def _from_where_they_differ(before: Value, after: Value) -> tuple[Value, Value]:
    """Leave out what two texts begin with alike, up to a few words before their first difference."""
    if not (isinstance(before, str) and isinstance(after, str)):
        return before, after
    pairs = enumerate(zip(before, after, strict=False))
    first = next((place for place, (old, new) in pairs if old != new), min(len(before), len(after)))
    start = max(0, first - _LONG // 3)
    return (f"…{before[start:]}", f"…{after[start:]}") if start else (before, after)


def _start_of(cell: CellChange) -> str:
    """Say where a record's round began from, where that is not the agent's own work."""
    return " from the reference state" if cell.start == "reference" else ""


def _rounds_of(cells: Sequence[CellChange]) -> str:
    """Name the rounds that records are about, those that follow each other as one: rounds 1-4, 6."""
    numbers = sorted(cell.round for cell in cells if cell.round)
    ranges = []
    for _, run in groupby(enumerate(numbers), key=lambda each: each[1] - each[0]):
        first, *others = [number for _, number in run]
        ranges.append(f"{first}-{others[-1]}" if others else str(first))
    told = f"round{'s' * (len(numbers) > 1)} {', '.join(ranges)}" if numbers else ""
    return ", ".join(filter(None, (told, "the whole run" * (len(numbers) < len(cells)))))


def _listed(lines: Sequence[str], most: int, indent: str = "") -> Iterator[str]:
    """Give the first lines of a list, and count the rest."""
    yield from islice(lines, most)
    yield from _rest(len(lines) - most, indent)


def _rest(number: int, indent: str = "", what: str = "") -> Iterator[str]:
    """Count what a list leaves out, where it leaves out anything."""
    if number > 0:
        yield f"{indent}- and {number} more{what}"


@dataclass(frozen=True, slots=True)
class _Report:
    """One way to tell changes, within limits."""

    wording: Wording
    limits: _Limits

    def all(self, changes: Changes) -> Iterator[str]:
        """Tell everything: redactions and problems first, and what is gone or differs before what is new."""
        quoted, limits = self.wording.quoted, self.limits
        if changes.are_none:
            yield "Nothing differs."
        told = list(dict.fromkeys(map(self.wording.finding, changes.redactions)))
        yield from self._section("New redactions", told, limits.rows)
        yield from self._section("New problems", self._problems(changes.new), limits.others)
        releases = [f"- {each.date} {quoted(each.name, _TOLD)}" for each in changes.releases]
        yield from self._section("New releases", releases, limits.others)
        new = [board for board in changes.boards if board.kind == "new"]
        others = [board for board in changes.boards if board.kind != "new"]
        for boards, most, what in (
            (others, limits.rows, " boards that differ or are gone"),
            (new, limits.new_boards, " new boards"),
        ):
            yield from chain.from_iterable(map(self._board, islice(boards, most)))
            yield from _rest(len(boards) - most, what=what)
        yield from self._section("Problems that are gone", self._problems(changes.gone), limits.moves)

    def _section(self, title: str, lines: Sequence[str], most: int) -> Iterator[str]:
        if lines:
            yield from self.wording.title(2, f"{title}: {len(lines)}")
            yield from (*_listed(lines, most), "")

    def _problems(self, problems: Sequence[Problem]) -> list[str]:
        """Tell problems, errors first."""
        quoted, told = self.wording.quoted, []
        for each in sorted(problems, key=lambda each: not each.is_error):
            place = each.path.as_posix() + (f":{each.line}" if each.line else "")
            told.append(f"- {each.severity} {quoted(each.code)} {quoted(place, _TOLD)}: {quoted(each.what, _TOLD)}")
        return told

    def _board(self, board: BoardChange) -> Iterator[str]:
        """Tell what became of a board: what is gone or differs comes before what is new."""
        quoted, limits = self.wording.quoted, self.limits
        own = [row for row in board.rows if not row.is_moved_only]
        moved = [row for row in board.rows if row.is_moved_only]
        kinds = [row.kind for row in own]
        yield from self.wording.title(2, f"{quoted(f'{board.benchmark}/{board.track}', _TOLD)}{_about(board.kind)}")
        rows = ", ".join(f"{counted(kinds.count(kind), 'row')} {kind}" for kind in ("new", "removed", "changed"))
        records = counted(sum(len(row.cells) for row in own), "record")
        yield f"{rows}, {records} changed, {counted(len(moved), 'row')} only moved."
        yield ""
        told = [
            *self._differences("Definitions", list(filterfalse(_is_new_task, board.about)), limits.others),
            *self._differences("New tasks", list(filter(_is_new_task, board.about)), limits.additions),
            *_listed(list(map(self.wording.finding, sorted(board.findings, key=_is_mere_note))), limits.others),
        ]
        yield from (*told, "") if told else ()
        touched = sorted(filterfalse(_is_addition, own), key=lambda row: row.kind != "removed")
        for found, most, what in (
            (touched, limits.rows, " rows that differ or are gone"),
            (list(filter(_is_addition, own)), limits.additions, " new rows"),
        ):
            yield from chain.from_iterable(map(self._row, found[:most]))
            yield from (*_rest(len(found) - most, what=what), "") if len(found) > most else ()
        if moved:
            yield from self.wording.title(3, "Moved by the others")
            lines = []
            for row in moved:
                turns = ", ".join(f"{each.name} {self.wording.turn(each)}" for each in row.places)
                lines.append(f"- {quoted(row.agent)} ({quoted(row.id, _TOLD)}): {turns}")
            yield from (*_listed(lines, limits.moves), "")

    def _row(self, row: RowChange) -> Iterator[str]:
        quoted, limits = self.wording.quoted, self.limits
        yield from self.wording.title(3, f"{quoted(row.agent)} ({quoted(row.id, _TOLD)}){_about(row.kind)}")
        if row.earlier not in {"", row.id}:
            yield f"- In the place of {quoted(row.earlier, _TOLD)}, with which it is compared"
        for title, found in (("Ranks", row.places), ("Scores", row.scores), ("Manifest", row.about)):
            yield from self._differences(title, found, limits.others)
        texts = [
            f"- Texts of failed cases of {quoted(text.task, _TOLD)}: {text.gone} gone, {text.new} new"
            for text in row.texts
        ]
        yield from _listed(texts, limits.others)
        if row.cells:
            yield f"- Records: {len(row.cells)}"
            yield from self._cells(row.cells)
        yield ""

    def _cells(self, cells: Sequence[CellChange]) -> Iterator[str]:
        """List the records that differ one by one, and those that are new or gone by task and attempt."""
        place = self.wording.place
        changed = [
            f"  - {place(cell)}, {_rounds_of([cell])}{_start_of(cell)}: "
            f"{'; '.join(map(self.wording.difference, cell.differences))}"
            for cell in cells
            if cell.kind == "changed"
        ]
        yield from _listed(changed, self.limits.others, "  ")
        for kind, most in (("removed", self.limits.others), ("new", self.limits.additions)):
            groups: dict[str, list[CellChange]] = defaultdict(list)
            for cell in cells:
                if cell.kind == kind:
                    groups[f"{place(cell)}{_start_of(cell)}: {kind}"].append(cell)
            yield from _listed([f"  - {told}: {_rounds_of(group)}" for told, group in groups.items()], most, "  ")

    def _differences(self, title: str, found: Sequence[Difference], most: int) -> Iterator[str]:
        """Tell what differs in one line after its title, or below it where that is too long; count what is left out."""
        parts = [self.wording.difference(each) for each in found]
        left = len(parts) - most
        line = "; ".join([*parts[:most], f"and {left} more"] if left > 0 else parts)
        if parts and len(line) <= _LONGEST_LINE:
            yield f"- {title}: {line}"
        elif parts:
            yield f"- {title}: {len(parts)}"
            yield from _listed([f"  - {part}" for part in parts], most, "  ")


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
