#!/usr/bin/env python3
"""Writes the reference pages that follow from the program: its commands, metrics, checks and imports.

`make reference` writes them; a test fails where one is out of date. The page of commands is part of the
site. The others are for readers of the repository, since the site makes the same tables when it is built.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import typer
from typer.core import TyperCommand, TyperGroup

from sitegen.cli.main import COMMAND_GROUPS, app
from sitegen.importers.formats import FORMATS
from sitegen.metrics.catalogue import METRICS
from sitegen.pipeline.rules import all_rules

ROOT = Path(__file__).parents[1]
GUIDES = ROOT / "site_src" / "submit"

ANCHOR_PREFIX = "sitegen-"

_COMMANDS_PAGE = """\
---
description: Every command of sitegen with every argument and option.
---
# Commands

<!-- `make reference` writes this page from the program. Edit the help of the command instead. -->

`sitegen COMMAND --help` prints the same information in a terminal. On this page, `ADDRESS` means \
`BENCHMARK/TRACK/SUBMISSION`, as in the address of a submission's page, and `PATH` means a results folder, the \
folder of a benchmark, or a bundle.

| exit code | meaning |
| --- | --- |
| 0 | the command succeeded |
| 1 | the data has problems, all of which are listed |
| 2 | the command was used wrongly |
| 3 | the site could not be built |
| 4 | the machine failed, for example because the disk is full |

If a command fails or is interrupted, it leaves nothing half-written.
"""

_METRICS_PAGE = """\
# Metrics

<!-- `make reference` writes this page from the program. -->

These metrics come with the program, and a benchmark may [declare its own](../site_src/submit/metrics.md). \
The page [Metrics, worked out](../site_src/methods/metrics.md) on a built site adds formulas and examples.
"""

_CHECKS_PAGE = """\
# Checks

<!-- `make reference` writes this page from the program. -->

`sitegen validate` and `sitegen import` report problems with these codes. \
[Checks and codes](../site_src/submit/checks.md) explains what they mean and how an error can be waived.
"""

_IMPORTS_PAGE = """\
# Imports

<!-- `make reference` writes this page from the program and its guides. -->

`sitegen import FORMAT SOURCE` reads results in these formats. [Import](../site_src/submit/importing.md) explains \
what all imports have in common.
"""

_CHECK_HEADINGS = {"rules-of-results": "Results", "rules-of-imports": "Imports"}
_DESCRIPTION = re.compile(r"^description: (.*)$", re.MULTILINE)
_HEADING = re.compile(r"^# (.*)$", re.MULTILINE)
_CHOICES = re.compile(r"[<\[]?([^\s<>\[\]|]+(?:\|[^\s<>\[\]|]+)+)[>\]]?")
_TYPE_NAMES = {
    "<path>": "PATH",
    "<list[Path]>": "PATH",
    "<str>": "TEXT",
    "<list[str]>": "TEXT",
    "<int range>": "NUMBER",
    "<int>": "NUMBER",
    "<%Y-%m-%d>": "YYYY-MM-DD",
    "<attempts>": "attempts",
    "<auto>": "auto",
}
"""How the types of values are written, where the program's help has the names of Python."""
_RICH_MARKUP = re.compile(r"\[/?(?:bold|dim|cyan|green|yellow|red|italic)[^\]]*\]")


def pages() -> dict[Path, str]:
    """Return the text of each reference page, by the page's file."""
    return {
        ROOT / "site_src" / "docs" / "commands.md": commands_page(),
        ROOT / "reference" / "metrics.md": metrics_page(),
        ROOT / "reference" / "checks.md": checks_page(),
        ROOT / "reference" / "imports.md": imports_page(),
    }


def commands() -> dict[str, TyperCommand]:
    """Return every command that the help lists, by its name."""
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    context = typer.Context(group, info_name="sitegen")
    listed = {}
    for name in group.list_commands(context):
        command = group.resolve_command(context, [name])[1]
        if isinstance(command, TyperCommand) and not command.hidden:
            listed[name] = command
    return listed


def grouped_names(listed: Mapping[str, TyperCommand]) -> dict[str, list[str]]:
    """Return the names of the listed commands, by group."""
    return {
        group: [name for name in names if name in listed] for group, names in COMMAND_GROUPS.items()
    }


def commands_page() -> str:
    """Return the page of all commands, with a list of them by group and a section for each."""
    listed = commands()
    groups = grouped_names(listed)
    lines = [_COMMANDS_PAGE]
    lines += table(
        ["group", "commands"],
        [[group, ", ".join(map(_command_link, names))] for group, names in groups.items()],
    )
    for group, names in groups.items():
        lines += ["", f"## {group}"]
        for name in names:
            lines += ["", *_command_section(name, listed[name])]
    return "\n".join(lines) + "\n"


