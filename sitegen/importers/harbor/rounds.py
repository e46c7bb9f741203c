"""Score the rounds of runs: which rounds a run reached, and how each round ended."""

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import isclose
from pathlib import Path

from sitegen.importers.harbor import rules
from sitegen.importers.harbor.cases import CaseReport, read_cases
from sitegen.importers.harbor.causes import describe_exception
from sitegen.importers.harbor.records import AgentUsage, StepResult
from sitegen.importers.harbor.reward_log import RewardLog, clamp_reward
from sitegen.importers.harbor.rewards import (
    REWARD_KEY,
    Rewards,
    Rubric,
    explain_missing_reward,
    read_rewards,
)
from sitegen.importers.harbor.runs import HarborRun
from sitegen.importers.harbor.transcript import (
    TranscriptCounts,
    count_transcript,
    find_transcript_files,
)
from sitegen.importers.harbor.trials import RoundFiles, Trial
from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import RankedAgent
from sitegen.importers.kit.cases import CaseLists, blank_round
from sitegen.importers.kit.import_log import ImportLog, SourceLocation
from sitegen.importers.kit.options import Progress
from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rounds import AgentResults
from sitegen.importers.kit.tree import Folder, digest_of
from sitegen.models.outcome import PASS_REWARD, Failure, RoundResult, RunFigures

_CUT_OFF_HERE = "the run was cut off in this round"


@dataclass(frozen=True, slots=True)
class RoundFigures(AgentUsage):
    """The usage, times and digests of a round, with the field names of `RoundResult`."""

    agent_seconds: float | None = None
    verifier_seconds: float | None = None
    grader_digest: str | None = None
    transcript_digest: str | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """The rewards, cases and figures that a run left for one round."""

    rewards: Rewards
    cases: CaseReport | None
    """The listed and counted cases; None if the verifier left no output."""
    figures: RoundFigures
    cause: str | None
    """Why no reward counts; None if a reward counts."""
    is_contested: bool
    """Whether files state rewards that the runner's own result does not state."""
    transcript: TranscriptCounts


def read_evidence(trial: Trial, files: RoundFiles, rubric: Rubric, log: ImportLog) -> Evidence:
    """Return the contents of the files that a run left for one round."""
    work = trial.find_work(files.name)
    verifier = files.folders.verifier
    rewards = log.collect(read_rewards(trial, files))
    output = verifier.file("test-stdout.txt")
    cases = log.collect(read_cases(output, verifier.file("ctrf.json")))
    transcript = read_transcript(work.folders.agent, log)
    usage = _choose_usage(work.result, transcript)
    figures = RoundFigures(
        **asdict(usage),
        agent_seconds=work.result.agent_execution.seconds,
        verifier_seconds=files.result.verifier.seconds,
        grader_digest=verifier.digest,
        transcript_digest=digest_of(find_transcript_files(work.folders.agent)),
    )
    has_runner_result = trial.has_result
    if files.name is not None:
        has_runner_result = trial.result.step_results is not None
    is_from_file = rewards.source not in {None, "result.json"}
    faults = [*transcript.faults, *_find_differences(work.result, transcript)]
    return Evidence(
        rewards,
        cases,
        figures,
        explain_missing_reward(trial, files, rewards, rubric),
        is_contested=has_runner_result and is_from_file and not rewards.fault,
        transcript=replace(transcript, faults=faults),
    )


def _choose_usage(result: StepResult, transcript: TranscriptCounts) -> AgentUsage:
    """Return the usage of a round: the runner's figures, or else the transcript's."""
    usage = result.usage.or_else(transcript.usage)
    if usage.cost_usd == 0 and not usage.input_tokens and not usage.output_tokens:
        # A cost of 0 without any tokens means that the cost was not measured.
        return replace(usage, cost_usd=None)
    return usage


def _find_differences(result: StepResult, transcript: TranscriptCounts) -> Iterator[str]:
    """Yield a message for each total of a transcript that differs from the runner's.

    If an exception ended the run, the transcript may be incomplete, so it is not compared.
    """
    if result.exception is not None:
        return
    stated = asdict(transcript.stated)
    for name, runner_value in asdict(result.usage).items():
        value = stated[name]
        if value is None or runner_value is None:
            continue
        if not isclose(runner_value, value, rel_tol=1e-6):
            yield f"its {name} are {value:g}, but {runner_value:g} in result.json"


def read_transcript(agent: Folder, log: ImportLog) -> TranscriptCounts:
    """Return the counts of the transcript in an agent's folder; blank if there is none."""
    return log.collect(count_transcript(find_transcript_files(agent))) or TranscriptCounts()


