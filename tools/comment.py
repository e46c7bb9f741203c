#!/usr/bin/env python3
"""Comments on a pull request with the report of its check, or updates the comment of an earlier run.

The report comes from a run that the author of the pull request controls, so it is read in memory and quoted after
harmless.py has disarmed it. The comment's own statements come from GitHub's API: the pull request that the run belongs
to, the outcome of the run, and whether the pull request changes more than submissions. Requires the environment that
GitHub provides to workflow steps, and GITHUB_TOKEN.
"""

import io
import json
import lzma
import os
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from github_api import PAGE, Json, Repository, TooLargeError
from harmless import harmless

MARK = "<!-- report of check.yml -->"
"""The start of the comment, by which it is found again. No report can contain it, since its signs would be disarmed."""

WRITER = "github-actions[bot]"
RESULTS, WORKFLOWS = "results/", ".github/"

LARGEST_ARTIFACT = 20_000_000
LARGEST_REPORT = 1_000_000
ROOM = 60_000
"""Maximum size of a comment in bytes; GitHub accepts 65,536 characters."""

FOLD = "<details><summary>The full report</summary>"
SCREEN = 20
"""The number of lines of a report after which the rest is folded, and the maximum number of lines before it."""

_MOST_FILES = 30
_MOST_COMMENTS = 20
"""Maximum number of pages to read of a list."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run of the check.

    Attributes:
        id: The number of the run.
        commit: The commit that was checked: the last commit of the pull request at that time.
        source: The id of the repository with the commit; None if it no longer exists.
        branch: OWNER:BRANCH of the commit.
        verdict: The conclusion of the run.
        page: The address of the run.
    """

    id: int
    commit: str
    source: int | None
    branch: str
    verdict: str
    page: str

    @classmethod
    def of(cls, event: Json) -> "Run":
        """Return the run described by an event that announces its end."""
        run = event["workflow_run"]
        source = run["head_repository"] or {"id": None, "owner": {"login": ""}}
        branch = f"{source['owner']['login']}:{run['head_branch']}"
        return cls(
            run["id"], run["head_sha"], source["id"], branch, run["conclusion"], run["html_url"]
        )


def pull_request(repository: Repository, run: Run) -> Json | None:
    """Return the only open pull request of a run; None if it is closed, ambiguous or has newer commits.

    The event names no pull request if the commit is in a fork, and statements of the run itself are not trusted.
    """
    pulls = [
        pull
        for pull in repository.get("pulls", state="open", head=run.branch, per_page=PAGE)
        if pull["head"]["sha"] == run.commit
        and pull["head"]["repo"] is not None
        and pull["head"]["repo"]["id"] == run.source
    ]
    return repository.get("pulls", pulls[0]["number"]) if len(pulls) == 1 else None


def changed_files(repository: Repository, pull: Json) -> list[str] | None:
    """Return the files that a pull request changes, including former names of moved files; None if too many."""
    files = list(repository.pages("pulls", pull["number"], "files", most=_MOST_FILES))
    if len(files) < pull["changed_files"]:
        return None
    names = [(file["filename"], file.get("previous_filename")) for file in files]
    return [name for pair in names for name in pair if name]


def report(repository: Repository, run: Run) -> str | None:
    """Return the report of a run; None if there is no readable report."""
    listed = repository.get("actions", "runs", run.id, "artifacts", name="report", per_page=PAGE)[
        "artifacts"
    ]
    artifacts = [
        artifact for artifact in listed if artifact["name"] == "report" and not artifact["expired"]
    ]
    if not artifacts:
        return None
    newest = max(artifact["id"] for artifact in artifacts)
    try:
        return _unpacked(
            repository.download("actions", "artifacts", newest, "zip", most=LARGEST_ARTIFACT)
        )
    except TooLargeError:
        return None


def _unpacked(packed: bytes) -> str | None:
    try:
        with zipfile.ZipFile(io.BytesIO(packed)) as archive, archive.open("report.md") as file:
            return file.read(LARGEST_REPORT).decode(errors="replace")
    except (
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
        KeyError,
        EOFError,
        OSError,
        RuntimeError,
        ValueError,
    ):
        return None  # a stranger's archive may contain anything


