"""Read a benchmark's reported tables, which were published elsewhere, and check their names."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from sitegen.board.agents import is_same_agent
from sitegen.models.benchmark import Benchmark, is_beside_submissions
from sitegen.models.reported import Exhibit, ReportedRow, ReportedTable
from sitegen.models.shared_rules import NAME_TWICE
from sitegen.problems import Problem, Rule, counted, reasons
from sitegen.reading.shape import Location
from sitegen.reading.toml import read_toml
from sitegen.store.checks.document_breaches import (
    TRACK_UNKNOWN,
    Breach,
    breach_problems,
    check_axis,
    check_axis_value,
    check_metric,
    check_name,
)
from sitegen.store.files.layout import (
    NAME_RESERVED,
    is_plain_folder,
)
from sitegen.store.files.readings import Reading

ROW_UNKNOWN = Rule.error(
    "ROW-UNKNOWN",
    "An erratum names a row that its table does not have.",
    "correct the row's id, or add the row",
    unwaivable=reasons.OWN,
)
CELL_UNKNOWN = Rule.error(
    "CELL-UNKNOWN",
    "A row of an exhibit has too few or too many cells, or a note names a cell or column that "
    "does not exist.",
    'name a column and the first cell of a row of the exhibit, and write "" for an empty cell',
    unwaivable=reasons.OWN,
)

RowsById = Mapping[str, Sequence[ReportedRow]]


def read_reported(
    folder: Path, benchmark: Benchmark, submissions: Collection[str]
) -> Reading[tuple[ReportedTable, ...]]:
    """Return every reported table of a benchmark, with the problems in the tables.

    Args:
        folder: The folder of the tables.
        benchmark: The benchmark's definition.
        submissions: Names of the benchmark's submissions, which rows may not use.
    """
    tables: list[ReportedTable] = []
    problems: list[Problem] = []
    earlier_rows: dict[str, dict[str, list[ReportedRow]]] = {}
    if not is_plain_folder(folder):
        return Reading(())
    for path in sorted(folder.glob("*.toml")):
        document = read_toml(path, ReportedTable)
        problems += document.problems
        table = document.record
        if table is None:
            continue
        rows_of_track = earlier_rows.setdefault(table.track, {})
        breaches = [
            *_row_breaches(table, benchmark, submissions, rows_of_track),
            *_erratum_breaches(table, benchmark),
            *_exhibit_breaches(table, benchmark),
        ]
        problems += breach_problems(document, breaches)
        for row in table.rows:
            rows_of_track.setdefault(row.id, []).append(row)
        tables.append(table)
    return Reading(tuple(tables), problems)


def _row_breaches(
    table: ReportedTable,
    benchmark: Benchmark,
    submissions: Collection[str],
    earlier_rows: RowsById,
) -> Iterator[Breach]:
    """Yield breaches for rows that contradict the benchmark or earlier tables of the same track."""
    yield from _check_track(("track",), table.track, benchmark)
    taken_names = set(submissions)
    for index, row in enumerate(table.rows):
        location = ("rows", index)
        is_of_same_agent = partial(is_same_agent, row, name_of=benchmark.agent_name)
        if row.id in taken_names or not all(map(is_of_same_agent, earlier_rows.get(row.id, ()))):
            fact = f"`{row.id}` is already the id of another row or of a bundle"
            yield Breach((*location, "id"), NAME_TWICE, fact)
        if is_beside_submissions(row.id):
            fact = f'"{row.id}" is reserved for an address of the site'
            yield Breach((*location, "id"), NAME_RESERVED, fact)
        taken_names.add(row.id)
        yield from _value_breaches((*location, "values"), row, benchmark)


def _value_breaches(location: Location, row: ReportedRow, benchmark: Benchmark) -> Iterator[Breach]:
    """Yield breaches for metrics, axes and axis values that the benchmark does not have."""
    for metric, figure in row.values.items():
        yield from check_metric((*location, metric), metric, benchmark)
        for name, values in figure.groups.items():
            group_location = (*location, metric, "groups", name)
            yield from check_axis(group_location, name, benchmark)
            axis = benchmark.axes.get(name)
            for value in values:
                yield from check_axis_value((*group_location, value), value, axis)


def _check_track(location: Location, track: str, benchmark: Benchmark) -> Iterator[Breach]:
    track_ids = [track.id for track in benchmark.tracks]
    fact = f"{benchmark.id} has no track `{track}`"
    return check_name(location, TRACK_UNKNOWN, track, track_ids, fact)


def _erratum_breaches(table: ReportedTable, benchmark: Benchmark) -> Iterator[Breach]:
    """Yield breaches for rows, metrics and axes in errata that table or benchmark do not have."""
    row_ids = [row.id for row in table.rows]
    for number, erratum in enumerate(table.errata):
        location = ("errata", number)
        for index, row_id in enumerate(erratum.rows):
            fact = f"the table has no row `{row_id}`"
            key = (*location, "rows", index)
            yield from check_name(key, ROW_UNKNOWN, row_id, row_ids, fact)
        for index, metric in enumerate(erratum.metrics):
            yield from check_metric((*location, "metrics", index), metric, benchmark)
        for index, axis in enumerate(erratum.axes):
            yield from check_axis((*location, "axes", index), axis, benchmark)


def _exhibit_breaches(table: ReportedTable, benchmark: Benchmark) -> Iterator[Breach]:
    """Yield repeated ids of exhibits, and problems with the cells of exhibits."""
    seen_ids: set[str] = set()
    for number, exhibit in enumerate(table.exhibits):
        location = ("exhibits", number)
        if exhibit.id in seen_ids:
            fact = f"two exhibits are called {exhibit.id}"
            yield Breach((*location, "id"), NAME_TWICE, fact)
        seen_ids.add(exhibit.id)
        if exhibit.beside:
            yield from _check_track((*location, "beside"), exhibit.beside, benchmark)
        for row in exhibit.rows:
            if len(row) != len(exhibit.columns):
                cells = counted(len(row), "cell")
                fact = f"a row of {exhibit.id} has {cells} for {len(exhibit.columns)} columns"
                yield Breach((*location, "rows"), CELL_UNKNOWN, fact)
        yield from _cell_breaches(location, exhibit)


def _cell_breaches(location: Location, exhibit: Exhibit) -> Iterator[Breach]:
    """Yield a breach for each column and row that an exhibit mentions but does not have."""
    first_cells = [str(row[0]) for row in exhibit.rows if row]
    names: list[tuple[Location, str, Sequence[str]]] = []
    if exhibit.draw:
        names.append(((*location, "draw"), exhibit.draw, exhibit.columns))
    for index, slip in enumerate(exhibit.slips):
        slip_location = (*location, "slips", index)
        names.append(((*slip_location, "row"), slip.row, first_cells))
        names.append(((*slip_location, "column"), slip.column, exhibit.columns))
    for key, name, valid_names in names:
        fact = f"{exhibit.id} has no `{name}`"
        yield from check_name(key, CELL_UNKNOWN, name, valid_names, fact)
