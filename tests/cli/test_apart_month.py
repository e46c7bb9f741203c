"""A baseline, a deadline and an embargo in the second month: validate is green, and all outputs agree."""

import json
import shutil
import time
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from kit.command import done, sitegen
from kit.results_folders import MANIFEST, ROUNDS, Tree, replaced
from lxml import html

SECOND = [{**row, "reward": 1, "state": "scored", "passed": 4, "total": 4} for row in ROUNDS]
TODAY = date.today()  # noqa: DTZ011 - the command's own day
LATER = TODAY + timedelta(days=2)


@pytest.fixture
def month(tmp_path: Path) -> Tree:
    """A released board of two agents; `base` beside it is the state of then."""
    tree = Tree(tmp_path / "results")
    tree.add("2026-06-26-bolt", *SECOND, manifest=of_agent("Bolt"))
    done("release", "2026-07-01", "--results", tree.folder)
    shutil.copytree(tree.folder, tmp_path / "base")
    return tree


def of_agent(name: str, key: str = "", day: str = "2026-06-25") -> str:
    text = MANIFEST.replace("Acme", name).replace("25.0", "100.0").replace("2026-06-25", day)
    return replaced(text, "\n[agent]", f"{key}\n\n[agent]")


def validate(tree: Tree) -> list[str]:
    """Hold the tree against its base, which is then the same; give the codes of warnings."""
    base = tree.folder.with_name("base")
    report = json.loads(sitegen("validate", tree.folder, "--base", base, "--format", "json").stdout)
    assert report["ok"], report["problems"]
    shutil.rmtree(base)
    shutil.copytree(tree.folder, base)
    return [problem["code"] for problem in report["problems"]]


def outputs(tree: Tree) -> dict[str, Any]:
    """Release and build; give what the board's page, the API and the exports have."""
    done("release", "2026-07-02", "--results", tree.folder)
    validate(tree)
    site = tree.folder.with_name("site")
    done("build", "--results", tree.folder, "--site", site)
    page = html.fromstring((site / "mini/main/index.html").read_text(encoding="utf-8"))
    rows = json.loads((site / "api/v1/scores.json").read_text(encoding="utf-8"))["submissions"]
    release = json.loads((site / "api/v1/releases/2026-07-02.json").read_text(encoding="utf-8"))
    (board,) = [board for board in release["boards"] if board["track"] == "main"]
    exported = sitegen("export", "huggingface", tree.folder, "--into", tree.folder.with_name("hub"), "--dataset", "a/b")
    return {
        "table": page.xpath("//table[@data-board]//tr/@data-submission"),
        "apart": page.xpath("//*[@data-apart]//li/@id"),
        "ranks": {row["id"]: row["rank"] for row in rows},
        "released": {row["id"]: row["rank"] for row in board["rows"]},
        "left out": [line for line in exported.stderr.splitlines() if "not ranked" in line],
        "feed": (site / "feed.xml").read_text(encoding="utf-8"),
        "home": html.fromstring((site / "index.html").read_text(encoding="utf-8")).xpath(
            "//table[contains(@class, 'sg-ranking')]//tr/@data-submission"
        ),
        "changelog": (site / "changelog/2026-07-02/index.html").read_text(encoding="utf-8"),
    }


def test_a_published_submission_becomes_a_baseline(month: Tree) -> None:
    path = month.bundle.with_name("2026-06-26-bolt")
    shutil.rmtree(path)
    month.add("2026-06-26-bolt", *SECOND, manifest=of_agent("Bolt", "baseline = true"))
    assert "HISTORY-MAINTAINED" in validate(month)
    outputs_by_name = outputs(month)
    assert outputs_by_name["table"] == outputs_by_name["home"] == ["2026-06-25-acme"]
    assert outputs_by_name["apart"] == ["2026-06-26-bolt"]
    assert outputs_by_name["ranks"] == outputs_by_name["released"] == {"2026-06-25-acme": 1, "2026-06-26-bolt": None}
    assert len(outputs_by_name["left out"]) == 1


def test_a_submission_after_the_deadline_is_listed_apart(month: Tree) -> None:
    month.define('title = "Main"\n', 'title = "Main"\ndeadline = 2026-06-30\n')
    validate(month)
    month.add("2026-07-03-cork", *SECOND, manifest=of_agent("Cork", day="2026-06-29"))
    validate(month)
    arrived = {"2026-06-25-acme": 2, "2026-06-26-bolt": 1}
    outputs_by_name = outputs(month)
    # The arrivals of the first two were recorded after the deadline, too: the file decides, not the manifests.
    assert set(outputs_by_name["table"]) | set(outputs_by_name["apart"]) == {*arrived, "2026-07-03-cork"}
    assert outputs_by_name["ranks"] == outputs_by_name["released"]
    assert [name for name, rank in outputs_by_name["ranks"].items() if rank is None] == outputs_by_name["apart"]
    assert "2026-07-03-cork" in outputs_by_name["apart"]


def test_an_embargoed_submission_appears_once_its_embargo_ends(month: Tree) -> None:
    month.add("2026-07-03-cork", *SECOND, manifest=of_agent("Cork", f"embargo = {LATER}"))
    validate(month)
    before = outputs(month)
    assert "2026-07-03-cork" not in before["ranks"] | before["released"]
    assert not [key for key, value in before.items() if "Cork" in str(value)]
    assert "2026-07-03-cork" in (month.folder / "arrivals.jsonl").read_text(encoding="utf-8")
    shutil.rmtree(month.bundle.with_name("2026-07-03-cork"))
    month.add("2026-07-03-cork", *SECOND, manifest=of_agent("Cork"))
    assert "HISTORY-MAINTAINED" in validate(month)
    rows = json.loads(done("score", month.folder, "--format", "json"))["submissions"]
    assert {row["id"]: row["rank"] for row in rows}["2026-07-03-cork"] == 1


def test_a_correction_after_the_deadline_keeps_the_rank_and_a_rerun_is_warned_of(month: Tree) -> None:
    assert str(TODAY) in (month.folder / "arrivals.jsonl").read_text(encoding="utf-8")
    month.define('title = "Main"\n', f'title = "Main"\ndeadline = {TODAY}\n')
    epoch = str(int(time.time()) + 3 * 86_400)
    about = ("--results", month.folder)
    done(
        "correct", "mini/main/2026-06-26-bolt", "--model", "m-2", "--reason", "A slip", *about, SOURCE_DATE_EPOCH=epoch
    )
    done("release", "--arrivals", *about, SOURCE_DATE_EPOCH=epoch)
    rows = json.loads(done("score", month.folder, "--format", "json", SOURCE_DATE_EPOCH=epoch))["submissions"]
    assert {row["id"]: row["rank"] for row in rows if row["rank"]} == {
        "2026-06-25-bolt-1": 1,
        "2026-06-25-acme": 2,
    }
    runs = month.folder.with_name("runs.csv")
    runs.write_text("agent,task,attempt,round,reward,passed,total\nAcme,tidy,1,1,1,4,4\n", encoding="utf-8")
    ended = sitegen(
        "replace-rounds", "mini/main/2026-06-25-acme", runs, "--reason", "An outage", *about, SOURCE_DATE_EPOCH=epoch
    )
    assert f"the deadline of track main was {TODAY}: 2026-06-25-acme was in time" in ended.stderr
