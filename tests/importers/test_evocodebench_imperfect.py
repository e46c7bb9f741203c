"""Publications with something wrong in them: what is wrong is left out by name, and the rest comes in."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from kit.evocodebench_trees import (
    OPTIONS,
    Json,
    alter,
    failed,
    imported,
    passed,
    publish,
    publish_cells,
    refused,
    write,
)

from sitegen.models.incoming import Draft, Incoming
from sitegen.problems import UsageError

PAIR = {
    "tidy": {"Ada": [passed(), failed()], "Bob": [passed(), passed()]},
    "neat": {"Ada": [passed()], "Bob": [failed()]},
}


def codes(incoming: Incoming) -> list[str]:
    """Return the codes of an import's warnings."""
    return [problem.code for problem in incoming.problems]


def draft_named(incoming: Incoming, agent: str) -> Draft:
    """Return the bundle of an agent."""
    (draft,) = [draft for draft in incoming.drafts if draft.submission.agent.name == agent]
    return draft


def has_caveat(draft: Draft, *fragments: str) -> bool:
    """Return whether a caveat of a bundle has all of some words."""
    return any(all(fragment in caveat for fragment in fragments) for caveat in draft.submission.caveats)


def rounds_at(draft: Draft, task: str) -> list[str]:
    """Return the states of a bundle's rounds at a task."""
    return [result.state for result in draft.rounds if result.task == task]


def lengths(incoming: Incoming) -> dict[str, int]:
    """Return the rounds of each task."""
    (tasks,) = incoming.task_sets
    return {task.id: len(task.rounds) for task in tasks.tasks}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b'{"n_rounds": 1, "models": {"Ada": {}, "Ada": {}}}', "Detected duplicate key"),
        (b'{"task": "caf\xe9"}', "is not JSON"),
        (b'{"n_rounds": 1, "models": []}', "has no object `models`"),
        (b'{"n_rounds": 1, "models": {}}', "has no rounds of any agent"),
        (b'{"task": "tidy", "n_rounds": 1, "models": {"Ada": {"1": null}}}', "its file is about tidy"),
        (b"[]", "has no object `models`"),
    ],
)
def test_a_task_whose_file_can_not_be_used_is_left_out(tmp_path: Path, content: bytes, reason: str) -> None:
    source = publish(tmp_path, PAIR)
    (source / "tasks" / "neat.json").write_bytes(content)
    incoming = imported(source)
    assert lengths(incoming) == {"tidy": 2}
    assert codes(incoming) == ["SOURCE-LEFT-OUT"]
    assert reason in incoming.problems[0].what
    assert all(has_caveat(draft, "task neat", reason) for draft in incoming.drafts)
    assert [finding.title for finding in incoming.findings] == ["1 of 2 tasks left out"]


@pytest.mark.parametrize("size", [0, 1, 30, -1])
def test_only_of_a_file_that_is_cut_off_it_is_said_to_copy_it_again(tmp_path: Path, size: int) -> None:
    source = publish(tmp_path, PAIR)
    path = source / "tasks" / "neat.json"
    path.write_bytes(path.read_bytes()[:size])
    (error,) = refused(source)
    assert (error.code, error.path) == ("SOURCE-CUT-OFF", path)
    assert "copy the source again" in error.fix
    assert lengths(imported(source, replace(OPTIONS, task_names=("tidy",)))) == {"tidy": 2}


def test_an_index_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    source = publish(tmp_path, PAIR)
    path = source / "index.json"
    path.write_bytes(path.read_bytes()[:-5])
    (error,) = refused(source)
    assert error.code == "SOURCE-CUT-OFF"


def test_a_source_whose_only_file_can_not_be_used_is_refused(tmp_path: Path) -> None:
    source = publish_cells(tmp_path, passed())
    write(source / "tasks" / "tidy.json", {"models": {}})
    (error,) = refused(source)
    assert error.code == "SOURCE-EMPTY"
    assert error.what == "no file of a task can be used: its file has no rounds of any agent"


def test_a_task_that_is_listed_twice_differently_is_left_out(tmp_path: Path) -> None:
    source = publish(tmp_path, PAIR)
    tasks = json.loads((source / "index.json").read_text())["tasks"]
    alter(source / "index.json", tasks=[*tasks, tasks[0] | {"n_rounds": 5}])
    incoming = imported(source)
    assert lengths(incoming) == {"neat": 1}
    assert has_caveat(incoming.drafts[0], "task tidy", "lists it several times, with different facts")


def test_what_is_listed_twice_alike_counts_once(tmp_path: Path) -> None:
    source = publish(tmp_path, PAIR)
    expected = imported(source)
    tasks = json.loads((source / "index.json").read_text())["tasks"]
    alter(source / "index.json", tasks=[*tasks, tasks[0]], models=["Ada", "Bob", "Ada"])
    incoming = imported(source)
    assert incoming.drafts == expected.drafts
    (warning,) = incoming.problems
    assert (warning.code, warning.what) == ("SOURCE-LISTED-TWICE", "listed several times: Ada, tidy")


