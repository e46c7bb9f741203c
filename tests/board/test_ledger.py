"""What happened between two releases, and why, told from the books alone."""

from datetime import date
from typing import Any

import pytest

from sitegen.board.answers.news import changes_of, release_answer
from sitegen.board.findings import MarkedFinding
from sitegen.board.history.ledger import BoardEvents, Event, ReleaseEvents, events_between, locked_rank_text
from sitegen.models.digests import finding_digest
from sitegen.models.finding import Finding
from sitegen.models.release import (
    LockedBenchmark,
    LockedBoard,
    LockedBundle,
    LockedFinding,
    LockedRow,
    LockedScore,
    Release,
)

DIGEST = "0" * 64
LEAK = Finding(
    date=date(2026, 6, 2), kind="leak", title="A leak", reason="seen", effect="zero", submissions=("ash",), tasks=("t",)
)


def row(id_: str, score: float, rank: int, **fields: Any) -> LockedRow:  # noqa: ANN401 - whatever a row has
    sure = {"first": rank, "last": rank}
    row_fields = {"name": id_.title(), "date": date(2026, 1, 1), "evidence": "recomputed", **sure, **fields}
    return LockedRow(id=id_, rank=rank, scores={"sr": LockedScore(value=score)}, **row_fields)


def board(*rows: LockedRow, **fields: Any) -> LockedBoard:  # noqa: ANN401 - whatever a board has
    board_fields = {"track": "main", "title": "Main", "protocol": "chain", "attempts": 1, "tasks": "all", **fields}
    return LockedBoard(headline="sr", columns=("sr",), rows=rows, **board_fields)


def release(day: int, *boards: LockedBoard, **fields: Any) -> Release:  # noqa: ANN401 - whatever a benchmark has
    program = fields.pop("program", "1.0")
    benchmark_fields = {"task_sets": {"all": DIGEST}, **fields}
    benchmark = LockedBenchmark(id="mini", title="Mini", boards=boards, **benchmark_fields)
    return Release(schema_version=1, date=date(2026, 6, day), program=program, benchmarks=(benchmark,))


def happened(before: Release | None, after: Release, *findings: Finding) -> list[BoardEvents]:
    marked_findings = {finding_digest(finding): MarkedFinding(finding.name, finding) for finding in findings}
    return events_between(before, after, {("mini", "main"): marked_findings})


def the_event(before: Release, after: Release, *findings: Finding) -> Event:
    ((event,),) = (board_events.events for board_events in happened(before, after, *findings))
    return event


FIRST = release(1, board(row("ash", 50.0, 1), row("elm", 40.0, 2)))


def test_nothing_happened_between_equal_releases() -> None:
    assert happened(FIRST, release(2, board(row("ash", 50.0, 1), row("elm", 40.0, 2)))) == []


def test_on_a_new_board_every_row_enters() -> None:
    (board_events,) = happened(None, FIRST)
    assert board_events.is_new
    assert [(event.what, event.row.id, event.causes[0].kind) for event in board_events.events] == [
        ("entered", "ash", "submission"),
        ("entered", "elm", "submission"),
    ]


def test_a_row_enters_and_moves_the_others() -> None:
    (board_events,) = happened(
        FIRST, release(2, board(row("oak", 60.0, 1), row("ash", 50.0, 2), row("elm", 40.0, 2, last=3)))
    )
    assert [(event.what, event.row.id, event.causes[0].kind) for event in board_events.events] == [
        ("entered", "oak", "submission"),
        ("moved", "ash", "others"),
        ("moved", "elm", "others"),
    ]


@pytest.mark.parametrize(
    ("ranks", "expected_text"),
    [((3, 11), "3-11"), ((3, 3), "3"), ((None, None), "(3)")],
    ids=["not sure", "sure", "nothing tells"],
)
def test_a_row_is_told_with_the_ranks_that_it_may_have(
    ranks: tuple[int | None, int | None], expected_text: str
) -> None:
    assert locked_rank_text(row("ash", 50.0, 3, first=ranks[0], last=ranks[1])) == expected_text


def test_a_row_without_a_rank_is_told_with_none() -> None:
    assert locked_rank_text(LockedRow(id="ash", name="Ash", date=date(2026, 1, 1), evidence="recomputed")) is None


def test_a_row_whose_possible_ranks_alone_differ_moved() -> None:
    event = the_event(FIRST, release(2, board(row("ash", 50.0, 1, last=2), row("elm", 40.0, 2))))
    assert (event.what, event.row.id, event.score_changes) == ("moved", "ash", ())
    assert event.row_before
    assert (locked_rank_text(event.row_before), locked_rank_text(event.row)) == ("1", "1-2")


