"""A release's page: each change with its cause and arithmetic, ranks before and after, and what did not change."""

from datetime import date
from typing import Any

import pytest
from kit.boards import board, bundle, row, table
from kit.rendered_pages import TEMPLATES
from lxml import html

from sitegen.board.board import Board
from sitegen.board.history.ledger import make_ledger
from sitegen.board.history.releases import lock_boards, locked_board
from sitegen.models.release import LockedBoard, LockedRow
from sitegen.pages.kinds.releases import news_of, release_parts
from sitegen.pages.rank_axis import RankAxis
from sitegen.pages.site import SiteContent
from sitegen.publish.results.records import record_values

FIRST, SECOND = date(2026, 7, 1), date(2026, 7, 8)
EIGHT = (1,) * 8
OLD = {"state": "superseded", "by": "ash-2", "date": SECOND}


def whole(then: Board, current: Board) -> SiteContent:
    locked = [lock_boards([[made]], {}, day, "", "1.0") for made, day in ((then, FIRST), (current, SECOND))]
    return SiteContent(make_ledger(locked, [[current]], "1.0"), {}, ())


def pages(then: Board, current: Board) -> dict[str, html.HtmlElement]:
    """Read the page of the second release, and the changelog."""
    fragments = [
        fragment
        for fragment in release_parts(whole(then, current), TEMPLATES)
        if fragment.slot in {"release", "releases"}
    ]
    return {
        release_fragment.address: html.fromstring(f"<main>{release_fragment.content}</main>")
        for release_fragment in fragments
    }


def second(then: Board, current: Board) -> html.HtmlElement:
    return pages(then, current)["changelog/2026-07-08/"]


def words(element: html.HtmlElement) -> str:
    return " ".join(str(element.text_content()).split())


THEN = board(bundle("ash", *"########"), bundle("elm", *"........"), rounds=EIGHT)
AGAIN = {"name": "ash"}
CORRECTED = board(
    bundle("ash", *"########", status=OLD),
    bundle("ash-2", *"######..", agent=AGAIN),
    bundle("elm", *"........"),
    rounds=EIGHT,
)


def test_what_a_corrected_row_lost_is_added_up_over_its_tasks_with_the_way_to_the_rounds() -> None:
    (change,) = second(THEN, CORRECTED).cssselect(".sg-change")
    assert change.get("data-change") == "corrected"
    assert "ash's Dataset Score fell from 100.0 to 75.0" in words(change)
    assert "Cause: new submission" in words(change)
    points = [float(element.get("data-points")) for element in change.cssselect("[data-points]")]
    assert points == [-12.5, -12.5]
    assert "−25.00" in words(change)
    assert [link.get("href") for link in change.cssselect("details a")] == [
        "../../mini/main/ash-2/#run-g",
        "../../mini/main/ash-2/#run-h",
    ]


def test_a_submission_that_is_sent_again_with_the_same_values_is_no_change() -> None:
    again = board(
        bundle("ash", *"########", status=OLD),
        bundle("ash-2", *"########", agent=AGAIN),
        bundle("elm", *"........"),
        rounds=EIGHT,
    )
    page = second(THEN, again)
    assert page.cssselect("[data-change], [data-ranks]") == []
    assert "No board changed." in words(page)


def test_ranks_stand_beside_those_before_with_what_became_of_the_others() -> None:
    larger_board = board(
        bundle("ash", *"########"), bundle("elm", *"........"), bundle("fir", *"........"), rounds=EIGHT
    )
    page = second(THEN, larger_board)
    assert words(page.cssselect(".sg-changed-ranks h3")[0]) == "1 rank range is one rank wider"
    assert "One agent was added; no score changed." in words(page)
    rows = {table_row.get("data-ranks"): table_row for table_row in page.cssselect("[data-ranks]")}
    assert [words(cell) for cell in rows["elm"].cssselect(".sg-number")] == ["2", "2–3"]
    assert [words(cell) for cell in rows["fir"].cssselect(".sg-number")] == ["–", "2–3"]
    assert len(rows["elm"].cssselect(".sg-added")) == 1
    assert len(rows["fir"].cssselect(".sg-new")) == 1
    assert "Both values of Dataset Score on Mini (Main)" in words(page)


def test_ranks_that_nothing_told_of_before_are_new() -> None:
    printed = board(tables=[table(row("ash", "99.0"), row("elm", "1.0"))], rounds=EIGHT)
    page = second(
        printed,
        board(
            *(
                bundle(f"{name}-1", *marks, agent={"name": name})
                for name, marks in (("ash", "########"), ("elm", "........"))
            ),
            rounds=EIGHT,
        ),
    )
    assert words(page.cssselect(".sg-changed-ranks h3")[0]) == "2 agents have a rank range for the first time"
    assert [change.get("data-change") for change in page.cssselect("[data-change]")] == ["recomputed"]
    assert not page.cssselect(".sg-changed-ranks .sg-added")


SINCE = {"state": "superseded", "by": "oak-2", "date": SECOND}
OAK_2: dict[str, Any] = {"agent": {"name": "Oak"}, "status": {"state": "published"}}
SLIP = ({"of": "oak", "date": SECOND, "reason": "A slip"},)
RERUN = (
    {"of": "oak", "date": SECOND, "reason": "An outage", "reruns": ({"task": "a", "attempt": 1, "rounds": (1,)},)},
)


