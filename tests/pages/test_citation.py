"""How boards are cited: what is not known is not made up."""

from datetime import date
from pathlib import Path

import pytest
import yaml
from kit.boards import board, bundle, row, table
from kit.rendered_pages import TEMPLATES, all_pages, submission_page
from lxml import html

from sitegen.board.history.ledger import make_ledger
from sitegen.board.history.releases import lock_boards
from sitegen.pages.kinds.authored import data_parts
from sitegen.pages.records import BoardRecords
from sitegen.pages.sharing import citation_of, cited_scores
from sitegen.pages.site import SiteContent

SITE = "https://example.org/boards/"


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the submissions folders, whose files their pages list; here they have none."""
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b", "ours"):
        (tmp_path / "results/mini/submissions" / name).mkdir(parents=True)


def test_a_board_without_a_row_has_no_day() -> None:
    cited = citation_of(board(), None, (), SITE)
    assert "year" not in cited.bibtex
    assert "note" not in cited.bibtex
    assert "date-released" not in yaml.safe_load(cited.cff)
    assert cited.key == "mini-main-board"


def test_a_board_that_was_never_released_is_cited_by_its_latest_results() -> None:
    cited = citation_of(board(bundle("a", "##"), bundle("b", "##")), None, (), SITE)
    assert "year = {2026}" in cited.bibtex
    assert "note = {Results of 2026-06-25}" in cited.bibtex
    assert yaml.safe_load(cited.cff)["date-released"] == "2026-06-25"


def test_a_row_is_cited_by_its_own_page() -> None:
    made = board(bundle("a", "##", agent={"name": "Acme & Sons"}))
    cited = citation_of(made, made.entries[0], (), SITE)
    assert "url = {https://example.org/boards/mini/main/a/}" in cited.bibtex
    assert r"Acme \& Sons" in cited.bibtex


def test_a_row_is_by_its_submitter_or_else_the_benchmarks_maintainers() -> None:
    agent = {"name": "Acme-1", "organization": "Acme"}
    sender = {"name": "Ada Example"}
    made = board(bundle("a", "##", agent=agent, submitter=sender), bundle("b", "##", agent=agent))
    by_id = {entry.id: citation_of(made, entry, (), SITE) for entry in made.entries}
    assert by_id["a"].author == "Ada Example"
    assert by_id["b"].author == f"{made.benchmark.title} maintainers and submitters"


def test_a_site_without_an_address_has_no_url_in_its_citations() -> None:
    made = board(bundle("a", "##"))
    cited = citation_of(made, made.entries[0], (), "")
    assert "url" not in cited.bibtex
    assert "url" not in yaml.safe_load(cited.cff)


def test_a_score_is_cited_from_the_release_that_has_it_as_it_is() -> None:
    made = board(bundle("a", "##"), bundle("b", "#."))
    released = lock_boards([[made]], {}, date(2026, 7, 1), "", "1.0")
    (score,) = cited_scores(made, made.entries[0], [released])
    assert (score.text, score.release) == ("Dataset Score 100.0 %", "2026-07-01")
    assert score.path == "changelog/2026-07-01/mini/main/#a.dataset_score"
    changed = board(bundle("a", "#."), bundle("b", "#."))
    (score,) = cited_scores(changed, changed.entries[0], [released])
    assert (score.text, score.path, score.release) == ("Dataset Score 50.0 %", "mini/main/a/", "")


@pytest.mark.usefixtures("folders")
def test_a_score_on_the_page_of_a_row_leads_to_the_release_that_has_it() -> None:
    made = board(bundle("a", "##"), bundle("b", "#."))
    released = lock_boards([[made]], {}, date(2026, 7, 1), "", "1.0")
    page = html.fromstring(submission_page(BoardRecords(made, [released]), made.entries[0]).content)
    (link,) = page.cssselect(".sg-claimed-scores a.sg-cite")
    assert link.get("aria-label") == "Cite Dataset Score 100.0 %, release 2026-07-01"
    assert str(link.get("href")).endswith("changelog/2026-07-01/mini/main/#a.dataset_score")
    changed = board(bundle("a", "#."), bundle("b", "#."))
    page = html.fromstring(submission_page(BoardRecords(changed, [released]), changed.entries[0]).content)
    assert not page.cssselect("a.sg-cite")


@pytest.mark.usefixtures("folders")
def test_a_number_that_a_computer_wrote_is_rounded_on_every_page() -> None:
    printed = table(row("acme", "14.300000000000002"), row("bolt", "63.333333333333336"), row("cedar", "12.3456"))
    made = board(bundle("ours", "#."), tables=[printed, table(row("ours", "50.000000000000014"), source="Paper")])
    released = lock_boards([[made]], {}, date(2026, 7, 1), "", "1.0")
    for page in all_pages([made], releases=[released]):
        text = str(html.fromstring(f"<main>{page.content}</main>").text_content())
        assert "00000000" not in text, page.address
        assert "33333333" not in text, page.address
    assert {entry.id: entry.text("dataset_score") for entry in made.entries} == {
        "ours": "50.0",
        "acme": "14.3",
        "bolt": "63.3333",
        "cedar": "12.3456",
    }


def test_files_of_published_tables_are_called_so() -> None:
    made = board(tables=[table(row("acme", "14.3"))])
    raw = {"mini": ["benchmark.toml", "reported/paper.toml", "submissions/a/rounds.jsonl", "tasks/main.jsonl"]}
    fragment, _ = data_parts(SiteContent(make_ledger([], [[made]], "1.0"), raw, ()), TEMPLATES)
    titles = [str(head.text_content()) for head in html.fromstring(fragment.content).cssselect("tbody th")]
    assert titles[1:] == ["Definition and findings", "Published tables, not recomputed", "a", "Task sets"]
