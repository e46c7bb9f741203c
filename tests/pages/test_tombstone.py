"""What the page of a submission says where it does not stand any more."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pytest
from kit.boards import board, bundle, entry_of
from kit.rendered_pages import board_page, submission_page
from lxml import html

from sitegen.board.board import Board
from sitegen.board.history.releases import lock_boards
from sitegen.board.making import make_boards
from sitegen.models.finding import Finding
from sitegen.models.release import Release
from sitegen.models.results import BenchmarkResults
from sitegen.pages.environment import Templates
from sitegen.pages.records import BoardRecords

TEMPLATES = Templates(Path(__file__).parents[2] / "templates" / "pages")
WITHDRAWN = {"state": "withdrawn", "by": "Example Labs", "reason": "wrong images.", "date": date(2026, 7, 2)}
SUPERSEDED = {"state": "superseded", "by": "acme-2", "reason": "a cell was corrected", "date": date(2026, 7, 2)}


@pytest.fixture(autouse=True)
def _folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages list the files of the bundles that they are about."""
    monkeypatch.chdir(tmp_path)
    for name in ("acme", "acme-2", "bolt"):
        (tmp_path / "results" / "mini" / "submissions" / name).mkdir(parents=True)


def released(made: Board, day: date, title: str = "") -> Release:
    return lock_boards([[made]], {}, day, title, "1")


def notices(
    made: Board, name: str, releases: Sequence[Release] = (), kind: str = "tombstone"
) -> list[html.HtmlElement]:
    """Find the notices of a kind on the page of a row."""
    page = submission_page(BoardRecords(made, releases), entry_of(made, name), TEMPLATES)
    return list(html.fromstring(page.content).cssselect(f"[data-notice='{kind}']"))


def told(made: Board, name: str, releases: Sequence[Release] = ()) -> str:
    """Give the words of the notice."""
    (notice,) = notices(made, name, releases)
    return " ".join(str(notice.text_content()).split())


def ways(notice: html.HtmlElement) -> list[str]:
    """Give where a notice leads, below the site's root."""
    return [str(link.get("href")).replace("../", "") for link in notice.iter("a")]


def test_it_says_since_when_why_and_who() -> None:
    notice_text = told(board(bundle("acme", "##", status=WITHDRAWN), bundle("bolt", "#.")), "acme")
    assert "This submission was withdrawn on 2026-07-02 by Example Labs: wrong images. It is not ranked." in notice_text


def test_it_says_how_it_stood_in_the_last_release_in_which_it_stood() -> None:
    then = board(bundle("acme", "##"), bundle("bolt", "#."))
    current = board(bundle("acme", "##", status=WITHDRAWN), bundle("bolt", "#."))
    releases = [
        released(then, date(2026, 7, 1), "First"),
        released(current, date(2026, 7, 3), "Second"),
    ]
    (notice,) = notices(current, "acme", releases)
    assert ways(notice) == ["changelog/2026-07-01/mini/main/"]
    assert (
        "In release 2026-07-01, the last in which it was published, its rank was (1) with a Dataset Score of 100.0"
        in told(current, "acme", releases)
    )


def test_without_such_a_release_it_says_what_its_score_was() -> None:
    notice_text = told(board(bundle("acme", "##", status=WITHDRAWN), bundle("bolt", "#.")), "acme")
    assert "Its Dataset Score was 100.0. No release published it." in notice_text


def test_it_leads_to_what_replaces_it_and_that_leads_back() -> None:
    made = board(bundle("acme", "##", status=SUPERSEDED), bundle("acme-2", "#."))
    (notice,) = notices(made, "acme")
    assert ways(notice) == ["mini/main/acme-2/"]
    assert "superseded on 2026-07-02: a cell was corrected" in told(made, "acme")
    (back,) = notices(made, "acme-2", kind="predecessors")
    assert ways(back) == ["mini/main/acme/"]


def test_it_leads_to_the_finding_that_withdrew_it() -> None:
    made = board(bundle("acme", "##"), bundle("bolt", "#."))
    finding = Finding(
        date=date(2026, 7, 2),
        kind="leak",
        title="Tests could be read",
        reason="the images held them",
        by="Maintainers",
        effect="withdraw",
        submissions=("acme",),
    )
    results = made.results
    (withdrawn_board,) = make_boards(
        BenchmarkResults(results.path, results.benchmark, results.task_sets, results.bundles, (), (finding,))
    )
    (notice,) = notices(withdrawn_board, "acme")
    assert ways(notice) == ["mini/main/#finding-2026-07-02-tests-could-be-read"]
    assert "withdrawn on 2026-07-02 by Maintainers: the images held them" in told(withdrawn_board, "acme")


def test_a_submission_that_stands_has_none() -> None:
    made = board(bundle("acme", "##"))
    assert notices(made, "acme") == []


def test_its_name_is_struck_through() -> None:
    made = board(bundle("acme", "##", status=WITHDRAWN), bundle("bolt", "#."))
    page = html.fromstring(submission_page(BoardRecords(made), entry_of(made, "acme"), TEMPLATES).content)
    assert [element.text_content() for element in page.cssselect("h1 s")] == ["acme"]


def test_the_list_below_a_board_leads_to_what_replaces_a_submission() -> None:
    rows = bundle("acme", "##", status=SUPERSEDED), bundle("acme-2", "#."), bundle("bolt", "#.", status=WITHDRAWN)
    items = html.fromstring(board_page(board(*rows), TEMPLATES).content).cssselect("ul.sg-retired li")
    links_by_row = {str(item.get("id")): [str(link.get("href")) for link in item.iter("a")] for item in items}
    assert [href.partition("mini/main/")[2] for href in links_by_row["acme"]] == ["acme/", "acme-2/"]
    assert [href.partition("mini/main/")[2] for href in links_by_row["bolt"]] == ["bolt/"]
    assert "withdrawn on 2026-07-02 by Example Labs" in " ".join(str(items[1].text_content()).split())
