"""How sure a board is of its order."""

import json
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from boards import board, bundle, entry_of, everywhere, row, table, track
from grids import records
from real_data import real_data

from sitegen.board.board import Board, boards_of
from sitegen.board.export import scores_json
from sitegen.importers.simulation import Scale, simulate
from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.uncertainty import draws
from sitegen.models.benchmark import Track
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.store.folder import read_results


def counted(name: str, value: str, n: int, metric: str = "solved") -> Mapping[str, Any]:
    """Print a line of a table: a share of n things."""
    return {"id": name, "values": {metric: {"value": Decimal(value), "n": n}}}


def by_solved() -> Track:
    return track(headline="solved", columns=("solved",))


def places(made: Board) -> list[str | None]:
    return [made.certainty.place(entry) for entry in made.entries]


def test_who_is_better_on_every_task_has_a_place_alone() -> None:
    made = board(bundle("best", "##", "##", "##"), bundle("rest", "..", "..", ".."), rounds=(2, 2, 2))
    assert places(made) == ["1", "2"]
    assert made.certainty.ranks == {"best": (1, 1), "rest": (2, 2)}
    assert made.certainty.grounds == "draws"


def test_who_may_be_as_good_shares_a_group_of_places() -> None:
    """Each is better on one task."""
    made = board(bundle("first", "##", "#."), bundle("second", "..", "##"), rounds=(2, 2))
    assert places(made) == ["1-2", "1-2"]


def test_less_may_be_better() -> None:
    slow, fast = (everywhere("##", interactions=number) for number in (90, 30))
    on = track(headline="avg_rounds")
    made = board(bundle("slow", found=slow), bundle("fast", found=fast), on=on, rounds=(2, 2))
    assert made.certainty.groups == {"fast": (1, 1), "slow": (2, 2)}
    assert made.certainty.ranks == {"fast": (1, 1), "slow": (2, 2)}


def test_a_single_task_supports_no_interval_and_no_place() -> None:
    """Every draw of it is the same, which says nothing of another task."""
    made = board(bundle("one", "##"), bundle("two", "#."))
    assert made.ranks == {"one": 1, "two": 2}
    assert made.certainty.interval(entry_of(made, "one"), "dataset_score") is None
    assert (made.certainty.groups, made.certainty.ranks) == ({}, {})


def test_rows_of_equal_score_share_their_places() -> None:
    made = board(bundle("c", "#.", "#."), bundle("a", ".#", ".#"), bundle("b", "##", "##"), rounds=(2, 2))
    assert made.certainty.groups == {"b": (1, 1), "a": (2, 3), "c": (2, 3)}


def test_an_interval_holds_the_score_that_it_is_about() -> None:
    made = board(bundle("one", "##", "#.", ".."), rounds=(2, 2, 2))
    interval = made.certainty.interval(made.entries[0], "dataset_score")
    assert interval is not None
    assert 0 == interval.low < 50 < interval.high == 100


def test_every_score_of_a_submission_has_an_interval() -> None:
    """Also those that are no columns of the board."""
    found = [*records("a", "#+", cost_usd=2.0, agent_seconds=60), *records("b", "..", cost_usd=1.0, agent_seconds=30)]
    made = board(bundle("one", found=found), rounds=(2, 2))
    (entry,) = made.entries
    bounds = {name: made.certainty.interval(entry, name) for name in entry.scores}
    assert {"perfect_tasks", "strict", "partial", "cost_per_round", "net_cost", "minutes_per_round"} < bounds.keys()
    assert all(bound and bound.kind == "bootstrap" for bound in bounds.values())
    cost = bounds["net_cost"]
    assert cost is not None
    assert (cost.low, cost.high) == (4, 8)


def test_a_gap_has_no_interval() -> None:
    made = board(bundle("one", "vv", "##"), rounds=(2, 2), on=track(columns=("case_score",)))
    assert made.certainty.interval(made.entries[0], "case_score") is None


