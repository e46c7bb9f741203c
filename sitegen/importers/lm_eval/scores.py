"""Choose which metric and filter of a task is the reward, and explain why others can't be."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sitegen.importers.kit.rewards import is_error_measure, parse_reward
from sitegen.importers.lm_eval.documents import Documents
from sitegen.importers.lm_eval.files import ScoreKey, TaskOutput, as_table

SHARES = frozenset({"acc", "acc_norm", "acc_mutual_info", "exact_match", "em"})
"""Metrics that are 0 or 1 for a document and averaged, unless a task says otherwise."""

_CORPUS_METRICS = frozenset({"bleu", "chrf", "f1", "matthews_corrcoef", "mcc", "ter"})
"""Metrics computed over all documents together, unless a task says otherwise."""

_MAX_SHOWN_REASONS = 3


class RepeatedTask(NamedTuple):
    """A task of one run, with its documents, if it has any."""

    output: TaskOutput
    documents: Documents | None


@dataclass(frozen=True, slots=True)
class ScoreChoice:
    """The score of a task that is its reward."""

    score: ScoreKey | None
    """The score to use as the reward; None if no score is usable."""
    usable: tuple[ScoreKey, ...] = ()
    """All scores that could be the reward, including the chosen score."""
    reasons: tuple[str, ...] = ()
    """Why each unusable score can't be the reward."""
    is_requested: bool = False
    """Whether `--metric` names the score."""

    @property
    def shown_reasons(self) -> str:
        """The first few reasons as text."""
        shown = "; ".join(self.reasons[:_MAX_SHOWN_REASONS])
        hidden_count = len(self.reasons) - _MAX_SHOWN_REASONS
        return f"{shown}; and {hidden_count} more" if hidden_count > 0 else shown


def is_lower_better(output: TaskOutput, metric: str) -> bool:
    """Return whether lower values of a metric are better."""
    directions = as_table(output.file.section("higher_is_better").get(output.task))
    config = output.file.metric_config(output.task, metric)
    for is_higher_better in (directions.get(metric), config.get("higher_is_better")):
        if isinstance(is_higher_better, bool):
            return not is_higher_better
    return is_error_measure(metric)


def find_aggregation(output: TaskOutput, metric: str) -> str:
    """Return how the harness aggregates a metric over documents; empty if unknown."""
    aggregation = output.file.metric_config(output.task, metric).get("aggregation")
    if isinstance(aggregation, str):
        return aggregation if aggregation.isidentifier() else "a function of the task"
    return "mean" if metric in SHARES else ""


def stated_value(output: TaskOutput, score: ScoreKey) -> float | None:
    """Return the figure that the results state for a score; None if it is not a finite number."""
    value = output.file.figures(output.task).get(score.key)
    return None if isinstance(value, bool) else parse_reward(value)


def choose_score(
    attempts: Sequence[RepeatedTask], metric: str | None, scale: float | None
) -> ScoreChoice:
    """Return the first score of a task that can be the reward in every run.

    A score of every document is preferred to a score that only some documents have.

    Args:
        attempts: The task in each run that counts.
        metric: The requested score, as METRIC or METRIC,FILTER.
        scale: The largest possible reward, by which values are divided.
    """
    scores: dict[ScoreKey, None] = {}
    for attempt in attempts:
        scores |= dict.fromkeys(attempt.output.file.scores(attempt.output.task))
    requested = [score for score in scores if metric in score.spellings]
    is_requested = bool(requested)
    usable_everywhere: list[ScoreKey] = []
    usable_somewhere: list[ScoreKey] = []
    reasons: list[str] = []
    for score in requested or scores:
        faults = []
        for attempt in attempts:
            fault = why_unusable(attempt, score, scale, is_requested=is_requested)
            if fault:
                faults.append(fault)
        if not faults:
            usable_everywhere.append(score)
            continue
        reasons.append(f"{score.key}: {faults[0]}")
        if len(faults) < len(attempts):
            usable_somewhere.append(score)
    if not scores:
        reasons.append("the results state no score")
    usable = usable_everywhere or usable_somewhere
    complete = [score for score in usable if _is_complete(attempts, score)]
    chosen = next(iter(complete or usable), None)
    return ScoreChoice(chosen, tuple(usable), tuple(reasons), is_requested)


def _is_complete(attempts: Sequence[RepeatedTask], score: ScoreKey) -> bool:
    """Return whether every document has the score; the harness may skip documents on purpose."""
    for _, documents in attempts:
        if documents is not None and not documents.has_metric(score.metric, score.filter):
            return False
    return True


def why_unusable(
    attempt: RepeatedTask, score: ScoreKey, scale: float | None, *, is_requested: bool = False
) -> str:
    """Return why a score of a task can't be the reward, as a clause; empty if it can be."""
    output, documents = attempt
    figures = output.file.figures(output.task)
    if score.key not in figures:
        return "this run does not have it"
    if score.metric == "bypass":
        return "the run was made with `--predict_only`, and nothing was scored"
    if is_lower_better(output, score.metric):
        return "lower values are better"
    figure = figures[score.key]
    if documents is None:
        if not _is_mean(output, score.metric):
            return "it is not a mean over documents"
        return _why_no_rewards([figure], scale)
    if isinstance(figure, float) and not math.isfinite(figure) and not is_requested:
        option = f"`--metric {score.key}` uses the documents that have a number"
        return f"the harness's own figure is {figure}; {option}"
    return _why_no_rewards(documents.metric_values(score.metric, score.filter), scale)


def _is_mean(output: TaskOutput, metric: str) -> bool:
    """Return whether the figure of a metric can be a mean over documents."""
    aggregation = find_aggregation(output, metric)
    if aggregation:
        return aggregation == "mean"
    return metric not in _CORPUS_METRICS


def collect_rewards(values: Sequence[object], scale: float | None = None) -> list[float]:
    """Return the values that are numbers, as rewards."""
    rewards = []
    for value in values:
        reward = parse_reward(value, scale)
        if reward is not None:
            rewards.append(reward)
    return rewards


def _why_no_rewards(values: Sequence[object], scale: float | None) -> str:
    """Return why the values of a score can't be rewards; empty if they can be."""
    rewards = collect_rewards(values, scale)
    if not rewards:
        if any(isinstance(value, list | dict) for value in values):
            return "it is a figure over all documents, but no document has one of its own"
        return "none of its values is a number"
    lowest = min(rewards) * (scale or 1)
    highest = max(rewards) * (scale or 1)
    if lowest < 0:
        return f"its values go down to {lowest:g}, but a reward must be at least 0"
    if max(rewards) > 1:
        return f"its values go up to {highest:g}, but `--scale` does not state the maximum"
    return ""
