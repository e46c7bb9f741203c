"""The commands, and what an error means to the shell."""

import ast
import errno
import gc
import os
import sys
from contextlib import suppress
from importlib import import_module
from itertools import chain
from keyword import iskeyword
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from sitegen.cli.console import failure_text, require_streams, say_error, say_problems
from sitegen.problems import BuilderError, LinkError, ProblemsError, SitegenError
from sitegen.publish.processes import take_leash

DATA_PROBLEMS, USED_WRONGLY, BUILDER_FAILED, MACHINE_FAILED = 1, 2, 3, 4
"""Exit codes."""

_HOMES = {
    "build": "building",
    "serve": "building",
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
"""The commands, each with the module that it is in."""


class _Commands(TyperGroup):
    """The group of all commands. What each is for is read from its source: a module is imported when it is to run."""

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401 - whatever the base class takes
        super().__init__(**settings)
        self.commands = {name: TyperCommand(name) for name in _HOMES}

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - whatever the base class takes
        """Say what each command is for."""
        sources = (
            Path(__file__).with_name(f"{home}.py") for home in dict.fromkeys(_HOMES.values())
        )
        statements = chain.from_iterable(ast.parse(source.read_bytes()).body for source in sources)
        functions = {each.name: each for each in statements if isinstance(each, ast.FunctionDef)}
        for name, command in self.commands.items():
            command.help = ast.get_docstring(functions[_function_of(name)])
        super().format_help(ctx, formatter)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401 - whatever the base class takes and gives
        """Import the command that is asked for."""
        name, _, rest = super().resolve_command(ctx, args)
        gc.disable()  # what is imported stays: looking for what could go takes a tenth of the time
        module = import_module(f"sitegen.cli.{_HOMES[str(name)]}")
        gc.enable()
        single = typer.Typer(add_completion=False)
        single.command(name)(getattr(module, _function_of(str(name))))
        return name, typer.main.get_command(single), rest

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - whatever the base class takes and gives
        """Run a command. Where nobody reads on, that is no problem of the data, as typer's exit code has it."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            os._exit(MACHINE_FAILED)


def _function_of(name: str) -> str:
    return f"{name}_" if iskeyword(name) else name.replace("-", "_")


app = typer.Typer(
    cls=_Commands, no_args_is_help=True, pretty_exceptions_enable=False, add_completion=False
)


@app.callback()
def _sitegen() -> None:
    """Turn folders of benchmark results into a static site whose every number is recomputed."""


def main() -> None:
    """Run the command that the shell asks for."""
    os.environ.setdefault(
        "PYDANTIC_DISABLE_PLUGINS", "true"
    )  # to look for some takes as long as to read a bundle
    try:
        require_streams()
        _run()
    except (OSError, MemoryError) as error:
        if not isinstance(error, BrokenPipeError):
            with suppress(OSError, MemoryError):  # what kept the command from its work may stay
                say_error(f"{failure_text(error)}; nothing is half done")
        # No disk has a path that is too long, so it was mistyped.
        is_mistyped = isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG
        # What is left of the output would fail once more.
        os._exit(USED_WRONGLY if is_mistyped else MACHINE_FAILED)


def _run() -> None:
    """Run the command, and say what is wrong with the data or the call."""
    try:
        take_leash()
        try:
            app()
        finally:
            sys.stdout.flush()  # a disk that is full says so only now
    except ProblemsError as error:
        say_problems(error.problems)
        sys.exit(DATA_PROBLEMS)
    except (BuilderError, LinkError) as error:
        say_error(*str(error).split("\n"))
        sys.exit(BUILDER_FAILED)
    except SitegenError as error:
        say_error(*map(str, error.args))
        sys.exit(USED_WRONGLY)