def test_a_withdrawn_row_has_an_interval_and_no_place() -> None:
    gone = bundle("gone", "##", "..", status={"state": "withdrawn"})
    made = board(bundle("here", "##", "##"), gone, rounds=(2, 2))
    assert made.certainty.place(entry_of(made, "gone")) is None
    assert made.certainty.interval(entry_of(made, "gone"), "dataset_score") is not None


def test_a_board_without_submissions_is_sure_of_nothing() -> None:
    made = board(tables=[table(row("theirs"))])
    assert (made.certainty.groups, made.certainty.ranks, made.certainty.grounds) == ({}, {}, None)
    assert made.certainty.interval(made.entries[0], "dataset_score") is None
    assert made.certainty.grounds_in_words == ""


def test_measurements_by_two_definitions_have_intervals_and_no_places() -> None:
    one, two = (everywhere("##", measures={f"erosion@{version}": 0.5}) for version in (1, 2))
    made = board(bundle("one", found=one), bundle("two", found=two), on=track(headline="erosion"), rounds=(2, 2))
    assert made.certainty.interval(entry_of(made, "one"), "erosion") is not None
    assert places(made) == [None, None]


def test_a_printed_count_has_the_exact_binomial_interval() -> None:
    """None of 10 may be up to the share that gives none in one sample of forty; 3 of 10 are a percentage as well."""
    tables = [table(counted("none", "0.0", 10), counted("some", "3", 10, "perfect_tasks"))]
    made = board(tables=tables, on=by_solved())
    none = made.certainty.interval(entry_of(made, "none"), "solved")
    some = made.certainty.interval(entry_of(made, "some"), "perfect_tasks")
    assert none is not None
    assert some is not None
    assert none.kind == "binomial"
    assert (none.low, none.high) == pytest.approx((0, 100 * (1 - 0.025**0.1)))
    assert (some.low, some.high) == pytest.approx((0.6674, 6.5245), abs=1e-4)


@pytest.mark.parametrize("printed", [counted("odd", "33.0", 10), counted("odd", "110.0", 10), row("odd", "33.0")])
def test_a_figure_that_is_not_k_of_n_has_no_interval(printed: Mapping[str, Any]) -> None:
    """3 of 10 would be printed as 30.0, and the third line does not say of how many."""
    made = board(tables=[table(printed)], on=by_solved())
    assert all(made.certainty.interval(made.entries[0], name) is None for name in made.entries[0].scores)


def test_a_printed_share_is_no_percentage() -> None:
    """0.0 of completion is the mean of parts of tasks, whatever stands beside it."""
    made = board(tables=[table(counted("odd", "0.000", 10, "completion"))], on=track(headline="completion"))
    assert made.certainty.interval(made.entries[0], "completion") is None


def test_printed_counts_share_places_where_their_intervals_overlap() -> None:
    """Of 40: 36 is 76 to 97 %, 30 is 59 to 87 %, 20 is 34 to 66 %, and 19 is 32 to 64 %."""
    rows = [counted("a", "90.0", 40), counted("b", "75.0", 40), counted("c", "50.0", 40), counted("d", "47.5", 40)]
    made = board(tables=[table(*rows)], on=by_solved())
    assert places(made) == ["1-2", "1-2", "3-4", "3-4"]
    assert made.certainty.ranks == {"a": (1, 2), "b": (1, 4), "c": (2, 4), "d": (2, 4)}
    assert made.certainty.grounds == "counts"
    assert "binomial" in made.certainty.grounds_in_words


def test_a_figure_without_a_count_has_no_place_beside_counts() -> None:
    rows = [counted("a", "90.0", 40), {"id": "b", "values": {"solved": Decimal("10.0")}}]
    made = board(tables=[table(*rows)], on=by_solved())
    assert places(made) == ["1", None]


def test_submissions_have_places_beside_a_printed_score() -> None:
    """It is taken as it is printed: the best may have it as well, and the worst surely not."""
    here = [bundle("best", "##", "#.", "##"), bundle("rest", "..", "..", "..")]
    made = board(*here, tables=[table(row("printed", "80.0"))], rounds=(2, 2, 2))
    assert [entry.id for entry in made.entries] == ["best", "printed", "rest"]
    assert places(made) == ["1-2", None, "3"]
    assert made.certainty.ranks == {"best": (1, 2), "rest": (3, 3)}


