"""Read results of promptfoo from JSON, JSON Lines and YAML."""

import io
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from sitegen.importers.kit.documents import yaml_as_json
from sitegen.importers.kit.import_log import ImportLog
from sitegen.importers.kit.json_source import json_line, read_json_source
from sitegen.importers.kit.rules import CUT_OFF, LEFT_OUT, SOURCE_BROKEN
from sitegen.importers.kit.stream import Shape, Sink, picked
from sitegen.importers.kit.values import (
    amount_of,
    count_of,
    figure_of,
    mapping_of,
    mappings_of,
    text_of,
)
from sitegen.importers.promptfoo.providers import configured_reasoning
from sitegen.importers.promptfoo.records import ColumnSummary, PromptColumn, ResultFile, TestResult
from sitegen.importers.promptfoo.rows import (
    ANYTHING,
    RESULT_SHAPE,
    JsonObject,
    parse_result,
    shrink_result,
)
from sitegen.problems import ProblemsError, counted
from sitegen.reading.files import LARGEST, LARGEST_SOURCE, MEGABYTE, opened

_MAX_TEXT_SIZE = MEGABYTE
"""Maximum size in bytes of a text that helps to identify a test."""

_MAX_LINE_SIZE = 64 * MEGABYTE

_MAX_NUMBER = 1_000_000
"""Largest number that a column or a test may have."""

_MAX_PROMPT_LENGTH = 60

_METRICS_SHAPE: Shape = {
    "score": None,
    "testPassCount": None,
    "testFailCount": None,
    "testErrorCount": None,
    "namedScores": {"*": None},
    "namedScoresCount": {"*": None},
}

_PROMPTS_SHAPE: Shape = {
    "provider": None,
    "label": None,
    "display": None,
    "raw": None,
    "metrics": _METRICS_SHAPE,
}

_RESULTS_SHAPE: Shape = {
    "version": None,
    "timestamp": None,
    "prompts": _PROMPTS_SHAPE,
    "results": RESULT_SHAPE,
    "table": {"head": {"prompts": _PROMPTS_SHAPE}},
    "stats": {"successes": None},
}

_FILE_SHAPE: Shape = {
    "evalId": None,
    "id": None,
    "version": None,
    "results": _RESULTS_SHAPE,
    "prompts": _PROMPTS_SHAPE,
    "config": {"description": None, "providers": ANYTHING},
    "metadata": {"promptfooVersion": None, "evaluationCreatedAt": None},
}


def read_json_results(path: Path, log: ImportLog) -> ResultFile | None:
    """Return the results in a JSON file; None if it can't be read, which is logged."""
    rows: list[JsonObject] = []
    document = read_json_source(path, _FILE_SHAPE, log, _sinks(rows), _MAX_TEXT_SIZE)
    return None if document is None else _build_evaluation(path, document, rows, log)


def read_yaml_results(path: Path, log: ImportLog) -> ResultFile | None:
    """Read results from YAML; None if they can't be read, which is logged."""
    rows: list[JsonObject] = []
    try:
        with opened(path, largest=LARGEST) as file:
            data = yaml_as_json(file.read())
        size = len(data)
        document = picked(io.BytesIO(data), size, _FILE_SHAPE, _sinks(rows), _MAX_TEXT_SIZE)
    except ProblemsError as error:
        log.problems += error.problems
        return None
    except ValueError as error:
        log.add(SOURCE_BROKEN, path, f"{path.name} can't be used: {error}")
        return None
    return _build_evaluation(path, document, rows, log)


def _sinks(rows: list[JsonObject]) -> dict[tuple[str, ...], Sink]:
    """Return the function that adds each result of a file to a list, shortened."""
    return {("results", "results"): lambda value: rows.append(shrink_result(value))}


def _build_evaluation(
    path: Path, document: object, rows: Sequence[JsonObject], log: ImportLog
) -> ResultFile:
    """Return an evaluation with the facts that its file states about it."""
    evaluation = mapping_of(document)
    prompts = _find_prompts(evaluation)
    file = _build_file(path, rows, prompts, log)
    _add_metadata(file, evaluation)
    for number, prompt in enumerate(prompts):
        summary = _parse_summary(prompt)
        if summary is not None:
            file.summaries[number] = summary
    _add_configured_reasoning(file, mapping_of(evaluation.get("config")))
    return file


