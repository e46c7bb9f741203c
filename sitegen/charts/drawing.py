"""Draws panels as SVG. The first drawing of a process costs about a second: Altair and the converter start up."""

import vl_convert
from altair.utils.schemapi import debug_mode
from altair.vegalite.v6.schema import SCHEMA_VERSION

from sitegen.charts.panel import Panel
from sitegen.charts.specification import plot_of
from sitegen.charts.svg import tidied

_VEGA_LITE = ".".join(SCHEMA_VERSION.removeprefix("v").split(".")[:2])


def drawn(panel: Panel) -> str:
    """Draw a panel: the same values give the same bytes.

    The converter leaves threads behind, which a fork would lose: call this in a process that does nothing else.
    """
    with debug_mode(False):  # noqa: FBT003 - Altair calls it so; the tests check every kind of panel with it on
        specification = plot_of(panel).specification()
    return tidied(vl_convert.vegalite_to_svg(specification, vl_version=_VEGA_LITE))
