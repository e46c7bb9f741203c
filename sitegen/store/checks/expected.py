"""Compare a bundle's records with the records that its track expects, each exactly once.

Read `Expectation` first, which lists the expected records, then `completeness_problems`.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import product, starmap, zip_longest
from operator import eq
from pathlib import Path
from typing import TypeVar

from sitegen.models.benchmark import Track
from sitegen.models.outcome import ROUND_KEY, Failure, RoundKey, RoundResult, Start
from sitegen.models.task import Task
from sitegen.problems import Problem, Rule, agreeing, counted, grouped, mends, ranges, reasons
from sitegen.reading.json import Lines
from sitegen.reading.shape import suggestion

TASK_UNKNOWN = Rule.error(
    "TASK-UNKNOWN", "A task is not in the track's task set.", "correct the task's id"
)
ROUND_UNKNOWN = Rule.error(
    "ROUND-UNKNOWN", "A round number is not one of the task's rounds.", "correct the round's number"
)
ATTEMPT_UNKNOWN = Rule.error(
    "ATTEMPT-UNKNOWN",
    "A bundle has an attempt beyond the number that its manifest or its track states.",
    "correct the attempt's number, or `attempts` in submission.toml",
)
START_UNEXPECTED = Rule.error(
    "START-UNEXPECTED",
    "A round starts from the reference state on a track without such rounds.",
    "leave `start` out, or submit to a track with `reference_rounds = true`",
)
MISSING_RECORDED = Rule.error(
    "MISSING-RECORDED",
    "A bundle has records of a task that it lists in `missing`.",
    "remove the task from `missing`, or its records from the bundle",
)
ROUND_TWICE = Rule.error(
    "ROUND-TWICE",
    "A combination of task, attempt, round and start occurs twice.",
    "keep one of the lines",
    unwaivable=reasons.LINES,
    mend=mends.REPEATS,
)
ROUND_MISSING = Rule.error(
    "ROUND-MISSING",
    "A round has no record.",
    'add a line for every missing round; a round that was never reached has state "unreached" '
    "and reward 0",
)

U = TypeVar("U", bound=Hashable)

_OWN_START: tuple[Start] = ("own",)

PartialKey = tuple[str | None, int | None, int | None, Start | None]
"""A round key with None for the values that could not be read."""

_TASK = re.compile(rb'"task"\s*:\s*"([^"\\]+)"')
_ATTEMPT = re.compile(rb'"attempt"\s*:\s*"?(\d{1,9})\b')
_ROUND = re.compile(rb'"round"\s*:\s*"?(\d{1,9})\b')
_FROM_REFERENCE = re.compile(rb'"start"\s*:\s*"reference"')
_RECORD_BOUNDARY = re.compile(rb"\}\s*+(?:,\s*+)?\{")
_MAX_RECORDS_PER_LINE = 1000
"""Maximum number of records to search for in one broken line."""
_MAX_SUGGESTIONS = 50
"""Maximum number of unknown tasks to find similar names for, since the search is slow."""
_ATTEMPT_FIX = "add its records, or state in submission.toml how many `attempts` were made"


def short_round_name(record: RoundResult | Failure) -> str:
    """Return the name of a record's round without its attempt, such as "round 2 of tidy"."""
    return f"round {record.round} of {record.task}"


def round_key_name(key: RoundKey) -> str:
    """Return the name of a round of an attempt, such as "round 2 of tidy, attempt 1"."""
    task, attempt, number, start = key
    suffix = " from the reference state" if start == "reference" else ""
    return f"round {number} of {task}, attempt {attempt}{suffix}"


def partial_keys_in(lines: Iterable[bytes]) -> Iterator[PartialKey]:
    """Yield the readable values of round keys in lines with no valid record, or with several."""
    for line in lines:
        for text in _RECORD_BOUNDARY.split(line, _MAX_RECORDS_PER_LINE):
            yield (
                _matched_task(text),
                _matched_number(_ATTEMPT, text),
                _matched_number(_ROUND, text),
                "reference" if _FROM_REFERENCE.search(text) else "own",
            )


def _matched_task(text: bytes) -> str | None:
    match = _TASK.search(text)
    return match[1].decode(errors="replace") if match else None


def _matched_number(pattern: re.Pattern[bytes], text: bytes) -> int | None:
    match = pattern.search(text)
    return int(match[1]) if match else None


def unmatched_keys(keys: Iterable[RoundKey], partial_keys: Iterable[PartialKey]) -> set[RoundKey]:
    """Return the keys that remain after one matching key is removed for each partial key.

    Partial keys with the most values are matched first, so that a partial key with few values does
    not take the only key that matches another partial key.
    """
    unmatched = set(keys)
    by_gaps = grouped((_gaps_of(partial_key), partial_key) for partial_key in partial_keys)
    for gaps in sorted(by_gaps, key=sum):
        candidates: dict[tuple[object, ...], list[RoundKey]] = defaultdict(list)
        for key in sorted(unmatched, reverse=True):
            values = zip(key, gaps, strict=True)
            visible_values = tuple(None if is_gap else value for value, is_gap in values)
            candidates[visible_values].append(key)
        for partial_key in by_gaps[gaps]:
            if candidates[partial_key]:
                unmatched.remove(candidates[partial_key].pop())
    return unmatched


