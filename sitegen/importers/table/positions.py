"""Numbers of attempts and rounds, which tables count from 0, name by seeds, or leave out."""

from array import array
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from sitegen.importers.kit.redaction import one_line
from sitegen.importers.table.values import Cell, Fault, NumberStyle, text_of, whole_of

MAX_POSITION = 10_000
"""The largest number that an attempt or a round can have."""

_SHOWN = 3
"""Values whose numbers are shown."""


@dataclass(slots=True)
class Positions:
    """What a column says about the attempts or rounds of all rows."""

    values: list[int | str] = field(default_factory=list)
    """The different values, in the order in which they come first."""
    codes: "array[int]" = field(default_factory=lambda: array("I"))
    """The place of each row's value in this list."""
    _places: dict[int | str, int] = field(default_factory=dict)

    def add(self, values: Sequence[int | str]) -> None:
        """Take the values of further rows."""
        for value in dict.fromkeys(values):
            if value not in self._places:
                self._places[value] = len(self.values)
                self.values.append(value)
        self.codes.extend(map(self._places.__getitem__, values))


def position_of(cell: Cell, style: NumberStyle) -> int | str | Fault:
    """Return what tells an attempt or a round: a whole number, or else a text."""
    number = whole_of(cell, style)
    if isinstance(number, int):
        return number
    text = text_of(cell)
    return Fault("is empty") if text is None else text


@dataclass(frozen=True, slots=True)
class Numbering:
    """The numbers of all rows."""

    numbers: "array[int]"
    assumption: str = ""
    """What was taken for granted, as a clause; empty where nothing was."""
    too_large: int = 0
    """A number that no attempt or round can have; 0 where there is none."""


def numbered(
    positions: Positions,
    name: str,
    noun: Literal["attempt", "round"],
    groups: Sequence[Callable[[], Sequence[int]]],
) -> Numbering:
    """Return the numbers of attempts or rounds, from 1.

    Numbers that count from 1 stay as they are, and those from 0 move up by one. Anything else, such
    as seeds and names of runs, is numbered in order.

    Args:
        positions: What the column says about all rows.
        name: The column's name.
        noun: What is numbered.
        groups: Ways to group the rows, the widest first; each gives the number of a group for each
            row. Values are numbered within a group of the first way in which no group has more
            different values than one of the last way has, so that equal values get equal numbers
            as far as possible.
    """
    first = _first_number(positions.values, is_exact=name.strip().lower() == noun)
    if first is None:
        return _numbered_in_order(positions, name, noun, groups)
    offset = 1 - first
    largest = (
        max((value for value in positions.values if isinstance(value, int)), default=1) + offset
    )
    if largest > MAX_POSITION:
        return Numbering(array("H"), too_large=largest)
    numbers = [value + offset if isinstance(value, int) else 0 for value in positions.values]
    assumption = f"{noun}s count from 0 in the table: {noun} 0 is {noun} 1 here" if offset else ""
    return Numbering(array("H", map(numbers.__getitem__, positions.codes)), assumption)


def _first_number(values: Sequence[int | str], *, is_exact: bool) -> int | None:
    """Return 0 or 1 if values count from there; None if they are seeds or names."""
    numbers = [value for value in values if isinstance(value, int)]
    if len(numbers) < len(values) or not numbers:
        return None
    first = min(numbers)
    is_consecutive = max(numbers) - first + 1 == len(numbers)
    return first if first in {0, 1} and (is_exact or is_consecutive) else None


def _numbered_in_order(
    positions: Positions,
    name: str,
    noun: Literal["attempt", "round"],
    groups: Sequence[Callable[[], Sequence[int]]],
) -> Numbering:
    """Return numbers in the order of the values: ascending for numbers, else as they come first."""
    rank = list(range(len(positions.values)))
    numbers_only = [value for value in positions.values if isinstance(value, int)]
    if len(numbers_only) == len(positions.values):
        ascending = {value: place for place, value in enumerate(sorted(numbers_only))}
        rank = [ascending[value] for value in numbers_only]
    smallest = _codes_by_group(groups[-1](), positions.codes)
    most = max(map(len, smallest.values()), default=0)
    for grouping in groups:
        group_of_row = grouping()
        codes_by_group = _codes_by_group(group_of_row, positions.codes)
        if max(map(len, codes_by_group.values()), default=0) == most:
            break
    if most > MAX_POSITION:
        return Numbering(array("H"), too_large=most)
    number_of = {}
    for group, codes in codes_by_group.items():
        for number, code in enumerate(sorted(codes, key=rank.__getitem__), start=1):
            number_of[group, code] = number
    numbers = array(
        "H", map(number_of.__getitem__, zip(group_of_row, positions.codes, strict=True))
    )
    return Numbering(numbers, _words(positions, name, noun, codes_by_group, number_of))


def _codes_by_group(group_of_row: Sequence[int], codes: Sequence[int]) -> dict[int, list[int]]:
    """Return the different codes of each group."""
    pairs = dict.fromkeys(zip(group_of_row, codes, strict=True))
    found: defaultdict[int, list[int]] = defaultdict(list)
    for group, code in pairs:
        found[group].append(code)
    return dict(found)


def _words(
    positions: Positions,
    name: str,
    noun: str,
    codes_by_group: Mapping[int, Sequence[int]],
    number_of: Mapping[tuple[int, int], int],
) -> str:
    """Say how values were numbered, with the first of them as examples."""
    group, codes = next(iter(codes_by_group.items()))
    examples = sorted((number_of[group, code], positions.values[code]) for code in codes)
    shown = [f"{one_line(str(value))} is {noun} {number}" for number, value in examples[:_SHOWN]]
    more = " and so on" if len(examples) > _SHOWN else ""
    return f"column `{name}` numbers the {noun}s in order: {', '.join(shown)}{more}"
