"""Which rows are shown to be better than which others, on boards small enough to know the answer."""

import tomllib
from collections.abc import Sequence
from hashlib import sha256
from itertools import permutations, product
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.metrics.rank_tests import (
    SIGN_DRAWS,
    BetterRelation,
    combine_relations,
    rank_sets,
    shown_better,
    shown_better_by_counts,
)

PAPER = Path(__file__).parents[2] / "results" / "roadmapbench" / "reported" / "2026-05-paper.toml"

Table = list[list[int]]
"""Points of each row at each task."""


def names(count: int) -> list[str]:
    return [f"task-{number}" for number in range(count)]


def better(rows: Sequence[Sequence[float]]) -> BetterRelation:
    return shown_better(np.array(rows, dtype=np.float64), names(len(rows[0])))


def pairs(relation: BetterRelation) -> set[tuple[int, int]]:
    """The pairs of which the first row is shown to be better."""
    return {(int(first), int(second)) for first, second in zip(*np.nonzero(relation), strict=True)}


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Make up boards; many have rows or tasks that are alike, and some have rows that are far apart."""
    rows, tasks = draw(st.integers(1, 7)), draw(st.integers(1, 14))
    levels = [draw(st.integers(0, 6)) for _ in range(rows)]
    row = st.lists(st.integers(0, 4), min_size=tasks, max_size=tasks)
    return [[level + point for point in draw(row)] for level in levels]


def test_a_row_that_is_better_at_every_task_is_shown_to_be_better() -> None:
    """Of two rows that are equally good, one is ahead at all ten tasks on 2 of 1,024 boards."""
    assert pairs(better([[1] * 10, [0] * 10])) == {(0, 1)}


def test_five_tasks_show_nothing() -> None:
    """That all of five signs agree is seen on 2 of 32 boards, more than 5 %."""
    assert pairs(better([[1] * 5, [0] * 5])) == set()


def test_six_tasks_can_show_a_pair() -> None:
    """2 of 64 boards."""
    assert pairs(better([[1] * 6, [0] * 6])) == {(0, 1)}


def test_of_many_rows_fewer_are_shown_than_of_two() -> None:
    """Ahead at 16 of 20 tasks is rare of one pair, and common of some pair among 300."""
    ahead = [[1] * 16 + [0] * 4, [0] * 16 + [1] * 4]
    other_rows = [[(number >> (task % 5)) & 1 for task in range(20)] for number in range(23)]
    assert (0, 1) in pairs(better(ahead))
    assert (0, 1) not in pairs(better([*ahead, *other_rows]))


@pytest.mark.parametrize("tasks", [6, 8, 9])
def test_two_rows_are_told_apart_as_all_flips_of_the_signs_would_tell_them(tasks: int) -> None:
    """The draws stand for all 2 ** n ways; ways on the bound itself are not beyond it."""
    apart = [3.0, 2.0, 2.0, 1.0, 1.0, 1.0, 0.0, -1.0, 4.0][:tasks]
    totals = sorted(abs(float(np.dot(signs, apart))) for signs in product((1, -1), repeat=tasks))
    bound = totals[int(np.ceil(0.95 * (len(totals) - 1)))]
    assert pairs(better([apart, [0.0] * tasks])) == ({(0, 1)} if sum(apart) > bound else set())


def test_pairs_that_are_shown_make_room_for_others() -> None:
    """Two rows far below move the bound so far up that nothing else reaches it, until they are shown themselves."""
    ahead = [[1] * 16 + [0] * 4, [0] * 16 + [1] * 4]
    below = [[point - 200 for point in row] for row in ahead]
    assert pairs(better(ahead)) == {(0, 1)}
    assert pairs(better([*ahead, *below])) == {(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)}


@given(tables())
def test_no_two_rows_are_better_than_each_other(rows: Table) -> None:
    relation = better(rows)
    assert not (relation & relation.T).any()
    assert not relation.diagonal().any()


@given(tables())
def test_who_is_better_has_the_higher_score(rows: Table) -> None:
    assert all(sum(rows[first]) > sum(rows[second]) for first, second in pairs(better(rows)))


@given(tables())
def test_rows_that_are_alike_stand_alike(rows: Table) -> None:
    relation = better([*rows, rows[0]])
    assert not relation[0, -1]
    assert not relation[-1, 0]
    assert relation[0].tolist() == relation[-1].tolist()
    assert relation[:, 0].tolist() == relation[:, -1].tolist()


@given(tables(), st.integers(-1000, 1000))
def test_what_all_have_more_of_changes_nothing(rows: Table, more: int) -> None:
    assert pairs(better([[point + more for point in row] for row in rows])) == pairs(better(rows))


@given(tables(), st.lists(st.integers(-50, 50), min_size=14, max_size=14))
def test_tasks_that_are_harder_for_all_change_nothing(rows: Table, hardness: list[int]) -> None:
    harder = [[point - deduction for point, deduction in zip(row, hardness, strict=False)] for row in rows]
    assert pairs(better(harder)) == pairs(better(rows))


@given(tables(), st.sampled_from([0.001, 0.5, 100.0]))
def test_the_unit_changes_nothing(rows: Table, unit: float) -> None:
    assert pairs(better([[unit * point for point in row] for row in rows])) == pairs(better(rows))


@given(tables())
def test_where_less_is_better_the_relation_is_turned_round(rows: Table) -> None:
    assert better([[-point for point in row] for row in rows]).tolist() == better(rows).T.tolist()


@given(tables(), st.randoms())
def test_the_order_of_the_rows_does_not_matter(rows: Table, random: Random) -> None:
    row_order = list(range(len(rows)))
    random.shuffle(row_order)
    relation = better([rows[row_index] for row_index in row_order])
    assert relation.tolist() == better(rows)[np.ix_(row_order, row_order)].tolist()


@given(tables())
def test_the_ranks_of_a_row_hold_its_rank_by_score(rows: Table) -> None:
    scores = [sum(row) for row in rows]
    for score, (first, last) in zip(scores, rank_sets(better(rows)), strict=True):
        assert first <= 1 + sum(other_score > score for other_score in scores)
        assert last >= len(rows) - sum(compared_score < score for compared_score in scores)


@given(tables())
def test_the_same_results_give_the_same_bytes(rows: Table) -> None:
    assert better(rows).tobytes() == better(rows).tobytes()


def test_more_pairs_than_are_looked_at_together_are_all_found() -> None:
    """With 60 rows the pairs are 1,770, and 250 of them are held at once."""
    rows = [[100.0 * level + task % 3 for task in range(30)] for level in range(60)]
    assert rank_sets(better(rows)) == [(60 - level, 60 - level) for level in range(60)]


def test_boards_of_many_rows_are_told_apart_with_fewer_draws() -> None:
    rows = [[float(row >= 150)] * 12 for row in range(301)]
    assert set(rank_sets(better(rows))) == {(1, 151), (152, 301)}


@pytest.mark.parametrize("rows", [[], [[1.0, 0.0]], [[1.0, 0.0]] * 3, [[0.0], [1.0]]])
def test_too_little_shows_nothing(rows: list[list[float]]) -> None:
    """No row, one, three alike, and two on one task."""
    count, tasks = len(rows), len(rows[0]) if rows else 0
    relation = shown_better(np.array(rows, dtype=np.float64).reshape(count, tasks), names(tasks))
    assert relation.tolist() == [[False] * count] * count
    assert rank_sets(relation) == [(1, count)] * count


def printed_counts() -> list[tuple[int, int]]:
    rows = [row["values"]["resolved"] for row in tomllib.loads(PAPER.read_text(encoding="utf-8"))["rows"]]
    return [(round(row["value"] / 100 * row["n"]), row["n"]) for row in rows]


def test_of_the_pairs_of_a_printed_board_62_are_told_apart() -> None:
    """RoadmapBench: 24 rows, 276 pairs, each k of 115 tasks."""
    relation = shown_better_by_counts(printed_counts())
    assert len(relation) == 24
    assert int(relation.sum()) == 62
    assert not (relation & relation.T).any()


def test_counts_of_the_best_row_are_better_than_those_of_the_worst() -> None:
    """45 against 2 of 115."""
    counts = printed_counts()
    ks = [k for k, _ in counts]
    relation = shown_better_by_counts(counts)
    assert relation[ks.index(max(ks)), ks.index(min(ks))]


@pytest.mark.parametrize(("k", "shown"), [(58, False), (63, False), (64, True)])
def test_two_counts_are_told_apart_by_the_usual_test_of_two_shares(k: int, shown: bool) -> None:  # noqa: FBT001
    """Of 2 rows the bound is 1.96: 64 against 50 of 100 lie 2.00 standard errors apart, 63 against 50 1.85."""
    assert shown_better_by_counts([(k, 100), (50, 100)]).tolist() == [[False, shown], [False, False]]


@pytest.mark.parametrize("counts", [[], [(3, 5)], [(0, 9), (0, 9), (0, 7)], [(9, 9), (7, 7)], [(2, 4), (4, 8)]])
def test_counts_of_the_same_share_show_nothing(counts: list[tuple[int, int]]) -> None:
    assert not shown_better_by_counts(counts).any()


@given(st.lists(st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=2, max_size=6))
def test_counting_what_is_lacking_turns_the_relation_round(counts: list[tuple[int, int]]) -> None:
    turned = shown_better_by_counts([(n - k, n) for k, n in counts])
    assert turned.tolist() == shown_better_by_counts(counts).T.tolist()


def test_rows_of_different_kinds_are_not_related() -> None:
    """Of five rows the first and the fourth are of one kind, the second and the fifth of another, the third of none."""
    ahead = np.array([[False, True], [False, False]])
    relation = combine_relations(5, [((0, 3), ahead), ((1, 4), ahead.T)])
    assert pairs(relation) == {(0, 3), (4, 1)}


def test_a_rank_is_below_all_that_are_better_and_above_all_that_are_worse() -> None:
    """The first is better than the third and the fourth, the second than the fourth."""
    relation = np.zeros((4, 4), dtype=np.bool_)
    relation[0, 2] = relation[0, 3] = relation[1, 3] = True
    assert rank_sets(relation) == [(1, 2), (1, 3), (2, 4), (3, 4)]


def by_the_words(rows: Sequence[Sequence[float]]) -> set[tuple[int, int]]:
    """What the definition says, written out pair by pair."""
    seed = int.from_bytes(sha256("\n".join(names(len(rows[0]))).encode()).digest()[:8])
    raw = np.random.PCG64(seed).random_raw(len(rows[0]) * SIGN_DRAWS).reshape(len(rows[0]), SIGN_DRAWS)
    apart = {pair: np.subtract(rows[pair[0]], rows[pair[1]]) for pair in permutations(range(len(rows)), 2)}
    usual = np.mean([np.sum(differences**2) for differences in apart.values()])
    scaled = {
        pair: pair_differences / np.sqrt(np.sum(pair_differences**2) + usual / 2)
        for pair, pair_differences in apart.items()
    }
    flipped = {pair: scaled_differences @ np.where(raw >= 2**63, 1, -1) for pair, scaled_differences in scaled.items()}
    shown: set[tuple[int, int]] = set()
    while undecided_pairs := {pair for pair in apart if pair not in shown and pair[::-1] not in shown}:
        reached = sorted(np.max([flipped[pair] for pair in undecided_pairs], axis=0))
        bound = reached[int(np.ceil(0.95 * (SIGN_DRAWS - 1)))]
        new_pairs = {pair for pair in undecided_pairs if np.sum(scaled[pair]) > bound * 1.00001}
        if not new_pairs:
            break
        shown |= new_pairs
    return shown


def test_what_is_shown_is_what_the_words_say() -> None:
    dice = np.random.default_rng(7)
    counts = set()
    for _ in range(60):
        rows = dice.normal(size=(dice.integers(2, 6), dice.integers(6, 13)))
        rows += dice.uniform(0, 2.5, size=(len(rows), 1))
        shown_pairs = pairs(better(rows.tolist()))
        assert shown_pairs == by_the_words(rows.tolist())
        counts.add(len(shown_pairs))
    assert len(counts) > 4, "boards of many kinds"


def test_a_relation_says_yes_or_no() -> None:
    for relation in (better([[1] * 6]), shown_better_by_counts([(1, 2)]), combine_relations(2, [])):
        assert relation.dtype == np.bool_
