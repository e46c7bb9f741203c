"""Comparison of agents on two versions of a track, over the tasks that both versions share.

Read `compare_versions` first. Both versions are scored on the shared tasks only, as one board.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sitegen.board.agents import has_same_settings, is_same_agent
from sitegen.board.board import Board
from sitegen.board.entry import Entry, attempts_made
from sitegen.board.findings import with_effects
from sitegen.board.inference.comparison import Comparison, comparisons
from sitegen.board.making import make_boards
from sitegen.models.benchmark import Track
from sitegen.models.results import BenchmarkResults, Bundle
from sitegen.models.task import TaskSet

_SHARED = "shared"


@dataclass(frozen=True, slots=True)
class VersionPair:
    """An agent on two versions of a track, scored on the tasks that both versions share."""

    later: Entry
    earlier: Entry
    comparison: Comparison
    """The later results compared with the earlier results."""
    is_carried: bool
    """Whether all later results on shared tasks were carried over from the earlier version."""


@dataclass(frozen=True, slots=True)
class VersionComparison:
    """The agents that are on a track and on the track that it replaces."""

    board: Board
    """All rows of both versions, on the tasks that both versions share."""
    earlier: Track
    tasks: Sequence[str]
    """Ids of the tasks that both versions share."""
    pairs: Sequence[VersionPair]


def compare_versions(board: Board) -> VersionComparison | None:
    """Compare a board's agents with their results on the earlier version; None if there is none."""
    return board.cached_by(_compare_versions)


def _compare_versions(board: Board) -> VersionComparison | None:
    tracks = {track.id: track for track in board.benchmark.tracks}
    earlier = tracks.get(board.track.replaces or "")
    if earlier is None:
        return None
    tasks = board.results.unchanged_tasks(board.track, earlier)
    if not tasks:
        return None
    shared = _on_shared_tasks(board.results, board.track, earlier, tasks)
    (joint,) = make_boards(shared)
    rows = {entry.id: entry for entry in joint.entries}
    pairs = []
    for bundle in board.results.bundles_of(board.track):
        later = rows.get(bundle.id)
        former = _earlier_row(board, bundle, earlier, rows)
        if later is None or former is None:
            continue
        (comparison,) = comparisons(joint, later, [former])
        carried = bundle.submission.carried
        is_carried = carried is not None and {*tasks_with_results(later)} <= {*carried.tasks}
        pairs.append(VersionPair(later, former, comparison, is_carried))
    if not pairs:
        return None
    return VersionComparison(joint, earlier, tasks, pairs)


def tasks_with_results(entry: Entry) -> list[str]:
    """Return the ids of the tasks that a row has results for."""
    return [result.task.id for result in entry.task_results if not result.is_missing]


def _earlier_row(
    board: Board, bundle: Bundle, earlier: Track, rows: Mapping[str, Entry]
) -> Entry | None:
    """Return the row of the same agent on the earlier version.

    Its settings must also be the same, stated by both submissions or by neither, since results are
    compared as if only the version differed.
    """
    agent = bundle.submission.agent
    for candidate in board.results.bundles_of(earlier):
        candidate_agent = candidate.submission.agent
        is_same = is_same_agent(agent, candidate_agent, board.benchmark.agent_name)
        if is_same and has_same_settings(agent, candidate_agent) and candidate.id in rows:
            return rows[candidate.id]
    return None


def _on_shared_tasks(
    results: BenchmarkResults, track: Track, earlier: Track, tasks: Sequence[str]
) -> BenchmarkResults:
    """Return the results of two versions as results of one track with only the shared tasks.

    Findings have already taken effect: some apply to only one of the versions.
    """
    shared_track = track.model_copy(update={"tasks": _SHARED, "replaces": None, "deadline": None})
    by_id = results.tasks_of(track).by_id()
    task_set = TaskSet(_SHARED, tuple(by_id[task_id] for task_id in tasks))
    sent = with_effects(results.with_known_costs())
    bundles = []
    for version in (track, earlier):
        for bundle in sent.bundles_of(version):
            if bundle.submission.status.state == "published" and bundle.rounds:
                bundles.append(_restricted(bundle, version, shared_track, tasks))
    return replace(
        results,
        benchmark=results.benchmark.model_copy(update={"tracks": (shared_track,)}),
        task_sets={_SHARED: task_set},
        bundles=tuple(bundles),
        reported=(),
        findings=(),
        finding_lines=(),
        problems=(),
        sealed=None,
    )


def _restricted(bundle: Bundle, version: Track, track: Track, tasks: Sequence[str]) -> Bundle:
    """Return a bundle as a bundle of another track, with only the records of some tasks."""
    missing = tuple(task_id for task_id in bundle.submission.missing if task_id in tasks)
    submission = bundle.submission.model_copy(
        update={
            "track": track.id,
            "missing": missing,
            "attempts": attempts_made(bundle.submission, version),
            "baseline": False,
            "claims": None,
        }
    )
    rounds = tuple(result for result in bundle.rounds if result.task in tasks)
    runs = tuple(run for run in bundle.runs if run.task in tasks)
    return replace(bundle, submission=submission, rounds=rounds, runs=runs, round_lines=())
