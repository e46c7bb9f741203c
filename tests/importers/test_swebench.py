"""Runs of SWE-bench's evaluation and submissions to its leaderboard: what becomes of instances."""

import json
from collections.abc import Mapping
from datetime import date
from pathlib import Path

import pytest
from foreign_trees import (
    FAILED,
    PASSED,
    evaluation,
    imported,
    instance_report,
    manifest,
    put,
    put_lines,
    refused,
    rounds,
    tasks,
)

from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.swebench.source import read_swebench

DAY = date(2026, 7, 1)
RUN = Path("logs") / "run_evaluation" / "r1" / "ada"


def test_the_summary_rules_and_reports_tell_the_tests(tmp_path: Path) -> None:
    kinds = ("resolved", "unresolved", "error", "empty")
    source = evaluation(tmp_path / "runs", "ada", {f"org__repo-{kind}": kind for kind in kinds}).parent
    put(source / RUN / "org__repo-empty" / "report.json", instance_report("org__repo-empty", PASSED))
    (source / RUN / "org__repo-error").mkdir()
    (source / RUN / "org__repo-error" / "run_instance.log").write_text(">>>>> Patch Apply Failed:\n", encoding="utf-8")
    codes = imported("swebench", source, tmp_path / "into")
    assert codes == ["SOURCE-TRIES-FAILED", "SWEBENCH-STALE-REPORT"]
    (lines,) = rounds(tmp_path / "into").values()
    told = {line["task"].rpartition("-")[2]: line for line in lines}
    assert {name: (line["state"], line["reward"], line["passed"], line["total"]) for name, line in told.items()} == {
        "resolved": ("scored", 1, 2, 2),
        "unresolved": ("scored", 0, 1, 2),
        "error": ("aborted", 0, 0, 0),
        "empty": ("no_cases", 0, 0, 0),
    }
    assert told["error"]["cause"] == "the patch could not be applied"
    assert told["unresolved"]["by_category"] == {"FAIL_TO_PASS": [0, 1], "PASS_TO_PASS": [1, 1]}
    (cases,) = (each["cases"] for each in tasks(tmp_path / "into")["org__repo-resolved"]["rounds"])
    assert [(case["id"], case["category"]) for case in cases] == [
        ("new a", "FAIL_TO_PASS"),
        ("old b[c(d", "PASS_TO_PASS"),
    ]


def test_a_name_that_stands_twice_is_two_cases(tmp_path: Path) -> None:
    source = evaluation(tmp_path / "runs", "ada", {"org__repo-1": "resolved"}).parent
    report = instance_report("org__repo-1", PASSED)
    report["org__repo-1"]["tests_status"]["PASS_TO_PASS"]["success"].append("old b[c(d")
    put(source / RUN / "org__repo-1" / "report.json", report)
    assert imported("swebench", source, tmp_path / "into") == ["SWEBENCH-TESTS-TWICE"]
    ((line,),) = rounds(tmp_path / "into").values()
    assert (line["passed"], line["total"], line["outcomes"]) == (3, 3, "ppp")


def test_an_instance_that_others_were_graded_on_with_other_tests_is_told(tmp_path: Path) -> None:
    source = evaluation(tmp_path / "runs", "ada", {"org__repo-1": "resolved"}).parent
    evaluation(source, "bob", {"org__repo-1": "resolved"})
    put(source / RUN / "org__repo-1" / "report.json", instance_report("org__repo-1", PASSED | {"new b": True}))
    assert imported("swebench", source, tmp_path / "into") == ["SWEBENCH-TESTS-DIFFER"]


def test_an_instance_whose_tests_could_not_be_read_has_no_cases(tmp_path: Path) -> None:
    path = evaluation(tmp_path / "runs", "ada", {"org__repo-1": "unresolved", "org__repo-2": "resolved"})
    told = json.loads(path.read_text("utf-8"))
    put(path, told | {"infra_failure_ids": ["org__repo-1"]})
    report = {"org__repo-1": {"resolved": False, "infra_failure": True}}
    put(path.parent / RUN / "org__repo-1" / "report.json", report)
    assert imported("swebench", path.parent, tmp_path / "into") == ["SWEBENCH-INFRASTRUCTURE"]
    ((line, _),) = rounds(tmp_path / "into").values()
    assert (line["state"], line["cause"]) == ("no_cases", "the machinery failed")


