"""Addresses of one page of each kind, on a site of simulated results and on the project's own site."""

from functools import cache
from urllib.request import urlopen

from lxml import html

AUTHORED = (
    "",
    "methods/",
    "submit/",
    "submit/checks/",
    "docs/",
    "docs/commands/",
    "methods/metrics/",
    "changelog/",
    "data/",
    "404.html",
    "agents/",
    "agents/gorse-xl/",
)
"""Hand-written pages with unique parts, and the pages generated from them."""

BOARDS = ("demo/chain/", "demo/fail-stop/")
"""Boards of simulated results: one with a single attempt, one with several."""

DRILLDOWNS = {
    "task": "tbody th a",
    "run": "tbody a[data-cell]",
    "submission": "thead a",
    "round": "tbody th a",
}
"""Kinds of pages below a board, with a selector for their first link in the heat map of the board's tasks."""

KINDS = (
    *AUTHORED,
    "demo/",
    *BOARDS,
    "demo/chain/compare/",
    "demo/chain/certainty/",
    "demo/chain/analysis/",
    "demo/chain/tasks/",
    *(f"demo/chain/{kind}" for kind in DRILLDOWNS),
    *(f"demo/fail-stop/{kind}" for kind in ("task", "run")),
)
"""Addresses on a site of simulated results; pages below a board are named by their kinds.

With several attempts, rows and rounds have no further special parts.
"""

REPORTED = ("evocode-bench/paper/", "evocode-bench/official/", "roadmapbench/paper/", "slop-code-bench/paper/")
"""The project's own boards with published tables."""


@cache
def drilldown(site: str, named: str) -> str:
    """Return the full address of a page, which may be named by its kind, such as `demo/chain/task`."""
    board, _, kind = named.rpartition("/")
    if kind not in DRILLDOWNS:
        return site + named
    address = f"{site}{board}/tasks/"
    with urlopen(address) as answer:  # noqa: S310 - a server of the tests
        page = html.fromstring(answer.read(), base_url=address)
    page.make_links_absolute()
    (href, *_) = (link.get("href") for link in page.cssselect(f"table.sg-heat {DRILLDOWNS[kind]}"))
    return f"{href}1/" if kind == "round" else str(href)
