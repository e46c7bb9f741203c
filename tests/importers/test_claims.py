"""How published values find the agents that they are about."""

import json
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from kit.evocodebench_trees import OPTIONS, Json, imported, passed, publish, refused, warned

from sitegen.importers.kit.options import ImportOptions
from sitegen.models.submission import Submission

TABLE = """
schema = 1
track = "official"
title = "The README's table"
source = "README at 78aef1d"
date = 2026-06-25

[[rows]]
id = "opus"
name = "Claude-Opus-4.8"
reasoning = "effort xhigh"
organization = "Anthropic"
[rows.values]
dataset_score = 42.0
perfect_tasks = {value = 6, n = 26}
"""


def printed(folder: Path, *rows: Json) -> ImportOptions:
    """Write a printed table and give the options that name it."""
    return _claiming(folder, "printed.json", json.dumps({"source": "README", "rows": rows}))


def _claiming(folder: Path, name: str, text: str) -> ImportOptions:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return replace(OPTIONS, claims=path)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return publish(tmp_path, {"tidy": {"Opus-4.8-xhigh": [passed()], "GPT-5.5": [passed()]}})


def submission(source: Path, options: ImportOptions, place: int = 0) -> Submission:
    return imported(source, options).drafts[place].submission


def test_printed_values_become_claims_with_their_source_and_decimals(source: Path, tmp_path: Path) -> None:
    row = {"Agent": "Claude-Opus-4.8", "Dataset score": "42.0", "Case score": "**89.3**¹", "Perfect tasks": "6/26"}
    claims = submission(source, printed(tmp_path, row)).claims
    assert claims is not None
    assert claims.source == "README"
    assert {metric: str(value) for metric, value in claims.values.items()} == {
        "dataset_score": "42.0",
        "case_score": "89.3",
        "perfect_tasks": "6",
    }


def test_numbers_in_json_keep_their_decimals(source: Path, tmp_path: Path) -> None:
    path = tmp_path / "printed.json"
    path.write_text('{"source": "README", "rows": [{"agent": "GPT-5.5", "case_score": 42.10, "perfect_tasks": 0}]}')
    claims = submission(source, replace(OPTIONS, claims=path), place=1).claims
    assert claims is not None
    assert [str(value) for value in claims.values.values()] == ["42.10", "0"]


@pytest.mark.parametrize("gap", ["–", "—", "-", "", None])
def test_a_dash_claims_nothing(source: Path, tmp_path: Path, gap: str | None) -> None:
    options = printed(tmp_path, {"Agent": "GPT-5.5", "Dataset score": gap, "Case score": "1.0"})
    claims = submission(source, options, place=1).claims
    assert claims is not None
    assert claims.values == {"case_score": Decimal("1.0")}


def test_an_agent_with_gaps_only_claims_nothing(source: Path, tmp_path: Path) -> None:
    options = printed(tmp_path, {"Agent": "GPT-5.5", "Dataset score": "–"})
    assert submission(source, options, place=1).claims is None


@pytest.mark.parametrize(
    ("printed_label", "reasoning"),
    [("effort `xhigh`", "effort xhigh"), ("thinking on¹", "thinking on"), ("reasoning split", "reasoning split")],
)
def test_the_reasoning_goes_to_the_agent_without_marks(
    source: Path, tmp_path: Path, printed_label: str, reasoning: str
) -> None:
    options = printed(tmp_path, {"Agent": "GPT-5.5", "Reasoning": printed_label, "Dataset score": "1.0"})
    assert submission(source, options, place=1).agent.reasoning == reasoning


def test_a_reported_table_gives_claims_and_describes_the_agent(source: Path, tmp_path: Path) -> None:
    entry = submission(source, _claiming(tmp_path, "readme.toml", TABLE))
    assert (entry.agent.name, entry.agent.reasoning, entry.agent.organization) == (
        "Claude-Opus-4.8",
        "effort xhigh",
        "Anthropic",
    )
    assert entry.claims is not None
    assert entry.claims.source == "README at 78aef1d"
    assert {metric: str(value) for metric, value in entry.claims.values.items()} == {
        "dataset_score": "42.0",
        "perfect_tasks": "6",
    }


