"""What a row can be followed by, as pages tell it, and the ways to report a problem with what they show."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from kit.boards import board, bundle, row, table
from kit.rendered_pages import all_pages, board_page, evidence_fragment
from kit.task_cases import TEMPLATES, ran, submission, task, tree, words
from kit.task_cases import board as board_of
from lxml import html

from sitegen.board.board import Board
from sitegen.board.evidence import EVIDENCE_ITEMS
from sitegen.board.making import make_boards
from sitegen.models.finding import Finding
from sitegen.models.site import Site
from sitegen.pages.environment import Templates

TWO = task(["c1:sort", "c2:sort", "c3:save"], ["c1:sort", "c2:sort", "c3:save"])
FOLDER = Path(__file__).parents[2] / "templates" / "pages"
GITHUB = "https://github.com/acme/results/issues"
AGAIN = Finding(
    date=date(2026, 7, 1), kind="reproduction", title="Again", by="Ada", submissions=("first",), rerun="second"
)

Pages = Mapping[str, html.HtmlElement]


@pytest.fixture(autouse=True)
def _folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give submissions folders, whose files their pages list; here they have none."""
    monkeypatch.chdir(tmp_path)
    for name in ("acme", "ours", "first", "second"):
        (tmp_path / "results" / "mini" / "submissions" / name).mkdir(parents=True)


def pages_of(made: Board, templates: Templates = TEMPLATES) -> Pages:
    """Make every page of a board, by its address below the benchmark."""
    pages = all_pages([made], templates)
    return {page.address.removeprefix("mini/"): tree(page) for page in pages}


FIRST = ("##", "#.") * 13
"""What a submission does: 75 over 26 tasks."""
SAME = ("##", "##", *FIRST[2:-2], "#.", "#.")
"""What a rerun does that is better on one task and worse on another."""
WORSE = ("##", "..") * 13
"""What a rerun does that is worse on every second task."""


def ran_again(*marks: str) -> Pages:
    """Run a submission again, with another result."""
    agent = {"name": "Acme-1"}
    bundles = (bundle("first", *FIRST, agent=agent), bundle("second", *marks, agent=agent))
    results = board(*bundles, rounds=(2,) * len(FIRST)).results
    (made,) = make_boards(replace(results, findings=(AGAIN,)))
    return pages_of(made)


def items(page: html.HtmlElement) -> dict[str, str]:
    """Give how much of each item is there."""
    return {
        item.get("data-exhibit"): item.get("data-presence") for item in page.cssselect("#evidence li[data-exhibit]")
    }


def reports(page: html.HtmlElement) -> list[dict[str, str]]:
    """Give what each link of a page reports: title, and the facts of its body."""
    link_reports = []
    for link in page.cssselect("a.sg-report"):
        fields = parse_qs(urlsplit(link.get("href")).query)
        facts = (line.partition(": ") for line in fields["body"][0].splitlines())
        link_reports.append({"title": fields["title"][0]} | {name: value for name, middle, value in facts if middle})
    return link_reports


def test_the_badge_of_a_row_leads_to_its_evidence_where_rows_differ_in_that() -> None:
    mixed_board = board(bundle("acme", "##"), tables=[table(row("bolt"))])
    (badge,) = html.fromstring(board_page(mixed_board).content).cssselect("tr[data-submission=acme] a.sg-evidence")
    assert (badge.get("href"), words(badge)) == ("../../mini/main/acme/#evidence", "◑ recomputed")


def test_what_the_evidence_of_all_rows_is_stands_above_them() -> None:
    pages = pages_of(board_of(TWO, submission("acme", ran(1, "ppp"), ran(2, "ppp"))))
    links = [(link.get("href"), words(link)) for link in pages["main/"].cssselect(".sg-line-facts a")]
    assert ("../../methods/#evidence", "complete") in links
    assert not pages["main/"].cssselect("tr[data-submission=acme] a.sg-evidence")
    (section,) = pages["main/acme/"].cssselect("section#evidence")
    assert [words(heading) for heading in section.cssselect("h2, h3")] == ["Available", "Missing"]


def test_every_item_of_evidence_stands_on_a_submissions_page_once() -> None:
    page = pages_of(board_of(TWO, submission("acme", ran(1, "ppf"), ran(2, "ppp"))))["main/acme/"]
    presence_by_item = items(page)
    assert sorted(presence_by_item) == sorted(item.id for item in EVIDENCE_ITEMS)
    assert presence_by_item["outcomes"] == "there"
    lists = page.cssselect(".sg-exhibits > div")
    assert [
        {list_item.get("data-presence") for list_item in exhibit_list.cssselect("li")} for exhibit_list in lists
    ] == [{"there"}, {"missing"}]


def test_presence_is_told_by_a_glyph_and_in_words() -> None:
    page = pages_of(board(bundle("ours", "#.", provenance={"harness": "harbor"})))["main/ours/"]
    (item,) = page.cssselect("li[data-exhibit=harness]")
    assert words(item) == ("◐ Harness and its version (in part) The harness is stated, but its version is not.")
    (outcomes,) = page.cssselect("li[data-exhibit=outcomes]")
    assert words(outcomes).startswith("– The outcome of every case required for “complete”")