def test_a_row_that_stands_for_a_reported_one_is_the_same_row_rescored() -> None:
    then = [row(name, 50.0, 1, evidence="reported", name=name.title()) for name in ("oak", "ash", "elm")]
    later_rows = [row("ash-1", 60.0, 1, name="Ash"), row("elm-2", 50.0, 1, name="Elm", evidence="reported")]
    (board_events,) = happened(release(1, board(*then)), release(2, board(*later_rows)))
    assert [
        (event.what, event.row.id, event.replaces, [cause.kind for cause in event.causes])
        for event in board_events.events
    ] == [
        ("left", "oak", None, []),
        ("rescored", "ash-1", ("main", "ash"), ["recomputed"]),
    ]
    turns = [
        [(turn.before and turn.before.value, turn.after and turn.after.value) for turn in event.score_changes]
        for event in board_events.events
    ]
    assert turns == [[], [(50.0, 60.0)]]


@pytest.mark.parametrize(("evidence", "state"), [("reported", "gone"), ("recomputed", "superseded")])
@pytest.mark.parametrize(("rank", "expected_events"), [(2, []), (3, [("moved", "elm-2", ("main", "elm"))])])
def test_a_row_that_is_imported_again_with_the_same_values_is_no_event(
    evidence: str, state: str, rank: int, expected_events: list[object]
) -> None:
    before = release(1, board(row("ash", 50.0, 1), row("elm", 40.0, 2, evidence=evidence)))
    again = row("elm-2", 40.0, rank, name="Elm", evidence=evidence)
    old = [row("elm", 40.0, 2, state="superseded", by="elm-2")] if state == "superseded" else []
    events_by_board = happened(before, release(2, board(row("ash", 50.0, 1), again, *old)))
    assert [
        (event.what, event.row.id, event.replaces) for board_events in events_by_board for event in board_events.events
    ] == expected_events


def test_what_is_recomputed_from_raw_results_has_the_findings_that_came_as_causes() -> None:
    leak = LEAK.model_copy(update={"submissions": ("elm-2",), "effect": "exclude"})
    lock = LockedFinding(date=leak.date, title=leak.title, digest=finding_digest(leak))
    before = release(1, board(row("elm", 40.0, 1, evidence="reported")))
    after = release(2, board(row("elm-2", 41.0, 1, name="Elm")), findings=(lock,))
    assert [cause.kind for cause in the_event(before, after, leak).causes] == ["recomputed", "finding"]


def test_a_reported_row_is_rescored_by_a_later_table() -> None:
    row_fields = {"evidence": "reported"}
    then = release(1, board(row("ash", 50.0, 1, **row_fields)))
    later = release(2, board(row("ash", 60.0, 1, **row_fields, date=date(2026, 2, 1))))
    assert [cause.kind for cause in the_event(then, later).causes] == ["table"]


@pytest.mark.parametrize(("state", "expected_event"), [("withdrawn", "withdrawn"), ("superseded", "superseded")])
def test_a_row_that_is_taken_back_says_why(state: str, expected_event: str) -> None:
    gone = row("ash", 50.0, 1, state=state, reason="a leak", by="elm")
    event = the_event(FIRST, release(2, board(row("elm", 40.0, 2), gone)))
    assert (event.what, event.causes[0].kind, event.causes[0].about) == (expected_event, "status", "a leak")


def test_a_row_may_stand_again() -> None:
    before = release(1, board(row("ash", 50.0, 1, state="withdrawn")))
    assert the_event(before, release(2, board(row("ash", 50.0, 1)))).what == "restored"


def test_a_finding_is_the_cause_where_it_concerns_the_row() -> None:
    lock = LockedFinding(date=LEAK.date, title=LEAK.title, digest=finding_digest(LEAK))
    after = release(2, board(row("ash", 45.0, 1), row("elm", 40.0, 2)), findings=(lock,))
    event = the_event(FIRST, after, LEAK)
    assert event.what == "rescored"
    assert [(cause.kind, cause.finding) for cause in event.causes] == [("finding", MarkedFinding(LEAK.name, LEAK))]
    assert [
        (turn.metric, turn.before.value, turn.after.value) for turn in event.score_changes if turn.before and turn.after
    ] == [("sr", 50.0, 45.0)]


def test_a_finding_about_another_row_is_no_cause() -> None:
    lock = LockedFinding(date=LEAK.date, title=LEAK.title, digest=finding_digest(LEAK))
    after = release(2, board(row("ash", 50.0, 1), row("elm", 41.0, 2)), findings=(lock,))
    assert [cause.kind for cause in the_event(FIRST, after, LEAK).causes] == ["unknown"]


