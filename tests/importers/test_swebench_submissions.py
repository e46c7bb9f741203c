"""Submissions to SWE-bench's leaderboard, in the layouts that its repository has had."""

import json
import tomllib
from collections.abc import Mapping
from datetime import date
from pathlib import Path

import pytest
from kit.foreign_sources import FAILED, PASSED, imported, instance_report, manifest, put, put_lines, refused, rounds

from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.swebench.source import read_swebench

DAY = date(2026, 7, 1)
METADATA = """\
info:
  name: Ada's System
tags: {checked: false, model: ada-1, org: [Acme, Other], system: {attempts: 2+}}
"""


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


def caveats(into: Path) -> str:
    """Return the caveats of the one bundle."""
    (bundle,) = rounds(into)
    return "\n".join(manifest(into, bundle)["caveats"])


def test_a_submission_names_its_system_and_its_instances(tmp_path: Path) -> None:
    lists = {"no_generation": ["org__repo-1"], "no_logs": ["org__repo-2"], "resolved": ["org__repo-3"]}
    folder = submission(tmp_path, lists, {"org__repo-3": True, "org__repo-9": False}, METADATA)
    codes = imported("swebench", folder.parents[2], tmp_path / "into")
    assert codes == ["SOURCE-PART", "SOURCE-RUN-FAILED", "SWEBENCH-UNCHECKED"]
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


@pytest.mark.parametrize(
    ("name", "is_listed", "end"),
    [
        ("org__repo-9", False, ("aborted", 0)),
        ("org__repo-3", True, ("scored", 1)),
    ],
)
def test_the_lists_count_where_a_report_is_lost(
    name: str, end: tuple[str, int], tmp_path: Path, *, is_listed: bool
) -> None:
    reports = {"org__repo-3": True, "org__repo-8": True, "org__repo-9": False}
    folder = submission(tmp_path, {"resolved": ["org__repo-3", "org__repo-8"]}, reports)
    (folder / "logs" / name / "report.json").unlink()
    codes = imported("swebench", folder, tmp_path / "into")
    assert ("SOURCE-CASES-MISSING" in codes, "SOURCE-RUN-FAILED" in codes) == (is_listed, not is_listed)
    (lines,) = rounds(tmp_path / "into").values()
    assert {line["task"]: (line["state"], line["reward"]) for line in lines}[name] == end


def test_a_submission_without_logs_tells_what_is_resolved_and_no_test(tmp_path: Path) -> None:
    folder = submission(tmp_path, {"resolved": ["org__repo-3"]}, {})
    assert "SOURCE-CASES-MISSING" in imported("swebench", folder, tmp_path / "into")
    (lines,) = rounds(tmp_path / "into").values()
    assert [(line["state"], line["reward"], line.get("total")) for line in lines] == [
        ("scored", 1, None),
        ("scored", 0, None),
    ]
    assert manifest(tmp_path / "into", "2026-06-30-ada")["detail"]["cases"] == "none"


@pytest.mark.parametrize(
    ("lists", "ends"),
    [
        ({"resolved": ["org__repo-3", "org__repo-3"]}, ["scored 1", "scored 0"]),
        ({"resolved": ["org__repo-3"], "no_logs": ["org__repo-3"]}, ["aborted 0", "scored 0"]),
        ({"resolved": ["org__repo-4"]}, ["scored 0", "scored 1", "scored 0"]),
        ({"resolved": None}, ["scored 0", "scored 0"]),
        ({"resolved": [3, "", {}, "org__repo-3"]}, ["scored 1", "scored 0"]),
    ],
)
def test_lists_that_contradict_each_other_are_told(lists: object, ends: list[str], tmp_path: Path) -> None:
    folder = submission(tmp_path, {"resolved": ["org__repo-3"]}, {})
    assert isinstance(lists, dict)
    put(folder / "results" / "results.json", {"no_generation": [], "no_logs": [], "resolved": []} | lists)
    imported("swebench", folder, tmp_path / "into")
    (lines,) = rounds(tmp_path / "into").values()
    assert [f"{line['state']} {line['reward']}" for line in lines] == ends


