"""A printed figure is k of n only where it follows from the table that somebody counted."""

from decimal import Decimal

import pytest
from kit.boards import board, entry_of, table, track

from sitegen.board.score import Score


def printed(metric: str, value: str, n: int, attempts: int = 1) -> Score:
    """Print a figure in a table about a track, and give its score."""
    values = {metric: {"value": Decimal(value), "n": n}}
    on = track(attempts=attempts, headline=metric, columns=(metric,), protocol="once")
    return entry_of(board(on=on, tables=[table({"id": "theirs", "values": values})]), "theirs").scores[metric]


def test_a_share_of_tasks_with_one_attempt_is_k_of_n() -> None:
    assert printed("resolved", "58.4", 89).count_words == "52 of 89"


def test_a_mean_over_five_attempts_is_no_count_of_tasks() -> None:
    """58.4 is 260 of 445 attempts, and that 52 of 89 is 58.4 too is chance."""
    score = printed("resolved", "58.4", 89, attempts=5)
    assert (score.counted, score.count_words) == (None, "")


@pytest.mark.parametrize("metric", ["sr", "comp", "perfect_tasks"])
def test_what_is_counted_once_for_all_attempts_is_a_count(metric: str) -> None:
    value = "2" if metric == "perfect_tasks" else "50.0"
    assert printed(metric, value, 4, attempts=5).counted == (2, 4)


def test_a_figure_that_no_count_gives_was_not_counted() -> None:
    """52 of 89 is 58.43, 53 of 89 is 59.55."""
    assert printed("resolved", "58.9", 89).counted is None


def test_a_share_of_one_is_no_percentage() -> None:
    assert printed("completion", "0.584", 89).counted is None


def test_what_a_table_tells_of_n_is_said() -> None:
    extent = printed("resolved", "58.4", 89).extent
    assert extent is not None
    assert (extent.covered, extent.expected) == (89, 89)
