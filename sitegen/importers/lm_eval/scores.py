"""Decides which metric and filter of a task is the reward, and says why others can't be."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sitegen.importers.kit.rewards import reward_of
from sitegen.importers.lm_eval.documents import Documents
from sitegen.importers.lm_eval.files import Score, TaskRun, table_of

_LOWER_IS_BETTER = frozenset(
    {
        "bits_per_byte",
        "brier_score",
        "byte_perplexity",
        "calibration_error",
        "cer",
        "ece",
        "perplexity",
        "ter",
        "wer",
        "word_perplexity",
    }
)
"""Metrics of which no file has to say that lower is better."""

SHARES = frozenset({"acc", "acc_norm", "acc_mutual_info", "exact_match", "em"})
"""Metrics that are 0 or 1 for a document, and means over documents where a task does not say how it sums them up."""

_NO_MEANS = frozenset({"bleu", "chrf", "f1", "matthews_corrcoef", "mcc", "ter"})
"""Metrics that the harness works out over all documents together, unless a task says otherwise."""

_SHOWN_REASONS = 3


class Candidate(NamedTuple):
    """A task of one run, with its documents, if it has them."""

    task_run: TaskRun
    documents: Documents | None


@dataclass(frozen=True, slots=True)
class Choice:
    """What was decided about the score of a task."""

    score: Score | None
    """The reward; None where no score can be it."""
    usable: tuple[Score, ...] = ()
    """Scores that could be the reward as well, the chosen one among them."""
    reasons: tuple[str, ...] = ()
    """Why each of the others can't be."""
    is_asked_for: bool = False
    """Whether `--metric` names the score."""

    @property
    def shown_reasons(self) -> str:
        """The first reasons, in words."""
        more = len(self.reasons) - _SHOWN_REASONS
        shown = "; ".join(self.reasons[:_SHOWN_REASONS])
        return f"{shown}; and {more} more" if more > 0 else shown


def is_lower_better(task_run: TaskRun, metric: str) -> bool:
    """Return whether a metric of a task is better the lower it is."""
    stated = table_of(
        table_of(task_run.file.content.get("higher_is_better")).get(task_run.task)
    ).get(metric)
    if not isinstance(stated, bool):
        stated = task_run.file.metric_config(task_run.task, metric).get("higher_is_better")
    if not isinstance(stated, bool):
        return metric in _LOWER_IS_BETTER
    return not stated


def aggregation_of(task_run: TaskRun, metric: str) -> str:
    """Return how the harness sums a metric up over documents; empty where that is not known."""
    stated = task_run.file.metric_config(task_run.task, metric).get("aggregation")
    if isinstance(stated, str):
        return stated if stated.isidentifier() else "a function of the task"
    return "mean" if metric in SHARES else ""


def stated_value(task_run: TaskRun, score: Score) -> float | None:
    """Return what the results state for a score; None where it is no finite number."""
    value = task_run.file.figures(task_run.task).get(score.key)
    return reward_of(value) if not isinstance(value, bool) else None


def choose_score(
    candidates: Sequence[Candidate], metric: str | None, scale: float | None
) -> Choice:
    """Return the score of a task that is the reward of every run: the first one that can be.

    A score that every document has goes before one that only some documents have.

    Args:
        candidates: The task in each run that counts.
        metric: The score that is asked for, as METRIC or METRIC,FILTER.
        scale: The largest possible reward, by which values are divided.
    """
    scores: dict[Score, None] = {}
    for candidate in candidates:
        scores |= dict.fromkeys(candidate.task_run.file.scores(candidate.task_run.task))
    asked = [
        score
        for score in scores
        if metric in {score.metric, score.key, f"{score.metric},{score.filter}"}
    ]
    usable: list[Score] = []
    somewhere: list[Score] = []
    reasons: list[str] = []
    for score in asked or scores:
        whys = [
            why_unusable(candidate, score, scale, is_asked_for=bool(asked))
            for candidate in candidates
        ]
        if not any(whys):
            usable.append(score)
        elif not all(whys):
            somewhere.append(score)
        if any(whys):
            reasons.append(f"{score.key}: {next(reason for reason in whys if reason)}")
    if not scores:
        reasons.append("the results state no score")
    choosable = usable or somewhere
    complete = [
        score
        for score in choosable
        if all(_is_complete(candidate, score) for candidate in candidates)
    ]
    chosen = next(iter(complete or choosable), None)
    return Choice(chosen, tuple(choosable), tuple(reasons), is_asked_for=bool(asked))


def _is_complete(candidate: Candidate, score: Score) -> bool:
    """Return whether the harness scored every document of a task by a metric; some it leaves out on purpose."""
    if candidate.documents is None:
        return True
    by_document = candidate.documents.figures.get(score.filter, {})
    return all(score.metric in figures for figures in by_document.values())


def why_unusable(
    candidate: Candidate, score: Score, scale: float | None, *, is_asked_for: bool = False
) -> str:
    """Return why a score of a task can't be the reward, as a clause; empty where it can be."""
    task_run = candidate.task_run
    figures = task_run.file.figures(task_run.task)
    if score.key not in figures:
        return "this run does not have it"
    if score.metric == "bypass":
        return "the run was made with `--predict_only`, and nothing was scored"
    if is_lower_better(task_run, score.metric):
        return "lower values are better"
    stated = figures[score.key]
    is_finite = not isinstance(stated, float) or math.isfinite(stated)
    if candidate.documents is None:
        way = aggregation_of(task_run, score.metric)
        if way not in {"", "mean"} or (not way and score.metric in _NO_MEANS):
            return "it is no mean over documents"
        return _why_no_rewards([stated], scale)
    if not is_finite and not is_asked_for:
        return f"the harness's own figure is {stated}; `--metric {score.key}` takes the documents that have a number"
    values = list(candidate.documents.values(score.metric, score.filter).values())
    return _why_no_rewards(values, scale)


def _why_no_rewards(values: Sequence[object], scale: float | None) -> str:
    """Return why the values of a score can't be rewards; empty where they can be."""
    rewards = [
        reward for reward in (reward_of(value, scale) for value in values) if reward is not None
    ]
    if not rewards and any(isinstance(value, list | dict) for value in values):
        return "it is a figure over all documents, and no document has one of its own"
    if not rewards:
        return "none of its values is a number"
    if min(rewards) < 0:
        return f"its values go down to {min(rewards) * (scale or 1):g}, and a reward is at least 0"
    if max(rewards) > 1:
        return f"its values go up to {max(rewards) * (scale or 1):g}, and `--scale` does not state the largest one"
    return ""
