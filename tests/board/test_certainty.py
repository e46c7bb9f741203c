"""How sure a board is of its order."""

import json
from collections.abc import Mapping
from decimal import Decimal
from itertools import combinations
from string import ascii_lowercase
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kit.boards import board, bundle, entry_of, everywhere, row, table, track
from kit.real_data import real_data
from kit.result_grids import records
from kit.simulated_boards import simulated_boards
from kit.thoroughness import examples

from sitegen.board.board import Board, BoardEntry
from sitegen.board.export import scores_json
from sitegen.board.inference.board_inference import BY_COUNTS, BY_TASKS
from sitegen.board.making import make_boards
from sitegen.importers.simulation import SimulationScale
from sitegen.metrics.catalogue import METRICS
from sitegen.models.benchmark import Track
from sitegen.models.results import Bundle
from sitegen.store.readers.folder import read_results


def counted(name: str, value: str, n: int, metric: str = "solved") -> Mapping[str, Any]:
    """Print a line of a table: a share of n things."""
    return {"id": name, "values": {metric: {"value": Decimal(value), "n": n}}}


def by_solved() -> Track:
    return track(headline="solved", columns=("solved",))


def places(made: Board) -> list[str | None]:
    return [made.inference.possible_ranks(entry) for entry in made.entries]


def on_tasks(name: str, marks: str, tasks: int = 8, **facts: Any) -> Bundle:  # noqa: ANN401 - any field of a record
    """Make a submission that does alike on so many tasks."""
    return bundle(name, found=[record for task in ascii_lowercase[:tasks] for record in records(task, marks, **facts)])


def standing(made: Board, first: str, second: str) -> str:
    return made.inference.pair_order(entry_of(made, first), entry_of(made, second))


def test_who_is_better_on_each_of_eight_tasks_is_shown_to_be_better() -> None:
    """Were they equal, all signs would agree once in 2**7 times."""
    made = board(on_tasks("best", "##"), on_tasks("rest", ".."), rounds=(2,) * 8)
    assert places(made) == ["1", "2"]
    assert made.inference.ranks == {"best": (1, 1), "rest": (2, 2)}
    assert (standing(made, "best", "rest"), standing(made, "rest", "best")) == ("ahead", "behind")
    assert made.inference.grounds == BY_TASKS


@pytest.mark.parametrize(("tasks", "expected_places"), [(2, ["1-2", "1-2"]), (5, ["1-2", "1-2"]), (6, ["1", "2"])])
def test_few_tasks_tell_nothing_whoever_is_better_on_them(tasks: int, expected_places: list[str]) -> None:
    """All of 2 signs agree in every second case, all of 5 in one of 16, all of 6 in one of 32."""
    made = board(on_tasks("best", "##", tasks), on_tasks("rest", "..", tasks), rounds=(2,) * tasks)
    assert places(made) == expected_places


def test_who_may_be_as_good_may_have_the_same_ranks() -> None:
    """Each is better on one task."""
    made = board(bundle("first", "##", "#."), bundle("second", "..", "##"), rounds=(2, 2))
    assert places(made) == ["1-2", "1-2"]
    assert standing(made, "first", "second") == "cannot tell"


def test_more_rows_make_it_harder_to_tell_two_apart() -> None:
    """Six tasks tell two rows apart, and not those two among five that differ at random."""
    two = (on_tasks("best", "##", 6), on_tasks("rest", "..", 6))
    named_marks = (("x", "#.#.#."), ("y", ".#.#.#"), ("z", "##..##"))
    other_bundles = [bundle(name, *(mark * 2 for mark in marks)) for name, marks in named_marks]
    alone, among = (board(*rows, rounds=(2,) * 6) for rows in (two, (*two, *other_bundles)))
    assert standing(alone, "best", "rest") == "ahead"
    assert standing(among, "best", "rest") == "cannot tell"


def test_the_ranks_of_a_cost_follow_its_direction() -> None:
    made = board(
        on_tasks("slow", "##", interactions=90),
        on_tasks("fast", "##", interactions=30),
        on=track(headline="avg_rounds"),
        rounds=(2,) * 8,
    )
    assert made.inference.ranks == {"fast": (1, 1), "slow": (2, 2)}
    assert standing(made, "fast", "slow") == "ahead"


