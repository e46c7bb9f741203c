"""What differs between two states of a board."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kit.boards import board, bundle, row, table

from sitegen.board.board import Board
from sitegen.board.history.changes import BoardChange, RowChange, board_changes
from sitegen.board.history.changes_report import Changes, as_markdown
from sitegen.models.benchmark import Renaming
from sitegen.models.results import Bundle, FailureLog


def changed(before: Board, after: Board) -> BoardChange:
    (change,) = board_changes([before], [after])
    return change


def rows(before: Board, after: Board) -> dict[str, RowChange]:
    return {change.id: change for change in changed(before, after).rows}


def told(change: RowChange) -> dict[tuple[str, int, int | None], set[str]]:
    """Names of the values that differ, by record."""
    return {
        (cell.task, cell.attempt, cell.round): {difference.name for difference in cell.differences}
        for cell in change.cells
    }


def tampered(made: Bundle, **facts: Any) -> Bundle:  # noqa: ANN401 - any field of a record
    """Change the first record of a submission."""
    first, *other_rounds = made.rounds
    return replace(made, rounds=(replace(first, **facts), *other_rounds))


def test_equal_boards_do_not_differ() -> None:
    assert board_changes([board(bundle("a", "##"))], [board(bundle("a", "##"))]) == []


def test_a_row_that_was_renamed_is_compared_with_what_it_was() -> None:
    """Two rows of one agent are gone, so that the benchmark alone can tell which of them it was."""
    acme = {"name": "Acme-1"}
    after = board(bundle("c", "##", agent=acme))
    renaming = Renaming.model_validate({"from": "mini/main/b", "to": "mini/main/c"})
    benchmark = after.benchmark.model_copy(update={"renamed": (renaming,)})
    told_of = replace(after, results=replace(after.results, benchmark=benchmark))
    before = board(bundle("a", "##", agent=acme), bundle("b", "#+", agent=acme))
    changed_rows = rows(before, told_of)
    assert {name: (change.kind, change.earlier) for name, change in changed_rows.items()} == {
        "a": ("removed", ""),
        "c": ("new", "b"),
    }
    assert told(changed_rows["c"]) == {("a", 1, 2): {"reward", "passed"}}


def test_a_silent_change_inside_an_addition_is_named() -> None:
    """Someone adds a row, and changes another agent's verdict in passing."""
    honest, other_bundle = bundle("a", "#+"), bundle("b", "#.")
    changed_rows = rows(
        board(honest, other_bundle), board(honest, tampered(other_bundle, reward=0.0, passed=1), bundle("new", "##"))
    )
    assert changed_rows["new"].kind == "new"
    assert changed_rows["b"].kind == "changed"
    assert told(changed_rows["b"]) == {("a", 1, 1): {"reward", "passed"}}
    assert {score.name for score in changed_rows["b"].scores} >= {"dataset_score"}


def test_a_change_that_moves_no_score_is_named_too() -> None:
    before = bundle("a", "##")
    changed_rows = rows(board(before), board(tampered(before, output_tokens=7)))
    assert told(changed_rows["a"]) == {("a", 1, 1): {"output_tokens"}}
    assert not changed_rows["a"].places


def test_other_texts_of_failed_cases_are_counted() -> None:
    before = replace(bundle("a", "+#"), failures=FailureLog({"a": b'{"case": "one"}\n{"case": "two"}'}))
    after = replace(before, failures=FailureLog({"a": b'{"case": "one"}\n{"case": "2"}\n{"case": "3"}'}))
    (change,) = rows(board(before), board(after))["a"].texts
    assert (change.task, change.gone, change.new) == ("a", 1, 2)


def test_a_row_that_others_moved_is_told_from_one_that_changed() -> None:
    changed_rows = rows(board(bundle("a", "#.")), board(bundle("a", "#."), bundle("b", "##")))
    assert changed_rows["a"].is_moved_only
    assert {(difference.name, difference.before, difference.after) for difference in changed_rows["a"].places} >= {
        ("rank", 1, 2)
    }
    assert not changed_rows["b"].is_moved_only


