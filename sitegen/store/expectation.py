"""The records that a track expects of a bundle."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import product

from sitegen.models.benchmark import Track
from sitegen.models.outcome import RoundResult, Start
from sitegen.models.task import Task
from sitegen.problems import Rule, counted
from sitegen.reading.shape import suggestion
from sitegen.store import rules
from sitegen.store.traces import Key, Trace

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
        cls, track: Track, tasks: Mapping[str, Task], attempts: int | None, missing: AbstractSet[str]
    ) -> "Expectation":
        """Say what a track expects of a bundle that made a number of attempts, and lacks results for some tasks.

        One that is said to lack them all is told that, and has to have them.
        """
        made = attempts or track.attempts
        lacking = frozenset() if missing >= tasks.keys() else missing
        return cls(tasks, lacking, min(made, track.attempts), made, track.reference_rounds)

    def keys(self) -> Iterator[Key]:
        """Give every expected record's key, in the order of the task set."""
        for task in self.tasks.values():
            if task.id in self.missing:
                continue
            numbers = [each.n for each in task.rounds]
            yield from product([task.id], range(1, self.attempts + 1), numbers, _OWN)
            if self.reference_rounds:
                yield from product([task.id], [1], numbers, _REFERENCE)

    def is_met_by(self, records: Sequence[RoundResult]) -> bool:
        """Whether records are the expected ones, each once, in any order."""
        expected = set(self.keys())
        found = {(each.task, each.attempt, each.round, each.start) for each in records}
        return len(records) == len(expected) and found == expected

    def breach(self, key: Key) -> Breach | None:
        """Say why a record is not expected; None where it is."""
        name, attempt, number, start = key
        task = self.tasks.get(name)
        if task is None or name in self.missing:
            return self.unknown_task(name, (None, attempt, number, start))
        if all(each.n != number for each in task.rounds):
            what = f"{name} has {counted(len(task.rounds), 'round')}, but this is round {number}"
            return Breach(rules.ROUND_UNKNOWN, what, None, (name, attempt, None, start))
        if start == "reference" and not self.reference_rounds:
            what = f"round {number} of {name} starts from the reference state, which the track does not ask for"
            return Breach(rules.START_UNEXPECTED, what, None, (name, attempt, number, None))
        return self.unknown_attempt(name, attempt, start, (name, None, number, start))

    def unknown_task(self, name: str, trace: Trace) -> Breach:
        """Say that the track has no such task, or that the bundle says it has no results for it."""
        if name in self.missing & self.tasks.keys():
            return Breach(
                rules.MISSING_RECORDED, f"{name} is named in `missing`, but there is a record of it", None, trace
            )
        if name not in self.suggestions and len(self.suggestions) < _LOOKED_UP:
            self.suggestions[name] = suggestion(name, self.tasks)
        fix = self.suggestions.get(name)
        return Breach(rules.TASK_UNKNOWN, f"the track has no task `{name}`", fix, trace)

    def unknown_attempt(self, task: str, attempt: int, start: Start, trace: Trace) -> Breach | None:
        """Say that there is no such attempt at a task; None where there is."""
        attempts = 1 if start == "reference" else self.tolerated
        if 1 <= attempt <= attempts:
            return None
        where = " from the reference state" if start == "reference" else ""
        what = f"this is attempt {attempt} at {task}{where}, but there is to be {counted(attempts, 'attempt')}"
        return Breach(rules.ATTEMPT_UNKNOWN, what, None, trace)
