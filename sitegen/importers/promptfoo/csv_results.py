"""Reads results of promptfoo from CSV: a row for each test, and columns for each provider and prompt."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sitegen.importers.kit.json_source import json_line
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.rules import CUT_OFF
from sitegen.importers.kit.values import figure_of, mapping_of, text_of
from sitegen.importers.promptfoo.records import Column, Result, ResultFile, TestCase
from sitegen.importers.promptfoo.rows import NO_ASSERTIONS
from sitegen.importers.promptfoo.rules import CSV_BROKEN
from sitegen.importers.promptfoo.tests import key_of, variables_line
from sitegen.reading.files import opened
from sitegen.reading.lines import TextLines

_STATUS, _SCORE, _NAMED, _REASON, _DESCRIPTION = (
    "Status",
    "Score",
    "Named Scores",
    "Grader Reason",
    "Description",
)
_PASS, _FAIL, _ERROR = "PASS", "FAIL", "ERROR"

_HEAD = re.compile(r"\[(?P<provider>[^\]]*)\] (?P<prompt>.*)", re.DOTALL)
"""The head of a column of answers."""

_MARKED = re.compile(r"\[(?P<status>PASS|FAIL|ERROR)\](?: \((?P<score>-?\d+(?:\.\d+)?)\))?")
"""What an answer begins with where the status has no column of its own, as in versions before 0.100."""


@dataclass(frozen=True, slots=True)
class _Answers:
    """Where the answers of a provider to a prompt stand in a row."""

    column: Column
    place: int
    fields: Mapping[str, int]
    """The places of what stands beside an answer, such as its status; none in older versions."""


def is_csv_of_promptfoo(head: str) -> bool:
    """Return whether the beginning of a CSV file is one of promptfoo's."""
    return (
        f",{_STATUS},{_SCORE}," in head or re.search(r"\[(?:PASS|FAIL|ERROR)\]", head) is not None
    )


def read_csv_results(path: Path, report: Report) -> ResultFile | None:
    """Read results from CSV; None where they can't be read, which the report says."""
    lines = TextLines(path)
    numbered = list(lines.rows(CSV_BROKEN))
    if lines.problems:
        report.problems += lines.problems
        is_cut = any("unexpected end of data" in problem.what for problem in lines.problems)
        if is_cut:
            report.problems.pop()
            report.add(CUT_OFF, path, f"{path.name} ends before its last row does")
        return None
    if not numbered:
        report.add(CUT_OFF, path, f"{path.name} is empty")
        return None
    (_, heads), *rows = numbered
    short = [line for line, cells in rows if len(cells) != len(heads)]
    if short:
        is_cut = short == [rows[-1][0]] and not _ends_with_newline(path)
        what = f"a row has other columns than the {len(heads)} of the head"
        report.add(CUT_OFF if is_cut else CSV_BROKEN, path, what, short[0])
        return None
    answers = _answers(heads, [cells for _, cells in rows])
    if not answers:
        report.add(CSV_BROKEN, path, "no column holds results: none is followed by `Status`")
        return None
    variables = range(min(each.place for each in answers))
    results = []
    for number, (_, cells) in enumerate(rows):
        told = {heads[place]: cells[place] for place in variables}
        outcomes = [_outcome(each, cells) for each in answers]
        reasons = [reason for *_, reason in outcomes if reason]
        is_checked = not reasons or any(reason != NO_ASSERTIONS for reason in reasons)
        case = _test_case(told, number, is_checked=is_checked)
        for position, (status, score, named, reason) in enumerate(outcomes):
            if status:
                results.append(_result(position, number, case, status, (score, named, reason)))
    columns = {position: each.column for position, each in enumerate(answers)}
    return ResultFile(path, columns, results, is_table=True)


def _ends_with_newline(path: Path) -> bool:
    with opened(path) as file:
        file.seek(-1, 2)
        return file.read(1) == b"\n"


def _answers(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[_Answers]:
    """Return where the answers stand: before a column `Status`, or in cells that begin with `[PASS]`."""
    found: list[_Answers] = []
    for place, head in enumerate(heads):
        fields: dict[str, int] = {}
        if place + 1 < len(heads) and heads[place + 1] == _STATUS:
            for name in (_STATUS, _SCORE, _NAMED, _REASON):
                if name in heads[place + 1 :]:
                    fields[name] = heads.index(name, place + 1)
        elif not any(_MARKED.match(cells[place]) for cells in rows):
            continue
        found.append(_Answers(_column(head, len(found)), place, fields))
    return found


def _column(head: str, number: int) -> Column:
    """Return a column by its head, which is `[PROVIDER] PROMPT`, or JSON in older versions."""
    match = _HEAD.fullmatch(head)
    if match:
        return Column(
            text_of(match["provider"]) or "", "", text_of(match["prompt"], longest=60) or "", number
        )
    try:
        told = mapping_of(json_line(head.encode()))
    except ValueError:
        told = {}
    prompt = text_of(told.get("display"), longest=60) or text_of(told.get("raw"), longest=60)
    return Column(
        text_of(told.get("provider")) or "", "", prompt or text_of(head, longest=60) or "", number
    )


def _test_case(told: Mapping[str, str], number: int, *, is_checked: bool) -> TestCase:
    variables = {name: value for name, value in told.items() if name != _DESCRIPTION and value}
    description = text_of(told.get(_DESCRIPTION)) or ""
    key = key_of(description, variables)
    if not description and not variables:
        description, key = f"test {number + 1}", key_of(number)
    return TestCase(key, description, variables_line(variables)[:400], is_checked)


def _outcome(answers: _Answers, cells: Sequence[str]) -> tuple[str, str, str, str]:
    """Return the status, the score, the named scores and the grader's reason of one answer, as texts."""
    answer = cells[answers.place]
    if answers.fields:
        status, score, named, reason = (
            cells[answers.fields[name]] if name in answers.fields else ""
            for name in (_STATUS, _SCORE, _NAMED, _REASON)
        )
        return status, score, named, reason
    match = _MARKED.match(answer)
    if match is None:
        return "", "", "", ""
    _, found, reason = answer.rpartition("\nReason: ")
    return match["status"], match["score"] or "", "", reason if found else ""


def _result(
    column: int, test: int, case: TestCase, status: str, told: tuple[str, str, str]
) -> Result:
    score, named, reason = told
    cause = ""
    if status not in {_PASS, _FAIL}:
        cause = text_of(reason.partition("\n")[0]) or (
            "an error" if status == _ERROR else f"status {status}"
        )
    return Result(
        id="",
        column=column,
        test=test,
        case=case,
        success=status == _PASS if not cause else None,
        score=_number(score),
        named=_named_scores(named),
        cause=text_of(cause) or "",
    )


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"-?\d{1,15}(?:\.\d{1,15})?", text.strip()) else None


def _named_scores(text: str) -> dict[str, float]:
    """Return named scores, which stand in a cell as JSON."""
    try:
        told = mapping_of(json.loads(text or "{}"))
    except (ValueError, RecursionError):
        return {}
    figures = {name: figure_of(value) for name, value in told.items()}
    return {name: value for name, value in figures.items() if value is not None}