def caution(names: Sequence[str] | None) -> str:
    """Return what a reader must check before the report; empty if only submissions change."""
    if names is None:
        return (
            "It changes so many files that they could not be listed. "
            "Look through them before you believe the report."
        )
    outside_names = [name for name in names if not name.startswith(RESULTS)]
    definition_names = [
        name
        for name in names
        if name.startswith(RESULTS) and name.split("/")[2:3] != ["submissions"]
    ]
    cautions = []
    if any(name.startswith(WORKFLOWS) for name in outside_names):
        cautions.append(
            f"**It changes files below `{WORKFLOWS}`, and with them it can say anything here.** "
            "Look through those before you believe the report."
        )
    elif outside_names:
        cautions.append(
            f"It also changes files outside `{RESULTS}`: {len(outside_names)}. "
            "The report comes from the program of the target branch, not from the changed one."
        )
    if definition_names:
        cautions.append(
            f"It also changes files of `{RESULTS}` that no submission consists of, such as definitions and findings: "
            f"{len(definition_names)}. Nobody waives their own errors."
        )
    return "\n\n".join(cautions)


def comment(run: Run, text: str | None, warning: str) -> str:
    """Return the text of the comment: GitHub's facts about the run, followed by the quoted report."""
    verdict = {"success": "passed", "failure": "did not pass"}.get(
        run.verdict, "did not end as it should"
    )
    about = (
        f"The check of `{run.commit[:10]}` {verdict}. [Its page]({run.page}) lists every problem, "
        "and holds this report and a preview of the site as artifacts."
    )
    head = "\n\n".join(section for section in (MARK, about, warning) if section)
    if text is None:
        return f"{head}\n\nIt left no report that can be read.\n"
    first, fold, details = text.partition(f"\n{FOLD}\n")
    if not fold or first.count("\n") > SCREEN:
        first, _, details = text.partition("\n\n")
    line, omitted = harmless(first.strip(), ROOM - len(head.encode()))
    details, details_omitted = harmless(
        details.strip().removesuffix("</details>").strip(), ROOM - len((head + line).encode())
    )
    omitted += details_omitted
    omission_note = f"\n\n{omitted} more lines are in the artifact." if omitted else ""
    folded = f"\n\n{FOLD}\n\n{details}{omission_note}\n\n</details>" if details else omission_note
    return f"{head}\n\n---\n\n{line}{folded}\n"


def earlier(repository: Repository, number: int) -> int | None:
    """Return the id of the program's own comment on a pull request; None if there is none."""
    written = repository.pages("issues", number, "comments", most=_MOST_COMMENTS)
    return next(
        (
            entry["id"]
            for entry in written
            if entry["user"]["login"] == WRITER and entry["body"].startswith(MARK)
        ),
        None,
    )


def publish(repository: Repository, run: Run) -> str:
    """Create or update the comment on a run's pull request, and return a message about it."""
    pull = pull_request(repository, run)
    if pull is None:
        return f"No one open pull request ends at {run.commit}: nothing to say."
    names = changed_files(repository, pull)
    old = earlier(repository, pull["number"])
    if old is None and names is not None and not any(name.startswith(RESULTS) for name in names):
        return f"Pull request {pull['number']} changes no results: nothing to say."
    body = comment(run, report(repository, run), caution(names))
    if old is None:
        repository.send("POST", "issues", pull["number"], "comments", body=body)
    else:
        repository.send("PATCH", "issues", "comments", old, body=body)
    return f"Pull request {pull['number']} has its comment."


def main(environment: Mapping[str, str]) -> None:
    """Read the environment of the runner, and comment."""
    repository = Repository(
        environment["GITHUB_REPOSITORY"], environment["GITHUB_API_URL"], environment["GITHUB_TOKEN"]
    )
    event = json.loads(Path(environment["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    print(publish(repository, Run.of(event)))


if __name__ == "__main__":
    main(os.environ)
