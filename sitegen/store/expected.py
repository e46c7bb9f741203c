"""The records that a track expects of a bundle: each stands there exactly once."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import chain, product
from operator import itemgetter
from pathlib import Path

from sitegen.models.benchmark import Track
from sitegen.models.outcome import Place, RoundResult, Start
from sitegen.models.task import Task
from sitegen.problems import Problem, Rule, counted, grouped, mends, ranges, reasons
from sitegen.reading.shape import suggestion

TASK_UNKNOWN = Rule.error(
    "TASK-UNKNOWN", "A task is one of the track's task set.", "correct the task's id"
)
ROUND_UNKNOWN = Rule.error(
    "ROUND-UNKNOWN", "A round is one that its task has.", "correct the round's number"
)
ATTEMPT_UNKNOWN = Rule.error(
    "ATTEMPT-UNKNOWN",
    "A bundle has the attempts that its manifest or its track states.",
    "correct the attempt's number, or `attempts` in submission.toml",
)
START_UNEXPECTED = Rule.error(
    "START-UNEXPECTED",
    "Rounds start from the reference state only on tracks that ask for it.",
    "leave `start` out, or submit to a track with `reference_rounds = true`",
)
MISSING_RECORDED = Rule.error(
    "MISSING-RECORDED",
    "A bundle has no record of a task that it names in `missing`.",
    "take the task out of `missing`, or its records out of the bundle",
)
ROUND_TWICE = Rule.error(
    "ROUND-TWICE",
    "Every (task, attempt, round, start) stands once.",
    "keep one of the lines",
    unwaivable=reasons.LINES,
    mend=mends.REPEATS,
)
ROUND_MISSING = Rule.error(
    "ROUND-MISSING",
    "Every expected round has a record, also one that was never reached.",
    'add a line for each; a round never reached has state "unreached" and reward 0',
)

Trace = tuple[str | None, int | None, int | None, Start | None]
"""What is known of a record's key; None for a part that is not."""

Gaps = tuple[bool, ...]
"""Which parts of a trace are not known."""

_TASK = re.compile(rb'"task"\s*:\s*"([^"\\]+)"')
_ATTEMPT = re.compile(rb'"attempt"\s*:\s*"?(\d{1,9})\b')
_ROUND = re.compile(rb'"round"\s*:\s*"?(\d{1,9})\b')
_NEXT = re.compile(rb"\}\s*+(?:,\s*+)?\{")
_MOST = 1000
"""So many records in one line are told apart."""
_FROM_REFERENCE = re.compile(rb'"start"\s*:\s*"reference"')


def name_of(task: str, attempt: int, number: int, start: Start) -> str:
    """Name a record as a sentence does."""
    return f"round {number} of {task}, attempt {attempt}{' from the reference state' * (start == 'reference')}"


def all_traces(lines: Iterable[bytes]) -> Iterator[Trace]:
    """What lines are about that are no records, or were to be several, as far as it can be seen."""
    for text in chain.from_iterable(_NEXT.split(line, _MOST) for line in lines):
        task, attempt, number = _TASK.search(text), _ATTEMPT.search(text), _ROUND.search(text)
        yield (
            task[1].decode(errors="replace") if task else None,
            int(attempt[1]) if attempt else None,
            int(number[1]) if number else None,
            "reference" if _FROM_REFERENCE.search(text) else "own",
        )


def untraced(keys: Iterable[Place], traces: Iterable[Trace]) -> set[Place]:
    """Leave out one key for each trace that may stand for it, the most exact traces first."""
    left = set(keys)
    by_gaps = grouped((tuple(part is None for part in trace), trace) for trace in traces)
    for gaps in sorted(by_gaps, key=sum):
        places: dict[tuple[object, ...], list[Place]] = defaultdict(list)
        for key in sorted(left, reverse=True):
            known: list[object] = [
                None if gap else part for part, gap in zip(key, gaps, strict=True)
            ]
            places[tuple(known)].append(key)
        for trace in by_gaps[gaps]:
            if places[trace]:
                left.remove(places[trace].pop())
    return left


_LOOKED_UP = 50
_OWN: tuple[Start] = ("own",)
_REFERENCE: tuple[Start] = ("reference",)


