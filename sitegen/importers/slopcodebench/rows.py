"""The rows of `checkpoint_results.jsonl`, whichever generation of the runner wrote them.

`schema_version` never changed, so a row's keys tell its generation. Some keys changed their meaning: `duration` was the
test runner's time and became the agent's, `loc` was source lines and became all lines.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass as plain_dataclass
from dataclasses import field
from pathlib import Path
from typing import Annotated, Any

import jiter
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from sitegen.importers.slopcodebench import rules
from sitegen.importers.slopcodebench.files import OPEN, Finite, Spent, Tokens
from sitegen.models.record import Count, Position
from sitegen.problems import Problem, counted
from sitegen.reading.lines import TextLines

_SHOWN = 3
"""Broken lines named of those that there are."""


@dataclass(frozen=True, slots=True, config=ConfigDict(**OPEN))
class Row:
    """One produced checkpoint, as the runner sums it up."""

    problem: str
    idx: Position
    state: str = "unknown"
    version: int | str | None = None
    """Of the problem."""
    is_first: bool | None = None
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
    high_cc_share: Annotated[Finite, Field(alias="mass.high_cc_pct")] = None
    concentration: Annotated[Finite, Field(alias="mass.complexity_concentration")] = None
    scb_check: dict[str, Any] | None = None

    @property
    def is_later(self) -> bool:
        """Whether a generation since March 2026 wrote it; a row without tests is told by its other keys."""
        told = self.strict_pass_rate is not None or self.sloc is not None
        return told or (self.pass_rate is None and self.elapsed is None)

    @property
    def rate(self) -> float | None:
        """Share of all tests that passed, as stated."""
        return self.strict_pass_rate if self.is_later else self.pass_rate

    @property
    def agent_seconds(self) -> float | None:
        """Wall time of the agent."""
        return self.duration if self.is_later else self.elapsed

    @property
    def verifier_seconds(self) -> float | None:
        """Wall time of the tests."""
        return None if self.is_later else self.duration

    @property
    def source_lines(self) -> int | None:
        """Lines of source, without blanks and comments."""
        return self.sloc if self.is_later else self.loc

    @property
    def tokens(self) -> Tokens:
        """Tokens by kind."""
        return Tokens(self.input, self.output, self.cache_read, self.cache_write, self.reasoning)

    @property
    def by_category(self) -> dict[str, tuple[int, int]]:
        """Tests passed and tests in all, by the categories that have any."""
        counts = {
            "core": (self.core_passed, self.core_total),
            "functionality": (self.functionality_passed, self.functionality_total),
            "error": (self.error_passed, self.error_total),
            "regression": (self.regression_passed, self.regression_total),
        }
        return {category: count for category, count in counts.items() if any(count)}


_ROW = TypeAdapter(Row)


@plain_dataclass(frozen=True, slots=True)
class RowTable:
    """The rows of a run."""

    path: Path
    rows: dict[tuple[str, int], Row] = field(default_factory=dict)
    """By problem and number of the checkpoint."""
    lines: dict[tuple[str, int], int] = field(default_factory=dict)
    """Line of each, from 1."""
    twice: list[str] = field(default_factory=list)
    """Checkpoints that an earlier row is about, too."""

    @property
    def last(self) -> dict[str, int]:
        """The last checkpoint of each problem, where a row says that it is the last."""
        return {row.problem: row.idx for row in self.rows.values() if row.is_last}

    @property
    def versions(self) -> dict[str, str]:
        """Version of each problem, where a row tells it."""
        return {row.problem: str(row.version) for row in self.rows.values() if row.version is not None}


def read_rows(path: Path) -> tuple[RowTable, list[Problem]]:
    """Read the rows of a run, one at a time.

    Returns:
        The rows, of several about a checkpoint the last; and the problems.
    """
    table = RowTable(path)
    lines = TextLines(path)
    broken: list[tuple[int, str]] = []
    is_whole = True
    for number, line in lines:
        is_whole = line.endswith("\n")
        if not line.strip():
            continue
        row = _row(line)
        if isinstance(row, str):
            broken.append((number, row))
            continue
        key = row.problem, row.idx
        if key in table.rows:
            table.twice.append(f"{row.problem} {row.idx}")
        table.rows[key] = row
        table.lines[key] = number
    return table, [*lines.problems, *_broken(path, broken, is_whole=is_whole), *_twice(path, table.twice)]


def _row(line: str) -> Row | str:
    """Read a row, or say what is wrong with it."""
    data = line.encode()
    try:
        jiter.from_json(data, catch_duplicate_keys=True, cache_mode="keys")
        return _ROW.validate_json(data)
    except ValidationError as error:
        told = error.errors(include_url=False, include_input=False)[0]
        return f"`{'.'.join(map(str, told['loc']))}`: {told['msg']}" if told["loc"] else told["msg"]
    except ValueError as error:
        return f"broken JSON: {str(error).partition(' at line')[0]}"


def _broken(path: Path, broken: Sequence[tuple[int, str]], *, is_whole: bool) -> Iterator[Problem]:
    """Say which rows can't be read. A run that was interrupted leaves the last one cut."""
    if broken and not is_whole and broken[-1][1].startswith("broken JSON"):
        yield rules.ROW_CUT.broken(path, broken[-1][0], "the last row is cut")
        broken = broken[:-1]
    if broken:
        told = "; ".join(f"line {number}: {fault}" for number, fault in broken[:_SHOWN])
        more = f"; and {counted(len(broken) - _SHOWN, 'more line')}" if len(broken) > _SHOWN else ""
        yield rules.ROW_BROKEN.broken(path, broken[0][0], told + more)


def _twice(path: Path, twice: Sequence[str]) -> Iterator[Problem]:
    if twice:
        named = ", ".join(dict.fromkeys(twice))
        yield rules.ROW_TWICE.broken(path, None, f"several rows are about {named}")
