"""Reads results of promptfoo from JSON and from JSON Lines."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from sitegen.importers.kit.json_source import json_line, read_json_source
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.rules import CUT_OFF, LEFT_OUT, SOURCE_BROKEN
from sitegen.importers.kit.stream import Shape, Sink
from sitegen.importers.kit.values import (
    amount_of,
    count_of,
    figure_of,
    mapping_of,
    mappings_of,
    text_of,
)
from sitegen.importers.promptfoo.providers import configured_reasoning
from sitegen.importers.promptfoo.records import Column, Result, ResultFile, Stated
from sitegen.importers.promptfoo.rows import ANYTHING, ROW_SHAPE, Row, result_of, small_row
from sitegen.problems import ProblemsError, counted
from sitegen.reading.files import LARGEST_SOURCE, MEGABYTE, opened

_LONGEST_TEXT = MEGABYTE
"""Bytes of a text that helps to tell tests apart."""

_LONGEST_LINE = 64 * MEGABYTE

_MOST = 1_000_000
"""No column and no test has a larger number."""

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
    "results": {
        "version": None,
        "timestamp": None,
        "prompts": _PROMPTS,
        "results": ROW_SHAPE,
        "table": {"head": {"prompts": _PROMPTS}},
        "stats": {"successes": None},
    },
    "prompts": _PROMPTS,
    "config": {"description": None, "providers": ANYTHING},
    "metadata": {"promptfooVersion": None, "evaluationCreatedAt": None},
}


def read_json_results(path: Path, report: Report) -> ResultFile | None:
    """Read results from JSON; None where they can't be read, which the report says."""
    rows: list[Row] = []
    sinks: dict[tuple[str, ...], Sink] = {
        ("results", "results"): lambda row: rows.append(small_row(row))
    }
    fields = read_json_source(path, _FILE, report, sinks, _LONGEST_TEXT)
    if fields is None:
        return None
    document = mapping_of(fields)
    results, metadata = mapping_of(document.get("results")), mapping_of(document.get("metadata"))
    prompts = _listed_prompts(document, results)
    file = _file_of(path, rows, prompts, report)
    file.evaluation = text_of(document.get("evalId")) or text_of(document.get("id")) or ""
    file.description = text_of(mapping_of(document.get("config")).get("description")) or ""
    file.timestamp = (
        text_of(results.get("timestamp")) or text_of(metadata.get("evaluationCreatedAt")) or ""
    )
    file.runner_version = text_of(metadata.get("promptfooVersion"))
    versions = (amount_of(version) for version in (results.get("version"), document.get("version")))
    file.format_version = max(
        (version for version in versions if version is not None), default=None
    )
    file.successes = count_of(mapping_of(results.get("stats")).get("successes"))
    for number, prompt in enumerate(prompts):
        stated = _stated(prompt)
        if stated is not None:
            file.stated[number] = stated
    settings = configured_reasoning(mapping_of(document.get("config")))
    groups = _provider_groups(file.columns)
    if groups and len(settings) == max(groups.values()) + 1:
        file.reasoning |= {
            number: settings[group] for number, group in groups.items() if settings[group]
        }
    return file


def _listed_prompts(document: Row, results: Row) -> Sequence[Row]:
    """Return the prompts that a file lists, one for each column; versions differ in where they stand."""
    head = mapping_of(mapping_of(results.get("table")).get("head"))
    for holder in (results, document, head):
        prompts = mappings_of(holder.get("prompts"))
        if prompts:
            return prompts
    return ()


def read_json_lines(path: Path, report: Report) -> ResultFile | None:
    """Read results from JSON Lines; None where they can't be read, which the report says."""
    rows: list[Row] = []
    number, ends = 0, True
    try:
        with opened(path, largest=LARGEST_SOURCE) as file:
            while line := file.readline(_LONGEST_LINE + 1):
                number += 1
                ends = line.endswith(b"\n")
                if line.isspace():
                    continue
                row = json_line(line)
                if not isinstance(row, dict):
                    report.add(
                        SOURCE_BROKEN, path, f"line {number} is no result: it is no object", number
                    )
                    return None
                rows.append(small_row(row))
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


