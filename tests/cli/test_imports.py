"""The import command as a shell sees it: every format from source to scores, and what it refuses."""

import json
from pathlib import Path

import pytest
from kit.command import sitegen
from kit.real_data import real_data

from sitegen.importers.formats import FORMATS, load_format

DATA_PROBLEMS, USED_WRONGLY = 1, 2
MINE = ("--benchmark", "mine")

TABLE = """\
task,attempt,round,reward,passed,total
tidy-ledger,1,1,1,3,3
tidy-ledger,1,2,0,2,4
doc-lantern,1,1,1,2,2
"""


def scores(results: Path) -> dict[str, dict[str, float | None]]:
    """Give the scores of a results folder by submission and metric, once it is valid."""
    checked = sitegen("validate", results)
    assert checked.returncode == 0, checked.stdout
    document = json.loads(sitegen("score", results, "--format", "json").stdout)
    return {
        row["id"]: {metric: score["value"] for metric, score in row["metrics"].items()}
        for row in document["submissions"]
    }


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "runs.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def test_a_table_becomes_a_scored_bundle(table: Path, tmp_path: Path) -> None:
    into = tmp_path / "results"
    done = sitegen("import", "table", table, "--into", into, *MINE, "--agent", "Acme-1", "--date", "2026-07-01")
    assert done.returncode == 0, done.stderr
    assert scores(into)["2026-07-01-acme-1"]["dataset_score"] == pytest.approx(75.0)


def test_a_table_joins_a_track_as_it_stands(table: Path, tmp_path: Path) -> None:
    """The track says how rounds follow each other, and how many there are: whoever stopped early has fewer rows."""
    into, short = tmp_path / "results", tmp_path / "short.csv"
    first = ("import", "table", table, "--into", into, *MINE, "--agent", "Acme-1", "--date", "2026-07-01")
    assert sitegen(*first, "--protocol", "fail-stop").returncode == 0
    short.write_text("task,attempt,round,reward,passed,total\ntidy-ledger,1,1,0,2,3\ndoc-lantern,1,1,1,2,2\n")
    done = sitegen("import", "table", short, "--into", into, *MINE, "--agent", "Birch-2", "--date", "2026-07-02")
    assert done.returncode == 0, done.stderr
    assert "Birch-2: the source has no results for tidy-ledger 2: unreached" in done.stderr
    assert set(scores(into)) == {"2026-07-01-acme-1", "2026-07-02-birch-2"}
    refused = sitegen("import", "table", short, "--into", into, *MINE, "--agent", "Cedar-3", "--protocol", "chain")
    assert refused.returncode == DATA_PROBLEMS
    assert "`protocol` of track main is 'fail-stop' here, but 'chain' in the import" in refused.stderr


def test_what_an_import_begins_is_asked_for_and_told(table: Path, tmp_path: Path) -> None:
    """Whoever means what stands, and slips in a name, is told of it."""
    into = tmp_path / "results"
    arguments = ("import", "table", table, "--into", into, "--date", "2026-07-01", "--track", "hard", "--agent")
    assert "begins benchmark mine, with track hard\n" in sitegen(*arguments, "A", *MINE).stdout
    assert "  begins" not in sitegen(*arguments, "B", *MINE).stdout
    assert (
        "begins benchmark mien, with track hard, beside mine\n"
        in sitegen(*arguments, "C", "--benchmark", "mien").stdout
    )
    slip = sitegen(*arguments, "D", *MINE, "--track", "hadr")
    assert slip.returncode == USED_WRONGLY
    assert (
        "mine has no track hadr; its only track is hard; name that one, or start hadr with --new-track" in slip.stderr
    )
    meant = sitegen(*arguments, "D", *MINE, "--track", "hadr", "--new-track")
    assert "begins track hadr, beside hard\n" in meant.stdout


@pytest.mark.parametrize("form", [name for name in FORMATS if load_format(name).benchmark is None])
def test_a_format_of_many_benchmarks_needs_to_be_told_which(form: str, table: Path, tmp_path: Path) -> None:
    source = table if load_format(form).is_file else tmp_path
    for name in ("tidy", "bench"):
        (tmp_path / "results" / name).mkdir(parents=True)
        (tmp_path / "results" / name / "benchmark.toml").touch()
    done = sitegen("import", form, source, "--into", tmp_path / "results")
    assert done.returncode == USED_WRONGLY
    assert "the benchmarks are: bench, tidy" in done.stderr
    nothing = sitegen("import", form, source, "--into", tmp_path / "none")
    assert nothing.returncode == USED_WRONGLY
    assert "any id creates one" in nothing.stderr


