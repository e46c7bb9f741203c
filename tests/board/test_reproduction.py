"""Submissions that maintainers ran again: what bears them out, what does not, and what is no rerun at all."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from boards import board, bundle, entry_of, track

from sitegen.board.board import Board, boards_of
from sitegen.board.problems import problems_beside, problems_in
from sitegen.models.finding import Finding
from sitegen.models.results import Bundle

OURS: Mapping[str, Any] = {"agent": {"name": "Acme-1", "scaffold": "terminus-2"}}


def again(*reruns: str, submission: str = "first", **facts: Any) -> tuple[Finding, ...]:  # noqa: ANN401 - any field of a finding
    """Record that a submission was run again, once for each rerun."""
    known = {"date": date(2026, 7, 1), "kind": "reproduction", "title": "Run again", "submissions": (submission,)}
    return tuple(Finding.model_validate({**known, "by": "A maintainer", "rerun": each, **facts}) for each in reruns)


def found(findings: tuple[Finding, ...], *bundles: Bundle, **facts: Any) -> Board:  # noqa: ANN401 - what makes a board
    """Rank submissions of which some were run again; each finding stands two lines below the one before."""
    results = board(*bundles, **{"rounds": (2, 2, 2), **facts}).results
    lines = tuple(range(3, 3 + 2 * len(findings), 2))
    return boards_of(replace(results, findings=findings, finding_lines=lines))[0]


def first(*marks: str, **facts: Any) -> Bundle:  # noqa: ANN401 - any field of a manifest
    return bundle("first", *(marks or ("##", "#.", "..")), **{**OURS, **facts})


def second(*marks: str, **facts: Any) -> Bundle:  # noqa: ANN401 - any field of a manifest
    return bundle("second", *(marks or ("#.", "##", "..")), **{**OURS, **facts})


def told(made: Board) -> dict[str, str]:
    """Give what is said about the first submission, by code."""
    return {each.code: each.what for each in problems_in(made, entry_of(made, "first"))}


def test_a_rerun_within_the_interval_makes_a_submission_reproduced() -> None:
    made = found(again("second"), first(), second())
    assert {entry.id: entry.evidence for entry in made.entries} == {"first": "reproduced", "second": "recomputed"}
    assert told(made) == {}
    (reproduction,) = made.reproductions["first"]
    assert reproduction.lead
    assert reproduction.lead.low < 0 < reproduction.lead.high


def test_equal_scores_on_every_task_bear_each_other_out() -> None:
    """The interval of a difference that is always 0 has no width, and contains 0."""
    made = found(again("second"), first(), second("##", "#.", ".."))
    assert entry_of(made, "first").evidence == "reproduced"


def test_a_rerun_outside_the_interval_is_a_warning_with_both_values_and_the_interval() -> None:
    made = found(again("second"), first("##", "##", "##"), second("#.", "#.", "#."))
    assert entry_of(made, "first").evidence == "recomputed"
    assert told(made) == {
        "REPRODUCTION-DIFFERS": "the rerun second of 2026-07-01: Dataset Score 100.0 here, 50.0 when run again; "
        "the 95 % interval of the difference, +50.0 to +50.0, does not contain 0"
    }


def test_where_less_is_better_a_difference_keeps_its_sign() -> None:
    costs = {"headline": "avg_rounds", "columns": ("avg_rounds",)}
    dear, cheap = ([replace(each, interactions=count) for each in first().rounds] for count in (9.0, 4.0))
    bundles = (replace(first(), rounds=tuple(dear)), replace(second(), rounds=tuple(cheap)))
    made = found(again("second"), *bundles, on=track(**costs))
    (reproduction,) = made.reproductions["first"]
    assert reproduction.lead
    assert (reproduction.lead.low, reproduction.lead.high) == (5, 5)


def test_one_rerun_that_differs_outweighs_one_that_does_not() -> None:
    bundles = (first("##", "##", "##"), second("##", "##", "##"), bundle("third", "..", "..", "..", **OURS))
    made = found(again("second", "third"), *bundles)
    assert entry_of(made, "first").evidence == "recomputed"
    assert list(told(made)) == ["REPRODUCTION-DIFFERS"]


@pytest.mark.parametrize(
    ("bundles", "facts", "why"),
    [
        ((first("##"), second("#.")), {"rounds": (2,)}, "draws of a single task do not differ"),
        ((first(), second(status={"state": "withdrawn"})), {}, "the rerun was withdrawn"),
        (
            (first(), second("vv", "vv", "vv")),
            {"on": track(headline="case_score", columns=("case_score",))},
            "one of the two is a gap",
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
    ("rerun", "what"),
    [
        (
            second(agent={"name": "Other-1"}),
            "second, named as the rerun of first, is by Other-1, not Acme-1 · terminus-2",
        ),
        (
            second(agent={"name": "Acme-1", "scaffold": "bare"}),
            "second, named as the rerun of first, is by Acme-1 · bare, not Acme-1 · terminus-2",
        ),
        (second(track="gone"), "second, named as the rerun of first, is on track gone, not on main"),
    ],
)
def test_another_agents_or_another_tracks_run_is_no_rerun(rerun: Bundle, what: str) -> None:
    made = found(again("second"), first(), rerun)
    (problem,) = problems_beside(made)
    assert (problem.code, problem.severity, problem.what) == ("REPRODUCTION-ASTRAY", "error", what)
    assert (problem.path, problem.line) == (Path("results/mini/findings.toml"), 3)
    assert entry_of(made, "first").evidence == "recomputed"
    assert told(made) == {}


def test_nothing_is_the_rerun_of_itself() -> None:
    made = found(again("first"), first())
    assert [each.what for each in problems_beside(made)] == ["first is named as the rerun of itself"]
    assert entry_of(made, "first").evidence == "recomputed"


def test_an_alias_does_not_make_two_agents_of_one() -> None:
    rerun = second(agent={"name": "acme one"})
    made = found(again("second"), first(), rerun, aliases={"acme one": "Acme-1"})
    assert entry_of(made, "first").evidence == "reproduced"


def test_a_reproduction_on_another_track_says_nothing_here() -> None:
    made = found(again("second", tracks=("other",)), first(), second())
    assert entry_of(made, "first").evidence == "recomputed"
