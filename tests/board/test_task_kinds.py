"""Which kind of task agents fail most often: the rates, their intervals, and what may be said of them."""

from dataclasses import replace

import pytest
from kit.boards import board, bundle, called
from kit.shipped_results import shipped

from sitegen.board.answers.task_kinds import most_failed_kinds, no_kind_sentence, task_kind_sentences
from sitegen.board.board import Board
from sitegen.board.making import make_boards
from sitegen.models.benchmark import Axis


def labelled(made: Board, values: str) -> Board:
    """Give each task the value of the axis `kind` that its letter stands for."""
    names = {"w": "web", "d": "data_files", "x": "xml"}
    tasks = []
    for task, letter in zip(made.tasks.tasks, values, strict=True):
        tasks.append(replace(task, labels={"kind": names[letter]}))
    made = called("mini", made, axes={"kind": Axis(title="Kind")})
    task_sets = {"all": replace(made.tasks, tasks=tuple(tasks))}
    (labelled_board,) = make_boards(replace(made.results, task_sets=task_sets))
    return labelled_board


TEN = labelled(
    board(
        bundle("ash", *"..........", "##", "##", "##", "##", "##"),
        bundle("elm", "#", *".........", "##", "##", "##", "##", "#."),
        rounds=(1,) * 10 + (2,) * 5,
    ),
    "w" * 10 + "d" * 5,
)


def test_rounds_are_pooled_over_agents_and_tasks() -> None:
    (kind,) = most_failed_kinds(TEN)
    assert (kind.axis, kind.value, kind.tasks, kind.other_tasks) == ("Kind", "web", 10, 5)
    assert (kind.failed.k, kind.failed.n) == (19, 20)
    assert (kind.others_failed.k, kind.others_failed.n) == (1, 20)
    assert kind.is_clear


def test_a_clear_difference_is_said_with_both_intervals() -> None:
    (kind,) = most_failed_kinds(TEN)
    own_range, other_range = kind.failed.interval, kind.others_failed.interval
    assert own_range is not None
    assert other_range is not None
    (sentence,) = task_kind_sentences(TEN)
    assert sentence == (
        f"The kind web is clearly harder than the rest: agents fail 95.0 % (95 % interval {100 * own_range.low:.1f} to "
        f"{100 * own_range.high:.1f}) of rounds on its 10 tasks, against 5.0 % (95 % interval "
        f"{100 * other_range.low:.1f} to {100 * other_range.high:.1f}) on the other 5 tasks. "
        "The two intervals do not overlap."
    )
    assert own_range.low < 0.95 <= own_range.high


def test_few_tasks_have_no_interval_and_nothing_is_shown() -> None:
    made = labelled(board(bundle("ash", *"...", *"######"), rounds=(1,) * 9), "w" * 3 + "d" * 6)
    (sentence,) = task_kind_sentences(made)
    assert sentence.startswith(
        "No kind is shown to be harder than the rest. ash fails most often on web: 100.0 % of attempts on its 3 tasks"
    )
    assert sentence.endswith(". But an interval needs at least 5 tasks.")


def test_a_clearly_harder_kind_comes_before_a_small_one_that_fails_more_often() -> None:
    outcomes = "." * 3 + "#" + "." * 9 + "#" * 20
    made = labelled(
        board(bundle("ash", *outcomes), bundle("elm", *outcomes), rounds=(1,) * 33), "w" * 3 + "d" * 10 + "x" * 20
    )
    (kind,) = most_failed_kinds(made)
    assert (kind.value, kind.failed.k, kind.failed.n, kind.is_clear) == ("data files", 18, 20, True)
    (sentence,) = task_kind_sentences(made)
    assert sentence.startswith("The kind data files is clearly harder than the rest: ")


def test_a_name_with_underscores_is_written_as_words() -> None:
    made = labelled(board(bundle("ash", *"###", *"..."), rounds=(1,) * 6), "www" + "ddd")
    assert next(task_kind_sentences(made)).startswith(
        "No kind is shown to be harder than the rest. ash fails most often on data files: "
    )


@pytest.mark.parametrize(
    ("made", "expected_sentence"),
    [
        (board(bundle("ash", "#")), "The tasks have no labels, so no kind of task can be called the hardest."),
        (
            labelled(board(bundle("ash", *"##.."), rounds=(1,) * 4), "wwdd"),
            "No kind of task can be called the hardest: fewer than two kinds have at least 3 tasks with results.",
        ),
        (board(), ""),
        (TEN, ""),
    ],
)
def test_a_board_says_why_no_kind_is_the_hardest(made: Board, expected_sentence: str) -> None:
    assert no_kind_sentence(made) == expected_sentence


def test_the_shipped_kinds_are_those_of_the_records() -> None:
    boards = shipped().all_boards()
    official = next(board for board in boards if (board.benchmark.id, board.track.id) == ("evocode-bench", "official"))
    for kind in most_failed_kinds(official):
        axis = next(name for name, axis in official.benchmark.axes.items() if axis.title == kind.axis)
        failed = total = 0
        tasks = set()
        for entry in official.submissions:
            for task_results in entry.task_results:
                if task_results.task.labels.get(axis) == kind.value:
                    passed = task_results.rewards
                    failed += int((passed < 0.999).sum())
                    total += passed.size
                    tasks.add(task_results.task.id)
        assert (kind.failed.k, kind.failed.n, kind.tasks) == (failed, total, len(tasks))
