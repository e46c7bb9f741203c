"""Read tasks from their task.toml, the only file that states how many rounds a run should have.

A task with `[[steps]]` has a round for each step. A task without steps is graded once, at the end:
it may list targets, each of which gets its own reward.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import Field

from sitegen.importers.harbor import rules
from sitegen.importers.harbor.records import Count, LenientRecord, OptionalText
from sitegen.importers.harbor.trials import TASK_FILE, Trial
from sitegen.importers.kit.agents import only, repeated
from sitegen.importers.kit.drafts import ids_of, slug_of, title_of
from sitegen.importers.kit.file_records import nested_field
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line, redact_text
from sitegen.importers.kit.requests import titles_of
from sitegen.importers.kit.rounds import ImportSource
from sitegen.importers.kit.rules import DATE_ASSUMED
from sitegen.importers.kit.tree import Folder, SourceTree
from sitegen.models.outcome import PASS_REWARD
from sitegen.models.record import is_slug
from sitegen.models.task import Task, TaskRound
from sitegen.problems import Problem, UsageError, errors_of, grouped
from sitegen.reading.files import FILE_MISSING, read_text
from sitegen.reading.toml import read_values

AXES = ("difficulty", "category", "engineering_activity", "interaction_style", "technology_domain")
"""Metadata keys whose values become the labels of a task."""

_NOT_IN_IDS = re.compile(r"[^a-z0-9_]+")
_NUMBERED = re.compile(r"(?:[a-z]+[-_ ]?)?\d+", re.IGNORECASE)
"""Step names that only number the step, such as `3` or `round_3`."""

INSTRUCTION_FILE = "instruction.md"

_MAX_ROUNDS = 10_000
_MIN_WEIGHT = 1 / 1e6
_MAX_WEIGHT = 1e6


class TaskEntry(LenientRecord):
    """A round or a target of a task: an entry of `[[steps]]`, or of a list in its metadata."""

    name: str = ""
    title: str = ""
    step: str = ""
    round: Count | None = None
    weight: float | None = None
    change_types: list[str] = Field([])
    change_type: str = ""
    min_reward: float | dict[str, float] | None = None
    """The lowest reward after which the run continues, or the lowest value for each reward key."""

    @property
    def changes(self) -> tuple[str, ...]:
        """The kinds of change that the round or target asks for."""
        change_types = self.change_types or [self.change_type]
        return tuple(map(one_line, filter(None, change_types)))

    def continues_below(self, reward: float) -> bool:
        """Return whether the run continues after a reward below the given reward."""
        min_reward = self.min_reward or 0
        if isinstance(min_reward, dict):
            min_reward = max(min_reward.values())
        return min_reward < reward


class TaskToml(LenientRecord):
    """A `task.toml` in any of its past or present formats."""

    name: OptionalText = nested_field("task", "name")
    metadata: dict[str, object] = Field({})
    steps: list[TaskEntry] | None = None
    chain_entries: list[TaskEntry] = nested_field(
        "metadata", "requirement_chain", "steps", default=[]
    )
    """The change types that the metadata states for the `[[steps]]`."""
    chain_length: Count | None = nested_field("metadata", "requirement_chain", "num_steps")
    """The number of `[[steps]]` according to the metadata."""
    stated_targets: list[TaskEntry] = nested_field("metadata", "targets", default=[])
    """Targets in the metadata; they are ignored if the task has rounds."""
    # Files from before `[[steps]]` existed have these keys:
    multiround_rounds: Count | None = nested_field("metadata", "multiround", "num_rounds")
    num_rounds: Count | None = nested_field("metadata", "num_rounds")
    legacy_rounds: list[TaskEntry] = nested_field("metadata", "multiround", "rounds", default=[])
    change_types: list[list[str]] = nested_field("metadata", "change_types", default=[])

    @property
    def rounds(self) -> list[TaskEntry]:
        """The rounds in order: the `[[steps]]`, or the rounds in the metadata of an older file."""
        if self.steps is not None:
            return self.steps
        entries: dict[int | None, TaskEntry] = {entry.round: entry for entry in self.legacy_rounds}
        for number, change_types in enumerate(self.change_types, start=1):
            entries[number] = TaskEntry(change_types=change_types)
        total = min(self.multiround_rounds or self.num_rounds or 0, _MAX_ROUNDS)
        rounds = []
        for number in range(1, total + 1):
            entry = entries.get(number, TaskEntry())
            rounds.append(entry.model_copy(update={"name": f"round_{number}"}))
        return rounds

    @property
    def targets(self) -> list[TaskEntry]:
        """The targets, which are graded at the end; empty for a task with rounds."""
        return [] if self.rounds else self.stated_targets

    @property
    def weights(self) -> list[float]:
        """The weight of each target: all 1 if no target states one, else 0 for missing weights."""
        weights = [target.weight for target in self.targets]
        if all(weight is None for weight in weights):
            return [1.0] * len(weights)
        return [weight or 0.0 for weight in weights]


@dataclass(frozen=True, slots=True)
class TaskDefinition:
    """A task, and the names by which its runs refer to it."""

    path: Path
    task: Task
    """The task, without its checksum, which comes from the runs."""
    names: frozenset[str]
    """The name of the task's folder, and the names that the task declares."""
    round_names: tuple[str, ...] = ()
    """The names of the `[[steps]]` in order; empty if the task is graded once, at the end."""
    targets: tuple[str, ...] = ()
    """Names of the targets graded at the end, if the task lists targets."""
    stops_at_failure: bool = False
    """Whether a run ends with the first round that it does not pass."""

    @property
    def id(self) -> str:
        """The id of the task."""
        return self.task.id

    @property
    def is_chain(self) -> bool:
        """Whether the task is a chain of rounds."""
        return bool(self.round_names)

    @property
    def folder(self) -> str:
        """The name of the folder that contains the task.toml."""
        return self.path.absolute().parent.name


