"""Collect the rewards of an import, and report problems that concern all of them."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sitegen.importers.harbor.rewards import REWARD_KEY, Rewards, Rubric
from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.import_log import ImportLog, SourceLocation
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rewards import check_rewards
from sitegen.problems import Problem, UsageError, counted, listed


def clamp_reward(value: float) -> float:
    """Return a reward limited to 0 to 1; `RewardLog` reports rewards outside that range."""
    return min(1.0, max(0.0, value))


def check_range(
    rewards: Sequence[tuple[float, Path]], log: ImportLog, scale: float | None, source_name: str
) -> bool:
    """Report an error if any reward is outside 0 to 1, and name the run with the worst reward.

    Args:
        rewards: Rewards as shares of the largest possible reward, each with the path of its run.
        log: Collects the errors.
        scale: The scale by which the rewards were divided, if any.
        source_name: Where the rewards were found, for the message.

    Returns:
        Whether all rewards lie in the range.
    """
    if not rewards:
        return True
    lowest = min(rewards)
    value, path = lowest if lowest[0] < 0 else max(rewards)
    return check_rewards([value], path, log, scale, source_name)


def assume_scale(scale: float, log: ImportLog) -> None:
    """Record the caveat that every reward was divided by the scale."""
    log.assume(f"the largest possible reward is {scale:g}, and every reward was divided by it")


@dataclass(slots=True)
class RewardLog:
    """The rewards of an import, collected to report problems that concern all of them."""

    source_counts: Counter[str] = field(default_factory=Counter)
    """The number of rounds whose rewards come from each source."""
    _by_key: defaultdict[str, list[tuple[float, Path]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """Every reward that counts, before clamping, with the path of its run; keyed by reward key."""
    _keys: set[str] = field(default_factory=set)
    """All keys that occur in the rewards of any round."""
    _ambiguous_rounds: defaultdict[tuple[str, ...], list[tuple[str, Path]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """Rounds whose reward key the user must choose, by the keys of their rewards."""

    def add_rewards(self, rewards: Rewards) -> None:
        """Add the keys and the source of a round's rewards."""
        self._keys.update(rewards.by_key)
        if rewards.source is not None and not rewards.fault:
            self.source_counts[rewards.source] += 1

    def add_scored_reward(self, key: str, value: float, path: Path) -> None:
        """Add a reward that counts, as an unclamped share of the largest possible reward."""
        self._by_key[key].append((value, path))

    def add_ambiguous(self, rewards: Rewards, spot: SourceLocation, path: Path) -> None:
        """Add a round for which any of several keys may be the reward."""
        keys = tuple(sorted(rewards.by_key))
        self._ambiguous_rounds[keys].append((str(spot), path))

    def report_all(self, rubric: Rubric, log: ImportLog) -> None:
        """Report the scale and the key of the rewards, and rounds whose key the user must choose.

        Raises:
            UsageError: No verdict has the key that the user names.
        """
        for keys, rounds in self._ambiguous_rounds.items():
            log.problems.append(_make_ambiguity_problem(keys, rounds))
        for key, rewards in self._by_key.items():
            name = one_line(key)
            is_in_range = check_range(rewards, log, rubric.scale, f"the key `{name}`")
            if is_in_range and key not in {REWARD_KEY, rubric.metric}:
                fact = f"the key `{name}` is the reward of verdicts that have no other key"
                log.assume(fact)
        if rubric.scale is not None:
            assume_scale(rubric.scale, log)
        if rubric.metric is not None:
            self._report_metric(rubric.metric, log)

    def _report_metric(self, metric: str, log: ImportLog) -> None:
        """Record the key that the user chose as a caveat.

        Raises:
            UsageError: No verdict has the key.
        """
        name = one_line(metric)
        if metric not in self._keys:
            keys = listed(sorted(self._keys)) or "none"
            raise UsageError(f"no reward has the key {name}; the keys are: {keys}")
        log.assume(f"the key `{name}` is the reward, as `--metric` says")
        if metric != REWARD_KEY and REWARD_KEY in self._by_key:
            fact = f"the key `{REWARD_KEY}` is the reward of verdicts without the key `{name}`"
            log.assume(fact)


def _make_ambiguity_problem(keys: Sequence[str], rounds: Sequence[tuple[str, Path]]) -> Problem:
    """Return the problem that any of several keys may be the reward."""
    verdicts = f"{counted(len(rounds), 'verdict')} with the keys {listed(map(one_line, keys))}"
    round_name, path = rounds[0]
    message = f"{verdicts}, but none of them is `{REWARD_KEY}`; the first is {round_name}"
    example = f"name the key that counts, for example `--metric {one_line(keys[0])}`"
    targets = (
        "to grade each key as a target of its own, list them as `[[metadata.targets]]` in the "
        "task.toml"
    )
    return kit_rules.SCORE_AMBIGUOUS.broken(path, None, message, f"{example}; {targets}")
