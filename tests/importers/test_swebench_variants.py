"""Relatives of SWE-bench's evaluation: OpenHands and Multi-SWE-bench, and summaries that only count."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from kit.foreign_sources import imported, manifest, put, put_lines, refused, rounds

from sitegen.importers.kit.tree import SourceTree
from sitegen.importers.swebench.source import recognise

NOTHING = ("empty_generation", "resolved", "failed_apply_patch", "error_eval", "test_timeout")

OUTCOMES: Mapping[str, tuple[str, ...]] = {
    "org__repo-1": ("resolved",),
    "org__repo-2": (),
    "org__repo-3": ("empty_generation",),
    "org__repo-4": ("failed_apply_patch",),
    "org__repo-5": ("error_eval", "test_timeout"),
    "org__repo-6": ("error_eval",),
}
"""What is true in the report of each instance."""


def line(instance: str, true: tuple[str, ...], model: str = "router/acme/acme-1") -> dict[str, Any]:
    """Return a line as the evaluation of OpenHands writes it."""
    report = {key: key in true for key in NOTHING}
    metadata = {
        "agent_class": "CodeActAgent",
        "llm_config": {"model": model},
        "start_time": "2026-03-04 10:00:00",
        "dataset": "demo/SWE-bench_Lite",
    }
    result = {"git_patch": "diff", "report": report, "test_output": "1 passed"}
    return {"instance_id": instance, "test_result": result, "metadata": metadata, "history": None}


def openhands(folder: Path, model: str = "router/acme/acme-1") -> Path:
    """Write an evaluation of OpenHands."""
    path = folder / "acme-1_maxiter_30" / "output.swebench_eval.jsonl"
    return put_lines(path, [line(name, true, model) for name, true in OUTCOMES.items()])


def test_an_evaluation_of_openhands_has_a_line_for_each_instance(tmp_path: Path) -> None:
    path = openhands(tmp_path / "runs")
    assert imported("swebench", path.parents[1], tmp_path / "into") == ["SOURCE-CASES-MISSING", "SOURCE-RUN-FAILED"]
    lines = rounds(tmp_path / "into")["2026-03-04-acme-1"]
    assert [(line["state"], line["reward"], line.get("cause")) for line in lines] == [
        ("scored", 1, None),
        ("scored", 0, None),
        ("no_cases", 0, "the patch is empty"),
        ("aborted", 0, "the patch could not be applied"),
        ("aborted", 0, "the tests took too long"),
        ("aborted", 0, "the evaluation wrote no report"),
    ]
    assert manifest(tmp_path / "into", "2026-03-04-acme-1")["agent"]["name"] == "acme-1"
    assert recognise(SourceTree(path)) is not None


def test_an_evaluation_of_openhands_without_a_model_asks_for_one(tmp_path: Path) -> None:
    path = openhands(tmp_path / "runs", "dummy_model")
    ((code, _),) = refused("swebench", path.parent)
    assert code == "SOURCE-AGENT-UNKNOWN"
    imported("swebench", path.parent, tmp_path / "into", "--agent", "Acme-1")
    assert list(rounds(tmp_path / "into")) == ["2026-03-04-acme-1"]


@pytest.mark.parametrize(
    ("cut", "code"), [(b'{"instance_id": "org__repo-7", "test_res', "SOURCE-CUT-OFF"), (b"[]\n", "SOURCE-BROKEN")]
)
def test_an_evaluation_of_openhands_that_is_broken_is_refused(tmp_path: Path, cut: bytes, code: str) -> None:
    path = openhands(tmp_path / "runs")
    path.write_bytes(path.read_bytes() + cut)
    ((actual_code, fact),) = refused("swebench", path.parent)
    assert (actual_code, "line 7" in fact) == (code, True)


def pull_request(number: int, *, is_valid: bool) -> dict[str, Any]:
    """Return a report of Multi-SWE-bench about the tests of one pull request."""
    result = {"passed_count": 1, "failed_count": 0, "skipped_count": 0, "passed_tests": ["a"]}
    tests: dict[str, Any] = {key: {} for key in ("fixed_tests", "p2p_tests", "f2p_tests", "s2p_tests", "n2p_tests")}
    facts = {"org": "acme", "repo": "lib", "number": number, "valid": is_valid, "error_msg": ""}
    return {**facts, **tests, "run_result": result, "fix_patch_result": result}


def test_reports_of_pull_requests_need_the_final_report(tmp_path: Path) -> None:
    """`valid` says that the patch fixed some test, not that it fixed all tests of the dataset."""
    source = tmp_path / "run"
    for number in (7, 8):
        report = pull_request(number, is_valid=number == 8)
        path = put(source / "acme" / "lib" / "evals" / f"pr-{number}" / "report.json", report)
    for source_path in (source, path):
        ((code, fact),) = refused("swebench", source_path)
        assert code == "SOURCE-NOTHING-SCORED"
        assert "do not say which instances are resolved" in fact
    assert "reports of Multi-SWE-bench" in (recognise(SourceTree(source)) or "")
    names = ["acme/lib:pr-7", "acme/lib:pr-8"]
    lists = {"completed_ids": names, "resolved_ids": names[:1], "unresolved_ids": names[1:]}
    put(source / "final_report.json", {"total_instances": 2, **lists})
    imported("swebench", source, tmp_path / "into", "--agent", "Acme-1")
    (lines,) = rounds(tmp_path / "into").values()
    assert [line["reward"] for line in lines] == [1, 0]


def test_a_summary_that_only_counts_says_what_to_give_instead(tmp_path: Path) -> None:
    path = put(tmp_path / "run" / "acme-1.r1.json", {"total_instances": 5, "resolved_instances": 3})
    ((code, fact),) = refused("swebench", path.parent)
    assert code == "SOURCE-TASK-UNKNOWN"
    assert fact == "acme-1.r1.json counts instances, but has no list of `resolved_ids`"
