"""The command that lists what is wrong with results."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from sitegen.cli.console import (
    display_location,
    display_path,
    note_if_ahead,
    print_lines,
    print_note,
    show_steps,
    today,
)
from sitegen.cli.options import PathsArgument
from sitegen.cli.problem_report import ProblemFormat, failures_as_json, report
from sitegen.pipeline.evaluating import Evaluation, collector_off, evaluate, has_results, results_of
from sitegen.pipeline.repairing import Repairs, count_mendable, declined, published_at, repair
from sitegen.problems import Problem, Statement, UsageError, errors_of
from sitegen.publish.repairs import Repair

FormOption = Annotated[ProblemFormat, typer.Option("--format", help="How to print the problems.")]
FixOption = Annotated[
    bool, typer.Option("--fix", help="First mend what is mechanical, in place, and tell what.")
]
BaseOption = Annotated[
    str | None, typer.Option("--base", help="Also tell what published results lost since then.")
]
NotesOption = Annotated[
    bool, typer.Option("--notes", help="Show every note, too: facts that need no action.")
]


@collector_off()  # the program ends with the command
def validate(
    paths: PathsArgument = None,
    form: FormOption = "text",
    *,
    fix: FixOption = False,
    base: BaseOption = None,
    notes: NotesOption = False,
) -> None:
    """Check results exactly as a build will: list every problem with file, line and fix."""
    with failures_as_json(form):
        scopes = [_repair_scope(path, base) for path in existing_paths(paths)]
        judged = _repair_and_judge(scopes) if fix else _judge_all(scopes)
        problems: list[Problem] = []
        for results in judged:
            problems += results.problems()
        requests: list[Statement] = []
        if base is not None:
            problems, requests = _check_histories(scopes, judged, base, problems)
        mendable = 0
        if not fix:
            for scope in scopes:
                mendable += count_mendable(scope, problems)
    text = report(problems, form, mendable, requests, all_notes=notes)
    print_lines(*text.split("\n"))
    if errors_of(problems):
        raise typer.Exit(1)


def existing_paths(paths: Sequence[Path] | None) -> Sequence[Path]:
    """Return the paths that a command is about; the results folder where none is named.

    Raises:
        UsageError: A path does not exist.
    """
    named_paths = paths or [Path("results")]
    for path in named_paths:
        if not path.exists():
            raise UsageError(
                f"{path} does not exist; name a results folder, a benchmark or a bundle"
            )
    return named_paths


def _repair_scope(path: Path, base: str | None) -> Repairs:
    """Return what may be repaired at a path: not the bundles that an earlier state has."""
    if base is None:
        return Repairs(path, today())
    published = published_at(base, Path(display_path(results_of(path))))
    return Repairs(path, today(), published)


def _judge_all(scopes: Sequence[Repairs]) -> list[Evaluation]:
    with show_steps("reading bundles") as step:
        return [evaluate(scope.path, scope.day, step, scope.published) for scope in scopes]


def judge_paths(paths: Sequence[Path] | None) -> list[Evaluation]:
    """Return the results at each path that a command is about, with their scores and problems."""
    scopes = [_repair_scope(path, None) for path in existing_paths(paths)]
    return _judge_all(scopes)


def _repair_and_judge(scopes: Sequence[Repairs]) -> list[Evaluation]:
    """Repair results and judge them; print the repairs to standard error, apart from the report."""
    done: list[Repair] = []
    try:
        with show_steps("reading bundles") as step:
            judged = [repair(scope, done.append, step) for scope in scopes]
    finally:
        for made_repair in done:
            location = display_location(made_repair.path, made_repair.line)
            print_note(f"{location}: {made_repair.description}")
    for scope, results in zip(scopes, judged, strict=True):
        for reason in declined(scope, results.problems()):
            print_note(reason)
    return judged


def _check_histories(
    scopes: Sequence[Repairs],
    judged: Sequence[Evaluation],
    base: str,
    own_problems: Sequence[Problem],
) -> tuple[list[Problem], list[Statement]]:
    """Compare results with an earlier state.

    Returns:
        All problems, those of published results among them, and what kind of change each results
        folder is.
    """
    # Most checks look at no other state, and need not wait for this import.
    from sitegen.pipeline.releasing import check_history  # noqa: PLC0415 - see above
    from sitegen.store.history import without_repeats  # noqa: PLC0415 - see above

    problems: list[Problem] = []
    requests: list[Statement] = []
    is_base_complete = True
    for scope, results in zip(scopes, judged, strict=True):
        folder = Path(display_path(results.results.path))
        history = check_history(results, scope.path, base, folder, today())
        problems += history.problems
        if history.request:
            requests.append(history.request)
        if not has_results(base, folder):
            is_base_complete = False
    note_if_ahead(base)
    if not is_base_complete:
        print_note(
            f"{base} has no results: it is taken for the state before the first ones, "
            "and all is new"
        )
    return without_repeats(own_problems, problems) + problems, requests
