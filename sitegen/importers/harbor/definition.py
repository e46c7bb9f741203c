"""What Harbor's folders say of the benchmark itself."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sitegen.importers.harbor.boards import Board
from sitegen.importers.harbor.report import Report, Spot
from sitegen.importers.harbor.rules import DIGEST_DIFFERS, TASKS_MIXED
from sitegen.importers.harbor.runs import Run
from sitegen.importers.harbor.suites import Suites
from sitegen.importers.harbor.task_file import AXES
from sitegen.importers.harbor.tasks import TaskDefinition
from sitegen.importers.options import ImportOptions
from sitegen.importers.redaction import one_line
from sitegen.importers.roster import Roster
from sitegen.metrics.catalogue import columns_of
from sitegen.metrics.failstop import COMP, GAP, MT_AT_K, SR
from sitegen.models.benchmark import Axis, Benchmark, Protocol, Track
from sitegen.models.task import Task, TaskSet

_OFFICIAL = "official"
_TITLES = {"evocode-bench": "EvoCode-Bench", "roadmapbench": "RoadmapBench", "slop-code-bench": "SlopCodeBench"}

_SUMMARIES: dict[Protocol, str] = {
    "chain": "Harbor's multi-step format: every round is run and scored.",
    "fail-stop": "Harbor's multi-step format: a run ends with the first round that it does not pass.",
    "once": "Harbor's single-step format: all targets are graded at the end.",
}
_BESIDE_REFERENCE = "Harbor's multi-step format: every round is also run once from the reference solution's state."

_WITH_REFERENCE = tuple(metric.id for metric in (SR, MT_AT_K, GAP, COMP))


def protocol_of(tasks: Sequence[TaskDefinition], report: Report) -> Protocol:
    """Say how the rounds of the tasks follow each other.

    Args:
        tasks: The tasks of a track.
        report: Takes that they are not of one kind.
    """
    kinds = {task.is_chain: task for task in tasks}
    if len(kinds) > 1:
        what = f"{kinds[True].task.id} is a chain of rounds, {kinds[False].task.id} is graded once"
        report.problems.append(TASKS_MIXED.broken(kinds[False].path, None, what))
    stopping = {task.stops for task in tasks if len(task.steps) > 1}
    if True not in kinds:
        return "once"
    return "fail-stop" if stopping == {True} else "chain"


def _columns(board: Board, protocol: Protocol) -> tuple[str, ...]:
    if board.kind == "own":
        return columns_of(protocol, reference=False)
    # Without runs from a task's beginning there is nothing to set the rounds from the reference state against.
    return _WITH_REFERENCE if any(play.own for play in board.plays) else _WITH_REFERENCE[:1]


def track_of(board: Board, protocol: Protocol, task_set: TaskSet) -> Track:
    """Describe a track.

    Args:
        board: What goes there. Beside rounds from the reference state nothing counts after a failure.
        protocol: How rounds follow each other.
        task_set: Its tasks.
    """
    with_reference = board.kind == "reference"
    columns = _columns(board, protocol)
    return Track(
        id=board.track,
        title="Official multi-step" if board.track == _OFFICIAL else _title(board.track),
        summary=_BESIDE_REFERENCE if with_reference else _SUMMARIES[protocol],
        protocol="fail-stop" if with_reference else protocol,
        attempts=max(play.attempts for play in board.plays),
        reference_rounds=with_reference,
        tasks=task_set.id,
        headline=columns[0],
        columns=columns,
        groupings=_groupings(task_set.tasks),
    )


def benchmark_of(tracks: Sequence[Track], tasks: Sequence[Task], roster: Roster, options: ImportOptions) -> Benchmark:
    """Describe the benchmark, as far as its runs and its tasks tell."""
    once = all(track.protocol == "once" for track in tracks)
    axes = {axis: _values(tasks, axis) for axis in AXES}
    return Benchmark(
        schema_version=1,
        id=options.benchmark,
        title=_TITLES.get(options.benchmark, _title(options.benchmark)),
        round_name="Target" if once else "Round",
        ordered=not once,
        axes={axis: Axis(title=_title(axis), values=values) for axis, values in axes.items() if values},
        tracks=tuple(tracks),
        aliases=roster.aliases,
    )


def _title(name: str) -> str:
    return name.replace("_", " ").replace("-", " ").capitalize()


def _groupings(tasks: Sequence[Task]) -> tuple[str, ...]:
    """Give the axes that sort tasks: one of a single value does not."""
    return tuple(axis for axis in AXES if len(_values(tasks, axis)) > 1)


def _values(tasks: Sequence[Task], axis: str) -> tuple[str, ...]:
    """Give the values on an axis in the order of their first appearance."""
    return tuple(dict.fromkeys(task.labels[axis] for task in tasks if axis in task.labels))


def task_set_of(
    name: str, tasks: Sequence[TaskDefinition], runs: Sequence[Run], suites: Suites, report: Report
) -> TaskSet:
    """Put the tasks together, with the cases that runs list and the checksums that they were run with.

    Args:
        name: The task set's id.
        tasks: The tasks, in their order.
        runs: The runs that count.
        suites: Cases of the rounds.
        report: Takes what the runs contradict each other in.
    """
    digests = _digests(runs)
    for task in tasks:
        if len(digests[task.task.id]) > 1:
            spot = Spot(None, task.task.id, task.task.id)
            report.doubt(DIGEST_DIFFERS, task.path, spot, ", ".join(sorted(digests[task.task.id])))
    alone = {task: next(iter(found)) for task, found in digests.items() if len(found) == 1}
    return TaskSet(name, tuple(replace(suites.task(each.task), digest=alone.get(each.task.id)) for each in tasks))


def _digests(runs: Sequence[Run]) -> Mapping[str, set[str]]:
    """Give the checksums that runs state of each task."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for run in runs:
        locked = run.trial.locked_task()
        if locked and locked.digest:
            found[run.task.task.id].add(one_line(locked.digest))
    return found