def _add_metadata(file: ResultFile, evaluation: JsonObject) -> None:
    """Set the facts that the file states about the complete evaluation."""
    results = mapping_of(evaluation.get("results"))
    metadata = mapping_of(evaluation.get("metadata"))
    config = mapping_of(evaluation.get("config"))
    stats = mapping_of(results.get("stats"))
    evaluation_id = text_of(evaluation.get("evalId")) or text_of(evaluation.get("id"))
    timestamp = text_of(results.get("timestamp")) or text_of(metadata.get("evaluationCreatedAt"))
    file.evaluation = evaluation_id or ""
    file.description = text_of(config.get("description")) or ""
    file.timestamp = timestamp or ""
    file.runner_version = text_of(metadata.get("promptfooVersion"))
    versions = [amount_of(record.get("version")) for record in (results, evaluation)]
    file.format_version = max(filter(None, versions), default=None)
    file.successes = count_of(stats.get("successes"))


def _find_prompts(evaluation: JsonObject) -> Sequence[JsonObject]:
    """Return the prompts that a file lists, one for each column.

    The position of the list depends on promptfoo's version.
    """
    results = mapping_of(evaluation.get("results"))
    table_head = mapping_of(mapping_of(results.get("table")).get("head"))
    for holder in (results, evaluation, table_head):
        prompts = mappings_of(holder.get("prompts"))
        if prompts:
            return prompts
    return ()


def read_json_lines(path: Path, log: ImportLog) -> ResultFile | None:
    """Return the results in a JSON Lines file; None if it can't be read, which is logged."""
    rows: list[JsonObject] = []
    number = 0
    line = b""
    try:
        with opened(path, largest=LARGEST_SOURCE) as file:
            # A line that is too long is read in several pieces, none of which is valid JSON.
            while line := file.readline(_MAX_LINE_SIZE + 1):
                number += 1
                if line.isspace():
                    continue
                row = json_line(line)
                if not isinstance(row, dict):
                    message = f"line {number} is not a result, because it is not an object"
                    log.add(SOURCE_BROKEN, path, message, number)
                    return None
                rows.append(shrink_result(row))
    except ProblemsError as error:
        log.problems += error.problems
        return None
    except ValueError as error:
        if line.endswith(b"\n"):
            log.add(SOURCE_BROKEN, path, f"line {number} can't be used: {error}", number)
        else:
            log.add(CUT_OFF, path, f"{path.name} ends in the middle of its last line", number)
        return None
    if not number:
        log.add(CUT_OFF, path, f"{path.name} is empty")
        return None
    return _build_file(path, rows, (), log)


def _build_file(
    path: Path, rows: Sequence[JsonObject], prompts: Sequence[JsonObject], log: ImportLog
) -> ResultFile:
    """Return an evaluation with its results and columns."""
    column_numbers, columns = _number_columns(rows, _parse_prompts(prompts))
    test_numbers = _number_tests(rows, column_numbers)
    results = []
    reasoning: dict[int, str] = {}
    for row, column, test in zip(rows, column_numbers, test_numbers, strict=True):
        if column is None:
            continue
        if test is not None:
            results.append(parse_result(row, column, test))
        setting = mapping_of(row.get("provider")).get("config")
        if isinstance(setting, str) and setting:
            reasoning.setdefault(column, setting)
    dropped = len(rows) - len(results)
    if dropped:
        count = counted(dropped, "result")
        message = f"{count} of {log.name(path)} without a provider or a test"
        log.add_with_caveat(LEFT_OUT, path, message, None, message)
    results = _drop_repeats(results, path, log)
    return ResultFile(path, columns, results, reasoning=reasoning)


def _parse_prompts(prompts: Sequence[JsonObject]) -> dict[int, PromptColumn]:
    """Return the columns that a file lists, by number."""
    columns = {}
    for number, prompt in enumerate(prompts):
        label = text_of(prompt.get("provider")) or ""
        columns[number] = PromptColumn("", label, _prompt_name(prompt), number)
    return columns


def _number_columns(
    rows: Sequence[JsonObject], listed_columns: Mapping[int, PromptColumn]
) -> tuple[list[int | None], dict[int, PromptColumn]]:
    """Return the number of each row's column, and the columns that have rows.

    A row without a number gets the number of its provider and prompt; a row without a provider gets
    None.
    """
    columns_of_rows: dict[int, PromptColumn] = {}
    numbers_by_column: dict[PromptColumn, int] = {}
    numbers: list[int | None] = []
    for row in rows:
        column = _parse_column(row)
        number = count_of(row.get("promptIdx"), _MAX_NUMBER)
        if number is None and column.provider:
            number = numbers_by_column.setdefault(column, len(numbers_by_column))
        numbers.append(number)
        if number is not None:
            columns_of_rows.setdefault(number, column)
    # Listed columns come first, followed by columns that are not listed.
    columns = {}
    for number in (*listed_columns, *columns_of_rows):
        # Nothing was run for a column without rows, or its rows have another number.
        if number not in columns_of_rows:
            continue
        column = columns_of_rows[number]
        listed_column = listed_columns.get(number, column)
        prompt = listed_column.prompt or column.prompt
        columns[number] = PromptColumn(column.provider, column.label, prompt, number)
    return numbers, columns


