"""What must hold within a benchmark's folder: its definition, its task sets, its findings."""

import json
import shutil
from collections.abc import Mapping

import pytest
from kit.results_folders import TASKS, Told, Tree, json_lines

from sitegen.store.readers.folder import NOTHING_YET, path_kind, read_results, read_results_around, with_problems

METRIC = "name a metric that `sitegen metrics BENCHMARK` lists, or declare it in benchmark.toml"
ADDRESS = "choose another name"
FINDING = """
[[findings]]
date = 2026-06-26
kind = "leak"
title = "Tests were readable"
tracks = ["main"]
submissions = ["2026-06-25-acme"]
tasks = ["tidy"]
"""


def tidy(**changes: object) -> Mapping[str, object]:
    """Describe task tidy."""
    return {**TASKS[0], **changes}


def with_task(tree: Tree, described: Mapping[str, object]) -> list[Told]:
    """Describe the first task in another way, and give what is told of it."""
    tree.put("tasks/all.jsonl", json_lines(described, TASKS[1]))
    return tree.told()


def test_the_folder_is_called_by_the_benchmark(tree: Tree) -> None:
    tree.define('id = "mini"', 'id = "maxi"')
    message = "the folder is called mini, but the id is maxi"
    assert tree.told() == [
        Told("NAME-DIFFERS", "mini/benchmark.toml:2", message, "rename the folder, or correct the id")
    ]


def test_a_benchmark_leaves_the_site_its_addresses(tree: Tree) -> None:
    tree.define('id = "mini"', 'id = "data"')
    tree.benchmark.rename(tree.folder / "data")
    message = '"data" is reserved for an address of the site'
    assert tree.told() == [Told("NAME-RESERVED", "data/benchmark.toml:2", message, ADDRESS)]


def test_a_benchmark_needs_a_definition(tree: Tree) -> None:
    (tree.benchmark / "benchmark.toml").unlink()
    message = "benchmark.toml is missing"
    assert tree.told() == [Told("FILE-MISSING", "mini/benchmark.toml", message, "add the file")]


def test_an_unknown_metric_in_columns_is_told(tree: Tree) -> None:
    tree.define('["mt_at_k", "sr"]', '["mt_at_k", "completions"]')
    message = "there is no metric `completions`"
    assert tree.told() == [Told("METRIC-UNKNOWN", "mini/benchmark.toml:26", message, "did you mean `completion`?")]


def test_an_unknown_headline_is_told(tree: Tree) -> None:
    """Nothing can be ranked by it, so nothing more is read."""
    tree.define('headline = "mt_at_k"', 'headline = "zzz"')
    message = "there is no metric `zzz`"
    assert tree.told() == [Told("METRIC-UNKNOWN", "mini/benchmark.toml:25", message, METRIC)]


def test_an_unknown_axis_in_groupings_is_told(tree: Tree) -> None:
    tree.define('groupings = ["kind"]', 'groupings = ["kinds"]')
    message = "there is no axis `kinds`"
    assert tree.told() == [Told("AXIS-UNKNOWN", "mini/benchmark.toml:16", message, "did you mean `kind`?")]


def test_a_list_is_more_than_its_one_value(tree: Tree) -> None:
    tree.define('groupings = ["kind"]', 'groupings = "kind"')
    message, fix = '`tracks.groupings` is "kind"', "give a list: [a, b], or [[NAME]] above each of its tables"
    assert tree.told() == [Told("TYPE-WRONG", "mini/benchmark.toml:16", message, fix)]


def test_two_tracks_of_one_name_leave_a_bundle_once(tree: Tree) -> None:
    tree.define('id = "relay"', 'id = "main"')
    (results,) = tree.read().benchmarks
    assert [bundle.id for bundle in results.bundles] == ["2026-06-25-acme"]


def test_a_problem_of_a_file_in_no_bundle_is_the_benchmark_s(tree: Tree) -> None:
    (results,) = tree.read().benchmarks
    files = (tree.bundle / "submission.toml", tree.benchmark / "reported" / "paper.toml", tree.folder / "agents.toml")
    problems = [NOTHING_YET.broken(path, None, path.name) for path in files]
    completed = with_problems(results, problems)
    (bundle,) = completed.bundles
    assert [problem.what for problem in bundle.problems] == ["submission.toml"]
    assert [problem.what for problem in completed.problems] == ["paper.toml", "agents.toml"]


def test_tracks_have_their_own_names(tree: Tree) -> None:
    tree.define('id = "relay"', 'id = "main"')
    fix = "rename or remove one of the two"
    assert Told("NAME-TWICE", "mini/benchmark.toml:19", "two tracks are called main", fix) in tree.told()


def test_a_track_is_superseded_by_one_that_is_there(tree: Tree) -> None:
    tree.define('title = "Relay"', 'title = "Relay"\nsuperseded_by = "man"')
    message = "there is no track `man`"
    assert tree.told() == [Told("TRACK-UNKNOWN", "mini/benchmark.toml:21", message, "did you mean `main`?")]