def _file_of(path: Path, rows: Sequence[Row], prompts: Sequence[Row], report: Report) -> ResultFile:
    """Return an evaluation made of its rows, and of the columns that it lists."""
    columns = {}
    for number, prompt in enumerate(prompts):
        columns[number] = Column(
            "", text_of(prompt.get("provider")) or "", _prompt_name(prompt), number
        )
    numbers = _column_numbers(rows, columns)
    tests = _test_numbers(rows, numbers)
    results = []
    dropped = 0
    for row, column, test in zip(rows, numbers, tests, strict=True):
        if column is None or test is None:
            dropped += 1
        else:
            results.append(result_of(row, column, test))
    if dropped:
        message = (
            f"{counted(dropped, 'result')} of {report.name(path)} without a provider or a test"
        )
        report.say(LEFT_OUT, path, message, None, message)
    file = ResultFile(path, columns, _without_repeats(results, path, report))
    for row, column in zip(rows, numbers, strict=True):
        setting = mapping_of(row.get("provider")).get("config")
        if column is not None and isinstance(setting, str) and setting:
            file.reasoning.setdefault(column, setting)
    return file


def _column_numbers(rows: Sequence[Row], columns: dict[int, Column]) -> list[int | None]:
    """Return the number of each row's column, and add to the columns what rows say of them."""
    stated: dict[int, Column] = {}
    numbers_by_column: dict[tuple[str, str, str], int] = {}
    numbers: list[int | None] = []
    for row in rows:
        provider = row.get("provider")
        fields = mapping_of(provider)
        provider_id = text_of(fields.get("id")) or text_of(provider) or ""
        label = text_of(fields.get("label")) or ""
        prompt = _prompt_name(mapping_of(row.get("prompt")), ("label", "display"))
        number = count_of(row.get("promptIdx"), _MOST)
        if number is None and not provider_id:
            numbers.append(None)
            continue
        if number is None:
            number = numbers_by_column.setdefault(
                (provider_id, label, prompt), len(numbers_by_column)
            )
        numbers.append(number)
        stated.setdefault(number, Column(provider_id, label, prompt, number))
    for number, column in stated.items():
        listed_column = columns.get(number)
        prompt = listed_column.prompt if listed_column and listed_column.prompt else column.prompt
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
        if number is None and (
            row.get("has_vars") or mapping_of(row.get("testCase")).get("description")
        ):
            occurrence = seen[column, key]
            seen[column, key] += 1
            number = taken.setdefault((key, occurrence), _MOST + len(taken))
        numbers.append(number)
    return numbers


def _without_repeats(results: Sequence[Result], path: Path, report: Report) -> list[Result]:
    """Return results by test and column, of which the later one counts where a file holds two of a place."""
    latest: dict[tuple[int, int], Result] = {}
    replaced = 0
    for result in results:
        place = result.test, result.column
        replaced += place in latest and latest[place].success != result.success
        latest[place] = result
    if replaced:
        message = f"{counted(replaced, 'result')} of {report.name(path)} that a later one of the same test replaces"
        report.say(LEFT_OUT, path, message, None, message)
    return [latest[place] for place in sorted(latest)]


def _prompt_name(prompt: Row, keys: Sequence[str] = ("label", "display", "raw")) -> str:
    """Return what a prompt is called. In results, `raw` is the prompt with the variables of their test."""
    for key in keys:
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
    counts_by_name = mapping_of(metrics.get("namedScoresCount"))
    named = {}
    for name, value in mapping_of(metrics.get("namedScores")).items():
        number, count = figure_of(value), count_of(counts_by_name.get(name))
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
        is_other = before is not None and (before.provider, before.label) != (
            column.provider,
            column.label,
        )
        if is_other or column.prompt in prompts:
            group += 1
            prompts.clear()
        prompts.add(column.prompt)
        groups[number] = group
        before = column
    return groups
