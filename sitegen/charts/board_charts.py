"""The charts of a board: cases against rounds, what scores took, when models came, by tasks; and how work holds."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import fsum

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.score import GAP
from sitegen.board.splits import Split
from sitegen.board.sureness import Sureness
from sitegen.charts.chart import Bar, Chart, Cloud, Curve, Curves, Dot, Ranking, Scale, Strip, Strips, Table, Words
from sitegen.metrics import failstop
from sitegen.metrics.catalogue import CASE_SCORE, DATASET_SCORE
from sitegen.metrics.diagnostics import Diagnostic, Line, Share
from sitegen.metrics.failstop import MT_AT_K, SR
from sitegen.metrics.metric import Effort, Metric
from sitegen.metrics.sureness import Rate
from sitegen.metrics.uncertainty import ends_of
from sitegen.problems import counted

MOST = 30
"""More rows would be a picture of a table."""

FEWEST = 3
"""Fewer agents make no front."""

FEWEST_KINDS = 2
"""One kind of tasks compares with nothing, and so does one agent."""

EFFORTS: tuple[Effort, ...] = ("cost", "steps", "tokens")

_NAMED = 5
"""So many agents of a front are named in a sentence."""

_FEW = 5
"""A round over fewer tasks is told, and no sentence comes from it."""

Offer = tuple[float, float]
"""What something costs and what it is worth: the less, the better, and the more, the better."""


def board_charts(board: Board, words: Words) -> Sequence[Chart]:
    """Make the charts of a board that its data allows, the most telling ones first.

    Scores that cannot be ranked, as by several versions of a definition, do not stand on one axis either.
    """
    makers = (
        (cases_chart, curve_chart, reference_chart, effort_chart, released_chart, splits_chart) if board.ranks else ()
    )
    return list(filter(None, (make(board, words) for make in makers)))


def scale_of(metric: Metric, words: Words) -> Scale:
    """Say what an axis measures that shows a metric."""
    return Scale(words.axis(metric), metric.highest)


def cases_chart(board: Board, words: Words) -> Chart | None:
    """Set the cases that agents pass against their rounds; None where a row lacks one of the two."""
    dots = _dots(board, CASE_SCORE, DATASET_SCORE, words, "{y} against {x}")
    if len(dots) < max(FEWEST, len(board.ranks)):
        return None
    widest = max(dots, key=lambda dot: dot.x - dot.y)
    entry, word = board.entries[widest.agent], board.benchmark.round_word.lower()
    cases, rounds = (entry.text(metric.id) for metric in (CASE_SCORE, DATASET_SCORE))
    return Chart(
        id="cases",
        title=f"{widest.name} passes {cases} % of cases and {rounds} % of {word}s",
        sentence=f"The widest gap of {len(dots)} agents. A {word} counts only when every case in it passes.",
        panels=[
            Cloud(scale_of(CASE_SCORE, words), scale_of(DATASET_SCORE, words), dots, f"{word}s passed = cases passed")
        ],
        table=_scores_of(board, dots, (CASE_SCORE, DATASET_SCORE), words),
    )


def curve_chart(board: Board, words: Words) -> Chart | None:
    """Follow the same tasks from round to round; None where they are too few, or rounds follow no order."""
    whole = board.diagnosis.by_round() if board.submissions and board.benchmark.ordered else None
    if whole is None or board.track.protocol == "once" or len(whole.curve) < FEWEST:
        return None
    standing = [entry for entry in board.submissions if not entry.is_incomplete]
    curves = []
    for place, entry in enumerate(standing[:MOST]):
        values = curve_of(board.diagnosis.by_round(entry.id))
        if len(values) == len(whole.curve):
            look = "first" if place == 0 else "second" if place == 1 else ""
            curves.append(Curve(words.names[entry.id], values, look))
    together = Curve(f"all {len(standing)} together", curve_of(whole), "all")
    if len(together.values) < len(whole.curve):
        return None
    word, verdict, steps = board.benchmark.round_word, whole.columns[whole.key], [line.label for line in whole.curve]
    first, last = together.values[0], together.values[-1]
    is_first = len(standing) > 1 and first > max(together.values[1:])
    lines = [(curve.name, [f"{value:.1f}" for value in curve.values]) for curve in (*curves, together)]
    return Chart(
        id="curve",
        title=f"Of {board.benchmark.rounds_word.lower()} {steps[0]} to {steps[-1]}, the first is passed most often"
        if is_first
        else f"{verdict} by {word.lower()}",
        sentence=f"{verdict} of all agents together: {first:.1f} % at {word.lower()} {steps[0]} and {last:.1f} % at "
        f"{word.lower()} {steps[-1]}. Every point is over {whole.over}.",
        panels=[Curves(f"{verdict} (%)", word, steps, [*curves, *([together] if len(standing) > 1 else [])])],
        table=Table(["Agent", *(f"{word} {step}" for step in steps)], lines),
    )


def curve_of(found: Diagnostic) -> list[float]:
    """List what share passes at each step of a curve, in percent; shorter than the curve where one is unknown."""
    return list(shares_of(found, found.curve).values())


def shares_of(found: Diagnostic, lines: Sequence[Line]) -> dict[str, float]:
    """The key column of a diagnostic's lines in percent, by their labels; those without a value are left out."""
    cells = {line.label: line.cells[found.key] for line in lines}
    return {
        label: 100 * each.value for label, each in cells.items() if isinstance(each, Share) and each.value is not None
    }


