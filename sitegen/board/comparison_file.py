"""The comparisons of all pairs of rows of a board, as one small file for the comparison page.

Pairs are stored as lists, one item per pair, in the order of `HeadToHead.pairs`. Numbers are
rounded as pages show them: more digits would make the file of a large board several times as long.
"""

from collections.abc import Iterator, Mapping, Sequence
from textwrap import shorten
from typing import assert_never

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.export import Json
from sitegen.board.findings import MarkedFinding, TaskRoundKey, round_keys
from sitegen.board.inference.comparison import (
    HeadToHead,
    PairOutcome,
    ScoreDifference,
    task_contributions,
)
from sitegen.board.outcomes_file import is_bare
from sitegen.metrics.likeness import rule_sentence
from sitegen.metrics.metric import Metric
from sitegen.metrics.results import SubmissionResults
from sitegen.models.outcome import Failure, RoundResult, State
from sitegen.models.task import Task
from sitegen.problems import grouped

PASSED, LOST, MISSING, EXCLUDED = "p", "k", "m", "x"
STATES: Mapping[State, str] = {
    "scored": "f",
    "no_cases": "n",
    "aborted": "a",
    "unreached": "u",
    "fast_forwarded": "w",
    "excluded": EXCLUDED,
}
"""Letters of rounds that did not pass, by state; the first state found in any attempt counts."""

_FAILED_LETTERS = {
    letter: "failed" if state == "scored" else state for state, letter in STATES.items()
}

ROUND_LETTERS: Mapping[str, str] = {
    PASSED: "passed",
    LOST: "passed, but not every earlier round",
    **_FAILED_LETTERS,
    MISSING: "no record",
}

_SMALLEST_P = 0.001
"""The smallest p value that pages show; smaller values stay unrounded, and thus below it."""

_P_DECIMALS = 3

_MAX_CASE_TEXT_LENGTH = 140
"""Maximum length in characters of a case's name and reason; the run's page shows both in full."""

_ROUND_COUNTS = ("both", "only_first", "only_second", "neither")
_DIFFERENCE_NUMBERS = ("value", "low", "high", "p", "tasks")


def comparison_file(board: Board) -> Json:
    """Return the document that compares all pairs of rows of a board.

    `rows` lists for each row its `rounds`, one string of letters for each number of attempts on
    which it is compared; `has_runs`, whether its runs have pages of their own; `points`, each
    task's contribution to the headline score, unrounded so that differences add up; and `single`,
    the rounds that fail by a single case. `marks` lists the findings about rounds, and `pairs` the
    comparisons.
    """
    rule = board.verdicts.rule
    head_to_head = HeadToHead(board)
    attempts = _compared_attempts(board)
    contributions = task_contributions(board, board.headline)
    has_single_cases = rule != "kept" or attempts == [1]
    rows: list[Json] = []
    for entry in head_to_head.rows:
        row = _row(board, entry, attempts)
        row["points"] = _contributions_by_task(board, contributions.get(entry.id, {}))
        row["single"] = []
        if has_single_cases:
            row["single"] = list(_single_cases(board, entry))
        rows.append(row)
    metrics = [_metric(metric) for metric in board.columns]
    findings = {}
    for outcome in PairOutcome:
        findings[outcome.value] = {"word": outcome.word, "reason": outcome.reason}
    tasks = [_task(task) for task in board.tasks.tasks]
    marks = [_mark(board, mark) for mark in board.findings.on_any_task()]
    return {
        "schema": 1,
        "benchmark": board.benchmark.id,
        "track": board.track.id,
        "metrics": metrics,
        "findings": findings,
        "rule": rule,
        "rule_in_words": rule_sentence(rule, board.benchmark.round_word.lower()),
        "round_letters": dict(ROUND_LETTERS),
        "attempts": attempts,
        "tasks": tasks,
        "rows": rows,
        "marks": marks,
        "pairs": _pairs(board, head_to_head),
    }


