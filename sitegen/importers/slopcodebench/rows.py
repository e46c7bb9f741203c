"""The rows of `checkpoint_results.jsonl`, of every runner generation, and their measurements.

`schema_version` never changed, so the keys of a row identify its generation. Some keys changed
their meaning: `duration` was first the test runner's time and later the agent's; `loc` was first
source lines and later all lines. Erosion had five definitions (E0 to E4) and verbosity three (V0,
V3, V4), and values of two versions are not comparable.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field, ValidationError

from sitegen.importers.kit.documents import is_cut, parse_document
from sitegen.importers.kit.file_records import FileRecord
from sitegen.importers.kit.import_log import Doubt
from sitegen.importers.slopcodebench import rules
from sitegen.importers.slopcodebench.files import (
    CheckpointEffort,
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
"""Categories in the order in which they are shown; unknown categories follow."""

COUNTS = frozenset(
    {
        "total_tests",
        "passed_tests",
        *(f"{category}_total" for category in CATEGORIES),
        *(f"{category}_passed" for category in CATEGORIES),
    }
)
"""Keys of a row that count tests: if one of the counts is impossible, none of them is used."""


class CheckpointRow(FileRecord):
    """The runner's summary of one produced checkpoint: a line of `checkpoint_results.jsonl`."""

    problem: str
    idx: Position
    checkpoint: str | None = None
    state: str = "unknown"
    version: int | str | None = None
    is_last: bool | None = None

    strict_pass_rate: Finite = None
    """Share of all tests that passed, since March 2026."""
    pass_rate: Finite = None
    """Share of all tests that passed, in earlier generations."""
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
        """Whether a runner generation of March 2026 or later wrote the row.

        A row without tests is recognised by its other keys.
        """
        if self.strict_pass_rate is not None or self.sloc is not None:
            return True
        return self.pass_rate is None and self.elapsed is None

    @property
    def rate(self) -> float | None:
        """The share of all tests that passed, as stated."""
        return self.strict_pass_rate if self.is_later else self.pass_rate

    @property
    def verifier_seconds(self) -> float | None:
        """The wall time of the tests; None in later generations, which do not state it."""
        return None if self.is_later else self.duration

    @property
    def has_code(self) -> bool:
        """Whether there was code to measure."""
        return bool(self.loc or self.sloc or self.total_lines)

    @property
    def effort(self) -> CheckpointEffort:
        """Time, cost and tokens of the checkpoint."""
        tokens = {name: getattr(self, name) for name in Tokens.model_fields}
        effort = {
            "started": self.started,
            "ended": self.ended,
            "cost": self.cost,
            "steps": self.steps,
            "seconds": self.duration if self.is_later else self.elapsed,
            "tokens": Tokens.model_validate(tokens),
        }
        return CheckpointEffort.model_validate(effort)

    @property
    def by_category(self) -> dict[str, tuple[int, int]]:
        """Counts (passed, total) of each category that has tests."""
        counts = {}
        for category in CATEGORIES:
            passed = getattr(self, f"{category}_passed")
            total = getattr(self, f"{category}_total")
            if passed or total:
                counts[category] = (passed, total)
        return counts


MAX_LINE_BYTES = 1024 * 1024
"""Maximum size in bytes of a line that can be a row."""


@dataclass(slots=True)
class RowTable:
    """The rows of a run."""

    path: Path
    rows: dict[Key, CheckpointRow] = field(default_factory=dict)
    """The last row of each checkpoint."""
    lines: dict[Key, int] = field(default_factory=dict)
    repeated: dict[Key, None] = field(default_factory=dict)
    """Checkpoints with several rows."""
    left_out: dict[Key, tuple[str, ...]] = field(default_factory=dict)
    """Keys with unusable values in the row of a checkpoint."""
    faults: list[tuple[int, str]] = field(default_factory=list)
    """Numbers of lines that are not rows, with the reason."""
    cut_line: int | None = None
    """Number of the last line, if it is truncated."""
    problems: list[Problem] = field(default_factory=list)
    """Why the file can't be read."""


def names_of(keys: Iterable[Key]) -> str:
    """Return checkpoints as text, each by its problem and number."""
    return ", ".join(f"{problem} {number}" for problem, number in keys)


def read_rows(path: Path) -> RowTable:
    """Return the rows of a run, read line by line."""
    table = RowTable(path)
    try:
        with opened(path) as file:
            for number, line in enumerate(file, start=1):
                table.cut_line = None
                if not line.isspace():
                    _add_line(table, number, line)
    except ProblemsError as error:
        table.problems += error.problems
    return table


