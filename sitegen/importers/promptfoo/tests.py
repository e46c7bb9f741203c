"""Name test cases, and detect repeats of the same test."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from math import gcd
from typing import NamedTuple

from sitegen.importers.kit.redaction import one_line
from sitegen.importers.promptfoo.records import TestCase
from sitegen.problems import grouped

_MAX_NAME_LENGTH = 80
"""Maximum length of a description, or of variables, in a name."""

_CHECKSUM_DIGITS = 6
"""Number of checksum digits appended to names that would otherwise be the same."""

_RUN_VARIABLES = ("__", "_conversation", "sessionId")
"""Prefixes of variables that promptfoo itself sets for each run."""


def drop_run_variables(variables: Mapping[str, object]) -> dict[str, object]:
    """Return the variables of a test, except those that promptfoo sets for each run."""
    return {name: value for name, value in variables.items() if not name.startswith(_RUN_VARIABLES)}


def format_variables(variables: Mapping[str, object]) -> str:
    """Return variables on one line: `city: peru, language: en`."""
    assignments = []
    for name, value in variables.items():
        if value is None or value == "":
            continue
        text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
        assignments.append(f"{name}: {text}")
    return ", ".join(assignments)


def checksum(*values: object) -> str:
    """Return the SHA-256 of values serialised as JSON, in hexadecimal."""
    text = json.dumps(values, sort_keys=True, default=str)
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


class TestNumbering(NamedTuple):
    """The task and attempt that each test of an evaluation becomes."""

    attempt_keys: dict[int, tuple[str, int]]
    """The name of the task and the number of the attempt, keyed by the test's number."""
    repeated_tasks: list[str]
    """Tasks whose test occurs more often than others; its extra occurrences are separate tasks."""


def number_tests(cases: Mapping[int, TestCase]) -> TestNumbering:
    """Return the task and the attempt that each test becomes.

    promptfoo numbers the repeats of a test as further tests. The number of attempts is the greatest
    common divisor of how often each test occurs; extra occurrences are separate tasks.

    Args:
        cases: The tests by number.
    """
    numbers_by_key = grouped((cases[number].key, number) for number in sorted(cases))
    repeats = gcd(*map(len, numbers_by_key.values()))
    names = _name_tests({key: cases[numbers[0]] for key, numbers in numbers_by_key.items()})
    numbering = TestNumbering({}, [])
    for key, numbers in numbers_by_key.items():
        if len(numbers) > repeats:
            numbering.repeated_tasks.append(names[key])
        for position, number in enumerate(numbers):
            occurrence, attempt = divmod(position, repeats)
            name = f"{names[key]} ({occurrence + 1})" if occurrence else names[key]
            numbering.attempt_keys[number] = name, attempt + 1
    return numbering


def _name_tests(cases: Mapping[str, TestCase]) -> dict[str, str]:
    """Return a unique name for each test, keyed by the test's key."""
    short_names = {key: _short_name(case) for key, case in cases.items()}
    short_counts = Counter(short_names.values())
    names = {}
    for key, case in cases.items():
        name = short_names[key]
        if case.description and case.variables and short_counts[name] > 1:
            name = _long_name(case)
        names[key] = name
    counts = Counter(names.values())
    for key, name in names.items():
        if counts[name] > 1:
            names[key] = f"{name} #{key[:_CHECKSUM_DIGITS]}"
    return names


def _short_name(case: TestCase) -> str:
    """Return the description of a test, or its variables if it has none."""
    if case.description:
        return one_line(case.description, _MAX_NAME_LENGTH)
    return _shorten(case.variables, case.key, _MAX_NAME_LENGTH)


def _long_name(case: TestCase) -> str:
    """Return the description of a test with its variables."""
    text = f"{one_line(case.description, _MAX_NAME_LENGTH)}: {case.variables}"
    return _shorten(text, case.key, 2 * _MAX_NAME_LENGTH)


def _shorten(text: str, key: str, max_length: int) -> str:
    """Return a text on one line; if it is cut off, digits of the test's key are appended."""
    line = one_line(text, max_length)
    return f"{line} #{key[:_CHECKSUM_DIGITS]}" if line.endswith("…") or not line else line
