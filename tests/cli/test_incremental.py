"""A build after an edit makes what the edit changed, and its site is that of a build that knows nothing.

So it is where the cache comes from another folder, with the site that it was made with or without it.
"""

import filecmp
import os
import random
import shutil
import subprocess
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, time
from pathlib import Path

import msgspec
import pytest
from kit.built_sites import differing
from kit.command import ROOT, done, program, sitegen
from kit.random_histories import TODAY, History
from kit.thoroughness import IS_WHOLE

EDITS = int(os.environ.get("SITEGEN_EDITS", "200" if IS_WHOLE else "3"))
"""So many are tried, in histories of `LENGTH`; every third is one of the project, all others of results."""
LENGTH = min(8, EDITS)
NOW = str(int(datetime.combine(TODAY, time(), UTC).timestamp()))


FINDING = """
[[findings]]
date = {day}
kind = "leak"
title = "The cases of a task were read"
reason = "Its transcript prints them."
by = "Ann Example"
effect = "zero"
submissions = ["{submission}"]
tasks = ["{task}"]
"""


def _append(text: str, *names: str) -> Callable[[Path, random.Random], None]:
    def edit(home: Path, dice: random.Random) -> None:
        with (home / dice.choice(names)).open("a", encoding="utf-8") as file:
            file.write(text.format(dice.randint(1, 99)))

    return edit


EDITS_OF_PROJECTS: Mapping[str, Callable[[Path, random.Random], None]] = {
    "an authored page": _append("\nMore, {}.\n", "site_src/submit/index.md", "site_src/index.md"),
    "a template": _append("\n{{# {} #}}", "templates/pages/run.html.j2", "templates/pages/board_table.html.j2"),
    "a style": _append("\n.sg-{} {{{{ color: red }}}}\n", "site_src/assets/sitegen.css"),
    "a setting": _append("\nsite_author: {}\n", "mkdocs.yml"),
}


def synced(source: Path, target: Path) -> None:
    """Make a folder as another one is; files that are the same stay the ones that they are."""
    for path in sorted(target.rglob("*"), reverse=True):
        if not (source / path.relative_to(target)).exists():
            path.rmdir() if path.is_dir() else path.unlink()
    for path in sorted(source.rglob("*")):
        target_path = target / path.relative_to(source)
        if path.is_dir():
            target_path.mkdir(parents=True, exist_ok=True)
        elif not target_path.exists() or not filecmp.cmp(path, target_path, shallow=False):
            target_path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target_path)


def killed(home: Path, after: float) -> None:
    """Begin a build, and kill it."""
    environment = {**os.environ, "SOURCE_DATE_EPOCH": NOW}
    command = [str(program()), "build", "--jobs", "2"]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, cwd=home, env=environment, stdout=quiet, stderr=quiet) as build:
        try:
            build.wait(after)
        except subprocess.TimeoutExpired:
            build.kill()


def travelled(home: Path, target: Path, *, has_site: bool) -> Path:
    """Move a project to another folder as CI does, which restores the cache and checks out everything else."""
    names = (".sitegen", "site") if has_site else (".sitegen",)
    for name in names:
        if (home / name).exists():
            shutil.copytree(home / name, target / name, copy_function=shutil.copyfile)
    for path in home.iterdir():
        if path.name in {"site", ".sitegen"}:
            continue
        if path.is_dir():
            shutil.copytree(path, target / path.name, copy_function=shutil.copyfile)
        else:
            shutil.copyfile(path, target / path.name)
    shutil.rmtree(home)
    return target


