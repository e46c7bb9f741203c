"""Analyses of attempts and of kinds of rounds, by agent."""

from collections.abc import Iterable, Sequence

from sitegen.board import Board
from sitegen.charts.analyses.points import complete_entries, is_ordered, task_results_of
from sitegen.charts.board_charts import FEWEST, MOST, curve_labels, share_texts
from sitegen.charts.chart import Chart, ChartLabels, Curve, CurveLook, Curves, Heat, Table
from sitegen.metrics.diagnostics import Diagnostic, Share
from sitegen.metrics.results import TaskResults
from sitegen.problems import plural

_BY_AGENT = ("targets", "labels", "recovery")
"""The diagnostics whose lines show how much agents differ."""


def kinds_charts(board: Board, labels: ChartLabels) -> list[Chart]:
    """Return charts by agent of kinds of rounds, and of failed rounds solved from the reference."""
    diagnostics = []
    for diagnostic in board.diagnosis.of_track:
        if diagnostic.id in _BY_AGENT:
            diagnostics.append(diagnostic)
    if not diagnostics:
        return []
    by_agent = {}
    for entry in complete_entries(board)[:MOST]:
        agent_diagnostics = board.diagnosis.of_submission(entry.id)
        by_agent[entry.id] = {diagnostic.id: diagnostic for diagnostic in agent_diagnostics}
    charts = []
    for diagnostic in diagnostics:
        together = _shares(diagnostic)
        rows = []
        for row, agent_diagnostics_by_id in by_agent.items():
            shares = _shares(agent_diagnostics_by_id.get(diagnostic.id))
            rows.append((labels.names[row], _percentages(shares, together)))
        if len(rows) > 1:
            rows.append(("All agents", _percentages(together, together)))
        title = f"{diagnostic.title}, by agent"
        columns = []
        for label, share in together.items():
            columns.append((label, str(share.n)))
        sentence = (
            f"{diagnostic.sentence} The number below each column head is the number of verdicts "
            "across all agents."
        )
        panel = Heat(title, columns, rows)
        charts.append(Chart(f"by-agent-{diagnostic.id}", title, sentence, [panel]))
    return charts


def _percentages(shares: dict[str, Share], labels: Iterable[str]) -> list[float | None]:
    """Return shares in percent, in the order of labels; None for a label without a share."""
    percentages: list[float | None] = []
    for label in labels:
        share = shares.get(label)
        percentage = 100 * share.k / share.n if share else None
        percentages.append(percentage)
    return percentages


def _shares(diagnostic: Diagnostic | None) -> dict[str, Share]:
    """Return the key column of a diagnostic by its lines, excluding shares whose n is 0."""
    if diagnostic is None:
        return {}
    shares = {}
    for line in diagnostic.lines:
        share = line.cells[diagnostic.key]
        if isinstance(share, Share) and share.n:
            name = f"{line.group}: {line.label}" if line.group else line.label
            shares[name] = share
    return shares


_Shares = tuple[float, float, float]
"""Whether any attempt of an agent at a task passes, the share that passes, and whether all pass."""

_ATTEMPT_CURVES = ("Any attempt", "Mean of attempts", "Every attempt")
_ATTEMPT_LOOKS: Sequence[CurveLook] = ("first", "all", "second")


def attempts_chart(board: Board, labels: ChartLabels) -> Chart | None:
    """Return a chart of how often any, the average and every attempt pass.

    None if the track asks for a single attempt, or if the data does not allow a chart.
    """
    if board.track.attempts == 1 or not is_ordered(board):
        return None
    diagnostic = board.diagnosis.by_round()
    steps = [int(line.label) for line in diagnostic.curve]
    if len(steps) < FEWEST:
        return None
    by_agent: dict[str, dict[int, list[_Shares]]] = {}
    for entry, task_results in task_results_of(board):
        has_all_steps = {*steps} <= {*task_results.rounds}
        if task_results.unmade_attempts or not has_all_steps:
            continue
        shares_by_step = by_agent.setdefault(entry.id, {step: [] for step in steps})
        task_shares = _step_shares(board, task_results, steps)
        for step, shares in zip(steps, task_shares, strict=True):
            shares_by_step[step].append(shares)
    if not by_agent:
        return None
    means = []
    for step in steps:
        pooled = _pooled(by_agent.values(), [step])
        means.append(_means(pooled))
    values_by_curve = zip(*means, strict=True)
    curves = []
    for name, values, look in zip(_ATTEMPT_CURVES, values_by_curve, _ATTEMPT_LOOKS, strict=True):
        curves.append(Curve(name, list(values), look))
    lines = []
    for row, shares_by_step in by_agent.items():
        agent_means = _means(_pooled([shares_by_step], steps))
        lines.append((labels.names[row], share_texts(agent_means)))
    round_word = board.benchmark.round_word
    noun = round_word.lower()
    sentence = (
        f"Of the {plural(noun)} that any attempt passes, all {board.track.attempts} attempts pass "
        f"{_ratio_text(means[0])} at {noun} {steps[0]} and {_ratio_text(means[-1])} at "
        f"{noun} {steps[-1]}. The agents are pooled, and every point covers {diagnostic.over}."
    )
    panel = Curves("Pass rate (%)", round_word, curve_labels(diagnostic), curves)
    return Chart(
        id="attempts",
        title="Passed by any attempt and by every attempt",
        sentence=sentence,
        panels=[panel],
        table=Table(["Agent", *_ATTEMPT_CURVES], lines),
    )


def _step_shares(board: Board, task_results: TaskResults, steps: Sequence[int]) -> list[_Shares]:
    """Return the shares of an agent's attempts at a task that pass each of some rounds.

    On a fail-stop track, no round passes after a failure.
    """
    rewards = task_results.rewards
    if board.track.protocol == "fail-stop":
        rewards = rewards.cumprod(axis=1)
    rounds = list(task_results.rounds)
    shares = []
    for step in steps:
        column = rounds.index(step)
        marks = [float(reward) for reward in rewards[:, column]]
        mean = sum(marks) / len(marks)
        shares.append((max(marks), mean, min(marks)))
    return shares


def _pooled(agents: Iterable[dict[int, list[_Shares]]], steps: Sequence[int]) -> list[_Shares]:
    """Return the shares of several agents at several steps in one list."""
    pooled: list[_Shares] = []
    for shares_by_step in agents:
        for step in steps:
            pooled += shares_by_step[step]
    return pooled


def _means(shares: Sequence[_Shares]) -> list[float]:
    """Return the mean of each of the three shares, in percent."""
    means = []
    for column in zip(*shares, strict=True):
        means.append(100 * sum(column) / len(shares))
    return means


def _ratio_text(means: Sequence[float]) -> str:
    """Return the rate of every attempt as a share of the rate of any attempt."""
    any_attempt, _, every_attempt = means
    if not any_attempt:
        return "none"
    return f"{100 * every_attempt / any_attempt:.0f} %"