def _compared_attempts(board: Board) -> list[int]:
    """Return the attempt counts on which rows are compared, in ascending order.

    Two rows are compared on as many attempts as both made, so a row with more attempts is also
    compared on fewer. Only the rule "kept" needs more than the lowest count.
    """
    numbers = set()
    for entry in board.all_entries:
        if entry.submission_results:
            numbers.add(entry.submission_results.attempts_made)
    made = sorted(numbers)
    if board.verdicts.rule == "kept":
        return made
    return made[:1]


def _metric(metric: Metric) -> Json:
    return {
        "id": metric.id,
        "unit": metric.unit,
        "direction": metric.direction,
        "decimals": metric.decimals,
        "interval": metric.difference_interval_words,
    }


def _task(task: Task) -> Json:
    numbers = [defined.n for defined in task.rounds]
    return {"id": task.id, "title": task.name, "rounds": numbers}


def _row(board: Board, entry: Entry, attempts: Sequence[int]) -> Json:
    """Return a row's id, name and status, and its round letters by number of attempts."""
    made = entry.attempts or 0
    letters = []
    for number in attempts:
        if number <= made:
            letters.append(round_letters(board, entry, number))
    return {
        "id": entry.id,
        "name": entry.agent.name,
        "status": entry.status.state,
        "evidence": entry.evidence,
        "rounds": letters,
        "has_runs": not is_bare(board, entry),
    }


def _contributions_by_task(board: Board, contributions: Mapping[str, float]) -> list[float | None]:
    """Return each task's contribution in board order; None for a task that does not count.

    The list is empty if there are no contributions.
    """
    if contributions:
        return [contributions.get(task.id) for task in board.tasks.tasks]
    return []


def _pairs(board: Board, head_to_head: HeadToHead) -> Json:
    """Return the comparisons of all pairs by headline score, by each metric, and by rounds."""
    by_headline = []
    on_board = []
    round_counts = []
    for first, second in head_to_head.pairs:
        by_headline.append(head_to_head.headline_outcome(first, second))
        on_board.append(head_to_head.board_outcome(first, second))
        rounds = head_to_head.rounds(first, second)
        round_counts.append([getattr(rounds, name, None) for name in _ROUND_COUNTS])
    differences = {}
    for metric in board.columns:
        differences[metric.id] = _differences(head_to_head, metric)
    return {
        "standing": "".join(by_headline),
        "on_board": "".join(on_board),
        "differences": differences,
        "rounds": _columns(_ROUND_COUNTS, round_counts),
    }


def round_letters(board: Board, entry: Entry, attempts: int) -> str:
    """Return one letter per round, in board order, for a row's first `attempts` attempts.

    `ROUND_LETTERS` explains the letters. The string is empty for a reported row, which has no
    rounds.
    """
    if not entry.submission_results:
        return ""
    records = _deciding_records(board, entry.submission_results, attempts)
    verdicts = board.verdicts.verdicts(entry.id, attempts).tolist()
    letters = []
    for key, verdict in zip(round_keys(board.tasks), verdicts, strict=True):
        letters.append(_round_letter(records.get(key), is_passed=verdict == 1))
    return "".join(letters)


_Records = Sequence[RoundResult | None]
"""The records of one round in several attempts; None for a missing record."""


def _deciding_records(
    board: Board, results: SubmissionResults, attempts: int
) -> Mapping[TaskRoundKey, _Records]:
    """Return the records that decide the verdict of each round; an excluded round is left out."""
    rule = board.verdicts.rule
    records: dict[TaskRoundKey, _Records] = {}
    for task_results in results.tasks:
        match rule:
            case "reference":
                deciding = [task_results.reference]
            case "kept":
                deciding = list(task_results.results[:attempts])
            case "first":
                deciding = list(task_results.results[:1])
            case _ as unknown:
                assert_never(unknown)
        by_round = zip(*deciding, strict=True)
        for number, round_records in zip(task_results.rounds, by_round, strict=True):
            records[task_results.task.id, number] = round_records
    return records


