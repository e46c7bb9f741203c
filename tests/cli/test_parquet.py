"""Scores as Parquet: the numbers of the CSV and the JSON, with types, and only where somebody asks for them."""

import csv
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from kit.built_sites import demo, site_of
from kit.command import ROOT, done
from lxml import html

TRACKS = ("chain", "fail-stop")


@pytest.fixture(scope="module")
def site() -> Path:
    """A site of simulated results that offers Parquet."""
    return site_of(demo("--agents", "3", "--tasks", "2"), "--parquet")


def of(site: Path, track: str, ending: str) -> Path:
    return site / "api" / "v1" / "demo" / f"{track}{ending}"


def lines_of(site: Path, track: str) -> Sequence[Mapping[str, Any]]:
    from pyarrow import parquet  # noqa: PLC0415 - the fixture has seen whether it is there

    lines: list[dict[str, Any]] = parquet.read_table(of(site, track, ".parquet")).to_pylist()
    return lines


def read(text: str, like: object) -> object:
    """Read a value of the CSV as the type that Parquet has it in."""
    if isinstance(like, bool):
        return text == "True"
    return None if text == "" else type(like)(text) if isinstance(like, (int, float)) else text


@pytest.mark.parametrize("track", TRACKS)
def test_every_value_is_the_one_of_the_csv(site: Path, track: str) -> None:
    as_csv = list(csv.DictReader(of(site, track, ".csv").read_text(encoding="utf-8").splitlines()))
    lines = lines_of(site, track)
    assert lines
    for line, stated in zip(lines, as_csv, strict=True):
        assert line == {name: read(text, like=line[name]) for name, text in stated.items()}


def rows_of(site: Path, track: str) -> list[Any]:
    rows: list[Any] = json.loads(of(site, track, ".json").read_text(encoding="utf-8"))["submissions"]
    return rows


@pytest.mark.parametrize("track", TRACKS)
def test_every_score_and_interval_is_the_one_of_the_json(site: Path, track: str) -> None:
    rows = rows_of(site, track)
    lines = lines_of(site, track)
    assert [line["id"] for line in lines] == [row["id"] for row in rows]
    for line, row in zip(lines, rows, strict=True):
        for name, score in row["metrics"].items():
            actual = (line[name], line[f"{name}_low"], line[f"{name}_high"])
            assert actual == (score["value"], score["low"], score["high"])


@pytest.mark.parametrize("track", TRACKS)
def test_rounds_are_those_of_the_csv(site: Path, track: str) -> None:
    from pyarrow import parquet  # noqa: PLC0415 - the fixture has seen whether it is there

    as_csv = list(csv.DictReader(of(site, track, "/rounds.csv").read_text(encoding="utf-8").splitlines()))
    lines = parquet.read_table(of(site, track, "/rounds.parquet")).to_pylist()
    assert lines
    for line, stated in zip(lines, as_csv, strict=True):
        assert {name: line[name] for name in ("task", "reward", "passed")} == {
            name: read(stated[name], like=line[name]) for name in ("task", "reward", "passed")
        }
        assert stated["solved"] == ("" if line["solved"] is None else str(line["solved"]))


