"""Where a command runs: its day, and its streams: results go to standard output, all else to standard error."""

import codecs
import errno
import io
import json
import os
import resource
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)

from sitegen.problems import Problem, UsageError, counted, errors_of, visible
from sitegen.store.revision import is_ahead

AddressArgument = Annotated[str, typer.Argument(help="BENCHMARK/TRACK/SUBMISSION, as on the site.")]
ResultsOption = Annotated[Path, typer.Option("--results", help="The results folder.")]

_FIXED = "SOURCE_DATE_EPOCH"
"""Seconds since 1970 that stand for now, so that a build can be made again: reproducible-builds.org."""

_DAY = timedelta(days=1)

_LAST_STREAM = 2
"""The number of standard error."""

_AS_JSON = "sitegen.as-json"

_FULL = 1024 * 1024
"""Free bytes below which a disk counts as full."""

_OFTEN = 20
"""So many steps are counted between two looks at the terminal."""


def today(environment: Mapping[str, str] = os.environ) -> date:
    """Give the day in UTC, the one that the environment fixes before the clock's.

    Raises:
        UsageError: The environment fixes something that is no time.
    """
    fixed = environment.get(_FIXED)
    if not fixed:
        return datetime.now(tz=UTC).date()
    try:
        later = (
            datetime.fromtimestamp(int(fixed), tz=UTC) + _DAY
        )  # the last day of all has none behind it
        return (later - _DAY).date()
    except (ValueError, OverflowError, OSError) as error:
        raise UsageError(
            f'{_FIXED} is "{fixed}", which is no number of seconds since 1970'
        ) from error


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
    sys.stdout.writelines(f"{visible(line)}\n" for line in lines)


def say_note(*lines: str) -> None:
    """Print what is good to know beside the result."""
    sys.stderr.writelines(f"{visible(line)}\n" for line in lines)


def say_json(document: object, indent: int = 1) -> None:
    """Print a result as JSON."""
    say(*json.dumps(document, indent=indent, ensure_ascii=False).split("\n"))


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
    if isinstance(
        error, shutil.Error
    ):  # of a folder that could not be copied: one file after the other, with reasons
        return str(error.args[0][0][-1])
    if isinstance(error, OSError) and error.strerror:
        reason = _refusal(error) or error.strerror
        return f"{reason}: {error.filename}" if error.filename else reason
    return str(error)


def _refusal(error: OSError) -> str:
    """Say which limit of the machine a write met; empty where it met none."""
    if error.errno == errno.ENOSPC:
        return "No space left on the disk" + _full_places()
    if error.errno == errno.EDQUOT:
        return "The disk quota of this user is used up"
    if error.errno != errno.EFBIG:
        return ""
    limit, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    if limit != resource.RLIM_INFINITY:
        return (
            f"A file would have more than {limit:,} bytes, the limit of this session (`ulimit -f`)"
        )
    return "A file would be larger than the disk takes" + _full_places()


def _full_places() -> str:
    """Name the disks that are full, of those that commands write to: by the working directory and the temporary one."""
    places = [Path.cwd(), Path(tempfile.gettempdir())]
    full = []
    for place in places:
        with suppress(OSError):
            if shutil.disk_usage(place).free < _FULL:
                full.append(str(place))
    return f" of {' and of '.join(dict.fromkeys(full))}" if full else ""


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
def progress(what: str) -> Iterator[Callable[[object], None]]:
    """Show on a terminal what is being worked on; in a pipe, show nothing. Gives what counts one more."""
    console = Console(stderr=True)
    # No refreshing thread: pages are rendered in forked processes.
    hidden = not console.is_terminal
    words = TextColumn("{task.description}", markup=False), TextColumn("{task.completed}")
    columns = () if hidden else (SpinnerColumn(), *words)
    with Progress(
        *columns, console=console, transient=True, auto_refresh=False, disable=hidden
    ) as bar:
        task, seen = bar.add_task(what, total=None), count(1)

        def step(_: object) -> None:
            bar.advance(task)
            if next(seen) % _OFTEN == 1:
                bar.refresh()

        yield step


@contextmanager
def waiting(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show on a terminal that something is at work, how far it is and for how long; in a pipe, show nothing.

    Gives what is to be told how much is done, and of how much.
    """
    console = Console(stderr=True)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
    )
    hidden = not console.is_terminal
    with Progress(
        *columns, TimeElapsedColumn(), console=console, transient=True, disable=hidden
    ) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def problem_text(problem: Problem) -> str:
    """Write a problem as people read it in a terminal, in two lines."""
    return str(replace(problem, path=Path(shown_path(problem.path))))
