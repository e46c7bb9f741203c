"""Tasks as their task.toml defines them: how many rounds a run should have stands nowhere else."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sitegen.importers.harbor import rules
from sitegen.importers.harbor.records import Lenient, Text, Whole
from sitegen.importers.harbor.trials import TASK_FILE, Trial
from sitegen.importers.kit.agents import only, repeated
from sitegen.importers.kit.drafts import ids_of, slug_of, title_of
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line, redacted
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.requests import titles_of
from sitegen.importers.kit.rounds import Source
from sitegen.importers.kit.rules import DATE_ASSUMED
from sitegen.importers.kit.told import at
from sitegen.importers.kit.tree import Folder, Tree
from sitegen.models.outcome import PASS_REWARD
from sitegen.models.record import is_slug
from sitegen.models.task import Task, TaskRound
from sitegen.problems import Problem, UsageError, errors_of
from sitegen.reading.files import FILE_MISSING, read_text
from sitegen.reading.toml import read_values

AXES = ("difficulty", "category", "engineering_activity", "interaction_style", "technology_domain")
"""Labels that tasks carry, as keys of their metadata."""

_OTHER = re.compile(r"[^a-z0-9_]+")
_NUMBERED = re.compile(r"(?:[a-z]+[-_ ]?)?\d+", re.IGNORECASE)
"""Names of steps that say no more than their place."""

_TITLES = {
    "evocode-bench": "EvoCode-Bench",
    "roadmapbench": "RoadmapBench",
    "slop-code-bench": "SlopCodeBench",
}

REQUEST_FILE = "instruction.md"

_MOST_ROUNDS = 10_000
_HEAVIEST = 1e6


class Part(Lenient):
    """One of the `[[steps]]`, of the lists that older files have in their metadata, or of the targets."""

    name: Text = None
    title: Text = None
    step: Text = None
    round: Whole = None
    weight: float | None = None
    change_types: list[str] | None = None
    change_type: Text = None
    min_reward: float | dict[str, float] | None = None
    """The reward from which on the run goes on; it ends here otherwise."""

    @property
    def changes(self) -> tuple[str, ...]:
        """The kinds of change that it asks for."""
        return tuple(one_line(each) for each in self.change_types or (self.change_type,) if each)

    def goes_on_below(self, reward: float) -> bool:
        """Whether the run goes on after a lower reward."""
        bar = self.min_reward
        return (max(bar.values(), default=0) if isinstance(bar, dict) else (bar or 0)) < reward


class TaskFile(Lenient):
    """A task.toml, in the shapes that it has had. Keys that nothing here needs are passed over."""

    name: Text = at("task", "name")
    metadata: dict[str, object] | None = None
    steps: list[Part] | None = None
    chain: list[Part] | None = at("metadata", "requirement_chain", "steps")
    """What each of the `[[steps]]` asks for."""
    chained: Whole = at("metadata", "requirement_chain", "num_steps")
    weighed: list[Part] | None = at("metadata", "targets")
    # Where the file is of the time before `[[steps]]`:
    multiround_rounds: Whole = at("metadata", "multiround", "num_rounds")
    num_rounds: Whole = at("metadata", "num_rounds")
    multiround: list[Part] | None = at("metadata", "multiround", "rounds")
    change_types: list[list[str]] | None = at("metadata", "change_types")

    @property
    def rounds(self) -> list[Part]:
        """Its rounds in their order: `[[steps]]`, or what stood in the metadata before there were such."""
        if self.steps is not None:
            return self.steps
        told: dict[int | None, Part] = {each.round: each for each in self.multiround or ()}
        told |= {
            place: Part(change_types=each)
            for place, each in enumerate(self.change_types or (), start=1)
        }
        number = min(self.multiround_rounds or self.num_rounds or 0, _MOST_ROUNDS)
        named = ((place, told.get(place, Part())) for place in range(1, number + 1))
        return [each.model_copy(update={"name": f"round_{place}"}) for place, each in named]

    @property
    def targets(self) -> list[Part]:
        """What is graded at its end, where it has no rounds."""
        return [] if self.rounds else self.weighed or []

    @property
    def weights(self) -> list[float]:
        """What each target weighs: the same where none is weighed, 0 where one is not."""
        told = [each.weight for each in self.targets]
        return [1.0 if told == [None] * len(told) else each or 0.0 for each in told]


@dataclass(frozen=True, slots=True)
class TaskDefinition:
    """A task, with what its runs are told by."""

    path: Path
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

    @property
    def folder(self) -> str:
        """Name of the folder of its file."""
        return self.path.absolute().parent.name


@dataclass(frozen=True, slots=True)
class Tasks:
    """The defined tasks, to be found by what runs call them."""

    by_id: Mapping[str, TaskDefinition]
    ids: Mapping[str, str]
    """Id by each name that means one task alone."""

    @classmethod
    def of(cls, definitions: Iterable[TaskDefinition]) -> "Tasks":
        """Return tasks by their ids, which differ."""
        by_id = {definition.task.id: definition for definition in definitions}
        means = Counter(name for definition in by_id.values() for name in definition.names)
        ids = {}
        for definition in by_id.values():
            for name in definition.names:
                if means[name] == 1:
                    ids[name] = definition.task.id
        return cls(by_id, ids)

    def of_title(self, title: str) -> TaskDefinition | None:
        """The task that readers know by a title."""
        return only(
            [definition for definition in self.by_id.values() if definition.task.title == title]
        )

    def find(self, names: Iterable[str]) -> TaskDefinition | None:
        """The task that the first name which means one stands for."""
        found = next((self.ids[name] for name in names if name in self.ids), None)
        return self.by_id[found] if found else None


def read_tasks(
    paths: Sequence[Path], folder: Path | None, *, with_requests: bool = False
) -> tuple[Tasks, list[Problem]]:
    """Read the tasks of a source, or those of a folder that is named; of several with one id the first is kept.

    Raises:
        UsageError: The folder that is named is none, or holds no task.
    """
    problems: list[Problem] = []
    if folder is not None:
        if not folder.is_dir():
            raise UsageError(f"{folder} is no folder; name the one that holds the tasks' folders")
        tree, found = Tree(folder), list[Path]()

        def enter(inner: Folder) -> list[str]:
            if TASK_FILE not in inner.files:
                return [name for name in inner.folders if not name.startswith(".")]
            found.append(inner.path / TASK_FILE)
            return []

        tree.visit(enter)
        paths = found
        problems += tree.problems()
        if not paths:
            raise UsageError(
                f"{folder} holds no task.toml; name the folder that holds the tasks' folders"
            )
    definitions: list[TaskDefinition] = []
    for path in paths:
        definition, faults = read_task(path, with_requests=with_requests)
        problems += faults
        if definition:
            definitions.append(definition)
    same: dict[str, list[TaskDefinition]] = {}
    for definition in _with_own_ids(definitions):
        same.setdefault(definition.task.id, []).append(definition)
    for name, several in same.items():
        kinds = [(each.task, each.steps, each.targets) for each in several]
        if any(each != kinds[0] for each in kinds):
            places = ", ".join(str(each.path.parent) for each in several)
            what = f"{name} is defined several times, differently: {places}"
            problems.append(rules.TASK_TWICE.broken(several[0].path, None, what))
    return Tasks.of(several[0] for _, several in sorted(same.items())), problems


def _with_own_ids(definitions: Sequence[TaskDefinition]) -> list[TaskDefinition]:
    """Return definitions with ids that differ where the names of their folders do."""
    folders_by_id: dict[str, set[str]] = {}
    for definition in definitions:
        folders_by_id.setdefault(definition.task.id, set()).add(definition.folder)
    renamed: dict[str, str] = {}
    for folders in folders_by_id.values():
        if len(folders) > 1:
            renamed |= ids_of(sorted(folders), {}, None)
    own = []
    for definition in definitions:
        own_id = renamed.get(definition.folder, definition.task.id)
        own.append(replace(definition, task=replace(definition.task, id=own_id)))
    return own


def with_told_tasks(tasks: Tasks, trials: Sequence[Trial]) -> Tasks:
    """Return the defined tasks together with those that only trials tell of.

    Tasks of a registry or of a repository are rarely beside the runs. One without steps is a task of one round; one
    with steps is known where the runner's log says how many it has.
    """
    told = _by_told_name([trial for trial in trials if tasks.find(trial.task_names) is None])
    short_names = Counter(name.rpartition("/")[2] for name in told)
    bases: dict[str, str] = {}
    for name in told:
        short = name.rpartition("/")[2]
        base = short if short_names[short] == 1 and short not in tasks.by_id else name
        if base not in tasks.by_id:
            bases[name] = base
    ids = ids_of([*tasks.by_id, *bases.values()], {}, None)
    definitions = []
    for name, base in bases.items():
        definition = _told_definition(name, ids[base], told[name])
        if definition is not None:
            definitions.append(definition)
    return Tasks.of((*tasks.by_id.values(), *definitions))


def _by_told_name(trials: Iterable[Trial]) -> dict[str, list[Trial]]:
    """Return trials by the name of their task; a name without an owner is that of the only one with an owner."""
    by_name: dict[str, list[Trial]] = {}
    for trial in trials:
        if trial.told_tasks:
            by_name.setdefault(trial.told_tasks[0], []).append(trial)
    for name in [name for name in by_name if "/" not in name]:
        owned = [other for other in by_name if other.rpartition("/")[2] == name and other != name]
        if len(owned) == 1:
            by_name[owned[0]] += by_name.pop(name)
    return by_name


def _told_definition(name: str, task_id: str, trials: Sequence[Trial]) -> TaskDefinition | None:
    """Return the definition of a task that only its trials tell of; None where its rounds are not known."""
    title = "" if name == task_id else one_line(name)
    names = frozenset(told for trial in trials for told in trial.told_tasks)
    if not any(trial.is_of_steps for trial in trials):
        return TaskDefinition(trials[0].path, Task(task_id, (TaskRound(1),), title=title), names)
    steps = _told_steps(trials)
    if not steps:
        return None
    rounds = tuple(
        TaskRound(number, round_title(step)) for number, step in enumerate(steps, start=1)
    )
    return TaskDefinition(trials[0].path, Task(task_id, rounds, title=title), names, steps)


def _told_steps(trials: Sequence[Trial]) -> tuple[str, ...]:
    """Return the names of a task's steps, as its trials began them; empty where no log says how many there are."""
    total = 0
    step_names: dict[int, str] = {}
    for trial in trials:
        stated, begun = trial.begun_steps
        total = max(total, stated or 0)
        step_names |= begun
        for number, step in enumerate(trial.result.step_results or (), start=1):
            step_names[number] = step.step_name or f"step {number}"
    if total < max(step_names, default=1):
        return ()
    steps = tuple(step_names.get(number, f"step {number}") for number in range(1, total + 1))
    has_twins = len({step.casefold() for step in steps}) < total
    return () if has_twins else steps


