"""Correct the statements of a submission's manifest, before or after it is published.

The files of an unpublished bundle are edited. The files of a published submission are kept: a new
bundle takes over its results and supersedes it, in one request or, if the rules require it, in two.
Read `correct` first. `rerunning` replaces rounds, and also uses `write_revision`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Literal, TypeVar

from sitegen.board.history.differences import leaves
from sitegen.board.history.revisions import revisions_of
from sitegen.importers.kit.drafts import bundle_id
from sitegen.models.record import Record
from sitegen.models.results import Bundle
from sitegen.models.revisions import bundles_by_name, current_bundle
from sitegen.models.submission import Agent, Provenance, Revision, Status, Submission, Submitter
from sitegen.pipeline.correcting import Correction, is_one_line, unused_bundle_id
from sitegen.pipeline.evaluating import (
    Evaluation,
    evaluate,
    move_problems,
    problem_key,
    state_of,
)
from sitegen.problems import Problem, ProblemsError, UsageError, errors_of
from sitegen.publish.machine.transaction import transaction
from sitegen.publish.results.benchmarks import (
    bundle_with_manifest,
    files_changed_by_status,
    files_changed_by_values,
)
from sitegen.publish.results.records import toml
from sitegen.store.compare.authors import AuthorEvidence, RequestAuthor
from sitegen.store.compare.changed_parts import read_request
from sitegen.store.compare.history import history_problems
from sitegen.store.files.git_states import has_file, published_revision
from sitegen.store.files.layout import MANIFEST_FILE, SUBMISSIONS_FOLDER
from sitegen.store.files.raw_documents import read_document

Step = Literal["edited", "replaced", "added", "superseded"]
"""The action that a correction takes.

`edited`: the files of an unpublished bundle were edited. `replaced`: a new bundle supersedes the
published one. `added`: the first of two requests adds a new bundle. `superseded`: the second
request changes the status of the earlier bundle.
"""

Values = Mapping[str, str | bool | date | None]
"""New values of a manifest by key, such as "agent.name"; None removes a key."""

R = TypeVar("R", bound=Record)


@dataclass(frozen=True, slots=True)
class PublicationCheck:
    """Whether a submission is published, and whether it is the author's own."""

    base: str | None
    """The revision or folder with the published results; None if there is no repository."""
    author: RequestAuthor
    is_published: bool
    evidence: AuthorEvidence
    """The kind of evidence that the submission is the author's own."""

    @classmethod
    def of(
        cls, correction: Correction, base: str | None = None, account: str | None = None
    ) -> "PublicationCheck":
        """Check whether a submission is published: in a revision, release or arrivals.jsonl.

        Outside a repository, every submission counts as published.

        Args:
            correction: The submission.
            base: The revision or folder with the published results; None for the main branch.
            account: The account that will open the request; if None, the git user is compared.
        """
        folder = correction.folder
        author = RequestAuthor.in_folder(account, folder)
        bundle = correction.bundle
        base = base or published_revision(folder)
        name = f"{correction.results.path.name}/{SUBMISSIONS_FOLDER}/{bundle.id}/{MANIFEST_FILE}"
        is_known = bundle.id in correction.results.arrivals.released
        if base is None:
            is_published = True
        elif Path(base).is_dir():
            is_published = is_known or (Path(base) / name).is_file()
        else:
            is_published = is_known or has_file(folder, base, name)
        manifest = read_document(bundle.path / MANIFEST_FILE) or {}
        return cls(base, author, is_published, author.evidence_for(manifest))

    @property
    def is_own(self) -> bool:
        """Whether there is evidence that the submission is the author's own."""
        return self.evidence in {"account", "contact"}

    def has(self, correction: Correction, submission: str) -> bool:
        """Return whether another submission of the same benchmark is published."""
        name = f"{correction.results.path.name}/{SUBMISSIONS_FOLDER}/{submission}/{MANIFEST_FILE}"
        if self.base is None:
            return (correction.folder / name).is_file()
        if Path(self.base).is_dir():
            return (Path(self.base) / name).is_file()
        return has_file(correction.folder, self.base, name)

    def words(self, bundle: Bundle) -> str:
        """Return a sentence for the user on who may merge a request to change a submission."""
        submitter = bundle.submission.submitter or Submitter()
        sender = submitter.name or submitter.organization or submitter.contact
        if self.evidence == "account":
            return f"{bundle.id} is your own submission: its [submitter] lists your account"
        if self.evidence == "contact":
            return (
                f"{bundle.id} is your own submission: its [submitter] names your address. A check "
                "with --author asks for your account there; pass --author here to follow it"
            )
        who = f"{sender} sent {bundle.id} in" if sender else f"{bundle.id} does not say who sent it"
        return (
            f"{who}, and nothing here shows that it was you: a maintainer has to check that before "
            "the pull request is merged (--author names the account that opens it)"
        )


