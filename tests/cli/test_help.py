"""The help of every command, and what the shell asks for: widths, examples, completion, colours, closed pipes."""

import os
import pty
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
import typer
from kit.command import sitegen
from kit.results_folders import Tree

from sitegen.cli import options
from sitegen.cli.examples import EXAMPLES
from sitegen.cli.main import COMMAND_GROUPS, app
from sitegen.importers.kit.options import Pick
from sitegen.importers.simulation import SimulationScale
from sitegen.models.benchmark import Protocol
from sitegen.models.schemas import SCHEMAS
from sitegen.publish.machine.hidden_names import CACHE_FOLDER
from sitegen.publish.projects.new_project import Host, Kind
from sitegen.publish.projects.wheel import program_version

COMMANDS = [name for group in COMMAND_GROUPS.values() for name in group]
ROOT = Path(__file__).parents[2]
USED_WRONGLY = 2


def command_of(name: str) -> typer.core.TyperCommand:
    group = typer.main.get_command(app)
    assert isinstance(group, typer.core.TyperGroup)
    command = group.resolve_command(typer.Context(group), [name])[1]
    assert isinstance(command, typer.core.TyperCommand)
    return command


@pytest.mark.parametrize("name", ["", *COMMANDS])
@pytest.mark.parametrize("columns", [60, 80, 120])
def test_help_fits_its_terminal(name: str, columns: int) -> None:
    done = sitegen(*name.split(), "-h", COLUMNS=str(columns))
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= columns
    assert not [line for line in lines if re.search(r"<\w+>|\[default: (True|False|None)\]|\s$", line)]
    assert "--help" in done.stdout
    assert "Error" not in done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_examples_that_parse(name: str) -> None:
    command = command_of(name)
    option_names = {option for parameter in command.params for option in parameter.opts}
    assert EXAMPLES[name]
    for line, sentence in EXAMPLES[name]:
        arguments = line.split()
        assert arguments[:2] == ["sitegen", name]
        assert {argument for argument in arguments if re.match(r"--?[a-z]", argument)} <= option_names, line
        assert sentence.endswith(".")


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("columns", [60, 80])
def test_examples_copied_from_the_help_are_the_same_commands(name: str, columns: int) -> None:
    section = sitegen(name, "-h", COLUMNS=str(columns)).stdout.partition("Examples:\n")[2].partition("\n\n")[0]
    lines = [line for line in section.splitlines() if not line.startswith("  #")]
    shown = [shlex.split(line) for line in "\n".join(lines).replace("\\\n", "").splitlines()]
    assert shown == [shlex.split(line) for line, _ in EXAMPLES[name]]
    options_at_ends = [line for line in lines if re.search(r"--[a-z-]+ \\$", line) and "dry-run" not in line]
    assert not options_at_ends, "an option is separated from its value"


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"init", "schema", "docs", "demo", "try", "verify-site"}))
def test_results_folder_has_one_name(name: str) -> None:
    option_names = {option for parameter in command_of(name).params for option in parameter.opts}
    assert {"--results", "-r"} <= option_names


def test_options_repeat_what_the_program_defines() -> None:
    assert options.CACHE_FOLDER == CACHE_FOLDER
    assert tuple(SCHEMAS) == options.SCHEMA_NAMES
    scale = SimulationScale()
    demo = (options.DEMO_AGENTS, options.DEMO_TASKS, options.DEMO_ATTEMPTS, options.DEMO_SEED)
    assert demo == (scale.agents, scale.tasks, scale.attempts, scale.seed)
    pairs = ((options.Protocol, Protocol), (options.Host, Host), (options.Kind, Kind), (options.Pick, Pick))
    assert all(get_args(repeated) == get_args(defined) for repeated, defined in pairs)


def test_version_is_printed() -> None:
    assert sitegen("--version").stdout == f"sitegen {program_version()}\n"


@pytest.mark.parametrize("name", ["build", "import", "verify"])
def test_help_imports_no_slow_library(name: str) -> None:
    program = "import atexit, sys; atexit.register(lambda: print(*sys.modules)); import sitegen.cli as cli"
    code = f"{program}; sys.argv = ['sitegen', '{name}', '-h']; cli.main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = set(done.stdout.splitlines()[-1].split())
    assert modules.isdisjoint({"pydantic", "numpy", "rich", "scipy", "pandas", "jinja2", "altair"})


def test_shell_completes_commands_formats_and_addresses(tmp_path: Path) -> None:
    Tree(tmp_path / "results")

    def completions(command_line: str, position: int) -> list[str]:
        asked = {"_SITEGEN_COMPLETE": "complete_bash", "COMP_WORDS": command_line, "COMP_CWORD": str(position)}
        program = [sys.executable, "-m", "sitegen"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), **asked}
        return subprocess.run(
            program, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        ).stdout.split()

    assert completions("sitegen val", 1) == ["validate"]
    assert "swebench" in completions("sitegen import s", 2)
    assert completions("sitegen explain m", 2) == ["mini/main/2026-06-25-acme"]
    assert completions("sitegen build --benchmark m", 3) == ["mini"]


