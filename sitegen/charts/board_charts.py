"""The charts of a board: cases and rounds, effort, release dates, kinds of tasks, and rounds."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import fsum

from sitegen.board import GAP, Board, Entry
from sitegen.board.inference.robustness import PassRatesAfter, Robustness
from sitegen.board.splits import Group, Split
from sitegen.board.wording import joined, score_noun, value_title
from sitegen.charts.chart import (
    AxisScale,
    Bar,
    Chart,
    ChartLabels,
    Cloud,
    Curve,
    CurveLook,
    Curves,
    Dot,
    Panel,
    Plot,
    Ranking,
    ReferenceLine,
    StripPanel,
    Strips,
    Table,
)
from sitegen.metrics import failstop
from sitegen.metrics.catalogue import CASE_SCORE, DATASET_SCORE
from sitegen.metrics.diagnostics import Diagnostic, Line, Share
from sitegen.metrics.failstop import MT_AT_K, SR
from sitegen.metrics.intervals import interval_ends
from sitegen.metrics.metric import Effort, Metric
from sitegen.metrics.rates import Rate
from sitegen.problems import agreeing, counted, plural

MOST = 30
"""Maximum number of rows that a chart of a long board shows."""

MAX_ROWS = 200
"""Maximum number of rows that charts draw in full; with more, they draw the first `MOST`."""

FEWEST = 3
"""Minimum number of agents in a chart with a front."""

FEWEST_KINDS = 2
"""Minimum number of kinds of tasks, and of agents on each kind, for a comparison."""

EFFORTS: tuple[Effort, ...] = ("cost", "steps", "tokens")

_MAX_NAMES = 5
"""Maximum number of agents on a front that a sentence names."""

_MIN_TASKS = 5
"""Minimum number of tasks behind a drawn rate of a round; tables list all rates."""

Offer = tuple[float, float]
"""A cost, where less is better, and a worth, where more is better."""


def board_charts(board: Board, labels: ChartLabels) -> Sequence[Chart]:
    """Return the charts that a board's data allows, the most informative first.

    There are no charts if scores cannot be ranked, for example because they were measured by
    several versions of a definition.
    """
    if not board.ranks:
        return []
    charts = (
        cases_chart(board, labels),
        curve_chart(board, labels),
        reference_chart(board, labels),
        effort_chart(board, labels),
        released_chart(board, labels),
        splits_chart(board, labels),
    )
    drawn = available_charts(charts)
    if len(board.entries) > MAX_ROWS:
        drawn = [first_agents(board, chart, labels) for chart in drawn]
    return drawn


def first_agents(board: Board, chart: Chart, labels: ChartLabels) -> Chart:
    """Return a chart with only the best agents of a board, and agents on a Pareto front.

    Its title and its sentence are still about all agents.
    """
    agents = set(range(min(MOST, len(board.entries))))
    for panel in chart.panels:
        if isinstance(panel, Cloud):
            agents.update(dot.agent for dot in panel.dots if dot.is_front)
    panels = [_panel_of_agents(panel, agents) for panel in chart.panels]
    left_out = set()
    for index, entry in enumerate(board.entries):
        if index not in agents:
            left_out.add(labels.names[entry.id])
    table = chart.table
    if table:
        lines = [line for line in table.lines if line[0] not in left_out]
        table = table._replace(lines=lines)
    shown = f"the best {MOST} of {len(board.entries):,} agents"
    if len(agents) > MOST:
        shown = f"{shown} and those on a front"
    note = f"Only {shown} are shown; the CSV file of the board has the scores of all."
    return replace(chart, sentence=f"{chart.sentence} {note}", panels=panels, table=table)


def _panel_of_agents(panel: Panel | Plot, agents: Collection[int]) -> Panel | Plot:
    """Return a panel with only some of its agents, given by their indices on the board."""
    if isinstance(panel, Cloud):
        return replace(panel, dots=[dot for dot in panel.dots if dot.agent in agents])
    if isinstance(panel, Strips):
        strips = []
        for strip in panel.strips:
            ticks = [tick for tick in strip.ticks if tick.agent in agents]
            strips.append(replace(strip, ticks=ticks))
        return replace(panel, strips=strips)
    return panel


def available_charts(charts: Iterable[Chart | None]) -> list[Chart]:
    """Return the charts that the data allows, in order."""
    available = []
    for chart in charts:
        if chart:
            available.append(chart)
    return available


def scale_of(metric: Metric, labels: ChartLabels) -> AxisScale:
    """Return the scale of an axis that shows a metric."""
    return AxisScale(labels.axis(metric), metric.highest)


def baseline_lines(board: Board, metric: Metric, labels: ChartLabels) -> list[ReferenceLine]:
    """Return the scores of a board's baselines, to be drawn as lines; gaps are left out."""
    lines = []
    for entry in board.apart:
        value = entry.value(metric.id)
        if entry.apart == "baseline" and value is not None and not entry.has_missing_tasks:
            name = labels.names.get(entry.id, entry.agent.name)
            lines.append(ReferenceLine(name, value, entry.text(metric.id)))
    return lines


