"""How published failed cases become failures."""

from pathlib import Path

import pytest
from kit.evocodebench_trees import (
    Json,
    case,
    draft_of,
    failed,
    passed,
    publish,
    publish_cells,
    requirement,
    warned,
)


def test_a_listed_case_keeps_its_texts_and_its_requirement(tmp_path: Path) -> None:
    texts = {"intent": "adds", "scenario": "1 + 1", "expected": "2", "actual": "3", "reason": "got 3"}
    group = requirement(case("c007", **texts), n=4, reason="got 3")
    (failure,) = draft_of(publish_cells(tmp_path, passed(), failed(group, fails=4))).failures
    assert (failure.task, failure.attempt, failure.round, failure.case) == ("tidy", 1, 2, "c007")
    assert (failure.status, failure.requirement, failure.requirement_failed) == ("failed", "R1", 4)
    assert {key: getattr(failure, key) for key in texts} == texts
    assert not failure.truncated


def test_empty_texts_are_gaps(tmp_path: Path) -> None:
    (failure,) = draft_of(publish_cells(tmp_path, failed(requirement(case())))).failures
    assert (failure.intent, failure.scenario, failure.expected, failure.actual, failure.reason) == (None,) * 5


def test_the_kind_of_a_requirement_is_that_of_its_first_case_only(tmp_path: Path) -> None:
    cell = failed(requirement(case("c001"), case("c002"), case("c003")), fails=3)
    assert [failure.category for failure in draft_of(publish_cells(tmp_path, cell)).failures] == ["core", None, None]


@pytest.mark.parametrize("text", ["intent", "scenario", "expected", "actual", "reason"])
def test_a_text_of_the_length_that_the_source_cuts_to_is_marked(tmp_path: Path, text: str) -> None:
    cut, uncut = case("c001", **{text: "x" * 170}), case("c002", **{text: "x" * 169})
    cell = failed(requirement(cut, uncut), fails=2)
    assert [failure.truncated for failure in draft_of(publish_cells(tmp_path, cell)).failures] == [True, False]


def test_control_characters_and_markup_are_kept_as_they_are(tmp_path: Path) -> None:
    text = "\x1b[31m<b>\n\x00 "
    (failure,) = draft_of(publish_cells(tmp_path, failed(requirement(case(actual=text))))).failures
    assert failure.actual == text


@pytest.mark.parametrize(
    ("cells", "detail"),
    [
        ([passed()], "failures"),
        ([failed(requirement(case()))], "failures"),
        ([failed(requirement(case())), failed(requirement(case(), n=2), fails=2)], "sample"),
        ([failed(requirement(case())), failed()], "sample"),
        ([failed(requirement(case())), None], "failures"),
        ([failed(), failed(requirement(n=1))], "counts"),
    ],
)
def test_detail_says_whether_every_failed_case_is_listed(tmp_path: Path, cells: list[Json | None], detail: str) -> None:
    assert draft_of(publish_cells(tmp_path, *cells)).submission.detail.cases == detail


def test_more_failures_than_counted_are_warned_of_once_a_round(tmp_path: Path) -> None:
    wrong = failed(requirement(case(), n=3))
    source = publish(tmp_path, {"tidy": {"Ada": [passed(), wrong], "Bob": [passed(), wrong]}})
    (warning,) = warned(source)
    assert warning.code == "SOURCE-COUNTS-DIFFER"
    assert warning.what == "round 2 lists more failures than it counts: Ada 3 against 1; Bob 3 against 1"


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        (case(reason="  too slow  "), "too slow"),
        (case(reason="x" * 170), "x" * 140),
        (case(expected="2", actual=" 3 ", reason="got"), "expected 2, got 3"),
        (case(expected="2"), "expected 2, got (empty)"),
        (case(actual="3"), "expected ?, got 3"),
        (case(intent="adds"), "adds"),
        (case(), "(no reason)"),
    ],
)
def test_a_requirements_reason_that_its_first_case_gives_is_not_lost(tmp_path: Path, first: Json, reason: str) -> None:
    assert not warned(publish_cells(tmp_path, failed(requirement(first, reason=reason))))


def test_a_requirements_reason_of_its_own_is_warned_of(tmp_path: Path) -> None:
    cell = failed(requirement(case(reason="got 3"), reason="never answers"))
    (warning,) = warned(publish_cells(tmp_path, cell))
    assert warning.code == "SOURCE-REASON-LOST"
    assert "1 failed requirements" in warning.what
    assert "R1 in round 1 of tidy, GPT-5.5" in warning.what


def test_a_requirement_without_a_listed_case_is_warned_of(tmp_path: Path) -> None:
    (warning,) = warned(publish_cells(tmp_path, failed(requirement(n=1, reason="never answers"))))
    assert warning.code == "SOURCE-REASON-LOST"
