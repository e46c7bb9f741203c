"""The page of a track's tasks: from easiest to hardest, with totals both ways that are those of the scores."""

import pytest
from kit.boards import board, bundle, track
from kit.rendered_pages import task_page, tasks_page
from kit.shipped_results import shipped
from lxml import html

from sitegen.board.board import Board
from sitegen.pages.records import BoardRecords, TaskCases


def page(made: Board) -> html.HtmlElement:
    return html.fromstring(tasks_page(BoardRecords(made)).content)


def words(element: html.HtmlElement) -> str:
    return " ".join(element.text_content().split())


def foot(shown: html.HtmlElement, name: str) -> list[str]:
    return [words(cell) for cell in shown.cssselect(f"tr[data-foot='{name}'] td")]


def shares(shown: html.HtmlElement) -> list[float]:
    return [float(row.get("data-task-share")) for row in shown.cssselect("[data-task-share]")]


@pytest.fixture(scope="module")
def official() -> Board:
    boards = shipped().all_boards()
    return next(board for board in boards if (board.benchmark.id, board.track.id) == ("evocode-bench", "official"))


def test_tasks_come_from_easiest_to_hardest_with_totals_both_ways() -> None:
    shown = page(board(bundle("acme", "..", "##", "#."), bundle("bolt", "..", "#.", "#."), rounds=(2, 2, 2)))
    assert [words(head).split()[0] for head in shown.cssselect("tbody th")] == ["b", "c", "a"]
    assert shares(shown) == [0.75, 0.5, 0.0]
    assert foot(shown, "passed") == ["3 / 6", "2 / 6", "5 / 12", ""]
    assert foot(shown, "finished") == ["1 / 3", "0 / 3", "", "1 / 3"]
    assert [words(cell) for cell in shown.cssselect("tbody td.sg-finished")] == ["1", "0", "0"]


def test_missing_rounds_count_as_failed() -> None:
    """They count 0 in the score, and in the task's own page."""
    shown = page(board(bundle("acme", "## #", "##"), bundle("bolt", "####", ".."), rounds=(4, 2)))
    assert shares(shown) == [0.875, 0.5]
    assert foot(shown, "passed") == ["5 / 6", "4 / 6", "9 / 12", ""]


def test_rounds_passed_after_a_failure_do_not_count_with_fail_stop() -> None:
    on = track(protocol="fail-stop", headline="mt_at_k", columns=("mt_at_k",))
    shown = page(board(bundle("acme", "#.##", "##"), bundle("bolt", "####", ".."), on=on, rounds=(4, 2)))
    assert foot(shown, "passed") == ["3 / 6", "4 / 6", "7 / 12", ""]


def test_the_shipped_tasks_add_up_to_the_scores(official: Board) -> None:
    """Dataset Score is the mean over tasks: so the shares' mean is the mean of the scores."""
    shown = page(official)
    task_shares = shares(shown)
    scores = [entry.value("dataset_score") or 0.0 for entry in official.entries]
    assert task_shares == sorted(task_shares, reverse=True)
    assert len(task_shares) == 25
    assert 100 * sum(task_shares) / len(task_shares) == pytest.approx(sum(scores) / len(scores), abs=1e-9)
    assert foot(shown, "finished")[:13] == [f"{entry.value('perfect_tasks'):.0f} / 25" for entry in official.entries]
    for column, cell in enumerate(foot(shown, "passed")[:13]):
        solved = [
            round_result
            for round_result in (official.entries[column].bundle or pytest.fail("no bundle")).rounds
            if round_result.solved
        ]
        assert cell == f"{len(solved)} / 216"


def test_a_task_that_counts_for_nobody_stands_last_without_a_share(official: Board) -> None:
    rows = page(official).cssselect("tbody tr")
    assert [row.get("data-task-share") is None for row in rows] == [False] * 25 + [True]
    assert {cell.get("data-state") for cell in rows[-1].cssselect("[data-cell]")} == {"excluded"}


def test_filters_are_offered_for_axes_that_tell_tasks_apart(official: Board) -> None:
    assert not page(board(bundle("acme", "##"))).cssselect("[data-task-filters]")
    (form,) = page(official).cssselect("[data-task-filters]")
    assert "difficulty" not in form.get("data-axes")


def outcome(made: Board) -> list[str]:
    records = BoardRecords(made)
    shown = html.fromstring(task_page(TaskCases(records, made.tasks.tasks[0])).content)
    return [words(line) for line in shown.cssselect("[data-outcome]")]


def test_a_task_says_first_who_finished_it_and_where_agents_stop() -> None:
    made = board(
        bundle("acme", "###"), bundle("bolt", "#.#"), bundle("crew", "#.."), bundle("dyad", "..."), rounds=(3,)
    )
    assert outcome(made) == [
        "Finished by 1 of the 4 agents: acme.",
        "First failures are most frequent in round 2 (2 of 4 agents).",
    ]
    assert outcome(board(bundle("acme", "#."), bundle("bolt", ".#"), rounds=(2,))) == [
        "First failures are most frequent in rounds 1 and 2 (1 of 2 agents each).",
    ]
    assert outcome(board(bundle("acme", ">>-"), rounds=(3,))) == []  # nothing is known of what it would have done


def test_an_attempt_without_a_record_finished_nothing() -> None:
    """The sentences above the tables said so, and their cells did not."""
    made = board(bundle("acme", "# #"), rounds=(3,))
    assert foot(page(made), "finished") == ["0 / 1", "", "0 / 1"]
    assert not [line for line in outcome(made) if line.startswith("Finished")]


def test_rounds_that_do_not_follow_each_other_have_no_first_failure() -> None:
    on = track(protocol="once", headline="resolved", columns=("resolved",))
    assert outcome(board(bundle("acme", "#."), on=on, rounds=(2,))) == []
