"""What a task.toml defines, in the shapes that it has had."""

from pathlib import Path

import pytest
from kit.harbor_trees import write

from sitegen.importers.harbor.tasks import TaskDefinition, make_task_id, read_task, read_tasks

CHAIN = """schema_version = "1.2"
[metadata]
name = "Tidy ledger"
difficulty = "hard"
category = "data"
engineering_activity = "feature"
[metadata.requirement_chain]
num_steps = 2
[[metadata.requirement_chain.steps]]
step = "round-1"
change_types = ["extension"]
[[metadata.requirement_chain.steps]]
step = "round-2"
change_types = ["correction", "conflict"]
[[steps]]
name = "round-1"
[steps.agent]
timeout_sec = 5
[[steps]]
name = "round-2"
"""


def defined(tmp_path: Path, text: str, folder: str = "tidy") -> TaskDefinition:
    definition, problems = read_task(write(tmp_path / folder / "task.toml", text))
    assert problems == []
    assert definition
    return definition


def problems_of(tmp_path: Path, text: str) -> list[tuple[str, str]]:
    return [(problem.code, problem.what) for problem in read_task(write(tmp_path / "tidy" / "task.toml", text))[1]]


def test_rounds_follow_the_steps_and_take_their_labels_from_the_chain(tmp_path: Path) -> None:
    definition = defined(tmp_path, CHAIN)
    task = definition.task
    assert (task.id, task.title) == ("tidy", "Tidy ledger")
    assert task.labels == {"difficulty": "hard", "category": "data", "engineering_activity": "feature"}
    assert [
        (round_result.n, round_result.title, round_result.labels, round_result.instruction)
        for round_result in task.rounds
    ] == [
        (1, "", ("extension",), None),
        (2, "", ("correction", "conflict"), None),
    ]
    assert definition.round_names == ("round-1", "round-2")
    assert (definition.is_chain, definition.stops_at_failure) == (True, False)


def test_names_of_steps_that_say_something_are_titles(tmp_path: Path) -> None:
    text = "".join(f'[[steps]]\nname = "{name}"\n' for name in ("01", "step_2", "add search"))
    assert [round_result.title for round_result in defined(tmp_path, text).task.rounds] == ["", "", "add search"]


@pytest.mark.parametrize(
    "text",
    [
        "[metadata.multiround]\nnum_rounds = 2\n[[metadata.multiround.rounds]]\nround = 2\nchange_type = 'conflict'\n",
        "[metadata]\nnum_rounds = 2\nchange_types = [[], ['conflict']]\n",
    ],
)
def test_older_shapes_of_the_file_define_rounds_as_well(tmp_path: Path, text: str) -> None:
    assert [(round_result.n, round_result.labels) for round_result in defined(tmp_path, text).task.rounds] == [
        (1, ()),
        (2, ("conflict",)),
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("opt-4.0.0-roadmap", "opt-4-0-0-roadmap"), ("Theme__d10_W4", "theme__d10_w4"), ("a b/c", "a-b-c"), ("_x_", "x")],
)
def test_a_tasks_id_can_stand_in_an_address(name: str, expected: str) -> None:
    assert make_task_id(name) == expected


@pytest.mark.parametrize(
    ("gates", "stops"),
    [(("1.0", None), True), (("{reward = 1.0}", "0.5"), True), (("0.5", None), False), ((None, "1.0"), False)],
)
def test_a_run_stops_where_each_round_but_the_last_asks_for_the_full_reward(
    tmp_path: Path, gates: tuple[str | None, str | None], *, stops: bool
) -> None:
    lines = [f"min_reward = {gate}\n" if gate else "" for gate in gates]
    text = "".join(f'[[steps]]\nname = "{name}"\n{line}' for name, line in zip("ab", lines, strict=True))
    assert defined(tmp_path, text).stops_at_failure is stops


def test_an_unknown_step_or_a_weightless_target_is_named_once(tmp_path: Path) -> None:
    entries = '[[metadata.requirement_chain.steps]]\nstep = "x"\n' * 2
    (problem,) = problems_of(tmp_path, f'[[steps]]\nname = "a"\n{entries}')
    assert problem == ("SOURCE-ROUNDS-DIFFER", "`requirement_chain` names x, but `[[steps]]` does not")
    targets = '[[metadata.targets]]\nname = "a"\nweight = 0\n' * 2
    named, unweighable = problems_of(tmp_path, targets)
    assert named == ("SOURCE-BROKEN", "the rounds can't be identified: several have the name a")
    assert unweighable == ("SOURCE-BROKEN", "the weights of these targets are not between 0.000001 and 1,000,000: a")


def test_a_chain_that_the_metadata_tells_otherwise_is_told(tmp_path: Path) -> None:
    problems = problems_of(
        tmp_path, CHAIN.replace("num_steps = 2", "num_steps = 3").replace('step = "round-2"', 'step = "x"')
    )
    assert problems == [
        ("SOURCE-ROUNDS-DIFFER", "`num_steps` is 3, but there are 2 `[[steps]]`"),
        ("SOURCE-ROUNDS-DIFFER", "`requirement_chain` names x, but `[[steps]]` does not"),
    ]


@pytest.mark.parametrize(
    ("text", "expected_message"),
    [
        ("steps = []\n", "`[[steps]]` is empty"),
        ('[[steps]]\nname = "a"\n[[steps]]\nname = "A"\n', "several have the name a"),
        ("[[steps]]\n", "some have no name"),
    ],
)
def test_rounds_have_names_of_their_own(tmp_path: Path, text: str, expected_message: str) -> None:
    assert problems_of(tmp_path, text) == [
        ("SOURCE-BROKEN", f"the rounds can't be identified: {expected_message}"),
    ]


def test_a_broken_file_is_told_with_its_line(tmp_path: Path) -> None:
    definition, (problem,) = read_task(write(tmp_path / "tidy" / "task.toml", "a = 1\nb = = 2\n"))
    assert (definition, problem.code, problem.line) == (None, "TOML-SYNTAX", 2)


def test_a_name_without_a_letter_that_can_stand_in_an_address_gets_an_id_all_the_same(tmp_path: Path) -> None:
    definition = defined(tmp_path, CHAIN, "任务")
    assert definition.task.id.startswith("task-")


def test_names_that_would_make_one_id_get_ids_of_their_own(tmp_path: Path) -> None:
    for name in ("Sort It (v2)", "sort-it-v2"):
        write(tmp_path / name / "task.toml", f'[metadata]\nname = "{name}"\n')
    tasks, problems = read_tasks([], tmp_path)
    assert problems == []
    assert sorted(tasks.by_id) == ["sort-it-v2", "sort-it-v2-" + sorted(tasks.by_id)[1][-8:]]
    ids = {task.task.title or name: name for name, task in tasks.by_id.items()}
    assert ids["sort-it-v2"] == "sort-it-v2"
