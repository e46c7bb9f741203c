"""Turns runs into rounds: how far a run came, and how each round ended, by its verdict and its cases."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import isclose
from pathlib import Path
from typing import Any, Literal

from sitegen.importers.harbor import rules
from sitegen.importers.harbor.cases import CaseReport, read_cases
from sitegen.importers.harbor.records import StepResult
from sitegen.importers.harbor.runs import Run
from sitegen.importers.harbor.tasks import TaskDefinition, round_title
from sitegen.importers.harbor.trajectory import Trajectory, read_trajectory, trajectory_files
from sitegen.importers.harbor.trials import Trial, Workplace
from sitegen.importers.kit.agents import Entrant
from sitegen.importers.kit.cases import CaseLists, unreached
from sitegen.importers.kit.options import Pace
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report, Spot
from sitegen.importers.kit.rounds import Run as AgentRun
from sitegen.importers.kit.stream import pick
from sitegen.importers.kit.tree import Folder, digest_of
from sitegen.models.outcome import PASS_REWARD, Failure, RoundResult, RunFigures
from sitegen.models.task import TaskRound
from sitegen.problems import Problem, grouped
from sitegen.reading.files import read_head

KEY = "reward"
"""The key that is scored; where it is absent, the only one is."""

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


def read_rewards(result: StepResult, place: Workplace) -> tuple[Rewards, list[Problem]]:
    """Find the rewards of a round: those in the runner's result come first, then reward.json, then reward.txt."""
    in_json, in_text = map(place.verifier.file, ("reward.json", "reward.txt"))
    value, problems = pick(in_json, {"*": None}) if in_json else ({}, [])
    try:
        number = float(((in_text and read_head(in_text, _LONGEST)) or b"").decode("ascii"))
    except ValueError:
        number = None
    told: Mapping[Source, Mapping[str, object]] = {
        "result.json": result.rewards or {},
        "reward.json": value if isinstance(value, dict) else {KEY: value},
        "reward.txt": {KEY: number},
    }
    found: dict[Source, Mapping[str, float]] = {}
    for source, rewards in told.items():
        numbers = {
            key: float(each)
            for key, each in rewards.items()
            if isinstance(each, int | float) and not isinstance(each, bool) and abs(each) < _BEYOND
        }
        if numbers:
            found[source] = numbers
    scored = {
        source: numbers.get(KEY, next(iter(numbers.values())))
        for source, numbers in found.items()
        if KEY in numbers or len(numbers) == 1
    }
    differ = max(scored.values(), default=0) - min(scored.values(), default=0) > _NEAR
    conflict = ", ".join(f"{each:g} in {where}" for where, each in scored.items()) if differ else None
    first = next(iter(found), None)
    return Rewards(first, found[first], scored.get(first), conflict) if first else Rewards(), problems


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a run left of a round."""

    rewards: Rewards
    cases: CaseReport | None
    """None where the verifier left no output."""
    took: Mapping[str, Any]
    """What the work and its check took, by the names of a record's fields."""
    cause: str
    """Why there is no verdict, where there is none."""
    is_contested: bool
    """Whether the runner saw no verdict, and there are rewards all the same."""
    transcript: Trajectory

    @classmethod
    def of(cls, trial: Trial, name: str | None, report: Report) -> "Evidence":
        """Read what a run left of a round; `name` is None for a trial of one round."""
        (told, place), (worked, workplace) = (
            (each.result, each.loose) if name is None else each.of_round(name)
            for each in (trial, trial.judged_again or trial)
        )
        rewards = report.take(read_rewards(told, place))
        cases = report.take(read_cases(*map(place.verifier.file, ("test-stdout.txt", "ctrf.json"))))
        transcript = transcribed(workplace.agent, report)
        effort = worked.effort.or_else(transcript.effort)
        if effort.cost_usd == 0 and not effort.input_tokens and not effort.output_tokens:
            # Where no tokens were counted either, a cost of 0 is one that nobody knows.
            effort = replace(effort, cost_usd=None)
        # A verifier that ran left no reward, whatever the agent died of.
        silent = _NO_REWARD if told.verifier.finished_at else None
        # Where a transcript states otherwise than the runner does; one that was stopped may lack the end.
        pairs = ((name, ours, getattr(transcript.stated, name)) for name, ours in asdict(worked.effort).items())
        differing = (
            f"its {name} are {theirs:g}, and {ours:g} in result.json"
            for name, ours, theirs in (pairs if worked.exception is None else ())
            if None not in {ours, theirs} and not isclose(ours, theirs, rel_tol=1e-6)
        )
        return cls(
            rewards,
            cases,
            asdict(effort)
            | {"agent_seconds": worked.agent_execution.seconds, "verifier_seconds": told.verifier.seconds}
            | {
                "grader_digest": place.verifier.digest,
                "transcript_digest": digest_of(trajectory_files(workplace.agent)),
            },
            "; ".join(filter(None, (cause_of(told.exception), silent))) or _NO_REWARD,
            is_contested=(told != StepResult() or bool(name and trial.result.step_results is not None))
            and rewards.source not in {None, "result.json"},
            transcript=replace(transcript, faults=[*transcript.faults, *differing]),
        )