@dataclass(frozen=True, slots=True)
class Tasks:
    """The tasks of an import, and the names by which runs refer to them."""

    by_id: Mapping[str, TaskDefinition]
    id_by_unique_name: Mapping[str, str]
    """Task ids, keyed by the names that only one task has."""

    @classmethod
    def from_definitions(cls, definitions: Iterable[TaskDefinition]) -> "Tasks":
        """Return the tasks with the given definitions; their ids must be distinct."""
        by_id = {definition.id: definition for definition in definitions}
        id_by_name: dict[str, str] = {}
        shared_names: set[str] = set()
        for task_id, definition in by_id.items():
            shared_names |= definition.names & id_by_name.keys()
            id_by_name |= dict.fromkeys(definition.names, task_id)
        for name in shared_names:
            del id_by_name[name]
        return cls(by_id, id_by_name)

    def find_title(self, title: str) -> TaskDefinition | None:
        """Return the task with a title; None if no task or several tasks have it."""
        with_title = [task for task in self.by_id.values() if task.task.title == title]
        return only(with_title)

    def find(self, names: Iterable[str]) -> TaskDefinition | None:
        """Return the task to which the first known name refers; None if no name is known."""
        for name in names:
            if name in self.id_by_unique_name:
                return self.by_id[self.id_by_unique_name[name]]
        return None


def read_tasks(
    paths: Sequence[Path], folder: Path | None, *, with_instructions: bool = False
) -> tuple[Tasks, list[Problem]]:
    """Return the tasks of a source (or of a folder that the user names) and their problems.

    If several tasks have the same id, the first task is kept.

    Raises:
        UsageError: The named folder does not exist, or contains no task.
    """
    problems: list[Problem] = []
    if folder is not None:
        paths, problems = _find_task_files(folder)
    definitions: list[TaskDefinition] = []
    for path in paths:
        definition, task_problems = read_task(path, with_instructions=with_instructions)
        problems += task_problems
        if definition:
            definitions.append(definition)
    distinct = _with_distinct_ids(definitions)
    by_id = grouped((definition.id, definition) for definition in distinct)
    for task_id, same_id in by_id.items():
        problems += _find_differences(task_id, same_id)
    first_definitions = [same_id[0] for _, same_id in sorted(by_id.items())]
    return Tasks.from_definitions(first_definitions), problems