def test_a_patch_that_is_empty_resolves_nothing(tmp_path: Path) -> None:
    folder = submission(tmp_path, {"resolved": ["org__repo-3"]}, {})
    predictions = [
        {"instance_id": f"org__repo-{number}", "model_patch": patch} for number, patch in ((3, ""), (9, "d"))
    ]
    put_lines(folder / "all_preds.jsonl", predictions)
    codes = imported("swebench", folder, tmp_path / "into")
    assert "SOURCE-SCORE-DIFFERS" in codes
    (lines,) = rounds(tmp_path / "into").values()
    assert [(line["state"], line["reward"]) for line in lines] == [("no_cases", 0), ("scored", 0)]
    assert manifest(tmp_path / "into", "2026-06-30-ada")["claims"]["resolved"] == 50.0


def test_counts_by_repository_that_differ_are_told(tmp_path: Path) -> None:
    folder = submission(tmp_path, {"resolved": ["org__repo-3"]}, {})
    put(folder / "results" / "resolved_by_repo.json", {"org/repo": {"resolved": 2, "total": 2}})
    assert "SOURCE-SCORE-DIFFERS" in imported("swebench", folder, tmp_path / "into")
    assert "1 of 2 instances of org/repo are resolved, but resolved_by_repo.json has 2 of 2" in caveats(
        tmp_path / "into"
    )


def test_a_submission_that_does_not_name_its_instances_comes_in_as_a_score(tmp_path: Path) -> None:
    folder = submission(tmp_path, {"resolved": ["org__repo-3"], "no_logs": ["org__repo-4"]}, {}, METADATA)
    (folder / "all_preds.jsonl").unlink()
    put(folder / "results" / "resolved_by_repo.json", {"org/repo": {"resolved": 1, "total": 8}})
    assert imported("swebench", folder, tmp_path / "into") == ["SOURCE-FIGURES-ONLY"]
    (path,) = tmp_path.glob("into/mine/reported/*.toml")
    (row,) = tomllib.loads(path.read_text("utf-8"))["rows"]
    assert (row["name"], row["values"]["resolved"]["value"]) == ("Ada's System", 12.5)
    (folder / "results" / "resolved_by_repo.json").unlink()
    moved = folder.rename(tmp_path / "20260630_ada")
    assert [code for code, _ in refused("swebench", moved)] == ["SOURCE-TASK-UNKNOWN"]


def test_files_that_decide_which_instances_count_have_to_be_complete(tmp_path: Path) -> None:
    folder = submission(tmp_path, {"resolved": ["org__repo-3"]}, {})
    predictions, results = folder / "all_preds.jsonl", folder / "results" / "results.json"
    content = predictions.read_bytes()
    predictions.write_bytes(content[:-5])
    assert refused("swebench", folder) == [("SOURCE-CUT-OFF", "all_preds.jsonl is cut off")]
    predictions.write_bytes(b"{}\n[]\n" + content)
    ((code, message),) = refused("swebench", folder)
    assert (code, message) == ("SOURCE-BROKEN", "all_preds.jsonl has a line that is not a prediction (line 2)")
    predictions.write_bytes(content)
    results.write_bytes(results.read_bytes()[:-5])
    assert refused("swebench", folder) == [("SOURCE-CUT-OFF", "results.json is cut off")]


def test_metadata_that_can_not_be_read_leave_the_name_of_the_folder(tmp_path: Path) -> None:
    folder = submission(tmp_path, {"resolved": ["org__repo-3"]}, {}, "a: [")
    assert "SOURCE-FILE-BROKEN" in imported("swebench", folder, tmp_path / "into")
    assert [*rounds(tmp_path / "into")] == ["2026-06-30-ada"]


