"""What a run left of one round: its verdict, its cases and what it took."""

from dataclasses import dataclass, replace

from sitegen.importers.harbor.cases import CaseReport, read_cases
from sitegen.importers.harbor.causes import cause_of
from sitegen.importers.harbor.records import StepResult
from sitegen.importers.harbor.rewards import Rewards, read_rewards
from sitegen.importers.harbor.survey import Workplace
from sitegen.importers.harbor.trajectory import Effort, read_trajectory, trajectory_files
from sitegen.importers.harbor.trials import Trial
from sitegen.importers.kit.report import Report

NO_REWARD = "the verifier left no reward"
CUT_OFF = "the run was cut off in this round"


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
    """Read what a run left of a round.

    Args:
        trial: The run.
        name: The round's name; None for a trial of one round.
        report: Takes what can't be read.
    """
    told, place = _step(trial, name), _place(trial, name)
    rewards, problems = read_rewards(told.verifier_result, place)
    cases, faults = read_cases(place.verified("test-stdout.txt"), place.verified("ctrf.json"))
    report.problems += [*problems, *faults]
    worked = trial.judged_again or trial
    return Evidence(
        rewards,
        cases,
        effort_of(worked, name, report),
        _step(worked, name).agent_execution.seconds,
        told.verifier.seconds,
        _cause(told),
        is_contested=told != StepResult() and rewards.source not in {None, "result.json"},
    )


def _step(trial: Trial, name: str | None) -> StepResult:
    """Give what the runner's result tells of a round; nothing, where it tells nothing."""
    return trial.result if name is None else trial.step_results.get(name.casefold(), StepResult())


def _place(trial: Trial, name: str | None) -> Workplace:
    return trial.place.loose if name is None else trial.workplaces.get(name.casefold(), Workplace())


def _cause(told: StepResult) -> str:
    """Say why there is no verdict; a verifier that ran left no reward, whatever the agent died of."""
    cause = cause_of(told.exception_info.exception_type)
    if cause is None:
        return NO_REWARD
    return f"{cause}; {NO_REWARD}" if told.verifier.finished_at else cause


def effort_of(trial: Trial, name: str | None, report: Report) -> Effort:
    """Find what a round took: in the runner's result, and what that leaves open in the transcript."""
    told = _step(trial, name).agent_result
    counted = Effort(None, told.metadata.n_episodes, told.n_input_tokens, told.n_output_tokens, told.cost_usd)
    effort = counted.or_else(transcribed(_place(trial, name), report))
    # Where no tokens were counted either, a cost of 0 is one that nobody knows.
    free = effort.cost_usd == 0 and not effort.input_tokens and not effort.output_tokens
    return replace(effort, cost_usd=None) if free else effort


def transcribed(place: Workplace, report: Report) -> Effort:
    """Find what a round took in its transcript."""
    files = trajectory_files(place.agent) if place.agent else []
    trajectory, problems = read_trajectory(files)
    report.problems += problems
    return trajectory.effort if trajectory else Effort()