def _find_task_files(folder: Path) -> tuple[list[Path], list[Problem]]:
    """Return the task files in a folder, and the problems of the search."""
    if not folder.is_dir():
        raise UsageError(
            f"{folder} is not a folder; name the folder that contains the tasks' folders"
        )
    tree = SourceTree(folder)
    paths: list[Path] = []

    def enter(inner: Folder) -> list[str]:
        if TASK_FILE in inner.files:
            paths.append(inner.path / TASK_FILE)
            return []
        return [name for name in inner.folders if not name.startswith(".")]

    tree.visit(enter)
    if not paths:
        message = (
            f"{folder} contains no task.toml; name the folder that contains the tasks' folders"
        )
        raise UsageError(message)
    return paths, list(tree.problems())


def _find_differences(task_id: str, definitions: Sequence[TaskDefinition]) -> Iterator[Problem]:
    """Yield a problem if the definitions of a task differ other than in their names and folders."""
    first = definitions[0]
    for definition in definitions:
        if replace(definition, path=first.path, names=first.names) == first:
            continue
        folders = [str(definition.path.parent) for definition in definitions]
        message = f"{task_id} has several different definitions: {', '.join(folders)}"
        yield rules.TASK_TWICE.broken(first.path, None, message)
        return


def _with_distinct_ids(definitions: Sequence[TaskDefinition]) -> list[TaskDefinition]:
    """Return the definitions, with new ids for tasks that share an id but not a folder name."""
    folders_by_id = grouped((task.id, task.folder) for task in definitions)
    new_ids: dict[str, str] = {}
    for folders in folders_by_id.values():
        if len(set(folders)) > 1:
            new_ids |= ids_of(sorted(set(folders)), {}, None)
    distinct = []
    for definition in definitions:
        new_id = new_ids.get(definition.folder, definition.id)
        distinct.append(replace(definition, task=replace(definition.task, id=new_id)))
    return distinct


def add_stated_tasks(tasks: Tasks, trials: Sequence[Trial]) -> Tasks:
    """Return the defined tasks, and the tasks that only trials mention.

    Tasks from a registry or a repository are rarely stored with the runs. A task without steps has
    one round; the rounds of other tasks are known if the runner's log states their number.
    """
    undefined = [trial for trial in trials if tasks.find(trial.task_names) is None]
    trials_by_name = _group_by_stated_name(undefined)
    short_names = Counter(name.rpartition("/")[2] for name in trials_by_name)
    id_names: dict[str, str] = {}
    for name in trials_by_name:
        short_name = name.rpartition("/")[2]
        is_unique = short_names[short_name] == 1 and short_name not in tasks.by_id
        id_name = short_name if is_unique else name
        if id_name not in tasks.by_id:
            id_names[name] = id_name
    ids = ids_of([*tasks.by_id, *id_names.values()], {}, None)
    definitions = list(tasks.by_id.values())
    for name, id_name in id_names.items():
        definition = _define_stated_task(name, ids[id_name], trials_by_name[name])
        if definition is not None:
            definitions.append(definition)
    return Tasks.from_definitions(definitions)


def _group_by_stated_name(trials: Iterable[Trial]) -> dict[str, list[Trial]]:
    """Return trials by the name of their task.

    If exactly one name with an owner ends with a name without an owner, both are the same task.
    """
    named_trials = [trial for trial in trials if trial.stated_task_names]
    by_name = grouped((trial.stated_task_names[0], trial) for trial in named_trials)
    for name in list(by_name):
        if "/" in name:
            continue
        with_owner = [full_name for full_name in by_name if full_name.endswith(f"/{name}")]
        if len(with_owner) == 1:
            by_name[with_owner[0]] += by_name.pop(name)
    return dict(by_name)


def _define_stated_task(name: str, task_id: str, trials: Sequence[Trial]) -> TaskDefinition | None:
    """Return the definition of a task that only trials mention; None if its rounds are unknown."""
    title = "" if name == task_id else one_line(name)
    names: set[str] = set()
    for trial in trials:
        names.update(trial.stated_task_names)
    round_names: tuple[str, ...] = ()
    rounds = [TaskRound(1)]
    if any(trial.has_rounds for trial in trials):
        round_names = _find_logged_rounds(trials)
        if not round_names:
            return None
        numbered = enumerate(round_names, start=1)
        rounds = [TaskRound(number, make_round_title(name)) for number, name in numbered]
    task = Task(task_id, tuple(rounds), title=title)
    return TaskDefinition(trials[0].path, task, frozenset(names), round_names)


