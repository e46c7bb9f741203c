"""The check of a pull request, step by step on a checkout of a fork: without a secret and without a network."""

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from harmless import harmless
from kit.forked_repository import SUBMISSIONS, Upstream, bundle_on, replace, use_the_command, use_this_python
from kit.results_folders import seal
from kit.workflow_runs import Runner, Step, without_network, workflow

NEW = SUBMISSIONS / "2026-08-01-acme-1"
STRANGE = "Acme <img src=x> @octo [a](https://evil.example)"


@dataclass(frozen=True)
class Checked:
    """A pull request that was checked.

    Attributes:
        verdict: How the job ended.
        steps: Its steps by name.
        summary: What it wrote for the page of the run.
        artifacts: Folder with a folder for each artifact.
        workspace: Where it worked.
    """

    verdict: str
    steps: dict[str, Step]
    summary: str
    artifacts: Path
    workspace: Path

    @property
    def report(self) -> str:
        """The report that is put under the pull request."""
        return (self.artifacts / "report" / "report.md").read_text(encoding="utf-8")

    def annotations(self, severity: str) -> list[str]:
        """What the step that validates says about places in files."""
        return [line for line in self.steps["Validate"].said.splitlines() if line.startswith(f"::{severity} ")]


def check(upstream: Upstream, number: int, folder: Path, install: Callable[[Path], None]) -> Checked:
    """Run the workflow on a pull request."""
    context = {"github.event.pull_request.user.login": "somebody"}
    runner = Runner(folder, context, {})
    runner.instead = {"Install the program of the target branch": lambda: install(runner.workspace / "base")}
    runner.actions = {
        "actions/checkout": lambda asked: upstream.check_out(
            number, runner.workspace / asked["path"], asked["fetch-depth"]
        ),
        "actions/setup-python": lambda _: None,
        "actions/cache/restore": lambda _: None,
        "actions/upload-artifact": lambda asked: keep(
            runner.workspace / asked["path"], folder / "artifacts" / asked["name"]
        ),
    }
    verdict, steps = runner.run(workflow("check")["jobs"]["check"])
    return Checked(verdict, steps, runner.summary, folder / "artifacts", runner.workspace)


def keep(made: Path, artifact: Path) -> None:
    """Do what the action does that uploads: it leaves out hidden files."""
    shutil.copytree(made, artifact, ignore=shutil.ignore_patterns(".*"))


def add_bundle(root: Path) -> None:
    """Submit results: those of another agent, under a name of one's own."""
    shutil.copytree(bundle_on("chain", root), root / NEW)
    replace(root / NEW / "submission.toml", 'name = "Cedar Mini"', 'name = "Acme-1"')
    seal(root / NEW)


def change_quietly(root: Path) -> None:
    """Bring a broken bundle, a change of someone else's, a strange name, and a program that finds nothing wrong."""
    add_bundle(root)
    replace(root / NEW / "rounds.jsonl", '"passed": ', '"passed": 9')
    replace(root / NEW / "submission.toml", 'name = "Acme-1"', f"name = '{STRANGE}'")
    seal(root / NEW)
    other_bundle = bundle_on("fail-stop", root)
    replace(other_bundle / "submission.toml", 'organization = "', 'organization = "Not ')
    seal(other_bundle)
    trap = f"from pathlib import Path\nPath({str(root.parent / 'sprung')!r}).touch()\nraise SystemExit(0)\n"
    for name in (
        "sitegen/__init__.py",
        "sitegen/cli/__init__.py",
        "sitecustomize.py",
        "typer.py",
        "yaml.py",
        "hook.py",
    ):
        (root / name).write_text(trap, encoding="utf-8")
    (root / "Makefile").write_text(f"runtime:\n\ttouch {root.parent / 'sprung'}\n", encoding="utf-8")
    (root / "mkdocs.yml").write_text("site_name: Trap\nhooks: [hook.py]\n", encoding="utf-8")


@pytest.fixture(scope="module")
def upstream(tmp_path_factory: pytest.TempPathFactory) -> Upstream:
    return Upstream(tmp_path_factory.mktemp("flow") / "upstream")


@pytest.fixture(scope="module")
def good(upstream: Upstream) -> Checked:
    upstream.pull_request(add_bundle, 1)
    return check(upstream, 1, upstream.folder.parent / "good", use_the_command)


@pytest.fixture(scope="module")
def bad(upstream: Upstream) -> Checked:
    upstream.pull_request(change_quietly, 2)
    return check(upstream, 2, upstream.folder.parent / "bad", use_this_python)


