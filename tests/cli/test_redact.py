"""`sitegen redact`: content that must not stay leaves, and a record of it stays."""

import gzip
import hashlib
import json
import resource
import shutil
import tomllib
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from kit.command import done
from kit.results_folders import ROUNDS, TASKS, Tree, json_lines, replaced
from typer.testing import CliRunner

from sitegen.board.history.changes_report import as_markdown
from sitegen.board.history.ledger import make_ledger
from sitegen.cli.main import app
from sitegen.pipeline.comparing import compare
from sitegen.pipeline.evaluating import evaluate
from sitegen.pipeline.redacting import redact
from sitegen.pipeline.releasing import lock_release
from sitegen.problems import ProblemsError, UsageError
from sitegen.store.compare.history import history_problems

DAY = date(2026, 7, 2)
ID = "2026-06-25-acme"
PERSON = "Ida Hemlig"
KEY = "sk-" + "proj-Ab1" * 8
FAILED = [
    {"task": task, "attempt": 1, "round": number, "case": "c1", "status": "failed", "reason": f"{PERSON} in {task}"}
    for task, number in (("tidy", 2), ("wide", 1))
]


class Published(NamedTuple):
    """A results folder with a release, and the same as it was published."""

    now: Tree
    was: Path

    def redact(self, address: str = f"mini/{ID}", day: date = DAY) -> None:
        redact(address, self.now.folder, "Ada", "A licence forbids it", day)

    def codes(self) -> list[str]:
        """Give the codes of what is wrong, also beside what was published, but for the redactions themselves."""
        problems = (*evaluate(self.now.folder, DAY).problems(), *history_problems(self.was, self.now.folder))
        return sorted({problem.code for problem in problems} - {"HISTORY-REDACTED"})

    def record(self) -> dict[str, Any]:
        """Give the last finding."""
        text = (self.now.benchmark / "findings.toml").read_text(encoding="utf-8")
        finding: dict[str, Any] = tomllib.loads(text)["findings"][-1]
        return finding


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def everything(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def published(tmp_path: Path) -> Published:
    """Two submissions, of which the first has two failed cases and a person in its manifest."""
    tree = Tree(tmp_path / "results")
    wide = {"task": "wide", "attempt": 1, "round": 1, "state": "scored", "reward": 0, "passed": 0, "total": 1}
    tree.rounds(*ROUNDS[:2], wide)
    tree.write("failures.jsonl.gz", gzip.compress(json_lines(*FAILED).encode()))
    tree.edit("submission.toml", 'cases = "counts"', 'cases = "failures"')
    tree.edit("submission.toml", "[claims]", f'[submitter]\nname = "{PERSON}"\n\n[claims]')
    manifest = (tree.bundle / "submission.toml").read_text(encoding="utf-8")
    other_manifest = replaced(replaced(manifest, "Acme-1", "Bolt-2"), 'cases = "failures"', 'cases = "counts"')
    tree.add("2026-06-26-bolt", *ROUNDS[:2], {**wide, "total": 2}, manifest=other_manifest)
    lock_release(tree.folder, date(2026, 7, 1), "First", DAY)
    shutil.copytree(tree.folder, tmp_path / "was")
    return Published(tree, tmp_path / "was")


def test_the_record_says_who_when_and_why_with_the_digest_of_each_file_that_was_there(published: Published) -> None:
    before = files(published.now.bundle)
    published.redact()
    record = published.record()
    assert (record["by"], record["date"], record["reason"]) == ("Ada", DAY, "A licence forbids it")
    assert record["digests"] == {name: hashlib.sha256(data).hexdigest() for name, data in before.items()}
    assert set(files(published.now.bundle)) == {"submission.toml", "SHA256SUMS"}
    assert PERSON.encode() not in b"".join(files(published.now.bundle).values())


def test_content_that_left_by_a_record_is_no_problem_to_history_and_releases(published: Published) -> None:
    release = published.now.folder / "releases" / "2026-07-01.toml"
    before = release.read_bytes()
    published.redact()
    assert (published.codes(), release.read_bytes()) == ([], before)


@pytest.mark.parametrize("name", ["rounds.jsonl", "failures.jsonl.gz", "submission.toml"])
def test_a_record_with_another_digest_is_refused(published: Published, name: str) -> None:
    published.redact()
    path = published.now.benchmark / "findings.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(replaced(text, published.record()["digests"][name], "0" * 64), encoding="utf-8")
    assert "HISTORY-EDITED" in published.codes()
    assert ("RELEASE-BUNDLE-DIFFERS" in published.codes()) is (name != "submission.toml")


def test_whoever_checks_a_change_is_told_of_its_redactions(published: Published) -> None:
    published.redact(f"mini/{ID}/tidy")
    arguments = ["validate", str(published.now.folder), "--base", str(published.was)]
    result = CliRunner().invoke(app, arguments)
    message = (
        f"a new finding removes texts of tidy from {ID}, which is published; it was decided by Ada, for this "
        "reason: A licence"
    )
    assert (result.exit_code, f"warning HISTORY-REDACTED: {message}" in result.stdout) == (0, True)
    shutil.copytree(published.now.folder, published.was, dirs_exist_ok=True)
    assert "HISTORY" not in CliRunner().invoke(app, arguments).stdout


def test_errors_elsewhere_keep_nothing_from_leaving(published: Published) -> None:
    """Neither does a secret in what leaves."""
    manifest = (published.now.bundle / "submission.toml").read_text(encoding="utf-8")
    manifest = replaced(replaced(manifest, PERSON, KEY), 'cases = "failures"', 'cases = "counts"')
    leaving = published.now.add("2026-06-28-secret", *ROUNDS, manifest=replaced(manifest, "Acme-1", "Cog-3"))
    published.now.add("2026-06-29-broken", ROUNDS[0], manifest="broken")
    assert {"TOML-SYNTAX", "SECRET-FOUND"} <= {*published.codes()}
    published.redact("mini/2026-06-28-secret")
    assert set(files(leaving)) == {"submission.toml", "SHA256SUMS"}
    assert "SECRET-FOUND" not in published.codes()


@pytest.mark.parametrize("path", ["submissions/2026-06-25-acme/rounds.jsonl", "findings.toml", "benchmark.toml"])
def test_errors_of_what_it_writes_keep_a_redaction_from_being_made(published: Published, path: str) -> None:
    published.now.findings("")
    with (published.now.benchmark / path).open("a", encoding="utf-8") as file:
        file.write("broken\n")
    before = everything(published.now.folder)
    with pytest.raises(ProblemsError) as raised:
        published.redact()
    assert {problem.path.name for problem in raised.value.problems} <= {Path(path).name, "SHA256SUMS"}
    assert everything(published.now.folder) == before


def test_a_record_that_pages_of_the_row_would_not_tell_is_none(published: Published) -> None:
    published.redact()
    path = published.now.benchmark / "findings.toml"
    path.write_text(path.read_text().replace("submissions =", 'tracks = ["relay"]\nsubmissions ='), encoding="utf-8")
    assert {"FILE-MISSING", "HISTORY-EDITED"} <= {*published.codes()}


def test_a_record_that_is_gone_is_told(published: Published) -> None:
    published.redact()
    shutil.copytree(published.now.folder, published.was, dirs_exist_ok=True)
    (published.now.benchmark / "findings.toml").unlink()
    assert {"HISTORY-FINDING", "FILE-MISSING"} <= {*published.codes()}


@pytest.mark.parametrize("name", ["rounds.jsonl", "submission.toml"])
def test_what_was_taken_out_does_not_come_back(published: Published, name: str) -> None:
    published.redact()
    published.now.write(name, (published.was / "mini" / "submissions" / ID / name).read_bytes())
    assert "FINDING-UNDONE" in published.codes()


def test_whose_results_they_were_stays_where_the_content_left(published: Published) -> None:
    published.redact()
    published.now.edit("submission.toml", '"Acme-1"', '"Ajax-1"')
    assert "HISTORY-EDITED" in published.codes()


def test_the_row_keeps_its_page_and_says_what_became_of_it(published: Published) -> None:
    published.redact()
    board, _ = evaluate(published.now.folder, DAY).all_boards()
    assert [entry.id for entry in board.entries] == ["2026-06-26-bolt"]
    (entry,) = board.retired
    assert (entry.id, entry.agent.name, entry.value("dataset_score"), entry.evidence) == (
        ID,
        "Acme-1",
        None,
        "reported",
    )
    assert (entry.status.state, entry.status.by, entry.status.date, entry.status.reason) == (
        "withdrawn",
        "Ada",
        DAY,
        "its content was redacted: A licence forbids it",
    )


def test_texts_of_one_task_leave_alone(published: Published) -> None:
    published.redact(f"mini/{ID}/tidy")
    failures = gzip.decompress(files(published.now.bundle)["failures.jsonl.gz"])
    assert [json.loads(line) for line in failures.splitlines()] == FAILED[1:]
    assert (published.record()["tasks"], published.codes()) == (["tidy"], [])
    published.redact(f"mini/{ID}/wide")
    assert "failures.jsonl.gz" not in files(published.now.bundle)
    assert published.codes() == []
    published.redact()
    assert published.codes() == []


def test_a_redaction_of_one_task_covers_no_other_edit(published: Published) -> None:
    published.redact(f"mini/{ID}/tidy")
    published.now.write("failures.jsonl.gz", gzip.compress(json_lines({**FAILED[1], "reason": "Nothing"}).encode()))
    assert published.codes() == ["HISTORY-EDITED"]
    published.now.write("failures.jsonl.gz", gzip.compress(json_lines(*FAILED).encode()))
    assert "FINDING-UNDONE" in published.codes()


def test_the_report_of_a_change_names_redactions_first_and_not_what_had_to_leave(published: Published) -> None:
    published.redact()
    published.now.put("tasks/all.jsonl", json_lines(*TASKS[:1]))
    changes, _ = compare(str(published.was), str(published.now.folder), Path("results"), DAY)
    first, _, redaction_line, *report = as_markdown(changes)
    assert first == "## New redactions: 1"
    assert all(phrase in redaction_line for phrase in (f"`{ID}`", "by `Ada`", "A licence forbids it"))
    assert any("error" in line for line in report)
    assert PERSON not in "\n".join(report)


def test_the_next_release_tells_of_it_and_is_valid(published: Published) -> None:
    published.redact(f"mini/{ID}/tidy")
    lock_release(published.now.folder, date(2026, 7, 3), "Second", date(2026, 7, 3))
    published.redact(day=date(2026, 7, 4))
    lock_release(published.now.folder, date(2026, 7, 5), "Third", date(2026, 7, 5))
    judged = evaluate(published.now.folder, date(2026, 7, 5))
    assert judged.problems() == ()
    _, second, third = make_ledger(judged.results.releases, judged.boards, "1").releases
    redactions = [
        (event.row.id, [cause.about for cause in event.causes])
        for chapter in (second, third)
        for event in chapter.boards[0].events
        if event.what == "redacted"
    ]
    assert redactions == [
        (ID, ["texts of tidy removed by Ada on 2026-07-02: A licence forbids it"]),
        (ID, ["content removed by Ada on 2026-07-04: A licence forbids it"]),
    ]


def test_nothing_is_done_where_not_all_of_it_can_be(published: Published) -> None:
    """Here the disk takes the new manifest, and not the record."""
    before = everything(published.now.folder)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300, limits[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            published.redact()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert everything(published.now.folder) == before


@pytest.mark.parametrize("address", ["mini/acme", f"mini/{ID}/wild", "..", f"mini/{ID}/tidy/b"])
def test_what_is_not_there_can_t_be_redacted(published: Published, address: str) -> None:
    with pytest.raises(UsageError):
        published.redact(address)


def test_it_is_redacted_once_and_not_before_it_was_there(published: Published) -> None:
    with pytest.raises(UsageError):
        published.redact(day=date(2026, 6, 24))
    for options in (["--reason", "A licence", "--date", "2999-01-01"], ["--reason", "\udcff"]):
        ended = CliRunner().invoke(app, ["redact", f"mini/{ID}", *options, "--results", str(published.now.folder)])
        assert isinstance(ended.exception, UsageError)
    published.redact()
    with pytest.raises(UsageError):
        published.redact()
    with pytest.raises(UsageError, match="--by and --reason are required, one line each"):
        redact("mini/2026-06-26-bolt", published.now.folder, "Ada", " ", DAY)


def test_the_site_tells_of_it_and_publishes_nothing_of_it(published: Published, tmp_path: Path) -> None:
    for arguments in (
        ["redact", f"mini/{ID}", "--reason", "A licence forbids it", "--by", "Ada", "--date", str(DAY)],
        ["build", "--site", str(tmp_path / "site")],
    ):
        done(*arguments, "--results", published.now.folder)
    site = tmp_path / "site"
    sentence = "Ada: its content was redacted: A licence forbids it"
    assert sentence in (site / "mini" / "main" / ID / "index.html").read_text(encoding="utf-8")
    assert sentence in (site / "mini" / "main" / "index.html").read_text(encoding="utf-8")
    assert "removed by Ada on 2026-07-02" in (site / "changelog" / "index.html").read_text(encoding="utf-8")
    published_files = [path for path in site.rglob("*") if path.is_file() and "bolt" not in path.as_posix()]
    assert [path for path in published_files if PERSON.encode() in path.read_bytes()] == []
    assert not (site / "data" / "mini" / "submissions" / ID / "rounds.jsonl").exists()