def _find_logged_rounds(trials: Sequence[Trial]) -> tuple[str, ...]:
    """Return the names of a task's rounds from the logs of its trials.

    The result is empty if no log states the number of rounds, or if two rounds share a name.
    """
    total = 0
    step_names: dict[int, str] = {}
    for trial in trials:
        stated_total, logged = trial.logged_rounds
        total = max(total, stated_total or 0)
        step_names |= logged
        for number, step in enumerate(trial.result.steps, start=1):
            step_names[number] = step.step_name or f"step {number}"
    if total < max(step_names, default=1):
        return ()
    steps = tuple(step_names.get(number, f"step {number}") for number in range(1, total + 1))
    distinct_steps = {step.casefold() for step in steps}
    return steps if len(distinct_steps) == total else ()


def read_task(
    path: Path, *, with_instructions: bool = False
) -> tuple[TaskDefinition | None, list[Problem]]:
    """Return the task that a task.toml defines, and the problems of its files.

    The task is None if the file can't be used. Instructions are read only on request;
    targets share one instruction, which is recorded for the first target.
    """
    _, values, problems = read_values(path)
    if problems:
        return None, problems
    file = TaskToml.model_validate(values)
    problems = list(_find_problems(path, file))
    if errors_of(problems):
        return None, problems
    round_names = tuple(entry.name for entry in file.rounds)
    rounds = _make_rounds(file)
    folder = path.absolute().parent
    if with_instructions:
        instructions, instruction_problems = _read_instructions(folder, round_names)
        problems += instruction_problems
        _add_instructions(rounds, instructions)
    continuing = [entry for entry in file.rounds[:-1] if entry.continues_below(PASS_REWARD)]
    declared_name = file.name or folder.name
    definition = TaskDefinition(
        path,
        _make_task(folder.name, declared_name, file, rounds),
        frozenset({folder.name, declared_name, declared_name.rpartition("/")[2]}),
        round_names,
        targets=tuple(entry.name for entry in file.targets),
        stops_at_failure=len(round_names) > 1 and not continuing,
    )
    return definition, problems


def _make_task(folder: str, declared_name: str, file: TaskToml, rounds: list[TaskRound]) -> Task:
    """Return a task with its title and its labels."""
    texts = {}
    for key, value in file.metadata.items():
        if isinstance(value, str) and value:
            texts[key] = one_line(value)
    task_id = make_task_id(folder or declared_name)
    title = texts.get("name", one_line(folder))
    labels = {axis: texts[axis] for axis in AXES if axis in texts}
    return Task(task_id, tuple(rounds), title="" if title == task_id else title, labels=labels)


def _make_rounds(file: TaskToml) -> list[TaskRound]:
    """Return the rounds of a task: its steps, or else its targets, or else a single round."""
    changes_by_step = {entry.step: entry.changes for entry in file.chain_entries}
    rounds = []
    for number, step in enumerate(file.rounds, start=1):
        changes = changes_by_step.get(step.name, step.changes)
        rounds.append(TaskRound(number, make_round_title(step.name), changes))
    weighted_targets = zip(file.targets, file.weights, strict=True)
    for number, (target, weight) in enumerate(weighted_targets, start=1):
        title = one_line(target.title or target.name)
        rounds.append(TaskRound(number, title, target.changes, weight))
    return rounds or [TaskRound(1)]


def _read_instructions(folder: Path, round_names: Sequence[str]) -> tuple[list[str], list[Problem]]:
    """Return the instruction of each round, empty if there is none, and the files' problems.

    A task without rounds has one instruction, in its own folder.
    """
    if not round_names:
        instruction, problems = _read_instruction(folder, [folder])
        return [instruction], problems
    instructions = []
    problems = []
    for name in round_names:
        instruction = ""
        if name not in {".", ".."} and Path(name).name == name:
            candidates = [folder / "steps" / name, folder / name]
            instruction, round_problems = _read_instruction(folder, candidates)
            problems += round_problems
        instructions.append(instruction)
    return instructions, problems