def read_task(
    path: Path, *, with_requests: bool = False
) -> tuple[TaskDefinition | None, list[Problem]]:
    """Read a task.toml, whose folder's name is the task's: the definition, None where it can't be gone by.

    The rounds' requests are read only where they are wanted: of targets, which share one, it is the first's.
    """
    _, values, problems = read_values(path)
    if problems:
        return None, problems
    file = TaskFile.model_validate(values)
    folder = path.absolute().parent.name
    declared = file.name or folder
    name = task_id(folder or declared)
    problems = list(_problems(path, file))
    if errors_of(problems):
        return None, problems
    told = {each.step: each.changes for each in file.chain or ()}
    rounds = [
        TaskRound(number, round_title(step.name), told.get(step.name, step.changes))
        for number, step in enumerate(file.rounds, start=1)
    ] or [
        TaskRound(number, one_line(target.title or target.name or ""), target.changes, weight)
        for number, (target, weight) in enumerate(
            zip(file.targets, file.weights, strict=True), start=1
        )
    ]
    rounds = rounds or [TaskRound(1)]
    if with_requests:
        requests, faults = _requests(
            path.absolute().parent, [each.name or "" for each in file.rounds] or [""]
        )
        problems += faults
        titles = titles_of(requests)
        for place, (request, asked) in enumerate(zip(requests, titles, strict=True)):
            known = rounds[place]
            rounds[place] = replace(
                known, title=known.title or asked, instruction=redacted(request) or None
            )
    texts = {
        key: one_line(value)
        for key, value in (file.metadata or {}).items()
        if isinstance(value, str) and value
    }
    title = texts.get("name", one_line(folder))
    labels = {axis: texts[axis] for axis in AXES if axis in texts}
    task = Task(name, tuple(rounds), title="" if title == name else title, labels=labels)
    definition = TaskDefinition(
        path,
        task,
        frozenset((folder, declared, declared.rpartition("/")[2])),
        tuple(each.name or "" for each in file.rounds),
        tuple(each.name or "" for each in file.targets),
        len(file.rounds) > 1
        and not any(each.goes_on_below(PASS_REWARD) for each in file.rounds[:-1]),
    )
    return definition, problems


