"""The charts of a board: its headline scores, what they took, what they are from the reference state, and by tasks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import fsum

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.score import GAP
from sitegen.board.splits import Split
from sitegen.charts.chart import Bar, Chart, Cloud, Dot, Ranking, Scale, Strip, Strips, Table, Tick, Words
from sitegen.metrics import failstop
from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.failstop import MT_AT_K, SR
from sitegen.metrics.metric import Effort, Metric
from sitegen.problems import counted

MOST_CHARTS = 3
"""A board's page is its table; more charts would bury what stands below it."""

MOST = 30
"""More rows would be a picture of a table."""

FEWEST = 3
"""Fewer agents make no front."""

FEWEST_KINDS = 2
"""One kind of tasks compares with nothing, and so does one agent."""

EFFORTS: tuple[Effort, ...] = ("cost", "steps", "tokens")
"""What scores are set against."""

_NAMED = 5
"""So many agents of a front are named in a sentence."""

Offer = tuple[float, float]
"""What something costs and what it is worth: the less, the better, and the more, the better."""


def board_charts(board: Board, words: Words) -> Sequence[Chart]:
    """Make the charts of a board that its data allows, the most telling ones first.

    Scores that cannot be ranked, as by several versions of a definition, do not stand on one axis either.
    """
    makers = (scores_chart, reference_chart, effort_chart, splits_chart) if board.ranks else ()
    made = (make(board, words) for make in makers)
    return list(islice(filter(None, made), MOST_CHARTS))


def scale_of(metric: Metric, words: Words) -> Scale:
    """Say what an axis measures that shows a metric."""
    return Scale(words.axis(metric), metric.highest)


def scores_chart(board: Board, words: Words) -> Chart | None:
    """Show how sure the headline scores are; None where nothing tells that of any."""
    metric, title = board.headline, words.title(board.headline)
    rows = [entry for entry in board.entries if entry.has_score(metric.id)]
    sure = {entry.id: board.certainty.interval(entry, metric.id) for entry in rows}
    if not any(sure.values()):
        return None
    bars, lines = [], []
    for place, entry in enumerate(rows[:MOST]):
        interval, text, name = sure[entry.id], entry.text(metric.id), words.names[entry.id]
        low, high = (interval.low, interval.high) if interval else (None, None)
        bars.append(Bar(place, name, entry.value(metric.id) or 0.0, text, low, high))
        bounds = [GAP if bound is None else f"{bound:.{metric.decimals}f}" for bound in (low, high)]
        lines.append((name, [text, *bounds]))
    if len(rows) == 1:
        sentence = f"{title} of the only agent; the line is the 95 % interval."
    else:
        agents = counted(len(rows), "agent")
        who = f"the first {len(bars)} of {agents}" if len(bars) < len(rows) else agents
        sentence = f"{title} of {who}, best first; the line is the 95 % interval. {_who_is_first(board)}"
    return Chart(
        id="scores",
        title=f"{title}, with 95 % intervals",
        sentence=sentence,
        panels=[Ranking(scale_of(metric, words), bars)],
        table=Table(["Agent", words.axis(metric), "95 % from", "to"], lines),
    )


def _who_is_first(board: Board) -> str:
    """Say how many rows could be first, as far as anything tells."""
    sure = board.certainty
    if len(sure.ranks) < 2:  # noqa: PLR2004 - a pair
        return "Nothing here tells how sure their order is."
    if (1, 1) in sure.ranks.values():
        return "The first is shown to be ahead of every other ranked row."
    return f"{len(sure.could_be_first)} of the {len(board.ranks)} ranked rows could be first."


def reference_chart(board: Board, words: Words) -> Chart | None:
    """Set SR against MT@k: what agents do from the reference state against what they do on their own work."""
    shown = own, reference, _ = MT_AT_K, SR, failstop.GAP
    dots = _dots(board, own, reference, words, "{y} against {x}")
    if len(dots) < FEWEST:
        return None
    title, above = words.title(own), sum(dot.y > dot.x for dot in dots)
    lines = [(dot.name, [board.entries[dot.agent].text(metric.id) for metric in shown]) for dot in dots]
    return Chart(
        id="reference",
        title=f"{words.title(reference)} against {title}",
        sentence=f"{words.title(reference)} starts every round from the reference state, {title} from the agent's own "
        f"work. On the diagonal living with that work costs nothing; {above} of {len(dots)} agents lie above it, where "
        "it costs them rounds.",
        panels=[Cloud(scale_of(own, words), scale_of(reference, words), dots, f"SR = {title}")],
        table=Table(["Agent", *map(words.axis, shown)], lines),
    )