def transcribed(agent: Folder, report: Report) -> Trajectory:
    """The transcript in an agent's folder, counted; blank where there is none."""
    return report.take(read_trajectory(trajectory_files(agent))) or Trajectory()


@dataclass(slots=True)
class Scorer:
    """Decides how rounds ended."""

    report: Report
    pace: Pace = field(default_factory=Pace)
    models: Collection[str | None] = ()
    """Every model that a run of the import says it is of."""
    cases: CaseLists = field(default_factory=CaseLists)
    prints_cases: bool = False
    """Whether any verifier of the import tells of cases."""
    failures: defaultdict[Hashable, list[Failure]] = field(default_factory=lambda: defaultdict(list))
    """Cases that did not pass, by whose they are."""
    caseless: list[tuple[Path, Spot]] = field(default_factory=list)
    """Rounds with a reward, and no case that is told."""
    sources: Counter[str] = field(default_factory=Counter)
    """How many rewards were taken from which place."""

    def check(self, transcript: Trajectory, model: str | None, path: Path, where: Spot) -> None:
        """Say of a run's transcript that it does not go together, or is that of another model."""
        faults = list(transcript.faults)
        if model and transcript.model and transcript.model != model and transcript.model in self.models:
            faults.insert(0, f"it is of {one_line(transcript.model)}")
        for fault in faults[:1]:
            self.report.doubt(rules.TRANSCRIPT_CONTRADICTED, path, where, fault)

    def judge(self, evidence: Evidence, run: Run, where: Spot) -> Rewards:
        """The rewards of a round or of a whole run; what speaks against them is told."""
        rewards = evidence.rewards
        self.check(evidence.transcript, run.trial.config.agent.model_name, run.trial.path, where)
        if rewards.source is not None:
            self.sources[rewards.source] += 1
            conflict = rewards.conflict or ("there is none in result.json" if evidence.is_contested else None)
            if conflict:
                what = f"{conflict}; that of {rewards.source} counts"
                self.report.doubt(rules.REWARD_CONFLICT, run.trial.path, where, what)
        return rewards

    def ended(self, blank: RoundResult, evidence: Evidence, run: Run) -> RoundResult:
        """Decide how a round ended that was reached; it comes with what it took."""
        where, path = spot_of(blank, run.entrant), run.trial.path
        rewards = self.judge(evidence, run, where)
        if rewards.value is None and rewards.source:
            self.report.doubt(rules.REWARD_UNCLEAR, path, where, f"its keys are {', '.join(sorted(rewards.by_key))}")
        if rewards.value is None:
            return replace(blank, state="aborted", passed=0, total=0, cause=evidence.cause)
        if rewards.out_of_range:
            self.report.doubt(rules.REWARD_RANGE, path, where, f"{rewards.value:g}")
        return self.scored(replace(blank, state="scored", reward=limited(rewards.value)), evidence.cases, where)

    def scored(self, verdict: RoundResult, cases: CaseReport | None, where: Spot) -> RoundResult:
        """A round with a verdict, and what its cases tell; None where nothing is told of any."""
        if cases is None:
            self.caseless.append((self.report.root, where))
            return verdict
        for rule, what in cases.doubts(verdict.reward):
            self.report.doubt(rule, cases.path, where, what)
        self.prints_cases |= cases.tells_cases
        tally = cases.tally(verdict.reward)
        if tally is None or tally.total == 0:
            if verdict.reward > 0:
                self.caseless.append((cases.path, where))
                return verdict
            # Where the verifier does not say why there is no case, the cause stays open: see `settled`.
            cause = cases.early or ("the verifier counted no case" if tally else None)
            return replace(verdict, state="no_cases", passed=0, total=0, cause=cause)
        if tally.contradicts(verdict.reward):
            what = f"a reward of {verdict.reward:g}, but {tally.passed} of {tally.total} cases passed"
            self.report.doubt(rules.REWARD_CONTRADICTED, cases.path, where, what)
            return verdict
        self.failures[where.whose] += cases.failures(verdict)
        return replace(
            verdict,
            passed=tally.passed,
            total=tally.total,
            skipped=tally.skipped or None,
            outcomes=tally.outcomes,
            case_ids=self.cases.add((verdict.task, verdict.round), tally.records) if tally.records else None,
            by_category=tally.by_category,
        )

    def settle(self, runs: Iterable[AgentRun]) -> None:
        """Say what rounds came to, once all of the import are known.

        Where no verifier prints cases, a round without cases is one of which no case is told.
        """
        for path, where in self.caseless if self.prints_cases else ():
            self.report.doubt(rules.CASES_UNTOLD, path, where)
        for run in runs if not self.prints_cases else ():
            for key, each in run.results.items():
                if each.state == "no_cases" and each.cause is None:
                    run.results[key] = replace(each, state="scored", passed=None, total=None)