def cases_chart(board: Board, labels: ChartLabels) -> Chart | None:
    """Return a chart of cases passed against rounds passed; None if a row lacks either score."""
    dots = _dots(board, CASE_SCORE, DATASET_SCORE, labels, "{y} against {x}")
    if len(dots) < max(FEWEST, len(board.ranks)):
        return None
    widest = max(dots, key=lambda dot: dot.x - dot.y)
    entry = board.entries[widest.agent]
    round_word = board.benchmark.round_word.lower()
    cases = entry.text(CASE_SCORE.id)
    rounds = entry.text(DATASET_SCORE.id)
    x_scale = scale_of(CASE_SCORE, labels)
    y_scale = scale_of(DATASET_SCORE, labels)
    references = baseline_lines(board, DATASET_SCORE, labels)
    name = f"{plural(round_word)} passed = cases passed"
    cloud = Cloud(x_scale, y_scale, dots, name, references=references)
    rule = f"A {round_word} counts as passed only if every case in it passes."
    return Chart(
        id="cases",
        title=f"{widest.name} passes {cases} % of cases and {rounds} % of {plural(round_word)}",
        sentence=f"This is the widest gap among the {len(dots)} agents. {rule}",
        panels=[cloud],
        table=_scores_table(board, dots, (CASE_SCORE, DATASET_SCORE), labels),
    )


def curve_chart(board: Board, labels: ChartLabels) -> Chart | None:
    """Return a chart of pass rates by round on the same tasks.

    None if rounds have no order, or if there are too few.
    """
    has_order = board.benchmark.ordered and board.track.protocol != "once"
    if not board.submissions or not has_order:
        return None
    diagnostic = board.diagnosis.by_round()
    steps = curve_labels(diagnostic)
    together_values = curve_of(diagnostic)
    if len(steps) < FEWEST or len(together_values) < len(steps):
        return None
    complete = [entry for entry in board.submissions if not entry.has_missing_tasks]
    curves = _agent_curves(board, complete, len(steps), labels)
    together = Curve(f"all {len(complete)} agents", together_values, "all")
    lines = []
    for curve in (*curves, together):
        lines.append((curve.name, share_texts(curve.values)))
    if len(complete) > 1:
        curves.append(together)
    round_word = board.benchmark.round_word
    verdict = diagnostic.columns[diagnostic.key]
    first = together_values[0]
    title = f"{verdict} by {round_word.lower()}"
    if len(complete) > 1 and first > max(together_values[1:]):
        title = f"{round_word} {steps[0]} is passed most often"
    last = together_values[-1]
    sentence = (
        f"{verdict} across all agents: {first:.1f} % at {round_word.lower()} {steps[0]} and "
        f"{last:.1f} % at {round_word.lower()} {steps[-1]}. Every point covers {diagnostic.over}."
    )
    panel = Curves(f"{verdict} (%)", round_word, steps, curves)
    table = Table(["Agent", *step_heads(round_word, steps)], lines)
    return Chart(id="curve", title=title, sentence=sentence, panels=[panel], table=table)


def curve_labels(diagnostic: Diagnostic) -> list[str]:
    """Return the labels of the steps of a diagnostic's curve."""
    return [line.label for line in diagnostic.curve]


def step_heads(round_word: str, steps: Sequence[str]) -> list[str]:
    """Return the column heads for values at each step: "Round 1"."""
    return [f"{round_word} {step}" for step in steps]


def _agent_curves(
    board: Board, entries: Sequence[Entry], step_count: int, labels: ChartLabels
) -> list[Curve]:
    """Return the curves of the first rows whose values are known at every step."""
    curves = []
    looks: Mapping[int, CurveLook] = {0: "first", 1: "second"}
    for index, entry in enumerate(entries[:MOST]):
        values = curve_of(board.diagnosis.by_round(entry.id))
        if len(values) == step_count:
            curves.append(Curve(labels.names[entry.id], values, looks.get(index, "")))
    return curves