def test_a_pooled_headline_enters_with_what_each_task_adds_to_it() -> None:
    """One of four checkpoints passes, 25 %: the first task's one adds all of that."""
    pooled = track(headline="strict", columns=("strict",))
    made = board(bundle("one", "#", "..."), bundle("none", ".", "..."), on=pooled, rounds=(1, 3))
    contributions = made.inference.resampling.task_contributions(METRICS["strict"], ["one", "none"])
    assert contributions.tolist() == [[50, 0], [0, 0]]


def test_contributions_have_the_submissions_that_are_asked_for_in_this_order() -> None:
    made = board(bundle("one", "#", "..."), bundle("none", ".", "..."), on=track(headline="strict"), rounds=(1, 3))
    resampling = made.inference.resampling
    for contributions in (
        resampling.task_contributions,
        resampling.order_contributions,
        resampling.variance_contributions,
    ):
        assert contributions(METRICS["strict"], ["none", "one"]).tolist() == [[0, 0], [50, 0]]
        assert contributions(METRICS["strict"], ["one"]).tolist() == [[50, 0]]
    assert resampling.fractions(METRICS["strict"], ["none", "one"]).numerators.tolist() == [[0, 0], [100, 0]]


def test_a_long_task_weighs_more_in_the_order_by_a_pooled_headline() -> None:
    """The first passes all of nine short tasks, the second all ten rounds of a long one and the first short one."""
    marks = {"short": [*["#"] * 9, "." * 10], "long": ["#", *["."] * 8, "#" * 10]}
    rounds = (*[1] * 9, 10)
    pooled, by_task = (
        board(
            *(bundle(name, *task_marks) for name, task_marks in marks.items()),
            on=track(headline=headline),
            rounds=rounds,
        )
        for headline in ("strict", "dataset_score")
    )
    assert (pooled.ranks, by_task.ranks) == ({"long": 1, "short": 2}, {"short": 1, "long": 2})
    assert (standing(pooled, "short", "long"), standing(by_task, "short", "long")) == ("cannot tell", "ahead")


def test_a_single_task_supports_no_interval_and_no_rank() -> None:
    """It says nothing of another task."""
    made = board(bundle("one", "##"), bundle("two", "#."))
    assert made.ranks == {"one": 1, "two": 2}
    assert made.inference.interval(entry_of(made, "one"), "dataset_score") is None
    assert (made.inference.ranks, made.inference.grounds) == ({}, "")
    assert places(made) == [None, None]


def test_rows_of_equal_score_may_have_the_same_ranks() -> None:
    made = board(on_tasks("c", "#."), on_tasks("a", ".#"), on_tasks("b", "##"), rounds=(2,) * 8)
    assert made.inference.ranks == {"b": (1, 1), "a": (2, 3), "c": (2, 3)}


def test_an_interval_holds_the_score_that_it_is_about() -> None:
    made = board(bundle("one", "##", "#.", ".."), rounds=(2, 2, 2))
    interval = made.inference.interval(made.entries[0], "dataset_score")
    assert interval is not None
    assert 0 < interval.low < 50 < interval.high < 100


def test_every_score_of_a_submission_has_an_interval() -> None:
    """Also those that are no columns of the board; the cost is 6, with a standard error of 2 over two tasks."""
    round_results = [
        *records("a", "#+", cost_usd=2.0, agent_seconds=60),
        *records("b", "..", cost_usd=1.0, agent_seconds=30),
    ]
    made = board(bundle("one", found=round_results), rounds=(2, 2))
    (entry,) = made.entries
    bounds = {name: made.inference.interval(entry, name) for name in entry.scores}
    assert {"perfect_tasks", "strict", "partial", "cost_per_round", "net_cost", "minutes_per_round"} < bounds.keys()
    kinds = {name: bound.kind for name, bound in bounds.items() if bound}
    assert kinds.keys() == bounds.keys()
    assert {kinds[name] for name in ("dataset_score", "strict", "partial")} == {"bootstrap", "binomial"}
    assert (kinds["perfect_tasks"], kinds["net_cost"]) == ("binomial", "plain-t")
    cost = bounds["net_cost"]
    assert cost is not None
    assert (cost.low, cost.high) == pytest.approx((0, 6 + 12.7062 * 2))