def test_a_second_import_changes_nothing(table: Path, tmp_path: Path) -> None:
    into = tmp_path / "results"
    arguments = ("import", "table", table, "--into", into, *MINE, "--agent", "Acme-1", "--date", "2026-07-01")
    sitegen(*arguments)
    before = {path: path.read_bytes() for path in into.rglob("*") if path.is_file()}
    done = sitegen(*arguments)
    assert "0 new bundles" in done.stdout
    assert {path: path.read_bytes() for path in into.rglob("*") if path.is_file()} == before


def test_a_dry_run_writes_nothing(table: Path, tmp_path: Path) -> None:
    into = tmp_path / "results"
    done = sitegen("import", "table", table, "--into", into, *MINE, "--agent", "Acme-1", "--dry-run")
    assert "nothing was written" in done.stdout
    assert not into.exists()


def test_an_option_of_another_format_is_refused(table: Path, tmp_path: Path) -> None:
    done = sitegen("import", "table", table, "--into", tmp_path / "results", *MINE, "--catalog", table)
    assert done.returncode == USED_WRONGLY
    assert "--catalog can't be used with table" in done.stderr


def test_a_folder_is_no_table(tmp_path: Path) -> None:
    done = sitegen("import", "table", tmp_path, "--into", tmp_path / "results")
    assert done.returncode == USED_WRONGLY
    assert "is not a file" in done.stderr


@pytest.mark.parametrize("form", [name for name in FORMATS if not load_format(name).is_file])
def test_an_empty_folder_is_no_source(form: str, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    done = sitegen("import", form, source, "--into", tmp_path / "results", *MINE)
    assert done.returncode == DATA_PROBLEMS
    assert "fix: " in done.stderr
    assert not (tmp_path / "results").exists()


def test_harbor_runs_become_scored_bundles(tmp_path: Path) -> None:
    source = real_data("harbor", "harbor-0.9.0")
    done = sitegen("import", "harbor", source, "--into", tmp_path / "results", *MINE)
    assert done.returncode == 0, done.stderr
    bundle_scores = scores(tmp_path / "results")
    assert bundle_scores["2026-06-18-gamma"]["dataset_score"] == pytest.approx(100.0)
    assert len(bundle_scores) == 4


def test_runs_of_the_multi_turn_fork_become_scored_bundles(tmp_path: Path) -> None:
    source = real_data("harbor", "legacy-handmade")
    options = ("--into", tmp_path / "results", *MINE)
    done = sitegen("import", "harbor-multiturn", source, *options, "--model", "plain-model")
    assert done.returncode == 0, done.stderr
    (bundle_scores,) = scores(tmp_path / "results").values()
    assert (bundle_scores["mt_at_k"], bundle_scores["comp"]) == (100.0, 100.0)
    assert bundle_scores["sr"] == pytest.approx(200 / 3)


def test_a_slop_code_bench_run_becomes_a_scored_bundle(tmp_path: Path) -> None:
    source = real_data("slop-code-bench", "pangu_claude_code-2.0.51_just-solve_none_20260601T2146")
    done = sitegen("import", "slopcodebench", source, "--into", tmp_path / "results")
    assert done.returncode == 0, done.stderr
    reported = json.loads((source / "result.json").read_text(encoding="utf-8"))
    (bundle_scores,) = scores(tmp_path / "results").values()
    assert bundle_scores["strict"] == pytest.approx(reported["pct_checkpoints_solved"])
    assert bundle_scores["iso"] == pytest.approx(reported["pct_checkpoints_iso_solved"])
    assert bundle_scores["core"] == pytest.approx(reported["pct_checkpoints_core_solved"])
    assert bundle_scores["erosion"] == pytest.approx(reported["erosion"]["mean"])


def test_an_archive_is_to_be_unpacked_first(tmp_path: Path) -> None:
    archive = tmp_path / "runs.tar.gz"
    archive.touch()
    for form in ("harbor", "table"):
        done = sitegen("import", form, archive, "--into", tmp_path / "results")
        assert done.returncode == USED_WRONGLY
        assert "is an archive; unpack it" in done.stderr
