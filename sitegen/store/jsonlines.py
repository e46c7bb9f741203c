"""Reads the JSON Lines files that machines write."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, NoReturn, TypeVar

import jiter
from pydantic import TypeAdapter, ValidationError

from sitegen.errors import Problem, Rule
from sitegen.store import rules
from sitegen.store.shape import shape_problems
from sitegen.store.text import read_bytes, utf8_problem

T = TypeVar("T")


@dataclass(frozen=True)  # no slots: a parametrised generic marks its instances
class Lines(Generic[T]):
    """What a JSON Lines file holds."""

    records: Sequence[T] = ()
    numbers: Sequence[int] = ()
    """Line of each record, from 1."""
    raw: Sequence[bytes] = ()
    """JSON text of each record."""
    refused: int = 0
    """Lines that hold no record: broken JSON, or another shape."""
    problems: tuple[Problem, ...] = ()


def read_lines(path: Path, adapter: TypeAdapter[list[T]]) -> Lines[T]:
    """Read every line that can be read, and say what is wrong with the others.

    Args:
        path: The file; unpacked where its name ends in `.gz`.
        adapter: Validates the lines as one list, which is several times faster than line by line.
    """
    data, problems = read_bytes(path)
    if data is None:
        return Lines(problems=tuple(problems))
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return Lines(problems=(utf8_problem(path, data, error),), refused=data.count(b"\n") + 1)
    numbered = [(number, line) for number, line in enumerate(data.split(b"\n"), start=1) if line.strip()]
    sound, syntax = _sound(path, numbered)
    return _shaped(path, sound, adapter, Lines(refused=len(numbered) - len(sound), problems=tuple(syntax)))


def _sound(path: Path, numbered: list[tuple[int, bytes]]) -> tuple[list[tuple[int, bytes]], list[Problem]]:
    """Keep the lines that are strict JSON: no NaN, no key twice. Mostly all are, so all are tried at once."""
    try:
        _parse(b"[" + b",".join(line for _, line in numbered) + b"]")
    except ValueError:
        sound, problems = [], []
        for number, line in numbered:
            try:
                _parse(line)
            except ValueError as error:
                problems.append(_syntax_problem(path, number, line, error))
            else:
                sound.append((number, line))
        return sound, problems
    return numbered, []


def _parse(text: bytes) -> None:
    jiter.from_json(text, allow_inf_nan=False, catch_duplicate_keys=True, cache_mode="keys")


def _shaped(path: Path, sound: list[tuple[int, bytes]], adapter: TypeAdapter[list[T]], so_far: Lines[T]) -> Lines[T]:
    try:
        records = adapter.validate_json(b"[" + b",".join(line for _, line in sound) + b"]")
    except ValidationError as error:
        bad = {int(detail["loc"][0]) for detail in error.errors(include_url=False, include_input=False)}
        problems = shape_problems(error, path, lambda place: sound[int(place[0])][0])
        good = [line for index, line in enumerate(sound) if index not in bad]
        before = Lines[T](refused=so_far.refused + len(bad), problems=(*so_far.problems, *problems))
        return _shaped(path, good, adapter, before)
    numbers, raw = [number for number, _ in sound], [line for _, line in sound]
    return Lines(records, numbers, raw, so_far.refused, so_far.problems)


class _Found(ValueError):  # noqa: N818 - it carries a finding out of the parser's hooks
    def __init__(self, rule: Rule, what: str) -> None:
        super().__init__(what)
        self.rule = rule


def _syntax_problem(path: Path, number: int, line: bytes, error: ValueError) -> Problem:
    """Parse a broken line once more, slowly, to say what exactly is wrong with it."""
    try:
        json.loads(line, object_pairs_hook=_refuse_duplicate, parse_constant=_refuse_constant)
    except _Found as found:
        return found.rule.broken(path, number, str(found))
    except json.JSONDecodeError as syntax:
        return rules.JSON_SYNTAX.broken(path, number, f"broken JSON: {syntax.msg} at column {syntax.colno}")
    return rules.JSON_SYNTAX.broken(path, number, f"broken JSON: {error}")


def _refuse_duplicate(pairs: list[tuple[str, object]]) -> None:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            raise _Found(rules.KEY_DUPLICATE, f"the key `{key}` stands twice")
        seen.add(key)


def _refuse_constant(name: str) -> NoReturn:
    raise _Found(rules.NUMBER_NOT_FINITE, f"a number is {name}")
