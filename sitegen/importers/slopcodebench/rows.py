"""The rows of `checkpoint_results.jsonl`, whichever generation of the runner wrote them, and what they measure.

`schema_version` never changed, so a row's keys tell its generation. Some keys changed their meaning: `duration` was the
test runner's time and became the agent's, `loc` was source lines and became all lines. Erosion had five definitions
(E0 to E4) and verbosity three (V0, V3, V4), and values of two versions don't compare.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field, ValidationError

from sitegen.importers.kit.documents import is_cut, parse_document
from sitegen.importers.kit.report import Doubt
from sitegen.importers.kit.told import Told
from sitegen.importers.slopcodebench import rules
from sitegen.importers.slopcodebench.files import (
    Effort,
    Finite,
    Key,
    Spent,
    Tokens,
    checkpoint_number,
)
from sitegen.importers.slopcodebench.salvage import salvage
from sitegen.metrics.catalogue import EROSION, VERBOSITY
from sitegen.models.record import LIMIT, Count, Position
from sitegen.problems import Problem, ProblemsError, counted
from sitegen.reading.files import opened

REGRESSION = "regression"
CATEGORIES = ("core", "functionality", "error", REGRESSION)
"""In the order that they are shown; others come after them."""

COUNTS = frozenset(
    {
        "total_tests",
        "passed_tests",
        *(f"{category}_total" for category in CATEGORIES),
        *(f"{category}_passed" for category in CATEGORIES),
    }
)
"""Keys of a row that count tests: none of them is of use where one of them can't be right."""


class Row(Told):
    """One produced checkpoint, as the runner sums it up: a line of `checkpoint_results.jsonl`."""

    problem: str
    idx: Position
    checkpoint: str | None = None
    state: str = "unknown"
    version: int | str | None = None
    is_last: bool | None = None

    strict_pass_rate: Finite = None
    """All tests, since March 2026."""
    pass_rate: Finite = None
    """The same in earlier generations."""
    total_tests: Count | None = None
    passed_tests: Count | None = None
    core_total: Count = 0
    core_passed: Count = 0
    functionality_total: Count = 0
    functionality_passed: Count = 0
    error_total: Count = 0
    error_passed: Count = 0
    regression_total: Count = 0
    regression_passed: Count = 0

    started: str | None = None
    ended: str | None = None
    duration: Spent = None
    elapsed: Spent = None
    cost: Spent = None
    steps: Count = 0
    input: Count = 0
    output: Count = 0
    cache_read: Count = 0
    cache_write: Count = 0
    reasoning: Count = 0

    loc: Count | None = None
    sloc: Count | None = None
    total_lines: Count | None = None
    functions: Count = 0
    methods: Count = 0
    cc_high_count: Count | None = None
    cc_extreme_count: Count | None = None
    trivial_wrappers: Count | None = None
    single_use_functions: Count | None = None
    lint_per_loc: Finite = None
    ast_grep_violations: Count | None = None
    rubric_total_flags: Count | None = None
    verbosity_flagged_pct: Finite = None
    erosion: Finite = None
    verbosity: Finite = None
    high_cc_share: Finite = Field(None, alias="mass.high_cc_pct")
    concentration: Finite = Field(None, alias="mass.complexity_concentration")
    scb_check: dict[str, Any] | None = None

    @property
    def is_later(self) -> bool:
        """Whether a generation since March 2026 wrote it; a row without tests is told by its other keys."""
        has_later_key = self.strict_pass_rate is not None or self.sloc is not None
        return has_later_key or (self.pass_rate is None and self.elapsed is None)

    @property
    def rate(self) -> float | None:
        """Share of all tests that passed, as stated."""
        return self.strict_pass_rate if self.is_later else self.pass_rate

    @property
    def verifier_seconds(self) -> float | None:
        """Wall time of the tests."""
        return None if self.is_later else self.duration

    @property
    def has_code(self) -> bool:
        """Whether there was anything to measure."""
        return bool(self.loc or self.sloc or self.total_lines)

    @property
    def effort(self) -> Effort:
        """What the checkpoint took."""
        tokens = Tokens.model_validate({name: getattr(self, name) for name in Tokens.model_fields})
        seconds = self.duration if self.is_later else self.elapsed
        told = {name: getattr(self, name) for name in ("started", "ended", "cost", "steps")}
        return Effort.model_validate({**told, "seconds": seconds, "tokens": tokens})

    @property
    def by_category(self) -> dict[str, tuple[int, int]]:
        """Tests passed and tests in all, by the categories that have any."""
        counts = {
            name: (getattr(self, f"{name}_passed"), getattr(self, f"{name}_total"))
            for name in CATEGORIES
        }
        return {category: count for category, count in counts.items() if any(count)}