EIGHT = (2,) * 8


def test_ranks_that_become_sure_are_told_as_the_one_that_is_left() -> None:
    """Seven of eight signs agree in one of 14 cases, all of them in one of 128."""
    before = board(bundle("a", *["##"] * 7, ".."), bundle("b", *[".."] * 7, "##"), rounds=EIGHT)
    after = board(bundle("a", *["##"] * 8), bundle("b", *[".."] * 8), rounds=EIGHT)
    changed_rows = rows(before, after)
    assert [(difference.name, difference.before, difference.after) for difference in changed_rows["a"].places] == [
        ("possible ranks", "1-2", "1")
    ]
    assert [(difference.name, difference.before, difference.after) for difference in changed_rows["b"].places] == [
        ("possible ranks", "1-2", "2")
    ]


def test_a_sure_rank_is_told_once() -> None:
    best, worst = bundle("best", *["##"] * 8), bundle("rest", *[".."] * 8)
    changed_rows = rows(board(worst, rounds=EIGHT), board(best, worst, rounds=EIGHT))
    assert [(difference.name, difference.before, difference.after) for difference in changed_rows["best"].places] == [
        ("rank", None, 1)
    ]
    assert [(difference.name, difference.before, difference.after) for difference in changed_rows["rest"].places] == [
        ("rank", 1, 2)
    ]


def test_ranks_that_are_not_sure_are_told_beside_the_one_by_score() -> None:
    """Two tasks tell nothing."""
    best, worst = bundle("best", "##", "##"), bundle("rest", "..", "..")
    changed_rows = rows(board(worst, rounds=(2, 2)), board(best, worst, rounds=(2, 2)))
    rank_changes = [
        (difference.name, difference.before, difference.after) for difference in changed_rows["rest"].places
    ]
    assert rank_changes == [("rank", 1, 2), ("possible ranks", "1", "1-2")]


def test_a_text_about_a_published_table_is_told() -> None:
    erratum = {"about": "Table 2", "note": "Oak is said to have cheated.", "rows": ("oak",)}
    exhibit = {
        "id": "kinds",
        "title": "Kinds",
        "where": "table 2",
        "columns": ("Kind", "Tasks"),
        "rows": (("tool", 2),),
    }
    facts = {"errata": (erratum,), "exhibits": (exhibit,)}
    before, after = (board(tables=[table(row("oak"), **table_facts)]) for table_facts in ({}, facts))
    texts = {difference.name: difference.after for difference in changed(before, after).about}
    assert texts["table 1.erratum 1.note"] == "Oak is said to have cheated."
    assert texts["table 1.exhibit kinds.title"] == "Kinds"


def test_another_order_of_tasks_is_told_by_what_both_states_have() -> None:
    made = board(bundle("a", "##", "##"), rounds=(2, 2))
    turned = replace(made, tasks=replace(made.tasks, tasks=made.tasks.tasks[::-1]))
    assert [(difference.name, difference.before, difference.after) for difference in changed(made, turned).about] == [
        ("order of tasks", "a, b", "b, a")
    ]
    longer = board(bundle("a", "##", "##"), rounds=(2, 2, 2))
    assert [difference.name for difference in changed(made, longer).about] == ["task c"]


def test_a_benchmark_that_was_renamed_is_compared_with_what_it_was() -> None:
    before, after = board(bundle("a", "##")), board(bundle("a", "#."))
    renaming = Renaming.model_validate({"from": "mini", "to": "maxi"})
    benchmark = after.benchmark.model_copy(update={"id": "maxi", "renamed": (renaming,)})
    board_change = changed(before, replace(after, results=replace(after.results, benchmark=benchmark)))
    assert (board_change.kind, board_change.benchmark) == ("changed", "maxi")
    assert ("benchmark.id", "mini", "maxi") in [
        (difference.name, difference.before, difference.after) for difference in board_change.about
    ]
    assert [(row.id, row.kind) for row in board_change.rows] == [("a", "changed")]


