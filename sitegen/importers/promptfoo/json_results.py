"""Reads results of promptfoo from JSON and from JSON Lines."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from sitegen.importers.kit.cases import CaseRecord, told_apart
from sitegen.importers.kit.json_source import json_line, read_json_source
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.rules import CUT_OFF, LEFT_OUT, SOURCE_BROKEN
from sitegen.importers.kit.stream import Shape
from sitegen.importers.kit.values import amount_of, count_of, figure_of, mapping_of, mappings_of, name_of, text_of
from sitegen.importers.promptfoo.providers import configured_reasoning, reasoning_of
from sitegen.importers.promptfoo.records import Column, Result, ResultFile, Stated, TestCase
from sitegen.importers.promptfoo.tests import key_of, test_variables, variables_line
from sitegen.models.task import Case
from sitegen.problems import ProblemsError, counted
from sitegen.reading.files import MEGABYTE, opened

NO_ASSERTIONS = "No assertions"
"""What promptfoo gives as the reason of a pass where nothing was checked."""

ERROR = 2
"""The `failureReason` of a result that has no verdict, because something broke."""

_LONGEST_TEXT = MEGABYTE
"""Bytes of a text that helps to tell tests apart."""

_LONGEST_LINE = 64 * MEGABYTE

_MOST = 1_000_000
"""No column and no test has a larger number."""

_ANYTHING: dict[str, "Shape | None"] = {}
_ANYTHING["*"] = _ANYTHING
"""The shape of a value of any depth."""

_ASSERTION: Shape = {"type": None, "metric": None, "metricOnly": None}

_ROW: Shape = {
    **dict.fromkeys(("id", "promptIdx", "testIdx", "success", "score", "failureReason", "error")),
    **dict.fromkeys(("cost", "latencyMs", "description")),
    "namedScores": {"*": None},
    "provider": {"id": None, "label": None, "config": _ANYTHING},
    "prompt": {"label": None, "display": None, "raw": None},
    "vars": _ANYTHING,
    "response": {"cached": None, "tokenUsage": {"prompt": None, "completion": None}},
    "tokenUsage": {
        "prompt": None,
        "completion": None,
        "completionDetails": {"cacheReadInputTokens": None},
    },
    "gradingResult": {
        "pass": None,
        "reason": None,
        "componentResults": {
            "pass": None,
            "assertion": _ASSERTION,
            "metadata": {"metricOnly": None},
            "componentResults": {"pass": None},
        },
    },
    "testCase": {
        "description": None,
        "vars": _ANYTHING,
        "assert": _ANYTHING,
        "providers": {},
        "prompts": {},
        "metadata": {"*": None},
    },
}

_PROMPTS: Shape = {
    "provider": None,
    "label": None,
    "display": None,
    "raw": None,
    "metrics": {
        **dict.fromkeys(("score", "testPassCount", "testFailCount", "testErrorCount")),
        "namedScores": {"*": None},
        "namedScoresCount": {"*": None},
    },
}

_FILE: Shape = {
    "evalId": None,
    "id": None,
    "version": None,
    "createdAt": None,
    "results": {
        "version": None,
        "timestamp": None,
        "prompts": _PROMPTS,
        "results": _ROW,
        "table": {"head": {"prompts": _PROMPTS}},
        "stats": {"successes": None},
    },
    "prompts": _PROMPTS,
    "config": {"description": None, "providers": _ANYTHING},
    "metadata": {"promptfooVersion": None, "evaluationCreatedAt": None},
    "runtimeOptions": {"repeat": None},
}

Row = Mapping[str, object]


class _Rows(list[object]):
    """Results as they are read: each becomes small at once."""

    def append(self, row: object) -> None:
        """Keep a row, with a checksum in place of the texts that only tell tests apart."""
        told = dict(mapping_of(row))
        test = dict(mapping_of(told.get("testCase")))
        variables = test.get("vars") if isinstance(test.get("vars"), dict) else told.get("vars")
        own = test_variables(mapping_of(variables))
        told["line"] = variables_line(own)[:400]
        told["has_vars"] = bool(own)
        assertions = test.get("assert")
        told["key"] = key_of(test.get("description"), own, assertions)
        provider = dict(mapping_of(told.get("provider")))
        if provider:
            told["provider"] = provider | {"config": reasoning_of(mapping_of(provider.get("config")))}
        if isinstance(assertions, list):
            deciding = [each for each in mappings_of(assertions) if each.get("metricOnly") is not True]
            told["has_assertions"] = bool(deciding)
        test.pop("vars", None)
        test.pop("assert", None)
        told.pop("vars", None)
        told["testCase"] = test
        super().append(told)


def read_json_results(path: Path, report: Report) -> ResultFile | None:
    """Read results from JSON; None where they can't be read, which the report says."""
    rows = _Rows()
    told = read_json_source(path, _FILE, report, {("results", "results"): rows}, _LONGEST_TEXT)
    if told is None:
        return None
    whole = mapping_of(told)
    results, metadata = mapping_of(whole.get("results")), mapping_of(whole.get("metadata"))
    head = mapping_of(mapping_of(results.get("table")).get("head"))
    prompts = next(
        (found for key in (results, whole, head) if (found := mappings_of(key.get("prompts")))),
        [],
    )
    file = _file_of(path, rows, prompts, report)
    file.evaluation = text_of(whole.get("evalId")) or text_of(whole.get("id")) or ""
    file.description = text_of(mapping_of(whole.get("config")).get("description")) or ""
    stamps = (results.get("timestamp"), metadata.get("evaluationCreatedAt"), whole.get("createdAt"))
    file.timestamp = next((stamp for stamp in map(text_of, stamps) if stamp), "")
    file.runner_version = text_of(metadata.get("promptfooVersion"))
    versions = (amount_of(version) for version in (results.get("version"), whole.get("version")))
    file.format_version = max((version for version in versions if version is not None), default=None)
    file.successes = count_of(mapping_of(results.get("stats")).get("successes"))
    file.stated = {number: stated for number, each in enumerate(prompts) if (stated := _stated(each))}
    settings = configured_reasoning(mapping_of(whole.get("config")))
    groups = _provider_groups(file.columns)
    if groups and len(settings) == max(groups.values()) + 1:
        file.reasoning |= {number: settings[group] for number, group in groups.items() if settings[group]}
    return file


