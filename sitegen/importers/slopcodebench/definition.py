"""What the importer says of the benchmark itself, and the task set that a run's problems make."""

from collections.abc import Mapping, Sequence

from sitegen.importers.options import ImportOptions
from sitegen.importers.slopcodebench.cases import CaseBook
from sitegen.importers.slopcodebench.entrants import Entrant
from sitegen.importers.slopcodebench.run import Run
from sitegen.metrics.produced import COST_PER_ROUND, EROSION, MINUTES_PER_ROUND, NET_COST, VERBOSITY
from sitegen.metrics.targets import CORE, ISO, PARTIAL, SOLVED, STRICT
from sitegen.models.benchmark import Axis, Benchmark, Track
from sitegen.models.task import Task, TaskRound, TaskSet

_AXES = ("difficulty", "category")

_CORRECTNESS = (STRICT, ISO, CORE, PARTIAL, SOLVED)
_COLUMNS = (*_CORRECTNESS, COST_PER_ROUND, NET_COST, MINUTES_PER_ROUND, EROSION, VERBOSITY)


def benchmark_of(tasks: TaskSet, entrants: Sequence[Entrant], options: ImportOptions) -> Benchmark:
    """Describe the benchmark as far as its paper does, and the track as its runs are.

    Args:
        tasks: The problems.
        entrants: The agents.
        options: Ids of the benchmark and the track.
    """
    values = {axis: _values(tasks, axis) for axis in _AXES}
    track = Track(
        id=options.track,
        title=options.track.replace("-", " ").replace("_", " ").capitalize(),
        summary="Each checkpoint begins with the code of the one before, in a new container and a new session.",
        protocol="chain",
        attempts=max(len(entrant.runs) for entrant in entrants),
        tasks=tasks.id,
        headline=STRICT.id,
        columns=tuple(metric.id for metric in _COLUMNS),
        groupings=tuple(axis for axis, found in values.items() if len(found) > 1),
    )
    return Benchmark(
        schema_version=1,
        id=options.benchmark,
        title="SlopCodeBench",
        summary="How the code of coding agents fares while they extend it from checkpoint to checkpoint.",
        homepage="https://www.scbench.ai",
        paper="https://arxiv.org/abs/2603.24755",
        license="MIT",
        round_name="Checkpoint",
        issues="https://github.com/SprocketLab/slop-code-bench/issues",
        axes={axis: Axis(title=axis.capitalize(), values=found) for axis, found in values.items() if found},
        tracks=(track,),
        aliases=dict(options.aliases),
    )


def task_set_of(lengths: Mapping[str, int], runs: Sequence[Run], book: CaseBook, options: ImportOptions) -> TaskSet:
    """Make a task of each problem.

    Args:
        lengths: Checkpoints by problem.
        runs: The runs, the first of which tells what problems are like.
        book: The cases of their checkpoints.
        options: Id of the track, which the task set is called after.
    """
    return TaskSet(options.track, tuple(_task(problem, lengths[problem], runs, book) for problem in sorted(lengths)))


def _task(problem: str, length: int, runs: Sequence[Run], book: CaseBook) -> Task:
    rounds = tuple(
        TaskRound(number, labels=(phase(number, length),), cases=book.lists.get((problem, number)))
        for number in range(1, length + 1)
    )
    labels = next((run.labels[problem] for run in runs if run.labels.get(problem)), {})
    digests = {_digest(run, problem) for run in runs} - {None}
    return Task(problem, rounds, labels=dict(labels), digest=digests.pop() if len(digests) == 1 else None)


def _digest(run: Run, problem: str) -> str | None:
    """Name the state of a problem that a run had: the catalogue's commit, and the problem's own version."""
    catalogue, version = run.settings.catalogue, run.versions.get(problem)
    return f"{catalogue.version}@{catalogue.commit}#{version}" if catalogue.commit and version else None


def phase(number: int, length: int) -> str:
    """Tell in which phase of its problem a checkpoint lies.

    The checkpoints between the first and the last are shared out over three phases, the earlier ones first.

    Args:
        number: The checkpoint, from 1.
        length: Checkpoints of the problem, whether or not a run got to them.

    Source:
        SlopCodeBench, arXiv:2603.24755v1: progress phases.
    """
    if number == 1:
        return "start"
    if number == length:
        return "final"
    share, rest = divmod(length - 2, 3)
    early, middle = share + (rest > 0), share + (rest > 1)
    inner = number - 1
    if inner <= early:
        return "early"
    return "mid" if inner <= early + middle else "late"


def _values(tasks: TaskSet, axis: str) -> tuple[str, ...]:
    """Give the values on an axis in the order of their first appearance."""
    return tuple(dict.fromkeys(task.labels[axis] for task in tasks.tasks if axis in task.labels))
