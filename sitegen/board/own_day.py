"""Claims that were right when they were made: under the findings that were known on the submission's own day."""

from dataclasses import replace

from sitegen.board.effects import with_effects
from sitegen.board.entry import Entry
from sitegen.board.on_demand import OnDemand
from sitegen.board.score import Score
from sitegen.metrics.catalogue import METRICS
from sitegen.models.benchmark import Track
from sitegen.models.results import BenchmarkResults


def with_own_day(entry: Entry, results: BenchmarkResults, track: Track) -> Entry:
    """Hold the claims of a row that agree with nothing yet against its scores under the findings of its own day.

    Args:
        entry: A row as all findings make it.
        results: The benchmark's results, as they were read.
        track: The track that it is on.

    Returns:
        The row; another one only where some findings came before its day, and others after it.
    """
    if entry.before is None or entry.sent is None:
        return entry
    unexplained = list(filter(_is_unexplained, entry.claimed))
    if not unexplained:
        return entry
    known = tuple(each for each in results.findings if each.date <= entry.date)
    (bundle,) = with_effects(replace(results, findings=known, bundles=(entry.sent,))).bundles
    then = entry.before.judged_as(bundle, track, results.tasks_of(track))
    added = {each.metric.id: replace(each, then=then.scores.get(each.metric.id)) for each in unexplained}
    return replace(entry, scores=OnDemand(METRICS, lambda name: added.get(name) or entry.scores.get(name)))


def _is_unexplained(score: Score) -> bool:
    """Whether something is claimed that agrees neither with the score nor with the one without findings."""
    return any(not score.meets(claim) and claim not in score.overtaken for claim in score.claims)
