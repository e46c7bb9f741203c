"""What a site offers to programs is valid by its own schemas, whole, and the same as its pages show."""

import csv
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from kit.command import done
from lxml import html

ID = "2026-01-14-cedar-mini"
DAY = "2026-06-01"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of simulated results with two releases, between which a submission was withdrawn."""
    work = tmp_path_factory.mktemp("offered")
    results = work / "results"
    done("demo", results, "--agents", "3", "--tasks", "2")
    done("release", DAY, "--title", "First", "--results", results)
    bundle = results / "demo" / "submissions" / ID
    manifest = (bundle / "submission.toml").read_text(encoding="utf-8")
    status = '[status]\nstate = "withdrawn"\nby = "Example Labs"\nreason = "a mistake"\ndate = 2026-06-10\n'
    withdrawn_manifest = re.sub(r"\[status\]\n(?:.+\n)+", status, manifest)
    assert withdrawn_manifest != manifest
    (bundle / "submission.toml").write_text(withdrawn_manifest, encoding="utf-8")
    files = sorted(path for path in bundle.iterdir() if path.name != "SHA256SUMS")
    sums = (f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files)
    (bundle / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")
    done("release", "2026-06-15", "--results", results)
    done("build", "--results", results, "--site", work / "site")
    return work / "site"


def document(site: Path, name: str) -> Any:  # noqa: ANN401 - JSON
    return json.loads((site / "api" / "v1" / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("scores", ["scores.json", "demo/chain.json", "demo/fail-stop.json"]),
        ("releases", ["releases.json"]),
        ("release", [f"releases/{DAY}.json", "releases/2026-06-15.json"]),
    ],
)
def test_documents_are_valid_by_their_schemas(site: Path, kind: str, names: list[str]) -> None:
    schema = document(site, f"schemas/{kind}.schema.json")
    checker = jsonschema.Draft202012Validator(schema)
    checker.check_schema(schema)
    for name in names:
        assert [error.message for error in checker.iter_errors(document(site, name))] == []


def test_every_value_of_a_board_is_the_one_on_its_page(site: Path) -> None:
    for track in ("chain", "fail-stop"):
        page = html.fromstring((site / "demo" / track / "index.html").read_bytes())
        table = csv.DictReader((site / "api" / "v1" / "demo" / f"{track}.csv").read_text(encoding="utf-8").splitlines())
        as_csv = {row["id"]: row for row in table}
        for row in document(site, f"demo/{track}.json")["submissions"]:
            (shown,) = page.cssselect(f"table[data-board] tr[data-submission='{row['id']}']")
            cells = shown.cssselect("td[data-metric]:not([data-group])")
            assert cells
            for cell in cells:
                value = row["metrics"][cell.get("data-metric")]["value"]
                assert (None if cell.get("data-value") is None else float(cell.get("data-value"))) == value
                assert as_csv[row["id"]][cell.get("data-metric")] == ("" if value is None else repr(value))


def test_a_release_has_the_values_that_its_page_shows(site: Path) -> None:
    (board,) = (board for board in document(site, f"releases/{DAY}.json")["boards"] if board["track"] == "chain")
    page = html.fromstring((site / "changelog" / DAY / "demo" / "chain" / "index.html").read_bytes())
    for row in board["rows"]:
        (shown,) = page.cssselect(f"table[data-snapshot] tr[data-row='{row['id']}']")
        values = {cell.get("data-metric"): cell.get("data-value") for cell in shown.cssselect("td[data-metric]")}
        assert {name: float(value) for name, value in values.items() if value is not None} == {
            name: score["value"] for name, score in row["metrics"].items()
        }


def test_a_release_keeps_a_row_as_it_was_and_the_next_one_tells_what_became_of_it(site: Path) -> None:
    (then,) = (row for row in document(site, f"releases/{DAY}.json")["boards"][0]["rows"] if row["id"] == ID)
    assert (then["state"], then["rank"]) == ("published", 1)
    (event,) = (event for event in document(site, "releases/2026-06-15.json")["events"] if event["submission"] == ID)
    assert (event["what"], event["rank"], event["causes"]) == (
        "withdrawn",
        [1, None],
        [{"kind": "status", "about": "a mistake"}],
    )


def test_every_file_has_its_checksum(site: Path) -> None:
    folder = site / "api" / "v1"
    lines = (folder / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    stated = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    actual_digests = {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "SHA256SUMS"
    }
    assert stated == actual_digests


def test_the_guide_for_models_leads_to_every_board(site: Path) -> None:
    guide = (site / "llms.txt").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)]*)\)", guide)
    assert {"demo/chain/", "demo/fail-stop/"} < set(links)
    assert [link for link in links if not ((site / link).is_file() or (site / link / "index.html").is_file())] == []
    assert "simulated, no model was run" in guide
