"""Read the cells of a column according to its meaning, and report unusable cells."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, assert_never

import jiter
from pydantic import TypeAdapter, ValidationError

from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.table import rules
from sitegen.importers.table.columns import AGENT_MEANINGS, COLUMNS, WORDS, ColumnMap
from sitegen.importers.table.positions import parse_position
from sitegen.importers.table.tables import Chunk, TableFile
from sitegen.importers.table.values import (
    Cell,
    Converter,
    Fault,
    NumberStyle,
    is_missing,
    parse_amount,
    parse_seconds,
    parse_text,
    parse_verdict,
    parse_whole_number,
    quote_value,
)
from sitegen.models.outcome import OUTCOME_STATUS
from sitegen.models.record import Count, Measure
from sitegen.problems import Rule

MAX_NAME_LENGTH = 200
"""Maximum length of an agent's name or of a fact about the agent."""

_MIN_WEIGHT = 1e-9
_MAX_WEIGHT = 1e9

_JSON_TYPES: dict[str, TypeAdapter[Any]] = {
    "case_ids": TypeAdapter(tuple[str, ...]),
    "by_category": TypeAdapter(dict[str, tuple[Count, Count]]),
    "measures": TypeAdapter(dict[str, Measure]),
}
_JSON_SHAPES = {
    "case_ids": 'a list of texts, such as ["case-1", "case-2"]',
    "by_category": 'an object with pairs of counts, such as {"core": [3, 4]}',
    "measures": 'an object with numbers, such as {"erosion@v1": 0.4}',
}


class Unusable(NamedTuple):
    """Unusable cells of a column of figures."""

    line: int
    """The line of the first unusable cell."""
    value: str
    """The first unusable cell."""
    number: int
    """The number of unusable cells."""


@dataclass(slots=True)
class CellReader:
    """Reads the cells of one table."""

    table: TableFile
    log: ImportLog
    columns: ColumnMap
    style: NumberStyle
    scale: float | None = None
    """The largest possible reward."""
    has_decimal_ids: bool = False
    """Whether the ids of tasks are integers written with a decimal: 1.0, 2.0."""
    unusable: dict[str, Unusable] = field(default_factory=dict)
    """Unusable cells in columns of amounts, by the meaning of the column."""
    _converters: dict[str, Converter[Any]] = field(default_factory=dict)

    def has(self, meaning: str) -> bool:
        """Return whether the table has a column with the given meaning."""
        return meaning in self.columns.numbers

    def values(self, meaning: str, chunk: Chunk) -> list[Any] | None:
        """Return a column's values, None for unusable cells; None if there is no such column."""
        number = self.columns.numbers.get(meaning)
        return None if number is None else self.column(meaning, number, chunk)

    def column(self, meaning: str, number: int, chunk: Chunk) -> list[Any]:
        """Return a column's values, read according to a meaning, with None for unusable cells."""
        cells = chunk.columns[number]
        converter = self._converters.get(meaning)
        if converter is None:
            converter = Converter(self._conversion(meaning))
            self._converters[meaning] = converter
        values = converter.column(cells)
        if Fault not in set(map(type, values)):
            return values
        for row, value in enumerate(values):
            if isinstance(value, Fault):
                self._report(meaning, number, chunk.lines[row], cells[row], value)
                values[row] = None
        return values

    def _conversion(self, meaning: str) -> Callable[[Cell], Any]:
        """Return the function that converts a cell of a column with the given meaning."""
        convert: Callable[[Cell], Any]
        match COLUMNS[meaning].kind:
            case "verdict":
                convert = partial(parse_verdict, style=self.style, scale=self.scale)
            case "position":
                convert = partial(parse_position, style=self.style)
            case "amount":
                convert = partial(parse_amount, style=self.style)
            case "seconds":
                convert = partial(parse_seconds, style=self.style)
            case "whole":
                convert = partial(_parse_count, style=self.style)
            case "number":
                convert = partial(_parse_weight, style=self.style)
            case "json":
                convert = partial(_parse_json, meaning=meaning)
            case "text":
                convert = self._text_conversion(meaning)
            case unknown:
                assert_never(unknown)
        return convert

    def _text_conversion(self, meaning: str) -> Callable[[Cell], Any]:
        """Return the function that converts a text cell of a column with the given meaning."""
        if meaning == "task":
            return partial(_parse_task, is_whole=self.has_decimal_ids)
        if meaning in WORDS:
            return partial(_parse_word, meaning=meaning)
        if meaning in AGENT_MEANINGS:
            return _parse_name
        return _parse_outcomes if meaning == "outcomes" else parse_text

    def _report(self, meaning: str, number: int, line: int, cell: Cell, fault: Fault) -> None:
        """Report a cell that can't be used; for columns of amounts, only count it."""
        if COLUMNS[meaning].kind in {"amount", "seconds"}:
            unusable = self.unusable.get(meaning, Unusable(line, quote_value(cell), 0))
            self.unusable[meaning] = unusable._replace(number=unusable.number + 1)
            return
        name = one_line(self.columns.names[number]) or meaning
        message = f"`{name}` is {quote_value(cell)}, which {fault.message}"
        if is_missing(cell):
            message = f"`{name}` is empty"
        self.add_fault(rules.VALUE, line, message, f"{meaning} {fault.message}")

    def add_fault(self, rule: Rule, line: int, message: str, kind: str | None = None) -> None:
        """Report a fault of a row; faults of the same kind are reported once, with their number."""
        if self.table.row_noun == "line":
            self.log.add(rule, self.log.root, message, line, kind)
        else:
            self.log.add(rule, self.log.root, f"row {line}: {message}", None, kind)


