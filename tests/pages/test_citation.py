"""How boards are cited: what is not known is not made up."""

from datetime import date

import yaml
from kit.boards import board, bundle

from sitegen.board.history.releases import lock_boards
from sitegen.pages.sharing import citation_of, cited_scores

SITE = "https://example.org/boards/"


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