MAX_LINE_BYTES = 1024 * 1024
"""Bytes of a line that can be a row."""


@dataclass(slots=True)
class RowTable:
    """The rows of a run."""

    path: Path
    rows: dict[Key, Row] = field(default_factory=dict)
    """Of several about a checkpoint the last."""
    lines: dict[Key, int] = field(default_factory=dict)
    repeated: dict[Key, None] = field(default_factory=dict)
    """Checkpoints that several rows are about."""
    left_out: dict[Key, tuple[str, ...]] = field(default_factory=dict)
    """Keys of a row whose values can't be used."""
    faults: list[tuple[int, str]] = field(default_factory=list)
    """Lines that are no rows, each with the reason."""
    cut_line: int | None = None
    """The last line, if it ends in the middle of a row."""
    problems: list[Problem] = field(default_factory=list)
    """Why the file can't be read."""


def names_of(keys: Iterable[Key]) -> str:
    """Checkpoints in a line: the problem and the number of each."""
    return ", ".join(f"{problem} {number}" for problem, number in keys)


def read_rows(path: Path) -> RowTable:
    """Read the rows of a run, one at a time."""
    table = RowTable(path)
    try:
        with opened(path) as file:
            for number, line in enumerate(file, start=1):
                table.cut_line = None
                if not line.isspace():
                    _take_line(table, number, line)
    except ProblemsError as error:
        table.problems += error.problems
    return table


def _take_line(table: RowTable, number: int, line: bytes) -> None:
    """Put a line into a table: as a row, or with the reason why it is none."""
    try:
        row, left_out = parse_row(line)
    except CutRowError as error:
        if line.endswith(b"\n"):
            table.faults.append((number, str(error)))
        else:
            table.cut_line = number
        return
    except ValueError as error:
        table.faults.append((number, str(error)))
        return
    key = row.problem, row.idx
    if key in table.rows:
        table.repeated[key] = None
    table.rows[key] = row
    table.lines[key] = number
    table.left_out.pop(key, None)
    if left_out:
        table.left_out[key] = left_out


class CutRowError(ValueError):
    """A row ends too early."""


def parse_row(data: bytes) -> tuple[Row, tuple[str, ...]]:
    """Return a row, and the keys of values in it that can't be used.

    Raises:
        CutRowError: It ends too early.
        ValueError: It is no row, or does not say what it is about; carries the reason.
    """
    if len(data) > MAX_LINE_BYTES:
        raise ValueError("the line is too long")
    try:
        value = parse_document(data)
    except ValueError as error:
        words = str(error).partition(" at line")[0]
        kind = CutRowError if is_cut(error) else ValueError
        raise kind(f"broken JSON: {words}") from error
    if not isinstance(value, dict):
        raise ValueError("the line is not an object")  # noqa: TRY004 - all faults of a line are of one kind
    left_out: tuple[str, ...] = ()
    try:
        row = Row.model_validate(value)
    except ValidationError as error:
        repaired, left_out = salvage(_with_number(value), Row)
        if repaired is None:
            raise ValueError("`problem` or `idx` is missing or can't be used") from error
        row = repaired
    named = checkpoint_number(row.checkpoint or "")
    # A one-shot run calls its only checkpoint by the name of the problem's last.
    is_one_shot = row.idx == 1 and row.is_last is True
    if named not in {None, row.idx} and not is_one_shot:
        raise ValueError(f"`idx` is {row.idx}, but `checkpoint` is {row.checkpoint}")
    return row, left_out


