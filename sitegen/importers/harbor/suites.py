"""The cases of rounds, as the runs of an import list them: no task says which cases its rounds have."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from sitegen.importers.harbor.cases import CaseRecord
from sitegen.models.outcome import RoundResult
from sitegen.models.task import Case, Task

Place = tuple[str, int]
"""A round: task and number."""

Names = tuple[str, ...]


@dataclass(slots=True)
class Suites:
    """Collects the cases that runs list.

    Attributes:
        lists: How many runs list the same cases in the same order, by round.
        facts: What is told of a case, by round and name; what runs contradict each other in is left out.
        prints_cases: Whether any verifier of the import tells of cases.
    """

    lists: defaultdict[Place, Counter[Names]] = field(default_factory=lambda: defaultdict(Counter))
    facts: defaultdict[Place, dict[str, Case]] = field(default_factory=lambda: defaultdict(dict))
    prints_cases: bool = False

    def add(self, place: Place, records: Iterable[CaseRecord]) -> Names:
        """Take the cases of a round of one run, all of them.

        Returns:
            Their names.
        """
        known = self.facts[place]
        cases = [Case(each.id, each.category, each.requirement, each.origin) for each in records]
        for case in cases:
            told = known.get(case.id)
            known[case.id] = case if told is None or told == case else _common(told, case)
        names = tuple(case.id for case in cases)
        self.lists[place][names] += 1
        return names

    def task(self, task: Task) -> Task:
        """Give a task with the cases of its rounds: those that most runs list, the first of several such lists."""
        rounds = []
        for each in task.rounds:
            place = task.id, each.n
            cases = [self.facts[place][name] for name in self._usual(place)]
            rounds.append(replace(each, cases=tuple(cases) or None))
        return replace(task, rounds=tuple(rounds))

    def fitted(self, result: RoundResult) -> RoundResult:
        """Give a round as it stands beside its task: with names of its cases only where they differ from the task's."""
        if result.case_ids is None or result.case_ids != self._usual((result.task, result.round)):
            return result
        return replace(result, case_ids=None)

    def _usual(self, place: Place) -> Names:
        if place not in self.lists:
            return ()
        return self.lists[place].most_common(1)[0][0]


def _common(first: Case, second: Case) -> Case:
    """Keep what two runs tell alike of a case."""
    return Case(
        first.id,
        first.category if first.category == second.category else None,
        first.requirement if first.requirement == second.requirement else None,
        first.origin if first.origin == second.origin else None,
    )
