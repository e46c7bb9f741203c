"""What must hold between a bundle's records and its track: every expected round stands there exactly once."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from sitegen.models.outcome import RoundResult, Start
from sitegen.problems import Problem
from sitegen.store import rules
from sitegen.store.expectation import Expectation
from sitegen.store.traces import Key, Trace, all_traces, untraced

G = TypeVar("G", bound=Hashable)

_ATTEMPT_FIX = "add its records, or state in submission.toml how many `attempts` were made"


def completeness_problems(
    path: Path, numbered: Sequence[tuple[int, RoundResult]], expectation: Expectation, refused: Iterable[bytes]
) -> Iterator[Problem]:
    """Say which records are not expected, stand twice or are missing.

    Args:
        path: The bundle's `rounds.jsonl`.
        numbered: Its records, each with its line.
        expectation: What the track asks for.
        refused: Lines that could not be read; the rounds they stand for are not missing as well.
    """
    expected = dict.fromkeys(expectation.keys())
    seen: dict[Key, int] = {}
    traces = [_nearest(trace, expectation) for trace in all_traces(refused)]
    for line, result in numbered:
        key = (result.task, result.attempt, result.round, result.start)
        breach = None if key in expected else expectation.breach(key)
        if breach:
            traces.append(breach.trace)
            yield breach.rule.broken(path, line, breach.what, breach.fix)
        elif key in seen:
            yield rules.ROUND_TWICE.broken(path, line, f"{_named(key)} stands in line {seen[key]} already")
        else:
            seen[key] = line
    missing = untraced(expected.keys() - seen.keys(), traces)
    yield from _missing_problems(path, [key for key in expected if key in missing], list(expected))


def _nearest(trace: Trace, expectation: Expectation) -> Trace:
    """Leave out the part of a trace that no expected record has."""
    task, attempt, number, start = trace
    if task is None or attempt is None or number is None or start is None:
        return trace
    breach = expectation.breach((task, attempt, number, start))
    return breach.trace if breach else trace


def _missing_problems(path: Path, missing: Sequence[Key], expected: Sequence[Key]) -> Iterator[Problem]:
    """Say what is missing in the largest pieces: all, a task, an attempt at every task, rounds of a run."""
    if missing and len(missing) == len(expected):
        yield rules.ROUND_MISSING.broken(path, None, f"none of the {len(expected)} expected records is there")
        return
    tasks = _whole(missing, expected, _task_of)
    for task in tasks:
        yield rules.ROUND_MISSING.broken(path, None, f"{task} has no record at all")
    missing, expected = _without(missing, tasks, _task_of), _without(expected, tasks, _task_of)
    passes = _whole(missing, expected, _pass_of)
    for attempt, start in passes:
        what, fix = f"no task has a record {_where(attempt, start)}", _ATTEMPT_FIX if start == "own" else None
        yield rules.ROUND_MISSING.broken(path, None, what, fix)
    yield from _missing_rounds(path, _without(missing, passes, _pass_of))


def _missing_rounds(path: Path, missing: Iterable[Key]) -> Iterator[Problem]:
    runs: dict[tuple[str, int, Start], list[int]] = defaultdict(list)
    for task, attempt, number, start in missing:
        runs[task, attempt, start].append(number)
    for (task, attempt, start), numbers in runs.items():
        rounds = f"round {numbers[0]} has" if len(numbers) == 1 else f"rounds {_ranges(numbers)} have"
        yield rules.ROUND_MISSING.broken(path, None, f"{task}: {rounds} no record {_where(attempt, start)}")


def _without(keys: Iterable[Key], groups: Collection[G], group_of: Callable[[Key], G]) -> list[Key]:
    return [key for key in keys if group_of(key) not in groups]


def _whole(missing: Iterable[Key], expected: Iterable[Key], group_of: Callable[[Key], G]) -> list[G]:
    """Give the groups of which every expected record is missing."""
    wanted = Counter(map(group_of, expected))
    return [group for group, lacking in Counter(map(group_of, missing)).items() if lacking == wanted[group]]


def _task_of(key: Key) -> str:
    return key[0]


def _pass_of(key: Key) -> tuple[int, Start]:
    return key[1], key[3]


def _where(attempt: int, start: Start) -> str:
    return "from the reference state" if start == "reference" else f"in attempt {attempt}"


def _named(key: Key) -> str:
    task, attempt, number, start = key
    return f"round {number} of {task}, attempt {attempt}" + (
        " from the reference state" if start == "reference" else ""
    )


def _ranges(numbers: Sequence[int]) -> str:
    """Write numbers the short way: 1-3, 7."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)