def spot_of(result: RoundResult, entrant: Entrant) -> Spot:
    """Name a round of an agent's."""
    place = f"round {result.round} of {result.task}"
    which = f"attempt {result.attempt}" if result.start == "own" else "from the reference"
    return Spot(entrant, f"{place}, {which}", f"{place} ({entrant}, {which})", result.start)


def figures_of(task: str, attempt: int, took: Mapping[str, Any]) -> Iterator[RunFigures]:
    """What a run took as a whole, if anything is known of it; the tool calls stand with its rounds."""
    figures = RunFigures(task, attempt)
    told = replace(figures, **{name: value for name, value in took.items() if hasattr(figures, name)})
    if told != figures:
        yield told


def outcome_of(run: Run, number: int, scorer: Scorer) -> tuple[list[RoundResult], list[RunFigures]]:
    """The rounds that a run went through, and what it took as a whole where no round tells that.

    `number` is that of the attempt; where it sampled one round from the reference state, that of the round.
    """
    if not run.task.is_chain:
        return _graded(run, number, scorer)
    if run.sampled is None:
        rounds = list(_attempted(run, number, scorer))
    else:
        rounds = [_reached(run, unreached(run.task.task.id, 1, run.sampled or 1, start="reference"), scorer)]
    check_calls(rounds, run.trial.path, run.entrant, scorer.report)
    # No tool call in a whole run are tool calls that are not told: some agents write down text alone.
    if {each.interactions for each in rounds} - {None} == {0} and any(each.turns for each in rounds):
        spot = Spot(run.entrant, run.task.task.id, start=rounds[0].start)
        scorer.report.doubt(rules.CALLS_UNTOLD, run.trial.path, spot)
        rounds = [replace(each, interactions=None) for each in rounds]
    return rounds, []


def _attempted(run: Run, attempt: int, scorer: Scorer) -> Iterator[RoundResult]:
    """The rounds of a run from its task's beginning, up to the one that it ended before.

    Where the runner was stopped in a round, that has no folder, and its files lie in the trial's own.
    """
    task, trial, names = run.task.task.id, run.trial, run.task.steps
    farthest = max((number for number, name in enumerate(names, start=1) if run.reached(name)), default=0)
    for number, name in enumerate(names[: farthest + 1], start=1):
        blank, cause = unreached(task, attempt, number), cause_of(trial.result.exception)
        if run.reached(name):
            yield _reached(run, blank, scorer)
        elif number <= farthest:
            yield blank
        elif trial.loose.is_empty or (trial.has_result and cause is None):
            yield replace(blank, cause=cause)
        else:
            worked = replace(blank, **asdict(transcribed(trial.loose.agent, scorer.report).effort))
            yield replace(worked, state="aborted", cause=cause or "the run was cut off in this round")


