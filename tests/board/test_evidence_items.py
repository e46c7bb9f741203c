"""What evidence is made of: how much of each thing a submission shows, and what that decides."""

from dataclasses import replace
from datetime import date
from typing import Any, get_args

import pytest
from kit.boards import board, bundle, entry_of, track
from kit.result_grids import records
from kit.task_cases import board as board_of
from kit.task_cases import counted, failure, ran, submission, task

from sitegen.board.board import Board
from sitegen.board.evidence import EVIDENCE_ITEMS, evidence_in
from sitegen.board.making import make_boards
from sitegen.models.journal import Check, Registration, outweighs
from sitegen.models.outcome import RunFigures
from sitegen.models.release import Evidence

LISTED = task(["c1", "c2"], ["c1", "c2"])
UNLISTED = task(None, None)
DAYS = {"started": date(2026, 6, 1), "finished": date(2026, 6, 2)}


def shown(made: Board, name: str = "ours") -> dict[str, tuple[str, str]]:
    """Look a submission through: presence and words by item."""
    entry = entry_of(made, name)
    assert entry.bundle
    evidence = evidence_in(made, entry, entry.bundle)
    return {item.id: (amount.presence, amount.words) for item, amount in evidence}


def stated(**facts: Any) -> dict[str, tuple[str, str]]:  # noqa: ANN401 - any field of a manifest
    """Look a submission through that states something."""
    return shown(board(bundle("ours", "##", **facts)))


def of_cases(*bundle_records: Any, about: Any = UNLISTED, **facts: Any) -> dict[str, tuple[str, str]]:  # noqa: ANN401 - records, a task, a manifest
    return shown(board_of(about, submission("ours", *bundle_records, **facts)))


def test_one_item_decides_each_tier_that_a_submission_can_have() -> None:
    assert tuple(item.decides for item in EVIDENCE_ITEMS if item.decides) == get_args(Evidence)[1:]


def test_a_submission_without_anything_but_verdicts_lacks_the_rest() -> None:
    items = shown(board(bundle("ours", found=records("a", "vv"))))
    assert {name for name, (presence, _) in items.items() if presence == "there"} == {"rewards", "texts"}
    assert items["rewards"][1] == "All 2 expected rounds have a reward."
    assert items["texts"][1] == "Nothing failed."
    assert items["outcomes"] == ("missing", "None of the 2 scored rounds list the outcome of every case.")
    assert items["rerun"] == ("missing", "No maintainer has rerun it.")
    assert items["setup"] == ("missing", "The organization, the scaffold and the reasoning setting are not stated.")


def test_failed_rounds_without_cases_lack_messages() -> None:
    failed = replace(records("a", "#")[0], reward=0.0, passed=None, total=None)
    items = shown(board(bundle("ours", found=[failed, replace(failed, round=2)])))
    assert items["texts"] == ("missing", "None of the 2 failed rounds have a message.")


def test_rewards_are_expected_of_every_attempt_and_of_the_reference_state() -> None:
    relay = track(protocol="fail-stop", attempts=2, reference_rounds=True, headline="mt_at_k", columns=("mt_at_k",))
    round_results = [*records("a", "##"), *records("a", "#.", 2), *records("a", "#", start="reference")]
    items = shown(board(bundle("ours", found=round_results), on=relay))
    assert items["rewards"] == ("in part", "5 of 6 expected rounds have a reward.")


def test_a_record_that_nobody_expects_makes_up_for_none() -> None:
    items = shown(board(bundle("ours", found=[*records("a", "# "), *records("b", "#")])))
    assert items["rewards"] == ("in part", "1 of 2 expected rounds has a reward.")


