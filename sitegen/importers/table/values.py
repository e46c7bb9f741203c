"""Read numbers, verdicts and names from cells, in the spellings that people and programs use."""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from types import NoneType
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from sitegen.importers.kit.rewards import parse_reward

V = TypeVar("V")

Cell: TypeAlias = str | int | float | bool | list[object] | dict[str, object] | None
"""The content of one cell: text from a CSV file, or any JSON value from other files."""


def split_names(text: str) -> tuple[str, ...]:
    """Return the names in a text, separated by spaces."""
    return tuple(text.split())


MISSING_WORDS = frozenset(
    split_names(
        "na n/a nan null none nil nul undefined missing <na> #n/a #na - -- – — . ? -nan nat n.a."
    )
) | {"", "#n/a n/a", "n. a."}
"""Texts that mean an unknown value, in lower case."""

_TRUE_WORDS = frozenset(
    split_names(
        "true t yes y pass passed resolved correct success successful succeeded solved ok "
        "✓ ✔ ✅ wahr ja vrai oui verdadero sí"
    )
)
_FALSE_WORDS = frozenset(
    split_names(
        "false f no n fail failed unresolved incorrect wrong failure unsuccessful unsolved "
        "✗ ✘ ❌ falsch nein faux non falso"
    )
) | {"not resolved", "not solved", "not passed"}
_NO_VERDICT_WORDS = frozenset(
    split_names(
        "error errored timeout timed_out crash crashed exception cancelled canceled killed skipped "
        "aborted unscored invalid incomplete pending running not_run"
    )
) | {"timed out", "not run", "not evaluated"}
"""Texts that mean a missing verdict, in lower case."""