def said_of_oak(*bundles: Any) -> list[str]:  # noqa: ANN401 - bundles
    """Return what page, changelog and feed say of the submissions of Oak in the release that has them first."""
    other_bundles = (bundle("ash", *"########"), bundle("elm", *"........"))
    current = board(*other_bundles, *bundles, rounds=EIGHT)
    made = pages(THEN, current)
    shown = [words(paragraph) for paragraph in made["changelog/2026-07-08/"].cssselect("[data-change] p:first-of-type")]
    listed = [words(list_item) for list_item in made["changelog/"].cssselect("#release-2026-07-08 li")]
    items = [item.title for item in news_of(whole(THEN, current).ledger) if item.date == str(SECOND)]
    about_oak = [line for line in listed if "Oak" in line or "oak" in line]
    assert len(about_oak) == len([line for line in shown if "Oak" in line or "oak" in line]) == 1
    for line in shown:
        assert any(entry.startswith(line) for entry in listed), line
    assert f"Mini (Main): {about_oak[0].partition('. ')[0].rstrip('.')}" in items
    return about_oak


@pytest.mark.parametrize(
    ("marks", "facts", "expected_ending"),
    [
        ("####....", {"revisions": SLIP}, "corrected: name oak → Oak. A slip."),
        ("#####...", {}, "it supersedes oak."),
    ],
)
def test_a_submission_that_is_new_and_replaced_in_a_release_is_listed_once(
    marks: str, facts: dict[str, Any], expected_ending: str
) -> None:
    (line,) = said_of_oak(bundle("oak", *"####....", status=SINCE), bundle("oak-2", *marks, **OAK_2, **facts))
    assert line.startswith("Oak is new, with ")
    assert line.endswith(expected_ending)


def test_rounds_of_a_new_submission_that_were_run_again_are_said_with_it() -> None:
    (line,) = said_of_oak(
        bundle("oak", *".###....", status=SINCE), bundle("oak-2", *"####....", **OAK_2, revisions=RERUN)
    )
    assert line == "Oak is new, with a score of 50.0 and rank 1–3; 1 of 8 rounds run again: 37.5 to 50.0. An outage."


def test_a_new_submission_that_was_withdrawn_since_is_listed_as_withdrawn() -> None:
    status = {"state": "withdrawn", "by": "Oak", "reason": "Another task set", "date": SECOND}
    (line,) = said_of_oak(bundle("oak", *"####....", status=status))
    assert line == "oak was added and withdrawn. Another task set."


def test_several_new_submissions_corrected_for_one_reason_are_counted_once() -> None:
    bundles = []
    for name in ("oak", "fir"):
        facts: dict[str, Any] = {"agent": {"name": name.title()}, "revisions": ({**SLIP[0], "of": name},)}
        bundles += [
            bundle(name, *"####....", status={**SINCE, "by": f"{name}-2"}),
            bundle(f"{name}-2", *"####....", **facts),
        ]
    current = board(bundle("ash", *"########"), bundle("elm", *"........"), *bundles, rounds=EIGHT)
    page = second(THEN, current)
    assert [words(heading) for heading in page.cssselect(".sg-change h3")] == ["2 agents are new and were corrected"]


def test_changelog_and_feed_say_the_same_as_the_page() -> None:
    made = pages(THEN, CORRECTED)
    expected_sentence = "ash's Dataset Score fell from 100.0 to 75.0"
    assert expected_sentence in words(made["changelog/"].cssselect("#release-2026-07-08")[0])
    items = [item for item in news_of(whole(THEN, CORRECTED).ledger) if item.date == str(SECOND)]
    assert [item.title for item in items] == ["Release 2026-07-08", f"Mini (Main): {expected_sentence}"]
    assert items[1].words == f"{expected_sentence}. New submission. ash: rank 1 → 1, dataset_score 100.0 → 75.0."
    assert items[1].address == "changelog/2026-07-08/#mini-main"
    ids = [item.id for item in news_of(whole(THEN, CORRECTED).ledger)]
    assert len(set(ids)) == len(ids)


def test_a_new_board_is_one_change_with_its_rows_folded() -> None:
    first = next(
        fragment.content for fragment in release_parts(whole(THEN, THEN), TEMPLATES) if fragment.slot == "release"
    )
    page = html.fromstring(f"<main>{first}</main>")
    (change,) = page.cssselect("[data-change='board']")
    assert words(change).startswith("Mini (Main) is new, with 2 agents.")
    assert [entered_row.get("data-row") for entered_row in change.cssselect("details [data-event='entered']")] == [
        "mini-main-ash",
        "mini-main-elm",
    ]


def test_ranks_are_drawn_apart_by_whether_they_stayed() -> None:
    def ranked(first: int | None, last: int | None) -> LockedRow:
        return LockedRow(id="a", name="A", date=FIRST, evidence="recomputed", rank=1, first=first, last=last)

    axis = RankAxis(4)
    drawn = [
        [(span.start, span.width, span.look) for span in axis.spans(before, after)]
        for before, after in (
            (ranked(1, 2), ranked(2, 4)),
            (None, ranked(4, 4)),
            (ranked(None, None), ranked(1, 2)),
        )
    ]
    assert drawn == [
        [("25.00%", "25.00%", ""), ("50.00%", "50.00%", "sg-added"), ("0.00%", "25.00%", "sg-gone")],
        [("75.00%", "25.00%", "sg-new")],
        [("0.00%", "50.00%", "")],
    ]
    assert [text for _, text, _ in RankAxis(100).ticks] == ["1", *map(str, range(5, 101, 5))]


def test_a_release_keeps_the_word_for_a_round_under_the_key_that_earlier_releases_have() -> None:
    made = board(bundle("acme", "##"))
    locked = locked_board(made)
    assert locked.round_word == "round"
    values = record_values(locked)
    assert values["rounds_word"] == "round"
    assert LockedBoard.model_validate(values, strict=False) == locked
