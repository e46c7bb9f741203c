"""The check of a merge request on GitLab, as its script runs it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from kit.command import done
from kit.forked_repository import ROOT, Upstream, bundle_on, commit, git, replace, use_the_command
from kit.results_folders import seal

INSTALL = "make -C build/base runtime PYTHON=python"
RUNS = "task,attempt,round,reward,passed,total\ntidy,1,1,1,3,3\ntidy,1,2,0,2,4\n"


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
    code = check(ROOT / ".gitlab" / "leaderboard.yml", root, git(root, "rev-parse", "HEAD^1"))
    (folder / "code").write_text(str(code), encoding="utf-8")
    return root


def check(settings: Path, root: Path, base: str, **request: str) -> int:
    """Run the check of a merge request on a checkout of it, with its variables, and give its exit code."""
    laid, installed, judged = yaml.safe_load(settings.read_text(encoding="utf-8"))["check"]["script"]
    assert installed == INSTALL
    variables = {"CI_PROJECT_DIR": str(root), "CI_MERGE_REQUEST_DIFF_BASE_SHA": base, **request}
    assert run(laid, root, variables) == 0
    use_the_command(root / "build" / "base")
    return run(judged, root, variables)


def run(script: str, folder: Path, variables: dict[str, str]) -> int:
    """Run a script as GitLab's runner does, stopping at the first error."""
    command = ["bash", "-eo", "pipefail", "-c", script]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {"PATH": path, "HOME": str(folder.parent), **variables}
    return subprocess.run(command, cwd=folder, env=environment, check=False).returncode


def test_results_with_errors_fail_the_job(checkout: Path) -> None:
    assert (checkout.parent / "code").read_text(encoding="utf-8") == "1"


def test_problems_stand_at_their_lines_in_the_merge_request(checkout: Path) -> None:
    issues = json.loads((checkout / "build" / "report" / "code-quality.json").read_text(encoding="utf-8"))
    path = f"{bundle_on('chain', checkout).relative_to(checkout).as_posix()}/rounds.jsonl"
    assert {"path": path, "lines": {"begin": 1}} in [
        issue["location"] for issue in issues if issue["check_name"] == "ROUND-PASSED-ABOVE-TOTAL"
    ]


def test_report_and_preview_are_where_the_job_keeps_them(checkout: Path) -> None:
    settings = (ROOT / ".gitlab" / "leaderboard.yml").read_text(encoding="utf-8")
    artifact_paths = yaml.safe_load(settings)["check"]["artifacts"]["paths"]
    assert artifact_paths == ["build/report/", "build/preview/"]
    assert (checkout / "build/report/report.md").exists()
    assert (checkout / "build/report/changes.txt").read_text(encoding="utf-8").strip()
    assert (checkout / "build/preview/index.html").exists()


def test_the_program_s_own_pipeline_has_what_every_leaderboard_has() -> None:
    pipeline = yaml.safe_load((ROOT / ".gitlab-ci.yml").read_text(encoding="utf-8"))
    assert pipeline["include"] == [{"local": ".gitlab/leaderboard.yml"}]
    assert pipeline["test"]["script"] == ["bash .ci/run"]


def test_a_project_that_was_begun_for_gitlab_judges_its_first_submission(tmp_path: Path) -> None:
    root = tmp_path / "board"
    done("init", "board", "--host", "gitlab", folder=tmp_path)
    git(root, "init", "-q")
    commit(root, "The leaderboard")
    (tmp_path / "runs.csv").write_text(RUNS, encoding="utf-8")
    options = ("--benchmark", "board", "--agent", "Acme-1", "--date", "2026-07-01")
    done("import", "table", "../runs.csv", *options, folder=root)
    commit(root, "A submission")
    assert check(root / ".gitlab-ci.yml", root, git(root, "rev-parse", "HEAD^")) == 0
    (change,) = json.loads((root / "build/report/code-quality.json").read_text(encoding="utf-8"))
    line = "This request adds board/2026-07-01-acme-1, starts a new track, and changes nothing that is published."
    assert (change["description"], change["severity"]) == (line, "info")
    assert (root / "build/report/report.md").read_text(encoding="utf-8").split("\n")[0].replace("`", "") == line
    assert "2026-07-01-acme-1" in (root / "build/report/changes.txt").read_text(encoding="utf-8")
    assert (root / "build/preview/board/main/2026-07-01-acme-1/index.html").exists()


