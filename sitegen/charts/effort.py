"""The headline score of a board against what it took: cost, turns and tokens."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.charts.chart import Chart, Table, Words
from sitegen.charts.front import pareto_front
from sitegen.charts.panel import Cloud, Dot
from sitegen.charts.scores import scale_of
from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.metric import Effort, Metric

EFFORTS: tuple[Effort, ...] = ("cost", "steps", "tokens")
"""What scores are set against."""

FEWEST = 3
"""Fewer agents make no front."""

_NAMED = 5
"""So many agents of a front are named in a sentence."""


@dataclass(frozen=True, slots=True)
class _Effort:
    """What it took: a metric, and the panel that sets the headline score against it."""

    metric: Metric
    cloud: Cloud


def effort_chart(board: Board, words: Words) -> Chart | None:
    """Set the headline score against cost, turns and tokens; None where the data has none of them."""
    efforts = list(_efforts(board, words))
    if not efforts:
        return None
    headline = words.title(board.headline)
    against = _listed([words.title(effort.metric) for effort in efforts])
    fronts = " ".join(_front(effort, words) for effort in efforts)
    return Chart(
        id="effort",
        title=f"{headline} against {against}",
        sentence=f"The filled dots and the line are the Pareto front: agents that no other beats on both. {fronts}",
        panels=[effort.cloud for effort in efforts],
        table=_table(board, efforts, words),
    )


def _efforts(board: Board, words: Words) -> Iterator[_Effort]:
    """Of several metrics of one effort, the first that the data allows: what holds for more protocols goes first."""
    for effort in EFFORTS:
        metrics = [metric for metric in METRICS.values() if metric.effort == effort]
        metrics.sort(key=lambda metric: -len(metric.protocols))
        clouds = (_Effort(metric, _cloud(board, metric, words)) for metric in metrics)
        found = next((effort for effort in clouds if len(effort.cloud.dots) >= FEWEST), None)
        if found:
            yield found


def _cloud(board: Board, metric: Metric, words: Words) -> Cloud:
    headline = board.headline
    dots = []
    for place, entry in enumerate(board.entries):
        x, y = entry.value(metric.id), entry.value(headline.id)
        if x is not None and y is not None and not entry.is_incomplete:
            text = f"{entry.text(headline.id)} at {entry.text(metric.id)}"
            dots.append(Dot(place, words.names[entry.id], x, y, text))
    front = set(pareto_front([(_less(dot.x, metric), -_less(dot.y, headline)) for dot in dots]))
    marked = [replace(dot, is_front=place in front) for place, dot in enumerate(dots)]
    return Cloud(scale_of(metric, words), scale_of(headline, words), marked)


def _less(value: float, metric: Metric) -> float:
    """Turn a value so that less of it is better."""
    return value if metric.direction == "lower" else -value


def _front(effort: _Effort, words: Words) -> str:
    """Name the agents on a front, the least effort first."""
    dots = effort.cloud.dots
    on = sorted((dot for dot in dots if dot.is_front), key=lambda dot: _less(dot.x, effort.metric))
    names = [dot.name for dot in on[:_NAMED]] + ([f"{len(on) - _NAMED} more"] if len(on) > _NAMED else [])
    return f"By {words.title(effort.metric)}: {_listed(names)}."


def _table(board: Board, efforts: Sequence[_Effort], words: Words) -> Table:
    headline = board.headline
    dots = [{dot.agent: dot for dot in effort.cloud.dots} for effort in efforts]
    lines = []
    for place, entry in enumerate(board.entries):
        found = [each.get(place) for each in dots]
        if any(found):
            columns = zip(efforts, found, strict=True)
            texts = [_cell(entry, effort.metric, dot) for effort, dot in columns]
            lines.append((words.names[entry.id], [entry.text(headline.id), *texts]))
    return Table(["Agent", words.axis(headline), *(words.axis(effort.metric) for effort in efforts)], lines)


def _cell(entry: Entry, metric: Metric, dot: Dot | None) -> str:
    text = entry.text(metric.id)
    return f"{text} (front)" if dot and dot.is_front else text


def _listed(parts: Sequence[str]) -> str:
    """Write a list as in a sentence: one, two and three."""
    *before, last = parts
    return f"{', '.join(before)} and {last}" if before else last
