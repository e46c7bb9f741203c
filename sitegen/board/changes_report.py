"""Changes as people and programs read them. Every text that came from elsewhere is quoted: it may be hostile."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain, filterfalse
from typing import NamedTuple, TypeVar

from sitegen.board.changes import BoardChange, FindingChange, RowChange
from sitegen.board.differences import CellChange, Difference, Value
from sitegen.board.export import Json
from sitegen.models.release import Release
from sitegen.problems import Problem, Statement, counted, listed, ranges

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
    standing: int = 0
    """How many errors both states have: what they keep from being read is not compared."""
    request: Statement = field(default_factory=lambda: Statement(""))
    """What kind of change it is, and whose."""

    @property
    def are_none(self) -> bool:
        """Whether nothing differs."""
        return not (self.boards or self.new or self.gone or self.releases)

    @property
    def redactions(self) -> list[FindingChange]:
        """The redactions that came: what others published leaves by them, and no check refuses it."""
        findings = chain.from_iterable(board.findings for board in self.boards)
        return [
            each
            for each in findings
            if each.kind == "new" and each.values.get("kind") == "redaction"
        ]


def as_json(changes: Changes) -> Json:
    """Give changes as a document, with every value at full precision."""
    keys = ("code", "severity", "path", "line", "what", "fix")
    new, gone = (
        [
            {key: getattr(each, key) for key in keys} | {"path": each.path.as_posix()}
            for each in problems
        ]
        for problems in (changes.new, changes.gone)
    )
    return {
        "schema": 1,
        "change": changes.request.written(),
        "boards": [asdict(board) for board in changes.boards],
        "problems": {"new": new, "gone": gone, "standing": changes.standing},
        "releases": [{"date": str(each.date), "title": each.title} for each in changes.releases],
    }


def as_text(changes: Changes) -> list[str]:
    """Tell changes as lines of text, all of them."""
    return list(Report(markdown=False).all(changes))


def as_markdown(changes: Changes, largest: int = LARGEST_REPORT) -> list[str]:
    """Tell changes as lines of Markdown that are safe to publish in a comment, and fit one, of so many bytes.

    Where all of it is longer, lists are shortened: first what is new, then what only moved, and last problems and
    whatever differs or is gone of what was there.
    """
    lines: list[str] = []
    for number, limits in enumerate(_LIMITS):
        lines = [
            *([_SHORTENED, ""] if number else []),
            *Report(markdown=True, limits=limits).all(changes),
        ]
        if sum(len(line.encode()) + 1 for line in lines) <= largest:
            break
    return lines


class _Limits(NamedTuple):
    """How many entries of a list are told before the rest is counted."""

    additions: int
    """Of lists of what came without touching what was there: rows, tasks, records."""
    moves: int
    """Of lists of what follows from the rest: ranks, problems that are gone."""
    others: int
    """Of all other lists: problems, what is gone, what differs."""


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

T = TypeVar("T")


def _listed(
    items: Sequence[T],
    most: int,
    tell: Callable[[T], Iterable[str]],
    indent: str = "",
    what: str = "",
) -> Iterator[str]:
    """Tell the first items of a list, and count the rest."""
    yield from chain.from_iterable(map(tell, items[:most]))
    if len(items) > most:
        yield f"{indent}- and {len(items) - most} more{what}"


def _line(text: str) -> tuple[str]:
    return (text,)


@dataclass(frozen=True, slots=True)
class Report:
    """One way to tell changes, within limits: as text, or as Markdown that is safe to publish in a comment."""

    markdown: bool
    limits: _Limits = _LIMITS[0]

    def all(self, changes: Changes) -> Iterator[str]:
        """Tell everything: redactions and problems first, and what is gone or differs before what is new."""
        additions, moves, others = self.limits
        hidden = f"{counted(changes.standing, 'error')} in both states may hide differences: run `sitegen validate`"
        if changes.are_none:
            yield (
                f"Nothing differs in what could be read; {hidden}."
                if changes.standing
                else "Nothing differs."
            )
        elif changes.standing:
            yield from (f"{hidden}.", "")
        told = list(dict.fromkeys(map(self._finding, changes.redactions)))
        yield from self._section("New redactions", told, others * _ROWS_TO_ENTRIES)
        yield from self._problems("New problems", changes.new, others)
        releases = [f"- {each.date} {self.quoted(each.name, _TOLD)}" for each in changes.releases]
        yield from self._section("New releases", releases, others)
        for is_new, most, what in (
            (False, others, " boards that differ or are gone"),
            (True, additions, " new boards"),
        ):
            boards = [board for board in changes.boards if (board.kind == "new") == is_new]
            yield from _listed(boards, most * _ROWS_TO_ENTRIES, self._board, what=what)
        yield from self._problems("Problems that are gone", changes.gone, moves)

    def turn(self, found: Difference) -> str:
        """Write a value that differs; as a reader reads it, and in full where only that tells the two apart."""

        def told(value: Value) -> str:
            if value is None:
                return _NOTHING
            return self.quoted(value) if isinstance(value, str) else str(value)

        values = found.before, found.after
        before, after = (
            told(round(each, _DECIMALS) if isinstance(each, float) else each) for each in values
        )
        if before == after:
            before, after = map(told, _from_where_they_differ(*values))
        return f"{before} → {after}"

    def quoted(self, text: str, longest: int = _LONG) -> str:
        """Show a text on one line, and in Markdown as code, where it names nobody and leads nowhere."""
        short = text if len(text) <= longest else f"{text[:longest]}…"
        if not short.isprintable():
            short = "".join(
                letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in short
            )
        return f"`{short.replace('`', chr(0x2CB))}`" if self.markdown else short

    def _title(self, level: int, text: str) -> tuple[str, str]:
        return f"{'#' * level} {text}" if self.markdown else text, ""

    def _section(self, title: str, lines: Sequence[str], most: int) -> Iterator[str]:
        if lines:
            yield from self._title(2, f"{title}: {len(lines)}")
            yield from (*_listed(lines, most, _line), "")

    def _problems(self, title: str, problems: Sequence[Problem], most: int) -> Iterator[str]:
        """Tell problems by their kinds, errors first: how many there are of each, and where."""
        quoted, kinds = self.quoted, defaultdict[tuple[str, str], list[str]](list)
        for each in sorted(problems, key=lambda each: not each.is_error):
            place = each.path.as_posix() + (f":{each.line}" if each.line else "")
            kinds[each.severity, each.code].append(
                f"{quoted(place, _TOLD)}: {quoted(each.what, _TOLD)}"
            )
        if problems:
            yield from self._title(2, f"{title}: {len(problems)}")
        for (severity, code), told in kinds.items():
            if len(told) == 1 and most:
                yield f"- {severity} {quoted(code)} {told[0]}"
                continue
            yield f"- {severity} {quoted(code)}: {len(told)}"
            if most:
                yield from _listed([f"  - {each}" for each in told], most, _line, "  ")
        yield from ("",) if problems else ()

    def _difference(self, found: Difference) -> str:
        return f"{self.quoted(found.name, _TOLD)} {self.turn(found)}"

    def _finding(self, change: FindingChange) -> str:
        """Write a finding: as a whole where it is new or gone, else what differs of it."""
        said = {name: self.quoted(str(value), _TOLD) for name, value in change.values.items()}
        plain = change.values
        head = f"- Finding {change.kind}: {plain.get('date')}, {plain.get('kind')}, effect {plain.get('effect')}: "
        head += said.get("title", self.quoted(""))
        if change.kind == "changed":
            return f"{head}; {'; '.join(map(self._difference, change.differences))}"
        scope = [f"{name} {said[name]}" for name in _SCOPE if name in said]
        by = [f"by {self.quoted(str(plain['by']))}"] if "by" in said else []
        return "; ".join([head, *scope, *by, *([said["reason"]] if "reason" in said else [])])

    def _board(self, board: BoardChange) -> Iterator[str]:
        """Tell what became of a board: what is gone or differs comes before what is new."""
        quoted, (additions, moves, others) = self.quoted, self.limits
        own = [row for row in board.rows if not row.is_moved_only]
        moved = [row for row in board.rows if row.is_moved_only]
        kinds = [row.kind for row in own]
        yield from self._title(
            2, f"{quoted(f'{board.benchmark}/{board.track}', _TOLD)}{_about(board.kind)}"
        )
        rows = ", ".join(
            f"{counted(kinds.count(kind), 'row')} {kind}" for kind in ("new", "removed", "changed")
        )
        records = counted(sum(len(row.cells) for row in own), "record")
        yield f"{rows}, {records} changed, {counted(len(moved), 'row')} only moved."
        yield ""
        told = [
            *self._differences("Definitions", list(filterfalse(_is_new_task, board.about)), others),
            *self._differences("New tasks", list(filter(_is_new_task, board.about)), additions),
            *_listed(
                list(map(self._finding, sorted(board.findings, key=_is_mere_note))), others, _line
            ),
        ]
        yield from (*told, "") if told else ()
        touched = sorted(
            (row for row in own if not row.is_addition), key=lambda row: row.kind != "removed"
        )
        added = [row for row in own if row.is_addition]
        for found, most, what in (
            (touched, others * _ROWS_TO_ENTRIES, " rows that differ or are gone"),
            (added, additions, " new rows"),
        ):
            yield from _listed(found, most, self._row, what=what)
            yield from ("",) if len(found) > most else ()
        if moved:
            yield from self._title(3, "Only their ranks change")
            lines = []
            for row in moved:
                turns = ", ".join(f"{each.name} {self.turn(each)}" for each in row.places)
                lines.append(f"- {quoted(row.agent)} ({quoted(row.id, _TOLD)}): {turns}")
            yield from (*_listed(lines, moves, _line), "")

    def _row(self, row: RowChange) -> Iterator[str]:
        quoted, others = self.quoted, self.limits.others
        yield from self._title(
            3, f"{quoted(row.agent)} ({quoted(row.id, _TOLD)}){_about(row.kind)}"
        )
        if row.earlier not in {"", row.id}:
            yield f"- In the place of {quoted(row.earlier, _TOLD)}, with which it is compared"
        for title, found in (
            ("Ranks", row.places),
            ("Scores", row.scores),
            ("Manifest", row.about),
        ):
            yield from self._differences(title, found, others)
        texts = [
            f"- Texts of failed cases of {quoted(text.task, _TOLD)}: {text.gone} gone, {text.new} new"
            for text in row.texts
        ]
        yield from _listed(texts, others, _line)
        if row.cells:
            yield f"- Records: {len(row.cells)}"
            yield from self._cells(row.cells)
        yield ""

    def _cells(self, cells: Sequence[CellChange]) -> Iterator[str]:
        """List the records that differ one by one, and those that are new or gone by task and attempt."""
        groups: dict[str, dict[str, list[CellChange]]] = {"changed": {}, "removed": {}, "new": {}}
        for cell in cells:
            start = " from the reference state" if cell.start == "reference" else ""
            place = f"{self.quoted(cell.task, _TOLD)}, attempt {cell.attempt}"
            told = f"{place}{start}: {cell.kind}"
            if cell.kind == "changed":
                told = f"{place}, {_rounds_of([cell])}{start}: {'; '.join(map(self._difference, cell.differences))}"
            groups[cell.kind].setdefault(told, []).append(cell)
        for kind, found in groups.items():
            most = self.limits.additions if kind == "new" else self.limits.others
            rounds = (
                "" if kind == "changed" else f": {_rounds_of(group)}" for group in found.values()
            )
            yield from _listed(
                [f"  - {told}{what}" for told, what in zip(found, rounds, strict=True)],
                most,
                _line,
                "  ",
            )

    def _differences(self, title: str, found: Sequence[Difference], most: int) -> Iterator[str]:
        """Tell what differs in one line after its title, or below it where that is too long; count what is left out."""
        parts = list(map(self._difference, found))
        line = listed(parts, most, more="; and {} more", separator="; ").removeprefix("; ")
        if parts and len(line) <= _LONGEST_LINE:
            yield f"- {title}: {line}"
        elif parts:
            yield f"- {title}: {len(parts)}"
            yield from _listed([f"  - {part}" for part in parts], most, _line, "  ")


def _from_where_they_differ(before: Value, after: Value) -> tuple[Value, Value]:
    """Leave out what two texts begin with alike, up to a few words before their first difference."""
    if not (isinstance(before, str) and isinstance(after, str)):
        return before, after
    pairs = enumerate(zip(before, after, strict=False))
    first = next((place for place, (old, new) in pairs if old != new), min(len(before), len(after)))
    start = max(0, first - _LONG // 3)
    return (f"…{before[start:]}", f"…{after[start:]}") if start else (before, after)


def _rounds_of(cells: Sequence[CellChange]) -> str:
    """Name the rounds that records are about, those that follow each other as one: rounds 1-4, 6."""
    numbers = sorted(cell.round for cell in cells if cell.round)
    told = f"round{'s' * (len(numbers) > 1)} {ranges(numbers)}" if numbers else ""
    return ", ".join(filter(None, (told, "the whole run" * (len(numbers) < len(cells)))))


def _is_mere_note(change: FindingChange) -> bool:
    """Whether a finding came that has no effect and lets nothing pass: others are told before it."""
    said = change.values
    return (
        change.kind == "new"
        and said.get("kind") != "waiver"
        and said.get("effect") in {None, "note"}
    )


def _is_new_task(found: Difference) -> bool:
    """Whether a difference is a task as a whole: those of its parts have names that go on."""
    return found.before is None and found.name.startswith("task ") and "." not in found.name


def _about(kind: str) -> str:
    return "" if kind == "changed" else f": {kind}"