@pytest.mark.parametrize(
    "changes",
    [{"models": ["Ada", "", "Bob"]}, {"models": ["Ada", None, "Bob"]}],
)
def test_entries_without_a_name_are_left_out(tmp_path: Path, changes: Json) -> None:
    source = publish(tmp_path, PAIR)
    alter(source / "index.json", **changes)
    incoming = imported(source)
    assert [draft.submission.agent.name for draft in incoming.drafts] == ["Ada", "Bob"]
    assert has_caveat(incoming.drafts[0], "1 entry of index.json without a name")


def test_a_task_that_can_not_stand_in_an_address_gets_an_id(tmp_path: Path) -> None:
    source = publish(tmp_path, {"Tidy Up 1.2": {"Ada": [passed()]}, "tidy": {"Ada": [failed()]}})
    (tasks,) = imported(source).task_sets
    assert [(task.id, task.title) for task in tasks.tasks] == [("tidy-up-1-2", "project-1"), ("tidy", "project-2")]


def test_a_task_that_leads_out_of_the_folder_has_no_file(tmp_path: Path) -> None:
    source = publish(tmp_path, PAIR)
    alter(source / "index.json", tasks=[{"task": "../index", "n_rounds": 1}, {"task": "neat", "n_rounds": 1}])
    (error,) = refused(source)
    assert (error.code, error.what) == ("SOURCE-TASK-MISSING", "1 of 2 tasks have no file: ../index")


def test_an_agent_that_a_file_lacks_misses_that_task(tmp_path: Path) -> None:
    source = publish(tmp_path, PAIR)
    alter(source / "tasks" / "tidy.json", models={"Ada": {"1": passed(), "2": failed()}})
    incoming = imported(source)
    bob = draft_named(incoming, "Bob")
    assert bob.submission.missing == ("tidy",)
    assert [result.task for result in bob.rounds] == ["neat"]
    assert draft_named(incoming, "Ada").submission.missing == ()
    assert codes(incoming) == ["SOURCE-AGENT-MISSING"]
    assert has_caveat(bob, "no rounds of this agent", "tidy")
    assert not draft_named(incoming, "Ada").submission.caveats


def test_an_agent_that_all_files_lack_is_left_out(tmp_path: Path) -> None:
    source = publish(tmp_path, PAIR)
    alter(source / "index.json", models=["Ada", "Bob", "Cy"])
    incoming = imported(source)
    assert [draft.submission.agent.name for draft in incoming.drafts] == ["Ada", "Bob"]
    (warning,) = incoming.problems
    assert (warning.code, warning.what) == ("SOURCE-LEFT-OUT", "Cy is in index.json, but in no file of a task")


def test_an_agent_that_the_index_lacks_comes_in_with_a_caveat(tmp_path: Path) -> None:
    source = publish(tmp_path, PAIR)
    cells = {"1": passed(), "2": failed()}
    models = {"Ada": cells, "Bob": {"1": passed(), "2": passed()}, "Cy": cells}
    alter(source / "tasks" / "tidy.json", models=models, score={})
    incoming = imported(source)
    cy = draft_named(incoming, "Cy")
    assert cy.submission.missing == ("neat",)
    assert has_caveat(cy, "index does not list this agent", "tidy")
    assert codes(incoming) == ["SOURCE-AGENT-MISSING", "SOURCE-NAME-UNLISTED"]


def test_a_file_may_spell_an_agent_as_other_files_of_the_benchmark_do(tmp_path: Path) -> None:
    source = publish(tmp_path, {"tidy": {"Opus-4.8-xhigh": [passed()]}, "neat": {"Opus-4.8-xhigh": [passed()]}})
    alter(source / "tasks" / "neat.json", models={"Claude-Opus-4.8": {"1": passed()}}, score={})
    (draft,) = imported(source).drafts
    assert (draft.submission.missing, rounds_at(draft, "neat")) == ((), ["scored"])


def test_of_two_spellings_in_a_file_the_index_s_own_is_used(tmp_path: Path) -> None:
    source = publish(tmp_path, {"tidy": {"Opus-4.8": [passed()]}})
    models = {"Claude-Opus-4.8": {"1": failed()}, "Opus-4.8": {"1": passed()}}
    alter(source / "tasks" / "tidy.json", models=models)
    (draft,) = imported(source).drafts
    assert draft.rounds[0].reward == 1
    assert has_caveat(draft, "several entries for this agent", "Opus-4.8, Claude-Opus-4.8")


def test_two_other_spellings_in_a_file_leave_the_task_open(tmp_path: Path) -> None:
    source = publish(tmp_path, {"tidy": {"Opus-4.8": [passed()]}, "neat": {"Opus-4.8": [passed()]}})
    models = {"Claude-Opus-4.8": {"1": failed()}, "claude-opus-4-8": {"1": passed()}}
    alter(source / "tasks" / "tidy.json", models=models)
    incoming = imported(source)
    assert incoming.drafts[0].submission.missing == ("tidy",)
    assert codes(incoming) == ["SOURCE-ENTRY-TWICE", "SOURCE-AGENT-MISSING"]


