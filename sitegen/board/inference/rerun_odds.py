"""How often an honest rerun of a submission counts as reproduced, and the margin it must keep."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.inference.second_run_scores import SecondRuns, second_runs
from sitegen.board.reproduction import RerunTerms, fixed_margin
from sitegen.metrics.arrays import FloatArray
from sitegen.metrics.generalizability import RepeatedScores, averages_attempts
from sitegen.metrics.intervals import FEWEST_TASKS
from sitegen.metrics.reruns import (
    HONEST_PASS_RATE,
    MAX_ALIKE_SHARE,
    RerunStandardError,
    equivalence_margins,
    median_standard_error,
    pooled_variances,
)
from sitegen.metrics.resampling import attempt_scores
from sitegen.metrics.tolerances import SCORE_TOLERANCE

_MAX_ROWS = 200
"""Maximum number of top rows that are compared; the number of pairs grows with its square."""


@dataclass(frozen=True, slots=True)
class RunVariances:
    """How much the task scores of a board's agents vary from run to run."""

    by_submission: Mapping[str, FloatArray]
    """The variance between runs of the score on each task, by submission id."""
    attempts: Mapping[str, int]
    """The number of attempts that each of these scores is averaged over, by submission id."""
    second: SecondRuns | None = None
    """The second runs behind the variances; None if the variances are from several attempts."""


def rerun_terms(board: Board, entry: Entry) -> RerunTerms | None:
    """Return the margin that a rerun must keep; None if the submission's score cannot be tested."""
    score = entry.scores.get(board.headline.id)
    if (
        score is None
        or score.value is None
        or entry.submission_results is None
        or entry.has_missing_tasks
    ):
        return None
    if board.inference.untested_order:
        return None
    fixed = fixed_margin(score)
    standard_error, source = _standard_error_of(board, entry)
    if standard_error is None:
        assumed = _assumed_standard_error(board)
        chance = None
        if assumed:
            chance = assumed.chance_within(fixed)
        return RerunTerms(
            margin=fixed,
            fixed=fixed,
            alike_pairs=_alike_within(board, fixed),
            pairs=len(_margins_of_pairs(board)),
            chance_if_like_agents=chance,
        )
    wanted = fixed
    if standard_error.chance_within(fixed) < HONEST_PASS_RATE:
        wanted = standard_error.margin_for(HONEST_PASS_RATE)
    zero_could_pass = wanted > abs(score.value) / 2 + SCORE_TOLERANCE
    margin = wanted
    if zero_could_pass or not _separates_agents(board, wanted):
        margin = fixed
    return RerunTerms(
        margin=margin,
        fixed=fixed,
        alike_pairs=_alike_within(board, margin),
        pairs=len(_margins_of_pairs(board)),
        chance=standard_error.chance_within(margin),
        chance_range=standard_error.range_within(margin),
        chance_at_fixed=standard_error.chance_within(fixed),
        wanted=wanted,
        alike_pairs_at_wanted=_alike_within(board, wanted),
        zero_could_pass=zero_could_pass,
        source=source,
        has_leak=_has_leak(board),
    )


def _separates_agents(board: Board, margin: float) -> bool:
    """Return whether fewer than 1 in 20 pairs of agents are the same within a margin.

    False if there are no pairs, since nothing is known then.
    """
    return _alike_within(board, margin) < MAX_ALIKE_SHARE * len(_margins_of_pairs(board))


def _standard_error_of(board: Board, entry: Entry) -> tuple[RerunStandardError | None, str]:
    """Return the standard error of the difference between two runs of an agent, and its source."""
    runs = board.cached_by(_run_variances)
    if runs is None or entry.submission_results is None:
        return None, ""
    has_runs = entry.id in runs.by_submission
    if has_runs:
        variances = runs.by_submission[entry.id]
        attempts = runs.attempts[entry.id]
    elif len(runs.by_submission) > 1:
        variances = pooled_variances(list(runs.by_submission.values()))
        attempts = next(iter(runs.attempts.values()))
    else:
        return None, ""
    resampling = board.inference.resampling
    variances = variances * (attempts / entry.submission_results.attempts_made)
    standard_error = RerunStandardError.from_variances(
        variances, len(resampling.tasks), len(resampling.units)
    )
    return standard_error, _source_words(runs, has_runs=has_runs)


