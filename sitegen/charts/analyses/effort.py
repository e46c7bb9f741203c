"""Analyses of effort and its effects: tokens, turns, scaffolds, and measurements by phase."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from sitegen.board import GAP, Board, Entry
from sitegen.board.wording import number_text
from sitegen.charts.analyses.points import (
    bar_of,
    complete_entries,
    interval_text,
    is_ordered,
    length_of,
    task_results_of,
    texts_of,
    worked_rounds,
)
from sitegen.charts.board_charts import (
    FEWEST,
    MOST,
    available_charts,
    share_text,
    share_texts,
    shares_of,
)
from sitegen.charts.chart import (
    AxisScale,
    Bar,
    BarList,
    Chart,
    ChartLabels,
    Curve,
    CurveLook,
    Curves,
    Table,
)
from sitegen.metrics.contributions import ClusterByTask
from sitegen.metrics.diagnostics.outline import FEWEST_ON_CURVE, PHASES, SHORTEST, round_phase
from sitegen.metrics.estimates import Estimate, estimate_mean, slope_over_rounds
from sitegen.metrics.intervals import interval_ends
from sitegen.metrics.metric import Metric
from sitegen.metrics.paired import PairedDifference
from sitegen.metrics.rates import pooled_rate
from sitegen.metrics.results import TaskResults, reached_results
from sitegen.models.outcome import RoundResult
from sitegen.problems import agreeing, counted, part_of, plural

_LARGE = 100
"""Values are shown as whole numbers if their mean is at least this."""

_SPENT = {"output_tokens": "output tokens", "turns": "turns", "cost_usd": "cost"}
"""Titles of the kinds of effort that a round may report, by field of its record."""

_ValuesByTask = dict[str, list[float]]

_Key = TypeVar("_Key", int, str)
"""Key by which values are grouped: a round number, or a phase."""


def tokens_chart(board: Board, _: ChartLabels) -> Chart | None:
    """Return a chart that compares the effort of failed and passed rounds; None if not known.

    The chart shows the first kind of effort that enough tasks have: tokens, turns or cost.
    """
    for field, title in _SPENT.items():
        spent = _spent_rounds(board, field)
        ratios = _ratios(board, spent)
        drawn = {}
        for number, ratio in ratios.items():
            if ratio.tasks >= FEWEST_ON_CURVE:
                drawn[number] = ratio
        if drawn:
            return _spent_chart(board, title, spent, ratios, drawn)
    return None


_SpentRounds = Mapping[tuple[str, int], tuple[list[float], list[float]]]
"""The effort of passed rounds and of failed rounds, by task and round number."""


def _spent_rounds(board: Board, field: str) -> _SpentRounds:
    """Return the effort of rounds with a verdict, from a field of their records."""
    spent: dict[tuple[str, int], tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    for _, task_results in task_results_of(board):
        for result in worked_rounds(task_results):
            value = getattr(result, field)
            if value is None or result.state not in {"scored", "no_cases"}:
                continue
            passed, failed = spent[result.task, result.round]
            if result.solved:
                passed.append(value)
            else:
                failed.append(value)
    return spent


def _ratios(board: Board, spent: _SpentRounds) -> dict[int, Estimate]:
    """Return the ratio of the effort of failed rounds to that of passed rounds, by round number.

    A ratio is the mean over the tasks that have both passed and failed rounds.
    """
    ratios: dict[int, _ValuesByTask] = defaultdict(lambda: defaultdict(list))
    for (task, number), (passed, failed) in spent.items():
        if passed and failed and sum(passed):
            failed_mean = sum(failed) / len(failed)
            passed_mean = sum(passed) / len(passed)
            ratios[number][task].append(failed_mean / passed_mean)
    ratios_by_number = dict(sorted(ratios.items()))
    return _known_means(ratios_by_number, board.inference.cluster_by_task)


def _known_means(
    values: Mapping[_Key, _ValuesByTask], cluster_by_task: ClusterByTask
) -> dict[_Key, Estimate]:
    """Return the mean over tasks of each group of values, excluding groups that have no mean."""
    estimates = {}
    for key, values_by_task in values.items():
        estimate = estimate_mean(values_by_task, cluster_by_task)
        if estimate:
            estimates[key] = estimate
    return estimates


def _spent_chart(
    board: Board,
    title: str,
    spent: _SpentRounds,
    ratios: Mapping[int, Estimate],
    drawn: Mapping[int, Estimate],
) -> Chart:
    """Return the chart that compares the effort of failed and passed rounds.

    Args:
        board: The board.
        title: What was spent: "output tokens".
        spent: The effort of rounds.
        ratios: The ratio for each round number.
        drawn: The ratios over enough tasks.
    """
    round_word = board.benchmark.round_word.lower()
    is_short = board.tasks.is_of_one_round
    bars = []
    for number, ratio in drawn.items():
        name = "All tasks" if is_short else f"{round_word.capitalize()} {number}"
        bars.append(bar_of(name, ratio, 2))
    passed_counts: Counter[int] = Counter()
    failed_counts: Counter[int] = Counter()
    for (_, number), (passed_values, failed_values) in spent.items():
        passed_counts[number] += len(passed_values)
        failed_counts[number] += len(failed_values)
    lines = []
    for number, ratio in ratios.items():
        passed = str(passed_counts[number])
        failed = str(failed_counts[number])
        label = "All tasks" if is_short else str(number)
        lines.append((label, [passed, failed, str(ratio.tasks), *texts_of(ratio, 2)]))
    heads = (
        round_word.capitalize(),
        "Passed",
        "Failed",
        "Tasks with both",
        "Ratio",
        "Approximate interval",
    )
    scale = AxisScale(f"{title.capitalize()}, failed over passed")
    return Chart(
        id="spent",
        title=f"Effort on failed {plural(round_word)} compared with passed ones",
        sentence=_spent_sentence(board, title, drawn),
        panels=[BarList(scale, bars)],
        table=Table(heads, lines),
    )


def _spent_sentence(board: Board, title: str, ratios: Mapping[int, Estimate]) -> str:
    """Return a sentence about the ratios of failed to passed rounds.

    Args:
        board: The board.
        title: What was spent: "output tokens".
        ratios: The ratio for each round number; tasks of one round have only the number 1.
    """
    if board.tasks.is_of_one_round:
        ratio, interval = texts_of(ratios[1], 2)
        ends = ""
        if ratios[1].interval:
            ends = f", with an approximate interval of {interval}"
        return (
            f"Failed attempts at a task had {ratio} times the {title} of passed attempts{ends}. "
            "For each task, the ratio is the mean of the failed attempts divided by the mean of "
            "the passed attempts; ratios are averaged over tasks."
        )
    round_word = board.benchmark.round_word.lower()
    more = "a higher cost" if title == "cost" else f"more {title}"
    above = 0
    for estimate in ratios.values():
        if estimate.interval and estimate.interval.low > 1:
            above += 1
    return (
        f"In {above} of {counted(len(ratios), round_word)} with at least {FEWEST_ON_CURVE} tasks, "
        f"agents that fail clearly have {more} than agents that pass. For each task, the ratio "
        "is the mean of the agents that fail divided by the mean of the agents that pass; ratios "
        "are averaged over tasks."
    )


_LOOKS: Mapping[int, CurveLook] = {0: "first", 1: "second"}


def budget_chart(board: Board, labels: ChartLabels) -> Chart | None:
    """Return a chart of tasks resolved within a number of turns; None if no turns are known."""
    if board.track.protocol != "once":
        return None
    shares_by_row = {}
    for entry in complete_entries(board)[:MOST]:
        diagnostic = board.diagnosis.by_budget(entry.id)
        shares_by_row[entry.id] = shares_of(diagnostic, diagnostic.lines)
    # The last line has no limit, so it includes runs whose turns are not known.
    longest_row = max(shares_by_row.values(), key=len, default={})
    budgets = list(longest_row)[:-1]
    if len(budgets) < FEWEST:
        return None
    curves: list[Curve] = []
    lines = []
    for row, shares in shares_by_row.items():
        if len(shares) <= 1:
            continue
        name = labels.names[row]
        largest_budget = list(shares.values())[-2]
        values = [shares.get(budget, largest_budget) for budget in budgets]
        look = _LOOKS.get(len(curves), "")
        curves.append(Curve(name, values, look))
        lines.append((name, share_texts(values)))
    panel = Curves("Resolved (%)", "Turns", budgets, curves)
    return Chart(
        id="budget",
        title="Resolved within a number of turns, by agent",
        sentence="Computed afterwards from finished runs; no agent ran with a turn budget. "
        "Every point covers all runs of the agent; runs with an unknown number of turns count as "
        "not resolved.",
        panels=[panel],
        table=Table(["Agent", *budgets], lines),
    )


class _ScaffoldPair(NamedTuple):
    """An agent in each of two scaffolds."""

    name: str
    first: Entry
    second: Entry
    difference: float
    """The first headline score minus the second headline score."""
    paired: PairedDifference | None
    """The comparison by task; None if there are no results by task."""


def scaffolds_chart(board: Board, labels: ChartLabels) -> Chart | None:
    """Return a chart of agents' results by scaffold; None unless there are two scaffolds.

    Rows with results are compared task by task.
    """
    rows_by_agent: dict[str, dict[str, list[Entry]]] = defaultdict(lambda: defaultdict(list))
    for entry in complete_entries(board, reported=True):
        rows_by_scaffold = rows_by_agent[entry.agent.name]
        rows_by_scaffold[entry.agent.scaffold or GAP].append(entry)
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
    bars = []
    lines = []
    higher = 0
    lower = 0
    for pair in pairs:
        bars.append(_difference_bar(pair, metric))
        lines.append((pair.name, _pair_texts(pair, metric)))
        difference = round(pair.difference, 9)
        higher += difference > 0
        lower += difference < 0
    sentence = (
        f"With {first}, {labels.title(metric)} is higher than with {second} for {higher} of "
        f"{counted(len(pairs), 'agent')}, and lower for {lower}. {_scaffolds_sure(board, pairs)}"
    )
    heads = ["Agent", first, second, "Difference", metric.interval_words.capitalize()]
    scale = AxisScale(f"{first} minus {second} ({labels.unit(metric)})")
    return Chart(
        id="scaffolds",
        title=f"The same agent with {first} and {second}",
        sentence=sentence,
        panels=[BarList(scale, bars)],
        table=Table(heads, lines),
    )


def _scaffold_pair(board: Board, name: str, first: Entry, second: Entry) -> _ScaffoldPair:
    metric = board.headline
    first_value = first.value(metric.id) or 0.0
    second_value = second.value(metric.id) or 0.0
    difference = first_value - second_value
    paired = None
    has_results = first.submission_results and second.submission_results
    if has_results and not board.inference.untested_order:
        (paired,) = board.inference.paired(metric, first, [second])
    return _ScaffoldPair(name, first, second, difference, paired)


def _difference_bar(pair: _ScaffoldPair, metric: Metric) -> Bar:
    low = None
    high = None
    if pair.paired:
        low, high = interval_ends(pair.paired.interval)
    text = number_text(pair.difference, metric.decimals, "+")
    return Bar(None, pair.name, pair.difference, text, low, high)


def _pair_texts(pair: _ScaffoldPair, metric: Metric) -> list[str]:
    """Return both scores, their difference and its interval."""
    decimals = metric.decimals
    ends = GAP
    if pair.paired:
        interval = pair.paired.interval
        ends = f"{interval.low:.{decimals}f} to {interval.high:.{decimals}f}"
    first = pair.first.text(metric.id)
    second = pair.second.text(metric.id)
    difference = number_text(pair.difference, decimals, "+")
    return [first, second, difference, ends]


def _scaffolds_sure(board: Board, pairs: Sequence[_ScaffoldPair]) -> str:
    """Return a sentence on how many agents differ between scaffolds, or why that is not tested."""
    paired = [pair.paired for pair in pairs if pair.paired]
    if paired:
        shown = sum(comparison.is_shown for comparison in paired)
        differences = agreeing(shown, "difference is", "differences are")
        return (
            f"Each agent was tested over the same tasks; {shown} of the {len(pairs)} "
            f"{differences} clear."
        )
    reason = board.inference.untested_order
    if reason and any(entry.submission_results for entry in complete_entries(board)):
        return f"Differences are not tested: {reason}."
    return "Differences are not tested: these are published scores without results by task."


def phase_charts(board: Board, labels: ChartLabels) -> list[Chart]:
    """Return charts of cost and every measurement by phase of the task."""
    has_long_task = any(length_of(task) >= SHORTEST for task in board.tasks.tasks)
    if not has_long_task or not is_ordered(board):
        return []
    names: set[str] = set()
    for _, task_results in task_results_of(board):
        for attempt in task_results.results:
            for result in reached_results(attempt):
                names.update(result.measures or ())
    charts = [_phase_chart(board, labels, name) for name in ("cost_usd", *sorted(names))]
    return available_charts(charts)


@dataclass(frozen=True, slots=True)
class _PhaseValues:
    """The values of one measurement in the runs of long tasks."""

    by_phase: dict[str, _ValuesByTask]
    by_agent: dict[tuple[str, str], _ValuesByTask]
    """Values by task, by submission and phase."""
    rises: dict[str, list[bool]]
    """Whether the last value of a run is higher than the first value, by task."""
    slopes: _ValuesByTask
    """The slope of each run, by task."""


def _phase_chart(board: Board, labels: ChartLabels, name: str) -> Chart | None:
    """Return a chart of a measurement by phase; None if it is known in fewer than two phases."""
    cluster_by_task = board.inference.cluster_by_task
    values = _phase_values(board, name)
    estimates = _known_means(values.by_phase, cluster_by_task)
    rise_counts = {}
    for task, rises in values.rises.items():
        rise_counts[task] = (sum(rises), len(rises))
    share = pooled_rate(rise_counts, cluster_by_task)
    slope = estimate_mean(values.slopes, cluster_by_task)
    if len(estimates) < 2 or share is None or slope is None:  # noqa: PLR2004 - two to compare
        return None
    title = _measurement_title(board, name)
    round_word = board.benchmark.round_word.lower()
    largest = max(estimate.value for estimate in estimates.values())
    decimals = 0 if largest >= _LARGE else 3
    together = [estimates.get(phase) for phase in PHASES]
    lines = [("All agents", _phase_texts(together, decimals))]
    rows = dict.fromkeys(entry.id for entry, _ in task_results_of(board))
    for row in rows:
        means = [estimate_mean(values.by_agent[row, phase], cluster_by_task) for phase in PHASES]
        lines.append((labels.names[row], _phase_texts(means, decimals)))
    runs = part_of(share.k, share.n, "run")
    if share.n > 1:
        runs = f"{runs}, {share_text(share)}"
    rise = f"{number_text(slope.value, decimals, '+')} per {round_word}"
    if slope.interval:
        rise = f"{rise} ({interval_text(slope.interval, decimals)})"
    sentence = (
        f"{title} is higher at the last {round_word} of a run than at the first in {runs}; the "
        f"slope is {rise}. Means and intervals are over the tasks with at least {SHORTEST} "
        f"{plural(round_word)}; the table gives their number."
    )
    bars = []
    for phase, estimate in estimates.items():
        bars.append(bar_of(phase, estimate, decimals))
    slug = name.replace("@", "-").replace("_", "-")
    return Chart(
        id=f"phases-{slug}",
        title=f"{title} by phase of the task",
        sentence=sentence,
        panels=[BarList(AxisScale(title), bars)],
        table=Table(["Agent", *PHASES], lines),
    )


def _phase_values(board: Board, name: str) -> _PhaseValues:
    """Return the values of one measurement, of one version of its definition."""
    values = _PhaseValues(
        by_phase={phase: defaultdict(list) for phase in PHASES},
        by_agent=defaultdict(lambda: defaultdict(list)),
        rises=defaultdict(list),
        slopes=defaultdict(list),
    )
    for entry, task_results in task_results_of(board):
        task = task_results.task.id
        length = length_of(task_results.task)
        for run in _measured_runs(task_results, name):
            for number, value in run:
                phase = round_phase(number, length)
                values.by_phase[phase][task].append(value)
                values.by_agent[entry.id, phase][task].append(value)
            slope = slope_over_rounds(run)
            if slope is not None:
                _, first = run[0]
                _, last = run[-1]
                values.slopes[task].append(slope)
                values.rises[task].append(last > first)
    return values


def _measured_runs(task_results: TaskResults, name: str) -> Iterator[list[tuple[int, float]]]:
    """Yield the known values of a measurement in each run at a long task, with round numbers."""
    if length_of(task_results.task) < SHORTEST:
        return
    for attempt in task_results.reached_results:
        values = []
        for result in attempt:
            value = _measured(result, name)
            if value is not None:
                values.append((result.round, value))
        yield values


def _measurement_title(board: Board, name: str) -> str:
    """Return the title of a measurement, with the version of its definition."""
    if name == "cost_usd":
        return "Cost (USD)"
    plain, _, version = name.partition("@")
    title = plain.replace("_", " ").capitalize()
    for metric in board.metrics.values():
        if metric.measurement == plain:
            title = metric.title
            break
    return f"{title} ({version})" if version else title


def _phase_texts(estimates: Sequence[Estimate | None], decimals: int) -> list[str]:
    return [_phase_text(estimate, decimals) for estimate in estimates]


def _phase_text(estimate: Estimate | None, decimals: int) -> str:
    """Return an estimate with its interval and its number of tasks."""
    if estimate is None:
        return GAP
    value, ends = texts_of(estimate, decimals)
    interval = f" ({ends})" if estimate.interval else ""
    return f"{value}{interval}, {counted(estimate.tasks, 'task')}"


def _measured(result: RoundResult, name: str) -> float | None:
    """Return a round's measurement, or its cost; None if the value is unknown."""
    if name == "cost_usd":
        return result.cost_usd
    return (result.measures or {}).get(name)
