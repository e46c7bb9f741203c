"""The comment on a checked pull request, written by the workflow's own steps to a stand-in for GitHub."""

import re
from pathlib import Path

import pytest
from comment import FOLD, LARGEST_REPORT, MARK
from kit.github_server import COMMIT, TOKEN, WRITER, GitHub, packed
from kit.posted_comments import comment, commented

OURS = ["results/demo/submissions/new/rounds.jsonl"]


def test_the_report_stands_under_the_pull_request_with_the_verdict(tmp_path: Path) -> None:
    report = f"Adds `Ada`.\n\n- `Ada`: 50.0\n\n{FOLD}\n\n## `demo/chain`\n\n1 row new\n</details>\n"
    body = commented(GitHub(artifact=packed(report.encode())), tmp_path)
    assert body.startswith(MARK)
    assert f"The check of `{COMMIT[:10]}` did not pass." in body
    folded = f"{FOLD}\n\n## `demo/chain`\n\n1 row new\n\n</details>\n"
    assert body.endswith(f"---\n\nAdds `Ada`\\.\n\n- `Ada`\\: 50\\.0\n\n{folded}")


def test_a_second_run_writes_into_the_comment_of_the_first(tmp_path: Path) -> None:
    github = GitHub(artifact=packed(b"First"))
    (tmp_path / "second").mkdir()
    commented(github, tmp_path)
    github.artifact = packed(b"Second")
    assert "Second" in commented(github, tmp_path / "second")


def test_a_comment_that_someone_made_to_look_like_ours_is_left_alone(tmp_path: Path) -> None:
    theirs = {"id": 1, "user": {"login": "stranger"}, "body": f"{MARK} I am the check"}
    github = GitHub(artifact=packed(b"Fine"), comments=[theirs])
    comment(github, tmp_path)
    assert [comment["user"]["login"] for comment in github.comments] == ["stranger", WRITER]
    assert theirs["body"] == f"{MARK} I am the check"


def test_a_hostile_report_names_nobody_and_leads_nowhere(tmp_path: Path) -> None:
    hostile = (
        f"{MARK}\n<img src=//evil.example/x>\n@acme/team [good](https://evil.example) ![](https://evil.example/p)\n#1\n"
    )
    body = commented(GitHub(artifact=packed(hostile.encode())), tmp_path)
    quoted = body.partition("\n---\n")[2]
    assert body.count(MARK) == 1
    assert not any(sign in quoted for sign in ("@acme", "](", "://", "#1", "\n<"))


def test_a_report_that_is_too_long_is_cut_and_says_so(tmp_path: Path) -> None:
    body = commented(GitHub(artifact=packed(b"- line\n" * 20_000)), tmp_path)
    assert len(body) < 65_536
    assert body.endswith("more lines are in the artifact.\n")


@pytest.mark.parametrize(
    "artifact",
    [None, b"not an archive", packed(b"x", "../../report.md"), packed(b"x" * 10)[:-30]],
    ids=["none", "no archive", "another name", "cut off"],
)
def test_an_artifact_that_cannot_be_read_is_no_report(artifact: bytes | None, tmp_path: Path) -> None:
    assert "It left no report that can be read." in commented(GitHub(artifact=artifact), tmp_path)


def test_an_archive_that_swells_is_read_only_so_far(tmp_path: Path) -> None:
    body = commented(GitHub(artifact=packed(b"x\n" * 50 * LARGEST_REPORT)), tmp_path)
    omitted_match = re.search(r"(\d+) more lines", body)
    assert omitted_match
    assert len(re.findall("^x$", body, re.MULTILINE)) + int(omitted_match[1]) == LARGEST_REPORT // 2


def test_the_token_is_not_told_to_the_host_of_the_artifact(tmp_path: Path) -> None:
    github = GitHub(artifact=packed(b"Fine"))
    commented(github, tmp_path)
    assert github.tokens["/elsewhere"] is None
    assert github.tokens["/actions/artifacts/5/zip"] == f"Bearer {TOKEN}"


def test_a_pull_request_that_went_on_since_gets_no_comment(tmp_path: Path) -> None:
    github = GitHub(artifact=packed(b"Old"), head="0" * 40)
    verdict, _ = comment(github, tmp_path)
    assert (verdict, github.comments) == ("success", [])


@pytest.mark.parametrize("conclusion", ["cancelled", "action_required"])
def test_a_run_that_did_not_run_to_its_end_gets_no_comment(conclusion: str, tmp_path: Path) -> None:
    github = GitHub(conclusion=conclusion)
    assert comment(github, tmp_path) == ("skipped", {})


def test_a_pull_request_without_results_gets_no_comment(tmp_path: Path) -> None:
    github = GitHub(artifact=packed(b"Nothing differs."), files=["README.md"])
    verdict, _ = comment(github, tmp_path)
    assert (verdict, github.comments) == ("success", [])


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ([*OURS, ".github/workflows/check.yml"], "It changes files below `.github/`"),
        ([*OURS, "sitegen/main.py"], "It also changes files outside `results/`: 1."),
        ([*OURS, "results/demo/findings.toml"], "such as definitions and findings: 1. Nobody waives their own errors."),
    ],
)
def test_whoever_changes_more_than_submissions_is_told_on(files: list[str], message: str, tmp_path: Path) -> None:
    assert message in commented(GitHub(artifact=packed(b"Fine"), files=files), tmp_path)


def test_whoever_changes_submissions_alone_is_not_told_on(tmp_path: Path) -> None:
    assert "It also changes" not in commented(GitHub(artifact=packed(b"Fine")), tmp_path)


def test_files_on_later_pages_are_seen(tmp_path: Path) -> None:
    files = [*(f"results/{number}" for number in range(250)), ".github/workflows/check.yml"]
    assert "It changes files below" in commented(GitHub(artifact=packed(b"Fine"), files=files), tmp_path)