def _has_leak(board: Board) -> bool:
    """Return whether a leak is known for the second runs that variances come from."""
    runs = board.cached_by(_run_variances)
    return bool(runs and runs.second and runs.second.findings)


def _source_words(runs: RunVariances, *, has_runs: bool) -> str:
    """Return a phrase for the source of the variance between runs.

    Args:
        runs: The known variances.
        has_runs: Whether the submission's own runs are among them.
    """
    number = len(runs.by_submission)
    if runs.second:
        agents = f"the two runs of {number} other agents"
        if has_runs:
            agents = "its two runs"
        return f"{agents}, on this track and on {runs.second.track.title}"
    if not has_runs:
        return f"the attempts of {number} other agents"
    attempts = next(iter(runs.attempts.values()))
    return f"its {attempts} attempts at each task"


def _run_variances(board: Board) -> RunVariances | None:
    """Return how much scores vary from run to run; None if nobody ran enough tasks twice."""
    if len(board.inference.resampling.tasks) < FEWEST_TASKS:
        return None
    if averages_attempts(board.headline):
        variances_of_attempts = _from_attempts(board)
        if variances_of_attempts.by_submission:
            return variances_of_attempts
    runs = second_runs(board)
    if runs is None or len(runs.tasks) < FEWEST_TASKS:
        return None
    variances = {}
    for submission_id, scores in runs.scores.items():
        variances[submission_id] = RepeatedScores.from_two_runs(
            [scores], runs.attempts
        ).run_variances[0]
    return RunVariances(variances, dict.fromkeys(variances, runs.attempts), runs)


def _from_attempts(board: Board) -> RunVariances:
    """Return the variances of submissions that made every attempt at every task.

    A submission for which a finding excludes a task is left out.
    """
    if board.track.attempts == 1:
        return RunVariances({}, {})
    variances = {}
    task_count = len(board.inference.resampling.tasks)
    for entry in board.all_entries:
        results = entry.submission_results
        if (
            results is None
            or entry.has_missing_tasks
            or results.attempts_made != board.track.attempts
        ):
            continue
        has_all_tasks = len(results.tasks) == task_count
        if has_all_tasks and all(
            len(task_results) == results.attempts_made
            for task_results in results.rewards_of_made_attempts
        ):
            scores = RepeatedScores.from_attempts([attempt_scores(board.headline, results)])
            variances[entry.id] = scores.run_variances[0]
    return RunVariances(variances, dict.fromkeys(variances, board.track.attempts))


def _assumed_standard_error(board: Board) -> RerunStandardError | None:
    """Return the standard error if reruns differed as much as the median pair of agents.

    None if there are fewer than two agents.
    """
    resampling = board.inference.resampling
    if len(_compared_submissions(board)) < 2:  # noqa: PLR2004 - a pair
        return None
    standard_error = board.cached_by(_median_standard_error)
    return RerunStandardError(
        standard_error, float(len(resampling.units) - 1), len(resampling.units)
    )


def _median_standard_error(board: Board) -> float:
    submissions = _compared_submissions(board)
    resampling = board.inference.resampling
    contributions = resampling.variance_contributions(board.headline, submissions)
    return median_standard_error(contributions)


def _compared_submissions(board: Board) -> list[str]:
    """Return the ids of the best ranked submissions with results, excluding maintainers' reruns."""
    reruns = {finding.rerun for finding in board.results.findings}
    ranked = []
    for entry in board.ranked_entries:
        if entry.submission_results and entry.id not in reruns:
            ranked.append(entry)
    return [entry.id for entry in ranked[:_MAX_ROWS]]


def _margins_of_pairs(board: Board) -> Sequence[float]:
    """Return the sorted margins within which pairs of agents are shown to be the same."""
    return board.cached_by(_sorted_margins)


def _sorted_margins(board: Board) -> Sequence[float]:
    submissions = _compared_submissions(board)
    if len(submissions) < 2:  # noqa: PLR2004 - a pair
        return ()
    resampling = board.inference.resampling
    contributions = resampling.variance_contributions(board.headline, submissions)
    margins: list[float] = equivalence_margins(contributions, resampling.degrees).tolist()
    return sorted(margins)


def _alike_within(board: Board, margin: float) -> int:
    """Return how many pairs of different agents are shown to be the same within a margin."""
    return bisect_right(_margins_of_pairs(board), margin + SCORE_TOLERANCE)