@dataclass(frozen=True, slots=True)
class Revised:
    """The outcome of revising a submission."""

    step: Step
    submission: str
    """The id of the submission that has the revised values."""
    words: str
    """A description of the changes, such as "3 of 48 rounds run again: 54.2 to 60.4"."""


def correct(
    correction: Correction,
    publication: PublicationCheck,
    values: Values,
    reason: str,
    day: date,
) -> Revised:
    """Correct the statements of a submission's manifest.

    Raises:
        ProblemsError: The benchmark would have errors, or the check of a request would refuse the
            change.
        UsageError: The values are already stated, or the submission is no longer published.
    """
    require_reason(reason)
    bundle = correction.bundle
    if not publication.is_published:
        return _edit(correction, publication, values)
    pending = _pending_correction(correction)
    if pending:
        return _supersede_corrected(correction, publication, pending, reason, day)
    require_published(bundle, correction.results.bundles)
    submission = _corrected(bundle.submission, values)
    if submission == bundle.submission:
        raise UsageError(f"{bundle.id} already states these values")
    revision = Revision(of=bundle.id, date=day, reason=reason)
    revised = submission.model_copy(
        update={"status": Status(), "revisions": (*submission.revisions, revision)}
    )
    first_choice = bundle_id(revised.date, _slug_facts(correction, revised))
    name = unused_bundle_id(correction.results.path / SUBMISSIONS_FOLDER, first_choice, "corrected")
    files = bundle_with_manifest(bundle.path, toml(revised))
    is_one_change = publication.is_own or _has_same_identity(correction, bundle.submission, revised)
    status = None
    if is_one_change:
        status = Status(state="superseded", by=name, reason=reason, date=max(day, revised.date))
    evaluation = write_revision(correction, publication, {name: files}, status)
    step: Step = "replaced" if is_one_change else "added"
    return Revised(step, name, words_of(evaluation, correction, name))


def require_reason(reason: str) -> None:
    """Raise a UsageError if a reason is not one line of text."""
    if not is_one_line(reason):
        raise UsageError("--reason needs one line of text that says why; it is shown on the site")


def require_published(bundle: Bundle, bundles: Iterable[Bundle]) -> None:
    """Raise a UsageError if a submission is withdrawn or superseded.

    Args:
        bundle: The submission.
        bundles: All submissions of its benchmark; the message names the latest one that succeeds
            it.
    """
    status = bundle.submission.status
    if status.state == "published":
        return
    latest = current_bundle(bundle, {other.id: other for other in bundles})
    advice = ""
    if latest.id != bundle.id and latest.submission.status.state == "published":
        advice = f"; revise {latest.id} instead"
    raise UsageError(f"{bundle.id} is {status.state}{advice}")


def _corrected(submission: Submission, values: Values) -> Submission:
    """Return a submission with new values, given by key.

    Raises:
        UsageError: A required value would be removed.
    """
    if values.get("agent.name", "") is None:
        raise UsageError("--name is empty, but every agent needs a name")
    agent_changes = {}
    provenance_changes = {}
    changes: dict[str, object] = {}
    for key, value in values.items():
        table, _, name = key.rpartition(".")
        if table == "agent":
            agent_changes[name] = value
        elif table == "provenance":
            provenance_changes[name] = value
        else:
            changes[name] = value
    changes["agent"] = _validated(Agent, submission.agent, agent_changes)
    changes["provenance"] = _validated(Provenance, submission.provenance, provenance_changes)
    return submission.model_copy(update=changes)


def _validated(model: type[R], record: R, changes: Mapping[str, object]) -> R:
    """Return a record with changed values, validated as if read from a file."""
    if not changes:
        return record
    fields = {name: value for name, value in record if value is not None}
    fields |= changes
    return model.model_validate({name: item for name, item in fields.items() if item is not None})


def _slug_facts(correction: Correction, submission: Submission) -> str:
    """Return the part of a bundle's id after the date: the agent's name, and changed settings."""
    agent = submission.agent
    earlier = correction.bundle.submission.agent
    facts = [agent.name]
    for setting in ("scaffold", "reasoning"):
        value = getattr(agent, setting)
        if value and value != getattr(earlier, setting):
            facts.append(value)
    return " ".join(facts)


def _edit(correction: Correction, publication: PublicationCheck, values: Values) -> Revised:
    """Edit the manifest of an unpublished bundle."""
    bundle = correction.bundle
    submission = _corrected(bundle.submission, values)
    if submission == bundle.submission:
        raise UsageError(f"{bundle.id} already states these values")
    files = files_changed_by_values(bundle.path, values)
    write_revision(correction, publication, {bundle.id: files}, None)
    before = dict(leaves(bundle.submission.model_dump(mode="json")))
    after = dict(leaves(submission.model_dump(mode="json")))
    changes = []
    for key, value in after.items():
        if before.get(key) != value:
            name = key[-1].replace("_", " ") if isinstance(key[-1], str) else str(key[-1])
            changes.append(f"{name} {before.get(key) or '–'} → {value or '–'}")
    return Revised("edited", bundle.id, "; ".join(changes))


