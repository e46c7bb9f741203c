"""Twelve questions of a reader, each answered by the text of a page at most two clicks from the first one."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from kit import built_sites as built
from kit.real_data import real_data
from kit.site_reader import Reader
from kit.transcripts import served
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

TRACK = "evocode-bench/official"
JOB = "demo-counter-chain"


@pytest.fixture(scope="module")
def rows() -> list[Any]:
    """The rows of the first board, as programs read them."""
    text = (built.own_site() / "api" / "v1" / f"{TRACK}.json").read_text("utf-8")
    return list(json.loads(text)["submissions"])


def who_is_best(reader: Reader, rows: list[Any]) -> None:
    first = rows[0]
    score = f"{first['metrics']['dataset_score']['value']:.1f}"
    reader.sees(f"{first['agent']['name']} leads with {score}", within="[data-answer]")
    reader.sees("95 % interval", within=".sg-sure")


def what_is_hardest(reader: Reader, rows: list[Any]) -> None:
    reader.click("results by task")
    hardest = reader.page.locator("tr[data-task-share]").last
    expect(hardest).to_have_attribute("data-task-share", "0.0")
    reader.click(hardest.locator("th a").first)
    reader.sees(f"{len(rows)} agents", within="[data-answer]")
    reader.sees("First failures are most frequent in round 1")


def what_the_whole_board_tells(reader: Reader, rows: list[Any]) -> None:
    reader.click("Full board")
    reader.sees("Round 1 is passed most often", "at round 1 and")
    reader.sees("Dataset Score against Tool calls per round", f"{rows[0]['metrics']['avg_rounds']['value']:.1f}")
    for fold, *expected_texts in (
        ("Citation in BibTeX", "@misc{", "Official multi-step"),
        ("Use the data: pandas, DuckDB, all columns", "pandas.read_csv(", f"{TRACK}.csv"),
    ):
        reader.clicks = 1
        reader.click(fold)
        reader.sees(*expected_texts)


def what_changed(reader: Reader, _: list[Any]) -> None:
    reader.sees(
        "Terminal-Bench Core (terminal-bench-core 0.1.1) is new", "Doubao-Seed-2.1-Pro is new, with a score of 6.6"
    )
    reader.click("All changes")
    reader.sees("12 agents now have scores recomputed from raw results")
    reader.click("2026-06-25")
    reader.sees("Cause", "23.4 → 24.4", "What did not change")


def whether_to_trust_a_row(reader: Reader, rows: list[Any]) -> None:
    reader.click(rows[1]["agent"]["name"])
    reader.click(r"Provenance\s+\d+ raw files")
    reader.sees("Evidence", "recomputed", f"{rows[1]['metrics']['dataset_score']['claimed']}", "rounds.jsonl")


def on_a_phone(reader: Reader, rows: list[Any]) -> None:
    reader.page.set_viewport_size({"width": 390, "height": 844})
    row = reader.page.locator(f"tr[data-submission='{rows[0]['id']}']").first
    expect(row).to_be_in_viewport(ratio=1)
    assert reader.page.evaluate("document.documentElement.scrollWidth") == 390
    reader.sees(rows[-1]["agent"]["name"])


PLAIN: Mapping[str, Callable[[Reader, list[Any]], None]] = {
    "who is best, and how sure": who_is_best,
    "which task and round are hardest": what_is_hardest,
    "where agents break down, what a score costs, how to cite and to compute with it": what_the_whole_board_tells,
    "what changed": what_changed,
    "whether to trust a row": whether_to_trust_a_row,
    "on a phone": on_a_phone,
}


@pytest.mark.parametrize("question", PLAIN)
def test_nine_are_answered_without_scripts(plain_page: Page, own_site: str, rows: list[Any], question: str) -> None:
    PLAIN[question](Reader(plain_page, own_site), rows)


@pytest.mark.parametrize("question", PLAIN)
def test_they_are_answered_with_scripts(page: Page, own_site: str, rows: list[Any], question: str) -> None:
    PLAIN[question](Reader(page, own_site), rows)


def test_why_one_is_above_another(page: Page, own_site: str, rows: list[Any]) -> None:
    reader = Reader(page, own_site)
    names = [row["agent"]["name"] for row in rows[:2]]
    reader.click(f"compare {names[0]} and {names[1]}")
    reader.sees(f"{names[0]} is ahead of {names[1]}", within="[data-answer]")
    expect(page.locator("[data-points]")).to_have_count(25)
    reader.sees("rounds were passed by only one", "decided by a single case")


def test_which_rows_have_one_scaffold_or_open_weights(page: Page, own_site: str, demo_site: str) -> None:
    """A published table tells scaffolds; which weights are open is told of simulated rows alone."""
    for site, board, facet, value in (
        (own_site, "roadmapbench/paper", "scaffold", "OpenHands"),
        (demo_site, "demo/chain", "open_weights", "yes"),
    ):
        page.goto(f"{site}{board}/")
        all_rows = page.locator("table[data-board] tbody tr:visible").count()
        reader = Reader(page, f"{site}{board}/")
        reader.click("Filter")
        reader.click(page.locator(f"[data-facet={facet}] input[value={value}]"))
        shown = page.locator("table[data-board] tbody tr[data-submission]:visible")
        expect(shown).not_to_have_count(all_rows)
        assert 0 < shown.count() < all_rows


@pytest.fixture(scope="module")
def tried() -> Iterator[str]:
    """Address of a site of runs that are tried, with what was asked and what the agent did."""
    with served(built.tried(real_data("harbor", "harbor-0.9.0"))) as address:
        yield address


def test_what_was_asked_and_what_the_agent_did(page: Page, tried: str) -> None:
    reader = Reader(page, tried)
    reader.search(f"Round 3 of {JOB}")
    reader.click("The instruction")
    reader.sees("Make the counter do thing 3.")
    reader = Reader(page, tried)
    reader.search(f"alpha on {JOB}")
    reader.click("what the agent did")
    reader.sees("Make the counter do thing 1.", within="#step-1")