def test_a_gap_has_no_interval() -> None:
    made = board(bundle("one", "vv", "##"), rounds=(2, 2), on=track(columns=("case_score",)))
    assert made.inference.interval(made.entries[0], "case_score") is None


def test_a_withdrawn_row_has_an_interval_and_no_place() -> None:
    gone = bundle("gone", *[".."] * 8, status={"state": "withdrawn"})
    made = board(on_tasks("here", "##"), on_tasks("there", "#."), gone, rounds=(2,) * 8)
    assert made.inference.possible_ranks(entry_of(made, "gone")) is None
    assert made.inference.interval(entry_of(made, "gone"), "dataset_score") is not None
    assert {standing(made, *pair) for pair in (("here", "gone"), ("gone", "here"))} == {"cannot tell"}


@pytest.mark.parametrize(
    ("metric", "expected_figures"),
    [("dataset_score", [(50, 86.9), (-50, -13.1)]), ("perfect_tasks", [(8, 8), (0, 2.95)])],
)
def test_rows_are_held_against_each_other_by_tasks_as_far_as_scores_go(
    metric: str, expected_figures: list[tuple[float, float]]
) -> None:
    """36.9 % of all tasks were not seen among 8, in one of forty samples. Of the tasks, 8 is the highest count."""
    made = board(*(on_tasks(name, marks) for name, marks in (("a", "##"), ("b", "#."), ("c", ".."))), rounds=(2,) * 8)
    first, second, third = made.entries
    steps = ((first, second), (third, second))
    differences = [
        difference
        for entry, other_entry in steps
        for difference in made.inference.paired(METRICS[metric], entry, [other_entry])
    ]
    assert np.array([(difference.value, difference.interval.high) for difference in differences]) == pytest.approx(
        np.array(expected_figures), abs=0.05
    )


def test_a_board_without_submissions_is_sure_of_nothing() -> None:
    made = board(tables=[table(row("theirs"))])
    assert (made.inference.ranks, made.inference.grounds) == ({}, "")
    assert made.inference.interval(made.entries[0], "dataset_score") is None


def test_measurements_by_two_definitions_have_intervals_and_no_places() -> None:
    first_records, two = (everywhere("##", measures={f"erosion@{version}": 0.5}) for version in (1, 2))
    made = board(
        bundle("one", found=first_records), bundle("two", found=two), on=track(headline="erosion"), rounds=(2, 2)
    )
    assert made.inference.interval(entry_of(made, "one"), "erosion") is not None
    assert places(made) == [None, None]


def test_a_printed_count_has_the_exact_binomial_interval() -> None:
    """None of 10 may be up to the share that gives none in one sample of forty; 3 of 10 are a percentage as well."""
    tables = [table(counted("none", "0.0", 10), counted("some", "3", 10, "perfect_tasks"))]
    made = board(tables=tables, on=by_solved())
    none = made.inference.interval(entry_of(made, "none"), "solved")
    interval = made.inference.interval(entry_of(made, "some"), "perfect_tasks")
    assert none is not None
    assert interval is not None
    assert none.kind == "binomial"
    assert (none.low, none.high) == pytest.approx((0, 100 * (1 - 0.025**0.1)))
    assert (interval.low, interval.high) == pytest.approx((0.6674, 6.5245), abs=1e-4)


@pytest.mark.parametrize("printed", [counted("odd", "33.0", 10), counted("odd", "110.0", 10), row("odd", "33.0")])
def test_a_figure_that_is_not_k_of_n_has_no_interval(printed: Mapping[str, Any]) -> None:
    """3 of 10 would be printed as 30.0, and the third line does not say of how many."""
    made = board(tables=[table(printed)], on=by_solved())
    assert all(made.inference.interval(made.entries[0], name) is None for name in made.entries[0].scores)


