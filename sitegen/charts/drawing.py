"""Draws panels as SVG. The first drawing of a process costs about a second: Altair and the converter start up."""

import json
import re
from collections.abc import Iterator
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement, fromstring, tostring

import vl_convert
from altair.utils.schemapi import debug_mode
from altair.vegalite.v6.schema import SCHEMA_VERSION

from sitegen.charts.chart import Panel
from sitegen.charts.layout import AGENTS, MARK, TOKENS, agent_of, tenths
from sitegen.charts.specification import plot_of

_VEGA_LITE = ".".join(SCHEMA_VERSION.removeprefix("v").split(".")[:2])

_NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
_PLACES = ("d", "transform", "x", "y", "x2", "y2")
_LOOKS = ("text-anchor", "fill", "stroke", "stroke-width", "stroke-dasharray", "opacity")
_NEEDLESS = {("opacity", "1"), ("stroke-width", "1"), ("transform", "translate(0,0)"), ("x2", "0"), ("y2", "0")}


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
        if isinstance(error, ValueError) or type(error).__name__ == "PanicException":  # Rust's, and no Exception
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
