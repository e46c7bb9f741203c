"""Turns runs into rounds: how far a run came, and how each round ended, by its verdict and its cases."""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import isclose
from pathlib import Path
from typing import Any

from sitegen.importers.harbor import rules
from sitegen.importers.harbor.cases import CaseReport, read_cases
from sitegen.importers.harbor.causes import cause_of
from sitegen.importers.harbor.records import Effort, StepResult
from sitegen.importers.harbor.runs import Run
from sitegen.importers.harbor.trajectory import Trajectory, read_trajectory, trajectory_files
from sitegen.importers.harbor.trials import Trial
from sitegen.importers.harbor.verdicts import (
    KEY,
    Rewards,
    Rubric,
    assume_scale,
    check_range,
    reasons,
    rewards_of,
    workplace_of,
)
from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import Entrant
from sitegen.importers.kit.cases import CaseLists, unreached
from sitegen.importers.kit.options import Pace
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.report import Report, Spot
from sitegen.importers.kit.rounds import Run as AgentRun
from sitegen.importers.kit.tree import Folder, digest_of
from sitegen.models.outcome import PASS_REWARD, Failure, RoundResult, RunFigures
from sitegen.problems import Problem, UsageError, counted, listed

_CUT_OFF_HERE = "the run was cut off in this round"


def limited(value: float) -> float:
    """A reward within its range, which it may miss by a rounding."""
    return min(1.0, max(0.0, value))


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
    def of(cls, trial: Trial, name: str | None, scorer: "Scorer") -> "Evidence":
        """Read what a run left of a round; `name` is None for a trial of one round."""
        report = scorer.report
        result, place = workplace_of(trial, name)
        # Where the work was judged again, it lies in the trial that was judged first.
        worked, workplace = workplace_of(trial.judged_again or trial, name)
        rewards = report.take(rewards_of(trial, name))
        cases = report.take(read_cases(*map(place.verifier.file, ("test-stdout.txt", "ctrf.json"))))
        transcript = transcribed(workplace.agent, report)
        took = {
            **asdict(_effort_of(worked, transcript)),
            "agent_seconds": worked.agent_execution.seconds,
            "verifier_seconds": result.verifier.seconds,
            "grader_digest": place.verifier.digest,
            "transcript_digest": digest_of(trajectory_files(workplace.agent)),
        }
        runner_spoke = result != StepResult() or bool(
            name and trial.result.step_results is not None
        )
        faults = [*transcript.faults, *_differences(worked, transcript)]
        return cls(
            rewards,
            cases,
            took,
            reasons(trial, name, rewards, scorer.rubric),
            is_contested=runner_spoke
            and rewards.source not in {None, "result.json"}
            and not rewards.fault,
            transcript=replace(transcript, faults=faults),
        )


def _effort_of(result: StepResult, transcript: Trajectory) -> Effort:
    """Return what a round took, by the runner's figures and then by the transcript's."""
    effort = result.effort.or_else(transcript.effort)
    if effort.cost_usd == 0 and not effort.input_tokens and not effort.output_tokens:
        # Where no tokens were counted either, a cost of 0 is one that nobody knows.
        return replace(effort, cost_usd=None)
    return effort


