"""What an importer makes of a foreign tree, before it is written to `results/`."""

from dataclasses import dataclass

from sitegen.models.benchmark import Benchmark
from sitegen.models.finding import Finding
from sitegen.models.outcome import Failure, RoundResult, RunFigures
from sitegen.models.submission import Submission
from sitegen.models.task import TaskSet
from sitegen.problems import Problem


@dataclass(frozen=True, slots=True)
class Draft:
    """A bundle that is not written yet."""

    id: str
    """Name of the folder to be."""
    submission: Submission
    rounds: tuple[RoundResult, ...]
    """In the order of the task set, then attempt, start and round."""
    runs: tuple[RunFigures, ...] = ()
    failures: tuple[Failure, ...] = ()


@dataclass(frozen=True, slots=True)
class Incoming:
    """Everything that one import adds to a results folder."""

    benchmark: Benchmark
    """The benchmark as it would be if the folder were new; an existing one is checked against it."""
    task_sets: tuple[TaskSet, ...]
    drafts: tuple[Draft, ...]
    findings: tuple[Finding, ...] = ()
    problems: tuple[Problem, ...] = ()
    """Warnings about the source."""
    notes: tuple[str, ...] = ()
    """What was found in the source, what was passed over and why: a line each."""
