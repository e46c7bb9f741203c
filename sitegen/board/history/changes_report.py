"""Changes as text for people and as JSON for programs.

Every text from another source is quoted, since it may be hostile.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import NamedTuple, TypeVar

from sitegen.board.export import Json, fields_json
from sitegen.board.history.changes import BoardChange, FindingChange, RowChange
from sitegen.board.history.differences import CellChange, ChangeKind, Difference, Value
from sitegen.models.release import Release
from sitegen.problems import (
    Problem,
    Statement,
    agreeing,
    counted,
    gravest_first,
    listed,
    ranges,
    without_notes,
)

LARGEST_REPORT = 45_000
"""Maximum size of a report in Markdown, in bytes.

After `tools/comment.py` has made it harmless, it still fits a GitHub comment of 65,536 characters.
"""

_SHORTENED = (
    "This report is shortened: each list that was cut ends with the number of items left out. "
    "Changes "
    "and removals come before additions. `sitegen diff` prints everything as text or JSON, and the "
    "check stores it next to this report as `changes.txt`."
)

_MAX_VALUE_LENGTH = 60
"""Maximum length of a value that is shown, in characters."""

_DECIMALS = 6
"""Maximum number of decimals that are shown."""

_MAX_TEXT_LENGTH = 1000
"""Maximum length of a name or of a problem's message that is shown, in characters."""

_MAX_LINE_LENGTH = 1_500
"""Maximum length of a list within a line; lines of a published report are cut after 2,000."""

_NOTHING = "\N{EN DASH}"

_SCOPE = ("tracks", "submissions", "tasks", "rounds", "cases", "code", "until", "rerun")

_PROBLEM_FIELDS = ("code", "severity", "path", "line", "what", "fix")


@dataclass(frozen=True, slots=True)
class Changes:
    """The differences between two states of a results folder."""

    boards: Sequence[BoardChange]
    new: Sequence[Problem] = ()
    """Problems that only the later state has."""
    gone: Sequence[Problem] = ()
    """Problems that only the earlier state has."""
    releases: Sequence[Release] = ()
    """Releases that only the later state has."""
    remaining_errors: int = 0
    """The number of errors in both states; data that they make unreadable is not compared."""
    request: Statement = field(default_factory=lambda: Statement(""))
    """The kind of change, and who proposes it."""

    embargoed: Sequence[tuple[str, date]] = ()
    """New submissions under embargo, each with its address and the first day on which it counts."""

    @property
    def are_none(self) -> bool:
        """Whether nothing differs."""
        return not (self.boards or self.new or self.gone or self.releases or self.embargoed)

    @property
    def redactions(self) -> list[FindingChange]:
        """The new redactions: they remove published content, and no check refuses them."""
        redactions = []
        for board in self.boards:
            for finding in board.findings:
                if finding.kind == "new" and finding.values.get("kind") == "redaction":
                    redactions.append(finding)
        return redactions


def as_json(changes: Changes) -> Json:
    """Return changes as a JSON document, with every value at full precision."""
    boards = [asdict(board) for board in changes.boards]
    releases = []
    for release in changes.releases:
        releases.append({"date": str(release.date), "title": release.title})
    document: Json = {
        "schema": 1,
        "change": changes.request.written(),
        "boards": boards,
        "problems": _problems_json(changes),
        "releases": releases,
    }
    if changes.embargoed:
        document["embargoed"] = {address: str(day) for address, day in changes.embargoed}
    return document


def _problems_json(changes: Changes) -> Json:
    new = [_problem_json(problem) for problem in changes.new]
    gone = [_problem_json(problem) for problem in changes.gone]
    return {
        "new": new,
        "gone": gone,
        "standing": changes.remaining_errors,
    }


def _problem_json(problem: Problem) -> Json:
    return {**fields_json(problem, _PROBLEM_FIELDS), "path": problem.path.as_posix()}


def as_text(changes: Changes) -> list[str]:
    """Return all changes as lines of text."""
    return list(ChangeWriter(markdown=False).all(changes))


def as_markdown(changes: Changes, largest: int = LARGEST_REPORT) -> list[str]:
    """Return changes as lines of Markdown that are safe to publish and fit in a comment.

    If the lines exceed `largest` bytes, lists are shortened: first additions, then rows that only
    moved, and last problems, changes and removals.
    """
    lines: list[str] = []
    for attempt, limits in enumerate(_LIMITS):
        lines = []
        if attempt:
            lines = [_SHORTENED, ""]
        lines += ChangeWriter(markdown=True, limits=limits).all(changes)
        if sum(len(line.encode()) + 1 for line in lines) <= largest:
            break
    return lines


class _Limits(NamedTuple):
    """How many items of a list are shown; further items are only counted."""

    additions: int
    """The limit for additions that affect nothing else: rows, tasks, records."""
    moves: int
    """The limit for consequences of other changes: ranks, problems that are gone."""
    changes: int
    """The limit for all other lists: problems, removals, changes."""


