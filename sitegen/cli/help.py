"""Write the help of commands: usage, description, examples, arguments and options.

The help is plain text that fits the terminal, with bold headings if the terminal supports them.
Typer's own help is not used, because importing its libraries takes too long.
"""

import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from typer.core import TyperArgument, TyperOption

from sitegen.cli.console import BOLD, paint

MIN_COLUMNS = 40
MAX_COLUMNS = 100
"""Maximum width of the help in columns; longer lines are hard to read."""
INDENT = "  "
NO_BREAK = "\N{NO-BREAK SPACE}"
"""Replaces a space at which a line must not break while a text is wrapped."""
MAX_LABEL_SHARE = 0.4
"""Maximum share of a line for option names; the help of longer names starts on the next line."""

_TYPE_NAMES = {"STR": "TEXT", "INT": "N", "INT RANGE": "N", "FLOAT": "X", "FLOAT RANGE": "X"}
"""Names of value types in the help, in place of Typer's less clear names."""


_UNBREAKABLE = re.compile(r"""--[a-z-]+ (?:"[^"]*"|'[^']*'|[^\s-]\S*)|"[^"]*"|'[^']*'""")
"""Matches an option with its value, or a quoted value, which must stay on one line."""


def columns() -> int:
    """Return the width of the help, in columns."""
    width = shutil.get_terminal_size().columns
    return max(MIN_COLUMNS, min(width, MAX_COLUMNS))


def write_command_help(command: Any, ctx: Any, examples: Sequence[tuple[str, str]]) -> str:  # noqa: ANN401 - typer's classes are private
    """Return the help of one command.

    Args:
        command: The command.
        ctx: Its context.
        examples: Command lines, each with a description.
    """
    parts = [_usage(ctx.command_path, command, ctx), _paragraphs(command.help or "")]
    if examples:
        parts.append(_examples(examples))
    parts += _sections(describe_parameters(command, ctx))
    return "\n\n".join(parts)


def describe_parameters(command: Any, ctx: Any) -> dict[str, list[tuple[str, str]]]:  # noqa: ANN401 - as above
    """Return the arguments and the options of a command, each with its label and its help."""
    arguments: list[tuple[str, str]] = []
    options: list[tuple[str, str]] = []
    for parameter in command.get_params(ctx):
        if getattr(parameter, "hidden", False):
            continue
        if isinstance(parameter, TyperArgument):
            arguments.append((_argument_label(parameter), _parameter_help(parameter)))
        else:
            options.append((_option_label(parameter, ctx), _parameter_help(parameter)))
    return {"Arguments": arguments, "Options": options}


def write_group_help(
    command: Any,  # noqa: ANN401 - as above
    ctx: Any,  # noqa: ANN401 - as above
    groups: Mapping[str, Sequence[tuple[str, str]]],
) -> str:
    """Return the help of the program.

    Args:
        command: The group of all commands.
        ctx: Its context.
        groups: Names of commands, each with a sentence about it, by group of users.
    """
    options: list[tuple[str, str]] = []
    for parameter in command.get_params(ctx):
        options.append((_option_label(parameter, ctx), _parameter_help(parameter)))
    parts = [
        f"{_heading('Usage:')} {ctx.command_path} [OPTIONS] COMMAND [ARGS]...",
        _paragraphs(command.help or ""),
        *_sections({**groups, "Options": options}),
        _paragraphs(f"`{ctx.command_path} COMMAND --help` explains a command, with examples."),
    ]
    return "\n\n".join(parts)


def _heading(text: str) -> str:
    return paint(text, BOLD, sys.stdout)


def _usage(path: str, command: Any, ctx: Any) -> str:  # noqa: ANN401 - as above
    """Return the lines that show how a command is called."""
    pieces = call_pattern(command, ctx)
    head = f"Usage: {path} "
    lines = textwrap.wrap(
        pieces, columns() - len(head), break_long_words=False, break_on_hyphens=False
    )
    text = ("\n" + " " * len(head)).join(lines)
    return f"{_heading('Usage:')} {path} {text}"


def call_pattern(command: Any, ctx: Any) -> str:  # noqa: ANN401 - as above
    """Return the text after the name of a command, such as "[OPTIONS] [ADDRESS]..."."""
    names = ["[OPTIONS]"]
    for parameter in command.get_params(ctx):
        if not isinstance(parameter, TyperArgument):
            continue
        name = _argument_name(parameter)
        if not parameter.required:
            name = f"[{name}]"
        names.append(name + _repetition(parameter))
    return " ".join(names)


