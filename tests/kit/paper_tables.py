"""The tables from papers in `results/`, as plain figures by row and column."""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TypeAlias

from sitegen.models.benchmark import Benchmark
from sitegen.models.reported import Figure, ReportedRow, ReportedTable
from sitegen.models.results import BenchmarkResults
from sitegen.store.readers.folder import read_results

Line: TypeAlias = Mapping[str, Figure]
"""The figures of a row by column, including splits and standard deviations."""
Lines: TypeAlias = Mapping[str, Line]
"""The figures of a table, by row and column."""


def split(metric: str, axis: str, value: str) -> str:
    """Return the name of the column for a metric on the tasks with one value of an axis."""
    return f"{metric} by {axis}: {value}"


def spread(metric: str) -> str:
    """Return the name of the column for a metric's standard deviation."""
    return f"{metric} ±"


def benchmark_of(benchmark: str) -> Benchmark:
    """Return one of this repository's benchmarks by its id."""
    return _results()[benchmark].benchmark


def table_of(benchmark: str) -> ReportedTable:
    """Return the table from a benchmark's paper."""
    (table,) = (table for table in _results()[benchmark].reported if table.track == "paper")
    return table


def lines_of(benchmark: str) -> Lines:
    """Return the figures of the table from a benchmark's paper."""
    return {row.id: dict(_columns(row)) for row in table_of(benchmark).rows}


@cache
def _results() -> Mapping[str, BenchmarkResults]:
    read = read_results(Path(__file__).parents[2] / "results")
    return {benchmark.benchmark.id: benchmark for benchmark in read.benchmarks}


def _columns(row: ReportedRow) -> Iterator[tuple[str, Figure]]:
    for metric, figure in row.values.items():
        yield metric, Figure(value=figure.value, n=figure.n)
        if figure.sd is not None:
            yield spread(metric), Figure(value=figure.sd)
        for axis, groups in figure.groups.items():
            yield from ((split(metric, axis, value), group_figure) for value, group_figure in groups.items())
