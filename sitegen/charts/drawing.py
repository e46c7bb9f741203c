"""Draw panels as SVG.

The first drawing of a process takes about a second: Altair and the converter start up.

Specifications give text no size: the page's style sets it, and nothing is placed by the size of
text. A drawing therefore does not depend on the fonts of the machine that makes it, and the
converter does not measure text, its slowest step.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias, assert_never
from xml.etree.ElementTree import Element, SubElement, fromstring, tostring

import altair as alt
import vl_convert
from altair.utils.schemapi import debug_mode
from altair.vegalite.v6.schema import SCHEMA_VERSION

from sitegen.charts.chart import Bar, Panel, Ranking, Strips
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
_PLACE_KEYS = ("d", "transform", "x", "y", "x2", "y2")
_LOOK_KEYS = ("text-anchor", "fill", "stroke", "stroke-width", "stroke-dasharray", "opacity")
_DEFAULTS = {
    ("opacity", "1"),
    ("stroke-width", "1"),
    ("transform", "translate(0,0)"),
    ("x2", "0"),
    ("y2", "0"),
}


class Drawn(NamedTuple):
    """A drawing of a panel, and its Vega-Lite as JSON, from which a browser can draw it again.

    `usermeta` lists the meanings of its colours.
    """

    svg: str
    specification: str


def drawn(panel: Panel) -> Drawn:
    """Draw a panel; the same values give the same bytes.

    The converter leaves threads behind, which do not survive a fork: call this in a process that
    does nothing else.

    Raises:
        ChildProcessError: The converter failed, for example because it was refused threads.
    """
    with debug_mode(False):  # noqa: FBT003 - Altair's call; the tests check panels with it on
        specification = plot_of(panel).specification()
    try:
        svg = vl_convert.vegalite_to_svg(specification, vl_version=_VEGA_LITE)
    except BaseException as error:
        # A panic in Rust is not an `Exception`, and its type cannot be imported.
        if isinstance(error, ValueError) or type(error).__name__ == "PanicException":
            raise ChildProcessError(f"the chart converter failed: {error}") from error
        raise
    tokens = {colour: token for colour, token in TOKENS.items() if token.startswith("var")}
    usermeta = {"tokens": tokens, "agents": AGENTS}
    document = {**specification, "usermeta": usermeta}
    specification_json = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return Drawn(tidied(svg), specification_json)


def tidied(svg: str) -> str:
    """Return a drawing for use in a page: small, with the page's colours and typeface.

    Colours become tokens of the page's style, and text takes the page's typeface. A mark's
    description for assistive technology becomes its title, which is shown when the pointer rests
    on the mark. `data-agent` has the index of the agent that a mark's colour stands for.
    """
    root = fromstring(svg)  # noqa: S314 - the converter made it, from a specification of ours
    clean = Element("svg", {"viewBox": root.attrib["viewBox"]})
    for child in root:
        if _tag(child) == "g":
            clean.extend(_cleaned(child))
    return tostring(clean, encoding="unicode")


def _tag(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def _cleaned(element: Element) -> list[Element]:
    """Return an element with only useful attributes; a group without them becomes its children."""
    children: list[Element] = []
    for child in element:
        children += _cleaned(child)
    tag = _tag(element)
    attributes = dict(_attributes(element))
    is_group = tag == "g"
    if is_group and not attributes:
        return children
    is_frame = element.get("class") in {"background", "foreground"}
    is_empty_group = is_group and not children
    is_empty_path = tag == "path" and not element.get("d")
    if is_frame or is_empty_group or is_empty_path:
        return []
    clean = Element(tag, attributes)
    clean.text = element.text
    clean.extend(children)
    description = element.get("aria-label")
    is_mark = not is_group and element.get("role") == "graphics-symbol"
    if is_mark and description:
        SubElement(clean, "title").text = description
    return [clean]


def _attributes(element: Element) -> Iterator[tuple[str, str]]:
    """Yield the attributes of an element that are not defaults, with colours as tokens."""
    for key in _PLACE_KEYS + _LOOK_KEYS:
        value = element.get(key)
        if value is None:
            continue
        if key in {"fill", "stroke"}:
            yield from _colour(key, value)
            continue
        rounded = _NUMBER.sub(lambda match: tenths(float(match[0])), value)
        if (key, rounded) not in _DEFAULTS:
            yield key, rounded


def _colour(key: str, value: str) -> Iterator[tuple[str, str]]:
    """Yield a colour as a token, and the agent that it stands for."""
    agent = agent_of(value)
    if agent is None:
        yield key, TOKENS[value]
    else:
        yield "data-agent", str(agent)
        yield key, TOKENS[MARK]


_ROW, _STRIP = 16, 40
"""The heights of a row of a ranking, and of a strip."""

_NAMES, _NUMBERS = 194, 44
"""The maximum width of names to the left of a ranking, and the width of numbers to its right."""

_BELOW, _TITLE = 36, 31
"""The height of an axis below a plot, and the distance of its title from the plot."""

_ABOUT = alt.Description("about:N")
_TEXT = alt.Text("text:N")
_COLOUR = alt.Color("colour:N", scale=None)
"""The colours that the data refers to by name."""

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
"""The data of a layer's marks."""


