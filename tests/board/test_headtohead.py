"""Every two rows of a board, and the file that says so."""

import gzip
import json
from dataclasses import replace
from decimal import Decimal
from itertools import combinations
from typing import Any

import pytest
from kit.boards import apart, beside, board, bundle, entry_of, everywhere, row, table, track
from kit.simulated_boards import simulated_boards

from sitegen.board.board import Board
from sitegen.board.comparison_file import EXCLUDED, MISSING, comparison_file, round_letters
from sitegen.board.inference.comparison import HeadToHead, ScoreDifference, compare_neighbours
from sitegen.importers.simulation import SimulationScale
from sitegen.metrics.metric import Metric
from sitegen.models.outcome import RoundResult
from sitegen.models.results import FailureLog

LIKELY = {"ahead": "likely ahead", "behind": "likely behind"}
SHOWN = {"ahead": "A", "behind": "B", "cannot tell": "C"}
TURNED = {"A": "B", "B": "A", "C": "C"}


@pytest.fixture(scope="module")
def boards() -> tuple[Board, ...]:
    return simulated_boards(SimulationScale(agents=6, attempts=2, seed=4))


def written(made: Board) -> Any:  # noqa: ANN401 - what a program reads
    """Give the file as a program reads it."""
    return json.loads(json.dumps(comparison_file(made), allow_nan=False))


def columns(boards: tuple[Board, ...]) -> list[tuple[Board, Metric]]:
    return [(made, metric) for made in boards for metric in made.columns]


def numbers(difference: ScoreDifference) -> tuple[float, float, float]:
    return difference.paired.value, difference.paired.interval.low, difference.paired.interval.high


def text(value: float | None, decimals: int) -> str:
    """Write a number as pages do; none is less than 0 by its sign alone."""
    return "" if value is None else f"{round(value, decimals) + 0:.{decimals}f}"


def said(made: Board, first: str, second: str) -> str:
    """Give the letter of two rows."""
    return HeadToHead(made).headline_outcome(entry_of(made, first), entry_of(made, second))


def test_every_pair_says_what_its_comparison_says(boards: tuple[Board, ...]) -> None:
    for made in boards:
        head_to_head = HeadToHead(made)
        for first, second in head_to_head.pairs:
            alone = beside(made, first, second)
            outcome_word = head_to_head.headline_outcome(first, second).word
            assert LIKELY.get(alone.alone.order, "cannot tell") == (
                "cannot tell" if outcome_word == "tie" else outcome_word
            )
            assert head_to_head.board_outcome(first, second) == SHOWN[alone.on_board]
            assert head_to_head.rounds(first, second) == alone.rounds


def test_the_file_says_of_all_pairs_at_once_what_the_ranks_say(boards: tuple[Board, ...]) -> None:
    for made in boards:
        ranked = [entry for entry in made.entries if entry.id in made.ranks]
        file = written(made)
        pairs = combinations([row["id"] for row in file["rows"]], 2)
        letters = dict(zip(pairs, file["pairs"]["on_board"], strict=True))
        for entry in ranked:
            outcome_letters = [letter for pair, letter in letters.items() if pair[0] == entry.id]
            outcome_letters += [TURNED[letter] for pair, letter in letters.items() if pair[1] == entry.id]
            assert made.inference.ranks[entry.id] == (
                1 + outcome_letters.count("B"),
                len(ranked) - outcome_letters.count("A"),
            )


def test_every_pair_lies_as_far_apart_as_its_comparison_says(boards: tuple[Board, ...]) -> None:
    for made, metric in columns(boards):
        differences = HeadToHead(made).differences[metric.id]
        for (first, second), difference in differences.items():
            alone = apart(made, entry_of(made, first), entry_of(made, second), metric=metric.id)
            assert numbers(difference) == pytest.approx(numbers(alone), abs=1e-8)
        scored = sum(entry.value(metric.id) is not None for entry in made.all_entries)
        assert len(differences) == scored * (scored - 1) / 2


