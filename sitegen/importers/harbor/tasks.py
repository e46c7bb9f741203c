"""Tasks as their task.toml defines them: how many rounds a run should have stands nowhere else."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sitegen.importers.harbor import rules
from sitegen.importers.harbor.task_file import Step, Target, TaskFile, read_task_file
from sitegen.importers.kit.agents import repeated
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rules import TASK_ID
from sitegen.models.outcome import PASS_REWARD
from sitegen.models.task import Task, TaskRound
from sitegen.problems import Problem, errors_of

_OTHER = re.compile(r"[^a-z0-9_]+")
_NUMBERED = re.compile(r"(?:[a-z]+[-_ ]?)?\d+", re.IGNORECASE)
"""Names of steps that say no more than their place."""

_LONGEST_ID = 120
_MOST = 1e6
"""What a target can weigh."""


@dataclass(frozen=True, slots=True)
class TaskDefinition:
    """A task, with what its runs are told by."""

    path: Path
    """Its task.toml."""
    task: Task
    """Without a checksum: that stands with the runs."""
    names: frozenset[str]
    """Names that runs call it by: that of its folder, and those that it declares."""
    steps: tuple[str, ...] = ()
    """Names of its rounds in their order; empty where it is graded once, at the end."""
    targets: tuple[str, ...] = ()
    """Names of what is graded at the end, where it says so."""
    stops: bool = False
    """Whether a run ends with the first round that it does not pass."""

    @property
    def is_chain(self) -> bool:
        """Whether its rounds follow each other."""
        return bool(self.steps)

    def with_targets(self, names: Sequence[str]) -> "TaskDefinition":
        """Give the task with targets of the same weight, as its verdicts name them."""
        rounds = tuple(TaskRound(number, _title(name)) for number, name in enumerate(names, start=1))
        return replace(self, task=replace(self.task, rounds=rounds), targets=tuple(names))


def task_id(name: str) -> str:
    """Make a task's name one that can stand in an address."""
    return _OTHER.sub("-", name.lower()).strip("-_")[:_LONGEST_ID]


def read_task(path: Path) -> tuple[TaskDefinition | None, list[Problem]]:
    """Read a task's definition.

    Args:
        path: Its task.toml; the folder's name is the task's.

    Returns:
        The definition, or None where it can't be gone by; and the problems.
    """
    file, problems = read_task_file(path)
    if file is None:
        return None, problems
    folder = path.absolute().parent.name
    declared = file.task.name or folder
    name = task_id(folder) or task_id(declared)
    problems = [*_name_problems(path, name), *_part_problems(path, file), *_chain_problems(path, file)]
    if errors_of(problems):
        return None, problems
    title = one_line(file.metadata.name or folder)
    task = Task(name, _rounds(file), title="" if title == name else title, labels=file.metadata.labels)
    names = frozenset((folder, declared, declared.rpartition("/")[2]))
    return TaskDefinition(path, task, names, _names(file.rounds), _names(file.targets), _stops(file.rounds)), problems


def _names(parts: Sequence[Step] | Sequence[Target]) -> tuple[str, ...]:
    return tuple(each.name or "" for each in parts)


def _rounds(file: TaskFile) -> tuple[TaskRound, ...]:
    """Give the rounds of a chain, else the targets, else the one round that there is without either."""
    return tuple(_chain(file)) or tuple(_targets(file)) or (TaskRound(1),)


def _chain(file: TaskFile) -> Iterator[TaskRound]:
    told = {each.step: each.changes for each in file.metadata.requirement_chain.steps or ()}
    for number, step in enumerate(file.rounds, start=1):
        yield TaskRound(number, _title(step.name), told.get(step.name, step.changes))


def _targets(file: TaskFile) -> Iterator[TaskRound]:
    for number, (target, weight) in enumerate(zip(file.targets, file.weights, strict=True), start=1):
        yield TaskRound(number, one_line(target.title or target.name or ""), target.changes, weight)


def _title(name: str | None) -> str:
    return "" if not name or _NUMBERED.fullmatch(name) else one_line(name)


def _stops(steps: Sequence[Step]) -> bool:
    return len(steps) > 1 and not any(each.goes_on_below(PASS_REWARD) for each in steps[:-1])


def _name_problems(path: Path, name: str) -> Iterator[Problem]:
    if not name:
        yield TASK_ID.broken(path, None, "no id can be made of the task's name")


def _part_problems(path: Path, file: TaskFile) -> Iterator[Problem]:
    """Say why rounds or targets can't be told apart, or weighed."""
    names = _names(file.rounds) + _names(file.targets)
    twice = repeated(each.casefold() for each in names if each)
    faults = [f"several are called {', '.join(twice)}"] * bool(twice)
    faults += ["some have no name"] * ("" in names)
    faults += ["there is none"] * (file.steps == [])
    for fault in faults[:1]:
        yield rules.TASK_WITHOUT_ROUNDS.broken(path, None, f"the rounds can't be told: {fault}")
    weighed = zip(_names(file.targets), file.weights, strict=True)
    odd = [name for name, weight in weighed if not 1 / _MOST <= weight <= _MOST]
    if odd:
        what = f"targets that weigh nothing, or too much: {', '.join(odd)}"
        yield rules.TASK_WITHOUT_ROUNDS.broken(path, None, what, "give every target a weight above 0, or none")


def _chain_problems(path: Path, file: TaskFile) -> Iterator[Problem]:
    """Say in what the metadata tells of other rounds than there are."""
    chain, names = file.metadata.requirement_chain, {each.name for each in file.rounds}
    if chain.num_steps not in {None, len(file.rounds)}:
        what = f"`num_steps` is {chain.num_steps}, but there are {len(file.rounds)} `[[steps]]`"
        yield rules.TASK_CHAIN_DIFFERS.broken(path, None, what)
    strange = [each.step for each in chain.steps or () if each.step and each.step not in names]
    if strange:
        what = f"`requirement_chain` tells of {', '.join(strange)}, which is none of the `[[steps]]`"
        yield rules.TASK_CHAIN_DIFFERS.broken(path, None, what)
