"""The command that says what is wrong with results."""

from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from sitegen.cli.console import (
    note_what_is_ahead,
    progress,
    say,
    say_note,
    shown_path,
    shown_place,
    today,
)
from sitegen.cli.problem_report import ProblemFormat, failures_told, report
from sitegen.pipeline.judging import Judged, collector_off, has_results, judge, results_of
from sitegen.pipeline.repairing import Repairs, count_mendable, declined, published_at, repair
from sitegen.problems import Statement, UsageError, errors_of
from sitegen.publish.repairs import Repair

PathsArgument = Annotated[
    list[Path] | None, typer.Argument(help="Results folders, benchmarks or bundles.")
]

_DEFAULT = [Path("results")]


@collector_off()  # the program ends with it
def validate(
    paths: PathsArgument = None,
    form: Annotated[
        ProblemFormat, typer.Option("--format", help="How to print the problems.")
    ] = "text",
    *,
    fix: Annotated[
        bool, typer.Option("--fix", help="First mend what is mechanical, in place, and tell what.")
    ] = False,
    base: Annotated[
        str | None, typer.Option("--base", help="Also tell what published results lost since then.")
    ] = None,
) -> None:
    """Check results exactly as a build will: list every problem with file, line and fix."""
    with failures_told(form):
        there = _there(paths)
        published = (
            published_at(base, Path(shown_path(results_of(path)))) if base is not None else ()
            for path in there
        )
        repairs = [
            Repairs(path, today(), kept) for path, kept in zip(there, published, strict=True)
        ]
        judged = _repaired(repairs) if fix else _judged(repairs)
        requests: list[Statement] = []
        problems = tuple(chain.from_iterable(map(Judged.problems, judged)))
        if base is not None:
            from sitegen.pipeline.releasing import check_history  # noqa: PLC0415 - most checks look at no other state

            for path, each in zip(there, judged, strict=True):
                history = check_history(
                    each, path, base, Path(shown_path(each.results.path)), today()
                )
                problems += tuple(history.problems)
                requests += [history.request] if history.request else []
            note_what_is_ahead(base)
            if not all(has_results(base, Path(shown_path(each.results.path))) for each in judged):
                say_note(
                    f"{base} has no results: it is taken for the state before the first ones, and all is new"
                )
        mendable = 0 if fix else sum(count_mendable(each, problems) for each in repairs)
    say(*report(problems, form, mendable, requests).split("\n"))
    if errors_of(problems):
        raise typer.Exit(1)


def _judged(asked: list[Repairs]) -> list[Judged]:
    with progress("reading bundles") as steps:
        return [judge(each.path, each.day, steps, each.published) for each in asked]


def judged_at(paths: list[Path] | None) -> list[Judged]:
    """Judge what a command is about."""
    return _judged([Repairs(path, today()) for path in _there(paths)])


def _repaired(repairs: list[Repairs]) -> list[Judged]:
    """Repair results and judge them; what was done goes to standard error, where it disturbs no report."""
    done: list[Repair] = []
    try:
        with progress("reading bundles") as steps:
            judged = [repair(each, done.append, steps) for each in repairs]
    finally:
        for each in done:
            say_note(f"{shown_place(each.path, each.line)}: {each.done}")
    for asked, found in zip(repairs, judged, strict=True):
        for told in declined(asked, found.problems()):
            say_note(told)
    return judged


def _there(paths: list[Path] | None) -> list[Path]:
    """Give the paths that a command is about, which all are there."""
    for path in paths or _DEFAULT:
        if not path.exists():
            raise UsageError(
                f"{path} does not exist; name a results folder, a benchmark or a bundle"
            )
    return paths or _DEFAULT
