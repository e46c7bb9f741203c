"""What commands of ours write, commands of ours read."""

import json
import tempfile
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from kit.harbor_trees import FAIL, JOB, Play, Trial, log_of, write_task
from kit.results_folders import Tree
from kit.slopcodebench_trees import CONFIG, write_run
from kit.thoroughness import examples
from typer.testing import CliRunner

from sitegen.cli.main import app
from sitegen.models.release import LockedBenchmark, LockedBoard, LockedRow, LockedScore, Release
from sitegen.problems import ProblemsError, SitegenError
from sitegen.publish.machine.packing import packed
from sitegen.publish.machine.transaction import transaction
from sitegen.publish.results.records import toml
from sitegen.reading.files import LARGEST_UNPACKED, MEGABYTE
from sitegen.store.readers.releases import read_releases

DAY = date(2026, 6, 25)
UNREADABLE = (
    "FILE-",
    "LINK-",
    "BUNDLE-TOO-LARGE",
    "TEXT-",
    "JSON-",
    "TOML-",
    "NUMBER-",
    "KEY-",
    "TYPE-",
    "VALUE-",
    "NAME-ODD",
)
"""How the codes begin of what keeps files from being read."""

TITLES = st.text(st.characters(exclude_characters="\0"), min_size=1, max_size=40)
"""What a shell hands over: a byte that is no text comes as half a character."""


def sitegen(*arguments: str | Path) -> str:
    """Run a command and give what it prints; one that says no has written nothing."""
    done = CliRunner().invoke(app, list(map(str, arguments)))
    assert done.exception is None or isinstance(done.exception, SitegenError | SystemExit)
    return done.stdout


def errors_told(results: Path) -> list[str]:
    """What is an error in results that are there."""
    assert results.is_dir()
    problems = json.loads(sitegen("validate", results, "--format", "json"))["problems"]
    return [problem["what"] for problem in problems if problem["severity"] == "error"]


def unread(results: Path) -> list[str]:
    """Codes of what keeps results from being read."""
    problems = json.loads(sitegen("validate", results, "--format", "json"))["problems"]
    return [problem["code"] for problem in problems if problem["code"].startswith(UNREADABLE)]


LONG = "of a long name " * 240


def row(number: int) -> LockedRow:
    score = LockedScore(value=number / 7)
    return LockedRow(
        id=f"agent-{number}",
        name=f"Agent {number} {LONG}",
        date=DAY,
        evidence="recomputed",
        scores={"dataset_score": score},
    )