@pytest.mark.parametrize("spelling", ["Opus-4.8", "claude-opus-4-8", "CLAUDE-OPUS-4.8", "Claude-Opus-4.8-xhigh"])
def test_a_row_finds_its_agent_in_any_known_spelling(source: Path, tmp_path: Path, spelling: str) -> None:
    options = printed(tmp_path, {"Agent": spelling, "Dataset score": "42.0"})
    assert submission(source, options).claims is not None
    assert not warned(source, options)


def test_rows_of_nobody_here_are_one_warning(source: Path, tmp_path: Path) -> None:
    options = printed(tmp_path, {"Agent": "Zed", "Dataset score": "1"}, {"Agent": "Yak", "Dataset score": "2"})
    (warning,) = warned(source, options)
    assert (warning.code, warning.path) == ("CLAIM-UNMATCHED", options.claims)
    assert "Zed, Yak" in warning.what


def test_unknown_metrics_are_one_warning_and_no_claim(source: Path, tmp_path: Path) -> None:
    options = printed(tmp_path, {"Agent": "GPT-5.5", "Rank": "2", "Charm": "9.9", "#": "2", "Dataset score": "1.0"})
    (warning,) = warned(source, options)
    assert (warning.code, warning.what) == (
        "CLAIM-METRIC-UNKNOWN",
        "no metric of the catalogue is called rank, charm",
    )
    claims = submission(source, options, place=1).claims
    assert claims is not None
    assert set(claims.values) == {"dataset_score"}


def test_two_rows_of_one_agent_are_refused(source: Path, tmp_path: Path) -> None:
    rows = ({"Agent": name, "Dataset score": "42.0"} for name in ("Opus-4.8", "Claude-Opus-4.8"))
    (error,) = refused(source, printed(tmp_path, *rows))
    assert (error.code, error.what) == ("CLAIM-TWICE", "Claude-Opus-4.8 has several rows")


def test_values_that_are_no_numbers_are_refused(source: Path, tmp_path: Path) -> None:
    (error,) = refused(source, printed(tmp_path, {"Agent": "GPT-5.5", "Dataset score": "about 40", "Case score": "1"}))
    assert (error.code, error.what) == ("CLAIM-VALUE", "GPT-5.5: `dataset_score` is `about 40`")


def test_a_row_without_an_agent_is_refused(source: Path, tmp_path: Path) -> None:
    (error,) = refused(source, printed(tmp_path, {"Model": "GPT-5.5", "Dataset score": "1"}))
    assert (error.code, error.what) == ("CLAIM-AGENT-MISSING", "row 1 names no agent")


def test_a_table_about_another_track_is_warned_of(source: Path, tmp_path: Path) -> None:
    options = _claiming(tmp_path, "readme.toml", TABLE.replace('"official"', '"paper"'))
    assert [warning.code for warning in warned(source, options)] == ["CLAIM-TRACK-DIFFERS"]


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("claims.csv", "", ("CLAIM-FORMAT", None)),
        ("claims.toml", "schema = 1\ntrack = ]\n", ("TOML-SYNTAX", 2)),
        ("claims.toml", TABLE.replace("schema = 1", "schema = 2"), ("SCHEMA-NEWER", 2)),
        ("claims.toml", TABLE + "charm = '1'", ("TYPE-WRONG", 16)),
        ("claims.json", '{"source": "README",\n "rows": [}', ("JSON-SYNTAX", 2)),
        ("claims.json", '{"rows": []}', ("KEY-MISSING", None)),
        ("claims.json", '{"source": "README", "rows": [[]]}', ("TYPE-WRONG", None)),
        ("claims.json", "[]", ("TYPE-WRONG", None)),
    ],
)
def test_a_file_of_another_shape_is_refused(
    source: Path, tmp_path: Path, name: str, text: str, fault: tuple[str, int | None]
) -> None:
    options = _claiming(tmp_path, name, text)
    (error,) = refused(source, options)
    assert (error.code, error.line) == fault
    assert error.path == options.claims


def test_a_file_that_is_not_there_is_refused(source: Path, tmp_path: Path) -> None:
    (error,) = refused(source, replace(OPTIONS, claims=tmp_path / "none.json"))
    assert (error.code, error.what) == ("FILE-MISSING", "none.json is missing")


def test_reported_tables_keep_the_day_they_were_published(source: Path, tmp_path: Path) -> None:
    """Claims do not date the results: a table can be published long after them."""
    options = _claiming(tmp_path, "readme.toml", TABLE.replace("2026-06-25", "2026-12-31"))
    assert submission(source, options).date == date(2026, 6, 25)
