"""How drawings are laid out: their margins, their axes, and the style that all of them share.

Text has no size in a specification: the page's style gives it one, and no part is placed by the size of another. So
a drawing does not depend on the fonts of the machine that makes it, and the converter need not measure text, which
is what takes it longest.
"""

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import altair as alt

from sitegen.charts.naming import LETTER
from sitegen.charts.palette import QUIET, RULE
from sitegen.charts.ruler import Ruler

WIDTH = 360
"""Of every drawing, so that text is as large in one as in another."""

_BELOW = 36
"""What an axis below a plot takes for its numbers and its title."""

_TITLE = 31
"""How far below a plot the title of its axis stands."""

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

    def __init__(self, height: int, left: int, right: int, top: int, below: int = 0) -> None:
        self.height, self.width = height, WIDTH - left - right
        self._margins = {"left": left, "right": right, "top": top, "bottom": _BELOW + below}
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
        """Give the drawing as Vega-Lite."""
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


def onwards(field: str, ruler: Ruler) -> alt.X:
    """Place values from left to right, with an axis below."""
    return alt.X(f"{field}:Q", scale=_scale(ruler), axis=_below(ruler.title, ruler.marks))


def in_steps(field: str, title: str, names: Sequence[str], below: int = 0) -> alt.X:
    """Place steps, counted from 0, from left to right, with the names below that there is room for.

    Args:
        field: Holds a step's number.
        title: What a step is called.
        names: Of the steps.
        below: Room to leave between the names and the title.
    """
    every = math.ceil(len(names) / max(1, WIDTH // (LETTER * max(map(len, names)) + 12)))
    axis = _below(title, range(0, len(names), every))
    axis.titleY = _TITLE + below
    axis.labelExpr = f"{list(names)}[datum.value]"
    scale = alt.Scale(domain=[-0.5, len(names) - 0.5], nice=False, zero=False)
    return alt.X(f"{field}:Q", scale=scale, axis=axis)


def upwards(field: str, ruler: Ruler) -> alt.Y:
    """Place values upwards, with an axis to the left whose title stands above it, to be read without turning."""
    axis = alt.Axis(
        values=list(ruler.marks),
        title=ruler.title,
        labelPadding=6,
        labelOffset=4,
        titleAngle=0,
        titleAlign="left",
        titleX=-30,
        titleY=-10,
    )
    return alt.Y(f"{field}:Q", scale=_scale(ruler), axis=axis)


def downwards(field: str, rows: int, middle: float = 0.5) -> alt.Y:
    """Place rows, counted from 0, one below the other.

    Args:
        field: Holds a row's number.
        rows: How many there are.
        middle: Which part of a row's height lies above its place.
    """
    scale = alt.Scale(domain=[-middle, rows - middle], reverse=True, nice=False, zero=False)
    return alt.Y(f"{field}:Q", scale=scale, axis=None)


def _below(title: str, marks: Sequence[float]) -> alt.Axis:
    return alt.Axis(values=list(marks), title=title, labelPadding=14, titleY=_TITLE)


def _scale(ruler: Ruler) -> alt.Scale:
    return alt.Scale(type="log" if ruler.is_log else "linear", domain=[ruler.low, ruler.high], nice=False, zero=False)