def _command_link(name: str) -> str:
    return f"[`{name}`](#{ANCHOR_PREFIX}{name})"


def _command_section(name: str, command: TyperCommand) -> Iterator[str]:
    """Yield the lines about a command: what it does, how to call it, and its arguments and options."""
    context = typer.Context(command, info_name=f"sitegen {name}")
    yield f"### sitegen {name}"
    yield ""
    yield from _paragraphs(command.help or "")
    yield "```text"
    yield f"sitegen {name} {' '.join(command.collect_usage_pieces(context))}"
    yield "```"
    yield from _paragraphs(command.epilog or "", before=[""])
    rows = []
    for parameter in command.params:
        record = parameter.get_help_record(context)
        if record is not None:
            name, text = record
            rows.append(_option_row(name, text))
    if rows:
        yield ""
        yield from table(["argument or option", "meaning"], rows)


def _paragraphs(text: str, before: Sequence[str] = ()) -> Iterator[str]:
    """Yield the paragraphs of a help text, as lines; nothing for an empty string."""
    text = _RICH_MARKUP.sub("", text).strip()
    if not text:
        return
    yield from before
    for paragraph in re.split(r"\n\s*\n", text):
        lines = [line.strip() for line in paragraph.replace("\b", "").splitlines() if line.strip()]
        is_code = all(line.startswith(("sitegen ", "$ ")) for line in lines)
        if is_code:
            yield from ("```text", *lines, "```", "")
        else:
            yield from (" ".join(lines), "")


def _option_row(name: str, text: str) -> list[str]:
    """Return an argument or option as the reference writes it, and what it means.

    Choices are listed behind the meaning, since a cell of a table has no room for them. A default that
    differs between machines is left out.
    """
    meaning = _RICH_MARKUP.sub("", text)
    if name.startswith("--jobs"):
        meaning = re.sub(r"default: \d+(; )?", "", meaning)
    choices = _CHOICES.search(name)
    # Placeholders such as PATH|ADDRESS are no values that somebody types.
    if choices is not None and not choices[1].isupper():
        name = name.replace(choices[0], "").strip()
        values = ", ".join(f"`{value}`" for value in choices[1].split("|"))
        meaning = f"{meaning} One of {values}."
    for shown, written in _TYPE_NAMES.items():
        name = name.replace(shown, written)
    return [f"`{name}`", meaning]


def metrics_page() -> str:
    """Return the page of the metrics in the catalogue."""
    rows = []
    for metric in METRICS.values():
        protocols = ", ".join(sorted(metric.protocols))
        sentence = metric.definition.sentence
        rows.append(
            [
                f"`{metric.id}`",
                metric.title,
                sentence,
                metric.unit,
                metric.direction,
                protocols,
                metric.definition.source,
            ]
        )
    heads = ["id", "title", "definition", "unit", "better", "protocols", "source"]
    return "\n".join([_METRICS_PAGE, *table(heads, rows)]) + "\n"


def checks_page() -> str:
    """Return the page of all rules, those of results first."""
    lines = [_CHECKS_PAGE]
    for section, rules in all_rules().items():
        rows = []
        for rule in rules:
            notes = []
            if rule.mend:
                notes.append("`--fix`")
            if section == "rules-of-results" and rule.is_waivable:
                notes.append("can be waived")
            rows.append([f"`{rule.code}`", rule.severity, rule.title, rule.fix, ", ".join(notes)])
        lines += [
            f"## {_CHECK_HEADINGS[section]}",
            "",
            *table(["code", "severity", "problem", "usual fix", "notes"], rows),
            "",
        ]
    return "\n".join(lines).rstrip() + "\n"


def imports_page() -> str:
    """Return the page of the formats that can be imported, as their guides describe them."""
    rows = []
    for name in FORMATS:
        guide = (GUIDES / f"{name}.md").read_text(encoding="utf-8")
        description, heading = _DESCRIPTION.search(guide), _HEADING.search(guide)
        assert description is not None, f"the guide of {name} has no description"
        assert heading is not None, f"the guide of {name} has no heading"
        link = f"[{heading[1]}](../site_src/submit/{name}.md)"
        rows.append([f"`{name}`", description[1], link])
    return "\n".join([_IMPORTS_PAGE, *table(["format", "reads", "guide"], rows)]) + "\n"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a Markdown table."""
    yield f"| {' | '.join(heads)} |"
    yield f"| {' | '.join('---' for _ in heads)} |"
    for row in rows:
        yield f"| {' | '.join(map(_cell, row))} |"


def _cell(text: str) -> str:
    """Return a text that fits into one cell of a table."""
    return " ".join(text.split()).replace("|", r"\|")


def main() -> None:
    """Write every page."""
    for path, text in pages().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
