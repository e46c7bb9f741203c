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
"""Whether the first of two rows is better, as far as the data shows."""

BY_TASKS = "per-task differences"
BY_CLUSTERS = "per-cluster differences"
BY_COUNTS = "published counts of tasks"
"""What ranks are based on, to follow "Ranks are based on"."""


@dataclass(frozen=True)  # no slots: intervals and tests are computed once, on demand
class BoardInference:
    """What another sample of tasks could change about a board's scores and order."""

    entries: Sequence[Entry]
    """Every row of the board; ranked rows come first, best first."""
    ranks_by_score: Mapping[str, int]
    """Rank of each ranked row by its score alone, by the row's id."""
    headline: Metric
    tasks: Sequence[str]
    """Ids of the track's tasks."""
    attempts: int = 1
    """Attempts at each task that the track asks for."""
    metrics: Mapping[str, Metric] = field(default_factory=lambda: METRICS)
    """The benchmark's metrics, by id."""
    cluster_by_task: ClusterByTask = field(default_factory=dict)
    """The cluster of each task, by its id; empty where tasks are independent."""
    cluster_word: str = ""
    """What a cluster is, such as a repository; empty where tasks are independent."""

    def interval(self, entry: Entry, metric: str) -> Interval | None:
        """Return the interval of a score; None where it has none.

        It follows from the tasks of a recomputed score, and from the count of a reported one.
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
        """Return the interval of a published score that counts k of n tasks; None for others."""
        # Rounds within a task, and tasks within a cluster, are not independent of each other:
        # an interval from their count would be far too narrow.
        if self.cluster_word or score.metric.counted_unit in {"rounds", "rounds of attempts"}:
            return None
        if score.counted is None:
            return None
        k, n = score.counted
        return binomial_interval(k, n).scaled(score.metric.full_value(n)).rounded()

    def possible_ranks(self, entry: Entry) -> str | None:
        """Return the ranks that a row may have, "1" or "3-11"; None where they are not tested."""
        ranks = self.ranks.get(entry.id)
        if not ranks:
            return None
        return "-".join(map(str, sorted({*ranks})))

    def pair_order(self, first: Entry, second: Entry) -> PairOrder:
        """Return which of two rows is shown to be better, over all pairs of the board at once."""
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
        """First and last possible rank of each row whose order is tested, by its id.

        A row comes after all rows shown to be better, and before all shown to be worse.
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
        """Which ranked rows are shown to be better than which others.

        Every sentence about order follows from this. Rows with results and reported rows are
        never compared with each other.
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
        """What the ranks are based on, as a part of a sentence; empty where no rank is tested."""
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
        """Compare a row with others by the differences at the tasks; all need a score."""
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
        """The rows that have results, on the tasks that count for any of them."""
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

        Empty where tasks are independent, or where a task has no cluster.
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
        """The tasks that count, with the clusters they lie in: "120 tasks in 8 repositories"."""
        tasks = counted(len(self._counting), "task")
        clusters = self.resampling.clusters
        if not clusters:
            return tasks
        return f"{tasks} in {counted(len(clusters), self.cluster_word)}"

    def untested_clause(self, metric: Metric) -> str:
        """Return why no two scores of a metric are compared by a test, as a clause; else empty."""
        if self.untested or metric.is_tested:
            return self.untested
        return f"{metric.title} is a median over tasks, and two medians are not compared by a test"

    @property
    def untested_order(self) -> str:
        """Why the order of the rows is not tested, as a clause; otherwise empty."""
        return self.untested_clause(self.headline)

    @property
    def untested(self) -> str:
        """Why no score has an interval and no order is tested, as a clause; otherwise empty."""
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
        """Line of each ranked row in `_better`, by its id."""
        return {entry.id: line for line, entry in enumerate(self._ranked)}

    @cached_property
    def _drawn(self) -> Mapping[str, Entry]:
        """The ranked rows with results for several tasks, whose differences are resampled."""
        if not self.has_tasks or not self.headline.is_tested:
            return {}
        return {entry.id: entry for entry in self._ranked if entry.submission_results}

    @cached_property
    def _counted(self) -> Mapping[str, tuple[int, int]]:
        """The counts of tasks that tables print of ranked rows, by the row's id.

        Empty where rounds are counted, or where tasks lie in clusters: these are not independent.
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
