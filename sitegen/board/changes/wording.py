"""How changes are written. Every text that came from elsewhere is quoted: it may be hostile."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from sitegen.board.changes.cells import CellChange
from sitegen.board.changes.definitions import FindingChange
from sitegen.board.changes.difference import Difference, Value

_LONG = 60
"""So many characters of a value are shown as text."""

_DECIMALS = 6
"""And so many decimals of a number."""

TOLD = 1000
"""And so many of what a problem says: it names cells."""

_NOTHING = "\N{EN DASH}"

_SCOPE = ("tracks", "submissions", "tasks", "rounds", "cases", "code", "until", "rerun")


@dataclass(frozen=True, slots=True)
class Wording:
    """One way to write: as text, or as Markdown that is safe to publish in a comment."""

    markdown: bool

    def title(self, level: int, text: str) -> Iterator[str]:
        """Give a heading, and the blank line after it."""
        yield f"{'#' * level} {text}" if self.markdown else text
        yield ""

    def quoted(self, text: str, longest: int = _LONG) -> str:
        """Show a text on one line, and in Markdown as code, where it names nobody and leads nowhere."""
        plain = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
        short = plain if len(plain) <= longest else f"{plain[:longest]}…"
        return f"`{short.replace('`', chr(0x2CB))}`" if self.markdown else short

    def difference(self, found: Difference) -> str:
        """Write a value that differs, with its name."""
        return f"{self.quoted(found.name, TOLD)} {self.turn(found)}"

    def turn(self, found: Difference) -> str:
        """Write a value that differs; as a reader reads it, and in full where only that tells the two apart."""
        before, after = self._value(_short(found.before)), self._value(_short(found.after))
        if before == after:
            before, after = map(self._value, _from_where_they_differ(found.before, found.after))
        return f"{before} → {after}"

    def finding(self, change: FindingChange) -> str:
        """Write a finding: as a whole where it is new or gone, else what differs of it."""
        said = change.values
        title = self.quoted(str(said.get("title", "")), TOLD)
        head = f"- Finding {change.kind}: {said.get('date')}, {said.get('kind')}, effect {said.get('effect')}: {title}"
        if change.kind == "changed":
            return f"{head}; {'; '.join(map(self.difference, change.differences))}"
        scope = [f"{name} {self.quoted(str(said[name]), TOLD)}" for name in _SCOPE if name in said]
        by = [f"by {self.quoted(str(said['by']))}"] if "by" in said else []
        reason = [self.quoted(str(said["reason"]), TOLD)] if "reason" in said else []
        return "; ".join([head, *scope, *by, *reason])

    def record(self, cell: CellChange) -> str:
        """Write the values of a record that differ, with its place."""
        told = "; ".join(map(self.difference, cell.differences))
        return f"{self.place(cell)}, {rounds_of([cell])}{start_of(cell)}: {told}"

    def place(self, cell: CellChange) -> str:
        """Write where a record belongs."""
        return f"{self.quoted(cell.task, TOLD)}, attempt {cell.attempt}"

    def _value(self, value: Value) -> str:
        if value is None:
            return _NOTHING
        return self.quoted(value) if isinstance(value, str) else str(value)


def _from_where_they_differ(before: Value, after: Value) -> tuple[Value, Value]:
    """Leave out what two texts begin with alike, up to a few words before their first difference."""
    if not (isinstance(before, str) and isinstance(after, str)):
        return before, after
    pairs = enumerate(zip(before, after, strict=False))
    first = next((place for place, (old, new) in pairs if old != new), min(len(before), len(after)))
    start = max(0, first - _LONG // 3)
    return (f"…{before[start:]}", f"…{after[start:]}") if start else (before, after)


def _short(value: Value) -> Value:
    return round(value, _DECIMALS) if isinstance(value, float) else value


def start_of(cell: CellChange) -> str:
    """Say where a record's round began from, where that is not the agent's own work."""
    return " from the reference state" if cell.start == "reference" else ""


def rounds_of(cells: Sequence[CellChange]) -> str:
    """Name the rounds that records are about, those that follow each other as one: rounds 1-4, 6."""
    numbers = sorted(cell.round for cell in cells if cell.round)
    told = f"round{'s' * (len(numbers) > 1)} {', '.join(_ranges(numbers))}" if numbers else ""
    return ", ".join(filter(None, (told, "the whole run" * (len(numbers) < len(cells)))))


def _ranges(numbers: Sequence[int]) -> Iterator[str]:
    for _, run in groupby(enumerate(numbers), key=lambda each: each[1] - each[0]):
        first, *others = [number for _, number in run]
        yield f"{first}-{others[-1]}" if others else str(first)
