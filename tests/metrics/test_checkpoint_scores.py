"""Scores of checkpoints, read off hand-sized results."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.result_grids import grid, records, sheet

from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.checkpoints import core, count_verdicts, is_core, is_new, iso, partial
from sitegen.metrics.metric import MetricError
from sitegen.metrics.results import Checkpoints
from sitegen.models.outcome import RoundResult


def checkpoints(marks: str, *facts: dict[str, Any]) -> Sequence[RoundResult]:
    """Give the records of a problem, some with more facts."""
    drawn = records("a", marks)
    padded_facts = [*facts, *({} for _ in range(len(drawn) - len(facts)))]
    return [
        RoundResult(
            round_result.task,
            1,
            round_result.round,
            round_result.state,
            round_result.reward,
            round_result.passed,
            round_result.total,
            **fact,
        )
        for round_result, fact in zip(drawn, padded_facts, strict=True)
    ]


def test_checkpoints_are_pooled_over_problems() -> None:
    assert METRICS["strict"].compute(sheet("####", ".")) == 80


def test_a_problem_with_a_strict_checkpoint_is_partly_solved() -> None:
    assert partial([grid("..#"), grid(".."), grid("##")]) == pytest.approx(2 / 3)


def test_a_problem_is_solved_by_all_its_checkpoints() -> None:
    assert METRICS["solved"].compute(sheet("..#", "##")) == 50


def test_a_run_that_stops_after_a_perfect_start_has_solved_nothing() -> None:
    assert METRICS["solved"].compute(sheet("#.")) == 0


def test_nothing_to_score_is_a_gap() -> None:
    with pytest.raises(MetricError, match="no problem"):
        partial([])


def test_regressions_spoil_strict_but_not_iso() -> None:
    broken = {"by_category": {"core": (2, 2), "regression": (1, 2)}}
    assert iso(checkpoints("+", broken)) == 1


def test_any_other_failure_spoils_iso_but_not_core() -> None:
    broken = {"by_category": {"core": (2, 2), "error": (1, 2)}}
    assert iso(checkpoints("+", broken)) == 0
    assert core(checkpoints("+", broken)) == 1


def test_checkpoints_without_verdict_count_as_failed() -> None:
    passing_facts = {"by_category": {"core": (4, 4)}}
    produced = [*checkpoints("#", passing_facts), *checkpoints("x-n"), None]
    assert iso(produced) == core(produced) == 0.2


def counted(round_results: Checkpoints, wanted: Callable[[str], bool]) -> int:
    """Checkpoints that a score is a share of."""
    verdicts = count_verdicts(round_results, wanted)
    return verdicts[True] + verdicts[False]


@pytest.mark.parametrize("nothing", [{}, {"core": (0, 0)}], ids=["absent", "0 of 0"])
def test_a_checkpoint_without_core_cases_leaves_the_denominator(nothing: dict[str, tuple[int, int]]) -> None:
    """0 of 0 is neither a pass nor a failure."""
    passes, fails = {"by_category": {"core": (4, 4)}}, {"by_category": {"core": (3, 4)}}
    without = {"by_category": {**nothing, "error": (4, 4)}}
    round_results = checkpoints("#+##", passes, fails, without, without)
    assert (core(round_results), counted(round_results, is_core)) == (0.5, 2)


def test_a_checkpoint_of_regressions_alone_leaves_the_denominator_of_iso() -> None:
    round_results = checkpoints("##", {"by_category": {"error": (4, 4)}}, {"by_category": {"regression": (4, 4)}})
    assert (iso(round_results), counted(round_results, is_new)) == (1, 1)


def test_a_checkpoint_without_a_verdict_stays_where_others_leave() -> None:
    without = {"by_category": {"error": (4, 4)}}
    round_results = [*checkpoints("#x-n", without), None]
    assert (core(round_results), counted(round_results, is_core)) == (0, 4)


def test_without_such_cases_anywhere_there_is_no_score() -> None:
    with pytest.raises(MetricError, match="no checkpoint has cases of this category"):
        core(checkpoints("##", {"by_category": {"error": (4, 4)}}, {"by_category": {"core": (0, 0)}}))


def test_without_categories_there_is_no_score() -> None:
    with pytest.raises(MetricError, match="cases have no categories"):
        iso(checkpoints("#"))


def test_one_checkpoint_without_categories_is_enough_for_a_gap() -> None:
    with pytest.raises(MetricError, match="cases have no categories"):
        core(checkpoints("##", {"by_category": {"core": (4, 4)}}))


def test_a_run_without_a_verdict_has_a_score_of_0() -> None:
    assert iso(checkpoints("xx--")) == 0


COUNTS = st.integers(0, 3).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total)))
CATEGORIES = st.dictionaries(st.sampled_from(["core", "error", "regression"]), COUNTS, max_size=3)


def scored(by_category: dict[str, tuple[int, int]]) -> RoundResult:
    """Make a record whose reward says whether all its cases pass."""
    passed, total = (sum(count[index] for count in by_category.values()) for index in (0, 1))
    return RoundResult("a", 1, 1, "scored", float(passed == total), passed, total, by_category=by_category)


@given(st.lists(CATEGORIES.filter(lambda drawn: any(total for _, total in drawn.values())), min_size=1, max_size=6))
def test_what_is_strict_is_iso_and_what_is_iso_is_core(drawn: list[dict[str, tuple[int, int]]]) -> None:
    """Among checkpoints that have cases of all the asked kinds, so that the three count the same ones."""
    full = {"core": (1, 1), "error": (1, 1)}
    round_results = [
        scored({**full, **{name: count for name, count in category_counts.items() if count[1]}})
        for category_counts in drawn
    ]
    strictly = sum(round_result.solved for round_result in round_results) / len(round_results)
    assert strictly <= iso(round_results) <= core(round_results) <= 1


@given(st.lists(CATEGORIES, min_size=1, max_size=6))
def test_empty_checkpoints_change_nothing(drawn: list[dict[str, tuple[int, int]]]) -> None:
    round_results = [scored({**category_counts, "core": (1, 2)}) for category_counts in drawn]
    empty = scored({"regression": (2, 2)})
    assert core([*round_results, empty]) == core(round_results)
    assert iso([empty, *round_results]) == iso(round_results)
