"""Read numbers, verdicts and names from cells, in the spellings that people and programs use."""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from types import NoneType
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from sitegen.importers.kit.rewards import parse_reward
from sitegen.importers.kit.times import parse_timestamp

V = TypeVar("V")

Cell: TypeAlias = str | int | float | bool | list[object] | dict[str, object] | None
"""The content of one cell: text from a CSV file, or any JSON value from other files."""


def split_names(text: str) -> tuple[str, ...]:
    """Return the names in a text in which spaces separate the names."""
    return tuple(text.split())


MISSING_WORDS = frozenset(
    split_names(
        "na n/a nan null none nil nul undefined missing <na> #n/a #na - -- – — . ? -nan nat n.a."
    )
) | {"", "#n/a n/a", "n. a."}
"""Texts that mean an unknown value, in lower case."""

_TRUE_WORDS = frozenset(
    split_names(
        "true t yes y pass passed resolved correct success successful succeeded solved ok ac "
        "accepted "
        "✓ ✔ ✅ ☑ 🟢 🟩 wahr ja vrai oui verdadero sí"
    )
)
_FALSE_WORDS = frozenset(
    split_names(
        "false f no n fail failed unresolved incorrect wrong failure unsuccessful unsolved "
        "rejected wa tle mle ole rte "
        "✗ ✘ ❌ ✖ 🔴 🟥 falsch nein faux non falso"
    )
) | {
    "not resolved",
    "not solved",
    "not passed",
    "wrong answer",
    "time limit exceeded",
    "memory limit exceeded",
    "output limit exceeded",
    "runtime error",
    "compilation error",
}
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
_PART_OF = re.compile(r"(?P<part>[\d.]+)\s*(?:/|of|out of)\s*(?P<whole>[\d.]+)")
"""A number of cases or points out of the total: "3/5", "3 of 5"."""
_DOLLARS = re.compile(r"^(?:us)?\$|^usd\b|(?:\$|\busd)$", re.IGNORECASE)
_TOKENS = re.compile(r"\s*\b(?:tokens?|toks?)$", re.IGNORECASE)
_MULTIPLES = {"k": 1_000, "m": 1_000_000, "b": 1_000_000_000}
"""Factors for the letters after an amount, as in "12.3k"."""
_CLOCK = re.compile(
    r"(?:(?P<days>\d+) days?,? )?(?P<hours>\d+):(?P<minutes>[0-5]\d):(?P<seconds>[0-5]\d(?:\.\d+)?)"
)
_DURATION = re.compile(r"(?:\d+(?:\.\d+)?\s*[a-z]+[\s,]*)+")
_DURATION_PART = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]+)")
_UNIT_SECONDS = {
    **dict.fromkeys(split_names("ms msec msecs millisecond milliseconds"), 0.001),
    **dict.fromkeys(split_names("s sec secs second seconds"), 1.0),
    **dict.fromkeys(split_names("m min mins minute minutes"), 60.0),
    **dict.fromkeys(split_names("h hr hrs hour hours"), 3_600.0),
    **dict.fromkeys(split_names("d day days"), 86_400.0),
}
"""The number of seconds in each unit of time, by the unit's names."""
_MARKS = "✓✔✅☑✗✘❌✖❎⚠🟢🔴🟡🟩🟥\ufe0f "
"""Symbols before or after the word for a verdict: "✅ Pass"."""
_DAY = re.compile(r"\s*(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")
_UNIX_TIME = re.compile(r"\s*(\d{10})(?:\d{3}|\.\d+)?\s*")
"""A time as seconds or milliseconds since 1970."""
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
    """The style in which a table writes numbers."""

    has_decimal_comma: bool = False


def quote_value(value: object) -> str:
    """Return a value as quoted in messages, shortened if it is long."""
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
    """Return whether a cell is None, NaN, empty or a text that means an unknown value."""
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
    """Return a number with all of its written decimals; None for other texts."""
    plain = _plain_number(text, style)
    return Decimal(plain) if plain else None


def _plain_number(text: str, style: NumberStyle) -> str | None:
    """Return a number in the notation of Python's `float`; None for other texts."""
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
    """Return whether the numbers in a table have decimal commas.

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
    """Return the reward in a cell: a number, a boolean, a percentage, or a word for a verdict.

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
    """Return the reward in a text that is not missing, as `parse_verdict` does."""
    verdict = text.strip().casefold()
    verdict = verdict.strip(_MARKS) or verdict
    if verdict in _VERDICTS:
        return _VERDICTS[verdict]
    if verdict in _NO_VERDICT_WORDS:
        return NoVerdict(f"the table says: {verdict}")
    if verdict.endswith("%"):
        verdict = verdict[:-1]
        scale = 100.0
    share = _parse_share(verdict)
    if share is not None:
        return share
    number = parse_number(verdict, style)
    reward = parse_reward(number, scale)
    return _NOT_A_VERDICT if reward is None else reward


def _parse_share(text: str) -> float | None:
    """Return the share stated by a text such as "3/5" or "3 of 5"; None for other texts."""
    match = _PART_OF.fullmatch(text)
    if match is None:
        return None
    part = parse_number(match["part"], NumberStyle())
    whole = parse_number(match["whole"], NumberStyle())
    if part is None or whole is None or not 0 <= part <= whole or whole == 0:
        return None
    return part / whole