def _dots(board: Board, x: Metric, y: Metric, words: Words, text: str) -> list[Dot]:
    """Place the agents that have both scores between them; `text` says both of one, for `{x}` and `{y}`."""
    dots = []
    for place, entry in enumerate(board.entries):
        right, up = entry.value(x.id), entry.value(y.id)
        if right is not None and up is not None and not entry.is_incomplete:
            told = text.format(x=entry.text(x.id), y=entry.text(y.id))
            dots.append(Dot(place, words.names[entry.id], right, up, told))
    return dots


@dataclass(frozen=True, slots=True)
class _Effort:
    """What it took: a metric, and the panel that sets the headline score against it."""

    metric: Metric
    cloud: Cloud

    @property
    def on_front(self) -> list[str]:
        """Who is on the front, the least effort first; of many, how many more there are."""
        on = sorted((dot for dot in self.cloud.dots if dot.is_front), key=lambda dot: _less(dot.x, self.metric))
        return [dot.name for dot in on[:_NAMED]] + ([f"{len(on) - _NAMED} more"] if len(on) > _NAMED else [])


def effort_chart(board: Board, words: Words) -> Chart | None:
    """Set the headline score against cost, turns and tokens; None where the data has none of them."""
    headline, efforts = board.headline, list(_efforts(board, words))
    if not efforts:
        return None
    title, against = words.title(headline), _listed([words.title(effort.metric) for effort in efforts])
    dots = [{dot.agent: dot for dot in effort.cloud.dots} for effort in efforts]
    lines = []
    for place, entry in enumerate(board.entries):
        found = [each.get(place) for each in dots]
        marks = [" (front)" if dot and dot.is_front else "" for dot in found]
        texts = [f"{entry.text(each.metric.id)}{mark}" for each, mark in zip(efforts, marks, strict=True)]
        if any(found):
            lines.append((words.names[entry.id], [entry.text(headline.id), *texts]))
    return Chart(
        id="effort",
        title=f"{title} against {against}",
        sentence="The filled dots and the line are the Pareto front: agents that no other beats on both. "
        + " ".join(f"By {words.title(effort.metric)}: {_listed(effort.on_front)}." for effort in efforts),
        panels=[effort.cloud for effort in efforts],
        table=Table(["Agent", words.axis(headline), *(words.axis(effort.metric) for effort in efforts)], lines),
    )


def _efforts(board: Board, words: Words) -> Iterator[_Effort]:
    """Of several metrics of one effort, the first that the data allows: what holds for more protocols goes first."""
    headline = board.headline
    for effort in EFFORTS:
        metrics = (metric for metric in METRICS.values() if metric.effort == effort)
        for metric in sorted(metrics, key=lambda metric: -len(metric.protocols)):
            dots = _dots(board, metric, headline, words, "{y} at {x}")
            if len(dots) >= FEWEST:
                front = set(pareto_front([(_less(dot.x, metric), -_less(dot.y, headline)) for dot in dots]))
                marked = [replace(dot, is_front=place in front) for place, dot in enumerate(dots)]
                yield _Effort(metric, Cloud(scale_of(metric, words), scale_of(headline, words), marked))
                break


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
    panels = _split_panels(board, words)
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
    panels = _split_panels(board, words)
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


def splits_panels(board: Board, words: Words) -> list[Strips]:
    """List what `splits_chart` and `entry_splits_chart` draw."""
    return [panel for _, panel in _split_panels(board, words)]


def _split_panels(board: Board, words: Words) -> list[tuple[Split, Strips]]:
    found = []
    for split in board.splits if board.ranks else ():  # without ranks the scores do not compare
        strips = []
        for group in split.groups:
            scores = ((place, entry, group.scores.get(entry.id)) for place, entry in enumerate(board.entries))
            ticks = [
                Tick(place, words.names[entry.id], score.value, score.text)
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