def _gaps_of(partial_key: PartialKey) -> tuple[bool, ...]:
    """Return which values of a partial key are missing."""
    return tuple(value is None for value in partial_key)


@dataclass(frozen=True, slots=True)
class UnexpectedRecord:
    """The reason why a record is not expected."""

    rule: Rule
    fact: str
    fix: str | None
    partial_key: PartialKey
    """The partial key of the expected record that was probably meant, without the wrong value."""

    def problem(self, path: Path, line: int) -> Problem:
        """Return the problem of the record at a line of a file."""
        return self.rule.broken(path, line, self.fact, self.fix)


@dataclass(frozen=True, slots=True)
class Expectation:
    """The records that a bundle must have."""

    tasks: Mapping[str, Task]
    excused_tasks: AbstractSet[str]
    """The tasks that the manifest declares missing; no records are expected for them."""
    attempts: int
    max_attempts: int
    """The highest allowed attempt number; other checks compare it with the track."""
    reference_rounds: bool
    suggestions: dict[str, str | None] = field(default_factory=dict)
    """The similar names found for unknown tasks; None if there is no similar name."""

    @classmethod
    def of(
        cls,
        track: Track,
        tasks: Mapping[str, Task],
        attempts: int | None,
        stated_missing: AbstractSet[str],
    ) -> "Expectation":
        """Return the records that a track expects from a bundle.

        Args:
            track: The track that the bundle is submitted to.
            tasks: The tasks of the track.
            attempts: The number of attempts in the manifest; None for the track's number.
            stated_missing: The tasks in the manifest's `missing`. They are ignored if they include
                every task, which is reported elsewhere.
        """
        stated_attempts = attempts or track.attempts
        excused = frozenset() if stated_missing >= tasks.keys() else stated_missing
        return cls(
            tasks=tasks,
            excused_tasks=excused,
            attempts=min(stated_attempts, track.attempts),
            max_attempts=stated_attempts,
            reference_rounds=track.reference_rounds,
        )

    def keys(self) -> Iterator[RoundKey]:
        """Yield the key of every expected record, in the order of the task set."""
        for task in self.tasks.values():
            if task.id in self.excused_tasks:
                continue
            numbers = [task_round.n for task_round in task.rounds]
            attempts = range(1, self.attempts + 1)
            yield from product((task.id,), attempts, numbers, _OWN_START)
            if self.reference_rounds:
                for number in numbers:
                    yield (task.id, 1, number, "reference")

    def check(self, key: RoundKey) -> UnexpectedRecord | None:
        """Return why a record with a key is not expected; None if it is expected."""
        name, attempt, number, start = key
        task = self.tasks.get(name)
        if task is None or name in self.excused_tasks:
            return self.explain_unknown_task(name, (None, attempt, number, start))
        if all(task_round.n != number for task_round in task.rounds):
            fact = f"{name} has {counted(len(task.rounds), 'round')}, but this is round {number}"
            return UnexpectedRecord(ROUND_UNKNOWN, fact, None, (name, attempt, None, start))
        if start == "reference" and not self.reference_rounds:
            fact = (
                f"round {number} of {name} starts from the reference state, "
                "but the track has no such rounds"
            )
            return UnexpectedRecord(START_UNEXPECTED, fact, None, (name, attempt, number, None))
        return self.explain_unknown_attempt(name, attempt, start, (name, None, number, start))

    def explain_unknown_task(self, name: str, partial_key: PartialKey) -> UnexpectedRecord:
        """Return why a task is not expected: it is listed as missing, or the track lacks it."""
        if name in self.excused_tasks and name in self.tasks:
            fact = f"{name} is listed in `missing`, but has a record"
            return UnexpectedRecord(MISSING_RECORDED, fact, None, partial_key)
        if name not in self.suggestions and len(self.suggestions) < _MAX_SUGGESTIONS:
            self.suggestions[name] = suggestion(name, self.tasks)
        fact = f"the track has no task `{name}`"
        return UnexpectedRecord(TASK_UNKNOWN, fact, self.suggestions.get(name), partial_key)

    def explain_unknown_attempt(
        self, task: str, attempt: int, start: Start, partial_key: PartialKey
    ) -> UnexpectedRecord | None:
        """Return why an attempt at a task is not expected; None if it is expected."""
        is_reference = start == "reference"
        max_attempts = 1 if is_reference else self.max_attempts
        if 1 <= attempt <= max_attempts:
            return None
        suffix = " from the reference state" if is_reference else ""
        attempts = counted(max_attempts, "attempt")
        verb = agreeing(max_attempts, "is", "are")
        fact = f"this is attempt {attempt} at {task}{suffix}, but there {verb} only {attempts}"
        return UnexpectedRecord(ATTEMPT_UNKNOWN, fact, None, partial_key)


