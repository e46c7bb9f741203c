"""Tasks that are graded once, at the end: each target of the verdict is a round, and their order means nothing."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sitegen.importers.harbor import rules
from sitegen.importers.harbor.evidence import Evidence, evidence_of
from sitegen.importers.harbor.rewards import KEY, Rewards, limited, read_rewards
from sitegen.importers.harbor.rulings import Played, Referee
from sitegen.importers.harbor.runs import Run
from sitegen.importers.harbor.tasks import TaskDefinition
from sitegen.importers.kit.report import Report, Spot
from sitegen.models.outcome import PASS_REWARD, RoundResult, RunFigures
from sitegen.problems import Rule


def with_told_targets(runs: Sequence[Run], report: Report) -> list[Run]:
    """Give tasks that do not name their targets those that the verdicts name, all of the same weight.

    Args:
        runs: All runs of an import, so that every one of a task gets the same targets.
        report: Takes what had to be assumed.
    """
    named: dict[str, dict[str, None]] = {}
    for run in runs:
        if not run.task.is_chain and not run.task.targets:
            keys = named.setdefault(run.task.task.id, {})
            keys.update(dict.fromkeys(sorted(_targets_told(run))))
    tasks: dict[str, TaskDefinition] = {}
    for run in runs:
        name = run.task.task.id
        targets = tuple(named.get(name, ()))
        if targets and name not in tasks:
            tasks[name] = run.task.with_targets(targets)
            report.doubt(rules.TARGETS_ASSUMED, run.task.path, Spot(None, name, name), ", ".join(targets))
    return [replace(run, task=tasks.get(run.task.task.id, run.task)) for run in runs]


def _targets_told(run: Run) -> set[str]:
    rewards, _ = read_rewards(run.trial.result.verifier_result, run.trial.place.loose)
    return set(rewards.by_key) - {KEY}


def graded(run: Run, attempt: int, referee: Referee) -> tuple[Played, RunFigures | None]:
    """Give the targets of a run as rounds, and what the run took as a whole.

    Args:
        run: A run of a task that is graded once.
        attempt: Which of its agent's tries at the task it is, from 1.
        referee: Decides how each target ended.
    """
    task = run.task.task.id
    evidence = evidence_of(run.trial, None, referee.report)
    if run.task.targets:
        played = _by_target(run, attempt, evidence, referee)
    else:
        played = referee.rule(RoundResult(task, attempt, 1, "unreached", 0), evidence, run)
    return played, _figures(task, attempt, evidence)


def _figures(task: str, attempt: int, evidence: Evidence) -> RunFigures | None:
    effort = evidence.effort
    figures = RunFigures(
        task,
        attempt,
        turns=effort.turns,
        input_tokens=effort.input_tokens,
        output_tokens=effort.output_tokens,
        cost_usd=effort.cost_usd,
        agent_seconds=evidence.agent_seconds,
    )
    return None if figures == RunFigures(task, attempt) else figures


def _by_target(run: Run, attempt: int, evidence: Evidence, referee: Referee) -> Played:
    task = run.task.task.id
    spot = Spot(run.entrant, f"{task}, attempt {attempt}", f"{task} ({run.entrant}, attempt {attempt})")
    rewards = evidence.rewards
    if rewards.source is None:
        blank = RoundResult(task, attempt, 1, "aborted", 0, passed=0, total=0, cause=evidence.cause)
        return Played(tuple(replace(blank, round=number) for number in range(1, len(run.task.targets) + 1)))
    referee.sources[rewards.source] += 1
    told = _told(run.task.targets, rewards)
    for rule, what in _faults(run.task.targets, rewards, told):
        referee.report.doubt(rule, run.trial.path, spot, what)
    played = Played(())
    for number, name in enumerate(run.task.targets, start=1):
        verdict = RoundResult(task, attempt, number, "scored", limited(told.get(name, 0)))
        cases = evidence.cases.of_origin(name) if evidence.cases else None
        target = replace(spot, place=f"target {name} of {spot.place}", words=f"target {name} of {spot}")
        played += referee.score(verdict, cases, target)
    return played


def _told(targets: Sequence[str], rewards: Rewards) -> dict[str, float]:
    """Give the reward of each target that is told of. One number tells of all only where none passed, or every one."""
    told = {name: rewards.by_key[name] for name in targets if name in rewards.by_key}
    whole = rewards.value
    if not told and whole is not None and (whole >= PASS_REWARD or whole == 0):
        return dict.fromkeys(targets, whole)
    return told


def _faults(targets: Sequence[str], rewards: Rewards, told: Mapping[str, float]) -> Iterator[tuple[Rule, str]]:
    for rule, what, names in (
        (rules.TARGETS_UNTOLD, "nothing is said of", [name for name in targets if name not in told]),
        (rules.TARGET_UNKNOWN, "the task names no target", sorted(rewards.by_key.keys() - {KEY, *targets})),
        (rules.REWARD_RANGE, "that of", sorted(told.keys() & set(rewards.out_of_range))),
    ):
        if names:
            yield rule, f"{what} {', '.join(names)}"
    if rewards.conflict:
        yield rules.REWARD_CONFLICT, f"{rewards.conflict}; that of {rewards.source} counts"
