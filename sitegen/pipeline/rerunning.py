"""Replace rounds of a published submission with rounds that were run again.

A new bundle takes the rounds of the new runs, keeps all other rounds, lists the new ones, and
supersedes the earlier bundle, whose files are kept. Tasks without results, such as the changed
tasks of a carried submission, are run in the same way and listed as added. Read `replace_rounds`
first.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from sitegen.importers.kit.drafts import bundle_id, case_detail
from sitegen.importers.kit.merge import merge
from sitegen.models.benchmark import Track
from sitegen.models.incoming import Draft, Incoming
from sitegen.models.outcome import Failure, RoundKey, RoundResult, RunFigures, Start
from sitegen.models.results import Bundle
from sitegen.models.submission import Detail, RerunRounds, Revision, Status
from sitegen.pipeline.correcting import (
    Correction,
    merge_provenance,
    require_same_settings,
    runs_of_same_agent,
    track_of,
    unused_bundle_id,
)
from sitegen.pipeline.revising import (
    PublicationCheck,
    Revised,
    require_published,
    require_reason,
    words_of,
    write_revision,
)
from sitegen.problems import ProblemsError, UsageError, errors_of, listed
from sitegen.publish.results.benchmarks import bundle_files
from sitegen.store.files.layout import SUBMISSIONS_FOLDER

_CLAIMS_NOTE = "Claims of the earlier submission are about its own rounds and were not copied."
_FIGURES_NOTE = (
    "Figures of complete runs are left out for attempts in which some rounds were run again."
)
_MAX_NAMED_ROUNDS = 5

_Records = Mapping[RoundKey, RoundResult]


@dataclass(frozen=True, slots=True)
class Rerun:
    """Runs that replace rounds of a submission."""

    reason: str
    """The reason why the rounds were run again."""
    day: date
    """The day on which the submission is revised."""
    incoming: Incoming
    attempt: int | None = None
    """The attempt that runs of one attempt replace; None to keep the attempts' numbers."""


def replace_rounds(correction: Correction, publication: PublicationCheck, rerun: Rerun) -> Revised:
    """Supersede a submission with a bundle that has new rounds and its remaining rounds.

    Raises:
        ProblemsError: The runs do not fit the track, the benchmark would have errors, or the check
            of a request would refuse the change.
        UsageError: The submission is not published, the runs are of another agent, or they do not
            change any record.
    """
    require_reason(rerun.reason)
    results = correction.results
    bundle = correction.bundle
    addition, problems = merge(results, rerun.incoming)
    if errors_of(problems):
        raise ProblemsError(problems)
    require_published(bundle, correction.results.bundles)
    draft = runs_of_same_agent(results, bundle, addition.drafts)
    require_same_settings(bundle, draft.submission.agent)
    if rerun.attempt is not None:
        draft = _as_attempt(draft, rerun.attempt)
    taken = _taken_records(bundle, draft, track_of(results, bundle.submission))
    tasks = [task.id for task in results.tasks_of(track_of(results, bundle.submission)).tasks]
    revised = _with_reruns(bundle, draft, taken, tasks)
    missing = set(bundle.submission.missing)
    added = [task for task in tasks if task in missing and any(key[0] == task for key in taken)]
    replaced = {key: result for key, result in taken.items() if key[0] not in missing}
    revision = Revision(
        of=bundle.id,
        date=rerun.day,
        reason=rerun.reason,
        reruns=_rerun_lists(replaced),
        added=tuple(added),
    )
    revisions = (*bundle.submission.revisions, revision)
    submission = revised.submission.model_copy(update={"revisions": revisions})
    first_choice = bundle_id(submission.date, submission.agent.name)
    suffix = "run again" if replaced else "completed"
    name = unused_bundle_id(results.path / SUBMISSIONS_FOLDER, first_choice, suffix)
    files = bundle_files(replace(revised, id=name, submission=submission))
    changed_on = max(rerun.day, submission.date)
    status = Status(state="superseded", by=name, reason=rerun.reason, date=changed_on)
    evaluation = write_revision(correction, publication, {name: files}, status)
    return Revised("replaced", name, words_of(evaluation, correction, name))


def _as_attempt(draft: Draft, attempt: int) -> Draft:
    """Return the runs of a single attempt, renumbered as another attempt.

    Raises:
        UsageError: Some runs are not of attempt 1.
    """
    attempts = {result.attempt for result in draft.rounds if result.start == "own"}
    if attempts != {1}:
        raise UsageError(
            "--attempt says which attempt one run of each task replaces, but these runs belong to "
            f"attempts {', '.join(map(str, sorted(attempts)))}"
        )
    rounds = []
    for result in draft.rounds:
        is_own = result.start == "own"
        rounds.append(replace(result, attempt=attempt) if is_own else result)
    failures = []
    for failure in draft.failures:
        is_own = failure.start == "own"
        failures.append(replace(failure, attempt=attempt) if is_own else failure)
    runs = [replace(run, attempt=attempt) for run in draft.runs]
    return replace(draft, rounds=rounds, failures=tuple(failures), runs=tuple(runs))


