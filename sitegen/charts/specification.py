"""Panels as Altair charts.

Text has no size in a specification: the page's style gives it one, and no part is placed by the size of another. So
a drawing does not depend on the fonts of the machine that makes it, and the converter need not measure text, which
is what takes it longest.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TypeAlias

import altair as alt

from sitegen.charts.chart import Panel, Ranking, Strips
from sitegen.charts.layout import (
    INK,
    LETTER,
    QUIET,
    RULE,
    WIDTH,
    Ruler,
    from_zero,
    of_agent,
)

_ROW, _STRIP = 16, 36
_NAMES, _NUMBERS = 194, 44
"""What names take at most to the left of a ranking, and numbers to its right."""

_BELOW, _TITLE = 36, 31
"""What an axis below a plot takes for its numbers and its title, and how far below the plot the title stands."""

_ABOUT = alt.Description("about:N")
_TEXT = alt.Text("text:N")
_COLOUR = alt.Color("colour:N", scale=None)
"""Colours are those that the data names."""

_STYLE = {
    "text": {"fontSize": 0},
    "view": {"stroke": None},
    "axis": {
        "domain": False,
        "ticks": False,
        "format": ",~r",
        "gridColor": RULE,
        "labelColor": QUIET,
        "titleColor": QUIET,
        "labelFontSize": 0,
        "titleFontSize": 0,
        "labelBaseline": "alphabetic",
        "titleBaseline": "alphabetic",
        "labelOverlap": False,
        "labelFlush": False,
        "labelBound": False,
    },
}

Values: TypeAlias = Sequence[Mapping[str, object]]
"""What the marks of a layer are made of."""


class Plot:
    """A drawing in the making, in its own units: a plot between margins, and the layers that are drawn on it.

    Altair copies a layer with all its data again and again, so the data stands aside, and layers name it.
    """

    def __init__(self, height: int, left: int, right: int, top: int) -> None:
        self.height, self.width = height, WIDTH - left - right
        self._margins = {"left": left, "right": right, "top": top, "bottom": _BELOW}
        self._data: dict[str, Values] = {}
        self._layers: list[alt.Chart] = []

    def of(self, values: Values) -> alt.Chart:
        """Begin a layer that is made of some values."""
        name = f"data-{len(self._data)}"
        self._data[name] = values
        return alt.Chart(alt.NamedData(name))

    def draw(self, *layers: alt.Chart) -> None:
        """Put layers on top of those that were drawn before."""
        self._layers += layers

    def specification(self) -> dict[str, object]:
        """Write the drawing as Vega-Lite."""
        chart = alt.LayerChart(
            layer=self._layers,
            width=self.width,
            height=self.height,
            padding=self._margins,
            background="transparent",
            autosize=alt.AutoSizeParams(type="none"),
            config=_STYLE,
        )
        return {**chart.to_dict(validate=False), "datasets": self._data}


def plot_of(panel: Panel) -> Plot:
    """Lay a panel out."""
    match panel:
        case Ranking():
            return _ranking(panel)
        case Strips():
            return _strips(panel)


def _onwards(field: str, ruler: Ruler) -> alt.X:
    """Place values from left to right, with an axis below."""
    axis = alt.Axis(values=list(ruler.marks), title=ruler.title, labelPadding=14, titleY=_TITLE)
    return alt.X(f"{field}:Q", scale=_scale(ruler), axis=axis)


def _downwards(field: str, rows: int, middle: float = 0.5) -> alt.Y:
    """Place rows, counted from 0, one below the other; `middle` is the part of a row that lies above its place."""
    scale = alt.Scale(domain=[-middle, rows - middle], reverse=True, nice=False, zero=False)
    return alt.Y(f"{field}:Q", scale=scale, axis=None)


def _scale(ruler: Ruler) -> alt.Scale:
    return alt.Scale(type="log" if ruler.is_log else "linear", domain=[ruler.low, ruler.high], nice=False, zero=False)


def _ranking(panel: Ranking) -> Plot:
    bars = panel.bars
    longest = round(LETTER * max(len(bar.name) for bar in bars)) + 10
    plot = Plot(_ROW * len(bars), left=min(longest, _NAMES), right=_NUMBERS, top=2)
    ruler = from_zero(panel.scale, list(chain.from_iterable(bar.ends for bar in bars)))
    rows, names, letters = [], [], int((_NAMES - 10) / LETTER)
    for row, bar in enumerate(bars):
        made = {"row": row, "x": bar.value, "colour": of_agent(bar.agent), "about": f"{bar.name}: {bar.text}"}
        rows.append(made if bar.low is None else {**made, "low": bar.low, "high": bar.high})
        short = bar.name if len(bar.name) <= letters else f"{bar.name[: letters - 1]}…"
        names.append({"row": row, "x": ruler.low, "text": short})
    numbers = [{"row": row, "x": ruler.high, "text": bar.text} for row, bar in enumerate(bars)]
    y, x = _downwards("row", len(bars)), _onwards("x", ruler)
    sure, dots = plot.of([row for row in rows if "low" in row]), plot.of(rows)
    plot.draw(
        sure.mark_rule(aria=False, color=INK).encode(y=y, x=_onwards("low", ruler), x2=alt.X2("high")),
        dots.mark_point(filled=True, size=36, opacity=1).encode(y=y, x=x, color=_COLOUR, description=_ABOUT),
        plot.of(names).mark_text(aria=False, align="right", dx=-8, dy=4, color=INK).encode(y=y, x=x, text=_TEXT),
        plot.of(numbers)
        .mark_text(aria=False, align="right", dx=_NUMBERS - 4, dy=4, color=INK)
        .encode(y=y, x=x, text=_TEXT),
    )
    return plot


def _strips(panel: Strips) -> Plot:
    strips = panel.strips
    plot = Plot(_STRIP * len(strips), left=12, right=16, top=2)
    ruler = from_zero(panel.scale, [tick.value for strip in strips for tick in strip.ticks])
    lines = [
        {"row": row, "text": strip.title, "mean": strip.mean, "x": ruler.low, "end": ruler.high}
        for row, strip in enumerate(strips)
    ]
    values = [
        {"row": row, "x": tick.value, "colour": of_agent(tick.agent), "about": f"{tick.name}: {tick.text}"}
        for row, strip in enumerate(strips)
        for tick in strip.ticks
    ]
    y, x = _downwards("row", len(strips), middle=0.62), _onwards("x", ruler)
    each, ticks = plot.of(lines), plot.of(values)
    plot.draw(
        each.mark_rule(aria=False, color=RULE).encode(y=y, x=x, x2=alt.X2("end")),
        each.mark_tick(aria=False, thickness=2, size=18, opacity=1, color=INK).encode(y=y, x=_onwards("mean", ruler)),
        ticks.mark_tick(thickness=2, size=9, opacity=1).encode(y=y, x=x, color=_COLOUR, description=_ABOUT),
        each.mark_text(aria=False, align="left", dy=-11, color=INK).encode(y=y, x=x, text=_TEXT),
    )
    return plot
