"""Analyses of what work takes and leaves: tokens, turns, scaffolds, and measurements by phase."""

from collections import defaultdict
from collections.abc import Mapping

from sitegen.board.answers.answer import number_text
from sitegen.board.board import Board
from sitegen.board.score import GAP
from sitegen.charts.analyses.points import (
    bar_of,
    grids_of,
    is_ordered,
    length_of,
    standing,
    texts_of,
)
from sitegen.charts.board_charts import FEWEST, MOST, share_text, shares_of
from sitegen.charts.chart import Bar, Chart, Curve, Curves, Ranking, Scale, Table, Words
from sitegen.metrics.diagnostics.outline import FEWEST as FEWEST_TASKS
from sitegen.metrics.diagnostics.outline import PHASES, SHORTEST, phase_of
from sitegen.metrics.estimates import Estimate, mean_over, share_over, slope_of
from sitegen.metrics.grids import reached
from sitegen.metrics.uncertainty import ends_of
from sitegen.models.outcome import RoundResult
from sitegen.problems import counted

_LARGE = 100
"""Means from here on are told in whole numbers."""


def tokens_chart(board: Board, _: Words) -> Chart | None:
    """Hold what failed rounds took against passed ones of the same task and number; None where no round tells."""
    word, clusters = board.benchmark.round_word.lower(), board.certainty.cluster_of
    for field, title in (
        ("output_tokens", "output tokens"),
        ("turns", "turns"),
        ("cost_usd", "US dollars"),
    ):
        spent: dict[int, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        counts: dict[int, list[int]] = defaultdict(lambda: [0, 0])
        # What each task's rounds took, of those that passed and of those that failed with a verdict.
        took: dict[tuple[str, int], tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
        for _entry, grid in grids_of(board):
            for result in (each for attempt in grid.worked for each in attempt):
                value = getattr(result, field)
                if value is not None and result.state in {"scored", "no_cases"}:
                    took[result.task, result.round][not result.solved].append(value)
        for (task, number), (passed, failed) in took.items():
            counts[number][0] += len(passed)
            counts[number][1] += len(failed)
            if passed and failed and sum(passed):
                spent[number][task].append(sum(failed) / len(failed) / (sum(passed) / len(passed)))
        made = {
            number: found
            for number in sorted(spent)
            if (found := mean_over(spent[number], clusters))
        }
        drawn = {number: each for number, each in made.items() if each.tasks >= FEWEST_TASKS}
        if drawn:
            names = {number: f"{word.capitalize()} {number}" for number in made}
            heads = {number: str(number) for number in made}
            if board.tasks.is_of_one_round:
                names = heads = dict.fromkeys(made, "All tasks")
            return Chart(
                id="spent",
                title=f"What failed {word}s take, against passed ones",
                sentence=_spent_sentence(board, title, drawn),
                panels=[
                    Ranking(
                        Scale(f"{title.capitalize()}, failed over passed"),
                        [bar_of(names[number], each, 2) for number, each in drawn.items()],
                    )
                ],
                table=Table(
                    [
                        word.capitalize(),
                        "Passed",
                        "Failed",
                        "Tasks with both",
                        "Ratio",
                        "Approximate interval",
                    ],
                    [
                        (
                            heads[number],
                            [*map(str, counts[number]), str(each.tasks), *texts_of(each, 2)],
                        )
                        for number, each in made.items()
                    ],
                ),
            )
    return None


def _spent_sentence(board: Board, title: str, ratios: Mapping[int, Estimate]) -> str:
    """Return what the ratios of failed to passed rounds show.

    Args:
        board: The board.
        title: What was spent: "output tokens".
        ratios: The ratio for each position of a round; tasks of one round have the position 1 alone.
    """
    if board.tasks.is_of_one_round:
        ratio, interval = texts_of(ratios[1], 2)
        ends = f", with an approximate interval of {interval}" if ratios[1].interval else ""
        return (
            f"Failed tries at a task took {ratio} times the {title} of passed ones{ends}. "
            "The ratio is the mean of the failed tries over that of the passed ones, averaged over tasks."
        )
    word = board.benchmark.round_word.lower()
    above = sum(ratio.interval is not None and ratio.interval.low > 1 for ratio in ratios.values())
    return (
        f"Failing is shown to take more {title} than passing at {above} of "
        f"{counted(len(ratios), word)} over at least {FEWEST_TASKS} tasks. The ratio is the mean of the agents "
        "that fail over that of the agents that pass, one a task, averaged over tasks."
    )


def budget_chart(board: Board, words: Words) -> Chart | None:
    """Show what each agent resolves within a number of turns; None where no turns are known."""
    rows = standing(board)[:MOST] if board.track.protocol == "once" else ()
    own = ((each.id, board.diagnosis.by_budget(each.id)) for each in rows)
    found = {name: shares_of(each, each.lines) for name, each in own}
    budgets = max((list(each)[:-1] for each in found.values()), key=len, default=[])
    if len(budgets) < FEWEST:
        return None
    curves = []
    for place, (name, shares) in enumerate(each for each in found.items() if len(each[1]) > 1):
        last = list(shares.values())[
            -2
        ]  # the last one has no limit, and with it runs whose turns nobody counted
        values = [shares.get(budget, last) for budget in budgets]
        curves.append(Curve(words.names[name], values, ("first", "second", "")[min(place, 2)]))
    lines = [(each.name, [f"{value:.1f}" for value in each.values]) for each in curves]
    return Chart(
        id="budget",
        title="Resolved within a number of turns, by agent",
        sentence="A cut of finished runs, made afterwards: nobody ran with such a budget. Every point is over all runs "
        "of the agent; runs without a count of turns count as not resolved.",
        panels=[Curves("Resolved (%)", "Turns", budgets, curves)],
        table=Table(["Agent", *budgets], lines),
    )


def scaffolds_chart(board: Board, words: Words) -> Chart | None:
    """Compare each agent's rows by their scaffolds, task by task where there are results; None without such a pair."""
    metric, by_name = board.headline, defaultdict(list)
    for entry in standing(board, reported=True):
        by_name[entry.agent.name].append(entry)
    heads = sorted(
        {each.agent.scaffold or GAP for rows in by_name.values() if len(rows) > 1 for each in rows}
    )
    if len(heads) != 2:  # noqa: PLR2004 - a difference is of two
        return None
    bars, lines, shown, signs = [], [], 0, []
    for name, rows in by_name.items():
        found = {each.agent.scaffold or GAP: each for each in rows}
        if set(found) != set(heads) or len(rows) > len(heads):
            continue
        first, second = (found[head] for head in heads)
        own, other = (each.value(metric.id) or 0.0 for each in (first, second))
        paired = None
        if first.sheet and second.sheet and board.certainty.has_tasks:
            (paired,) = board.certainty.paired(metric, first, [second])
        low, high = ends_of(paired.interval if paired else None)
        shown += bool(paired and paired.is_shown)
        signs.append(round(own - other, 9))
        text = number_text(own - other, metric.decimals, "+")
        bars.append(Bar(None, name, own - other, text, low, high))
        ends = (
            GAP
            if low is None or high is None
            else f"{low:.{metric.decimals}f} to {high:.{metric.decimals}f}"
        )
        lines.append((name, [first.text(metric.id), second.text(metric.id), text, ends]))
    more, less = sum(each > 0 for each in signs), sum(each < 0 for each in signs)
    if any(bar.low is not None for bar in bars):
        sure = f"Told apart over the same tasks, each looked at alone: {shown} of {len(signs)}."
    elif board.certainty.untested and any(entry.sheet for entry in standing(board)):
        sure = f"No difference is tested: {board.certainty.untested}."
    else:
        sure = "The values are printed ones without results by task, so no difference is tested."
    return Chart(
        id="scaffolds",
        title=f"The same agent in {heads[0]} and in {heads[1]}",
        sentence=f"{words.title(metric)} in {heads[0]} against {heads[1]}: {more} of {counted(len(bars), 'agent')}"
        f" higher, {less} lower. {sure}",
        panels=[Ranking(Scale(f"{heads[0]} less {heads[1]} ({words.unit(metric)})"), bars)],
        table=Table(["Agent", *heads, "Difference", metric.interval_words.capitalize()], lines),
    )


def phase_charts(board: Board, words: Words) -> list[Chart]:
    """Show cost and every measurement by phase of the task, and in how many runs a measurement rises."""
    if not is_ordered(board) or not any(length_of(task) >= SHORTEST for task in board.tasks.tasks):
        return []
    names = {
        name
        for _, grid in grids_of(board)
        for attempt in grid.results
        for each in reached(attempt)
        for name in each.measures or ()
    }
    made = (_phase_chart(board, words, name) for name in ("cost_usd", *sorted(names)))
    return [each for each in made if each]


def _phase_chart(board: Board, words: Words, name: str) -> Chart | None:
    """Show one measurement, of one version of its definition, by phase; None where it is known at fewer than two."""
    by_phase: dict[str, dict[str, list[float]]] = {phase: defaultdict(list) for phase in PHASES}
    by_agent: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    rises: dict[str, list[bool]] = defaultdict(list)
    slopes: dict[str, list[float]] = defaultdict(list)
    for entry, grid in grids_of(board):
        length = length_of(grid.task)
        for attempt in grid.worked if length >= SHORTEST else ():
            values = [
                (each.round, value)
                for each in attempt
                if (value := _measured(each, name)) is not None
            ]
            for number, value in values:
                phase = phase_of(number, length)
                by_phase[phase][grid.task.id].append(value)
                by_agent[entry.id, phase][grid.task.id].append(value)
            if (rise := slope_of(values)) is not None:
                slopes[grid.task.id].append(rise)
                rises[grid.task.id].append(values[-1][1] > values[0][1])
    clusters = board.certainty.cluster_of
    found = {
        phase: made for phase, values in by_phase.items() if (made := mean_over(values, clusters))
    }
    share = share_over({task: (sum(each), len(each)) for task, each in rises.items()}, clusters)
    slope = mean_over(slopes, clusters)
    if len(found) < 2 or share is None or slope is None:  # noqa: PLR2004 - one compares with nothing
        return None
    title, word = _title(board, name), board.benchmark.round_word.lower()
    decimals = 3 if max(each.value for each in found.values()) < _LARGE else 0
    ends = f" ({texts_of(slope, decimals)[1]})" if slope.interval else ""
    rows = {entry.id: words.names[entry.id] for entry, _ in grids_of(board)}
    lines = [("All together", [_told(found.get(phase), decimals) for phase in PHASES])]
    for row, label in rows.items():
        estimates = [mean_over(by_agent[row, phase], clusters) for phase in PHASES]
        lines.append((label, [_told(estimate, decimals) for estimate in estimates]))
    return Chart(
        id=f"phases-{name.replace('@', '-').replace('_', '-')}",
        title=f"{title} by phase of the task",
        sentence=f"{title} is higher at a run's last {word} than at its first in {share.k} of "
        f"{counted(share.n, 'run')}, {share_text(share)}; the slope is "
        f"{number_text(slope.value, decimals, '+')} a {word}{ends}. Means and intervals are over the tasks of at "
        f"least {SHORTEST} {word}s; their number stands in the table.",
        panels=[
            Ranking(Scale(title), [bar_of(phase, each, decimals) for phase, each in found.items()])
        ],
        table=Table(["Agent", *PHASES], lines),
    )


def _title(board: Board, name: str) -> str:
    """What to call a measurement, with the version of its definition."""
    if name == "cost_usd":
        return "Cost (USD)"
    plain, _, version = name.partition("@")
    named = (metric.title for metric in board.metrics.values() if metric.measurement == plain)
    return (
        f"{next(named, plain.replace('_', ' ').capitalize())}{f' ({version})' if version else ''}"
    )


def _told(made: Estimate | None, decimals: int) -> str:
    if made is None:
        return GAP
    value, ends = texts_of(made, decimals)
    return f"{value}{f' ({ends})' if made.interval else ''}, {counted(made.tasks, 'task')}"


def _measured(result: RoundResult, name: str) -> float | None:
    """Return a round's measurement, or its cost; None where it is unknown."""
    if name == "cost_usd":
        return result.cost_usd
    return (result.measures or {}).get(name)
