"""Parse results in CSV: a row for each test, and columns for each provider and prompt."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.json_source import json_line
from sitegen.importers.kit.rules import CUT_OFF
from sitegen.importers.kit.values import figure_of, mapping_of, text_of
from sitegen.importers.promptfoo.records import PromptColumn, ResultFile, TestCase, TestResult
from sitegen.importers.promptfoo.rows import NO_ASSERTIONS
from sitegen.importers.promptfoo.rules import CSV_BROKEN
from sitegen.importers.promptfoo.tests import checksum, format_variables
from sitegen.reading.files import opened
from sitegen.reading.lines import TextLines

_STATUS = "Status"
_SCORE = "Score"
_NAMED_SCORES = "Named Scores"
_REASON = "Grader Reason"
_OUTCOME_FIELDS = (_STATUS, _SCORE, _NAMED_SCORES, _REASON)
"""The headings of the columns next to an answer, in the order of `_Outcome`."""
_DESCRIPTION = "Description"

_PASS = "PASS"  # noqa: S105 - a status
_FAIL = "FAIL"
_ERROR = "ERROR"

_MAX_PROMPT_LENGTH = 60
_MAX_VARIABLES_LENGTH = 400

_HEAD = re.compile(r"\[(?P<provider>[^\]]*)\] (?P<prompt>.*)", re.DOTALL)
"""The heading of a column of answers."""

_STATUS_MARK = re.compile(r"\[(?:PASS|FAIL|ERROR)\]")
_MARKED_ANSWER = re.compile(r"\[(?P<status>PASS|FAIL|ERROR)\](?: \((?P<score>-?\d+(?:\.\d+)?)\))?")
"""The beginning of an answer in versions before 0.100, which have no column for the status."""

_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,15})?")


@dataclass(frozen=True, slots=True)
class _AnswerColumn:
    """The cells of a row that belong to one provider and prompt."""

    column: PromptColumn
    index: int
    """The index of the cell with the answer."""
    field_indexes: Mapping[str, int]
    """The indexes of the cells next to the answer, by heading; empty before version 0.100."""


class _Outcome(NamedTuple):
    """The texts in a row that describe one answer; a missing text is empty."""

    status: str = ""
    score: str = ""
    named_scores: str = ""
    reason: str = ""


def is_csv_of_promptfoo(head: str) -> bool:
    """Return whether a CSV file with this beginning was written by promptfoo."""
    return f",{_STATUS},{_SCORE}," in head or _STATUS_MARK.search(head) is not None


def read_csv_results(path: Path, log: ImportLog) -> ResultFile | None:
    """Return the results in a CSV file; None if it can't be read, which is logged."""
    table = _read_table(path, log)
    if table is None:
        return None
    heads, *rows = table
    answer_columns = _find_answer_columns(heads, rows)
    if not answer_columns:
        log.add(CSV_BROKEN, path, "no column contains results: no column is followed by `Status`")
        return None
    variables_end = answer_columns[0].index
    results = []
    for test, cells in enumerate(rows):
        variables = dict(zip(heads[:variables_end], cells[:variables_end], strict=True))
        outcomes = [_read_outcome(answer_column, cells) for answer_column in answer_columns]
        reasons = {outcome.reason for outcome in outcomes if outcome.reason}
        case = _parse_test_case(variables, test, is_checked=reasons != {NO_ASSERTIONS})
        for column, outcome in enumerate(outcomes):
            if outcome.status:
                results.append(_parse_result(column, test, case, outcome))
    columns = {number: answers.column for number, answers in enumerate(answer_columns)}
    return ResultFile(path, columns, results)


def _read_table(path: Path, log: ImportLog) -> list[Sequence[str]] | None:
    """Return the cells of the header and of all rows; None for a broken file, which is logged."""
    lines = TextLines(path)
    numbered_rows = list(lines.rows(CSV_BROKEN))
    if lines.problems:
        log.problems += lines.problems
        if any("unexpected end of data" in problem.what for problem in lines.problems):
            log.problems.pop()
            log.add(CUT_OFF, path, f"{path.name} ends in the middle of its last row")
        return None
    if not numbered_rows:
        log.add(CUT_OFF, path, f"{path.name} is empty")
        return None
    _, heads = numbered_rows[0]
    broken_lines = [line for line, cells in numbered_rows if len(cells) != len(heads)]
    if broken_lines:
        last_line, _ = numbered_rows[-1]
        is_cut = broken_lines == [last_line] and not _ends_with_newline(path)
        message = f"a row does not have the {len(heads)} columns of the header"
        log.add(CUT_OFF if is_cut else CSV_BROKEN, path, message, broken_lines[0])
        return None
    return [cells for _, cells in numbered_rows]