def read_json_lines(path: Path, report: Report) -> ResultFile | None:
    """Read results from JSON Lines; None where they can't be read, which the report says."""
    rows = _Rows()
    number, ends = 0, True
    try:
        with opened(path, largest=math.inf) as file:
            while line := file.readline(_LONGEST_LINE + 1):
                number += 1
                ends = line.endswith(b"\n")
                if line.isspace():
                    continue
                row = json_line(line)
                if not isinstance(row, dict):
                    report.add(SOURCE_BROKEN, path, f"line {number} is no result: it is no object", number)
                    return None
                rows.append(row)
    except ProblemsError as error:
        report.problems += error.problems
        return None
    except ValueError as error:
        if ends:
            report.add(SOURCE_BROKEN, path, f"line {number} can't be used: {error}", number)
        else:
            report.add(CUT_OFF, path, f"{path.name} ends before its last line does", number)
        return None
    if not number:
        report.add(CUT_OFF, path, f"{path.name} is empty")
        return None
    return _file_of(path, rows, (), report)


def _file_of(path: Path, rows: Sequence[object], prompts: Sequence[Row], report: Report) -> ResultFile:
    """Return an evaluation made of its rows, and of the columns that it lists."""
    told = [mapping_of(row) for row in rows]
    columns = {}
    for number, prompt in enumerate(prompts):
        columns[number] = Column("", text_of(prompt.get("provider")) or "", _prompt_name(prompt), number)
    numbers = _column_numbers(told, columns)
    tests = _test_numbers(told, numbers)
    results = []
    dropped = 0
    for row, column, test in zip(told, numbers, tests, strict=True):
        if column is None or test is None:
            dropped += 1
        else:
            results.append(_result(row, column, test))
    if dropped:
        what = f"{counted(dropped, 'result')} of {report.name(path)} without a provider or a test"
        report.say(LEFT_OUT, path, what, None, what)
    file = ResultFile(path, columns, _without_repeats(results, path, report))
    for row, column in zip(told, numbers, strict=True):
        setting = mapping_of(row.get("provider")).get("config")
        if column is not None and isinstance(setting, str) and setting:
            file.reasoning.setdefault(column, setting)
    return file


