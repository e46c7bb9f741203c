"""Correct published results: withdraw or supersede a submission, or add attempts to it.

The results of a published submission are kept. Only its status changes, and gives the reason.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import count
from pathlib import Path
from typing import TypeVar

from sitegen.importers.kit.drafts import bundle_id, case_detail, longer_id
from sitegen.importers.kit.merge import merge
from sitegen.models.benchmark import Track
from sitegen.models.incoming import Draft, Incoming
from sitegen.models.outcome import Failure, RoundResult, RunFigures
from sitegen.models.results import BenchmarkResults, Bundle, Results
from sitegen.models.revisions import arrival_day, bundles_by_name, current_bundle
from sitegen.models.submission import Agent, Detail, Provenance, Status, Submission
from sitegen.pipeline.evaluating import evaluate, is_below, move_problems, problem_key
from sitegen.pipeline.submissions import folder_to_read, submission_at
from sitegen.problems import Problem, ProblemsError, UsageError, errors_of
from sitegen.problems.commands import results_option
from sitegen.publish.machine.transaction import Snapshot, snapshot_of, transaction
from sitegen.publish.results.benchmarks import bundle_files, files_changed_by_status
from sitegen.store.files.layout import (
    ARRIVALS_FILE,
    DEFINITION_FILE,
    RELEASES_FOLDER,
    SUBMISSIONS_FOLDER,
)

AttemptRecord = TypeVar("AttemptRecord", RoundResult, RunFigures, Failure)

_CLAIMS_NOTE = "Claims of the earlier submission are about its own attempts and were not copied."


@dataclass(frozen=True, slots=True)
class Correction:
    """A submission whose status is to be changed, and the current state of its benchmark."""

    folder: Path
    """The results folder."""
    today: date
    since: Snapshot
    """The state of the files in the results folder when the benchmark was read."""
    results: BenchmarkResults
    bundle: Bundle
    errors: Sequence[Problem]
    """The errors that the benchmark had before the correction."""

    @classmethod
    def of(cls, address: str, folder: Path, today: date) -> "Correction":
        """Read the benchmark of the submission at an address.

        Raises:
            ProblemsError: The submission or its benchmark's definition has errors.
            UsageError: There is no such submission.
        """
        since = snapshot_of(folder)
        evaluation = evaluate(folder_to_read(address, folder), today)
        results, bundle = submission_at(address, evaluation.results)
        errors = errors_of(evaluation.problems())
        corrected_paths = (results.path / DEFINITION_FILE, bundle.path)
        blocking_errors = [error for error in errors if is_below(error.path, corrected_paths)]
        if blocking_errors:
            raise ProblemsError(blocking_errors)
        return cls(results.path.parent, today, since, results, bundle, errors)

    def change_status(self, status: Status, new_bundle: Draft | None = None) -> None:
        """Change the submission's status and add a bundle, if one is given: both changes, or none.

        Raises:
            ProblemsError: The changes would cause new errors in the benchmark.
            UsageError: Another command changed a file in the meantime.
        """
        benchmark = self.results.path.name
        submissions = f"{benchmark}/{SUBMISSIONS_FOLDER}"
        with transaction(self.folder, self.since) as changes:
            files = files_changed_by_status(self.bundle.path, status)
            changes.write(f"{submissions}/{self.bundle.id}", files)
            if new_bundle:
                changes.write(f"{submissions}/{new_bundle.id}", bundle_files(new_bundle))
            rehearsal = changes.preview_copy((benchmark, RELEASES_FOLDER, ARRIVALS_FILE))
            self._require_no_new_errors(rehearsal)

    def _require_no_new_errors(self, rehearsal: Path) -> None:
        """Raise a ProblemsError if the changed copy of the results has new errors."""
        evaluation = evaluate(rehearsal / self.results.path.name, self.today)
        errors = move_problems(errors_of(evaluation.problems()), rehearsal, self.folder)
        known_errors = {problem_key(error) for error in self.errors}
        new_errors = [error for error in errors if problem_key(error) not in known_errors]
        if new_errors:
            raise ProblemsError(new_errors)


def is_one_line(text: str) -> bool:
    """Return whether a text is a single non-blank line."""
    return bool(text.strip()) and text.isprintable()


def withdraw(correction: Correction, by: str, reason: str, day: date) -> None:
    """Withdraw a submission from its board; its page remains and states the reason.

    Raises:
        ProblemsError: The benchmark would have errors.
        UsageError: The submission is already withdrawn, or a name or a reason is missing.
    """
    if not by.strip() or not is_one_line(reason):
        raise UsageError("--by and --reason are required, one line each")
    status = correction.bundle.submission.status
    if status.state == "withdrawn":
        raise UsageError(
            f"{correction.bundle.id} was already withdrawn on {status.date}: {status.reason}"
        )
    if status.state == "superseded":
        reason = f"{reason} (previously superseded by {status.by})"
    correction.change_status(Status(state="withdrawn", by=by, reason=reason, date=day))


def supersede(correction: Correction, by: str, reason: str | None, day: date) -> str:
    """Replace a submission on its board with another submission, named by address or id.

    Returns:
        The id of the other submission.

    Raises:
        ProblemsError: The benchmark would have errors, for example because the tracks differ.
        UsageError: The other submission does not exist, or one of the two is not published.
    """
    if reason is not None and not is_one_line(reason):
        raise UsageError("--reason takes one line of text")
    results = correction.results
    address = by
    if "/" not in by:
        address = f"{results.benchmark.id}/{by}"
    _, replacement = submission_at(address, Results(correction.folder, (results,)))
    for bundle in (correction.bundle, replacement):
        status = bundle.submission.status
        if status.state != "published":
            decision = f"it was {status.state}"
            if status.by:
                decision += f" by {status.by}"
            raise UsageError(
                f"{bundle.id} is no longer current: {decision}; name a current submission"
            )
    new_status = Status(state="superseded", by=replacement.id, reason=reason, date=day)
    correction.change_status(new_status)
    return replacement.id


def add_attempts(correction: Correction, incoming: Incoming) -> Draft:
    """Supersede a submission with a new bundle that has its attempts and those of further runs.

    Published results are never edited, since somebody may already have downloaded them.

    Returns:
        The new bundle.

    Raises:
        ProblemsError: The runs do not fit the track, or the benchmark would have errors.
        UsageError: The submission is not published; the runs are of another agent or of other
            tasks; or there would be more attempts than the track allows.
    """
    results = correction.results
    bundle = correction.bundle
    addition, problems = merge(results, incoming)
    if errors_of(problems):
        raise ProblemsError(problems)
    state = bundle.submission.status.state
    if state != "published":
        raise UsageError(f"{bundle.id} is {state}; name a published submission")
    further_runs = runs_of_same_agent(results, bundle, addition.drafts)
    require_same_settings(bundle, further_runs.submission.agent)
    new_bundle = _combine_attempts(results, bundle, further_runs)
    status = Status(
        state="superseded",
        by=new_bundle.id,
        reason="Further attempts were added",
        date=correction.today,
    )
    correction.change_status(status, new_bundle)
    return new_bundle


def runs_of_same_agent(results: BenchmarkResults, bundle: Bundle, drafts: Sequence[Draft]) -> Draft:
    """Return the only draft of a bundle's agent; raise a UsageError if there is not exactly one."""
    agent_name = results.benchmark.agent_name
    wanted = bundle.submission.agent.name
    names: set[str] = set()
    matches = []
    for draft in drafts:
        name = draft.submission.agent.name
        names.add(name)
        if agent_name(name) == agent_name(wanted):
            matches.append(draft)
    if len(matches) != 1:
        available = ", ".join(sorted(names)) or "nobody"
        raise UsageError(
            f"the runs are by {available}, but {bundle.id} is by {wanted}; choose the runs with "
            "--model, and name their agent with --agent"
        )
    return matches[0]


