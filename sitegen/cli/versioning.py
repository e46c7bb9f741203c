"""The command that starts a new version of a track."""

from pathlib import Path
from typing import Annotated

import typer

from sitegen.cli.console import print_lines, print_note, require_results, today
from sitegen.cli.options import ResultsOption
from sitegen.problems import UsageError

NewTrackArgument = Annotated[
    str, typer.Argument(metavar="BENCHMARK/TRACK", help="The benchmark, and the new track's id.")
]
FromOption = Annotated[
    str, typer.Option("--from", metavar="TRACK", help="The track that the new one replaces.")
]
ChangedOption = Annotated[
    list[str] | None,
    typer.Option("--changed", metavar="TASK", help="A task that changed; may be repeated."),
]
TaskFileOption = Annotated[
    Path | None,
    typer.Option(
        "--tasks",
        metavar="FILE",
        help="Definitions of changed and new tasks, one per line, as in tasks/TASKSET.jsonl.",
    ),
]
CarryOption = Annotated[
    bool, typer.Option("--carry", help="Carry over the results of tasks that did not change.")
]
TrackAttemptsOption = Annotated[
    int | None,
    typer.Option(
        "--attempts",
        min=1,
        help="Attempts per task on the new track; by default, those of the old one.",
    ),
]
TitleOption = Annotated[
    str, typer.Option(help="The new track's title; by default, the old title and the new id.")
]
ReasonOption = Annotated[str, typer.Option(help="Why the earlier track became legacy.")]


def new_track(
    target: NewTrackArgument,
    earlier: FromOption,
    changed: ChangedOption = None,
    tasks: TaskFileOption = None,
    attempts: TrackAttemptsOption = None,
    title: TitleOption = "",
    reason: ReasonOption = "",
    results: ResultsOption = Path("results"),
    *,
    carry: CarryOption = False,
) -> None:
    """Start a new version of a track: same metrics and protocol, different tasks or attempts."""
    from sitegen.pipeline.versioning import VersionRequest, begin_version, describe_version

    require_results(results)
    benchmark, slash, track = target.strip("/").partition("/")
    if not slash or not track:
        raise UsageError(f"write the new track as BENCHMARK/TRACK, not {target}")
    request = VersionRequest(
        benchmark,
        track,
        earlier,
        tuple(changed or ()),
        tasks,
        has_carried=carry,
        attempts=attempts,
        title=title,
        reason=reason,
    )
    version = begin_version(request, results, today())
    print_note(*version.notes)
    print_lines(*describe_version(version, benchmark, results))