def test_a_page_says_what_the_next_tiers_take() -> None:
    lead = words(pages_of(board(bundle("ours", "#.")))["main/ours/"].cssselect("#evidence > p")[0])
    assert "◕ complete requires the outcome of every case." in lead
    assert "● reproduced requires a maintainer's rerun that confirms it." in lead


def test_a_reported_row_says_what_it_lacks() -> None:
    page = pages_of(board(tables=[table(row("theirs"))]))["main/theirs/"]
    lead = words(page.cssselect("#evidence > p")[0])
    assert "◑ recomputed requires every expected reward." in lead
    assert items(page) == {}


def test_a_reproduction_names_who_when_both_scores_and_the_rerun() -> None:
    pages = ran_again(*SAME)
    (again,) = pages["main/first/"].cssselect("li[data-rerun]")
    assert words(again) == (
        "By Ada, 2026-07-01: Dataset Score 75.0 here, 75.0 when run again: +0.0 (-5.7 to +5.7), shown to be the same "
        "within 4.7, where 10.0 is required. second"
    )
    assert again.cssselect("a")[0].get("href") == "../../../mini/main/second/"
    assert words(pages["main/"].cssselect("tr[data-submission=first] .sg-evidence")[0]) == "● reproduced"
    (back,) = pages["main/second/"].cssselect("[data-repeats] a")
    assert (back.get("href"), words(back)) == ("../../../mini/main/first/", "first")


def test_a_reproduction_marks_a_submission_only_where_it_differs() -> None:
    """A flag says that something is wrong; a run that bears a row out is evidence for it."""
    for marks, flags in ((SAME, 0), (WORSE, 1)):
        pages = ran_again(*marks)
        assert len(pages["main/"].cssselect("tr[data-submission=first] a.sg-flag")) == flags
        assert len(pages["main/first/"].cssselect("li[data-finding]")) == flags
        assert pages["main/"].cssselect("#finding-2026-07-01-again")


def test_a_reproduction_that_differs_is_told_and_warned_of() -> None:
    page = ran_again(*WORSE)["main/first/"]
    rerun_text = words(page.cssselect("li[data-rerun]")[0])
    assert "75.0 here, 50.0 when run again: -25.0 (-36.9 to -14.7), shown to differ" in rerun_text
    assert "within 33.5, where 10.0 is required" in rerun_text
    assert items(page)["rerun"] == "missing"
    assert page.cssselect("[data-problem=REPRODUCTION-DIFFERS][data-severity=warning]")


def test_the_methods_page_lists_what_decides_and_what_does_not() -> None:
    root = html.fromstring(evidence_fragment(TEMPLATES).content)
    tiers_by_item = {
        table_row.get("data-exhibit"): words(table_row.cssselect("td")[0])
        for table_row in root.cssselect("tr[data-exhibit]")
    }
    assert list(tiers_by_item) == [item.id for item in EVIDENCE_ITEMS]
    assert {name: tier for name, tier in tiers_by_item.items() if tier != "listed only"} == {
        "rewards": "◑ recomputed",
        "outcomes": "◕ complete",
        "checks": "◉ verified",
        "rerun": "● reproduced",
    }


def test_submissions_runs_rounds_and_cases_lead_to_a_report_about_themselves(tmp_path: Path) -> None:
    acme = submission("acme", ran(1, "pfp"), ran(2, "ppp"))
    bolt = replace(submission("bolt", ran(1, "ppp"), ran(2, "ppp")), path=tmp_path)
    templates = Templates(FOLDER, site=Site("https://example.org/b/"))
    pages = pages_of(board_of(TWO, acme, bolt, issues=GITHUB), templates)
    base = {"Benchmark": "mini", "Track": "main"}
    about = {**base, "Submission": "acme", "Agent": "acme", "Dataset Score": "50.0", "Evidence": "complete"}
    of_row = {"title": "acme on Mini, Main", "Page": "https://example.org/b/mini/main/acme/", **about}
    assert reports(pages["main/acme/"]) == [of_row]
    run = {"Page": "https://example.org/b/mini/main/acme/a/", **base, "Submission": "acme", "Task": "a"}
    shown = "1 of 2 rounds passed · 5 of 6 cases"
    assert reports(pages["main/acme/a/"]) == [{"title": "acme on a", **run, "Shown": shown}]
    page = "https://example.org/b/mini/main/tasks/a/1/"
    assert reports(pages["main/tasks/a/1/"]) == [
        {"title": "Round 1 of a", "Page": page, **base, "Task": "a", "Round": "1"}
    ]
    (table,) = pages["main/tasks/a/1/"].cssselect("table[data-report]")
    assert f"Page: {page}#{{anchor}}" in parse_qs(urlsplit(table.get("data-report")).query)["body"][0]


def test_a_benchmark_without_a_tracker_has_no_such_links() -> None:
    pages = pages_of(board_of(TWO, submission("acme", ran(1, "pfp"), ran(2, "ppp"))))
    assert not [address for address, page in pages.items() if page.cssselect(".sg-report, [data-report]")]
