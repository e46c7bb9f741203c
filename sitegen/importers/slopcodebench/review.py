"""Says what is wrong or doubtful in what a run's folder tells of its checkpoints."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sitegen.importers.kit.report import Doubt
from sitegen.importers.slopcodebench import rules
from sitegen.importers.slopcodebench.checkpoint import Checkpoint
from sitegen.importers.slopcodebench.evaluation import Tally
from sitegen.importers.slopcodebench.quality import Key
from sitegen.importers.slopcodebench.rows import RowTable
from sitegen.problems import Problem, counted

_SHOWN = 5
"""Checkpoints named of those that a problem concerns."""

_ROUNDING = 1e-6
"""What a stated share may be off."""


@dataclass(frozen=True, slots=True)
class Review:
    """A run's checkpoints with their tests."""

    table: RowTable
    checkpoints: Mapping[Key, Checkpoint]
    tallies: Mapping[Key, Tally | None]

    def problems(self) -> Iterator[Problem]:
        """Say what is wrong, once for each cause."""
        yield from self._contradictions()
        words = {
            rules.EVALUATION_DIFFERS: "{} other tests than their rows count",
            rules.CATEGORY_OUTDATED: "{} earlier tests under their old category",
            rules.INFRASTRUCTURE: "the test runner itself failed at {}",
            rules.SKIPPED_TESTS: "tests were skipped at {}",
            rules.AGENT_FAILED: "the agent's run ended in an error at {}",
            rules.COST_UNKNOWN: "neither cost nor tokens are known of {}",
        }
        for rule, named in self.doubts():
            yield rule.broken(self.table.path.parent, None, words[rule].format(named))

    def doubts(self) -> Iterator[Doubt]:
        """Say which checkpoints are doubtful, once for each cause."""
        for rule, concerns in (
            (rules.EVALUATION_DIFFERS, self._is_recounted),
            (rules.CATEGORY_OUTDATED, self._is_outdated),
            (rules.INFRASTRUCTURE, self._is_runners_fault),
            (rules.SKIPPED_TESTS, self._skips_tests),
            (rules.COST_UNKNOWN, self._lacks_cost),
            (rules.AGENT_FAILED, self._is_judged_after_error),
        ):
            if found := list(filter(concerns, self.checkpoints)):
                yield rule, _named(found)

    def _contradictions(self) -> Iterator[Problem]:
        faults = [(key, fault) for key in self.table.rows if (fault := self._fault(key))]
        if faults:
            first, line = faults[0], self.table.lines[faults[0][0]]
            more = f"; and so do the rows of {_named([key for key, _ in faults[1:]])}" if len(faults) > 1 else ""
            what = f"the row of {first[0][0]} {first[0][1]} contradicts itself: {first[1]}"
            yield rules.COUNTS_DIFFER.broken(self.table.path, line, what + more)

    def _fault(self, key: Key) -> str | None:
        """Say how the counts of a row contradict each other; None where they do not."""
        tally, rate = self.checkpoints[key].counted, self.table.rows[key].rate
        if tally is None:
            return None
        told = f"{tally.passed} of {tally.total} tests passed, but"
        share = tally.passed / tally.total if tally.total else 0
        if tally.passed > tally.total:
            return f"{tally.passed} tests passed, and there are {tally.total}"
        by_share = rate is not None and abs(rate - share) > _ROUNDING
        return _fault_of_categories(tally, told) or (f"{told} their stated share is {rate:g}" if by_share else None)

    def _is_recounted(self, key: Key) -> bool:
        row_counts, tally = self.checkpoints[key].counted, self.tallies[key]
        if row_counts is None or tally is None:
            return False
        return (row_counts.passed, row_counts.total) != (tally.passed, tally.total)

    def _is_outdated(self, key: Key) -> bool:
        tally = self.tallies[key]
        return bool(tally and tally.outdated)

    def _is_runners_fault(self, key: Key) -> bool:
        return self.checkpoints[key].is_runners_fault

    def _is_judged_after_error(self, key: Key) -> bool:
        return self.checkpoints[key].has_failed and self.tallies[key] is not None

    def _skips_tests(self, key: Key) -> bool:
        tally = self.tallies[key]
        return bool(tally and tally.skipped)

    def _lacks_cost(self, key: Key) -> bool:
        checkpoint = self.checkpoints[key]
        return checkpoint.is_produced and checkpoint.effort.cost_usd is None


def _fault_of_categories(tally: Tally, told: str) -> str | None:
    """Say how the categories of a row contradict its counts; None where they do not, or are not told apart."""
    over = [name for name, (passed, total) in tally.by_category.items() if passed > total]
    if over:
        return f"more tests of category {over[0]} passed than there are"
    passed = sum(passed for passed, _ in tally.by_category.values())
    total = sum(total for _, total in tally.by_category.values())
    if tally.by_category and (passed, total) != (tally.passed, tally.total):
        return f"{told} its categories add up to {passed} of {total}"
    return None


def _named(keys: Sequence[Key]) -> str:
    first = ", ".join(f"{problem} {number}" for problem, number in keys[:_SHOWN])
    more = f" and {len(keys) - _SHOWN} more" if len(keys) > _SHOWN else ""
    return f"{counted(len(keys), 'checkpoint')} ({first}{more})"