def test_a_release_of_more_than_a_megabyte_is_written_and_read(tmp_path: Path) -> None:
    board = LockedBoard(
        track="main",
        title="Main",
        protocol="chain",
        attempts=1,
        headline="dataset_score",
        columns=("dataset_score",),
        rows=tuple(map(row, range(300))),
    )
    benchmarks = (LockedBenchmark(id="mini", title="Mini", boards=(board,)),)
    release = Release(schema_version=1, date=DAY, program="1", benchmarks=benchmarks)
    with transaction(tmp_path) as arrival:
        arrival.write("releases", {f"{DAY}.toml": toml(release).encode()})
    assert (tmp_path / "releases" / f"{DAY}.toml").stat().st_size > MEGABYTE
    assert read_releases(tmp_path / "releases").record == (release,)
    assert not read_releases(tmp_path / "releases").problems


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("benchmark.toml", lambda: b"#" * (MEGABYTE + 1)),
        ("findings.toml", lambda: b"\n" * 20_001),
        ("failures.jsonl.gz", lambda: packed(b"\n" * (LARGEST_UNPACKED + 1))),
    ],
)
def test_what_would_not_be_read_is_not_written(tmp_path: Path, name: str, data: Callable[[], bytes]) -> None:
    with pytest.raises(ProblemsError, match="FILE-TOO-LARGE"), transaction(tmp_path) as arrival:
        arrival.write("mini", {name: data()})
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=examples(20))
@example(title="Mini", agent="Ada", seed=1, repeats=2)
@example(title="\u200b", agent="\ufffe", seed=1, repeats=1)
@example(title="\u3164", agent="Ada", seed=1, repeats=1)
@example(title=" ", agent="\udcff", seed=1, repeats=1)
@example(title="0", agent=" ", seed=1, repeats=1)
@given(title=TITLES, agent=TITLES, seed=st.integers(0, 10**9), repeats=st.integers(1, 3))
def test_what_commands_write_is_read(title: str, agent: str, seed: int, repeats: int) -> None:
    """Every command that writes, one after the other, on what the others wrote."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        results = folder / "project" / "results"
        sitegen("init", folder / "project", "--benchmark", "mini", f"--title={title}")
        table = {"task": "tidy", "attempt": 1, "round": 1, "reward": 1, "agent": agent}
        (folder / "table.jsonl").write_text(json.dumps(table) + "\n", encoding="utf-8")
        arguments = ("--into", results, "--benchmark", "mini", "--track", "main")
        sitegen("import", "table", folder / "table.jsonl", *arguments, f"--organization={agent}")
        sitegen("demo", results, "--agents", "1", "--tasks", "1", f"--seed={seed}")
        tree = Tree(folder / "broken")
        rounds = tree.bundle / "rounds.jsonl"
        tree.write("rounds.jsonl", b"\xef\xbb\xbf" + rounds.read_bytes() * repeats)
        sitegen("validate", tree.folder, "--fix")
        sitegen("release", "2026-06-25", f"--title={title}", "--results", results)
        assert unread(results) + unread(tree.folder) == []
        assert (results / "releases" / f"{DAY}.toml").exists() or title != "Mini"


CUT = FAIL.format("c2", "error") + "\n"
"""A case whose failure no sum below counts."""


@pytest.mark.parametrize("reward", [0.0, 1.0])
@pytest.mark.parametrize(
    "log",
    [
        log_of("skipped,skipped"),
        "CASE_SUMMARY total_cases=3 success_count=0 fail_count=0\n",
        CUT + "CASE_SUMMARY total_cases=3 success_count=2 fail_count=0\n",
        CUT + "CASE_SUMMARY total_cases=2 success_count=2 fail_count=0\n",
        "CASE_RESULT status=fail\n" + CUT + log_of("p,skipped"),
    ],
    ids=["all skipped", "nothing passed", "left out", "contradicted", "broken"],
)
def test_what_is_imported_of_mangled_logs_is_read(tmp_path: Path, reward: float, log: str) -> None:
    write_task(tmp_path / "tasks", "tidy", 1)
    Trial(task="tidy").write(tmp_path / "jobs" / JOB, Play(reward, None, log=log))
    results = tmp_path / "results"
    arguments = ("--tasks", tmp_path / "tasks", "--into", results, "--benchmark", "mini", "--track", "main")
    sitegen("import", "harbor", tmp_path / "jobs", *arguments)
    assert errors_told(results) == []


@pytest.mark.parametrize("commits", [("4d38d300", "ffffffff"), ("4d38d300", None), ("ffff", "ffff")])
def test_what_is_imported_of_several_catalogues_is_read(tmp_path: Path, commits: tuple[str, str | None]) -> None:
    """A commit of a few digits tells no catalogue from others."""
    for name, commit in zip(("glm-5", "glm-6"), commits, strict=True):
        config = CONFIG.replace("glm-5", name)
        write_run(tmp_path / "runs" / name, config=config, problem_catalog={"version": "v1.0", "commit": commit})
    results = tmp_path / "results"
    sitegen("import", "slopcodebench", tmp_path / "runs", "--into", results, "--benchmark", "mini", "--track", "main")
    assert len(list((results / "mini" / "submissions").iterdir())) == 2
    assert errors_told(results) == []
