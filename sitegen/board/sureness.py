"""How sure a board is beyond its ranks: what it hangs on, what it can show, and how work holds from round to round."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.second_runs import SecondRuns, second_runs
from sitegen.metrics import sureness
from sitegen.metrics.generalizability import Generalizability, TaskScores, averages_attempts, study
from sitegen.metrics.grids import RewardGrid
from sitegen.metrics.resampling import attempt_scores
from sitegen.metrics.uncertainty import ROUNDING, Contributions, Interval, TaskParts, contributions
from sitegen.models.task import Task

_FEWEST_ROWS = sureness.FEWEST
"""Rows from which a correlation over rows has an interval."""


@dataclass(frozen=True, slots=True)
class TaskFacts:
    """A task as the order of a board hangs on it."""

    task: Task
    without: sureness.WithoutTask
    item_rest: float | None
    """Correlation with the score over the other tasks; None where it says nothing."""
    item_rest_interval: Interval | None
    """Of the correlation; None where agents are too few for one."""
    spread: str
    """`all` where every row has the whole score, `none` where nobody has any, else empty."""


@dataclass(frozen=True, slots=True)
class Keeping:
    """How work holds: how often a round passes right after one that passed, and after one that failed."""

    entry: Entry | None
    """None for all rows together."""
    kept: sureness.Rate | None
    recovered: sureness.Rate | None


@dataclass(frozen=True, slots=True)
class Attempts:
    """A row that made every attempt of several."""

    entry: Entry
    shares: Sequence[tuple[float, float]]
    """Of rounds that some, and each, of 1, 2, … attempts pass."""


@dataclass(frozen=True, slots=True)
class Study:
    """A study of tasks × attempts, and where its second attempts are."""

    found: Generalizability
    runs: SecondRuns | None
    """The runs on another track; None where the attempts are those of the board's own track."""


@dataclass(frozen=True)  # no slots: what is asked for is computed once and stays
class Sureness:
    """A board with at least two rows that have results and a rank."""

    board: Board

    @cached_property
    def rows(self) -> Sequence[Entry]:
        """The ranked rows with results, best first."""
        return [entry for entry in self.board.placed if entry.sheet]

    @property
    def is_told(self) -> bool:
        """Whether there is anything to tell."""
        return len(self.rows) > 1 and self.board.certainty.has_several_tasks

    @cached_property
    def tasks(self) -> Sequence[TaskFacts]:
        """Every task that counts, by how far it moves a score."""
        board = self.board
        known = {task.id: task for task in board.tasks.tasks}
        without = sureness.without_each_task(
            self._parts, upwards=board.headline.direction == "higher"
        )
        several = len(self.rows) >= _FEWEST_ROWS
        items = sureness.item_rest_correlations(self._made) if several else [None] * len(without)
        highest, names = board.headline.highest, board.certainty.resampling.tasks
        shares = sureness.task_scores(self._parts) if highest else [[]] * len(names)
        facts = []
        for name, moved, item, scores in zip(names, without, items, shares, strict=True):
            spread = ""
            if scores:
                is_whole = min(scores) >= (highest or 0.0) - ROUNDING
                spread = "none" if max(scores) <= ROUNDING else "all" if is_whole else ""
            interval = None if item is None else sureness.correlation_interval(item, len(self.rows))
            facts.append(TaskFacts(known[name], moved, item, interval, spread))
        return sorted(facts, key=lambda each: (-each.without.moved, -abs(each.without.by)))

    @cached_property
    def smallest(self) -> tuple[float, float, float] | None:
        """How large a difference must be to be detected: the smallest, the median and the largest over all pairs."""
        resampling, headline = self.board.certainty.resampling, self.board.headline
        if resampling.has_too_few_clusters:
            return None
        scored = list(resampling.scores[headline.id])
        places = [scored.index(entry.id) for entry in self.rows]
        values = resampling.unit_values(headline)[places]
        return sureness.smallest_differences(values, resampling.degrees)

    @cached_property
    def keeping(self) -> Sequence[Keeping]:
        """How work holds, of all rows together and of each."""
        if not self.board.benchmark.ordered or self.board.track.protocol == "once":
            return []
        return [
            self._keeping(None, self.rows),
            *(self._keeping(entry, [entry]) for entry in self.rows),
        ]

    @cached_property
    def breakdowns(self) -> Sequence[tuple[int, int, sureness.Rate]]:
        """By round: how many tasks get there, and how many attempts fail that passed all before, over all rows."""
        if not self.keeping:
            return []
        longest = max(len(task.rounds) for task in self.board.tasks.tasks)
        rates = [
            (place, self._rate(self.rows, partial(sureness.breakdowns_at, index=place)))
            for place in range(longest)
        ]
        return [(place + 1, tasks, rate) for place, (tasks, rate) in rates if rate]

    @cached_property
    def attempts(self) -> Sequence[Attempts]:
        """The rows that made every attempt of several."""
        asked, keeps = self.board.track.attempts, self.board.track.protocol == "fail-stop"
        found = []
        for entry in self.rows:
            if entry.sheet and entry.sheet.made == asked > 1:
                grids = [sureness.kept(grid) if keeps else grid for grid in entry.sheet.attempted]
                if all(len(grid) == asked for grid in grids):
                    shares = [sureness.of_k_attempts(grids, k) for k in range(1, asked + 1)]
                    found.append(Attempts(entry, shares))
        return found

    @cached_property
    def study(self) -> Study | None:
        """Where the uncertainty of scores comes from; None where nobody tried tasks twice, or tasks are clustered."""
        board = self.board
        if not averages_attempts(board.headline) or board.certainty.resampling.clusters:
            return None
        sheets = [row.entry.sheet for row in self.attempts if row.entry.sheet]
        # A finding may exclude a task of one agent: its scores are over fewer tasks than those of the others.
        names = list(board.certainty.resampling.tasks)
        complete = [sheet for sheet in sheets if [grid.task.id for grid in sheet.tasks] == names]
        if complete:
            values = [attempt_scores(board.headline, sheet) for sheet in complete]
            found = study(TaskScores.from_attempts(values))
            return Study(found, None) if found else None
        runs = second_runs(board)
        if runs is None:
            return None
        found = study(TaskScores.from_two_runs(list(runs.scores.values()), runs.attempts))
        return Study(found, runs) if found else None

    def _keeping(self, entry: Entry | None, rows: Sequence[Entry]) -> Keeping:
        rates = [
            self._rate(rows, partial(sureness.turns_after, passed=passed))[1]
            for passed in (True, False)
        ]
        return Keeping(entry, *rates)

    def _rate(
        self, rows: Sequence[Entry], count: Callable[[RewardGrid], tuple[int, int]]
    ) -> tuple[int, sureness.Rate | None]:
        """Pool counts over rows and tasks; give how many tasks have any, and the rate."""
        found = {task: [0, 0] for task in self.board.certainty.resampling.tasks}
        for sheet in (entry.sheet for entry in rows if entry.sheet):
            for grid in sheet.tasks:
                k, n = count(grid.attempted)
                found[grid.task.id][0] += k
                found[grid.task.id][1] += n
        counts = {task: (k, n) for task, (k, n) in found.items()}
        rate = sureness.rate_of(counts, self.board.certainty.cluster_of)
        return sum(n > 0 for _, n in counts.values()), rate

    @cached_property
    def _parts(self) -> TaskParts:
        resampling, headline = self.board.certainty.resampling, self.board.headline
        scored = list(resampling.scores[headline.id])
        return resampling.parts(headline).of([scored.index(entry.id) for entry in self.rows])

    @property
    def _made(self) -> Contributions:
        return contributions(self._parts)