@pytest.mark.parametrize("seed", range(-(-EDITS // LENGTH)))
def test_after_any_edit_the_site_is_that_of_a_clean_build(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)  # noqa: S311 - a draw that anyone may foresee
    history, home = History(tmp_path / "drawn", seed), tmp_path / "home"
    tables = ("--parquet",) * (seed % 2)
    for name in ("site_src", "templates"):
        shutil.copytree(ROOT / name, home / name)
    shutil.copy(ROOT / "mkdocs.yml", home)
    for number in range(LENGTH):
        project_edit = "nothing"
        if number % 3 == 2:
            project_edit = dice.choice(list(EDITS_OF_PROJECTS))
            EDITS_OF_PROJECTS[project_edit](home, dice)
        elif number:
            history.goes_on(1)
        synced(history.folder, home / "results")
        if dice.random() < 0.3:
            killed(home, dice.uniform(0.1, 1.5))
        if dice.random() < 0.4:
            new_home = tmp_path / f"home-{number}" / "deeper"
            new_home.mkdir(parents=True)
            home = travelled(home, new_home, has_site=dice.random() < 0.5)
        clean = ("--site", "clean", "--cache", "none", "--jobs", "1")
        ended = sitegen("build", *tables, "--jobs", str(dice.randint(1, 2)), folder=home, SOURCE_DATE_EPOCH=NOW)
        if not number:
            continue  # nothing was known yet
        anew = sitegen("build", *clean, *tables, folder=home, SOURCE_DATE_EPOCH=NOW)
        assert (ended.returncode, ended.stderr) == (anew.returncode, anew.stderr)
        if ended.returncode == 0:
            assert list(differing(home / "site", home / "clean")) == [], [*history.told, project_edit]
        shutil.rmtree(home / "none")
        shutil.rmtree(home / "clean", ignore_errors=True)


def test_one_reward_leaves_the_pages_of_other_tasks_alone(tmp_path: Path) -> None:
    done("demo", tmp_path / "results", "--agents", "2", "--tasks", "2", SOURCE_DATE_EPOCH=NOW)
    for name in ("site_src", "templates", "mkdocs.yml"):
        (tmp_path / name).symlink_to(ROOT / name)
    done("build", folder=tmp_path, SOURCE_DATE_EPOCH=NOW)
    pages = {path: path.stat().st_ino for path in (tmp_path / "site").rglob("index.html")}
    bundle = min((tmp_path / "results").glob("*/submissions/*"))
    text = (bundle / "rounds.jsonl").read_text(encoding="utf-8")
    changed = text.replace('"agent_seconds": ', '"agent_seconds": 1', 1)
    assert changed != text
    (bundle / "rounds.jsonl").write_text(changed, encoding="utf-8")
    done("validate", "results", "--fix", folder=tmp_path, SOURCE_DATE_EPOCH=NOW)
    done("build", folder=tmp_path, SOURCE_DATE_EPOCH=NOW)
    stayed = {path for path, inode in pages.items() if path.stat().st_ino == inode}
    task = text.split('"task": "')[1].split('"')[0]
    runs = {path for path in pages if path.parents[1].name == bundle.name}
    about = {path for path in runs if path.parent.name == task}
    assert about
    assert not about & stayed
    assert runs - about <= stayed


@pytest.mark.parametrize("has_site", [True, False])
def test_a_cache_that_travelled_makes_the_site_without_drawing_a_page(tmp_path: Path, *, has_site: bool) -> None:
    home, new_home = tmp_path / "home", tmp_path / "there"
    done("demo", home / "results", "--agents", "2", "--tasks", "2", SOURCE_DATE_EPOCH=NOW)
    for name in ("site_src", "templates"):
        shutil.copytree(ROOT / name, home / name)
    shutil.copy(ROOT / "mkdocs.yml", home)
    done("build", "--site", "../built", folder=home, SOURCE_DATE_EPOCH=NOW)
    shutil.copytree(tmp_path / "built", home / "site")
    record = msgspec.msgpack.decode((home / ".sitegen" / "record").read_bytes()[32:])
    new_home.mkdir()
    travelled(home, new_home, has_site=has_site)
    for path in sorted((new_home / "results").rglob("*")):
        os.utime(path, (0, 0))
    done("build", folder=new_home, SOURCE_DATE_EPOCH=NOW)
    assert list(differing(new_home / "site", tmp_path / "built")) == []
    new_record = msgspec.msgpack.decode((new_home / ".sitegen" / "record").read_bytes()[32:])
    assert new_record["inputs"] == record["inputs"]
    seal = next((new_home / "results").glob("*/submissions/*/SHA256SUMS"))
    seal.write_text(seal.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    done("build", "--allow-problems", folder=new_home, SOURCE_DATE_EPOCH=NOW)
    changed = msgspec.msgpack.decode((new_home / ".sitegen" / "record").read_bytes()[32:])
    runs = [key for key, (files, _) in record["groups"].items() if len(min(files, default="").split("/")) > 4]
    assert runs
    assert changed["groups"].keys() >= set(runs)


def test_a_second_agent_of_one_name_renames_the_first_on_the_pages_of_its_runs(tmp_path: Path) -> None:
    """Agents of one name are told apart by their scaffolds, on every page that names them."""
    for name in ("site_src", "templates", "mkdocs.yml"):
        (tmp_path / name).symlink_to(ROOT / name)
    for scaffold, day in (("Alpha", "2026-06-01"), ("Beta", "2026-06-02")):
        rows = [f"Acme,{scaffold},neat,{number},1,2,2\n" for number in (1, 2)]
        table = "agent,scaffold,task,round,reward,passed,total\n" + "".join(rows)
        (tmp_path / "runs.csv").write_text(table, encoding="utf-8")
        done("import", "table", "runs.csv", "--benchmark", "mini", "--into", "results", "--date", day, folder=tmp_path)
        done("build", "--allow-problems", folder=tmp_path, SOURCE_DATE_EPOCH=NOW)
    clean = ("--site", "clean", "--cache", "none")
    done("build", "--allow-problems", *clean, folder=tmp_path, SOURCE_DATE_EPOCH=NOW)
    (page,) = (tmp_path / "clean" / "mini").glob("*/2026-06-01-*/neat/index.html")
    assert "Acme (Alpha)" in page.read_text("utf-8")
    assert list(differing(tmp_path / "site", tmp_path / "clean")) == []


def test_one_finding_leaves_the_runs_of_other_submissions_alone(tmp_path: Path) -> None:
    done("demo", tmp_path / "results", "--agents", "3", "--tasks", "3", SOURCE_DATE_EPOCH=NOW)
    for name in ("site_src", "templates", "mkdocs.yml"):
        (tmp_path / name).symlink_to(ROOT / name)
    done("build", folder=tmp_path, SOURCE_DATE_EPOCH=NOW)
    pages = {path: path.stat().st_ino for path in (tmp_path / "site").rglob("index.html")}
    bundle = min((tmp_path / "results").glob("*/submissions/*"))
    text = (bundle / "rounds.jsonl").read_text(encoding="utf-8")
    task = text.split('"task": "')[1].split('"')[0]
    with (bundle.parents[1] / "findings.toml").open("a", encoding="utf-8") as file:
        file.write(FINDING.format(day=TODAY, submission=bundle.name, task=task))
    done("build", "--allow-problems", folder=tmp_path, SOURCE_DATE_EPOCH=NOW)
    names = {path.name for path in bundle.parent.iterdir()}
    runs = {path for path in pages if path.parents[1].name in names}
    drawn = {path for path in runs if path.stat().st_ino != pages[path]}
    assert bundle.parent / bundle.name / task in {bundle.parent / path.parts[-3] / path.parts[-2] for path in drawn}
    assert {path.parents[1].name for path in drawn} == {bundle.name}


def test_a_problem_of_one_benchmark_leaves_the_pages_of_another_alone(tmp_path: Path) -> None:
    done("demo", tmp_path / "results", "--agents", "2", "--tasks", "2", SOURCE_DATE_EPOCH=NOW)
    shutil.copytree(ROOT / "tests" / "corpus" / "base" / "mini", tmp_path / "results" / "mini")
    for name in ("site_src", "templates", "mkdocs.yml"):
        (tmp_path / name).symlink_to(ROOT / name)
    done("build", "--allow-problems", folder=tmp_path, SOURCE_DATE_EPOCH=NOW)
    pages = {path: path.stat().st_ino for path in (tmp_path / "site" / "demo").rglob("index.html")}
    rounds = min((tmp_path / "results" / "mini").glob("submissions/*/rounds.jsonl"))
    rounds.write_text(rounds.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    done("build", "--allow-problems", folder=tmp_path, SOURCE_DATE_EPOCH=NOW)
    assert len(pages) > 10
    assert [path for path, inode in pages.items() if path.stat().st_ino != inode] == []
