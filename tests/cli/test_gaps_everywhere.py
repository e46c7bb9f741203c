"""Every output hands on the same score, and the same words on what it lacks: tasks, attempts, or nothing."""

import csv
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml
from kit.built_sites import made_once
from kit.command import done
from kit.incomplete_results import FEWER, FINDINGS, MISSING, gaps
from lxml import html

import sitegen
from sitegen.board.score import GAP

NOTES = {"whole": "", "lacking": MISSING, "once": FEWER, "printed": ""}
"""What each row lacks, in words."""

SCORES = {"whole": 75.0, "lacking": 100 * 5 / 6, "once": 100 * 5.5 / 6, "printed": 42.5}


@pytest.fixture(scope="module")
def results() -> Path:
    return made_once("gaps", gaps)


@pytest.fixture(scope="module")
def site() -> Path:
    """Build a site with a release, whose feed says what entered."""

    def build(folder: Path) -> None:
        gaps(folder / "results")
        done("release", "2026-07-02", "--results", folder / "results")
        done("build", "--parquet", "--results", folder / "results", "--site", folder / "site")

    return made_once("gaps-site", build) / "site"


@pytest.fixture(scope="module")
def exported(results: Path) -> Path:
    def export(folder: Path) -> None:
        done("export", "every-eval-ever", results, "--into", folder / "eee")
        done("export", "huggingface", results, "--into", folder / "hub", "--dataset", "acme/gaps")

    return made_once("gaps-exported", export)


def rows_of(document: Mapping[str, Any]) -> dict[str, Any]:
    return {row["id"]: row for row in document["submissions"]}


def test_the_page_shows_the_scores_and_says_what_is_missing(site: Path) -> None:
    page = html.fromstring((site / "gaps/main/index.html").read_bytes())
    for name, note in NOTES.items():
        (row,) = page.cssselect(f'table[data-board] tr[data-submission="{name}"]')
        (cell,) = row.cssselect('td[data-metric="dataset_score"]')
        assert float(cell.get("data-value")) == pytest.approx(SCORES[name])
        text = " ".join(row.text_content().split())
        assert [shown_note for shown_note in (MISSING, FEWER) if shown_note in text] == ([note] if note else [])


@pytest.mark.parametrize("name", NOTES)
def test_json_says_it(site: Path, results: Path, name: str) -> None:
    printed = json.loads(done("score", results, "--format", "json"))
    for document in (printed, *(json.loads((site / "api/v1" / api_file).read_text()) for api_file in API)):
        row = rows_of(document)[name]
        score = row["metrics"]["dataset_score"]
        assert score["value"] == pytest.approx(SCORES[name])
        assert score["missing_note"] == (NOTES[name] or None)
        if name != "printed":
            assert row["attempts"] == {"made": 1 if name == "once" else 4, "expected": 4}
            assert row["missing"] == (["f"] if name == "lacking" else [])


API = ("scores.json", "gaps/main.json")


def test_tables_say_it(site: Path, results: Path) -> None:
    from pyarrow import parquet  # noqa: PLC0415 - only where it is used

    printed = list(csv.DictReader(done("score", results, "--format", "csv").splitlines()))
    offered = list(csv.DictReader((site / "api/v1/gaps/main.csv").read_text(encoding="utf-8").splitlines()))
    loaded = sitegen.load(results).boards.astype(object).where(lambda frame: frame.notna(), "")
    as_parquet = parquet.read_table(site / "api/v1/gaps/main.parquet").to_pylist()
    for lines in (printed, offered, loaded.to_dict("records"), as_parquet):
        for line in lines:
            name = line["id"]
            assert float(line["dataset_score"]) == pytest.approx(SCORES[name])
            assert (line["dataset_score_missing_note"] or "") == NOTES[name]
            counts = [line[key] for key in ("tasks_missing", "attempts_made", "attempts_expected")]
            made = {"whole": "0 4 4", "lacking": "1 4 4", "once": "0 1 4", "printed": "  "}[name]
            assert " ".join("" if count is None else str(count) for count in counts) == made


def test_the_printed_table_says_it(results: Path) -> None:
    lines = done("score", results).splitlines()
    for name, note in NOTES.items():
        (line,) = [line for line in lines if f" {name.title()} " in line]
        assert f"{SCORES[name]:.1f}" in line
        assert [shown_note for shown_note in (MISSING, FEWER) if shown_note in line] == ([note] if note else [])


def test_badges_say_it(site: Path) -> None:
    for name, note in NOTES.items():
        badge = (site / f"gaps/main/{name}/badge.svg").read_text(encoding="utf-8")
        (title,) = re.findall("<title>(.*)</title>", badge)
        assert f"{SCORES[name]:.1f} %" in title
        assert [shown_note for shown_note in (MISSING, FEWER) if shown_note in title] == ([note] if note else [])


