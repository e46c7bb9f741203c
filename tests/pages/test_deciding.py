"""The way to the rounds that decided what became of a row: to those that its pages show, and to no others."""

from datetime import date
from typing import Any

from kit.boards import board, bundle, row, table, track
from kit.result_grids import records

from sitegen.board.board import Board
from sitegen.board.history.ledger import Ledger, make_ledger
from sitegen.board.history.releases import lock_boards
from sitegen.board.making import make_boards
from sitegen.models.finding import Finding
from sitegen.models.results import BenchmarkResults
from sitegen.pages.kinds.releases import deciding_rounds

FIRST, SECOND = date(2026, 7, 1), date(2026, 7, 8)


def ledger(then: Board, current: Board) -> Ledger:
    """Keep the books of two releases."""
    releases = [lock_boards([[made]], {}, day, "", "1") for made, day in ((then, FIRST), (current, SECOND))]
    return make_ledger(releases, [[current]], "1")


def ways(books: Ledger, row_id: str) -> list[str]:
    """Give the addresses of the rounds that decided what became of a row in the second release."""
    (release_board,) = books.releases[1].boards
    (event,) = (event for event in release_board.events if event.row.id == row_id)
    return [link.address for _, link in deciding_rounds(books, release_board, event)]


def with_findings(made: Board, *findings: Finding) -> Board:
    results = made.results
    (marked_board,) = make_boards(
        BenchmarkResults(results.path, results.benchmark, results.task_sets, results.bundles, (), findings)
    )
    return marked_board


def finding(**facts: Any) -> Finding:  # noqa: ANN401 - any field of a finding
    about = {"date": FIRST, "kind": "defect", "title": "Broken", "reason": "seen", "effect": "zero"}
    return Finding.model_validate({**about, **facts})


def test_rounds_that_only_the_superseded_submission_has_are_shown_there() -> None:
    twice = [record for attempt in (1, 2) for record in records("a", "##", attempt=attempt)]
    on = track(attempts=2)
    then = board(bundle("old", found=twice), on=on)
    status = {"state": "superseded", "by": "new", "date": FIRST}
    current = board(bundle("old", found=twice, status=status), bundle("new", "#.", attempts=1), on=on)
    assert ways(ledger(then, current), "new") == [
        "mini/main/new/a/#round-2",
        "mini/main/old/a/#attempt-2-round-1",
        "mini/main/old/a/#attempt-2-round-2",
    ]


def test_a_finding_leads_to_the_rounds_that_each_of_its_tasks_has() -> None:
    then = board(bundle("acme", "###", "#"), rounds=(3, 1))
    current = with_findings(then, finding(tasks=("a", "b"), rounds=(1, 3)))
    assert ways(ledger(then, current), "acme") == [
        "mini/main/acme/a/#round-1",
        "mini/main/acme/a/#round-3",
        "mini/main/acme/#run-b",
    ]


def test_findings_of_one_title_are_told_apart() -> None:
    then = board(bundle("acme", "##", "##"), rounds=(2, 2))
    current = with_findings(then, *(finding(tasks=(name,)) for name in "ab"))
    (release_board,) = ledger(then, current).releases[1].boards
    names = [cause.finding.id for event in release_board.events for cause in event.causes if cause.finding]
    assert names == [recorded_finding.id for recorded_finding in current.findings.all]
    assert len({*names}) == 2


def test_a_finding_about_tasks_of_another_track_is_no_cause() -> None:
    then = board(bundle("acme", "##"))
    shown = board(bundle("acme", "##"), on=track(columns=("dataset_score", "case_score")))
    assert ways(ledger(then, with_findings(shown, finding(tasks=("elsewhere",)))), "acme") == []


def test_a_reported_row_has_no_rounds_to_show() -> None:
    printed = {"id": "acme", "values": {"dataset_score": 42, "case_score": 50}}
    then = board(tables=[table(printed)])
    current = board(tables=[table(printed, row("bolt"))], on=track(columns=("dataset_score", "case_score")))
    books = ledger(then, current)
    (release_board,) = books.releases[1].boards
    (event,) = (event for event in release_board.events if event.what == "rescored")
    assert deciding_rounds(books, release_board, event) == []
