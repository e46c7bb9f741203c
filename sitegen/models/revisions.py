"""Facts about revisions: who made them, what was run again, and when submissions arrived."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from operator import attrgetter

from sitegen.models.digests import Run
from sitegen.models.outcome import RoundKey, RoundResult
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.models.submission import Revision

Bundles = Mapping[str, Bundle]
"""The submissions of a benchmark, by id."""


def bundles_by_name(results: BenchmarkResults) -> dict[str, Bundle]:
    """Return the submissions of a benchmark by their current and former ids.

    A revision keeps the id by which it named the earlier submission.
    """
    bundles = {bundle.id: bundle for bundle in results.bundles}
    for renaming in reversed(results.benchmark.renamed):
        old_name = renaming.old.rpartition("/")[2]
        renamed = bundles.get(renaming.new.rpartition("/")[2])
        if renamed and "/" in renaming.old:
            bundles.setdefault(old_name, renamed)
    return bundles


def rerun_keys(revision: Revision) -> Iterator[RoundKey]:
    """Yield the keys of the rounds that a revision lists as run again, in its order."""
    for rerun in revision.reruns:
        for number in rerun.rounds:
            yield rerun.task, rerun.attempt, number, rerun.start


def reviser_of(bundle: Bundle, position: int, bundles: Bundles) -> Bundle:
    """Return the submission that made one of a submission's revisions.

    A submission inherits revisions from the submission that it supersedes: further attempts do not
    undo a rerun.

    Args:
        bundle: The submission that lists the revision.
        position: Index of the revision among its revisions.
        bundles: The submissions of the benchmark.
    """
    revisions = bundle.submission.revisions
    earlier = bundles.get(revisions[position].of)
    if earlier is None:
        return bundle
    expected = revisions[: position + 1]
    successor = bundles.get(earlier.submission.status.by or "")
    if successor is not None and successor.submission.revisions == expected:
        return successor
    if position == len(revisions) - 1:
        return bundle
    # The submission that made it has itself been revised; the next revision names it.
    reviser = bundles.get(revisions[position + 1].of)
    if reviser is not None and reviser.submission.revisions == expected:
        return reviser
    return bundle


def current_bundle(bundle: Bundle, bundles: Bundles) -> Bundle:
    """Return the submission that currently replaces a submission: the last of its successors.

    It is the submission itself if nothing superseded it. The last successor may be withdrawn.
    """
    seen = {bundle.id}
    current = bundle
    while current.submission.status.state == "superseded":
        successor = bundles.get(current.submission.status.by or "")
        if successor is None or successor.id in seen:
            break
        seen.add(successor.id)
        current = successor
    return current


def arrival_day(bundle: Bundle, results: BenchmarkResults) -> date:
    """Return the day on which a submission's results arrived.

    It is the day in arrivals.jsonl, or else the submission's own date. A correction without
    reruns has the results of the submission that it corrects, so the earlier of both days counts.
    """
    days = results.arrivals.days
    day = days.get(bundle.id, bundle.submission.date)
    if not bundle.submission.revisions:
        return day
    bundles = bundles_by_name(results)
    seen = {bundle.id}
    corrected = corrected_bundle(bundle, bundles)
    while corrected is not None and corrected.id not in seen:
        seen.add(corrected.id)
        day = min(day, days.get(corrected.id, bundle.submission.date))
        corrected = corrected_bundle(corrected, bundles)
    return day


def predecessor_in_time(bundle: Bundle, results: BenchmarkResults, deadline: date) -> Bundle | None:
    """Return the submission that arrived in time and that a late submission supersedes.

    None if the submission is not late, or if no submission that it supersedes was in time.
    """
    if arrival_day(bundle, results) <= deadline:
        return None
    predecessors = {}
    for other in results.bundles:
        status = other.submission.status
        if status.state == "superseded" and status.by:
            predecessors[status.by] = other
    seen = {bundle.id}
    earlier = predecessors.get(bundle.id)
    while earlier is not None and earlier.id not in seen:
        if arrival_day(earlier, results) <= deadline:
            return earlier
        seen.add(earlier.id)
        earlier = predecessors.get(earlier.id)
    return None


def corrected_bundle(bundle: Bundle, bundles: Bundles) -> Bundle | None:
    """Return the earlier submission whose manifest a submission corrects without any new runs.

    None for a submission with runs of its own, including reruns and further attempts.
    """
    revisions = bundle.submission.revisions
    if not revisions or not revisions[-1].is_correction:
        return None
    earlier = bundles.get(revisions[-1].of)
    is_on_track = earlier is not None and earlier.submission.track == bundle.submission.track
    if not is_on_track or reviser_of(bundle, len(revisions) - 1, bundles) is not bundle:
        return None
    return earlier


def added_attempts(before: Mapping[Run, object], after: Mapping[Run, object]) -> tuple[int, ...]:
    """Return the attempts that a later state adds to an earlier state, in order.

    Args:
        before: The content of each run of the earlier state.
        after: The content of each run of the later state.

    Returns:
        The numbers of the attempts; empty if a run of the earlier state is gone or differs, or if
            a further run belongs to one of its attempts.
    """
    if any(after.get(run) != content for run, content in before.items()):
        return ()
    earlier_attempts = {attempt for _, attempt, _ in before}
    added = {attempt for _, attempt, _ in after.keys() - before.keys()}
    if not earlier_attempts or not added or min(added) <= max(earlier_attempts):
        return ()
    return tuple(sorted(added))


def submission_with_fewer_attempts(
    bundle: Bundle, bundles: Iterable[Bundle]
) -> tuple[Bundle, tuple[int, ...]] | None:
    """Return the submission whose attempts a submission keeps, and the attempts that it adds.

    None if it supersedes no submission of its track, or does more than add attempts to it.
    """
    for other in bundles:
        is_replaced = other.submission.status.by == bundle.id
        if not is_replaced or other.submission.track != bundle.submission.track:
            continue
        added = added_attempts(_runs_of(other), _runs_of(bundle))
        if added:
            return other, added
    return None


def _runs_of(bundle: Bundle) -> dict[Run, list[RoundResult]]:
    """Return the records of each run of a submission, in the order of its rounds."""
    runs: dict[Run, list[RoundResult]] = {}
    for result in sorted(bundle.rounds, key=attrgetter("round")):
        runs.setdefault((result.task, result.attempt, result.start), []).append(result)
    return runs


def adds_missing_tasks(bundle: Bundle, other: Bundle) -> bool:
    """Return whether a submission has only tasks for which another submission has no results."""
    tasks = {result.task for result in bundle.rounds}
    return bool(tasks) and tasks <= {*other.submission.missing}


def revises(bundle: Bundle, other: str) -> bool:
    """Return whether a submission is a revision of another submission, given by its id."""
    return any(revision.of == other for revision in bundle.submission.revisions)


def rerun_times(bundle: Bundle) -> int:
    """Return how many revisions of a submission ran rounds again."""
    return sum(bool(revision.reruns) for revision in bundle.submission.revisions)