def released_chart(board: Board, words: Words) -> Chart | None:
    """Set the headline score against the day that models were released; None where too few days are known."""
    metric, title, dots, lines = board.headline, words.title(board.headline), [], []
    for place, entry in enumerate(board.entries):
        day, value = entry.agent.model_released, entry.value(metric.id)
        if day is None or value is None or entry.is_incomplete:
            continue
        sure, name, text = board.certainty.interval(entry, metric.id), words.names[entry.id], entry.text(metric.id)
        dots.append(Dot(place, name, float(day.toordinal()), value, f"{text}, {day}", *ends_of(sure)))
        lines.append((name, [str(day), text]))
    if len(dots) < FEWEST or len({dot.x for dot in dots}) == 1:
        return None
    left = len(board.ranks) - len(dots)
    return Chart(
        id="released",
        title=f"{title} by the day that the model was released",
        sentence="Lines are 95 % intervals." + (f" Of {counted(left, 'row')} the day is not known." if left else ""),
        panels=[Cloud(Scale("Model released"), scale_of(metric, words), dots, is_dated=True)],
        table=Table(["Agent", "Model released", words.axis(metric)], lines),
    )


def reference_chart(board: Board, words: Words) -> Chart | None:
    """Set SR against MT@k: what agents do from the reference state against what they do on their own work."""
    shown = own, reference, _ = MT_AT_K, SR, failstop.GAP
    dots = _dots(board, own, reference, words, "{y} against {x}")
    if len(dots) < FEWEST:
        return None
    title, above = words.title(own), sum(dot.y > dot.x for dot in dots)
    return Chart(
        id="reference",
        title=f"{words.title(reference)} against {title}",
        sentence=f"{words.title(reference)} starts every round from the reference state, {title} from the agent's own "
        f"work. On the diagonal living with that work costs nothing; {above} of {len(dots)} agents lie above it, where "
        "it costs them rounds.",
        panels=[Cloud(scale_of(own, words), scale_of(reference, words), dots, f"SR = {title}")],
        table=_scores_of(board, dots, shown, words),
    )


def _dots(board: Board, x: Metric, y: Metric, words: Words, text: str) -> list[Dot]:
    """Place the agents that have both scores between them; `text` says both of one, for `{x}` and `{y}`."""
    dots = []
    for place, entry in enumerate(board.entries):
        right, up = entry.value(x.id), entry.value(y.id)
        if right is not None and up is not None and not entry.is_incomplete:
            told, sure = text.format(x=entry.text(x.id), y=entry.text(y.id)), board.certainty.interval(entry, y.id)
            dots.append(Dot(place, words.names[entry.id], right, up, told, *ends_of(sure)))
    return dots


def _scores_of(board: Board, dots: Sequence[Dot], shown: Sequence[Metric], words: Words) -> Table:
    """List the scores of the agents that are drawn."""
    lines = [(dot.name, [board.entries[dot.agent].text(metric.id) for metric in shown]) for dot in dots]
    return Table(["Agent", *map(words.axis, shown)], lines)


def effort_chart(board: Board, words: Words) -> Chart | None:
    """Set the headline score against cost, turns and tokens; None where the data has none of them."""
    headline, efforts = board.headline, list(_efforts(board, words))
    if not efforts:
        return None
    title, against = words.title(headline), _listed([words.title(metric) for metric, _ in efforts])
    dots = [{dot.agent: dot for dot in cloud.dots} for _, cloud in efforts]
    lines = []
    for place, entry in enumerate(board.entries):
        found = [each.get(place) for each in dots]
        marks = [" (front)" if dot and dot.is_front else "" for dot in found]
        texts = [f"{entry.text(metric.id)}{mark}" for (metric, _), mark in zip(efforts, marks, strict=True)]
        if any(found):
            lines.append((words.names[entry.id], [entry.text(headline.id), *texts]))
    return Chart(
        id="effort",
        title=f"{title} against {against}",
        sentence="Filled dots are the Pareto front: agents that no other beats on both. "
        + " ".join(f"By {words.title(metric)}: {_listed(_on_front(metric, cloud))}." for metric, cloud in efforts),
        panels=[cloud for _, cloud in efforts],
        table=Table(["Agent", words.axis(headline), *(words.axis(metric) for metric, _ in efforts)], lines),
    )


