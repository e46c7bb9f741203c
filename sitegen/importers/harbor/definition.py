"""What Harbor's folders say of the benchmark itself: its tracks, its task set, and what it is called."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from sitegen.importers.harbor import rules
from sitegen.importers.harbor.bundles import Board
from sitegen.importers.harbor.rounds import CaseLists
from sitegen.importers.harbor.runs import Run
from sitegen.importers.harbor.tasks import AXES, TaskDefinition
from sitegen.importers.kit.agents import Roster
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report, Spot
from sitegen.models.benchmark import Axis, Benchmark, Protocol, Track
from sitegen.models.task import Task, TaskSet

_TITLES = {"evocode-bench": "EvoCode-Bench", "roadmapbench": "RoadmapBench", "slop-code-bench": "SlopCodeBench"}

_SUMMARIES: dict[Protocol, str] = {
    "chain": "Harbor's multi-step format: every round is run and scored.",
    "fail-stop": "Harbor's multi-step format: a run ends with the first round that it does not pass.",
    "once": "Harbor's single-step format: all targets are graded at the end.",
}
_BESIDE_REFERENCE = "Harbor's multi-step format: every round is also run once from the reference solution's state."

_COLUMNS: dict[Protocol, tuple[str, ...]] = {
    "chain": ("dataset_score", "case_score", "avg_rounds", "perfect_tasks"),
    "fail-stop": ("mt_at_k", "comp", "avg_turns", "output_tokens_k"),
    "once": ("resolved", "completion"),
}
_WITH_REFERENCE = ("sr", "mt_at_k", "gap", "comp")


def title_of(name: str) -> str:
    """Make a title of an id or a key."""
    return name.replace("_", " ").replace("-", " ").capitalize()


def protocol_of(tasks: Sequence[TaskDefinition], report: Report) -> Protocol:
    """How the rounds of a track's tasks follow each other; that they are not of one kind is reported."""
    kinds = {task.is_chain: task for task in tasks}
    if len(kinds) > 1:
        what = f"{kinds[True].task.id} is a chain of rounds, {kinds[False].task.id} is graded once"
        report.problems.append(rules.TASKS_MIXED.broken(kinds[False].path, None, what))
    if True not in kinds:
        return "once"
    return "fail-stop" if {task.stops for task in tasks if len(task.steps) > 1} == {True} else "chain"


def track_of(board: Board, protocol: Protocol, task_set: TaskSet) -> Track:
    """Describe a track. Beside rounds from the reference state nothing counts after a failure."""
    columns = _COLUMNS[protocol]
    if board.with_reference:
        # Without runs from a task's beginning there is nothing to set the rounds from the reference state against.
        columns = _WITH_REFERENCE if any(agent.own for agent in board.agents) else _WITH_REFERENCE[:1]
    return Track(
        id=board.track,
        title="Official multi-step" if board.track == "official" else title_of(board.track),
        summary=_BESIDE_REFERENCE if board.with_reference else _SUMMARIES[protocol],
        protocol="fail-stop" if board.with_reference else protocol,
        attempts=max(agent.attempts for agent in board.agents),
        reference_rounds=board.with_reference,
        tasks=task_set.id,
        headline=columns[0],
        columns=columns,
        groupings=tuple(axis for axis in AXES if len(_values(task_set.tasks, axis)) > 1),
    )


def benchmark_of(tracks: Sequence[Track], tasks: Sequence[Task], roster: Roster, options: ImportOptions) -> Benchmark:
    """Describe the benchmark, as far as its runs and its tasks tell."""
    once = all(track.protocol == "once" for track in tracks)
    axes = {axis: _values(tasks, axis) for axis in AXES}
    return Benchmark(
        schema_version=1,
        id=options.benchmark,
        title=_TITLES.get(options.benchmark, title_of(options.benchmark)),
        round_name="Target" if once else "Round",
        ordered=not once,
        axes={axis: Axis(title=title_of(axis), values=values) for axis, values in axes.items() if values},
        tracks=tuple(tracks),
        aliases=roster.aliases,
    )


def _values(tasks: Sequence[Task], axis: str) -> tuple[str, ...]:
    """The values on an axis in the order of their first appearance."""
    return tuple(dict.fromkeys(task.labels[axis] for task in tasks if axis in task.labels))


def task_set_of(
    name: str, tasks: Sequence[TaskDefinition], runs: Sequence[Run], cases: CaseLists, report: Report
) -> TaskSet:
    """Put the tasks together, with the cases that runs list and the checksums that they were run with."""
    digests: defaultdict[str, set[str]] = defaultdict(set)
    for run in runs:
        locked = run.trial.locked_task()
        if locked and locked.digest:
            digests[run.task.task.id].add(one_line(locked.digest))
    found = []
    for task in tasks:
        told = sorted(digests[task.task.id])
        if len(told) > 1:
            report.doubt(rules.DIGEST_DIFFERS, task.path, Spot(None, task.task.id, task.task.id), ", ".join(told))
        found.append(replace(cases.task(task.task), digest=told[0] if len(told) == 1 else None))
    return TaskSet(name, tuple(found))
