"""Analyses of rounds: by agent, by the length of tasks, by rank, and of a track that was run again."""

from collections import defaultdict
from itertools import pairwise

from sitegen.board.board import Board
from sitegen.board.score import GAP
from sitegen.board.succession import reruns, successor, total
from sitegen.charts.analyses.points import (
    bar_of,
    grids_of,
    is_ordered,
    length_of,
    length_parts,
    lengths_of,
    standing,
    texts_of,
)
from sitegen.charts.board_charts import (
    FEWEST,
    MOST,
    curve_chart,
    curve_of,
    scale_of,
    share_bar,
    shares_of,
)
from sitegen.charts.chart import Bar, Chart, Curve, Curves, Heat, Ranking, Scale, Table, Words
from sitegen.metrics.diagnostics.outline import FEWEST as FEWEST_TASKS
from sitegen.metrics.diagnostics.outline import groups_of
from sitegen.metrics.estimates import score_on, share_over
from sitegen.problems import agreeing, counted, grouped

_TIERS = ("Upper third", "Middle third", "Lower third")


def heat_chart(board: Board, words: Words) -> Chart | None:
    """Show which share of the tasks each agent passes at each round; None where rounds follow no order."""
    if not is_ordered(board):
        return None
    if board.counting[0] < FEWEST_TASKS:
        return None
    rounds, word = board.diagnosis.by_round(), board.benchmark.round_word
    whole, tasks = (
        shares_of(rounds, rounds.lines),
        {line.label: str(line.cells[0]) for line in rounds.lines},
    )
    if len(whole) < FEWEST:
        return None
    own = (
        (words.names[each.id], board.diagnosis.by_round(each.id)) for each in standing(board)[:MOST]
    )
    rows = [(name, shares_of(found, found.lines)) for name, found in own]
    rows += [("All together", whole)] if len(rows) > 1 else []
    known = {label: share for label, share in whole.items() if int(tasks[label]) >= FEWEST_TASKS}
    if not known:  # findings leave too few tasks for any round
        return None
    best, worst = (choose(known, key=lambda label: known[label]) for choose in (max, min))
    return Chart(
        id="heat",
        title=f"Pass rate by agent and {word.lower()}",
        sentence=f"Percent of the tasks that have such a {word.lower()}; their number stands below it, and tasks of "
        f"different lengths make the last columns others than the first. Of those over at least {FEWEST_TASKS} tasks, "
        f"{word.lower()} {best} is passed most often, {known[best]:.1f} % by all together, and {word.lower()} {worst} "
        f"least, {known[worst]:.1f} %.",
        panels=[
            Heat(
                f"Pass rate by agent and {word.lower()}",
                [(label, tasks[label]) for label in whole],
                [(name, [shares.get(label) for label in whole]) for name, shares in rows],
            )
        ],
    )


def tiers_chart(board: Board, words: Words) -> Chart | None:
    """Follow the thirds of the ranking from round to round, over the same tasks; None with fewer than two a third."""
    whole = board.diagnosis.by_round() if is_ordered(board) else None
    rows = standing(board)
    if (
        whole is None
        or len(rows) < 2 * len(_TIERS)
        or len(whole.curve) < FEWEST
        or curve_chart(board, words) is None
    ):
        return None
    cuts = [round(part * len(rows) / len(_TIERS)) for part in range(len(_TIERS) + 1)]
    steps, curves, lines = [line.label for line in whole.curve], [], []
    for title, (first, last), look in zip(
        _TIERS, pairwise(cuts), ("first", "second", "all"), strict=True
    ):
        names = [each.id for each in rows[first:last]]
        values = curve_of(board.diagnosis.by_round(*names))
        curves.append(Curve(f"{title}, {last - first}", values, look))
        agents = ", ".join(words.names[name] for name in names)
        lines.append((f"{title}: {agents}", [f"{value:.1f}" for value in values]))
    ratio = [each.values[-1] / each.values[0] if each.values[0] else None for each in curves]
    told = ", ".join(f"{100 * each:.0f} %" if each is not None else GAP for each in ratio)
    word = board.benchmark.round_word
    return Chart(
        id="tiers",
        title=f"How thirds of the ranking hold from {word.lower()} to {word.lower()}",
        sentence=f"Agents in thirds by rank, their {word.lower()}s pooled; every point is over {whole.over}. That "
        f"upper curves lie higher follows from the choice; their shape does not. Of the share at {word.lower()} "
        f"{steps[0]}, {told} is left at {word.lower()} {steps[-1]}, the upper third first.",
        panels=[Curves("Pass rate (%)", word, steps, curves)],
        table=Table(["Third", *(f"{word} {step}" for step in steps)], lines),
    )


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
    modes, word = board.benchmark.modes, board.benchmark.round_word.lower()
    by_task: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    by_agent: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    failed = 0
    for entry, grid in grids_of(board):
        for each in (each for attempt in grid.worked for each in attempt):
            failed += each.state in {"scored", "no_cases"} and not each.solved
            if each.mode:
                by_task[grid.task.id][each.mode] += 1
                by_agent[entry.id][each.mode] += 1
    bars, wholes = [], {task: sum(found.values()) for task, found in by_task.items()}
    for mode, title in modes.items():
        judged = {task: (by_task[task][mode], whole) for task, whole in wholes.items()}
        rate = share_over(judged, board.certainty.cluster_of)
        bars += [share_bar(title, rate)] if rate else []
    if not bars:
        return None
    most, labelled = max(bars, key=lambda each: each.value), sum(wholes.values())
    return Chart(
        id="modes",
        title=f"How {word}s fail",
        sentence=f"Most often by “{most.name}”: {most.text} % of the {counted(labelled, f'failed {word}')} whose "
        f"failure somebody judged, of {failed} in all. Agents that fail early meet fewer {word}s to fail at. Intervals "
        "are over tasks.",
        panels=[Ranking(Scale(f"Judged {word}s (%)", 100.0), bars)],
        table=Table(
            ["Agent", *modes.values()],
            [
                (words.names[row], [str(found[mode]) for mode in modes])
                for row, found in by_agent.items()
            ],
        ),
    )


