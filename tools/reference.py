#!/usr/bin/env python3
"""Writes the reference pages derived from the program: its commands, metrics, checks and imports.

`make reference` writes them; a test fails if a page is out of date. The page of commands is part of the site. The
others are for readers of the repository, since the site builds the same tables itself.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import typer
from typer.core import TyperCommand, TyperGroup

from sitegen.cli.examples import EXAMPLES
from sitegen.cli.help import NO_BREAK, call_pattern, describe_parameters
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
`BENCHMARK/TRACK/SUBMISSION`, as in the address of a submission's page.

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
The page [Metrics explained](../site_src/methods/metrics.md) on a built site adds formulas and examples.
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
_CHOICES = re.compile(r"[^\s|]+(?:\|[^\s|]+)+")
_SHOWN_CHOICES = 24
"""Maximum length of a list of choices shown next to an option; longer lists are part of its meaning."""


def pages() -> dict[Path, str]:
    """Return the text of each reference page, by path."""
    return {
        ROOT / "site_src" / "docs" / "commands.md": commands_page(),
        ROOT / "reference" / "metrics.md": metrics_page(),
        ROOT / "reference" / "checks.md": checks_page(),
        ROOT / "reference" / "imports.md": imports_page(),
    }


def commands() -> dict[str, TyperCommand]:
    """Return every command listed in the help, by name."""
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
    """Return the page of all commands, with a list by group and one section per command."""
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
    """Yield the lines about a command: its description, its usage, its arguments and its options."""
    context = typer.Context(command, info_name=f"sitegen {name}")
    yield f"### sitegen {name}"
    yield ""
    yield " ".join((command.help or "").split())
    yield ""
    yield "```text"
    yield f"sitegen {name} {call_pattern(command, context)}"
    yield "```"
    yield ""
    yield "```sh"
    for command_line, sentence in EXAMPLES[name]:
        yield f"# {sentence}"
        yield command_line
    yield "```"
    for kind, described in describe_parameters(command, context).items():
        rows = [_parameter_row(label, text) for label, text in described if "--help" not in label]
        if rows:
            yield ""
            yield from table([kind.lower().rstrip("s"), "meaning"], rows)


def _parameter_row(label: str, text: str) -> list[str]:
    """Return the table cells for an argument or option: its label and its meaning.

    A long list of choices is given in the meaning, because the first cell has no room for it. A default that differs
    between machines is left out.
    """
    text = text.replace(NO_BREAK, " ")
    if label.startswith("--jobs"):
        text = re.sub(r" \[default: \d+\]", "", text)
    choices = _CHOICES.search(label)
    if choices is not None and choices[0].islower() and len(choices[0]) > _SHOWN_CHOICES:
        label = label.replace(choices[0], "").strip()
        values = ", ".join(f"`{value}`" for value in choices[0].split("|"))
        text = f"{text} One of {values}."
    # In code within a table, the site's Markdown would show the backslash of an escaped pipe.
    bar = "&#124;"
    shown = f"<code>{label.replace('|', bar)}</code>" if "|" in label else f"`{label}`"
    return [shown, text]


def metrics_page() -> str:
    """Return the page of the catalogue's metrics."""
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
    """Return the page of all rules, with the rules of results first."""
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
    """Return the page of importable formats, described as in their guides."""
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
    """Return a text in the form of one table cell."""
    return " ".join(text.split()).replace("|", r"\|")


def main() -> None:
    """Write every page."""
    for path, text in pages().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