def test_a_file_holds_the_numbers_as_pages_show_them(boards: tuple[Board, ...]) -> None:
    for made, metric in columns(boards):
        lists = written(made)["pairs"]["differences"][metric.id]
        head_to_head = HeadToHead(made)
        for index, (first, second) in enumerate(head_to_head.pairs):
            difference = head_to_head.differences[metric.id].get((first.id, second.id))
            exact = numbers(difference) if difference else (None,) * 3
            shown = (lists[name][index] for name in ("value", "low", "high"))
            assert [text(figure, metric.decimals) for figure in shown] == [
                text(figure, metric.decimals) for figure in exact
            ]


def test_a_p_value_is_rounded_as_pages_round_it(boards: tuple[Board, ...]) -> None:
    for made in boards:
        differences = HeadToHead(made).differences[made.headline.id].values()
        lists = written(made)["pairs"]["differences"][made.headline.id]
        shown = [p for p in lists["p"] if p is not None]
        assert [f"{p:.3f}" for p in shown] == [f"{difference.paired.p:.3f}" for difference in differences]
        assert min(shown) > 0
        assert [tasks for p, tasks in zip(lists["p"], lists["tasks"], strict=True) if p is not None] == [
            difference.paired.needed_tasks for difference in differences
        ]


def test_no_test_is_made_over_rounds(boards: tuple[Board, ...]) -> None:
    """Those of a task hang together."""
    for made in boards:
        assert written(made)["pairs"]["rounds"].keys() == {"both", "only_first", "only_second", "neither"}


def test_the_better_row_goes_first_also_one_that_does_not_stand() -> None:
    gone = bundle("gone", "##", status={"state": "withdrawn"})
    made = board(bundle("a", "##"), gone, bundle("b", "#."), bundle("c", ".."))
    assert [entry.id for entry in HeadToHead(made).rows] == ["a", "gone", "b", "c"]
    assert [row["status"] for row in written(made)["rows"]].count("withdrawn") == 1


def test_equal_scores_tie() -> None:
    made = board(bundle("one", "#.", "##"), bundle("two", ".#", "##"), rounds=(2, 2))
    assert said(made, "one", "two") == "t"


def test_printed_counts_are_told_apart_over_all_pairs_of_the_board() -> None:
    figures = [("a", "90.0"), ("b", "75.0"), ("c", "50.0"), ("d", "50.0")]
    rows = [{"id": name, "values": {"solved": {"value": Decimal(value), "n": 40}}} for name, value in figures]
    made = board(tables=[table(*rows)], on=track(headline="solved", columns=("solved",)))
    assert [said(made, *pair) for pair in ("ac", "ca", "ab", "cd")] == ["A", "B", "C", "t"]
    assert written(made)["pairs"]["on_board"] == "CAACCC"
    assert set(written(made)["pairs"]["differences"]["solved"]["standing"]) == {"r"}


def test_a_pair_without_a_difference_says_why() -> None:
    made = board(bundle("here", "##", "#."), tables=[table(row("printed", "10.0"))], rounds=(2, 2))
    assert said(made, "here", "printed") == "r"
    alone = board(bundle("one", "##"), bundle("two", "#."))
    assert said(alone, "one", "two") == "o"
    versions = (bundle(name, found=everywhere("##", measures={f"erosion@{name}": 0.5})) for name in ("v1", "v2"))
    by_version = board(*versions, on=track(headline="erosion"), rounds=(2, 2))
    assert said(by_version, "v1", "v2") == "v"
    timed, other_bundle = (
        bundle("timed", found=everywhere("##", agent_seconds=9)),
        bundle("other", found=everywhere("##")),
    )
    half = board(timed, other_bundle, on=track(headline="minutes_per_round"), rounds=(2, 2))
    assert said(half, "timed", "other") == "g"


def test_each_ranked_row_is_held_against_the_next_one() -> None:
    """The first is better on all of six tasks, the second on one."""
    gone = bundle("gone", "##", status={"state": "withdrawn"})
    rows = (bundle("a", *["##"] * 6), bundle("b", *["#."] * 6), bundle("c", "..", *["#."] * 5))
    made = board(*rows, gone, rounds=(2,) * 6)
    comparisons = compare_neighbours(made)
    assert {name: comparison.outcome for name, comparison in comparisons.items()} == {"a": "A", "b": "c"}
    assert comparisons["a"].difference == HeadToHead(made).differences["dataset_score"]["a", "b"]


def test_the_letters_of_rounds_follow_their_states() -> None:
    made = board(bundle("all", "#+.nx", "->! v"), rounds=(5, 5))
    assert round_letters(made, made.entries[0], 1) == "pffnauwxmp"