_ROWS_PER_ITEM = 20
"""Factor by which more rows or boards are shown than items of a list within them."""

_ALL = 1_000_000_000
_FEWER = (200, 100, 50, 20, 10, 5, 3, 2, 1, 0)
_LIMITS: Sequence[_Limits] = (
    _Limits(_ALL, _ALL, _ALL),
    *(_Limits(number, _ALL, _ALL) for number in _FEWER),
    *(_Limits(0, number, _ALL) for number in _FEWER),
    *(_Limits(0, 0, number) for number in _FEWER),
)
"""The limits of the complete report, followed by ever tighter limits.

Removals and changes are left out last, since an attack would hide there.
"""

T = TypeVar("T")


def _first_items(
    items: Sequence[T],
    limit: int,
    lines_of: Callable[[T], Iterable[str]],
    indent: str = "",
    noun: str = "",
) -> Iterator[str]:
    """Yield the lines of the first items of a list, and the number of further items."""
    for item in items[:limit]:
        yield from lines_of(item)
    if len(items) > limit:
        yield f"{indent}- and {len(items) - limit} more{noun}"


def _first_lines(lines: Sequence[str], limit: int, indent: str = "") -> Iterator[str]:
    """Yield the first lines of a list, and the number of further lines."""
    return _first_items(lines, limit, lambda line: (line,), indent)


