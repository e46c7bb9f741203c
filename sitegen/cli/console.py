"""The current day, the output streams and the progress bars of a command.

Results go to standard output, everything else to standard error.
"""

import codecs
import errno
import io
import json
import os
import re
import resource
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import count
from pathlib import Path
from time import monotonic
from typing import TextIO

from sitegen.problems import Problem, UsageError, counted, gravest_first, visible
from sitegen.problems.commands import display_path
from sitegen.store.files.git_states import is_ahead

_FIXED_TIME = "SOURCE_DATE_EPOCH"
"""The variable with the time to use, in seconds since 1970. Source: reproducible-builds.org."""

_STANDARD_ERROR = 2
"""The highest file descriptor among the standard streams."""

_JSON_ESCAPES = "sitegen.as-json"
"""The name of the codec error handler that writes characters as JSON escapes."""

MIN_FREE_BYTES = 1024 * 1024
"""The minimum free space in bytes; a disk with less space counts as full."""

BOLD = "1"
SEVERITY_STYLES = {"error": "1;31", "warning": "33"}
"""Terminal codes for red and yellow text."""
_SEVERITY_IN_LINE = re.compile(
    r"^(?P<place>(?:\S.*?: )?)(?P<severity>error|warning)(?=: | [A-Z][A-Z0-9-]+: )"
)

SECONDS_PER_REFRESH = 0.1
"""The time between two updates of a progress display, in seconds."""


def today(environment: Mapping[str, str] = os.environ) -> date:
    """Return today's date in UTC, from the environment variable if it is set, or from the clock.

    Raises:
        UsageError: The environment variable is not a valid time.
    """
    fixed = environment.get(_FIXED_TIME)
    if not fixed:
        return datetime.now(tz=UTC).date()
    try:
        # The last day that Python supports is refused, since the code adds days to dates.
        next_day = datetime.fromtimestamp(int(fixed), tz=UTC) + timedelta(days=1)
        return (next_day - timedelta(days=1)).date()
    except (ValueError, OverflowError, OSError) as error:
        raise UsageError(
            f'{_FIXED_TIME} is "{fixed}", but it must be a number of seconds since 1970'
        ) from error


def date_of(day: datetime | None) -> date | None:
    """Return the date of a date option; None if the option is not given."""
    return day.date() if day else None


def day_or_today(day: datetime | None) -> date:
    """Return the date of a date option, or today if the option is not given."""
    return date_of(day) or today()


def require_results(results: Path) -> None:
    """Raise a UsageError if there is no results folder."""
    if results.is_dir():
        return
    from sitegen.pipeline.addressing import no_results

    raise UsageError(no_results(results))


def prepare_streams() -> None:
    """Make sure that standard streams exist and that every text can be written to them.

    A stream that the caller closed is opened on the null device, because otherwise the next opened
    file would take its place. Characters that a stream's encoding does not support are written as
    JSON escapes, so that JSON stays valid.
    """
    descriptor = os.open(os.devnull, os.O_RDWR)
    while descriptor <= _STANDARD_ERROR:
        descriptor = os.open(os.devnull, os.O_RDWR)
    os.close(descriptor)
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8")  # noqa: SIM115 - open until the end
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8")  # noqa: SIM115 - open until the end
    codecs.register_error(_JSON_ESCAPES, _escape_as_json)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_JSON_ESCAPES)