def _requests(folder: Path, steps: Sequence[str]) -> tuple[list[str], list[Problem]]:
    """What each step of a task asks for, empty where it lies nowhere; the one request of a task has no step's name."""
    found, problems = [], []
    for step in steps:
        places = [folder / "steps" / step, folder / step] if step else [folder]
        texts = []
        for place in places if step not in {".", ".."} and Path(step).name == step else []:
            text, faults = read_text(place / REQUEST_FILE, folder)
            texts += [text] if text else []
            problems += [each for each in faults if each.code != FILE_MISSING.code]
        found.append(texts[0] if texts else "")
    return found, problems


def task_id(name: str) -> str:
    """Return an id that follows from a task's name alone."""
    plain = _OTHER.sub("-", name.lower()).strip("-_")
    return plain if name.isascii() and is_slug(plain) else slug_of(name)


def round_title(name: str | None) -> str:
    """The title of a round or target by its name; empty where that says no more than its place."""
    return "" if not name or _NUMBERED.fullmatch(name) else one_line(name)


def _problems(path: Path, file: TaskFile) -> Iterator[Problem]:
    """Why a task can't be gone by: its parts can't be told apart or weighed, or its metadata tells of other rounds."""
    parts = [each.name for each in (*file.rounds, *file.targets)]
    twice = repeated(each.casefold() for each in parts if each)
    fault = f"several are called {', '.join(twice)}" if twice else ""
    fault = (
        fault
        or ("" if all(parts) else "some have no name")
        or ("there is none" if file.steps == [] else "")
    )
    if fault:
        yield rules.TASK_WITHOUT_ROUNDS.broken(path, None, f"the rounds can't be told: {fault}")
    weighed = zip(file.targets, file.weights, strict=True)
    odd = [each.name or "" for each, weight in weighed if not 1 / _HEAVIEST <= weight <= _HEAVIEST]
    if odd:
        what = f"targets that weigh nothing, or too much: {', '.join(odd)}"
        yield rules.TASK_WITHOUT_ROUNDS.broken(
            path, None, what, "give every target a weight above 0, or none"
        )
    names = {each.name for each in file.rounds}
    if file.chained not in {None, len(file.rounds)}:
        what = f"`num_steps` is {file.chained}, but there are {len(file.rounds)} `[[steps]]`"
        yield rules.TASK_CHAIN_DIFFERS.broken(path, None, what)
    strange = [each.step for each in file.chain or () if each.step and each.step not in names]
    if strange:
        what = (
            f"`requirement_chain` tells of {', '.join(strange)}, which is none of the `[[steps]]`"
        )
        yield rules.TASK_CHAIN_DIFFERS.broken(path, None, what)


def benchmark_of(report: Report, tasks: Sequence[Task], options: ImportOptions) -> Source:
    """The benchmark, as far as its tasks tell."""
    has_requests = any(each.instruction for task in tasks for each in task.rounds)
    return Source(
        report,
        tells_attempts=True,
        gaps=None,
        undated=DATE_ASSUMED,
        axes=AXES,
        tasks={task.id: task for task in tasks},
        about={
            "title": _TITLES.get(options.benchmark, title_of(options.benchmark)),
            "instructions": options.instructions is not False and has_requests,
        },
    )
