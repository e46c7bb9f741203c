"""What a run left of one round: its reward, wherever it is told, its cases, what it took, and why it has no verdict."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from sitegen.importers.harbor.cases import CaseReport, read_cases
from sitegen.importers.harbor.records import StepResult, Verdict
from sitegen.importers.harbor.stream import pick
from sitegen.importers.harbor.trajectory import Effort, read_trajectory, trajectory_files
from sitegen.importers.harbor.trials import Trial, Workplace
from sitegen.importers.kit.report import Report
from sitegen.problems import Problem
from sitegen.reading.files import read_head

KEY = "reward"
"""The key that is scored; where it is absent, the only one is."""

CUT_OFF = "the run was cut off in this round"
_NO_REWARD = "the verifier left no reward"

_NEAR = 1e-9
"""What two tellings of a reward may be apart."""

_BEYOND = 1e300
"""No reward: infinite, or of more digits than a number can have."""

_LONGEST = 1024

_CAUSES = {
    exception: cause
    for cause, exceptions in {
        "the agent used up its budget": "AgentTimeoutError ContextLengthExceededError ContextWindowExceededError "
        "OutputLengthExceededError",
        "the verifier failed": "VerifierTimeoutError RewardFileNotFoundError RewardFileEmptyError "
        "VerifierOutputParseError AddTestsDirError DownloadVerifierDirError",
        "the sandbox failed": "AgentSetupTimeoutError EnvironmentStartTimeoutError EnvironmentBuildTimeoutError "
        "HealthcheckError",
        "the model's provider failed": "APIConnectionError APIError AuthenticationError InternalServerError "
        "RateLimitError ServiceUnavailableError",
        "the run was cancelled": "CancelledError KeyboardInterrupt",
        "the runner failed": "NotImplementedError",
    }.items()
    for exception in exceptions.split()
}
"""What went wrong, in words that readers know, by the exception that tells of it. Others are named as they are."""

_NAME = re.compile(r"[A-Za-z_][\w.]{0,80}")


def cause_of(exception: str | None) -> str | None:
    """What an exception tells of, by its type alone: what it says may hold anything. None where there is none."""
    if not exception:
        return None
    if not _NAME.fullmatch(exception):
        return "an exception"
    known = _CAUSES.get(exception.rpartition(".")[2])
    return f"{exception}: {known}" if known else exception


Source = Literal["result.json", "reward.json", "reward.txt"]


@dataclass(frozen=True, slots=True)
class Rewards:
    """What the verifier of a round found, wherever it is told."""

    source: Source | None = None
    """The place that counts; None where there is no verdict."""
    by_key: Mapping[str, float] = field(default_factory=dict)
    """The rewards that count; empty where there is no verdict."""
    value: float | None = None
    """The reward that counts; None where there is none, or where several keys leave open which."""
    conflict: str | None = None
    """Where another reward is told; None where all agree."""

    @property
    def out_of_range(self) -> tuple[str, ...]:
        """The keys whose reward does not lie between 0 and 1."""
        return tuple(key for key, value in self.by_key.items() if not -_NEAR <= value <= 1 + _NEAR)


def limited(value: float) -> float:
    """A reward within its range, which it may miss by a rounding."""
    return min(1.0, max(0.0, value))


def read_rewards(verdict: Verdict, place: Workplace) -> tuple[Rewards, list[Problem]]:
    """Find the rewards of a round: those in the runner's result come first, then reward.json, then reward.txt."""
    in_json, in_text = place.verified("reward.json"), place.verified("reward.txt")
    value, problems = pick(in_json, {"*": None}) if in_json else ({}, [])
    try:
        number = float(((in_text and read_head(in_text, _LONGEST)) or b"").decode("ascii"))
    except ValueError:
        number = None
    told: Mapping[Source, Mapping[str, object]] = {
        "result.json": verdict.rewards or {},
        "reward.json": value if isinstance(value, dict) else {KEY: value},
        "reward.txt": {KEY: number},
    }
    found: dict[Source, Mapping[str, float]] = {}
    scored: dict[Source, float] = {}
    for source, rewards in told.items():
        numbers = {
            key: float(each)
            for key, each in rewards.items()
            if isinstance(each, int | float) and not isinstance(each, bool) and abs(each) < _BEYOND
        }
        if numbers:
            found[source] = numbers
        if KEY in numbers or len(numbers) == 1:
            scored[source] = numbers.get(KEY, next(iter(numbers.values())))
    if not found:
        return Rewards(), problems
    differ = max(scored.values(), default=0) - min(scored.values(), default=0) > _NEAR
    conflict = ", ".join(f"{each:g} in {where}" for where, each in scored.items()) if differ else None
    first = next(iter(found))
    return Rewards(first, found[first], scored.get(first), conflict), problems


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a run left of a round."""

    rewards: Rewards
    cases: CaseReport | None
    """None where the verifier left no output."""
    effort: Effort
    agent_seconds: float | None = None
    verifier_seconds: float | None = None
    cause: str | None = None
    """Why there is no verdict, where there is none."""
    is_contested: bool = False
    """Whether the runner saw no verdict, and there are rewards all the same."""


def evidence_of(trial: Trial, name: str | None, report: Report) -> Evidence:
    """Read what a run left of a round; `name` is None for a trial of one round."""
    told, place = _round_of(trial, name)
    worked, workplace = _round_of(trial.judged_again or trial, name)
    rewards, problems = read_rewards(told.verifier_result, place)
    cases, faults = read_cases(place.verified("test-stdout.txt"), place.verified("ctrf.json"))
    report.problems += [*problems, *faults]
    used = worked.agent_result
    effort = Effort(None, used.metadata.n_episodes, used.n_input_tokens, used.n_output_tokens, used.cost_usd)
    effort = effort.or_else(transcribed(workplace, report))
    if effort.cost_usd == 0 and not effort.input_tokens and not effort.output_tokens:
        # Where no tokens were counted either, a cost of 0 is one that nobody knows.
        effort = replace(effort, cost_usd=None)
    cause = cause_of(told.exception_info.exception_type)
    if cause is None:
        cause = _NO_REWARD
    elif told.verifier.finished_at:
        # A verifier that ran left no reward, whatever the agent died of.
        cause = f"{cause}; {_NO_REWARD}"
    return Evidence(
        rewards,
        cases,
        effort,
        worked.agent_execution.seconds,
        told.verifier.seconds,
        cause,
        is_contested=told != StepResult() and rewards.source not in {None, "result.json"},
    )


def _round_of(trial: Trial, name: str | None) -> tuple[StepResult, Workplace]:
    """What the runner's result tells of a round, and what lies in its folder; blank where there is none."""
    if name is None:
        return trial.result, trial.place.loose
    key = name.casefold()
    return trial.steps.get(key, StepResult()), trial.workplaces.get(key, Workplace())


def transcribed(place: Workplace, report: Report) -> Effort:
    """What a round took, by its transcript."""
    trajectory, problems = read_trajectory(trajectory_files(place.agent) if place.agent else [])
    report.problems += problems
    return trajectory.effort if trajectory else Effort()
