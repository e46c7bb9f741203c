"""Every option of the import command, with every format: it changes what comes of an import, or it is refused."""

import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import pytest
import typer
from kit.import_sources import MADE, Sources
from kit.small_import import files_in
from typer.core import TyperGroup
from typer.testing import CliRunner

from sitegen.cli.main import app
from sitegen.importers.formats import FORMATS
from sitegen.problems import UsageError

COMMON = (
    "benchmark",
    "track",
    "new_track",
    "date",
    "model",
    "agent",
    "organization",
    "reasoning",
    "trajectories",
    "claims",
    "alias",
    "allow_missing",
    "dry_run",
    "task",
)
"""Options that mean something for results in any format."""

OWN: Mapping[str, tuple[str, ...]] = {
    "aider": ("runs", "pick"),
    "every-eval-ever": ("result", "metric", "scale", "runs", "pick"),
    "evocodebench": ("scale",),
    "harbor": ("tasks", "pick", "runs", "metric", "scale", "no_instructions"),
    "harbor-multiturn": ("tasks", "scale", "no_instructions"),
    "inspect": ("metric", "scale", "runs", "pick"),
    "lm-eval": ("metric", "scale", "runs", "pick"),
    "promptfoo": ("metric", "scale", "runs", "pick"),
    "slopcodebench": ("catalog", "runs", "pick"),
    "swebench": ("pick", "runs"),
    "table": ("protocol", "column", "label", "wide", "metric", "scale", "runs", "pick"),
    "tau2": ("scale", "runs", "pick"),
    "terminal-bench": ("runs", "pick"),
}
"""The others, by the format that they mean something for."""

OPTIONS = (
    *COMMON,
    "tasks",
    "pick",
    "catalog",
    "protocol",
    "metric",
    "result",
    "no_instructions",
    "scale",
    "runs",
    "column",
    "label",
    "wide",
)

APART = ("--into", "--results", "--figures-only", "--supersedes")
"""Where it goes; and what does the same with any import, whatever its format, if there is something to do it with."""

FLAGS = frozenset({"new_track", "allow_missing", "dry_run", "no_instructions"})

VALUES: Mapping[str, str] = {
    "benchmark": "other",
    "track": "other",
    "date": "2026-07-04",
    "model": "ada",
    "agent": "Acme-1",
    "organization": "Acme",
    "reasoning": "x-high",
    "trajectories": "https://files.example.org/{task}/{attempt}.json",
    "claims": "claims.json",
    "alias": "ada=Ada Lovelace",
    "tasks": "definitions",
    "pick": "latest",
    "catalog": "catalog.json",
    "protocol": "fail-stop",
    "metric": "second",
    "result": "second",
    "scale": "10",
    "runs": "attempts",
    "column": "reward=total",
    "label": "kind",
    "wide": "tasks",
}
"""A value of each option that takes one; files are named by their way from the sources."""

FILES = frozenset({"claims", "tasks", "catalog"})


def outcome(form: str, source: Path, into: Path, *options: str) -> object:
    """Run an import; give the files that are there then, or what it was refused for."""
    target_options = ("--into", str(into)) + (() if "--benchmark" in options else ("--benchmark", "mine"))
    done = CliRunner().invoke(app, ["import", form, str(source), *target_options, *options])
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


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Sources]:
    @cache
    def made(form: str) -> Sources:
        made_sources = MADE[form](tmp_path_factory.mktemp("sources") / form)
        stated = {"source": "README", "rows": [{"agent": "ada", "dataset_score": "1.0"}]}
        (made_sources.root / "claims.json").write_text(json.dumps(stated), encoding="utf-8")
        return made_sources

    return made


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., object]:
    """What comes of an import without the option that is tried."""
    return cache(lambda form, source, *options: outcome(form, source, tmp_path_factory.mktemp("without"), *options))


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("option", OPTIONS)
def test_every_option_works_or_is_refused(
    form: str, option: str, tmp_path: Path, sources: Callable[[str], Sources], usual: Callable[..., object]
) -> None:
    made = sources(form)
    source = made.root / made.others.get(option, made.plain)
    tried_options = ("--task", made.task) if option == "task" else words_of(option, made.root)
    if option not in (*COMMON, *OWN[form]):
        refused = UsageError, f"--{option.replace('_', '-')} can't be used with {form}"
        assert outcome(form, source, tmp_path, *tried_options) == refused
        return
    if (form, option) == ("table", "metric"):  # which is about a column that this table does not have
        refused = UsageError, "the table has no column `metric`, from which `--metric` could choose"
        assert outcome(form, source, tmp_path, *tried_options) == refused
        return
    before: tuple[str, ...] = ()
    if option in {"agent", "trajectories"}:  # which are about one agent
        before = words_of("model", made.root)
    if option == "new_track":  # which is about a benchmark that stands
        outcome(form, source, tmp_path)
        before = words_of("track", made.root)
        assert isinstance(outcome(form, source, tmp_path, *before), tuple)
    actual = outcome(form, source, tmp_path, *before, *tried_options)
    assert isinstance(actual, dict)
    assert actual != usual(form, source, *before)


def test_every_option_and_every_format_is_looked_at() -> None:
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    _, command, _ = group.resolve_command(typer.Context(group), ["import"])
    assert command is not None
    named = {option for parameter in command.params for option in parameter.opts}
    written = {f"--{option.replace('_', '-')}" for option in OPTIONS}
    assert {name for name in named if name.startswith("--")} == {*written, *APART}
    assert {*FORMATS} == MADE.keys() == OWN.keys()
