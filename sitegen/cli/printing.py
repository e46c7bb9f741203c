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


class ProblemFormat(StrEnum):
    """How problems are printed."""

    text = "text"
    json = "json"
    markdown = "markdown"
    github = "github"


def shown_path(path: Path) -> str:
    """Give a path as seen from the working directory."""
    return os.path.relpath(path)


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


def report(problems: Sequence[Problem], form: ProblemFormat) -> str:
    """Write a report of problems."""
    match form:
        case ProblemFormat.json:
            return json.dumps(_as_json(problems), indent=1, ensure_ascii=False)
        case ProblemFormat.markdown:
            return "\n".join(_as_markdown(problems))
        case ProblemFormat.github:
            return "\n".join([*map(_as_annotation, problems), summary(problems)])
        case ProblemFormat.text:
            return "\n".join([*map(_as_text, problems), summary(problems)])


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
    place = shown_path(problem.path) + (f":{problem.line}" if problem.line else "")
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


def _as_markdown(problems: Sequence[Problem]) -> Iterator[str]:
    yield f"**{summary(problems)}**"
    if problems:
        yield ""
        yield "| where | severity | code | what | fix |"
        yield "| --- | --- | --- | --- | --- |"
    for problem in problems:
        place = shown_path(problem.path) + (f":{problem.line}" if problem.line else "")
        cells = (f"`{place}`", problem.severity, f"`{problem.code}`", problem.what, problem.fix)
        yield "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def _as_annotation(problem: Problem) -> str:
    """Write a problem as GitHub's workflow commands have it, with their own escapes."""
    line = f",line={problem.line}" if problem.line else ""
    message = f"{problem.what}. Fix: {problem.fix}".replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    path = shown_path(problem.path).replace("%", "%25").replace(",", "%2C").replace(":", "%3A")
    return f"::{problem.severity} file={path}{line},title={problem.code}::{message}"
