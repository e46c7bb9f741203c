"""Turns runs into rounds: how far a run came, and how each round ended, by its verdict and its cases."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace

from sitegen.importers.harbor import rules
from sitegen.importers.harbor.cases import CaseReport
from sitegen.importers.harbor.evidence import CUT_OFF, KEY, Evidence, cause_of, evidence_of, limited, transcribed
from sitegen.importers.harbor.runs import Run
from sitegen.importers.harbor.trajectory import Effort
from sitegen.importers.kit.agents import Entrant
from sitegen.importers.kit.cases import CaseLists, Results, unreached
from sitegen.importers.kit.options import Pace
from sitegen.importers.kit.report import Report, Spot
from sitegen.models.outcome import PASS_REWARD, RoundResult, RunFigures

_NOTHING_RAN = "the verifier counted no case"


@dataclass(slots=True)
class Scorer:
    """Decides how rounds ended."""

    report: Report
    pace: Pace = field(default_factory=Pace)
    cases: CaseLists = field(default_factory=CaseLists)
    prints_cases: bool = False
    """Whether any verifier of the import tells of cases."""
    sources: Counter[str] = field(default_factory=Counter)
    """How many rewards were taken from which place."""

    def ended(self, blank: RoundResult, evidence: Evidence, run: Run) -> Results:
        """Decide how a round ended that was reached; it comes with what it took."""
        rewards, where, path = evidence.rewards, spot_of(blank, run.entrant), run.trial.path
        if rewards.source is not None:
            self.sources[rewards.source] += 1
            conflict = rewards.conflict or ("there is none in result.json" if evidence.is_contested else None)
            if conflict:
                self.report.doubt(rules.REWARD_CONFLICT, path, where, f"{conflict}; that of {rewards.source} counts")
            if rewards.value is None:
                keys = ", ".join(sorted(rewards.by_key))
                self.report.doubt(rules.REWARD_UNCLEAR, path, where, f"its keys are {keys}")
            elif rewards.out_of_range:
                self.report.doubt(rules.REWARD_RANGE, path, where, f"{rewards.value:g}")
        if rewards.value is None:
            return Results((replace(blank, state="aborted", passed=0, total=0, cause=evidence.cause),))
        return self.scored(replace(blank, state="scored", reward=limited(rewards.value)), evidence.cases, where)

    def scored(self, verdict: RoundResult, cases: CaseReport | None, where: Spot) -> Results:
        """Add to a round with a verdict what its cases tell; None where nothing is told of any."""
        if cases is None:
            return Results((verdict,))
        for rule, what in cases.doubts(verdict.reward):
            self.report.doubt(rule, cases.path, where, what)
        self.prints_cases |= cases.tells_cases
        tally = cases.tally(verdict.reward)
        if tally is None or tally.total == 0:
            if verdict.reward > 0:
                return Results((verdict,))
            # Where the verifier does not say why there is no case, the cause stays open: see `settled`.
            cause = cases.early or (_NOTHING_RAN if tally else None)
            return Results((replace(verdict, state="no_cases", passed=0, total=0, cause=cause),))
        if tally.contradicts(verdict.reward):
            what = f"a reward of {verdict.reward:g}, but {tally.passed} of {tally.total} cases passed"
            self.report.doubt(rules.REWARD_CONTRADICTED, cases.path, where, what)
            return Results((verdict,))
        counted = replace(
            verdict,
            passed=tally.passed,
            total=tally.total,
            skipped=tally.skipped or None,
            outcomes=tally.outcomes,
            case_ids=self.cases.add((verdict.task, verdict.round), tally.records) if tally.records else None,
            by_category=tally.by_category,
        )
        return Results((counted,), tuple(cases.failures(verdict)))

    def settled(self, results: Results) -> Results:
        """What rounds came to, once all of the import are known.

        Where no verifier prints cases, a round without cases is one of which no case is told. Names of cases stand
        with a round only where they differ from its task's.
        """
        rounds = []
        for each in results.rounds:
            is_usual = each.case_ids == self.cases.usual((each.task, each.round))
            fitted = replace(each, case_ids=None) if is_usual and each.case_ids is not None else each
            if not self.prints_cases and each.state == "no_cases" and each.cause is None:
                fitted = replace(fitted, state="scored", passed=None, total=None)
            rounds.append(fitted)
        return replace(results, rounds=tuple(rounds))


def spot_of(result: RoundResult, entrant: Entrant) -> Spot:
    """Name a round of an agent's."""
    place = f"round {result.round} of {result.task}"
    which = f"attempt {result.attempt}" if result.start == "own" else "from the reference"
    return Spot(entrant, f"{place}, {which}", f"{place} ({entrant}, {which})", result.start)


def figures_of(task: str, attempt: int, effort: Effort, agent_seconds: float | None = None) -> Iterator[RunFigures]:
    """What a run took as a whole, if anything is known of it; the tool calls stand with its rounds."""
    took = {name: value for name, value in asdict(effort).items() if name != "interactions"}
    figures = RunFigures(task, attempt, **took, agent_seconds=agent_seconds)
    if figures != RunFigures(task, attempt):
        yield figures