def test_a_sound_submission_passes_every_step(good: Checked) -> None:
    assert {step.name: step.outcome for step in good.steps.values() if step.outcome != "success"} == {}
    assert good.verdict == "success"
    assert good.annotations("error") == []


def test_what_the_report_may_leave_out_is_kept_beside_it(good: Checked) -> None:
    _, changes_text = (good.artifacts / "report" / "changes.txt").read_text(encoding="utf-8").split("\n\n", 1)
    folded = good.report.split("</summary>\n\n", 1)[1].removesuffix("</details>\n")
    assert [
        line.lstrip("# ").replace("`", "") for line in folded.strip().splitlines()
    ] == changes_text.strip().splitlines()


def test_the_report_tells_the_new_row_and_whom_it_moves(good: Checked) -> None:
    assert "### `Acme-1` (`2026-08-01-acme-1`): new" in good.report
    assert "### Only their ranks change" in good.report
    assert good.report in good.summary


def test_the_report_and_the_log_begin_with_whose_change_it_is(good: Checked, bad: Checked) -> None:
    line = "This request adds demo/2026-08-01-acme-1, and changes nothing that is published."
    assert good.report.split("\n")[0].replace("`", "") == line
    assert good.annotations("notice")[0] == f"::notice title=What this request changes::{line}"
    assert bad.report.startswith(
        "This request adds `demo/2026-08-01-acme-1` and 1 change that a request with a submission may not make"
    )


def test_the_preview_is_the_site_with_the_new_row(good: Checked) -> None:
    board = (good.artifacts / "preview" / "demo" / "chain" / "index.html").read_text(encoding="utf-8")
    assert 'data-submission="2026-08-01-acme-1"' in board


def test_a_broken_submission_fails_after_everything_was_kept(bad: Checked) -> None:
    assert bad.verdict == "failure"
    upload_outcomes = {name: step.outcome for name, step in bad.steps.items() if name.startswith("Upload")}
    assert upload_outcomes == {"Upload the report": "success", "Upload the preview": "success"}
    assert bad.steps["Fail if a step failed"].outcome == "failure"


def test_annotations_point_into_files_as_the_repository_has_them(bad: Checked) -> None:
    assert any(
        annotation.startswith(f"::error file={NEW.as_posix()}/rounds.jsonl,line=1,title=ROUND-PASSED-ABOVE-TOTAL::")
        for annotation in bad.annotations("error")
    )


def test_a_change_of_what_is_published_is_an_error_at_its_file(bad: Checked) -> None:
    other_bundle = bundle_on("fail-stop", bad.workspace / "head").relative_to(bad.workspace / "head").as_posix()
    assert any(
        annotation.startswith(f"::error file={other_bundle}/submission.toml")
        and ",title=HISTORY-EDITED::" in annotation
        for annotation in bad.annotations("error")
    )


def test_the_report_names_what_was_changed_beside_the_submission(bad: Checked) -> None:
    other_name = bundle_on("fail-stop", bad.workspace / "head").name
    assert f"(`{other_name}`)" in bad.report
    assert "`agent.organization` `Systèmes d'essai` → `Not Systèmes d'essai`" in bad.report


def test_a_strange_name_is_nothing_but_code_in_the_comment(bad: Checked) -> None:
    quoted, omitted_count = harmless(bad.report, 60_000)
    assert omitted_count == 0
    assert f"`{STRANGE}`" in quoted
    assert not any(sign in re.sub("`[^`]+`", "", quoted) for sign in ("@octo", "<img", "](", "://"))


def test_nothing_of_the_pull_request_is_run(bad: Checked, upstream: Upstream) -> None:
    """It brings a program, a Makefile, settings and modules that would leave a trace."""
    assert (bad.workspace / "head" / "sitecustomize.py").exists()
    assert not (upstream.folder.parent / "sprung").exists()


def test_the_steps_have_no_network_and_no_secret(tmp_path: Path) -> None:
    if without_network() is None:
        pytest.skip("this machine lets nobody take the network from a command")
    runner = Runner(tmp_path, {}, {})
    job = {"steps": [{"name": "Look around", "run": "env; echo Routes:; tail --lines=+2 /proc/self/net/route"}]}
    output = runner.run(job)[1]["Look around"].said
    assert not any(term in output.upper() for term in ("TOKEN", "SECRET", "PASSWORD"))
    assert output.partition("Routes:\n")[2] == "", "there is a way to somewhere"
