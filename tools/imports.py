#!/usr/bin/env python3
"""Draws which package of the program imports which, as the table in `site_src/develop/structure.md`.

`python tools/imports.py` writes the table; a test fails if it is out of date.
"""

import re
from pathlib import Path

from grimp import build_graph

LAYERS = (
    "problems", "models", "reading", "metrics", "board", "charts",
    "store", "importers", "pages", "publish", "pipeline", "cli",
)  # fmt: skip
PAGE = Path(__file__).parents[1] / "site_src" / "develop" / "structure.md"
_PLACE = re.compile(r"(?<=<!-- imports -->\n).*?(?=<!-- end -->)", re.DOTALL)


def table() -> str:
    """Return the table: one line per package with a dot for each package that it imports, lowest layer first."""
    graph = build_graph("sitegen")

    def cell(importer: str, imported: str) -> str:
        if importer == imported:
            return "■"
        names = {"importer": f"sitegen.{importer}", "imported": f"sitegen.{imported}"}
        return "●" if graph.direct_import_exists(**names, as_packages=True) else ""

    lines = [f"| imports | {' | '.join(LAYERS)} |", "| --- |" + " :-: |" * len(LAYERS)]
    for importer in LAYERS:
        cells = [cell(importer, imported) for imported in LAYERS]
        lines.append(f"| **{importer}** | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def drawn(page: str) -> str:
    """Return the page with an up-to-date table."""
    return _PLACE.sub(lambda _: table(), page)


if __name__ == "__main__":
    PAGE.write_text(drawn(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