def test_a_row_is_compared_with_the_one_of_the_same_agent_that_it_replaces() -> None:
    agent: Mapping[str, Any] = {"agent": {"name": "Acme"}}
    changed_rows = rows(board(bundle("may-acme", "#.", **agent)), board(bundle("june-acme", "##", **agent)))
    assert (changed_rows["june-acme"].kind, changed_rows["june-acme"].earlier) == ("new", "may-acme")
    assert told(changed_rows["june-acme"]) == {("a", 1, 2): {"reward", "passed"}}
    assert "may-acme" not in changed_rows


def test_a_row_that_states_its_scaffold_replaces_the_one_that_did_not() -> None:
    before = board(bundle("may-acme", "#.", agent={"name": "Acme"}))
    after = board(bundle("june-acme", "##", agent={"name": "Acme", "scaffold": "Terminus"}))
    assert rows(before, after)["june-acme"].earlier == "may-acme"


def test_a_row_is_not_compared_with_one_of_another_scaffold() -> None:
    before = board(bundle("may-acme", "#.", agent={"name": "Acme", "scaffold": "OpenHands"}))
    after = board(bundle("june-acme", "##", agent={"name": "Acme", "scaffold": "Terminus"}))
    assert rows(before, after)["june-acme"].earlier == ""


def test_two_rows_are_not_both_compared_with_the_same_one() -> None:
    before = board(bundle("may-acme", "#.", agent={"name": "Acme"}))
    bundles = [bundle(name, "##", agent={"name": "Acme", "scaffold": name}) for name in ("terminus", "openhands")]
    changed_rows = rows(before, board(*bundles))
    assert {name: change.earlier for name, change in changed_rows.items() if change.kind == "new"} == {
        "terminus": "",
        "openhands": "",
    }


def test_a_row_is_compared_with_the_one_whose_status_names_it() -> None:
    before = board(bundle("old", "#."))
    retired = bundle("old", "#.", status={"state": "superseded", "by": "fresh"})
    changed_rows = rows(before, board(retired, bundle("fresh", "##")))
    assert changed_rows["fresh"].earlier == "old"
    assert {difference.name for difference in changed_rows["old"].about} >= {"status.state", "status.by"}


def test_of_two_that_are_gone_none_is_guessed() -> None:
    agent: Mapping[str, Any] = {"agent": {"name": "Acme"}}
    before = board(bundle("one", "#.", **agent), bundle("two", "..", **agent))
    changed_rows = rows(before, board(bundle("three", "##", **agent)))
    assert changed_rows["three"].earlier == ""
    assert {name for name, change in changed_rows.items() if change.kind == "removed"} == {"one", "two"}


def test_a_reported_figure_that_differs_is_named() -> None:
    changed_rows = rows(
        board(bundle("a", "##"), tables=[table(row("b", "42.0"))]),
        board(bundle("a", "##"), tables=[table(row("b", "42.5"))]),
    )
    assert [(score.name, score.before, score.after) for score in changed_rows["b"].scores] == [
        ("dataset_score", 42.0, 42.5)
    ]


def test_a_task_that_differs_is_named() -> None:
    about = changed(board(bundle("a", "##")), board(bundle("a", "##"), rounds=(3,))).about
    assert any(difference.name.startswith("task a") for difference in about)


def test_what_is_told_in_a_comment_calls_nobody_and_leads_nowhere() -> None:
    name = "`@everyone` <img src=x> [x](https://example.org)\n# heading"
    made = bundle("a", "##")  # no agent can be called so; whoever prints a name does not rely on it
    made = replace(
        made,
        submission=made.submission.model_copy(
            update={"agent": made.submission.agent.model_copy(update={"name": name})}
        ),
    )
    changes = Changes(board_changes([board()], [board(made)]))
    text = "\n".join(as_markdown(changes))
    (title,) = [line for line in text.splitlines() if line.startswith("###")]
    assert "@everyone" in title
    assert title.endswith("�# heading` (`a`): new")
    outside = "".join(text.split("`")[::2])
    assert "@" not in outside
    assert "<" not in outside
    assert "http" not in outside
