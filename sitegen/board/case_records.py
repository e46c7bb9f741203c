"""The test cases of a submission, one record for each case whose outcome is known.

A round that stores `outcomes` has a record for every case. Any other round has a record for each
case that the bundle lists as not passed; its `RoundResult` has the number of its other cases.
"""

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.findings import TaskRoundKey
from sitegen.models.outcome import OUTCOME_STATUS, CaseStatus, Failure, RoundResult
from sitegen.models.results import Bundle
from sitegen.models.task import Case, TaskRound

_FailuresByRound = Mapping[object, Sequence[Failure]]
"""The listed failures, by the key of their round."""


class CaseResult(NamedTuple):
    """The outcome of a case in a round of an attempt; a tuple, since cases are numerous."""

    result: RoundResult
    """The result of the round."""
    case: str | None
    """The name of the case; None if only its outcome is known."""
    category: str | None
    """The kind of case; None if not known."""
    outcome: CaseStatus
    definition: Case | None = None
    """The case as the benchmark lists it; None if the benchmark does not."""
    failure: Failure | None = None
    """The texts of the case; None if it passed or its texts were not read."""


def case_records(board: Board, entry: Entry, *, with_texts: bool) -> Iterator[CaseResult]:
    """Yield the results of a row's cases, in the order of its rounds; none for a reported row.

    Args:
        board: The row's board, whose tasks may list their cases.
        entry: The row.
        with_texts: Whether to also read the texts of failed cases in rounds with `outcomes`, which
            takes time. For rounds without `outcomes`, texts are always read.
    """
    if entry.bundle is None:
        return
    defined_rounds: dict[TaskRoundKey, TaskRound] = {}
    for task in board.tasks.tasks:
        defined_rounds.update(((task.id, defined.n), defined) for defined in task.rounds)
    tasks_to_read = set()
    last_index: dict[str, int] = {}
    for index, result in enumerate(entry.bundle.rounds):
        last_index[result.task] = index
        if with_texts or result.outcomes is None:
            tasks_to_read.add(result.task)
    failures_by_task: dict[str, _FailuresByRound] = {}
    for index, result in enumerate(entry.bundle.rounds):
        if result.task in tasks_to_read and result.task not in failures_by_task:
            failures_by_task[result.task] = _failures_by_round(entry.bundle, result.task)
        failures = failures_by_task.get(result.task, {})
        listed = failures.get(result.place, ())
        if result.outcomes is None:
            for failure in listed:
                yield CaseResult(
                    result, failure.case, failure.category, failure.status, None, failure
                )
        else:
            defined_round = defined_rounds.get((result.task, result.round))
            yield from _cases_with_outcomes(result, defined_round, listed)
        if index == last_index[result.task]:
            # The texts of a submission may take gigabytes, so a task's texts are dropped after its
            # rounds.
            failures_by_task.pop(result.task, None)


def _failures_by_round(bundle: Bundle, task: str) -> _FailuresByRound:
    """Return the listed failures of a task by round key, each round's failures in file order."""
    failures: dict[object, list[Failure]] = defaultdict(list)
    for failure in bundle.failures.of_task(task):
        round_key = (failure.task, failure.attempt, failure.round, failure.start)
        failures[round_key].append(failure)
    return failures


def _cases_with_outcomes(
    result: RoundResult, defined: TaskRound | None, listed: Sequence[Failure]
) -> Iterator[CaseResult]:
    """Yield a record for each letter of a round's outcomes, with its listed failure, if any."""
    definitions: dict[str, Case] = {}
    if defined and defined.cases:
        definitions = {case.id: case for case in defined.cases}
    outcomes = result.outcomes or ""
    names: Sequence[str | None] = tuple(definitions)
    if result.case_ids is not None:
        names = result.case_ids
    if len(names) != len(outcomes):
        names = [None] * len(outcomes)
    texts = _UnusedTexts(listed)
    for name, letter in zip(names, outcomes, strict=True):
        outcome = OUTCOME_STATUS[letter]
        failure = texts.take(name, outcome)
        definition = None
        if name:
            definition = definitions.get(name)
        case, category = name, None
        if failure:
            case, category = failure.case, failure.category
        if definition and definition.category:
            category = definition.category
        yield CaseResult(result, case, category, outcome, definition, failure)


class _UnusedTexts:
    """The listed failures of a round that are not yet assigned to a case.

    Several cases may share a name; a listed failure then belongs to one of them with the same
    outcome. A case without a name takes any failure with the same outcome, and its name.
    """

    def __init__(self, listed: Sequence[Failure]) -> None:
        self._by_name: dict[tuple[str, CaseStatus], deque[Failure]] = defaultdict(deque)
        self._by_status: dict[CaseStatus, deque[Failure]] = defaultdict(deque)
        for failure in listed:
            self._by_name[failure.case, failure.status].append(failure)
            self._by_status[failure.status].append(failure)

    def take(self, case: str | None, outcome: CaseStatus) -> Failure | None:
        """Return the failure of a case and mark it as used; None if none is left."""
        failures = self._by_status[outcome] if case is None else self._by_name[case, outcome]
        if not failures:
            return None
        return failures.popleft()