def curve_of(diagnostic: Diagnostic) -> list[float]:
    """Return the share that passes at each step of a curve, in percent; gaps are left out."""
    return list(shares_of(diagnostic, diagnostic.curve).values())


def share_texts(shares: Sequence[float]) -> list[str]:
    """Return shares in percent as texts."""
    return [f"{share:.1f}" for share in shares]


def shares_of(diagnostic: Diagnostic, lines: Sequence[Line]) -> dict[str, float]:
    """Return the key column of a diagnostic's lines in percent, by label; gaps are left out."""
    shares = {}
    for line in lines:
        cell = line.cells[diagnostic.key]
        if isinstance(cell, Share) and cell.value is not None:
            shares[line.label] = 100 * cell.value
    return shares


def released_chart(board: Board, labels: ChartLabels) -> Chart | None:
    """Return a chart of the headline score by model release day; None if too few days are known."""
    metric = board.headline
    title = labels.title(metric)
    dots = []
    lines = []
    for index, entry in enumerate(board.entries):
        day = entry.agent.model_released
        value = entry.value(metric.id)
        if day is None or value is None or entry.has_missing_tasks:
            continue
        name = labels.names[entry.id]
        text = entry.text(metric.id)
        low, high = interval_ends(board.inference.interval(entry, metric.id))
        x = float(day.toordinal())
        dots.append(Dot(index, name, x, value, f"{text}, {day}", low, high))
        lines.append((name, [str(day), text]))
    days = {dot.x for dot in dots}
    if len(dots) < FEWEST or len(days) == 1:
        return None
    sentences = [_record_sentence(dots, metric)]
    if any(dot.low is not None for dot in dots):
        sentences.append(f"Lines are {metric.interval_words}s.")
    unknown = len(board.ranks) - len(dots)
    if unknown:
        sentences.append(f"The release date is unknown for {counted(unknown, 'agent')}.")
    references = baseline_lines(board, metric, labels)
    released = AxisScale("Model released")
    cloud = Cloud(released, scale_of(metric, labels), dots, is_dated=True, references=references)
    return Chart(
        id="released",
        title=f"{title} by model release date",
        sentence=" ".join(sentences),
        panels=[cloud],
        table=Table(["Agent", "Model released", labels.axis(metric)], lines),
    )


def _record_sentence(dots: Sequence[Dot], metric: Metric) -> str:
    """Return a sentence on how the best score changed from the first model to the best model."""
    by_day = sorted(dots, key=lambda dot: (dot.x, _as_cost(dot.y, metric)))
    first = by_day[0]
    best = min(by_day, key=lambda dot: _as_cost(dot.y, metric))
    superlative = "highest" if metric.direction == "higher" else "lowest"
    if best is first:
        return f"No later model has a better score than {_dated_score(first)}."
    return (
        f"The {superlative} score so far went from {_dated_score(first)} "
        f"to {_dated_score(best)}; intervals are ignored."
    )


def _dated_score(dot: Dot) -> str:
    """Return a score with its agent and its model's release day."""
    score, day = dot.text.rsplit(", ", 1)
    return f"{score} ({dot.name}, {day})"


def reference_chart(board: Board, labels: ChartLabels) -> Chart | None:
    """Return a chart of SR, rounds passed from the reference state, against MT@k, on own work.

    None if too few rows have both scores.
    """
    dots = _dots(board, MT_AT_K, SR, labels, "{y} against {x}")
    if len(dots) < FEWEST:
        return None
    title = labels.title(MT_AT_K)
    reference_title = labels.title(SR)
    above = 0
    for dot in dots:
        above += dot.y > dot.x
    lie = agreeing(above, "lies", "lie")
    round_word = board.benchmark.round_word.lower()
    sentence = (
        f"{reference_title} starts every {round_word} from the reference state; {title} starts "
        "from the agent's own work. On the diagonal, building on its own work costs an agent "
        f"nothing; above it, the agent loses {plural(round_word)}. {above} of {len(dots)} agents "
        f"{lie} above the diagonal."
    )
    references = baseline_lines(board, SR, labels)
    x_scale = scale_of(MT_AT_K, labels)
    y_scale = scale_of(SR, labels)
    cloud = Cloud(x_scale, y_scale, dots, f"SR = {title}", references=references)
    return Chart(
        id="reference",
        title=f"{reference_title} against {title}",
        sentence=sentence,
        panels=[cloud],
        table=_scores_table(board, dots, (MT_AT_K, SR, failstop.GAP), labels),
    )


