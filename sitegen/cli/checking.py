"""The command that lists what is wrong with results."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sitegen.cli.console import (
    count_bundles,
    display_location,
    display_path,
    note_if_ahead,
    print_lines,
    print_note,
    print_report,
    require_results,
    show_steps,
    today,
)
from sitegen.cli.options import PathsArgument, ResultsOption
from sitegen.cli.problem_report import ProblemFormat, failures_as_json, report
from sitegen.problems import Problem, Statement, errors_of
from sitegen.reading.collector import collector_off

if TYPE_CHECKING:
    from sitegen.pipeline.evaluating import Evaluation
    from sitegen.pipeline.repairing import Repairs
    from sitegen.publish.repairs import Repair

FormOption = Annotated[ProblemFormat, typer.Option("--format", help="How to print the problems.")]
FixOption = Annotated[
    bool, typer.Option("--fix", help="First repair what needs no decision, and list the repairs.")
]
BaseOption = Annotated[
    str | None,
    typer.Option(
        "--base",
        metavar="REV",
        help="Compare with this git revision or folder: removing or editing published results "
        "is an error.",
    ),
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
    results: ResultsOption = Path("results"),
) -> None:
    """Check results exactly as a build will: list every problem with file, line and fix."""
    from sitegen.pipeline.repairing import count_mendable

    with failures_as_json(form):
        scopes = [_repair_scope(path, base) for path in existing_paths(paths, results)]
        judged = _repair_and_judge(scopes) if fix else _judge_all(scopes)
        problems: list[Problem] = []
        for evaluation in judged:
            problems += evaluation.problems()
        requests: list[Statement] = []
        if base is not None:
            problems, requests = _check_histories(scopes, judged, base, problems)
        mendable = 0
        if not fix:
            for scope in scopes:
                mendable += count_mendable(scope, problems)
    text = report(problems, form, mendable, requests, all_notes=notes)
    if form == "text":
        print_report(*text.split("\n"))
    else:
        print_lines(*text.split("\n"))
    if errors_of(problems):
        raise typer.Exit(1)


def existing_paths(texts: Sequence[str] | None, results: Path) -> Sequence[Path]:
    """Return the folders at the paths and addresses that a command is about.

    Args:
        texts: What the person wrote; without any, the results folder is meant.
        results: The results folder, in which addresses lie.

    Raises:
        UsageError: A path or an address does not exist.
    """
    from sitegen.pipeline.addressing import folder_named

    if not texts:
        require_results(results)
        return [results]
    return [folder_named(text, results) for text in texts]


def _repair_scope(path: Path, base: str | None) -> "Repairs":
    """Return what may be repaired at a path: not the bundles that an earlier state has."""
    from sitegen.pipeline.evaluating import results_of
    from sitegen.pipeline.repairing import Repairs, published_at

    if base is None:
        return Repairs(path, today())
    published = published_at(base, Path(display_path(results_of(path))))
    return Repairs(path, today(), published)


def _judge_all(scopes: "Sequence[Repairs]") -> "list[Evaluation]":
    from sitegen.pipeline.evaluating import evaluate

    total = count_bundles(scope.path for scope in scopes)
    with show_steps("reading bundles", total) as step:
        return [evaluate(scope.path, scope.day, step, scope.published) for scope in scopes]


def judge_paths(paths: Sequence[str] | None, results: Path) -> "list[Evaluation]":
    """Return the results at each path that a command is about, with their scores and problems."""
    scopes = [_repair_scope(path, None) for path in existing_paths(paths, results)]
    return _judge_all(scopes)


def _repair_and_judge(scopes: "Sequence[Repairs]") -> "list[Evaluation]":
    """Repair results and judge them; print the repairs to standard error, apart from the report."""
    from sitegen.pipeline.repairing import declined, repair

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
    scopes: "Sequence[Repairs]",
    judged: "Sequence[Evaluation]",
    base: str,
    own_problems: Sequence[Problem],
) -> tuple[list[Problem], list[Statement]]:
    """Compare results with an earlier state.

    Returns:
        All problems, those of published results among them, and what kind of change each results
        folder is.
    """
    from sitegen.pipeline.evaluating import has_results

    # Most checks look at no other state, and need not wait for this import.
    from sitegen.pipeline.releasing import check_history
    from sitegen.store.history import without_repeats

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
