"""A submission under embargo counts nowhere before its day, and is checked all the same."""

import hashlib
import json
import shutil
import tomllib
from datetime import date, timedelta
from pathlib import Path

import pytest
from kit.command import done, sitegen
from kit.requests import check_line
from kit.results_folders import MANIFEST, ROUNDS, Tree, seal

from sitegen.board.export import scores_json
from sitegen.pipeline.evaluating import evaluate
from sitegen.pipeline.releasing import lock_release, record_arrivals

DAY = date(2026, 7, 10)
BEFORE = DAY - timedelta(days=1)
NAME = "2026-06-26-bolt"


@pytest.fixture
def sealed(tree: Tree) -> Tree:
    """A tree with a second submission, which is under embargo until `DAY`."""
    manifest = MANIFEST.replace("Acme", "Bolt").replace("date = ", f"embargo = {DAY}\ndate = ")
    tree.add(NAME, *ROUNDS, manifest=manifest)
    return tree


def rewrite(tree: Tree, manifest: str) -> None:
    """Write another manifest of the embargoed submission."""
    (tree.bundle.with_name(NAME) / "submission.toml").write_text(manifest, encoding="utf-8")
    seal(tree.bundle.with_name(NAME))


def rows(tree: Tree, day: date) -> dict[str, object]:
    scores = json.loads(json.dumps(scores_json(evaluate(tree.folder, day).entries())))
    return {row["id"]: row for row in scores["submissions"]}


def test_before_the_day_results_are_as_if_it_were_not_there(sealed: Tree, tmp_path: Path) -> None:
    alone = Tree(tmp_path / "alone")
    assert rows(sealed, BEFORE) == rows(alone, BEFORE)
    assert NAME in rows(sealed, DAY)


def test_its_faults_are_reported_before_the_day(sealed: Tree) -> None:
    manifest = (sealed.bundle.with_name(NAME) / "submission.toml").read_text(encoding="utf-8")
    rewrite(sealed, manifest.replace("25.0", "75.0"))
    problems = [problem.code for problem in evaluate(sealed.folder, BEFORE).problems()]
    assert problems == ["CLAIM-DIFFERS"]
    assert [problem.code for problem in evaluate(sealed.bundle.with_name(NAME), BEFORE).problems()] == problems


def test_its_arrival_is_recorded(sealed: Tree) -> None:
    path = record_arrivals(sealed.folder, BEFORE)
    bundles = [json.loads(line)["bundle"] for line in path.read_text(encoding="utf-8").splitlines()]
    assert f"mini/{NAME}" in bundles


def test_what_it_supersedes_stays_until_the_day(sealed: Tree) -> None:
    status = f'\n[status]\nstate = "superseded"\nby = "{NAME}"\n'
    sealed.write("submission.toml", (sealed.bundle / "submission.toml").read_text(encoding="utf-8") + status)
    manifest = (sealed.bundle.with_name(NAME) / "submission.toml").read_text(encoding="utf-8")
    rewrite(sealed, manifest.replace("Bolt", "Acme"))
    (old,) = rows(sealed, BEFORE).values()
    assert old["status"] == "published"  # type: ignore[index]
    assert {row["status"] for row in rows(sealed, DAY).values()} == {"published", "superseded"}  # type: ignore[index]


FINDINGS = f"""
# First about Bolt-1.

[[findings]]
date = 2026-06-27
kind = "leak"
title = "Bolt-1 saw the tests"
reason = "It is {NAME}."
submissions = ["{NAME}"]

[[findings]]
date = 2026-06-27
kind = "leak"
title = "Acme-1 and Bolt-1 saw the tests"
reason = "Not Bolt-12, but {NAME}."
effect = "zero"
submissions = ["2026-06-25-acme", "{NAME}"]
rounds = [1]

[[findings]]
# Not about Bolt-1.
date = 2026-06-28
kind = "note"
title = "They saw no tests"
corrects = "2026-06-27-acme-1-and-bolt-1-saw-the-tests"
"""


def named_on(site: Path) -> list[str]:
    """Return the files of a site that name the embargoed submission or its agent."""
    naming = []
    for path in site.rglob("*"):
        if not path.is_file():
            continue
        text = f"{path}\n{path.read_bytes().decode(errors='replace')}".casefold().replace("bolt-12", "")
        if "bolt-1" in text or NAME in text:
            naming.append(path.relative_to(site).as_posix())
    return naming


