"""The workflow that comments on a pull request, run against a simulated GitHub."""

import json
import shutil
from pathlib import Path

from .forked_repository import ROOT
from .github_server import REPOSITORY, TOKEN, GitHub, serving
from .workflow_runs import Runner, Step, workflow


def comment(github: GitHub, folder: Path) -> tuple[str, dict[str, Step]]:
    """Run the commenting workflow on a checkout of the default branch; return its outcome and steps."""
    event = folder / "event.json"
    event.write_text(json.dumps(github.event), encoding="utf-8")
    run = github.event["workflow_run"]
    context = {f"github.event.workflow_run.{key}": str(run[key]) for key in ("event", "conclusion")}
    with serving(github):
        environment = {
            "GITHUB_API_URL": github.address,
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_EVENT_PATH": str(event),
        }
        runner = Runner(folder / "machine", context | {"github.token": TOKEN}, {}, {}, environment, online=True)
        runner.actions = {
            "actions/checkout": lambda asked: fetch(runner.workspace, asked["sparse-checkout"]),
        }
        return runner.run(workflow("comment")["jobs"]["comment"])


def fetch(workspace: Path, folder: str) -> None:
    """Replace the checkout action: copy one folder of the default branch."""
    shutil.copytree(ROOT / folder, workspace / folder)


def commented(github: GitHub, folder: Path) -> str:
    """Run the workflow, and return the body of the only resulting comment."""
    verdict, steps = comment(github, folder)
    assert verdict == "success", [step.said for step in steps.values()]
    (only,) = github.comments
    body = only["body"]
    assert isinstance(body, str)
    return body
