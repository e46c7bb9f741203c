"""What a table tells of its benchmark: the tasks, and a track with the columns that its protocol can fill."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sitegen.importers.options import ImportOptions
from sitegen.importers.table import rules
from sitegen.importers.table.faults import Faults
from sitegen.importers.table.gathering import Grid, Group
from sitegen.importers.table.records import Row
from sitegen.metrics.catalogue import COLUMNS
from sitegen.models.benchmark import Benchmark, Track
from sitegen.models.task import Case, Task, TaskRound, TaskSet


def benchmark_of(grid: Grid, groups: Sequence[Group], options: ImportOptions) -> Benchmark:
    """Describe a benchmark of which nothing but its rounds is known.

    Args:
        grid: The rounds.
        groups: The agents.
        options: Ids of the benchmark and the track.
    """
    results = [row.result for group in groups for row in group.rows]
    offered = COLUMNS[grid.protocol]
    columns = tuple(metric.id for metric in offered if not metric.needs or any(map(metric.needs, results)))
    track = Track(
        id=options.track,
        title=_title(options.track),
        protocol=grid.protocol,
        attempts=max(group.attempts for group in groups),
        reference_rounds=grid.has_reference,
        tasks=options.track,
        headline=columns[0],
        columns=columns,
    )
    return Benchmark(
        schema_version=1,
        id=options.benchmark,
        title=_title(options.benchmark),
        round_name="Target" if grid.protocol == "once" else "Round",
        ordered=grid.protocol != "once",
        tracks=(track,),
        aliases=dict(options.aliases),
    )


def task_set_of(grid: Grid, groups: Sequence[Group], options: ImportOptions, faults: Faults) -> TaskSet:
    """Make the tasks: rounds 1 to n, with the weights and the cases that rows tell.

    Args:
        grid: The rounds.
        groups: The agents with their rows.
        options: Id of the track, which the task set is called after.
        faults: Takes what is wrong with the weights.
    """
    told = _Told(faults)
    for group in groups:
        for row in group.rows:
            told.learn(row)
    tasks = (
        Task(task, tuple(told.round(task, number) for number in range(1, length + 1)))
        for task, length in grid.lengths.items()
    )
    return TaskSet(options.track, tuple(tasks))


@dataclass(slots=True)
class _Told:
    """What rows tell of rounds as the benchmark defines them.

    Attributes:
        faults: Takes what is wrong with it.
        weights: Weight of each round that has one.
        cases: Names of each round's cases, as the first row has them.
    """

    faults: Faults
    weights: dict[tuple[str, int], float] = field(default_factory=dict)
    cases: dict[tuple[str, int], tuple[str, ...]] = field(default_factory=dict)

    def learn(self, row: Row) -> None:
        """Keep what a row tells of its round."""
        place, weight = (row.result.task, row.result.round), row.beside.weight
        if weight is not None and self.weights.setdefault(place, weight) != weight:
            what = f"round {place[1]} of {place[0]} weighs {weight:g} here, and {self.weights[place]:g} above"
            self.faults.add(rules.WEIGHT_DIFFERS, "", row.line, what)
        if row.result.case_ids:
            self.cases.setdefault(place, row.result.case_ids)

    def round(self, task: str, number: int) -> TaskRound:
        """Describe a round."""
        names = self.cases.get((task, number))
        weight = self.weights.get((task, number), 1.0)
        return TaskRound(number, weight=weight, cases=tuple(map(Case, names)) if names else None)


def _title(name: str) -> str:
    return name.replace("-", " ").replace("_", " ").capitalize()