def require_same_settings(bundle: Bundle, runs_agent: Agent) -> None:
    """Raise a UsageError if the runs were made with another scaffold or reasoning setting."""
    for setting in ("scaffold", "reasoning"):
        published = getattr(bundle.submission.agent, setting)
        value = getattr(runs_agent, setting)
        if published and value and published != value:
            raise UsageError(
                f"the {setting} of {bundle.id} is {published}, "
                f"but the runs have {value}; import them as a separate submission"
            )


def _combine_attempts(results: BenchmarkResults, bundle: Bundle, draft: Draft) -> Draft:
    """Return a bundle with a submission's attempts, followed by the attempts of further runs.

    Raises:
        UsageError: There would be too many attempts, or the runs are of other tasks.
    """
    earlier = bundle.submission
    later = draft.submission
    track = track_of(results, earlier)
    first_attempts = earlier.attempts or track.attempts
    total = first_attempts + (later.attempts or track.attempts)
    _require_fitting_attempts(results, earlier, later, total)

    tasks = [task.id for task in results.tasks_of(track).tasks]
    rounds = _combine_rounds(bundle, draft, tasks, first_attempts)
    failures = _combine_failures(bundle, draft, tasks, first_attempts)
    runs = (*bundle.runs, *_renumber(draft.runs, first_attempts))
    provenance, different_keys = merge_provenance(earlier.provenance, later.provenance)
    notes = _attempt_notes(first_attempts, total, later.date, different_keys)
    if earlier.claims:
        notes.append(_CLAIMS_NOTE)
    carried = earlier.carried
    if carried:
        notes.append(f"The earlier attempts were carried over from track {carried.track}.")
        carried = carried.without({result.task for result in draft.rounds})
    caveats = dict.fromkeys((*earlier.caveats, *later.caveats, *notes))
    detail = Detail(cases=case_detail(rounds, failures))
    changes = {
        "date": max(earlier.date, later.date),
        "attempts": total,
        "carried": carried,
        "status": Status(),
        "provenance": provenance,
        "detail": detail,
        "claims": None,
        "caveats": tuple(caveats),
    }
    submission = earlier.model_copy(update=changes)
    first_choice = bundle_id(submission.date, submission.agent.name)
    name = unused_bundle_id(results.path / SUBMISSIONS_FOLDER, first_choice, f"{total} attempts")
    return Draft(name, submission, tuple(rounds), runs, tuple(failures))