@pytest.mark.parametrize(
    ("bundle_records", "presence", "expected_text"),
    [
        ((ran(1, "pf"), ran(2, "pp")), "there", "All 2 scored rounds list the outcome of every case."),
        ((ran(1, "pf"), counted(2, 1, 2)), "in part", "1 of 2 scored rounds lists the outcome of every case."),
        (
            (counted(1, 1, 2), counted(2, 1, 2)),
            "missing",
            "None of the 2 scored rounds list the outcome of every case.",
        ),
        ((), "missing", "No round was scored, so there are no case results."),
    ],
)
def test_the_outcomes_of_all_scored_rounds_decide_what_is_complete(
    bundle_records: Any,  # noqa: ANN401 - records
    presence: str,
    expected_text: str,
) -> None:
    made = board_of(UNLISTED, submission("ours", *bundle_records))
    assert shown(made)["outcomes"] == (presence, expected_text)
    assert (entry_of(made, "ours").evidence == "complete") == (presence == "there")


def test_cases_have_names_where_the_benchmark_or_the_record_lists_them() -> None:
    assert of_cases(ran(1, "pf"), ran(2, "pp"), about=LISTED)["names"][0] == "there"
    named = ran(1, "pf", case_ids=("x", "y"))
    assert of_cases(named, ran(2, "pp"))["names"] == ("in part", "1 of 2 scored rounds has a name for each case.")
    longer = of_cases(ran(1, "pfp"), ran(2, "pp"), about=LISTED)
    assert longer["names"][0] == "in part"


def test_only_failed_cases_with_a_text_count_as_texts() -> None:
    """A record that gives a name alone is none, nor is the reason why a case was skipped."""
    bundle_records = (
        counted(1, 1, 4),
        failure(1, "c1", reason='said "status": "skipped"'),
        failure(1, "c2"),
        failure(1, "c3", status="skipped", reason="no network"),
    )
    assert of_cases(*bundle_records)["texts"] == ("in part", "1 of 3 failed cases has a message.")


def test_all_texts_are_there() -> None:
    bundle_records = (ran(1, "ff"), failure(1, "c1", actual="4"), failure(1, "c2", intent="sorts"))
    assert of_cases(*bundle_records)["texts"] == ("there", "All 2 failed cases have a message.")


def test_effort_is_counted_by_runs_from_rounds_or_from_the_whole() -> None:
    rounds = (ran(1, "pp", agent_seconds=3.0), ran(2, "pp"))
    runs = (RunFigures("a", 1, output_tokens=900),)
    made = board_of(UNLISTED, submission("ours", *rounds, runs=runs))
    assert shown(made)["effort"] == (
        "in part",
        "Runs that report tokens: 1 of 1; cost: 0 of 1; time: 1 of 1.",
    )


def test_no_effort_is_known() -> None:
    for bundle_records in ((ran(1, "pp"),), ()):
        assert of_cases(*bundle_records)["effort"] == ("missing", "No run reports tokens, cost or time.")


@pytest.mark.parametrize(
    ("provenance", "name", "presence", "expected_end"),
    [
        (
            {"harness": "harbor", "harness_version": "0.24"},
            "harness",
            "there",
            "The harness and its version are stated.",
        ),
        ({"harness": "harbor"}, "harness", "in part", "The harness is stated, but its version is not."),
        ({"code_commit": "ab12", "dirty": False}, "code", "there", "no file differed from it."),
        ({"code_commit": "ab12", "dirty": True}, "code", "in part", "the files differed from it."),
        ({"code_commit": "ab12"}, "code", "in part", "but not whether files differed from it."),
        ({"dirty": False}, "code", "missing", "The commit of the code is not stated."),
        (
            {"images": {"a": f"a@sha256:{'0' * 64}", "b": "b:latest"}},
            "images",
            "in part",
            "1 of 2 container images is pinned by digest.",
        ),
        ({"images": (f"sha256:{'0' * 64}",)}, "images", "there", "The only container image is pinned by digest."),
        ({"images": ("b:1.2",)}, "images", "missing", "No container image is pinned by digest."),
        ({"seeds": (0,)}, "seeds", "there", "The random seeds are stated."),
        ({"started": date(2026, 6, 1)}, "dates", "in part", "The start is stated, but the end is not."),
        (DAYS, "dates", "there", "The start and the end are stated."),
        ({"trajectories": "t/{task}.json"}, "transcripts", "there", "The location of the transcripts is stated."),
        ({"trajectories_digest": "0" * 64}, "hashes", "there", "The digest of the transcripts is stated."),
    ],
)
def test_what_a_manifest_states(provenance: dict[str, Any], name: str, presence: str, expected_end: str) -> None:
    item = stated(provenance=provenance)[name]
    assert item[0] == presence
    assert item[1].endswith(expected_end)


