"""Find the command that the user asks for, run it, and turn errors into exit codes."""

import ast
import errno
import gc
import os
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from enum import IntEnum
from importlib import import_module
from itertools import takewhile
from keyword import iskeyword
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from sitegen.cli.console import (
    failure_text,
    prepare_streams,
    print_error,
    print_lines,
    print_note,
    print_problems,
)
from sitegen.problems import BuilderError, LinkError, ProblemsError, SitegenError
from sitegen.publish.machine.processes import exit_with_parent

_PLAIN_WORDS = (
    (re.compile(r"Value error, '(.*?)' is not one of "), r'"\1" is not one of '),
    (re.compile(r"Input should be a valid integer.*"), "write a whole number"),
    (re.compile(r"Input should be a valid number.*"), "write a number"),
    (re.compile(r"Input should be greater than or equal to "), "it must be at least "),
    (re.compile(r"Input should be less than or equal to "), "it must be at most "),
    (re.compile(r"Input should be greater than "), "it must be more than "),
    (re.compile(r"Input should be less than "), "it must be less than "),
)
"""Messages of the option parser about values, with replacements in plain English."""


_CallError: type[Exception] = typer.BadParameter.__mro__[1]
"""Base class of the exceptions that typer raises if a command is called incorrectly."""
_MESSAGE_STARTS = ("No such", "Invalid", "Missing", "Got", "Option")

PROGRAM = "sitegen"
"""The command's name, which is also used when it runs as `python -m sitegen`."""


class ExitCode(IntEnum):
    """Meaning of the command's exit code; 0 is success."""

    DATA_PROBLEMS = 1
    USED_WRONGLY = 2
    BUILDER_FAILED = 3
    MACHINE_FAILED = 4


COMMAND_GROUPS: Mapping[str, Mapping[str, str]] = {
    "Browse": {
        "score": "showing",
        "explain": "showing",
        "diff": "showing",
        "metrics": "listing",
        "schema": "showing",
        "try": "trying",
    },
    "Submit": {
        "import": "importing",
        "validate": "checking",
        "submit": "submitting",
        "withdraw": "correcting",
        "supersede": "correcting",
        "add-attempt": "correcting",
        "correct": "revising",
        "replace-rounds": "revising",
    },
    "Maintain": {
        "init": "maintaining",
        "build": "building",
        "serve": "serving",
        "new-track": "versioning",
        "release": "maintaining",
        "label": "labelling",
        "redact": "maintaining",
        "verify": "verifying",
        "verify-site": "verifying",
        "export": "exporting",
        "upgrade": "upgrading",
    },
    "Develop": {
        "demo": "importing",
        "docs": "documenting",
    },
}
"""The module of each command, by group of users, in the order of the help."""

_COMMAND_MODULES = {
    name: module for group in COMMAND_GROUPS.values() for name, module in group.items()
}

_GROUP_OF = {name: group for group, names in COMMAND_GROUPS.items() for name in names}

_VERDICTS = frozenset({"validate", "diff", "verify", "verify-site", "upgrade"})
"""Commands whose exit code is a verdict, which must not be 0 if nobody read the output."""

_CONTEXT = {"help_option_names": ["-h", "--help"]}


def _asks_for_help(arguments: Sequence[str]) -> bool:
    """Return whether a command's arguments include the help flag."""
    options = takewhile(lambda argument: argument != "--", arguments)
    return not set(options).isdisjoint(_CONTEXT["help_option_names"])


def print_help(command: Any, ctx: Any) -> None:  # noqa: ANN401 - typer's classes are private
    """Print the help of a command to standard output."""
    sys.stdout.write(f"{command.get_help(ctx)}\n")
    sys.stdout.flush()


class _Command(TyperCommand):
    """A command with this program's own help."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - whatever the base class takes
        """Print the help if it is requested; otherwise parse the arguments."""
        if _asks_for_help(args):
            print_help(self, ctx)
            raise typer.Exit
        return list(super().parse_args(ctx, args))

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - whatever the base class takes
        """Write the help of the command, including its examples."""
        # Imported here, since most commands run without help.
        from sitegen.cli.examples import EXAMPLES
        from sitegen.cli.help import write_command_help

        formatter.write(write_command_help(self, ctx, EXAMPLES.get(str(self.name), ())))


class _Commands(TyperGroup):
    """The group of all commands; a command's module is imported only when the command runs."""

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401 - whatever the base class takes
        super().__init__(**settings)
        self.commands = {name: TyperCommand(name) for name in _COMMAND_MODULES}

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401 - as above
        """Return the names of all commands, and set the help of each for shell completion."""
        docstrings = _command_docstrings()
        for name, command in self.commands.items():
            command.help = docstrings[_function_name(name)]
        return super().list_commands(ctx)

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - as above
        """Write the help of the program, with each command's docstring on one line."""
        from sitegen.cli.help import write_group_help

        docstrings = _command_docstrings()
        groups: dict[str, list[tuple[str, str]]] = {}
        for group, names in COMMAND_GROUPS.items():
            groups[group] = [(name, docstrings[_function_name(name)]) for name in names]
        formatter.write(write_group_help(self, ctx, groups))

    def make_context(self, *arguments: Any, **settings: Any) -> Any:  # noqa: ANN401 - as above
        """Parse the arguments, and exit quietly if the help is piped to a closed pipe."""
        try:
            return super().make_context(*arguments, **settings)
        except BrokenPipeError:
            os._exit(_unread_exit_code(sys.argv))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - as above
        """Parse the options before the command's name, or print the command's help if requested.

        Typer would first import pydantic to parse flags, which takes as long as everything else.
        """
        if args and args[0] in self.commands and _asks_for_help(args[1:]):
            name, command, remaining_args = self.resolve_command(ctx, args)
            command.make_context(name, remaining_args, parent=ctx)
        return list(super().parse_args(ctx, args))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401 - as above
        """Import and return the requested command."""
        resolved_name, _, remaining_args = super().resolve_command(ctx, args)
        name = str(resolved_name)
        # Imported modules stay in memory; garbage collection during imports takes a tenth of the
        # time.
        gc.disable()
        module = import_module(f"sitegen.cli.{_COMMAND_MODULES[name]}")
        gc.enable()
        single_command = typer.Typer(add_completion=False, rich_markup_mode=None)
        function = getattr(module, _function_name(name))
        register = single_command.command(
            name,
            cls=_Command,
            context_settings=_CONTEXT,
            rich_help_panel=_GROUP_OF[name],
        )
        register(function)
        return name, typer.main.get_command(single_command), remaining_args

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - as above
        """Run a command, and exit if its output pipe is closed.

        Typer would exit with 1, which is the code for problems in the data.
        """
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            os._exit(_unread_exit_code(sys.argv))