def test_completion_is_installed(tmp_path: Path) -> None:
    """The option asks which shell called it, so bash calls it here, whatever called the tests."""
    command = f"{shlex.quote(sys.executable)} -m sitegen --install-completion; exit $?"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)}
    subprocess.run(["/bin/bash", "-c", command], env=environment, stdout=subprocess.DEVNULL, check=True)
    assert list(tmp_path.rglob("sitegen.sh"))


def on_terminal(folder: Path, *arguments: str, **environment: str) -> str:
    """Return what a command prints on a terminal."""
    master, slave = pty.openpty()
    program = [sys.executable, "-m", "sitegen", *arguments]
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", **environment}
    with subprocess.Popen(program, cwd=folder, stdout=slave, stderr=slave, stdin=slave, env=variables):
        os.close(slave)
        printed = b""
        while True:
            try:
                chunk = os.read(master, 65536)
            except OSError:
                break
            if not chunk:
                break
            printed += chunk
    os.close(master)
    return printed.decode()


def test_errors_are_red_and_warnings_yellow_on_a_terminal_alone(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "results")
    tree.edit("submission.toml", "dataset_score = 25.0", "dataset_score = 26.0")
    red = "\x1b[1;31merror\x1b[0m"
    assert red in on_terminal(tmp_path, "validate")
    assert red in on_terminal(tmp_path, "explain", "nobody")
    for plain in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert not re.search(r"\x1b\[[0-9;]*m", on_terminal(tmp_path, "validate", **plain))
    assert "\x1b[" not in sitegen("validate", folder=tmp_path).stdout


def test_addresses_have_short_forms_and_suggestions(tmp_path: Path) -> None:
    Tree(tmp_path / "results")
    complete = sitegen("explain", "mini/main/2026-06-25-acme", folder=tmp_path)
    assert complete.returncode == 0, complete.stderr
    folder = "results/mini/submissions/2026-06-25-acme"
    for short in ("2026-06-25-acme", "acme", "main/acme", "mini/acme", folder):
        assert sitegen("explain", short, folder=tmp_path).stdout == complete.stdout, short
    for command in ("validate", "score"):
        by_path = sitegen(command, folder, folder=tmp_path).stdout
        assert sitegen(command, "mini/main/2026-06-25-acme", folder=tmp_path).stdout == by_path
    wrong = sitegen("explain", "mini/main/2026-06-25-acm", folder=tmp_path)
    assert wrong.returncode == USED_WRONGLY
    assert wrong.stderr == ("error: no submission mini/main/2026-06-25-acm; did you mean mini/main/2026-06-25-acme?\n")


def test_explanations_have_a_summary_and_json(tmp_path: Path) -> None:
    Tree(tmp_path / "results")
    summary = sitegen("explain", "acme", "--summary", folder=tmp_path)
    assert summary.stdout.startswith("mini/main/2026-06-25-acme: Acme-1\n")
    assert "dataset_score: 25.0" in summary.stdout
    document = sitegen("explain", "mini/acme/tidy", "--format", "json", folder=tmp_path).stdout
    assert '"address": "mini/main/2026-06-25-acme"' in document
    assert document.count('"task": "tidy"') == 2
    assert '"task": "wide"' not in document


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["release", "2026/01/01"], 'write the date as YYYY-MM-DD, not "2026/01/01"'),
        (["import", "csv", "x"], 'unknown format "csv"; for CSV files use `table`'),
        (["validate"], "there is no results/ here; run this inside a leaderboard project, pass `--results DIR`"),
        (["buidl"], "did you mean"),
    ],
)
def test_wrong_calls_say_the_fault_and_the_fix(arguments: list[str], message: str, tmp_path: Path) -> None:
    done = sitegen(*arguments, folder=tmp_path)
    assert done.returncode == USED_WRONGLY
    assert message.lower() in done.stderr.lower()
    assert "Traceback" not in done.stderr


def test_paths_outside_of_the_working_directory_are_absolute(tmp_path: Path) -> None:
    results = Tree(tmp_path / "results").folder
    (tmp_path / "results" / "mini" / "benchmark.toml").write_text("x", encoding="utf-8")
    work = tmp_path / "a" / "b"
    work.mkdir(parents=True)
    printed = sitegen("validate", results, folder=work).stdout
    assert ".." not in printed
    assert f"{results}/mini/benchmark.toml" in printed


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("score --format xyz", "\"xyz\" is not one of 'table', 'json', 'csv'"),
        ("demo --agents 0", "it must be at least 1"),
        ("build --jobs many", "write a whole number"),
        ("serve --port 65536", "it must be at most 65535"),
        ("correct mini/main/a --date 2026/01/01", 'write the date as YYYY-MM-DD, not "2026/01/01"'),
    ],
)
def test_values_that_no_option_takes_are_refused_in_plain_words(line: str, message: str) -> None:
    ended = sitegen(*line.split())
    assert ended.returncode == 2
    assert f": {message}\n" in ended.stderr
    assert "Value error" not in ended.stderr
    assert "Input should" not in ended.stderr
