#!/usr/bin/env python3
"""Draws which package of the program imports which, as the table that `site_src/develop/structure.md` holds.

`python tools/imports.py` writes it there; a test says when it is out of date.
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
    """A line a package with a dot below each package that it imports, the lowest layer first."""
    graph = build_graph("sitegen")

    def cell(importer: str, imported: str) -> str:
        if importer == imported:
            return "■"
        names = {"importer": f"sitegen.{importer}", "imported": f"sitegen.{imported}"}
        return "●" if graph.direct_import_exists(**names, as_packages=True) else ""

    lines = [f"| imports | {' | '.join(LAYERS)} |", "| --- |" + " :-: |" * len(LAYERS)]
    lines += [
        f"| **{each}** | {' | '.join(cell(each, other) for other in LAYERS)} |" for each in LAYERS
    ]
    return "\n".join(lines) + "\n"


def drawn(page: str) -> str:
    """The page with the table as the program is now."""
    return _PLACE.sub(lambda _: table(), page)


if __name__ == "__main__":
    PAGE.write_text(drawn(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
