"""What must hold between a bundle's records and its track: every expected round stands there exactly once."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sitegen.errors import Problem, Rule
from sitegen.models.benchmark import Track
from sitegen.models.outcome import RoundResult, Start
from sitegen.models.task import Task
from sitegen.store import rules
from sitegen.store.shape import suggestion

Key = tuple[str, int, int, Start]
"""What a record is about: task, attempt, round, start."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """The records that a bundle must have."""

    tasks: Mapping[str, Task]
    attempts: int
    reference_rounds: bool

    @classmethod
    def of(cls, track: Track, tasks: Mapping[str, Task], attempts: int | None) -> "Expectation":
        """Say what a track expects of a bundle that made a number of attempts."""
        return cls(tasks, attempts or track.attempts, track.reference_rounds)

    def expected(self) -> Iterator[Key]:
        """Give every expected record's key, in the order of the task set."""
        for task in self.tasks.values():
            for attempt in range(1, self.attempts + 1):
                yield from ((task.id, attempt, each.n, "own") for each in task.rounds)
            if self.reference_rounds:
                yield from ((task.id, 1, each.n, "reference") for each in task.rounds)

    def breach(self, result: RoundResult) -> tuple[Rule, str, str | None] | None:
        """Say why a record is not expected: the rule, the fact and the fix; None where it is."""
        task = self.tasks.get(result.task)
        if task is None:
            what = f"the track has no task `{result.task}`"
            return rules.TASK_UNKNOWN, what, suggestion(result.task, self.tasks)
        if result.round > len(task.rounds):
            return (
                rules.ROUND_UNKNOWN,
                f"{task.id} has {len(task.rounds)} rounds, but this is round {result.round}",
                None,
            )
        if result.start == "reference" and not self.reference_rounds:
            return rules.START_UNEXPECTED, "the track has no rounds that start from the reference state", None
        if result.attempt > (1 if result.start == "reference" else self.attempts):
            return rules.ATTEMPT_UNKNOWN, f"attempt {result.attempt} of {self.attempts}", None
        return None


def completeness_problems(
    path: Path, numbered: Sequence[tuple[int, RoundResult]], expectation: Expectation, unread: int
) -> list[Problem]:
    """Say which records are not expected, stand twice or are missing.

    Args:
        path: The bundle's `rounds.jsonl`.
        numbered: Its records, each with its line.
        expectation: What the track asks for.
        unread: Lines that could not be read; that many missing rounds are no fault of their own.
    """
    problems: list[Problem] = []
    seen: dict[Key, int] = {}
    for line, result in numbered:
        breach = expectation.breach(result)
        if breach:
            rule, what, fix = breach
            problems.append(rule.broken(path, line, what, fix))
            continue
        key = (result.task, result.attempt, result.round, result.start)
        if key in seen:
            problems.append(rules.ROUND_TWICE.broken(path, line, f"{_named(key)} stands in line {seen[key]} already"))
        seen.setdefault(key, line)
    missing = [key for key in expectation.expected() if key not in seen]
    if len(missing) > unread + len(problems):
        problems += _missing_problems(path, missing)
    return problems


def _missing_problems(path: Path, missing: Sequence[Key]) -> Iterator[Problem]:
    """One problem for each run that lacks rounds."""
    runs: dict[tuple[str, int, Start], list[int]] = defaultdict(list)
    for task, attempt, number, start in missing:
        runs[task, attempt, start].append(number)
    for (task, attempt, start), numbers in runs.items():
        rounds = f"round {numbers[0]} has" if len(numbers) == 1 else f"rounds {ranges(numbers)} have"
        where = "from the reference state" if start == "reference" else f"in attempt {attempt}"
        yield rules.ROUND_MISSING.broken(path, None, f"{task}: {rounds} no record {where}")


def ranges(numbers: Sequence[int]) -> str:
    """Write numbers the short way: 1-3, 7."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def _named(key: Key) -> str:
    task, attempt, number, start = key
    return f"round {number} of {task}, attempt {attempt}" + (
        " from the reference state" if start == "reference" else ""
    )
