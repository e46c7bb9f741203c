"""Commands of maintainers: begin a leaderboard, lock its boards, and redact content."""

import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from sitegen.cli.console import day_or_today, display_path, print_lines, show_steps, today
from sitegen.cli.options import ResultsOption
from sitegen.models.benchmark import Protocol
from sitegen.pipeline import redacting, releasing
from sitegen.pipeline.starting import start
from sitegen.problems import UsageError, counted
from sitegen.publish.project import KINDS, Answers, Host, Kind
from sitegen.store.provenance import MAX_ZONE_LEAD

FolderArgument = Annotated[
    Path,
    typer.Argument(metavar="DIR", help="The project's folder: a new one, or an empty one."),
]
BenchmarkOption = Annotated[
    str, typer.Option(help="Id of its first benchmark; else the folder's name.")
]
TitleOption = Annotated[str, typer.Option(help="What benchmark and site are called.")]
TrackOption = Annotated[str, typer.Option(help="Id of the first track.")]
ProtocolOption = Annotated[Protocol, typer.Option(help="How rounds follow each other on it.")]
AttemptsOption = Annotated[
    int,
    typer.Option(min=1, max=1000, help="Independent tries at each task; kind attempts has 4."),
]
HostOption = Annotated[
    Host,
    typer.Option(
        help="Where its repository is to stand; what judges and publishes there comes with it."
    ),
]
KindOption = Annotated[
    Kind | None, typer.Option(help="What the benchmark is; asked for on a terminal.")
]


def init(
    folder: FolderArgument,
    benchmark: BenchmarkOption = "",
    title: TitleOption = "",
    track: TrackOption = "main",
    protocol: ProtocolOption = "chain",
    attempts: AttemptsOption = 1,
    host: HostOption = "github",
    kind: KindOption = None,
) -> None:
    """Begin a leaderboard: a project that builds at once, and waits for results."""
    if kind is None and sys.stdin.isatty() and sys.stdout.isatty():
        kind = _ask_kind()
    answers = Answers(benchmark, title, track, protocol, attempts, host, kind)
    files = start(folder, answers)
    file_count = counted(len(files), "file")
    print_lines(f"{file_count} in {display_path(folder)}")
    for name in files:
        print_lines(f"  {name}")
    print_lines(*_next_steps(folder, files, track))


def _ask_kind() -> Kind:
    """Return the kind of benchmark that the person at the terminal names.

    Raises:
        UsageError: There is no such kind.
    """
    names = ", ".join(KINDS)
    answer = typer.prompt(f"What is the benchmark: {names}?", default="multi-round")
    for kind in KINDS:
        if kind == answer:
            return kind
    raise UsageError(f"a benchmark is one of {names}, and this is `{answer}`")


def _next_steps(folder: Path, files: Sequence[str], track: str) -> Iterator[str]:
    """Yield what to do with a new project."""
    yield "Next:"
    if folder.resolve() != Path.cwd():
        yield f"  cd {quote(display_path(folder))}"
    (benchmark,) = [Path(name).parent.name for name in files if name.startswith("results/")]
    yield f"  sitegen import FORMAT SOURCE --benchmark {benchmark} --track {track}"
    yield "  sitegen validate"
    yield "  sitegen build"
    yield (
        "`make` and the workflows install the program from wheels/. "
        "To take a newer one, run its `sitegen init`"
    )
    yield (
        "in a new folder, and put the wheels/ and the requirements.txt "
        "that it writes there in the place of these."
    )


ReleaseDateArgument = Annotated[
    datetime | None,
    typer.Argument(metavar="DATE", formats=["%Y-%m-%d"], help="The release's date."),
]
ReleaseTitleOption = Annotated[str, typer.Option(help="What it is called.")]
ArrivalsOption = Annotated[
    bool, typer.Option("--arrivals", help="Only record which bundles arrived, and lock none.")
]


def release(
    day: ReleaseDateArgument = None,
    title: ReleaseTitleOption = "",
    results: ResultsOption = Path("results"),
    *,
    arrivals: ArrivalsOption = False,
) -> None:
    """Lock all boards as they are: the results that they come from can't change any more without a
    word.
    """  # noqa: D205 - this sentence is the help
    if (day is None) != arrivals:
        raise UsageError(
            "name the release's DATE, or record with --arrivals alone which bundles arrived"
        )
    with show_steps("reading bundles") as step:
        if day is None:
            path = releasing.record_arrivals(results, today(), step)
            print_lines(f"{display_path(path)}: every bundle has its line")
            return
        path, locked = releasing.lock_release(results, day.date(), title, today(), step)
    boards = 0
    rows = 0
    for benchmark in locked.benchmarks:
        for board in benchmark.boards:
            boards += 1
            rows += len(board.rows)
    contents = f"{counted(boards, 'board')}, {counted(rows, 'row')}"
    print_lines(f"{display_path(path)}: {contents}, version {locked.program}")


RedactedArgument = Annotated[
    str,
    typer.Argument(help="BENCHMARK/SUBMISSION, or that and /TASK for a task's texts alone."),
]
RedactionReasonOption = Annotated[
    str, typer.Option(help="Why it must leave; readers of the site see it.")
]
DecidedByOption = Annotated[str, typer.Option(help="Who decides it.")]
RecordDateOption = Annotated[
    datetime | None,
    typer.Option("--date", formats=["%Y-%m-%d"], help="The record's date; else today."),
]


def redact(
    address: RedactedArgument,
    reason: RedactionReasonOption,
    by: DecidedByOption = "the maintainers",
    day: RecordDateOption = None,
    results: ResultsOption = Path("results"),
) -> None:
    """Remove content that must not stay, and keep a record of it: who, when, why, and what was
    there.
    """  # noqa: D205 - this sentence is the help
    decided_on = day_or_today(day)
    if decided_on > today() + MAX_ZONE_LEAD:
        raise UsageError(
            f"{decided_on} lies ahead; a redaction is dated the day on which it is decided"
        )
    finding = redacting.redact(address, results, by, reason, decided_on)
    files = counted(len(finding.digests or ()), "file")
    print_lines(
        f"{finding.title}: {files} removed or shortened, as findings.toml says. "
        "Git's history still has them"
    )