def _dots(board: Board, x: Metric, y: Metric, labels: ChartLabels, template: str) -> list[Dot]:
    """Return a dot for each complete row that has both scores.

    `template` becomes the text of a dot, with both scores for `{x}` and `{y}`.
    """
    dots = []
    for index, entry in enumerate(board.entries):
        x_value = entry.value(x.id)
        y_value = entry.value(y.id)
        if x_value is None or y_value is None or entry.has_missing_tasks:
            continue
        name = labels.names[entry.id]
        text = template.format(x=entry.text(x.id), y=entry.text(y.id))
        interval = board.inference.interval(entry, y.id)
        low, high = interval_ends(interval)
        dots.append(Dot(index, name, x_value, y_value, text, low, high))
    return dots


def _scores_table(
    board: Board, dots: Sequence[Dot], metrics: Sequence[Metric], labels: ChartLabels
) -> Table:
    """Return the scores of the rows that are drawn."""
    lines = []
    for dot in dots:
        entry = board.entries[dot.agent]
        texts = [entry.text(metric.id) for metric in metrics]
        lines.append((dot.name, texts))
    return Table(["Agent", *map(labels.axis, metrics)], lines)


_Efforts = Sequence[tuple[Metric, Cloud]]
"""The headline score against each kind of effort."""


def effort_chart(board: Board, labels: ChartLabels) -> Chart | None:
    """Return a chart of the headline score against effort; None if no kind of effort is known."""
    headline = board.headline
    efforts = list(_efforts(board, labels))
    if not efforts:
        return None
    title = labels.title(headline)
    sentences = [_FRONT_SENTENCE, _lines_sentence(headline, efforts)]
    for metric, cloud in efforts:
        sentences.append(_front_sentence(metric, cloud, headline, labels))
    sentences.append(_untested_sentence(efforts, labels))
    effort_titles = []
    panels = []
    for metric, cloud in efforts:
        effort_titles.append(labels.title(metric))
        panels.append(cloud)
    return Chart(
        id="effort",
        title=f"{title} against {joined(effort_titles)}",
        sentence=" ".join(filter(None, sentences)),
        panels=panels,
        table=_effort_table(board, efforts, labels),
    )


_FRONT_SENTENCE = (
    "Filled dots are on the Pareto front, where no other agent is better on both axes; "
    "intervals are ignored."
)


def _effort_table(board: Board, efforts: _Efforts, labels: ChartLabels) -> Table:
    """Return the headline score and the effort of each agent that is drawn in any panel."""
    heads = ["Agent", labels.axis(board.headline)]
    dots_by_metric = {}
    drawn_agents: set[int | None] = set()
    for metric, cloud in efforts:
        heads.append(labels.axis(metric))
        dots_by_agent = {dot.agent: dot for dot in cloud.dots}
        dots_by_metric[metric.id] = dots_by_agent
        drawn_agents.update(dots_by_agent)
    lines = []
    for index, entry in enumerate(board.entries):
        if index not in drawn_agents:
            continue
        texts = [entry.text(board.headline.id)]
        for metric, _ in efforts:
            dot = dots_by_metric[metric.id].get(index)
            texts.append(_effort_text(entry, metric, dot))
        lines.append((labels.names[entry.id], texts))
    return Table(heads, lines)


def _lines_sentence(headline: Metric, efforts: _Efforts) -> str:
    """Return a sentence on the meaning of the lines through dots; empty if no dot has a line."""
    has_score_lines = False
    across_nouns = []
    for metric, cloud in efforts:
        for dot in cloud.dots:
            if dot.low is not None:
                has_score_lines = True
            if dot.x_low is not None:
                across_nouns.append(f"{metric.interval_words}s of the effort")
    nouns = list(dict.fromkeys(across_nouns))
    if has_score_lines:
        nouns.insert(0, f"{headline.interval_words}s of the score")
    if not nouns:
        return ""
    return f"Lines are {joined(nouns)}."


def _effort_text(entry: Entry, metric: Metric, dot: Dot | None) -> str:
    """Return an agent's effort as text, marked if it is on the front or can't be on it."""
    text = entry.text(metric.id)
    if dot is None:
        return text
    if dot.note:
        return f"{text} ({dot.note})"
    if dot.is_front:
        return f"{text} (front)"
    return text


