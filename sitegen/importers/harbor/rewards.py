"""The reward of a round: told by the runner's result, and by the files that the verifier wrote."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sitegen.importers.harbor.records import Verdict
from sitegen.importers.harbor.stream import pick
from sitegen.importers.harbor.survey import Workplace
from sitegen.problems import Problem
from sitegen.reading.files import read_head

KEY = "reward"
"""The key that is scored; where it is absent, the only one is."""

Source = Literal["result.json", "reward.json", "reward.txt"]

_NEAR = 1e-9
"""What two tellings of a reward may be apart."""

_BEYOND = 1e300
"""No reward: infinite, or of more digits than a number can have."""

_LONGEST = 1024
"""Bytes of a reward.txt."""


@dataclass(frozen=True, slots=True)
class Rewards:
    """What the verifier of a round found, wherever it is told."""

    told: Mapping[Source, Mapping[str, float]]
    """Rewards by key, by the place they are told in; the place that counts comes first."""

    @property
    def source(self) -> Source | None:
        """The place that counts; None where there is no verdict."""
        return next(iter(self.told), None)

    @property
    def by_key(self) -> Mapping[str, float]:
        """The rewards that count; empty where there is no verdict."""
        return next(iter(self.told.values()), {})

    @property
    def value(self) -> float | None:
        """The reward that counts; None where there is none, or where several keys leave open which."""
        return _scored(self.by_key)

    @property
    def conflict(self) -> str | None:
        """Say where another reward is told; None where all agree."""
        named = {place: _scored(rewards) for place, rewards in self.told.items()}
        stated = {place: value for place, value in named.items() if value is not None}
        if len(stated) > 1 and max(stated.values()) - min(stated.values()) > _NEAR:
            return ", ".join(f"{value:g} in {place}" for place, value in stated.items())
        return None

    @property
    def out_of_range(self) -> tuple[str, ...]:
        """Name the keys whose reward does not lie between 0 and 1."""
        return tuple(key for key, value in self.by_key.items() if not -_NEAR <= value <= 1 + _NEAR)


def read_rewards(verdict: Verdict, place: Workplace) -> tuple[Rewards, list[Problem]]:
    """Find the rewards of a round: those in the runner's result come first, then reward.json, then reward.txt.

    Args:
        verdict: What the runner's result tells.
        place: The round's folder.
    """
    in_json, problems = _in_json(place.verified("reward.json"))
    told: dict[Source, Mapping[str, float]] = {
        "result.json": _finite(verdict.rewards or {}),
        "reward.json": _finite(in_json),
        "reward.txt": _finite({KEY: _in_text(place.verified("reward.txt"))}),
    }
    return Rewards({source: rewards for source, rewards in told.items() if rewards}), problems


def _in_json(path: Path | None) -> tuple[Mapping[str, object], list[Problem]]:
    if path is None:
        return {}, []
    value, problems = pick(path, {"*": None})
    return (value if isinstance(value, dict) else {KEY: value}), problems


def _in_text(path: Path | None) -> float | None:
    if path is None:
        return None
    try:
        return float((read_head(path, _LONGEST) or b"").decode("ascii"))
    except ValueError:
        return None


def limited(value: float) -> float:
    """Give a reward within its range, which it may miss by a rounding."""
    return min(1.0, max(0.0, value))


def _scored(rewards: Mapping[str, float]) -> float | None:
    if KEY in rewards:
        return rewards[KEY]
    return next(iter(rewards.values())) if len(rewards) == 1 else None


def _finite(rewards: Mapping[str, object]) -> dict[str, float]:
    return {key: float(value) for key, value in _numbers(rewards) if abs(value) < _BEYOND}


def _numbers(rewards: Mapping[str, object]) -> Iterator[tuple[str, float]]:
    for key, value in rewards.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield key, value
