"""The commands that the guides give for an import: they run as they are written."""

import json
import re
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from kit import small_tables as tables
from kit.command import done
from kit.import_sources import MADE
from kit.slopcodebench_trees import DAG, write_run
from kit.small_import import benchmark, files_in, incoming, task_set, track
from typer.testing import CliRunner

from sitegen.cli.main import app
from sitegen.importers.formats import FORMATS, load_format
from sitegen.importers.slopcodebench.definition import LENGTHS
from sitegen.models.task import Task, TaskRound
from sitegen.pipeline.importing import apply_import

ROOT = Path(__file__).parents[1]
SUBMIT = ROOT / "site_src" / "submit"
PAGES = (ROOT / "README.md", *sorted(SUBMIT.glob("*.md")))

BLOCK = re.compile(r"^```(?:sh|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
IMPORT = re.compile(r"^(\$ )?(?:\(cd \w+ && )?(?:\.venv/bin/)?sitegen (import [^)\n]*)\)?$", re.MULTILINE)
CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
FENCED = re.compile(r'^```csv title="runs\.csv"\n(.*?)^```$', re.MULTILINE | re.DOTALL)


def imports(*, shown: bool) -> Iterator[tuple[Path, str]]:
    """Give the imports that pages name: those to be filled in, or those that are shown with their output."""
    for page in PAGES:
        for block in BLOCK.findall(page.read_text(encoding="utf-8")):
            yield from ((page, command_line) for prompt, command_line in IMPORT.findall(block) if bool(prompt) is shown)


def test_every_format_has_a_guide_of_two_commands() -> None:
    guides = {form: (SUBMIT / f"{form}.md").read_text(encoding="utf-8").split("\n---\n", 1)[1] for form in FORMATS}
    for form, text in guides.items():
        (commands,) = (block.splitlines() for block in BLOCK.findall(text))
        assert [" ".join(command.split()[:3]) for command in commands] == [
            f"sitegen import {form}",
            "sitegen validate results",
        ]


@pytest.mark.parametrize("command_line", [command_line for _, command_line in imports(shown=True)])
def test_an_import_that_is_shown_names_its_benchmark_where_it_has_to(command_line: str) -> None:
    form = command_line.split()[1]
    assert "--benchmark" in command_line or load_format(form).benchmark


@pytest.mark.parametrize("command_line", sorted({command_line for _, command_line in imports(shown=False)}))
def test_an_import_runs_as_a_guide_gives_it(command_line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a source, its tasks and the files that the command names where it says that they are."""
    monkeypatch.chdir(tmp_path)
    form = command_line.split()[1]
    (made,) = (maker for name, maker in MADE.items() if name == form)
    sources = made(tmp_path)
    if form == "table":
        tables.csv(tmp_path, "tidy,1,1,1,2,2", "tidy,1,2,0,1,2").rename(tmp_path / "rounds.csv")
    else:
        (tmp_path / sources.others.get("tasks", sources.plain)).rename(tmp_path / "SOURCE")
        published = {"source": "README", "rows": [{"agent": "ada", "dataset_score": "100.0"}]}
        (tmp_path / "SOURCE" / "published.json").write_text(json.dumps(published), encoding="utf-8")
    if (tmp_path / "definitions").exists():
        (tmp_path / "definitions").rename(tmp_path / "TASKS")
    ended = CliRunner().invoke(app, shlex.split(command_line.replace("BENCHMARK", "mine")))
    assert ended.exit_code == 0, (ended.exception, ended.output)
    checked = CliRunner().invoke(app, ["validate", "results"])
    assert checked.exit_code == 0, checked.output


def run(folder: Path, *arguments: str | Path) -> str:
    """Run a program that succeeds; give what it prints."""
    ended = subprocess.run([*map(str, arguments)], cwd=folder, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def commit(folder: Path, message: str) -> None:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@acme.example")
    run(folder, "git", *who, "commit", "-qm", message)


def test_the_first_submission_to_a_board_is_the_folder_of_its_bundle_alone(tmp_path: Path) -> None:
    """The walkthrough's import, in a clone of a board whose tasks are registered and that has nobody on it yet."""
    page = (SUBMIT / "walkthrough.md").read_text(encoding="utf-8")
    (command_line,) = (import_line for name, import_line in imports(shown=True) if name.stem == "walkthrough")
    board, clone, judged = (tmp_path / name for name in ("board", "clone", "judged"))
    tasks = task_set(*(Task(name, tuple(TaskRound(n) for n in range(1, 6))) for name in ("river-gauge", "tide-table")))
    apply_import(incoming(benchmark(track("chain"), id="demo"), sets=(tasks,), drafts=()), board / "results")
    run(board, "git", "init", "-q", "-b", "main")
    run(board, "git", "add", ".")
    commit(board, "The board")
    run(tmp_path, "git", "clone", "-q", "board", "clone")
    (tmp_path / "runs.csv").write_text("".join(FENCED.findall(page)), encoding="utf-8")
    arguments = shlex.split(command_line.replace("runs.csv", "../runs.csv").replace("practice", "results"))
    assert "submissions/2026-07-01-acme-1" in done(*arguments, folder=clone)
    run(clone, "git", "add", "results/demo/submissions/2026-07-01-acme-1")
    commit(clone, "Acme-1 on demo")
    assert run(clone, "git", "status", "--porcelain") == ""
    run(tmp_path, "git", "clone", "-q", "clone", "judged")
    assert (
        'missing = ["tide-table"]'
        in (judged / "results/demo/submissions/2026-07-01-acme-1/submission.toml").read_text()
    )
    checked = done("validate", "results", "--base", "HEAD~1", folder=judged)
    assert checked.endswith("0 errors, 0 warnings\n")


def test_a_run_of_one_problem_joins_the_track_that_has_all_of_them(tmp_path: Path) -> None:
    """Beside a track of reported rows only, nobody needs to name it."""
    lengths = LENGTHS["v1.0"]
    problems = task_set(*(Task(name, tuple(map(TaskRound, range(1, n + 1)))) for name, n in lengths.items()), name="v1")
    tracks = (track("paper", tasks=None), track("v1", tasks="v1"))
    apply_import(incoming(benchmark(*tracks, id="slop-code-bench"), sets=(problems,), drafts=()), tmp_path / "results")
    before = files_in(tmp_path)
    write_run(tmp_path / "runs")
    output = done("import", "slopcodebench", "runs", "--into", "results", folder=tmp_path)
    assert "begins" not in output
    new = {name: text for name, text in files_in(tmp_path / "results").items() if f"results/{name}" not in before}
    bundle_prefix = "slop-code-bench/submissions/2026-06-01-glm-5/"
    assert set(new) == {f"{bundle_prefix}{name}" for name in ("SHA256SUMS", "rounds.jsonl", "submission.toml")}
    manifest = tomllib.loads(new[f"{bundle_prefix}submission.toml"].decode())
    assert (manifest["track"], set(manifest["missing"])) == ("v1", lengths.keys() - {DAG})
    assert "0 errors" in done("validate", "results", folder=tmp_path)
