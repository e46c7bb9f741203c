"""How published cells become rounds."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
from kit.evocodebench_trees import (
    OPTIONS,
    Json,
    Runs,
    case,
    draft_of,
    failed,
    imported,
    passed,
    publish,
    publish_cells,
    refused,
    requirement,
    warned,
)

from sitegen.importers.evocodebench.runs import HOLE, NO_REWARD, SILENT

EARLY: Json = {"pass": 0, "total": 0, "fail": 0, "reward": 0, "fails": [], "early": "FAIL: Build failed"}
NOTED: Json = {"pass": 0, "total": 0, "fail": 0, "reward": 0, "fails": [], "note": "no test output captured"}


def test_a_round_keeps_its_reward_and_its_counts(tmp_path: Path) -> None:
    first, second = draft_of(publish_cells(tmp_path, passed(3), failed(cases=5, fails=2))).rounds
    assert (first.state, first.reward, first.passed, first.total, first.skipped) == ("scored", 1, 3, 3, None)
    assert (second.state, second.reward, second.passed, second.total, second.failed) == ("scored", 0, 3, 5, 2)


def test_a_reward_between_0_and_1_is_kept(tmp_path: Path) -> None:
    (result,) = draft_of(publish_cells(tmp_path, failed() | {"reward": 0.375})).rounds
    assert result.reward == 0.375


def test_the_first_silent_round_at_the_end_was_aborted_and_the_others_unreached(tmp_path: Path) -> None:
    rounds = draft_of(publish_cells(tmp_path, passed(), None, None, None)).rounds
    assert [(round_result.state, round_result.cause) for round_result in rounds[1:]] == [
        ("aborted", SILENT),
        ("unreached", None),
        ("unreached", None),
    ]
    assert {(round_result.reward, round_result.passed, round_result.total) for round_result in rounds[1:]} == {
        (0, 0, 0)
    }


def test_a_run_without_any_verdict_was_aborted_in_its_first_round(tmp_path: Path) -> None:
    runs: Runs = {"tidy": {"Ada": [None, None], "Bob": [passed(), passed()]}}
    rounds = imported(publish(tmp_path, runs)).drafts[0].rounds
    assert [round_result.state for round_result in rounds] == ["aborted", "unreached"]


def test_one_warning_tells_of_all_silent_ends(tmp_path: Path) -> None:
    runs: Runs = {
        "tidy": {"Ada": [passed(), None, None], "Bob": [passed(), passed(), passed()], "Cy": [None, None, None]},
        "neat": {"Ada": [None], "Bob": [passed()], "Cy": [passed()]},
    }
    (warning,) = warned(publish(tmp_path, runs))
    assert warning.code == "SOURCE-VERDICT-MISSING"
    assert warning.what == "rounds without a verdict at a run's end: 6, in 3 of the runs: Ada (3), Cy (3)"


def test_a_silent_round_before_a_verdict_was_aborted_and_is_warned_of(tmp_path: Path) -> None:
    source = publish_cells(tmp_path, None, passed(), None, passed())
    rounds = draft_of(source).rounds
    assert [(round_result.state, round_result.cause) for round_result in rounds] == [
        ("aborted", HOLE),
        ("scored", None),
        ("aborted", HOLE),
        ("scored", None),
    ]
    (warning,) = warned(source)
    assert warning.code == "SOURCE-VERDICT-HOLE"
    assert warning.what == "GPT-5.5 has no verdict for round 1, 3, but one for round 4"


def test_a_round_that_ended_early_has_no_cases_and_says_why(tmp_path: Path) -> None:
    (result,) = draft_of(publish_cells(tmp_path, EARLY)).rounds
    assert (result.state, result.passed, result.total, result.cause) == ("no_cases", 0, 0, "FAIL: Build failed")


def test_a_round_in_which_only_the_build_was_checked_and_failed_has_no_cases(tmp_path: Path) -> None:
    gate = requirement(case(), reason="no binary") | {"req": "build"}
    draft = draft_of(publish_cells(tmp_path, failed(gate, cases=1)))
    (result,) = draft.rounds
    assert (result.state, result.passed, result.total, result.cause) == ("no_cases", 0, 0, "no binary")
    assert draft.failures == ()


def test_a_failed_build_beside_other_failed_cases_is_a_scored_round(tmp_path: Path) -> None:
    gate = requirement(case()) | {"req": "build"}
    (result,) = draft_of(publish_cells(tmp_path, failed(gate, cases=3))).rounds
    assert (result.state, result.passed, result.total) == ("scored", 2, 3)


def test_a_failed_build_that_earns_something_is_a_scored_round(tmp_path: Path) -> None:
    gate = requirement(case()) | {"req": "build"}
    (result,) = draft_of(publish_cells(tmp_path, failed(gate, cases=1) | {"reward": 0.25})).rounds
    assert (result.state, result.reward, result.passed, result.total) == ("scored", 0.25, 0, 1)


def test_no_cases_without_a_word_stay_unexplained(tmp_path: Path) -> None:
    (result,) = draft_of(publish_cells(tmp_path, failed(cases=0, fails=0))).rounds
    assert (result.state, result.cause) == ("no_cases", None)


@pytest.mark.parametrize("reward", [0, 1])
def test_a_reward_without_output_is_a_verdict_on_unknown_cases(tmp_path: Path, reward: int) -> None:
    draft = draft_of(publish_cells(tmp_path, NOTED | {"reward": reward}))
    (result,) = draft.rounds
    assert (result.state, result.reward, result.passed, result.total) == ("scored", reward, None, None)
    assert draft.submission.detail.cases == "none"


def test_a_verdict_may_come_without_counts(tmp_path: Path) -> None:
    draft = draft_of(publish_cells(tmp_path, passed(), {"reward": 1, "note": "no test output captured"}))
    assert (draft.rounds[1].passed, draft.rounds[1].total) == (None, None)
    assert draft.submission.detail.cases == "failures"


def test_what_was_said_early_outweighs_a_note(tmp_path: Path) -> None:
    (result,) = draft_of(publish_cells(tmp_path, EARLY | NOTED)).rounds
    assert (result.state, result.cause) == ("no_cases", "FAIL: Build failed")


def test_cases_without_a_reward_make_an_aborted_round(tmp_path: Path) -> None:
    source = publish_cells(tmp_path, failed() | {"reward": None}, EARLY | {"reward": None}, passed())
    first, second, _ = draft_of(source).rounds
    assert (first.state, first.reward, first.passed, first.total, first.cause) == ("aborted", 0, 0, 0, NO_REWARD)
    assert second.cause == f"{NO_REWARD}; FAIL: Build failed"
    assert {warning.code for warning in warned(source)} == {"SOURCE-REWARD-MISSING"}


def test_cases_that_neither_passed_nor_failed_were_skipped(tmp_path: Path) -> None:
    source = publish_cells(tmp_path, failed() | {"pass": 41, "fail": 2, "total": 44})
    (result,) = draft_of(source).rounds
    assert (result.passed, result.total, result.skipped, result.failed) == (41, 44, 1, 2)
    (warning,) = warned(source)
    assert warning.code == "SOURCE-SKIPPED-CASES"
    assert warning.what == "GPT-5.5, round 1: 41 passed and 2 failed of 44 cases: 1 recorded as skipped"


@pytest.mark.parametrize(
    ("cell", "code", "expected_message"),
    [
        (failed() | {"pass": 4}, "SOURCE-COUNTS-DIFFER", "4 passed and 1 failed are more than 4 cases"),
        (failed() | {"total": "4"}, "SOURCE-COUNTS-DIFFER", "`total` can't be a number of cases"),
        (failed() | {"pass": -1, "fail": 0.5}, "SOURCE-COUNTS-DIFFER", "`pass`, `fail` can't be a number of cases"),
        ({"reward": 0, "total": 4}, "SOURCE-COUNTS-DIFFER", "there is `total`, but `pass` or `fail` is missing"),
        (
            {"reward": 0, "pass": 1, "fail": 3},
            "SOURCE-COUNTS-DIFFER",
            "there is `pass` or `fail`, but no `total`",
        ),
        (failed() | {"reward": 1}, "SOURCE-REWARD-CONTRADICTED", "a reward of 1 with 1 failed cases"),
        (
            passed() | {"fails": [requirement(case())]},
            "SOURCE-REWARD-CONTRADICTED",
            "a reward of 1 with 1 failed cases that are listed",
        ),
        (
            failed(requirement(case())) | {"reward": 1},
            "SOURCE-REWARD-CONTRADICTED",
            "a reward of 1 with 1 failed cases",
        ),
        (EARLY | {"reward": 1}, "SOURCE-REWARD-CONTRADICTED", "a reward of 1 without any case"),
        (EARLY | {"reward": 0.5}, "SOURCE-REWARD-CONTRADICTED", "a reward of 0.5 without any case"),
        (
            {"reward": 1, "pass": 0, "fail": 0, "total": 3},
            "SOURCE-REWARD-CONTRADICTED",
            "a reward of 1, but none of 3 cases passed",
        ),
        (
            passed() | {"reward": 0},
            "SOURCE-REWARD-CONTRADICTED",
            "a reward of 0, but 2 of 2 cases passed and none failed",
        ),
    ],
)
def test_a_cell_that_contradicts_itself_keeps_its_verdict_and_loses_its_cases(
    tmp_path: Path, cell: Json, code: str, expected_message: str
) -> None:
    source = publish_cells(tmp_path, passed(), cell)
    draft = draft_of(source)
    second = draft.rounds[1]
    assert (second.state, second.reward, second.passed, second.total) == ("scored", cell["reward"], None, None)
    assert draft.failures == ()
    warning = next(warning for warning in warned(source) if warning.code == code)
    assert warning.what == f"GPT-5.5, round 2: {expected_message}"
    assert warning.path == source / "tasks" / "tidy.json"
    assert any(f"round 2 of tidy ({expected_message})" in caveat for caveat in draft.submission.caveats)


def test_every_contradiction_is_named_at_once(tmp_path: Path) -> None:
    wrong = passed() | {"reward": 0}
    runs = {"tidy": {"Ada": [wrong], "Bob": [wrong]}, "neat": {"Ada": [wrong], "Bob": [passed()]}}
    warnings = warned(publish(tmp_path, runs))
    assert [(warning.path.stem, warning.what[:3]) for warning in warnings] == [
        ("tidy", "Ada"),
        ("tidy", "Bob"),
        ("neat", "Ada"),
    ]


@pytest.mark.parametrize("reward", ["1", [], {}, math.nan, math.inf])
def test_a_reward_that_is_no_number_is_no_verdict(tmp_path: Path, reward: object) -> None:
    draft = draft_of(publish_cells(tmp_path, passed(), failed() | {"reward": reward}))
    second = draft.rounds[1]
    assert (second.state, second.reward, second.total) == ("aborted", 0, 0)
    assert second.cause == "the reward in the file is not a number"
    assert any(
        "round 2 of tidy (the reward in the file is not a number)" in caveat for caveat in draft.submission.caveats
    )


@pytest.mark.parametrize("cell", [True, 7, "passed", []])
def test_a_cell_that_is_no_object_is_no_verdict(tmp_path: Path, cell: Json) -> None:
    second = draft_of(publish_cells(tmp_path, passed(), cell)).rounds[1]
    assert (second.state, second.cause) == ("aborted", "the file's entry is not an object")


def test_rewards_on_another_scale_are_asked_about(tmp_path: Path) -> None:
    source = publish_cells(tmp_path, passed() | {"reward": 100}, failed() | {"reward": 50})
    (error,) = refused(source)
    assert error.code == "SOURCE-SCALE-UNSTATED"
    assert error.what == "the source (see round 1 of tidy, GPT-5.5) has rewards up to 100"
    assert "--scale 100" in error.fix
    rounds = draft_of(source, replace(OPTIONS, scale=100)).rounds
    assert [round_result.reward for round_result in rounds] == [1, 0.5]


def test_a_reward_below_0_is_refused(tmp_path: Path) -> None:
    (error,) = refused(publish_cells(tmp_path, passed(), failed() | {"reward": -1}))
    assert error.code == "SOURCE-UNUSABLE"


def test_a_publication_without_any_reward_is_refused(tmp_path: Path) -> None:
    source = publish(tmp_path, {"tidy": {"Ada": [None, failed() | {"reward": None}], "Bob": [None, None]}})
    (error,) = refused(source)
    assert (error.code, error.what) == ("SOURCE-NOTHING-SCORED", "no round of any agent has a reward")


@pytest.mark.parametrize(
    ("fails", "expected_message"),
    [
        ("none", "`fails` is not a list"),
        ([{"req": "R1", "n": "1"}], "1 of the entries in `fails` can't be read"),
        ([requirement(case()) | {"cases": [case() | {"id": None}, case()]}], "1 of the entries"),
        ([requirement(case("c1")), requirement(case("c1"), case("c2"))], "can't be read or occur twice"),
    ],
)
def test_listed_failures_that_can_not_be_read_are_left_out(
    tmp_path: Path, fails: object, expected_message: str
) -> None:
    source = publish_cells(tmp_path, failed() | {"fails": fails})
    draft = draft_of(source)
    assert (draft.rounds[0].state, draft.rounds[0].total) == ("scored", 4)
    warning = next(warning for warning in warned(source) if warning.code == "SOURCE-VALUE-UNUSABLE")
    assert expected_message in warning.what
    assert any(expected_message in caveat for caveat in draft.submission.caveats)


def test_rounds_stand_in_the_order_of_the_task_set(tmp_path: Path) -> None:
    long = [passed()] * 11
    source = publish(tmp_path, {"zeta": {"Ada": long}, "alpha": {"Ada": [passed()]}})
    incoming = imported(source)
    expected = [("zeta", n) for n in range(1, 12)] + [("alpha", 1)]
    assert [(round_result.task, round_result.round) for round_result in incoming.drafts[0].rounds] == expected
    assert [task.id for task in incoming.task_sets[0].tasks] == ["zeta", "alpha"]
