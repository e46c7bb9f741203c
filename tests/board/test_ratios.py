"""A ratio of two declared metrics: its value, its gaps, its interval, its order, and how it is explained."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from kit.boards import board, bundle, entry_of, track

from sitegen.board.board import Board
from sitegen.board.explanation import explanation, find_example
from sitegen.board.inference.robustness import Robustness
from sitegen.board.making import make_boards
from sitegen.models.declared import Declared
from sitegen.models.outcome import RoundResult

COST = Declared(id="cost", title="Cost", unit="usd", direction="lower", of="cost_usd", rounds="sum", tasks="sum")
SOLVED = Declared(id="solved", title="Solved", unit="number", of="pass", rounds="all", tasks="sum")
RATE = Declared(id="rate", title="Rate", unit="percent", of="pass", rounds="all")
MEAN_COST = Declared(id="mean_cost", title="Mean cost", unit="usd", direction="lower", of="cost_usd", rounds="sum")
BY_COUNT = Declared(
    id="by_count", title="Cost per solved", unit="usd", direction="lower", numerator="cost", denominator="solved"
)
BY_RATE = Declared(
    id="by_rate", title="Mean cost by rate", unit="usd", direction="lower", numerator="mean_cost", denominator="rate"
)
METRICS = (COST, SOLVED, RATE, MEAN_COST, BY_COUNT, BY_RATE)
TASKS = "abcdefghij"


def rounds_of(costs: Sequence[float | None], solved: str) -> list[RoundResult]:
    """One round at each task, with its cost; `solved` names the tasks that pass."""
    results = []
    for name, cost in zip(TASKS, costs, strict=False):
        reward = float(name in solved)
        results.append(RoundResult(name, 1, 1, "scored", reward, int(reward), 1, cost_usd=cost))
    return results


def ranked_by_ratio(**rows: tuple[Sequence[float | None], str]) -> Board:
    """Rank agents by the cost of a solved task."""
    bundles = [bundle(name, found=rounds_of(costs, solved)) for name, (costs, solved) in rows.items()]
    made = board(*bundles, rounds=[1] * 10)
    ranked_by = track(headline="by_count", columns=("by_count", "by_rate"))
    benchmark = made.benchmark.model_copy(update={"metrics": METRICS, "tracks": (ranked_by,)})
    (ranked_board,) = make_boards(replace(made.results, benchmark=benchmark))
    return ranked_board


CHEAP = ([1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0], "abcdefgh")
DEAR = ([9.0, 8.0, 9.0, 8.0, 9.0, 8.0, 9.0, 8.0, 9.0, 8.0], "abcde")


def test_a_ratio_divides_totals_and_a_percentage_is_a_share() -> None:
    made = ranked_by_ratio(cheap=CHEAP, dear=DEAR)
    values = {entry.id: (entry.value("by_count"), entry.value("by_rate")) for entry in made.ranked_entries}
    assert values == {"cheap": pytest.approx((15 / 8, 15 / 8)), "dear": pytest.approx((85 / 5, 85 / 5))}
    assert list(values) == ["cheap", "dear"]


def test_a_ratio_has_an_approximate_interval_around_it() -> None:
    made = ranked_by_ratio(cheap=CHEAP, dear=DEAR)
    interval = made.inference.interval(entry_of(made, "dear"), "by_count")
    assert interval is not None
    assert (interval.kind, interval.words) == ("log-t", "approximate interval")
    assert 0 < interval.low < 17 < interval.high
    assert interval.low * interval.high == pytest.approx(17**2)


def test_few_solved_tasks_give_no_interval() -> None:
    made = ranked_by_ratio(cheap=CHEAP, few=(DEAR[0], "abcd"))
    assert made.inference.interval(entry_of(made, "few"), "by_count") is None


@pytest.mark.parametrize(
    ("costs", "solved", "gap"),
    [
        (DEAR[0], "", "Solved is 0, so nothing can be divided by it"),
        ([None, *DEAR[0][1:]], "ab", "Cost: known for only 9 of 10 tasks, so there is no total"),
    ],
)
def test_a_ratio_by_0_or_of_a_gap_is_a_gap(costs: Sequence[float | None], solved: str, gap: str) -> None:
    made = ranked_by_ratio(cheap=CHEAP, other=(costs, solved))
    score = entry_of(made, "other").scores["by_count"]
    assert (score.value, score.gap) == (None, gap)


def test_ranks_rest_on_the_tasks() -> None:
    made = ranked_by_ratio(cheap=CHEAP, dear=DEAR, dearest=([50.0] * 10, "abcdefg"))
    assert made.inference.ranks["cheap"] == (1, 1)
    assert made.inference.pair_order(entry_of(made, "cheap"), entry_of(made, "dear")) == "ahead"


def test_leaving_out_a_task_takes_it_out_of_both_parts() -> None:
    made = ranked_by_ratio(cheap=CHEAP, dear=DEAR)
    effects = {facts.task.id: facts.without.score_change for facts in Robustness(made).tasks}
    assert effects["a"] == pytest.approx(76 / 4 - 85 / 5)
    assert effects["j"] == pytest.approx(77 / 5 - 85 / 5)


def test_a_ratio_is_explained_by_both_parts() -> None:
    made = ranked_by_ratio(cheap=CHEAP, dear=DEAR)
    example = find_example(made.headline, [made])
    assert example is not None
    assert [score.metric.id for score in example.terms] == ["cost", "solved"]
    assert example.result == pytest.approx(example.score.value)
    dear = entry_of(made, "dear")
    assert dear.bundle
    lines = list(explanation(made, dear, dear.bundle))
    assert "  Cost 85.0 / Solved 5.0" in lines
    assert "  Mean cost 8.5 / Rate 0.5" in lines


def test_a_part_of_another_definition_is_another_definition_of_the_ratio() -> None:
    made = ranked_by_ratio(cheap=CHEAP, dear=DEAR)
    other_benchmark = made.benchmark.model_copy(
        update={"metrics": (COST, SOLVED.model_copy(update={"rounds": "last"}), BY_COUNT)}
    )
    (changed,) = make_boards(
        replace(
            made.results,
            benchmark=other_benchmark.model_copy(
                update={"tracks": (track(headline="by_count", columns=("by_count",)),)}
            ),
        )
    )
    assert changed.headline.version != made.headline.version