def _combine_rounds(
    bundle: Bundle, draft: Draft, tasks: Sequence[str], first_attempts: int
) -> list[RoundResult]:
    """Return the rounds of all attempts, ordered by task, then by start and attempt.

    Rounds that start from the reference solution are taken only from the submission.
    """
    own_rounds = [result for result in draft.rounds if result.start == "own"]
    rounds = [*bundle.rounds, *_renumber(own_rounds, first_attempts)]
    positions = {task: position for position, task in enumerate(tasks)}

    def order(result: RoundResult) -> tuple[int, str, int, int]:
        return positions[result.task], result.start, result.attempt, result.round

    rounds.sort(key=order)
    return rounds


def _combine_failures(
    bundle: Bundle, draft: Draft, tasks: Sequence[str], first_attempts: int
) -> list[Failure]:
    """Return the failed cases of all attempts, in the same order as the rounds."""
    failures: list[Failure] = []
    for task in tasks:
        failures += bundle.failures.of_task(task)
    own_failures = [failure for failure in draft.failures if failure.start == "own"]
    failures += _renumber(own_failures, first_attempts)
    return failures


def track_of(results: BenchmarkResults, submission: Submission) -> Track:
    """Return the track of a submission."""
    return next(track for track in results.benchmark.tracks if track.id == submission.track)


def deadline_note(correction: Correction) -> list[str]:
    """Return a note if the new runs miss a deadline that the submission met; empty otherwise.

    `sitegen correct` needs no such note: the corrected submission has the same runs.
    """
    results = correction.results
    bundle = correction.bundle
    deadline = track_of(results, bundle.submission).deadline
    if deadline is None or correction.today <= deadline:
        return []
    if arrival_day(bundle, results) > deadline:
        return []
    note = (
        f"the deadline of track {bundle.submission.track} was {deadline}: {bundle.id} was in time, "
        "but the new bundle arrives after the deadline, so it will be listed separately, without a "
        "rank. "
        "Maintainers decide whether to accept it before they merge"
    )
    return [note]


def _require_fitting_attempts(
    results: BenchmarkResults, earlier: Submission, later: Submission, total: int
) -> None:
    """Raise a UsageError if there are too many attempts, or if they cover different tasks."""
    track = track_of(results, earlier)
    if total > track.attempts:
        raise UsageError(
            f"track {track.id} has at most {track.attempts} attempts, and this would make {total}; "
            "its maintainers can start a track with more attempts and carry the results over: "
            f"`sitegen new-track {results.benchmark.id}/{track.id}-{total}-attempts "
            f"--from {track.id} --attempts {total} --carry"
            f"{results_option(results.path.parent)}`. Then add the attempts to the carried "
            "submission"
        )
    unequal_tasks = {*earlier.missing} ^ {*later.missing}
    if unequal_tasks:
        names = ", ".join(sorted(unequal_tasks))
        raise UsageError(
            f"all attempts must cover the same tasks, but only one side has runs of {names}"
        )


