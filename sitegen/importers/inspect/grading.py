"""Make a round from each sample: its reward, or the reason why there is no reward."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sitegen.importers.inspect import rules
from sitegen.importers.inspect.logs import Log, SampleKey
from sitegen.importers.inspect.records import EndReason, LogSample, SampleScore
from sitegen.importers.inspect.scores import ScoreName, as_reward, collect_numbers
from sitegen.importers.kit.import_log import ImportLog, SourceLocation
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rewards import check_rewards
from sitegen.importers.kit.rounds import AgentResults
from sitegen.importers.kit.rules import RUN_FAILED

MAX_LABEL_LENGTH = 200


@dataclass(frozen=True, slots=True)
class GradedLog:
    """A log, with the facts that determine how it is graded."""

    log: Log
    name: ScoreName
    """The score that is the reward."""
    scale: float | None = None
    """The largest possible reward; None for rewards from 0 to 1."""
    prefix: str = ""
    """Prefix of the names of the log's tasks, followed in each name by the id of the sample."""


def collect_rewards(log: Log, name: ScoreName, scale: float | None) -> dict[SampleKey, float]:
    """Return the rewards of all samples with a reward, including invalidated samples."""
    rewards = {}
    for key, sample in log.samples.items():
        reward = as_reward(name.find_value(sample.scores), scale)
        if reward is not None:
            rewards[key] = reward
    return rewards


def grade_samples(graded: GradedLog, run: AgentResults, import_log: ImportLog) -> None:
    """Add a round for each sample of a log to a run; rewards on another scale are an error."""
    log = graded.log
    name = graded.name
    rewards = collect_rewards(log, name, graded.scale)
    if not check_rewards(rewards.values(), log.path, import_log, graded.scale, f"the score {name}"):
        return
    for key, sample in log.samples.items():
        sample_id, attempt = key
        task = graded.prefix + sample_id
        spot = run.spot(task, attempt)
        cause = None
        if sample.invalidation:
            reason = sample.invalidation.reason or ""
            import_log.add_doubt(rules.INVALIDATED, log.path, spot, one_line(reason))
            cause = f"invalidated: {one_line(reason or 'no reason is given')}"
        elif key in rewards:
            _report_oddities(sample, name, spot, log, import_log)
        else:
            cause = _find_cause(sample, name)
            import_log.add_doubt(RUN_FAILED, log.path, spot, cause)
        reward = 0.0 if cause else rewards[key]
        figures = _collect_figures(sample)
        measures = _collect_measures(sample, name)
        run.grade(task, attempt, reward, cause, **figures, measures=measures)
        _add_digest(run, task, attempt, log.digests.get(key))
    for (sample_id, attempt), reason in log.unusable.items():
        task = graded.prefix + sample_id
        import_log.add_doubt(RUN_FAILED, log.path, run.spot(task, attempt), reason)
        run.grade(task, attempt, 0.0, reason)


def _find_cause(sample: LogSample, name: ScoreName) -> str:
    """Return a clause that says why a sample has no verdict."""
    if sample.error:
        return first_line(sample.error) or "the sample ended with an error that has no message"
    limit = ""
    if sample.limit:
        limit = f", after the limit of {one_line(sample.limit.type or 'the task')}"
    scorer = one_line(name.scorer)
    score = sample.scores.get(name.scorer)
    if score is None:
        return f"the scorer {scorer} gave no score{limit}"
    value = name.find_value(sample.scores)
    if value is None:
        reason = f" ({one_line(score.reason)})" if score.reason else ""
        return f"the scorer {scorer} gave no verdict{reason}{limit}"
    return f"the score {name} is {one_line(str(value))}, which is not a number{limit}"


def first_line(error: EndReason) -> str:
    """Return the first line of an error; the rest may be a traceback with local paths."""
    line = one_line((error.message or "").strip().partition("\n")[0])
    if line.startswith("CancelledError("):
        return "the run was cancelled while the sample ran"
    return line


def _report_oddities(
    sample: LogSample, name: ScoreName, spot: SourceLocation, log: Log, import_log: ImportLog
) -> None:
    """Report errors, limits and changed scores of a scored sample."""
    if sample.error:
        import_log.add_doubt(rules.ERRORS_SCORED, log.path, spot, first_line(sample.error))
    if sample.limit:
        import_log.add_doubt(rules.LIMITS, log.path, spot, one_line(sample.limit.type or ""))
    score = sample.scores[name.scorer]
    original = sample.original_score(name.scorer)
    if _is_corrected(score):
        import_log.add_doubt(rules.CORRECTED, log.path, spot)
    elif not score.history and original is not None and original.value != score.value:
        fact = f"{one_line(str(score.value))}; the scorer gave {one_line(str(original.value))}"
        import_log.add_doubt(rules.CHANGED, log.path, spot, fact)


def _is_corrected(score: SampleScore) -> bool:
    """Return whether somebody changed the value of a score, judging by the history of its edits."""
    if not score.history:
        return False
    original = score.history[0]
    if not isinstance(original, dict):
        return True
    return original.get("value") != score.value or "provenance" in original


def _collect_figures(sample: LogSample) -> dict[str, Any]:
    """Return the turns, time, tokens and cost of a sample, by the field names of `RoundResult`."""
    figures: dict[str, Any] = {"turns": sample.turn_count, "agent_seconds": sample.working_time}
    usages = list(sample.model_usage.values())
    if not usages:
        return figures
    figures["input_tokens"] = sum(usage.tokens_read for usage in usages)
    figures["cached_tokens"] = sum(usage.input_tokens_cache_read or 0 for usage in usages)
    figures["output_tokens"] = sum(usage.output_tokens or 0 for usage in usages)
    costs = [usage.total_cost for usage in usages if usage.total_cost is not None]
    if len(costs) == len(usages):
        figures["cost_usd"] = sum(costs)
    return figures


def _collect_measures(sample: LogSample, reward: ScoreName) -> dict[str, float] | None:
    """Return a sample's scores other than the reward, by measure; None if it has no others."""
    numbers = collect_numbers(sample.scores)
    numbers.pop(reward, None)
    short_names = Counter(map(_shorten_name, numbers))
    measures = {}
    for name, number in numbers.items():
        label = _shorten_name(name)
        if short_names[label] > 1:
            full_name = f"{name.scorer}.{name.component}" if name.component else name.scorer
            label = one_line(full_name)
        measures[f"{label}@inspect"] = number
    return measures or None


def _shorten_name(name: ScoreName) -> str:
    """Return the name of the score's component or, if it has no name, of the scorer."""
    if name.component is not None and not name.component.isdigit():
        return one_line(name.component)
    return one_line(str(name).replace(",", "."))


def _add_digest(run: AgentResults, task: str, attempt: int, digest: str | None) -> None:
    """Add the checksum of a sample's file as the digest of its transcript and of its scores."""
    if digest:
        result = run.results[task, attempt, 1, "own"]
        result = replace(result, grader_digest=digest, transcript_digest=digest)
        run.results[task, attempt, 1, "own"] = result


def parse_labels(metadata: Mapping[str, object]) -> dict[str, str]:
    """Return the texts in a sample's metadata as possible labels, by key in lower case."""
    labels = {}
    for key, value in metadata.items():
        if isinstance(value, str) and value:
            labels[key.lower()] = one_line(value, MAX_LABEL_LENGTH)
    return labels
