"""What is written down and told when a site is published, by the steps of publish.yml as they are."""

import shutil
from hashlib import sha256
from pathlib import Path

from kit.command import done
from kit.forked_repository import ROOT, commit, git
from kit.workflow_runs import Runner, workflow


def test_new_submissions_are_written_down_on_the_main_branch_once(tmp_path: Path) -> None:
    origin, job = tmp_path / "acme" / "board", workflow("publish")["jobs"]["arrivals"]
    shutil.copytree(ROOT / "tests" / "corpus" / "base", origin / "results")
    git(origin, "init", "-q", "-b", "main")
    git(origin, "config", "receive.denyCurrentBranch", "updateInstead")
    commit(origin, "Results")

    def run(name: str) -> dict[str, str]:
        def fetch(_: object) -> None:
            git(tmp_path, "clone", "-q", str(origin), str(runner.workspace))

        def write() -> None:
            done("release", "--arrivals", folder=runner.workspace)

        runner = Runner(
            tmp_path / name,
            {"github.token": "secret"},
            {"actions/checkout": fetch, "actions/setup-python": lambda _: None},
            {"Add a line for each new submission": write},
            {"GITHUB_SERVER_URL": f"file://{tmp_path}", "GITHUB_REPOSITORY": "acme/board"},
        )
        runner.folder.mkdir()
        ended, steps = runner.run(job)
        assert ended == "success", steps
        return {step.name: step.said for step in steps.values()}

    run("first")
    lines = (origin / "results" / "arrivals.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(list(origin.glob("results/*/submissions/*")))
    assert git(origin, "log", "-1", "--format=%s") == "Record arrivals"
    head = git(origin, "rev-parse", "HEAD")
    run("again")
    assert git(origin, "rev-parse", "HEAD") == head
    git(origin, "config", "receive.denyCurrentBranch", "refuse")  # as a protected branch is
    shutil.copytree(origin / "results/mini/submissions/chain-birch", origin / "results/mini/submissions/chain-elm")
    commit(origin, "One more")
    assert "::warning::Workflows may not push" in run("refused")["Push the new lines"]


def test_what_is_attested_is_the_list_of_the_files_that_are_deployed(tmp_path: Path) -> None:
    jobs = workflow("publish")["jobs"]
    (telling,) = (step for step in jobs["build"]["steps"] if step.get("id") == "list")

    def build(_: object) -> None:
        (runner.workspace / "site").mkdir()
        (runner.workspace / "site" / "site.sha256").write_text("of all files", encoding="utf-8")

    runner = Runner(tmp_path, {}, {"build": build})
    assert runner.run({"steps": [{"name": "Build", "uses": "build"}, telling]})[0] == "success"
    digest = sha256(b"of all files").hexdigest()
    assert (tmp_path / "output").read_text(encoding="utf-8") == f"digest={digest}\n"
    attested = jobs["deploy"]["steps"][-1]["with"]
    assert attested == {"subject-name": "site.sha256", "subject-digest": "sha256:${{ needs.build.outputs.list }}"}
    assert jobs["build"]["outputs"] == {"list": "${{ steps.list.outputs.digest }}"}
