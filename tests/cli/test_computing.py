"""What a board's page offers to people who compute: its lines run as they stand, on the files of its site."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kit.built_sites import HOME, demo, own_site, site_of
from kit.command import ROOT
from lxml import html


def blocks(site: Path) -> Iterator[tuple[str, html.HtmlElement]]:
    """The block of every board, with the board's address."""
    for file in sorted((site / "api" / "v1").glob("*/*.csv")):
        name = f"{file.parent.name}/{file.stem}"
        compute_blocks = html.fromstring((site / name / "index.html").read_bytes()).cssselect("#compute")
        assert bool(compute_blocks) == (len(lines_of(file)) > 1), "a board without rows has none"
        yield from ((name, block) for block in compute_blocks)


def lines_of(file: Path) -> list[list[str]]:
    return list(csv.reader(file.read_text(encoding="utf-8").splitlines()))


def line(block: html.HtmlElement, tool: str) -> str:
    (code_element,) = block.cssselect(f"pre[aria-label='In {tool}']")
    return str(code_element.text_content())


@pytest.fixture(params=["shipped", "demo"])
def site(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A site, in whose folder the lines run."""
    built_site = own_site() if request.param == "shipped" else site_of(demo())
    monkeypatch.chdir(built_site)
    return built_site


def test_the_line_of_pandas_reads_the_board(site: Path) -> None:
    board_blocks = list(blocks(site))
    assert board_blocks
    for name, block in board_blocks:
        scope: dict[str, Any] = {}
        exec(line(block, "pandas").replace(HOME, ""), scope)  # noqa: S102 - it is to run as it stands
        rows = json.loads((site / f"api/v1/{name}.json").read_text(encoding="utf-8"))["submissions"]
        assert scope["board"]["id"].to_list() == [row["id"] for row in rows]
        stated = [(row["agent"]["organization"], row["agent"]["scaffold"]) for row in rows]
        read = scope["board"][["organization", "scaffold"]].astype(object)
        assert list(read.where(read.notna(), None).itertuples(index=False, name=None)) == stated


def test_the_line_of_duckdb_answers(site: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    for name, block in blocks(site):
        answers = duckdb.sql(line(block, "DuckDB").replace(HOME, "")).fetchall()
        agents = {row[3] for row in lines_of(site / f"api/v1/{name}.csv")}
        assert {answer[0] for answer in answers} <= agents
        assert answers


def test_every_column_of_both_files_is_explained(site: Path) -> None:
    for name, block in blocks(site):
        explained_columns = [
            [cell.text_content() for cell in table.cssselect("th")] for table in block.cssselect("table")
        ]
        head = lines_of(site / f"api/v1/{name}.csv")[0]
        suffixes = tuple(
            column.removeprefix("METRIC") for column in explained_columns[0] if column.startswith("METRIC")
        )
        assert [column for column in head if column not in explained_columns[0] and not column.endswith(suffixes)] == []
        for link in block.cssselect("a[href$='rounds.csv']"):
            rounds = (site / name / str(link.get("href"))).resolve()
            head, *lines = lines_of(rounds)
            assert [column for column in head if "@" not in column] == explained_columns[1]
            assert len(lines) > 1


def test_ten_lines_recompute_a_dataset_score(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(own_site())
    page = (ROOT / "site_src" / "api" / "index.md").read_text(encoding="utf-8")
    lines = page.partition('title="Python, without findings"\n')[2].partition("```")[0]
    rules = json.loads(Path("api/v1/rules.json").read_text(encoding="utf-8"))
    board = next(
        board for board in rules["boards"] if (board["benchmark"], board["track"]) == ("evocode-bench", "official")
    )
    submissions = json.loads(Path("api/v1/evocode-bench/official.json").read_text(encoding="utf-8"))["submissions"]
    plain = {name for name, row in board["submissions"].items() if not row["changes"] and not row["left_out"]}
    row = next(submission for submission in submissions if submission["id"] in plain)
    exec(lines.replace("BENCHMARK", "evocode-bench").replace("SUBMISSION", row["id"]), {})  # noqa: S102 - what a page tells
    assert float(capsys.readouterr().out) == pytest.approx(row["metrics"]["dataset_score"]["value"], abs=1e-9)
