"""Read the rewards of a round: their sources, the key that counts, and whether they are valid."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from sitegen.importers.harbor.causes import describe_exception, leaves_valid_reward
from sitegen.importers.harbor.records import StepResult, read_start
from sitegen.importers.harbor.trials import RoundFiles, Trial
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rewards import parse_reward
from sitegen.importers.kit.stream import pick
from sitegen.models.record import LIMIT
from sitegen.problems import Problem

REWARD_KEY = "reward"
"""The key of a trial's reward. Other keys are additional measures."""

NO_REWARD = "the verifier left no reward"
_NO_NUMBER = "the reward is not a number"
_INVALID = "the runner marked the reward as invalid"
_CUT_OFF = "the run was cut off"

_TOLERANCE = 1e-9
"""Maximum difference between two statements of the same reward."""

_MAX_TEXT_BYTES = 1024
"""Maximum number of bytes read from reward.txt."""

_MAX_MEASURES = 100
"""Maximum number of measures kept for one round."""

_MAX_NAME_LENGTH = 100

RewardSource = Literal["result.json", "reward.json", "reward.txt"]
NumberByKey = Mapping[str, float | None]
"""Rewards by key; None for a value that is not a number."""


@dataclass(frozen=True, slots=True)
class Rewards:
    """The rewards of a round, from the first source that states rewards."""

    source: RewardSource | None = None
    """The file that states the rewards; None if there are no rewards."""
    by_key: NumberByKey = field(default_factory=dict)
    later_sources: Mapping[RewardSource, NumberByKey] = field(default_factory=dict)
    """The rewards stated by the other sources."""
    fault: str | None = None
    """Why these rewards do not count; None if they do."""

    @property
    def has_numbers(self) -> bool:
        """Whether the value of any key is a number."""
        return any(value is not None for value in self.by_key.values())


@dataclass(frozen=True, slots=True)
class Rubric:
    """The key of a round's rewards that counts, and the scale of its values."""

    metric: str | None = None
    scale: float | None = None

    @classmethod
    def from_options(cls, options: ImportOptions) -> "Rubric":
        """Return the rubric given by the options of an import."""
        return cls(options.metric, options.scale)

    def key(self, by_key: Mapping[str, object]) -> str | None:
        """Return the key whose value is the reward; None if no key is, or several keys may be."""
        if self.metric in by_key:
            return self.metric
        if REWARD_KEY in by_key:
            return REWARD_KEY
        if self.metric is None and len(by_key) == 1:
            return next(iter(by_key))
        return None

    def is_ambiguous(self, rewards: Rewards) -> bool:
        """Return whether any of several keys may be the reward."""
        has_several_keys = self.metric is None and len(rewards.by_key) > 1
        return has_several_keys and self.key(rewards.by_key) is None

    def value(self, rewards: Rewards) -> float | None:
        """Return the reward, which may lie outside 0 to 1; None if no reward counts."""
        if rewards.fault:
            return None
        return self.scaled(self._raw_value(rewards.by_key))

    def scaled(self, value: float | None) -> float | None:
        """Return a number from the source as a share of the largest possible reward."""
        return parse_reward(value, self.scale)

    def find_fault(self, rewards: Rewards) -> str | None:
        """Return why rewards do not count; None if they do."""
        if rewards.fault:
            return rewards.fault
        key = self.key(rewards.by_key)
        if key is not None:
            return _NO_NUMBER if rewards.by_key[key] is None else None
        if self.metric is not None and rewards.by_key:
            return f"the verdict has no key {one_line(self.metric, _MAX_NAME_LENGTH)}"
        return NO_REWARD

    def measures(self, rewards: Rewards) -> dict[str, float]:
        """Return at most `_MAX_MEASURES` measures other than the reward, keyed by name."""
        reward_key = self.key(rewards.by_key)
        measures: dict[str, float] = {}
        for key, value in rewards.by_key.items():
            name = one_line(key, _MAX_NAME_LENGTH)
            if key == reward_key or not name or value is None or abs(value) > LIMIT:
                continue
            if len(measures) < _MAX_MEASURES:
                measures[name] = value
        return measures

    def conflict(self, rewards: Rewards) -> str | None:
        """Return a text with the reward stated by each source; None if the sources agree.

        Only the key that counts in the first source is compared; other keys of later sources are
        different measures.
        """
        key = self.key(rewards.by_key)
        if rewards.source is None or key is None:
            return None
        sources = {rewards.source: rewards.by_key, **rewards.later_sources}
        stated: dict[RewardSource, float] = {}
        for source, by_key in sources.items():
            value = by_key.get(key)
            if value is not None:
                stated[source] = value
        if max(stated.values(), default=0) - min(stated.values(), default=0) <= _TOLERANCE:
            return None
        statements = [f"{value:g} in {source}" for source, value in stated.items()]
        return ", ".join(statements)

    def _raw_value(self, by_key: NumberByKey) -> float | None:
        key = self.key(by_key)
        return None if key is None else by_key[key]


