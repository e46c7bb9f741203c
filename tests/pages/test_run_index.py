"""Results are found by submission and task, in whatever order a file has them."""

from kit.boards import bundle, everywhere
from kit.result_grids import task

from sitegen.models.outcome import RoundResult
from sitegen.pages.run_index import RunIndex

TASKS = [task("a", 2), task("b", 2)]


def test_shuffled_results_are_found_by_task() -> None:
    results = everywhere("#.")
    shuffled = [results[position] for position in (2, 0, 3, 1)]
    index = RunIndex(TASKS, {"ada": bundle("ada", found=shuffled)})
    for name in "ab":
        assert list(index.results("ada", name)) == [result for result in shuffled if result.task == name]


def test_results_in_the_order_of_tasks_are_not_copied() -> None:
    sent = bundle("ada", "#.", "##")
    first, *_ = RunIndex(TASKS, {"ada": sent}).results("ada", "b")
    assert first is sent.rounds[2]


def test_results_on_tasks_that_a_track_lacks_are_left_out() -> None:
    stray = RoundResult("gone", 1, 1, "scored", 1.0)
    sent = bundle("ada", "#.", found=[stray, *everywhere("#.")[2:]])
    index = RunIndex(TASKS, {"ada": sent})
    assert index.results("ada", "gone") == ()
    assert [result.task for result in index.results("ada", "b")] == ["b", "b"]


def test_a_submission_that_is_not_there_has_no_results() -> None:
    assert RunIndex(TASKS, {}).results("ada", "a") == ()
