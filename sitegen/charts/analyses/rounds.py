"""Analyses of rounds: by agent, by length of task, by rank, and of a track that was run again."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from sitegen.board import Board, Entry
from sitegen.board.history.successor_rounds import (
    SuccessorRun,
    add_transitions,
    successor_runs,
    successor_track,
)
from sitegen.board.wording import joined
from sitegen.charts.analyses.points import (
    bar_of,
    complete_entries,
    is_ordered,
    length_of,
    length_parts,
    lengths_of,
    task_results_of,
    texts_of,
    worked_rounds,
)
from sitegen.charts.board_charts import (
    FEWEST,
    MOST,
    curve_chart,
    curve_labels,
    curve_of,
    scale_of,
    share_bar,
    share_texts,
    shares_of,
    step_heads,
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
    Heat,
    Table,
)
from sitegen.metrics.diagnostics.outline import FEWEST_ON_CURVE, large_axis_groups
from sitegen.metrics.estimates import Estimate, estimate_score
from sitegen.metrics.intervals import Interval
from sitegen.metrics.rates import pooled_rate
from sitegen.models.task import Task
from sitegen.problems import counted, plural

_TIERS = ("Upper third", "Middle third", "Lower third")
_TIER_LOOKS: Sequence[CurveLook] = ("first", "second", "all")


def heat_chart(board: Board, labels: ChartLabels) -> Chart | None:
    """Return a heat map of the tasks that agents pass at each round; None if rounds lack order."""
    if not is_ordered(board) or board.counted_tasks_and_rounds[0] < FEWEST_ON_CURVE:
        return None
    diagnostic = board.diagnosis.by_round()
    together = shares_of(diagnostic, diagnostic.lines)
    task_counts = {line.label: str(line.cells[0]) for line in diagnostic.lines}
    enough = []
    for label in together:
        if int(task_counts[label]) >= FEWEST_ON_CURVE:
            enough.append(label)
    if len(together) < FEWEST or not enough:  # findings may exclude the tasks of every round
        return None
    rows = []
    for entry in complete_entries(board)[:MOST]:
        agent_diagnostic = board.diagnosis.by_round(entry.id)
        shares = shares_of(agent_diagnostic, agent_diagnostic.lines)
        rows.append((labels.names[entry.id], shares))
    if len(rows) > 1:
        rows.append(("All agents", together))
    best = max(enough, key=together.__getitem__)
    worst = min(enough, key=together.__getitem__)
    round_word = board.benchmark.round_word.lower()
    title = f"Pass rate by agent and {round_word}"
    columns = [(label, task_counts[label]) for label in together]
    heat_rows = []
    for name, shares in rows:
        heat_rows.append((name, [shares.get(label) for label in together]))
    panel = Heat(title, columns, heat_rows)
    sentence = (
        f"Each column is a {round_word}; the number below it is the number of tasks that have this "
        f"{round_word}, and a cell is the percentage of them that an agent passes. Tasks differ in "
        f"length, so later columns cover fewer tasks. Among {plural(round_word)} with at least "
        f"{FEWEST_ON_CURVE} tasks, {round_word} {best} is passed most often "
        f"({together[best]:.1f} % across all agents) and {round_word} {worst} least often "
        f"({together[worst]:.1f} %)."
    )
    return Chart(id="heat", title=title, sentence=sentence, panels=[panel])


def tiers_chart(board: Board, labels: ChartLabels) -> Chart | None:
    """Return a chart of pass rates by round in thirds of the ranking.

    None if a third has only one row, or if rounds have no order.
    """
    rows = complete_entries(board)
    if not is_ordered(board) or len(rows) < 2 * len(_TIERS) or curve_chart(board, labels) is None:
        return None
    diagnostic = board.diagnosis.by_round()
    steps = curve_labels(diagnostic)
    curves = []
    lines = []
    remaining_shares = []
    for title, tier, look in zip(_TIERS, _thirds(rows), _TIER_LOOKS, strict=True):
        row_ids = [entry.id for entry in tier]
        values = curve_of(board.diagnosis.by_round(*row_ids))
        curves.append(Curve(f"{title}, {len(tier)}", values, look))
        remaining = _remaining_text(values)
        if remaining:
            remaining_shares.append(f"{remaining} in the {title.lower()}")
        agents = ", ".join(labels.names[row] for row in row_ids)
        lines.append((f"{title}: {agents}", share_texts(values)))
    round_word = board.benchmark.round_word
    noun = round_word.lower()
    sentence = (
        f"The agents are divided into thirds by rank, and the {plural(noun)} of each third are "
        f"pooled. Every point covers {diagnostic.over}. The upper thirds are higher by "
        "construction, but the shape of the curves does not follow from that."
    )
    if remaining_shares:
        sentence = (
            f"{sentence} As a share of the pass rate at {noun} {steps[0]}, the pass rate at "
            f"{noun} {steps[-1]} is {joined(remaining_shares)}."
        )
    panel = Curves("Pass rate (%)", round_word, steps, curves)
    table = Table(["Third", *step_heads(round_word, steps)], lines)
    return Chart(
        id="tiers",
        title=f"Pass rate by {round_word.lower()} in each third of the ranking",
        sentence=sentence,
        panels=[panel],
        table=table,
    )


def _thirds(rows: Sequence[Entry]) -> list[Sequence[Entry]]:
    """Return rows in three groups of about equal size, in order."""
    count = len(_TIERS)
    cuts = [round(cut * len(rows) / count) for cut in range(count + 1)]
    return [rows[first:end] for first, end in pairwise(cuts)]


def _remaining_text(values: Sequence[float]) -> str:
    """Return the last value of a curve as a share of the first value; empty if the latter is 0."""
    first = values[0]
    if not first:
        return ""
    return f"{100 * (values[-1] / first):.0f} %"


def length_chart(board: Board, labels: ChartLabels) -> Chart | None:
    """Return a chart of the headline score by length of task; None if all lengths are alike.

    Only a mean over tasks that has a highest value is shown.
    """
    metric = board.headline
    is_mean = (
        metric.highest is not None and not metric.difference_of and metric.aggregation == "mean"
    )
    if not is_mean or not board.inference.has_tasks:
        return None
    bars = []
    lines = []
    estimates = []
    for tasks, estimate in _scores_by_length(board):
        name = lengths_of(tasks, board.benchmark.round_word.lower())
        texts = [str(estimate.tasks), *texts_of(estimate, metric.decimals)]
        bars.append(bar_of(name, estimate, metric.decimals))
        lines.append((name, texts))
        estimates.append(estimate)
    if len(estimates) < 2:  # noqa: PLR2004 - one compares with nothing
        return None
    short = estimates[0]
    long = estimates[-1]
    title = labels.title(metric)
    verdict, intervals_clause = _length_verdict(short.interval, long.interval)
    shortest = bars[0]
    longest = bars[-1]
    short_tasks = counted(short.tasks, "task")
    long_tasks = "one" if long.tasks == 1 else f"{long.tasks:,}"
    sentence = (
        f"{verdict}: mean {title} is {shortest.text} on the {short_tasks} with {shortest.name} "
        f"and {longest.text} on the {long_tasks} with {longest.name}. "
        f"Means are over all agents{intervals_clause}."
    )
    heads = ["Length", "Tasks", labels.axis(metric), metric.interval_words.capitalize()]
    return Chart(
        id="length",
        title=f"{title} by task length",
        sentence=sentence,
        panels=[BarList(scale_of(metric, labels), bars)],
        table=Table(heads, lines),
    )


def _scores_by_length(board: Board) -> list[tuple[list[Task], Estimate]]:
    """Return the mean headline score on up to three groups of tasks, the shortest first."""
    resampling = board.inference.resampling
    submissions = resampling.scored_submissions(board.headline)
    fractions = resampling.fractions(board.headline, submissions)
    highest = board.headline.highest or 0.0
    cluster_by_task = board.inference.cluster_by_task
    counting = [task for task in board.tasks.tasks if task.id in resampling.tasks]
    scores = []
    for tasks in length_parts(sorted(counting, key=length_of)):
        names = [task.id for task in tasks]
        estimate = estimate_score(fractions, resampling.tasks, names, highest, cluster_by_task)
        if estimate:
            scores.append((tasks, estimate))
    return scores


def _length_verdict(short: Interval | None, long: Interval | None) -> tuple[str, str]:
    """Return a clause on whether length matters, and a clause on whether the intervals overlap."""
    if short is None or long is None:
        return "There are too few tasks to tell whether length matters", ""
    apart = ", and their intervals over tasks do not overlap"
    if short.low > long.high:
        return "Scores are higher on short tasks", apart
    if long.low > short.high:
        return "Scores are higher on long tasks", apart
    return "Task length has no clear effect", ", and their intervals over tasks overlap"


def modes_chart(board: Board, labels: ChartLabels) -> Chart | None:
    """Return a chart of how rounds failed; None if nobody judged the failures."""
    round_word = board.benchmark.round_word.lower()
    modes = board.benchmark.modes
    by_task: dict[str, Counter[str]] = defaultdict(Counter)
    by_agent: dict[str, Counter[str]] = defaultdict(Counter)
    failed = 0
    for entry, task_results in task_results_of(board):
        for result in worked_rounds(task_results):
            failed += result.state in {"scored", "no_cases"} and not result.solved
            if result.mode:
                by_task[task_results.task.id][result.mode] += 1
                by_agent[entry.id][result.mode] += 1
    bars = []
    for mode, title in modes.items():
        shares = {}
        for task, counts in by_task.items():
            shares[task] = (counts[mode], counts.total())
        rate = pooled_rate(shares, board.inference.cluster_by_task)
        if rate:
            bars.append(share_bar(title, rate))
    if not bars:
        return None
    most_frequent = max(bars, key=lambda bar: bar.value)
    labelled = 0
    lines = []
    for row, counts in by_agent.items():
        labelled += counts.total()
        texts = [str(counts[mode]) for mode in modes]
        lines.append((labels.names[row], texts))
    judged = counted(labelled, round_word.with_adjective("failed"))
    sentence = (
        f"The most frequent failure is “{most_frequent.name}”: {most_frequent.text} % of the "
        f"{judged} whose failure was judged, out of {failed} in total. Agents that fail early "
        f"reach fewer {plural(round_word)} at which they could fail. Intervals are over tasks."
    )
    scale = AxisScale(f"Judged {plural(round_word)} (%)", 100.0)
    return Chart(
        id="modes",
        title=f"How {plural(round_word)} fail",
        sentence=sentence,
        panels=[BarList(scale, bars)],
        table=Table(["Agent", *modes.values()], lines),
    )


def tasks_chart(board: Board, _: ChartLabels) -> Chart | None:
    """Return a chart of the tasks by length, axis and label; None if there are too few tasks."""
    tasks = board.tasks.tasks
    round_word = board.benchmark.round_word.lower()
    if len(tasks) < FEWEST_ON_CURVE:
        return None
    sizes = []
    for name, group in _task_groups(board):
        rounds = sum(map(length_of, group))
        sizes.append((name, len(group), rounds))
    tasks_by_label: dict[str, list[str]] = defaultdict(list)
    for task in tasks:
        for defined in task.rounds:
            for label in defined.labels:
                tasks_by_label[label].append(task.id)
    for label, task_ids in sorted(tasks_by_label.items()):
        distinct_tasks = set(task_ids)
        sizes.append((f"Label: {label}", len(distinct_tasks), len(task_ids)))
    if not sizes:
        return None
    bars = []
    lines = []
    for name, task_count, round_count in sizes:
        bars.append(Bar(None, name, float(task_count), str(task_count)))
        lines.append((name, [str(task_count), str(round_count)]))
    size = counted(len(tasks), "task")
    if not board.tasks.is_of_one_round:
        size = f"{size} with {_lengths_text(tasks, round_word)}"
    return Chart(
        id="tasks",
        title="Composition of the task set",
        sentence=f"{size}.",
        panels=[BarList(AxisScale("Tasks"), bars)],
        table=Table(["Kind", "Tasks", f"{plural(round_word).capitalize()}"], lines),
    )


def _task_groups(board: Board) -> list[tuple[str, list[Task]]]:
    """Return the tasks of a board by length and by the values of each axis, with names."""
    tasks = board.tasks.tasks
    round_word = board.benchmark.round_word.lower()
    groups = []
    if not board.tasks.is_of_one_round:
        for group in length_parts(sorted(tasks, key=length_of)):
            groups.append((lengths_of(group, round_word), group))
    for key, axis in board.benchmark.axes.items():
        for value in large_axis_groups(tasks, key, axis.values):
            carriers = [task for task in tasks if task.labels.get(key) == value]
            groups.append((f"{axis.title}: {value}", carriers))
    return groups


def _lengths_text(tasks: Sequence[Task], round_word: str) -> str:
    """Return a phrase on the rounds of tasks: their total, and the range and the median by task."""
    lengths = sorted(map(length_of, tasks))
    least = lengths[0]
    longest = lengths[-1]
    rounds = f"{sum(lengths)} {plural(round_word)}"
    if least == longest:
        return f"{rounds}, {longest} in each task"
    middle = median(lengths)
    return f"{rounds}: {least} to {longest} in each task, with a median of {middle:g}"


def rerun_chart(board: Board, labels: ChartLabels) -> Chart | None:
    """Return a chart of verdicts that differ between a replaced track and its successor."""
    track = successor_track(board)
    compared = successor_runs(board)
    bars = []
    lines = []
    for rerun in compared:
        changes = {}
        for task, transitions in rerun.tasks.items():
            changes[task] = (transitions.changed, transitions.rounds)
        rate = pooled_rate(changes, board.inference.cluster_by_task)
        if rate is not None:
            name = labels.names[rerun.entry.id]
            bars.append(share_bar(name, rate))
            lines.append((name, _transition_texts(rerun)))
    if not bars or track is None:
        return None
    round_word = board.benchmark.round_word.lower()
    noun = f"{plural(round_word).capitalize()}"
    changed = _rerun_clause(compared, len(bars), round_word)
    sentence = (
        f"Between “{board.track.title}” and “{track.title}”, {changed}. "
        "Any second run changes some verdicts, so this is not the effect of the fixes alone. "
        "Intervals are over tasks."
    )
    scale = AxisScale(f"{noun} with a changed verdict (%)", 100.0)
    heads = ["Agent", noun, "Passed before", "Passed after", "Gained", "Lost"]
    return Chart(
        id="rerun",
        title="What changed in the rerun",
        sentence=sentence,
        panels=[BarList(scale, bars)],
        table=Table(heads, lines),
    )


def _transition_texts(rerun: SuccessorRun) -> list[str]:
    transitions = rerun.over_all_tasks
    counts = (
        transitions.rounds,
        transitions.passed_before,
        transitions.passed_after,
        transitions.gained,
        transitions.lost,
    )
    return list(map(str, counts))


def _rerun_clause(compared: Sequence[SuccessorRun], agents: int, round_word: str) -> str:
    """Return a clause on how many verdicts changed, and over which rounds they were compared."""
    transitions = add_transitions([rerun.over_all_tasks for rerun in compared])
    tasks: set[str] = set()
    for rerun in compared:
        tasks.update(rerun.tasks)

    verdicts_text = counted(transitions.rounds, "verdict")
    agents_text = counted(agents, "agent")
    tasks_text = counted(len(tasks), "task")
    return (
        f"{transitions.changed:,} of {verdicts_text} changed: "
        f"{transitions.gained:,} from fail to pass and {transitions.lost:,} from pass to fail. "
        f"Only {plural(round_word)} with a verdict on both tracks are counted "
        f"({agents_text}, {tasks_text})"
    )