@dataclass(frozen=True, slots=True)
class ChangeWriter:
    """Writes changes within limits: as text, or as Markdown that is safe to publish."""

    markdown: bool
    limits: _Limits = _LIMITS[0]

    def all(self, changes: Changes) -> Iterator[str]:
        """Yield all changes: redactions and problems first, new boards and fixed problems last."""
        limits = self.limits
        yield from self._summary(changes)
        redactions = list(dict.fromkeys(map(self._finding, changes.redactions)))
        yield from self._section("New redactions", redactions, limits.changes * _ROWS_PER_ITEM)
        yield from self._problems("New problems", changes.new, limits.changes)
        releases = []
        for release in changes.releases:
            releases.append(f"- {release.date} {self._name(release.name)}")
        yield from self._section("New releases", releases, limits.changes)
        embargoed = []
        for address, day in changes.embargoed:
            embargoed.append(f"- {self.quoted(address)} counts from {day} on")
        yield from self._section("New under embargo", embargoed, limits.changes)
        new = []
        existing = []
        for board in changes.boards:
            if board.kind == "new":
                new.append(board)
            else:
                existing.append(board)
        limit = limits.changes * _ROWS_PER_ITEM
        yield from _first_items(
            existing, limit, self._board, noun=" boards that were changed or removed"
        )
        limit = limits.additions * _ROWS_PER_ITEM
        yield from _first_items(new, limit, self._board, noun=" new boards")
        yield from self._problems("Fixed problems", changes.gone, limits.moves)

    def _summary(self, changes: Changes) -> Iterator[str]:
        """Yield lines that say whether nothing differs, and whether errors may hide differences."""
        errors = counted(changes.remaining_errors, "error")
        hidden = f"{errors} in both states may hide differences: run `sitegen validate`"
        if changes.are_none and changes.remaining_errors:
            yield f"No differences in the files that could be read; {hidden}."
        elif changes.are_none:
            yield "Nothing differs."
        elif changes.remaining_errors:
            yield f"{hidden}."
            yield ""

    def before_and_after(self, difference: Difference) -> str:
        """Return a value before and after, rounded and shortened unless both then look the same."""
        before = self._value(_rounded(difference.before))
        after = self._value(_rounded(difference.after))
        if before == after:
            differing = _from_where_they_differ(difference.before, difference.after)
            before, after = map(self._value, differing)
        return f"{before} → {after}"

    def _value(self, value: Value) -> str:
        if value is None:
            return _NOTHING
        if isinstance(value, str):
            return self.quoted(value)
        return str(value)

    def quoted(self, text: str, longest: int = _MAX_VALUE_LENGTH) -> str:
        """Return a text on one line; in Markdown as code, so that it has no mentions or links."""
        short = text
        if len(text) > longest:
            short = f"{text[:longest]}…"
        if not short.isprintable():
            short = "".join(map(_printable, short))
        if self.markdown:
            return f"`{short.replace('`', chr(0x2CB))}`"
        return short

    def _name(self, text: str) -> str:
        """Return a quoted text with room for a name or a sentence; see `quoted`."""
        return self.quoted(text, _MAX_TEXT_LENGTH)

    def _title(self, level: int, text: str) -> tuple[str, str]:
        return f"{'#' * level} {text}" if self.markdown else text, ""

    def _section(self, title: str, lines: Sequence[str], limit: int) -> Iterator[str]:
        if lines:
            yield from self._title(2, f"{title}: {len(lines)}")
            yield from _first_lines(lines, limit)
            yield ""

    def _problems(self, title: str, problems: Sequence[Problem], limit: int) -> Iterator[str]:
        """Yield problems by rule, errors first, with the number of problems and their places.

        The title counts notes separately, because they require no action.
        """
        if not problems:
            return
        actionable = len(without_notes(problems))
        number = f"{actionable}"
        if actionable < len(problems):
            number += f" and {counted(len(problems) - actionable, 'note')}"
        yield from self._title(2, f"{title}: {number}")
        by_rule: dict[tuple[str, str], list[str]] = defaultdict(list)
        for problem in gravest_first(problems):
            location = problem.path.as_posix()
            if problem.line:
                location += f":{problem.line}"
            line = f"{self._name(location)}: {self._name(problem.what)}"
            by_rule[problem.severity, problem.code].append(line)
        for (severity, code), lines in by_rule.items():
            if len(lines) == 1 and limit:
                yield f"- {severity} {self.quoted(code)} {lines[0]}"
                continue
            yield f"- {severity} {self.quoted(code)}: {len(lines)}"
            if limit:
                yield from _first_lines([f"  - {line}" for line in lines], limit, "  ")
        yield ""

    def _difference(self, difference: Difference) -> str:
        return f"{self._name(difference.name)} {self.before_and_after(difference)}"

    def _finding(self, change: FindingChange) -> str:
        """Return a line on a finding: its values if it is new or removed, else its differences."""
        values = change.values
        quoted = {}
        for name, value in values.items():
            quoted[name] = self._name(str(value))
        kind, effect = values.get("kind"), values.get("effect")
        title = quoted.get("title", self.quoted(""))
        head = f"- Finding {change.kind}: {values.get('date')}, {kind}, effect {effect}: {title}"
        if change.kind == "changed":
            return f"{head}; {'; '.join(map(self._difference, change.differences))}"
        clauses = [head]
        clauses += [f"{name} {quoted[name]}" for name in _SCOPE if name in quoted]
        if "by" in values:
            clauses.append(f"by {self.quoted(str(values['by']))}")
        if "reason" in quoted:
            clauses.append(quoted["reason"])
        return "; ".join(clauses)

    def _board(self, board: BoardChange) -> Iterator[str]:
        """Yield the changes to a board: removals and changes come before additions."""
        name = self._name(f"{board.benchmark}/{board.track}")
        changed = []
        moved = []
        for row in board.rows:
            if row.is_moved_only:
                moved.append(row)
            else:
                changed.append(row)
        yield from self._title(2, f"{name}{_kind_suffix(board.kind)}")
        yield _row_counts(changed, moved)
        yield ""
        definitions = [*self._definitions(board)]
        if definitions:
            yield from definitions
            yield ""
        added = []
        existing = []
        for row in changed:
            if row.is_addition:
                added.append(row)
            else:
                existing.append(row)
        existing.sort(key=lambda row: row.kind != "removed")
        limit = self.limits.changes * _ROWS_PER_ITEM
        yield from self._rows(existing, limit, " entries that were changed or removed")
        yield from self._rows(added, self.limits.additions, " new entries")
        if moved:
            yield from self._title(3, "Only their ranks change")
            yield from _first_lines(list(map(self._moved_row, moved)), self.limits.moves)
            yield ""

    def _definitions(self, board: BoardChange) -> Iterator[str]:
        """Yield the changes to a board's definitions, tasks and findings."""
        limits = self.limits
        definitions = []
        tasks = []
        for change in board.about:
            if _is_new_task(change):
                tasks.append(change)
            else:
                definitions.append(change)
        yield from self._differences("Definitions", definitions, limits.changes)
        yield from self._differences("New tasks", tasks, limits.additions)
        findings = sorted(board.findings, key=_is_mere_note)
        yield from _first_lines(list(map(self._finding, findings)), limits.changes)

    def _rows(self, rows: Sequence[RowChange], limit: int, noun: str) -> Iterator[str]:
        yield from _first_items(rows, limit, self._row, noun=noun)
        if len(rows) > limit:
            yield ""

    def _moved_row(self, row: RowChange) -> str:
        clauses = []
        for rank in row.places:
            clauses.append(f"{rank.name} {self.before_and_after(rank)}")
        return f"- {self.quoted(row.agent)} ({self._name(row.id)}): {', '.join(clauses)}"

    def _row(self, row: RowChange) -> Iterator[str]:
        limit = self.limits.changes
        title = f"{self.quoted(row.agent)} ({self._name(row.id)}){_kind_suffix(row.kind)}"
        yield from self._title(3, title)
        if row.earlier not in {"", row.id}:
            yield f"- Replaces {self._name(row.earlier)}, with which it is compared"
        yield from self._differences("Ranks", row.places, limit)
        yield from self._differences("Scores", row.scores, limit)
        yield from self._differences("Manifest", row.about, limit)
        texts = []
        for text in row.texts:
            task = self._name(text.task)
            texts.append(
                f"- Texts of failed cases of {task}: {text.gone} removed, {text.new} added"
            )
        yield from _first_lines(texts, limit)
        if row.cells:
            yield f"- Records: {len(row.cells)}"
            yield from self._cells(row.cells)
        yield ""

    def _cells(self, cells: Sequence[CellChange]) -> Iterator[str]:
        """Yield the changed records one by one, and new or removed records by task and attempt."""
        groups: dict[ChangeKind, dict[str, list[CellChange]]] = {
            "changed": {},
            "removed": {},
            "new": {},
        }
        for cell in cells:
            groups[cell.kind].setdefault(self._cell_words(cell), []).append(cell)
        for kind, cells_by_words in groups.items():
            lines = []
            for heading, group in cells_by_words.items():
                rounds = ""
                if kind != "changed":
                    rounds = f": {_rounds_of(group)}"
                lines.append(f"  - {heading}{rounds}")
            limit = self.limits.changes
            if kind == "new":
                limit = self.limits.additions
            yield from _first_lines(lines, limit, "  ")

    def _cell_words(self, cell: CellChange) -> str:
        """Return a record's attempt and how it changed; for a changed record, also its round."""
        attempt = f"{self._name(cell.task)}, attempt {cell.attempt}"
        start = ""
        if cell.start == "reference":
            start = " from the reference state"
        if cell.kind != "changed":
            return f"{attempt}{start}: {cell.kind}"
        changed_values = "; ".join(map(self._difference, cell.differences))
        return f"{attempt}, {_rounds_of([cell])}{start}: {changed_values}"

    def _differences(
        self, title: str, differences: Sequence[Difference], limit: int
    ) -> Iterator[str]:
        """Yield differences on one line after their title, or below it if that is too long."""
        if not differences:
            return
        texts = list(map(self._difference, differences))
        line = listed(texts, limit, more="; and {} more", separator="; ").removeprefix("; ")
        if len(line) <= _MAX_LINE_LENGTH:
            yield f"- {title}: {line}"
        else:
            yield f"- {title}: {len(texts)}"
            lines = [f"  - {text}" for text in texts]
            yield from _first_lines(lines, limit, "  ")