@pytest.mark.parametrize(
    ("after", "kind", "about"),
    [
        (release(2, board(row("ash", 55.0, 1), row("elm", 40.0, 2)), task_sets={"all": "1" * 64}), "tasks", ""),
        (
            release(2, board(row("ash", 55.0, 1), row("elm", 40.0, 2), versions={"sr": 2})),
            "definition",
            "SR, version 1 → 2",
        ),
        (release(2, board(row("ash", 55.0, 1), row("elm", 40.0, 2)), program="2.0"), "program", "1.0 → 2.0"),
        (
            release(
                2,
                board(row("ash", 55.0, 1), row("elm", 40.0, 2)),
                bundles={"ash": LockedBundle(manifest=DIGEST, files={}, rounds="t 1 own abcd")},
            ),
            "data",
            "",
        ),
    ],
    ids=["tasks", "definition", "program", "data"],
)
def test_a_changed_score_has_its_cause(after: Release, kind: str, about: str) -> None:
    bundle = LockedBundle(manifest=DIGEST, files={}, rounds="t 1 own 0123")
    before = release(1, *FIRST.benchmarks[0].boards, bundles={"ash": bundle})
    event = the_event(before, after)
    assert (event.what, [(cause.kind, cause.about) for cause in event.causes]) == ("rescored", [(kind, about)])


def test_a_row_takes_the_place_of_the_one_that_names_it() -> None:
    after = release(
        2, board(row("ash-2", 55.0, 1), row("elm", 40.0, 2), row("ash", 50.0, 1, state="superseded", by="ash-2"))
    )
    (board_events,) = happened(FIRST, after)
    assert [(event.what, event.row.id, event.replaces) for event in board_events.events] == [
        ("entered", "ash-2", ("main", "ash")),
        ("superseded", "ash", None),
    ]


def test_a_revision_that_a_later_row_of_the_same_release_inherits_is_one_event() -> None:
    revision = {"of": "oak", "date": date(2026, 6, 2), "reason": "A slip"}
    oak = row("oak", 50.0, 1, state="superseded", by="oak-2")
    corrected = row("oak-2", 50.0, 1, revision=revision, state="superseded", by="oak-3")
    latest = row("oak-3", 60.0, 1, revision=revision)
    (board_events,) = happened(
        FIRST, release(2, board(oak, corrected, latest, row("ash", 50.0, 1), row("elm", 40.0, 2)))
    )
    assert [(event.what, event.row.id, event.causes[0].kind) for event in board_events.events] == [
        ("entered", "oak-2", "revision"),
        ("entered", "oak-3", "submission"),
    ]
    assert [event.former_row and event.former_row.id for event in board_events.events] == ["oak", "oak-2"]


def test_an_agent_on_the_next_track_takes_the_place_of_itself_on_the_withdrawn_one() -> None:
    old = board(row("ash", 50.0, 1), track="old", status="withdrawn", superseded_by="main", reason="a leak")
    (turned, entered) = happened(
        release(1, board(row("ash", 50.0, 1), track="old")),
        release(2, old, board(row("ash-2", 55.0, 1, name="Ash"))),
    )
    assert turned.has_new_status
    assert turned.events == []
    assert [(event.what, event.replaces) for event in entered.events] == [("entered", ("old", "ash"))]


def test_a_row_that_is_not_there_any_more_left() -> None:
    event = the_event(FIRST, release(2, board(row("ash", 50.0, 1))))
    assert (event.what, event.row.id) == ("left", "elm")


@pytest.mark.parametrize(
    ("axes", "axes_before", "expected_text"),
    [
        (("area",), ("area",), "Task labels of Mini (Main) changed"),
        (("area", "kind"), ("area",), "Task labels of Mini (Main) were added or changed (new axis: kind)"),
        (("kind",), (), "Task labels of Mini (Main) were added (new axis: kind)"),
    ],
)
def test_labels_that_changed_are_said_although_no_score_did(
    axes: tuple[str, ...], axes_before: tuple[str, ...], expected_text: str
) -> None:
    rows = (row("ash", 50.0, 1), row("elm", 40.0, 2))
    before = release(1, board(*rows), labels={"all": DIGEST}, axes=dict.fromkeys(axes_before, DIGEST))
    after = release(2, board(*rows), labels={"all": "1" * 64}, axes=dict.fromkeys(axes, DIGEST))
    chapter = ReleaseEvents(after, before, happened(before, after))
    assert [(change.did, change.text) for change in changes_of(chapter)] == [("labels", expected_text)]
    answer = release_answer(chapter)
    assert answer
    assert answer.text == "Task labels changed, but no board entry did"
    assert f"{expected_text}." in answer.certainty
    assert "did not change" not in answer.certainty


def test_a_release_without_labels_says_nothing_about_them() -> None:
    rows = (row("ash", 50.0, 1), row("elm", 40.0, 2))
    assert happened(release(1, board(*rows)), release(2, board(*rows), labels={"all": DIGEST})) == []
