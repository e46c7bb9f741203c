"""Analyses of rounds: by agent, by length of task, by rank, and of a track that was run again."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.score import GAP
from sitegen.board.succession import Rerun, reruns, successor, total
from sitegen.charts.analyses.points import (
    bar_of,
    grids_of,
    is_ordered,
    length_of,
    length_parts,
    lengths_of,
    standing,
    texts_of,
    worked_rounds,
)
from sitegen.charts.board_charts import (
    FEWEST,
    MOST,
    curve_chart,
    curve_of,
    scale_of,
    share_bar,
    share_texts,
    shares_of,
)
from sitegen.charts.chart import Bar, Chart, Curve, Curves, Heat, Ranking, Scale, Table, Words
from sitegen.metrics.diagnostics.outline import FEWEST as FEWEST_TASKS
from sitegen.metrics.diagnostics.outline import groups_of
from sitegen.metrics.estimates import score_on, share_over
from sitegen.models.task import Task
from sitegen.problems import agreeing, counted, grouped

_TIERS = ("Upper third", "Middle third", "Lower third")
_TIER_LOOKS = ("first", "second", "all")


def heat_chart(board: Board, words: Words) -> Chart | None:
    """Show which share of tasks each agent passes at each round; None for rounds without order."""
    if not is_ordered(board) or board.counting[0] < FEWEST_TASKS:
        return None
    diagnostic = board.diagnosis.by_round()
    together = shares_of(diagnostic, diagnostic.lines)
    task_counts = {line.label: str(line.cells[0]) for line in diagnostic.lines}
    enough = [label for label in together if int(task_counts[label]) >= FEWEST_TASKS]
    if len(together) < FEWEST or not enough:  # findings may exclude the tasks of every round
        return None
    rows = []
    for entry in standing(board)[:MOST]:
        agent_diagnostic = board.diagnosis.by_round(entry.id)
        rows.append((words.names[entry.id], shares_of(agent_diagnostic, agent_diagnostic.lines)))
    if len(rows) > 1:
        rows.append(("All together", together))
    best = max(enough, key=together.__getitem__)
    worst = min(enough, key=together.__getitem__)
    word = board.benchmark.round_word.lower()
    title = f"Pass rate by agent and {word}"
    columns = [(label, task_counts[label]) for label in together]
    heat_rows = [(name, list(map(shares.get, together))) for name, shares in rows]
    sentence = (
        f"Percent of the tasks that have such a {word}; their number stands below it, and tasks of "
        "different lengths make the last columns others than the first. Of those over at least "
        f"{FEWEST_TASKS} tasks, {word} {best} is passed most often, {together[best]:.1f} % by all "
        f"together, and {word} {worst} least, {together[worst]:.1f} %."
    )
    return Chart(
        id="heat", title=title, sentence=sentence, panels=[Heat(title, columns, heat_rows)]
    )


def tiers_chart(board: Board, words: Words) -> Chart | None:
    """Follow the thirds of the ranking from round to round; None with fewer than two a third."""
    rows = standing(board)
    if not is_ordered(board) or len(rows) < 2 * len(_TIERS) or curve_chart(board, words) is None:
        return None
    diagnostic = board.diagnosis.by_round()
    steps = [line.label for line in diagnostic.curve]
    curves = []
    lines = []
    for title, tier, look in zip(_TIERS, _thirds(rows), _TIER_LOOKS, strict=True):
        values = curve_of(board.diagnosis.by_round(*(entry.id for entry in tier)))
        curves.append(Curve(f"{title}, {len(tier)}", values, look))
        agents = ", ".join(words.names[entry.id] for entry in tier)
        lines.append((f"{title}: {agents}", share_texts(values)))
    remaining = ", ".join(_remaining(curve) for curve in curves)
    word = board.benchmark.round_word
    sentence = (
        f"Agents in thirds by rank, their {word.lower()}s pooled; every point is over "
        f"{diagnostic.over}. That upper curves lie higher follows from the choice; their shape "
        f"does not. Of the share at {word.lower()} {steps[0]}, {remaining} is left at "
        f"{word.lower()} {steps[-1]}, the upper third first."
    )
    return Chart(
        id="tiers",
        title=f"How thirds of the ranking hold from {word.lower()} to {word.lower()}",
        sentence=sentence,
        panels=[Curves("Pass rate (%)", word, steps, curves)],
        table=Table(["Third", *(f"{word} {step}" for step in steps)], lines),
    )


def _thirds(rows: Sequence[Entry]) -> list[Sequence[Entry]]:
    """Cut rows into three groups of about equal size."""
    count = len(_TIERS)
    cuts = [round(cut * len(rows) / count) for cut in range(count + 1)]
    return [rows[first:end] for first, end in pairwise(cuts)]


def _remaining(curve: Curve) -> str:
    """Return the last value of a curve as a share of the first."""
    return f"{100 * (curve.values[-1] / curve.values[0]):.0f} %" if curve.values[0] else GAP


def length_chart(board: Board, words: Words) -> Chart | None:
    """Set the headline score against the length of tasks; None where it has no highest value or lengths are alike."""
    metric, resampling = board.headline, board.certainty.resampling
    if (
        metric.highest is None
        or metric.terms
        or metric.form == "sum"
        or not board.certainty.has_tasks
    ):
        return None
    parts, clusters = resampling.parts(metric), board.certainty.cluster_of
    ordered = sorted(
        (each for each in board.tasks.tasks if each.id in resampling.tasks), key=length_of
    )
    found = [
        (each, made)
        for each in length_parts(ordered)
        if (
            made := score_on(
                parts, resampling.tasks, [task.id for task in each], metric.highest, clusters
            )
        )
    ]
    if len(found) < 2:  # noqa: PLR2004 - one compares with nothing
        return None
    word, title, bars, lines = board.benchmark.round_word.lower(), words.title(metric), [], []
    for tasks, made in found:
        bars.append(bar_of(lengths_of(tasks, word), made, metric.decimals))
        lines.append((bars[-1].name, [str(made.tasks), *texts_of(made, metric.decimals)]))
    (_, short), *_, (_, long) = found
    one, other = short.interval, long.interval
    verdict, meeting = "So few tasks do not tell whether length matters", ""
    if one and other:
        more = "Short" if one.low > other.high else "Long" if other.low > one.high else ""
        verdict = f"{more} tasks score higher" if more else "Length is not shown to matter"
        meeting = f"; the intervals, over tasks, {'do not ' if more else ''}meet"
    interval_head = metric.interval_words.capitalize()
    return Chart(
        id="length",
        title=f"{title} by the length of the task",
        sentence=f"{verdict}: mean {title} is {bars[0].text} on the {counted(short.tasks, 'task')} of "
        f"{bars[0].name}, {bars[-1].text} on the {long.tasks} of {bars[-1].name}. It is over all agents{meeting}.",
        panels=[Ranking(scale_of(metric, words), bars)],
        table=Table(["Length", "Tasks", words.axis(metric), interval_head], lines),
    )


def modes_chart(board: Board, words: Words) -> Chart | None:
    """Show how rounds failed, where somebody judged that; None without such a label."""
    word = board.benchmark.round_word.lower()
    modes = board.benchmark.modes
    by_task: dict[str, Counter[str]] = defaultdict(Counter)
    by_agent: dict[str, Counter[str]] = defaultdict(Counter)
    failed = 0
    for entry, grid in grids_of(board):
        for result in worked_rounds(grid):
            failed += result.state in {"scored", "no_cases"} and not result.solved
            if result.mode:
                by_task[grid.task.id][result.mode] += 1
                by_agent[entry.id][result.mode] += 1
    bars = []
    for mode, title in modes.items():
        judged = {task: (counts[mode], counts.total()) for task, counts in by_task.items()}
        rate = share_over(judged, board.certainty.cluster_of)
        if rate:
            bars.append(share_bar(title, rate))
    if not bars:
        return None
    most = max(bars, key=lambda bar: bar.value)
    labelled = sum(counts.total() for counts in by_task.values())
    lines = []
    for row, counts in by_agent.items():
        lines.append((words.names[row], [str(counts[mode]) for mode in modes]))
    sentence = (
        f"Most often by “{most.name}”: {most.text} % of the {counted(labelled, f'failed {word}')} "
        f"whose failure somebody judged, of {failed} in all. Agents that fail early meet fewer "
        f"{word}s to fail at. Intervals are over tasks."
    )
    return Chart(
        id="modes",
        title=f"How {word}s fail",
        sentence=sentence,
        panels=[Ranking(Scale(f"Judged {word}s (%)", 100.0), bars)],
        table=Table(["Agent", *modes.values()], lines),
    )


def tasks_chart(board: Board, _: Words) -> Chart | None:
    """Show the tasks by length, by each axis and by label; None where they are not known."""
    tasks = board.tasks.tasks
    word = board.benchmark.round_word.lower()
    if len(tasks) < FEWEST_TASKS:
        return None
    lines = []
    for name, group in _task_groups(board):
        lines.append((name, [str(len(group)), str(sum(map(length_of, group)))]))
    labels = []
    for task in tasks:
        for defined in task.rounds:
            labels += [(label, task.id) for label in defined.labels]
    for label, task_ids in sorted(grouped(labels).items()):
        lines.append((f"Label: {label}", [str(len({*task_ids})), str(len(task_ids))]))
    if not lines:
        return None
    bars = [Bar(None, name, float(texts[0]), texts[0]) for name, texts in lines]
    size = "" if board.tasks.is_of_one_round else f" with {_lengths_text(tasks, word)}"
    return Chart(
        id="tasks",
        title="What the task set is made of",
        sentence=f"{counted(len(tasks), 'task')}{size}.",
        panels=[Ranking(Scale("Tasks"), bars)],
        table=Table(["Kind", "Tasks", f"{word.capitalize()}s"], lines),
    )


def _task_groups(board: Board) -> list[tuple[str, list[Task]]]:
    """Return the tasks of a board by length and by the values of each axis, with names."""
    tasks = board.tasks.tasks
    word = board.benchmark.round_word.lower()
    groups = []
    if not board.tasks.is_of_one_round:
        parts = length_parts(sorted(tasks, key=length_of))
        groups += [(lengths_of(part, word), part) for part in parts]
    for key, axis in board.benchmark.axes.items():
        for value in groups_of(tasks, key, axis.values):
            carriers = [task for task in tasks if task.labels.get(key) == value]
            groups.append((f"{axis.title}: {value}", carriers))
    return groups


def _lengths_text(tasks: Sequence[Task], word: str) -> str:
    """Return how many rounds tasks have: in all, at least, at most, and in the middle."""
    lengths = sorted(map(length_of, tasks))
    least = lengths[0]
    most = lengths[-1]
    rounds = f"{sum(lengths)} {word}s"
    if least == most:
        return f"{rounds}, {most} each"
    return f"{rounds}, {least} to {most} each, {lengths[len(lengths) // 2]} in the middle one"


def rerun_chart(board: Board, words: Words) -> Chart | None:
    """Compare a replaced track's verdicts with its successor's, on the rounds that both have."""
    track = successor(board)
    compared = reruns(board)
    bars = []
    lines = []
    for rerun in compared:
        changes = {task: (each.changed, each.of) for task, each in rerun.tasks.items()}
        rate = share_over(changes, board.certainty.cluster_of)
        if rate is not None:
            name = words.names[rerun.entry.id]
            bars.append(share_bar(name, rate))
            lines.append((name, _turnover_texts(rerun)))
    if not bars or track is None:
        return None
    word = board.benchmark.round_word.lower()
    noun = f"{word.capitalize()}s"
    sentence = (
        f"{board.track.title} against {track.title}, {_rerun_clause(compared, len(bars), word)}. "
        "Another run changes verdicts too, so this is not the effect of what was mended alone. "
        "Intervals are over tasks."
    )
    return Chart(
        id="rerun",
        title="What changed when everything was run again",
        sentence=sentence,
        panels=[Ranking(Scale(f"{noun} with another verdict (%)", 100.0), bars)],
        table=Table(["Agent", noun, "Passed before", "Passed after", "Gained", "Lost"], lines),
    )


def _turnover_texts(rerun: Rerun) -> list[str]:
    turnover = rerun.whole
    counts = (turnover.of, turnover.before, turnover.after, turnover.gained, turnover.lost)
    return list(map(str, counts))


def _rerun_clause(compared: Sequence[Rerun], agents: int, word: str) -> str:
    """Return over which rounds verdicts were compared, and how many changed."""
    turnover = total([rerun.whole for rerun in compared])
    tasks: set[str] = set()
    for rerun in compared:
        tasks.update(rerun.tasks)
    has = agreeing(turnover.changed, "has", "have")
    passes = agreeing(turnover.gained, "passes", "pass")
    does = agreeing(turnover.lost, "does", "do")
    return (
        f"over the {counted(turnover.of, word)} of {counted(agents, 'agent')} in "
        f"{counted(len(tasks), 'task')} that have a verdict on both: "
        f"{turnover.changed} {has} another, {turnover.gained} {passes} now and did not, "
        f"{turnover.lost} passed and {does} not"
    )
