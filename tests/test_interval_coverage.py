"""The measurement of what the site says of certainty, on boards small enough to know the answer."""

from math import sqrt

import numpy as np
import pytest
from interval_coverage import (
    BOUNDS,
    FIELDS,
    HEADS,
    SETTINGS,
    Bound,
    Result,
    cells,
    equivalent,
    looked_at,
    ranks_held,
    told_apart,
)
from known_boards import EQUAL, LIKE_REAL, NEAR, PAIRS, REAL, Agents, ability, simulated

PLACE = {(setting.kind, setting.tasks, setting.rows): index for index, setting in enumerate(SETTINGS)}
FEW = PLACE[EQUAL, 10, 5]


def result(setting_index: int, *boards: list[float]) -> Result:
    return Result(SETTINGS[setting_index], len(boards), np.array(boards), 1.0)


def field(name: str, *values: float) -> list[list[float]]:
    """What was found of boards, where one field matters."""
    return [[value if field == name else np.nan for field in FIELDS] for value in values]


@pytest.mark.parametrize(("score", "own_spread"), [(1.0, 2.1), (30.0, 0.5), (59.7, 4.0)])
def test_agents_score_what_they_are_made_to_score(score: float, own_spread: float) -> None:
    scores = simulated(Agents(np.array([score]), np.array([own_spread])), 40_000, np.random.default_rng(1))
    assert scores.mean() == pytest.approx(score, abs=0.6)
    assert ability(score, own_spread) < ability(score + 1, own_spread)


def test_a_board_like_the_real_one_has_its_scores() -> None:
    agents = LIKE_REAL.agents(13, 0)
    assert tuple(agents.scores) == REAL
    assert simulated(agents, 25, np.random.default_rng(1)).shape == (13, 25)


def test_the_same_board_is_the_same_on_every_run() -> None:
    assert looked_at(FEW, 3) == pytest.approx(looked_at(FEW, 3), nan_ok=True)


@pytest.mark.parametrize(
    ("setting_index", "silent"),
    [
        (FEW, {"lower", "equivalent"}),
        (PLACE[NEAR, 10, 13], {"paired"}),
        (PLACE[PAIRS[0], 25, 2], {"equivalent"}),
    ],
)
def test_a_board_tells_nothing_of_what_it_does_not_have(setting_index: int, silent: set[str]) -> None:
    """Equals have no lower half, and only of equals and of pairs made for it is it counted who is told apart alone."""
    assert {name for name, value in zip(FIELDS, looked_at(setting_index, 0), strict=True) if np.isnan(value)} == silent


def test_a_rank_set_holds_where_it_holds_all_ranks_that_the_truth_allows() -> None:
    """The first is rightly shown to be better than the third; of the second, its equal, that is wrong."""
    truth = np.array([20.0, 20.0, 10.0])
    right = np.zeros((3, 3), dtype=np.bool_)
    right[0, 2] = True
    wrong = right.copy()
    wrong[0, 1] = True
    assert list(ranks_held(right, truth)) == pytest.approx([1, (2 + 3 + 2) / 3])
    assert list(ranks_held(wrong, truth)) == pytest.approx([1 / 3, (1 + 2 + 2) / 3])


def test_pairs_are_taken_so_that_each_row_is_in_one() -> None:
    """The first two lie 60 points apart at every task, the next two nowhere, and the fifth has no other."""
    scores = np.array([[90.0] * 8, [30.0] * 8, [50.0] * 8, [50.0] * 8, [0.0] * 8])
    assert told_apart(scores) == 0.5


def test_pairs_that_are_equivalent_lie_within_a_margin_of_either() -> None:
    """50 and 51 are the same within 2 points; 1 and 2 lie apart by half of 2 and more than half of 1."""
    scores = np.array([[50.0, 50, 50, 50], [51, 51, 51, 51], [1, 1, 1, 1], [2, 2, 2, 2]])
    assert equivalent(scores) == (2 + 1) / 12


@pytest.mark.parametrize(("share", "is_broken"), [(0.06, False), (0.0825, False), (0.09, True)])
def test_a_bound_is_broken_beyond_two_standard_errors(share: float, is_broken: bool) -> None:  # noqa: FBT001
    """Of 400 boards 6 % is uncertain by 1.2 points, and 9 % by 1.4."""
    separated = round(400 * share)
    board_result = result(FEW, *field("apart", *[1.0] * separated, *[0.0] * (400 - separated)))
    assert board_result.error("apart") == pytest.approx(sqrt(share * (1 - share) / 400), rel=0.02)
    assert any(bound.broken(board_result) for bound in BOUNDS) == is_broken


def test_what_has_to_be_at_least_as_much_is_broken_by_less() -> None:
    least = Bound("ranks", lambda _: 0.945, is_least=True)
    assert least.broken(result(FEW, *field("ranks", 1.0, 1.0))) is None
    assert least.broken(result(FEW, *field("ranks", 0.9, 0.9))) == (
        "equal, 10 tasks, 5 rows: ranks is 0.9, not at least 0.945"
    )


def test_boards_that_are_not_like_the_real_one_have_no_bound_on_their_width() -> None:
    (width,) = (bound for bound in BOUNDS if bound.field == "width")
    assert width.broken(result(FEW, *field("width", 13.0, 13.0))) is None
    wide = result(PLACE[LIKE_REAL, 115, 13], *field("width", 9.2, 9.2))
    assert width.broken(wide) == "like the real board, 115 tasks, 13 rows: width is 9.2, not at most 9.085"


def test_a_line_of_the_table_has_a_cell_for_each_head() -> None:
    row_cells = list(cells(result(FEW, looked_at(FEW, 0), looked_at(FEW, 1))))
    assert len(row_cells) == len(HEADS)
    assert row_cells[:4] == ["equal", "10", "5", "2"]
    assert row_cells[8] == "–"