def test_submissions_and_counts_are_told_apart_by_their_intervals() -> None:
    made = board(bundle("here", "##", ".."), tables=[table(counted("a", "40.0", 5))], rounds=(2, 2), on=by_solved())
    assert places(made) == ["1-2", "1-2"]
    assert made.certainty.grounds == "draws and counts"


def test_scores_are_exported_with_intervals_and_groups() -> None:
    made = board(bundle("first", "##", "#."), bundle("second", "..", "##"), rounds=(2, 2))
    document = json.loads(json.dumps(scores_json((made, entry) for entry in made.entries)))
    first = document["submissions"][0]
    assert first["tie_group"] == "1-2"
    assert first["rank_interval"] == [1, 2]
    assert first["metrics"]["dataset_score"]["low"] == pytest.approx(50)
    assert first["metrics"]["dataset_score"]["high"] == pytest.approx(100)
    assert first["metrics"]["dataset_score"]["interval"] == "bootstrap"


def test_a_printed_count_says_in_the_export_what_its_interval_is() -> None:
    made = board(tables=[table(counted("a", "90.0", 40))], on=by_solved())
    (exported,) = json.loads(json.dumps(scores_json((made, entry) for entry in made.entries)))["submissions"]
    assert exported["metrics"]["solved"]["interval"] == "binomial"
    assert (exported["tie_group"], exported["rank_interval"]) == ("1", [1, 1])


def simulated(scale: Scale) -> list[Board]:
    """Simulate a benchmark and rank it, without a file in between."""
    incoming = simulate(scale)
    bundles = tuple(
        Bundle(draft.id, Path(draft.id), draft.submission, draft.rounds, draft.runs) for draft in incoming.drafts
    )
    sets = {tasks.id: tasks for tasks in incoming.task_sets}
    return list(boards_of(BenchmarkResults(Path("demo"), incoming.benchmark, sets, bundles)))


def example() -> list[Board]:
    """Rank the example, which has a track of each kind."""
    return [made for each in read_results(real_data("example-results")).benchmarks for made in boards_of(each)]


@pytest.fixture(scope="module", params=["simulated", "simulated with three attempts", "example"])
def boards(request: pytest.FixtureRequest) -> list[Board]:
    """Boards of some size, with many kinds of data."""
    match request.param:
        case "simulated":
            return simulated(Scale(seed=1))
        case "example":
            return example()
        case _:
            return simulated(Scale(agents=5, attempts=3, seed=2))


def test_every_task_drawn_once_gives_every_score_again(boards: list[Board]) -> None:
    """By every metric and for every row: what intervals are made of is the score."""
    seen = set()
    for made in boards:
        once = np.ones((len(made.tasks.tasks), 1))
        for metric in METRICS.values():
            scores = made.certainty.resampling.scores[metric.id]
            if scores:
                seen.add(metric.id)
                again = draws(made.certainty.resampling.parts(metric), once)[:, 0].tolist()
                assert again == pytest.approx(list(scores.values()), abs=1e-9, rel=0), metric.id
    assert {"dataset_score", "case_score", "avg_rounds", "mt_at_k", "sr", "gap", "comp", "net_cost"} <= seen


def test_every_score_lies_in_its_interval(boards: list[Board]) -> None:
    for made in boards:
        for entry in made.all_entries:
            for name, score in entry.scores.items():
                interval = made.certainty.interval(entry, name)
                assert (interval is None) == (score.value is None)
                assert interval is None or score.value is None or interval.low <= score.value <= interval.high


def test_every_place_holds_the_rank(boards: list[Board]) -> None:
    for made in boards:
        assert made.certainty.groups.keys() == made.certainty.ranks.keys() == made.ranks.keys()
        for name, rank in made.ranks.items():
            (first, last), (low, high) = made.certainty.groups[name], made.certainty.ranks[name]
            assert first <= rank <= last
            assert low <= rank <= high
