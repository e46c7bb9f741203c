"""Compares agents on two versions of a track, over the tasks that both versions share.

Start with `compare_versions`. Both versions are scored on the shared tasks alone, as one board.
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
    """An agent on two versions of a track, scored on the tasks that both share."""

    later: Entry
    earlier: Entry
    comparison: Comparison
    """The later results compared with the earlier ones."""
    is_carried: bool
    """Whether all shared results of the later version are those of the earlier one."""


@dataclass(frozen=True, slots=True)
class VersionComparison:
    """The agents that are on a track and on the one that it replaces."""

    board: Board
    """All rows of both versions, on the tasks that both share."""
    earlier: Track
    tasks: Sequence[str]
    """Ids of the tasks that both share."""
    pairs: Sequence[VersionPair]


def compare_versions(board: Board) -> VersionComparison | None:
    """Compare the agents of a board with their results on the version before; None without one."""
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

    Its settings have to be the same as well, stated by both or by neither: results are compared
    here as if only the version differed.
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
    """Return the results of two versions as those of one track that has the shared tasks alone.

    Findings have had their effect already: some are about one of the two versions only.
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
    """Return a bundle of a version with the records of some tasks, as one of another track."""
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
