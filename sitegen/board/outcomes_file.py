"""Case outcomes by submission: one file for each round with more cases than its pages can show."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.export import Json
from sitegen.board.findings import TaskRoundKey
from sitegen.models.outcome import OUTCOME_STATUS, RoundResult

MOST_OUTCOMES = 10_000
"""Maximum number of a submission's cases whose outcomes its pages show, at 120 bytes each.

A hundred submissions of 100,000 cases made a site of 2.4 GB, more than twice the host's limit. With
more cases, the pages of its runs show counts and some of the cases that failed.
"""

MOST_CELLS = 4_000
"""Maximum number of cells in a heat map, at 200 bytes each; a larger map shows counts."""

MOST_COLUMNS = 40
"""Maximum number of submissions whose cases are drawn as a picture."""


def dense_rows(board: Board) -> frozenset[str]:
    """Return the ids of submissions with more outcomes than their pages have room for."""
    dense = []
    for entry in board.all_entries:
        if _is_dense(entry):
            dense.append(entry.id)
    return frozenset(dense)


def _is_dense(entry: Entry) -> bool:
    return sum(len(result.outcomes or "") for result in entry.results) > MOST_OUTCOMES


def is_crowded(submissions: int, cases: int) -> bool:
    """Return whether these numbers of submissions and cases are too large for a round's page."""
    return submissions > MOST_COLUMNS and submissions * cases > MOST_CELLS


def is_bare(board: Board, entry: Entry) -> bool:
    """Return whether a row has one attempt per task and no cases, so its runs have no pages."""
    sent = entry.sent
    if sent is None or not sent.rounds or board.track.attempts > 1:
        return False
    has_texts = any(sent.failures.texts.values())
    return not has_texts and not any(result.outcomes for result in sent.rounds)


def outcomes_files(board: Board) -> Iterator[tuple[str, int, Json]]:
    """Yield task id, round number and document for each round that has a file.

    The outcomes are those before findings took effect.
    """
    dense = dense_rows(board)
    results_by_round: dict[TaskRoundKey, list[tuple[str, RoundResult]]] = defaultdict(list)
    for entry in board.all_entries:
        for result in entry.sent_results:
            if result.start == "own" and result.outcomes is not None:
                results_by_round[result.task, result.round].append((entry.id, result))
    for task in board.tasks.tasks:
        for defined in task.rounds:
            results = results_by_round.pop((task.id, defined.n), [])
            case_count = max((len(result.outcomes or "") for _, result in results), default=0)
            has_dense_row = any(row_id in dense for row_id, _ in results)
            if not has_dense_row and not is_crowded(len(board.submissions), case_count):
                continue
            case_names = None
            if defined.cases is not None:
                case_names = tuple(case.id for case in defined.cases)
            document = {"task": task.id, "round": defined.n, **_document(results, case_names)}
            yield task.id, defined.n, document


def _document(
    results: Sequence[tuple[str, RoundResult]], case_names: tuple[str, ...] | None
) -> Json:
    """Return the outcomes of a round's attempts.

    `suites` lists the names of cases that ran together. `rows` has, for each attempt of a row, its
    number, the index of its suite (None if its cases have no names) and the letters of its
    outcomes.
    """
    suites: dict[tuple[str, ...], int] = {}
    rows: dict[str, list[tuple[int, int | None, str]]] = defaultdict(list)
    for row, result in results:
        names = result.case_ids
        if result.case_ids is None:
            names = case_names
        outcomes = result.outcomes or ""
        suite = None
        if names and len(names) == len(outcomes):
            suite = suites.setdefault(names, len(suites))
        rows[row].append((result.attempt, suite, outcomes))
    letters: Mapping[str, str] = OUTCOME_STATUS
    return {"schema": 1, "letters": letters, "suites": list(suites), "rows": rows}
