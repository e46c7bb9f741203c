"""Names for test cases, and which of them are one test that was repeated."""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from math import gcd
from typing import NamedTuple

from sitegen.importers.kit.redaction import one_line
from sitegen.importers.promptfoo.records import TestCase

_LONGEST_NAME = 80
"""Characters of a name that is made of variables."""

_DIGITS = 6
"""Digits of a checksum that tells names apart."""

_OF_RUNS = ("__", "_conversation", "sessionId")
"""What the names of variables begin with that promptfoo sets itself."""


def test_variables(variables: Mapping[str, object]) -> dict[str, object]:
    """Return the variables of a test, without those that promptfoo sets for a run."""
    return {name: value for name, value in variables.items() if not name.startswith(_OF_RUNS)}


def variables_line(variables: Mapping[str, object]) -> str:
    """Return variables on one line: `city: peru, language: en`."""
    parts = []
    for name, value in variables.items():
        if value is None or value == "":
            continue
        text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
        parts.append(f"{name}: {text}")
    return ", ".join(parts)


def key_of(*parts: object) -> str:
    """Return a checksum of what describes a test."""
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


class Places(NamedTuple):
    """Which task and attempt each test is."""

    by_test: dict[int, tuple[str, int]]
    """The name of the task and the attempt, by the number of the test."""
    repeated_tasks: list[str]
    """Tasks whose test stands more often than others, so that its further occurrences are tasks, too."""


def places_of(cases: Mapping[int, TestCase]) -> Places:
    """Return the name of the task and the attempt that each test is, by its number.

    promptfoo numbers the repeats of a test as tests of their own. Tests with one key are repeats, if every test
    occurs as often as every other one, or a multiple of that; otherwise each of them is a task.
    """
    numbers: defaultdict[str, list[int]] = defaultdict(list)
    for number in sorted(cases):
        numbers[cases[number].key].append(number)
    repeats = gcd(*(len(repeats_of_test) for repeats_of_test in numbers.values()))
    names = _names({key: cases[repeats_of_test[0]] for key, repeats_of_test in numbers.items()})
    places = Places({}, [])
    for key, repeats_of_test in numbers.items():
        if len(repeats_of_test) > repeats:
            places.repeated_tasks.append(names[key])
        for position, number in enumerate(repeats_of_test):
            occurrence, attempt = divmod(position, repeats)
            name = names[key] if occurrence == 0 else f"{names[key]} ({occurrence + 1})"
            places.by_test[number] = name, attempt + 1
    return places


def _names(cases: Mapping[str, TestCase]) -> dict[str, str]:
    """Return a name for each test, by its key, of which no two are the same."""
    described = Counter(_described(case) for case in cases.values())
    names = {}
    for key, case in cases.items():
        name = _described(case)
        if case.description and case.variables and described[name] > 1:
            name = _with_variables(case)
        names[key] = name
    shared = Counter(names.values())
    for key, name in names.items():
        if shared[name] > 1:
            names[key] = f"{name} #{key[:_DIGITS]}"
    return names


def _described(case: TestCase) -> str:
    return (
        one_line(case.description, _LONGEST_NAME)
        if case.description
        else _shortened(case.variables, case.key)
    )


def _with_variables(case: TestCase) -> str:
    sentence = f"{one_line(case.description, _LONGEST_NAME)}: {case.variables}"
    return _shortened(sentence, case.key, 2 * _LONGEST_NAME)


def _shortened(text: str, key: str, longest: int = _LONGEST_NAME) -> str:
    """Return a text as a name; one that has to be cut ends with a part of the test's key."""
    line = one_line(text, longest)
    return f"{line} #{key[:_DIGITS]}" if line.endswith("…") or not line else line