def read_rewards(trial: Trial, files: RoundFiles) -> tuple[Rewards, list[Problem]]:
    """Return the rewards of a round, whether or not they count, and the problems of its files.

    The runner's result has priority, then reward.json, then reward.txt.
    """
    verifier = files.folders.verifier
    from_json, problems = _read_json(verifier.file("reward.json"))
    stated: dict[RewardSource, NumberByKey] = {
        "result.json": _parse_numbers(files.result.rewards or {}),
        "reward.json": from_json,
        "reward.txt": _read_text(verifier.file("reward.txt")),
    }
    present = {source: by_key for source, by_key in stated.items() if by_key}
    if not present:
        return Rewards(), problems
    first_source = next(iter(present))
    by_key = present.pop(first_source)
    fault = _INVALID if is_invalid(trial, files) else None
    return Rewards(first_source, by_key, present, fault), problems


def is_invalid(trial: Trial, files: RoundFiles) -> bool:
    """Return whether the runner does not trust the reward of a round.

    The runner marks the reward of a trial as invalid without saying which rounds are affected.
    The affected rounds are those that ended with an exception, or all rounds if no exception
    explains the mark.
    """
    result = trial.result
    if result.reward_valid is not False:
        return False
    if files.name is None or _spoils_reward(files.result):
        return True
    if not result.rewards:
        # The trial has no reward of its own that could be invalid.
        return False
    if _spoils_reward(result):
        # An exception of the trial explains the mark, so the rounds before that exception count.
        return False
    has_spoiled_round = any(map(_spoils_reward, trial.results_by_round.values()))
    return not has_spoiled_round


def _spoils_reward(result: StepResult) -> bool:
    """Return whether a trial or a round ended with an exception that invalidates its reward."""
    if result.exception is None:
        return False
    if result.leaves_reward_valid is not None:
        return not result.leaves_reward_valid
    return not leaves_valid_reward(result.exception)


def explain_missing_reward(
    trial: Trial, files: RoundFiles, rewards: Rewards, rubric: Rubric
) -> str | None:
    """Return why a reached round has no reward that counts; None if it has such a reward."""
    cause = describe_exception(files.result.exception)
    causes = [cause] if cause else []
    # If the verifier ran, a fault of its rewards is also a cause, whatever exception occurred.
    if rewards.source is not None or files.result.verifier.finished_at:
        fault = rubric.find_fault(rewards)
        if fault is None:
            return None
        causes.append(fault)
    elif not causes:
        has_ended = trial.has_result or bool(files.folders.verifier.files)
        causes.append(NO_REWARD if has_ended else _CUT_OFF)
    return "; ".join(causes)


def can_be_scored(trial: Trial, round_names: Sequence[str], rubric: Rubric) -> bool:
    """Return whether any round of a trial has, or may have, a reward that counts.

    Args:
        trial: The trial.
        round_names: The names of the task's rounds; empty for a task without steps.
        rubric: Determines which key is the reward.
    """
    for files in trial.rounds(round_names):
        rewards, _ = read_rewards(trial, files)
        if rubric.value(rewards) is not None:
            return True
        # Either the task has targets, or the user must choose the key that counts.
        if rubric.is_ambiguous(rewards) and not rewards.fault and rewards.has_numbers:
            return True
    return False


def _parse_numbers(values: Mapping[str, object]) -> NumberByKey:
    return {key: parse_reward(value) for key, value in values.items()}


def _read_json(path: Path | None) -> tuple[NumberByKey, list[Problem]]:
    """Return the rewards in reward.json, which contains an object of numbers or a single number."""
    if path is None:
        return {}, []
    content, problems = pick(path, {"*": None})
    if isinstance(content, dict):
        return _parse_numbers(content), problems
    number = parse_reward(content)
    return ({} if number is None else {REWARD_KEY: number}), problems


def _read_text(path: Path | None) -> NumberByKey:
    """Return the reward in reward.txt, which contains a single number."""
    data = read_start(path, _MAX_TEXT_BYTES)
    if not data or not data.strip():
        return {}
    try:
        return {REWARD_KEY: parse_reward(float(data.decode("ascii")))}
    except ValueError:
        return {REWARD_KEY: None}