def _efforts(board: Board, labels: ChartLabels) -> Iterator[tuple[Metric, Cloud]]:
    """Yield each kind of effort that the data allows, with the headline score against it.

    If several metrics measure one kind of effort, the metric that most agents have is used, and
    among equals the metric defined on more protocols. An agent whose total is unknown is therefore
    drawn with its mean, and marked.
    """
    headline = board.headline
    for effort in EFFORTS:
        metrics = [metric for metric in board.metrics.values() if metric.effort == effort]
        metrics.sort(key=lambda metric: -len(metric.protocols))
        dots_by_metric = [(metric, _effort_dots(board, metric, labels)) for metric in metrics]
        metric, dots = max(dots_by_metric, key=lambda metric_dots: len(metric_dots[1]))
        if len(dots) >= FEWEST:
            x_scale = scale_of(metric, labels)
            y_scale = scale_of(headline, labels)
            references = baseline_lines(board, headline, labels)
            yield metric, Cloud(x_scale, y_scale, dots, references=references)


def _effort_dots(board: Board, metric: Metric, labels: ChartLabels) -> list[Dot]:
    """Return agents by their effort and headline score; agents on the front are marked."""
    headline = board.headline
    dots = []
    for dot in _dots(board, metric, headline, labels, "{y} at {x}"):
        entry = board.entries[dot.agent]
        interval = board.inference.interval(entry, metric.id)
        x_low, x_high = interval_ends(interval)
        note = _exclusion_note(board, entry, metric)
        dots.append(replace(dot, x_low=x_low, x_high=x_high, note=note))
    candidates = [dot for dot in dots if not dot.note]
    offers = []
    for dot in candidates:
        cost = _as_cost(dot.x, metric)
        worth = -_as_cost(dot.y, headline)
        offers.append((cost, worth))
    front = {candidates[index].agent for index in pareto_front(offers)}
    return [replace(dot, is_front=dot.agent in front) for dot in dots]


def _exclusion_note(board: Board, entry: Entry, metric: Metric) -> str:
    """Return the reason why a row can't be on the front; empty if it can be.

    Costs can't be compared if they cover only some of the rounds or attempts, or if they are 0 and
    the agent is not declared free. On a board with recomputed scores, published scores are not
    compared either.
    """
    score = entry.scores[metric.id]
    if score.missing_note:
        return score.missing_note
    if metric.is_total and entry.attempts_words:
        return entry.attempts_words
    if metric.effort == "cost" and score.value == 0 and not entry.agent.free:
        return "not declared free"
    return "" if entry.id in board.ranks else "published, not ranked"


def _front_sentence(metric: Metric, cloud: Cloud, headline: Metric, labels: ChartLabels) -> str:
    """Return sentences on who is on the front, who is clearly off it, and who is not compared."""
    title = labels.title(metric)
    by_effort = sorted(cloud.dots, key=lambda dot: _as_cost(dot.x, metric))
    front_dots = [dot for dot in by_effort if dot.is_front]
    front = [dot.name for dot in front_dots]
    candidates = []
    off_front = []
    excluded = []
    for dot in cloud.dots:
        if dot.note:
            excluded.append(f"{dot.name} ({dot.note})")
            continue
        candidates.append(dot)
        if not dot.is_front:
            off_front.append(dot)
    sentences = [f"No agents can be compared by {title}."]
    if front:
        sentences = [
            _lowest_sentence(front_dots[0], metric, title),
            f"On the front by {title}: {_first_names(front)}.",
        ]
    if off_front and _can_test(candidates):
        sentences.append(_others_sentence(off_front, candidates, metric, headline))
    if excluded:
        names = _first_names(excluded)
        sentences.append(f"Not compared (dashed outline): {names}.")
    return " ".join(sentences)


def _lowest_sentence(dot: Dot, metric: Metric, title: str) -> str:
    """Return a sentence on the agent with the lowest effort, which is the first on the front."""
    score, amount = dot.text.split(" at ")
    if metric.unit.upper() == "USD":
        amount = f"{amount} USD"
    return f"{dot.name} has the lowest {score_noun(metric, title)} ({amount}) and scores {score}."


def _can_test(dots: Sequence[Dot]) -> bool:
    """Return whether any agent has an interval on both axes."""
    return any(dot.x_low is not None and dot.low is not None for dot in dots)


