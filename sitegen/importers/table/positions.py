"""Number attempts and rounds from 1; tables may count from 0, use seeds or omit the numbers."""

from array import array
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from sitegen.importers.kit.redaction import one_line
from sitegen.importers.table.values import Cell, Fault, NumberStyle, parse_text, parse_whole_number

MAX_POSITION = 10_000
"""Maximum number of an attempt or a round."""

_MAX_EXAMPLES = 3
"""Maximum number of values shown as examples."""

Noun: TypeAlias = Literal["attempt", "round"]
"""The unit that is numbered."""

Grouping: TypeAlias = Callable[[], Sequence[int]]
"""A function that returns the number of each row's group."""


@dataclass(slots=True)
class Positions:
    """The values of all rows in the column for attempts or for rounds."""

    values: list[int | str] = field(default_factory=list)
    """The distinct values, in the order of first occurrence."""
    codes: "array[int]" = field(default_factory=lambda: array("I"))
    """The index of each row's value in `values`."""
    _codes_by_value: dict[int | str, int] = field(default_factory=dict)

    def add(self, values: Sequence[int | str]) -> None:
        """Add the values of further rows."""
        for value in dict.fromkeys(values):
            if value not in self._codes_by_value:
                self._codes_by_value[value] = len(self.values)
                self.values.append(value)
        self.codes.extend(map(self._codes_by_value.__getitem__, values))


def parse_position(cell: Cell, style: NumberStyle) -> int | str | Fault:
    """Return the attempt or round in a cell: a whole number, or else a text."""
    number = parse_whole_number(cell, style)
    if isinstance(number, int):
        return number
    text = parse_text(cell)
    return Fault("is empty") if text is None else text


@dataclass(frozen=True, slots=True)
class Numbering:
    """The attempt or round numbers of all rows."""

    numbers: "array[int]"
    assumption: str = ""
    """The assumption made, as a clause; empty if no assumption was made."""
    too_large: int = 0
    """A number that is too large for an attempt or round; 0 if no number is too large."""


def number_positions(
    positions: Positions,
    name: str,
    noun: Noun,
    groupings: Sequence[Grouping],
    *,
    is_partial: bool = False,
) -> Numbering:
    """Return the numbers of attempts or rounds, from 1.

    Numbers that count from 1 are kept, and numbers that count from 0 are increased by one. Other
    values, such as seeds and names of runs, are numbered in order.

    Args:
        positions: The values of the column in all rows.
        name: The column's name.
        noun: The unit that is numbered.
        groupings: Ways to group the rows, the widest first. Values are numbered within the groups
            of the first way in which no group has more distinct values than a group of the last
            way, so that equal values get equal numbers if possible.
        is_partial: Whether the table has only some rounds. If so, a column called exactly
            "attempt" or "round" keeps its numbers even if they begin above 1.
    """
    values = positions.values
    numbers = [value for value in values if isinstance(value, int)]
    are_numbers = len(numbers) == len(values)
    is_exact = name.strip().lower() == noun
    first = _first_number(numbers, is_exact=is_exact) if are_numbers else None
    if first is None and are_numbers and is_exact and is_partial and min(numbers, default=0) > 0:
        first = 1
    if first is None:
        ranks = _ranks(numbers) if are_numbers else range(len(values))
        return _numbered_in_order(positions, name, noun, groupings, ranks)
    offset = 1 - first
    largest = max(numbers) + offset
    if largest > MAX_POSITION:
        return Numbering(array("H"), too_large=largest)
    new_numbers = [number + offset for number in numbers]
    assumption = f"{noun}s count from 0 in the table: {noun} 0 is {noun} 1 here" if offset else ""
    return Numbering(array("H", map(new_numbers.__getitem__, positions.codes)), assumption)


def _first_number(numbers: Sequence[int], *, is_exact: bool) -> int | None:
    """Return 0 or 1 if the numbers count from it; None for other numbers, such as seeds.

    Args:
        numbers: The distinct numbers.
        is_exact: Whether the column is called exactly "attempt" or "round", and so may have gaps.
    """
    if not numbers:
        return None
    first = min(numbers)
    if first not in {0, 1}:
        return None
    is_consecutive = max(numbers) - first + 1 == len(numbers)
    return first if is_exact or is_consecutive else None


def _ranks(numbers: Sequence[int]) -> list[int]:
    """Return the rank of each number in ascending order, from 0."""
    ranks = {number: rank for rank, number in enumerate(sorted(numbers))}
    return [ranks[number] for number in numbers]


def _numbered_in_order(
    positions: Positions,
    name: str,
    noun: Noun,
    groupings: Sequence[Grouping],
    ranks: Sequence[int],
) -> Numbering:
    """Return numbers from 1 in each group of rows, in the order of the values.

    Args:
        positions: The values of the column in all rows.
        name: The column's name.
        noun: The unit that is numbered.
        groupings: Ways to group the rows, as in `number_positions`.
        ranks: The rank of each value.
    """
    smallest_groups = _codes_by_group(groupings[-1](), positions.codes)
    largest = max(map(len, smallest_groups.values()), default=0)
    if largest > MAX_POSITION:
        return Numbering(array("H"), too_large=largest)
    for grouping in groupings:
        group_of_row = grouping()
        codes_by_group = _codes_by_group(group_of_row, positions.codes)
        if max(map(len, codes_by_group.values()), default=0) == largest:
            break
    number_of = {}
    for group, codes in codes_by_group.items():
        for number, code in enumerate(sorted(codes, key=ranks.__getitem__), start=1):
            number_of[group, code] = number
    keys = zip(group_of_row, positions.codes, strict=True)
    numbers = array("H", map(number_of.__getitem__, keys))
    group, codes = next(iter(codes_by_group.items()))
    examples = sorted((number_of[group, code], positions.values[code]) for code in codes)
    return Numbering(numbers, _assumption(name, noun, examples))


def _codes_by_group(group_of_row: Sequence[int], codes: Sequence[int]) -> Mapping[int, list[int]]:
    """Return the distinct codes of each group."""
    codes_by_group: defaultdict[int, list[int]] = defaultdict(list)
    for group, code in dict.fromkeys(zip(group_of_row, codes, strict=True)):
        codes_by_group[group].append(code)
    return codes_by_group


def _assumption(name: str, noun: Noun, examples: Sequence[tuple[int, int | str]]) -> str:
    """Return a clause that describes how values were numbered.

    Args:
        name: The column's name.
        noun: The unit that is numbered.
        examples: Pairs of a number and its value.
    """
    example_texts = []
    for number, value in examples[:_MAX_EXAMPLES]:
        example_texts.append(f"{one_line(str(value))} is {noun} {number}")
    suffix = " and so on" if len(examples) > _MAX_EXAMPLES else ""
    return f"column `{name}` numbers the {noun}s in order: {', '.join(example_texts)}{suffix}"