def _read_instruction(folder: Path, candidates: Sequence[Path]) -> tuple[str, list[Problem]]:
    """Return the first instruction in the candidate folders, or an empty text, and problems."""
    texts = []
    problems = []
    for candidate in candidates:
        text, text_problems = read_text(candidate / INSTRUCTION_FILE, folder)
        texts.append(text or "")
        problems += [fault for fault in text_problems if fault.code != FILE_MISSING.code]
    return next(filter(None, texts), ""), problems


def _add_instructions(rounds: list[TaskRound], instructions: Sequence[str]) -> None:
    """Add instructions to the first rounds, and derive missing titles from the instructions."""
    titles = titles_of(instructions)
    for index, text in enumerate(instructions):
        title = rounds[index].title or titles[index]
        instruction = redact_text(text) or None
        rounds[index] = replace(rounds[index], title=title, instruction=instruction)


def make_task_id(name: str) -> str:
    """Return an id that depends only on a task's name."""
    plain = _NOT_IN_IDS.sub("-", name.lower()).strip("-_")
    return plain if name.isascii() and is_slug(plain) else slug_of(name)


def make_round_title(name: str) -> str:
    """Return the title of a round or target; empty if its name only numbers it."""
    return "" if not name or _NUMBERED.fullmatch(name) else one_line(name)


def _find_problems(path: Path, file: TaskToml) -> Iterator[Problem]:
    """Yield the problems of a task's names, weights and metadata."""
    name_fault = _find_name_fault(file)
    if name_fault:
        message = f"the rounds can't be identified: {name_fault}"
        yield rules.TASK_WITHOUT_ROUNDS.broken(path, None, message)
    unweighable: dict[str, None] = {}
    for target, weight in zip(file.targets, file.weights, strict=True):
        if not _MIN_WEIGHT <= weight <= _MAX_WEIGHT:
            unweighable[target.name] = None
    if unweighable:
        limits = f"{_MIN_WEIGHT:f} and {_MAX_WEIGHT:,.0f}"
        names = ", ".join(unweighable)
        message = f"the weights of these targets are not between {limits}: {names}"
        yield rules.WEIGHT_UNUSABLE.broken(path, None, message)
    rounds = file.rounds
    if file.chain_length not in {None, len(rounds)}:
        message = f"`num_steps` is {file.chain_length}, but there are {len(rounds)} `[[steps]]`"
        yield rules.TASK_CHAIN_DIFFERS.broken(path, None, message)
    step_names = {step.name for step in rounds} | {""}
    stated_names = dict.fromkeys(entry.step for entry in file.chain_entries)
    unknown_steps = [name for name in stated_names if name not in step_names]
    if unknown_steps:
        names = ", ".join(unknown_steps)
        message = f"`requirement_chain` names {names}, but `[[steps]]` does not"
        yield rules.TASK_CHAIN_DIFFERS.broken(path, None, message)


def _find_name_fault(file: TaskToml) -> str | None:
    """Return what is wrong with the names of rounds and targets; None if they are valid."""
    names = [entry.name for entry in (*file.rounds, *file.targets)]
    shared_names = repeated(name.casefold() for name in names if name)
    if shared_names:
        return f"several have the name {', '.join(shared_names)}"
    if not all(names):
        return "some have no name"
    return "`[[steps]]` is empty" if file.steps == [] else None


def make_import_source(
    log: ImportLog, tasks: Sequence[Task], options: ImportOptions
) -> ImportSource:
    """Return an import source with the facts that the tasks provide, but without runs."""
    has_instructions = False
    for task in tasks:
        has_instructions |= any(task_round.instruction for task_round in task.rounds)
    about = {
        "title": options.facts.title or title_of(options.benchmark),
        "instructions": options.instructions is not False and has_instructions,
    }
    return ImportSource(
        log,
        states_attempts=True,
        gaps=None,
        undated=DATE_ASSUMED,
        axes=AXES,
        tasks={task.id: task for task in tasks},
        about=about,
    )