def _renumber(records: Iterable[AttemptRecord], first_attempts: int) -> list[AttemptRecord]:
    """Return records with attempts renumbered to follow the first `first_attempts` attempts."""
    return [replace(record, attempt=record.attempt + first_attempts) for record in records]


def _attempt_notes(
    first_attempts: int, total: int, later_day: date, different_keys: Sequence[str]
) -> list[str]:
    """Return notes on which attempts were added, and on the settings in which they differ."""
    if total == first_attempts + 1:
        added = f"{total}"
        notes = [f"Attempt {added} came later, on {later_day}."]
    else:
        added = f"{first_attempts + 1} to {total}"
        notes = [f"Attempts {added} came later."]
    if different_keys:
        notes.append(f"Attempt {added} differs in {', '.join(different_keys)}.")
    return notes


def unused_bundle_id(submissions: Path, first_choice: str, suffix: str) -> str:
    """Return a bundle id that no submission in a folder has.

    Args:
        submissions: The folder of the submissions.
        first_choice: The id to use if it is free.
        suffix: The text added to the id if it is taken, followed by a number from 2 on if needed.
    """
    name = first_choice
    ending = suffix
    numbers = count(2)
    while (submissions / name).exists():
        name = longer_id(first_choice, ending)
        ending = f"{suffix} {next(numbers)}"
    return name


def merge_provenance(earlier: Provenance, later: Provenance) -> tuple[Provenance, list[str]]:
    """Return the merged provenance of two sets of runs, and the keys whose values differ."""
    merged: dict[str, object] = {}
    different_keys: list[str] = []
    for key, value in earlier:
        later_value = getattr(later, key)
        if value is None:
            merged[key] = later_value
        elif later_value is None or value == later_value:
            merged[key] = value
        elif isinstance(value, tuple) and isinstance(later_value, tuple):
            merged[key] = tuple(dict.fromkeys((*value, *later_value)))
        elif key == "started":
            merged[key] = min(value, later_value, key=str)
        elif key == "finished":
            merged[key] = max(value, later_value, key=str)
        else:
            merged[key] = value
            different_keys.append(f"`{key}`")
    return earlier.model_copy(update=merged), different_keys


def replaced_submissions(
    results: BenchmarkResults, drafts: Sequence[Draft], day: date
) -> Iterator[tuple[Bundle, Status]]:
    """Yield the submissions that an import's drafts replace, each with its new status.

    A draft replaces the published submission of the same row, unless the submission is dated later.

    Raises:
        UsageError: A submission to replace has a published correction that does not yet supersede
            it.
    """
    published = {}
    for bundle in results.bundles:
        if bundle.submission.status.state == "published":
            published[bundle.id] = bundle
    draft_by_row = _drafts_by_row(results, drafts, published)
    # An import never replaces its own bundles, nor bundles that a finding names as reruns.
    imported = {draft.id for draft in drafts}
    reruns = {finding.rerun for finding in results.findings}
    for bundle in published.values():
        if bundle.id in imported or bundle.id in reruns:
            continue
        earlier = bundle.submission
        row = results.benchmark.row_of(earlier)
        draft = draft_by_row.get(row)
        if draft and earlier.date <= draft.submission.date:
            _require_no_pending_revision(results, bundle)
            replaced_on = max(day, earlier.date)
            yield bundle, Status(state="superseded", by=draft.id, date=replaced_on)


def _require_no_pending_revision(results: BenchmarkResults, bundle: Bundle) -> None:
    """Raise a UsageError if a published revision of a bundle has not superseded the bundle yet."""
    bundles = bundles_by_name(results)
    for other in results.bundles:
        revision = other.submission.revision
        if not revision or revision.of != bundle.id:
            continue
        current = current_bundle(other, bundles)
        if current.submission.status.state == "published":
            raise UsageError(
                f"{other.id} revises {bundle.id} but does not supersede it yet, so no other "
                f"submission can; run `sitegen supersede {bundle.id} --by {current.id}"
                f"{results_option(results.path.parent)}`, or withdraw {current.id}, and import "
                "again"
            )


def _drafts_by_row(
    results: BenchmarkResults, drafts: Sequence[Draft], published: Mapping[str, Bundle]
) -> dict[tuple[str, str, str, str], Draft]:
    """Return the drafts that are or will be published, by row."""
    by_row = {}
    for draft in drafts:
        is_new = not (results.path / SUBMISSIONS_FOLDER / draft.id).exists()
        if is_new or draft.id in published:
            row = results.benchmark.row_of(draft.submission)
            by_row[row] = draft
    return by_row
