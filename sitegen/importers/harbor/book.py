"""The tasks of an import, to be found by what runs call them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sitegen.importers.harbor import rules
from sitegen.importers.harbor.choice import HarborChoice
from sitegen.importers.harbor.survey import Survey, task_files
from sitegen.importers.harbor.tasks import TaskDefinition, read_task
from sitegen.importers.kit.agents import repeated
from sitegen.importers.kit.tree import Tree
from sitegen.problems import Problem, UsageError


@dataclass(frozen=True, slots=True)
class Taskbook:
    """The defined tasks, in the order of their ids."""

    tasks: Mapping[str, TaskDefinition]
    """By id."""
    ids: Mapping[str, str]
    """Id by each name that means one task alone."""

    @classmethod
    def of(cls, definitions: Iterable[TaskDefinition]) -> "Taskbook":
        """Put definitions in order; of several with one id the first is kept."""
        tasks: dict[str, TaskDefinition] = {}
        for each in sorted(definitions, key=lambda each: each.task.id):
            tasks.setdefault(each.task.id, each)
        means = Counter(name for each in tasks.values() for name in each.names)
        ids = {name: each.task.id for each in tasks.values() for name in each.names if means[name] == 1}
        return cls(tasks, ids)

    def find(self, names: Iterable[str]) -> TaskDefinition | None:
        """Give the task that the first name which means one stands for."""
        found = next((self.ids[name] for name in names if name in self.ids), None)
        return self.tasks[found] if found else None


def read_tasks(survey: Survey, choice: HarborChoice) -> tuple[Taskbook, list[Problem]]:
    """Read the tasks: those of the folder that is named, else those that the source holds.

    Raises:
        UsageError: The folder that is named is none, or holds no task.
    """
    paths: Sequence[Path] = survey.tasks
    problems: list[Problem] = []
    if choice.tasks is not None:
        if not choice.tasks.is_dir():
            raise UsageError(f"{choice.tasks} is no folder; name the one that holds the tasks' folders")
        tree = Tree(choice.tasks)
        paths = task_files(tree)
        problems += tree.problems()
        if not paths:
            raise UsageError(f"{choice.tasks} holds no task.toml; name the folder that holds the tasks' folders")
    definitions = []
    for path in paths:
        definition, found = read_task(path)
        problems += found
        if definition:
            definitions.append(definition)
    return Taskbook.of(definitions), [*problems, *_namesakes(definitions)]


def _namesakes(definitions: Sequence[TaskDefinition]) -> Iterator[Problem]:
    for name in repeated(each.task.id for each in definitions):
        same = [each for each in definitions if each.task.id == name]
        if any(
            (each.task, each.steps, each.targets) != (same[0].task, same[0].steps, same[0].targets) for each in same
        ):
            places = ", ".join(str(each.path.parent) for each in same)
            yield rules.TASK_TWICE.broken(same[0].path, None, f"{name} is defined several times, differently: {places}")