def states_scale(cell: Cell, style: NumberStyle) -> bool:
    """Return whether a verdict is independent of a scale, such as True, "pass", "60%" and "3/5"."""
    if isinstance(cell, str):
        return parse_number(cell, style) is None
    return isinstance(cell, bool)


def is_verdict(cell: Cell) -> bool:
    """Return whether a cell could be a reward on any scale, or a missing reward."""
    return not isinstance(parse_verdict(cell, NumberStyle(), None), Fault)


def parse_amount(cell: Cell, style: NumberStyle) -> float | Fault | None:
    """Return an amount of at least 0; None if it is unknown.

    Texts may have a dollar sign and a letter for thousands: "$0.12", "12.3k".
    """
    if is_missing(cell):
        return None
    number = _amount_in(cell, style) if isinstance(cell, str) else _finite_number(cell, style)
    if number is None:
        return Fault("is not a number")
    if not 0 <= number <= LARGEST_AMOUNT:
        return Fault(f"is not between 0 and {LARGEST_AMOUNT:,}")
    return number


def _amount_in(text: str, style: NumberStyle) -> float | None:
    """Return the amount in a text; None if the text is not an amount."""
    if len(text) > _SHOWN_LENGTH:
        return parse_number(text, style)
    plain = _TOKENS.sub("", _DOLLARS.sub("", text.strip()).strip())
    multiple = _MULTIPLES.get(plain[-1:].casefold())
    if multiple is None:
        return parse_number(plain, style)
    number = parse_decimal(plain[:-1], style)
    return None if number is None else float(number * multiple)


def parse_seconds(cell: Cell, style: NumberStyle) -> float | Fault | None:
    """Return a duration in seconds; None if it is unknown.

    A text may have units or the format of a clock: "1m 20s", "350 ms", "0:01:20".
    """
    seconds = parse_duration(cell)
    return parse_amount(cell, style) if seconds is None else seconds


def parse_duration(cell: Cell) -> float | None:
    """Return a duration that states its units, in seconds; None for other cells."""
    if not isinstance(cell, str):
        return None
    text = cell.strip().casefold()
    clock = _CLOCK.fullmatch(text)
    if clock is not None:
        days, hours, minutes, seconds = clock.groups(default="0")
        whole_minutes = (int(days) * 24 + int(hours)) * 60 + int(minutes)
        return whole_minutes * 60 + float(seconds)
    if not _DURATION.fullmatch(text):
        return None
    total = 0.0
    for number, unit in _DURATION_PART.findall(text):
        if unit not in _UNIT_SECONDS:
            return None
        total += float(number) * _UNIT_SECONDS[unit]
    return round(total, 9)


def parse_day(cell: Cell) -> date | None:
    """Return the day in a cell, written as YYYY-MM-DD or seconds since 1970; None for other cells.

    Days in other formats are ignored: 03/04/2026 is ambiguous.
    """
    moment = parse_moment(cell)
    return None if moment is None else moment.date()


def parse_moment(cell: Cell) -> datetime | None:
    """Return the time in a cell, or the beginning of the day in it; None for other cells.

    A time without a zone is taken as UTC.
    """
    if isinstance(cell, bool) or not isinstance(cell, str | int | float):
        return None
    text = str(cell)
    unix_time = _UNIX_TIME.fullmatch(text)
    if unix_time is not None:
        return datetime.fromtimestamp(int(unix_time[1]), UTC)
    moment = parse_timestamp(text.strip())
    if moment is not None:
        return moment
    match = _DAY.match(text)
    if match is None:
        return None
    year, month, day = map(int, match.groups())
    with suppress(ValueError):
        return datetime(year, month, day, tzinfo=UTC)
    return None


def parse_whole_number(cell: Cell, style: NumberStyle) -> int | Fault | None:
    """Return an integer, even if it is written as 3.0; None if it is unknown."""
    if is_missing(cell):
        return None
    number = _finite_number(cell, style)
    if number is None or not number.is_integer() or abs(number) > LARGEST_AMOUNT:
        return Fault("is not a whole number")
    return int(number)


def _finite_number(cell: Cell, style: NumberStyle) -> float | None:
    """Return a finite number, even if it is in a text; None for any other cell."""
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
    """A cache of the converted cells of one type, keyed by their content."""

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
        # Keyed by type, since 1 and True are equal but have different meanings.
        self._cache: dict[type, _ConvertedCells[V]] = {}
        for kind in _PLAIN_KINDS:
            self._cache[kind] = _ConvertedCells(convert)

    def column(self, cells: Sequence[Cell]) -> list[V | Fault]:
        """Return the converted cells of a column."""
        kinds = set(map(type, cells))
        if len(kinds) == 1:
            cached = self._cache.get(kinds.pop())
            if cached is not None:
                return list(map(cached.__getitem__, cells))
        return [self.value(cell) for cell in cells]

    def value(self, cell: Cell) -> V | Fault:
        """Return the converted value of one cell."""
        cached = self._cache.get(type(cell))
        return self._convert(cell) if cached is None else cached[cell]