def _taken_records(bundle: Bundle, draft: Draft, track: Track) -> _Records:
    """Return the records that replace those of a submission, by round.

    A run that includes the first round replaces the complete attempt: rounds that it did not reach
    count as 0. If a run has only later rounds, or if rounds are graded independently, rounds that
    it did not reach are ignored.

    Raises:
        UsageError: The submission has no such attempt, or all records are the same.
    """
    by_run: dict[tuple[str, int, Start], list[RoundResult]] = {}
    for result in draft.rounds:
        if result.state != "excluded":
            by_run.setdefault((result.task, result.attempt, result.start), []).append(result)
    taken: dict[RoundKey, RoundResult] = {}
    for (_, _, start), results in by_run.items():
        reached = [result for result in results if result.state != "unreached"]
        is_chain = track.protocol != "once" and start == "own"
        begins = any(result.round == 1 for result in reached)
        for result in results if is_chain and begins else reached:
            taken[result.place] = result
    records = {result.place: result for result in bundle.rounds}
    missing_tasks = set(bundle.submission.missing)
    unknown = []
    for key in taken:
        if key not in records and key[0] not in missing_tasks:
            unknown.append(_name_round(key))
    if unknown:
        raise UsageError(
            f"{bundle.id} has no record of {listed(unknown, _MAX_NAMED_ROUNDS)}; "
            "`sitegen add-attempt` adds attempts, and --attempt says which one the runs replace"
        )
    if all(records.get(key) == result for key, result in taken.items()):
        raise UsageError(f"{bundle.id} already has these rounds, with the same results")
    return taken


def _name_round(key: RoundKey) -> str:
    task, attempt, number, _ = key
    return f"{task} attempt {attempt} round {number}"


def _rerun_lists(taken: _Records) -> tuple[RerunRounds, ...]:
    """Return the rounds that were run again, grouped by task and attempt."""
    numbers: dict[tuple[str, int, Start], list[int]] = {}
    for task, attempt, number, start in taken:
        numbers.setdefault((task, attempt, start), []).append(number)
    reruns = []
    for (task, attempt, start), rounds in numbers.items():
        rerun = RerunRounds(task=task, attempt=attempt, rounds=tuple(sorted(rounds)), start=start)
        reruns.append(rerun)
    return tuple(reruns)


def _with_reruns(bundle: Bundle, draft: Draft, taken: _Records, tasks: Sequence[str]) -> Draft:
    """Return a bundle in which the records of new runs replace the earlier ones."""
    earlier = bundle.submission
    later = draft.submission
    records = {result.place: result for result in bundle.rounds}
    records.update(taken)
    rounds = _in_task_order(records.values(), tasks)
    failures = _merge_failures(bundle, draft, taken, tasks)
    runs, has_lost_figures = _merge_figures(bundle, draft, records, taken)
    provenance, different_keys = merge_provenance(earlier.provenance, later.provenance)
    notes = []
    if different_keys:
        notes.append(f"The rounds that were run again differ in {', '.join(different_keys)}.")
    if has_lost_figures:
        notes.append(_FIGURES_NOTE)
    if earlier.claims:
        notes.append(_CLAIMS_NOTE)
    rerun_tasks = {task for task, *_ in taken}
    missing = tuple(task for task in earlier.missing if task not in rerun_tasks)
    changes = {
        "date": max(earlier.date, later.date),
        "missing": missing,
        "carried": earlier.carried.without(rerun_tasks) if earlier.carried else None,
        "status": Status(),
        "provenance": provenance,
        "detail": Detail(cases=case_detail(rounds, failures)),
        "claims": None,
        "caveats": tuple(dict.fromkeys((*earlier.caveats, *notes))),
    }
    return Draft(draft.id, earlier.model_copy(update=changes), rounds, runs, failures)


def _in_task_order(records: Iterable[RoundResult], tasks: Sequence[str]) -> list[RoundResult]:
    """Return records ordered by task, then by start, attempt and round."""
    positions = {task: position for position, task in enumerate(tasks)}

    def order(result: RoundResult) -> tuple[int, str, int, int]:
        return positions[result.task], result.start, result.attempt, result.round

    return sorted(records, key=order)


def _merge_failures(
    bundle: Bundle, draft: Draft, taken: _Records, tasks: Sequence[str]
) -> tuple[Failure, ...]:
    """Return the failed cases of the rounds that were kept and of those that were run again."""
    failures: list[Failure] = []
    for task in tasks:
        for failure in bundle.failures.of_task(task):
            if _round_of(failure) not in taken:
                failures.append(failure)
        for failure in draft.failures:
            if failure.task == task and _round_of(failure) in taken:
                failures.append(failure)
    return tuple(failures)


def _round_of(failure: Failure) -> RoundKey:
    return failure.task, failure.attempt, failure.round, failure.start


def _merge_figures(
    bundle: Bundle, draft: Draft, records: _Records, taken: _Records
) -> tuple[tuple[RunFigures, ...], bool]:
    """Return the figures of complete runs, and whether any figures were left out.

    The figures of an attempt are left out if only some of its rounds were run again.
    """
    own_rounds = {key for key in records if key[3] == "own"}
    kept_attempts = {key[:2] for key in own_rounds if key not in taken}
    rerun_attempts = {key[:2] for key in own_rounds if key in taken}
    figures: list[RunFigures] = []
    has_lost_figures = False
    for run in bundle.runs:
        if (run.task, run.attempt) not in rerun_attempts:
            figures.append(run)
        elif (run.task, run.attempt) in kept_attempts:
            has_lost_figures = True
    for run in draft.runs:
        run_key = (run.task, run.attempt)
        if run_key in rerun_attempts and run_key not in kept_attempts:
            figures.append(run)
    return tuple(figures), has_lost_figures
