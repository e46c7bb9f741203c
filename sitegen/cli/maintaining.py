"""Commands for maintainers: start a leaderboard, lock its boards, and redact content."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from sitegen.cli.console import (
    count_bundles,
    day_or_today,
    print_lines,
    require_results,
    show_steps,
    today,
)
from sitegen.cli.options import Host, Kind, Protocol, ResultsOption, complete_addresses, parse_day
from sitegen.problems import UsageError, counted
from sitegen.problems.commands import display_path

FolderArgument = Annotated[
    Path,
    typer.Argument(metavar="DIR", help="The project's folder, which must be new or empty."),
]
BenchmarkOption = Annotated[
    str, typer.Option(help="Id of the first benchmark; by default, the folder's name.")
]
_FIRST_TRACK = "main"
"""The default id of the first track."""

TitleOption = Annotated[str, typer.Option(help="Title of the benchmark and the site.")]
TrackOption = Annotated[str, typer.Option(help="Id of the first track.")]
ProtocolOption = Annotated[
    Protocol, typer.Option(help="How the rounds of a task are run and scored.")
]
AttemptsOption = Annotated[
    int,
    typer.Option(
        min=1, max=1000, help="Independent attempts at each task; 4 with `--kind attempts`."
    ),
]
HostOption = Annotated[
    Host,
    typer.Option(help="Where the repository will be; the workflows for that host are included."),
]
KindOption = Annotated[
    Kind | None,
    typer.Option(
        help="The kind of benchmark; in a terminal, the command asks if you leave it out."
    ),
]


def init(
    folder: FolderArgument,
    benchmark: BenchmarkOption = "",
    title: TitleOption = "",
    track: TrackOption = _FIRST_TRACK,
    protocol: ProtocolOption = "chain",
    attempts: AttemptsOption = 1,
    host: HostOption = "github",
    kind: KindOption = None,
) -> None:
    """Start a leaderboard: a project that builds at once and is ready for results."""
    from sitegen.pipeline.starting import start
    from sitegen.publish.projects.new_project import Answers

    if kind is None and sys.stdin.isatty() and sys.stdout.isatty():
        kind = _ask_kind()
    answers = Answers(benchmark, title, track, protocol, attempts, host, kind)
    files = start(folder, answers)
    file_count = counted(len(files), "file")
    print_lines(f"{file_count} in {display_path(folder)}")
    for name in files:
        print_lines(f"  {name}")
    print_lines(*_next_steps(folder, files, track))


_KIND_TEXTS: Mapping[Kind, str] = {
    "one-shot": "one attempt per task (one-shot)",
    "attempts": "several attempts per task (attempts)",
    "multi-round": "several rounds per task (multi-round)",
    "table": "a table of scores (table)",
}


def _ask_kind() -> Kind:
    """Ask for the kind of benchmark at the terminal, and return it.

    Raises:
        UsageError: There is no such kind.
    """
    from sitegen.publish.projects.new_project import KINDS

    print_lines("What kind of results do you have?")
    for number, kind in enumerate(KINDS, start=1):
        print_lines(f"  {number}) {_KIND_TEXTS[kind]}")
    sys.stdout.flush()
    answer = typer.prompt("Number or name", default="multi-round")
    for number, kind in enumerate(KINDS, start=1):
        if answer in {str(number), kind}:
            return kind
    raise UsageError(f"`{answer}` is not a kind of results; choose one of {', '.join(KINDS)}")


def _next_steps(folder: Path, files: Sequence[str], track: str) -> Iterator[str]:
    """Yield the lines that list the next steps in a new project."""
    yield "Next:"
    if folder.resolve() != Path.cwd():
        yield f"  cd {quote(display_path(folder))}"
    (benchmark,) = [Path(name).parent.name for name in files if name.startswith("results/")]
    track_option = ""
    if track != _FIRST_TRACK:
        track_option = f" --track {track}"
    yield f"  sitegen import FORMAT SOURCE --benchmark {benchmark}{track_option}"
    yield "  sitegen validate"
    yield "  sitegen build"
    yield (
        "`make` and the workflows install the program from wheels/. "
        "To update, run the newer version's"
    )
    yield (
        "`sitegen init` in a new folder, and copy its wheels/ and requirements.txt into this "
        "folder."
    )


ReleaseDateArgument = Annotated[
    datetime | None,
    typer.Argument(
        metavar="DATE",
        parser=parse_day,
        help="The release's date, as YYYY-MM-DD; leave it out with --arrivals.",
    ),
]
ReleaseTitleOption = Annotated[str, typer.Option(help="The release's title.")]
ArrivalsOption = Annotated[
    bool, typer.Option("--arrivals", help="Only record which bundles arrived; lock nothing.")
]


def release(
    day: ReleaseDateArgument = None,
    title: ReleaseTitleOption = "",
    results: ResultsOption = Path("results"),
    *,
    arrivals: ArrivalsOption = False,
) -> None:
    """Lock all boards as they are: later changes to released results are reported as errors."""
    from sitegen.pipeline import releasing
    from sitegen.store.files.layout import ARRIVALS_FILE

    if (day is None) != arrivals:
        raise UsageError(
            "pass the DATE of the release, or --arrivals alone to record which bundles arrived"
        )
    count_before = releasing.count_arrivals(results)
    with show_steps("reading bundles", count_bundles([results])) as step:
        if day is None:
            path = releasing.record_arrivals(results, today(), step)
            count = releasing.count_arrivals(results)
            added = f"{counted(count - count_before, 'bundle')} added, {count} listed in all"
            print_lines(f"{display_path(path)}: {added}")
            return
        path, locked = releasing.lock_release(results, day.date(), title, today(), step)
    boards = 0
    rows = 0
    for benchmark in locked.benchmarks:
        for board in benchmark.boards:
            boards += 1
            rows += len(board.rows)
    contents = f"{counted(boards, 'board')}, {counted(rows, 'entry')}"
    print_lines(f"{display_path(path)}: {contents}, version {locked.program}")
    added_count = releasing.count_arrivals(results) - count_before
    if added_count:
        arrivals_path = display_path(path.parent.parent / ARRIVALS_FILE)
        print_lines(f"{arrivals_path}: {counted(added_count, 'bundle')} added; commit both files")


RedactedArgument = Annotated[
    str,
    typer.Argument(
        metavar="ADDRESS",
        autocompletion=complete_addresses,
        help="BENCHMARK/TRACK/SUBMISSION; add /TASK to remove only the texts of one task.",
    ),
]
RedactionReasonOption = Annotated[
    str, typer.Option(help="Why the content must be removed; readers of the site see it.")
]
DecidedByOption = Annotated[str, typer.Option(help="Who decided it.")]
RecordDateOption = Annotated[
    datetime | None,
    typer.Option(
        "--date",
        parser=parse_day,
        metavar="YYYY-MM-DD",
        help="The record's date; by default, today.",
    ),
]


def _redaction_address(address: str, results: Path) -> str:
    """Return the address to redact: BENCHMARK/SUBMISSION, followed by the task if one is given."""
    from sitegen.pipeline.addressing import complete_address, submission_folders

    require_results(results)
    complete = complete_address(address, results)
    for folder in submission_folders(results):
        if complete == folder.address or complete.startswith(f"{folder.address}/"):
            task = complete.removeprefix(folder.address)
            return f"{folder.benchmark}/{folder.submission}{task}"
    return complete


def redact(
    address: RedactedArgument,
    reason: RedactionReasonOption,
    by: DecidedByOption = "the maintainers",
    day: RecordDateOption = None,
    results: ResultsOption = Path("results"),
) -> None:
    """Remove content that must not be public, and record what was removed, by whom and why."""
    from sitegen.pipeline import redacting
    from sitegen.store.checks.dates import MAX_ZONE_LEAD

    decided_on = day_or_today(day)
    if decided_on > today() + MAX_ZONE_LEAD:
        raise UsageError(
            f"{decided_on} is in the future; pass the day on which the redaction was decided"
        )
    redaction = redacting.redact(
        _redaction_address(address, results), results, by, reason, decided_on
    )
    finding = redaction.finding
    files = counted(len(finding.digests or ()), "file")
    print_lines(
        f"{finding.title}: {files} removed or shortened, as recorded in findings.toml. "
        "Git's history still has them"
    )
    if redaction.copies:
        copies = ", ".join(redaction.copies)
        print_lines(f"{copies} has the same results: redact it, too, if it contains what must go")
