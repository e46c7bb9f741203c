#!/usr/bin/env python3
"""Puts the report of a checked pull request under it, or brings the comment of an earlier run up to date.

The report was made in a run that whoever opened the pull request controls, so it is read in memory and quoted as
harmless.py leaves it. What the comment says in its own voice comes from GitHub's interface: which pull request the run
belongs to, how it ended, and whether the pull request changes more than submissions. Needs the environment that GitHub
gives the steps of a workflow, and GITHUB_TOKEN.
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
"""Begins the comment, and so finds it again. No report can hold it: its signs would be disarmed."""

WRITER = "github-actions[bot]"
RESULTS, WORKFLOWS = "results/", ".github/"

LARGEST_ARTIFACT = 20_000_000
LARGEST_REPORT = 1_000_000
ROOM = 60_000
"""Bytes of a comment; GitHub takes 65,536 characters."""

FOLD = "<details><summary>The full report</summary>"
SCREEN = 20
"""The line from which a report is folded, and how many may stand before it."""

_MOST_FILES = 30
_MOST_COMMENTS = 20
"""Pages of lists that are read."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run of the check.

    Attributes:
        id: Its number.
        commit: What it checked: the last commit of the pull request then.
        source: Id of the repository that the commit is in; None where that is gone.
        branch: OWNER:BRANCH of the commit.
        verdict: How it ended.
        page: Its address.
    """

    id: int
    commit: str
    source: int | None
    branch: str
    verdict: str
    page: str

    @classmethod
    def of(cls, event: Json) -> "Run":
        """Read the event that the end of a run is."""
        run = event["workflow_run"]
        source = run["head_repository"] or {"id": None, "owner": {"login": ""}}
        branch = f"{source['owner']['login']}:{run['head_branch']}"
        return cls(
            run["id"], run["head_sha"], source["id"], branch, run["conclusion"], run["html_url"]
        )


def pull_request(repository: Repository, run: Run) -> Json | None:
    """Find the one open pull request that a run belongs to; None where it is closed, ambiguous or went on since.

    The event names none where the commit is in a fork, and what the run itself says is not believed.
    """
    found = [
        each
        for each in repository.get("pulls", state="open", head=run.branch, per_page=PAGE)
        if each["head"]["sha"] == run.commit
        and each["head"]["repo"] is not None
        and each["head"]["repo"]["id"] == run.source
    ]
    return repository.get("pulls", found[0]["number"]) if len(found) == 1 else None


def changed_files(repository: Repository, pull: Json) -> list[str] | None:
    """List the files that a pull request changes, also by the earlier names of moved ones; None where too many do."""
    files = list(repository.pages("pulls", pull["number"], "files", most=_MOST_FILES))
    if len(files) < pull["changed_files"]:
        return None
    names = [(each["filename"], each.get("previous_filename")) for each in files]
    return [name for pair in names for name in pair if name]


def report(repository: Repository, run: Run) -> str | None:
    """Read the report that a run left; None where there is none that can be read."""
    listed = repository.get("actions", "runs", run.id, "artifacts", name="report", per_page=PAGE)[
        "artifacts"
    ]
    found = [each for each in listed if each["name"] == "report" and not each["expired"]]
    if not found:
        return None
    newest = max(each["id"] for each in found)
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
        return None  # whatever else a stranger's archive may be


def caution(names: Sequence[str] | None) -> str:
    """Say what a reader has to look at before the report; empty where only submissions change."""
    if names is None:
        return (
            "It changes so many files that they could not be listed. "
            "Look through them before you believe the report."
        )
    others = [name for name in names if not name.startswith(RESULTS)]
    own = [
        name
        for name in names
        if name.startswith(RESULTS) and name.split("/")[2:3] != ["submissions"]
    ]
    told = []
    if any(name.startswith(WORKFLOWS) for name in others):
        told.append(
            f"**It changes files below `{WORKFLOWS}`, and with them it can say anything here.** "
            "Look through those before you believe the report."
        )
    elif others:
        told.append(
            f"It also changes files outside `{RESULTS}`: {len(others)}. "
            "The report comes from the program of the target branch, not from the changed one."
        )
    if own:
        told.append(
            f"It also changes files of `{RESULTS}` that no submission consists of, such as definitions and findings: "
            f"{len(own)}. Nobody waives their own errors."
        )
    return "\n\n".join(told)


def comment(run: Run, text: str | None, warning: str) -> str:
    """Write the comment: what GitHub knows of the run, then the report, quoted."""
    verdict = {"success": "passed", "failure": "did not pass"}.get(
        run.verdict, "did not end as it should"
    )
    about = (
        f"The check of `{run.commit[:10]}` {verdict}. [Its page]({run.page}) lists every problem, "
        "and holds this report and a preview of the site as artifacts."
    )
    head = "\n\n".join(part for part in (MARK, about, warning) if part)
    if text is None:
        return f"{head}\n\nIt left no report that can be read.\n"
    first, fold, others = text.partition(f"\n{FOLD}\n")
    if not fold or first.count("\n") > SCREEN:
        first, _, others = text.partition("\n\n")
    line, left = harmless(first.strip(), ROOM - len(head.encode()))
    others, more = harmless(
        others.strip().removesuffix("</details>").strip(), ROOM - len((head + line).encode())
    )
    left += more
    rest = f"\n\n{left} more lines are in the artifact." if left else ""
    folded = f"\n\n{FOLD}\n\n{others}{rest}\n\n</details>" if others else rest
    return f"{head}\n\n---\n\n{line}{folded}\n"


def earlier(repository: Repository, number: int) -> int | None:
    """Find the comment that this program wrote under a pull request."""
    written = repository.pages("issues", number, "comments", most=_MOST_COMMENTS)
    return next(
        (
            each["id"]
            for each in written
            if each["user"]["login"] == WRITER and each["body"].startswith(MARK)
        ),
        None,
    )


def publish(repository: Repository, run: Run) -> str:
    """Bring the comment of a run's pull request up to date, and say what was done."""
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
    """Read what the runner says, and comment."""
    repository = Repository(
        environment["GITHUB_REPOSITORY"], environment["GITHUB_API_URL"], environment["GITHUB_TOKEN"]
    )
    event = json.loads(Path(environment["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    print(publish(repository, Run.of(event)))


if __name__ == "__main__":
    main(os.environ)
