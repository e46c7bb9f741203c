"""Private tasks: nothing that a site shows or offers tells what they are about, and no score changes."""

import gzip
import hashlib
import json
import shutil
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from kit.built_sites import site_of
from kit.command import ROOT, done
from kit.results_folders import Tree, json_lines

from sitegen.models.journal import seed_of
from sitegen.pipeline.evaluating import evaluate
from sitegen.problems import ProblemsError
from sitegen.publish.results.edition import public_edition
from sitegen.reading.shape import TYPE_WRONG
from sitegen.store.readers.folder import read_results

HIDDEN = "zanzibar"
"""In every name and text of the private task, its id apart."""
DAY = date(2026, 7, 1)


def tree(folder: Path, private: object = True) -> Tree:  # noqa: FBT002 - what the key says
    """Results with two private tasks, of which one is secret in every text and one is called by its id; and another."""
    made = Tree(folder)
    task_facts = {"title": f"The {HIDDEN} ledger", "url": f"https://example.org/{HIDDEN}", "private": private}
    cases = [
        {"id": f"{HIDDEN}::opens", "category": "core", "requirement": f"Open the {HIDDEN}", "origin": f"{HIDDEN} 1"},
        {"id": f"{HIDDEN}::closes", "category": "error"},
    ]
    asked = {"title": f"Open a {HIDDEN}", "labels": ["fix"], "instruction": f"Make a {HIDDEN} of it."}
    rounds = [{"n": 1, **asked, "cases": cases}, {"n": 2, "title": f"Close the {HIDDEN}"}]
    wide = {"id": "wide", "title": "Wide", "labels": {"kind": "game"}, "rounds": [{"n": 1}]}
    plain = {"title": "ledger", "private": private, "rounds": [{"n": 1, "cases": [{"id": f"{HIDDEN}-adds"}]}]}
    ledger = {"id": "ledger", "labels": {"kind": "tool"}, **plain}
    tidy = {"id": "tidy", "labels": {"kind": "tool"}, **task_facts, "rounds": rounds}
    made.put("tasks/all.jsonl", json_lines(tidy, wide, ledger))
    scored_attempt = {"attempt": 1, "state": "scored"}
    made.rounds(
        {"task": "tidy", "round": 1, **scored_attempt, "reward": 0, "passed": 1, "total": 2, "outcomes": "pf"},
        {
            "task": "tidy",
            "round": 2,
            "attempt": 1,
            "state": "aborted",
            "reward": 0,
            "cause": f"the {HIDDEN} burnt",
        },
        {
            "task": "wide",
            "round": 1,
            **scored_attempt,
            "reward": 1,
            "passed": 1,
            "total": 1,
            "case_ids": ["seen"],
            "outcomes": "p",
        },
        {"task": "ledger", "round": 1, **scored_attempt, "reward": 0, "passed": 0, "total": 1, "outcomes": "f"},
    )
    failure = {"task": "tidy", "attempt": 1, "round": 1, "case": f"{HIDDEN}::closes", "category": "error"}
    texts = dict.fromkeys(
        ("requirement", "origin", "intent", "scenario", "input", "expected", "actual", "reason"), HIDDEN
    )
    other_failure = failure | texts | {"task": "ledger", "case": f"{HIDDEN}-adds"}
    made.write("failures.jsonl.gz", gzip.compress(json_lines(failure | texts, other_failure).encode()))
    made.edit("submission.toml", 'cases = "counts"', 'cases = "all"')
    made.edit("submission.toml", "= 25.0", "= 33.3")
    made.findings(
        f"""
[[findings]]
date = 2026-06-26
kind = "note"
title = "Look at The {HIDDEN} ledger"
reason = "Open a {HIDDEN} asks for {HIDDEN}::closes."
tasks = ["tidy", "ledger"]
rounds = [1]
cases = ["{HIDDEN}-adds", "{HIDDEN}::closes"]
"""
    )
    return made


def project_of(folder: Path) -> Path:
    """Give a project that has transcripts, too."""
    made = tree(folder / "results")
    made.edit(
        "submission.toml", "[detail]", '[provenance]\ntrajectories = "transcripts/{task}/{round}.json"\n\n[detail]'
    )
    shutil.copytree(ROOT / "site_src", folder / "site_src")
    for task in ("tidy", "wide"):
        path = folder / "site_src/transcripts" / task / "1.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({"steps": HIDDEN if task == "tidy" else ""}), encoding="utf-8")
    for name in ("templates", "mkdocs.yml"):
        (folder / name).symlink_to(ROOT / name)
    return folder