_EMPTY = Fault("is empty")
_DECIMAL_ID = re.compile(r"\s*\d+\.0\s*")


def have_decimal_ids(cells: Sequence[Cell]) -> bool:
    """Return whether the ids are integers written with a decimal: "1.0"."""
    texts = [cell for cell in cells if isinstance(cell, str) and not is_missing(cell)]
    return bool(texts) and all(map(_DECIMAL_ID.fullmatch, texts))


def _parse_task(cell: Cell, *, is_whole: bool) -> str | Fault:
    """Return the name of a task; an empty cell is a fault."""
    text = parse_text(cell)
    if text is None:
        return _EMPTY
    if is_whole and isinstance(text, str) and _DECIMAL_ID.fullmatch(text):
        return text.removesuffix(".0")
    return text


def _parse_name(cell: Cell) -> str | Fault | None:
    """Return an agent's name, or a fact about the agent; a text that is too long is a fault."""
    text = parse_text(cell)
    if isinstance(text, str) and len(text) > MAX_NAME_LENGTH:
        return Fault(f"has more than {MAX_NAME_LENGTH} characters")
    return one_line(text) if isinstance(text, str) else text


def _parse_word(cell: Cell, meaning: str) -> str | Fault | None:
    """Return a word that the column may contain; other words are a fault."""
    text = parse_text(cell)
    if not isinstance(text, str) or text in WORDS[meaning]:
        return text
    return Fault(f"is none of {', '.join(sorted(WORDS[meaning]))}")


def _parse_outcomes(cell: Cell) -> str | Fault | None:
    """Return the outcome letters in a cell; other letters are a fault."""
    text = parse_text(cell)
    if not isinstance(text, str) or set(text) <= OUTCOME_STATUS.keys():
        return text
    return Fault(f"has letters other than {', '.join(OUTCOME_STATUS)}")


def _parse_count(cell: Cell, style: NumberStyle) -> int | Fault | None:
    """Return an integer of at least 0; a negative integer is a fault."""
    count = parse_whole_number(cell, style)
    return Fault("is below 0") if isinstance(count, int) and count < 0 else count


def _parse_weight(cell: Cell, style: NumberStyle) -> float | Fault | None:
    """Return the weight of a round; a weight outside the limits is a fault."""
    weight = parse_amount(cell, style)
    if not isinstance(weight, float) or _MIN_WEIGHT <= weight <= _MAX_WEIGHT:
        return weight
    return Fault(f"is not between {_MIN_WEIGHT:g} and {_MAX_WEIGHT:g}")


def _parse_json(cell: Cell, meaning: str) -> Any:  # noqa: ANN401 - a type of `_JSON_TYPES`
    """Return the list or object in a cell, also if written as JSON text; None if it is missing."""
    if is_missing(cell):
        return None
    fault = Fault(f"is not {_JSON_SHAPES[meaning]}")
    try:
        text = cell.encode() if isinstance(cell, str) else json.dumps(cell).encode()
        jiter.from_json(text, allow_inf_nan=False, catch_duplicate_keys=True)
        return _JSON_TYPES[meaning].validate_json(text, strict=True)
    except (ValueError, ValidationError):
        return fault
