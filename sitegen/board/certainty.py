"""How sure a board is: intervals of its scores and places, and the groups that it can't tell apart."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sitegen.board.entry import Entry
from sitegen.metrics.metric import Metric
from sitegen.metrics.parts import parts_of
from sitegen.metrics.uncertainty import (
    Draws,
    Interval,
    TaskParts,
    Weights,
    draws,
    intervals,
    rank_intervals,
    task_weights,
    tie_groups,
)


@dataclass(frozen=True, slots=True)
class Certainty:
    """What another sample of tasks could change.

    Attributes:
        intervals: Of each column's score, by row and metric; none where a score can't be taken apart.
        ranks: First and last place that a row holds in 95 % of the draws.
        groups: First and last place of the rows that the data does not tell apart from the best of them.
    """

    intervals: Mapping[tuple[str, str], Interval] = field(default_factory=dict)
    ranks: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    groups: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def interval(self, entry: Entry, metric: str) -> Interval | None:
        """Give the 95 % interval of a score, in the metric's unit."""
        return self.intervals.get((entry.id, metric))

    def place(self, entry: Entry) -> str | None:
        """Give the places of a row's group: "1", "2-4"."""
        group = self.groups.get(entry.id)
        if group is None:
            return None
        first, last = group
        return str(first) if first == last else f"{first}-{last}"


def certainty_of(
    ranked: Sequence[Entry], others: Sequence[Entry], columns: Sequence[Metric], tasks: Sequence[str]
) -> Certainty:
    """Draw the tasks of a board again, for all rows alike.

    Args:
        ranked: The rows that have a place, best first.
        others: Rows that have results and no place.
        columns: The board's metrics, the headline first.
        tasks: Ids of the track's tasks.
    """
    headline = columns[0]
    rows = _Rows((*ranked, *others), tasks)
    measured = rows.measured(headline)
    if not measured.entries or not tasks:
        return Certainty()
    weights = task_weights(measured.parts(headline))
    found = dict(rows.intervals(columns, weights))
    placed = _Rows(ranked, tasks).measured(headline)
    if not ranked or len(placed.entries) < len(ranked):
        return Certainty(found)  # places among rows that were not drawn are not known
    drawn = placed.draws(headline, weights)
    upwards = drawn if headline.direction == "higher" else -drawn
    ids = [entry.id for entry in placed.entries]
    places, groups = rank_intervals(upwards), tie_groups(upwards)
    return Certainty(found, dict(zip(ids, places, strict=True)), dict(zip(ids, groups, strict=True)))


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows to be drawn together."""

    entries: Sequence[Entry]
    tasks: Sequence[str]

    def measured(self, metric: Metric) -> "_Rows":
        """Keep the rows whose results give a value; none where the metric can't be taken apart by tasks."""
        given = [entry for entry in self.entries if entry.sheet and entry.value(metric.id) is not None]
        return _Rows(given if metric.pooling else [], self.tasks)

    def parts(self, metric: Metric) -> TaskParts:
        """Take a metric of each row apart by tasks."""
        return parts_of(metric, [entry.sheet for entry in self.entries if entry.sheet], self.tasks)

    def draws(self, metric: Metric, weights: Weights) -> Draws:
        """Give a metric of each row in every draw."""
        return draws(self.parts(metric), weights)

    def intervals(self, columns: Sequence[Metric], weights: Weights) -> Iterator[tuple[tuple[str, str], Interval]]:
        """Give the intervals of every score that is a mean or a pooled share."""
        for metric in columns:
            rows = self.measured(metric)
            if rows.entries:
                for entry, interval in zip(rows.entries, intervals(rows.draws(metric, weights)), strict=True):
                    yield (entry.id, metric.id), interval