def _add_line(table: RowTable, number: int, line: bytes) -> None:
    """Add a line to a table: as a row, or with the reason why it is not a row."""
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
    """A row is truncated."""


def parse_row(data: bytes) -> tuple[CheckpointRow, tuple[str, ...]]:
    """Return a row, and the keys of its unusable values.

    Raises:
        CutRowError: The row is truncated.
        ValueError: The data is not a row, or names no checkpoint; the message is the reason.
    """
    if len(data) > MAX_LINE_BYTES:
        raise ValueError("the line is too long")
    try:
        value = parse_document(data)
    except ValueError as error:
        reason = str(error).partition(" at line")[0]
        error_type = CutRowError if is_cut(error) else ValueError
        raise error_type(f"broken JSON: {reason}") from error
    if not isinstance(value, dict):
        raise ValueError("the line is not an object")  # noqa: TRY004 - as all faults of a line
    row, left_out = _usable_row(value)
    named_number = checkpoint_number(row.checkpoint or "")
    # A one-shot run names its only checkpoint after the problem's last checkpoint.
    is_one_shot = row.idx == 1 and row.is_last is True
    if named_number not in {None, row.idx} and not is_one_shot:
        raise ValueError(f"`idx` is {row.idx}, but `checkpoint` is {row.checkpoint}")
    return row, left_out


def _usable_row(value: Mapping[str, Any]) -> tuple[CheckpointRow, tuple[str, ...]]:
    """Return a row without its unusable values, and the keys of these values.

    Raises:
        ValueError: The row does not name its checkpoint.
    """
    try:
        return CheckpointRow.model_validate(value), ()
    except ValidationError as error:
        row, left_out = salvage(_with_number(value), CheckpointRow)
        if row is None:
            raise ValueError("`problem` or `idx` is missing or can't be used") from error
        return row, left_out


