"""Analyses of what work takes and leaves: tokens, turns, scaffolds, and measurements by phase."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sitegen.board.answers.answer import number_text
from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.score import GAP
from sitegen.charts.analyses.points import (
    bar_of,
    grids_of,
    interval_text,
    is_ordered,
    length_of,
    standing,
    texts_of,
    worked_rounds,
)
from sitegen.charts.board_charts import FEWEST, MOST, share_text, share_texts, shares_of
from sitegen.charts.chart import AxisScale, Bar, Chart, ChartLabels, Curve, Curves, Ranking, Table
from sitegen.metrics.diagnostics.outline import FEWEST as FEWEST_TASKS
from sitegen.metrics.diagnostics.outline import PHASES, SHORTEST, phase_of
from sitegen.metrics.estimates import Estimate, mean_over, share_over, slope_of
from sitegen.metrics.intervals import ends_of
from sitegen.metrics.metric import Metric
from sitegen.metrics.paired import Paired
from sitegen.metrics.results import TaskResults, reached
from sitegen.models.outcome import RoundResult
from sitegen.problems import counted

_LARGE = 100
"""Means from which on whole numbers are shown."""

_SPENT = {"output_tokens": "output tokens", "turns": "turns", "cost_usd": "US dollars"}
"""What a round may take, by the field of its record."""

_ValuesByTask = dict[str, list[float]]


def tokens_chart(board: Board, _: ChartLabels) -> Chart | None:
    """Compare what failed and passed rounds of the same task took; None where it is not known.

    The first figure that enough tasks have is shown.
    """
    for field, title in _SPENT.items():
        spent = _spent_rounds(board, field)
        ratios = _ratios(board, spent)
        drawn = {number: each for number, each in ratios.items() if each.tasks >= FEWEST_TASKS}
        if drawn:
            return _spent_chart(board, title, spent, ratios, drawn)
    return None


_SpentRounds = Mapping[tuple[str, int], tuple[list[float], list[float]]]
"""What passed rounds and what failed rounds took, by task and number."""


def _spent_rounds(board: Board, field: str) -> _SpentRounds:
    """Return what rounds with a verdict took, by a field of their records."""
    spent: dict[tuple[str, int], tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    for _, grid in grids_of(board):
        for result in worked_rounds(grid):
            value = getattr(result, field)
            if value is not None and result.state in {"scored", "no_cases"}:
                spent[result.task, result.round][not result.solved].append(value)
    return spent


def _ratios(board: Board, spent: _SpentRounds) -> dict[int, Estimate]:
    """Return how many times as much failed rounds took as passed ones, by round number.

    A ratio is the mean over the tasks that have both.
    """
    ratios: dict[int, _ValuesByTask] = defaultdict(lambda: defaultdict(list))
    for (task, number), (passed, failed) in spent.items():
        if passed and failed and sum(passed):
            ratio = sum(failed) / len(failed) / (sum(passed) / len(passed))
            ratios[number][task].append(ratio)
    estimates = {}
    for number in sorted(ratios):
        estimate = mean_over(ratios[number], board.certainty.cluster_of)
        if estimate:
            estimates[number] = estimate
    return estimates


def _spent_chart(
    board: Board,
    title: str,
    spent: _SpentRounds,
    ratios: Mapping[int, Estimate],
    drawn: Mapping[int, Estimate],
) -> Chart:
    """Return the chart of what failed rounds took against passed ones.

    Args:
        board: The board.
        title: What was spent: "output tokens".
        spent: What rounds took.
        ratios: The ratio for each round number.
        drawn: The ratios over enough tasks.
    """
    round_word = board.benchmark.round_word.lower()
    is_short = board.tasks.is_of_one_round
    bars = []
    for number, ratio in drawn.items():
        name = "All tasks" if is_short else f"{round_word.capitalize()} {number}"
        bars.append(bar_of(name, ratio, 2))
    lines = []
    for number, ratio in ratios.items():
        rounds = [values for (_, round_number), values in spent.items() if round_number == number]
        passed = sum(len(passed_values) for passed_values, _ in rounds)
        failed = sum(len(failed_values) for _, failed_values in rounds)
        texts = [str(passed), str(failed), str(ratio.tasks), *texts_of(ratio, 2)]
        lines.append(("All tasks" if is_short else str(number), texts))
    heads = (
        round_word.capitalize(),
        "Passed",
        "Failed",
        "Tasks with both",
        "Ratio",
        "Approximate interval",
    )
    return Chart(
        id="spent",
        title=f"What failed {round_word}s take, against passed ones",
        sentence=_spent_sentence(board, title, drawn),
        panels=[Ranking(AxisScale(f"{title.capitalize()}, failed over passed"), bars)],
        table=Table(heads, lines),
    )


def _spent_sentence(board: Board, title: str, ratios: Mapping[int, Estimate]) -> str:
    """Return what the ratios of failed to passed rounds show.

    Args:
        board: The board.
        title: What was spent: "output tokens".
        ratios: The ratio for each round number; tasks of one round have the number 1 alone.
    """
    if board.tasks.is_of_one_round:
        ratio, interval = texts_of(ratios[1], 2)
        ends = f", with an approximate interval of {interval}" if ratios[1].interval else ""
        return (
            f"Failed tries at a task took {ratio} times the {title} of passed ones{ends}. "
            "The ratio is the mean of the failed tries over that of the passed ones, averaged over "
            "tasks."
        )
    round_word = board.benchmark.round_word.lower()
    intervals = [ratio.interval for ratio in ratios.values() if ratio.interval]
    above = sum(interval.low > 1 for interval in intervals)
    return (
        f"Failing is shown to take more {title} than passing at {above} of "
        f"{counted(len(ratios), round_word)} over at least {FEWEST_TASKS} tasks. The ratio is the "
        "mean of the agents that fail over that of the agents that pass, one a task, averaged over "
        "tasks."
    )


_LOOKS = {0: "first", 1: "second"}


def budget_chart(board: Board, labels: ChartLabels) -> Chart | None:
    """Show what each agent resolves within a number of turns; None where no turns are known."""
    if board.track.protocol != "once":
        return None
    shares_by_row = {}
    for entry in standing(board)[:MOST]:
        diagnostic = board.diagnosis.by_budget(entry.id)
        shares_by_row[entry.id] = shares_of(diagnostic, diagnostic.lines)
    # The last line has no limit, and so also runs whose turns are not known.
    budgets_by_row = [list(shares)[:-1] for shares in shares_by_row.values()]
    budgets = max(budgets_by_row, key=len, default=[])
    if len(budgets) < FEWEST:
        return None
    shown = {row: shares for row, shares in shares_by_row.items() if len(shares) > 1}
    curves = []
    for index, (row, shares) in enumerate(shown.items()):
        largest_budget = list(shares.values())[-2]
        values = [shares.get(budget, largest_budget) for budget in budgets]
        curves.append(Curve(labels.names[row], values, _LOOKS.get(index, "")))
    lines = [(curve.name, share_texts(curve.values)) for curve in curves]
    return Chart(
        id="budget",
        title="Resolved within a number of turns, by agent",
        sentence="A cut of finished runs, made afterwards: nobody ran with such a budget. "
        "Every point is over all runs of the agent; runs without a count of turns count as not "
        "resolved.",
        panels=[Curves("Resolved (%)", "Turns", budgets, curves)],
        table=Table(["Agent", *budgets], lines),
    )


class _ScaffoldPair(NamedTuple):
    """An agent in each of two scaffolds."""

    name: str
    first: Entry
    second: Entry
    difference: float
    """Of the headline scores, the first minus the second."""
    paired: Paired | None
    """The comparison by task; None without results by task."""


def scaffolds_chart(board: Board, labels: ChartLabels) -> Chart | None:
    """Compare each agent's rows by scaffold; None unless there are two scaffolds to compare.

    Rows with results are compared task by task.
    """
    rows_by_agent: dict[str, dict[str, list[Entry]]] = defaultdict(lambda: defaultdict(list))
    for entry in standing(board, reported=True):
        rows_by_agent[entry.agent.name][entry.agent.scaffold or GAP].append(entry)
    scaffolds: set[str] = set()
    for rows in rows_by_agent.values():
        if sum(map(len, rows.values())) > 1:
            scaffolds.update(rows)
    if len(scaffolds) != 2:  # noqa: PLR2004 - a difference is of two
        return None
    first, second = sorted(scaffolds)
    pairs = []
    for name, rows in rows_by_agent.items():
        has_one_row_each = all(len(entries) == 1 for entries in rows.values())
        if rows.keys() == scaffolds and has_one_row_each:
            pairs.append(_scaffold_pair(board, name, rows[first][0], rows[second][0]))
    metric = board.headline
    bars = [_difference_bar(pair, metric) for pair in pairs]
    lines = [(pair.name, _pair_texts(pair, metric)) for pair in pairs]
    differences = [round(pair.difference, 9) for pair in pairs]
    higher = sum(difference > 0 for difference in differences)
    lower = sum(difference < 0 for difference in differences)
    sentence = (
        f"{labels.title(metric)} in {first} against {second}: {higher} of "
        f"{counted(len(pairs), 'agent')} higher, {lower} lower. {_scaffolds_sure(board, pairs)}"
    )
    heads = ["Agent", first, second, "Difference", metric.interval_words.capitalize()]
    return Chart(
        id="scaffolds",
        title=f"The same agent in {first} and in {second}",
        sentence=sentence,
        panels=[Ranking(AxisScale(f"{first} less {second} ({labels.unit(metric)})"), bars)],
        table=Table(heads, lines),
    )


def _scaffold_pair(board: Board, name: str, first: Entry, second: Entry) -> _ScaffoldPair:
    metric = board.headline
    difference = (first.value(metric.id) or 0.0) - (second.value(metric.id) or 0.0)
    paired = None
    if first.sheet and second.sheet and board.certainty.has_tasks:
        (paired,) = board.certainty.paired(metric, first, [second])
    return _ScaffoldPair(name, first, second, difference, paired)


def _difference_bar(pair: _ScaffoldPair, metric: Metric) -> Bar:
    low, high = ends_of(pair.paired.interval if pair.paired else None)
    text = number_text(pair.difference, metric.decimals, "+")
    return Bar(None, pair.name, pair.difference, text, low, high)


def _pair_texts(pair: _ScaffoldPair, metric: Metric) -> list[str]:
    """Return both scores, their difference and its interval."""
    ends = GAP
    if pair.paired:
        interval = pair.paired.interval
        ends = f"{interval.low:.{metric.decimals}f} to {interval.high:.{metric.decimals}f}"
    difference = number_text(pair.difference, metric.decimals, "+")
    return [pair.first.text(metric.id), pair.second.text(metric.id), difference, ends]


def _scaffolds_sure(board: Board, pairs: Sequence[_ScaffoldPair]) -> str:
    """Return how many agents differ between scaffolds, or why that is not tested."""
    paired = [pair.paired for pair in pairs if pair.paired]
    if paired:
        shown = sum(comparison.is_shown for comparison in paired)
        return f"Told apart over the same tasks, each looked at alone: {shown} of {len(pairs)}."
    if board.certainty.untested and any(entry.sheet for entry in standing(board)):
        return f"No difference is tested: {board.certainty.untested}."
    return "The values are printed ones without results by task, so no difference is tested."


def phase_charts(board: Board, labels: ChartLabels) -> list[Chart]:
    """Show cost and every measurement by phase of the task, and in how many runs each rises."""
    has_long_task = any(length_of(task) >= SHORTEST for task in board.tasks.tasks)
    if not has_long_task or not is_ordered(board):
        return []
    names: set[str] = set()
    for _, grid in grids_of(board):
        for attempt in grid.results:
            for result in reached(attempt):
                names.update(result.measures or ())
    charts = [_phase_chart(board, labels, name) for name in ("cost_usd", *sorted(names))]
    return [chart for chart in charts if chart]


@dataclass(frozen=True, slots=True)
class _PhaseValues:
    """The values of one measurement in the runs at long tasks."""

    by_phase: dict[str, _ValuesByTask]
    by_agent: dict[tuple[str, str], _ValuesByTask]
    """By row and phase."""
    rises: dict[str, list[bool]]
    """Whether the last value of a run is higher than the first, by task."""
    slopes: _ValuesByTask
    """The slope of each run, by task."""


def _phase_chart(board: Board, labels: ChartLabels, name: str) -> Chart | None:
    """Show one measurement by phase; None where it is known in fewer than two phases."""
    clusters = board.certainty.cluster_of
    values = _phase_values(board, name)
    estimates = {}
    for phase, values_by_task in values.by_phase.items():
        estimate = mean_over(values_by_task, clusters)
        if estimate:
            estimates[phase] = estimate
    rise_counts = {task: (sum(rises), len(rises)) for task, rises in values.rises.items()}
    share = share_over(rise_counts, clusters)
    slope = mean_over(values.slopes, clusters)
    if len(estimates) < 2 or share is None or slope is None:  # noqa: PLR2004 - two to compare
        return None
    title = _measurement_title(board, name)
    round_word = board.benchmark.round_word.lower()
    is_large = max(estimate.value for estimate in estimates.values()) >= _LARGE
    decimals = 0 if is_large else 3
    lines = [("All together", [_phase_text(estimates.get(phase), decimals) for phase in PHASES])]
    for row in dict.fromkeys(entry.id for entry, _ in grids_of(board)):
        means = [mean_over(values.by_agent[row, phase], clusters) for phase in PHASES]
        lines.append((labels.names[row], [_phase_text(mean, decimals) for mean in means]))
    ends = f" ({interval_text(slope.interval, decimals)})" if slope.interval else ""
    runs = f"{share.k} of {counted(share.n, 'run')}, {share_text(share)}"
    rise = f"{number_text(slope.value, decimals, '+')} a {round_word}{ends}"
    sentence = (
        f"{title} is higher at a run's last {round_word} than at its first in {runs}; the slope is "
        f"{rise}. Means and intervals are over the tasks of at least {SHORTEST} {round_word}s; "
        "their number stands in the table."
    )
    bars = [bar_of(phase, estimate, decimals) for phase, estimate in estimates.items()]
    return Chart(
        id=f"phases-{name.replace('@', '-').replace('_', '-')}",
        title=f"{title} by phase of the task",
        sentence=sentence,
        panels=[Ranking(AxisScale(title), bars)],
        table=Table(["Agent", *PHASES], lines),
    )


def _phase_values(board: Board, name: str) -> _PhaseValues:
    """Collect the values of one measurement, of one version of its definition."""
    values = _PhaseValues(
        {phase: defaultdict(list) for phase in PHASES},
        defaultdict(lambda: defaultdict(list)),
        defaultdict(list),
        defaultdict(list),
    )
    for entry, grid in grids_of(board):
        task = grid.task.id
        for run in _measured_runs(grid, name):
            for number, value in run:
                phase = phase_of(number, length_of(grid.task))
                values.by_phase[phase][task].append(value)
                values.by_agent[entry.id, phase][task].append(value)
            slope = slope_of(run)
            if slope is not None:
                values.slopes[task].append(slope)
                values.rises[task].append(run[-1][1] > run[0][1])
    return values


def _measured_runs(grid: TaskResults, name: str) -> Iterator[list[tuple[int, float]]]:
    """Yield the known values of a measurement in each run at a long task, with round numbers."""
    if length_of(grid.task) < SHORTEST:
        return
    for attempt in grid.worked:
        values = [(result.round, _measured(result, name)) for result in attempt]
        yield [(number, value) for number, value in values if value is not None]


def _measurement_title(board: Board, name: str) -> str:
    """Return what a measurement is called, with the version of its definition."""
    if name == "cost_usd":
        return "Cost (USD)"
    plain, _, version = name.partition("@")
    titles = [metric.title for metric in board.metrics.values() if metric.measurement == plain]
    title = titles[0] if titles else plain.replace("_", " ").capitalize()
    return f"{title} ({version})" if version else title


def _phase_text(estimate: Estimate | None, decimals: int) -> str:
    """Return an estimate with its interval and how many tasks it is over."""
    if estimate is None:
        return GAP
    value, ends = texts_of(estimate, decimals)
    interval = f" ({ends})" if estimate.interval else ""
    return f"{value}{interval}, {counted(estimate.tasks, 'task')}"


def _measured(result: RoundResult, name: str) -> float | None:
    """Return a round's measurement, or its cost; None where it is unknown."""
    if name == "cost_usd":
        return result.cost_usd
    return (result.measures or {}).get(name)
