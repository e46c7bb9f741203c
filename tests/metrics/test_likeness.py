"""How alike two submissions' results are, beyond what any two share."""

import numpy as np
import pytest
from kit.result_grids import sheet, task

from sitegen.metrics.likeness import close_pairs, equal_lines, middle_and_spread, outcome_table, surprise
from sitegen.metrics.results import arrange_results
from sitegen.models.outcome import RoundResult

HALF, MOST = 0.5, 0.75


def shares(*lines: str) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Give a table: a digit is a share in tenths, # a round passed in full, . a round without a record."""
    marks = {"#": 1.0, ".": -1.0, **{str(digit): digit / 10 for digit in range(10)}}
    return np.array([[marks[mark] for mark in line] for line in lines])


def test_a_table_holds_the_share_of_cases_of_every_round_and_attempt() -> None:
    made = sheet(["#+", ".#"], attempts=3)
    (line,) = outcome_table([made], [task("a", 2)], 3)
    assert line.tolist() == [1, MOST, 0, 1, -1, -1]


def test_a_round_that_counts_no_more_has_no_place_among_the_others() -> None:
    (line,) = outcome_table([sheet("#!+")], [task("a", 3)], 1)
    assert line.tolist() == [1, -1, MOST]


def test_verdicts_without_cases_are_no_shares() -> None:
    made = [RoundResult("a", 1, 1, "scored", 1), RoundResult("a", 1, 2, "scored", 0)]
    (line,) = outcome_table([arrange_results([task("a", 2)], made, (), 1, 1)], [task("a", 2)], 1)
    assert line.tolist() == [2, 3]


def test_equal_lines_are_found_together() -> None:
    assert equal_lines(shares("#1", "#2", "#1", "..", "#1")) == [[0, 2, 4]]


def test_what_everybody_does_surprises_nobody() -> None:
    everybody = shares(*["####5"] * 9)
    assert surprise(everybody, [0, 1]) < 1


def test_a_line_that_passed_everything_says_nothing_even_among_few() -> None:
    assert surprise(shares("#####", "#####"), [0, 1]) == 0


def test_what_nobody_else_does_surprises_in_every_round() -> None:
    table = shares("123456", "123456", "######", "654321", "000000", "#0#0#0")
    assert surprise(table, [0, 1]) > 6


def test_two_that_agree_on_their_failures_stand_out_from_pairs_that_do_not() -> None:
    table = shares("123456789123", "123456789129", "987654321987", "555555555555", "246824682468")
    (pair,) = close_pairs(table, least_shared=6, least_excess=HALF)
    assert (pair.first, pair.second, pair.shared, pair.same) == (0, 1, 12, 11)
    assert pair.expected < 4
    assert pair.pairs == 10
    assert pair.distance > 6


def test_agreement_where_all_agree_is_no_likeness() -> None:
    """One hard case that everybody fails: all have the same share, and no pair agrees more often than others."""
    assert list(close_pairs(shares(*["999999999999"] * 6), 6, HALF)) == []


def test_rounds_that_both_pass_in_full_or_not_at_all_do_not_count() -> None:
    assert list(close_pairs(shares("######000000", "######000000", "#0#0#0#0#0#0"), 1, 0)) == []


@pytest.mark.parametrize("lines", [(), ("123",)])
def test_there_are_no_pairs_of_one(lines: tuple[str, ...]) -> None:
    assert list(close_pairs(shares(*lines).reshape(len(lines), 3), 1, 0)) == []


def test_odd_values_do_not_move_what_is_usual() -> None:
    assert middle_and_spread([1, 2, 3, 4, 1000]) == pytest.approx((3, 1.4826))
    assert middle_and_spread([]) == (0, 0)
