"""Weights of targets: what does not add up to 1 is told once for a task set, and counts in proportion."""

from collections.abc import Mapping

from kit.results_folders import Told, Tree, json_lines

FIX = "write weights that add up to 1; until then the weight of a target is its share of their sum"


def described(name: str, *weights: float) -> dict[str, object]:
    """Describe a task whose rounds weigh so much."""
    return {"id": name, "rounds": [{"n": n, "weight": weight} for n, weight in enumerate(weights, start=1)]}


def told_of(tree: Tree, *tasks: Mapping[str, object]) -> list[Told]:
    """Give what is told of a task set; the bundle is of another."""
    tree.put("tasks/other.jsonl", json_lines(*tasks))
    return tree.told()


def test_weights_that_do_not_add_up_to_1_are_one_problem(tree: Tree) -> None:
    expected_message = "the weights of 2 tasks do not add up to 1: heavy (8), light (0.5)"
    tasks = (described("sound", 0.25, 0.75), described("heavy", 3, 5), described("light", 0.25, 0.25))
    assert told_of(tree, *tasks) == [
        Told("TASK-WEIGHTS-SUM", "mini/tasks/other.jsonl:2", expected_message, FIX, "warning")
    ]


def test_weights_that_nobody_gave_are_no_problem(tree: Tree) -> None:
    plain = {"id": "plain", "rounds": [{"n": 1}, {"n": 2}, {"n": 3}]}
    assert told_of(tree, plain, described("ones", 1, 1), described("only", 1.0)) == []


def test_thirds_as_the_computer_writes_them_add_up(tree: Tree) -> None:
    assert told_of(tree, described("thirds", 1 / 3, 1 / 3, 1 / 3), described("tenths", 0.1, 0.2, 0.3, 0.4)) == []


def test_many_tasks_are_not_all_named(tree: Tree) -> None:
    (problem,) = told_of(tree, *(described(f"t{number}", 2, 2) for number in range(7)))
    assert problem.what == "the weights of 7 tasks do not add up to 1: t0 (4), t1 (4), t2 (4), t3 (4), t4 (4) …"


def test_each_task_set_is_told_by_itself(tree: Tree) -> None:
    tree.put("tasks/more.jsonl", json_lines(described("c", 2, 2)))
    assert [problem.place for problem in told_of(tree, described("a", 3, 4))] == [
        "mini/tasks/more.jsonl:1",
        "mini/tasks/other.jsonl:1",
    ]
