"""Baselines and submissions after the deadline are listed, and are neither ranked nor counted."""

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from kit.boards import board, bundle, entry_of, track
from kit.rendered_pages import board_page, submission_page
from kit.results_folders import Tree
from kit.review_day import TODAY
from lxml import html

from sitegen.board.answers.ranking_headlines import agent_answer, board_answer, row_answer
from sitegen.board.board import Board, BoardEntry
from sitegen.board.export import row_json, status_notes
from sitegen.board.history.changes_report import Changes
from sitegen.board.history.proposal import pull_request
from sitegen.board.history.releases import locked_board
from sitegen.board.hugging_face import is_on_hub
from sitegen.board.making import make_boards
from sitegen.charts.board_charts import released_chart
from sitegen.charts.chart import Cloud
from sitegen.models.results import Arrivals
from sitegen.pages.charts import chart_labels
from sitegen.pages.days import day_events
from sitegen.pages.labels import facts, late_reason
from sitegen.pages.records import BoardRecords
from sitegen.pipeline.evaluating import evaluate

DEADLINE = date(2026, 6, 30)
EIGHT = (1,) * 8
MARKS = {"ash": "########", "elm": "####....", "oak": "........"}


def made(apart: str = "", **facts_of_apart: Any) -> Board:  # noqa: ANN401 - any field of a manifest
    bundles = []
    for name, marks in MARKS.items():
        bundles.append(bundle(name, *marks, **(facts_of_apart if name == apart else {})))
    return board(*bundles, on=track(deadline=DEADLINE), rounds=EIGHT)


KINDS: dict[str, dict[str, Any]] = {"baseline": {"baseline": True}, "late": {"date": date(2026, 7, 1)}}


@pytest.mark.parametrize(
    ("kind", "expected_line"),
    [
        ("baseline", "### `elm` on `mini/main`: a baseline, without a rank"),
        ("late", "### `elm` on `mini/main`: without a rank, because it came after the deadline, 2026-06-30"),
    ],
)
def test_the_text_of_a_pull_request_says_why_there_is_no_rank(kind: str, expected_line: str) -> None:
    with_it = made("elm", **KINDS[kind])
    lines = pull_request(Changes(()), [BoardEntry(with_it, entry_of(with_it, "elm"))])
    assert expected_line in [
        line.replace(with_it.benchmark.id, "mini").replace(with_it.track.id, "main") for line in lines
    ]


def test_a_submission_is_in_the_changelog_from_the_day_on_which_its_embargo_ended() -> None:
    with_it = made("elm", date=date(2026, 6, 1), embargo=date(2026, 6, 20))
    days = {event.row.id: event.day for event in day_events([with_it]) if event.row}
    assert days["elm"] == "2026-06-20"
    assert days["ash"] == str(entry_of(with_it, "ash").date)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", MARKS)
def test_what_is_apart_changes_nothing_of_the_others(kind: str, name: str) -> None:
    with_it = made(name, **KINDS[kind])
    alone = board(
        *[bundle(other_name, *marks) for other_name, marks in MARKS.items() if other_name != name],
        on=track(deadline=DEADLINE),
        rounds=EIGHT,
    )
    assert [entry.id for entry in with_it.apart] == [name]
    assert with_it.apart[0].apart == kind
    assert with_it.ranks == alone.ranks
    assert with_it.inference.ranks == alone.inference.ranks
    assert (board_answer(with_it), facts(with_it)) == (board_answer(alone), facts(alone))
    for entry in alone.entries:
        ours = row_json(with_it, entry_of(with_it, entry.id))
        assert ours == row_json(alone, entry)


def test_a_deadline_counts_from_the_day_of_arrival_where_it_is_recorded() -> None:
    early = made("elm", date=date(2026, 7, 5))
    arrivals = Arrivals(days={"elm": DEADLINE, "ash": date(2026, 7, 1)})
    (recorded,) = make_boards(replace(early.results, arrivals=arrivals))
    assert [entry.id for entry in early.apart] == ["elm"]
    assert [entry.id for entry in recorded.apart] == ["ash"]


def revised(**facts_of_revision: Any) -> Board:  # noqa: ANN401 - any field of a revision
    """Give a board on which elm, which was in time, is superseded after the deadline by elm-2."""
    revision = {"of": "elm", "date": date(2026, 7, 3), "reason": "A slip", **facts_of_revision}
    status = {"state": "superseded", "by": "elm-2", "reason": "A slip"}
    sent_board = board(
        bundle("ash", *MARKS["ash"]),
        bundle("elm", *MARKS["elm"], status=status),
        bundle("elm-2", *MARKS["elm"], revisions=(revision,)),
        on=track(deadline=DEADLINE),
        rounds=EIGHT,
    )
    arrivals = Arrivals(days={"ash": DEADLINE, "elm": DEADLINE, "elm-2": date(2026, 7, 4)})
    (recorded,) = make_boards(replace(sent_board.results, arrivals=arrivals))
    return recorded


