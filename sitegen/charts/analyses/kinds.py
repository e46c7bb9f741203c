"""Analyses of attempts and of kinds of rounds, by agent."""

from sitegen.board.board import Board
from sitegen.charts.analyses.points import grids_of, is_ordered, standing
from sitegen.charts.board_charts import FEWEST, MOST
from sitegen.charts.chart import Chart, Curve, Curves, Heat, Table, Words
from sitegen.metrics.diagnostics import Diagnostic, Share

_BY_AGENT = ("targets", "labels", "recovery")
"""The diagnostics whose lines say how much agents differ."""


def kinds_charts(board: Board, words: Words) -> list[Chart]:
    """Show kinds of rounds by agent: by their labels and tasks, and failed ones that pass from the reference state."""
    rows, known = (
        standing(board)[:MOST],
        {each.id: each for each in board.diagnosis.of_track if each.id in _BY_AGENT},
    )
    found = (
        {each.id: {own.id: own for own in board.diagnosis.of_submission(each.id)} for each in rows}
        if known
        else {}
    )
    charts = []
    for name, whole in known.items():
        shares = _shares(whole)
        lines = [
            (words.names[row], _shares(own[name]) if name in own else {})
            for row, own in found.items()
        ]
        lines += [("All together", shares)] if len(lines) > 1 else []
        title = f"{whole.title}, by agent"
        heat = Heat(
            title,
            [(label, str(each.n)) for label, each in shares.items()],
            [
                (
                    agent,
                    [
                        100 * own[label].k / own[label].n if label in own else None
                        for label in shares
                    ],
                )
                for agent, own in lines
            ],
        )
        sentence = f"{whole.sentence} Below each head stands how many verdicts all agents together have on it."
        charts.append(Chart(f"by-agent-{name}", title, sentence, [heat]))
    return charts


def _shares(found: Diagnostic) -> dict[str, Share]:
    """The key column of a diagnostic by its lines."""
    cells = {
        f"{line.group}: {line.label}" if line.group else line.label: line.cells[found.key]
        for line in found.lines
    }
    return {label: each for label, each in cells.items() if isinstance(each, Share) and each.n}


def attempts_chart(board: Board, words: Words) -> Chart | None:
    """Follow what any, a mean and every attempt passes, over the same tasks; None where a task is tried once."""
    whole = board.diagnosis.by_round() if is_ordered(board) and board.track.attempts > 1 else None
    steps = [int(line.label) for line in whole.curve] if whole else []
    if whole is None or len(steps) < FEWEST:
        return None
    passed: dict[str, dict[int, list[tuple[float, ...]]]] = {}
    for entry, grid in grids_of(board):
        if grid.unmade or not {*steps} <= {*grid.rounds}:
            continue
        kept = grid.rewards.cumprod(axis=1) if board.track.protocol == "fail-stop" else grid.rewards
        own = passed.setdefault(entry.id, {step: [] for step in steps})
        for step in steps:
            marks = [float(each) for each in kept[:, list(grid.rounds).index(step)]]
            own[step].append((max(marks), sum(marks) / len(marks), min(marks)))
    if not passed:
        return None
    pooled = {step: [each for own in passed.values() for each in own[step]] for step in steps}
    names = ("Any attempt", "Mean of attempts", "Every attempt")
    values = [[_mean(found, at) for found in pooled.values()] for at in range(len(names))]
    looks = ("first", "all", "second")
    curves = [Curve(*each) for each in zip(names, values, looks, strict=True)]
    ratios = [
        f"{100 * every / some:.0f} %" if some else "none"
        for some, every in zip(values[0], values[2], strict=True)
    ]
    word = board.benchmark.round_word
    return Chart(
        id="attempts",
        title="Any attempt, and every attempt",
        sentence=f"Over {board.track.attempts} attempts of each agent at a task, all agents pooled; every point is "
        f"over {whole.over}. Of what any attempt passes, every one passes {ratios[0]} at {word.lower()} {steps[0]} and "
        f"{ratios[-1]} at {word.lower()} {steps[-1]}.",
        panels=[Curves("Pass rate (%)", word, list(map(str, steps)), curves)],
        table=Table(
            ["Agent", *names],
            [
                (
                    words.names[row],
                    [
                        f"{_mean([each for found in own.values() for each in found], at):.1f}"
                        for at in range(3)
                    ],
                )
                for row, own in passed.items()
            ],
        ),
    )


def _mean(found: list[tuple[float, ...]], at: int) -> float:
    """The mean of one place, in percent."""
    return 100 * sum(each[at] for each in found) / len(found)