def test_faults_of_the_second_track_are_told_at_its_lines(tree: Tree) -> None:
    tree.define('protocol = "fail-stop"', 'protocol = "relay"\nrounds = 5')
    tree.define('title = "Relay"\n', "")
    assert [(problem.code, problem.place, problem.what) for problem in tree.told()] == [
        ("KEY-MISSING", "mini/benchmark.toml:18", "the key `tracks.title` is missing"),
        ("VALUE-REFUSED", "mini/benchmark.toml:20", '`tracks.protocol` is "relay"'),
        ("KEY-UNKNOWN", "mini/benchmark.toml:21", "the key `tracks.rounds` is unknown"),
    ]


def test_a_missing_task_set_is_one_problem_of_the_definition(tree: Tree) -> None:
    (tree.benchmark / "tasks" / "all.jsonl").unlink()
    message = "track main has bundles, but its task set tasks/all.jsonl does not exist"
    fix = "add tasks/all.jsonl, with one task per line"
    assert tree.told() == [Told("TASK-SET-MISSING", "mini/benchmark.toml:13", message, fix)]


def test_a_track_with_bundles_names_a_task_set(tree: Tree) -> None:
    tree.define('protocol = "chain"\ntasks = "all"\n', 'protocol = "chain"\n')
    message, fix = "track main has bundles, but no task set", "name the track's task set in `tasks`"
    assert tree.told() == [Told("TASK-SET-MISSING", "mini/benchmark.toml:9", message, fix)]


def test_rounds_are_numbered_from_1(tree: Tree) -> None:
    message = "the rounds of tidy are numbered 2, 3"
    assert with_task(tree, tidy(rounds=[{"n": 2}, {"n": 3}])) == [
        Told("ROUND-ORDER", "mini/tasks/all.jsonl:1", message, "number the rounds from 1")
    ]


def test_tasks_have_their_own_names(tree: Tree) -> None:
    tree.put("tasks/all.jsonl", json_lines(*TASKS, TASKS[0]))
    message, fix = "two tasks are called tidy", "rename or remove one of the two"
    assert tree.told() == [Told("NAME-TWICE", "mini/tasks/all.jsonl:3", message, fix)]


def test_cases_of_a_round_have_their_own_names(tree: Tree) -> None:
    rounds = [{"n": 1, "cases": [{"id": "a"}, {"id": "b"}, {"id": "a"}]}, {"n": 2}]
    message, fix = "round 1 of tidy has two cases called a", "rename or remove one of the two"
    assert with_task(tree, tidy(rounds=rounds)) == [Told("NAME-TWICE", "mini/tasks/all.jsonl:1", message, fix)]


def test_a_task_leaves_the_site_its_addresses(tree: Tree) -> None:
    message = '"tasks" is reserved for an address of the site'
    assert with_task(tree, tidy(id="tasks")) == [Told("NAME-RESERVED", "mini/tasks/all.jsonl:1", message, ADDRESS)]


def test_a_task_has_a_slug_for_a_name(tree: Tree) -> None:
    tree.put("tasks/all.jsonl", json_lines(tidy(id="Tidy up"), TASKS[1]))
    assert [(problem.code, problem.place, problem.what) for problem in tree.told()] == [
        ("SLUG-INVALID", "mini/tasks/all.jsonl:1", '`id` is "Tidy up"')
    ]


def test_labels_lie_on_axes(tree: Tree) -> None:
    message = "tidy has a label on `knd`, which is not an axis of mini"
    assert with_task(tree, tidy(labels={"knd": "tool"})) == [
        Told("AXIS-UNKNOWN", "mini/tasks/all.jsonl:1", message, "did you mean `kind`?")
    ]


def test_labels_are_values_of_their_axis(tree: Tree) -> None:
    message = 'tidy has "tol" on axis `kind`, which has no such value'
    assert with_task(tree, tidy(labels={"kind": "tol"})) == [
        Told("LABEL-UNKNOWN", "mini/tasks/all.jsonl:1", message, "did you mean `tool`?")
    ]


def test_an_axis_may_take_any_value(tree: Tree) -> None:
    tree.define('values = ["tool", "game"]', "")
    assert with_task(tree, tidy(labels={"kind": "anything"})) == []


def test_a_label_wrong_on_every_task_is_few_problems(tree: Tree) -> None:
    tasks = [{"id": f"task-{number}", "labels": {"style": "x"}, "rounds": [{"n": 1}]} for number in range(100)]
    tree.put("tasks/all.jsonl", json_lines(*tasks))
    assert tree.codes().count("AXIS-UNKNOWN") <= 4


def test_a_folder_by_another_name_is_told(tree: Tree) -> None:
    (tree.benchmark / "submisions").mkdir()
    message, fix = "submisions is not part of a benchmark", "did you mean `submissions`?"
    assert tree.told() == [Told("FILE-UNEXPECTED", "mini/submisions", message, fix)]