@pytest.fixture
def named_everywhere(tree: Tree) -> Tree:
    """A tree whose embargoed submission is named in findings, agents.toml, aliases, checks, and a status."""
    later = date.today() + timedelta(days=3)  # noqa: DTZ011 - the command's own day
    manifest = MANIFEST.replace("date = ", f"embargo = {later}\ndate = ")
    tree.add(NAME, *ROUNDS, manifest=manifest.replace('"Acme-1"', '"Bolt-1"'))
    tree.findings(FINDINGS)
    (tree.folder / "agents.toml").write_text('schema = 1\n\n[[agents]]\nname = "Bolt-1"\n', encoding="utf-8")
    tree.define('"acme one" = "Acme-1"', '"acme one" = "Acme-1"\n"bolt one" = "Bolt-1"')
    checks = [check_line(tree.benchmark, name) for name in (NAME, "2026-06-25-acme")]
    tree.put("checks.jsonl", "\n".join(checks))  # with a blank line between the two
    return tree


def test_no_published_file_names_it(named_everywhere: Tree, tmp_path: Path) -> None:
    site = tmp_path / "site"
    done("build", "--check-links", "--results", named_everywhere.folder, "--site", site)
    assert named_on(site) == []
    board = (site / "mini/main/index.html").read_text(encoding="utf-8")
    assert "Acme-1 and a submission under embargo saw the tests" in board
    findings = (site / "data/mini/findings.toml").read_text(encoding="utf-8")
    records = tomllib.loads(findings)["findings"]
    assert [record["title"] for record in records] == [
        "Acme-1 and a submission under embargo saw the tests",
        "They saw no tests",
    ]
    assert records[0]["submissions"] == ["2026-06-25-acme"]
    assert records[0]["reason"] == "Not Bolt-12, but a submission under embargo."
    assert records[1]["corrects"] == "2026-06-27-acme-1-and-a-submission-under-embargo-saw-the-tests"
    checks = (site / "data/mini/checks.jsonl").read_text(encoding="utf-8")
    assert checks == "\n" + check_line(named_everywhere.benchmark, "2026-06-25-acme")


def test_the_copy_of_a_manifest_does_not_name_a_successor_under_embargo(tree: Tree, tmp_path: Path) -> None:
    later = date.today() + timedelta(days=3)  # noqa: DTZ011 - the command's own day
    tree.add(NAME, *ROUNDS, manifest=MANIFEST.replace("date = ", f"embargo = {later}\ndate = "))
    status = f'\n[status]\nstate = "superseded"\nby = "{NAME}"\n'
    tree.write("submission.toml", (tree.bundle / "submission.toml").read_text(encoding="utf-8") + status)
    site = tmp_path / "site"
    done("build", "--results", tree.folder, "--site", site)
    assert named_on(site) == []
    copies = site / "data/mini/submissions/2026-06-25-acme"
    digest = hashlib.sha256((copies / "submission.toml").read_bytes()).hexdigest()
    assert f"{digest}  submission.toml" in (copies / "SHA256SUMS").read_text(encoding="utf-8")


def test_a_release_before_the_day_locks_findings_as_the_file_has_them(named_everywhere: Tree) -> None:
    later = date.today() + timedelta(days=3)  # noqa: DTZ011 - the command's own day
    path, _ = lock_release(named_everywhere.folder, later - timedelta(days=3), "", later - timedelta(days=3))
    assert "olt-1" not in path.read_text(encoding="utf-8")
    for day in (later - timedelta(days=1), later):
        codes = [problem.code for problem in evaluate(named_everywhere.folder, day).problems()]
        assert "RELEASE-FINDING-DIFFERS" not in codes


def test_a_command_says_until_when_it_is_under_embargo(tree: Tree) -> None:
    later = date.today() + timedelta(days=3)  # noqa: DTZ011 - the command's own day
    manifest = MANIFEST.replace("Acme", "Bolt").replace("date = ", f"embargo = {later}\ndate = ")
    tree.add(NAME, *ROUNDS, manifest=manifest)
    explained = sitegen("explain", f"mini/main/{NAME}", "--results", tree.folder)
    assert explained.returncode == 2
    assert f"under embargo: its scores are shown from {later} on" in explained.stderr


