"""The grammar of a table of sweeps. It changed four times; the last two forms differ only in what the note says."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sitegen.importers.evocodebench import rules
from sitegen.problems import Problem
from sitegen.reading.lines import TextLines

NOTE = "__note"
EXCLUDED = "—"
"""The cell of a run that does not count."""

_FIRST = ["task", "total_rounds"]
_CELL = re.compile(r"(?P<passed>\d+)/(?P<rounds>\d+)(?: c\d+(?:\.\d+)?%)?(?: r(?P<last>\d+(?:\.\d+)?))?")

_MEAN = re.compile(r"interactions|tool calls|per reached round")
_REACHED = "rounds actually reached"
"""What notes say of a cell's last figure."""

_NO_TRAJECTORY = "0.0"
"""How the source prints that no round's trajectory could be read; a mean of 0 is printed `0`."""


@dataclass(frozen=True, slots=True)
class SweepCell:
    """What the table says of one agent at one task."""

    passed: int | None = None
    """Rounds passed; None where the run does not count."""
    rounds: int | None = None
    """Rounds of the task; None where the run does not count."""
    interactions: float | None = None
    """Mean tool calls of a reached round; None where the table does not tell."""


@dataclass(frozen=True, slots=True)
class SweepLine:
    """What the table says of one task."""

    number: int
    """Line in the file, from 1."""
    task: str
    texts: Mapping[str, str]
    """Cells by column."""
    note: str
    tells_interactions: bool = False
    """Whether the last figure of a cell is the mean tool calls of a reached round: one answer for the whole table."""

    @classmethod
    def of(cls, number: int, header: Sequence[str], cells: Sequence[str]) -> "SweepLine":
        """Read a line by the names of its columns."""
        named = dict(zip(header, cells, strict=False))
        texts = {column: text.strip() for column, text in named.items() if column not in {*_FIRST, NOTE}}
        return cls(number, named["task"], texts, named.get(NOTE, ""))

    @property
    def fault(self) -> str | None:
        """Say which cells can't be read; None where all can."""
        wrong = [f"`{text}`" for text in self.texts.values() if text != EXCLUDED and not _CELL.fullmatch(text)]
        return f"{', '.join(wrong)} can't be read" if wrong else None

    @property
    def unclear(self) -> bool:
        """Whether cells have a last figure, and the note does not say what it is."""
        named = self.tells_interactions or _REACHED in self.note
        return not named and any(" r" in text for text in self.texts.values())

    def cell(self, column: str) -> SweepCell:
        """Give what the line says of one agent."""
        match = _CELL.fullmatch(self.texts[column])
        if match is None:
            return SweepCell()
        measured = self.tells_interactions and match["last"] not in {None, _NO_TRAJECTORY}
        mean = float(match["last"]) if measured else None
        return SweepCell(int(match["passed"]), int(match["rounds"]), mean)


def read_lines(path: Path) -> tuple[list[str], list[SweepLine], list[Problem]]:
    """Read a table of sweeps.

    Returns:
        The columns that are about agents; the lines that follow the grammar; and what is wrong with the others.
    """
    text = TextLines(path)
    rows = text.rows(rules.SWEEP_CELL)
    _, header = next(rows, (1, list[str]()))
    if header[:2] != _FIRST and not text.problems:
        what = f"the first line begins with `{','.join(header[:2])}`, not with `{','.join(_FIRST)}`"
        return [], [], [rules.SWEEP_CELL.broken(path, 1, what)]
    columns = [column for column in header[2:] if column != NOTE]
    lines, problems = [], []
    for number, cells in rows:
        line = SweepLine.of(number, header, cells)
        fault = f"{len(cells)} cells under {len(header)} columns" if len(cells) != len(header) else line.fault
        if fault:
            problems.append(rules.SWEEP_CELL.broken(path, number, fault))
        else:
            lines.append(line)
    if text.problems:
        return [], [], text.problems
    return columns, _of_one_meaning(lines), problems


def _of_one_meaning(lines: Sequence[SweepLine]) -> list[SweepLine]:
    """Decide what the last figures of a table are: its notes say so, or a figure that no count of rounds can be."""
    notes = " ".join(dict.fromkeys(line.note for line in lines))
    broken = any(re.search(r" r\d+\.[1-9]", text) for line in lines for text in line.texts.values())
    means = _REACHED not in notes and (bool(_MEAN.search(notes)) or broken)
    return [replace(line, note=notes, tells_interactions=means) for line in lines]
