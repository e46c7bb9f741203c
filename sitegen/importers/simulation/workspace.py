"""What an agent leaves behind from round to round, and which cases are broken in it."""

from dataclasses import dataclass, field
from math import exp
from random import Random

from sitegen.importers.simulation.suite import origin
from sitegen.models.task import Case, TaskRound

_WIDE = 8
"""Cases from which on a round may skip one."""


@dataclass(frozen=True, slots=True)
class Odds:
    """How likely things go wrong and right again in one round.

    Attributes:
        slip: That a part of the new work fails its cases.
        regression: That a requirement which used to hold breaks.
        recovery: That a broken requirement is noticed and mended.
        collapse: That the program no longer builds.
        abort: That the round ends without a verdict.
    """

    slip: float
    regression: float
    recovery: float
    collapse: float
    abort: float

    @classmethod
    def of(cls, ease: float) -> "Odds":
        """Derive the odds from the log odds that a round goes well."""
        slip = 1 / (1 + exp(ease))
        return cls(
            slip=slip,
            regression=0.02 + 0.22 * slip,
            recovery=0.12 + 0.6 * (1 - slip) ** 2,
            collapse=0.004 + 0.08 * slip**2,
            abort=0.002 + 0.035 * slip,
        )


@dataclass(slots=True)
class Workspace:
    """The program as an agent leaves it. What is broken stays broken until it is mended.

    Attributes:
        rng: The run's dice.
        odds: What may happen in a round.
        broken: Letter of `outcomes` for each broken case, by the case's name.
    """

    rng: Random
    odds: Odds
    broken: dict[str, str] = field(default_factory=dict)

    def work(self, task_round: TaskRound) -> None:
        """Let the agent carry out a request, for better or worse."""
        cases = task_round.cases or ()
        self._mend(cases)
        here = origin(task_round.n)
        new = [case for case in cases if case.origin == here]
        self._regress([case for case in cases if case.origin != here])
        # Whoever slips once in a round is likely to slip again in it.
        chance = self.odds.slip
        while self.rng.random() < chance:
            self._break_one_of(new)
            chance = self.odds.slip * 0.7

    def outcomes(self, cases: tuple[Case, ...]) -> str:
        """Run the cases of a round: one letter a case, now and then with some that were skipped."""
        letters = [self.broken.get(case.id, "p") for case in cases]
        if len(cases) >= _WIDE and self.rng.random() < 0.08:  # noqa: PLR2004 - one round in twelve
            for place in self.rng.sample(range(len(cases)), self.rng.randint(1, 3)):
                letters[place] = "s" if letters[place] == "p" else letters[place]
        return "".join(letters)

    def _mend(self, cases: tuple[Case, ...]) -> None:
        requirements = dict.fromkeys(case.requirement for case in cases if case.id in self.broken)
        mended = {requirement for requirement in requirements if self.rng.random() < self.odds.recovery}
        for case in cases:
            if case.requirement in mended:
                self.broken.pop(case.id, None)

    def _regress(self, old: list[Case]) -> None:
        if old and self.rng.random() < self.odds.regression:
            self._break_one_of(old)

    def _break_one_of(self, cases: list[Case]) -> None:
        victim = self.rng.choice(cases)
        self.broken[victim.id] = self._letter(victim)
        for case in cases:
            if case.requirement == victim.requirement and self.rng.random() < 0.6:  # noqa: PLR2004 - most of its cases
                self.broken[case.id] = self._letter(case)

    def _letter(self, case: Case) -> str:
        return "e" if self.rng.random() < (0.3 if case.category == "error" else 0.08) else "f"
