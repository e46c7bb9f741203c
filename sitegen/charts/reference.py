"""SR against MT@k: what agents do from the reference state, against what they do on their own work."""

from collections.abc import Sequence

from sitegen.board.board import Board
from sitegen.charts.chart import Chart, Table, Words
from sitegen.charts.effort import FEWEST
from sitegen.charts.panel import Cloud, Dot
from sitegen.charts.scores import scale_of
from sitegen.metrics.failstop import GAP, MT_AT_K, SR


def reference_chart(board: Board, words: Words) -> Chart | None:
    """Set SR against MT@k; None where too few agents have both."""
    shown = own, reference, _ = MT_AT_K, SR, GAP
    dots = []
    for place, entry in enumerate(board.entries):
        x, y = entry.value(own.id), entry.value(reference.id)
        if x is not None and y is not None and not entry.is_incomplete:
            text = f"{entry.text(reference.id)} against {entry.text(own.id)}"
            dots.append(Dot(place, words.names[entry.id], x, y, text))
    if len(dots) < FEWEST:
        return None
    lines = [(dot.name, [board.entries[dot.agent].text(metric.id) for metric in shown]) for dot in dots]
    return Chart(
        id="reference",
        title=f"{words.title(reference)} against {words.title(own)}",
        sentence=_sentence(dots, words.title(reference), words.title(own)),
        panels=[Cloud(scale_of(own, words), scale_of(reference, words), dots, f"SR = {words.title(own)}")],
        table=Table(["Agent", *map(words.axis, shown)], lines),
    )


def _sentence(dots: Sequence[Dot], reference: str, own: str) -> str:
    above = sum(dot.y > dot.x for dot in dots)
    return (
        f"{reference} starts every round from the reference state, {own} from the agent's own work. On the diagonal "
        f"living with that work costs nothing; {above} of {len(dots)} agents lie above it, where it costs them rounds."
    )