def tasks_chart(board: Board, _: Words) -> Chart | None:
    """Tell what the task set is made of: tasks by their length and by each axis; None where it is not known."""
    tasks, word = board.tasks.tasks, board.benchmark.round_word.lower()
    if len(tasks) < FEWEST_TASKS:
        return None
    ordered, is_short = sorted(tasks, key=length_of), board.tasks.is_of_one_round
    kinds = [(lengths_of(each, word), each) for each in ([] if is_short else length_parts(ordered))]
    for key, axis in board.benchmark.axes.items():
        values = groups_of(tasks, key, axis.values)
        kinds += [
            (f"{axis.title}: {value}", [task for task in tasks if task.labels.get(key) == value])
            for value in values
        ]
    lines = [(name, [str(len(own)), str(sum(map(length_of, own)))]) for name, own in kinds]
    labels = grouped(
        (label, task.id) for task in tasks for each in task.rounds for label in each.labels
    )
    lines += [
        (f"Label: {label}", [str(len({*each})), str(len(each))])
        for label, each in sorted(labels.items())
    ]
    if not lines:
        return None
    least, middle, most = (length_of(ordered[place]) for place in (0, len(ordered) // 2, -1))
    each_of = (
        f"{least} to {most} each, {middle} in the middle one" if least < most else f"{most} each"
    )
    size = "" if is_short else f" with {sum(map(length_of, tasks))} {word}s, {each_of}"
    bars = [Bar(None, name, float(cells[0]), cells[0]) for name, cells in lines]
    return Chart(
        id="tasks",
        title="What the task set is made of",
        sentence=f"{counted(len(tasks), 'task')}{size}.",
        panels=[Ranking(Scale("Tasks"), bars)],
        table=Table(["Kind", "Tasks", f"{word.capitalize()}s"], lines),
    )


def rerun_chart(board: Board, words: Words) -> Chart | None:
    """Hold a withdrawn track's verdicts against those of the one that replaced it, on the rounds that both have."""
    after, lines, bars, found = successor(board), [], [], reruns(board)
    for entry, tasks in found:
        changes = {task: (each.changed, each.of) for task, each in tasks.items()}
        rate = share_over(changes, board.certainty.cluster_of)
        if rate is None:
            continue
        name, own = words.names[entry.id], total(list(tasks.values()))
        bars.append(share_bar(name, rate))
        lines.append((name, list(map(str, (own.of, own.before, own.after, own.gained, own.lost)))))
    if not bars or after is None:
        return None
    word, whole = board.benchmark.round_word.lower(), total([each.whole for each in found])
    by_task = {task for each in found for task in each.tasks}
    return Chart(
        id="rerun",
        title="What changed when everything was run again",
        sentence=f"{board.track.title} against {after.title}, over the {counted(whole.of, word)} of "
        f"{counted(len(bars), 'agent')} in {counted(len(by_task), 'task')} that have a verdict on both: "
        f"{whole.changed} {agreeing(whole.changed, 'has', 'have')} another, {whole.gained} "
        f"{agreeing(whole.gained, 'passes', 'pass')} now and did not, {whole.lost} passed and "
        f"{agreeing(whole.lost, 'does', 'do')} not. Another "
        "run changes verdicts too, so this is not the effect of what was mended alone. Intervals are over tasks.",
        panels=[Ranking(Scale(f"{word.capitalize()}s with another verdict (%)", 100.0), bars)],
        table=Table(
            ["Agent", f"{word.capitalize()}s", "Passed before", "Passed after", "Gained", "Lost"],
            lines,
        ),
    )
