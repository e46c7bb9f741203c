"""Compare two states of a results folder."""

from contextlib import ExitStack
from dataclasses import replace
from datetime import date
from pathlib import Path

from sitegen.board.history.changes import board_changes
from sitegen.board.history.changes_report import Changes
from sitegen.pipeline.evaluating import Evaluation, evaluate, move_problems, problem_key, state_of
from sitegen.pipeline.releasing import first_line, new_release_problems
from sitegen.pipeline.submissions import all_bundles
from sitegen.problems import Problem, errors_of
from sitegen.store.compare.authors import RequestAuthor
from sitegen.store.compare.changed_parts import read_request
from sitegen.store.compare.history import history_problems


def compare(
    base: str, head: str, results: Path, day: date, account: str | None = None
) -> tuple[Changes, Evaluation]:
    """Return the changes between two states of a results folder, and the evaluated later state.

    Args:
        base: The earlier state, named as in `state_of`.
        head: The later state: a results folder or a git revision.
        results: The path of the results folder in a revision, relative to the working directory.
        day: The current day, on which waivers must hold.
        account: The account that opened the request; if None, the commits' authors are compared.

    Raises:
        UsageError: A state is neither a folder nor a revision, or the revision has no such folder.
    """
    with ExitStack() as states:
        earlier = evaluate(states.enter_context(state_of(base, results)), day)
        published = [bundle.path for _, bundle in all_bundles(earlier.results)]
        later = evaluate(states.enter_context(state_of(head, results)), day, published=published)
        earlier_folder = earlier.results.path
        later_folder = later.results.path
        author = RequestAuthor.of_request(
            account, base, Path(head) if Path(head).is_dir() else results
        )
        request = read_request(earlier_folder, later_folder, author)
        known_days = [release.date for release in earlier.results.releases]

        before = _relative_problems(earlier)
        after = _relative_problems(later)
        history = list(history_problems(earlier_folder, later_folder, request))
        # The states may be far apart, so boards may have changed since a release was locked.
        releases_since = new_release_problems(later, known_days, day)
        for problem in releases_since:
            history.append(replace(problem, severity="warning"))
        new_problems = move_problems(history, later_folder, Path())
        remaining_problems = []
        for key, problem in after.items():
            if key in before:
                remaining_problems.append(problem)
            else:
                new_problems.append(problem)
        fixed_problems = [problem for key, problem in before.items() if key not in after]

        boards = board_changes(list(earlier.all_boards()), list(later.all_boards()))
        releases = [item for item in later.results.releases if item.date not in known_days]
        remaining_errors = errors_of(remaining_problems)
        new_errors = errors_of(new_problems)
        changes = Changes(
            boards=boards,
            new=new_problems,
            gone=fixed_problems,
            releases=releases,
            remaining_errors=len(remaining_errors),
            request=first_line(later, request, has_errors=bool(remaining_errors or new_errors)),
            embargoed=_new_embargoed(earlier, later),
        )
        return changes, later


def _new_embargoed(earlier: Evaluation, later: Evaluation) -> list[tuple[str, date]]:
    """Return the embargoed submissions that are only in the later state, with their end dates."""
    known = set()
    for results, bundle in all_bundles(earlier.results):
        known.add((results.benchmark.id, bundle.id))
    embargoed = []
    for results in later.results.benchmarks:
        for bundle in results.embargoed:
            day = bundle.submission.embargo
            if day and (results.benchmark.id, bundle.id) not in known:
                address = f"{results.benchmark.id}/{bundle.submission.track}/{bundle.id}"
                embargoed.append((address, day))
    return embargoed


def _relative_problems(evaluation: Evaluation) -> dict[tuple[str, Path, str], Problem]:
    """Return every problem by its key, with paths relative to the results folder."""
    problems = {}
    for problem in evaluation.problems():
        relative = problem.moved(evaluation.results.path, Path())
        problems[problem_key(relative)] = relative
    return problems
