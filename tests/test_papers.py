"""The list of the papers' tables and figures, against the site; and what they print, against what it is made of."""

import json
import re
from collections import defaultdict
from pathlib import Path
from statistics import fmean, stdev

import pytest
from kit.built_sites import own_site
from kit.paper_tables import lines_of, table_of
from lxml import html

ROOT = Path(__file__).parents[1]
LISTED = (ROOT / "site_src/develop/papers.md").read_text(encoding="utf-8")
PAPERS = {"EvoCode-Bench": (11, 7), "RoadmapBench": (15, 6), "SlopCodeBench": (6, 7)}
"""How many figures and tables each paper has."""


@pytest.mark.parametrize("address", sorted(set(re.findall(r"`(/[^`]+)`", LISTED))))
def test_every_address_leads_to_what_it_names(address: str) -> None:
    page, _, anchor = address.partition("#")
    file = own_site() / page[1:] / "index.html"
    assert file.is_file()
    assert not anchor or f'id="{anchor}"' in file.read_text(encoding="utf-8"), f"{page} has no {anchor}"


def cells_of(benchmark: str, exhibit: str) -> list[list[str]]:
    (shown_exhibit,) = (candidate for candidate in table_of(benchmark).exhibits if candidate.id == exhibit)
    return [list(map(str, row)) for row in shown_exhibit.rows]


def near(printed: str, *values: float) -> bool:
    """Whether a printed number is the mean of some values, rounded."""
    half = 0.5 * float(f"1e-{len(printed.partition(chr(46))[2])}")
    return abs(float(printed) - fmean(values)) <= half + 1e-9


def test_the_released_tasks_are_as_long_as_the_paper_says_and_its_two_wrong_counts_are_marked() -> None:
    file = ROOT / "results/evocode-bench/tasks/official.jsonl"
    lengths = [len(json.loads(line)["rounds"]) for line in file.read_text(encoding="utf-8").splitlines()]
    for rounds, *counts in cells_of("evocode-bench", "lengths"):
        least, _, longest = rounds.partition(" to ")
        range_lengths = [length for length in lengths if int(least) <= length <= int(longest)]
        assert counts == [str(len(range_lengths)), str(sum(range_lengths))]
    (shown,) = (exhibit for exhibit in table_of("evocode-bench").exhibits if exhibit.id == "rounds")
    slips = {slip.row: str(slip.should) for slip in shown.slips}
    for number, _, tasks in cells_of("evocode-bench", "rounds"):
        assert slips.get(number, tasks) == str(sum(length >= int(number) for length in lengths))


def test_what_the_papers_print_of_parts_adds_up_to_their_tables() -> None:
    """Thirds of the ranking, domains of repositories, failures by agent, and solvable rounds."""
    lines = list(lines_of("evocode-bench").values())
    for (_, *means), tier_lines in zip(
        cells_of("evocode-bench", "tiers"), (lines[:3], lines[3:7], lines[7:]), strict=True
    ):
        for mean, metric in zip(means, ("mt_at_k", "sr"), strict=True):
            assert not mean or near(mean, *(float(line[metric].value) for line in tier_lines))
    by_domain: dict[str, int] = defaultdict(int)
    for _, _, domain, tasks, *_ in cells_of("roadmapbench", "repositories"):
        by_domain[domain] += int(tasks)
    domain_figures = table_of("roadmapbench").rows[0].values["resolved"].groups["domain"]
    assert by_domain == {domain: figure.n for domain, figure in domain_figures.items()}
    *agents, overall = (
        [int(cell.partition(" ")[0]) for cell in row[2:]] for row in cells_of("roadmapbench", "failures-by-agent")
    )
    assert [sum(column) for column in zip(*agents, strict=True)] == overall
    assert all(sum(row[:-1]) == row[-1] for row in (*agents, overall))


def test_means_of_the_human_panel_are_those_of_its_rows() -> None:
    panel = cells_of("slop-code-bench", "human-panel")
    *tiers, everything, _ = cells_of("slop-code-bench", "human-tiers")
    for name, count, *printed_figures in (*tiers, everything):
        tier_rows = [row for row in panel if name == "All repositories" or row[1] == name.partition(",")[0]]
        assert int(count) == len(tier_rows)
        for at, position in ((6, 0), (7, 2)):
            values = [float(row[at]) for row in tier_rows]
            assert near(printed_figures[position], *values)
            assert near(printed_figures[position + 1], stdev(values))


def test_rates_beside_a_printed_table_are_those_of_the_track_s_own_page() -> None:
    """Table 7 stands beside the rounds of the official track, which its heat map pools as well."""
    site = own_site() / "evocode-bench"
    official, paper = (html.parse(site / track / "analysis/index.html") for track in ("official", "paper"))
    (pooled,) = (row for row in official.xpath("//*[@id='heat']//tbody/tr") if "All agents" in row.text_content())
    rates = [cell.text_content().strip() for cell in pooled.xpath("td")]
    printed_rows = [
        [cell.text for cell in row.xpath("td")] for row in paper.xpath("//*[@id='printed-rounds']//tbody/tr")
    ]
    assert [row[-1] for row in printed_rows] == rates
    assert [row[1] for row in printed_rows if "fit" in row[1]] == ["12 (8 would fit)", "2 (4 would fit)"]


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize(("kind", "position"), [("figure", 0), ("table", 1)])
def test_every_figure_and_table_is_listed_once(paper: str, kind: str, position: int) -> None:
    section = LISTED.partition(f"| {paper} |")[2].partition("\n\n")[0]
    firsts = [line.split("|")[1].lower() for line in section.splitlines()[2:]]
    runs = [numbers for line in firsts for numbers in re.findall(rf"{kind}s? ([\d, and()ab]+)", line)]
    listed_numbers = {int(number) for numbers in runs for number in re.findall(r"\d+", numbers)}
    assert listed_numbers == set(range(1, PAPERS[paper][position] + 1))