def _with_number(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row whose number is taken from the checkpoint's name if it has none of its own."""
    row = dict(value)
    number = row.get("idx")
    name = row.get("checkpoint")
    is_number = isinstance(number, int) and not isinstance(number, bool) and number > 0
    if not is_number and isinstance(name, str):
        row["idx"] = checkpoint_number(name)
    return row


class Definition(NamedTuple):
    """One version of a measurement's definition, as the rows of some generation hold it."""

    name: str
    version: str
    value: Callable[[Row], float | None]


def _e1(row: Row) -> float | None:
    """Erosion as complex functions a function, extreme ones twice, and lint errors a line."""
    functions = row.functions + row.methods
    if not functions or row.cc_high_count is None or row.cc_extreme_count is None:
        return None
    return (row.cc_high_count + 2 * row.cc_extreme_count) / functions + (row.lint_per_loc or 0)


def _v0(row: Row) -> float | None:
    """Verbosity as flags a line, and wrappers and functions used once a function; only where a judge of style ran."""
    functions = row.functions + row.methods
    if (
        not functions
        or not row.loc
        or row.ast_grep_violations is None
        or row.rubric_total_flags is None
    ):
        return None
    wrappers = (row.trivial_wrappers or 0) + (row.single_use_functions or 0)
    return (row.ast_grep_violations + row.rubric_total_flags) / row.loc + wrappers / functions


def _complex_share(row: Row) -> float | None:
    """Share of complexity that complex functions hold: the runner's own figure, without `scb-check`."""
    return row.high_cc_share if row.high_cc_share is not None and row.high_cc_share <= 1 else None


def _e3(row: Row) -> float | None:
    """Erosion by the paper's definition; the later of its rows call it by another name."""
    return row.erosion if (share := _complex_share(row)) is None else share


_EROSION, _VERBOSITY = EROSION.id, VERBOSITY.id

# Summaries of the first generation call E0 what they computed as E1, so it is computed here.
_FIRST = (Definition(_EROSION, "E1", _e1), Definition(_VERBOSITY, "V0", _v0))
_SECOND = (
    Definition(_EROSION, "E2", lambda row: row.concentration),
    Definition(_VERBOSITY, "V0", _v0),
)
_THIRD = (
    Definition(_EROSION, "E3", _e3),
    Definition("complex_share", "E3", _e3),
    # The share of lines that a pattern flags or that are cloned.
    Definition(
        _VERBOSITY,
        "V3",
        lambda row: row.verbosity_flagged_pct if row.verbosity is None else row.verbosity,
    ),
)
_BY_SCB_CHECK = (
    Definition(_EROSION, "E4", lambda row: row.erosion),
    Definition(_VERBOSITY, "V4", lambda row: row.verbosity),
    Definition("complex_share", "E3", _complex_share),
)


@dataclass(frozen=True, slots=True)
class Quality:
    """The measurements of the code that a run's rows hold."""

    rows: Mapping[Key, Row]
    definitions: Sequence[Definition]
    why_missing: Mapping[str, str]
    """Why none of a name may be there, by name."""

    @classmethod
    def without_generation(cls, rows: Mapping[Key, Row], why: str) -> "Quality":
        """Return what can be taken if a file is lost that tells which definitions rows follow."""
        later = any(row.is_later for row in rows.values())
        if not later or any(row.scb_check is not None for row in rows.values()):
            return cls.of(rows, by_scb_check=False)
        definitions = (Definition("complex_share", "E3", _complex_share),)
        return cls(rows, definitions, {_EROSION: why, _VERBOSITY: why})

    @classmethod
    def of(cls, rows: Mapping[Key, Row], *, by_scb_check: bool) -> "Quality":
        """Find the definitions that rows follow; since some generation erosion and verbosity come from `scb-check`."""
        every = rows.values()
        if by_scb_check or any(row.scb_check is not None for row in every):
            why = ": no row has any, as where `scb-check` is not installed"
            return cls(rows, _BY_SCB_CHECK, {_EROSION: why, _VERBOSITY: why})
        if any(row.is_later for row in every):
            offered: Sequence[Definition] = _THIRD
        else:
            offered = _SECOND if any(row.concentration is not None for row in every) else _FIRST
        if any(row.ast_grep_violations for row in every):
            return cls(rows, offered, {})
        # The analyser of patterns writes clean code where it is missing: what is left of verbosity counts clones alone.
        why = ": `ast_grep_violations` is 0 in every row, as where the analyser is not installed"
        return cls(rows, [each for each in offered if each.name != _VERBOSITY], {_VERBOSITY: why})

    def measures(self, key: Key) -> dict[str, float]:
        """The measurements of a checkpoint, by name and version; none where it has no row."""
        row = self.rows.get(key)
        if row is None:
            return {}
        measured = {
            f"{each.name}@{each.version}": each.value(row)
            for each in self.definitions
            if row.has_code
        }
        # Lines of source are those without blanks and comments.
        measured |= {
            "source_lines": row.sloc if row.is_later else row.loc,
            "total_lines": row.total_lines,
        }
        return {
            name: float(value)
            for name, value in measured.items()
            if value is not None and abs(value) <= LIMIT
        }

    def doubts(self) -> Iterator[Doubt]:
        """What was not measured."""
        rows = [row for row in self.rows.values() if row.has_code]
        missing = []
        for name in (_EROSION, _VERBOSITY):
            values = [each.value for each in self.definitions if each.name == name]
            silent = sum(all(value(row) is None for value in values) for row in rows)
            if silent:
                why = self.why_missing.get(name, "") if silent == len(rows) else ""
                where = f"{silent} of {counted(len(rows), 'checkpoint')} with code"
                missing.append(f"{name} is not measured at {where}{why}")
        if missing:
            yield rules.ANALYSER_MISSING, "; ".join(missing)
