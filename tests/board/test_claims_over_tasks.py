"""Claims over another number of tasks than the row: they are shown, and not compared."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from kit.boards import board, bundle, claims, entry_of, row, table
from kit.findings import finding, with_findings

from sitegen.board.board import Board, BoardEntry
from sitegen.board.claims import entry_problems
from sitegen.board.export import scores_json
from sitegen.board.score import Claim, Score
from sitegen.metrics.catalogue import DATASET_SCORE
from sitegen.models.results import Bundle

PASSED = "#" * 10 + "." * 15
EVERY = (1,) * 26
GONE = finding("Broken", effect="exclude", tasks=("z",))


def official(*bundles: Bundle, **facts: Any) -> Board:  # noqa: ANN401 - as of a board
    """The shape of a real board: 26 tasks, one of them excluded in every file and by a finding."""
    return with_findings(board(*bundles, rounds=EVERY, **facts), GONE)


def ours(**facts: Any) -> Bundle:  # noqa: ANN401 - any field of a manifest
    """Pass 10 of the 25 tasks that count."""
    return bundle("ours", *PASSED, "!", **facts)


def score(made: Board) -> Mapping[str, Any]:
    rows: Any = scores_json([BoardEntry(made, entry_of(made, "ours"))])["submissions"]
    return dict(rows[0]["metrics"]["dataset_score"])


def codes(made: Board) -> list[str]:
    return [problem.code for problem in entry_problems(entry_of(made, "ours"))]


def standing(made: Board) -> list[str]:
    """How each claim stands to the score, in words."""
    headline_score = entry_of(made, "ours").scores["dataset_score"]
    return [headline_score.claim_outcome(claim) for claim in headline_score.claims]


def test_a_source_over_all_tasks_is_not_comparable_where_one_is_excluded() -> None:
    made = official(ours(claims=claims("README", dataset_score="38.5")))
    score_fields = score(made)
    assert (score_fields["value"], score_fields["n"], score_fields["of"]) == (40.0, 25, 25)
    assert (score_fields["claimed"], score_fields["claim_tasks"], score_fields["agrees"]) == (38.5, 26, None)
    assert (codes(made), standing(made)) == ([], ["not comparable (over 26 tasks)"])
    assert made.ranks == {"ours": 1}


def test_a_claim_over_other_tasks_does_not_agree_by_chance() -> None:
    made = official(ours(claims=claims("README", dataset_score="40.0")))
    assert (score(made)["agrees"], codes(made)) == (None, [])


def test_a_table_is_over_all_tasks_of_its_track() -> None:
    made = official(ours(), tables=[table(row("ours", "38.5"))])
    assert (score(made)["agrees"], codes(made), standing(made)) == (None, [], ["not comparable (over 26 tasks)"])


def test_a_source_that_says_how_many_tasks_is_compared_where_they_are_as_many() -> None:
    made = official(ours(claims={**claims("README", dataset_score="40.0"), "tasks": 25}))
    assert (score(made)["agrees"], codes(made)) == (True, [])
    wrong = official(ours(claims={**claims("README", dataset_score="41.0"), "tasks": 25}))
    assert (score(wrong)["agrees"], codes(wrong)) == (False, ["CLAIM-SOURCE-DIFFERS"])


def test_an_own_claim_is_over_what_the_row_is_over() -> None:
    assert codes(official(ours(claims=claims(dataset_score="40.0")))) == []
    assert codes(official(ours(claims=claims(dataset_score="40.1")))) == ["CLAIM-DIFFERS"]


def test_an_own_claim_over_other_tasks_does_not_escape() -> None:
    made = official(ours(claims={**claims(dataset_score="99.0"), "tasks": 24}))
    (problem,) = entry_problems(entry_of(made, "ours"))
    assert (problem.code, problem.severity) == ("CLAIM-UNCHECKED", "warning")
    assert problem.what == (
        "Dataset Score: 99.0 claimed over 24 tasks, but it can't be recomputed: "
        "it covers a different set of tasks than the results"
    )


def test_an_own_claim_of_who_lacks_tasks_does_not_escape() -> None:
    lacking = bundle("ours", *PASSED, claims=claims(dataset_score="99.0"), missing=("z",))
    made = board(lacking, rounds=EVERY)
    assert (codes(made), score(made)["agrees"], standing(made)) == (["CLAIM-UNCHECKED"], None, ["not comparable"])


def test_a_source_about_who_lacks_tasks_is_not_comparable() -> None:
    made = board(bundle("ours", *PASSED, missing=("z",)), rounds=EVERY, tables=[table(row("ours", "38.5"))])
    assert (codes(made), score(made)["agrees"], standing(made)) == ([], None, ["not comparable (over 26 tasks)"])


def test_a_claim_that_agreed_before_the_finding_is_told_so() -> None:
    """10 of 26 tasks passed before, 10 of 25 with the last one left out."""
    before = bundle("ours", *PASSED, ".", claims=claims("README", dataset_score="38.5"))
    made = official(before)
    assert (codes(made), standing(made)) == (["CLAIM-BEFORE-FINDING"], ["agrees without findings"])
    assert score(made)["agrees"] is None


def test_a_claim_that_did_not_agree_before_the_finding_is_not_comparable() -> None:
    before = bundle("ours", *PASSED, ".", claims=claims("README", dataset_score="39.9"))
    assert (codes(official(before)), standing(official(before))) == ([], ["not comparable (over 26 tasks)"])


def test_a_claim_that_held_under_the_findings_of_its_day_is_not_said_to_hold_without_any() -> None:
    claim = Claim(Decimal("40.0"), None)
    without, on_its_day = Score(DATASET_SCORE, 60.0), Score(DATASET_SCORE, 40.0)
    score = Score(DATASET_SCORE, 50.0, claims=[claim], without_findings=without, on_own_day=on_its_day)
    assert score.claim_outcome(claim) == "agreed with the findings of its day"
    assert (
        Score(DATASET_SCORE, 50.0, claims=[claim], without_findings=on_its_day).claim_outcome(claim)
        == "agrees without findings"
    )
