"""Check results that were carried over from an earlier version of a track.

Read `carried_problems` first. Results that a bundle declares as carried must exist in the earlier
submission and be equal.
"""

from collections.abc import Collection, Iterator

from sitegen.models.benchmark import Benchmark
from sitegen.models.outcome import RoundResult
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.models.submission import Carried
from sitegen.problems import Problem, Rule, listed, reasons
from sitegen.reading.toml import broken_in
from sitegen.store.files.layout import MANIFEST_FILE

CARRIED_UNKNOWN = Rule.error(
    "CARRIED-UNKNOWN",
    "Carried results do not come from a submission on an earlier version of the track.",
    "name the earlier track and the submission on it; `sitegen new-track --carry` writes both",
    unwaivable=reasons.LOST,
)
CARRIED_DIFFERS = Rule.error(
    "CARRIED-DIFFERS",
    "Carried results differ from those of the earlier submission, or are on a task that changed.",
    "restore the records of these tasks, or take the tasks out of `carried.tasks`",
    unwaivable=reasons.LOST,
)

_MAX_NAMED_TASKS = 5


def carried_problems(results: BenchmarkResults) -> Iterator[Problem]:
    """Yield the faults of carried results: in their source, their tasks or their records."""
    bundles = {bundle.id: bundle for bundle in results.bundles}
    for bundle in results.bundles:
        carried = bundle.submission.carried
        if carried is None:
            continue
        path = bundle.path / MANIFEST_FILE
        source = bundles.get(carried.submission)
        fact = _source_fault(results.benchmark, bundle, carried, source)
        if source is None or fact:
            yield broken_in(path, CARRIED_UNKNOWN, ("carried",), fact)
            continue
        if not bundle.rounds or not source.rounds:
            continue  # One of the two was redacted, and the rest of its content is gone.
        differing = _differing_tasks(results, bundle, source, carried)
        if differing:
            names = listed(differing, _MAX_NAMED_TASKS)
            fact = f"these results differ from {source.id} on track {carried.track}: {names}"
            yield broken_in(path, CARRIED_DIFFERS, ("carried", "tasks"), fact)


def _source_fault(
    benchmark: Benchmark, bundle: Bundle, carried: Carried, source: Bundle | None
) -> str:
    """Return why a submission can't be the source of carried results; empty if it can."""
    if source is None:
        return f"there is no submission {carried.submission}"
    if source.submission.track != carried.track:
        return f"{source.id} is on track {source.submission.track}, not on {carried.track}"
    if carried.track not in benchmark.earlier_versions(bundle.submission.track):
        return f"track {bundle.submission.track} does not replace {carried.track}"
    name = benchmark.agent_name(bundle.submission.agent.name)
    source_name = benchmark.agent_name(source.submission.agent.name)
    if name != source_name:
        return f"{source.id} is by {source_name}, not by {name}"
    return ""


def _differing_tasks(
    results: BenchmarkResults, bundle: Bundle, source: Bundle, carried: Carried
) -> list[str]:
    """Return the carried tasks whose definition or records differ from the source's."""
    tracks = {track.id: track for track in results.benchmark.tracks}
    track = tracks[bundle.submission.track]
    unchanged = results.unchanged_tasks(track, tracks[carried.track])
    rounds = _rounds_by_task(bundle, carried.tasks)
    source_rounds = _rounds_by_task(source, carried.tasks)
    differing = []
    for name in carried.tasks:
        has_same_records = bool(rounds[name]) and rounds[name] == source_rounds[name]
        if name not in unchanged or not has_same_records:
            differing.append(name)
    return differing


def _rounds_by_task(bundle: Bundle, tasks: Collection[str]) -> dict[str, list[RoundResult]]:
    """Return the records of the given tasks, by task and in a fixed order."""
    rounds: dict[str, list[RoundResult]] = {name: [] for name in tasks}
    for result in bundle.rounds:
        if result.task in rounds:
            rounds[result.task].append(result)
    for results in rounds.values():
        results.sort(key=lambda result: (result.start, result.attempt, result.round))
    return rounds