def test_feeds_and_the_release_say_it(site: Path) -> None:
    feed = json.loads((site / "feed.json").read_text(encoding="utf-8"))
    feed_text = " ".join(item.get("content_text", "") for item in feed["items"])
    atom = "".join(ET.parse(site / "feed.xml").getroot().itertext())  # noqa: S314 - our own file
    for text in (feed_text, atom):
        assert re.search(rf"Lacking: rank {GAP} → {GAP}, dataset_score {GAP} → 83\.3\d*, {MISSING}", text)
        assert re.search(rf"Once: rank [^;]*, {FEWER}", text)
        assert not re.search(r"Whole: rank [^;.]*missing", text)
    release = json.loads((site / "api/v1/releases/2026-07-02.json").read_text(encoding="utf-8"))
    notes = {row["id"]: row["missing_note"] for row in release["boards"][0]["rows"]}
    assert notes == {name: note or None for name, note in NOTES.items()}
    snapshot = (site / "changelog/2026-07-02/gaps/main/index.html").read_text(encoding="utf-8")
    assert snapshot.count(MISSING) == snapshot.count(FEWER) == 1


def test_the_guide_for_language_models_says_it(site: Path) -> None:
    guide = (site / "llms.txt").read_text(encoding="utf-8")
    (line,) = [splitline for splitline in guide.splitlines() if "gaps/main/" in splitline]
    assert f"Once: {SCORES['once']:.1f}, {FEWER}. Lacking: {SCORES['lacking']:.1f}, {MISSING}." in line
    assert "Whole:" not in line


def test_every_eval_ever_is_handed_it(exported: Path, site: Path) -> None:
    documents = {}
    for path in exported.glob("eee/data/gaps/*/*/*.json"):
        document = json.loads(path.read_text(encoding="utf-8"))
        name = document["evaluation_id"].rpartition("/")[2]
        documents[name] = document
        offered = json.loads((site / f"api/v1/gaps/main/{name}/every-eval-ever.json").read_text(encoding="utf-8"))
        assert offered["evaluation_results"] == document["evaluation_results"]
    for name, document in documents.items():
        (score,) = [
            result["score_details"]
            for result in document["evaluation_results"]
            if result["evaluation_result_id"] == "gaps.main.dataset_score"
        ]
        assert score["score"] == pytest.approx(SCORES[name])
        assert score.get("details", {}).get("missing", "") == NOTES[name]
        about = document["source_metadata"]["additional_details"]
        assert about.get("missing_tasks", "") == ("f" if name == "lacking" else "")
        assert about.get("attempts", "") == (FEWER if name == "once" else "")
    assert documents["lacking"]["evaluation_results"][0]["score_details"]["uncertainty"]["num_samples"] == 6
    assert sorted(documents) == sorted(NOTES)


def test_the_hub_is_handed_it(exported: Path) -> None:
    for name, note in NOTES.items():
        path = exported / f"hub/{name}/.eval_results/gaps-main.yaml"
        (result,) = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert result["value"] == pytest.approx(SCORES[name])
        assert [gap_note for gap_note in (MISSING, FEWER) if gap_note in result["notes"]] == ([note] if note else [])


def test_rows_with_gaps_come_back_with_their_scores(exported: Path, tmp_path: Path) -> None:
    done("import", "every-eval-ever", exported / "eee", "--benchmark", "gaps", "--into", tmp_path / "back")
    rows = json.loads(done("score", tmp_path / "back", "--format", "json"))["submissions"]
    scores = {row["agent"]["name"].lower(): row["metrics"]["dataset_score"]["value"] for row in rows}
    assert scores == pytest.approx(SCORES)


README_LINES = re.compile(r"## In a notebook\n\n```python\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize("findings", ["", FINDINGS], ids=["no-finding", "finding"])
def test_the_lines_of_the_readme_give_the_published_scores(tmp_path: Path, findings: str) -> None:
    """Rounds that a finding excludes have no verdict, and those of missing tasks are not solved."""
    results = gaps(tmp_path / "results", findings)
    (lines,) = README_LINES.findall(Path("README.md").read_text(encoding="utf-8"))
    *statements, last = lines.strip().splitlines()
    code = "\n".join(statements).replace('"results"', repr(str(results)))
    names: dict[str, Any] = {"sitegen": sitegen}
    exec(code, names)  # noqa: S102 - the README's own lines
    scores = eval(last, names)  # noqa: S307 - likewise
    published = names["frames"].boards.set_index("submission").dataset_score.drop("printed")
    assert scores.to_dict() == pytest.approx(published.to_dict())
    if findings:
        assert published.to_dict() == pytest.approx({"whole": 75.0, "lacking": 80.0, "once": 100.0})


def test_every_table_of_rounds_gives_the_published_scores(site: Path) -> None:
    from pandas import read_csv, read_parquet  # noqa: PLC0415 - only where they are used

    for rounds in (
        read_csv(site / "api/v1/gaps/main/rounds.csv"),
        read_parquet(site / "api/v1/gaps/main/rounds.parquet"),
    ):
        scores = 100 * rounds.groupby(["submission", "task"]).solved.mean().groupby("submission").mean()
        assert scores.to_dict() == pytest.approx({name: SCORES[name] for name in ("whole", "lacking", "once")})
        lacking = rounds[rounds.state == "missing"]
        assert set(lacking.submission) == {"lacking"}
        assert (set(lacking.task), len(lacking), lacking.passed.notna().sum()) == ({"f"}, 8, 0)