def _with_number(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row whose missing number is taken from its checkpoint's name."""
    row = dict(value)
    number = row.get("idx")
    name = row.get("checkpoint")
    is_number = isinstance(number, int) and not isinstance(number, bool) and number > 0
    if not is_number and isinstance(name, str):
        row["idx"] = checkpoint_number(name)
    return row


class MeasureDefinition(NamedTuple):
    """One version of a measurement's definition, as used by the rows of some generation."""

    name: str
    version: str
    value: Callable[[CheckpointRow], float | None]


def _erosion_e1(row: CheckpointRow) -> float | None:
    """Return the share of complex functions (extreme cases count twice) plus lint per line."""
    functions = row.functions + row.methods
    if not functions or row.cc_high_count is None or row.cc_extreme_count is None:
        return None
    return (row.cc_high_count + 2 * row.cc_extreme_count) / functions + (row.lint_per_loc or 0)


def _erosion_e2(row: CheckpointRow) -> float | None:
    """Return the concentration of complexity."""
    return row.concentration


def _erosion_e3(row: CheckpointRow) -> float | None:
    """Return erosion by the paper's definition; later rows contain it under another name."""
    share = _complex_share(row)
    return row.erosion if share is None else share


def _erosion_e4(row: CheckpointRow) -> float | None:
    """Return erosion as measured by `scb-check`."""
    return row.erosion


def _verbosity_v0(row: CheckpointRow) -> float | None:
    """Return flags per line, plus wrappers and single-use functions per function.

    There is a value only if a style judge ran.
    """
    functions = row.functions + row.methods
    if not functions or not row.loc:
        return None
    if row.ast_grep_violations is None or row.rubric_total_flags is None:
        return None
    wrappers = (row.trivial_wrappers or 0) + (row.single_use_functions or 0)
    return (row.ast_grep_violations + row.rubric_total_flags) / row.loc + wrappers / functions


def _verbosity_v3(row: CheckpointRow) -> float | None:
    """Return the share of lines that a pattern flags or that are cloned."""
    return row.verbosity_flagged_pct if row.verbosity is None else row.verbosity


def _verbosity_v4(row: CheckpointRow) -> float | None:
    """Return verbosity as measured by `scb-check`."""
    return row.verbosity


def _complex_share(row: CheckpointRow) -> float | None:
    """Return the share of complexity in complex functions, as computed by the runner."""
    share = row.high_cc_share
    return share if share is not None and share <= 1 else None


_EROSION = EROSION.id
_VERBOSITY = VERBOSITY.id

# First-generation summaries use the label E0 for values of E1, so E1 is computed here.
_FIRST = (
    MeasureDefinition(_EROSION, "E1", _erosion_e1),
    MeasureDefinition(_VERBOSITY, "V0", _verbosity_v0),
)
_SECOND = (
    MeasureDefinition(_EROSION, "E2", _erosion_e2),
    MeasureDefinition(_VERBOSITY, "V0", _verbosity_v0),
)
_THIRD = (
    MeasureDefinition(_EROSION, "E3", _erosion_e3),
    MeasureDefinition("complex_share", "E3", _erosion_e3),
    MeasureDefinition(_VERBOSITY, "V3", _verbosity_v3),
)
_ONLY_COMPLEX_SHARE = (MeasureDefinition("complex_share", "E3", _complex_share),)
_BY_SCB_CHECK = (
    MeasureDefinition(_EROSION, "E4", _erosion_e4),
    MeasureDefinition(_VERBOSITY, "V4", _verbosity_v4),
    *_ONLY_COMPLEX_SHARE,
)


@dataclass(frozen=True, slots=True)
class Quality:
    """The measurements of the code in a run's rows."""

    rows: Mapping[Key, CheckpointRow]
    definitions: Sequence[MeasureDefinition]
    why_missing: Mapping[str, str]
    """Why a measurement may be missing from every row, by the measurement's name."""

    @classmethod
    def without_generation(cls, rows: Mapping[Key, CheckpointRow], why: str) -> "Quality":
        """Return the measurements of rows whose generation is unknown because a file is missing."""
        is_later = any(row.is_later for row in rows.values())
        if not is_later or _have_scb_check(rows.values()):
            return cls.of(rows, by_scb_check=False)
        return cls(rows, _ONLY_COMPLEX_SHARE, {_EROSION: why, _VERBOSITY: why})

    @classmethod
    def of(cls, rows: Mapping[Key, CheckpointRow], *, by_scb_check: bool) -> "Quality":
        """Return the measurements of rows, as defined in their generation.

        Args:
            rows: The rows of a run.
            by_scb_check: Whether erosion and verbosity come from `scb-check`, as in later
                generations.
        """
        if by_scb_check or _have_scb_check(rows.values()):
            why = ": no row has a value, as happens if `scb-check` is not installed"
            return cls(rows, _BY_SCB_CHECK, {_EROSION: why, _VERBOSITY: why})
        definitions = _generation_definitions(rows.values())
        if any(row.ast_grep_violations for row in rows.values()):
            return cls(rows, definitions, {})
        # If the pattern analyser is missing, the runner writes that the code has no violations:
        # verbosity would then only count clones.
        why = (
            ": `ast_grep_violations` is 0 in every row, as happens if the analyser is not installed"
        )
        measured = [item for item in definitions if item.name != _VERBOSITY]
        return cls(rows, measured, {_VERBOSITY: why})

    def measures(self, key: Key) -> dict[str, float]:
        """Return a checkpoint's measurements by name and version; empty if it has no row."""
        row = self.rows.get(key)
        if row is None:
            return {}
        # Source lines are lines that are neither blank nor comments.
        values: dict[str, float | None] = {}
        if row.has_code:
            values = {f"{item.name}@{item.version}": item.value(row) for item in self.definitions}
        values["source_lines"] = row.sloc if row.is_later else row.loc
        values["total_lines"] = row.total_lines
        measures = {}
        for name, value in values.items():
            if value is not None and abs(value) <= LIMIT:
                measures[name] = float(value)
        return measures

    def doubts(self) -> Iterator[Doubt]:
        """Yield a doubt if any code was not measured."""
        rows = [row for row in self.rows.values() if row.has_code]
        facts = []
        for name in (_EROSION, _VERBOSITY):
            unmeasured = sum(not self._has_measure(name, row) for row in rows)
            if unmeasured:
                reason = self.why_missing.get(name, "") if unmeasured == len(rows) else ""
                checkpoints = f"{unmeasured} of {counted(len(rows), 'checkpoint')} with code"
                facts.append(f"{name} is not measured at {checkpoints}{reason}")
        if facts:
            yield rules.ANALYSER_MISSING, "; ".join(facts)

    def _has_measure(self, name: str, row: CheckpointRow) -> bool:
        """Return whether a row has a measurement under any of its definitions."""
        definitions = [item for item in self.definitions if item.name == name]
        return any(item.value(row) is not None for item in definitions)


def _have_scb_check(rows: Collection[CheckpointRow]) -> bool:
    return any(row.scb_check is not None for row in rows)


def _generation_definitions(rows: Collection[CheckpointRow]) -> Sequence[MeasureDefinition]:
    """Return the definitions for rows of generations before `scb-check`."""
    if any(row.is_later for row in rows):
        return _THIRD
    if any(row.concentration is not None for row in rows):
        return _SECOND
    return _FIRST