def _untested_sentence(efforts: _Efforts, labels: ChartLabels) -> str:
    """Return a sentence on efforts by which no agent can be shown to be off the front, if any."""
    titles = []
    dots: list[Dot] = []
    for metric, cloud in efforts:
        candidates = [dot for dot in cloud.dots if not dot.note]
        has_others = any(not dot.is_front for dot in candidates)
        if has_others and not _can_test(candidates):
            titles.append(labels.title(metric))
            dots += candidates
    if not titles:
        return ""
    has_score_intervals = any(dot.low is not None for dot in dots)
    has_effort_intervals = any(dot.x_low is not None for dot in dots)
    reason = "There are no intervals"
    if has_score_intervals and has_effort_intervals:
        reason = "No agent has intervals on both axes"
    elif has_score_intervals:
        reason = "Only the score has intervals"
    elif has_effort_intervals:
        reason = "Only the effort has intervals"
    by = f" by {joined(titles)}" if len(titles) < len(efforts) else ""
    return f"{reason}, so no other agent can be shown to be off the front{by}."


def _first_names(names: Sequence[str]) -> str:
    """Return the first names of a list for a sentence, and the number of further names."""
    shown = list(names[:_MAX_NAMES])
    if len(names) > _MAX_NAMES:
        shown.append(f"{len(names) - _MAX_NAMES} more")
    return joined(shown)


def _others_sentence(
    off_front: Sequence[Dot], candidates: Sequence[Dot], metric: Metric, headline: Metric
) -> str:
    """Return a sentence on how many of the agents off the front are shown to be off it."""
    beaten = 0
    for dot in off_front:
        beaten += any(_is_beaten(dot, candidate, metric, headline) for candidate in candidates)
    close = len(off_front) - beaten
    subject = agreeing(len(off_front), "The other agent", f"The {len(off_front)} other agents")
    verb = agreeing(len(off_front), "is", "are")
    if not beaten:
        return f"{subject} {verb} too close to call: intervals overlap on at least one axis."
    if not close:
        return f"{subject} {verb} clearly beaten on both axes: the intervals do not overlap."
    beaten_verb = agreeing(beaten, "is", "are")
    close_verb = agreeing(close, "is", "are")
    return (
        f"{beaten} of the {len(off_front)} other agents {beaten_verb} clearly beaten on both axes "
        f"(the intervals do not overlap), and {close} {close_verb} too close to call."
    )


def _is_beaten(dot: Dot, rival: Dot, metric: Metric, headline: Metric) -> bool:
    """Return whether another agent's intervals are better and do not overlap, on both axes."""
    is_cheaper = _is_better((rival.x_low, rival.x_high), (dot.x_low, dot.x_high), metric)
    scores_better = _is_better((rival.low, rival.high), (dot.low, dot.high), headline)
    return is_cheaper and scores_better


_Ends = tuple[float | None, float | None]
"""Both ends of an interval; both None if there is no interval."""


def _is_better(ends: _Ends, other_ends: _Ends, metric: Metric) -> bool:
    """Return whether an interval lies entirely on the better side of another interval."""
    below = other_ends
    above = ends
    if metric.direction == "lower":
        below = ends
        above = other_ends
    below_end = below[1]
    above_end = above[0]
    if below_end is None or above_end is None:
        return False
    return below_end < above_end


def pareto_front(offers: Sequence[Offer]) -> list[int]:
    """Return the indices of the offers that no other offer beats.

    An offer beats another if it costs as much or less and is worth as much or more; equal offers do
    not beat each other.

    Returns:
        The indices in order of rising cost; equal offers keep their order.
    """

    def is_beaten(offer: Offer) -> bool:
        cost, worth = offer
        for rival in offers:
            rival_cost, rival_worth = rival
            if rival_cost <= cost and rival_worth >= worth and rival != offer:
                return True
        return False

    unbeaten = []
    for index, offer in enumerate(offers):
        if not is_beaten(offer):
            unbeaten.append(index)
    return sorted(unbeaten, key=lambda index: offers[index])


def _as_cost(value: float, metric: Metric) -> float:
    """Return a value that is better if it is lower: the value itself or its negative."""
    return value if metric.direction == "lower" else -value


def splits_chart(board: Board, labels: ChartLabels) -> Chart | None:
    """Return a chart of the headline score by kind of task; None if no kinds can be compared."""
    panels = split_panels(board, labels)
    if not panels:
        return None
    title = labels.title(board.headline)
    marks = "Each mark is an agent, and the long mark is the mean over agents."
    sentences = [f"{title} by kind of task. {marks}"]
    groups: list[Group] = []
    for split, panel in panels:
        groups += split.groups
        ordered = sorted(panel.strips, key=lambda strip: strip.mean)
        least = _mean_text(ordered[0], board.headline)
        highest = _mean_text(ordered[-1], board.headline)
        sentences.append(f"By {split.title.lower()}, the mean ranges from {least} to {highest}.")
        sentences.append(split.left_out)
    return Chart(
        id="splits",
        title=f"{title} by {_axes(panels)}",
        sentence=" ".join(filter(None, sentences)),
        panels=[panel for _, panel in panels],
        table=_groups_table(board, groups, labels),
    )


