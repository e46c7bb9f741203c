"""The task sets of a benchmark while an import adds to them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.importers import merge_rules as rules
from sitegen.models.task import Task, TaskSet
from sitegen.problems import Problem

_SHOWN = 3
"""Tasks whose differences are told in full; the others are named."""


@dataclass(slots=True)
class Shelf:
    """Finds each task set of an import its place: a set with the same tasks that stands, or a free name.

    Attributes:
        folder: Where the task sets' files are.
        standing: Task sets that have a file.
        added: Those that get one.
    """

    folder: Path
    standing: Mapping[str, TaskSet]
    added: dict[str, TaskSet] = field(default_factory=dict)

    def get(self, name: str) -> TaskSet | None:
        """Give the tasks under a name."""
        return self.standing.get(name) or self.added.get(name)

    def hindrances(self, known: TaskSet, tasks: TaskSet) -> list[Problem]:
        """Say what is wrong with results that join a task set, which may have more tasks than they do."""
        found = list(self._differences(known, tasks, lacking=()))
        return found or list(self._changed_digests(known, tasks))

    def place(self, tasks: TaskSet, names: Sequence[str]) -> tuple[TaskSet, list[Problem]]:
        """Give the task set of a new track a name.

        Args:
            tasks: The task set of an import.
            names: Names that it may have, the preferred one first.

        Returns:
            The task set as it is called; and what hinders, where other tasks stand under every name.
        """
        hindrances: list[Problem] = []
        for name in names:
            known = self.get(name)
            if known is None:
                self.added[name] = TaskSet(name, tasks.tasks)
                return self.added[name], []
            found = list(self._differences(known, tasks, lacking=known.by_id().keys() - tasks.by_id().keys()))
            if not found:
                return known, list(self._changed_digests(known, tasks))
            hindrances = hindrances or found
        return tasks, hindrances

    def _file(self, tasks: TaskSet) -> Path:
        return self.folder / f"{tasks.id}.jsonl"

    def _differences(self, known: TaskSet, offered: TaskSet, lacking: Collection[str]) -> Iterator[Problem]:
        ours, theirs = known.by_id(), offered.by_id()
        facts = (("lacks", lacking), ("adds", theirs.keys() - ours.keys()))
        strange = [f"it {verb} {', '.join(sorted(tasks))}" for verb, tasks in facts if tasks]
        if strange:
            lists = f"{known.id} has {_listed(ours)}; the import has {_listed(theirs)}"
            what = f"the import has other tasks than {known.id}: {'; '.join(strange)}. {lists}"
            yield rules.TASKS_DIFFER.broken(self._file(known), None, what)
        yield from self._contradictions(known, theirs)

    def _contradictions(self, known: TaskSet, theirs: Mapping[str, Task]) -> Iterator[Problem]:
        compared = [(line, task, theirs.get(task.id, task)) for line, task in enumerate(known.tasks, start=1)]
        told = [(line, ours.id, "; ".join(_disagreements(ours, other))) for line, ours, other in compared]
        differing = [(line, name, facts) for line, name, facts in told if facts]
        for line, name, facts in differing[:_SHOWN]:
            yield rules.TASK_DIFFERS.broken(self._file(known), line, f"{name} differs from the import: {facts}")
        if differing[_SHOWN:]:
            names = ", ".join(name for _, name, _ in differing[_SHOWN:])
            yield rules.TASK_DIFFERS.broken(self._file(known), None, f"more tasks differ from the import: {names}")

    def _changed_digests(self, known: TaskSet, offered: TaskSet) -> Iterator[Problem]:
        theirs = offered.by_id()
        changed = [each.id for each in known.tasks if _differ(each.digest, theirs.get(each.id, each).digest)]
        if changed:
            what = f"the import states other checksums for {', '.join(changed)}"
            yield rules.DIGEST_DIFFERS.broken(self._file(known), None, what)


def _listed(tasks: Mapping[str, Task]) -> str:
    return f"{len(tasks)}: {', '.join(sorted(tasks))}"


def _disagreements(known: Task, offered: Task) -> Iterator[str]:
    """Say in what a task of an import contradicts the one that stands: in what is scored, not in how it is shown."""
    if len(known.rounds) != len(offered.rounds):
        yield f"{len(known.rounds)} rounds here, {len(offered.rounds)} in the import"
        return
    for ours, theirs in zip(known.rounds, offered.rounds, strict=True):
        if ours.weight != theirs.weight:
            yield f"`weight` of round {ours.n} is {ours.weight:g} here, {theirs.weight:g} in the import"


def _differ(here: str | None, there: str | None) -> bool:
    """Whether both say something, and not the same."""
    return bool(here) and bool(there) and here != there