def test_a_model_has_the_name_that_its_predictions_tell(tmp_path: Path) -> None:
    source = evaluation(tmp_path / "runs", "a__b__c", {"org__repo-1": "resolved"}).parent
    put_lines(
        source / "preds.jsonl", [{"model_name_or_path": "a__b/c", "instance_id": "org__repo-1", "model_patch": ""}]
    )
    imported("swebench", source, tmp_path / "into")
    agent = manifest(tmp_path / "into", "2026-07-01-c")["agent"]
    assert (agent["name"], agent["organization"]) == ("c", "a__b")
    put_lines(source / "preds.jsonl", [{"model_name_or_path": "a__b/c", "instance_id": "org__repo-2"}])
    ((code, what),) = refused("swebench", source)
    assert code == "SOURCE-BROKEN"
    assert what.endswith("counts predictions that are not there: org__repo-1")


def test_reports_that_contradict_the_summary_are_refused(tmp_path: Path) -> None:
    path = evaluation(tmp_path / "runs", "ada", {"org__repo-1": "resolved"})
    report = path.parent / RUN / "org__repo-1" / "report.json"
    lacking = instance_report("org__repo-1", PASSED)
    del lacking["org__repo-1"]["tests_status"]["FAIL_TO_PASS"]
    for told, fact in (
        (lacking, "`tests_status` of org__repo-1 lacks FAIL_TO_PASS"),
        (instance_report("org__repo-1", FAILED), "`resolved` is false in it, and 1 of its 2 tests passed"),
        (instance_report("org__repo-1", FAILED) | {"x": {"resolved": True}}, "`resolved` is false in it"),
        ({}, "it says nothing of org__repo-1"),
    ):
        put(report, told)
        ((code, what),) = refused("swebench", path.parent)
        assert code == "SOURCE-BROKEN"
        assert fact in what
    report.unlink()
    assert refused("swebench", path.parent) == [
        ("SOURCE-BROKEN", "org__repo-1 has a result, and no report.json in the logs")
    ]
    put(report, instance_report("org__repo-1", PASSED))
    summary = json.loads(path.read_text("utf-8"))
    put(path, summary | {"resolved_ids": []})
    assert len(refused("swebench", path.parent)) == 3
    path.unlink()
    assert refused("swebench", path.parent) == [("SOURCE-BROKEN", "there is no summary ada.r1.json of these logs")]


def test_the_day_is_that_of_the_run_or_of_its_first_log(tmp_path: Path) -> None:
    source = evaluation(tmp_path / "runs", "ada", {"org__repo-1": "resolved"}).parent
    (source / RUN.parent / "run.json").unlink()
    assert [code for code, _ in refused("swebench", source)] == ["SOURCE-DATE-MISSING"]
    (source / RUN / "org__repo-1" / "run_instance.log").write_text("2026-06-30 23:00:00,1 - INFO\n", encoding="utf-8")
    imported("swebench", source, tmp_path / "into")
    assert [*rounds(tmp_path / "into")] == ["2026-06-30-ada"]


def submission(root: Path, lists: Mapping[str, list[str]], reports: Mapping[str, bool], metadata: str = "") -> Path:
    """Write a submission to the leaderboard, with a prediction of each instance that a report or a list is about."""
    folder = root / "evaluation" / "lite" / "20260630_ada"
    put(folder / "results" / "results.json", {"no_generation": [], "no_logs": [], "resolved": []} | dict(lists))
    for instance, resolved in reports.items():
        put(folder / "logs" / instance / "report.json", instance_report(instance, PASSED if resolved else FAILED))
    predicted = sorted({*reports, *lists.get("no_logs", []), *lists.get("resolved", []), "org__repo-9"})
    put_lines(folder / "all_preds.jsonl", [{"instance_id": name, "model_patch": "diff"} for name in predicted])
    (folder / "metadata.yaml").write_text(metadata, encoding="utf-8")
    return folder


