"""Sending results in: a bundle of them, checked beside what is published, on a branch with the text of its request."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date as Date  # noqa: N812 - as in the models
from decimal import Decimal, InvalidOperation
from pathlib import Path

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

    @property
    def branch(self) -> str:
        """The name of its branch."""
        names = self.brought.new or (self.brought.folder.name,)
        return f"submit-{names[0]}" if len(names) == 1 else f"submit-{names[0]}-and-{len(names) - 1}-more"


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
            raise UsageError(f"--claim takes METRIC=VALUE, such as dataset_score=50.0, and this is `{pair}`") from None
    return Claims(**values) if values else None


def propose(incoming: Incoming, claims: Claims | None, results: Path, day: Date) -> Proposal:
    """Bring results into a copy of a results folder, and check them there as a pull request is checked.

    Raises:
        ProblemsError: There would be errors, or there are.
        UsageError: All of it is there already, or claims are made of several agents at once.
    """
    if claims and len(incoming.drafts) > 1:
        raise UsageError("claims are about one agent, and there are several: choose with --model")
    if claims:
        (draft,) = incoming.drafts
        claimed = draft.submission.model_copy(update={"claims": claims})
        incoming = replace(incoming, drafts=(replace(draft, submission=claimed),))
    folder = results.resolve()
    with scratch_folder(scratch_home(folder)) as scratch:
        copy = Transaction(folder, scratch).rehearsed((".",))
        brought = bring_in(incoming, copy)
        changes, later = compare(str(folder), str(copy), results, day)
        found = [*later.problems(), *(replace(each, path=copy / each.path) for each in changes.new)]
        problems = list(dict.fromkeys(replace(each, path=results / each.path.relative_to(copy)) for each in found))
        if errors_of(problems):
            raise ProblemsError(problems)
        new = {row.id for board in changes.boards for row in board.rows if row.kind == "new"}
        rows = [(board, entry) for board, entry in later.entries() if entry.id in new]
        if not rows:
            raise UsageError(f"{', '.join(brought.unchanged)} stands already, with the same results")
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
            [each for each in problems if any(f"/{SUBMISSIONS}/{name}/" in f"{each.path}/" for name in brought.new)],
        )


def repository_of(results: Path) -> Repository | None:
    """The repository that results can be sent from; None where the folder is in none.

    Raises:
        UsageError: The results have changes that are not committed.
    """
    repository = Repository.around(results)
    if repository:
        repository.require_clean()
    return repository
