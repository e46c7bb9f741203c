"""What the publications say of the benchmark itself, and what its paper and its page say of it."""

from collections.abc import Sequence

from sitegen.importers.evocodebench.files import IndexTask, TaskFile
from sitegen.importers.evocodebench.snapshot import Snapshot
from sitegen.importers.options import ImportOptions
from sitegen.importers.roster import Roster
from sitegen.metrics.catalogue import columns_of
from sitegen.models.benchmark import Axis, Benchmark, Track
from sitegen.models.task import Task, TaskRound, TaskSet

_OFFICIAL = "official"
_AXES = ("difficulty", "category")


def benchmark_of(tasks: Sequence[IndexTask], roster: Roster, options: ImportOptions) -> Benchmark:
    """Describe the benchmark as far as its files and its paper do.

    Args:
        tasks: Those in the task set.
        roster: The agents of the source.
        options: Ids of the benchmark and the track.
    """
    axes = {axis: Axis(title=axis.capitalize(), values=_values(tasks, axis)) for axis in _AXES}
    columns = columns_of("chain")
    track = Track(
        id=options.track,
        title="Official multi-step" if options.track == _OFFICIAL else options.track.replace("-", " ").capitalize(),
        summary="Harbor's official multi-step format: one attempt a task, every round is run and scored.",
        protocol="chain",
        tasks=options.track,
        headline=columns[0],
        columns=columns,
        groupings=tuple(name for name, axis in axes.items() if len(axis.values) > 1),
    )
    return Benchmark(
        schema_version=1,
        id=options.benchmark,
        title="EvoCode-Bench",
        summary="Whether coding agents can keep a project working while its requirements change from round to round.",
        homepage="https://unipat.ai/benchmarks/EvoCode-Bench",
        paper="https://arxiv.org/abs/2605.24110",
        license="CC-BY-NC-4.0 (tasks and their instructions), MIT (code)",
        issues="https://github.com/UniPat-AI/EvoCodeBench/issues",
        axes={name: axis for name, axis in axes.items() if axis.values},
        tracks=(track,),
        aliases=roster.aliases,
    )


def task_set_of(snapshot: Snapshot, options: ImportOptions) -> TaskSet:
    """Give the tasks that have a file, in the order of the index."""
    return TaskSet(options.track, tuple(_task(each, snapshot.files[each.task]) for each in snapshot.tasks))


def _task(entry: IndexTask, file: TaskFile) -> Task:
    titles = {heading.n: heading.title for heading in file.rounds}
    rounds = tuple(TaskRound(number, titles.get(number, "")) for number in range(1, entry.n_rounds + 1))
    labels = {axis: value for axis in _AXES if (value := _label(entry, axis))}
    return Task(entry.task, rounds, title=entry.name, labels=labels)


def _values(tasks: Sequence[IndexTask], axis: str) -> tuple[str, ...]:
    """Give the values on an axis in the order of their first appearance."""
    return tuple(dict.fromkeys(value for task in tasks if (value := _label(task, axis))))


def _label(task: IndexTask, axis: str) -> str:
    return {"difficulty": task.difficulty, "category": task.category}[axis]