METADATA = """\
info:
  name: Ada's System
tags: {checked: false, model: ada-1, org: [Acme, Other], system: {attempts: 2+}}
"""


def test_a_submission_tells_its_system_and_its_instances(tmp_path: Path) -> None:
    lists = {"no_generation": ["org__repo-1"], "no_logs": ["org__repo-2"], "resolved": ["org__repo-3"]}
    folder = submission(tmp_path, lists, {"org__repo-3": True, "org__repo-9": False}, METADATA)
    codes = imported("swebench", folder.parents[2], tmp_path / "into")
    assert codes == ["SOURCE-TRIES-FAILED", "SWEBENCH-FEWER", "SWEBENCH-UNCHECKED"]
    agent = manifest(tmp_path / "into", "2026-06-30-ada-s-system")["agent"]
    assert agent == {"name": "Ada's System", "organization": "Acme, Other", "model": "ada-1"}
    (lines,) = rounds(tmp_path / "into").values()
    states = [(line["state"], line["reward"]) for line in lines]
    assert states == [("no_cases", 0), ("aborted", 0), ("scored", 1), ("scored", 0)]
    put(folder / "trajs" / "org__repo-3.traj", {"trajectory": [{"thought": "t", "action": "ls", "observation": "a"}]})
    (draft,) = read_swebench(folder, ImportOptions(DAY, "mine", "main")).drafts
    assert draft.made
    ((task, attempt, data),) = draft.made()
    ((step,),) = (json.loads(data)["steps"],)
    assert (task, attempt, step["observation"]["results"][0]["content"]) == ("org__repo-3", 1, "a")
    (folder / "logs" / "org__repo-9" / "report.json").unlink()
    assert refused("swebench", folder) == [("SOURCE-BROKEN", "there is no report of org__repo-9, and no list says why")]


def test_a_submission_without_logs_tells_what_is_resolved_and_no_test(tmp_path: Path) -> None:
    folder = submission(tmp_path, {"resolved": ["org__repo-3"]}, {})
    assert "SWEBENCH-NO-LOGS" in imported("swebench", folder, tmp_path / "into")
    (lines,) = rounds(tmp_path / "into").values()
    assert [(line["state"], line["reward"], line.get("total")) for line in lines] == [
        ("scored", 1, None),
        ("scored", 0, None),
    ]
    assert manifest(tmp_path / "into", "2026-06-30-ada")["detail"]["cases"] == "none"


@pytest.mark.parametrize(
    ("lists", "fact"),
    [
        ({"resolved": ["org__repo-3", "org__repo-3"]}, "an instance stands twice in a list"),
        ({"resolved": ["org__repo-3"], "no_logs": ["org__repo-3"]}, "in several lists: org__repo-3"),
        ({"resolved": ["org__repo-4"]}, "without a line in all_preds.jsonl: org__repo-4"),
    ],
)
def test_lists_that_contradict_each_other_are_refused(lists: dict[str, list[str]], fact: str, tmp_path: Path) -> None:
    folder = submission(tmp_path, {"resolved": ["org__repo-3"]}, {})
    put(folder / "results" / "results.json", {"no_generation": [], "no_logs": [], "resolved": []} | lists)
    assert ("SOURCE-BROKEN", fact) in refused("swebench", folder)
    put(folder / "results" / "results.json", {"no_generation": [], "no_logs": [], "resolved": ["org__repo-3"]})
    put(folder / "results" / "resolved_by_repo.json", {"org/repo": {"resolved": 2, "total": 2}})
    assert ("SOURCE-BROKEN", "1 of 2 resolved of org/repo; resolved_by_repo.json has 2 of 2") in refused(
        "swebench", folder
    )
    (folder / "results" / "resolved_by_repo.json").unlink()
    predictions = [{"instance_id": f"org__repo-{number}", "model_patch": ""} for number in (3, 9)]
    put_lines(folder / "all_preds.jsonl", predictions)
    assert ("SOURCE-BROKEN", "resolved without a patch: org__repo-3") in refused("swebench", folder)
    (folder / "metadata.yaml").write_text("a: [", encoding="utf-8")
    assert any(what.startswith("it is no YAML") for _, what in refused("swebench", folder))
