"""Cells tell states apart without colour, and keep the pass mark for passes."""

import pytest

from sitegen.models.outcome import RoundResult, State
from sitegen.pages.heat import round_cell, task_cell


def scored(passed: int, total: int, **fields: object) -> RoundResult:
    return RoundResult("t", 1, 1, "scored", float(passed == total), passed, total, **fields)  # type: ignore[arg-type]  # fields by name


def empty(state: State) -> RoundResult:
    return RoundResult("t", 1, 1, state, 0.0, 0, 0)


def test_all_cases_passed_is_a_tick_on_solid_ground() -> None:
    assert round_cell([scored(45, 45)])[1:4] == ("all", "✓", "45 of 45 cases passed")


def test_nearly_all_is_a_number_and_never_a_hundred() -> None:
    cell = round_cell([scored(999, 1000)])
    assert (cell.shade, cell.mark) == ("share-7", "99")
    assert cell.words == "999 of 1,000 cases passed, 99 %"


def test_colour_follows_the_share_and_not_the_number_that_failed() -> None:
    """One failure of two is worse than ten of a thousand."""
    assert round_cell([scored(1, 2)])[1] == "share-4"
    assert round_cell([scored(990, 1000)])[1] == "share-7"


def test_a_build_failure_never_looks_like_an_almost_passed_round() -> None:
    cell = round_cell([empty("no_cases")])
    assert (cell.state, cell.shade, cell.mark) == ("no_cases", "no_cases", "⌀")
    assert "no case ran" in cell.words


def test_every_state_has_a_mark_and_words_of_its_own() -> None:
    states: list[State] = ["no_cases", "aborted", "unreached", "fast_forwarded", "excluded"]
    looks = [round_cell([empty(state)]) for state in states] + [round_cell([scored(2, 2)])]
    assert len({look.mark for look in looks}) == len(looks)
    assert len({look.words for look in looks}) == len(looks)


def test_a_verdict_without_cases_is_told_as_such() -> None:
    result = RoundResult("t", 1, 1, "scored", 0.0)
    assert round_cell([result])[1:4] == ("share-0", "0", "failed; case counts unknown")


@pytest.mark.parametrize(("passed", "mark"), [(2, "✓"), (1, "1/2"), (0, "0/2")])
def test_attempts_are_counted_together(passed: int, mark: str) -> None:
    attempts = [scored(3, 3)] * passed + [scored(1, 3)] * (2 - passed)
    assert round_cell(attempts)[2] == mark


def test_a_task_is_ticked_only_when_every_round_passed() -> None:
    assert task_cell([[scored(1, 1), scored(1, 1)]], "round")[1:3] == ("all", "✓")
    assert task_cell([[scored(1, 1), scored(0, 1)]], "checkpoint")[1:4] == ("share-4", "1", "1 of 2 checkpoints passed")


def test_a_mean_names_the_attempts_that_it_is_of() -> None:
    """As in metrics, an attempt without a result that counts is left out."""
    passed, half = [scored(1, 1), scored(1, 1)], [scored(1, 1), scored(0, 1)]
    assert task_cell([passed, [], half], "round").words == "1.5 of 2 rounds passed, mean of 2 attempts"
    assert task_cell([half, []], "round").words == "1 of 2 rounds passed"
    assert task_cell([[scored(1, 1)], [], [scored(0, 1)]], "round").words == "passed in 1 of 2 attempts"
    assert task_cell([[scored(1, 1)], []], "round").words == "passed"


def test_attempts_at_a_task_of_one_round_are_counted_and_not_averaged() -> None:
    attempts = [[scored(1, 1)], [scored(1, 1)], [scored(0, 1)]]
    assert task_cell(attempts, "round").mark == "2/3"
    assert task_cell([[scored(0, 1)]] * 3, "round").mark == "0"
    assert task_cell([[scored(1, 1)]] * 3, "round").mark == "✓"


def test_a_missing_record_is_no_state() -> None:
    assert round_cell([])[1] == "missing"
    assert task_cell([], "round")[1] == "missing"


def test_nothing_passed_has_a_shade_of_its_own() -> None:
    assert [round_cell([scored(k, 100)])[1] for k in (0, 1, 14, 15, 99)] == [
        "share-0",
        "share-1",
        "share-1",
        "share-2",
        "share-7",
    ]
