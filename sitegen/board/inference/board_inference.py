"""Intervals of a board's scores, and the tests that show which rows are better than others."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from sitegen.board.entry import Entry
from sitegen.board.score import OnDemand, Score
from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.contributions import ClusterByTask, Clusters
from sitegen.metrics.intervals import FEWEST_CLUSTERS, Interval, binomial_interval
from sitegen.metrics.metric import Metric
from sitegen.metrics.paired import PairedDifference, compare_paired
from sitegen.metrics.rank_tests import (
    BetterRelation,
    RankSet,
    combine_relations,
    rank_sets,
    shown_better,
    shown_better_by_counts,
)
from sitegen.metrics.resampling import Resampling, Scores
from sitegen.problems import counted

PairOrder = Literal["ahead", "behind", "cannot tell"]
"""Whether the first of two rows is better, if the data shows it."""

BY_TASKS = "per-task differences"
BY_CLUSTERS = "per-cluster differences"
BY_COUNTS = "published counts of tasks"
"""The data that ranks are based on, as a phrase after "Ranks are based on"."""


@dataclass(frozen=True)  # no slots: intervals and tests are computed once, on demand
class BoardInference:
    """The uncertainty of a board's scores and order over other samples of tasks."""

    entries: Sequence[Entry]
    """Every row of the board; ranked rows come first, best first."""
    ranks_by_score: Mapping[str, int]
    """The rank by score alone of each ranked row, by the row's id."""
    headline: Metric
    tasks: Sequence[str]
    """Ids of the track's tasks."""
    attempts: int = 1
    """Attempts that the track asks for at each task."""
    metrics: Mapping[str, Metric] = field(default_factory=lambda: METRICS)
    """The benchmark's metrics, by id."""
    cluster_by_task: ClusterByTask = field(default_factory=dict)
    """The cluster of each task, by task id; empty if tasks are independent."""
    cluster_word: str = ""
    """The noun for a cluster, such as "repository"; empty if tasks are independent."""

    def interval(self, entry: Entry, metric: str) -> Interval | None:
        """Return the interval of a score; None if it has none.

        For a recomputed score it is computed from the tasks, for a reported score from its count.
        """
        score = entry.scores.get(metric)
        if score is None or score.value is None:
            return None
        if entry.submission_results is not None:
            if not self.has_tasks:
                return None
            return self.resampling.intervals(self.metrics[metric]).get(entry.id)
        return self.counted_interval(score)

    def counted_interval(self, score: Score) -> Interval | None:
        """Return the interval of a published score if it counts k of n tasks, else None."""
        # Rounds within a task, and tasks within a cluster, are not independent of each other: an
        # interval from their count would be far too narrow.
        if self.cluster_word or score.metric.counted_unit in {"rounds", "rounds of attempts"}:
            return None
        if score.counted is None:
            return None
        k, n = score.counted
        return binomial_interval(k, n).scaled(score.metric.full_value(n)).rounded()

    def possible_ranks(self, entry: Entry) -> str | None:
        """Return the possible ranks of a row, "1" or "3-11"; None if they are not tested."""
        ranks = self.ranks.get(entry.id)
        if not ranks:
            return None
        return "-".join(map(str, sorted({*ranks})))

    def pair_order(self, first: Entry, second: Entry) -> PairOrder:
        """Return which of two rows is shown to be better when all pairs are tested together."""
        first_line = self._lines.get(first.id)
        second_line = self._lines.get(second.id)
        if first_line is None or second_line is None:
            return "cannot tell"
        if self._better[first_line, second_line]:
            return "ahead"
        if self._better[second_line, first_line]:
            return "behind"
        return "cannot tell"

    @cached_property
    def ranks(self) -> Mapping[str, RankSet]:
        """The first and last possible rank of each row whose order is tested, by row id.

        A row comes after all rows shown to be better, and before all rows shown to be worse.
        """
        tested = {*self._drawn, *self._counted}
        ranks_by_row = zip(self._lines, rank_sets(self._better), strict=True)
        tested_ranks = {}
        for row_id, ranks in ranks_by_row:
            if row_id in tested:
                tested_ranks[row_id] = ranks
        return tested_ranks

    @cached_property
    def _better(self) -> BetterRelation:
        """Which ranked rows are shown to be better than which other ranked rows.

        Every statement about order follows from this relation. Rows with results and reported rows
        are never compared with each other.
        """
        comparisons: list[tuple[list[int], BetterRelation]] = []
        is_higher_better = self.headline.direction == "higher"
        if self._drawn:
            contributions = self.resampling.order_contributions(self.headline, list(self._drawn))
            if not is_higher_better:
                contributions = -contributions
            lines = [self._lines[row_id] for row_id in self._drawn]
            comparisons.append((lines, shown_better(contributions, self.resampling.units)))
        if self._counted:
            counts = list(self._counted.values())
            if not is_higher_better:
                counts = [(n - k, n) for k, n in counts]
            lines = [self._lines[row_id] for row_id in self._counted]
            comparisons.append((lines, shown_better_by_counts(counts)))
        return combine_relations(len(self._lines), comparisons)

    @property
    def grounds(self) -> str:
        """The data that ranks are based on, as part of a sentence; empty if no rank is tested."""
        if self._drawn:
            if self._clusters:
                return BY_CLUSTERS
            return BY_TASKS
        if self._counted:
            return BY_COUNTS
        return ""

    def paired(
        self, metric: Metric, first: Entry, other_rows: Sequence[Entry]
    ) -> list[PairedDifference]:
        """Compare a row with other rows by their differences on tasks; all rows need a score."""
        row_ids = [first.id, *(other_row.id for other_row in other_rows)]
        contributions = self.resampling.variance_contributions(metric, row_ids)
        highest = metric.highest
        if metric.is_count:
            highest = metric.full_value(len(self._counting))
        pairs = compare_paired(
            contributions[0], contributions[1:], highest, self.resampling.degrees
        )
        if not self.resampling.clusters:
            return pairs
        tasks_per_cluster = len(self._counting) / len(self.resampling.clusters)
        return [pair.counted_in(tasks_per_cluster) for pair in pairs]

    @cached_property
    def resampling(self) -> Resampling:
        """The rows that have results, on the tasks that count for at least one of them."""
        rows = []
        results_by_row = {}
        for entry in self.entries:
            if entry.submission_results:
                rows.append(entry)
                results_by_row[entry.id] = entry.submission_results

        def scores_of(metric: str) -> Scores:
            values = {}
            for entry in rows:
                value = entry.value(metric)
                if value is not None:
                    values[entry.id] = value
            return values

        return Resampling(
            results_by_row, OnDemand(self.metrics, scores_of), self._counting, self._clusters
        )

    @cached_property
    def _clusters(self) -> Clusters:
        """The clusters of the tasks that count.

        Empty if tasks are independent, or if a task has no cluster.
        """
        clusters: defaultdict[str, list[int]] = defaultdict(list)
        for index, task in enumerate(self._counting):
            if task in self.cluster_by_task:
                clusters[self.cluster_by_task[task]].append(index)
        clustered_tasks = sum(map(len, clusters.values()))
        if clustered_tasks < len(self._counting):
            return {}
        return dict(sorted(clusters.items()))

    @cached_property
    def has_tasks(self) -> bool:
        """Whether there are enough tasks, in enough clusters, for intervals and tests."""
        return self.has_several_tasks and not self.resampling.has_too_few_clusters

    @property
    def has_several_tasks(self) -> bool:
        """Whether at least two tasks count."""
        return len(self._counting) > 1

    @property
    def extent(self) -> str:
        """The tasks that count, with their clusters: "120 tasks in 8 repositories"."""
        tasks = counted(len(self._counting), "task")
        clusters = self.resampling.clusters
        if not clusters:
            return tasks
        return f"{tasks} in {counted(len(clusters), self.cluster_word)}"

    def untested_clause(self, metric: Metric) -> str:
        """Return a clause on why differences in a metric are not tested; empty if they are."""
        if self.untested or metric.is_tested:
            return self.untested
        return f"{metric.title} is a median over tasks, and two medians are not compared by a test"

    @property
    def untested_order(self) -> str:
        """The reason why the order of the rows is not tested, as a clause; otherwise empty."""
        return self.untested_clause(self.headline)

    @property
    def untested(self) -> str:
        """The reason why no score has an interval and no order is tested, as a clause; or empty."""
        if self.has_tasks:
            return ""
        if not self.has_several_tasks:
            return "a single task is too few for a test"
        tasks = counted(len(self._counting), "task")
        clusters = counted(len(self.resampling.clusters), self.cluster_word)
        return (
            f"the {tasks} form only {clusters}; intervals and tests need at least {FEWEST_CLUSTERS}"
        )

    @cached_property
    def _counting(self) -> list[str]:
        """Ids of the tasks that count for any row, in the track's order."""
        counting: set[str] = set()
        for entry in self.entries:
            counting.update(task_results.task.id for task_results in entry.task_results)
        return [task for task in self.tasks if task in counting]

    @property
    def _ranked(self) -> list[Entry]:
        return [entry for entry in self.entries if entry.id in self.ranks_by_score]

    @cached_property
    def _lines(self) -> Mapping[str, int]:
        """The line of each ranked row in `_better`, by row id."""
        return {entry.id: line for line, entry in enumerate(self._ranked)}

    @cached_property
    def _drawn(self) -> Mapping[str, Entry]:
        """The ranked rows that are tested by resampling their differences on the tasks."""
        if not self.has_tasks or not self.headline.is_tested:
            return {}
        return {entry.id: entry for entry in self._ranked if entry.submission_results}

    @cached_property
    def _counted(self) -> Mapping[str, tuple[int, int]]:
        """The counts of tasks that tables publish for ranked rows, by the row's id.

        Empty if rounds are counted, or if tasks form clusters: these counts are not independent.
        """
        counts = self.headline.counted_unit
        counts_tasks = counts == "tasks" or (counts == "attempts" and self.attempts == 1)
        if self.cluster_word or not counts_tasks:
            return {}
        printed = {}
        for entry in self._ranked:
            score = entry.scores[self.headline.id]
            if score.counted and not entry.submission_results:
                printed[entry.id] = score.counted
        return printed
