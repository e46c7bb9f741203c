"""Reads the rows of a table, one at a time, from CSV or from JSON Lines, and turns them into records of rounds."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import jiter
from pydantic import Field, StringConstraints, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from sitegen.importers.kit.agents import repeated
from sitegen.importers.kit.redaction import one_line, redacted
from sitegen.importers.kit.report import Report
from sitegen.importers.table import rules
from sitegen.models.consistency import breaches
from sitegen.models.outcome import RoundResult
from sitegen.models.record import CLOSED
from sitegen.problems import ProblemsError, Rule
from sitegen.reading.json import strict_json
from sitegen.reading.lines import TextLines

MOST_ROWS = 100_000
"""Rows that are read at all: 20 agents with four attempts at 115 tasks of ten rounds have fewer."""

Kind = Literal["text", "whole", "number", "json"]

COLUMNS: Mapping[str, Kind] = {
    "task": "text", "attempt": "whole", "round": "whole", "state": "text", "reward": "number",
    "passed": "whole", "total": "whole", "skipped": "whole", "start": "text", "outcomes": "text",
    "case_ids": "json", "by_category": "json", "interactions": "number", "turns": "number",
    "input_tokens": "number", "cached_tokens": "number", "output_tokens": "number", "cost_usd": "number",
    "agent_seconds": "number", "verifier_seconds": "number", "measures": "json", "cause": "text", "mode": "text",
    "weight": "number", "title": "text", "agent": "text", "organization": "text", "model": "text",
    "scaffold": "text", "scaffold_version": "text", "reasoning": "text",
}  # fmt: skip
"""Columns by name: those of a round, its weight in its task, the task's title, and those that tell of the agent."""

REQUIRED = ("task", "reward")
_ONCE = {"attempt": 1, "round": 1}
"""What rows are where no column tells it: what is tried and checked once."""
OF_AGENTS = ("agent", "organization", "model", "scaffold", "scaffold_version", "reasoning")
_BESIDE_ROUNDS = frozenset({"weight", "title", *OF_AGENTS})

_WHOLE = re.compile(r"[+-]?\d{1,18}(?:\.0+)?")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?")

_WIDTH = 60

_Word = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]


@dataclass(frozen=True, slots=True, config=CLOSED)
class Beside:
    """What a row tells beside its round."""

    agent: _Word | None = None
    organization: _Word | None = None
    model: _Word | None = None
    scaffold: _Word | None = None
    scaffold_version: _Word | None = None
    reasoning: _Word | None = None
    title: _Word | None = None
    """Of the task."""
    weight: Annotated[float, Field(ge=1e-9, le=1e9)] | None = None

    @property
    def models(self) -> tuple[str, ...]:
        """What the agent may be asked for by: its name, and that of its model."""
        return tuple(filter(None, (self.agent, self.model)))


_ROUND, _BESIDE = TypeAdapter(RoundResult), TypeAdapter(Beside)


class Row(NamedTuple):
    """A row of a table."""

    line: int
    result: RoundResult
    beside: Beside


def _shown(value: object) -> str:
    """Quote a value in a message."""
    text = repr(value)
    return text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"


def read_rows(path: Path, report: Report) -> Iterator[Row]:
    """Make a record of each row that can be used."""
    same: dict[Beside, Beside] = {}
    for line, values in _values(path, report):
        record = {key: value for key, value in values.items() if key not in _BESIDE_ROUNDS}
        # What a row takes for granted: the state of a round with a verdict, and the zeros of one without.
        state = record.setdefault("state", "no_cases" if record.get("total") == 0 else "scored")
        if state in {"no_cases", "aborted", "unreached", "fast_forwarded"}:
            record = {"reward": 0, "passed": 0, "total": 0} | record
        try:
            result = _ROUND.validate_json(json.dumps(record))
            beside = _BESIDE.validate_json(json.dumps({key: values[key] for key in values.keys() & _BESIDE_ROUNDS}))
        except ValidationError as error:
            for detail in error.errors(include_url=False):
                column = str(detail["loc"][0]) if detail["loc"] else "the row"
                if detail["type"] in {"missing", "missing_argument"}:
                    report.add(rules.VALUE, path, f"`{column}` is empty", line, column)
                else:
                    what = f"`{column}` is {_shown(detail['input'])}: {detail['msg'].lower()}"
                    report.add(rules.VALUE, path, what, line, f"{column} {detail['type']}")
            continue
        if (result.cause, result.case_ids) != (None, None):
            # Keys and folders of somebody's machine stay out of what is published.
            names = tuple(map(redacted, result.case_ids)) if result.case_ids else None
            result = replace(result, cause=one_line(result.cause) if result.cause else None, case_ids=names)
        for rule, kind, what in _breaches(result):
            report.add(rule, path, what, line, kind)
        yield Row(line, result, same.setdefault(beside, beside))


def _breaches(result: RoundResult) -> Iterator[tuple[Rule, str, str]]:
    """What is wrong with a record by itself: the broken rule, what such breaches have in common, and the fact."""
    odd = []
    if result.state == "excluded":
        what = "`state` is 'excluded', which needs a finding that says why: exclude rounds in findings.toml"
        odd.append(("state", what))
    if result.start == "reference" and result.attempt > 1:
        odd.append(("start", f"`attempt` is {result.attempt}: rounds from the reference state are run once"))
    if odd:
        yield from ((rules.VALUE, kind, what) for kind, what in odd)
        return
    yield from ((rules.CONTRADICTION, rule.code, what) for rule, what in breaches(result))
    names = result.case_ids or ()
    if len(set(names)) < len(names):
        yield rules.CONTRADICTION, "case_ids", "`case_ids` names a case twice"
    elif names and result.total is None:
        yield rules.CONTRADICTION, "case_ids", "`passed` and `total` are missing, but `case_ids` tells of cases"