def _ends_with_newline(path: Path) -> bool:
    with opened(path) as file:
        file.seek(-1, 2)
        return file.read(1) == b"\n"


def _find_answer_columns(
    heads: Sequence[str], rows: Sequence[Sequence[str]]
) -> list[_AnswerColumn]:
    """Return the columns of answers, in order.

    An answer column precedes a column `Status`; in versions before 0.100, its cells begin with
    `[PASS]`, `[FAIL]` or `[ERROR]`.
    """
    answer_columns: list[_AnswerColumn] = []
    for index, head in enumerate(heads):
        field_indexes: dict[str, int] = {}
        if heads[index + 1 : index + 2] == [_STATUS]:
            field_indexes = _find_fields(heads, index + 1)
        elif not any(_MARKED_ANSWER.match(cells[index]) for cells in rows):
            continue
        column = _parse_column(head, len(answer_columns))
        answer_columns.append(_AnswerColumn(column, index, field_indexes))
    return answer_columns


def _find_fields(heads: Sequence[str], start: int) -> dict[str, int]:
    """Return the index of each field of an answer: its first occurrence from `start`."""
    indexes = {}
    for name in _OUTCOME_FIELDS:
        if name in heads[start:]:
            indexes[name] = heads.index(name, start)
    return indexes


def _parse_column(head: str, number: int) -> PromptColumn:
    """Return the column of a heading, which is `[PROVIDER] PROMPT`, or JSON in older versions."""
    match = _HEAD.fullmatch(head)
    if match:
        provider = text_of(match["provider"])
        prompt = text_of(match["prompt"], _MAX_PROMPT_LENGTH)
        return PromptColumn(provider or "", "", prompt or "", number)
    fields = _parse_object(head)
    for text in (fields.get("display"), fields.get("raw"), head):
        prompt = text_of(text, _MAX_PROMPT_LENGTH)
        if prompt:
            break
    return PromptColumn(text_of(fields.get("provider")) or "", "", prompt or "", number)


def _parse_object(text: str) -> Mapping[str, object]:
    """Return the JSON object in a cell; empty if the cell contains none."""
    try:
        return mapping_of(json_line(text.encode()))
    except ValueError:
        return {}


def _parse_test_case(cells: Mapping[str, str], test: int, *, is_checked: bool) -> TestCase:
    """Return a test from the cells before the answers; an empty test is named by number."""
    variables = {name: value for name, value in cells.items() if name != _DESCRIPTION and value}
    description = text_of(cells.get(_DESCRIPTION)) or ""
    key = checksum(description, variables)
    if not description and not variables:
        description = f"test {test + 1}"
        key = checksum(test)
    return TestCase(
        key, description, format_variables(variables)[:_MAX_VARIABLES_LENGTH], is_checked
    )


def _read_outcome(answer_column: _AnswerColumn, cells: Sequence[str]) -> _Outcome:
    """Return the texts in a row that describe one answer."""
    indexes = answer_column.field_indexes
    if indexes:
        texts = []
        for name in _OUTCOME_FIELDS:
            index = indexes.get(name)
            texts.append("" if index is None else cells[index])
        return _Outcome(*texts)
    answer = cells[answer_column.index]
    match = _MARKED_ANSWER.match(answer)
    if match is None:
        return _Outcome()
    _, separator, reason = answer.rpartition("\nReason: ")
    return _Outcome(match["status"], match["score"] or "", "", reason if separator else "")


def _parse_result(column: int, test: int, case: TestCase, outcome: _Outcome) -> TestResult:
    """Return the result of one answer."""
    is_graded = outcome.status in {_PASS, _FAIL}
    return TestResult(
        id="",
        column=column,
        test=test,
        case=case,
        success=outcome.status == _PASS if is_graded else None,
        score=_parse_number(outcome.score),
        named_scores=_parse_named_scores(outcome.named_scores),
        cause="" if is_graded else _describe_error(outcome),
    )


def _describe_error(outcome: _Outcome) -> str:
    """Return why an answer has no verdict: the first line of the grader's reason, or its status."""
    first_line = text_of(outcome.reason.partition("\n")[0])
    if first_line:
        return first_line
    if outcome.status == _ERROR:
        return "an error"
    return text_of(f"status {outcome.status}") or ""


def _parse_number(text: str) -> float | None:
    return float(text) if _NUMBER.fullmatch(text.strip()) else None


def _parse_named_scores(text: str) -> dict[str, float]:
    """Return the named scores in a cell of JSON; empty if the JSON is invalid."""
    try:
        fields = mapping_of(json.loads(text or "{}"))
    except (ValueError, RecursionError):
        return {}
    scores = {}
    for name, value in fields.items():
        score = figure_of(value)
        if score is not None:
            scores[name] = score
    return scores
