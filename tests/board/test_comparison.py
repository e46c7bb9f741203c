"""Two rows of a board head to head."""

from decimal import Decimal
from pathlib import Path

import pytest
from boards import board, bundle, entry_of, everywhere, row, table, track

from sitegen.board.board import Board, boards_of
from sitegen.board.comparison import compare, comparisons
from sitegen.board.entry import Entry
from sitegen.importers.simulation import Scale, simulate
from sitegen.metrics.verdicts import RoundCounts
from sitegen.models.results import BenchmarkResults, Bundle


def pair(made: Board, first: str, second: str) -> tuple[str, RoundCounts | None]:
    """Say how the first stands to the second, and how the rounds went."""
    found = compare(made, entry_of(made, first), entry_of(made, second))
    return found.standing, found.rounds


def test_who_is_better_on_every_task_is_ahead() -> None:
    made = board(bundle("best", "##", "#.", "##"), bundle("rest", "#.", "..", ".#"), rounds=(2, 2, 2))
    assert pair(made, "best", "rest") == ("ahead", RoundCounts(2, 3, 0, 1, "first"))
    assert pair(made, "rest", "best") == ("behind", RoundCounts(2, 0, 3, 1, "first"))


def test_who_is_better_on_some_tasks_may_not_be() -> None:
    made = board(bundle("first", "##", "#."), bundle("second", "..", "##"), rounds=(2, 2))
    assert pair(made, "first", "second")[0] == "cannot tell"


def test_equal_results_tell_nothing() -> None:
    made = board(bundle("one", "#.", "##"), bundle("two", "#.", "##"), rounds=(2, 2))
    found = compare(made, *made.entries)
    difference = found.differences["dataset_score"]
    assert (difference.value, difference.interval.low, difference.interval.high) == (0, 0, 0)
    assert found.standing == "cannot tell"


def test_a_difference_is_paired_task_by_task() -> None:
    """Both vary widely over tasks, but are always half a task apart."""
    made = board(bundle("first", "####", "##.."), bundle("second", "##..", "...."), rounds=(4, 4))
    difference = compare(made, *made.entries).differences["dataset_score"]
    assert (difference.value, difference.interval.low, difference.interval.high) == pytest.approx((50, 50, 50))


def test_less_is_ahead_where_the_metric_says_so() -> None:
    slow, fast = (everywhere("##", interactions=number) for number in (90, 30))
    on = track(headline="avg_rounds")
    made = board(bundle("slow", found=slow), bundle("fast", found=fast), on=on, rounds=(2, 2))
    found = compare(made, entry_of(made, "fast"), entry_of(made, "slow"))
    assert (found.standing, found.differences["avg_rounds"].value) == ("ahead", -60)
    assert comparisons(made, entry_of(made, "slow"), [entry_of(made, "fast")])["fast"].standing == "behind"


def test_every_metric_that_both_have_results_for_is_compared() -> None:
    """Nobody knows what the second cost."""
    found = everywhere("##", cost_usd=1.0, agent_seconds=5)
    made = board(bundle("one", found=found), bundle("two", found=everywhere("#.", agent_seconds=7)), rounds=(2, 2))
    assert {"dataset_score", "case_score", "perfect_tasks", "strict", "minutes_per_round"} == set(
        compare(made, *made.entries).differences
    ) - {"partial", "solved"}


def test_measurements_by_two_definitions_are_not_compared() -> None:
    one, two = (everywhere("##", measures={f"erosion@{version}": version / 9}) for version in (1, 2))
    made = board(bundle("one", found=one), bundle("two", found=two), on=track(headline="erosion"), rounds=(2, 2))
    found = compare(made, *made.entries)
    assert "erosion" not in found.differences
    assert "dataset_score" in found.differences
    assert found.standing == "cannot tell"


def test_printed_counts_are_told_apart_by_their_intervals() -> None:
    figures = [("a", "90.0"), ("b", "75.0"), ("c", "50.0")]
    rows = [{"id": name, "values": {"solved": {"value": Decimal(value), "n": 40}}} for name, value in figures]
    made = board(tables=[table(*rows)], on=track(headline="solved", columns=("solved",)))
    assert pair(made, "a", "c") == ("ahead", None)
    assert pair(made, "c", "a") == ("behind", None)
    assert pair(made, "a", "b") == ("cannot tell", None)


def test_a_printed_score_without_a_count_can_not_be_told_from_any() -> None:
    made = board(bundle("here", "##"), tables=[table(row("printed", "10.0"))])
    found = compare(made, *made.entries)
    assert (found.standing, found.differences, found.rounds) == ("cannot tell", {}, None)


def test_a_row_is_held_against_others_in_their_order() -> None:
    made = board(bundle("a", "##"), bundle("b", "#."), bundle("c", ".."), tables=[table(row("printed", "10.0"))])
    others = [entry_of(made, name) for name in ("c", "printed", "a")]
    assert list(comparisons(made, entry_of(made, "b"), others)) == ["c", "printed", "a"]


@pytest.fixture(scope="module")
def boards() -> tuple[Board, ...]:
    """Simulate a benchmark with two tracks, and rank it."""
    incoming = simulate(Scale(agents=5, attempts=2, seed=3))
    bundles = tuple(Bundle(each.id, Path(each.id), each.submission, each.rounds, each.runs) for each in incoming.drafts)
    sets = {tasks.id: tasks for tasks in incoming.task_sets}
    return boards_of(BenchmarkResults(Path("demo"), incoming.benchmark, sets, bundles))


def test_all_at_once_say_what_each_pair_says(boards: tuple[Board, ...]) -> None:
    for made in boards:
        first = made.entries[1]
        for found in comparisons(made, first, _others(made, first)).values():
            alone = compare(made, first, found.second)
            assert (found.standing, found.rounds) == (alone.standing, alone.rounds)
            ours, theirs = (each.differences[made.headline.id] for each in (found, alone))
            assert (ours.value, ours.interval.low, ours.interval.high) == pytest.approx(
                (theirs.value, theirs.interval.low, theirs.interval.high)
            )


def test_one_is_ahead_where_the_other_is_behind(boards: tuple[Board, ...]) -> None:
    turned = {"ahead": "behind", "behind": "ahead", "cannot tell": "cannot tell"}
    for made in boards:
        for first in made.submissions:
            for found in comparisons(made, first, _others(made, first)).values():
                assert comparisons(made, found.second, [first])[first.id].standing == turned[found.standing]


def _others(made: Board, first: Entry) -> list[Entry]:
    return [entry for entry in made.entries if entry.id != first.id]


def test_groups_and_comparisons_agree(boards: tuple[Board, ...]) -> None:
    """Whoever shares the places of the best of a group is not told apart from it."""
    for made in boards:
        ranked = [entry for entry in made.entries if entry.id in made.ranks]
        for position, entry in enumerate(ranked, start=1):
            first, _ = made.certainty.groups[entry.id]
            best = ranked[first - 1]
            assert position == first or compare(made, best, entry).standing == "cannot tell"