def _efforts(board: Board, words: Words) -> Iterator[tuple[Metric, Cloud]]:
    """Set the headline score against what it took; of several metrics of one effort the first that the data allows.

    What holds for more protocols goes first.
    """
    headline = board.headline
    for effort in EFFORTS:
        metrics = (metric for metric in board.metrics.values() if metric.effort == effort)
        for metric in sorted(metrics, key=lambda metric: -len(metric.protocols)):
            dots = _dots(board, metric, headline, words, "{y} at {x}")
            if len(dots) >= FEWEST:
                front = set(pareto_front([(_less(dot.x, metric), -_less(dot.y, headline)) for dot in dots]))
                marked = [replace(dot, is_front=place in front) for place, dot in enumerate(dots)]
                yield metric, Cloud(scale_of(metric, words), scale_of(headline, words), marked)
                break


def _on_front(metric: Metric, cloud: Cloud) -> list[str]:
    """Name who is on the front, the least effort first; of many, say how many more there are."""
    on = sorted((dot for dot in cloud.dots if dot.is_front), key=lambda dot: _less(dot.x, metric))
    return [dot.name for dot in on[:_NAMED]] + ([f"{len(on) - _NAMED} more"] if len(on) > _NAMED else [])


def pareto_front(offers: Sequence[Offer]) -> list[int]:
    """Find the offers that no other beats: none costs as much or less and is worth as much or more, but equal ones.

    Returns:
        Their places, from 0: by rising cost, equal ones in their own order.
    """

    def is_beaten(offer: Offer) -> bool:
        return any(other[0] <= offer[0] and other[1] >= offer[1] and other != offer for other in offers)

    return sorted(
        (place for place, offer in enumerate(offers) if not is_beaten(offer)), key=lambda place: offers[place]
    )


def _less(value: float, metric: Metric) -> float:
    """Turn a value so that less of it is better."""
    return value if metric.direction == "lower" else -value


def _listed(parts: Sequence[str]) -> str:
    """Write a list as in a sentence: one, two and three."""
    *before, last = parts
    return f"{', '.join(before)} and {last}" if before else last


def splits_chart(board: Board, words: Words) -> Chart | None:
    """Show the headline score by kinds of tasks; None where it is not split."""
    panels = split_panels(board, words)
    if not panels:
        return None
    title, decimals = words.title(board.headline), board.headline.decimals
    told = [f"{title} of each agent on each kind of tasks, with the mean over agents as a long mark."]
    for split, panel in panels:
        low, *_, high = sorted(panel.strips, key=lambda strip: strip.mean)
        least, most = (f"{strip.mean:.{decimals}f} ({strip.title})" for strip in (low, high))
        told += [f"By {split.title.lower()} the mean goes from {least} to {most}.", split.left_out or ""]
    groups = [group for split, _ in panels for group in split.groups]
    lines = []
    for entry in board.entries:
        scores = [group.scores.get(entry.id) for group in groups]
        if any(scores):
            lines.append((words.names[entry.id], [score.text if score else GAP for score in scores]))
    return Chart(
        id="splits",
        title=f"{title} by {_axes(panels)}",
        sentence=" ".join(filter(None, told)),
        panels=[panel for _, panel in panels],
        table=Table(["Agent", *(group.value for group in groups)], lines),
    )


def entry_splits_chart(board: Board, entry: Entry, words: Words) -> Chart | None:
    """Show one row's headline score by kinds of tasks among those of all others; None where it has none."""
    panels = split_panels(board, words)
    place = next((place for place, other in enumerate(board.entries) if other is entry), None)
    strips = [strip for _, panel in panels for strip in panel.strips]
    if place is None or not any(strip.tick(place) for strip in strips):
        return None
    metric, name, lines = board.headline, words.names[entry.id], []
    for strip in strips:
        own, ordered = strip.tick(place), sorted(strip.ticks, key=lambda tick: tick.value)
        mean = f"{strip.mean:.{metric.decimals}f}"
        lines.append((strip.title, [own.text if own else GAP, mean, ordered[0].text, ordered[-1].text]))
    return Chart(
        id="splits",
        title=f"{words.title(metric)} by {_axes(panels)}",
        sentence=f"{words.title(metric)} on each kind of tasks: {name} is the thick mark, the other agents of the "
        "board are the thin ones, and the mean over all is the long one.",
        panels=[panel for _, panel in panels],
        table=Table(["Tasks", f"{name}, {words.axis(metric)}", "Mean of all", "Lowest", "Highest"], lines),
    )