def _reached(run: Run, blank: RoundResult, scorer: Scorer) -> RoundResult:
    evidence = Evidence.of(run.trial, run.task.steps[blank.round - 1], scorer.report)
    return scorer.ended(replace(blank, passed=None, total=None, **evidence.took), evidence, run)


def check_calls(rounds: Collection[RoundResult], path: Path, entrant: Entrant, report: Report) -> None:
    """Say which rounds have no transcript that can be counted, where others of them do."""
    uncounted = [each for each in rounds if each.interactions is None]
    if len(uncounted) < len(rounds):
        for each in uncounted:
            if each.state in {"scored", "no_cases"}:
                report.doubt(rules.CALLS_GAP, path, spot_of(each, entrant))


def _graded(run: Run, attempt: int, scorer: Scorer) -> tuple[list[RoundResult], list[RunFigures]]:
    """The targets of a run of a task that is graded once as rounds, and what the run took as a whole.

    One number tells of all targets only where none passed, or every one.
    """
    task, targets = run.task.task.id, run.task.targets
    evidence = Evidence.of(run.trial, None, scorer.report)
    figures = list(figures_of(task, attempt, evidence.took))
    if not targets:
        return [scorer.ended(RoundResult(task, attempt, 1, "unreached", 0), evidence, run)], figures
    spot = Spot(run.entrant, f"{task}, attempt {attempt}", f"{task} ({run.entrant}, attempt {attempt})")
    # Of targets, the runner's own result may tell nothing.
    rewards = scorer.judge(replace(evidence, is_contested=False), run, spot)
    if rewards.source is None:
        blank = replace(unreached(task, attempt, 1, "aborted"), cause=evidence.cause)
        return [replace(blank, round=number) for number, _ in enumerate(targets, start=1)], figures
    told = {name: rewards.by_key[name] for name in targets if name in rewards.by_key}
    if not told and rewards.value is not None and (rewards.value >= PASS_REWARD or rewards.value == 0):
        told = dict.fromkeys(targets, rewards.value)
    for rule, what, names in (
        (rules.TARGETS_UNTOLD, "nothing is said of", [name for name in targets if name not in told]),
        (rules.TARGET_UNKNOWN, "the task names no target", sorted(rewards.by_key.keys() - {KEY, *targets})),
        (rules.REWARD_RANGE, "that of", sorted(told.keys() & set(rewards.out_of_range))),
    ):
        if names:
            scorer.report.doubt(rule, run.trial.path, spot, f"{what} {', '.join(names)}")
    results = []
    digests = {name: evidence.took[name] for name in ("grader_digest", "transcript_digest")}
    for number, name in enumerate(targets, start=1):
        verdict = RoundResult(task, attempt, number, "scored", limited(told.get(name, 0)), **digests)
        cases = evidence.cases.of_origin(name) if evidence.cases else None
        where = replace(spot, place=f"target {name} of {spot.place}", words=f"target {name} of {spot}")
        results.append(scorer.scored(verdict, cases, where))
    return results, figures


def with_told_targets(runs: Sequence[Run], report: Report) -> list[Run]:
    """Give tasks that do not name their targets those that the verdicts of any run name, all of the same weight."""
    nameless = [run for run in runs if not run.task.is_chain and not run.task.targets]
    verdicts = ((run.task.task.id, read_rewards(run.trial.result, run.trial.loose)[0].by_key) for run in nameless)
    named = grouped((name, key) for name, rewards in verdicts for key in sorted(rewards.keys() - {KEY}))
    tasks: dict[str, TaskDefinition] = {}
    for run in nameless:
        name = run.task.task.id
        targets = tuple(dict.fromkeys(named[name]))
        if targets and name not in tasks:
            rounds = tuple(TaskRound(number, round_title(each)) for number, each in enumerate(targets, start=1))
            tasks[name] = replace(run.task, task=replace(run.task.task, rounds=rounds), targets=targets)
            report.doubt(rules.TARGETS_ASSUMED, run.task.path, Spot(None, name, name), ", ".join(targets))
    return [replace(run, task=tasks.get(run.task.task.id, run.task)) for run in runs]