def test_results_of_2023_have_lists_for_each_repository(tmp_path: Path) -> None:
    lists_by_repository = {
        "org/repo": {
            "none": ["org__repo-1"],
            "generated": ["org__repo-2", "org__repo-3", "org__repo-4", "org__repo-5"],
            "with_logs": ["org__repo-2", "org__repo-3", "org__repo-4"],
            "applied": ["org__repo-2", "org__repo-3"],
            "resolved": ["org__repo-2"],
        }
    }
    path = put(tmp_path / "20231010_rag" / "results.json", lists_by_repository)
    assert imported("swebench", path.parent, tmp_path / "into") == ["SOURCE-CASES-MISSING", "SOURCE-RUN-FAILED"]
    (lines,) = rounds(tmp_path / "into").values()
    assert [(line["state"], line["reward"], line.get("cause")) for line in lines] == [
        ("no_cases", 0, "there is no patch"),
        ("scored", 1, None),
        ("scored", 0, None),
        ("aborted", 0, "no test result could be read from the log"),
        ("aborted", 0, "the evaluation left no log"),
    ]


def put_run_summary(folder: Path, **lists: list[str]) -> Path:
    """Write a submission whose `results.json` is the summary of a run, as those to Multi-SWE-bench are."""
    names = ("completed_ids", "incomplete_ids", "resolved", "unresolved_ids", "error_ids", "empty_patch_ids")
    content = {name: lists.get(name, []) for name in names}
    total = len({name for names in lists.values() for name in names})
    put(folder / "results" / "results.json", {"total_instances": total} | content)
    (folder / "metadata.yaml").write_text("name: Ada's System\nverified: true\n", encoding="utf-8")
    return folder


def test_a_summary_as_results_counts_instances_without_prediction_and_has_its_own_split(tmp_path: Path) -> None:
    folder = put_run_summary(
        tmp_path / "evaluation" / "java" / "verified" / "20240825_ada",
        resolved=["org__repo-1"],
        unresolved_ids=["org__repo-2"],
        error_ids=["org__repo-3"],
        empty_patch_ids=["org__repo-4"],
        incomplete_ids=["org__repo-5"],
    )
    assert imported("swebench", folder, tmp_path / "into") == ["SOURCE-CASES-MISSING", "SOURCE-RUN-FAILED"]
    (lines,) = rounds(tmp_path / "into").values()
    states = [(line["state"], line["reward"]) for line in lines]
    assert states == [("scored", 1), ("scored", 0), ("aborted", 0), ("no_cases", 0), ("no_cases", 0)]


def test_the_results_of_a_submission_alone_are_the_summary_of_a_run(tmp_path: Path) -> None:
    folder = put_run_summary(tmp_path / "20240825_ada", resolved=["org__repo-1"], unresolved_ids=["org__repo-2"])
    path = folder / "results" / "results.json"
    assert refused("swebench", path)[0][0] == "SOURCE-AGENT-UNKNOWN"
    imported("swebench", path, tmp_path / "into", "--agent", "ada")
    (lines,) = rounds(tmp_path / "into").values()
    assert [line["reward"] for line in lines] == [1, 0]


def test_results_of_swe_bench_pro_are_those_of_the_run_that_the_folder_is_named_after(tmp_path: Path) -> None:
    put(tmp_path / "traj" / "ada-1" / "eval_results.json", {"instance_a__b-1": True, "instance_a__b-2": False})
    put(tmp_path / "traj" / "ada-2" / "eval_results.json", {"instance_a__b-1": False, "instance_a__b-2": None})
    imported("swebench", tmp_path / "traj", tmp_path / "into")
    rewards = {name: [line["reward"] for line in lines] for name, lines in rounds(tmp_path / "into").items()}
    assert list(rewards.values()) == [[1, 0], [0, 0]]
    assert [name[11:] for name in rewards] == ["ada-1", "ada-2"]
