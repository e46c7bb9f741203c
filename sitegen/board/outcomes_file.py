"""How each case of a round ended for every submission, as one small file a round: for what pages have no room."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.export import Json
from sitegen.models.outcome import OUTCOME_STATUS, RoundResult

MOST_OUTCOMES = 10_000
"""Of so many cases of a submission its pages may tell the outcome one by one: that is an element and 120 bytes each.

A hundred submissions of 100,000 cases made a site of 2.4 GB, more than twice what its host takes. Where a submission
tells more, the pages of its runs have counts, and some of the cases that failed.
"""

MOST_CELLS = 4_000
"""So many cells may a heat map have: each is 200 bytes. A larger one has counts."""

MOST_COLUMNS = 40
"""With more submissions than that, cases by submissions are no picture any more."""


def dense_rows(board: Board) -> frozenset[str]:
    """The submissions that tell more outcomes than their pages have room for; what others tell does not matter."""
    return frozenset(
        entry.id
        for entry in board.all_entries
        if entry.bundle
        and sum(len(each.outcomes or "") for each in entry.bundle.rounds) > MOST_OUTCOMES
    )


def is_crowded(submissions: int, cases: int) -> bool:
    """Whether the page of a round has no room for so many cases of so many submissions."""
    return submissions > MOST_COLUMNS and submissions * cases > MOST_CELLS


def is_bare(board: Board, entry: Entry) -> bool:
    """Whether a row tells of one attempt a task and of no case: then its runs have no pages of their own."""
    sent = entry.sent
    if (
        sent is None
        or not sent.rounds
        or any(sent.failures.texts.values())
        or board.track.attempts > 1
    ):
        return False
    return not any(each.outcomes for each in sent.rounds)


def outcomes_files(board: Board) -> Iterator[tuple[str, int, Json]]:
    """Yield task, number and document of each round of which pages lead to a file: as it was sent in."""
    dense = dense_rows(board)
    found: dict[tuple[str, int], list[tuple[str, RoundResult]]] = defaultdict(list)
    for entry in board.all_entries:
        for result in entry.sent.rounds if entry.sent else ():
            if result.start == "own" and result.outcomes is not None:
                found[result.task, result.round].append((entry.id, result))
    for task in board.tasks.tasks:
        for each in task.rounds:
            told = found.pop((task.id, each.n), [])
            cases = max((len(result.outcomes or "") for _, result in told), default=0)
            if is_crowded(len(board.submissions), cases) or any(name in dense for name, _ in told):
                listed = None if each.cases is None else tuple(case.id for case in each.cases)
                yield task.id, each.n, {"task": task.id, "round": each.n, **_document(told, listed)}


def _document(told: Sequence[tuple[str, RoundResult]], listed: tuple[str, ...] | None) -> Json:
    """Write the outcomes of attempts: the attempt, which of the suites ran, None where cases have no names; letters."""
    suites: dict[tuple[str, ...], int] = {}
    rows: dict[str, list[tuple[int, int | None, str]]] = defaultdict(list)
    for name, result in told:
        names, outcomes = (
            listed if result.case_ids is None else result.case_ids,
            result.outcomes or "",
        )
        suite = (
            suites.setdefault(names, len(suites)) if names and len(names) == len(outcomes) else None
        )
        rows[name].append((result.attempt, suite, outcomes))
    letters: Mapping[str, str] = OUTCOME_STATUS
    return {"schema": 1, "letters": letters, "suites": list(suites), "rows": rows}