def test_a_printed_share_is_no_percentage() -> None:
    """0.0 of completion is the mean of parts of tasks, whatever stands beside it."""
    made = board(tables=[table(counted("odd", "0.000", 10, "completion"))], on=track(headline="completion"))
    assert made.inference.interval(made.entries[0], "completion") is None


def test_printed_counts_are_told_apart_over_all_pairs_at_once() -> None:
    """Of 40, with a bound of 2.57: 36 and 20 lie 3.9 standard errors apart, 30 and 19 lie 2.52, 30 and 20 lie 2.3."""
    rows = [counted("a", "90.0", 40), counted("b", "75.0", 40), counted("c", "50.0", 40), counted("d", "47.5", 40)]
    made = board(tables=[table(*rows)], on=by_solved())
    assert places(made) == ["1-2", "1-4", "2-4", "2-4"]
    assert made.inference.ranks == {"a": (1, 2), "b": (1, 4), "c": (2, 4), "d": (2, 4)}
    assert made.inference.grounds == BY_COUNTS


def test_two_of_the_same_counts_alone_are_told_apart() -> None:
    """The bound of two rows is 1.96."""
    made = board(tables=[table(counted("b", "75.0", 40), counted("d", "47.5", 40))], on=by_solved())
    assert places(made) == ["1", "2"]


@pytest.mark.parametrize(
    "on",
    [
        track(headline="strict", columns=("strict",)),
        track(headline="solved", columns=("solved",), attempts=2, protocol="fail-stop"),
    ],
    ids=["rounds", "several attempts"],
)
def test_counts_of_what_hangs_together_within_tasks_give_no_ranks(on: Track) -> None:
    rows = [counted("a", "95.0", 40, on.headline), counted("b", "5.0", 40, on.headline)]
    made = board(tables=[table(*rows)], on=on)
    assert made.ranks == {"a": 1, "b": 2}
    assert (made.inference.ranks, places(made)) == ({}, [None, None])
    assert standing(made, "a", "b") == "cannot tell"


def test_a_figure_without_a_count_has_no_ranks_beside_counts_and_may_be_first_as_well() -> None:
    rows = [counted("a", "90.0", 40), {"id": "b", "values": {"solved": Decimal("10.0")}}]
    made = board(tables=[table(*rows)], on=by_solved())
    assert places(made) == ["1-2", None]
    assert standing(made, "a", "b") == "cannot tell"


def test_a_published_score_stands_outside_the_ranks_of_submissions() -> None:
    """It may be above the best, and below the worst; it has no part in how sure the others' ranks are."""
    made = board(
        on_tasks("best", "##"), on_tasks("rest", ".."), tables=[table(row("printed", "80.0"))], rounds=(2,) * 8
    )
    assert [entry.id for entry in made.entries] == ["best", "rest", "printed"]
    assert places(made) == ["1", "2", None]
    assert made.inference.ranks == {"best": (1, 1), "rest": (2, 2)}


def test_submissions_and_counts_are_never_related() -> None:
    """All of 8 tasks here, none of 1,000 there."""
    made = board(on_tasks("here", "##"), tables=[table(counted("a", "0.0", 1000))], rounds=(2,) * 8, on=by_solved())
    assert places(made) == ["1", None]
    assert {standing(made, *pair) for pair in (("here", "a"), ("a", "here"))} == {"cannot tell"}
    assert made.inference.grounds == BY_TASKS


def test_scores_are_exported_with_intervals_and_ranks() -> None:
    made = board(bundle("first", "##", "#."), bundle("second", "..", "##"), rounds=(2, 2))
    document = json.loads(json.dumps(scores_json(BoardEntry(made, entry) for entry in made.entries)))
    first = document["submissions"][0]
    assert "tie_group" not in first
    assert first["rank_interval"] == [1, 2]
    score = first["metrics"]["dataset_score"]
    interval = made.inference.interval(made.entries[0], "dataset_score")
    assert interval is not None
    assert (score["low"], score["high"]) == (interval.low, interval.high)
    assert 0 < score["low"] < score["value"] == 75 < score["high"] < 100
    assert score["interval"] == "bootstrap"


