"""Prepare a submission: check results with the published ones, and write a pull request."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal, InvalidOperation
from itertools import product
from pathlib import Path

from sitegen.board import BoardEntry, Entry
from sitegen.board.claims import claim_difference
from sitegen.board.history.changes_report import Changes
from sitegen.board.history.proposal import pull_request
from sitegen.models.incoming import Brought, Incoming
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.models.revisions import adds_missing_tasks
from sitegen.models.submission import Claims, Submitter
from sitegen.pipeline.comparing import compare
from sitegen.pipeline.correcting import is_one_line
from sitegen.pipeline.evaluating import Evaluation, is_below, move_problems
from sitegen.pipeline.importing import apply_import
from sitegen.problems import Problem, ProblemsError, UsageError, agreeing, counted, errors_of
from sitegen.problems.commands import results_option
from sitegen.publish.machine.transaction import Transaction, scratch_folder, scratch_home
from sitegen.publish.results.branches import Repository
from sitegen.store.compare.authors import DEFAULT_HOST
from sitegen.store.files.layout import SUBMISSIONS_FOLDER

_ACCOUNT = re.compile(r"(?:(?P<host>[A-Za-z0-9.-]+):)?@?(?P<name>[\w-][\w.-]*)")


@dataclass(frozen=True, slots=True)
class Proposal:
    """Results that are ready to be submitted."""

    incoming: Incoming
    brought: Brought
    files: Mapping[str, bytes]
    """The contents of new and changed files, by path relative to the results folder."""
    title: str
    text: Sequence[str]
    """The lines of the pull request's text, in Markdown."""
    warnings: Sequence[Problem]
    notes: Sequence[str] = ()
    """Sentences to show to the submitter."""

    @property
    def branch(self) -> str:
        """The name of the branch for the proposal."""
        names = self.brought.new or (self.brought.folder.name,)
        if len(names) == 1:
            return f"submit-{names[0]}"
        return f"submit-{names[0]}-and-{len(names) - 1}-more"


def claims_of(pairs: Sequence[str]) -> Claims | None:
    """Return the submitter's claims, given as METRIC=VALUE; None if there are none.

    Raises:
        UsageError: A claim has another form.
    """
    values: dict[str, Decimal] = {}
    for pair in pairs:
        metric, _, value = pair.partition("=")
        try:
            values[metric.strip()] = Decimal(value.strip())
        except InvalidOperation:
            raise UsageError(
                f"--claim needs METRIC=VALUE, such as dataset_score=50.0, not `{pair}`"
            ) from None
    if not values:
        return None
    return Claims(**values)


def _with_claims(incoming: Incoming, claims: Claims) -> tuple[Incoming, list[str]]:
    """Add the submitter's claims to those of the runs.

    Returns:
        The results, and a note for each claim of the runs that was replaced.

    Raises:
        UsageError: The results are of several agents.
    """
    if len(incoming.drafts) > 1:
        raise UsageError(
            "claims are about one agent, but the runs are by several; choose one with --model"
        )
    (draft,) = incoming.drafts
    source_claims = draft.submission.claims or Claims()
    notes = []
    for metric, value in claims.values.items():
        source_value = source_claims.values.get(metric, value)
        if source_value != value:
            replaced = f"{source_value}, from {source_claims.source}"
            notes.append(f"your claim of {metric}, {value}, replaces {replaced}")
    values = {**source_claims.values, **claims.values}
    if len(values) > len(claims.values):
        source = f"{source_claims.source}; {', '.join(claims.values)}: the submitter"
        claims = Claims(source=source, tasks=source_claims.tasks, **values)
    submission = draft.submission.model_copy(update={"claims": claims})
    draft = replace(draft, submission=submission)
    return replace(incoming, drafts=(draft,)), notes