@dataclass(frozen=True, slots=True)
class Breach:
    """Why a record is not expected."""

    rule: Rule
    what: str
    fix: str | None
    trace: Trace
    """The expected record that it was probably meant to be, without the part that is wrong."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """The records that a bundle must have."""

    tasks: Mapping[str, Task]
    missing: AbstractSet[str]
    """Tasks that the bundle says it has no results for: no record of these is expected."""
    attempts: int
    tolerated: int
    """Attempts whose records are no problem of their own: a bundle that states too many is told so once."""
    reference_rounds: bool
    suggestions: dict[str, str | None] = field(default_factory=dict)
    """What unknown tasks were probably meant to be. Looking for it takes long, so that only the first are looked up."""

    @classmethod
    def of(
        cls,
        track: Track,
        tasks: Mapping[str, Task],
        attempts: int | None,
        missing: AbstractSet[str],
    ) -> "Expectation":
        """What a track expects of a bundle that made a number of attempts, and lacks results for some tasks.

        One that is said to lack them all is told that, and has to have them.
        """
        made = attempts or track.attempts
        lacking = frozenset() if missing >= tasks.keys() else missing
        return cls(tasks, lacking, min(made, track.attempts), made, track.reference_rounds)

    def keys(self) -> Iterator[Place]:
        """Every expected record's key, in the order of the task set."""
        for task in self.tasks.values():
            if task.id in self.missing:
                continue
            numbers = [each.n for each in task.rounds]
            yield from product([task.id], range(1, self.attempts + 1), numbers, _OWN)
            if self.reference_rounds:
                yield from product([task.id], [1], numbers, _REFERENCE)

    def breach(self, key: Place) -> Breach | None:
        """Why a record is not expected; None where it is."""
        name, attempt, number, start = key
        task = self.tasks.get(name)
        if task is None or name in self.missing:
            return self.unknown_task(name, (None, attempt, number, start))
        if all(each.n != number for each in task.rounds):
            what = f"{name} has {counted(len(task.rounds), 'round')}, but this is round {number}"
            return Breach(ROUND_UNKNOWN, what, None, (name, attempt, None, start))
        if start == "reference" and not self.reference_rounds:
            what = f"round {number} of {name} starts from the reference state, which the track does not ask for"
            return Breach(START_UNEXPECTED, what, None, (name, attempt, number, None))
        return self.unknown_attempt(name, attempt, start, (name, None, number, start))

    def unknown_task(self, name: str, trace: Trace) -> Breach:
        """Say that the track has no such task, or that the bundle says it has no results for it."""
        if name in self.missing & self.tasks.keys():
            return Breach(
                MISSING_RECORDED,
                f"{name} is named in `missing`, but there is a record of it",
                None,
                trace,
            )
        if name not in self.suggestions and len(self.suggestions) < _LOOKED_UP:
            self.suggestions[name] = suggestion(name, self.tasks)
        fix = self.suggestions.get(name)
        return Breach(TASK_UNKNOWN, f"the track has no task `{name}`", fix, trace)

    def unknown_attempt(self, task: str, attempt: int, start: Start, trace: Trace) -> Breach | None:
        """Say that there is no such attempt at a task; None where there is."""
        attempts = 1 if start == "reference" else self.tolerated
        if 1 <= attempt <= attempts:
            return None
        where = " from the reference state" if start == "reference" else ""
        what = f"this is attempt {attempt} at {task}{where}, but there is to be {counted(attempts, 'attempt')}"
        return Breach(ATTEMPT_UNKNOWN, what, None, trace)


_ATTEMPT_FIX = "add its records, or state in submission.toml how many `attempts` were made"


def completeness_problems(
    path: Path,
    numbered: Sequence[tuple[int, RoundResult]],
    expectation: Expectation,
    refused: Iterable[bytes],
) -> Iterator[Problem]:
    """Which records are not expected, stand twice or are missing."""
    expected = dict.fromkeys(expectation.keys())
    seen: dict[Place, int] = {}
    traces: list[Trace] = []
    for trace in all_traces(refused):
        near = None
        match trace:
            case str(task), int(attempt), int(number), "own" | "reference" as start:
                near = expectation.breach((task, attempt, number, start))
        traces.append(near.trace if near else trace)  # what no expected record has is left out
    for line, result in numbered:
        key = result.place
        breach = None if key in expected else expectation.breach(key)
        if breach:
            traces.append(breach.trace)
            yield breach.rule.broken(path, line, breach.what, breach.fix)
        elif key in seen:
            yield ROUND_TWICE.broken(
                path, line, f"{name_of(*key)} stands in line {seen[key]} already"
            )
        else:
            seen[key] = line
    missing = untraced(expected.keys() - seen.keys(), traces)
    yield from _missing_problems(path, [key for key in expected if key in missing], list(expected))


def _missing_problems(
    path: Path, missing: Sequence[Place], expected: Sequence[Place]
) -> Iterator[Problem]:
    """What is missing in the largest pieces: all, a task, an attempt at every task, rounds of a run."""
    if missing and len(missing) == len(expected):
        yield ROUND_MISSING.broken(
            path, None, f"none of the {len(expected)} expected records is there"
        )
        return
    for piece in (
        itemgetter(0),
        itemgetter(1, 3),
    ):  # a task, then an attempt at all tasks, and how its rounds start
        wanted, lacking = Counter(map(piece, expected)), Counter(map(piece, missing))
        whole = [each for each, number in lacking.items() if number == wanted[each]]
        for each in whole:
            what, fix = f"{each} has no record at all", None
            if not isinstance(each, str):
                what, fix = (
                    f"no task has a record {_where(*each)}",
                    _ATTEMPT_FIX if each[1] == "own" else None,
                )
            yield ROUND_MISSING.broken(path, None, what, fix)
        missing, expected = (
            [key for key in keys if piece(key) not in whole] for keys in (missing, expected)
        )
    runs = grouped(((task, attempt, start), number) for task, attempt, number, start in missing)
    for (task, attempt, start), numbers in runs.items():
        rounds = (
            f"round {numbers[0]} has" if len(numbers) == 1 else f"rounds {ranges(numbers)} have"
        )
        yield ROUND_MISSING.broken(
            path, None, f"{task}: {rounds} no record {_where(attempt, start)}"
        )


def _where(attempt: int, start: Start) -> str:
    return "from the reference state" if start == "reference" else f"in attempt {attempt}"