def test_a_printed_count_says_in_the_export_what_its_interval_is() -> None:
    made = board(tables=[table(counted("a", "90.0", 40))], on=by_solved())
    (exported,) = json.loads(json.dumps(scores_json(BoardEntry(made, entry) for entry in made.entries)))["submissions"]
    assert exported["metrics"]["solved"]["interval"] == "binomial"
    assert exported["rank_interval"] == [1, 1]


def example() -> list[Board]:
    """Rank the example, which has a track of each kind."""
    return [
        made for benchmark in read_results(real_data("example-results")).benchmarks for made in make_boards(benchmark)
    ]


@pytest.fixture(scope="module", params=["simulated", "simulated with three attempts", "example"])
def boards(request: pytest.FixtureRequest) -> list[Board]:
    """Boards of some size, with many kinds of data."""
    match request.param:
        case "simulated":
            return list(simulated_boards(SimulationScale(seed=1)))
        case "example":
            return example()
        case _:
            return list(simulated_boards(SimulationScale(agents=5, attempts=3, seed=2)))


def test_what_the_tasks_add_makes_every_score_again(boards: list[Board]) -> None:
    """By every metric and for every row: what tests are made of is the score."""
    seen = set()
    for made in boards:
        for metric in METRICS.values():
            scores = made.inference.resampling.scores[metric.id]
            if scores:
                seen.add(metric.id)
                again = made.inference.resampling.task_contributions(metric, list(scores)).mean(axis=1).tolist()
                assert again == pytest.approx(list(scores.values()), abs=1e-9, rel=0), metric.id
    assert {"dataset_score", "case_score", "avg_rounds", "mt_at_k", "sr", "gap", "comp", "net_cost"} <= seen


def test_every_score_lies_in_its_interval(boards: list[Board]) -> None:
    for made in boards:
        for entry in made.all_entries:
            for name, score in entry.scores.items():
                interval = made.inference.interval(entry, name)
                assert (interval is None) == (score.value is None)
                assert interval is None or score.value is None or interval.low <= score.value <= interval.high


def test_the_ranks_that_a_row_may_have_hold_its_rank_by_score(boards: list[Board]) -> None:
    for made in boards:
        assert made.inference.ranks.keys() == made.ranks.keys()
        for name, rank in made.ranks.items():
            low, high = made.inference.ranks[name]
            assert low <= rank <= high


def follows(made: Board) -> None:
    """Hold the ranks that rows may have against the relation: who is told apart, and what is counted of it."""
    ranked = [entry for entry in made.entries if entry.id in made.ranks]
    sure = made.inference
    for entry in ranked:
        standings = [sure.pair_order(entry, other_entry) for other_entry in ranked if other_entry is not entry]
        counted_ranks = (1 + standings.count("behind"), len(ranked) - standings.count("ahead"))
        assert sure.ranks.get(entry.id, counted_ranks) == counted_ranks
    for first, second in combinations(ranked, 2):
        order = sure.pair_order(first, second)
        assert sure.pair_order(second, first) == {"ahead": "behind", "behind": "ahead"}.get(order, order)
        assert order == "cannot tell" or made.ranks[first.id] != made.ranks[second.id]
        (low, high), (lowest, highest) = (
            sure.ranks.get(paired_entry.id, (1, len(ranked))) for paired_entry in (first, second)
        )
        assert order != "cannot tell" or (low <= highest and lowest <= high)


def test_ranks_follow_from_who_is_shown_to_be_better(boards: list[Board]) -> None:
    """Rows that are not shown to differ have ranks in common."""
    for made in boards:
        follows(made)


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(st.lists(st.sampled_from(["..", "#.", "##"]), min_size=7, max_size=7), min_size=2, max_size=5))
def test_ranks_follow_from_the_relation_whatever_the_results(marks: list[list[str]]) -> None:
    counts = [counted(f"p{n}", str(Decimal(n * 10)), 10) for n in (0, 5, 10)]
    rows = (bundle(f"s{number}", *task_marks) for number, task_marks in enumerate(marks))
    follows(board(*rows, tables=[table(*counts)], on=by_solved(), rounds=(2,) * 7))