def _values(path: Path, report: Report) -> Iterator[tuple[int, Mapping[str, object]]]:
    """What each row tells, by column and with its line; empty cells are left out."""
    kind = path.suffix.lower()
    if kind not in {".csv", ".jsonl"} or not path.is_file():
        what = f"{path.name} is no file, or neither CSV nor JSON Lines"
        raise ProblemsError([rules.FORMAT.broken(path, None, what)])
    lines = TextLines(path)
    for count, row in enumerate(_from_csv(lines, report) if kind == ".csv" else _from_jsonl(lines, report)):
        if count == MOST_ROWS:
            raise ProblemsError([rules.LARGE.broken(path, row[0], f"there are more than {MOST_ROWS:,} rows")])
        yield row
    if lines.problems:
        raise ProblemsError(lines.problems)


def _from_csv(lines: TextLines, report: Report) -> Iterator[tuple[int, Mapping[str, object]]]:
    rows = lines.rows(rules.SYNTAX)
    header = [name.strip() for _, cells in islice(rows, 1) for name in cells]
    if not lines.problems:
        _require_columns(lines.path, header)
    columns, once = _as_read(header)
    for start, cells in rows:
        if len(cells) != len(header):
            report.add(rules.SYNTAX, lines.path, f"{len(cells)} cells under {len(header)} columns", start, "cells")
            continue
        filled = ((name, cell) for name, cell in zip(columns, cells, strict=True) if cell.strip())
        yield start, once | {name: _value(COLUMNS[name], cell) for name, cell in filled}


def _as_read(names: Sequence[str]) -> tuple[list[str], dict[str, object]]:
    """What columns are read as: a `passed` without a `total` is the verdict; and what those say that are not there."""
    is_verdict = "passed" in names and not {"reward", "total"}.intersection(names)
    read = ["reward" if is_verdict and name == "passed" else name for name in names]
    return read, {name: value for name, value in _ONCE.items() if name not in names}


def _value(kind: Kind, text: str) -> object:
    """Turn a cell of text into a value of its column's kind; text that is of no such kind stays text."""
    plain = text.strip()
    if kind == "whole" and _WHOLE.fullmatch(plain):
        return int(plain.partition(".")[0])
    if kind == "number" and _NUMBER.fullmatch(plain):
        return float(plain)
    if kind == "json":
        with suppress(ValueError):
            parsed: object = jiter.from_json(plain.encode(), allow_inf_nan=False, catch_duplicate_keys=True)
            return parsed
    return plain if kind == "text" else text


def _from_jsonl(lines: TextLines, report: Report) -> Iterator[tuple[int, Mapping[str, object]]]:
    columns: set[str] = set()
    for number, line in lines:
        if not line.strip():
            continue
        try:
            found = strict_json(line.encode())
        except ValueError as error:
            what = f"broken JSON: {str(error).partition(' at line')[0]}"
            report.add(rules.SYNTAX, lines.path, what, number, "json")
            continue
        if not isinstance(found, dict):
            report.add(rules.SYNTAX, lines.path, f"the line holds {_shown(found)}, and no object", number, "object")
            continue
        unknown = sorted(found.keys() - columns - COLUMNS.keys())
        if unknown:
            report.add(rules.COLUMN_UNKNOWN, lines.path, _unknown(unknown), number, "")
        read, once = _as_read([*found])
        columns.update(read)
        told = zip(read, found.values(), strict=True)
        yield number, once | {name: value for name, value in told if value is not None and name in COLUMNS}
    if columns:
        _require_columns(lines.path, sorted(columns & COLUMNS.keys()))


def _require_columns(path: Path, header: Sequence[str]) -> None:
    """Refuse a table whose columns are not those of a bundle."""
    if not header:
        raise ProblemsError([rules.EMPTY.broken(path, None, f"{path.name} is empty")])
    other = next((mark for mark in (";", "\t", "|") if mark in header[0]), None)
    if other and len(header) == 1:
        what = f"the columns are separated by {_shown(other)}"
        raise ProblemsError([rules.SYNTAX.broken(path, 1, what, "separate them by commas")])
    problems = []
    unknown = [name for name in dict.fromkeys(header) if name not in COLUMNS]
    if unknown:
        problems.append(rules.COLUMN_UNKNOWN.broken(path, 1, _unknown(unknown)))
    missing = [name for name in REQUIRED if name not in _as_read(header)[0]]
    if missing:
        problems.append(rules.COLUMN_MISSING.broken(path, 1, f"no column is called {', '.join(missing)}"))
    twice = repeated(header)
    if twice:
        problems.append(rules.COLUMN_TWICE.broken(path, 1, f"there twice: {', '.join(map(_shown, twice))}"))
    if problems:
        raise ProblemsError(problems)


def _unknown(unknown: Sequence[str]) -> str:
    return f"unknown: {', '.join(map(_shown, unknown))}; known are: {', '.join(COLUMNS)}"