def _column_numbers(rows: Sequence[Row], columns: dict[int, Column]) -> list[int | None]:
    """Return the number of each row's column, and add to the columns what rows say of them."""
    stated: dict[int, Column] = {}
    found: dict[tuple[str, str, str], int] = {}
    numbers: list[int | None] = []
    for row in rows:
        provider = row.get("provider")
        told = mapping_of(provider)
        provider_id = text_of(told.get("id")) or text_of(provider) or ""
        label = text_of(told.get("label")) or ""
        prompt = _prompt_name(mapping_of(row.get("prompt")))
        number = count_of(row.get("promptIdx"), _MOST)
        if number is None and not provider_id:
            numbers.append(None)
            continue
        if number is None:
            number = found.setdefault((provider_id, label, prompt), len(found))
        numbers.append(number)
        stated.setdefault(number, Column(provider_id, label, prompt, number))
    for number, column in stated.items():
        listed = columns.get(number)
        prompt = listed.prompt if listed and listed.prompt else column.prompt
        columns[number] = Column(column.provider, column.label, prompt, number)
    for number in [number for number in columns if number not in stated]:
        # Nothing was run for it, or its rows say in another way what it is.
        del columns[number]
    return numbers


def _test_numbers(rows: Sequence[Row], columns: Sequence[int | None]) -> list[int | None]:
    """Return the number of each row's test: the one it states, or how often its column had the test before."""
    taken: dict[tuple[str, int], int] = {}
    seen: defaultdict[tuple[int | None, str], int] = defaultdict(int)
    numbers: list[int | None] = []
    for row, column in zip(rows, columns, strict=True):
        number = count_of(row.get("testIdx"), _MOST)
        key = str(row.get("key"))
        if number is None and (row.get("has_vars") or mapping_of(row.get("testCase")).get("description")):
            occurrence = seen[column, key]
            seen[column, key] += 1
            number = taken.setdefault((key, occurrence), _MOST + len(taken))
        numbers.append(number)
    return numbers


def _result(row: Row, column: int, test: int) -> Result:
    """Return one result."""
    grading = mapping_of(row.get("gradingResult"))
    components = mappings_of(grading.get("componentResults"))
    success = row.get("success") if isinstance(row.get("success"), bool) else grading.get("pass")
    error = row.get("error")
    first_line = error.strip().partition("\n")[0] if isinstance(error, str) else ""
    cause = ""
    if row.get("failureReason") == ERROR or (first_line and not grading):
        cause = text_of(first_line) or "an error without a message"
    elif not isinstance(success, bool):
        cause = "no verdict"
    response = mapping_of(row.get("response"))
    usage = mapping_of(row.get("tokenUsage")) or mapping_of(response.get("tokenUsage"))
    # What came from promptfoo's own cache cost nothing and took no time, this time.
    is_cached = response.get("cached") is True
    seconds = amount_of(row.get("latencyMs"))
    named = {}
    for name, value in mapping_of(row.get("namedScores")).items():
        number = figure_of(value)
        if number is not None and text_of(name):
            named[str(text_of(name, longest=60))] = number
    return Result(
        id=name_of(row.get("id")) or "",
        column=column,
        test=test,
        case=_test_case(row, test, components),
        success=success if isinstance(success, bool) and not cause else None,
        score=figure_of(row.get("score")),
        named=named,
        cause=cause,
        cost_usd=None if is_cached else amount_of(row.get("cost")) or None,
        seconds=None if is_cached or seconds is None else seconds / 1000,
        input_tokens=amount_of(usage.get("prompt")) or None,
        cached_tokens=amount_of(mapping_of(usage.get("completionDetails")).get("cacheReadInputTokens")) or None,
        output_tokens=amount_of(usage.get("completion")) or None,
        checks=_checks(components),
    )


