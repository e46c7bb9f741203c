"""What the commands print: results on standard output, everything else on standard error."""

import codecs
import io
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from sitegen.problems import Problem, counted, errors_of, visible
from sitegen.store.revision import is_ahead

_LAST_STREAM = 2
"""The number of standard error."""

_AS_JSON = "sitegen.as-json"

_OFTEN = 20
"""So many steps are counted between two looks at the terminal."""


def require_streams() -> None:
    """Have streams to print to, and let every text go through them.

    What the caller closed leads nowhere: else the next file that is opened would take its place. What a stream's
    encoding lacks is written as in JSON, so that what is JSON stays it.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) <= _LAST_STREAM:
        pass
    os.close(number)
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8")  # noqa: SIM115 - for as long as the program runs
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8")  # noqa: SIM115
    codecs.register_error(_AS_JSON, _escaped)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_AS_JSON)


def _escaped(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


def shown_path(path: Path) -> str:
    """Give a path as seen from the working directory."""
    return os.path.relpath(path)


def shown_place(path: Path, line: int | None) -> str:
    """Give a place in a file as seen from the working directory."""
    return f"{shown_path(path)}:{line}" if line else shown_path(path)


def say(*lines: str) -> None:
    """Print lines of a result. What came from data neither ends a line nor steers the terminal."""
    _print(sys.stdout, lines)


def say_note(*lines: str) -> None:
    """Print what is good to know beside the result."""
    _print(sys.stderr, lines)


def _print(stream: TextIO, lines: Iterable[str]) -> None:
    """Print: the one way from this program to a terminal, a pipe or a log."""
    stream.writelines(f"{visible(line)}\n" for line in lines)


def note_what_is_ahead(base: str) -> None:
    """Say that an earlier state is none: what it has more than the branch at hand looks as if it were gone."""
    if is_ahead(base):
        say_note(
            f"{base} has commits that this branch lacks: what they brought counts as gone here. "
            f"Bring the branch up to date, or compare with the commit that `git merge-base {base} HEAD` names"
        )


def say_error(text: str, *lines: str) -> None:
    """Print what went wrong."""
    say_note(f"error: {text}", *lines)


def failure_text(error: Exception) -> str:
    """Say what kept a command from its work: the data, whoever called it, or the machine."""
    if isinstance(error, MemoryError):
        return "memory ran out"
    if isinstance(error, shutil.Error):  # of a folder that could not be copied: one file after the other, with reasons
        return str(error.args[0][0][-1])
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return str(error)


def say_problems(problems: Sequence[Problem]) -> None:
    """Print problems to standard error, errors first."""
    for problem in sorted(problems, key=lambda each: not each.is_error):
        say_note(*problem_text(problem).split("\n"))
    say_note(summary(problems))


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
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TextColumn("{task.completed}"))
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
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
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


def problem_text(problem: Problem) -> str:
    """Write a problem as people read it in a terminal, in two lines."""
    return str(replace(problem, path=Path(shown_path(problem.path))))
