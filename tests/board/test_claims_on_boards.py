"""What others claim beside what the rewards give, and which published rows are whose."""

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.boards import board, bundle, claims, entry_of, row, table, track
from kit.result_grids import records

from sitegen.board.claims import CLAIM_DIFFERS, chosen_lines, entry_problems
from sitegen.board.score import Claim
from sitegen.problems import Problem

MANIFEST = Path("results/mini/submissions/ours/submission.toml")


@pytest.mark.parametrize(
    ("claimed", "value", "agrees"),
    [
        ("59.1", 59.14, True),
        ("59.1", 59.16, False),
        ("59.1", 59.15, True),
        ("59.2", 59.15, True),
        ("59.1", 59.05, True),
        ("59.0", 59.05, True),
        ("42", 42.4, True),
        ("42.0", 42.4, False),
        ("42", 42.5, True),
        ("43", 42.5, True),
        ("-8.2", -8.15, True),
        ("0.275", 0.27498500149985, True),
        ("1E+1", 10.4, True),
    ],
)
def test_a_claim_agrees_when_the_value_rounds_to_it(claimed: str, value: float, agrees: bool) -> None:  # noqa: FBT001 - a column of the table
    """Half-way, either neighbour will do."""
    assert Claim(Decimal(claimed), None).agrees_with(value) is agrees


@given(st.floats(-1000, 1000), st.integers(0, 8))
def test_a_rounded_value_always_agrees(value: float, decimals: int) -> None:
    assert Claim(Decimal(f"{value:.{decimals}f}"), None).agrees_with(value)


@pytest.mark.parametrize("printed", ["1E-400", "0." + "1" * 400])
def test_digits_beyond_any_score_are_no_matter(printed: str) -> None:
    assert Claim(Decimal(printed), None).decimals == 12


def test_an_own_claim_that_differs_is_an_error_at_its_line() -> None:
    made = board(bundle("ours", "#.", claims=claims(dataset_score="50.1")))
    assert entry_problems(entry_of(made, "ours")) == (
        Problem(
            "CLAIM-DIFFERS",
            "error",
            MANIFEST,
            12,
            "Dataset Score: 50.1 claimed, 50.00 recomputed",
            "correct the claim or the rewards; if the value was published somewhere else, name its `source`",
        ),
    )


@pytest.mark.parametrize(
    ("claimed", "fix"),
    [
        ("0.5", "claim 50 instead: the score is in percent"),
        ("0.500", "claim 50.0 instead: the score is in percent"),
        ("0.51", CLAIM_DIFFERS.fix),
        ("5000", CLAIM_DIFFERS.fix),
    ],
)
def test_who_claims_a_share_is_told_the_percentage(claimed: str, fix: str) -> None:
    made = board(bundle("ours", "#.", claims=claims(dataset_score=claimed)))
    assert [problem.fix for problem in entry_problems(entry_of(made, "ours"))] == [fix]


def test_a_sourced_claim_that_differs_is_a_warning() -> None:
    made = board(bundle("ours", "#.", claims=claims("README", dataset_score="50.1")))
    assert entry_problems(entry_of(made, "ours")) == (
        Problem(
            "CLAIM-SOURCE-DIFFERS",
            "warning",
            MANIFEST,
            12,
            "Dataset Score: 50.1 claimed, 50.00 recomputed; the claim's source is README",
            "check that the claim is copied exactly; the page shows both values and the source",
        ),
    )


def test_a_claim_that_agrees_is_no_problem() -> None:
    made = board(bundle("ours", "#.", claims=claims(dataset_score="50.0")))
    assert entry_problems(entry_of(made, "ours")) == ()


def test_a_claim_about_a_gap_can_t_be_checked() -> None:
    made = board(bundle("ours", "v.", claims=claims(case_score="50.0")))
    entry = entry_of(made, "ours")
    (problem,) = entry_problems(entry)
    assert (problem.code, problem.severity, problem.line) == ("CLAIM-UNCHECKED", "warning", 12)
    assert problem.what.startswith("Case Score: 50.0 claimed, but it can't be recomputed: ")
    assert entry.scores["case_score"].claim == Claim(Decimal("50.0"), None, 12)


def test_what_a_source_prints_about_a_gap_is_no_problem() -> None:
    """Readers see what it printed, and a dash."""
    made = board(bundle("ours", "v.", claims=claims(case_score="50.0", source="A paper")))
    assert entry_problems(entry_of(made, "ours")) == ()


def test_a_missing_record_is_not_told_again_as_a_wrong_claim() -> None:
    made = board(bundle("ours", "# ", claims=claims(dataset_score="100.0")))
    assert entry_problems(entry_of(made, "ours")) == ()


def test_where_one_claim_is_shown_it_is_the_submission_s_own() -> None:
    ours = bundle("ours", "#.", claims=claims(dataset_score="50.0"))
    made = board(ours, tables=[table(row("ours", "51.0"))])
    score = entry_of(made, "ours").scores["dataset_score"]
    assert [claim.source for claim in score.claims] == [None, "A paper"]
    assert score.claim == score.claims[0]
    assert score.disputed == (Claim(Decimal("51.0"), "A paper", tasks=1),)


