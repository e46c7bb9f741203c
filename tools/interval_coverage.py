"""Measures how often the site's statements about certainty are true, on simulated boards with known true scores.

Usage: python tools/interval_coverage.py [--boards N]

The statements come from the functions that the site uses. Ranks of boards like EvoCode-Bench's come first, followed by
the trials of every kind of interval and test, in one table each. The exit code is 1 if a bound is broken by more than
two standard errors of the simulation, or if a time limit is exceeded.
"""

import argparse
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from multiprocessing import get_context

import numpy as np
from interval_trials import TRIALS, Measurement
from known_boards import (
    CLOSE,
    EQUAL,
    FLOOR,
    LIKE_REAL,
    NEAR,
    OWN_SPREAD,
    PAIRS,
    REAL,
    SCALE,
    UNLIKE,
    Agents,
    Kind,
    Numbers,
    simulated,
)
from numpy.typing import NDArray
from stopwatch import seconds

from sitegen.metrics.contributions import TaskFractions
from sitegen.metrics.intervals import Weights, bounded_intervals, draw_weights
from sitegen.metrics.paired import compare_paired
from sitegen.metrics.rank_tests import BetterRelation, rank_sets, shown_better

BOARDS = 600
"""Number of boards of each kind; kinds with many rows get fewer boards."""
SEED = 17
DRAWN = 8
"""Number of sets of weights that intervals use in turn."""

WIDTHS = {10: 11.7, 25: 10.6, 115: 7.9}
"""Mean widths of rank sets on boards like the real one, by number of tasks, from the time the method was chosen."""
MARGIN = 10.0
"""Margin in points within which two agents count as the same; at most half of the score."""

FIELDS = ("apart", "ranks", "width", "intervals", "lower", "paired", "equivalent")
"""The fields measured on each board: whether any two rows differ clearly, then shares and a mean."""


@dataclass(frozen=True)
class Setting:
    """A kind of board.

    Attributes:
        kind: The kind of its agents.
        tasks: The number of tasks.
        rows: The number of agents.
    """

    kind: Kind
    tasks: int
    rows: int

    @property
    def is_equal(self) -> bool:
        """Whether all agents have the same expected score."""
        return self.kind in {EQUAL, UNLIKE}

    @property
    def is_pair(self) -> bool:
        """Whether the board has two agents with different scores."""
        return self.kind in PAIRS

    @property
    def words(self) -> str:
        """A description of the board, for messages."""
        return f"{self.kind.name}, {self.tasks} tasks, {self.rows} rows"

    def boards(self, board_count: int) -> int:
        """Return the number of boards to simulate: fewer if boards have many rows, more if they have two."""
        return max(2, round(board_count * (2.5 if self.is_pair else 13 / max(13, self.rows))))


SETTINGS = (
    *(Setting(EQUAL, tasks, rows) for rows in (5, 13, 50) for tasks in (10, 25, 115)),
    *(
        Setting(kind, tasks, len(REAL))
        for kind in (UNLIKE, NEAR, LIKE_REAL, FLOOR)
        for tasks in (10, 25, 115)
    ),
    Setting(FLOOR, 25, 50),
    *(Setting(kind, 25, 2) for kind in PAIRS),
)


