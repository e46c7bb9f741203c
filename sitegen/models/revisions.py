"""Facts about revisions: which submission made one, and which rounds it ran again."""

from collections.abc import Iterator, Mapping

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


def revises(bundle: Bundle, other: str) -> bool:
    """Return whether a submission is a revision of another one, given by its id."""
    return any(revision.of == other for revision in bundle.submission.revisions)


def rerun_times(bundle: Bundle) -> int:
    """Return how many revisions of a submission ran rounds again."""
    return sum(bool(revision.reruns) for revision in bundle.submission.revisions)