def test_a_reported_row_of_an_agent_with_results_is_a_claim_with_its_source() -> None:
    made = board(bundle("ours", "#."), tables=[table(row("ours", "50.4"))])
    assert [entry.id for entry in made.entries] == ["ours"]
    (problem,) = entry_problems(entry_of(made, "ours"))
    assert (problem.code, problem.severity, problem.line) == ("CLAIM-SOURCE-DIFFERS", "warning", None)
    assert problem.what == "Dataset Score: 50.4 claimed, 50.00 recomputed; the claim's source is A paper"


def test_a_reported_row_of_another_agent_is_a_row() -> None:
    made = board(bundle("ours", "#."), tables=[table(row("theirs"))])
    theirs = entry_of(made, "theirs")
    assert (theirs.evidence, theirs.value("dataset_score"), theirs.bundle) == ("reported", 42, None)
    assert entry_problems(theirs) == ()


def test_a_reported_value_is_shown_as_printed() -> None:
    made = board(tables=[table(row("theirs", "42.00"))])
    assert entry_of(made, "theirs").scores["dataset_score"].text == "42.00"


def test_a_column_that_a_table_does_not_print_is_a_gap() -> None:
    made = board(on=track(columns=("dataset_score", "case_score")), tables=[table(row("theirs"))])
    score = entry_of(made, "theirs").scores["case_score"]
    assert (score.value, score.gap) == (None, "the source does not report it")


def test_agents_are_the_same_under_any_spelling() -> None:
    aliases = {"Ours (xhigh)": "Ours-1", "ours": "Ours-1"}
    made = board(bundle("ours", "#."), tables=[table(row("x", name="Ours (xhigh)"))], aliases=aliases)
    assert [entry.id for entry in made.entries] == ["ours"]
    assert entry_of(made, "ours").agent.name == "Ours-1"


def test_a_reported_agent_goes_by_its_one_name() -> None:
    made = board(tables=[table(row("x", name="Theirs (xhigh)"))], aliases={"Theirs (xhigh)": "Theirs"})
    assert entry_of(made, "x").agent.name == "Theirs"


@pytest.mark.parametrize("key", ["scaffold", "reasoning"])
@pytest.mark.parametrize(
    ("ours", "theirs", "is_same"),
    [("x", "x", True), ("x", "X", True), ("x", None, True), (None, "x", True), (None, None, True), ("x", "y", False)],
)
def test_agents_differ_by_scaffold_and_reasoning_where_both_name_one(
    key: str,
    ours: str | None,
    theirs: str | None,
    is_same: bool,  # noqa: FBT001 - a column of the table
) -> None:
    agent: dict[str, Any] = {"name": "Ours", key: ours}
    printed: dict[str, Any] = {"name": "Ours", key: theirs}
    made = board(bundle("ours", "#.", agent=agent), tables=[table(row("row", **printed))])
    assert [entry.id for entry in made.entries] == (["ours"] if is_same else ["ours", "row"])


def test_a_table_about_another_track_claims_nothing_here() -> None:
    made = board(bundle("ours", "#."), tables=[table(row("ours"), track="other")])
    assert entry_of(made, "ours").scores["dataset_score"].claims == ()


def test_a_row_belongs_to_every_bundle_of_its_agent() -> None:
    old = bundle("old", "#.", agent={"name": "Ours"}, status={"state": "superseded"})
    made = board(old, bundle("new", "##", agent={"name": "Ours"}), tables=[table(row("x", name="Ours"))])
    assert [len(entry.scores["dataset_score"].claims) for entry in made.all_entries] == [1, 1]


def test_a_withdrawn_bundle_keeps_its_row() -> None:
    gone = bundle("ours", "#.", status={"state": "withdrawn"})
    assert board(gone, tables=[table(row("ours"))]).entries == []


def test_evidence_is_complete_when_every_case_is_there() -> None:
    """A round in which no case ran has none to show."""
    open_round = records("a", "#n", outcomes="pppp")[:1]
    round_results = [*open_round, *records("a", " n")]
    made = board(bundle("open", found=round_results), bundle("counted", "##"), bundle("nothing", "xx"))
    assert {entry.id: entry.evidence for entry in made.entries} == {
        "open": "complete",
        "counted": "recomputed",
        "nothing": "recomputed",
    }


def test_coverage_counts_tasks_and_rounds_that_have_a_record() -> None:
    coverage = entry_of(board(bundle("ours", "# "), rounds=(2, 1)), "ours").coverage
    assert coverage
    assert (coverage.tasks, coverage.expected_tasks) == (1, 2)
    assert (coverage.rounds, coverage.expected_rounds) == (1, 3)
    assert coverage.rounds < coverage.expected_rounds


def test_a_table_with_the_headline_score_comes_before_a_later_one_without_it() -> None:
    april = table(row("april", "40.0", name="Acme"), title="April", date=date(2026, 4, 1))
    may = table(row("may", "41.0", name="Acme"), title="May", date=date(2026, 5, 1))
    without_headline = {"id": "june", "name": "Acme", "values": {"mean_reward": Decimal("0.5")}}
    june = table(without_headline, row("birch", name="Birch"), title="June", date=date(2026, 6, 1))
    lines = chosen_lines([april, june, may], [], "dataset_score", str)
    assert [line.row.id for line in lines] == ["birch", "may"]
    assert [other_line.row.id for other_line in lines[1].others] == ["april", "june"]
