"""The list of the papers' tables and figures, against the pages that the shipped results make."""

import re
from functools import cache
from pathlib import Path

import pytest
from casebooks import TEMPLATES, tree
from rendered import analysis_page, board_page

from sitegen.board.review import boards_of
from sitegen.pages.environment import Page
from sitegen.store.folder import read_results

ROOT = Path(__file__).parents[1]
LISTED = (ROOT / "site_src/develop/papers.md").read_text(encoding="utf-8")
PAPERS = {"EvoCode-Bench": (11, 7), "RoadmapBench": (15, 6), "SlopCodeBench": (6, 7)}
"""How many figures and tables each paper has."""


@cache
def pages() -> dict[str, Page]:
    """The boards of the shipped results and their analyses, by address."""
    found = [board for results in read_results(ROOT / "results").benchmarks for board in boards_of(results)]
    made = [page for board in found for page in (board_page(board, TEMPLATES), analysis_page(board, TEMPLATES)) if page]
    return {f"/{page.address}": page for page in made}


@pytest.mark.parametrize("address", sorted(set(re.findall(r"`(/[^`]+)`", LISTED))))
def test_every_address_leads_to_what_it_names(address: str) -> None:
    page, _, anchor = address.partition("#")
    assert page in pages()
    assert not anchor or tree(pages()[page]).cssselect(f"#{anchor}"), f"{page} has no {anchor}"


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize(("kind", "place"), [("figure", 0), ("table", 1)])
def test_every_figure_and_table_is_listed_once(paper: str, kind: str, place: int) -> None:
    part = LISTED.partition(f"| {paper} |")[2].partition("\n\n")[0]
    firsts = [line.split("|")[1].lower() for line in part.splitlines()[2:]]
    runs = [numbers for line in firsts for numbers in re.findall(rf"{kind}s? ([\d, and()ab]+)", line)]
    told = {int(each) for numbers in runs for each in re.findall(r"\d+", numbers)}
    assert told == set(range(1, PAPERS[paper][place] + 1))
