"""Two rows of a board head to head."""

from decimal import Decimal

import pytest
from kit.boards import apart, beside, board, bundle, entry_of, everywhere, row, table, track
from kit.result_grids import records
from kit.simulated_boards import simulated_boards

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.inference.comparison import HeadToHead, ScoreDifference, comparisons
from sitegen.importers.simulation import SimulationScale
from sitegen.metrics.likeness import RoundCounts


def pair(made: Board, first: str, second: str) -> tuple[str, RoundCounts | None]:
    """Say how the first stands to the second, and how the rounds went."""
    comparison = beside(made, entry_of(made, first), entry_of(made, second))
    return comparison.alone.order, comparison.rounds


def test_who_is_better_on_each_of_nine_tasks_is_ahead() -> None:
    best, worst = ["##", "#.", "##"] * 3, ["#.", "..", ".#"] * 3
    made = board(bundle("best", *best), bundle("rest", *worst), rounds=(2,) * 9)
    assert pair(made, "best", "rest") == ("ahead", RoundCounts(6, 9, 0, 3, "first"))
    assert pair(made, "rest", "best") == ("behind", RoundCounts(6, 0, 9, 3, "first"))
    paired_difference = apart(made, entry_of(made, "best"), entry_of(made, "rest"), metric="dataset_score").paired
    assert (paired_difference.value, paired_difference.p, paired_difference.needed_tasks) == (50, 2**-8, 6)


@pytest.mark.parametrize("headline", ["dataset_score", "avg_rounds"])
def test_who_is_better_on_both_of_two_tasks_is_not_told_from_the_other(headline: str) -> None:
    """Both signs agree in every second case, and the interval says so."""
    good, bad = (everywhere(marks, interactions=number) for marks, number in (("##", 30), ("..", 90)))
    made = board(bundle("good", found=good), bundle("bad", found=bad), on=track(headline=headline), rounds=(2, 2))
    assert pair(made, "good", "bad")[0] == "cannot tell"
    paired_difference = apart(made, *made.entries, metric=headline).paired
    assert (paired_difference.p, paired_difference.needed_tasks) == (0.5, 6)
    assert paired_difference.interval.low <= 0 <= paired_difference.interval.high


def test_who_is_better_on_some_tasks_may_not_be() -> None:
    made = board(bundle("first", "##", "#."), bundle("second", "..", "##"), rounds=(2, 2))
    assert pair(made, "first", "second")[0] == "cannot tell"


def test_equal_results_tell_nothing() -> None:
    """Two tasks alike leave a share of up to 84 % at which the two differ."""
    made = board(bundle("one", "#.", "##"), bundle("two", "#.", "##"), rounds=(2, 2))
    comparison = beside(made, *made.entries)
    assert comparison.difference
    paired = comparison.difference.paired
    assert (paired.value, paired.p, paired.needed_tasks) == (0, 1, None)
    assert (paired.interval.low, paired.interval.high) == pytest.approx((-84.19, 84.19), abs=0.01)
    assert (comparison.alone.order, comparison.on_board) == ("cannot tell", "cannot tell")


def test_a_difference_is_paired_task_by_task() -> None:
    """Both vary widely over six tasks, but are always half a task apart: of signs all alike that is told."""
    first, second = ["####", "##.."] * 3, ["##..", "...."] * 3
    made = board(bundle("first", *first), bundle("second", *second), rounds=(4,) * 6)
    paired = apart(made, *made.entries, metric="dataset_score").paired
    assert (paired.value, paired.p, paired.is_shown) == (50, 2**-5, True)
    assert 0 < paired.interval.low < 50 < paired.interval.high < 100


def test_the_interval_of_a_difference_is_student_s_at_the_end_towards_0() -> None:
    """Over four tasks 50, 0, 50 and 0: the mean is 25, its standard error 14.4, and t is 3.18."""
    made = board(bundle("first", "#.", "##", "##", "##"), bundle("second", "..", "##", "#.", "##"), rounds=(2,) * 4)
    paired = apart(made, *made.entries, metric="dataset_score").paired
    assert paired.interval.low == pytest.approx(25 - 3.1824 * 14.4338, abs=0.001)
    assert paired.interval.high > 25 + 3.1824 * 14.4338  # a task that was not seen may differ by all of the scale
    assert (paired.interval.kind, paired.is_shown) == ("t", False)


def test_less_is_ahead_where_the_metric_says_so() -> None:
    slow, fast = (
        [record for name in "abcdef" for record in records(name, "##", interactions=number)] for number in (90, 30)
    )
    on = track(headline="avg_rounds")
    made = board(bundle("slow", found=slow), bundle("fast", found=fast), on=on, rounds=(2,) * 6)
    comparison = beside(made, entry_of(made, "fast"), entry_of(made, "slow"))
    assert (comparison.alone.order, comparison.on_board) == ("ahead", "ahead")
    assert comparison.difference
    assert comparison.difference.paired.value == -60
    assert beside(made, entry_of(made, "slow"), entry_of(made, "fast")).alone.order == "behind"


def test_every_metric_that_both_have_results_for_is_compared() -> None:
    """Nobody knows what the second cost."""
    round_results = everywhere("##", cost_usd=1.0, agent_seconds=5)
    on = track(columns=("dataset_score", "minutes_per_round", "cost_per_round"))
    two = bundle("two", found=everywhere("#.", agent_seconds=7))
    made = board(bundle("one", found=round_results), two, on=on, rounds=(2, 2))
    compared = {name for name, pairs in HeadToHead(made).differences.items() if pairs}
    assert compared == {"dataset_score", "minutes_per_round"}


