"""Addresses of one page of every kind, on a site of simulated results and on the project's own."""

from playwright.sync_api import Page

AUTHORED = (
    "",
    "methods/",
    "submit/",
    "submit/checks/",
    "methods/metrics/",
    "submit/table/",
    "changelog/",
    "data/",
    "develop/",
    "develop/glossary/",
    "404.html",
)
"""Pages that people write, and those made of their parts."""

BOARDS = ("demo/chain/", "demo/fail-stop/")
"""Boards of simulated results, of one attempt and of several."""

KINDS = (*AUTHORED, "demo/", *BOARDS, "demo/chain/compare/", "demo/chain/certainty/", "demo/chain/tasks/")

REPORTED = ("evocode-bench/paper/", "evocode-bench/official/", "roadmapbench/paper/", "slop-code-bench/paper/")
"""The project's own boards of published tables."""


def drilldowns(page: Page, site: str, board: str = "demo/chain/") -> list[str]:
    """Give the addresses of a task, a run, a submission and a round."""
    page.goto(f"{site}{board}tasks/")
    task = page.locator("table.sg-heat tbody th a").nth(0)
    run = page.locator("table.sg-heat tbody a[data-cell]").nth(0)
    submission = page.locator("table.sg-heat thead a").nth(0)
    hrefs = [str(link.evaluate("link => link.href")) for link in (task, run, submission)]
    return [*hrefs, f"{hrefs[0]}1/"]


def every_address(page: Page, site: str) -> list[str]:
    """Give the addresses of all kinds of pages of a site of simulated results."""
    deeper = [address for board in BOARDS for address in drilldowns(page, site, board)]
    return [*(site + kind for kind in KINDS), *deeper]
