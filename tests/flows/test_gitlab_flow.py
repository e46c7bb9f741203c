"""The check of a merge request on GitLab, as its script runs it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from code_quality import issue
from forks import ROOT, Upstream, bundle_on, git, replace, use_this_python

INSTALL = "make -C build/base runtime PYTHON=python"


def spoil(root: Path) -> None:
    replace(bundle_on("chain", root) / "rounds.jsonl", '"passed": ', '"passed": 9')


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout of a merge request whose script was run; its exit code stands in `code`."""
    folder = tmp_path_factory.mktemp("gitlab")
    upstream = Upstream(folder / "upstream")
    upstream.pull_request(spoil, 1)
    root = folder / "checkout"
    upstream.check_out(1, root, depth=2)
    laid, installed, judged = yaml.safe_load((ROOT / ".gitlab-ci.yml").read_text(encoding="utf-8"))["check"]["script"]
    assert installed == INSTALL
    variables = {"CI_PROJECT_DIR": str(root), "CI_MERGE_REQUEST_DIFF_BASE_SHA": git(root, "rev-parse", "HEAD^1")}
    assert run(laid, root, variables) == 0
    use_this_python(root / "build" / "base")
    (folder / "code").write_text(str(run(judged, root, variables)), encoding="utf-8")
    return root


def run(script: str, folder: Path, variables: dict[str, str]) -> int:
    """Run a script as GitLab's runner does, stopping at the first error."""
    command = ["bash", "-eo", "pipefail", "-c", script]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {"PATH": path, "HOME": str(folder.parent), **variables}
    return subprocess.run(command, cwd=folder, env=environment, check=False).returncode


def test_results_with_errors_fail_the_job(checkout: Path) -> None:
    assert (checkout.parent / "code").read_text(encoding="utf-8") == "1"


def test_problems_stand_at_their_lines_in_the_merge_request(checkout: Path) -> None:
    found = json.loads((checkout / "build" / "report" / "code-quality.json").read_text(encoding="utf-8"))
    place = f"{bundle_on('chain', checkout).relative_to(checkout).as_posix()}/rounds.jsonl"
    assert {"path": place, "lines": {"begin": 1}} in [
        each["location"] for each in found if each["check_name"] == "ROUND-PASSED-ABOVE-TOTAL"
    ]


def test_report_and_preview_are_where_the_job_keeps_them(checkout: Path) -> None:
    kept = yaml.safe_load((ROOT / ".gitlab-ci.yml").read_text(encoding="utf-8"))["check"]["artifacts"]["paths"]
    assert kept == ["build/report/", "build/preview/"]
    assert (checkout / "build/report/report.md").exists()
    assert (checkout / "build/report/changes.txt").read_text(encoding="utf-8").strip()
    assert (checkout / "build/preview/index.html").exists()


def problem(**changes: object) -> dict[str, Any]:
    known = {"code": "A-RULE", "severity": "error", "path": "results/x", "line": 4, "what": "wrong", "fix": "mend it"}
    return known | changes


def test_a_problem_stays_the_same_one_where_only_its_line_moves() -> None:
    assert issue(problem())["fingerprint"] == issue(problem(line=5))["fingerprint"]
    assert issue(problem())["fingerprint"] != issue(problem(what="otherwise"))["fingerprint"]


def test_a_warning_weighs_less_than_an_error_and_a_folder_has_a_first_line() -> None:
    found = issue(problem(severity="warning", line=None))
    assert (found["severity"], found["location"]) == ("minor", {"path": "results/x", "lines": {"begin": 1}})
    assert issue(problem())["severity"] == "major"
