"""Transcripts: where a submission's pattern leads, the page that lists them, and the links that lead to it."""

import pytest
from kit.boards import track
from kit.rendered_pages import round_pages, run_pages, trajectory_page
from kit.task_cases import TEMPLATES, board, book, ran, submission, task, tree, words
from lxml import html
from pydantic import ValidationError

from sitegen.models.outcome import RoundResult
from sitegen.models.results import Bundle
from sitegen.models.site import Page
from sitegen.pages.records import BoardRecords
from sitegen.pages.transcript_sources import TranscriptSource

TWO = task(["c1"], ["c1"])
WEB = "https://files.example.org/runs/{task}/{attempt}/{round}.json"
PAGE = "mini/main/acme/tasks/trajectory/"


def acme(pattern: str | None, *round_results: RoundResult) -> Bundle:
    provenance = {"trajectories": pattern} if pattern else {}
    return submission("acme", *(round_results or (ran(1, "p"), ran(2, "f"))), provenance=provenance)


def page_of(bundle: Bundle, attempts: int = 1) -> Page | None:
    made = board(TWO, bundle, on=track(attempts=attempts))
    return trajectory_page(BoardRecords(made), made.all_entries[0], TEMPLATES)


def shown(bundle: Bundle, attempts: int = 1) -> html.HtmlElement:
    page = page_of(bundle, attempts)
    assert page
    return tree(page)


def listed(page: html.HtmlElement) -> list[tuple[str, str, list[tuple[str | None, str | None]]]]:
    """Give each run's task and attempt, with the round and the address of its transcripts."""
    return [
        (
            row.get("data-task"),
            row.get("data-attempt"),
            [(link.get("data-round"), link.get("href")) for link in row.cssselect("td a")],
        )
        for row in page.cssselect("tr[data-task]")
    ]


@pytest.mark.parametrize(
    ("pattern", "host"),
    [
        (WEB, "https://files.example.org"),
        ("http://LOCALHOST:8000/{task}.json", "http://localhost:8000"),
        ("https://example.org/{task}?attempt={attempt}", "https://example.org"),
        ("HTTPS://Example.org/{task}.json", ""),
        ("https://{task}.example.org/1.json", ""),
        ("https://example.org *.evil.example/{task}.json", ""),
        ("https://example.org", ""),
        ("s3://bucket/{task}.json", ""),
        ("javascript:alert(1)//{task}.json", ""),
    ],
)
def test_a_page_asks_no_host_but_the_one_that_the_pattern_names(pattern: str, host: str) -> None:
    assert TranscriptSource(pattern, PAGE).host == host
    page = page_of(acme(pattern))
    assert (page.hosts if page else ()) == ((host,) if host else ())


@pytest.mark.parametrize(
    "pattern",
    [
        "https://me:secret@example.org/{task}.json",
        "https://example.org;script-src/*/{task}.json",
        "https://-example.org/{task}.json",
        "https://[y/{task}.json",
    ],
)
def test_an_address_that_none_can_be_is_no_place_of_transcripts(pattern: str) -> None:
    with pytest.raises(ValidationError, match="is an address that has"):
        acme(pattern)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("transcripts/{task}/{attempt}/{round}.json", "transcripts/{task}/{attempt}/{round}.json"),
        ("/transcripts/{task}-{attempt}.json", "transcripts/{task}-{attempt}.json"),
        ("../{task}.json", ""),
        ("a/../../{task}.json", ""),
        ("//evil.example/{task}.json", ""),
        ("a/.hidden/{task}.json", ""),
        ("data:{task}.json", ""),
        ("runs.tar.zst", ""),
        ("ask the team for trajectory.json", ""),
        ("a\\{task}.json", ""),
    ],
)
def test_a_path_stays_on_the_site(pattern: str, path: str) -> None:
    assert TranscriptSource(pattern, PAGE).path == path


def test_there_is_no_page_where_a_browser_can_open_nothing() -> None:
    assert page_of(acme(None)) is None
    assert page_of(acme("ask us")) is None
    assert page_of(acme(WEB, RoundResult("a", 1, 1, "unreached", 0.0, 0, 0))) is None


def test_every_round_that_was_reached_is_listed_with_its_file() -> None:
    page = page_of(acme(WEB))
    assert page
    assert page.address == PAGE
    root = "https://files.example.org/runs"
    assert listed(tree(page)) == [("a", "1", [("1", f"{root}/a/1/1.json"), ("2", f"{root}/a/1/2.json")])]


def test_a_whole_attempt_is_listed_once() -> None:
    bundle = acme("https://files.example.org/{task}-{attempt}.json", ran(1, "p"), ran(1, "p", attempt=2))
    assert listed(shown(bundle, attempts=2)) == [
        ("a", "1", [(None, "https://files.example.org/a-1.json")]),
        ("a", "2", [(None, "https://files.example.org/a-2.json")]),
    ]


def test_files_of_the_site_are_named_and_left_to_scripts() -> None:
    """They may be put there after it was built: a link would be checked, and be broken."""
    page = shown(acme("transcripts/{task}/{round}.json"))
    assert [link for _, _, links in listed(page) for link in links] == [("1", None), ("2", None)]
    assert "transcripts/{task}/{round}.json" in words(page.cssselect("noscript")[0])


def test_runs_lead_to_the_transcripts_of_their_attempts_and_rounds() -> None:
    bundle = acme(WEB)
    made = book(TWO, bundle)
    (page,) = run_pages(made, made.records.board.all_entries[0], TEMPLATES)
    links = [link.get("href") for link in tree(page).cssselect(f"a[href*='{PAGE}']")]
    assert links == [f"../../../../{PAGE}?task=a&attempt=1{suffix}" for suffix in ("", "&round=1", "&round=2")]


def test_rounds_lead_to_the_transcripts_of_all_submissions() -> None:
    made = book(TWO, acme(WEB), submission("other", ran(1, "p"), ran(2, "p")))
    first, _ = round_pages(made, TEMPLATES)
    links = [link.get("href") for link in tree(first).cssselect("a[href*='tasks/trajectory']")]
    assert links == [f"../../../../../{PAGE}?task=a&round=1"]


def test_nothing_leads_to_transcripts_that_no_page_can_show() -> None:
    bundle = acme("https://{task}.example.org/1.json")
    made = book(TWO, bundle)
    entry = made.records.board.all_entries[0]
    pages = [*run_pages(made, entry, TEMPLATES), *round_pages(made, TEMPLATES)]
    assert [page.address for page in pages if "tasks/trajectory" in page.content] == []


def test_names_from_elsewhere_are_never_markup() -> None:
    bundle = acme('https://files.example.org/{task}/"><script>x</script>.json')
    assert page_of(bundle) is None
    page = shown(acme("https://files.example.org/{task}/'&amp;.json"))
    assert listed(page)[0][2] == [(None, "https://files.example.org/a/'&amp;.json")]
