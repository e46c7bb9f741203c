"""Cases as a source lists them: what is told of one, names that tell them apart, and which a task's rounds have."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from operator import attrgetter

from sitegen.models.outcome import RoundResult, Start, State
from sitegen.models.task import Case, Task
from sitegen.problems import grouped

Place = tuple[str, int]

Try = tuple[int, Start]
"""A try at a task: its number, and what it began from."""

_FACTS = attrgetter("category", "requirement", "origin")
"""What is told of a case, in the order of `Case`."""


@dataclass(frozen=True, slots=True)
class CaseRecord:
    """One case as the verifier tells of it, its texts redacted."""

    case: Case
    """Its id is unique within its round: where a name stands several times, the later ones are numbered."""
    outcome: str
    """Its letter in `outcomes`: p, f, e or s."""
    texts: Mapping[str, str | None] = field(default_factory=dict)
    """What else is told of one that did not pass, as `Failure` has it."""


def told_apart(records: Sequence[CaseRecord]) -> list[CaseRecord]:
    """Cases with names of their own: one that stands several times is numbered from the second on."""
    taken, seen = {each.case.id for each in records}, Counter[str]()
    named = []
    for each in records:
        name = each.case.id
        seen[name] += 1
        if seen[name] > 1:
            numbered = (f"{name} ({number})" for number in count(seen[name]))
            free = next(each for each in numbered if each not in taken)
            taken.add(free)
            named.append(replace(each, case=replace(each.case, id=free)))
        else:
            named.append(each)
    return named


def by_category(cases: Iterable[tuple[str, bool]]) -> dict[str, tuple[int, int]]:
    """Cases passed and cases in all, by category: of each case its category, and whether it passed."""
    return {name: (sum(passed), len(passed)) for name, passed in grouped(cases).items()}


@dataclass(slots=True)
class CaseLists:
    """The cases of rounds, as the runs of an import list them: no task says which cases its rounds have."""

    lists: defaultdict[Place, Counter[tuple[str, ...]]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    """How many runs list the same cases in the same order."""
    facts: defaultdict[Place, dict[str, Case]] = field(default_factory=lambda: defaultdict(dict))
    """What is told of a case, by its name; what runs contradict each other in is left out."""

    def add(self, place: Place, records: Iterable[CaseRecord]) -> tuple[str, ...]:
        """Take the cases of a round of one run, all of them, and give their names."""
        known = self.facts[place]
        cases = [each.case for each in records]
        for case in cases:
            told = known.get(case.id, case)
            if told != case:
                both = zip(_FACTS(told), _FACTS(case), strict=True)
                told = Case(case.id, *(ours if ours == theirs else None for ours, theirs in both))
            known[case.id] = told
        names = tuple(case.id for case in cases)
        self.lists[place][names] += 1
        return names

    def usual(self, place: Place) -> tuple[str, ...]:
        """The names that most runs list, the first of several such lists."""
        return self.lists[place].most_common(1)[0][0] if place in self.lists else ()

    def task(self, task: Task) -> Task:
        """A task with the usual cases of its rounds."""
        rounds = []
        for each in task.rounds:
            place = task.id, each.n
            rounds.append(
                replace(
                    each, cases=tuple(self.facts[place][name] for name in self.usual(place)) or None
                )
            )
        return replace(task, rounds=tuple(rounds))


def tries_of(attempts: int, *, has_reference: bool) -> list[Try]:
    """The tries at a task that a bundle has, by number and what they begin from."""
    own: list[Try] = [(attempt, "own") for attempt in range(1, attempts + 1)]
    return [*own, (1, "reference")] if has_reference else own


def unreached(
    task: str, attempt: int, number: int, state: State = "unreached", start: Start = "own"
) -> RoundResult:
    """A round that the agent never got to."""
    return RoundResult(task, attempt, number, state, 0, start=start, passed=0, total=0)