def test_the_documented_query_recomputes_the_board_from_the_files_of_its_rows(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    duckdb = pytest.importorskip("duckdb")
    monkeypatch.chdir(site / "api" / "v1" / "demo")
    page = (ROOT / "site_src" / "docs" / "large.md").read_text(encoding="utf-8")
    (query,) = re.findall(r"```sql\n(.*?)```", page, flags=re.DOTALL)
    scores = {row["id"]: row["metrics"]["dataset_score"]["value"] for row in rows_of(site, "chain")}
    assert duckdb.sql(query.replace("TRACK", "chain")).fetchall() == [
        (name, pytest.approx(score)) for name, score in sorted(scores.items(), key=lambda item: -item[1])
    ]
    ((outcome_count, count),) = duckdb.sql(
        "SELECT count(*), count(*) FILTER (outcome = 'passed') FROM 'parquet/track=*/submission=*/outcomes.parquet'"
    ).fetchall()
    sums = "SELECT sum(total), sum(passed) FROM 'parquet/track=*/submission=*/rounds.parquet' WHERE total > 0"
    assert duckdb.sql(sums).fetchall() == [(outcome_count, count)]


def test_columns_have_types_and_gaps_are_nulls(site: Path) -> None:
    from pyarrow import parquet  # noqa: PLC0415 - the fixture has seen whether it is there

    schema = parquet.read_schema(of(site, "chain", ".parquet"))
    kinds = {name: str(schema.field(name).type) for name in ("agent", "rank", "dataset_score", "dataset_score_low")}
    assert kinds == {"agent": "string", "rank": "int64", "dataset_score": "double", "dataset_score_low": "double"}
    (retired, *_) = [line for line in lines_of(site, "chain") if line["status"] != "published"]
    assert retired["rank"] is None


def test_the_same_results_give_the_same_bytes(site: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    done("build", "--results", demo("--agents", "3", "--tasks", "2"), "--site", again, "--parquet")
    for track in TRACKS:
        assert of(again, track, ".parquet").read_bytes() == of(site, track, ".parquet").read_bytes()


def test_it_has_a_checksum(site: Path) -> None:
    stated = (site / "api" / "v1" / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    digest = hashlib.sha256(of(site, "chain", ".parquet").read_bytes()).hexdigest()
    assert f"{digest}  demo/chain.parquet" in stated


def links(page: Path) -> list[str]:
    anchors = html.fromstring(page.read_bytes()).cssselect("a[href$='.parquet']")
    return [str(link.get("href")) for link in anchors]


def test_boards_and_the_data_page_lead_to_it(site: Path) -> None:
    assert links(site / "demo" / "chain" / "index.html") == [
        "../../api/v1/demo/chain.parquet",
        "../../api/v1/demo/chain/rounds.parquet",
    ]
    assert links(site / "data" / "index.html") == [f"../api/v1/demo/{track}.parquet" for track in TRACKS]
    assert "TRACK.parquet" in (site / "api" / "index.html").read_text(encoding="utf-8")
    assert "demo/chain.parquet" in (site / "llms.txt").read_text(encoding="utf-8")


def test_who_does_not_ask_for_it_gets_none_and_reads_of_none() -> None:
    """Only the guides for those who make sites tell of it."""
    plain = site_of(demo())
    assert list(plain.rglob("*.parquet")) == []
    mentioning_paths = {path.relative_to(plain) for path in plain.rglob("*.*") if names_parquet(path)}
    assert {path.parts[0] for path in mentioning_paths} <= {"docs", "submit", "develop", "search"}


def names_parquet(path: Path) -> bool:
    return path.suffix in {".html", ".json", ".txt"} and "parquet" in path.read_text(encoding="utf-8").lower()


def test_without_the_library_the_command_says_how_to_get_it(tmp_path: Path) -> None:
    """A finder that knows no pyarrow stands in for a machine without it."""
    done("demo", tmp_path / "results", "--agents", "2", "--tasks", "1")
    (tmp_path / "sitecustomize.py").write_text(
        "import importlib.util as u\n"
        "known = u.find_spec\n"
        "u.find_spec = lambda name, package=None: None if name == 'pyarrow' else known(name, package)\n",
        encoding="utf-8",
    )
    command = ["build", "--parquet", "--results", str(tmp_path / "results"), "--site", str(tmp_path / "site")]
    ended = subprocess.run(
        [sys.executable, "-m", "sitegen", *command],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(tmp_path), "PATH": ""},
    )
    assert ended.returncode == 2
    assert "pip install pyarrow" in ended.stderr
    assert not (tmp_path / "site").exists()
