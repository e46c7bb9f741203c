"""The commands, and what an error means to the shell."""

import errno
import os
import sys
from collections import UserDict
from importlib import import_module
from keyword import iskeyword
from typing import Any

import typer
from typer.core import TyperGroup

from sitegen.cli.console import failure_text, require_streams, say_error, say_problems
from sitegen.problems import BuilderError, LinkError, ProblemsError, SitegenError
from sitegen.publish.processes import take_leash

DATA_PROBLEMS, USED_WRONGLY, BUILDER_FAILED, MACHINE_FAILED = 1, 2, 3, 4
"""Exit codes."""

_HOMES = {
    "build": "building",
    "serve": "building",
    "validate": "checking",
    "score": "checking",
    "explain": "checking",
    "schema": "checking",
    "diff": "checking",
    "import": "importing",
    "demo": "importing",
    "release": "maintaining",
    "redact": "maintaining",
    "init": "maintaining",
}
"""The commands, each with the module that it is in."""


class _OnDemand(UserDict[str, Any]):
    """Commands by name, each imported when it is asked for: a build need not wait for the importers."""

    def __getitem__(self, name: str) -> object:
        module = import_module(f"sitegen.cli.{_HOMES[name]}")
        single = typer.Typer(add_completion=False)
        single.command(name)(getattr(module, f"{name}_" if iskeyword(name) else name))
        return typer.main.get_command(single)


class _Commands(TyperGroup):
    """The group of all commands."""

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401 - whatever the base class takes
        super().__init__(**settings)
        self.commands = _OnDemand(dict.fromkeys(_HOMES))

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - whatever the base class takes and gives
        """Run a command. Where nobody reads on, that is no problem of the data, as typer's exit code has it."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            os._exit(MACHINE_FAILED)


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


@app.callback()
def _sitegen() -> None:
    """Turn folders of benchmark results into a static site whose every number is recomputed."""


def main() -> None:
    """Run the command that the shell asks for."""
    require_streams()
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
    except (OSError, MemoryError) as error:
        if not isinstance(error, BrokenPipeError):
            say_error(f"{failure_text(error)}; nothing is half done")
        is_mistyped = isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG  # no disk has such a path
        os._exit(USED_WRONGLY if is_mistyped else MACHINE_FAILED)  # what is left of the output would fail once more