def _rounded(value: Value) -> Value:
    if not isinstance(value, float):
        return value
    return round(value, _DECIMALS)


def _printable(character: str) -> str:
    if character.isprintable():
        return character
    return "\N{REPLACEMENT CHARACTER}"


def _from_where_they_differ(before: Value, after: Value) -> tuple[Value, Value]:
    """Return two texts without their common beginning, except for its last 20 characters."""
    if not (isinstance(before, str) and isinstance(after, str)):
        return before, after
    shared = 0
    for old, new in zip(before, after, strict=False):
        if old != new:
            break
        shared += 1
    start = shared - _MAX_VALUE_LENGTH // 3
    if start <= 0:
        return before, after
    return f"…{before[start:]}", f"…{after[start:]}"


def _rounds_of(cells: Sequence[CellChange]) -> str:
    """Return the rounds of records, with ranges: "rounds 1-4, 6"."""
    numbers = sorted(cell.round for cell in cells if cell.round)
    names = []
    if numbers:
        names.append(f"{agreeing(len(numbers), 'round', 'rounds')} {ranges(numbers)}")
    if len(numbers) < len(cells):
        names.append("the whole run")
    return ", ".join(names)


def _row_counts(changed: Sequence[RowChange], moved: Sequence[RowChange]) -> str:
    """Return a sentence on how many entries and records changed, and how many only changed rank."""
    kinds = [row.kind for row in changed]
    records = counted(sum(len(row.cells) for row in changed), "record")
    counts = (
        f"{counted(kinds.count('new'), 'entry')} added",
        f"{kinds.count('removed')} removed",
        f"{kinds.count('changed')} changed",
        f"{records} changed",
        f"{len(moved)} changed only in rank",
    )
    return f"{', '.join(counts)}."


def _is_mere_note(change: FindingChange) -> bool:
    """Return whether a finding is new, has no effect and waives nothing; it is listed last."""
    values = change.values
    if change.kind != "new" or values.get("kind") == "waiver":
        return False
    return values.get("effect") in {None, "note"}


def _is_new_task(difference: Difference) -> bool:
    """Return whether a difference is a new task; differences within a task have a longer name."""
    name = difference.name
    return difference.before is None and name.startswith("task ") and "." not in name


def _kind_suffix(kind: ChangeKind) -> str:
    if kind == "changed":
        return ""
    return f": {kind}"