def test_measurements_by_two_definitions_are_not_compared() -> None:
    first_records, two = (everywhere("##", measures={f"erosion@{version}": version / 9}) for version in (1, 2))
    made = board(
        bundle("one", found=first_records), bundle("two", found=two), on=track(headline="erosion"), rounds=(2, 2)
    )
    comparison = beside(made, *made.entries)
    assert (comparison.alone.order, comparison.difference) == ("cannot tell", None)
    assert apart(made, *made.entries, metric="dataset_score").paired.value == 0


def test_printed_counts_are_told_apart_as_pairs_of_the_board_only() -> None:
    """Nothing is said of a pair of them alone."""
    figures = [("a", "90.0"), ("b", "75.0"), ("c", "50.0")]
    rows = [{"id": name, "values": {"solved": {"value": Decimal(value), "n": 40}}} for name, value in figures]
    made = board(tables=[table(*rows)], on=track(headline="solved", columns=("solved",)))
    assert pair(made, "a", "c") == ("ahead", None)
    assert pair(made, "c", "a") == ("behind", None)
    assert pair(made, "a", "b") == ("cannot tell", None)
    for comparison in comparisons(made, entry_of(made, "a"), made.entries[1:]):
        assert (comparison.alone.order, comparison.difference) == (comparison.on_board, None)


def test_a_pair_may_be_told_apart_alone_and_not_as_one_of_many() -> None:
    """Six tasks tell two rows apart that differ on all of them; beside three more rows they do not."""
    marks = {"best": "######", "rest": "......", "x": "#.#.#.", "y": ".#.#.#", "z": "##..##"}
    made = board(*(bundle(name, *task_marks) for name, task_marks in marks.items()), rounds=(1,) * 6)
    comparison = beside(made, entry_of(made, "best"), entry_of(made, "rest"))
    assert (comparison.alone.order, comparison.on_board) == ("ahead", "cannot tell")


def test_a_printed_score_without_a_count_can_not_be_told_from_any() -> None:
    made = board(bundle("here", "##"), tables=[table(row("printed", "10.0"))])
    comparison = beside(made, *made.entries)
    assert (comparison.alone.order, comparison.difference, comparison.rounds) == ("cannot tell", None, None)


def test_a_row_is_held_against_others_in_their_order() -> None:
    made = board(bundle("a", "##"), bundle("b", "#."), bundle("c", ".."), tables=[table(row("printed", "10.0"))])
    other_entries = [entry_of(made, name) for name in ("c", "printed", "a")]
    assert [comparison.second for comparison in comparisons(made, entry_of(made, "b"), other_entries)] == other_entries


@pytest.fixture(scope="module")
def boards() -> tuple[Board, ...]:
    """Simulate a benchmark with two tracks, and rank it."""
    return simulated_boards(SimulationScale(agents=5, attempts=2, seed=3))


def test_all_at_once_say_what_each_pair_says(boards: tuple[Board, ...]) -> None:
    for made in boards:
        first = made.entries[1]
        for comparison in comparisons(made, first, _others(made, first)):
            alone = beside(made, first, comparison.second)
            assert (comparison.alone.order, comparison.rounds) == (alone.alone.order, alone.rounds)
            ours, theirs = comparison.difference, alone.difference
            assert ours
            assert theirs
            assert (ours.paired.value, ours.paired.p, ours.paired.margin) == pytest.approx(
                (theirs.paired.value, theirs.paired.p, theirs.paired.margin)
            )
            assert ours.paired.needed_tasks == theirs.paired.needed_tasks


def test_one_is_ahead_where_the_other_is_behind(boards: tuple[Board, ...]) -> None:
    turned = {"ahead": "behind", "behind": "ahead", "cannot tell": "cannot tell"}
    for made in boards:
        for first in made.submissions:
            for comparison in comparisons(made, first, _others(made, first)):
                assert beside(made, comparison.second, first).alone.order == turned[comparison.alone.order]


def _others(made: Board, first: Entry) -> list[Entry]:
    return [entry for entry in made.entries if entry.id != first.id]


def test_ranks_and_comparisons_agree(boards: tuple[Board, ...]) -> None:
    """Whoever is told apart as one of all pairs has other ranks on the board, and is told apart alone as well."""
    for made in boards:
        ranked = [entry for entry in made.entries if entry.id in made.ranks]
        for entry in ranked:
            row_comparisons = comparisons(
                made, entry, [other_entry for other_entry in ranked if other_entry is not entry]
            )
            assert all(
                comparison.alone.order == comparison.on_board
                for comparison in row_comparisons
                if comparison.on_board != "cannot tell"
            )
            orders = [comparison.on_board for comparison in row_comparisons]
            ranks = 1 + orders.count("behind"), len(ranked) - orders.count("ahead")
            assert made.inference.ranks[entry.id] == ranks


def test_a_difference_is_called_likely_where_its_interval_leaves_out_0(boards: tuple[Board, ...]) -> None:
    for made in boards:
        for first in made.submissions:
            for difference in compare_all(made, first):
                interval = difference.paired.interval
                assert (difference.order == "cannot tell") == (interval.low <= 0 <= interval.high)


def compare_all(made: Board, first: Entry) -> list[ScoreDifference]:
    """Give how a row lies apart from the others, by every metric."""
    other_entries = [other_entry for other_entry in _others(made, first) if other_entry.submission_results]
    compared = ((other_entry, column.id) for other_entry in other_entries for column in made.columns)
    shown = [
        (other_entry, name) for other_entry, name in compared if first.has_score(name) and other_entry.has_score(name)
    ]
    return [apart(made, first, other_entry, metric=name) for other_entry, name in shown]