def looked_at(setting_index: int, number: int) -> list[float]:
    """Simulate a board, and compare what the site would say about it with the truth.

    Args:
        setting_index: The index of the setting.
        number: The number of the board among the boards of the setting.

    Returns:
        A number for each of `FIELDS`; NaN if a field does not apply to the board.
    """
    setting = SETTINGS[setting_index]
    agents = setting.kind.agents(setting.rows, number)
    scores = simulated(agents, setting.tasks, np.random.default_rng([SEED, setting_index, number]))
    names = [f"task {task} of board {number}" for task in range(setting.tasks)]
    better = shown_better(scores, names)
    held, width = ranks_held(better, agents.scores)
    inside = intervals_held(scores, number, agents.scores)
    lower = np.nan if setting.is_equal else inside[setting.rows // 2 :].mean()
    paired = told_apart(scores) if setting.is_equal or setting.is_pair else np.nan
    equivalent_share = np.nan if setting.is_equal or setting.is_pair else equivalent(scores)
    return [float(better.any()), held, width, inside.mean(), lower, paired, equivalent_share]


def ranks_held(better: BetterRelation, truth: Numbers) -> tuple[float, float]:
    """Return the share of rows whose rank set contains all ranks that the true scores allow, and the mean width."""
    sets = np.array(rank_sets(better))
    above = (truth > truth[:, np.newaxis] + CLOSE).sum(axis=1)
    below = (truth < truth[:, np.newaxis] - CLOSE).sum(axis=1)
    held = (sets[:, 0] <= 1 + above) & (sets[:, 1] >= len(truth) - below)
    return float(held.mean()), float((sets[:, 1] - sets[:, 0] + 1).mean())


def intervals_held(scores: Numbers, number: int, truth: Numbers) -> NDArray[np.bool_]:
    """Return for each row whether its interval contains the true score."""
    weights = weights_of(scores.shape[1], number % DRAWN)
    intervals = bounded_intervals(TaskFractions(scores, np.ones_like(scores)), weights, SCALE)
    return np.array(
        [
            interval.low <= true <= interval.high
            for interval, true in zip(intervals, truth.tolist(), strict=True)
        ]
    )


@lru_cache(maxsize=DRAWN)
def weights_of(tasks: int, number: int) -> Weights:
    """Return cached weights for a number of tasks; drawing them takes longer than everything else."""
    return draw_weights([f"task {task} of {number}" for task in range(tasks)])


def told_apart(scores: Numbers) -> float:
    """Return the share of pairs that the paired test separates; each row is in at most one pair."""
    pairs = zip(scores[::2], scores[1::2], strict=False)
    return float(
        np.mean(
            [
                compare_paired(first, second[np.newaxis], SCALE)[0].is_shown
                for first, second in pairs
            ]
        )
    )


def equivalent(scores: Numbers) -> float:
    """Return the share of pairs of rows shown to be equivalent; pairs are tested in both orders."""
    verdicts = []
    for row, first in enumerate(scores):
        margin = min(MARGIN, float(first.mean()) / 2)
        comparisons = compare_paired(first, np.delete(scores, row, axis=0), SCALE)
        verdicts += [comparison.margin <= margin + CLOSE for comparison in comparisons]
    return float(np.mean(verdicts))


@dataclass(frozen=True)
class Result:
    """The outcome for boards of one kind.

    Attributes:
        setting: The kind of board.
        boards: The number of boards.
        found: The measured fields of each board, shape (boards, fields).
        seconds: The duration of the simulation.
    """

    setting: Setting
    boards: int
    found: Numbers
    seconds: float

    def mean(self, field: str) -> float:
        """Return the mean of a field over the boards; NaN if the field does not apply."""
        return float(self.found[:, FIELDS.index(field)].mean())

    def error(self, field: str) -> float:
        """Return the standard error of the mean; rows of one board are dependent, but boards are independent."""
        return float(self.found[:, FIELDS.index(field)].std(ddof=1) / np.sqrt(len(self.found)))


@dataclass(frozen=True)
class Bound:
    """A bound that boards must meet.

    Attributes:
        field: The field that is bounded.
        limit: Returns the bound for a kind of board; None if there is no bound.
        is_least: Whether the bound is a minimum rather than a maximum.
    """

    field: str
    limit: Callable[[Setting], float | None]
    is_least: bool = False

    def broken(self, result: Result) -> str | None:
        """Return a message if the bound is broken by more than two standard errors; None otherwise."""
        limit, mean = self.limit(result.setting), result.mean(self.field)
        if limit is None or np.isnan(mean):
            return None
        beyond = limit - mean if self.is_least else mean - limit
        if beyond <= 2 * result.error(self.field) + CLOSE:
            return None
        asked = "at least" if self.is_least else "at most"
        return f"{result.setting.words}: {self.field} is {mean:.4g}, not {asked} {limit:.4g}"


def among_equals(setting: Setting) -> float | None:
    """Return the maximum share of boards on which equal rows may be separated; None for other boards."""
    return 0.06 if setting.is_equal else None


BOUNDS = (
    Bound("apart", among_equals),
    Bound("paired", among_equals),
    Bound("ranks", lambda _: 0.945, is_least=True),
    Bound("intervals", lambda _: 0.94, is_least=True),
    Bound("lower", lambda _: 0.93, is_least=True),
    Bound(
        "width", lambda setting: 1.15 * WIDTHS[setting.tasks] if setting.kind is LIKE_REAL else None
    ),
)

HEADS = (
    "agents",
    "tasks",
    "rows",
    "boards",
    "boards that tell any two apart, %",
    "rank sets that hold, %",
    "mean width",
    "intervals that hold, %",
    "in the lower half, %",
    "pairs told apart alone, %",
    "equivalent pairs, %",
    "seconds",
)


def cells(result: Result) -> Iterator[str]:
    """Yield the cells of a table row: percentages with standard errors, and the width in ranks."""
    yield from (
        result.setting.kind.name,
        str(result.setting.tasks),
        str(result.setting.rows),
        str(result.boards),
    )
    for field in FIELDS:
        mean, error = result.mean(field), result.error(field)
        shown = f"{mean:.1f}" if field == "width" else f"{100 * mean:.1f} ± {100 * error:.1f}"
        yield "–" if np.isnan(mean) else shown
    yield f"{result.seconds:.0f}"


def measured(boards: int, pool: ProcessPoolExecutor) -> Iterator[Result]:
    """Simulate all kinds of boards on all processors, and yield the results."""
    for setting_index, setting in enumerate(SETTINGS):
        began = time.perf_counter()
        count = setting.boards(boards)
        board_rows = pool.map(
            partial(looked_at, setting_index), range(count), chunksize=1 + count // 16
        )
        yield Result(setting, count, np.array(list(board_rows)), time.perf_counter() - began)


PARTS = 4
"""Number of parts into which a trial is divided, so that all processors have work."""


def part_of_trial(trial_index: int, part_index: int, boards: int) -> list[Measurement]:
    """Run a part of a trial.

    Args:
        trial_index: The index of the trial.
        part_index: The index of the part.
        boards: The number of boards in the part.
    """
    return TRIALS[trial_index].run(
        boards, np.random.default_rng([SEED, 1, trial_index, part_index])
    )


def run_trials(boards: int, pool: ProcessPoolExecutor) -> list[Measurement]:
    """Run all trials, and return their measurements with the parts of each trial joined."""
    waiting = []
    for trial_index, trial in enumerate(TRIALS):
        in_all = max(round(trial.share * boards), 2)
        part_count = min(PARTS, max(in_all // 8, 1))
        size = max(in_all // part_count, 2)
        waiting += [
            pool.submit(part_of_trial, trial_index, part_index, size)
            for part_index in range(part_count)
        ]
    by_cell: defaultdict[tuple[str, str, str], list[Measurement]] = defaultdict(list)
    for future in waiting:
        for measurement in future.result():
            by_cell[measurement.table, measurement.row, measurement.column].append(measurement)
    joined = []
    for measurements in by_cell.values():
        values = np.concatenate([measurement.values for measurement in measurements])
        joined.append(replace(measurements[0], values=values))
    return joined


def table_lines(title: str, measurements: Sequence[Measurement]) -> Iterator[str]:
    """Yield a table of means with standard errors, as percentages or widths; `!` marks broken bounds."""
    columns = list(dict.fromkeys(measurement.column for measurement in measurements))
    rows: defaultdict[str, dict[str, Measurement]] = defaultdict(dict)
    for measurement in measurements:
        rows[measurement.row][measurement.column] = measurement
    yield f"\n### {title}\n"
    yield f"| | {' | '.join(columns)} |"
    yield f"|{' --- |' * (len(columns) + 1)}"
    for row, cells_of_row in rows.items():
        texts = [cell_text(cells_of_row.get(column)) for column in columns]
        yield f"| {row} | {' | '.join(texts)} |"


def cell_text(measurement: Measurement | None) -> str:
    """Return a cell of a table, in brackets if it has no bound."""
    if measurement is None or np.isnan(measurement.mean):
        return "–"
    if measurement.is_ratio:
        text = f"{measurement.mean:.2f}"
    else:
        text = f"{100 * measurement.mean:.1f} ± {100 * measurement.error:.1f}"
    if measurement.limit is None:
        return f"({text})"
    return f"{text} !" if measurement.fault else text


def print_trials(measurements: Iterable[Measurement]) -> list[str]:
    """Print a table for each kind of interval and test, and return the faults."""
    by_table: defaultdict[str, list[Measurement]] = defaultdict(list)
    for measurement in measurements:
        by_table[measurement.table].append(measurement)
    faults = []
    for title, of_table in by_table.items():
        print("\n".join(table_lines(title, of_table)), flush=True)
        faults += [measurement.fault for measurement in of_table if measurement.fault]
    return faults


SPEEDS = ((100, 500, 0.6), (1000, 500, 10.0))
"""Rows, tasks, and the maximum time for their ranks in seconds."""


def speed(rows: int, tasks: int) -> float:
    """Return the time that the ranks of a large board take; the first run loads the libraries."""
    agents = Agents(np.linspace(60.0, 5.0, rows), np.full(rows, OWN_SPREAD))
    scores, names = (
        simulated(agents, tasks, np.random.default_rng(SEED)),
        [f"task {task}" for task in range(tasks)],
    )
    shown_better(scores[:5], names)
    return seconds(lambda: rank_sets(shown_better(scores, names)))


def main() -> int:
    """Print the tables, and report broken bounds."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--boards",
        type=int,
        default=BOARDS,
        help=f"boards of each kind with 13 rows (usual: {BOARDS})",
    )
    boards = parser.parse_args().boards
    faults: list[str] = []
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # products are small: each process is quicker with one
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        print(f"| {' | '.join(HEADS)} |\n|{' --- |' * len(HEADS)}")
        for result in measured(boards, pool):
            print(f"| {' | '.join(cells(result))} |", flush=True)
            faults += [fault for bound in BOUNDS if (fault := bound.broken(result))]
        faults += print_trials(run_trials(boards, pool))
    print()
    for rows, tasks, limit in SPEEDS:
        took = speed(rows, tasks)
        print(f"Ranks of {rows:,} rows × {tasks} tasks: {took:.2f} s, at most {limit} s")
        faults += [f"{took:.2f} s for {rows} rows"] if took > limit else []
    print("\n".join(f"broken: {fault}" for fault in faults) or "Every bound holds.")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
