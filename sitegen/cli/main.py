"""Finds the command that the shell asks for, runs it, and turns errors into exit codes."""

import ast
import errno
import gc
import os
import sys
from contextlib import suppress
from enum import IntEnum
from importlib import import_module
from keyword import iskeyword
from pathlib import Path
from typing import Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from sitegen.cli.console import failure_text, prepare_streams, print_error, print_problems
from sitegen.problems import BuilderError, LinkError, ProblemsError, SitegenError
from sitegen.publish.processes import exit_with_parent


class ExitCode(IntEnum):
    """What the command's exit code means; 0 is success."""

    DATA_PROBLEMS = 1
    USED_WRONGLY = 2
    BUILDER_FAILED = 3
    MACHINE_FAILED = 4


_COMMAND_MODULES = {
    "build": "building",
    "serve": "serving",
    "try": "trying",
    "validate": "checking",
    "score": "showing",
    "explain": "showing",
    "schema": "showing",
    "metrics": "listing",
    "diff": "showing",
    "import": "importing",
    "demo": "importing",
    "export": "exporting",
    "release": "maintaining",
    "redact": "maintaining",
    "verify": "verifying",
    "verify-site": "verifying",
    "submit": "submitting",
    "withdraw": "correcting",
    "supersede": "correcting",
    "add-attempt": "correcting",
    "upgrade": "upgrading",
    "init": "maintaining",
    "docs": "documenting",
}
"""The module of each command, in the order of the help."""


class _Commands(TyperGroup):
    """The group of all commands. It imports the module of a command only when the command runs."""

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401 - whatever the base class takes
        super().__init__(**settings)
        self.commands = {name: TyperCommand(name) for name in _COMMAND_MODULES}

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - as above
        """Write the help, with the docstring of each command's function on one line."""
        docstrings = _command_docstrings()
        for name, command in self.commands.items():
            command.help = docstrings[_function_name(name)]
        super().format_help(ctx, formatter)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401 - as above
        """Import the command that is asked for."""
        resolved_name, _, remaining_args = super().resolve_command(ctx, args)
        name = str(resolved_name)
        # Imported modules stay: collecting garbage among them takes a tenth of the time.
        gc.disable()
        module = import_module(f"sitegen.cli.{_COMMAND_MODULES[name]}")
        gc.enable()
        single_command = typer.Typer(add_completion=False)
        single_command.command(name)(getattr(module, _function_name(name)))
        return name, typer.main.get_command(single_command), remaining_args

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - as above
        """Run a command. When nobody reads its output, the exit code is not that of data problems.

        Typer would exit with 1, which means data problems here.
        """
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            os._exit(ExitCode.MACHINE_FAILED)


def _command_docstrings() -> dict[str, str]:
    """Return the docstrings of all functions in command modules, without importing any."""
    docstrings = {}
    for module in dict.fromkeys(_COMMAND_MODULES.values()):
        source = Path(__file__).with_name(f"{module}.py").read_bytes()
        for statement in ast.parse(source).body:
            if isinstance(statement, ast.FunctionDef):
                docstring = ast.get_docstring(statement) or ""
                docstrings[statement.name] = " ".join(docstring.split())
    return docstrings


def _function_name(command: str) -> str:
    """Return the name of a command's function: `try_` for `try`, whose name is a keyword."""
    if iskeyword(command):
        return f"{command}_"
    return command.replace("-", "_")


app = typer.Typer(
    cls=_Commands, no_args_is_help=True, pretty_exceptions_enable=False, add_completion=False
)


@app.callback()
def _sitegen() -> None:
    """Turn folders of benchmark results into a static site whose every number is recomputed."""


def main() -> None:
    """Run the command that the shell asks for."""
    # Looking for pydantic plugins takes as long as reading a bundle.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "true")
    try:
        prepare_streams()
        _run_command()
    except (OSError, MemoryError) as error:
        _exit_after_machine_failure(error)


def _run_command() -> None:
    """Run the command, and print what is wrong with the data or the call."""
    try:
        exit_with_parent()
        try:
            app()
        finally:
            sys.stdout.flush()  # a full disk is only noticed here
    except ProblemsError as error:
        print_problems(error.problems)
        sys.exit(ExitCode.DATA_PROBLEMS)
    except (BuilderError, LinkError) as error:
        print_error(*str(error).split("\n"))
        sys.exit(ExitCode.BUILDER_FAILED)
    except SitegenError as error:
        print_error(*map(str, error.args))
        sys.exit(ExitCode.USED_WRONGLY)


def _exit_after_machine_failure(error: OSError | MemoryError) -> NoReturn:
    """End the program without flushing the output, which would fail again."""
    if not isinstance(error, BrokenPipeError):
        # What kept the command from its work may also keep it from printing.
        with suppress(OSError, MemoryError):
            print_error(f"{failure_text(error)}; nothing is half done")
    # A path that is too long for any disk is a mistake of the person who typed it.
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
        os._exit(ExitCode.USED_WRONGLY)
    os._exit(ExitCode.MACHINE_FAILED)
