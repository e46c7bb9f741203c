"""How records become grids, whatever order they stand in."""

import math
from collections.abc import Sequence
from random import Random

from hypothesis import given
from hypothesis import strategies as st
from kit.result_grids import MARKS, records, task

from sitegen.metrics.results import SubmissionResults, arrange_results
from sitegen.models.outcome import RoundResult
from sitegen.models.task import Task, TaskRound

TASKS = [task("a", 2), task("b", 3)]
FILED = st.tuples(*(st.text([*MARKS, " "], min_size=width, max_size=width) for width in (2, 2, 3, 3)))
"""Marks of two attempts at a task of two rounds, and of two at a task of three; some records are missing."""


def filed(marks: Sequence[str]) -> list[RoundResult]:
    """Give the records in the order in which files mostly hold them."""
    runs = (("a", 1), ("a", 2), ("b", 1), ("b", 2))
    return [
        record for (name, attempt), drawn in zip(runs, marks, strict=True) for record in records(name, drawn, attempt)
    ]


def shown(sheet: SubmissionResults) -> list[object]:
    """Give all that a sheet holds, comparable."""
    records_of = [
        (
            task.task.id,
            [*task.rounds],
            [[*attempt] for attempt in task.results],
            [*task.reference],
            task.unmade_attempts,
        )
        for task in sheet.tasks
    ]
    return [*records_of, *(repr((task.rewards.tolist(), task.shares.tolist())) for task in sheet.tasks)]


@given(FILED, st.randoms(use_true_random=False))
def test_shuffled_records_give_the_sheet_of_those_in_order(marks: Sequence[str], dice: Random) -> None:
    round_results = filed(marks)
    shuffled = dice.sample(round_results, len(round_results))
    assert shown(arrange_results(TASKS, shuffled, (), 2, 2)) == shown(arrange_results(TASKS, round_results, (), 2, 2))


@given(FILED)
def test_each_cell_of_a_grid_tells_of_its_own_record(marks: Sequence[str]) -> None:
    for grid in arrange_results(TASKS, filed(marks), (), 2, 2).tasks:
        for attempt, row in enumerate(grid.results):
            for index, round_result in enumerate(row):
                if round_result is not None:
                    assert (round_result.task, round_result.attempt, round_result.round) == (
                        grid.task.id,
                        attempt + 1,
                        grid.rounds[index],
                    )
                assert grid.rewards[attempt, index] == (round_result is not None and round_result.solved)


def test_the_share_of_a_round_is_that_of_its_cases() -> None:
    """Without a verdict on cases a share is 0; it is unknown where a verdict came without counts."""
    (grid,) = arrange_results([task("a", 8)], records("a", "#+.vnx- "), (), 1, 1).tasks
    assert list(map(repr, grid.shares[0].tolist())) == ["1.0", "0.75", "0.0", "nan", "0.0", "0.0", "0.0", "0.0"]


def test_a_round_scored_on_no_case_has_no_share() -> None:
    (grid,) = arrange_results([task("a", 1)], records("a", "#", passed=0, total=0), (), 1, 1).tasks
    assert math.isnan(grid.shares[0, 0])


def test_two_rounds_of_one_number_have_one_record() -> None:
    """A faulty task may number its rounds twice; the last record of a place is the one that counts."""
    twice = Task("a", (TaskRound(1), TaskRound(1)))
    first, last = (*records("a", "."), *records("a", "#"))
    (grid,) = arrange_results([twice], [first, last], (), 1, 1).tasks
    assert list(grid.results[0]) == [last, last]


def test_records_from_the_reference_state_stand_beside_an_agents_own() -> None:
    round_results = [*records("a", "#."), *records("a", ".#", start="reference")]
    (grid,) = arrange_results([task("a", 2)], round_results, (), 1, 1).tasks
    assert ([*grid.results[0]], [*grid.reference]) == (round_results[:2], round_results[2:])


def test_tasks_share_the_arrays_of_their_submission() -> None:
    """Two arrays for each of 200,000 tasks take 60 MB."""
    first, second = arrange_results(TASKS, [*records("a", "#."), *records("b", "##.")], (), 1, 1).tasks
    assert first.submission_rewards is second.submission_rewards
    assert first.submission_shares is second.submission_shares
    assert first.rewards.tolist() == [[True, False]]
    assert second.rewards.tolist() == [[True, True, False]]
    assert first.unmade_attempts is second.unmade_attempts
    assert not hasattr(first, "__dict__")