def test_reviewers_see_scores_under_embargo_and_diff_says_that_it_arrives(tree: Tree) -> None:
    later = date.today() + timedelta(days=3)  # noqa: DTZ011 - the command's own day
    shutil.copytree(tree.folder, tree.folder.with_name("base"))
    manifest = MANIFEST.replace("Acme", "Bolt").replace("date = ", f"embargo = {later}\ndate = ")
    folder = tree.add(NAME, *ROUNDS, manifest=manifest)
    about = ("--embargoed", "--results", tree.folder)
    assert "Bolt-1" in done("explain", f"mini/main/{NAME}", "--summary", *about)
    (row,) = json.loads(done("score", folder, "--format", "json", *about))["submissions"]
    assert row["metrics"]["dataset_score"]["value"] == pytest.approx(25.0)
    assert json.loads(done("score", folder, "--format", "json"))["submissions"] == []
    output = done("diff", tree.folder.with_name("base"), tree.folder)
    assert "adds 1 submission under embargo, whose scores are not shown yet" in output.lower()
    assert f"mini/main/{NAME} counts from {later} on" in output
    assert "25.0" not in output


def test_runs_are_submitted_under_embargo_without_their_scores(tree: Tree) -> None:
    later = date.today() + timedelta(days=3)  # noqa: DTZ011 - the command's own day
    runs = tree.folder.with_name("runs.csv")
    rows = "".join(f"Cork-1,{row['task']},1,{row['round']},1,4,4\n" for row in ROUNDS)
    runs.write_text(f"agent,task,attempt,round,reward,passed,total\n{rows}", encoding="utf-8")
    arguments = ("--to", "mini/main", "--date", "2026-06-26", "--embargo", str(later))
    output = done("submit", runs, *arguments, "--results", tree.folder)
    assert "# Cork-1 on mini/main" in output
    assert "--embargoed" in output
    assert "100.0" not in output
    manifest = tree.bundle.with_name("2026-06-26-cork-1") / "submission.toml"
    assert tomllib.loads(manifest.read_text(encoding="utf-8"))["embargo"] == later


@pytest.mark.parametrize(
    ("old", "new", "codes"),
    [
        (f"embargo = {DAY}\n", "", ["HISTORY-MAINTAINED"]),
        (f"embargo = {DAY}\n", f"embargo = {BEFORE}\n", ["HISTORY-MAINTAINED"]),
        (f"embargo = {DAY}\n", f"embargo = {DAY + timedelta(days=1)}\n", ["HISTORY-EDITED"]),
        (f"embargo = {DAY}\n", f"embargo = {DAY}\nbaseline = true\n", ["HISTORY-MAINTAINED"]),
    ],
    ids=["ends", "ends sooner", "ends later", "becomes a baseline"],
)
def test_maintainers_may_end_an_embargo_and_name_baselines(
    sealed: Tree, tmp_path: Path, old: str, new: str, codes: list[str]
) -> None:
    base = sealed.folder.rename(tmp_path / "base")
    current_tree = Tree(tmp_path / "now")
    manifest = (base / "mini" / "submissions" / NAME / "submission.toml").read_text(encoding="utf-8")
    current_tree.add(NAME, *ROUNDS, manifest=manifest.replace(old, new))
    report = json.loads(sitegen("validate", current_tree.folder, "--base", base, "--format", "json").stdout)
    assert [problem["code"] for problem in report["problems"]] == codes


def test_a_new_baseline_is_a_warning(tree: Tree, tmp_path: Path) -> None:
    current_tree = Tree(tmp_path / "now")
    current_tree.add(
        NAME, *ROUNDS, manifest=MANIFEST.replace("Acme", "Bolt").replace("date = ", "baseline = true\ndate = ")
    )
    report = json.loads(sitegen("validate", current_tree.folder, "--base", tree.folder, "--format", "json").stdout)
    assert [(problem["code"], problem["severity"]) for problem in report["problems"]] == [
        ("HISTORY-BASELINE", "warning")
    ]