def texts(folder: Path) -> Iterator[tuple[str, str]]:
    """Every file below a folder, unpacked."""
    for path in folder.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            yield (
                path.relative_to(folder).as_posix(),
                (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode(errors="replace"),
            )


def scores(site: Path) -> object:
    rows = json.loads((site / "api/v1/scores.json").read_text(encoding="utf-8"))["submissions"]
    return [(row["metrics"], row["rank"], row["evidence"], row["coverage"]) for row in rows]


def test_a_site_tells_nothing_of_a_private_task_but_how_it_went(tmp_path: Path) -> None:
    site, open_site = tmp_path / "a/site", site_of(tree(tmp_path / "b", "2000-01-01").folder)
    done("build", "--check-links", folder=project_of(tmp_path / "a"))
    assert [path.name for path in (site / "transcripts").rglob("*.json")] == ["1.json"]
    assert [name for name, text in texts(site) if HIDDEN in text.casefold()] == []
    assert [name for name, text in texts(open_site) if HIDDEN in text.casefold()] != []
    assert [name for name, text in texts(open_site) if "private task" in text.casefold()] == []
    assert scores(site) == scores(open_site)
    assert "round 1 asks for case-2." in (site / "data/mini/findings.toml").read_text(encoding="utf-8")
    page = (site / "mini/main/tasks/tidy/index.html").read_text(encoding="utf-8")
    assert "Private task 1" in page
    assert "private: texts withheld, cases numbered" in page
    assert 'data-case="case-2"' in (site / "mini/main/tasks/tidy/1/index.html").read_text(encoding="utf-8")
    assert "2 private tasks" in (site / "mini/main/index.html").read_text(encoding="utf-8")
    assert "The texts of 2 private tasks are withheld" in (site / "data/index.html").read_text(encoding="utf-8")


def test_the_edition_is_as_sound_as_the_results_and_tells_of_their_files(tmp_path: Path) -> None:
    made = tree(tmp_path / "results")
    with public_edition(made.folder, DAY, tmp_path / "edition") as (edition, at_home):
        assert edition != made.folder
        assert list(map(at_home, evaluate(edition, DAY).problems())) == list(evaluate(made.folder, DAY).problems())
        made.change(3, reward="much")
        broken = edition / made.bundle.relative_to(made.folder) / "rounds.jsonl"
        broken.write_bytes((made.bundle / "rounds.jsonl").read_bytes())
        problems = [at_home(problem) for problem in read_results(edition).all_problems()]
    assert (TYPE_WRONG.code, made.bundle / "rounds.jsonl", 3) in [
        (edition_problem.code, edition_problem.path, edition_problem.line) for edition_problem in problems
    ]
    with (
        pytest.raises(ProblemsError) as raised,
        public_edition(made.folder, DAY, tmp_path / "edition") as (edition, _),
    ):
        raise ProblemsError(read_results(edition).all_problems())
    assert all(problem.path.is_relative_to(made.folder) for problem in raised.value.problems)


@pytest.mark.parametrize("nonce", [None, "5" * 64])
@pytest.mark.parametrize("is_sound", [True, False])
def test_a_check_is_as_sound_in_the_edition_as_in_the_results(
    tmp_path: Path, nonce: str | None, *, is_sound: bool
) -> None:
    made = tree(tmp_path / "results")
    digest = hashlib.sha256((made.bundle / "SHA256SUMS").read_bytes()).hexdigest()
    seed = seed_of("none", digest if is_sound else "0" * 64, nonce)
    drawn = {"drawn": 4, "of": 4, "agreed": 4}
    check = {"submission": made.bundle.name, "digest": digest, "by": "Ann", "day": "2026-06-27", "base": "none"} | drawn
    if nonce:
        check["nonce"] = nonce
    made.put("checks.jsonl", json_lines(check | {"seed": seed}))
    assert ("CHECK-UNSOUND" in {problem.code for problem in read_results(made.folder).all_problems()}) is not is_sound
    with public_edition(made.folder, DAY, tmp_path / "edition") as (edition, _):
        results = read_results(edition)
    assert ("CHECK-UNSOUND" in {problem.code for problem in results.all_problems()}) is not is_sound
    assert bool(results.benchmarks[0].checks) is is_sound


@pytest.mark.parametrize(
    ("until", "is_private"), [("2026-07-02", True), ("2026-07-01", False), ("soon", True), (False, False)]
)
def test_a_task_is_private_until_its_day(tmp_path: Path, until: object, *, is_private: bool) -> None:
    made = tree(tmp_path / "results", until)
    with public_edition(made.folder, DAY, tmp_path / "edition") as (edition, _):
        assert (edition != made.folder) is is_private


def test_a_private_task_keeps_its_number_when_the_day_of_another_comes(tmp_path: Path) -> None:
    made = tree(tmp_path / "results")
    path = made.benchmark / "tasks/all.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace("true", '"2026-06-01"', 1), encoding="utf-8")
    with public_edition(made.folder, DAY, tmp_path / "edition") as (edition, _):
        tasks = [
            json.loads(splitline) for splitline in (edition / "mini/tasks/all.jsonl").read_text("utf-8").splitlines()
        ]
    assert [task.get("title") for task in tasks] == [f"The {HIDDEN} ledger", "Wide", "Private task 2"]


def test_what_nobody_can_read_is_not_published(tmp_path: Path) -> None:
    made = tree(tmp_path / "results")
    made.write("rounds.jsonl", f'{{"task": "tidy", "cause": "{HIDDEN}"\n["{HIDDEN}"]\n')
    made.write("failures.jsonl.gz", f"{HIDDEN}, not packed")
    made.put("findings.toml", f"{HIDDEN} = ")
    with public_edition(made.folder, DAY, tmp_path / "edition") as (edition, _):
        assert [name for name, text in texts(edition) if HIDDEN in text] == []
