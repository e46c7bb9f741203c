"""Runs of SWE-bench's evaluation: what becomes of instances, runs and models."""

import json
from pathlib import Path
from typing import Any

import pytest
from kit.foreign_sources import (
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

from sitegen.importers.swebench.evaluations import model_of, natural_key
from sitegen.importers.swebench.reports import repository_of
from sitegen.importers.swebench.summaries import name_of

RUN = Path("logs") / "run_evaluation" / "r1" / "ada"


def read(path: Path) -> dict[str, Any]:
    """Return the contents of a JSON file."""
    contents: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return contents


def caveats(into: Path) -> str:
    """Return the caveats of the one bundle."""
    (bundle,) = rounds(into)
    return "\n".join(manifest(into, bundle).get("caveats", []))


def test_the_summary_says_which_instances_count_and_reports_name_the_tests(tmp_path: Path) -> None:
    kinds = ("resolved", "unresolved", "error", "empty")
    source = evaluation(tmp_path / "runs", "ada", {f"org__repo-{kind}": kind for kind in kinds}).parent
    put(source / RUN / "org__repo-empty" / "report.json", instance_report("org__repo-empty", PASSED))
    (source / RUN / "org__repo-error").mkdir()
    (source / RUN / "org__repo-error" / "run_instance.log").write_text(">>>>> Patch Apply Failed:\n", encoding="utf-8")
    codes = imported("swebench", source, tmp_path / "into")
    assert codes == ["SOURCE-LEFT-OUT", "SOURCE-RUN-FAILED"]
    (lines,) = rounds(tmp_path / "into").values()
    lines_by_name = {line["task"].rpartition("-")[2]: line for line in lines}
    assert {
        name: (line["state"], line["reward"], line["passed"], line["total"]) for name, line in lines_by_name.items()
    } == {
        "resolved": ("scored", 1, 2, 2),
        "unresolved": ("scored", 0, 1, 2),
        "error": ("aborted", 0, 0, 0),
        "empty": ("no_cases", 0, 0, 0),
    }
    assert lines_by_name["error"]["cause"] == "the patch could not be applied"
    assert lines_by_name["unresolved"]["by_category"] == {"FAIL_TO_PASS": [0, 1], "PASS_TO_PASS": [1, 1]}
    (cases,) = (round_result["cases"] for round_result in tasks(tmp_path / "into")["org__repo-resolved"]["rounds"])
    assert [(case["id"], case["category"]) for case in cases] == [
        ("new a", "FAIL_TO_PASS"),
        ("old b[c(d", "PASS_TO_PASS"),
    ]


def test_a_test_that_is_named_twice_is_two_cases(tmp_path: Path) -> None:
    source = evaluation(tmp_path / "runs", "ada", {"org__repo-1": "resolved"}).parent
    report = instance_report("org__repo-1", PASSED)
    report["org__repo-1"]["tests_status"]["PASS_TO_PASS"]["success"].append("old b[c(d")
    put(source / RUN / "org__repo-1" / "report.json", report)
    assert imported("swebench", source, tmp_path / "into") == ["SOURCE-COUNTS-DIFFER"]
    ((line,),) = rounds(tmp_path / "into").values()
    assert (line["passed"], line["total"], line["outcomes"]) == (3, 3, "ppp")


def test_instances_that_were_graded_on_different_tests_are_named(tmp_path: Path) -> None:
    source = evaluation(tmp_path / "runs", "ada", {"org__repo-1": "resolved"}).parent
    evaluation(source, "bob", {"org__repo-1": "resolved"})
    put(source / RUN / "org__repo-1" / "report.json", instance_report("org__repo-1", PASSED | {"new b": True}))
    assert imported("swebench", source, tmp_path / "into") == ["SOURCE-TASK-CHANGED"]


def test_an_instance_whose_tests_could_not_be_read_has_no_cases(tmp_path: Path) -> None:
    path = evaluation(tmp_path / "runs", "ada", {"org__repo-1": "unresolved", "org__repo-2": "resolved"})
    put(path, read(path) | {"infra_failure_ids": ["org__repo-1"], "ambiguous_failure_ids": ["org__repo-2"]})
    report = {"resolved": False, "infra_failure": True, "infra_failure_reason": "out_of_disk"}
    put(path.parent / RUN / "org__repo-1" / "report.json", {"org__repo-1": report})
    codes = imported("swebench", path.parent, tmp_path / "into")
    assert codes == ["SOURCE-VERIFIER-FAILED"]
    ((line, _),) = rounds(tmp_path / "into").values()
    assert (line["state"], line["cause"]) == ("no_cases", "the test environment failed: out of disk")


def test_a_model_has_the_name_that_its_predictions_state(tmp_path: Path) -> None:
    source = evaluation(tmp_path / "runs", "a__b__c", {"org__repo-1": "resolved"}).parent
    prediction = {"model_name_or_path": "a__b/c", "instance_id": "org__repo-1", "model_patch": "diff"}
    put_lines(source / "preds.jsonl", [prediction])
    assert imported("swebench", source, tmp_path / "into") == []
    agent = manifest(tmp_path / "into", "2026-07-01-c")["agent"]
    assert (agent["name"], agent["organization"]) == ("c", "a__b")
    put(source / "preds.json", {"org__repo-2": prediction | {"instance_id": "org__repo-2"}})
    (source / "preds.jsonl").unlink()
    assert imported("swebench", source, tmp_path / "again") == ["SOURCE-FILE-BROKEN"]
    assert "it has no prediction for org__repo-1" in caveats(tmp_path / "again")
    (source / "preds.json").write_text('{"org__repo-1": {"model_name_or_path": "a__b/c"', encoding="utf-8")
    assert imported("swebench", source, tmp_path / "broken") == ["SOURCE-FILE-BROKEN"]


@pytest.mark.parametrize(
    ("folder", "model"),
    [
        ("kettle-1", "kettle-1"),
        ("tin__kettle-1", "tin/kettle-1"),
        ("__models__kettle-1", "/models/kettle-1"),
        ("router__tin__kettle-1", "router/tin__kettle-1"),
        ("None", ""),
    ],
)
def test_a_folder_is_called_after_its_model(folder: str, model: str) -> None:
    assert model_of(folder) == model


@pytest.mark.parametrize(
    ("file", "model", "run_id", "dataset"),
    [
        ("tin__kettle-1.full.json", "tin__kettle-1", "full", ""),
        ("tin__kettle-1.5.full.json", "tin__kettle-1.5", "full", ""),
        ("tin__kettle-1.kettle-2.5-run.json", "tin__kettle-1", "kettle-2.5-run", ""),
        ("kettle-1.5.20260901.json", "kettle-1.5", "20260901", ""),
        ("swe-bench_verified__test__kettle-1.5.json", "", "kettle-1.5", "swe-bench_verified"),
        ("swe-bench-m__dev__run.json", "", "run", "swe-bench-m"),
        ("final_report.json", "", "", ""),
        ("output.report.json", "", "report", ""),
    ],
)
def test_the_name_of_a_summary_tells_model_and_run(file: str, model: str, run_id: str, dataset: str) -> None:
    name = name_of(Path(file))
    assert (name.model, name.run_id, name.dataset) == (model, run_id, dataset)


@pytest.mark.parametrize(
    ("instance", "repository"),
    [
        ("astropy__astropy-12907", "astropy/astropy"),
        ("scikit-learn__scikit-learn-10297", "scikit-learn/scikit-learn"),
        ("org/repo:pr-12", "org/repo"),
        ("owner__name.1a2b3c4d.func_basic__x1", "owner/name"),
        (f"instance_Org__Repo-{'0' * 40}-v{'1' * 8}", "Org/Repo"),
        ("apache__druid-13704", "apache/druid"),
        ("task 7", None),
    ],
)
def test_an_instance_id_tells_its_repository(instance: str, repository: str | None) -> None:
    assert repository_of(instance) == repository


def test_an_instance_without_a_repository_is_a_cluster_of_its_own(tmp_path: Path) -> None:
    kinds = {"org__repo-1": "resolved", "org__repo-2": "resolved", "puzzle": "unresolved"}
    source = evaluation(tmp_path / "runs", "ada", kinds).parent
    imported("swebench", source, tmp_path / "into")
    labels = {name: task["labels"]["repo"] for name, task in tasks(tmp_path / "into").items()}
    assert labels == {"org__repo-1": "org/repo", "org__repo-2": "org/repo", "puzzle": "puzzle"}


def test_instances_without_any_repository_have_no_axis(tmp_path: Path) -> None:
    source = evaluation(tmp_path / "runs", "ada", {"puzzle": "resolved", "riddle": "unresolved"}).parent
    imported("swebench", source, tmp_path / "into")
    assert [task.get("labels", {}) for task in tasks(tmp_path / "into").values()] == [{}, {}]


def test_a_report_counts_before_the_summary(tmp_path: Path) -> None:
    path = evaluation(tmp_path / "runs", "ada", {"org__repo-1": "resolved", "org__repo-2": "unresolved"})
    put(path.parent / RUN / "org__repo-1" / "report.json", instance_report("org__repo-1", FAILED))
    assert imported("swebench", path.parent, tmp_path / "into") == ["SOURCE-SCORE-DIFFERS"]
    assert [line["reward"] for line in rounds(tmp_path / "into")["2026-07-01-ada"]] == [0, 0]
    claims = manifest(tmp_path / "into", "2026-07-01-ada")["claims"]
    assert claims == {"source": "SWE-bench summary ada.r1.json", "resolved": 50.0}
    put(path, read(path) | {"resolved_ids": [], "error_ids": ["org__repo-1"], "resolved_instances": 0})
    put(path.parent / RUN / "org__repo-1" / "report.json", instance_report("org__repo-1", PASSED))
    assert imported("swebench", path.parent, tmp_path / "again") == ["SOURCE-SCORE-DIFFERS"]
    assert "org__repo-1 is resolved in its report, but listed as error" in caveats(tmp_path / "again")


def broken_report(**changes: object) -> dict[str, Any]:
    """Return a report of a resolved instance with other values."""
    report = instance_report("org__repo-1", PASSED)
    report["org__repo-1"] |= changes
    return report


@pytest.mark.parametrize(
    ("contents", "fact"),
    [
        ("", "its report is empty"),
        ('{"org__repo-1": {"resolved": tr', "its report is cut off"),
        ("]", "its report is not valid JSON"),
        ("[" * 100_000, "its report is not valid JSON"),
        ("[]", "its report does not mention this instance"),
        ('{"org__repo-2": {"resolved": true}}', "its report does not mention this instance"),
        (json.dumps(broken_report(resolved=None)), "its report has no verdict"),
        (json.dumps(broken_report(resolved=float("nan"))), "its report has no verdict"),
        (json.dumps(broken_report(tests_status={"PASS_TO_PASS": {}})), "its report has no tests of FAIL_TO_PASS"),
        (json.dumps(broken_report(tests_status=[])), "its report has no tests of FAIL_TO_PASS"),
        (
            json.dumps(broken_report(tests_status={"FAIL_TO_PASS": {"success": [1], "failure": []}})),
            "`success` of FAIL_TO_PASS in its report is not a list of tests",
        ),
        (
            json.dumps(broken_report(tests_status=instance_report("x", FAILED)["x"]["tests_status"])),
            "its report says resolved, but 1 of its 2 tests failed",
        ),
        (json.dumps(broken_report(tests_status=instance_report("x", {})["x"]["tests_status"])), "lists no tests"),
    ],
)
def test_without_a_usable_report_the_verdict_of_the_summary_counts(contents: str, fact: str, tmp_path: Path) -> None:
    path = evaluation(tmp_path / "runs", "ada", {"org__repo-1": "resolved", "org__repo-2": "resolved"})
    (path.parent / RUN / "org__repo-1" / "report.json").write_text(contents, encoding="utf-8")
    assert imported("swebench", path.parent, tmp_path / "into") == ["SOURCE-CASES-MISSING"]
    first, second = rounds(tmp_path / "into")["2026-07-01-ada"]
    assert (first["state"], first["reward"], first.get("total")) == ("scored", 1, None)
    assert (second["reward"], second["total"]) == (1, 2)
    assert fact in caveats(tmp_path / "into")


def test_an_instance_is_aborted_where_no_file_has_its_verdict(tmp_path: Path) -> None:
    path = evaluation(tmp_path / "runs", "ada", {f"org__repo-{number}": "resolved" for number in range(1, 5)})
    changes = {"resolved_ids": ["org__repo-2", "org__repo-4"], "error_ids": ["org__repo-2"]}
    put(path, read(path) | changes | {"failure_reasons": {"org__repo-3": "out_of_memory"}})
    for number in (1, 2, 3):
        (path.parent / RUN / f"org__repo-{number}" / "report.json").write_text("", encoding="utf-8")
    put(path, read(path) | {"error_ids": ["org__repo-2", "org__repo-3"]})
    codes = imported("swebench", path.parent, tmp_path / "into")
    assert codes == ["SOURCE-RUN-FAILED", "SOURCE-SCORE-DIFFERS"]
    lines = rounds(tmp_path / "into")["2026-07-01-ada"]
    assert [line.get("cause") for line in lines] == [
        "the summary says that it was evaluated, but not how it ended",
        "the summary lists it with different verdicts",
        "out of memory",
        None,
    ]


@pytest.mark.parametrize("name", ["../../../../secret", "/etc", "\ud800", "a\0b", "x" * 5000])
def test_an_instance_is_no_way_out_of_the_logs(name: str, tmp_path: Path) -> None:
    path = evaluation(tmp_path / "runs", "ada", {"org__repo-1": "resolved"})
    put(tmp_path / "runs" / "secret" / "report.json", {name: {"resolved": True}})
    put(path, read(path) | {"unresolved_ids": [name], "error_ids": [f"{name}2"], "total_instances": 3})
    codes = imported("swebench", path.parent, tmp_path / "into")
    assert codes == ["SOURCE-CASES-MISSING", "SOURCE-RUN-FAILED"]
    ends = sorted((line["state"], line["reward"]) for line in rounds(tmp_path / "into")["2026-07-01-ada"])
    assert ends == [("aborted", 0), ("scored", 0), ("scored", 1)]


def test_a_summary_that_is_cut_off_is_to_be_copied_again(tmp_path: Path) -> None:
    path = evaluation(tmp_path / "runs", "ada", {"org__repo-1": "resolved"})
    path.write_bytes(path.read_bytes()[:-20])
    assert refused("swebench", path.parent) == [("SOURCE-CUT-OFF", "ada.r1.json is cut off")]


def test_a_summary_without_its_lists_is_left_out_beside_others(tmp_path: Path) -> None:
    path = evaluation(tmp_path / "runs", "ada", {"org__repo-1": "resolved"})
    evaluation(path.parent, "bob", {"org__repo-1": "resolved"})
    put(path, read(path) | {"resolved_ids": None})
    codes = imported("swebench", path.parent, tmp_path / "into")
    assert codes == ["SOURCE-FILE-MISSING", "SOURCE-LEFT-OUT"]
    assert [*rounds(tmp_path / "into")] == ["2026-07-01-ada", "2026-07-01-bob"]
    bare = put(tmp_path / "bare" / "ada.r1.json", read(path))
    assert refused("swebench", bare.parent) == [
        ("SOURCE-TASK-UNKNOWN", "ada.r1.json counts instances, but has no list of `resolved_ids`")
    ]


def test_a_summary_that_counts_more_than_it_lists_is_told(tmp_path: Path) -> None:
    path = evaluation(tmp_path / "runs", "ada", {"org__repo-1": "resolved", "org__repo-2": "unresolved"})
    put(path, read(path) | {"resolved_instances": 2, "total_instances": 300, "schema_version": 3})
    codes = imported("swebench", path.parent, tmp_path / "into")
    assert codes == ["SOURCE-PART", "SOURCE-SCORE-DIFFERS", "SOURCE-VERSION-NEWER"]
    assert "the summary names 2 of 300 instances" in caveats(tmp_path / "into")
    assert "the summary counts 2 resolved instances, but 1 are resolved" in caveats(tmp_path / "into")


def test_a_summary_that_lists_more_than_it_counts_is_told(tmp_path: Path) -> None:
    path = evaluation(tmp_path / "runs", "ada", {"org__repo-1": "resolved", "org__repo-2": "empty"})
    put(path, read(path) | {"total_instances": 1})
    assert imported("swebench", path.parent, tmp_path / "into") == ["SOURCE-SCORE-DIFFERS"]
    assert "the summary counts 1 instance, but lists 2" in caveats(tmp_path / "into")
    assert manifest(tmp_path / "into", "2026-07-01-ada")["claims"]["resolved"] == 100


def test_reports_of_instances_that_the_summary_does_not_count_are_left_out(tmp_path: Path) -> None:
    path = evaluation(tmp_path / "runs", "ada", {"org__repo-1": "resolved"})
    put(path, read(path) | {"submitted_ids": ["org__repo-1", "org__repo-2"]})
    put(path.parent / RUN / "org__repo-2" / "report.json", instance_report("org__repo-2", PASSED))
    codes = imported("swebench", path.parent, tmp_path / "into")
    assert codes == ["SOURCE-LEFT-OUT", "SOURCE-PART"]
    assert [line["task"] for line in rounds(tmp_path / "into")["2026-07-01-ada"]] == ["org__repo-1"]


def test_logs_without_a_summary_come_in(tmp_path: Path) -> None:
    path = evaluation(tmp_path / "runs", "ada", {"org__repo-1": "resolved", "org__repo-2": "unresolved"})
    path.unlink()
    assert imported("swebench", path.parent, tmp_path / "into") == ["SOURCE-FILE-MISSING"]
    assert [line["reward"] for line in rounds(tmp_path / "into")["2026-07-01-ada"]] == [1, 0]
    predictions = [
        {"model_name_or_path": "ada", "instance_id": f"org__repo-{number}", "model_patch": patch}
        for number, patch in ((1, "d"), (2, "d"), (3, None), (4, "d"))
    ]
    put_lines(path.parent / "preds.jsonl", predictions)
    assert imported("swebench", path.parent, tmp_path / "again") == ["SOURCE-PART"]
    assert [line["state"] for line in rounds(tmp_path / "again")["2026-07-01-ada"]] == ["scored", "scored", "no_cases"]
    assert "3 of 4 predictions were evaluated; not evaluated: org__repo-4" in caveats(tmp_path / "again")
    copied = (path.parent / RUN).rename(tmp_path / "cedar-3")
    codes = imported("swebench", copied, tmp_path / "alone")
    assert codes == ["SOURCE-DATE-ASSUMED", "SOURCE-FILE-MISSING"]
    assert "the logs in cedar-3 are of a model of that name" in caveats(tmp_path / "alone")


def test_the_day_is_that_of_the_run_or_of_its_first_log(tmp_path: Path) -> None:
    source = evaluation(tmp_path / "runs", "ada", {"org__repo-1": "resolved"}).parent
    (source / RUN.parent / "run.json").unlink()
    assert imported("swebench", source, tmp_path / "undated") == ["SOURCE-DATE-ASSUMED"]
    (source / RUN / "org__repo-1" / "run_instance.log").write_text("2026-06-30 23:00:00,1 - INFO\n", encoding="utf-8")
    assert imported("swebench", source, tmp_path / "into") == []
    assert [*rounds(tmp_path / "into")] == ["2026-06-30-ada"]
    put(source / RUN.parent / "run.json", {"created_at": "1979-05-27T07:32:00Z"})
    assert imported("swebench", source, tmp_path / "old") == ["SOURCE-DATE-ASSUMED"]


def test_runs_without_a_time_are_in_the_order_of_their_run_ids(tmp_path: Path) -> None:
    for run, kind in (("r10", "unresolved"), ("r2", "resolved")):
        evaluation(tmp_path / "runs", "ada", {"org__repo-1": kind}, run)
    ((code, message),) = refused("swebench", tmp_path / "runs")
    assert code == "SOURCE-RUNS-SEVERAL"
    assert "ada.r2.json, ada.r10.json" in message
    imported("swebench", tmp_path / "runs", tmp_path / "into", "--runs", "attempts")
    assert [line["reward"] for line in rounds(tmp_path / "into")["2026-07-01-ada"]] == [1, 0]
    assert "took place in the order of their run ids: r2, r10" in caveats(tmp_path / "into")
    assert sorted(["r10", "r2", "r2b"], key=natural_key) == ["r2", "r2b", "r10"]


def test_runs_on_different_instances_are_one_run(tmp_path: Path) -> None:
    evaluation(tmp_path / "runs", "ada", {"org__repo-1": "resolved"}, "r1")
    evaluation(tmp_path / "runs", "ada", {"org__repo-2": "unresolved"}, "r2")
    assert imported("swebench", tmp_path / "runs", tmp_path / "into") == []
    assert [line["reward"] for line in rounds(tmp_path / "into")["2026-07-01-ada"]] == [1, 0]


@pytest.mark.parametrize("subfolder", ["eval_outputs", "cedar-3", "."])
def test_logs_in_other_folders_belong_to_the_one_summary_that_fits(subfolder: str, tmp_path: Path) -> None:
    path = evaluation(tmp_path / "runs", "cedar-3", {"org__repo-1": "resolved", "org__repo-2": "error"})
    name = path.name if subfolder == "cedar-3" else "report.json"
    folder = tmp_path / "copied"
    put(folder / name, read(path))
    put(folder / subfolder / "org__repo-1" / "report.json", instance_report("org__repo-1", PASSED))
    codes = imported("swebench", folder, tmp_path / "into", "--agent", "Acme-1", "--date", "2026-07-01")
    assert codes == ["SOURCE-RUN-FAILED"]
    lines = rounds(tmp_path / "into")["2026-07-01-acme-1"]
    assert [(line["state"], line["total"]) for line in lines] == [("scored", 2), ("aborted", 0)]


def test_summaries_and_logs_of_one_name_belong_together_where_they_lie_together(tmp_path: Path) -> None:
    for folder, kind in (("first", "resolved"), ("second", "unresolved")):
        evaluation(tmp_path / "runs" / folder, "ada", {"org__repo-1": kind})
    assert [code for code, _ in refused("swebench", tmp_path / "runs")] == ["SOURCE-RUNS-SEVERAL"]
    assert imported("swebench", tmp_path / "runs", tmp_path / "into", "--runs", "attempts") == []
    assert [line["reward"] for line in rounds(tmp_path / "into")["2026-07-01-ada"]] == [1, 0]


def test_predictions_that_another_run_evaluated_are_not_named(tmp_path: Path) -> None:
    for run, number in (("r1", 1), ("r2", 2)):
        path = evaluation(tmp_path / "runs", "ada", {f"org__repo-{number}": "resolved"}, run)
        put(path, read(path) | {"submitted_ids": ["org__repo-1", "org__repo-2", "org__repo-3"]})
    assert imported("swebench", tmp_path / "runs", tmp_path / "into") == ["SOURCE-PART"]
    assert "2 of 3 predictions were evaluated; not evaluated: org__repo-3" in caveats(tmp_path / "into")


def test_a_copy_of_a_summary_is_passed_over_and_another_one_is_asked_about(tmp_path: Path) -> None:
    path = evaluation(tmp_path / "runs", "ada", {"org__repo-1": "resolved", "org__repo-2": "resolved"})
    copy = put(path.parent / "backup" / path.name, read(path))
    assert imported("swebench", path.parent, tmp_path / "into") == []
    changes = {"resolved_ids": ["org__repo-1"], "unresolved_ids": ["org__repo-2"], "resolved_instances": 1}
    put(copy, read(path) | changes)
    assert [code for code, _ in refused("swebench", path.parent)] == ["SOURCE-RUNS-SEVERAL"]


def test_a_run_in_which_nothing_was_evaluated_is_left_out(tmp_path: Path) -> None:
    source = evaluation(tmp_path / "runs", "ada", {"org__repo-1": "error"}).parent
    assert [code for code, _ in refused("swebench", source)] == ["SOURCE-NOTHING-SCORED"]
    evaluation(source, "bob", {"org__repo-1": "resolved"})
    assert imported("swebench", source, tmp_path / "into") == ["SOURCE-LEFT-OUT"]
    assert [*rounds(tmp_path / "into")] == ["2026-07-01-bob"]


def test_patches_that_do_not_apply_are_a_verdict_on_the_agent(tmp_path: Path) -> None:
    source = evaluation(tmp_path / "runs", "ada", {"org__repo-1": "error"}).parent
    log = source / RUN / "org__repo-1" / "run_instance.log"
    log.parent.mkdir(parents=True)
    log.write_text(">>>>> Patch Apply Failed\n", encoding="utf-8")
    assert imported("swebench", source, tmp_path / "into") == ["SOURCE-RUN-FAILED"]


def hosted(root: Path, run: str, resolved: list[str], unresolved: list[str], pending: list[str]) -> Path:
    """Write a report of the hosted evaluation."""
    lists = {"resolved_ids": resolved, "unresolved_ids": unresolved, "pending_ids": pending}
    submitted = {"submitted_ids": [*resolved, *unresolved, *pending], "completed_ids": [*resolved, *unresolved]}
    total = {"total_instances": 3, "resolved_instances": len(resolved)}
    return put(root / f"swe-bench_lite__test__{run}.json", total | submitted | lists)


def test_a_hosted_report_has_the_model_of_the_predictions_beside_it(tmp_path: Path) -> None:
    names = [f"org__repo-{number}" for number in range(1, 4)]
    hosted(tmp_path / "runs", "mine", names[:1], names[1:2], names[2:])
    assert [code for code, _ in refused("swebench", tmp_path / "runs")] == ["SOURCE-AGENT-UNKNOWN"]
    put(
        tmp_path / "runs" / "preds.json",
        {name: {"model_name_or_path": "tin/kettle", "model_patch": "d"} for name in names},
    )
    codes = imported("swebench", tmp_path / "runs", tmp_path / "into", "--date", "2026-07-01")
    assert codes == ["SOURCE-CASES-MISSING", "SOURCE-PART"]
    assert [*rounds(tmp_path / "into")] == ["2026-07-01-kettle"]
    assert "2 of 3 predictions were evaluated; not evaluated: org__repo-3" in caveats(tmp_path / "into")


def test_hosted_reports_that_contradict_each_other_are_two_runs(tmp_path: Path) -> None:
    hosted(tmp_path / "runs", "mine", ["org__repo-1"], ["org__repo-2"], ["org__repo-3"])
    hosted(tmp_path / "runs", "mine-1", ["org__repo-2"], ["org__repo-1"], ["org__repo-3"])
    answers = refused("swebench", tmp_path / "runs", "--agent", "Acme-1")
    assert [code for code, _ in answers] == ["SOURCE-RUNS-SEVERAL"]


def test_two_owners_of_one_model_name_are_two_agents(tmp_path: Path) -> None:
    for model in ("tin__kettle", "lead__kettle"):
        evaluation(tmp_path / "runs", model, {"org__repo-1": "resolved"})
    assert imported("swebench", tmp_path / "runs", tmp_path / "into") == []
    agents = [manifest(tmp_path / "into", bundle)["agent"] for bundle in rounds(tmp_path / "into")]
    assert [(agent["name"], agent["organization"]) for agent in agents] == [
        ("kettle (lead)", "lead"),
        ("kettle (tin)", "tin"),
    ]


def test_a_dataset_is_named_like_a_task(tmp_path: Path) -> None:
    for run, dataset, number in (("r1", "SWE-bench/SWE-bench_Lite", 1), ("r2", "data/mine.json", 2)):
        source = evaluation(
            tmp_path / "runs", "ada", {"org__repo-0": "resolved", f"org__repo-{number}": "resolved"}, run
        )
        put(source.parent / "logs" / "run_evaluation" / run / "run.json", {"dataset": dataset})
    assert [code for code, _ in refused("swebench", tmp_path / "runs")] == ["SOURCE-DATASETS-MIXED"]
    day = ("--date", "2026-07-01")
    imported("swebench", tmp_path / "runs", tmp_path / "into", *day, "--task", "lite", "--task", "org__repo-1")
    assert [line["task"] for line in rounds(tmp_path / "into")["2026-07-01-ada"]] == ["org__repo-1"]


def test_the_datasets_own_patches_are_no_agents_work(tmp_path: Path) -> None:
    source = evaluation(tmp_path / "runs", "gold", {"org__repo-1": "resolved"}).parent
    assert imported("swebench", source, tmp_path / "into") == ["SWEBENCH-GOLD"]