def split_panels(board: Board, words: Words) -> list[tuple[Split, Strips]]:
    """List what `splits_chart` and `entry_splits_chart` draw, each panel with its split."""
    found = []
    for split in board.splits if board.ranks else ():  # without ranks the scores do not compare
        strips = []
        for group in split.groups:
            scores = ((place, entry, group.scores.get(entry.id)) for place, entry in enumerate(board.entries))
            ticks = [
                Bar(place, words.names[entry.id], score.value, score.text)
                for place, entry, score in scores
                if score and score.value is not None and not entry.is_incomplete
            ]
            if len(ticks) >= FEWEST_KINDS:
                title = f"{group.value}, {counted(group.tasks, 'task')}" if group.tasks else group.value
                strips.append(Strip(title, ticks, fsum(tick.value for tick in ticks) / len(ticks)))
        if len(strips) >= FEWEST_KINDS:
            found.append((split, Strips(split.title.lower(), scale_of(board.headline, words), strips)))
    return found


def _axes(panels: Sequence[tuple[Split, Strips]]) -> str:
    return " and ".join(split.title.lower() for split, _ in panels)


def sureness_charts(found: Sureness, words: Words) -> Sequence[Chart]:
    """Draw how work holds from round to round, as far as the board's protocol and rows tell."""
    return list(filter(None, (_keeping_chart(found, words), _breakdown_chart(found))))


def _keeping_chart(found: Sureness, words: Words) -> Chart | None:
    lines = [each for each in found.keeping if each.kept or each.recovered]
    if not lines:
        return None
    word, together = found.board.benchmark.round_word.lower(), lines[0]
    names = [words.names[each.entry.id] if each.entry else "All rows" for each in lines]
    said, panels = [], []
    columns = ([each.kept for each in lines], [each.recovered for each in lines])
    for what, whole, rates in zip(("passed", "failed"), (together.kept, together.recovered), columns, strict=True):
        said += [f"right after a {word} that {what}, {share_text(whole)} pass"] if whole else []
        bars = [share_bar(name, rate) for name, rate in zip(names[:MOST], rates, strict=False) if rate]
        panels += [Ranking(Scale(f"Pass right after a {word} that {what} (%)", 100.0), bars)] if bars else []
    return Chart(
        id="keeping",
        title="Keeping, and recovering",
        sentence=f"Of all rows together: {'; '.join(said)}. Intervals are over tasks.",
        panels=panels,
        table=Table(
            ["Agent", "Pass after a pass", "k of n", "Pass after a fail", "k of n"],
            [(name, [*_cells(each.kept), *_cells(each.recovered)]) for name, each in zip(names, lines, strict=True)],
        ),
    )


def _breakdown_chart(found: Sureness) -> Chart | None:
    if not found.breakdowns:
        return None
    name = found.board.benchmark.round_word
    word = name.lower()
    drawn = [(number, rate) for number, tasks, rate in found.breakdowns if tasks >= _FEW]
    first = f" At {word} 1, {share_text(drawn[0][1])}." if drawn else ""
    is_whole = len(drawn) == len(found.breakdowns)
    thin = "" if is_whole else f"; over fewer than {_FEW} it says little, and is not drawn"
    bars = [share_bar(f"{name} {number}", rate) for number, rate in drawn]
    return Chart(
        id="breakdown",
        title="Where work breaks down",
        sentence=f"Of the attempts that passed every {word} before, the share that fails at this one.{first} "
        f"Each {word} is over the tasks that some attempt reached whole{thin}.",
        panels=[Ranking(Scale("Fail here, of those that passed all before (%)", 100.0), bars)] if bars else [],
        table=Table(
            [name, "Fail here", "k of n", "Tasks"],
            [(str(number), [*_cells(rate), str(tasks)]) for number, tasks, rate in found.breakdowns],
        ),
    )


def share_bar(name: str, rate: Rate) -> Bar:
    """Draw a share in percent, of no single agent."""
    value = 100 * rate.k / rate.n
    if rate.interval is None:
        return Bar(None, name, value, f"{value:.1f}")
    return Bar(None, name, value, f"{value:.1f}", 100 * rate.interval.low, 100 * rate.interval.high)


def _cells(rate: Rate | None) -> Sequence[str]:
    return (share_text(rate), f"{rate.k:,} of {rate.n:,}") if rate else (GAP, GAP)


def share_text(rate: Rate) -> str:
    """Write a share in percent, with its interval."""
    share = f"{100 * rate.k / rate.n:.1f} %"
    if rate.interval is None:
        return share
    return f"{share} ({100 * rate.interval.low:.1f} to {100 * rate.interval.high:.1f})"
