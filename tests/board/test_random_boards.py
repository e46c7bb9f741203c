"""Boards drawn at random, each held against a second computation from its files: scores, ranks, sentences, exports.

`make boards BOARDS=500` tries many; `make test` tries a few.
"""

import json
import os
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from kit.board_faults import faults_of
from kit.board_outputs import ProgramResults, is_close, submission_rows
from kit.change_checks import change_faults
from kit.command import done
from kit.random_boards import write_random_board
from lxml import html

BOARDS = int(os.environ.get("SITEGEN_BOARDS", "8"))
BUILT_EVERY = 40
"""One board in so many is built by the command itself."""


@pytest.mark.parametrize("seed", range(BOARDS))
def test_nothing_said_of_a_random_board_is_false(seed: int, tmp_path: Path) -> None:
    write_random_board(tmp_path / "results", seed)
    assert faults_of(tmp_path / "results") == []


@pytest.mark.parametrize("seed", range(BOARDS))
def test_the_changelog_names_the_cause_of_a_change(seed: int, tmp_path: Path) -> None:
    drawn = write_random_board(tmp_path / "results", seed)
    assert list(change_faults(tmp_path / "results", drawn, seed)) == []


@pytest.mark.parametrize("seed", range(0, BOARDS, BUILT_EVERY))
def test_commands_and_site_say_the_same(seed: int, tmp_path: Path) -> None:
    results = tmp_path / "results"
    benchmark = write_random_board(results, seed)
    expected: dict[tuple[str, str], Any] = {}
    for output in ProgramResults.of(results).boards:
        expected |= {(output.track, name): row for name, row in output.rows.items()}
    done("validate", results)
    printed = json.loads(done("score", results, "--format", "json"))["submissions"]
    assert {(row["track"], row["id"]): row for row in printed} == expected
    done("build", "--check-links", "--parquet", "--results", results, "--site", tmp_path / "site")
    api = tmp_path / "site" / "api" / "v1"
    offered = json.loads((api / "scores.json").read_text(encoding="utf-8"))["submissions"]
    assert {(row["track"], row["id"]): row for row in offered} == expected
    for track in (track["id"] for track in benchmark.definition["tracks"]):
        rows = {name: row for (track_id, name), row in expected.items() if track_id == track}
        page = tmp_path / "site" / benchmark.id / track / "index.html"
        assert_page_has(rows, html.fromstring(page.read_text(encoding="utf-8")))
        frame = pd.read_parquet(api / benchmark.id / f"{track}.parquet")
        assert {*frame["id"]} == {*rows}


def assert_page_has(rows: dict[str, Any], root: html.HtmlElement) -> None:
    """Hold the cells of a board's page against its rows."""
    shown = dict(submission_rows(root, "table[data-board]"))
    assert {*shown} == {name for name, row in rows.items() if "apart" not in row}
    listed = set(root.xpath("//*[@data-apart]//li/@id"))
    assert listed == {name for name, row in rows.items() if "apart" in row}
    for name, element in shown.items():
        metrics = rows[name]["metrics"]
        for cell in element.cssselect("td[data-metric]:not([data-group])"):
            text = cell.get("data-value")
            value = None if text is None else float(text)
            assert is_close(value, metrics.get(cell.get("data-metric"), {}).get("value")), name