def _paragraphs(text: str) -> str:
    """Return paragraphs, each indented and wrapped."""
    wrapped = [_wrap(" ".join(paragraph.split()), INDENT) for paragraph in text.split("\n\n")]
    return "\n\n".join(wrapped)


def _wrap(text: str, indent: str) -> str:
    wrapped = textwrap.fill(
        text,
        columns(),
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return wrapped.replace(NO_BREAK, " ")


def _examples(examples: Iterable[tuple[str, str]]) -> str:
    """Return command lines to copy, each after a sentence that describes it."""
    lines = [_heading("Examples:")]
    for command_line, sentence in examples:
        lines.append(_wrap(f"# {sentence}", INDENT).replace(f"\n{INDENT}", f"\n{INDENT}# "))
        lines.append(_wrap_command(command_line))
    return "\n".join(lines)


def _wrap_command(command_line: str) -> str:
    r"""Return a command line, continued on further lines with `\` if it is too long.

    A line never ends inside a quoted value, to which the next line's indent would be added, or
    between an option and its value.
    """
    width = columns() - len(INDENT) - len(" \\")
    unbroken = _UNBREAKABLE.sub(lambda part: part[0].replace(" ", NO_BREAK), command_line)
    lines = textwrap.wrap(
        unbroken,
        width,
        subsequent_indent=INDENT,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return (INDENT + f" \\\n{INDENT}".join(lines)).replace(NO_BREAK, " ")


def _sections(sections: Mapping[str, Sequence[tuple[str, str]]]) -> list[str]:
    """Return sections of labels with texts next to them, all aligned."""
    labels = [label for rows in sections.values() for label, _ in rows]
    limit = int(columns() * MAX_LABEL_SHARE)
    label_width = max((len(label) for label in labels if len(label) <= limit), default=limit)
    texts = []
    for title, rows in sections.items():
        if rows:
            lines = [_heading(f"{title}:")]
            lines += [_row(label, text, label_width) for label, text in rows]
            texts.append("\n".join(lines))
    return texts


def _row(label: str, text: str, label_width: int) -> str:
    """Return a label with its text next to it, or below it if the label is too long."""
    indent = " " * (len(INDENT) + label_width + len(INDENT))
    if not text:
        return f"{INDENT}{label}"
    body = _wrap(text, indent)
    if len(label) > label_width:
        return f"{INDENT}{label}\n{body}"
    return f"{INDENT}{label.ljust(label_width)}{INDENT}{body.lstrip()}"


def _argument_label(argument: TyperArgument) -> str:
    return _argument_name(argument) + _repetition(argument)


def _argument_name(argument: TyperArgument) -> str:
    return argument.metavar or str(argument.name).upper()


def _repetition(argument: TyperArgument) -> str:
    """Return the mark of an argument that may be given several times; empty for other arguments."""
    return "..." if argument.nargs == -1 else ""


def _option_label(option: Any, ctx: Any) -> str:  # noqa: ANN401 - as above
    """Return the names of an option and, unless the option is a flag, the name of its value."""
    names = ", ".join(sorted(option.opts, key=len))
    if option.secondary_opts:
        names += f" / {', '.join(option.secondary_opts)}"
    value = value_name(option, ctx)
    return f"{names} {value}".rstrip()


def value_name(option: Any, ctx: Any) -> str:  # noqa: ANN401 - as above
    """Return the name of an option's value; empty for a flag."""
    if option.is_flag or option.count:
        return ""
    if option.metavar:
        return str(option.metavar)
    shown = str(option.display_type_rich(ctx) or "").strip("<>")
    if shown.lower().startswith("list["):
        shown = shown[len("list[") : -1]
    if "|" in shown:
        return shown.strip("[]")
    return _TYPE_NAMES.get(shown.upper(), shown.upper())


def _parameter_help(parameter: Any) -> str:  # noqa: ANN401 - as above
    """Return the help of a parameter with its default."""
    text = parameter.help or ""
    default = parameter.default
    is_flag = isinstance(parameter, TyperOption) and parameter.is_flag
    if parameter.required and isinstance(parameter, TyperOption):
        text += " [required]"
    elif not is_flag and isinstance(default, str | int | float | Path) and str(default):
        text += f" [default:{NO_BREAK}{default}]"
    return text.strip()