def _parse_column(row: JsonObject) -> PromptColumn:
    """Return the provider and prompt of a result."""
    provider = row.get("provider")
    fields = mapping_of(provider)
    return PromptColumn(
        provider=text_of(fields.get("id")) or text_of(provider) or "",
        label=text_of(fields.get("label")) or "",
        # `raw` is the prompt with the variables of the test.
        prompt=_prompt_name(mapping_of(row.get("prompt")), ("label", "display")),
    )


def _number_tests(
    rows: Sequence[JsonObject], column_numbers: Sequence[int | None]
) -> list[int | None]:
    """Return the number of each row's test; None if nothing identifies the test.

    Rows without a number share a new number if they have the same key, and if their columns have
    the same number of earlier rows with that key.
    """
    assigned: dict[tuple[str, int], int] = {}
    occurrences: defaultdict[tuple[int | None, str], int] = defaultdict(int)
    numbers: list[int | None] = []
    for row, column in zip(rows, column_numbers, strict=True):
        number = count_of(row.get("testIdx"), _MAX_NUMBER)
        if number is None and _is_described(row):
            key = str(row.get("key"))
            occurrence = occurrences[column, key]
            occurrences[column, key] += 1
            number = assigned.setdefault((key, occurrence), _MAX_NUMBER + len(assigned))
        numbers.append(number)
    return numbers


def _is_described(row: JsonObject) -> bool:
    """Return whether the test of a result has variables or a description."""
    description = mapping_of(row.get("testCase")).get("description")
    return bool(row.get("has_vars") or description)


def _drop_repeats(results: Sequence[TestResult], path: Path, log: ImportLog) -> list[TestResult]:
    """Return the last result of each test and column, sorted, and report replaced verdicts."""
    latest: dict[tuple[int, int], TestResult] = {}
    replaced = 0
    for result in results:
        cell = result.test, result.column
        if cell in latest and latest[cell].success != result.success:
            replaced += 1
        latest[cell] = result
    if replaced:
        count = counted(replaced, "result")
        message = f"{count} of {log.name(path)}, replaced by a later result of the same test"
        log.add_with_caveat(LEFT_OUT, path, message, None, message)
    return [latest[cell] for cell in sorted(latest)]


def _prompt_name(prompt: JsonObject, keys: Sequence[str] = ("label", "display", "raw")) -> str:
    """Return the name of a prompt, from its first non-empty field; empty if there is none."""
    for key in keys:
        text = text_of(prompt.get(key), _MAX_PROMPT_LENGTH)
        if text:
            return text
    return ""


def _parse_summary(prompt: JsonObject) -> ColumnSummary | None:
    """Return promptfoo's own figures for a column; None if there are none."""
    metrics = mapping_of(prompt.get("metrics"))
    passed = count_of(metrics.get("testPassCount"))
    failed = count_of(metrics.get("testFailCount"))
    if passed is None or failed is None:
        return None
    total = passed + failed + (count_of(metrics.get("testErrorCount")) or 0)
    if not total:
        return None
    counts_by_name = mapping_of(metrics.get("namedScoresCount"))
    means = {}
    for name, value in mapping_of(metrics.get("namedScores")).items():
        score_sum = figure_of(value)
        count = count_of(counts_by_name.get(name))
        if score_sum is not None and count:
            means[name] = score_sum / count
    return ColumnSummary(passed, total, figure_of(metrics.get("score")), means)


def _add_configured_reasoning(file: ResultFile, config: JsonObject) -> None:
    """Set the columns' reasoning from the configuration if it has the same number of providers."""
    settings = configured_reasoning(config)
    providers = _match_providers(file.columns)
    if not providers or len(settings) != max(providers.values()) + 1:
        return
    for number, provider in providers.items():
        if settings[provider]:
            file.reasoning[number] = settings[provider]


def _match_providers(columns: Mapping[int, PromptColumn]) -> dict[int, int]:
    """Return the position of each column's provider in the configuration, by column number.

    The columns of one provider are adjacent and have different prompts.
    """
    positions: dict[int, int] = {}
    position = 0
    prompts: set[str] = set()
    previous: tuple[str, str] | None = None
    for number, column in sorted(columns.items()):
        provider = column.provider, column.label
        if previous not in {None, provider} or column.prompt in prompts:
            position += 1
            prompts.clear()
        prompts.add(column.prompt)
        positions[number] = position
        previous = provider
    return positions
