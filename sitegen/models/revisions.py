"""Facts about revisions: which submission made one, which rounds it ran again, when it arrived."""

from collections.abc import Iterator, Mapping
from datetime import date

from sitegen.models.outcome import RoundKey
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.models.submission import Revision

Bundles = Mapping[str, Bundle]
"""The submissions of a benchmark by id."""


def bundles_by_name(results: BenchmarkResults) -> dict[str, Bundle]:
    """Return the submissions of a benchmark by their ids, and by the ids they had before.

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

    A submission inherits revisions from the one it supersedes: further attempts do not undo a
    rerun.

    Args:
        bundle: The submission that lists the revision.
        position: Index of the revision among its revisions.
        bundles: The submissions of the benchmark.
    """
    revisions = bundle.submission.revisions
    earlier = bundles.get(revisions[position].of)
    if earlier is None:
        return bundle
    successor = bundles.get(earlier.submission.status.by or "")
    expected = revisions[: position + 1]
    if successor is None or successor.submission.revisions != expected:
        return bundle
    return successor


def arrival_day(bundle: Bundle, results: BenchmarkResults) -> date:
    """Return the day on which a submission's results arrived.

    It is the day in arrivals.jsonl, or else the submission's own date. A correction without
    reruns has the results of the submission that it corrects, and so the earlier of both days.
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
    """Return the submission that arrived in time and that a late one supersedes.

    None where the submission is not late, or where no submission that it supersedes was in time.
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
    """Return the submission whose results a submission has and whose manifest it corrects.

    None for a submission with runs of its own, reruns and further attempts included.
    """
    revisions = bundle.submission.revisions
    if not revisions or not revisions[-1].is_correction:
        return None
    earlier = bundles.get(revisions[-1].of)
    is_on_track = earlier is not None and earlier.submission.track == bundle.submission.track
    if not is_on_track or reviser_of(bundle, len(revisions) - 1, bundles) is not bundle:
        return None
    return earlier


def revises(bundle: Bundle, other: str) -> bool:
    """Return whether a submission is a revision of another one, given by its id."""
    return any(revision.of == other for revision in bundle.submission.revisions)


def rerun_times(bundle: Bundle) -> int:
    """Return how many revisions of a submission ran rounds again."""
    return sum(bool(revision.reruns) for revision in bundle.submission.revisions)
