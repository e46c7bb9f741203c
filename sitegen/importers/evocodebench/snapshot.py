"""Everything that a publication's files hold, checked against its index."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from sitegen.importers.evocodebench import rules
from sitegen.importers.evocodebench.files import Index, IndexTask, TaskFile
from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import repeated
from sitegen.models.record import Slug
from sitegen.problems import Problem, ProblemsError, Rule
from sitegen.reading.json import read_json

_SLUG = TypeAdapter(Slug)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A publication's files."""

    source: Path
    index: Index
    files: Mapping[str, TaskFile]
    """By task, in the order of the index."""
    missing: tuple[str, ...]
    """Tasks that the index lists and that have no file."""

    @property
    def listed(self) -> frozenset[str]:
        """Every task of the index, be its file there or not."""
        return frozenset(task.task for task in self.index.tasks)

    @property
    def tasks(self) -> tuple[IndexTask, ...]:
        """The tasks that have a file."""
        return tuple(task for task in self.index.tasks if task.task in self.files)

    def path_of(self, task: str) -> Path:
        """Give the path of a task's file."""
        return _file(self.source, task)


def read_snapshot(source: Path) -> tuple[Snapshot, list[Problem]]:
    """Read the index of a publication and the file of every task that it lists.

    Raises:
        ProblemsError: There is no index to go by.
    """
    path = source / "index.json"
    index, problems = read_json(path, Index, source)
    if index is None:
        raise ProblemsError(problems)
    problems = list(_index_problems(path, index))
    if problems:
        raise ProblemsError(problems)
    present = [task.task for task in index.tasks if _file(source, task.task).exists()]
    files, problems = _read_files(source, present)
    missing = tuple(task.task for task in index.tasks if task.task not in present)
    snapshot = Snapshot(source, index, files, missing)
    return snapshot, [*problems, *_unnamed(snapshot), *_disagreements(snapshot)]


def _read_files(source: Path, tasks: Sequence[str]) -> tuple[dict[str, TaskFile], list[Problem]]:
    files: dict[str, TaskFile] = {}
    problems: list[Problem] = []
    for task in tasks:
        file, found = read_json(_file(source, task), TaskFile, source)
        problems += found
        if file is not None:
            files[task] = file
    return files, problems


def _file(source: Path, task: str) -> Path:
    return source / "tasks" / f"{task}.json"


def _index_problems(path: Path, index: Index) -> Iterator[Problem]:
    """Say what keeps an index from being gone by."""
    tasks = [task.task for task in index.tasks]
    yield from _list_problems(path, "agent", index.models, (rules.AGENT_MISSING, rules.AGENT_TWICE))
    yield from _list_problems(path, "task", tasks, (kit_rules.TASK_MISSING, rules.TASK_TWICE))
    odd = [f"`{task}`" for task in tasks if not _is_slug(task)]
    if odd:
        yield kit_rules.TASK_ID.broken(path, None, f"no ids for tasks: {', '.join(odd)}")


def _list_problems(path: Path, kind: str, named: Sequence[str], broken: tuple[Rule, Rule]) -> Iterator[Problem]:
    """Say whether a list of the index names nothing, or something twice: the rules to break, in this order."""
    nothing, twice = broken
    if not named:
        yield nothing.broken(path, None, f"the index lists no {kind}")
    names = repeated(named)
    if names:
        yield twice.broken(path, None, f"listed several times: {', '.join(names)}")


def _is_slug(name: str) -> bool:
    try:
        _SLUG.validate_python(name)
    except ValidationError:
        return False
    return True


def _unnamed(snapshot: Snapshot) -> Iterator[Problem]:
    files = (snapshot.source / "tasks").glob("*.json")
    extra = sorted(path.name for path in files if path.stem not in snapshot.listed)
    if extra:
        what = f"index.json does not list the tasks of {', '.join(extra)}"
        yield rules.TASK_UNNAMED.broken(snapshot.source / "tasks", None, what)


def _disagreements(snapshot: Snapshot) -> Iterator[Problem]:
    """Say where task files and index do not fit together."""
    absent: dict[str, list[str]] = defaultdict(list)
    unknown: dict[str, list[str]] = defaultdict(list)
    for task in snapshot.tasks:
        path, file = snapshot.path_of(task.task), snapshot.files[task.task]
        if file.task not in {None, task.task}:
            yield rules.TASK_DIFFERS.broken(path, None, f"the file is about {file.task}")
        if file.n_rounds != task.n_rounds:
            what = f"`n_rounds` is {file.n_rounds}, but index.json states {task.n_rounds}"
            yield rules.ROUNDS_DIFFER.broken(path, None, what)
        else:
            yield from _round_problems(path, file)
        for agent in snapshot.index.models:
            if agent not in file.models:
                absent[agent].append(task.task)
        for agent in file.models:
            if agent not in snapshot.index.models:
                unknown[agent].append(task.task)
    yield from _agent_problems(snapshot, rules.AGENT_MISSING, "is missing from", absent)
    yield from _agent_problems(snapshot, rules.AGENT_UNKNOWN, "is not in index.json, but in", unknown)


def _round_problems(path: Path, file: TaskFile) -> Iterator[Problem]:
    expected = list(range(1, file.n_rounds + 1))
    odd = [agent for agent, cells in file.models.items() if cells.keys() != set(map(str, expected))]
    if odd:
        found = ", ".join(file.models[odd[0]]) or "none"
        what = f"{', '.join(odd)}: the rounds are not 1 to {file.n_rounds}; those of {odd[0]} are {found}"
        yield rules.ROUNDS_DIFFER.broken(path, None, what)
    titled = sorted(heading.n for heading in file.rounds)
    if titled and titled != expected:
        what = f"`rounds` has titles for {', '.join(map(str, titled))}, not for 1 to {file.n_rounds}"
        yield rules.ROUNDS_DIFFER.broken(path, None, what)


def _agent_problems(snapshot: Snapshot, rule: Rule, fact: str, found: Mapping[str, Sequence[str]]) -> Iterable[Problem]:
    """Give one problem an agent, however many files it concerns."""
    for agent, tasks in found.items():
        path = snapshot.path_of(tasks[0]) if len(tasks) == 1 else snapshot.source / "tasks"
        yield rule.broken(path, None, f"{agent} {fact} the files of {', '.join(tasks)}")