class PlotBuilder:
    """Builds a plot with margins from layers, in its own units.

    Altair copies a layer with all its data many times, so the data is kept separately, and layers
    refer to it by name.
    """

    def __init__(self, height: int, left_margin: int, right_margin: int) -> None:
        self.height = height
        self.width = WIDTH - left_margin - right_margin
        self._margins = {"left": left_margin, "right": right_margin, "top": 2, "bottom": _BELOW}
        self._data: dict[str, Values] = {}
        self._layers: list[alt.Chart] = []

    def layer(self, values: Values) -> alt.Chart:
        """Return a new layer with data, to which the caller adds marks before drawing it."""
        name = f"data-{len(self._data)}"
        self._data[name] = values
        return alt.Chart(alt.NamedData(name))

    def draw(self, layer: alt.Chart) -> None:
        """Add a layer on top of the layers already drawn."""
        self._layers.append(layer)

    def specification(self) -> dict[str, object]:
        """Return the plot as Vega-Lite."""
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


def plot_of(panel: Panel) -> PlotBuilder:
    """Return the plot of a panel."""
    match panel:
        case Ranking():
            return _ranking(panel)
        case Strips():
            return _strips(panel)
        case _ as unknown:
            assert_never(unknown)


def _onwards(field: str, ruler: Ruler) -> alt.X:
    """Return an encoding that places values from left to right, with an axis below."""
    axis = alt.Axis(values=list(ruler.marks), title=ruler.title, labelPadding=14, titleY=_TITLE)
    scale = alt.Scale(type="linear", domain=[ruler.low, ruler.high], nice=False, zero=False)
    return alt.X(f"{field}:Q", scale=scale, axis=axis)


def _downwards(rows: int, middle: float = 0.5) -> alt.Y:
    """Return an encoding that places rows one below the other.

    `middle` is the share of a row above its position.
    """
    scale = alt.Scale(domain=[-middle, rows - middle], reverse=True, nice=False, zero=False)
    return alt.Y("row:Q", scale=scale, axis=None)


def _ranking(panel: Ranking) -> PlotBuilder:
    bars = panel.bars
    longest = round(LETTER * max(len(bar.name) for bar in bars)) + 10
    left_margin = min(longest, _NAMES)
    plot = PlotBuilder(_ROW * len(bars), left_margin, right_margin=_NUMBERS)
    ends: list[float] = []
    for bar in bars:
        ends += bar.ends
    ruler = from_zero(panel.scale, ends)
    intervals = []
    values = []
    names = []
    numbers = []
    for row, bar in enumerate(bars):
        value = _mark(row, bar)
        if bar.low is not None:
            value |= {"low": bar.low, "high": bar.high}
            intervals.append(value)
        values.append(value)
        names.append({"row": row, "x": ruler.low, "text": _short_name(bar.name)})
        numbers.append({"row": row, "x": ruler.high, "text": bar.text})
    y = _downwards(len(bars))
    x = _onwards("x", ruler)
    low = _onwards("low", ruler)
    rules = plot.layer(intervals).mark_rule(aria=False, color=INK)
    plot.draw(rules.encode(y=y, x=low, x2=alt.X2("high")))
    points = plot.layer(values).mark_point(filled=True, size=36, opacity=1)
    plot.draw(points.encode(y=y, x=x, color=_COLOUR, description=_ABOUT))
    left_texts = plot.layer(names).mark_text(aria=False, align="right", dx=-8, dy=4, color=INK)
    plot.draw(left_texts.encode(y=y, x=x, text=_TEXT))
    right_texts = plot.layer(numbers).mark_text(
        aria=False, align="right", dx=_NUMBERS - 4, dy=4, color=INK
    )
    plot.draw(right_texts.encode(y=y, x=x, text=_TEXT))
    return plot


def _mark(row: int, bar: Bar) -> dict[str, object]:
    """Return the data of a value's mark."""
    return {
        "row": row,
        "x": bar.value,
        "colour": of_agent(bar.agent),
        "about": f"{bar.name}: {bar.text}",
    }


def _short_name(name: str) -> str:
    """Return as much of a name as fits."""
    letters = int((_NAMES - 10) / LETTER)
    if len(name) <= letters:
        return name
    return f"{name[: letters - 1]}…"


def _strips(panel: Strips) -> PlotBuilder:
    plot = PlotBuilder(_STRIP * len(panel.strips), left_margin=12, right_margin=16)
    scores: list[float] = []
    for strip in panel.strips:
        scores += [tick.value for tick in strip.ticks]
    ruler = from_zero(panel.scale, scores)
    lines = []
    values = []
    for row, strip in enumerate(panel.strips):
        line = {
            "row": row,
            "text": strip.title,
            "mean": strip.mean,
            "x": ruler.low,
            "end": ruler.high,
        }
        lines.append(line)
        values += [_mark(row, tick) for tick in strip.ticks]
    y = _downwards(len(panel.strips), middle=0.68)
    x = _onwards("x", ruler)
    mean = _onwards("mean", ruler)
    lines_layer = plot.layer(lines)
    ticks_layer = plot.layer(values)
    rules = lines_layer.mark_rule(aria=False, color=RULE)
    plot.draw(rules.encode(y=y, x=x, x2=alt.X2("end")))
    means = lines_layer.mark_tick(aria=False, thickness=2, size=18, opacity=1, color=INK)
    plot.draw(means.encode(y=y, x=mean))
    ticks = ticks_layer.mark_tick(thickness=2, size=9, opacity=1)
    plot.draw(ticks.encode(y=y, x=x, color=_COLOUR, description=_ABOUT))
    titles = lines_layer.mark_text(aria=False, align="left", dy=-15, color=INK)
    plot.draw(titles.encode(y=y, x=x, text=_TEXT))
    return plot
