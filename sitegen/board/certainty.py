"""How sure a board is: intervals of its scores, and which rows are shown to be better than which others."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from sitegen.board.entry import Entry
from sitegen.board.score import OnDemand
from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.metric import Metric
from sitegen.metrics.order import (
    Better,
    RankSet,
    rank_sets,
    shown_better,
    shown_better_by_counts,
    together,
)
from sitegen.metrics.paired import Paired, against
from sitegen.metrics.resampling import Resampling, Scores
from sitegen.metrics.uncertainty import FEWEST_CLUSTERS, Interval, binomial_interval
from sitegen.problems import counted

Standing = Literal["ahead", "behind", "cannot tell"]
"""Whether the first of two rows is better, as far as the data tells."""

BY_TASKS = "the differences at whole tasks"
BY_CLUSTERS = "the differences at whole clusters of tasks"
BY_COUNTS = "the printed counts of tasks"
"""What ranks rest on, to follow "Ranks rest on"."""


@dataclass(frozen=True)  # no slots: what is asked for is computed once and stays
class Certainty:
    """What another sample of tasks could change."""

    entries: Sequence[Entry]
    """Every row of the board; those that have a rank go first, best first."""
    given: Mapping[str, int]
    """Rank of each row that has one, by its id."""
    headline: Metric
    tasks: Sequence[str]
    """Ids of the track's tasks."""
    attempts: int = 1
    metrics: Mapping[str, Metric] = field(default_factory=lambda: METRICS)
    """The metrics that the board's benchmark knows."""
    cluster_of: Mapping[str, str] = field(default_factory=dict)
    """The cluster of each task, by its id, where tasks of a cluster depend on each other; else empty."""
    cluster_word: str = ""
    """What a cluster is, such as a repository; empty where the benchmark's tasks are independent."""

    def interval(self, entry: Entry, metric: str) -> Interval | None:
        """The interval of a score, from the tasks or from a printed count; None where nothing tells."""
        score = entry.scores.get(metric)
        if score is None or score.value is None:
            return None
        if entry.sheet is not None:
            return (
                self.resampling.intervals(self.metrics[metric]).get(entry.id)
                if self.has_tasks
                else None
            )
        if score.counted is None or score.metric.counts in {"rounds", "rounds of attempts"}:
            return None  # rounds of a task hang together: counted one by one they would seem far too sure
        if self.cluster_word:
            return (
                None  # so do tasks of a cluster, and a count does not say which cluster each is in
            )
        k, n = score.counted
        return binomial_interval(k, n).scaled(score.metric.full(n)).rounded()

    def place(self, entry: Entry) -> str | None:
        """The ranks that a row may have: "1", "3-11"; None where nothing tells."""
        found = self.ranks.get(entry.id)
        return "-".join(map(str, sorted({*found}))) if found else None

    def standing(self, first: Entry, second: Entry) -> Standing:
        """Say which of two rows is shown to be better, over all pairs of the board at once."""
        ours, theirs = self._lines.get(first.id), self._lines.get(second.id)
        if ours is None or theirs is None:
            return "cannot tell"
        return (
            "ahead"
            if self._better[ours, theirs]
            else "behind"
            if self._better[theirs, ours]
            else "cannot tell"
        )

    @cached_property
    def ranks(self) -> Mapping[str, RankSet]:
        """First and last rank of rows whose order is tested, by id: below all that are better, above all worse."""
        found = zip(self._lines, rank_sets(self._better), strict=True)
        return {
            name: ranks for name, ranks in found if name in self._counted or name in self._drawn
        }

    @cached_property
    def _better(self) -> Better:
        """Which ranked rows are shown to be better than which others: every sentence about order follows from it.

        Rows with results and rows that are only reported are never related to each other.
        """
        parts: list[tuple[list[int], Better]] = []
        sign = 1 if self.headline.direction == "higher" else -1
        if self._drawn:
            lines = {
                name: line for line, name in enumerate(self.resampling.scores[self.headline.id])
            }
            made = self.resampling.unit_contributions(self.headline)[
                [lines[name] for name in self._drawn]
            ]
            parts.append(
                (
                    [self._lines[name] for name in self._drawn],
                    shown_better(sign * made, self.resampling.units),
                )
            )
        if self._counted:
            counts = [(k if sign > 0 else n - k, n) for k, n in self._counted.values()]
            parts.append(
                ([self._lines[name] for name in self._counted], shown_better_by_counts(counts))
            )
        return together(len(self._lines), parts)

    @property
    def grounds(self) -> str:
        """What the ranks rest on, to follow "Ranks rest on"; empty where there are none."""
        if self._drawn:
            return BY_CLUSTERS if self._clusters else BY_TASKS
        return BY_COUNTS if self._counted else ""

    def paired(self, metric: Metric, first: Entry, others: Sequence[Entry]) -> list[Paired]:
        """Hold a row against others by the differences at the tasks. All of them have results and a score."""
        made = self.resampling.unit_values(metric)
        lines = {name: line for line, name in enumerate(self.resampling.scores[metric.id])}
        reach = metric.full(len(self._counting)) if metric.is_count else metric.highest
        other_lines = [lines[other.id] for other in others]
        pairs = against(made[lines[first.id]], made[other_lines], reach, self.resampling.degrees)
        if not self.resampling.clusters:
            return pairs
        tasks_per_cluster = len(self._counting) / len(self.resampling.clusters)
        return [pair.counted_in(tasks_per_cluster) for pair in pairs]

    @cached_property
    def resampling(self) -> Resampling:
        """The rows that have results, on the tasks that count for any of them."""
        sheets = {entry.id: entry.sheet for entry in self.entries if entry.sheet}
        rows = [entry for entry in self.entries if entry.id in sheets]

        def scores_of(metric: str) -> Scores:
            return {entry.id: value for entry in rows if (value := entry.value(metric)) is not None}

        return Resampling(sheets, OnDemand(self.metrics, scores_of), self._counting, self._clusters)

    @cached_property
    def _clusters(self) -> Mapping[str, Sequence[int]]:
        """Places of the tasks of each cluster among those that count; none where tasks are independent."""
        places: defaultdict[str, list[int]] = defaultdict(list)
        for place, task in enumerate(self._counting):
            if task in self.cluster_of:
                places[self.cluster_of[task]].append(place)
        is_complete = sum(map(len, places.values())) == len(self._counting)
        return dict(sorted(places.items())) if is_complete else {}

    @cached_property
    def has_tasks(self) -> bool:
        """Whether there are several tasks, in clusters enough: a single one says nothing of others."""
        return self.has_several_tasks and not self.resampling.has_too_few_clusters

    @property
    def has_several_tasks(self) -> bool:
        """Whether at least two tasks count."""
        return len(self._counting) > 1

    @property
    def extent(self) -> str:
        """The tasks that count, with the clusters they lie in: "120 tasks in 8 repositories"."""
        tasks = counted(len(self._counting), "task")
        clusters = self.resampling.clusters
        return f"{tasks} in {counted(len(clusters), self.cluster_word)}" if clusters else tasks

    @property
    def untested(self) -> str:
        """Why no score has an interval and no order is tested, as a clause; empty where the tasks suffice."""
        if self.has_tasks:
            return ""
        if not self.has_several_tasks:
            return "a single task says nothing of others"
        tasks = counted(len(self._counting), "task")
        clusters = counted(len(self.resampling.clusters), self.cluster_word)
        return f"the {tasks} lie in {clusters}, and intervals and tests take at least {FEWEST_CLUSTERS}"

    @cached_property
    def _counting(self) -> list[str]:
        counting = {
            grid.task.id for entry in self.entries if entry.sheet for grid in entry.sheet.tasks
        }
        return [task for task in self.tasks if task in counting]

    @property
    def _ranked(self) -> list[Entry]:
        return [entry for entry in self.entries if entry.id in self.given]

    @cached_property
    def _lines(self) -> Mapping[str, int]:
        """Place of each ranked row among them, by its id."""
        return {entry.id: line for line, entry in enumerate(self._ranked)}

    @cached_property
    def _drawn(self) -> Mapping[str, Entry]:
        """The ranked rows that have results for several tasks."""
        return {entry.id: entry for entry in self._ranked if entry.sheet} if self.has_tasks else {}

    @cached_property
    def _counted(self) -> Mapping[str, tuple[int, int]]:
        """Counts of tasks that tables print of ranked rows.

        None where rounds are counted, which hang together within tasks, or where tasks do within clusters.
        """
        counts = self.headline.counts
        if self.cluster_word or (counts != "tasks" and (counts != "attempts" or self.attempts > 1)):
            return {}
        scores = {
            entry.id: entry.scores[self.headline.id] for entry in self._ranked if not entry.sheet
        }
        return {name: score.counted for name, score in scores.items() if score.counted}
