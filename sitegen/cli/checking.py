"""The command that lists the problems in results."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sitegen.cli.console import (
    count_bundles,
    display_location,
    note_if_ahead,
    print_lines,
    print_note,
    print_report,
    require_results,
    show_steps,
    today,
)
from sitegen.cli.options import AuthorOption, PathsArgument, ResultsOption
from sitegen.cli.problem_report import ProblemFormat, failures_as_json, write_report
from sitegen.problems import Problem, Statement, errors_of
from sitegen.problems.commands import display_path
from sitegen.reading.collector import collector_off

if TYPE_CHECKING:
    from sitegen.pipeline.evaluating import Evaluation
    from sitegen.pipeline.repairing import Repairs
    from sitegen.publish.results.repairs import Repair

FormOption = Annotated[ProblemFormat, typer.Option("--format", help="How to print the problems.")]
FixOption = Annotated[
    bool,
    typer.Option("--fix", help="First fix what can be fixed automatically, and list the fixes."),
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
    bool, typer.Option("--notes", help="Also show every note; notes need no action.")
]


@collector_off()  # the program ends with the command
def validate(
    paths: PathsArgument = None,
    form: FormOption = "text",
    *,
    fix: FixOption = False,
    base: BaseOption = None,
    author: AuthorOption = None,
    notes: NotesOption = False,
    results: ResultsOption = Path("results"),
) -> None:
    """Check results as a build does, and list every problem with its file, line and fix."""
    from sitegen.pipeline.repairing import count_mendable

    with failures_as_json(form):
        scopes = [_repair_scope(path, base) for path in existing_paths(paths, results)]
        evaluations = _repair_and_evaluate(scopes) if fix else _evaluate_all(scopes)
        problems: list[Problem] = []
        for evaluation in evaluations:
            problems += evaluation.problems()
        requests: list[Statement] = []
        others: list[Problem] = []
        if base is not None:
            check = _check_histories(scopes, evaluations, base, author, problems)
            problems, requests = check.problems, check.requests
            if form != "json":
                problems, others = check.own_and_others()
        mendable = 0
        if not fix:
            for scope in scopes:
                mendable += count_mendable(scope, problems)
    text = write_report(problems, form, mendable, requests, others=others, all_notes=notes)
    if form == "text":
        print_report(*text.split("\n"))
    else:
        print_lines(*text.split("\n"))
    if errors_of(problems):
        raise typer.Exit(1)


def existing_paths(texts: Sequence[str] | None, results: Path) -> Sequence[Path]:
    """Return the folders at the paths and addresses that the user gave.

    Args:
        texts: The paths and addresses as given; if there are none, the results folder is used.
        results: The results folder, in which addresses are looked up.

    Raises:
        UsageError: A path or an address does not exist.
    """
    from sitegen.pipeline.addressing import folder_named

    if not texts:
        require_results(results)
        return [results]
    return [folder_named(text, results) for text in texts]


def _repair_scope(path: Path, base: str | None) -> "Repairs":
    """Return what may be repaired at a path, excluding bundles that exist in an earlier state."""
    from sitegen.pipeline.evaluating import results_of
    from sitegen.pipeline.repairing import Repairs, repairs_since

    if base is None:
        return Repairs(path, today())
    return repairs_since(base, path, Path(display_path(results_of(path))), today())


def _evaluate_all(
    scopes: "Sequence[Repairs]", *, has_embargoed: bool = False
) -> "list[Evaluation]":
    from sitegen.pipeline.evaluating import evaluate, evaluate_with_embargoed

    total = count_bundles(scope.path for scope in scopes)
    with show_steps("reading bundles", total) as step:
        evaluations = []
        for scope in scopes:
            if has_embargoed:
                evaluation = evaluate_with_embargoed(scope.path, scope.day, step)
            else:
                evaluation = evaluate(scope.path, scope.day, step, scope.published)
            evaluations.append(evaluation)
        return evaluations


def evaluate_paths(
    paths: Sequence[str] | None, results: Path, *, has_embargoed: bool = False
) -> "list[Evaluation]":
    """Return the evaluation of each path that the user gave, with scores and problems.

    Args:
        paths: The paths and addresses as given; if there are none, the results folder is used.
        results: The results folder.
        has_embargoed: Whether to include submissions under embargo as if their embargo had ended.
    """
    scopes = [_repair_scope(path, None) for path in existing_paths(paths, results)]
    return _evaluate_all(scopes, has_embargoed=has_embargoed)


def _repair_and_evaluate(scopes: "Sequence[Repairs]") -> "list[Evaluation]":
    """Repair and evaluate results; print the repairs to standard error, apart from the report."""
    from sitegen.pipeline.repairing import declined, repair

    done: list[Repair] = []
    try:
        with show_steps("reading bundles") as step:
            evaluations = [repair(scope, done.append, step) for scope in scopes]
    finally:
        for made_repair in done:
            location = display_location(made_repair.path, made_repair.line)
            print_note(f"{location}: {made_repair.description}")
    for scope, results in zip(scopes, evaluations, strict=True):
        for reason in declined(scope, results.problems()):
            print_note(reason)
    return evaluations


@dataclass(frozen=True, slots=True)
class _HistoryReport:
    """The outcome of comparing results folders with an earlier state."""

    problems: list[Problem]
    """All problems, including problems with published results."""
    requests: list[Statement]
    """A statement on the kind of change made to each results folder."""
    own_paths: list[Path] | None
    """Paths changed by a request with a new submission; None if the change is of another kind."""

    def own_and_others(self) -> tuple[list[Problem], list[Problem]]:
        """Return the problems with changed files, then warnings and notes on other files."""
        from sitegen.pipeline.evaluating import is_below

        if self.own_paths is None:
            return self.problems, []
        own: list[Problem] = []
        others: list[Problem] = []
        for problem in self.problems:
            concerns_change = problem.is_error or is_below(problem.path, self.own_paths)
            (own if concerns_change else others).append(problem)
        return own, others


def _check_histories(
    scopes: "Sequence[Repairs]",
    evaluations: "Sequence[Evaluation]",
    base: str,
    author: str | None,
    own_problems: Sequence[Problem],
) -> _HistoryReport:
    """Compare results with an earlier state, and return the report of the comparison."""
    from sitegen.pipeline.evaluating import has_results

    # Most checks do not look at another state, and need not wait for this import.
    from sitegen.pipeline.releasing import check_history
    from sitegen.store.compare.history import without_repeats

    problems: list[Problem] = []
    requests: list[Statement] = []
    own_paths: list[Path] | None = []
    is_base_complete = True
    for scope, results in zip(scopes, evaluations, strict=True):
        folder = Path(display_path(results.results.path))
        history = check_history(results, scope.path, base, folder, today(), author)
        problems += history.problems
        if history.request:
            requests.append(history.request)
        if history.own_paths is None or own_paths is None:
            own_paths = None
        else:
            own_paths += history.own_paths
            own_paths += [problem.path for problem in history.problems]
        if not has_results(base, folder):
            is_base_complete = False
    note_if_ahead(base)
    if not is_base_complete:
        print_note(f"{base} has no results, so everything here counts as new")
    all_problems = without_repeats(own_problems, problems) + problems
    return _HistoryReport(all_problems, requests, own_paths)
