"""`sitegen label` adds labels of a table to the tasks of a set."""

import json
import shutil
from pathlib import Path

import pytest
from kit.command import done, sitegen

ROWS = "instance_id,model,resolved\nt1,m1,1\nt2,m1,0\nt3,m1,1\n"
LABELS = "instance_id,difficulty,area\nt1,easy,web\nt2,hard,web\nt9,hard,cli\n"


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Return a results folder with a benchmark of three tasks without labels, and tables beside it."""
    (tmp_path / "runs.csv").write_text(ROWS, encoding="utf-8")
    (tmp_path / "labels.csv").write_text(LABELS, encoding="utf-8")
    folder = tmp_path / "results"
    done("import", "table", tmp_path / "runs.csv", "--into", folder, "--benchmark", "shop", "--date", "2026-05-01")
    return folder


def label(results: Path, *options: str, table: str = "labels.csv") -> str:
    arguments = ["--benchmark", "shop", "--label", "difficulty", "--label", "area", *options]
    return done("label", results.parent / table, "--results", results, *arguments)


def labels_of(results: Path) -> dict[str, dict[str, str]]:
    (path,) = (results / "shop" / "tasks").glob("*.jsonl")
    tasks = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {task["id"]: task.get("labels", {}) for task in tasks}


def errors(results: Path) -> list[str]:
    ended = sitegen("validate", results)
    return [line for line in ended.stdout.splitlines() if " error " in line]


def test_labels_and_their_axes_are_added(results: Path) -> None:
    output = label(results)
    assert labels_of(results) == {
        "t1": {"difficulty": "easy", "area": "web"},
        "t2": {"difficulty": "hard", "area": "web"},
        "t3": {},
    }
    definition = (results / "shop" / "benchmark.toml").read_text(encoding="utf-8")
    assert "[axes.difficulty]" in definition
    assert "wrote the labels of 2 tasks" in output
    assert "1 task has no label: t3" in output
    assert "1 name in the table matches no task: t9" in output
    assert not errors(results)


def test_the_same_labels_again_change_nothing(results: Path) -> None:
    label(results)
    before = {path: path.read_bytes() for path in results.rglob("*") if path.is_file()}
    assert "2 tasks already had these labels" in label(results)
    assert before == {path: path.read_bytes() for path in results.rglob("*") if path.is_file()}


def test_another_label_takes_an_option_and_adds_its_value(results: Path) -> None:
    label(results)
    other_labels = LABELS.replace("t1,easy", "t1,trivial")
    (results.parent / "other.csv").write_text(other_labels, encoding="utf-8")
    arguments: list[str | Path] = [
        "label",
        results.parent / "other.csv",
        "--results",
        results,
        "--benchmark",
        "shop",
        "--label",
        "difficulty",
    ]
    refused = sitegen(*arguments)
    assert refused.returncode == 2
    assert 't1 ("easy" on difficulty)' in refused.stderr
    assert labels_of(results)["t1"]["difficulty"] == "easy"
    done(*arguments, "--replace")
    assert labels_of(results)["t1"] == {"difficulty": "trivial", "area": "web"}
    assert not errors(results)


def test_a_release_says_whether_its_scores_are_concerned(results: Path) -> None:
    done("release", "2026-06-01", "--results", results)
    assert "release 2026-06-01 has none of these axes" in label(results)
    assert not errors(results)
    done("release", "2026-07-01", "--results", results)
    other_labels = LABELS.replace("t1,easy", "t1,hard")
    (results.parent / "other.csv").write_text(other_labels, encoding="utf-8")
    output = label(results, "--replace", table="other.csv")
    assert "release 2026-07-01 has labels on area, difficulty" in output
    done("release", "2026-07-15", "--results", results)
    site = results.parent / "site"
    done("build", "--results", results, "--site", site)
    added = "Task labels of Shop (Main) were added (new axes: difficulty, area)"
    changed = "Task labels of Shop (Main) changed"
    for page in ("changelog/index.html", "feed.xml", "feed.json"):
        text = (site / page).read_text(encoding="utf-8")
        assert added in text, page
        assert changed in text, page
    assert f"{changed}." in (site / "changelog/2026-07-15/index.html").read_text(encoding="utf-8")


def test_import_table_writes_axes_and_labels(tmp_path: Path) -> None:
    rows = "instance_id,model,resolved,domain\nt1,m1,1,web\nt2,m1,0,cli\n"
    (tmp_path / "runs.csv").write_text(rows, encoding="utf-8")
    folder = tmp_path / "results"
    options: list[str | Path] = ["--into", folder, "--benchmark", "shop", "--date", "2026-05-01", "--label", "domain"]
    done("import", "table", tmp_path / "runs.csv", *options)
    assert labels_of(folder) == {"t1": {"domain": "web"}, "t2": {"domain": "cli"}}
    assert "[axes.domain]" in (folder / "shop" / "benchmark.toml").read_text(encoding="utf-8")


def test_replaced_labels_of_published_tasks_are_a_maintainers_change(results: Path) -> None:
    label(results)
    done("release", "2026-06-01", "--results", results)
    shutil.copytree(results, results.with_name("base"))
    (results.parent / "labels.csv").write_text(LABELS.replace("t1,easy", "t1,hard"), encoding="utf-8")
    assert "the next release will say that the labels changed" in label(results, "--replace")
    output = done("validate", results, "--base", results.with_name("base"))
    assert output.startswith("This is a maintainer's pull request")
    assert "labels.difficulty" in output
    assert "warning RELEASE-DEFINITION-DIFFERS" in output


def add_rows(results: Path, rows: str, *options: str) -> str:
    """Import a table of another agent's rows, and return all that the command prints."""
    (results.parent / "more.csv").write_text(rows, encoding="utf-8")
    ended = sitegen(
        "import", "table", results.parent / "more.csv", "--results", results, "--benchmark", "shop", *options
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout + ended.stderr


def test_the_task_set_is_chosen_by_an_option_that_the_message_names(results: Path) -> None:
    more_rows = "instance_id,model,resolved\nu1,m1,1\nu2,m1,0\n"
    add_rows(results, more_rows, "--track", "second", "--new-track", "--date", "2026-05-02")
    arguments: list[str | Path] = [
        "label",
        results.parent / "labels.csv",
        "--results",
        results,
        "--label",
        "difficulty",
    ]
    refused = sitegen(*arguments, "--benchmark", "shop")
    assert refused.returncode == 2
    assert "shop has several task sets; choose one with --tasks: main, second" in refused.stderr
    wrong = sitegen(*arguments, "--benchmark", "shop", "--tasks", "third")
    assert "shop has no task set third; choose one with --tasks: main, second" in wrong.stderr
    assert "wrote the labels of 2 tasks" in done(*arguments, "--benchmark", "shop", "--tasks", "main")
    unknown = sitegen(*arguments, "--benchmark", "shap")
    assert "there is no benchmark shap in" in unknown.stderr
    assert "its benchmarks are: shop" in unknown.stderr


def test_a_benchmark_without_tasks_says_how_it_gets_them(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text(LABELS, encoding="utf-8")
    done("init", tmp_path / "board")
    arguments = ("label", tmp_path / "labels.csv", "--results", tmp_path / "board/results", "--label", "area")
    refused = sitegen(*arguments, "--benchmark", "board")
    assert (refused.returncode, "board has no tasks yet: import results first" in refused.stderr) == (2, True)


def test_a_column_with_the_name_of_an_axis_is_called_an_axis(results: Path) -> None:
    label(results)
    rows = "instance_id,model,resolved,difficulty,notes\nt1,m2,1,easy,x\nt2,m2,0,hard,y\nt3,m2,1,hard,z\n"
    output = add_rows(results, rows, "--date", "2026-05-02")
    assert "left out: the column `difficulty`, which is an axis of shop: the tasks keep their labels" in output
    assert "/more.csv --benchmark shop --label difficulty` adds missing ones" in output
    assert "left out: the column `notes`, whose name is not recognised" in output
    rows = "instance_id,model,resolved,difficulty\nu1,m2,1,easy\n"
    output = add_rows(results, rows, "--track", "second", "--new-track", "--date", "2026-05-02")
    assert "an axis of shop: `--label difficulty` copies it to the new tasks" in output


def test_an_import_says_which_labels_existing_tasks_do_not_get(results: Path) -> None:
    rows = "instance_id,model,resolved,area\nt1,m2,1,web\nt2,m2,0,cli\nt3,m2,1,cli\n"
    output = add_rows(results, rows, "--label", "area", "--date", "2026-05-02")
    assert "`area`: 3 tasks of the track have no label, and an import leaves existing tasks as they are" in output
    command = f"sitegen label {results.parent / 'more.csv'} --benchmark shop --label area"
    assert f"`{command}` adds the labels" in output
    done(*command.split()[1:], "--results", results)
    assert {task: labels["area"] for task, labels in labels_of(results).items()} == {
        "t1": "web",
        "t2": "cli",
        "t3": "cli",
    }
    output = add_rows(results, rows.replace("m2", "m3").replace("t2,m3,0,cli", "t2,m3,0,web"), "--label", "area")
    assert '`area`: 1 task of the track has a different label, which stays: t2 has "cli"' in output
    assert "--replace changes the labels" in output