def _unread_exit_code(arguments: Sequence[str]) -> int:
    """Return the exit code of a command whose output pipe is closed early, as by `head`.

    Closing the pipe is not a failure, but a command that gives a verdict must not seem to approve.
    """
    is_verdict = len(arguments) > 1 and arguments[1] in _VERDICTS
    return ExitCode.MACHINE_FAILED if is_verdict else 0


def _command_docstrings() -> dict[str, str]:
    """Return the docstrings of all functions in command modules without importing the modules."""
    docstrings = {}
    for module in dict.fromkeys(_COMMAND_MODULES.values()):
        source = Path(__file__).with_name(f"{module}.py").read_bytes()
        for statement in ast.parse(source).body:
            if isinstance(statement, ast.FunctionDef):
                docstring = ast.get_docstring(statement) or ""
                docstrings[statement.name] = " ".join(docstring.split())
    return docstrings


def _function_name(command: str) -> str:
    """Return the name of a command's function, such as `try_` for `try`, which is a keyword."""
    if iskeyword(command):
        return f"{command}_"
    return command.replace("-", "_")


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings=_CONTEXT,
)


def _print_version(is_requested: bool) -> None:  # noqa: FBT001 - typer passes the flag
    """Print the version and exit, if requested."""
    if not is_requested:
        return
    from sitegen.publish.projects.wheel import program_version

    print_lines(f"sitegen {program_version()}")
    raise typer.Exit


@app.callback()
def _sitegen(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_print_version,
            is_eager=True,
            help="Print the version and exit.",
        ),
    ] = False,
) -> None:
    """Turn folders of benchmark results into a leaderboard site with recomputed scores."""


def main() -> None:
    """Run the command with the arguments from the shell."""
    # Looking for pydantic plugins takes as long as reading a bundle.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "true")
    try:
        prepare_streams()
        _run_command()
    except (OSError, MemoryError) as error:
        _exit_after_machine_failure(error)


def _run_command() -> None:
    """Run the command, and print any error in the data or in how the command was called."""
    try:
        exit_with_parent()
        try:
            exit_code = app(prog_name=PROGRAM, standalone_mode=False)
        finally:
            sys.stdout.flush()  # a full disk is noticed only here
        if exit_code:
            sys.exit(exit_code)
    except typer.Abort:
        print_error("stopped; nothing was changed")
        sys.exit(ExitCode.USED_WRONGLY)
    except _CallError as error:
        print_call_error(error)
        sys.exit(ExitCode.USED_WRONGLY)
    except ProblemsError as error:
        print_problems(error.problems)
        sys.exit(ExitCode.DATA_PROBLEMS)
    except (BuilderError, LinkError) as error:
        print_error(*str(error).split("\n"))
        sys.exit(ExitCode.BUILDER_FAILED)
    except SitegenError as error:
        print_error(*map(str, error.args))
        sys.exit(ExitCode.USED_WRONGLY)


def print_call_error(error: Any) -> None:  # noqa: ANN401 - typer's class is private
    """Print an error in how a command was called, and how to show its help."""
    context = error.ctx
    if type(error).__name__ == "NoArgsIsHelpError":
        print_help(context.command, context)
        return
    message = error.format_message().rstrip(".")
    for pattern, words in _PLAIN_WORDS:
        message = pattern.sub(words, message)
    if message.startswith(_MESSAGE_STARTS):
        message = message[:1].lower() + message[1:]
    print_error(message)
    if context is not None:
        print_note(f"run `{context.command_path} -h` for help")


def _exit_after_machine_failure(error: OSError | MemoryError) -> NoReturn:
    """End the program without flushing the output, since flushing would fail again."""
    if isinstance(error, BrokenPipeError):
        os._exit(_unread_exit_code(sys.argv))
    # The failure that stopped the command may also prevent printing.
    with suppress(OSError, MemoryError):
        print_error(f"{failure_text(error)}; nothing was changed")
    # A path that is too long for any disk is the user's mistake.
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
        os._exit(ExitCode.USED_WRONGLY)
    os._exit(ExitCode.MACHINE_FAILED)
