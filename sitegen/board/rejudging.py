"""Judges a round again without some of its cases."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from sitegen.models.outcome import PASS_REWARD, RoundResult
from sitegen.models.task import TaskRound

_Counts = dict[str, tuple[int, int]]
"""Cases passed and cases in all, by category."""


def without_cases(result: RoundResult, defined: TaskRound, cases: AbstractSet[str]) -> RoundResult | None:
    """Judge a round from the cases that remain.

    A round without any case left is excluded. One whose remaining cases include no failed one passes, which may
    turn a failed round into a passed one, and never the other way round.

    Args:
        result: The round's record.
        defined: What the benchmark says about the round.
        cases: Names of the cases to take out.

    Returns:
        The new record; the same one where none of the cases ran there, or no case ran at all; None where it is not
        known how the cases ended.
    """
    if result.state != "scored":
        return result
    names = _names(result, defined)
    if names is None:
        return None
    suite = _Suite(result, list(zip(names, result.outcomes or "", strict=True)))
    if not cases & {*names}:
        return result
    return suite.without(cases, {case.id: case.category for case in defined.cases or ()})


@dataclass(frozen=True, slots=True)
class _Suite:
    """A round of which every case is known.

    Attributes:
        result: Its record.
        endings: Name and outcome of each case.
    """

    result: RoundResult
    endings: Sequence[tuple[str, str]]

    def without(self, cases: AbstractSet[str], categories: Mapping[str, str | None]) -> RoundResult | None:
        """Take cases out."""
        kept = [ending for ending in self.endings if ending[0] not in cases]
        left = [ending for ending in self.endings if ending[0] in cases]
        if not kept:
            return replace(self.result, state="excluded")
        if self.result.by_category is None:
            return self._judged(kept, None)
        counts = self._counts(self.result.by_category, left, categories)
        return self._judged(kept, counts) if counts is not None else None

    def _judged(self, kept: Sequence[tuple[str, str]], counts: _Counts | None) -> RoundResult:
        outcomes = "".join(letter for _, letter in kept)
        return replace(
            self.result,
            reward=_reward(self.result, outcomes),
            passed=outcomes.count("p"),
            total=len(outcomes),
            skipped=None if self.result.skipped is None else outcomes.count("s"),
            outcomes=outcomes,
            case_ids=tuple(name for name, _ in kept),
            by_category=counts,
        )

    def _counts(
        self, known: _Counts, left: Sequence[tuple[str, str]], categories: Mapping[str, str | None]
    ) -> _Counts | None:
        """Take cases out of the counts by category; None where one's category is not known."""
        counts = dict(known)
        counts_skipped = sum(total for _, total in counts.values()) == self.result.total  # sources differ in that
        for name, letter in left:
            category = categories.get(name) or ""
            if category not in counts:
                return None
            passed, total = counts[category]
            counts[category] = (passed - (letter == "p"), total - (letter != "s" or counts_skipped))
        return counts


def _names(result: RoundResult, defined: TaskRound) -> tuple[str, ...] | None:
    """Name the cases that a round's outcomes stand for; None where that is not known."""
    if result.outcomes is None or result.total != len(result.outcomes):
        return None
    listed = tuple(case.id for case in defined.cases) if defined.cases is not None else None
    names = listed if result.case_ids is None else result.case_ids
    return names if names is not None and len(names) == len(result.outcomes) else None


def _reward(result: RoundResult, outcomes: str) -> float:
    """A round passes exactly when none of its cases failed."""
    fails = "f" in outcomes or "e" in outcomes or "p" not in outcomes
    return result.reward if fails or result.reward >= PASS_REWARD else 1.0