def propose(incoming: Incoming, claims: Claims | None, results: Path, day: date) -> Proposal:
    """Add results to a copy of a results folder, and check them there like a pull request.

    Raises:
        ProblemsError: The results have errors, or would cause errors in the results folder.
        UsageError: Everything is already published, or claims are made for several agents.
    """
    notes: list[str] = []
    if claims:
        incoming, notes = _with_claims(incoming, claims)
    folder = results.resolve()
    with scratch_folder(scratch_home(folder)) as scratch:
        copy = Transaction(folder, scratch).preview_copy((".",))
        try:
            brought = apply_import(incoming, copy)
        except ProblemsError as error:
            raise ProblemsError(move_problems(error.problems, copy, results)) from error
        changes, later = compare(str(folder), str(copy), results, day)
        rows = _new_rows(changes, later)
        all_problems = [*later.problems()]
        for problem in changes.new:
            all_problems.append(replace(problem, path=copy / problem.path))
        for _, entry in rows:
            all_problems += _disputed_claims(entry, claims)
        benchmark = brought.folder.relative_to(copy)
        _refuse_missing_tasks(later, benchmark.name, brought.new, results)
        moved = move_problems(all_problems, copy, results)
        warnings = _own_problems(moved, results / benchmark / SUBMISSIONS_FOLDER, brought.new)
        if errors_of(warnings):
            raise ProblemsError(warnings)
        if not rows and not changes.embargoed:
            raise UsageError(
                f"{', '.join(brought.unchanged)} already exists, with the same results"
            )
        title = _title_of(incoming, rows, str(benchmark))
        files = _changed_files(brought, copy)
        return Proposal(
            incoming=incoming,
            brought=replace(brought, folder=results / benchmark),
            files=files,
            title=title,
            text=[
                *_new_track_lines(changes),
                *pull_request(changes, rows),
                *_embargo_lines(changes),
            ],
            warnings=warnings,
            notes=notes,
        )


def _refuse_missing_tasks(
    later: Evaluation, benchmark: str, new_bundles: Sequence[str], results_folder: Path
) -> None:
    """Raise a UsageError if a new bundle only completes the agent's published submission.

    This happens on a new version of a track, if only the changed tasks were run: a second
    submission would have no rank, but `sitegen replace-rounds` adds the tasks to the first one.
    """
    for results in later.results.benchmarks:
        bundles = results.bundles if results.benchmark.id == benchmark else ()
        new = [bundle for bundle in bundles if bundle.id in new_bundles]
        for other, bundle in product(bundles, new):
            if not _can_be_completed(results, other, bundle):
                continue
            tasks = {result.task for result in bundle.rounds}
            address = f"{benchmark}/{other.submission.track}/{other.id}"
            raise UsageError(
                f"these runs have {counted(len(tasks), 'task')} that {other.id} lacks, so they "
                f"belong to that submission: add them with `sitegen replace-rounds {address} RUNS "
                f"--reason TEXT{results_option(results_folder)}`"
            )


def _can_be_completed(results: BenchmarkResults, bundle: Bundle, new_bundle: Bundle) -> bool:
    """Return whether a new submission has exactly the tasks that a published one lacks."""
    row_of = results.benchmark.row_of
    is_published = bundle.submission.status.state == "published" and bundle is not new_bundle
    is_same_agent = row_of(bundle.submission) == row_of(new_bundle.submission)
    return is_published and is_same_agent and adds_missing_tasks(new_bundle, bundle)


def _title_of(incoming: Incoming, rows: Sequence[BoardEntry], benchmark: str) -> str:
    """Return the title of a pull request: the agents, and the track that they are added to."""
    if rows:
        agents = [entry.agent.name for _, entry in rows]
        track = rows[0].board.track.id
    else:  # Under embargo, so boards do not contain these submissions.
        agents = [draft.submission.agent.name for draft in incoming.drafts]
        track = incoming.drafts[0].submission.track
    return f"{', '.join(agents)} on {benchmark}/{track}"


def _new_track_lines(changes: Changes) -> Iterator[str]:
    """Yield a line on the tracks that a request starts, if any, and a blank line."""
    names = []
    for board in changes.boards:
        if board.kind == "new":
            names.append(f"`{board.benchmark}/{board.track}`")
    if names:
        yield f"Starts the {agreeing(len(names), 'track', 'tracks')} {', '.join(names)}."
        yield ""


def _embargo_lines(changes: Changes) -> Iterator[str]:
    """Yield a line for each submission under embargo, on how reviewers can see its scores."""
    for address, day in changes.embargoed:
        yield (
            f"`{address}` is under embargo and counts from {day} on. Reviewers see its scores with "
            f"`sitegen explain {address} --embargoed`."
        )


