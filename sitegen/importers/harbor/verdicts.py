"""The rewards of a round: where they are stated, which of several keys counts, and whether the runner trusts them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from sitegen.importers.harbor.causes import cause_of, leaves_verdict
from sitegen.importers.harbor.records import StepResult
from sitegen.importers.harbor.trials import Trial, Workplace
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.rewards import check_rewards, reward_of
from sitegen.importers.kit.stream import pick
from sitegen.models.record import LIMIT
from sitegen.problems import Problem
from sitegen.reading.files import read_head

KEY = "reward"
"""The key of a trial's reward. Other keys are figures beside it."""

NO_REWARD = "the verifier left no reward"
_NO_NUMBER = "the reward is no number"
_INVALID = "the runner calls the reward invalid"
_CUT_OFF = "the run was cut off"

_NEAR = 1e-9
"""How far two statements of a reward may be apart."""

_MAX_TEXT = 1024
"""Bytes of reward.txt that are read."""

_MAX_MEASURES, _MAX_NAME = 100, 100
"""Figures beside the reward of a round that are kept, and characters of the name of one."""

Source = Literal["result.json", "reward.json", "reward.txt"]


@dataclass(frozen=True, slots=True)
class Rewards:
    """What the verifier of a round wrote, from the first of its sources that says anything."""

    source: Source | None = None
    """None where there are no rewards."""
    by_key: Mapping[str, float | None] = field(default_factory=dict)
    """Every key; None where its value is no number."""
    others: Mapping[Source, Mapping[str, float | None]] = field(default_factory=dict)
    """What the other sources say."""
    fault: str = ""
    """Why these rewards are no verdict; empty where they are one."""

    @property
    def numbers(self) -> dict[str, float]:
        """The keys whose value is a number."""
        return {key: value for key, value in self.by_key.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Rubric:
    """Which key of a verdict is the reward, and on which scale."""

    metric: str | None = None
    scale: float | None = None

    @classmethod
    def of(cls, options: ImportOptions) -> "Rubric":
        """Return the rubric that the importing person states."""
        return cls(options.metric, options.scale)

    def key(self, by_key: Mapping[str, object]) -> str | None:
        """Return the key that is the reward; None where the verdict has no such key, or leaves it open."""
        if self.metric in by_key:
            return self.metric
        if KEY in by_key:
            return KEY
        if self.metric is None and len(by_key) == 1:
            return next(iter(by_key))
        return None

    def is_ambiguous(self, rewards: Rewards) -> bool:
        """Return whether it has to be asked which of several keys is the reward."""
        return self.metric is None and len(rewards.by_key) > 1 and self.key(rewards.by_key) is None

    def value(self, rewards: Rewards) -> float | None:
        """Return the reward of a round, which may lie outside of 0 to 1; None where there is no verdict."""
        if rewards.fault:
            return None
        return self.scaled(self._raw(rewards.by_key))

    def scaled(self, value: float | None) -> float | None:
        """Return a number of the source as a share of the largest reward."""
        return reward_of(value, self.scale)

    def fault(self, rewards: Rewards) -> str:
        """Return why there are rewards and no verdict."""
        if rewards.fault:
            return rewards.fault
        key = self.key(rewards.by_key)
        if key is None and self.metric is not None and rewards.by_key:
            return f"the verdict has no key {one_line(self.metric, _MAX_NAME)}"
        return _NO_NUMBER if key is not None and rewards.by_key[key] is None else NO_REWARD

    def measures(self, rewards: Rewards) -> dict[str, float]:
        """Return the figures beside the reward, by names that can be shown."""
        counted = self.key(rewards.by_key)
        measures: dict[str, float] = {}
        for key, value in rewards.by_key.items():
            name = one_line(key, _MAX_NAME)
            if (
                key != counted
                and name
                and value is not None
                and abs(value) <= LIMIT
                and len(measures) < _MAX_MEASURES
            ):
                measures[name] = value
        return measures

    def conflict(self, rewards: Rewards) -> str | None:
        """Return which rewards the sources state, where they differ; None where they agree."""
        if rewards.source is None:
            return None
        stated: dict[Source, float] = {}
        for source, by_key in ((rewards.source, rewards.by_key), *rewards.others.items()):
            value = self._raw(by_key)
            if value is not None:
                stated[source] = value
        if max(stated.values(), default=0) - min(stated.values(), default=0) <= _NEAR:
            return None
        return ", ".join(f"{value:g} in {source}" for source, value in stated.items())

    def _raw(self, by_key: Mapping[str, float | None]) -> float | None:
        key = self.key(by_key)
        return by_key[key] if key is not None else None


def workplace_of(trial: Trial, name: str | None) -> tuple[StepResult, Workplace]:
    """Return how a round went and where its files are; `name` is None for a trial of one round."""
    return (trial.result, trial.loose) if name is None else trial.of_round(name)


def rewards_of(trial: Trial, name: str | None) -> tuple[Rewards, list[Problem]]:
    """Return the rewards of a round of a trial, whether they count or not; `name` is None for a trial of one round.

    Those in the runner's result come first, then reward.json, then reward.txt.
    """
    result, place = workplace_of(trial, name)
    from_json, problems = _from_json(place.verifier.file("reward.json"))
    stated: dict[Source, Mapping[str, float | None]] = {
        "result.json": _numbers(result.rewards or {}),
        "reward.json": from_json,
        "reward.txt": _from_text(place.verifier.file("reward.txt")),
    }
    present = {source: by_key for source, by_key in stated.items() if by_key}
    if not present:
        return Rewards(), problems
    first = next(iter(present))
    by_key = present.pop(first)
    fault = _INVALID if is_invalid(trial, name) else ""
    return Rewards(first, by_key, present, fault), problems


def is_invalid(trial: Trial, name: str | None) -> bool:
    """Return whether the runner does not trust the reward of a round; `name` is None for a trial of one round.

    It says so of the trial as a whole. Of several rounds those are meant that ended with an exception; where no
    exception of the trial explains it, all of them are.
    """
    result = trial.result
    if result.reward_valid is not False:
        return False
    if name is None:
        return True
    round_result, _ = trial.of_round(name)
    if _spoils(round_result):
        return True
    explained = not result.rewards or _spoils(result) or any(map(_spoils, trial.steps.values()))
    return not explained


def _spoils(result: StepResult) -> bool:
    """Return whether a trial or a round ended with an exception beside which a reward says nothing."""
    if result.exception is None:
        return False
    if result.leaves_reward_valid is not None:
        return not result.leaves_reward_valid
    return not leaves_verdict(result.exception)


def reasons(trial: Trial, name: str | None, rewards: Rewards, rubric: Rubric) -> str:
    """Return why a round that was reached has no verdict."""
    return "; ".join(_reasons(trial, name, rewards, rubric))


def _reasons(trial: Trial, name: str | None, rewards: Rewards, rubric: Rubric) -> Iterator[str]:
    result, place = workplace_of(trial, name)
    cause = cause_of(result.exception)
    if cause:
        yield cause
    # A verifier that ran left no reward, whatever the agent died of.
    if rewards.source is not None or result.verifier.finished_at:
        yield rubric.fault(rewards)
    elif not cause:
        yield NO_REWARD if trial.has_result or place.verifier.files else _CUT_OFF


def has_verdict(trial: Trial, names: tuple[str, ...], rubric: Rubric) -> bool:
    """Return whether any round of a trial came to a verdict; a trial of one round has no names of rounds."""
    for name in names or (None,):
        rewards, _ = rewards_of(trial, name)
        if rubric.value(rewards) is not None:
            return True
        # A task with targets, or a verdict of which it has to be asked what counts.
        if rubric.is_ambiguous(rewards) and not rewards.fault and rewards.numbers:
            return True
    return False


def check_range(
    rewards: Sequence[tuple[float, Path]], report: Report, scale: float | None, where: str
) -> bool:
    """Report rewards that do not lie between 0 and 1, at the run that has the worst, and return whether all do.

    Args:
        rewards: Rewards as shares of the largest one, and where they lie.
        report: Takes the errors.
        scale: The scale that they were divided by, if any.
        where: What holds them, for the message.
    """
    if not rewards:
        return True
    lowest, highest = min(rewards), max(rewards)
    value, path = lowest if lowest[0] < 0 else highest
    return check_rewards([value], path, report, scale, where)


def assume_scale(scale: float, report: Report) -> None:
    """Keep as a caveat that every reward was divided."""
    report.assume(f"the largest possible reward is {scale:g}, and each was divided by it")


def _numbers(values: Mapping[str, object]) -> dict[str, float | None]:
    return {key: reward_of(value) for key, value in values.items()}


def _from_json(path: Path | None) -> tuple[Mapping[str, float | None], list[Problem]]:
    """Return the rewards in reward.json: an object of numbers, or one number."""
    if path is None:
        return {}, []
    content, problems = pick(path, {"*": None})
    if isinstance(content, dict):
        return _numbers(content), problems
    number = reward_of(content)
    return ({} if number is None else {KEY: number}), problems


def _from_text(path: Path | None) -> Mapping[str, float | None]:
    """Return the reward in reward.txt, which holds one number."""
    data = read_head(path, _MAX_TEXT) if path else None
    if not data or not data.strip():
        return {}
    try:
        return {KEY: reward_of(float(data.decode("ascii")))}
    except ValueError:
        return {KEY: None}