def test_a_correction_keeps_the_day_on_which_the_corrected_submission_arrived() -> None:
    corrected = revised()
    assert [entry.id for entry in corrected.apart] == []
    assert corrected.ranks == {"ash": 1, "elm-2": 2}
    assert corrected.arrived(entry_of(corrected, "elm-2")) == DEADLINE


def test_rounds_run_again_after_the_deadline_are_late_and_the_pages_say_why() -> None:
    rerun = revised(reruns=({"task": "a", "attempt": 1, "rounds": (1,)},))
    assert [entry.id for entry in rerun.apart] == ["elm-2"]
    expected_sentence = "It supersedes elm, which was in time (2026-06-30), with runs that came after the deadline."
    assert expected_sentence in html.fromstring(board_page(rerun).content).text_content()
    assert late_reason(rerun, entry_of(rerun, "elm-2")) == expected_sentence


def test_a_board_with_late_submissions_alone_does_not_call_them_withdrawn() -> None:
    late = board(bundle("elm", *MARKS["elm"], date=date(2026, 7, 1)), on=track(deadline=DEADLINE), rounds=EIGHT)
    table = html.fromstring(board_page(late).content).xpath("//table[@data-board]")[0]
    assert "every submission is a baseline or came after the deadline" in table.text_content()


@pytest.mark.parametrize(
    ("kind", "expected_start"),
    [
        ("baseline", "elm is a baseline and not ranked (Dataset Score 50.0)"),
        ("late", "elm came after the deadline and is not ranked (Dataset Score 50.0)"),
    ],
)
def test_a_row_says_why_it_has_no_rank(kind: str, expected_start: str) -> None:
    shown_board = made("elm", **KINDS[kind])
    elm = entry_of(shown_board, "elm")
    assert str(row_answer(shown_board, elm)).startswith(expected_start)
    assert row_json(shown_board, elm)["rank"] is None
    assert row_json(shown_board, elm)["apart"] == kind
    assert status_notes(shown_board, elm) == [f"{elm.remark}, not ranked"]
    assert not is_on_hub(shown_board, elm)
    answer = agent_answer("elm", [BoardEntry(shown_board, elm)])
    assert answer
    assert answer.text == f"elm is not ranked on any board: {elm.remark}"
    (locked,) = [row for row in locked_board(shown_board).rows if row.id == "elm"]
    assert (locked.apart, locked.rank) == (kind, None)


def test_a_board_lists_both_kinds_below_its_table() -> None:
    shown_board = board(
        bundle("ash", *MARKS["ash"]),
        bundle("elm", *MARKS["elm"], baseline=True),
        bundle("oak", *MARKS["oak"], date=date(2026, 7, 1)),
        on=track(deadline=DEADLINE),
        rounds=EIGHT,
    )
    page = html.fromstring(board_page(shown_board).content)
    assert page.xpath("//table[@data-board]//tr/@data-submission") == ["ash"]
    listed = {element.get("data-apart"): element.xpath(".//li/@id") for element in page.xpath("//*[@data-apart]")}
    assert listed == {"baseline": ["elm"], "late": ["oak"]}
    assert "Submitted after 2026-06-30" in page.text_content()


@pytest.mark.parametrize(
    ("key", "notice"),
    [("baseline = true", "a reference that is not ranked"), ("", "the deadline was 2026-06-24. It is not ranked.")],
    ids=KINDS,
)
def test_the_page_of_a_row_says_why_it_is_apart(tmp_path: Path, key: str, notice: str) -> None:
    tree = Tree(tmp_path / "results")
    tree.define('title = "Main"\n', 'title = "Main"\ndeadline = 2026-06-24\n')
    tree.edit("submission.toml", "date = 2026-06-25", f"date = 2026-06-25\n{key}")
    main, _ = evaluate(tree.folder, TODAY).all_boards()
    page = submission_page(BoardRecords(main), main.apart[0]).content
    assert notice in " ".join(html.fromstring(page).text_content().split())


def test_baselines_are_lines_on_the_axis_and_in_plots() -> None:
    bundles = []
    for number, (name, marks) in enumerate(MARKS.items()):
        agent = {"name": name, "model_released": date(2026, 1, 1 + number)}
        bundles.append(bundle(name, *marks, agent=agent))
    shown_board = board(*bundles, bundle("random", "#", *"." * 7, baseline=True), on=track(), rounds=EIGHT)
    page = html.fromstring(board_page(shown_board).content)
    (line,) = page.xpath("//*[local-name()='svg' and contains(@class, 'sg-axis')]//*[@class='sg-reference']")
    assert line.get("x1") == "12.50%"
    assert "dashed line: baseline" in page.text_content()
    chart = released_chart(shown_board, chart_labels(shown_board))
    assert chart
    (cloud,) = chart.panels
    assert isinstance(cloud, Cloud)
    assert [dot.name for dot in cloud.dots] == ["ash", "elm", "oak"]
    assert [(line.name, line.value) for line in cloud.references] == [("random", 12.5)]
    assert page.xpath("//*[local-name()='text' and starts-with(., 'baseline random 12.5')]")
