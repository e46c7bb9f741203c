"""Choose one metric of a table with a row for each metric: accuracy in one row, F1 in the next."""

from collections.abc import Iterator
from itertools import chain

from sitegen.importers.kit.redaction import one_line
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
        UsageError: No row is for the requested metric.
    """
    number = columns.numbers.get("metric")
    if number is None:
        if metric is not None:
            raise UsageError("the table has no column `metric`, from which `--metric` could choose")
        return chunks
    first = next(chunks)
    names = _metric_names(first, number)
    if metric is None:
        if _has_several(first, number, columns):
            message = f"column `{one_line(columns.names[number])}` has several: {listed(names)}"
            raise table.error(rules.SCORE_AMBIGUOUS, None, message, _fix(names))
        return chain([first], chunks)
    if metric not in names:
        raise UsageError(f"the table has no metric {metric}; it has: {listed(names)}")
    return (_rows_of(chunk, number, metric) for chunk in chain([first], chunks))


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