def attempt_of(run: Run, attempt: int, scorer: Scorer) -> Results:
    """The rounds of a run from its task's beginning, those that it never reached included.

    Where the runner was stopped in a round, that has no folder, and its files lie in the trial's own.
    """
    task, trial, names = run.task.task.id, run.trial, run.task.steps
    farthest = max((number for number, name in enumerate(names, start=1) if run.reached(name)), default=0)
    results = []
    for number, name in enumerate(names, start=1):
        blank = unreached(task, attempt, number)
        if run.reached(name):
            results.append(_reached(run, blank, scorer))
        elif number == farthest + 1:
            cause = cause_of(trial.result.exception_info.exception_type)
            if trial.place.loose.is_empty or (trial.has_result and cause is None):
                results.append(Results((replace(blank, cause=cause),)))
            else:
                worked = replace(blank, **asdict(transcribed(trial.place.loose, scorer.report)))
                results.append(Results((replace(worked, state="aborted", cause=cause or CUT_OFF),)))
        else:
            results.append(Results((blank,)))
    return _with_told_calls(run, Results.joined(results), scorer.report)


def sample_of(run: Run, scorer: Scorer) -> Results:
    """The one round that a run sampled from the reference state."""
    blank = unreached(run.task.task.id, 1, run.sampled or 1, start="reference")
    return _with_told_calls(run, _reached(run, blank, scorer), scorer.report)


def _reached(run: Run, blank: RoundResult, scorer: Scorer) -> Results:
    evidence = evidence_of(run.trial, run.task.steps[blank.round - 1], scorer.report)
    took = asdict(evidence.effort)
    took |= {"agent_seconds": evidence.agent_seconds, "verifier_seconds": evidence.verifier_seconds}
    return scorer.ended(replace(blank, passed=None, total=None, **took), evidence, run)


def _with_told_calls(run: Run, results: Results, report: Report) -> Results:
    """Take no tool call in a whole run for tool calls that are not told: some agents write down text alone."""
    calls = {each.interactions for each in results.rounds} - {None}
    if calls != {0} or not any(each.turns for each in results.rounds):
        return results
    spot = Spot(run.entrant, run.task.task.id, start=results.rounds[0].start)
    report.doubt(rules.CALLS_UNTOLD, run.trial.path, spot)
    return replace(results, rounds=tuple(replace(each, interactions=None) for each in results.rounds))


def graded(run: Run, attempt: int, scorer: Scorer) -> tuple[Results, list[RunFigures]]:
    """The targets of a run of a task that is graded once as rounds, and what the run took as a whole.

    One number tells of all targets only where none passed, or every one.
    """
    task, targets = run.task.task.id, run.task.targets
    evidence = evidence_of(run.trial, None, scorer.report)
    figures = list(figures_of(task, attempt, evidence.effort, evidence.agent_seconds))
    if not targets:
        return scorer.ended(RoundResult(task, attempt, 1, "unreached", 0), evidence, run), figures
    rewards = evidence.rewards
    if rewards.source is None:
        blank = replace(unreached(task, attempt, 1, "aborted"), cause=evidence.cause)
        return Results(tuple(replace(blank, round=number) for number, _ in enumerate(targets, start=1))), figures
    scorer.sources[rewards.source] += 1
    told = {name: rewards.by_key[name] for name in targets if name in rewards.by_key}
    if not told and rewards.value is not None and (rewards.value >= PASS_REWARD or rewards.value == 0):
        told = dict.fromkeys(targets, rewards.value)
    spot = Spot(run.entrant, f"{task}, attempt {attempt}", f"{task} ({run.entrant}, attempt {attempt})")
    for rule, what, names in (
        (rules.TARGETS_UNTOLD, "nothing is said of", [name for name in targets if name not in told]),
        (rules.TARGET_UNKNOWN, "the task names no target", sorted(rewards.by_key.keys() - {KEY, *targets})),
        (rules.REWARD_RANGE, "that of", sorted(told.keys() & set(rewards.out_of_range))),
    ):
        if names:
            scorer.report.doubt(rule, run.trial.path, spot, f"{what} {', '.join(names)}")
    if rewards.conflict:
        what = f"{rewards.conflict}; that of {rewards.source} counts"
        scorer.report.doubt(rules.REWARD_CONFLICT, run.trial.path, spot, what)
    results = []
    for number, name in enumerate(targets, start=1):
        verdict = RoundResult(task, attempt, number, "scored", limited(told.get(name, 0)))
        cases = evidence.cases.of_origin(name) if evidence.cases else None
        where = replace(spot, place=f"target {name} of {spot.place}", words=f"target {name} of {spot}")
        results.append(scorer.scored(verdict, cases, where))
    return Results.joined(results), figures
