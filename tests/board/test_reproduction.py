"""Submissions that maintainers ran again: what bears them out, what does not, and what is no rerun at all."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from kit.boards import board, bundle, entry_of, track

from sitegen.board.board import Board
from sitegen.board.making import make_boards
from sitegen.board.row_problems import problems_in, problems_outside_bundles
from sitegen.models.finding import Finding
from sitegen.models.results import Bundle

OURS: Mapping[str, Any] = {"agent": {"name": "Acme-1", "scaffold": "terminus-2"}}


FIRST = ["##", "#."] * 13
"""What the submission does: 75 over 26 tasks."""
CLOSE = ["##", "##", *FIRST[2:-2], "#.", "#."]
"""What a rerun does that is better on one task and worse on another: over both the difference is 0."""
OTHER = ["##", ".."] * 13
"""What a rerun does that is worse on every second task: by 25."""


def again(*reruns: str, submission: str = "first", **facts: Any) -> tuple[Finding, ...]:  # noqa: ANN401 - any field of a finding
    """Record that a submission was run again, once for each rerun."""
    fields = {"date": date(2026, 7, 1), "kind": "reproduction", "title": "Run again", "submissions": (submission,)}
    return tuple(Finding.model_validate({**fields, "by": "A maintainer", "rerun": rerun, **facts}) for rerun in reruns)


def found(findings: tuple[Finding, ...], *bundles: Bundle, **facts: Any) -> Board:  # noqa: ANN401 - what makes a board
    """Rank submissions of which some were run again; each finding stands two lines below the one before."""
    results = board(*bundles, **{"rounds": (2,) * len(FIRST), **facts}).results
    lines = tuple(range(3, 3 + 2 * len(findings), 2))
    return make_boards(replace(results, findings=findings, finding_lines=lines))[0]


def first(*marks: str, **facts: Any) -> Bundle:  # noqa: ANN401 - any field of a manifest
    return bundle("first", *(marks or FIRST), **{**OURS, **facts})


def second(*marks: str, **facts: Any) -> Bundle:  # noqa: ANN401 - any field of a manifest
    return bundle("second", *(marks or CLOSE), **{**OURS, **facts})


def told(made: Board) -> dict[str, str]:
    """Give what is said about the first submission, by code."""
    return {problem.code: problem.what for problem in problems_in(made, entry_of(made, "first"))}


def test_a_rerun_that_is_shown_to_be_the_same_makes_a_submission_reproduced() -> None:
    """Of 26 differences one is 50 and one is -50: with a standard error of 2.8 and t of 1.71 they lie within 4.7."""
    made = found(again("second"), first(), second())
    assert {entry.id: entry.evidence for entry in made.entries} == {"first": "reproduced", "second": "recomputed"}
    assert told(made) == {}
    (reproduction,) = made.reproductions["first"]
    assert reproduction.lead
    assert (reproduction.lead.value, reproduction.lead.margin) == pytest.approx((0, 4.74), abs=0.01)
    assert reproduction.words == (
        "Dataset Score 75.0 here, 75.0 when run again: +0.0 (-5.7 to +5.7), "
        "shown to be the same within 4.7, where 10.0 is required"
    )


def test_equal_scores_on_every_task_bear_each_other_out() -> None:
    made = found(again("second"), first(), second(*FIRST))
    assert entry_of(made, "first").evidence == "reproduced"


def test_a_rerun_on_few_tasks_shows_nothing() -> None:
    """The same scores on three tasks, of which two differ by 50: that is no evidence that they are the same."""
    made = found(again("second"), first("##", "#.", ".."), second("#.", "##", ".."), rounds=(2,) * 3)
    assert entry_of(made, "first").evidence == "recomputed"
    assert told(made) == {
        "REPRODUCTION-UNDECIDED": "the rerun second of 2026-07-01: Dataset Score 50.0 here, 50.0 when run again: "
        "+0.0 (-100.0 to +100.0), not shown to be the same; they would be within 84.3, where 10.0 is required"
    }


def test_a_rerun_that_differs_is_a_warning_with_both_values_and_the_interval() -> None:
    made = found(again("second"), first(), second(*OTHER))
    assert entry_of(made, "first").evidence == "recomputed"
    assert told(made) == {
        "REPRODUCTION-DIFFERS": "the rerun second of 2026-07-01: Dataset Score 75.0 here, 50.0 when run again: "
        "-25.0 (-36.9 to -14.7), shown to differ; they would be within 33.5, where 10.0 is required"
    }


def test_a_small_difference_that_is_shown_is_no_other_score() -> None:
    """Of 100 rounds a task one less passes on every task: 1 apart, without a doubt, and within 10."""
    marks = {"first": "#" * 50 + "." * 50, "second": "#" * 49 + "." * 51}
    rows = (bundle(name, *[task_marks] * 26, **OURS) for name, task_marks in marks.items())
    made = found(again("second"), *rows, rounds=(100,) * 26)
    (reproduction,) = made.reproductions["first"]
    assert reproduction.lead
    assert (reproduction.lead.is_shown, reproduction.holds, reproduction.differs) == (True, True, False)


def test_a_low_score_is_to_come_within_half_of_itself() -> None:
    """8 and 0 are within 10 of each other, and no rerun that never passes bears out one that does."""
    marks = {"first": "#" + "." * 24, "second": "." * 25}
    rows = (
        bundle(name, *[task_marks, task_marks, *[marks["second"]] * 24], **OURS) for name, task_marks in marks.items()
    )
    made = found(again("second"), *rows, rounds=(25,) * 26)
    (reproduction,) = made.reproductions["first"]
    assert reproduction.lead
    assert reproduction.lead.margin < 10
    assert reproduction.margin == pytest.approx(100 * 2 / 25 / 26 / 2)
    assert not reproduction.holds


def test_where_less_is_better_a_difference_keeps_its_sign() -> None:
    """What has no highest value is to come within a tenth of itself."""
    costs = {"headline": "avg_rounds", "columns": ("avg_rounds",)}
    dear, cheap = (
        [replace(round_result, interactions=count) for round_result in first().rounds] for count in (9.0, 4.0)
    )
    bundles = (replace(first(), rounds=tuple(dear)), replace(second(), rounds=tuple(cheap)))
    made = found(again("second"), *bundles, on=track(**costs))
    (reproduction,) = made.reproductions["first"]
    assert reproduction.lead
    assert (reproduction.lead.value, reproduction.differs) == (-5, True)
    assert reproduction.margin == pytest.approx(0.9)


def test_one_rerun_that_differs_outweighs_one_that_does_not() -> None:
    made = found(again("second", "third"), first(), second(), bundle("third", *OTHER, **OURS))
    assert entry_of(made, "first").evidence == "recomputed"
    assert list(told(made)) == ["REPRODUCTION-DIFFERS"]


def test_a_rerun_that_shows_nothing_takes_nothing_from_one_that_does() -> None:
    """The third does half of the tasks in full and no other: that is neither the same nor another score."""
    halves = ["#."] * 26
    made = found(again("second", "third"), first(*halves), second(*halves), bundle("third", *OTHER, **OURS))
    assert [(reproduction.holds, reproduction.differs) for reproduction in made.reproductions["first"]] == [
        (True, False),
        (False, False),
    ]
    assert list(told(made)) == ["REPRODUCTION-UNDECIDED"]
    assert entry_of(made, "first").evidence == "reproduced"


@pytest.mark.parametrize(
    ("bundles", "facts", "why"),
    [
        ((first("##"), second("#.")), {"rounds": (2,)}, "a single task is too few for a test"),
        ((first(), second(status={"state": "withdrawn"})), {}, "the rerun was withdrawn"),
        (
            (first(), second(*["vv"] * 26)),
            {"on": track(headline="case_score", columns=("case_score",))},
            "one of the two scores is a gap",
        ),
    ],
)
def test_what_cannot_be_held_against_each_other_counts_for_nothing(
    bundles: tuple[Bundle, ...], facts: dict[str, Any], why: str
) -> None:
    made = found(again("second"), *bundles, **facts)
    assert entry_of(made, "first").evidence == "recomputed"
    assert told(made)["REPRODUCTION-UNDECIDED"].endswith(why)


def test_a_rerun_may_be_superseded_so_that_it_is_no_row_of_its_own() -> None:
    made = found(again("second"), first(), second(status={"state": "superseded", "by": "first"}))
    assert [(entry.id, entry.evidence) for entry in made.entries] == [("first", "reproduced")]


@pytest.mark.parametrize(
    ("rerun", "expected_problem"),
    [
        (
            second(agent={"name": "Other-1"}),
            "second, listed as a rerun of first, is by Other-1, not Acme-1 · terminus-2",
        ),
        (
            second(agent={"name": "Acme-1", "scaffold": "bare"}),
            "second, listed as a rerun of first, is by Acme-1 · bare, not Acme-1 · terminus-2",
        ),
        (second(track="gone"), "second, listed as a rerun of first, is on track gone, not on main"),
    ],
)
def test_another_agents_or_another_tracks_run_is_no_rerun(rerun: Bundle, expected_problem: str) -> None:
    made = found(again("second"), first(), rerun)
    (problem,) = problems_outside_bundles(made)
    assert (problem.code, problem.severity, problem.what) == ("REPRODUCTION-ASTRAY", "error", expected_problem)
    assert (problem.path, problem.line) == (Path("results/mini/findings.toml"), 3)
    assert entry_of(made, "first").evidence == "recomputed"
    assert told(made) == {}


def test_nothing_is_the_rerun_of_itself() -> None:
    made = found(again("first"), first())
    assert [bundle.what for bundle in problems_outside_bundles(made)] == ["first is listed as a rerun of itself"]
    assert entry_of(made, "first").evidence == "recomputed"


def test_an_alias_does_not_make_two_agents_of_one() -> None:
    rerun = second(agent={"name": "acme one"})
    made = found(again("second"), first(), rerun, aliases={"acme one": "Acme-1"})
    assert entry_of(made, "first").evidence == "reproduced"


def test_a_reproduction_on_another_track_says_nothing_here() -> None:
    made = found(again("second", tracks=("other",)), first(), second())
    assert entry_of(made, "first").evidence == "recomputed"