@dataclass(slots=True)
class RoundScorer:
    """Decides how the rounds of an import ended, and collects what `finish` reports."""

    log: ImportLog
    pace: Progress = field(default_factory=Progress)
    models: Collection[str | None] = ()
    """Every model that a run of the import states."""
    rubric: Rubric = field(default_factory=Rubric)
    cases: CaseLists = field(default_factory=CaseLists)
    reward_log: RewardLog = field(default_factory=RewardLog)
    failures: defaultdict[Hashable, list[Failure]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """Cases that did not pass, by agent."""
    _has_cases: bool = field(default=False, init=False)
    """Whether any verifier of the import lists or counts cases."""
    _caseless_rounds: list[tuple[Path, SourceLocation]] = field(default_factory=list, init=False)
    """Rounds with a reward but without cases."""

    def check_transcript(
        self, transcript: TranscriptCounts, model: str | None, path: Path, spot: SourceLocation
    ) -> None:
        """Report a transcript that names another model of the import, or is inconsistent."""
        stated_model = transcript.model
        if model and stated_model and stated_model != model and stated_model in self.models:
            fault = f"it is by {one_line(stated_model)}"
            self.log.add_doubt(rules.TRANSCRIPT_CONTRADICTED, path, spot, fault)
        elif transcript.faults:
            self.log.add_doubt(rules.TRANSCRIPT_CONTRADICTED, path, spot, transcript.faults[0])

    def check_evidence(self, evidence: Evidence, run: HarborRun, spot: SourceLocation) -> None:
        """Report a doubtful transcript or conflicting rewards of a round or of a run."""
        rewards = evidence.rewards
        path = run.path
        self.check_transcript(evidence.transcript, run.trial.config.agent.model_name, path, spot)
        if rewards.source is None or rewards.fault:
            return
        conflict = self.rubric.conflict(rewards)
        if conflict is None and evidence.is_contested:
            conflict = "result.json states no reward"
        if conflict:
            message = f"{conflict}; the reward in {rewards.source} counts"
            self.log.add_doubt(rules.REWARD_CONFLICT, path, spot, message)

    def score_round(self, blank: RoundResult, evidence: Evidence, run: HarborRun) -> RoundResult:
        """Return the result of a round that the run reached."""
        spot = name_round(blank, run.entrant)
        rewards = evidence.rewards
        self.check_evidence(evidence, run, spot)
        self.reward_log.add_rewards(rewards)
        measures = self.rubric.measures(rewards) or None
        # Cases are unknown until `add_cases` adds them.
        measured = replace(blank, passed=None, total=None, measures=measures)
        value = self.rubric.value(rewards)
        if value is None:
            if self.rubric.is_ambiguous(rewards) and not rewards.fault:
                self.reward_log.add_ambiguous(rewards, spot, run.path)
            return replace(measured, state="aborted", passed=0, total=0, cause=evidence.cause)
        key = self.rubric.key(rewards.by_key) or REWARD_KEY
        self.reward_log.add_scored_reward(key, value, run.path)
        scored_round = replace(measured, state="scored", reward=clamp_reward(value))
        return self.add_cases(scored_round, evidence.cases, spot)

    def add_cases(
        self, scored_round: RoundResult, cases: CaseReport | None, spot: SourceLocation
    ) -> RoundResult:
        """Return a scored round with its cases, which stay None if they are unknown."""
        if cases is None:
            self._caseless_rounds.append((self.log.root, spot))
            return scored_round
        for rule, fact in cases.doubts(scored_round.reward):
            self.log.add_doubt(rule, cases.path, spot, fact)
        self._has_cases |= cases.has_cases
        tally = cases.tally(scored_round.reward)
        if tally is None or tally.total == 0:
            if scored_round.reward > 0:
                self._caseless_rounds.append((cases.path, spot))
                return scored_round
            counted_none = "the verifier counted no cases" if tally else None
            # If no verifier prints cases, `finish` changes a round without a cause to a scored
            # round.
            cause = cases.no_case_reason or counted_none
            return replace(scored_round, state="no_cases", passed=0, total=0, cause=cause)
        if tally.contradicts(scored_round.reward):
            counts = f"{tally.passed} of {tally.total} cases passed"
            message = f"a reward of {scored_round.reward:g}, but {counts}"
            self.log.add_doubt(rules.REWARD_CONTRADICTED, cases.path, spot, message)
            return scored_round
        self.failures[spot.whose] += cases.failures(scored_round)
        case_ids = None
        if tally.records:
            case_ids = self.cases.add((scored_round.task, scored_round.round), tally.records)
        return replace(
            scored_round,
            passed=tally.passed,
            total=tally.total,
            skipped=tally.skipped or None,
            outcomes=tally.outcomes,
            case_ids=case_ids,
            by_category=tally.by_category,
        )

    def finish(self, all_results: Iterable[AgentResults]) -> None:
        """Report problems that concern the whole import, once all of its rounds are scored.

        If no verifier prints cases, a round that is recorded as having none becomes a round whose
        cases are unknown.
        """
        self.reward_log.report_all(self.rubric, self.log)
        if self._has_cases:
            for path, spot in self._caseless_rounds:
                self.log.add_doubt(rules.CASES_MISSING, path, spot)
            return
        for agent_results in all_results:
            for key, result in agent_results.results.items():
                if result.state == "no_cases" and result.cause is None:
                    scored_round = replace(result, state="scored", passed=None, total=None)
                    agent_results.results[key] = scored_round


def name_round(result: RoundResult, entrant: RankedAgent) -> SourceLocation:
    """Return the location of an agent's round, with names for messages and for readers."""
    round_name = f"round {result.round} of {result.task}"
    run_name = f"attempt {result.attempt}" if result.start == "own" else "from the reference"
    readers_name = f"{round_name}, {run_name}"
    return SourceLocation(
        entrant, readers_name, f"{round_name} ({entrant}, {run_name})", result.start
    )


def make_run_figures(
    task: str, attempt: int, usage: AgentUsage, agent_seconds: float | None = None
) -> list[RunFigures]:
    """Return the figures of a complete run in a list; an empty list if no figure is known.

    Tool calls are not included: they are recorded by round.
    """
    run_figures = RunFigures(
        task,
        attempt,
        turns=usage.turns,
        input_tokens=usage.input_tokens,
        cached_tokens=usage.cached_tokens,
        output_tokens=usage.output_tokens,
        cost_usd=usage.cost_usd,
        agent_seconds=agent_seconds,
    )
    return [] if run_figures == RunFigures(task, attempt) else [run_figures]


def score_run(
    run: HarborRun, attempt: int, scorer: RoundScorer
) -> tuple[list[RoundResult], list[RunFigures]]:
    """Return the rounds of a run, and the figures that are known only for the complete run.

    Args:
        run: The run.
        attempt: The number of the attempt, 1 for a run from the reference state.
        scorer: Decides how the rounds ended.
    """
    if not run.task.is_chain:
        return _score_targets(run, attempt, scorer)
    if run.sampled_round is None:
        results = list(_score_attempt(run, attempt, scorer))
    else:
        blank = blank_round(run.task_id, attempt, run.sampled_round, start="reference")
        results = [_score_reached(run, blank, scorer)]
    check_calls(results, run.path, run.entrant, scorer.log)
    return _without_empty_calls(run, results, scorer.log), []


def _without_empty_calls(
    run: HarborRun, results: list[RoundResult], log: ImportLog
) -> list[RoundResult]:
    """Return the rounds of a run, with unknown tool calls if it has replies but no tool calls.

    The transcripts of some agents contain only text.
    """
    call_counts = {result.interactions for result in results} - {None}
    has_turns = any(result.turns for result in results)
    if call_counts != {0} or not has_turns:
        return results
    spot = SourceLocation(run.entrant, run.task_id, start=results[0].start)
    log.add_doubt(rules.CALLS_MISSING, run.path, spot)
    return [replace(result, interactions=None) for result in results]


def _score_attempt(run: HarborRun, attempt: int, scorer: RoundScorer) -> Iterator[RoundResult]:
    """Yield the results of a run's rounds, up to the round after the last reached round."""
    task = run.task_id
    names = run.task.round_names
    reached = [number for number, name in enumerate(names, start=1) if run.has_round(name)]
    last_reached = max(reached, default=0)
    for number in range(1, min(last_reached + 1, len(names)) + 1):
        blank = blank_round(task, attempt, number)
        if number in reached:
            yield _score_reached(run, blank, scorer)
        elif number <= last_reached:
            yield blank
        else:
            yield _score_cut_off(run, blank, scorer.log)


def _score_reached(run: HarborRun, blank: RoundResult, scorer: RoundScorer) -> RoundResult:
    """Return the result of a round that has a recorded result or a folder."""
    files = run.trial.find_round(run.task.round_names[blank.round - 1])
    evidence = read_evidence(run.trial, files, scorer.rubric, scorer.log)
    measured = replace(blank, **asdict(evidence.figures))
    return scorer.score_round(measured, evidence, run)


def _score_cut_off(run: HarborRun, blank: RoundResult, log: ImportLog) -> RoundResult:
    """Return the result of the round after the last reached round, which has no folder.

    If the runner was stopped in that round, its files are in the trial's own folder.
    """
    trial = run.trial
    cause = describe_exception(trial.result.exception)
    has_ended = trial.has_result and cause is None
    if trial.root_folders.is_empty or has_ended:
        return replace(blank, cause=cause)
    usage = read_transcript(trial.root_folders.agent, log).usage
    return replace(blank, state="aborted", cause=cause or _CUT_OFF_HERE, **asdict(usage))


def check_calls(
    results: Collection[RoundResult], path: Path, entrant: RankedAgent, log: ImportLog
) -> None:
    """Report scored rounds whose tool calls are unknown if those of other rounds are known."""
    uncounted = [result for result in results if result.interactions is None]
    if len(uncounted) == len(results):
        return
    for result in uncounted:
        if result.state in {"scored", "no_cases"}:
            log.add_doubt(rules.TRANSCRIPT_MISSING, path, name_round(result, entrant))


def _score_targets(
    run: HarborRun, attempt: int, scorer: RoundScorer
) -> tuple[list[RoundResult], list[RunFigures]]:
    """Return the targets of a run that is graded once, as rounds, and the figures of the run."""
    task = run.task_id
    evidence = read_evidence(run.trial, run.trial.complete_run, scorer.rubric, scorer.log)
    figures = make_run_figures(task, attempt, evidence.figures, evidence.figures.agent_seconds)
    if run.task.targets:
        results = _score_named_targets(run, attempt, evidence, scorer)
    else:
        blank = blank_round(task, attempt, 1)
        results = [scorer.score_round(blank, evidence, run)]
    first = results[0]
    if first.state == "aborted" and not scorer.rubric.is_ambiguous(evidence.rewards):
        spot = SourceLocation(run.entrant, f"{one_line(task)}, attempt {attempt}")
        scorer.log.add_doubt(kit_rules.RUN_FAILED, run.path, spot, first.cause or "")
    return results, figures


def _score_named_targets(
    run: HarborRun, attempt: int, evidence: Evidence, scorer: RoundScorer
) -> list[RoundResult]:
    """Return the targets that a task names, as rounds."""
    task = run.task_id
    targets = run.task.targets
    readers_name = f"{task}, attempt {attempt}"
    spot = SourceLocation(run.entrant, readers_name, f"{task} ({run.entrant}, attempt {attempt})")
    # The runner's own result need not state the rewards of targets.
    scorer.check_evidence(replace(evidence, is_contested=False), run, spot)
    rewards = evidence.rewards
    scorer.reward_log.add_rewards(rewards)
    if rewards.fault or not rewards.has_numbers:
        blank = replace(blank_round(task, attempt, 1, state="aborted"), cause=evidence.cause)
        return [replace(blank, round=number) for number in range(1, len(targets) + 1)]
    values = _target_rewards(rewards, targets, scorer.rubric)
    _check_targets(rewards, values, run.path, spot, scorer.log)
    results = []
    for number, name in enumerate(targets, start=1):
        value = values[name] or 0.0
        scorer.reward_log.add_scored_reward(REWARD_KEY, value, run.path)
        scored_round = RoundResult(
            task,
            attempt,
            number,
            "scored",
            clamp_reward(value),
            grader_digest=evidence.figures.grader_digest,
            transcript_digest=evidence.figures.transcript_digest,
        )
        cases = evidence.cases.select_origin(name) if evidence.cases else None
        target_spot = replace(
            spot, place=f"target {name} of {readers_name}", words=f"target {name} of {spot}"
        )
        results.append(scorer.add_cases(scored_round, cases, target_spot))
    return results


def _target_rewards(
    rewards: Rewards, targets: Sequence[str], rubric: Rubric
) -> dict[str, float | None]:
    """Return the reward of each target; None if the rewards do not state it.

    A single reward applies to every target only if it means that all targets passed or none did.
    """
    values = {name: rubric.scaled(rewards.by_key.get(name)) for name in targets}
    if any(value is not None for value in values.values()):
        return values
    reward = rubric.value(rewards)
    if reward is not None and (reward >= PASS_REWARD or reward == 0):
        return dict.fromkeys(targets, reward)
    return values


def _check_targets(
    rewards: Rewards,
    values: Mapping[str, float | None],
    path: Path,
    spot: SourceLocation,
    log: ImportLog,
) -> None:
    """Report targets without a reward, and keys that are not targets."""
    missing = [one_line(name) for name, value in values.items() if value is None]
    if missing:
        message = f"the verdict does not mention {', '.join(missing)}"
        log.add_doubt(rules.TARGETS_UNSTATED, path, spot, message)
    unknown = sorted(rewards.by_key.keys() - {REWARD_KEY, *values})
    if unknown:
        message = f"the task names no target {', '.join(map(one_line, unknown))}"
        log.add_doubt(rules.TARGET_UNKNOWN, path, spot, message)