def _groups_table(board: Board, groups: Sequence[Group], labels: ChartLabels) -> Table:
    """Return the score of each row on each kind of task; rows without any score are left out."""
    heads = ["Agent"]
    for group in groups:
        heads.append(value_title(group.value))
    lines = []
    for entry in board.entries:
        texts = []
        has_score = False
        for group in groups:
            score = group.scores.get(entry.id)
            if score is None:
                texts.append(GAP)
                continue
            has_score = True
            texts.append(score.text)
        if has_score:
            lines.append((labels.names[entry.id], texts))
    return Table(heads, lines)


def _mean_text(strip: StripPanel, metric: Metric) -> str:
    return f"{strip.mean:.{metric.decimals}f} ({strip.title})"


def entry_splits_chart(board: Board, entry: Entry, labels: ChartLabels) -> Chart | None:
    """Return a chart of a row's headline score by kind of task; None if it has no such score.

    The other agents of the board are shown for comparison.
    """
    panels = split_panels(board, labels)
    index = _row_index(board, entry)
    strips: list[StripPanel] = []
    for _, panel in panels:
        strips += panel.strips
    if index is None or not any(strip.tick(index) for strip in strips):
        return None
    metric = board.headline
    name = labels.names[entry.id]
    lines = []
    for strip in strips:
        tick = strip.tick(index)
        own_text = tick.text if tick else GAP
        mean = f"{strip.mean:.{metric.decimals}f}"
        ordered = sorted(strip.ticks, key=lambda tick: tick.value)
        lowest = ordered[0].text
        highest = ordered[-1].text
        lines.append((strip.title, [own_text, mean, lowest, highest]))
    sentence = (
        f"{labels.title(metric)} by kind of task: the thick mark is {name}, the thin marks are the "
        "other agents of the board, and the long mark is the mean over all agents."
    )
    heads = ["Tasks", f"{name}, {labels.axis(metric)}", "Mean of all", "Lowest", "Highest"]
    return Chart(
        id="splits",
        title=f"{labels.title(metric)} by {_axes(panels)}",
        sentence=sentence,
        panels=[panel for _, panel in panels],
        table=Table(heads, lines),
    )


def _row_index(board: Board, entry: Entry) -> int | None:
    """Return the index of a row among the rows shown; None if it is not shown."""
    for index, row in enumerate(board.entries):
        if row is entry:
            return index
    return None


def split_panels(board: Board, labels: ChartLabels) -> list[tuple[Split, Strips]]:
    """Return the panels of the headline score by kind of task, each with its split.

    If the board has no ranks, the scores are not comparable, and there are no panels.
    """
    panels = []
    if not board.ranks:
        return []
    scale = scale_of(board.headline, labels)
    for split in board.splits:
        strips = []
        for group in split.groups:
            strip = _strip(board, group, labels)
            if len(strip.ticks) >= FEWEST_KINDS:
                strips.append(strip)
        if len(strips) >= FEWEST_KINDS:
            panel = Strips(split.title.lower(), scale, strips)
            panels.append((split, panel))
    return panels


def _strip(board: Board, group: Group, labels: ChartLabels) -> StripPanel:
    """Return the scores of all complete rows on one kind of task, with their mean."""
    ticks = []
    for index, entry in enumerate(board.entries):
        score = group.scores.get(entry.id)
        if score is None or score.value is None or entry.has_missing_tasks:
            continue
        name = labels.names[entry.id]
        ticks.append(Bar(index, name, score.value, score.text))
    title = value_title(group.value)
    if group.tasks:
        title = f"{title}, {counted(group.tasks, 'task')}"
    values = [tick.value for tick in ticks]
    mean = fsum(values) / max(1, len(ticks))
    return StripPanel(title, ticks, mean)


def _axes(panels: Sequence[tuple[Split, Strips]]) -> str:
    titles = [split.title.lower() for split, _ in panels]
    return " and ".join(titles)


def robustness_charts(robustness: Robustness, labels: ChartLabels) -> Sequence[Chart]:
    """Return charts on how results hold from round to round; empty if the data allows none."""
    charts = (_keeping_chart(robustness, labels), _breakdown_chart(robustness))
    return available_charts(charts)


