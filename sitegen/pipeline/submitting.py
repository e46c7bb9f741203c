"""Sending results in: a bundle of them, checked beside what is published, on a branch with the text of its request."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date as Date  # noqa: N812 - as in the models
from decimal import Decimal, InvalidOperation
from pathlib import Path

from sitegen.board.claims import difference
from sitegen.board.entry import Entry
from sitegen.board.proposal import pull_request
from sitegen.models.incoming import Brought, Incoming
from sitegen.models.submission import Claims
from sitegen.pipeline.comparing import compare
from sitegen.pipeline.importing import bring_in
from sitegen.problems import Problem, ProblemsError, UsageError, errors_of
from sitegen.publish.branches import Repository
from sitegen.publish.transaction import Transaction, scratch_folder, scratch_home
from sitegen.store.layout import SUBMISSIONS


@dataclass(frozen=True, slots=True)
class Proposal:
    """Results that can be sent in."""

    incoming: Incoming
    brought: Brought
    files: Mapping[str, bytes]
    """What is new or different, by the name below the results folder."""
    title: str
    text: Sequence[str]
    """Of the pull request, as Markdown."""
    warnings: Sequence[Problem]
    notes: Sequence[str] = ()
    """For whoever sends them in."""

    @property
    def branch(self) -> str:
        """The name of its branch."""
        names = self.brought.new or (self.brought.folder.name,)
        return (
            f"submit-{names[0]}"
            if len(names) == 1
            else f"submit-{names[0]}-and-{len(names) - 1}-more"
        )


def claims_of(pairs: Sequence[str]) -> Claims | None:
    """The submitter's own claims, from METRIC=VALUE each; None where there are none.

    Raises:
        UsageError: One is no such pair.
    """
    values: dict[str, Decimal] = {}
    for pair in pairs:
        metric, _, value = pair.partition("=")
        try:
            values[metric.strip()] = Decimal(value.strip())
        except InvalidOperation:
            raise UsageError(
                f"--claim takes METRIC=VALUE, such as dataset_score=50.0, and this is `{pair}`"
            ) from None
    return Claims(**values) if values else None


def _claiming(incoming: Incoming, own: Claims) -> tuple[Incoming, list[str]]:
    """Add the submitter's own claims to those that the runs bring, and tell which of these they take the place of.

    Raises:
        UsageError: There are several agents.
    """
    if len(incoming.drafts) > 1:
        raise UsageError("claims are about one agent, and there are several: choose with --model")
    (draft,) = incoming.drafts
    brought = draft.submission.claims or Claims()
    both = {**brought.values, **own.values}
    notes = [
        f"your claim of {metric}, {value}, takes the place of {brought.values[metric]}, from {brought.source}"
        for metric, value in own.values.items()
        if brought.values.get(metric, value) != value
    ]
    if len(both) > len(own.values):
        source = f"{brought.source}; {', '.join(own.values)}: the submitter"
        own = Claims(source=source, tasks=brought.tasks, **both)
    claimed = draft.submission.model_copy(update={"claims": own})
    return replace(incoming, drafts=(replace(draft, submission=claimed),)), notes


def propose(incoming: Incoming, claims: Claims | None, results: Path, day: Date) -> Proposal:
    """Bring results into a copy of a results folder, and check them there as a pull request is checked.

    Raises:
        ProblemsError: There would be errors, or there are.
        UsageError: All of it is there already, or claims are made of several agents at once.
    """
    incoming, notes = _claiming(incoming, claims) if claims else (incoming, [])
    folder = results.resolve()
    with scratch_folder(scratch_home(folder)) as scratch:
        copy = Transaction(folder, scratch).rehearsed((".",))
        try:
            brought = bring_in(incoming, copy)
        except ProblemsError as error:
            raise ProblemsError([each.moved(copy, results) for each in error.problems]) from error
        changes, later = compare(str(folder), str(copy), results, day)
        new = {row.id for board in changes.boards for row in board.rows if row.kind == "new"}
        rows = [(board, entry) for board, entry in later.entries() if entry.id in new]
        found = [*later.problems(), *(replace(each, path=copy / each.path) for each in changes.new)]
        found += [each for _, entry in rows for each in _own_differing(entry, claims)]
        told = dict.fromkeys(each.moved(copy, results) for each in found)
        own = [
            results / brought.folder.relative_to(copy) / SUBMISSIONS / name for name in brought.new
        ]
        problems = [
            each for each in told if each.is_error or {each.path, *each.path.parents} & {*own}
        ]
        if errors_of(problems):
            raise ProblemsError(problems)
        if not rows:
            raise UsageError(
                f"{', '.join(brought.unchanged)} stands already, with the same results"
            )
        home = brought.folder.relative_to(copy)
        paths = [copy / home / name for name in (*brought.created, *brought.changed)]
        for name in brought.new:
            paths += sorted((copy / home / SUBMISSIONS / name).iterdir())
        names = ", ".join(entry.agent.name for _, entry in rows)
        return Proposal(
            incoming,
            replace(brought, folder=results / home),
            {path.relative_to(copy).as_posix(): path.read_bytes() for path in paths},
            f"{names} on {home}/{rows[0][0].track.id}",
            pull_request(changes, rows),
            problems,
            notes,
        )


def _own_differing(entry: Entry, own: Claims | None) -> Iterator[Problem]:
    """Claims of the submitter's own that differ, where they stand beside those of a source, which may."""
    for score in (
        entry.scores[metric] for metric in (own.values if own else ()) if metric in entry.scores
    ):
        for claim in score.disputed:
            if entry.bundle and claim.source and claim.line:
                yield difference(score, replace(claim, source=None), entry.bundle)


def repository_of(results: Path) -> Repository | None:
    """The repository that results can be sent from; None where the folder is in none.

    Raises:
        UsageError: The results have changes that are not committed.
    """
    repository = Repository.around(results)
    if repository:
        repository.require_clean()
    return repository