def _pending_correction(correction: Correction) -> Bundle | None:
    """Return the bundle that corrects a submission, if both are still published; None otherwise.

    If the correction was itself revised, its last successor is returned.
    """
    bundle = correction.bundle
    if bundle.submission.status.state != "published":
        return None
    bundles = bundles_by_name(correction.results)
    for other in correction.results.bundles:
        revision = other.submission.revision
        if revision and revision.of == bundle.id and revision.is_correction:
            current = current_bundle(other, bundles)
            if current.submission.status.state == "published":
                return current
    return None


def _supersede_corrected(
    correction: Correction,
    publication: PublicationCheck,
    corrected: Bundle,
    reason: str,
    day: date,
) -> Revised:
    """Make the second of two requests: supersede a submission with the bundle that corrects it."""
    bundle = correction.bundle
    if not publication.has(correction, corrected.id):
        raise UsageError(
            f"{corrected.id} already corrects {bundle.id}, but is not published yet: "
            "run this again once its request is merged"
        )
    changed_on = max(day, bundle.submission.date)
    status = Status(state="superseded", by=corrected.id, reason=reason, date=changed_on)
    evaluation = write_revision(correction, publication, {}, status)
    return Revised("superseded", corrected.id, words_of(evaluation, correction, corrected.id))


def _has_same_identity(correction: Correction, before: Submission, after: Submission) -> bool:
    """Return whether a single request may add a corrected submission and supersede the earlier one.

    The check of a request compares agent, organization and submitter.
    """
    name_of = correction.results.benchmark.agent_name
    is_same_agent = name_of(before.agent.name) == name_of(after.agent.name)
    return is_same_agent and before.agent.organization == after.agent.organization


def write_revision(
    correction: Correction,
    publication: PublicationCheck,
    bundles: Mapping[str, Mapping[str, bytes]],
    status: Status | None,
) -> Evaluation:
    """Write new bundles and the submission's new status, or nothing; return the new evaluation.

    Raises:
        ProblemsError: The benchmark would have new errors, or the check of a request would refuse
            the change.
        UsageError: Another command changed a file in the meantime.
    """
    benchmark = correction.results.path.name
    submissions = f"{benchmark}/{SUBMISSIONS_FOLDER}"
    with transaction(correction.folder, correction.since) as changes:
        if status:
            changed = files_changed_by_status(correction.bundle.path, status)
            changes.write(f"{submissions}/{correction.bundle.id}", changed)
        for name, files in bundles.items():
            changes.write(f"{submissions}/{name}", files)
        rehearsal = changes.preview_copy((".",))
        evaluation = evaluate(rehearsal / benchmark, correction.today)
        problems = move_problems(errors_of(evaluation.problems()), rehearsal, correction.folder)
        known_errors = {problem_key(error) for error in correction.errors}
        new_errors = [error for error in problems if problem_key(error) not in known_errors]
        new_errors += _refusals(correction, publication, rehearsal)
        if new_errors:
            raise ProblemsError(list(dict.fromkeys(new_errors)))
    return evaluation


def _refusals(
    correction: Correction, publication: PublicationCheck, rehearsal: Path
) -> Iterator[Problem]:
    """Yield the errors for which the check of a request would refuse a changed copy of the results.

    No errors are yielded if the published state can't be read from the working directory.
    """
    with _published_state(correction.folder, publication.base) as base:
        if base is None:
            return
        refused_before = set()
        for problem in _gate_errors(base, correction.folder, publication.author):
            refused_before.add((problem.code, problem.what))
        for problem in _gate_errors(base, rehearsal, publication.author):
            if (problem.code, problem.what) not in refused_before:
                yield problem.moved(rehearsal, correction.folder)


def _gate_errors(base: Path, state: Path, author: RequestAuthor) -> Sequence[Problem]:
    request = read_request(base, state, author)
    return errors_of(history_problems(base, state, request))


@contextmanager
def _published_state(folder: Path, base: str | None) -> Iterator[Path | None]:
    """Yield the folder of the published state; None if it can't be read from this directory."""
    with ExitStack() as states:
        published = None
        is_inside = folder.resolve().is_relative_to(Path.cwd())
        if base is not None and (is_inside or Path(base).is_dir()):
            with suppress(UsageError):
                published = states.enter_context(state_of(base, folder))
        yield published


def words_of(evaluation: Evaluation, correction: Correction, name: str) -> str:
    """Return a description of the changes in a submission's latest revision."""
    for board, entry in evaluation.entries():
        if entry.id == name and board.track.id == correction.bundle.submission.track:
            views = revisions_of(board, entry)
            return views[-1].words if views else ""
    return ""
