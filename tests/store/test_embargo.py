"""A submission under embargo counts nowhere before its day, and is checked all the same."""

import json
from datetime import date, timedelta
from pathlib import Path

import pytest
from kit.command import done, sitegen
from kit.results_folders import MANIFEST, ROUNDS, Tree, seal

from sitegen.board.export import scores_json
from sitegen.pipeline.evaluating import evaluate
from sitegen.pipeline.releasing import record_arrivals

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


def test_a_site_says_nothing_of_it_and_a_command_says_until_when(tree: Tree, tmp_path: Path) -> None:
    later = date.today() + timedelta(days=3)  # noqa: DTZ011 - the command's own day
    manifest = MANIFEST.replace("Acme", "Bolt").replace("date = ", f"embargo = {later}\ndate = ")
    tree.add(NAME, *ROUNDS, manifest=manifest)
    site = tmp_path / "site"
    done("build", "--results", tree.folder, "--site", site)
    naming = []
    for path in site.rglob("*"):
        if path.is_file() and (
            NAME in str(path) or b"Bolt-1" in path.read_bytes() or NAME.encode() in path.read_bytes()
        ):
            naming.append(path)
    assert naming == []
    explained = sitegen("explain", f"mini/main/{NAME}", "--results", tree.folder)
    assert explained.returncode == 2
    assert f"under embargo: its scores are shown from {later} on" in explained.stderr


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
    now = Tree(tmp_path / "now")
    manifest = (base / "mini" / "submissions" / NAME / "submission.toml").read_text(encoding="utf-8")
    now.add(NAME, *ROUNDS, manifest=manifest.replace(old, new))
    report = json.loads(sitegen("validate", now.folder, "--base", base, "--format", "json").stdout)
    assert [problem["code"] for problem in report["problems"]] == codes


def test_a_new_baseline_is_a_warning(tree: Tree, tmp_path: Path) -> None:
    now = Tree(tmp_path / "now")
    now.add(NAME, *ROUNDS, manifest=MANIFEST.replace("Acme", "Bolt").replace("date = ", "baseline = true\ndate = "))
    report = json.loads(sitegen("validate", now.folder, "--base", tree.folder, "--format", "json").stdout)
    assert [(problem["code"], problem["severity"]) for problem in report["problems"]] == [
        ("HISTORY-BASELINE", "warning")
    ]
