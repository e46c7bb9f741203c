"""Collect the test cases that a source lists, and give them distinct names."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from sitegen.models.outcome import RoundResult, Start, State
from sitegen.models.task import Case, Task
from sitegen.problems import grouped

Place = tuple[str, int]
"""A round: its task and its number."""

AttemptStart = tuple[int, Start]
"""An attempt at a task: its number, and the state from which it started."""


@dataclass(frozen=True, slots=True)
class CaseRecord:
    """One case as reported by the verifier, with redacted texts."""

    case: Case
    """The case; its id is unique within its round, since repeated names are numbered."""
    outcome: str
    """The case's letter in `outcomes`: p, f, e or s."""
    texts: Mapping[str, str | None] = field(default_factory=dict)
    """Values of other `Failure` fields, for a case that did not pass."""


def with_distinct_ids(records: Sequence[CaseRecord]) -> list[CaseRecord]:
    """Return cases with distinct ids; repeated ids are numbered from the second occurrence."""
    used_ids = {record.case.id for record in records}
    occurrences = Counter[str]()
    distinct = []
    for record in records:
        name = record.case.id
        occurrences[name] += 1
        if occurrences[name] == 1:
            distinct.append(record)
            continue
        free_id = _find_free_id(name, occurrences[name], used_ids)
        used_ids.add(free_id)
        distinct.append(replace(record, case=replace(record.case, id=free_id)))
    return distinct


def _find_free_id(name: str, first_number: int, used_ids: set[str]) -> str:
    """Return a name followed by the first number that makes an unused id."""
    numbered_ids = (f"{name} ({number})" for number in count(first_number))
    free_ids = (case_id for case_id in numbered_ids if case_id not in used_ids)
    return next(free_ids)


def count_by_category(cases: Iterable[tuple[str, bool]]) -> dict[str, tuple[int, int]]:
    """Return the number of passed cases and of all cases for each category.

    Args:
        cases: The category of each case, and whether it passed.
    """
    return {category: (sum(passed), len(passed)) for category, passed in grouped(cases).items()}


@dataclass(slots=True)
class CaseLists:
    """The cases that an import's runs list for each round, for tasks that do not define cases."""

    lists: defaultdict[Place, Counter[tuple[str, ...]]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    """For each round, the number of runs that list the same case names in the same order."""
    facts: defaultdict[Place, dict[str, Case]] = field(default_factory=lambda: defaultdict(dict))
    """For each round, its cases by name; a field of a case is None if runs disagree about it."""

    def add(self, round_key: Place, records: Iterable[CaseRecord]) -> tuple[str, ...]:
        """Add all cases of a round in one run, and return their names."""
        cases_by_name = self.facts[round_key]
        names = []
        for record in records:
            case = record.case
            names.append(case.id)
            earlier_case = cases_by_name.setdefault(case.id, case)
            if earlier_case != case:
                cases_by_name[case.id] = _merge_facts(earlier_case, case)
        self.lists[round_key][tuple(names)] += 1
        return tuple(names)

    def usual(self, round_key: Place) -> tuple[str, ...]:
        """Return the case names that most runs list for a round; in a tie, the first such list.

        The tuple is empty if no run lists cases for the round.
        """
        if round_key not in self.lists:
            return ()
        names, _ = self.lists[round_key].most_common(1)[0]
        return names

    def task(self, task: Task) -> Task:
        """Return the task with the cases that most runs list for each round."""
        rounds = []
        for task_round in task.rounds:
            round_key = (task.id, task_round.n)
            cases = tuple(self.facts[round_key][name] for name in self.usual(round_key))
            rounds.append(replace(task_round, cases=cases or None))
        return replace(task, rounds=tuple(rounds))


def _merge_facts(first: Case, second: Case) -> Case:
    """Return a case with only the facts on which two reports of the case agree."""
    facts: dict[str, str | None] = {}
    for name in ("category", "requirement", "origin"):
        value = getattr(first, name)
        if value == getattr(second, name):
            facts[name] = value
    return Case(first.id, **facts)


def tries_of(attempts: int, *, has_reference: bool) -> list[AttemptStart]:
    """Return a bundle's attempts at a task; the attempt from the reference state comes last."""
    tries: list[AttemptStart] = [(attempt, "own") for attempt in range(1, attempts + 1)]
    if has_reference:
        tries.append((1, "reference"))
    return tries


def blank_round(
    task: str,
    attempt: int,
    number: int,
    *,
    state: State = "unreached",
    start: Start = "own",
) -> RoundResult:
    """Return the result of a round with reward 0 and no cases."""
    return RoundResult(task, attempt, number, state, 0, start=start, passed=0, total=0)