def test_findings_may_name_what_is_there(tree: Tree) -> None:
    tree.findings(FINDING)
    (results,) = tree.read().benchmarks
    assert tree.told() == []
    assert [finding.title for finding in results.findings] == ["Tests were readable"]


def test_a_finding_names_a_task_that_is_there(tree: Tree) -> None:
    tree.findings(FINDING.replace("tidy", "tdy"))
    message = "the finding names `tdy`, which is not one of the tasks of mini"
    assert tree.told() == [Told("TASK-UNKNOWN", "mini/findings.toml:9", message, "did you mean `tidy`?")]


def test_a_finding_names_a_track_that_is_there(tree: Tree) -> None:
    tree.findings(FINDING.replace("main", "man"))
    message = "the finding names `man`, which is not one of the tracks of mini"
    assert tree.told() == [Told("TRACK-UNKNOWN", "mini/findings.toml:7", message, "did you mean `main`?")]


def test_a_finding_names_a_submission_that_is_there(tree: Tree) -> None:
    tree.findings(FINDING.replace("-acme", "-acne"))
    message = "the finding names `2026-06-25-acne`, which is not one of the submissions of mini"
    fix = "did you mean `2026-06-25-acme`?"
    assert tree.told() == [Told("SUBMISSION-UNKNOWN", "mini/findings.toml:8", message, fix)]


def test_a_fault_in_findings_is_told_at_its_line(tree: Tree) -> None:
    tree.findings(FINDING + FINDING.replace('"leak"', '"leek"'))
    fix = 'give "leak", "contamination", "defect", "reproduction", "waiver", "redaction" or "note"'
    assert tree.told() == [Told("VALUE-REFUSED", "mini/findings.toml:13", '`findings.kind` is "leek"', fix)]


def test_kinds_of_folders_are_told_apart(tree: Tree) -> None:
    kinds = {path: path_kind(path) for path in (tree.folder, tree.benchmark, tree.bundle, tree.folder / "none")}
    assert list(kinds.values()) == ["results", "benchmark", "bundle", "nothing"]


def test_an_empty_bundle_is_a_bundle(tree: Tree) -> None:
    for file in tree.bundle.iterdir():
        file.unlink()
    assert path_kind(tree.bundle) == "bundle"


def test_a_bundle_is_known_by_its_files_wherever_it_lies(tree: Tree) -> None:
    assert path_kind(tree.bundle.rename(tree.folder / "elsewhere")) == "bundle"


def test_a_file_is_nothing(tree: Tree) -> None:
    assert path_kind(tree.benchmark / "benchmark.toml") == "nothing"


def test_a_benchmark_is_read_alone_as_in_the_whole_folder(tree: Tree) -> None:
    assert read_results_around(tree.benchmark) == read_results(tree.folder)


def test_each_bundle_is_announced_before_it_is_read(tree: Tree) -> None:
    announced: list[str] = []
    read_results(tree.folder, lambda folder: announced.append(folder.name))
    assert announced == ["2026-06-25-acme"]


def test_a_bundle_is_read_beside_the_others_of_its_benchmark(tree: Tree) -> None:
    assert read_results_around(tree.bundle).benchmarks == tree.read().benchmarks


def test_a_bundle_outside_of_a_benchmark_is_told(tree: Tree) -> None:
    """Nor is it taken for valid because the benchmark nearby is."""
    astray = tree.bundle.rename(tree.benchmark / "2026-06-25-acme")
    (problem,) = read_results_around(astray).problems
    assert (problem.code, problem.path, problem.what) == (
        "BUNDLE-ASTRAY",
        astray,
        "2026-06-25-acme is not in a benchmark",
    )


def test_a_benchmark_without_bundles_is_told_when_asked_for(tree: Tree) -> None:
    shutil.rmtree(tree.bundle)
    (benchmark,) = read_results_around(tree.benchmark).benchmarks
    assert [problem.code for problem in benchmark.problems] == ["NOTHING-YET"]


def test_a_folder_of_nothing_is_an_error_when_asked_for(tree: Tree) -> None:
    assert [problem.code for problem in read_results_around(tree.folder / "none").problems] == ["NOTHING-FOUND"]


def test_tasks_are_read_in_their_order(tree: Tree) -> None:
    (results,) = tree.read().benchmarks
    assert [task.id for task in results.task_sets["all"].tasks] == ["tidy", "wide"]
    assert json.loads((tree.benchmark / "tasks/all.jsonl").read_text(encoding="utf-8").splitlines()[0])["id"] == "tidy"


@pytest.mark.parametrize("address", ["example.org", "javascript:alert(1)", "data:text/html,x"])
def test_what_becomes_a_link_is_an_address_of_the_web(tree: Tree, address: str) -> None:
    tree.define('title = "Mini"\n', f'title = "Mini"\nhomepage = "{address}"\n')
    (problem,) = tree.told()
    assert (problem.code, problem.place) == ("VALUE-REFUSED", "mini/benchmark.toml:4")