def submitter_of(name: str | None, contact: str | None, accounts: Sequence[str]) -> Submitter:
    """Return the submitter that the arguments describe.

    Args:
        name: The name of the person or organization that sends the submissions.
        contact: The contact for questions about them.
        accounts: The accounts that may change them later, as NAME or HOST:NAME; an account without
            a host is on GitHub.

    Raises:
        UsageError: An argument is empty or has several lines, or an account has another form.
    """
    for option, text in (("--submitter", name), ("--contact", contact)):
        if text is not None and not is_one_line(text):
            raise UsageError(f"{option} needs one line of text")
    stated_accounts = []
    for account in accounts:
        match = _ACCOUNT.fullmatch(account.strip())
        if match is None:
            raise UsageError(
                f"--account needs HOST:NAME, such as github:acme-ada, not `{account}`; "
                "--contact takes an email address"
            )
        stated_accounts.append(f"{match['host'] or DEFAULT_HOST}:{match['name']}")
    return Submitter(name=name, contact=contact, accounts=tuple(dict.fromkeys(stated_accounts)))


def with_submitter(incoming: Incoming, submitter: Submitter) -> Incoming:
    """Return results with a submitter; values that `submitter` does not state are kept."""
    stated = submitter.model_dump(exclude_none=True, exclude_defaults=True)
    if not stated:
        return incoming
    drafts = []
    for draft in incoming.drafts:
        sender = (draft.submission.submitter or Submitter()).model_copy(update=stated)
        submission = draft.submission.model_copy(update={"submitter": sender})
        drafts.append(replace(draft, submission=submission))
    return replace(incoming, drafts=tuple(drafts))


def with_embargo(incoming: Incoming, day: date) -> Incoming:
    """Return results with an embargo that ends on a day."""
    drafts = []
    for draft in incoming.drafts:
        submission = draft.submission.model_copy(update={"embargo": day})
        drafts.append(replace(draft, submission=submission))
    return replace(incoming, drafts=tuple(drafts))


def _new_rows(changes: Changes, later: Evaluation) -> list[BoardEntry]:
    """Return the rows that are new in the later state."""
    new_ids: set[str] = set()
    for board_change in changes.boards:
        for row in board_change.rows:
            if row.kind == "new":
                new_ids.add(row.id)
    return [row for row in later.entries() if row.entry.id in new_ids]


def _own_problems(
    problems: Sequence[Problem], submissions: Path, new_bundles: Sequence[str]
) -> list[Problem]:
    """Return all errors, and the warnings about new bundles, without duplicates."""
    bundles = {submissions / name for name in new_bundles}
    distinct = dict.fromkeys(problems)
    return [item for item in distinct if item.is_error or is_below(item.path, bundles)]


def _changed_files(brought: Brought, copy: Path) -> dict[str, bytes]:
    """Return the files that an import wrote to a copy of the results, by path below the copy."""
    paths = [brought.folder / name for name in (*brought.created, *brought.changed)]
    for name in brought.new:
        bundle = brought.folder / SUBMISSIONS_FOLDER / name
        paths += sorted(bundle.iterdir())
    files = {}
    for path in paths:
        name = path.relative_to(copy).as_posix()
        files[name] = path.read_bytes()
    return files


def _disputed_claims(entry: Entry, claims: Claims | None) -> Iterator[Problem]:
    """Yield a problem for each of the submitter's claims that differs from the score.

    Validation only warns, because claims by the runs' source may differ, and the submitter's claims
    are merged with them.
    """
    if claims is None or entry.bundle is None:
        return
    for metric in claims.values:
        if metric not in entry.scores:
            continue
        score = entry.scores[metric]
        for claim in score.disputed:
            if claim.source and claim.line:
                yield claim_difference(score, replace(claim, source=None), entry.bundle)


def repository_of(results: Path) -> Repository | None:
    """Return the repository that contains the results; None if there is none.

    Raises:
        UsageError: The results have uncommitted changes.
    """
    repository = Repository.around(results)
    if repository:
        repository.require_clean()
    return repository