_VERDICTS = {**dict.fromkeys(_TRUE_WORDS, 1.0), **dict.fromkeys(_FALSE_WORDS, 0.0)}

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?")
"""A number with commas between its thousands, or with a decimal comma and three decimals."""
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d{1,3})?")
_POINTS = re.compile(r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+")
"""A number with three decimals, or with points between its thousands."""
_THOUSAND_POINTS = re.compile(r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+,\d*")
_SPACES = re.compile(r"(?<=\d)[ \u00a0\u2009\u202f'\u2019](?=\d{3}\b)")
_NO_FRACTION = re.compile(r"\.0+$")
_MARKS = "✓✔✅☑✗✘❌✖❎⚠🟢🔴🟡🟩🟥\ufe0f "
"""Marks before or after the word for a verdict: "✅ Pass"."""
_DAY = re.compile(r"\s*(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_MIDNIGHT = " 00:00:00"
_SHOWN_LENGTH = 60

LARGEST_AMOUNT = 10**15

MAX_CACHED = 50_000
"""Maximum number of distinct cells of a column whose values are cached."""


class Fault(NamedTuple):
    """The reason why a cell can't be used."""

    message: str
    """A clause that follows the name of the column and the value: "is not a number"."""


class NoVerdict(NamedTuple):
    """A cell that states that there is no verdict."""

    cause: str


NO_REWARD = NoVerdict("the table has no reward here")
_NOT_A_VERDICT = Fault("is neither a number nor a verdict")


@dataclass(frozen=True, slots=True)
class NumberStyle:
    """How a table writes its numbers."""

    has_decimal_comma: bool = False


def quote_value(value: object) -> str:
    """Return a value as quoted in messages."""
    text = repr(value)
    return text if len(text) <= _SHOWN_LENGTH else text[: _SHOWN_LENGTH - 1] + "…"


def json_cell(value: object) -> Cell:
    """Return a value from any library as a JSON value; times become ISO 8601 texts."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case datetime():
            return shorten_time(value.isoformat(sep=" "))
        case date() | time():
            return value.isoformat()
        case bytes():
            return value.decode(errors="replace")
        case Decimal():
            return float(value)
        case dict():
            return {str(key): json_cell(inner) for key, inner in value.items()}
        case list() | tuple():
            return [json_cell(inner) for inner in value]
    return str(value)


def shorten_time(text: str) -> str:
    """Return a time without a fraction of zeros, and a day without a time of midnight."""
    return _NO_FRACTION.sub("", text).removesuffix(_MIDNIGHT)


def is_missing(cell: Cell) -> bool:
    """Return whether a cell contains an unknown value."""
    if cell is None:
        return True
    if isinstance(cell, float):
        return math.isnan(cell)
    return isinstance(cell, str) and cell.strip().casefold() in MISSING_WORDS


def present_cells(cells: Iterable[Cell]) -> list[Cell]:
    """Return the cells that contain a known value."""
    return [cell for cell in cells if not is_missing(cell)]


def parse_number(text: str, style: NumberStyle) -> float | None:
    """Return a number in any of the usual spellings; None for other texts."""
    plain = _plain_number(text, style)
    return float(plain) if plain else None


def parse_decimal(text: str, style: NumberStyle) -> Decimal | None:
    """Return a number with its decimals as printed; None for other texts."""
    plain = _plain_number(text, style)
    return Decimal(plain) if plain else None


def _plain_number(text: str, style: NumberStyle) -> str | None:
    """Return a number as programs write it; None for other texts."""
    plain = text.strip().replace("−", "-")
    if style.has_decimal_comma and _POINTS.fullmatch(plain):
        plain = plain.replace(".", "")
    elif not _NUMBER.fullmatch(plain):
        plain = _SPACES.sub("", plain)
        if _THOUSANDS.fullmatch(plain) and not style.has_decimal_comma:
            plain = plain.replace(",", "")
        elif _DECIMAL_COMMA.fullmatch(plain):
            plain = plain.replace(",", ".")
        elif _THOUSAND_POINTS.fullmatch(plain):
            plain = plain.replace(".", "").replace(",", ".")
    return plain if _NUMBER.fullmatch(plain) else None


def has_decimal_comma(columns: Iterable[Sequence[Cell]], delimiter: str) -> bool:
    """Return whether numbers of a table have a decimal comma.

    Args:
        columns: Cells of the columns that contain numbers.
        delimiter: The separator of the text's cells; a semicolon suggests that commas are decimal
            commas.
    """
    has_commas = False
    for column in columns:
        for cell in column:
            if not isinstance(cell, str) or "," not in cell:
                continue
            text = cell.strip().removesuffix("%").strip()
            if _THOUSANDS.fullmatch(text):
                has_commas = True
            elif _DECIMAL_COMMA.fullmatch(text) or _THOUSAND_POINTS.fullmatch(text):
                return True
    return has_commas and delimiter == ";"


def parse_verdict(cell: Cell, style: NumberStyle, scale: float | None) -> float | NoVerdict | Fault:
    """Return the reward in a cell: a number, a boolean, or a percentage.

    The reward is not yet checked to lie between 0 and 1.
    """
    if is_missing(cell):
        return NO_REWARD
    if isinstance(cell, str):
        return _parse_verdict_text(cell, style, scale)
    reward = parse_reward(cell, None if isinstance(cell, bool) else scale)
    return _NOT_A_VERDICT if reward is None else reward


def _parse_verdict_text(
    text: str, style: NumberStyle, scale: float | None
) -> float | NoVerdict | Fault:
    """Return the reward in a text."""
    verdict = text.strip().casefold()
    verdict = verdict.strip(_MARKS) or verdict
    if verdict in _VERDICTS:
        return _VERDICTS[verdict]
    if verdict in _NO_VERDICT_WORDS:
        return NoVerdict(f"the table says: {verdict}")
    if verdict.endswith("%"):
        verdict = verdict[:-1]
        scale = 100.0
    number = parse_number(verdict, style)
    reward = parse_reward(number, scale)
    return _NOT_A_VERDICT if reward is None else reward


def is_verdict(cell: Cell) -> bool:
    """Return whether a cell could be a reward on any scale, or a missing reward."""
    return not isinstance(parse_verdict(cell, NumberStyle(), None), Fault)


def parse_amount(cell: Cell, style: NumberStyle) -> float | Fault | None:
    """Return an amount of at least 0, with or without a dollar sign; None if it is unknown."""
    if is_missing(cell):
        return None
    if isinstance(cell, str):
        cell = cell.strip().removeprefix("$").removesuffix("$")
    number = _finite_number(cell, style)
    if number is None:
        return Fault("is not a number")
    if not 0 <= number <= LARGEST_AMOUNT:
        return Fault(f"is not between 0 and {LARGEST_AMOUNT:,}")
    return number


def parse_day(cell: Cell) -> date | None:
    """Return the day at the beginning of a cell, as YYYY-MM-DD; None for other cells.

    Days in other formats are ignored: 03/04/2026 is ambiguous.
    """
    match = _DAY.match(cell) if isinstance(cell, str) else None
    if match is None:
        return None
    try:
        return date(*map(int, match.groups()))
    except ValueError:
        return None


def parse_whole_number(cell: Cell, style: NumberStyle) -> int | Fault | None:
    """Return an integer, which may be written as 3.0; None if it is unknown."""
    if is_missing(cell):
        return None
    number = _finite_number(cell, style)
    if number is None or not number.is_integer() or abs(number) > LARGEST_AMOUNT:
        return Fault("is not a whole number")
    return int(number)


def _finite_number(cell: Cell, style: NumberStyle) -> float | None:
    """Return a finite number, which may be in a text; None for any other cell."""
    if isinstance(cell, bool):
        return None
    return parse_number(cell, style) if isinstance(cell, str) else parse_reward(cell)


def parse_text(cell: Cell) -> str | Fault | None:
    """Return a text without surrounding whitespace; None if it is unknown.

    A number becomes a text: 12 and 12.0 are "12".
    """
    if isinstance(cell, str):
        plain = cell.strip()
        return None if plain.casefold() in MISSING_WORDS else plain
    if is_missing(cell):
        return None
    if isinstance(cell, float) and cell.is_integer() and abs(cell) <= LARGEST_AMOUNT:
        return str(int(cell))
    if isinstance(cell, bool | int | float):
        return str(cell)
    return Fault("is not a text")


_PLAIN_KINDS = (str, int, float, bool, NoneType)


class _ConvertedCells(dict[Cell, V | Fault], Generic[V]):
    """Converted cells of one type, by their content."""

    def __init__(self, convert: Callable[[Cell], V | Fault]) -> None:
        super().__init__()
        self._convert = convert

    def __missing__(self, cell: Cell) -> V | Fault:
        value = self._convert(cell)
        if len(self) < MAX_CACHED:
            self[cell] = value
        return value


class Converter(Generic[V]):
    """Converts the cells of one column; equal cells are converted only once."""

    def __init__(self, convert: Callable[[Cell], V | Fault]) -> None:
        """Initialise with the function that converts one cell."""
        self._convert = convert
        # By type, since 1 and True are equal but have different meanings.
        self._cache: dict[type, _ConvertedCells[V]] = {}
        for kind in _PLAIN_KINDS:
            self._cache[kind] = _ConvertedCells(convert)

    def column(self, cells: Sequence[Cell]) -> list[V | Fault]:
        """Return the values of a column."""
        kinds = set(map(type, cells))
        if len(kinds) == 1:
            cached = self._cache.get(kinds.pop())
            if cached is not None:
                return list(map(cached.__getitem__, cells))
        return [self.value(cell) for cell in cells]

    def value(self, cell: Cell) -> V | Fault:
        """Return the value of one cell."""
        cached = self._cache.get(type(cell))
        return self._convert(cell) if cached is None else cached[cell]