@pytest.mark.parametrize(
    ("in_index", "in_file", "ada", "bob", "rounds"),
    [
        (2, 3, (1, 2), (1, 2), 2),
        (3, 3, (1, 2), (1, 2), 3),
        (2, 2, (1, 2, 3), (1, 2, 3), 3),
        (2, 2, (1, 3), (1, 2), 2),
        (2, None, (1, 2), (1, 2), 2),
        (None, None, (1, 2), (1, 2), 2),
        ("2", 2, (1, 2), (1,), 2),
    ],
)
def test_rounds_that_a_source_contradicts_itself_about_are_settled(  # noqa: PLR0913, PLR0917 - a row of the table
    tmp_path: Path, in_index: object, in_file: object, ada: Sequence[int], bob: Sequence[int], rounds: int
) -> None:
    source = publish(tmp_path, PAIR)
    tasks = json.loads((source / "index.json").read_text())["tasks"]
    alter(source / "index.json", tasks=[tasks[0] | {"n_rounds": in_index, "score": {}}, tasks[1]])
    models = {"Ada": {str(n): passed() for n in ada}, "Bob": {str(n): passed() for n in bob}}
    alter(source / "tasks" / "tidy.json", n_rounds=in_file, models=models, score={}, rounds=[])
    incoming = imported(source)
    assert lengths(incoming) == {"tidy": rounds, "neat": 1}
    assert "SOURCE-ROUNDS-DIFFER" in codes(incoming)
    assert has_caveat(incoming.drafts[0], "contradicts itself about the rounds", f"tidy: {rounds} rounds taken")


@pytest.mark.parametrize("in_index", [3, 10**9])
def test_a_task_whose_rounds_stay_unclear_is_left_out(tmp_path: Path, in_index: int) -> None:
    source = publish(tmp_path, PAIR)
    tasks = json.loads((source / "index.json").read_text())["tasks"]
    alter(source / "index.json", tasks=[tasks[0] | {"n_rounds": in_index, "score": {}}, tasks[1]])
    models = {"Ada": {"1": passed(), "2": passed()}, "Bob": {"1": passed()}}
    alter(source / "tasks" / "tidy.json", models=models, score={})
    incoming = imported(source)
    assert lengths(incoming) == {"neat": 1}
    assert has_caveat(incoming.drafts[0], "it is not clear how many rounds it has")


def test_more_rounds_than_any_task_has_leave_it_out(tmp_path: Path) -> None:
    source = publish(tmp_path, PAIR)
    tasks = json.loads((source / "index.json").read_text())["tasks"]
    alter(source / "index.json", tasks=[tasks[0] | {"n_rounds": 10**9, "score": {}}, tasks[1]])
    alter(source / "tasks" / "tidy.json", n_rounds=10**9, score={})
    incoming = imported(source)
    assert has_caveat(incoming.drafts[0], "1,000,000,000 rounds are more than the 1,000")


def test_entries_that_are_no_rounds_are_left_out(tmp_path: Path) -> None:
    source = publish(tmp_path, PAIR)
    ada = {"1": passed(), "2": failed(), "0": passed(), "last": passed()}
    bob = {"1": passed(), "2": passed()}
    alter(source / "tasks" / "tidy.json", models={"Ada": ada, "Bob": bob})
    incoming = imported(source)
    assert lengths(incoming)["tidy"] == 2
    assert has_caveat(incoming.drafts[0], "Ada has entries that are not rounds: `0`, `last`")


def test_titles_of_other_rounds_are_no_matter(tmp_path: Path) -> None:
    source = publish(tmp_path, PAIR)
    alter(source / "tasks" / "tidy.json", rounds=[{"n": 2, "title": "Second"}, {"n": 9, "title": "?"}, 7])
    incoming = imported(source)
    (tasks,) = incoming.task_sets
    assert [round_result.title for round_result in tasks.tasks[0].rounds] == ["", "Second"]
    assert codes(incoming) == ["SOURCE-ROUNDS-DIFFER"]


def test_a_newer_version_of_the_index_is_read_with_a_caveat(tmp_path: Path) -> None:
    source = publish(tmp_path, PAIR)
    alter(source / "index.json", schema_version=2)
    incoming = imported(source)
    assert codes(incoming) == ["SOURCE-VERSION-NEWER"]
    assert has_caveat(incoming.drafts[0], "EvoCode-Bench's index.json 2; the newest supported version is 1")


def test_tasks_can_be_picked(tmp_path: Path) -> None:
    """One that can't be read, or has no file, is then no matter."""
    source = publish(tmp_path, PAIR | {"third": PAIR["neat"]})
    (source / "tasks" / "tidy.json").write_text("{", encoding="utf-8")
    (source / "tasks" / "third.json").unlink()
    incoming = imported(source, replace(OPTIONS, task_names=("project-2",)))
    assert (lengths(incoming), codes(incoming)) == ({"neat": 1}, [])
    with pytest.raises(UsageError, match="the source has no task fourth; it has: tidy, neat, third"):
        imported(source, replace(OPTIONS, task_names=("fourth",)))
