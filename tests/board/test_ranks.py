"""Who stands where on a board, and why."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.boards import board, bundle, entry_of, row, table, track
from kit.result_grids import records, task

from sitegen.metrics.results import arrange_results
from sitegen.models.outcome import RunFigures
from sitegen.models.results import Bundle


def test_the_best_stands_first() -> None:
    made = board(bundle("half", "#."), bundle("all", "##"), bundle("none", ".."))
    assert made.ranks == {"all": 1, "half": 2, "none": 3}
    assert [entry.id for entry in made.entries] == ["all", "half", "none"]


def test_equal_scores_share_a_rank_and_the_next_is_left_out() -> None:
    made = board(bundle("c", "#."), bundle("a", ".#"), bundle("b", "##"), bundle("d", ".."))
    assert made.ranks == {"b": 1, "a": 2, "c": 2, "d": 4}


def test_equal_scores_stand_in_the_order_of_their_names() -> None:
    assert [entry.id for entry in board(bundle("c", "#."), bundle("a", ".#")).entries] == ["a", "c"]


def test_sums_that_differ_in_their_last_digit_are_equal() -> None:
    """0.1 + 0.2 + 0.3 is not 0.3 + 0.2 + 0.1 to a computer, in thirds of a case."""
    shares = [(1, 10), (2, 10), (3, 10), (7, 10)]

    def cases(name: str, order: list[tuple[int, int]]) -> Bundle:
        round_results = [
            record
            for number, (passed, total) in enumerate(order, start=1)
            for record in records("a", " " * (number - 1) + "+", passed=passed, total=total)
        ]
        return bundle(name, found=round_results)

    on = track(headline="case_score")
    made = board(*(cases(name, order) for name, order in (("x", shares), ("y", shares[::-1]))), on=on, rounds=(4,))
    assert made.ranks == {"x": 1, "y": 1}


def test_less_is_better_where_the_metric_says_so() -> None:
    slow, fast = (records("a", "##", interactions=number) for number in (90, 30))
    made = board(bundle("slow", found=slow), bundle("fast", found=fast), on=track(headline="avg_rounds"))
    assert made.ranks == {"fast": 1, "slow": 2}


@pytest.mark.parametrize("headline", ["case_score", "avg_rounds"])
def test_a_gap_stands_last_and_has_no_rank(headline: str) -> None:
    counted = records("a", "..", interactions=5)
    made = board(bundle("a-gap", "vv"), bundle("z-low", found=counted), on=track(headline=headline))
    assert [entry.id for entry in made.entries] == ["z-low", "a-gap"]
    assert made.ranks == {"z-low": 1}


@pytest.mark.parametrize("state", ["superseded", "withdrawn"])
def test_what_does_not_stand_has_no_rank_but_stays(state: str) -> None:
    made = board(bundle("old", "##", status={"state": state}), bundle("new", "#."))
    assert made.ranks == {"new": 1}
    assert [entry.id for entry in made.retired] == ["old"]
    assert entry_of(made, "old").value("dataset_score") == 100


def test_published_rows_have_an_order_of_their_own_behind_submissions() -> None:
    tables = [table(row("low", "42.0"), row("high", "99.0"))]
    made = board(bundle("ours", "#."), tables=tables)
    assert made.ranks == {"ours": 1}
    assert [entry.id for entry in made.entries] == ["ours", "high", "low"]
    assert board(tables=tables).ranks == {"high": 1, "low": 2}


def test_scores_never_mix_across_tracks() -> None:
    made = board(bundle("here", "#."), bundle("elsewhere", "##", track="other"))
    assert made.ranks == {"here": 1}


def test_measurements_by_two_definitions_have_no_ranks() -> None:
    first_records, two = (records("a", "##", measures={f"erosion@{version}": 0.5}) for version in (1, 2))
    made = board(bundle("one", found=first_records), bundle("two", found=two), on=track(headline="erosion"))
    assert made.ranks == {}
    assert entry_of(made, "one").scores["erosion"].version == "1"


def test_a_column_that_the_protocol_does_not_know_is_a_gap_with_a_reason() -> None:
    made = board(bundle("ours", "##"), on=track(columns=("dataset_score", "resolved")))
    score = entry_of(made, "ours").scores["resolved"]
    assert (score.value, score.gap, score.text) == (None, "not defined on chain tracks", "–")


def test_every_metric_that_protocol_and_data_allow_is_computed() -> None:
    """Not only the track's columns."""
    scores = entry_of(board(bundle("ours", "#+")), "ours").scores
    assert [name for name, score in scores.items() if score.value is not None] == [
        "dataset_score",
        "case_score",
        "perfect_tasks",
        "mean_reward",
        "strict",
        "partial",
        "solved",
    ]


def test_fewer_attempts_make_a_gap_of_what_needs_them_all() -> None:
    on = track(protocol="fail-stop", attempts=4, headline="mt_at_k", columns=("mt_at_k",))
    made = board(bundle("ours", "##", attempts=1), on=on)
    assert entry_of(made, "ours").scores["mt_at_k"].gap == "every task needs 4 attempts, but one task has 1"
    assert made.ranks == {}


def test_more_attempts_than_the_track_has_are_not_counted() -> None:
    """They are an error, which is told; the board is made of the first ones."""
    second = records("a", "##", attempt=2)
    made = board(bundle("ours", "#.", found=second, attempts=2))
    assert entry_of(made, "ours").value("dataset_score") == 50


def test_the_headline_is_the_first_column() -> None:
    made = board(on=track(columns=("case_score", "dataset_score", "perfect_tasks")))
    assert [metric.id for metric in made.columns] == ["dataset_score", "case_score", "perfect_tasks"]


def test_figures_of_runs_reach_the_board() -> None:
    ours = bundle("ours", "##")
    with_runs = Bundle(
        ours.id, ours.path, ours.submission, ours.rounds, (RunFigures("a", 1, interactions_per_round=7),)
    )
    assert entry_of(board(with_runs), "ours").value("avg_rounds") == 7


@given(st.lists(st.text("#.", min_size=2, max_size=2), min_size=1, max_size=6))
def test_ranks_follow_from_scores_whatever_the_order(marks: list[str]) -> None:
    bundles = [bundle(f"s{number}", marked) for number, marked in enumerate(marks)]
    made = board(*bundles)
    values = {entry.id: entry.value("dataset_score") or 0 for entry in made.entries}
    better = {name: sum(other_value > value for other_value in values.values()) for name, value in values.items()}
    assert made.ranks == {name: count + 1 for name, count in better.items()}
    assert board(*reversed(bundles)).ranks == made.ranks


def test_a_sheet_is_what_the_board_computes_from() -> None:
    ours = bundle("ours", "#.")
    sheet = arrange_results([task("a", 2)], ours.rounds, (), 1, 1)
    assert [grid.rewards.tolist() for grid in sheet.tasks] == [[[True, False]]]