def _escape_as_json(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    escaped = json.dumps(error.object[error.start : error.end])
    return escaped[1:-1], error.end


def display_location(path: Path, line: int | None) -> str:
    """Return a path relative to the working directory, followed by the line if there is one."""
    location = display_path(path)
    if line:
        location += f":{line}"
    return location


def has_styles(stream: TextIO | None) -> bool:
    """Return whether a stream is a terminal that supports colours and whose user wants them.

    Source: no-color.org.
    """
    if os.environ.get("NO_COLOR") or os.environ.get("TERM", "") in {"", "dumb"}:
        return False
    return stream is not None and stream.isatty()


def paint(text: str, style: str, stream: TextIO) -> str:
    """Return a text in a style if the stream supports styles, or else the unchanged text."""
    if not has_styles(stream):
        return text
    return f"\x1b[{style}m{text}\x1b[0m"


def _painted_severity(line: str, stream: TextIO) -> str:
    """Return a line with "error" in red or "warning" in yellow if the stream supports styles.

    The coloured word starts the line or follows the location of a problem.
    """

    def painted(match: re.Match[str]) -> str:
        style = SEVERITY_STYLES[match["severity"]]
        return match["place"] + paint(match["severity"], style, stream)

    return _SEVERITY_IN_LINE.sub(painted, line, count=1)


def print_lines(*lines: str) -> None:
    """Print lines of a result; escape characters that would end a line or control the terminal."""
    for line in lines:
        sys.stdout.write(f"{visible(line)}\n")


def print_note(*lines: str) -> None:
    """Print lines that are not part of the result to standard error."""
    for line in lines:
        sys.stderr.write(f"{_painted_severity(visible(line), sys.stderr)}\n")


def print_report(*lines: str) -> None:
    """Print lines of a report about problems to standard output."""
    for line in lines:
        sys.stdout.write(f"{_painted_severity(visible(line), sys.stdout)}\n")


def print_json(document: object, indent: int = 1) -> None:
    """Print a result as JSON."""
    text = json.dumps(document, indent=indent, ensure_ascii=False)
    print_lines(*text.split("\n"))


def print_error(text: str, *lines: str) -> None:
    """Print an error to standard error."""
    print_note(f"error: {text}", *lines)


def print_problems(problems: Sequence[Problem]) -> None:
    """Print problems and their counts to standard error, errors first and each note on one line."""
    for problem in gravest_first(problems):
        message, fix = format_problem(problem).split("\n")
        print_note(message)
        if not problem.is_note:
            print_note(fix)
    print_note(count_problems(problems))


def note_if_ahead(base: str) -> None:
    """Print a note if this branch lacks commits of the earlier state, which then look removed."""
    if is_ahead(base):
        print_note(
            f"{base} has commits that this branch lacks, and what they added "
            "counts as removed here. "
            "Update the branch, or compare with the commit that "
            f"`git merge-base {base} HEAD` prints"
        )


def format_problem(problem: Problem) -> str:
    """Return a problem in two lines, as shown in a terminal."""
    path = Path(display_path(problem.path))
    return str(replace(problem, path=path))


def count_problems(problems: Sequence[Problem]) -> str:
    """Return a text with the number of errors, of warnings and, if there are any, of notes."""
    numbers = Counter(problem.severity for problem in problems)
    counts = f"{counted(numbers['error'], 'error')}, {counted(numbers['warning'], 'warning')}"
    if numbers["note"]:
        counts += f", {counted(numbers['note'], 'note')}"
    return counts


def failure_text(error: Exception) -> str:
    """Return the reason why a command failed, in words for the user."""
    if isinstance(error, MemoryError):
        return "memory ran out"
    if isinstance(error, shutil.Error):
        return _copying_failure(error)
    if isinstance(error, OSError) and error.strerror:
        reason = _exceeded_limit(error) or error.strerror
        if error.filename:
            reason += f": {error.filename}"
        return reason
    return str(error)


def _copying_failure(error: shutil.Error) -> str:
    """Return the reason why a folder could not be copied, from the first file that failed.

    The error lists each file as (source, target, reason); the reason is the text of an OSError.
    """
    _, target, reason = error.args[0][0]
    match = re.match(r"\[Errno (?P<number>\d+)\] (?P<text>[^:]+)", str(reason))
    if match is None:
        return str(reason)
    return failure_text(OSError(int(match["number"]), match["text"], target))


def _exceeded_limit(error: OSError) -> str:
    """Return the limit of the machine that was exceeded, in words; empty for other errors."""
    match error.errno:
        case errno.ENOSPC:
            return f"no space left on the disk{_full_disks()}"
        case errno.EDQUOT:
            return "this user's disk quota is used up"
        case errno.EFBIG:
            limit, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
            if limit == resource.RLIM_INFINITY:
                return f"a file would be larger than the disk allows{_full_disks()}"
            return f"a file would exceed {limit:,} bytes, the limit of this session (`ulimit -f`)"
        case _:
            return ""


def _full_disks() -> str:
    """Return the full disks among those that commands write to, as the end of a sentence."""
    full_folders = []
    for folder in (Path.cwd(), Path(tempfile.gettempdir())):
        with suppress(OSError):
            if shutil.disk_usage(folder).free < MIN_FREE_BYTES:
                full_folders.append(str(folder))
    if not full_folders:
        return ""
    distinct_folders = dict.fromkeys(full_folders)
    return f" of {' and of '.join(distinct_folders)}"


@contextmanager
def show_steps(task: str, total: int | None = None) -> Iterator[Callable[[object], None]]:
    """Show on a terminal how many steps of a task are done; print nothing into a pipe.

    Args:
        task: The name of the task, such as "reading bundles".
        total: The total number of steps; None if unknown.

    Yields:
        A function to call after each step; its argument is ignored.
    """
    with show_progress(task, total) as update:
        steps = count(1)

        def step(_: object) -> None:
            done = next(steps)
            update(done, None if total is None else max(done, total))

        yield step


@contextmanager
def show_progress(
    task: str, total: int | None = None
) -> Iterator[Callable[[int, int | None], None]]:
    """Show on a terminal the progress of a task and the time left; print nothing into a pipe.

    Args:
        task: The name of the task, such as "writing pages".
        total: The total number of steps; None if it only becomes known later.

    Yields:
        A function to call with the number of steps done and the total number of steps.
        Forked processes may call it too, but only the process that shows the progress reacts.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    is_hidden = not console.is_terminal or console.is_dumb_terminal
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    # No refresh thread is used, because pages are rendered in forked processes.
    with Progress(
        *columns, console=console, transient=True, auto_refresh=False, disable=is_hidden
    ) as bar:
        task_id = bar.add_task(task, total=total)
        owner = os.getpid()
        refreshed_at = -SECONDS_PER_REFRESH

        def update(done: int, total: int | None) -> None:
            nonlocal refreshed_at
            if os.getpid() != owner:
                return
            bar.update(task_id, completed=done, total=total)
            now = monotonic()
            if done == total or now - refreshed_at >= SECONDS_PER_REFRESH:
                bar.refresh()
                refreshed_at = now

        yield update


def count_bundles(folders: Iterable[Path]) -> int:
    """Return the number of bundles in results folders, benchmark folders and bundle folders."""
    total = 0
    for folder in folders:
        inside = [*folder.glob("submissions/*/"), *folder.glob("*/submissions/*/")]
        total += len(inside) or 1
    return total