def test_who_and_what_are_stated() -> None:
    items = stated(agent={"name": "ours", "scaffold": "bare"}, submitter={"organization": "Acme"})
    assert items["setup"] == (
        "in part",
        "The scaffold is stated, but the organization and the reasoning setting are not.",
    )
    assert items["submitter"] == ("there", "The name of the submitter is stated.")


@pytest.mark.parametrize(
    ("registered", "stated_digest", "presence"),
    [
        ("sha256:1", "sha256:1", "there"),
        ("sha256:2", "sha256:1", "in part"),
        (None, "sha256:1", "in part"),
        ("sha256:1", None, "missing"),
    ],
)
def test_the_digest_of_the_tasks_is_held_against_the_registered_one(
    registered: str | None, stated_digest: str | None, presence: str
) -> None:
    provenance = {"task_digest": stated_digest} if stated_digest else {}
    made = board_of(replace(LISTED, digest=registered), submission("ours", ran(1, "pp"), provenance=provenance))
    assert shown(made)["tasks"][0] == presence


def checked(drawn: int, agreed: int, of: int = 100) -> Check:
    return Check("ours", "0" * 64, "Ann", "2026-07-01", "0" * 64, "none", drawn, of, agreed)


@pytest.mark.parametrize(
    ("check", "evidence", "presence"),
    [
        (checked(5, 5), "verified", "there"),
        (checked(4, 4), "complete", "in part"),
        (checked(9, 8), "complete", "missing"),
    ],
)
def test_a_complete_row_is_verified_where_enough_rounds_agree(check: Check, evidence: str, presence: str) -> None:
    results = board_of(UNLISTED, submission("ours", ran(1, "pf"))).results
    (made,) = make_boards(replace(results, checks={"ours": check}))
    assert (entry_of(made, "ours").evidence, shown(made)["checks"][0]) == (evidence, presence)


def test_a_row_that_lacks_cases_is_not_verified_by_a_check() -> None:
    results = board_of(UNLISTED, submission("ours", counted(1, 1, 2))).results
    (made,) = make_boards(replace(results, checks={"ours": checked(100, 100)}))
    assert entry_of(made, "ours").evidence == "recomputed"


def test_a_difference_counts_until_more_rounds_were_drawn() -> None:
    differs, equal, larger, fewer = checked(5, 4), checked(5, 5), checked(6, 6), checked(1, 0)
    assert outweighs(differs, larger)
    assert not outweighs(equal, differs)
    assert outweighs(larger, differs)
    assert outweighs(fewer, equal)
    assert not outweighs(equal, larger)


def test_a_row_says_that_its_runs_were_registered_before_and_how_many() -> None:
    results = board(bundle("ours", "##", agent={"name": "Acme-1"})).results
    registrations = [
        Registration("Acme-1", "main", planned, day) for planned, day in ((3, "2026-01-01"), (9, "2099-01-01"))
    ]
    (made,) = make_boards(replace(results, registrations=tuple(registrations)))
    expected_text = "3 attempts registered on 2026-01-01, before the runs; 1 submitted."
    assert shown(made)["registered"] == ("in part", expected_text)
    assert shown(board(bundle("ours", "##")))["registered"][0] == "missing"
