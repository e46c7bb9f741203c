"""Tables in JSON documents that people's own scripts write: facts beside the rows, and lists of attempts."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from kit.small_tables import OPTIONS, SEVERAL, assumed, refusal, rewards_of, rounds_of, text

from sitegen.importers.table.source import read_table


def document(folder: Path, value: object) -> Path:
    """Write a JSON document; return its path."""
    return text(folder, json.dumps(value), "results.json")


def test_a_document_may_state_the_agent_and_the_day_once(tmp_path: Path) -> None:
    rows = [{"task": "a", "reward": 1}, {"task": "b", "reward": 0}]
    facts = {"model": "acme-1", "scaffold": "Harness", "timestamp": "2026-02-03T10:00:00Z", "seed": 4}
    file = document(tmp_path, {**facts, "results": rows})
    incoming = read_table(file, replace(SEVERAL, date=None))
    (draft,) = incoming.drafts
    agent = draft.submission.agent
    assert (agent.name, agent.scaffold, str(draft.submission.date)) == ("acme-1", "Harness", "2026-02-03")
    assert assumed(incoming)[0] == "the document states `model`, `scaffold`, `timestamp` for all of its rows"
    assert "left out: the keys other than `results`: seed" in incoming.notes


def test_rows_come_before_their_document(tmp_path: Path) -> None:
    rows = [{"task": "a", "reward": 1, "model_name": "acme-2"}]
    assert rounds_of(document(tmp_path, {"model": "acme-1", "results": rows}), SEVERAL)[0][0] == "acme-2"


def test_rows_may_be_named_by_their_tasks(tmp_path: Path) -> None:
    rows = {"1": {"resolved": True}, "2": {"resolved": False}}
    assert rewards_of(document(tmp_path, {"results": rows})) == {"1": 1, "2": 0}
    rows_with_ids = {"x": {"task_id": "a", "resolved": True}, "y": {"task_id": "b", "resolved": False}}
    assert rewards_of(document(tmp_path, {"config": {"seed": 1}, "results": rows_with_ids})) == {"a": 1, "b": 0}


def test_rows_may_be_wrapped_or_lie_under_another_usual_key(tmp_path: Path) -> None:
    rows = [{"row_idx": 0, "row": {"task": "a", "reward": 1}, "truncated_cells": []}]
    assert rewards_of(document(tmp_path, {"features": [{"name": "task"}], "rows": rows})) == {"a": 1}
    tasks = {"a": {"success": True}, "b": {"success": False}}
    assert rewards_of(document(tmp_path, {"aggregate": {"goals": 50}, "individual": tasks})) == {"a": 1, "b": 0}


def test_an_object_that_is_no_table_is_refused_with_an_example(tmp_path: Path) -> None:
    code, _, _, fix = refusal(document(tmp_path, {"bleu": 0.5, "f1": 0.25}))
    assert (code, "under the key `results`" in fix) == ("TABLE-FORMAT", True)


LISTS = [{"task": "a", "rewards": [1, 0, 1]}, {"task": "b", "rewards": [0, 0, 0]}, {"task": "c", "rewards": []}]


def test_lists_of_rewards_are_attempts_only_when_asked_for(tmp_path: Path) -> None:
    file = document(tmp_path, LISTS)
    code, _, message, fix = refusal(file, column=["reward=rewards"])
    assert (code, message) == ("SOURCE-COLUMNS-UNCLEAR", "`rewards` contains lists of rewards")
    assert "--runs attempts" in fix
    options = replace(OPTIONS, runs="attempts", is_partial=True)
    incoming = read_table(file, options, column=["reward=rewards"])
    rewards = {(result.task, result.attempt): result.reward for result in incoming.drafts[0].rounds}
    assert [rewards["a", attempt] for attempt in (1, 2, 3)] == [1, 0, 1]
    states = [result.state for result in incoming.drafts[0].rounds if result.task == "c"]
    assert states == ["aborted", "unreached", "unreached"]
    assert assumed(incoming)[0] == "each item of a list in `rewards` is an attempt"


def test_a_cell_of_many_brackets_is_no_list(tmp_path: Path) -> None:
    file = text(tmp_path, f"task,rewards\na,{'[' * 100_000}\n")
    assert refusal(file, column=["reward=rewards"])[0] == "SOURCE-BROKEN"


@pytest.mark.parametrize("cells", ["[1, 0]", "[True, False]", "[true, false]"])
def test_a_list_may_be_written_in_a_cell_of_text(tmp_path: Path, cells: str) -> None:
    file = text(tmp_path, f'task,rewards\na,"{cells}"\n')
    rounds = rounds_of(file, replace(OPTIONS, runs="attempts"), column=["reward=rewards"])
    assert [(attempt, reward) for _, _, attempt, _, reward in rounds] == [(1, 1), (2, 0)]


def test_samples_of_livecodebench_are_attempts(tmp_path: Path) -> None:
    rows = [
        {"question_id": "abc-1", "graded_list": [True, False], "pass@1": 0.5, "solved": True},
        {"question_id": "abc-2", "graded_list": [True, True], "pass@1": 1.0, "solved": True},
    ]
    file = document(tmp_path, rows)
    attempts = [(task, attempt, reward) for _, task, attempt, _, reward in rounds_of(file)]
    assert attempts == [("abc-1", 1, 1), ("abc-1", 2, 0), ("abc-2", 1, 1), ("abc-2", 2, 1)]
    assert rewards_of(file, column=["reward=pass@1"]) == {"abc-1": 0.5, "abc-2": 1}


@pytest.mark.parametrize(
    "names", [("passed", "failed"), ("resolved_ids", "unresolved_ids"), ("successful_tasks", "failed_tasks")]
)
def test_lists_of_tasks_may_be_named_after_their_verdicts(tmp_path: Path, names: tuple[str, str]) -> None:
    lists = {names[0]: ["a", "b"], names[1]: ["c"], "errors": 4}
    assert rewards_of(document(tmp_path, lists)) == {"a": 1, "b": 1, "c": 0}
    assert rewards_of(document(tmp_path, {"config": {"seed": 1}, "results": lists})) == {"a": 1, "b": 1, "c": 0}


def test_lists_beside_a_list_of_tasks_are_columns(tmp_path: Path) -> None:
    columns = {"task": ["a", "b"], "passed": ["yes", "no"], "failed": ["no", "yes"]}
    assert rewards_of(document(tmp_path, columns)) == {"a": 1, "b": 0}
    numbers = {"id": ["a", "b"], "passed": [1, 0], "failed": [0, 1]}
    assert rewards_of(document(tmp_path, numbers)) == {"a": 1, "b": 0}


def test_a_list_of_passed_tasks_alone_is_no_table(tmp_path: Path) -> None:
    assert refusal(document(tmp_path, {"passed": ["a", "b"]}))[0] == "SOURCE-COLUMNS-UNCLEAR"


def test_a_task_in_two_lists_is_refused(tmp_path: Path) -> None:
    assert refusal(document(tmp_path, {"passed": ["a", "b"], "failed": ["b"]}))[0] == "SOURCE-RESULT-TWICE"


def test_objects_without_a_common_key_are_no_rows(tmp_path: Path) -> None:
    value = {"config": {"name": "acme", "seed": 1}, "results": {"accuracy": 0.5, "cost": 2}}
    assert refusal(document(tmp_path, value))[0] == "TABLE-FORMAT"
    assert rewards_of(document(tmp_path, {"a": {"resolved": True}, "b": {"error": "x"}, "c": {"resolved": False}})) == {
        "a": 1,
        "b": None,
        "c": 0,
    }


def test_a_reward_inside_an_object_is_named_with_its_path(tmp_path: Path) -> None:
    rows = [{"id": "a", "metrics": {"length": 4, "accuracy": 1}}]
    assert "--column reward=metrics.accuracy" in refusal(document(tmp_path, rows))[3]
    assert rewards_of(document(tmp_path, rows), column=["reward=metrics.accuracy"]) == {"a": 1}
