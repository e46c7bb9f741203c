"""The integrity record of a benchmark: what was wrong, what it concerns, and what replaced what."""

from dataclasses import replace
from datetime import date
from pathlib import Path

from kit.boards import bundle, track
from kit.rendered_pages import benchmark_page, integrity_page
from kit.result_grids import task
from kit.task_cases import tree, words

from sitegen.board.making import make_boards
from sitegen.models.benchmark import Benchmark
from sitegen.models.finding import Finding
from sitegen.models.results import BenchmarkResults
from sitegen.models.task import TaskSet

RESULTS = BenchmarkResults(
    Path("mini"),
    Benchmark.model_validate(
        {
            "schema": 1,
            "id": "mini",
            "title": "Mini",
            "tracks": (
                track(id="old", title="Old", status="withdrawn", reason="it leaked", superseded_by="main"),
                track(title="New"),
            ),
        }
    ),
    {"all": TaskSet("all", (task("a", 2), task("b", 3)))},
    (
        bundle("ada-1", "##", "#..", track="old", agent={"name": "Ada"}),
        bundle("ada-2", "#.", "###", agent={"name": "Ada"}),
        bundle("bob-1", "..", "...", track="old", agent={"name": "Bob"}),
    ),
    findings=(
        Finding(date=date(2026, 6, 20), kind="leak", title="A leak", reason="`test.sh` was seen.", tracks=("old",)),
    ),
)


def test_what_was_wrong_stands_beside_what_replaced_what() -> None:
    page = integrity_page(make_boards(RESULTS))
    assert page
    assert page.address == "mini/integrity/"
    document = tree(page)
    assert words(document.cssselect("h1")[0]) == "Integrity record 3 of 5 rounds in 2 tasks changed verdict when rerun"
    assert "A leak" in words(document.cssselect("[data-finding]")[0])
    assert words(document.cssselect("[data-finding] code")[0]) == "test.sh"
    assert words(document.cssselect(".sg-notice")[0]) == "Withdrawn: it leaked."
    replaced, pairs = (
        [[words(cell) for cell in row.cssselect("th, td")] for row in table.cssselect("tbody tr")]
        for table in document.cssselect("table")
    )
    assert replaced == [["Ada", "66.7", "Ada", "75.0", "+8.3"], ["Bob", "0.0", "not rerun", "–", "–"]]
    assert pairs == [["b", "2 of 3", "+2 1 → 3 of 3"], ["a", "1 of 2", "−1 2 → 1 of 2"]]


def test_a_scaffold_of_an_agent_is_replaced_by_its_own_row() -> None:
    bundles = []
    for scaffold, marks in (("Terminus", "##"), ("OpenHands", "..")):
        agent = {"name": "Ada", "scaffold": scaffold}
        bundles.append(bundle(f"old-{scaffold.lower()}", "#.", "#..", track="old", agent=agent))
        bundles.append(bundle(f"new-{scaffold.lower()}", marks, "#..", agent=agent))
    page = integrity_page(make_boards(replace(RESULTS, bundles=tuple(bundles))))
    assert page
    rows = tree(page).cssselect("table")[0].cssselect("tbody tr")
    links = [[link.get("href").split("/")[-2] for link in row.cssselect("a")] for row in rows]
    assert sorted(links) == [["old-openhands", "new-openhands"], ["old-terminus", "new-terminus"]]


def test_the_benchmark_leads_to_it_and_one_without_a_withdrawn_track_has_none() -> None:
    assert tree(benchmark_page(make_boards(RESULTS))).cssselect("a[href$='mini/integrity/']")
    current = RESULTS.benchmark.model_copy(update={"tracks": RESULTS.benchmark.tracks[1:]})
    alone = make_boards(replace(RESULTS, benchmark=current, bundles=RESULTS.bundles[1:2], findings=()))
    assert integrity_page(alone) is None
    assert not tree(benchmark_page(alone)).cssselect("a[href$='integrity/']")


def test_a_finding_that_was_corrected_is_marked() -> None:
    later = Finding(
        date=date(2026, 7, 1),
        kind="note",
        title="No leak",
        corrects="2026-06-20-a-leak",
        tracks=("old",),
    )
    page = integrity_page(make_boards(replace(RESULTS, findings=(*RESULTS.findings, later))))
    assert page
    (article,) = tree(page).cssselect("article.sg-finding")
    assert words(article.cssselect("h3")[0]) == "⚑ No leak"
    assert words(article.cssselect("details[data-earlier] summary")[0]) == "Earlier text: 2026-06-20"
    assert [words(link) for link in tree(page).cssselect("a[href='#findings']")] == ["1 finding"]


def test_tasks_without_a_changed_verdict_are_folded() -> None:
    page = integrity_page(make_boards(RESULTS))
    assert page
    changes = [cell.get("data-change") for cell in tree(page).cssselect(".sg-reruns td[data-change]")]
    assert changes == ["gained", "lost"]
