"""What happened on boards, day by day: on the changelog, and in the feeds since the last release."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from kit.boards import board, bundle, track
from kit.findings import finding, with_findings
from kit.rendered_pages import TEMPLATES
from lxml import html

from sitegen.board import Board, make_boards
from sitegen.board.history.ledger import make_ledger
from sitegen.board.history.releases import lock_boards
from sitegen.models.benchmark import Benchmark
from sitegen.models.finding import Finding, finding_ids
from sitegen.pages.kinds.authored import changelog_part
from sitegen.pages.kinds.releases import news_of, release_parts
from sitegen.pages.site import SiteContent

OLD = {"state": "superseded", "by": "ash-2", "date": date(2026, 7, 2), "reason": "A slip"}
CORRECTION = {"of": "ash", "date": date(2026, 7, 2), "reason": "A slip."}
FIRST = board(bundle("ash", "##"))
CORRECTED = board(
    bundle("ash", "##", agent={"name": "ash", "model": "m-1"}, status=OLD),
    bundle("ash-2", "##", agent={"name": "ash", "model": "m-2"}, revisions=(CORRECTION,)),
)
WORDS = "Corrected on Mini, Main: ash (model m-1 → m-2; A slip)"


def day_lines(*boards: Board) -> list[str]:
    """Return the days of the changelog, each followed by what happened."""
    (fragment,) = changelog_part(SiteContent(make_ledger([], [list(boards)], "1.0"), {}, ()), TEMPLATES)
    elements = html.fromstring(fragment.content).cssselect("h3, p")
    return [text_of(element) for element in elements]


def text_of(element: html.HtmlElement) -> str:
    return " ".join(str(element.text_content()).split())


def test_a_correction_is_listed_with_both_values_and_not_as_new() -> None:
    lines = day_lines(CORRECTED)
    assert lines[:2] == ["2026-07-02", WORDS.replace("slip)", "slip.)")]
    assert not any("Superseded on" in line for line in lines)
    assert sum("New on" in line for line in lines) == 1


def test_feeds_have_what_happened_without_any_release() -> None:
    items = news_of(make_ledger([], [[CORRECTED]], "1.0"))
    assert [item.date for item in items] == ["2026-07-02", str(FIRST.all_entries[0].date)]
    assert items[0].words == f"{WORDS}."
    assert items[0].tags == ("mini", "corrected")


def test_feeds_have_what_happened_since_the_last_release_and_nothing_before() -> None:
    day = date(2026, 7, 20)
    release = lock_boards([[FIRST]], {}, day, "", "1.0")
    items = news_of(make_ledger([release], [[CORRECTED]], "1.0"))
    assert [item.tags[-1] for item in items if item.id.startswith("day/")] == ["corrected"]
    assert items[0].date == str(day)
    later = lock_boards([[CORRECTED]], {}, day, "", "1.0")
    assert not any(item.id.startswith("day/") for item in news_of(make_ledger([later], [[CORRECTED]], "1.0")))


def test_carried_results_are_listed_with_the_new_version_and_not_on_their_own_day() -> None:
    older = bundle("ash", "##", date=date(2026, 5, 1))
    newer = bundle("elm", "#.", date=date(2026, 5, 9))
    carried = []
    for source in (older, newer):
        facts: dict[str, Any] = {
            "track": "main-2",
            "agent": {"name": source.id},
            "carried": {"track": "main", "submission": source.id, "tasks": ("a",)},
        }
        carried.append(bundle(f"{source.id}-2", "##", date=source.submission.date, **facts))
    reason = {"status": "legacy", "reason": "Two tasks were broken.", "superseded_by": "main-2"}
    first = board(older, newer)
    tracks = (track(**reason), track(id="main-2", title="Main, version 2", replaces="main", changed=("b",)))
    benchmark = Benchmark.model_validate({**first.benchmark.model_dump(), "tracks": tracks})
    results = replace(first.results, benchmark=benchmark, bundles=(older, newer, *carried))
    boards = make_boards(results)
    lines = day_lines(*boards)
    assert lines[:4] == [
        "2026-05-09",
        "New on Mini, Main: elm",
        "New version: Mini, Main, version 2 (replaces Main: Two tasks were broken)",
        "Results carried to Mini, Main, version 2: ash, elm (from Main)",
    ]
    assert lines[4:] == ["2026-05-01", "New on Mini, Main: ash"]


NOTE = finding("A task was run again", kind="note")
FIX = finding("One of the tasks was run again", kind="note", date=date(2026, 8, 1), corrects=finding_ids([NOTE])[0])
LATER = finding("One task ran twice", kind="note", date=date(2026, 8, 2), corrects=finding_ids([NOTE, FIX])[1])


@pytest.mark.parametrize(
    ("findings", "sentence"),
    [
        ((NOTE,), "No score or rank has changed since release 2026-07-20."),
        ((NOTE, FIX), "No score or rank has changed since release 2026-07-20; 1 finding was corrected."),
        ((NOTE, FIX, LATER), "No score or rank has changed since release 2026-07-20; 1 finding was corrected."),
        (
            (NOTE, FIX, finding("A leak", kind="note"), finding("Two leaks", kind="note")),
            "No score or rank has changed since release 2026-07-20; 2 findings were added and 1 finding was corrected.",
        ),
    ],
)
def test_the_changelog_counts_the_findings_that_were_recorded_since_the_last_release(
    findings: tuple[Finding, ...], sentence: str
) -> None:
    release = lock_boards([[with_findings(FIRST, NOTE)]], {}, date(2026, 7, 20), "", "1.0")
    ledger = make_ledger([release], [[with_findings(FIRST, *findings)]], "1.0")
    fragment = next(iter(release_parts(SiteContent(ledger, {}, ()), TEMPLATES)))
    assert text_of(html.fromstring(fragment.content).cssselect("p")[0]) == sentence


def test_a_finding_about_two_boards_is_listed_once_with_both() -> None:
    benchmark = Benchmark.model_validate(
        {**FIRST.benchmark.model_dump(), "tracks": (track(), track(id="other", title="Other"))}
    )
    boards = make_boards(replace(FIRST.results, benchmark=benchmark, findings=(NOTE,)))
    lines = [line for line in day_lines(*boards) if "Finding" in line]
    assert lines == ["Finding on Mini, Main and Mini, Other: A task was run again"]
