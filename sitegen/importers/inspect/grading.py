"""Makes a round of each sample: its reward, or why it has none."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sitegen.importers.inspect import rules
from sitegen.importers.inspect.logs import Log, SampleKey
from sitegen.importers.inspect.records import Cause, Sample, Score, Usage
from sitegen.importers.inspect.scores import ScoreName, as_reward, numbers_of
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report, Spot
from sitegen.importers.kit.rewards import check_rewards
from sitegen.importers.kit.rounds import Run
from sitegen.importers.kit.rules import TRIES_FAILED

LONGEST_LABEL = 200


@dataclass(frozen=True, slots=True)
class GradedLog:
    """A log, with what decides how it is graded."""

    log: Log
    name: ScoreName
    """The score that is the reward."""
    scale: float | None = None
    """The largest possible reward; None for rewards from 0 to 1."""
    prefix: str = ""
    """What the names of its tasks begin with, before the ids of the samples."""


def rewards_of(log: Log, name: ScoreName, scale: float | None) -> dict[SampleKey, float]:
    """Return the reward of every sample that has one, invalidated samples included."""
    rewards = {}
    for key, sample in log.samples.items():
        reward = as_reward(name.of(sample.scores), scale)
        if reward is not None:
            rewards[key] = reward
    return rewards


def grade_samples(graded: GradedLog, run: Run, report: Report) -> None:
    """Add a round for each sample of a log to a run; rewards on another scale are an error."""
    log, name, prefix = graded.log, graded.name, graded.prefix
    rewards = rewards_of(log, name, graded.scale)
    if not check_rewards(rewards.values(), log.path, report, graded.scale, f"the score {name}"):
        return
    for key, sample in log.samples.items():
        task, attempt = prefix + key[0], key[1]
        spot = run.spot(task, attempt)
        cause = None if key in rewards and not sample.invalidation else _cause(sample, name)
        if sample.invalidation:
            report.doubt(
                rules.INVALIDATED, log.path, spot, one_line(sample.invalidation.reason or "")
            )
        elif cause:
            report.doubt(TRIES_FAILED, log.path, spot, cause)
        else:
            _note_oddities(sample, name, spot, log, report)
        reward = 0.0 if cause else rewards[key]
        run.grade(
            task, attempt, reward, cause, **_figures(sample), measures=_measures(sample, name)
        )
        _add_digest(run, task, attempt, log.digests.get(key))
    for (sample_id, epoch), reason in log.unusable.items():
        report.doubt(TRIES_FAILED, log.path, run.spot(prefix + sample_id, epoch), reason)
        run.grade(prefix + sample_id, epoch, 0.0, reason)


def _cause(sample: Sample, name: ScoreName) -> str:
    """Return why a sample has no verdict."""
    if sample.invalidation:
        return f"invalidated: {one_line(sample.invalidation.reason or 'no reason is given')}"
    if sample.error:
        return first_line_of(sample.error) or "the sample ended with an error that has no message"
    limit = (
        f", after the limit of {one_line(sample.limit.type or 'the task')}" if sample.limit else ""
    )
    score = sample.scores.get(name.scorer)
    if score is None:
        return f"the scorer {one_line(name.scorer)} gave no score{limit}"
    value = name.of(sample.scores)
    if value is None:
        reason = f" ({one_line(score.reason)})" if score.reason else ""
        return f"the scorer {one_line(name.scorer)} gave no verdict{reason}{limit}"
    return f"the score {name} is {one_line(str(value))}, which is no number{limit}"


def first_line_of(error: Cause) -> str:
    """Return the first line of an error: what follows is a traceback of somebody's machine."""
    line = one_line((error.message or "").strip().partition("\n")[0])
    return (
        "the run was cancelled while the sample ran" if line.startswith("CancelledError(") else line
    )


def _note_oddities(sample: Sample, name: ScoreName, spot: Spot, log: Log, report: Report) -> None:
    """Report what readers have to know of a sample that was scored."""
    if sample.error:
        report.doubt(rules.ERRORS_SCORED, log.path, spot, first_line_of(sample.error))
    if sample.limit:
        report.doubt(rules.LIMITS, log.path, spot, one_line(sample.limit.type or ""))
    score = sample.scores[name.scorer]
    original = sample.given_scores().get(name.scorer)
    if _is_by_hand(score):
        report.doubt(rules.CORRECTED, log.path, spot)
    elif not score.history and original is not None and original.value != score.value:
        fact = f"{one_line(str(score.value))}; the scorer gave {one_line(str(original.value))}"
        report.doubt(rules.CHANGED, log.path, spot, fact)


def _is_by_hand(score: Score) -> bool:
    """Return whether somebody gave a score its value; its history also has edits of other things."""
    original = score.history[0] if score.history else None
    if not isinstance(original, dict):
        return bool(score.history)
    return original.get("value") != score.value or "provenance" in original


def _figures(sample: Sample) -> dict[str, Any]:
    """Return what a sample took: turns, tokens, cost and time."""
    usage: list[Usage] = list(sample.model_usage.values())
    figures: dict[str, Any] = {"turns": sample.turn_count, "agent_seconds": sample.working_time}
    if not usage:
        return figures
    figures["input_tokens"] = sum(model.tokens_read for model in usage)
    figures["cached_tokens"] = sum(model.input_tokens_cache_read or 0 for model in usage)
    figures["output_tokens"] = sum(model.output_tokens or 0 for model in usage)
    costs = [model.total_cost for model in usage if model.total_cost is not None]
    if len(costs) == len(usage):
        figures["cost_usd"] = sum(costs)
    return figures


def _measures(sample: Sample, reward: ScoreName) -> dict[str, float] | None:
    """Return the other scores of a sample, by name: that of the part of a table, else the scorer's."""
    numbers = {name: number for name, number in numbers_of(sample.scores).items() if name != reward}
    short_names = Counter(_short_name(name) for name in numbers)
    measures = {}
    for name, number in numbers.items():
        short_name = _short_name(name)
        if short_names[short_name] > 1:
            short_name = one_line(f"{name.scorer}.{name.part}" if name.part else name.scorer)
        measures[f"{short_name}@inspect"] = number
    return measures or None


def _short_name(name: ScoreName) -> str:
    is_named = name.part is not None and not name.part.isdigit()
    return one_line(name.part or "" if is_named else str(name).replace(",", "."))


def _add_digest(run: Run, task: str, attempt: int, digest: str | None) -> None:
    """Note the checksum of a sample's file, which has both its transcript and what the scorers gave."""
    if digest:
        result = run.results[task, attempt, 1, "own"]
        run.results[task, attempt, 1, "own"] = replace(
            result, grader_digest=digest, transcript_digest=digest
        )


def labels_of(metadata: Mapping[str, object]) -> dict[str, str]:
    """Return the texts of a sample's metadata, by which tasks may be grouped."""
    texts = {}
    for key, value in metadata.items():
        if isinstance(value, str) and value:
            texts[key.lower()] = one_line(value, LONGEST_LABEL)
    return texts