def completeness_problems(
    path: Path, rounds: Lines[RoundResult], expectation: Expectation
) -> Iterator[Problem]:
    """Yield problems with records that are not expected, that occur twice or that are missing.

    Args:
        path: The file of the records.
        rounds: The lines of the file. A record that a broken line probably contains does not count
            as missing.
        expectation: The records that the bundle must have.
    """
    if not rounds.refused and _are_as_expected(rounds.records, expectation):
        return
    expected = dict.fromkeys(expectation.keys())
    lines_by_key: dict[RoundKey, int] = {}
    partial_keys = []
    for partial_key in partial_keys_in(rounds.refused):
        partial_keys.append(_without_wrong_value(partial_key, expectation))
    for line, result in rounds.numbered:
        key = result.place
        unexpected = None if key in expected else expectation.check(key)
        if unexpected:
            partial_keys.append(unexpected.partial_key)
            yield unexpected.problem(path, line)
        elif key in lines_by_key:
            fact = f"{round_key_name(key)} is already recorded in line {lines_by_key[key]}"
            yield ROUND_TWICE.broken(path, line, fact)
        else:
            lines_by_key[key] = line
    missing = unmatched_keys(expected.keys() - lines_by_key.keys(), partial_keys)
    missing_keys = [key for key in expected if key in missing]
    yield from _missing_record_problems(path, missing_keys, list(expected))


def _are_as_expected(records: Sequence[RoundResult], expectation: Expectation) -> bool:
    """Return whether exactly the expected records are present, in the order of the task set.

    Importers write records in this order, and a comparison with a set of a million keys would take
    200 MB.
    """
    return all(starmap(eq, zip_longest(expectation.keys(), map(ROUND_KEY, records))))


def _without_wrong_value(partial_key: PartialKey, expectation: Expectation) -> PartialKey:
    """Return a complete key without its unexpected value, if any; return other keys unchanged."""
    match partial_key:
        case str(task), int(attempt), int(number), "own" | "reference" as start:
            unexpected = expectation.check((task, attempt, number, start))
            return unexpected.partial_key if unexpected else partial_key
        case _:
            return partial_key


def _missing_record_problems(
    path: Path, missing: Sequence[RoundKey], expected: Sequence[RoundKey]
) -> Iterator[Problem]:
    """Yield problems of missing records in the largest possible units, from all to rounds."""
    if not missing:
        return
    if len(missing) == len(expected):
        fact = f"all {len(expected)} expected records are missing"
        yield ROUND_MISSING.broken(path, None, fact)
        return
    missing_tasks = _missing_units(missing, expected, _task_of)
    for task in missing_tasks:
        yield ROUND_MISSING.broken(path, None, f"{task} has no records")
    missing = _outside_units(missing, _task_of, missing_tasks)
    expected = _outside_units(expected, _task_of, missing_tasks)

    missing_attempts = _missing_units(missing, expected, _attempt_of)
    for attempt, start in missing_attempts:
        fix = _ATTEMPT_FIX if start == "own" else None
        fact = f"no task has a record {_attempt_phrase(attempt, start)}"
        yield ROUND_MISSING.broken(path, None, fact, fix)
    missing = _outside_units(missing, _attempt_of, missing_attempts)

    runs = grouped(((task, attempt, start), number) for task, attempt, number, start in missing)
    for (task, attempt, start), numbers in runs.items():
        rounds = f"rounds {ranges(numbers)} have" if len(numbers) > 1 else f"round {numbers[0]} has"
        fact = f"{task}: {rounds} no record {_attempt_phrase(attempt, start)}"
        yield ROUND_MISSING.broken(path, None, fact)


def _task_of(key: RoundKey) -> str:
    return key[0]


def _attempt_of(key: RoundKey) -> tuple[int, Start]:
    """Return the attempt number and the starting state of a record."""
    _, attempt, _, start = key
    return attempt, start


def _missing_units(
    missing: Iterable[RoundKey], expected: Iterable[RoundKey], unit_of: Callable[[RoundKey], U]
) -> list[U]:
    """Return the tasks or attempts that lack all their expected records."""
    missing_counts = Counter(map(unit_of, missing))
    expected_counts = Counter(map(unit_of, expected))
    return [unit for unit, count in missing_counts.items() if count == expected_counts[unit]]


def _outside_units(
    keys: Iterable[RoundKey], unit_of: Callable[[RoundKey], U], units: Sequence[U]
) -> list[RoundKey]:
    return [key for key in keys if unit_of(key) not in units]


def _attempt_phrase(attempt: int, start: Start) -> str:
    return "from the reference state" if start == "reference" else f"in attempt {attempt}"
