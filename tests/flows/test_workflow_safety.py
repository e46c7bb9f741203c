"""What holds for every workflow, and what keeps a stranger's pull request away from rights."""

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from kit.forked_repository import ROOT
from kit.workflow_runs import WORKFLOWS, Json, workflow

NAMES = sorted(path.stem for path in WORKFLOWS.glob("*.yml"))
FOR_STRANGERS = ["check", "test"]
PINNED = re.compile(r"uses: [\w-]+/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
ON: Json = True
"""How YAML reads the key `on`."""


def tool(name: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a program that is installed beside this Python."""
    return subprocess.run(
        [Path(sys.executable).parent / name, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


def text(name: str) -> str:
    return (WORKFLOWS / f"{name}.yml").read_text(encoding="utf-8")


def jobs(name: str) -> dict[str, Json]:
    jobs_by_name: dict[str, Json] = workflow(name)["jobs"]
    return jobs_by_name


def steps(name: str) -> Iterator[Json]:
    for job in jobs(name).values():
        yield from job["steps"]


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("vendor.github-workflows", [f".github/workflows/{name}.yml" for name in NAMES]),
        ("vendor.dependabot", [".github/dependabot.yml"]),
        ("vendor.gitlab-ci", [".gitlab-ci.yml", ".gitlab/leaderboard.yml"]),
    ],
    ids=["github", "dependabot", "gitlab"],
)
def test_they_keep_to_their_schema(schema: str, files: list[str]) -> None:
    result = tool("check-jsonschema", "--builtin-schema", schema, *files)
    assert result.returncode == 0, result.stdout


def test_the_linter_of_their_safety_finds_nothing() -> None:
    result = tool("zizmor", "--offline", "--persona=auditor", "--no-progress", "--format=json", ".github")
    assert json.loads(result.stdout) == [], result.stderr


def test_nothing_is_kept_from_the_linter_but_one_trigger() -> None:
    """What runs after the check has rights; that it runs nothing of the pull request is tested below."""
    ignoring_lines = [line.strip() for name in NAMES for line in text(name).splitlines() if "zizmor: ignore" in line]
    assert [line.partition("]")[0] for line in ignoring_lines] == ["workflow_run: # zizmor: ignore[dangerous-triggers"]


@pytest.mark.parametrize("name", NAMES)
def test_every_action_is_pinned_by_its_hash_beside_its_version(name: str) -> None:
    uses = [line.strip().removeprefix("- ") for line in text(name).splitlines() if "uses:" in line]
    assert [line for line in uses if not PINNED.fullmatch(line)] == []


def test_an_action_has_one_version_everywhere() -> None:
    pins = {tuple(step["uses"].split("@")) for name in NAMES for step in steps(name) if "uses" in step}
    assert len(pins) == len({action for action, _ in pins})


@pytest.mark.parametrize("name", NAMES)
def test_rights_are_given_to_jobs_alone_and_each_has_a_limit(name: str) -> None:
    assert workflow(name)["permissions"] == {}
    assert workflow(name)["concurrency"]
    for job in jobs(name).values():
        assert job["permissions"]
        assert job["timeout-minutes"] <= 90


@pytest.mark.parametrize("name", NAMES)
def test_no_script_has_a_value_written_into_it(name: str) -> None:
    assert not any("${{" in step.get("run", "") for step in steps(name))


@pytest.mark.parametrize("name", NAMES)
def test_no_workflow_runs_for_a_pull_request_with_the_rights_of_the_target(name: str) -> None:
    assert "pull_request_target" not in workflow(name)[ON]


@pytest.mark.parametrize("name", FOR_STRANGERS)
def test_whatever_runs_for_strangers_can_only_read(name: str) -> None:
    assert "pull_request" in workflow(name)[ON]
    assert [job["permissions"] for job in jobs(name).values()] == [{"contents": "read"}]
    assert not re.search(r"secrets|github\.token|GITHUB_TOKEN", text(name))


@pytest.mark.parametrize("name", NAMES)
def test_no_checkout_leaves_a_token_behind(name: str) -> None:
    fetched = [step["with"] for step in steps(name) if step.get("uses", "").startswith("actions/checkout@")]
    assert all(checkout_options["persist-credentials"] is False for checkout_options in fetched)


def test_only_the_deployment_may_publish_and_only_the_comment_may_comment() -> None:
    writing = {
        (name, job, right)
        for name in NAMES
        for job, content in jobs(name).items()
        for right, level in content["permissions"].items()
        if level == "write"
    }
    assert writing == {
        ("comment", "comment", "pull-requests"),
        ("publish", "deploy", "pages"),
        ("publish", "deploy", "id-token"),
        ("publish", "deploy", "attestations"),
        ("publish", "arrivals", "contents"),
    }


def test_only_the_published_build_saves_a_cache_and_checks_take_it() -> None:
    """A cache that a pull request could write must not reach the deployed site."""

    def uses(action: str) -> dict[str, Json]:
        return {
            name: step["with"]
            for name in NAMES
            for step in steps(name)
            if step.get("uses", "").startswith(f"{action}@")
        }

    (saved,) = uses("actions/cache/save").items()
    assert saved == ("publish", {"path": ".sitegen", "key": "site-${{ github.run_id }}"})
    assert workflow("publish")[ON] == {"push": {"branches": ["main"]}, "workflow_dispatch": None}
    restored = uses("actions/cache/restore")
    assert restored.keys() == {"publish", "check"}
    for asked in restored.values():
        assert asked == {**saved[1], "restore-keys": "site-"}
    assert uses("actions/cache") == {}
    assert "cache" not in text("published")


def test_a_cache_on_gitlab_is_of_protected_branches_alone() -> None:
    jobs_on_gitlab = yaml.safe_load((ROOT / ".gitlab" / "leaderboard.yml").read_text(encoding="utf-8"))
    cached = {name: job["cache"] for name, job in jobs_on_gitlab.items() if "cache" in job}
    assert cached == {"pages": {"key": "site", "paths": [".sitegen/"], "unprotect": False}}
    assert jobs_on_gitlab["pages"]["script"][0] == 'test "$CI_COMMIT_REF_PROTECTED" = true || rm -rf .sitegen'


def test_the_comment_takes_nothing_from_the_pull_request() -> None:
    """No reference is named, so the default branch is fetched; the one script comes from there."""
    fetch, write = steps("comment")
    assert set(fetch["with"]) == {"sparse-checkout", "persist-credentials"}
    assert write["run"] == "python3 tools/comment.py"


def test_the_comment_runs_after_the_check_by_its_name() -> None:
    assert workflow("comment")[ON]["workflow_run"]["workflows"] == [workflow("check")["name"]]


def test_they_run_on_the_oldest_python_that_is_supported() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = {
        step["with"]["python-version"]
        for name in NAMES
        for step in steps(name)
        if "setup-python" in step.get("uses", "")
    }
    assert {f">={version}" for version in asked} == {project["requires-python"]}
