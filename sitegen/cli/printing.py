"""What the commands print: results on standard output, everything else on standard error."""

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from sitegen.errors import Problem, counted, errors_of

_OFTEN = 20
"""So many steps are counted between two looks at the terminal."""


_ANNOTATED = 10
"""So many errors, and so many warnings, of one step GitHub shows as annotations. Source: the limits that the guide to
problem matchers of actions/toolkit states."""


class ProblemFormat(StrEnum):
    """How problems are printed."""

    text = "text"
    json = "json"
    markdown = "markdown"
    github = "github"


def shown_path(path: Path) -> str:
    """Give a path as seen from the working directory."""
    return os.path.relpath(path)


def shown_place(path: Path, line: int | None) -> str:
    """Give a place in a file as seen from the working directory."""
    return f"{shown_path(path)}:{line}" if line else shown_path(path)


def say(text: str) -> None:
    """Print a result."""
    sys.stdout.write(f"{text}\n")


def say_note(text: str) -> None:
    """Print what is good to know beside the result."""
    sys.stderr.write(f"{text}\n")


def say_error(text: str) -> None:
    """Print what went wrong."""
    sys.stderr.write(f"error: {text}\n")


def say_problems(problems: Sequence[Problem]) -> None:
    """Print problems to standard error, errors first."""
    for problem in sorted(problems, key=lambda each: not each.is_error):
        sys.stderr.write(f"{_as_text(problem)}\n")
    sys.stderr.write(f"{summary(problems)}\n")


def report(problems: Sequence[Problem], form: ProblemFormat, mendable: int = 0) -> str:
    """Write a report of problems.

    Args:
        problems: What is wrong.
        form: How to write it.
        mendable: How many of them can be repaired.
    """
    counts = summary(problems) + (f"; {mendable} of these can be repaired with `--fix`" if mendable else "")
    match form:
        case ProblemFormat.json:
            return json.dumps(_as_json(problems), indent=1, ensure_ascii=False)
        case ProblemFormat.markdown:
            return "\n".join(_as_markdown(problems, counts))
        case ProblemFormat.github:
            return "\n".join([*_as_annotations(problems), counts])
        case ProblemFormat.text:
            return "\n".join([*map(_as_text, problems), counts])


def summary(problems: Sequence[Problem]) -> str:
    """Count problems in a line."""
    errors = len(errors_of(problems))
    warnings = len(problems) - errors
    return f"{counted(errors, 'error')}, {counted(warnings, 'warning')}"


@contextmanager
def progress(what: str) -> Iterator["Steps"]:
    """Show on a terminal what is being worked on; in a pipe, show nothing."""
    console = Console(stderr=True)
    # No refreshing thread: pages are rendered in forked processes.
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TextColumn("{task.completed}"))
    with Progress(
        *columns, console=console, transient=True, auto_refresh=False, disable=not console.is_terminal
    ) as bar:
        yield Steps(bar, what)


@contextmanager
def waiting(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show on a terminal that something is at work, how far it is and for how long; in a pipe, show nothing.

    Gives what is to be told how much is done, and of how much.
    """
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    hidden = not console.is_terminal
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True, disable=hidden) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


class Steps:
    """Counts what has been worked on."""

    def __init__(self, bar: Progress, what: str) -> None:
        self._bar = bar
        self._task = bar.add_task(what, total=None)
        self._seen = 0

    def __call__(self, _: object) -> None:
        """Count one more."""
        self._bar.advance(self._task)
        self._seen += 1
        if self._seen % _OFTEN == 1:
            self._bar.refresh()


def _as_text(problem: Problem) -> str:
    place = shown_place(problem.path, problem.line)
    return f"{place}: {problem.severity} {problem.code}: {problem.what}\n  fix: {problem.fix}"


def _as_json(problems: Sequence[Problem]) -> dict[str, object]:
    return {
        "schema": 1,
        "ok": not errors_of(problems),
        "problems": [
            {
                "code": problem.code,
                "severity": problem.severity,
                "path": shown_path(problem.path),
                "line": problem.line,
                "what": problem.what,
                "fix": problem.fix,
            }
            for problem in problems
        ],
    }


def _as_markdown(problems: Sequence[Problem], counts: str) -> Iterator[str]:
    yield f"**{counts}**"
    if problems:
        yield ""
        yield "| where | severity | code | what | fix |"
        yield "| --- | --- | --- | --- | --- |"
    for problem in problems:
        place = shown_place(problem.path, problem.line)
        cells = (f"`{place}`", problem.severity, f"`{problem.code}`", problem.what, problem.fix)
        yield "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def _as_annotations(problems: Sequence[Problem]) -> Iterator[str]:
    """Write problems as GitHub's workflow commands, errors first, since the first ones of a step are shown."""
    yield from map(_as_annotation, sorted(problems, key=lambda each: not each.is_error))
    errors = len(errors_of(problems))
    left = sum(max(0, number - _ANNOTATED) for number in (errors, len(problems) - errors))
    if left:
        first = f"the first {_ANNOTATED} errors and {_ANNOTATED} warnings of a step"
        yield f"::notice title=More problems::GitHub shows {first} at their lines; {left} more stand in this log"


def _as_annotation(problem: Problem) -> str:
    """Write a problem as a workflow command, with its own escapes; a line break would begin another command."""
    line = f",line={problem.line}" if problem.line else ""
    path = _escaped(shown_path(problem.path)).replace(",", "%2C").replace(":", "%3A")
    message = _escaped(f"{problem.what}. Fix: {problem.fix}")
    return f"::{problem.severity} file={path}{line},title={problem.code}::{message}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