def _differences(result: StepResult, transcript: Trajectory) -> Iterator[str]:
    """Yield where a transcript states otherwise than the runner does; one that was stopped may lack the end."""
    if result.exception is not None:
        return
    for name, ours in asdict(result.effort).items():
        theirs = getattr(transcript.stated, name)
        if None not in {ours, theirs} and not isclose(ours, theirs, rel_tol=1e-6):
            yield f"its {name} are {theirs:g}, and {ours:g} in result.json"


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
    rubric: Rubric = field(default_factory=Rubric)
    cases: CaseLists = field(default_factory=CaseLists)
    prints_cases: bool = False
    """Whether any verifier of the import tells of cases."""
    failures: defaultdict[Hashable, list[Failure]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """Cases that did not pass, by whose they are."""
    caseless: list[tuple[Path, Spot]] = field(default_factory=list)
    """Rounds with a reward, and no case that is told."""
    sources: Counter[str] = field(default_factory=Counter)
    """How many rewards were taken from which place."""
    rewards: defaultdict[str, list[tuple[float, Path]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """Every reward that counts, by its key, and where it lies."""
    keys: set[str] = field(default_factory=set)
    """Every key of a verdict."""
    ambiguous: defaultdict[tuple[str, ...], list[tuple[str, Path]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """Rounds of which it has to be asked what counts, by the keys of their verdicts."""

    def check(self, transcript: Trajectory, model: str | None, path: Path, where: Spot) -> None:
        """Say of a run's transcript that it does not go together, or is that of another model."""
        faults = list(transcript.faults)
        if (
            model
            and transcript.model
            and transcript.model != model
            and transcript.model in self.models
        ):
            faults.insert(0, f"it is of {one_line(transcript.model)}")
        for fault in faults[:1]:
            self.report.doubt(rules.TRANSCRIPT_CONTRADICTED, path, where, fault)

    def judge(self, evidence: Evidence, run: Run, where: Spot) -> Rewards:
        """Return the rewards of a round or of a whole run; problems with them are reported."""
        rewards = evidence.rewards
        self.check(evidence.transcript, run.trial.config.agent.model_name, run.trial.path, where)
        self.keys.update(rewards.by_key)
        if rewards.source is None or rewards.fault:
            return rewards
        self.sources[rewards.source] += 1
        conflict = self.rubric.conflict(rewards)
        if conflict is None and evidence.is_contested:
            conflict = "there is none in result.json"
        if conflict:
            what = f"{conflict}; that of {rewards.source} counts"
            self.report.doubt(rules.REWARD_CONFLICT, run.trial.path, where, what)
        return rewards

    def reward(self, key: str, value: float, run: Run) -> float:
        """Return a reward within its range; rewards outside it are reported together, once."""
        self.rewards[key].append((value, run.trial.path))
        return limited(value)

    def ended(self, blank: RoundResult, evidence: Evidence, run: Run) -> RoundResult:
        """Return how a round ended that was reached, with the figures beside its reward."""
        where = spot_of(blank, run.entrant)
        rewards = self.judge(evidence, run, where)
        value = self.rubric.value(rewards)
        measured = replace(blank, measures=self.rubric.measures(rewards) or None)
        if value is None and self.rubric.is_ambiguous(rewards) and not rewards.fault:
            self.ambiguous[tuple(sorted(rewards.by_key))].append((str(where), run.trial.path))
        if value is None:
            return replace(measured, state="aborted", passed=0, total=0, cause=evidence.cause)
        reward = self.reward(self.rubric.key(rewards.by_key) or KEY, value, run)
        return self.scored(replace(measured, state="scored", reward=reward), evidence.cases, where)

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
            what = (
                f"a reward of {verdict.reward:g}, but {tally.passed} of {tally.total} cases passed"
            )
            self.report.doubt(rules.REWARD_CONTRADICTED, cases.path, where, what)
            return verdict
        self.failures[where.whose] += cases.failures(verdict)
        return replace(
            verdict,
            passed=tally.passed,
            total=tally.total,
            skipped=tally.skipped or None,
            outcomes=tally.outcomes,
            case_ids=self.cases.add((verdict.task, verdict.round), tally.records)
            if tally.records
            else None,
            by_category=tally.by_category,
        )

    def settle(self, runs: Iterable[AgentRun]) -> None:
        """Say what rounds came to, once all of the import are known.

        Where no verifier prints cases, a round without cases is one of which no case is told.
        """
        self._settle_rewards()
        if self.prints_cases:
            for path, where in self.caseless:
                self.report.doubt(rules.CASES_UNTOLD, path, where)
            return
        for run in runs:
            for key, result in run.results.items():
                if result.state == "no_cases" and result.cause is None:
                    run.results[key] = replace(result, state="scored", passed=None, total=None)

    def _settle_rewards(self) -> None:
        """Say which scale and which key the rewards have, and what has to be asked."""
        for keys, rounds in self.ambiguous.items():
            self.report.problems.append(_ambiguity(keys, rounds))
        for key, rewards in self.rewards.items():
            name = one_line(key)
            is_in_range = check_range(rewards, self.report, self.rubric.scale, f"the key `{name}`")
            if is_in_range and key not in {KEY, self.rubric.metric}:
                self.report.assume(
                    f"the key `{name}` is the reward of verdicts that have no other key"
                )
        if self.rubric.scale is not None:
            assume_scale(self.rubric.scale, self.report)
        if self.rubric.metric is not None:
            self._settle_metric(self.rubric.metric)

    def _settle_metric(self, metric: str) -> None:
        """Say which key counts, or that no verdict has it."""
        name = one_line(metric)
        if metric not in self.keys:
            raise UsageError(
                f"no verdict has the key {name}; there are: {listed(sorted(self.keys)) or 'none'}"
            )
        self.report.assume(f"the key `{name}` is the reward, as `--metric` says")
        if metric != KEY and KEY in self.rewards:
            self.report.assume(
                f"the key `{KEY}` is the reward of verdicts without the key `{name}`"
            )


def _ambiguity(keys: Sequence[str], rounds: Sequence[tuple[str, Path]]) -> Problem:
    """Return the problem that it is not clear which of several keys is the reward."""
    named = listed(map(one_line, keys))
    where, path = rounds[0]
    what = f"{counted(len(rounds), 'verdict')} with the keys {named}, and none of them is `{KEY}`; the first is {where}"
    fix = (
        f"name the key that counts, for example `--metric {one_line(keys[0])}`; to grade each key as a target of its"
        " own, list them as `[[metadata.targets]]` in the task.toml"
    )
    return kit_rules.SCORE_AMBIGUOUS.broken(path, None, what, fix)


def spot_of(result: RoundResult, entrant: Entrant) -> Spot:
    """Name a round of an agent's."""
    place = f"round {result.round} of {result.task}"
    which = f"attempt {result.attempt}" if result.start == "own" else "from the reference"
    return Spot(entrant, f"{place}, {which}", f"{place} ({entrant}, {which})", result.start)


def figures_of(task: str, attempt: int, took: Mapping[str, Any]) -> Iterator[RunFigures]:
    """What a run took as a whole, if anything is known of it; the tool calls stand with its rounds."""
    figures = RunFigures(task, attempt)
    told = replace(
        figures, **{name: value for name, value in took.items() if hasattr(figures, name)}
    )
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
        rounds = [
            _reached(
                run, unreached(run.task.task.id, 1, run.sampled or 1, start="reference"), scorer
            )
        ]
    check_calls(rounds, run.trial.path, run.entrant, scorer.report)
    # No tool call in a whole run are tool calls that are not told: some agents write down text alone.
    if {each.interactions for each in rounds} - {None} == {0} and any(
        each.turns for each in rounds
    ):
        spot = Spot(run.entrant, run.task.task.id, start=rounds[0].start)
        scorer.report.doubt(rules.CALLS_UNTOLD, run.trial.path, spot)
        rounds = [replace(each, interactions=None) for each in rounds]
    return rounds, []


def _attempted(run: Run, attempt: int, scorer: Scorer) -> Iterator[RoundResult]:
    """The rounds of a run from its task's beginning, up to the one that it ended before.

    Where the runner was stopped in a round, that has no folder, and its files lie in the trial's own.
    """
    task, trial, names = run.task.task.id, run.trial, run.task.steps
    farthest = max(
        (number for number, name in enumerate(names, start=1) if run.reached(name)), default=0
    )
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
            yield replace(worked, state="aborted", cause=cause or _CUT_OFF_HERE)


def _reached(run: Run, blank: RoundResult, scorer: Scorer) -> RoundResult:
    evidence = Evidence.of(run.trial, run.task.steps[blank.round - 1], scorer)
    return scorer.ended(replace(blank, passed=None, total=None, **evidence.took), evidence, run)


def check_calls(
    rounds: Collection[RoundResult], path: Path, entrant: Entrant, report: Report
) -> None:
    """Say which rounds have no transcript that can be counted, where others of them do."""
    uncounted = [each for each in rounds if each.interactions is None]
    if len(uncounted) < len(rounds):
        for each in uncounted:
            if each.state in {"scored", "no_cases"}:
                report.doubt(rules.CALLS_GAP, path, spot_of(each, entrant))


def _graded(run: Run, attempt: int, scorer: Scorer) -> tuple[list[RoundResult], list[RunFigures]]:
    """Return the targets of a run of a task that is graded once as rounds, and what the run took as a whole."""
    task = run.task.task.id
    evidence = Evidence.of(run.trial, None, scorer)
    figures = list(figures_of(task, attempt, evidence.took))
    if run.task.targets:
        results = _targets(run, attempt, evidence, scorer)
    else:
        results = [scorer.ended(RoundResult(task, attempt, 1, "unreached", 0), evidence, run)]
    if results[0].state == "aborted" and not scorer.rubric.is_ambiguous(evidence.rewards):
        spot = Spot(run.entrant, f"{one_line(task)}, attempt {attempt}")
        scorer.report.doubt(kit_rules.TRIES_FAILED, run.trial.path, spot, results[0].cause or "")
    return results, figures


def _targets(run: Run, attempt: int, evidence: Evidence, scorer: Scorer) -> list[RoundResult]:
    """Return the targets of a run as rounds. One number tells of all of them only where none passed, or every one."""
    task, targets = run.task.task.id, run.task.targets
    spot = Spot(
        run.entrant, f"{task}, attempt {attempt}", f"{task} ({run.entrant}, attempt {attempt})"
    )
    # Of targets, the runner's own result may tell nothing.
    rewards = scorer.judge(replace(evidence, is_contested=False), run, spot)
    if rewards.fault or not rewards.numbers:
        blank = replace(unreached(task, attempt, 1, "aborted"), cause=evidence.cause)
        return [replace(blank, round=number) for number, _ in enumerate(targets, start=1)]
    values = {name: scorer.rubric.scaled(rewards.by_key.get(name)) for name in targets}
    passed_all = scorer.rubric.value(rewards)
    has_none = all(value is None for value in values.values())
    if has_none and passed_all is not None and (passed_all >= PASS_REWARD or passed_all == 0):
        values = dict.fromkeys(targets, passed_all)
    untold = [name for name in targets if values[name] is None]
    strange = sorted(rewards.by_key.keys() - {KEY, *targets})
    for rule, what, names in (
        (rules.TARGETS_UNTOLD, "nothing is said of", untold),
        (rules.TARGET_UNKNOWN, "the task names no target", strange),
    ):
        if names:
            scorer.report.doubt(
                rule, run.trial.path, spot, f"{what} {', '.join(map(one_line, names))}"
            )
    results = []
    digests = {name: evidence.took[name] for name in ("grader_digest", "transcript_digest")}
    for number, name in enumerate(targets, start=1):
        reward = scorer.reward(KEY, values[name] or 0.0, run)
        verdict = RoundResult(task, attempt, number, "scored", reward, **digests)
        cases = evidence.cases.of_origin(name) if evidence.cases else None
        where = replace(
            spot, place=f"target {name} of {spot.place}", words=f"target {name} of {spot}"
        )
        results.append(scorer.scored(verdict, cases, where))
    return results
