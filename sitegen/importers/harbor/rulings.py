"""How a round ended, by its verdict and its cases."""

from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

from sitegen.importers.harbor import rules
from sitegen.importers.harbor.cases import CaseReport, Tally
from sitegen.importers.harbor.evidence import Evidence
from sitegen.importers.harbor.rewards import limited
from sitegen.importers.harbor.runs import Run
from sitegen.importers.harbor.suites import Suites
from sitegen.importers.kit.agents import Entrant
from sitegen.importers.kit.options import Pace
from sitegen.importers.kit.report import Report, Spot
from sitegen.models.outcome import Failure, RoundResult

NOTHING_RAN = "the verifier counted no case"


@dataclass(frozen=True, slots=True)
class Played:
    """Rounds that were played, with the cases that did not pass."""

    rounds: tuple[RoundResult, ...]
    failures: tuple[Failure, ...] = ()

    def __add__(self, other: "Played") -> "Played":
        """Puts rounds after each other."""
        return Played(self.rounds + other.rounds, self.failures + other.failures)


@dataclass(slots=True)
class Referee:
    """Decides how rounds ended.

    Attributes:
        report: Takes what is odd about them.
        suites: Takes the cases that they list.
        sources: How many rewards were taken from which place.
        pace: Counts the runs that are done.
    """

    report: Report
    suites: Suites = field(default_factory=Suites)
    sources: Counter[str] = field(default_factory=Counter)
    pace: Pace = field(default_factory=Pace)

    def rule(self, blank: RoundResult, evidence: Evidence, run: Run) -> Played:
        """Decide how a round ended that was reached.

        Args:
            blank: The round, with what it took.
            evidence: What the run left of it.
            run: The run.
        """
        where = spot_of(blank, run.entrant)
        reward = self._reward(evidence, where, run.trial.path)
        if reward is None:
            return Played((replace(blank, state="aborted", passed=0, total=0, cause=evidence.cause),))
        return self.score(replace(blank, state="scored", reward=reward), evidence.cases, where)

    def score(self, verdict: RoundResult, cases: CaseReport | None, where: Spot) -> Played:
        """Add to a round with a verdict what its cases tell.

        Args:
            verdict: The round, scored.
            cases: Its cases; None where nothing is told of any.
            where: The round.
        """
        if cases is None:
            return Played((verdict,))
        for rule, what in cases.doubts(verdict.reward):
            self.report.doubt(rule, cases.path, where, what)
        self.suites.prints_cases |= cases.tells_cases
        tally = cases.tally(verdict.reward)
        if tally is None or tally.total == 0:
            return Played((_without_cases(verdict, cases, tally),))
        if tally.contradicts(verdict.reward):
            what = f"a reward of {verdict.reward:g}, but {tally.passed} of {tally.total} cases passed"
            self.report.doubt(rules.REWARD_CONTRADICTED, cases.path, where, what)
            return Played((verdict,))
        return Played((self._counted(verdict, tally),), tuple(cases.failures(verdict)))

    def _counted(self, verdict: RoundResult, tally: Tally) -> RoundResult:
        names = self.suites.add((verdict.task, verdict.round), tally.records) if tally.records else None
        return replace(
            verdict,
            passed=tally.passed,
            total=tally.total,
            skipped=tally.skipped or None,
            outcomes=tally.outcomes,
            case_ids=names,
            by_category=tally.by_category,
        )

    def _reward(self, evidence: Evidence, where: Spot, path: Path) -> float | None:
        """Give the reward that counts, and say what is wrong with it."""
        rewards = evidence.rewards
        if rewards.source is None:
            return None
        self.sources[rewards.source] += 1
        conflict = rewards.conflict or ("there is none in result.json" if evidence.is_contested else None)
        if conflict:
            self.report.doubt(rules.REWARD_CONFLICT, path, where, f"{conflict}; that of {rewards.source} counts")
        if rewards.value is None:
            self.report.doubt(rules.REWARD_UNCLEAR, path, where, f"its keys are {', '.join(sorted(rewards.by_key))}")
            return None
        if rewards.out_of_range:
            self.report.doubt(rules.REWARD_RANGE, path, where, f"{rewards.value:g}")
        return limited(rewards.value)


def spot_of(result: RoundResult, entrant: Entrant) -> Spot:
    """Name a round of an agent's."""
    place, which = f"round {result.round} of {result.task}", "from the reference"
    if result.start == "own":
        which = f"attempt {result.attempt}"
    return Spot(entrant, f"{place}, {which}", f"{place} ({entrant}, {which})", result.start)


def _without_cases(verdict: RoundResult, cases: CaseReport, tally: Tally | None) -> RoundResult:
    """Tell a round in which no case ran from one of which no case is told.

    Where the verifier does not say why there is none, the cause stays open: whether verifiers of this source print
    cases at all is known only at the end.
    """
    if verdict.reward > 0:
        return verdict
    cause = cases.early or (NOTHING_RAN if tally else None)
    return replace(verdict, state="no_cases", passed=0, total=0, cause=cause)


def settled_states(played: Played, *, prints_cases: bool) -> Played:
    """Take rounds without cases for rounds of which no case is told, where verifiers do not print any."""
    if prints_cases:
        return played
    return replace(
        played,
        rounds=tuple(
            replace(each, state="scored", passed=None, total=None)
            if each.state == "no_cases" and each.cause is None
            else each
            for each in played.rounds
        ),
    )