def test_letters_and_counts_agree(boards: tuple[Board, ...]) -> None:
    """Rounds that only one of two passes are the same ones that are counted."""
    for made in boards:
        file = written(made)
        for index, (first, second) in enumerate(combinations(file["rows"], 2)):
            level = min(len(first["rounds"]), len(second["rounds"])) - 1
            rounds = zip(first["rounds"][level], second["rounds"][level], strict=True)
            counted_pairs = [pair for pair in rounds if not set(pair) & {MISSING, EXCLUDED}]
            only = [
                sum(letter == "p" != other_letter for letter, other_letter in counted_pairs),
                sum(other_letter == "p" != letter for letter, other_letter in counted_pairs),
            ]
            assert only == [file["pairs"]["rounds"][name][index] for name in ("only_first", "only_second")]


def test_a_row_that_made_more_attempts_is_looked_at_on_fewer_too() -> None:
    """The second attempt passes what the first does not."""
    round_results = [*everywhere(".."), *everywhere("##", attempt=2)]
    on = track(protocol="fail-stop", headline="mt_at_k", columns=("mt_at_k",), attempts=2)
    made = board(bundle("many", found=round_results), bundle("few", "..", "..", attempts=1), on=on, rounds=(2, 2))
    rows = {row["id"]: row["rounds"] for row in written(made)["rows"]}
    assert written(made)["attempts"] == [1, 2]
    assert rows == {"many": ["ffff", "pppp"], "few": ["ffff"]}


def test_a_round_passed_after_a_failed_one_is_lost_on_a_fail_stop_track() -> None:
    on = track(protocol="fail-stop", headline="mt_at_k", columns=("mt_at_k",))
    made = board(bundle("late", "#.#", "###"), on=on, rounds=(3, 3))
    assert round_letters(made, made.entries[0], 1) == "pfkppp"


def test_an_empty_board_has_an_empty_file() -> None:
    assert written(board())["pairs"]["standing"] == ""


def test_the_file_of_a_small_board_stays_small() -> None:
    made, _ = simulated_boards(SimulationScale(agents=13, tasks=26, seed=1))
    assert len(gzip.compress(json.dumps(comparison_file(made)).encode())) < 60_000


def test_what_tasks_add_is_the_difference_of_the_scores(boards: tuple[Board, ...]) -> None:
    """Of each pair, by a headline that is a mean over tasks."""
    for made in boards:
        head_to_head, points = HeadToHead(made), {row["id"]: row["points"] for row in written(made)["rows"]}
        assert all(points.values()) == (made.headline.task_weighting is None)
        for first, second in head_to_head.pairs if any(points.values()) else ():
            added = sum(
                first_share - second_share
                for first_share, second_share in zip(points[first.id], points[second.id], strict=True)
            )
            apart = head_to_head.differences[made.headline.id][first.id, second.id].paired.value
            assert added == pytest.approx(apart, abs=1e-9)
            assert sum(points[first.id]) == pytest.approx(first.value(made.headline.id), abs=1e-9)


def test_a_round_that_one_case_failed_is_named_where_one_attempt_counts() -> None:
    round_results = [
        RoundResult("a", 1, 1, "scored", 0, passed=3, total=4),
        RoundResult("a", 1, 2, "scored", 0, passed=2, total=4, skipped=1),
    ]
    text = b'{"task":"a","attempt":1,"round":2,"case":"c4","intent":"It adds","reason":"%s"}' % (b"too " * 99)
    explained_bundle = replace(bundle("a", found=round_results), failures=FailureLog({"a": text}))
    made = board(explained_bundle, bundle("b", "##"))
    rows = {row["id"]: row["single"] for row in written(made)["rows"]}
    (unnamed, named) = rows["a"]
    assert (unnamed, rows["b"]) == ([0, 4, None, None], [])
    assert named[:3] == [1, 3, "It adds"]
    assert named[3].endswith("too …")
    assert len(named[3]) <= 140


def test_where_several_attempts_decide_a_round_no_single_case_does(boards: tuple[Board, ...]) -> None:
    for made in boards:
        has_single_case = any(row["single"] for row in written(made)["rows"])
        assert has_single_case == (made.verdicts.rule != "kept")
