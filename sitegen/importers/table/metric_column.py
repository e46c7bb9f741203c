"""Choose one metric of a table with a row for each metric: accuracy in one row, F1 in the next."""

from collections.abc import Iterator
from itertools import chain

from sitegen.importers.kit.redaction import one_line
from sitegen.importers.kit.rewards import is_error_measure
from sitegen.importers.table import rules
from sitegen.importers.table.columns import ColumnMap
from sitegen.importers.table.tables import Chunk, TableFile
from sitegen.importers.table.values import parse_text
from sitegen.problems import UsageError, listed

_ROUND = ("task", "agent", "model", "scaffold", "reasoning", "provider", "attempt", "round")
"""Meanings of the columns that distinguish rounds."""


def choose_metric(
    table: TableFile, chunks: Iterator[Chunk], columns: ColumnMap, metric: str | None
) -> Iterator[Chunk]:
    """Return the rows of one metric, if a column names the metric of each row.

    Args:
        table: The file, for messages.
        chunks: All rows.
        columns: The meanings of the columns.
        metric: The value of `--metric`; None without the option.

    Raises:
        ProblemsError: The same round has rows for several metrics, and no metric is requested.
        UsageError: No row contains the requested metric.
    """
    number = columns.numbers.get("metric")
    if number is None:
        if metric is not None:
            raise UsageError("the table has no column `metric`, from which `--metric` could choose")
        return chunks
    first = next(chunks)
    names = _metric_names(first, number)
    if metric is None:
        column = one_line(columns.names[number])
        if _has_several(first, number, columns):
            message = f"column `{column}` names several metrics: {listed(names)}"
            raise table.error(rules.SCORE_AMBIGUOUS, None, message, _fix(names))
        error_measures = listed(filter(is_error_measure, names))
        if error_measures:
            message = f"column `{column}` names {error_measures}, for which lower values are better"
            raise table.error(rules.ERROR_MEASURE, None, message)
        return chain([first], chunks)
    if metric not in names:
        raise UsageError(f"the table has no metric {metric}; it has: {listed(names)}")
    note_error_measure(table, metric)
    return (_rows_of(chunk, number, metric) for chunk in chain([first], chunks))


def note_error_measure(table: TableFile, name: str) -> None:
    """Note the assumption that higher is better, for a requested reward named like an error."""
    if is_error_measure(name):
        shown = f"`{one_line(name)}`"
        fact = f"higher values of {shown} are better, although its name is that of an error measure"
        table.assumptions.append(fact)


def _fix(names: list[str]) -> str:
    """Return the fix that explains how to choose a metric."""
    return f"name the metric that counts, for example `--metric {names[0]}`"


def _metric_names(chunk: Chunk, number: int) -> list[str]:
    """Return the distinct metrics in a column."""
    texts = map(parse_text, chunk.columns[number])
    return list(dict.fromkeys(one_line(text) for text in texts if isinstance(text, str)))


def _has_several(chunk: Chunk, number: int, columns: ColumnMap) -> bool:
    """Return whether the same round has rows for several metrics."""
    numbers = [columns.numbers[meaning] for meaning in _ROUND if meaning in columns.numbers]
    metrics: dict[str, object] = {}
    for row, metric in enumerate(chunk.columns[number]):
        place = repr([chunk.columns[number][row] for number in numbers])
        if metrics.setdefault(place, metric) != metric:
            return True
    return False


def _rows_of(chunk: Chunk, number: int, metric: str) -> Chunk:
    """Return the rows of a chunk for a metric."""
    texts = map(parse_text, chunk.columns[number])
    return chunk.keep([isinstance(text, str) and one_line(text) == metric for text in texts])