def withdraw_a_submission(root: Path) -> None:
    path = bundle_on("chain", root) / "submission.toml"
    status = 'state = "withdrawn"\nby = "Ada"\nreason = "A slip"\ndate = 2026-07-02'
    replace(path, 'state = "published"', status)
    seal(path.parent)


def name_an_account(root: Path) -> None:
    path = bundle_on("chain", root) / "submission.toml"
    replace(path, "[submitter]\n", '[submitter]\naccounts = ["gitlab:ada"]\n')
    seal(path.parent)


FORK = {"CI_MERGE_REQUEST_PROJECT_ID": "1", "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "2"}
BRANCH = {"CI_MERGE_REQUEST_PROJECT_ID": "1", "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "1"}


def of_project(path: str, starter: str) -> dict[str, str]:
    """Return the variables of the project that a merge request comes from, and of who started the pipeline."""
    return {"CI_MERGE_REQUEST_SOURCE_PROJECT_PATH": path, "GITLAB_USER_LOGIN": starter}


def test_the_owner_of_the_fork_may_withdraw_a_submission_of_the_own_account(tmp_path: Path) -> None:
    upstream = Upstream(tmp_path / "upstream")
    name_an_account(upstream.folder)
    commit(upstream.folder, "An account")
    upstream.pull_request(withdraw_a_submission, 1)
    root = tmp_path / "checkout"
    upstream.check_out(1, root, depth=2)
    request = {**FORK, **of_project("ada/board", "ada")}
    settings = ROOT / ".gitlab" / "leaderboard.yml"
    assert check(settings, root, git(root, "rev-parse", "HEAD^1"), **request) == 0
    line = "This request changes submissions that its author sent"
    assert (root / "build/report/report.md").read_text(encoding="utf-8").startswith(line)
    (first, *_) = json.loads((root / "build/report/code-quality.json").read_text(encoding="utf-8"))
    assert first["description"].startswith(line)


HOSTILE = "$(touch x);`touch x` ada --author gitlab:ada"


@pytest.mark.parametrize(
    ("variables", "author"),
    [
        ({**FORK, **of_project("ada/board", "ada")}, ["--author", "gitlab:ada"]),
        ({**FORK, **of_project("ada/board", "bob")}, []),
        ({**BRANCH, **of_project("bob/board", "bob")}, []),
        ({**FORK, **of_project("labs/ada/board", "ada")}, []),
        ({**FORK, **of_project("", "")}, []),
        ({}, []),
        ({**FORK, **of_project(f"{HOSTILE}/board", HOSTILE)}, ["--author", f"gitlab:{HOSTILE}"]),
    ],
    ids=["the owner", "a maintainer starts it", "a branch", "a group's fork", "empty", "no variables", "hostile"],
)
def test_the_author_is_whoever_started_the_pipeline_and_owns_the_fork(
    tmp_path: Path, variables: dict[str, str], author: list[str]
) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "README.md").write_text("A leaderboard\n", encoding="utf-8")
    commit(tmp_path, "The leaderboard")
    git(tmp_path, "worktree", "add", "-q", "--detach", "build/base", "HEAD")
    program = tmp_path / "build/base/.venv/bin/sitegen"
    program.parent.mkdir(parents=True)
    recorder = "import json, sys; print(json.dumps(sys.argv[1:]), file=open(sys.argv[0] + '.calls', 'a'))"
    program.write_text(f"#!{sys.executable}\n{recorder}\n", encoding="utf-8")
    program.chmod(0o755)
    settings = yaml.safe_load((ROOT / ".gitlab" / "leaderboard.yml").read_text(encoding="utf-8"))
    script = settings["check"]["script"][-1]
    assert run(script, tmp_path, {"CI_PROJECT_DIR": str(tmp_path), **variables}) == 0
    calls = program.with_name("sitegen.calls").read_text(encoding="utf-8").splitlines()
    judging = [json.loads(call) for call in calls]
    assert [call[0] for call in judging] == ["validate", "validate", "diff", "diff", "build"]
    for call in judging[:4]:
        assert call[3 if call[0] == "diff" else 4 :][: len(author)] == author
        assert call.count("--author") == len(author) / 2
    assert not list(tmp_path.rglob("x"))


def test_every_image_is_pinned_by_its_digest() -> None:
    settings = yaml.safe_load((ROOT / ".gitlab" / "leaderboard.yml").read_text(encoding="utf-8"))
    images = [job["image"] for job in settings.values() if isinstance(job, dict) and "image" in job]
    assert images
    for image in images:
        assert re.fullmatch(r"[\w.-]+:[\w.-]+@sha256:[0-9a-f]{64}", image), image
