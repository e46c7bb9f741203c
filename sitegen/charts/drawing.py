"""Draws panels as SVG. The first drawing of a process costs about a second: Altair and the converter start up.

Text has no size in a specification: the page's style gives it one, and no part is placed by the size of another. So
a drawing does not depend on the fonts of the machine that makes it, and the converter need not measure text, which
is what takes it longest.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple, TypeAlias
from xml.etree.ElementTree import Element, SubElement, fromstring, tostring

import altair as alt
import vl_convert
from altair.utils.schemapi import debug_mode
from altair.vegalite.v6.schema import SCHEMA_VERSION

from sitegen.charts.chart import Panel, Ranking, Strips
from sitegen.charts.layout import (
    AGENTS,
    INK,
    LETTER,
    MARK,
    QUIET,
    RULE,
    TOKENS,
    WIDTH,
    Ruler,
    agent_of,
    from_zero,
    of_agent,
    tenths,
)

_VEGA_LITE = ".".join(SCHEMA_VERSION.removeprefix("v").split(".")[:2])

_NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
_PLACES = ("d", "transform", "x", "y", "x2", "y2")
_LOOKS = ("text-anchor", "fill", "stroke", "stroke-width", "stroke-dasharray", "opacity")
_NEEDLESS = {
    ("opacity", "1"),
    ("stroke-width", "1"),
    ("transform", "translate(0,0)"),
    ("x2", "0"),
    ("y2", "0"),
}


class Drawn(NamedTuple):
    """A panel that was drawn, and what it was drawn from: Vega-Lite in JSON, so that a browser can draw it anew.

    `usermeta` says what its colours stand for.
    """

    svg: str
    specification: str


def drawn(panel: Panel) -> Drawn:
    """Draw a panel: the same values give the same bytes.

    The converter leaves threads behind, which a fork would lose: call this in a process that does nothing else.

    Raises:
        ChildProcessError: The machine refused the converter something, such as threads.
    """
    with debug_mode(False):  # noqa: FBT003 - Altair calls it so; the tests check every kind of panel with it on
        specification = plot_of(panel).specification()
    try:
        svg = vl_convert.vegalite_to_svg(specification, vl_version=_VEGA_LITE)
    except BaseException as error:
        if (
            isinstance(error, ValueError) or type(error).__name__ == "PanicException"
        ):  # Rust's, and no Exception
            raise ChildProcessError(f"the converter of charts gave up: {error}") from error
        raise
    tokens = {colour: token for colour, token in TOKENS.items() if token.startswith("var")}
    told = {**specification, "usermeta": {"tokens": tokens, "agents": AGENTS}}
    return Drawn(tidied(svg), json.dumps(told, ensure_ascii=False, separators=(",", ":")))


def tidied(svg: str) -> str:
    """Make a drawing fit to stand in a page: small, in the page's colours and type, and the same every time.

    Colours become tokens of the page's style, and text takes the page's type. What described a mark to
    assistive technology becomes its title, which a pointer that rests on the mark brings up; a mark whose
    colour names an agent says so in `data-agent`.
    """
    root = fromstring(svg)  # noqa: S314 - the converter made it, from a specification of ours
    clean = Element("svg", {"viewBox": root.attrib["viewBox"]})
    for child in root:
        if child.tag.rpartition("}")[2] == "g":
            clean.extend(_kept(child))
    return tostring(clean, encoding="unicode")


def _kept(element: Element) -> Iterator[Element]:
    """Yield what stays of an element: itself, its children where it says nothing itself, or nothing."""
    children = [kept for child in element for kept in _kept(child)]
    name, attributes = element.tag.rpartition("}")[2], dict(_attributes(element))
    is_frame = element.get("class") in {"background", "foreground"}
    if name == "g" and not attributes:
        yield from children
    elif (name != "g" or children) and not is_frame and (name != "path" or element.get("d")):
        clean = Element(name, attributes)
        clean.text = element.text
        clean.extend(children)
        if name != "g" and element.get("role") == "graphics-symbol" and element.get("aria-label"):
            SubElement(clean, "title").text = element.get("aria-label")
        yield clean


def _attributes(element: Element) -> Iterator[tuple[str, str]]:
    for key in _PLACES + _LOOKS:
        value = element.get(key)
        if value is None:
            continue
        if key in {"fill", "stroke"}:
            agent = agent_of(value)
            if agent is not None:
                yield "data-agent", str(agent)
            yield key, TOKENS[MARK if agent is not None else value]
            continue
        rounded = _NUMBER.sub(lambda number: tenths(float(number[0])), value)
        if (key, rounded) not in _NEEDLESS:
            yield key, rounded


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
    scale = alt.Scale(type="linear", domain=[ruler.low, ruler.high], nice=False, zero=False)
    return alt.X(f"{field}:Q", scale=scale, axis=axis)


def _downwards(field: str, rows: int, middle: float = 0.5) -> alt.Y:
    """Place rows, counted from 0, one below the other; `middle` is the part of a row that lies above its place."""
    scale = alt.Scale(domain=[-middle, rows - middle], reverse=True, nice=False, zero=False)
    return alt.Y(f"{field}:Q", scale=scale, axis=None)


def _ranking(panel: Ranking) -> Plot:
    bars = panel.bars
    longest = round(LETTER * max(len(bar.name) for bar in bars)) + 10
    plot = Plot(_ROW * len(bars), left=min(longest, _NAMES), right=_NUMBERS, top=2)
    ruler = from_zero(panel.scale, list(chain.from_iterable(bar.ends for bar in bars)))
    rows, names, letters = [], [], int((_NAMES - 10) / LETTER)
    for row, bar in enumerate(bars):
        made = {
            "row": row,
            "x": bar.value,
            "colour": of_agent(bar.agent),
            "about": f"{bar.name}: {bar.text}",
        }
        rows.append(made if bar.low is None else {**made, "low": bar.low, "high": bar.high})
        short = bar.name if len(bar.name) <= letters else f"{bar.name[: letters - 1]}…"
        names.append({"row": row, "x": ruler.low, "text": short})
    numbers = [{"row": row, "x": ruler.high, "text": bar.text} for row, bar in enumerate(bars)]
    y, x = _downwards("row", len(bars)), _onwards("x", ruler)
    sure, dots = plot.of([row for row in rows if "low" in row]), plot.of(rows)
    plot.draw(
        sure.mark_rule(aria=False, color=INK).encode(
            y=y, x=_onwards("low", ruler), x2=alt.X2("high")
        ),
        dots.mark_point(filled=True, size=36, opacity=1).encode(
            y=y, x=x, color=_COLOUR, description=_ABOUT
        ),
        plot.of(names)
        .mark_text(aria=False, align="right", dx=-8, dy=4, color=INK)
        .encode(y=y, x=x, text=_TEXT),
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
        {
            "row": row,
            "x": tick.value,
            "colour": of_agent(tick.agent),
            "about": f"{tick.name}: {tick.text}",
        }
        for row, strip in enumerate(strips)
        for tick in strip.ticks
    ]
    y, x = _downwards("row", len(strips), middle=0.62), _onwards("x", ruler)
    each, ticks = plot.of(lines), plot.of(values)
    plot.draw(
        each.mark_rule(aria=False, color=RULE).encode(y=y, x=x, x2=alt.X2("end")),
        each.mark_tick(aria=False, thickness=2, size=18, opacity=1, color=INK).encode(
            y=y, x=_onwards("mean", ruler)
        ),
        ticks.mark_tick(thickness=2, size=9, opacity=1).encode(
            y=y, x=x, color=_COLOUR, description=_ABOUT
        ),
        each.mark_text(aria=False, align="left", dy=-11, color=INK).encode(y=y, x=x, text=_TEXT),
    )
    return plot