def _round_letter(records: _Records | None, *, is_passed: bool) -> str:
    """Return the letter of a round from its verdict and the records that decide it."""
    if records is None:
        return EXCLUDED
    if is_passed:
        return PASSED
    results = [record for record in records if record]
    if len(results) < len(records):
        return MISSING
    if any(result.solved for result in results):
        return LOST
    states = {result.state for result in results}
    return next(letter for state, letter in STATES.items() if state in states)


def _single_cases(board: Board, entry: Entry) -> Iterator[tuple[int, int, str | None, str | None]]:
    """Yield the rounds that failed by only one case, in the attempt that decides their verdict.

    Yields:
        The index of the round among all rounds of the board, the number of cases that ran, and the
            name of the failed case and why it failed, each None if the source does not state it.
    """
    if entry.submission_results is None:
        return
    records = _deciding_records(board, entry.submission_results, 1)
    failures_by_task: dict[str, list[Failure]] = {}
    for index, (task, number) in enumerate(round_keys(board.tasks)):
        result = records.get((task, number), (None,))[0]
        if result is None or result.solved or result.failed != 1:
            continue
        if task not in failures_by_task:
            failures_by_task[task] = []
            if entry.bundle:
                failures_by_task[task] = list(entry.bundle.failures.of_task(task))
        name, reason = _failed_case(result, failures_by_task[task])
        yield index, (result.passed or 0) + 1, name, reason


def _failed_case(result: RoundResult, failures: Sequence[Failure]) -> tuple[str | None, str | None]:
    """Return the name of a round's only failed case and why it failed, each None if not known."""
    attempt_round = (result.attempt, result.round)
    named = []
    for failure in failures:
        if (failure.attempt, failure.round) == attempt_round:
            named.append(failure)
    if len(named) != 1 or named[0].status == "skipped":
        return None, None
    failure = named[0]
    name = failure.intent or failure.case
    return _shortened(name), _shortened(failure.reason or failure.actual)


def _shortened(text: str | None) -> str | None:
    if not text:
        return text
    return shorten(text, _MAX_CASE_TEXT_LENGTH, placeholder=" …")


def _mark(board: Board, mark: MarkedFinding) -> Json:
    """Return a finding about rounds, with its rounds by task and its rows; no rows means all."""
    marked_rounds = []
    for key, marks in board.findings.by_round.items():
        if mark in marks:
            marked_rounds.append(key)
    return {
        "id": mark.id,
        "title": mark.remarked_title,
        "rows": list(mark.finding.submissions),
        "rounds": grouped(marked_rounds),
    }


def _differences(head_to_head: HeadToHead, metric: Metric) -> Json:
    """Return the differences of all pairs by a metric, rounded as pages show them."""
    differences = head_to_head.differences[metric.id]
    letters = []
    numbers = []
    for first, second in head_to_head.pairs:
        letters.append(head_to_head.metric_outcome(metric, first, second))
        numbers.append(_difference_numbers(differences.get((first.id, second.id)), metric))
    return {"standing": "".join(letters), **_columns(_DIFFERENCE_NUMBERS, numbers)}


def _difference_numbers(
    difference: ScoreDifference | None, metric: Metric
) -> Sequence[float | None]:
    """Return the `_DIFFERENCE_NUMBERS` of a pair, all None if there is no difference."""
    if difference is None:
        return (None,) * len(_DIFFERENCE_NUMBERS)
    paired = difference.paired
    exact = (paired.value, paired.interval.low, paired.interval.high)
    # `or 0` drops the sign of a number that rounds to -0.
    rounded = []
    for number in exact:
        rounded.append(round(number, metric.decimals or None) or 0)
    p = paired.p
    if paired.p >= _SMALLEST_P:
        p = round(paired.p, _P_DECIMALS)
    return (*rounded, p, paired.needed_tasks)


def _columns(names: Sequence[str], rows: Sequence[Sequence[float | None]]) -> Json:
    """Return rows of numbers as columns, one list per column name."""
    columns: Json = {}
    for column, name in enumerate(names):
        columns[name] = [row[column] for row in rows]
    return columns
