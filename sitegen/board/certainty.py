"""How sure a board is: intervals of its scores and places, and the groups that it can't tell apart."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from sitegen.board.entry import Entry
from sitegen.board.on_demand import OnDemand
from sitegen.board.score import Score
from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.exact import binomial_interval
from sitegen.metrics.metric import Metric
from sitegen.metrics.places import Contender, Places, rank_intervals, tie_groups
from sitegen.metrics.resampling import Resampling, Scores
from sitegen.metrics.uncertainty import RESAMPLES, Draws, Interval, differences

Grounds = Literal["draws", "counts", "draws and counts"]
"""What a board's groups rest on: draws of the tasks, counts that a table printed, or some rows on either."""

_IN_WORDS: Mapping[Grounds, str] = {
    "draws": f"the tasks drawn again {RESAMPLES:,} times, rows compared draw by draw (95 %)",
    "counts": "exact 95 % binomial intervals of the printed counts, rows told apart where they do not overlap",
    "draws and counts": f"the tasks drawn again {RESAMPLES:,} times, rows with results compared draw by draw, and on "
    "exact binomial intervals of the printed counts, told apart where they do not overlap (95 %)",
}


@dataclass(frozen=True)  # no slots: what is asked for is computed once and stays
class Certainty:
    """What another sample of tasks could change.

    Attributes:
        entries: Every row of the board; those that have a rank go first, best first.
        given: Rank of each row that has one, by its id.
        headline: The metric that ranks.
        tasks: Ids of the track's tasks.
    """

    entries: Sequence[Entry]
    given: Mapping[str, int]
    headline: Metric
    tasks: Sequence[str]

    def interval(self, entry: Entry, metric: str) -> Interval | None:
        """Give the 95 % interval of a score, in the metric's unit; None where nothing tells how sure it is.

        It comes from draws of the tasks where there are results, else from the count that a table printed.
        """
        score = entry.scores.get(metric)
        if score is None or score.value is None:
            return None
        if entry.sheet is None:
            return counted_interval(score)
        return self.resampling.intervals(METRICS[metric])[entry.id] if self.can_be_drawn else None

    def place(self, entry: Entry) -> str | None:
        """Give the places of a row's group: "1", "2-4"."""
        group = self.groups.get(entry.id)
        if group is None:
            return None
        first, last = group
        return str(first) if first == last else f"{first}-{last}"

    @cached_property
    def ranks(self) -> Mapping[str, Places]:
        """First and last rank that a row may have, at 95 %, by its id; for rows that have an interval."""
        return self._where_known(rank_intervals(self._contenders)) if self.grounds else {}

    @cached_property
    def groups(self) -> Mapping[str, Places]:
        """First and last place of a row's group: rows that can't be told from the best of them.

        A row without an interval has no group. In the order it stands as if its score were sure, so that it takes a
        place in the groups of others.
        """
        ranks = [self.given[entry.id] for entry in self._ranked]
        return self._where_known(tie_groups(self._contenders, ranks)) if self.grounds else {}

    @cached_property
    def grounds(self) -> Grounds | None:
        """What the groups rest on; None where no row has an interval."""
        kinds = {each.interval.kind for each in self._contenders if each.interval}
        if not kinds:
            return None
        return "draws and counts" if len(kinds) > 1 else "draws" if "bootstrap" in kinds else "counts"

    @property
    def grounds_in_words(self) -> str:
        """What the groups rest on, to follow "The groups rest on"; empty where there are none."""
        return _IN_WORDS[self.grounds] if self.grounds else ""

    @cached_property
    def resampling(self) -> Resampling:
        """The rows that have results, on any draw of the tasks."""
        sheets = {entry.id: entry.sheet for entry in self.entries if entry.sheet}
        rows = [entry for entry in self.entries if entry.id in sheets]

        def scores_of(metric: str) -> Scores:
            return {entry.id: value for entry in rows if (value := entry.value(metric)) is not None}

        return Resampling(sheets, OnDemand(METRICS, scores_of), self.tasks)

    def contender(self, entry: Entry) -> Contender | None:
        """Give what is known of a row's headline score, the higher the better; None where it has none."""
        value = entry.value(self.headline.id)
        if value is None:
            return None
        interval = self.interval(entry, self.headline.id)
        line = self._lines.get(entry.id) if self.can_be_drawn else None
        return Contender(
            self._sign * value,
            interval.scaled(self._sign) if interval else None,
            None if line is None else self._upwards[line],
        )

    def leads(self, first: Entry, others: Sequence[Entry]) -> list[Interval]:
        """Give how far a row's headline score lies above each of others, draw by draw, in the metric's unit.

        Args:
            first: The row.
            others: Other rows. All of them have results and a headline score.
        """
        lines = [self._lines[entry.id] for entry in others]
        apart = differences(self._upwards[self._lines[first.id]], self._upwards[lines])
        return [interval.scaled(self._sign) for interval in apart]

    @property
    def can_be_drawn(self) -> bool:
        """Whether draws can differ: those of a single task are all alike, and say nothing of another one."""
        return len(self.tasks) > 1

    @property
    def _sign(self) -> int:
        return 1 if self.headline.direction == "higher" else -1

    @property
    def _ranked(self) -> list[Entry]:
        return [entry for entry in self.entries if entry.id in self.given]

    @cached_property
    def _contenders(self) -> list[Contender]:
        return [found for entry in self._ranked if (found := self.contender(entry))]

    def _where_known(self, places: Iterable[Places]) -> Mapping[str, Places]:
        rows = zip(self._ranked, self._contenders, places, strict=True)
        return {entry.id: place for entry, contender, place in rows if contender.interval}

    @cached_property
    def _upwards(self) -> Draws:
        """Draws of the headline score, the higher the better."""
        drawn = self.resampling.draws(self.headline, list(self._lines))
        return drawn if self.headline.direction == "higher" else -drawn

    @cached_property
    def _lines(self) -> Mapping[str, int]:
        """Line of each row in the draws of the headline score."""
        return {name: line for line, name in enumerate(self.resampling.scores[self.headline.id])}


def counted_interval(score: Score) -> Interval | None:
    """Give the exact binomial interval of a figure that counts k of n things."""
    if score.counted is None:
        return None
    k, n = score.counted
    return binomial_interval(k, n).scaled(n if score.metric.unit == "tasks" else 100).rounded()
