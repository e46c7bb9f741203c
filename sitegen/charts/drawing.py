"""Draws panels as SVG. The first drawing of a process costs about a second: Altair and the converter start up."""

import json
from dataclasses import dataclass

import vl_convert
from altair.utils.schemapi import debug_mode
from altair.vegalite.v6.schema import SCHEMA_VERSION

from sitegen.charts.palette import AGENTS, TOKENS
from sitegen.charts.panel import Panel
from sitegen.charts.specification import plot_of
from sitegen.charts.svg import tidied

_VEGA_LITE = ".".join(SCHEMA_VERSION.removeprefix("v").split(".")[:2])


@dataclass(frozen=True, slots=True)
class Drawn:
    """A panel that was drawn.

    Attributes:
        svg: The drawing.
        specification: What it was drawn from, as Vega-Lite in JSON: a reader's browser can draw it anew. `usermeta`
            says what its colours stand for.
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