def _keeping_chart(robustness: Robustness, labels: ChartLabels) -> Chart | None:
    """Return a chart of pass rates right after a passed and a failed round; None if not known."""
    keeping = [line for line in robustness.pass_rates_after if line.after_pass or line.after_fail]
    if not keeping:
        return None
    names = []
    lines = []
    rates_by_verdict: dict[str, list[Rate | None]] = {"passed": [], "failed": []}
    for line in keeping:
        name = _keeping_name(line, labels)
        texts = [*_rate_texts(line.after_pass), *_rate_texts(line.after_fail)]
        names.append(name)
        lines.append((name, texts))
        rates_by_verdict["passed"].append(line.after_pass)
        rates_by_verdict["failed"].append(line.after_fail)
    round_word = robustness.board.benchmark.round_word.lower()
    clauses: list[str] = []
    panels = []
    for verdict, rates in rates_by_verdict.items():
        together = rates[0]
        if together and clauses:
            clauses.append(f"{share_text(together)} when it {verdict}")
        elif together:
            passing = f"{share_text(together)} of {plural(round_word)} pass"
            clauses.append(f"{passing} when the previous {round_word} {verdict}")
        bars = []
        for name, rate in zip(names[:MOST], rates, strict=False):
            if rate:
                bars.append(share_bar(name, rate))
        if bars:
            scale = AxisScale(f"Pass rate after a {round_word} that {verdict} (%)", 100.0)
            panels.append(Ranking(scale, bars))
    heads = ["Agent", "Pass rate after a pass", "k of n", "Pass rate after a failure", "k of n"]
    return Chart(
        id="keeping",
        title=f"Pass rate after a {round_word} that passed or failed",
        sentence=f"Across all agents, {' and '.join(clauses)}. Intervals are over tasks.",
        panels=panels,
        table=Table(heads, lines),
    )


def _keeping_name(keeping: PassRatesAfter, labels: ChartLabels) -> str:
    return labels.names[keeping.entry.id] if keeping.entry else "All agents"


def _breakdown_chart(robustness: Robustness) -> Chart | None:
    """Return a chart of the rounds in which attempts fail after passing all earlier rounds.

    None if that is not known.
    """
    breakdowns = robustness.breakdowns
    if not breakdowns:
        return None
    name = robustness.board.benchmark.round_word
    round_word = name.lower()
    drawn_rates = []
    bars = []
    lines = []
    for number, tasks, rate in breakdowns:
        lines.append((str(number), [*_rate_texts(rate), str(tasks)]))
        if tasks >= _MIN_TASKS:
            drawn_rates.append(rate)
            bars.append(share_bar(f"{name} {number}", rate))
    first = ""
    if drawn_rates:
        first = f" At {round_word} 1, {share_text(drawn_rates[0])} fail."
    thin = ""
    if len(bars) < len(breakdowns):
        thin = (
            f"; {plural(round_word)} with fewer than {_MIN_TASKS} such tasks are only in the table"
        )
    sentence = (
        f"The share of attempts that fail at each {round_word}, among the attempts that passed "
        f"every earlier {round_word}.{first} Each {round_word} covers the tasks in which some "
        f"attempt passed all earlier {plural(round_word)}{thin}."
    )
    scale = AxisScale(f"Failed here after passing all earlier {plural(round_word)} (%)", 100.0)
    panels = []
    if bars:
        panels.append(Ranking(scale, bars))
    return Chart(
        id="breakdown",
        title="Where work breaks down",
        sentence=sentence,
        panels=panels,
        table=Table([name, "Failed here", "k of n", "Tasks"], lines),
    )


def share_bar(name: str, rate: Rate) -> Bar:
    """Return a share in percent as a bar that belongs to no single agent."""
    value = 100 * rate.k / rate.n
    text = f"{value:.1f}"
    if rate.interval is None:
        return Bar(None, name, value, text)
    low = 100 * rate.interval.low
    high = 100 * rate.interval.high
    return Bar(None, name, value, text, low, high)


def _rate_texts(rate: Rate | None) -> Sequence[str]:
    """Return a share in percent, with the count behind it."""
    if rate is None:
        return (GAP, GAP)
    return (share_text(rate), f"{rate.k:,} of {rate.n:,}")


def share_text(rate: Rate) -> str:
    """Return a share in percent, with its interval."""
    share = f"{100 * rate.k / rate.n:.1f} %"
    if rate.interval is None:
        return share
    low = 100 * rate.interval.low
    high = 100 * rate.interval.high
    return f"{share} ({low:.1f} to {high:.1f})"
