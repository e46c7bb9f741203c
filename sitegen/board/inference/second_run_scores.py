"""Second runs of a board's agents, on a track that replaced the board's or was replaced by it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from sitegen.board.agents import closest_of_agent
from sitegen.board.board import Board
from sitegen.board.entry import bundle_entry
from sitegen.board.findings import MarkedFinding, marked_findings, with_effects
from sitegen.metrics.conditions import Conditions
from sitegen.metrics.reruns import TwoRuns, split_two_runs
from sitegen.metrics.results import SubmissionResults
from sitegen.models.benchmark import Track

_SUSPECT = frozenset({"leak", "contamination"})
"""Kinds of findings that suggest that differences between runs are not due to chance."""


@dataclass(frozen=True, slots=True)
class SecondRuns:
    """Two runs of the same agents on the same tasks.

    Tracks may differ in conditions on purpose, such as in hints, so only runs on a track that is
    connected to the board's track by `superseded_by` count as second runs.
    """

    track: Track
    """The track of the other run."""
    tasks: Sequence[str]
    """Ids of the tasks that count in both runs."""
    attempts: int
    """The number of attempts at each task, the same in both runs."""
    scores: Mapping[str, TwoRuns]
    """The tasks' contributions to the headline score in both runs, by submission."""
    findings: Sequence[MarkedFinding]
    """The known leaks and contaminations of either track."""


def second_runs(board: Board) -> SecondRuns | None:
    """Return the second runs on the track with the most agents that ran twice; None if none did."""
    return board.cached_by(_second_runs)


def _second_runs(board: Board) -> SecondRuns | None:
    if not board.headline.is_tested:  # A median has no task contributions.
        return None
    second = []
    for track in _connected(board):
        runs = _runs_on(board, track)
        if runs:
            second.append(runs)
    return max(second, key=lambda runs: len(runs.scores), default=None)


def _connected(board: Board) -> Iterator[Track]:
    """Yield the tracks of the same protocol that a board's track replaced or that replaced it."""
    current = board.track
    for track in board.benchmark.tracks:
        is_connected = track.superseded_by == current.id or current.superseded_by == track.id
        if is_connected and track.protocol == current.protocol and track.id != current.id:
            yield track


def _runs_on(board: Board, track: Track) -> SecondRuns | None:
    """Return the runs of a board's agents on another track; None unless attempts per task agree."""
    pairs = list(_pairs(board, track))
    all_results = []
    for _, first, second in pairs:
        all_results += [first, second]
    attempts = {results.attempts_made for results in all_results}
    if len(attempts) != 1:
        return None
    tasks = _shared_tasks(board, all_results)
    if len(tasks) < 2:  # noqa: PLR2004 - one task shows nothing about others
        return None
    scores = {}
    for submission_id, first, second in pairs:
        runs = split_two_runs(board.headline, _on_tasks(first, tasks), _on_tasks(second, tasks))
        if runs is not None:
            scores[submission_id] = runs
    if not scores:
        return None
    findings = []
    for mark in marked_findings(board.results.findings):
        is_on_tracks = mark.finding.is_on(track.id) or mark.finding.is_on(board.track.id)
        if mark.finding.kind in _SUSPECT and is_on_tracks:
            findings.append(mark)
    return SecondRuns(track, tasks, attempts.pop(), scores, findings)


def _pairs(
    board: Board, track: Track
) -> Iterator[tuple[str, SubmissionResults, SubmissionResults]]:
    """Yield each ranked submission's id and results, and its agent's results on another track."""
    benchmark = board.benchmark
    results = replace(board.results, bundles=board.results.bundles_of(track))
    conditions = Conditions.on_track(board.results, track)
    rows_with_results = []
    for bundle in with_effects(results).bundles:
        entry = bundle_entry(bundle, bundle.submission.agent, conditions, {})
        if entry.submission_results and entry.is_published and not entry.has_missing_tasks:
            rows_with_results.append(entry)
    for entry in board.ranked_entries:
        second = closest_of_agent(
            entry.agent, rows_with_results, attrgetter("agent"), benchmark.agent_name
        )
        if entry.submission_results and second and second.submission_results:
            yield entry.id, entry.submission_results, second.submission_results


def _shared_tasks(board: Board, all_results: Sequence[SubmissionResults]) -> list[str]:
    """Return the tasks whose same rounds count in all results, in the board's order."""
    shared = set.intersection(*(_counting_rounds(results) for results in all_results))
    shared_ids = {task for task, _ in shared}
    shared_tasks = []
    for task in board.inference.resampling.tasks:
        if task in shared_ids:
            shared_tasks.append(task)
    return shared_tasks


def _counting_rounds(results: SubmissionResults) -> set[tuple[str, tuple[int, ...]]]:
    """Return each task of a submission's results with the rounds that count."""
    rounds_by_task = set()
    for task_results in results.tasks:
        rounds_by_task.add((task_results.task.id, tuple(task_results.rounds)))
    return rounds_by_task


def _on_tasks(results: SubmissionResults, tasks: Sequence[str]) -> SubmissionResults:
    """Return results on some of the tasks."""
    chosen = set(tasks)
    chosen_tasks = []
    for task_results in results.tasks:
        if task_results.task.id in chosen:
            chosen_tasks.append(task_results)
    return replace(results, tasks=chosen_tasks)
