"""What a simulated harness writes down of a run: some keep less than others."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from sitegen.importers.simulation.effort import Effort
from sitegen.importers.simulation.entries import Entry
from sitegen.importers.simulation.journey import Step
from sitegen.models.outcome import RoundResult, RunFigures
from sitegen.models.submission import CaseDetail

_PER_RUN = 2
"""Rank of the agent whose harness counts interactions per run only; ranks count from 0."""

_UNPRICED = 7
"""Rank of the agent whose costs nobody knows."""


@dataclass(frozen=True, slots=True)
class Books:
    """What a harness keeps of a run.

    Attributes:
        detail: How much of the cases.
        prices: Whether it knows costs.
        per_round: Whether it counts interactions by round; by run otherwise.
    """

    detail: CaseDetail
    prices: bool = True
    per_round: bool = True

    @classmethod
    def of(cls, entry: Entry) -> "Books":
        """Give the books of the harness that an agent ran in."""
        rank = entry.entrant.rank
        return cls(entry.detail, prices=rank != _UNPRICED, per_round=rank != _PER_RUN or entry.extra)

    def result(self, task: str, attempt: int, step: Step) -> RoundResult:
        """Write down how a round ended."""
        effort = self._kept(step.effort)
        named = self.detail == "all"
        return RoundResult(
            task=task,
            attempt=attempt,
            round=step.round.n,
            state=step.state,
            reward=1.0 if step.solved else 0.0,
            passed=step.outcomes.count("p"),
            total=len(step.outcomes),
            skipped=step.outcomes.count("s") or None,
            start=step.start,
            outcomes=step.outcomes if named and step.state == "scored" else None,
            by_category=None if named or step.state != "scored" else _by_category(step),
            interactions=effort.interactions,
            turns=effort.turns,
            input_tokens=effort.input_tokens,
            output_tokens=effort.output_tokens,
            cost_usd=effort.cost_usd,
            agent_seconds=effort.agent_seconds,
            cause=step.cause,
        )

    def figures(self, task: str, attempt: int, steps: Sequence[Step]) -> tuple[RunFigures, ...]:
        """Write down what is known per run only; nothing where the rounds say it all."""
        counted = [step.effort.interactions for step in steps if step.effort.interactions is not None]
        if self.per_round or not counted:
            return ()
        return (RunFigures(task, attempt, interactions_per_round=round(fmean(counted), 1)),)

    def _kept(self, effort: Effort) -> Effort:
        known = effort if self.prices else replace(effort, cost_usd=None)
        return known if self.per_round else replace(known, interactions=None)


def _by_category(step: Step) -> dict[str, tuple[int, int]]:
    letters: dict[str, str] = {}
    for case, letter in zip(step.round.cases or (), step.outcomes, strict=True):
        category = case.category or "core"
        letters[category] = letters.get(category, "") + letter
    return {category: (found.count("p"), len(found)) for category, found in letters.items()}
