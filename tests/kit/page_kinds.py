"""Addresses of one page of every kind, on a site of simulated results and on the project's own."""

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
"""Pages that people write, each with parts that no other has, and those made of them."""

BOARDS = ("demo/chain/", "demo/fail-stop/")
"""Boards of simulated results, of one attempt and of several."""

DRILLDOWNS = {
    "task": "tbody th a",
    "run": "tbody a[data-cell]",
    "submission": "thead a",
    "round": "tbody th a",
}
"""Kinds of pages below a board, and where in the heat map of its tasks the first link to one is."""

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
"""Addresses on a site of simulated results; those below a board are called by their kinds. Where there are several
attempts, rows and rounds have no part of their own.
"""

REPORTED = ("evocode-bench/paper/", "evocode-bench/official/", "roadmapbench/paper/", "slop-code-bench/paper/")
"""The project's own boards of published tables."""


@cache
def drilldown(site: str, named: str) -> str:
    """Give the whole address of a page that may be named by its kind, as `demo/chain/task` is."""
    board, _, kind = named.rpartition("/")
    if kind not in DRILLDOWNS:
        return site + named
    address = f"{site}{board}/tasks/"
    with urlopen(address) as answer:  # noqa: S310 - a server of the tests
        page = html.fromstring(answer.read(), base_url=address)
    page.make_links_absolute()
    (href, *_) = (link.get("href") for link in page.cssselect(f"table.sg-heat {DRILLDOWNS[kind]}"))
    return f"{href}1/" if kind == "round" else str(href)
