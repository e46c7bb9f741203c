"""The failures of a simulated round, as texts that a reader could follow."""

from collections import Counter
from dataclasses import dataclass
from random import Random

from sitegen.importers.simulation.dice import dice
from sitegen.importers.simulation.journey import Step
from sitegen.importers.simulation.symptoms import CRASHES, SYMPTOMS, Crash, Symptom, filled
from sitegen.models.outcome import Failure
from sitegen.models.task import Case

_WORDS = ("plum", "parcel", "ticket", "entry", "token", "window", "batch", "anchor", "ledger", "tide")

_CUT = 1_500
"""Characters after which the simulated harness cuts a text."""


@dataclass(frozen=True, slots=True)
class Reporter:
    """Writes up the failures of one attempt.

    A case asks for the same in every run, and where it stays broken it fails alike in every round.

    Attributes:
        seed: The benchmark's seed.
        agent: Name of the agent.
        task: Id of the task.
        attempt: The attempt, from 1.
        limit: Most failures of a round that are written up.
    """

    seed: int
    agent: str
    task: str
    attempt: int
    limit: int

    def failures(self, step: Step) -> list[Failure]:
        """Write up the cases of a round that did not pass, up to the limit."""
        if not step.outcomes:
            return []
        ended = zip(step.round.cases or (), step.outcomes, strict=True)
        broken = [(case, letter) for case, letter in ended if letter in "fe"]
        per_requirement = Counter(case.requirement for case, _ in broken)
        return [
            self._failure(step, case, letter, per_requirement[case.requirement])
            for case, letter in broken[: self.limit]
        ]

    def _failure(self, step: Step, case: Case, letter: str, requirement_failed: int) -> Failure:
        symptom = self._symptom(case)
        luck = dice(self.seed, "symptom", self.agent, self.task, case.id)
        blanks = _blanks(dice(self.seed, "case", self.task, case.id))
        end: Symptom | Crash = luck.choice(CRASHES) if letter == "e" else symptom
        actual = filled(end.actual, blanks) + _log(luck)
        return Failure(
            task=self.task,
            attempt=self.attempt,
            round=step.round.n,
            start=step.start,
            case=case.id,
            status="error" if letter == "e" else "failed",
            category=case.category,
            requirement=case.requirement,
            requirement_failed=requirement_failed,
            origin=case.origin,
            intent=filled(symptom.intent, blanks),
            scenario=filled(symptom.scenario, blanks),
            input=filled(symptom.input, blanks) if symptom.input else None,
            expected=filled(symptom.expected, blanks),
            actual=actual[:_CUT],
            reason=filled(end.reason, blanks),
            truncated=len(actual) > _CUT,
        )

    def _symptom(self, case: Case) -> Symptom:
        kinds = next(kinds for category, kinds in SYMPTOMS.items() if category == case.category)
        return dice(self.seed, "requirement", self.task, case.requirement).choice(kinds)


def _blanks(rng: Random) -> dict[str, object]:
    cents = rng.randint(1_000, 999_999)
    return {
        "word": rng.choice(_WORDS),
        "n": rng.randint(10, 40),
        "m": rng.randint(41, 90),
        "amount": f"{cents / 100:.2f}",
        "wrong_amount": f"{(cents + rng.choice((-10, -1, 1, 90))) / 100:.2f}",
    }


def _log(rng: Random) -> str:
    """Give the log that a few programs leave behind, long enough to be a nuisance on a page."""
    if rng.random() > 0.04:  # noqa: PLR2004 - one failure in 25
        return ""
    lines = (
        f'{n:>4} | {{"id": {rng.randint(1, 99)}, "name": "{rng.choice(_WORDS)}", "total": null}}'
        for n in range(rng.randint(12, 40))
    )
    return "\n" + "\n".join(lines)
