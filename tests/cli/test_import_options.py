"""Every option of the import command, with every format: it changes what comes of an import, or it is refused."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_args

import harbor_trees
import published_tree
import pytest
import slop_trees
import tables
import typer
from multiturn_trees import FAIL, PASS, Source
from small_import import files_in
from typer.core import TyperGroup
from typer.testing import CliRunner

from sitegen.cli.formats import READERS, Format
from sitegen.cli.main import app
from sitegen.errors import UsageError

COMMON = (
    "benchmark",
    "track",
    "new_track",
    "date",
    "model",
    "agent",
    "organization",
    "reasoning",
    "claims",
    "alias",
    "allow_missing",
    "dry_run",
)
"""Options that mean something for results in any format."""

OWN: Mapping[Format, tuple[str, ...]] = {
    "evocodebench": (),
    "harbor": ("tasks", "pick"),
    "harbor-multiturn": ("tasks",),
    "slopcodebench": ("catalog",),
    "table": ("protocol",),
}
"""The others, by the format that they mean something for."""

OPTIONS = (*COMMON, "tasks", "pick", "catalog", "protocol")

FLAGS = frozenset({"new_track", "allow_missing", "dry_run"})

VALUES: Mapping[str, str] = {
    "benchmark": "other",
    "track": "other",
    "date": "2026-07-04",
    "model": "ada",
    "agent": "Acme-1",
    "organization": "Acme",
    "reasoning": "x-high",
    "claims": "claims.json",
    "alias": "ada=Ada Lovelace",
    "tasks": "definitions",
    "pick": "latest",
    "catalog": "catalog.json",
    "protocol": "fail-stop",
}
"""A value of each option that takes one; files are named by their way from the sources."""

FILES = frozenset({"claims", "tasks", "catalog"})


@dataclass(frozen=True)
class Sources:
    """Sources of one format: that of two agents, `ada` and `bob`, and those that an option is needed for.

    Attributes:
        root: Where they lie, with the files that options name.
        plain: The source that most options are tried with.
        others: Those for other options.
    """

    root: Path
    plain: str
    others: Mapping[str, str] = field(default_factory=dict)


def evocodebench(root: Path) -> Sources:
    """One task of which there is a file, and another one of which there is none."""
    runs = {"ada": [published_tree.passed()], "bob": [published_tree.failed()]}
    plain = published_tree.publish(root / "plain", {"tidy": runs})
    gaps = published_tree.publish(root / "gaps", {"tidy": runs, "neat": runs})
    (gaps / "tasks" / "neat.json").unlink()
    return Sources(root, str(plain), {"allow_missing": str(gaps)})


def harbor(root: Path) -> Sources:
    """Two jobs; a task that nobody ran; a task that one agent ran twice; jobs whose tasks lie elsewhere."""
    for name in ("plain", "gaps", "twice", "bare"):
        for number, model in enumerate(("ada", "bob", *(["ada"] if name == "twice" else [])), start=1):
            job = root / name / "jobs" / f"2026-06-1{number}__10-00-00"
            harbor_trees.Trial(model=f"demo/{model}").write(job, harbor_trees.PASSED, harbor_trees.FAILED)
        harbor_trees.write_task(root / ("definitions" if name == "bare" else name), "tidy")
    harbor_trees.write_task(root / "gaps", "neat")
    return Sources(root, "plain", {"allow_missing": "gaps", "pick": "twice", "tasks": "bare"})


def harbor_multiturn(root: Path) -> Sources:
    """Two agents; a task that nobody ran; runs whose tasks lie elsewhere."""
    for name in ("plain", "gaps", "bare"):
        (root / name).mkdir(parents=True)
        source = Source(root / name)
        for model in ("ada", "bob"):
            source.of(model).run(f"tidy__{model.upper()}0000", [PASS, FAIL])
        Source(root if name == "bare" else root / name).task("tidy")
    (root / "tasks").rename(root / "definitions")
    Source(root / "gaps").task("neat")
    return Sources(root, "plain", {"allow_missing": "gaps", "tasks": "bare"})


def slopcodebench(root: Path) -> Sources:
    """Two runs; and runs of a problem that no run got to."""
    for name, problems in (("plain", slop_trees.DAG), ("gaps", f"{slop_trees.DAG}, {slop_trees.PLANNER}")):
        for model in ("ada", "bob"):
            config = slop_trees.CONFIG.replace("glm-5", model).replace(f"[{slop_trees.DAG}]", f"[{problems}]")
            slop_trees.write_run(root / name / model, [slop_trees.row(1)], config=config)
    (root / "catalog.json").write_text(json.dumps({"problems": {slop_trees.DAG: 4}}), encoding="utf-8")
    return Sources(root, "plain", {"allow_missing": "gaps"})


def table(root: Path) -> Sources:
    """Two agents; and an agent whose second attempt is there for one task alone."""
    root.mkdir(exist_ok=True)
    head = f"agent,{tables.HEAD}"
    plain = tables.csv(root, "ada,tidy,1,1,1,2,2", "bob,tidy,1,1,0,1,2", head=head).rename(root / "plain.csv")
    gaps = tables.csv(root, *(f"ada,{run},1,1,2,2" for run in ("tidy,1", "tidy,2", "neat,1")), head=head)
    return Sources(root, str(plain), {"allow_missing": str(gaps)})


MADE: Mapping[Format, Callable[[Path], Sources]] = {
    "evocodebench": evocodebench,
    "harbor": harbor,
    "harbor-multiturn": harbor_multiturn,
    "slopcodebench": slopcodebench,
    "table": table,
}


def outcome(form: Format, source: Path, into: Path, *words: str) -> object:
    """Run an import; give the files that are there then, or what it was refused for."""
    place = ("--into", str(into)) + (() if "--benchmark" in words else ("--benchmark", "mine"))
    done = CliRunner().invoke(app, ["import", form, str(source), *place, *words])
    if isinstance(done.exception, Exception):
        return type(done.exception), str(done.exception)
    assert done.exit_code == 0, done.output
    return files_in(into)


def words_of(option: str, root: Path) -> tuple[str, ...]:
    """Write an option as the shell has it."""
    name = f"--{option.replace('_', '-')}"
    if option in FLAGS:
        return (name,)
    return name, str(root / VALUES[option]) if option in FILES else VALUES[option]


@pytest.mark.parametrize("form", get_args(Format))
@pytest.mark.parametrize("option", OPTIONS)
def test_every_option_works_or_is_refused(form: Format, option: str, tmp_path: Path) -> None:
    sources = MADE[form](tmp_path / "sources")
    (sources.root / "claims.json").write_text(
        json.dumps({"source": "README", "rows": [{"agent": "ada", "dataset_score": "1.0"}]}), encoding="utf-8"
    )
    source = sources.root / sources.others.get(option, sources.plain)
    before: tuple[str, ...] = ()
    if option == "agent":  # which names one agent
        before = words_of("model", sources.root)
    if option == "new_track":  # which is about a benchmark that stands
        for name in ("without", "with"):
            outcome(form, source, tmp_path / name)
        before = words_of("track", sources.root)
    without = outcome(form, source, tmp_path / "without", *before)
    given = outcome(form, source, tmp_path / "with", *before, *words_of(option, sources.root))
    if option in (*COMMON, *OWN[form]):
        assert isinstance(given, dict)
        assert given != without
    else:
        assert given == (UsageError, f"--{option} can't be used with {form}")


def test_every_option_and_every_format_is_looked_at() -> None:
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    named = {option for parameter in group.commands["import"].params for option in parameter.opts}
    written = {words_of(option, Path())[0] for option in OPTIONS}
    assert {name for name in named if name.startswith("--")} == {*written, "--into"}
    assert READERS.keys() == MADE.keys() == OWN.keys()
