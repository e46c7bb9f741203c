"""Turns runs into rounds: how far a run came, and how each round ended that it reached."""

from dataclasses import replace

from sitegen.importers.harbor import rules
from sitegen.importers.harbor.causes import cause_of
from sitegen.importers.harbor.evidence import CUT_OFF, Evidence, evidence_of, transcribed
from sitegen.importers.harbor.rewards import Rewards
from sitegen.importers.harbor.rulings import Played, Referee
from sitegen.importers.harbor.runs import Run
from sitegen.importers.kit.report import Spot
from sitegen.models.outcome import RoundResult


def attempt_of(run: Run, attempt: int, referee: Referee) -> Played:
    """Give the rounds of a run, those that it never reached included.

    Args:
        run: A run from the task's beginning.
        attempt: Which of its agent's tries at the task it is, from 1.
        referee: Decides how the reached ones ended.
    """
    names = run.task.steps
    reached = {number for number, name in enumerate(names, start=1) if _is_reached(run, name)}
    played = Played(())
    for number in range(1, len(names) + 1):
        blank = RoundResult(run.task.task.id, attempt, number, "unreached", 0, passed=0, total=0)
        if number in reached:
            played += _round_of(run, blank, referee)
        else:
            is_next = number == max(reached, default=0) + 1
            played += Played((_ended(run, blank, referee) if is_next else blank,))
    return _with_told_calls(run, played, referee)


def sample_of(run: Run, referee: Referee) -> Played:
    """Give the one round that a run sampled from the reference state.

    Args:
        run: Such a run.
        referee: Decides how the round ended.
    """
    blank = RoundResult(run.task.task.id, 1, run.sampled or 1, "unreached", 0, start="reference")
    return _with_told_calls(run, _round_of(run, blank, referee), referee)


def never_ran(task: str, attempt: int, number: int) -> RoundResult:
    """Make a round of a run that was not made."""
    return RoundResult(task, attempt, number, "unreached", 0, passed=0, total=0)


def _is_reached(run: Run, name: str) -> bool:
    return name.casefold() in run.trial.step_results or run.workplace(name) is not None


def _round_of(run: Run, blank: RoundResult, referee: Referee) -> Played:
    name = run.task.steps[blank.round - 1]
    evidence = evidence_of(run.trial, name, referee.report)
    worked = replace(_worked(blank, evidence), passed=None, total=None)
    return referee.rule(worked, evidence, run)


def _worked(blank: RoundResult, evidence: Evidence) -> RoundResult:
    effort = evidence.effort
    return replace(
        blank,
        interactions=effort.interactions,
        turns=effort.turns,
        input_tokens=effort.input_tokens,
        output_tokens=effort.output_tokens,
        cost_usd=effort.cost_usd,
        agent_seconds=evidence.agent_seconds,
        verifier_seconds=evidence.verifier_seconds,
    )


def _ended(run: Run, blank: RoundResult, referee: Referee) -> RoundResult:
    """Give the first round without a folder: where the runner was stopped in it, its files lie in the trial's own."""
    loose = run.trial.place.loose
    cause = cause_of(run.trial.result.exception_info.exception_type)
    if loose.is_empty or (run.trial.has_result and cause is None):
        return replace(blank, cause=cause)
    evidence = Evidence(Rewards({}), cases=None, effort=transcribed(loose, referee.report))
    return replace(_worked(blank, evidence), state="aborted", cause=cause or CUT_OFF)


def _with_told_calls(run: Run, played: Played, referee: Referee) -> Played:
    """Take no tool call in a whole run for tool calls that are not told: some agents write down text alone."""
    calls = {each.interactions for each in played.rounds} - {None}
    if calls != {0} or not any(each.turns for each in played.rounds):
        return played
    spot = Spot(run.entrant, run.task.task.id, start=played.rounds[0].start)
    referee.report.doubt(rules.CALLS_UNTOLD, run.trial.path, spot)
    return replace(played, rounds=tuple(replace(each, interactions=None) for each in played.rounds))