def _test_case(row: Row, test: int, components: Sequence[Row]) -> TestCase:
    told = mapping_of(row.get("testCase"))
    description = text_of(told.get("description")) or text_of(row.get("description")) or ""
    variables = str(row.get("line") or "")
    key = str(row.get("key"))
    if not description and not row.get("has_vars"):
        # Nothing describes it but its place.
        description = f"test {test + 1}"
        key = key_of(key, test)
    reason = mapping_of(row.get("gradingResult")).get("reason")
    deciding = [component for component in components if not _is_metric_only(component)]
    if components:
        is_checked = bool(deciding)
    elif isinstance(reason, str):
        is_checked = reason != NO_ASSERTIONS
    else:
        is_checked = row.get("has_assertions") is not False
    labels = {}
    for name, value in mapping_of(told.get("metadata")).items():
        text = text_of(value, longest=100)
        if text and not name.startswith("_"):
            labels[name.lower()] = text
    is_restricted = bool(told.get("providers") or told.get("prompts"))
    return TestCase(key, description, variables, is_checked, is_restricted, labels)


def _without_repeats(results: Sequence[Result], path: Path, report: Report) -> list[Result]:
    """Return results by test and column, of which the later one counts where a file holds two of a place."""
    latest: dict[tuple[int, int], Result] = {}
    replaced = 0
    for result in results:
        place = result.test, result.column
        replaced += place in latest and latest[place].success != result.success
        latest[place] = result
    if replaced:
        what = f"{counted(replaced, 'result')} of {report.name(path)} that a later one of the same test replaces"
        report.say(LEFT_OUT, path, what, None, what)
    return [latest[place] for place in sorted(latest)]


def _checks(components: Sequence[Row]) -> list[CaseRecord]:
    """Return the assertions of a result; a set of assertions is one check, and its members are not listed again."""
    records = []
    inner = 0
    for component in components:
        members = mappings_of(component.get("componentResults"))
        if inner:
            inner -= 1
            continue
        inner = len(members)
        passed = component.get("pass")
        if not isinstance(passed, bool) or _is_metric_only(component):
            continue
        assertion = mapping_of(component.get("assertion"))
        kind = text_of(assertion.get("type"), longest=60) or ("assert-set" if members else "assertion")
        name = text_of(assertion.get("metric"), longest=60) or kind
        records.append(CaseRecord(Case(name, kind), "p" if passed else "f"))
    return told_apart(records)


def _is_metric_only(component: Row) -> bool:
    return (
        mapping_of(component.get("assertion")).get("metricOnly") is True
        or mapping_of(component.get("metadata")).get("metricOnly") is True
    )


def _prompt_name(prompt: Row) -> str:
    for key in ("label", "display", "raw"):
        text = text_of(prompt.get(key), longest=60)
        if text:
            return text
    return ""


def _stated(prompt: Row) -> Stated | None:
    """Return what promptfoo works out for a column; None where it does not say."""
    metrics = mapping_of(prompt.get("metrics"))
    counts = [count_of(metrics.get(key)) for key in ("testPassCount", "testFailCount")]
    passed, failed = counts
    if passed is None or failed is None:
        return None
    total = passed + failed + (count_of(metrics.get("testErrorCount")) or 0)
    if not total:
        return None
    times = mapping_of(metrics.get("namedScoresCount"))
    named = {}
    for name, value in mapping_of(metrics.get("namedScores")).items():
        number, count = figure_of(value), count_of(times.get(name))
        if number is not None and count:
            named[name] = number / count
    return Stated(passed, total, figure_of(metrics.get("score")), named)


def _provider_groups(columns: Mapping[int, Column]) -> dict[int, int]:
    """Return which provider of the configuration each column is of: columns of one provider stand together."""
    groups: dict[int, int] = {}
    prompts: set[str] = set()
    group = 0
    before: Column | None = None
    for number, column in sorted(columns.items()):
        is_other = before is not None and (before.provider, before.label) != (column.provider, column.label)
        if is_other or column.prompt in prompts:
            group += 1
            prompts.clear()
        prompts.add(column.prompt)
        groups[number] = group
        before = column
    return groups
