"""Makes a drawing fit to stand in a page: small, in the page's colours and type, and the same every time."""

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element, fromstring, tostring

from sitegen.charts.palette import TOKENS, agent_of

_NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
_PLACES = ("d", "transform", "x", "y", "x2", "y2")
_LOOKS = ("text-anchor", "fill", "stroke", "stroke-width", "stroke-dasharray", "opacity")
_NEEDLESS = {("opacity", "1"), ("stroke-width", "1"), ("transform", "translate(0,0)"), ("x2", "0"), ("y2", "0")}
_FRAMES = ("background", "foreground")
_AGENT = "data-agent"


def tidied(drawn: str) -> str:
    """Tidy a drawing.

    Colours become tokens of the page's style, and text takes the page's type. What described a mark to
    assistive technology becomes its title, which a pointer that rests on the mark brings up; a mark whose
    colour names an agent says so in `data-agent`.

    Args:
        drawn: SVG as the converter gives it, drawn with the colours of `palette`.
    """
    root = fromstring(drawn)  # noqa: S314 - the converter made it, from a specification of ours
    clean = Element("svg", {"viewBox": root.attrib["viewBox"]})
    for child in root:
        if _name(child) == "g":
            clean.extend(_tidied(child))
    return tostring(clean, encoding="unicode")


def _tidied(element: Element) -> Iterator[Element]:
    """Give what stays of an element: itself, its children where it says nothing itself, or nothing."""
    children = [kept for child in element for kept in _tidied(child)]
    name, attributes = _name(element), dict(_attributes(element))
    if name == "g" and not attributes:
        yield from children
    elif (name != "g" or children) and not _is_empty(element):
        clean = Element(name, attributes)
        clean.text = element.text
        clean.extend([*children, *_title(element)])
        yield clean


def _name(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def _is_empty(element: Element) -> bool:
    """Whether an element draws nothing: the frames around groups, and paths without a way."""
    return element.get("class") in _FRAMES or (_name(element) == "path" and not element.get("d"))


def _about(element: Element) -> str | None:
    return element.get("aria-label") if _name(element) != "g" and element.get("role") == "graphics-symbol" else None


def _title(element: Element) -> Iterator[Element]:
    """Give what describes a mark as the title that the page shows; nothing where nothing does."""
    about = _about(element)
    if about:
        title = Element("title")
        title.text = about
        yield title


def _attributes(element: Element) -> Iterator[tuple[str, str]]:
    for key in _PLACES + _LOOKS:
        value = element.get(key)
        if value is None:
            continue
        rounded = _NUMBER.sub(_rounded, value)
        if key not in {"fill", "stroke"}:
            if (key, rounded) not in _NEEDLESS:
                yield key, rounded
            continue
        agent = agent_of(value)
        if agent is not None:
            yield _AGENT, str(agent)
        yield key, TOKENS[value] if agent is None else "var(--pass)"


def _rounded(number: re.Match[str]) -> str:
    return f"{round(float(number[0]), 1) + 0.0:g}"  # a zero has no sign
