"""Read published tables: a row for each agent, with metrics of the benchmark in the columns."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import date
from decimal import Decimal

from pydantic import ValidationError

from sitegen.importers.kit.agents import repeated
from sitegen.importers.kit.claims import reported_table
from sitegen.importers.kit.drafts import bundle_names, day_of, title_of
from sitegen.importers.kit.options import ImportOptions
from sitegen.importers.kit.rounds import ImportSource
from sitegen.importers.kit.rules import SCALE_UNSTATED
from sitegen.importers.table import rules
from sitegen.importers.table.cells import CellReader
from sitegen.importers.table.columns import (
    AGENT_MEANINGS,
    AskedColumns,
    ColumnMap,
    find_column,
)
from sitegen.importers.table.summaries import is_summary
from sitegen.importers.table.tables import Chunk
from sitegen.importers.table.values import (
    Cell,
    NumberStyle,
    is_missing,
    parse_decimal,
    parse_text,
    quote_value,
)
from sitegen.models.incoming import Incoming
from sitegen.models.reported import ReportedRow, ReportedValue
from sitegen.models.submission import Agent
from sitegen.problems import UsageError, counted, listed

_AGENT_FIELDS = frozenset(AGENT_MEANINGS) - {"provider"}
"""Columns that become fields of `Agent`."""


def find_metric_columns(
    columns: ColumnMap, asked: AskedColumns, known_metrics: Collection[str]
) -> dict[str, int]:
    """Return the columns of metrics by id; empty if the rows are about tasks or rounds.

    Raises:
        UsageError: The user names a metric, but the rows are about tasks or rounds.
    """
    meanings = columns.numbers.keys()
    has_agents = not meanings.isdisjoint({"agent", "model"})
    has_rounds = not meanings.isdisjoint({"task", "attempt", "round"})
    if not has_agents or has_rounds:
        if asked.metrics:
            metrics = listed([f"`{metric}`" for metric in asked.metrics])
            message = (
                f"--column names {metrics}, the score of an agent, but the rows are not agents"
            )
            raise UsageError(f"{message}: the table has columns for {listed(meanings)}")
        return {}
    numbers = {name: number for number, name in enumerate(columns.names) if name in known_metrics}
    for metric, name in asked.metrics.items():
        numbers[metric] = find_column(columns.names, name)
    return numbers


def read_reported(
    reader: CellReader, chunks: Iterable[Chunk], metrics: Mapping[str, int], options: ImportOptions
) -> Incoming:
    """Read a table with a row for each agent as a published table of the track.

    Args:
        reader: Reads the cells, and reports faults.
        chunks: The rows of the table.
        metrics: The columns of the metrics, by their ids.
        options: Contains the table's track and publication date.

    Raises:
        ProblemsError: The table can't be used.
    """
    log = reader.log
    agents: list[Agent] = []
    values: list[dict[str, ReportedValue]] = []
    are_percent: defaultdict[str, set[bool]] = defaultdict(set)
    for chunk in chunks:
        for row, line in enumerate(chunk.lines):
            agent = _agent(reader, chunk, row, options)
            figures = _figures(reader, chunk, row, metrics)
            for metric, column in metrics.items():
                cell = chunk.columns[column][row]
                if not is_missing(cell):
                    are_percent[metric].add(str(cell).rstrip().endswith("%"))
            if agent is not None and figures is not None:
                agents.append(agent)
                values.append(figures)
            if agent is not None and is_summary(agent.name):
                message = f"the agent is called {agent.name}, like a summary of other rows"
                reader.add_fault(rules.SUMMARY, line, message)
    _report_columns(reader, metrics)
    log.stop_at_errors()
    for metric in metrics:
        if are_percent[metric] == {True, False}:
            message = f"some values of `{metric}` have a percent sign, but others do not"
            log.add(rules.VALUE, log.root, message)
        scale = 100.0 if are_percent[metric] == {True} else options.scale
        _rescale(reader, metric, values, options, scale)
    log.stop_at_errors()
    if not agents:
        log.stop_at_nothing(rules.EMPTY, f"{log.root.name} has no row")
    folder_name = log.root.resolve().parent.name
    day = day_of(log, options, "a name", log.root.name, folder_name)
    rows = _reported_rows(reader, agents, values, day)
    table = reported_table(title_of(log.root.stem), log.root.name, day, rows, options.track)
    log.notes.append(f"read {counted(len(rows), 'row')}, as figures without raw data")
    protocol = options.existing_track.protocol if options.existing_track else "once"
    reported = [(f"{day}-{options.track}", table)]
    source = ImportSource(log, protocol=protocol, columns=list(metrics), reported=reported)
    return source.imported(options)


def _agent(reader: CellReader, chunk: Chunk, row: int, options: ImportOptions) -> Agent | None:
    """Return the agent of a row; log a fault and return None if the agent can't be used."""
    facts: dict[str, str] = {}
    for meaning, number in reader.columns.numbers.items():
        if meaning not in _AGENT_FIELDS:
            continue
        text = parse_text(chunk.columns[number][row])
        if isinstance(text, str):
            facts[meaning] = text
    name = facts.pop("agent", None) or facts.pop("model", None)
    if name is None:
        reader.add_fault(rules.VALUE, chunk.lines[row], "`agent` is empty")
        return None
    try:
        return Agent(name=options.aliases.get(name, name), **facts)
    except ValidationError:
        reader.add_fault(
            rules.VALUE, chunk.lines[row], f"the agent {quote_value(name)} can't be shown"
        )
        return None


def _figures(
    reader: CellReader, chunk: Chunk, row: int, metrics: Mapping[str, int]
) -> dict[str, ReportedValue] | None:
    """Return a row's figures by metric; log a fault and return None if a figure can't be used."""
    figures = {}
    for metric, column in metrics.items():
        cell = chunk.columns[column][row]
        if is_missing(cell):
            continue
        number = _exact_decimal(cell, reader.style)
        if number is None:
            message = f"`{metric}` is {quote_value(cell)}, which is not a number"
            reader.add_fault(rules.VALUE, chunk.lines[row], message)
            return None
        try:
            figures[metric] = ReportedValue(value=number)
        except ValidationError:
            message = f"`{metric}` is {quote_value(cell)}, which is too large"
            reader.add_fault(rules.VALUE, chunk.lines[row], message)
            return None
    return figures


def _exact_decimal(cell: Cell, style: NumberStyle) -> Decimal | None:
    """Return a number with its decimals as published; None for any other cell.

    A percent sign, and an uncertainty after "±", are ignored.
    """
    if isinstance(cell, str):
        text = cell.strip().removesuffix("%").partition("±")[0]
        return parse_decimal(text.strip().removesuffix("%"), style)
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        return parse_decimal(repr(cell), NumberStyle())
    return None


def _rescale(
    reader: CellReader,
    metric: str,
    values: list[dict[str, ReportedValue]],
    options: ImportOptions,
    scale: float | None,
) -> None:
    """Convert the values of a metric to its scale; report an error if their own scale is unclear.

    Shares may be published from 0 to 1 or in percent, so values up to 1 are ambiguous for a metric
    in percent.

    Args:
        reader: Reads the cells, and reports faults.
        metric: The id of the metric.
        values: The figures of each row; changed in place.
        options: Contains the largest values of the metrics.
        scale: The largest possible value in the table; None if it is not stated.
    """
    metrics = options.known_metrics
    highest = metrics[metric].highest if isinstance(metrics, Mapping) else None
    numbers = [figures[metric].value for figures in values if metric in figures]
    if highest is None or not numbers:
        return
    largest = max(numbers)
    if scale is not None:
        factor = Decimal(repr(highest)) / Decimal(repr(scale))
        for figures in values:
            if metric in figures:
                figures[metric] = ReportedValue(value=(figures[metric].value * factor).normalize())
    elif largest > highest or (highest > 1 and 0 < largest <= 1):
        metric_range = f"this metric goes from 0 to {highest:g}"
        message = f"column `{metric}` has values up to {largest}, but {metric_range}"
        example = "for example `--scale 1` or `--scale 100`"
        fix = f"state the largest possible value of the table, {example}"
        problem = SCALE_UNSTATED.broken(reader.log.root, None, message, fix)
        reader.log.problems.append(problem)


def _report_columns(reader: CellReader, metrics: Mapping[str, int]) -> None:
    """Report columns that are not metrics, and metrics with two columns."""
    columns = reader.columns
    log = reader.log
    used = {*metrics.values(), *columns.index, *columns.ignored}
    used |= {number for meaning, number in columns.numbers.items() if meaning in AGENT_MEANINGS}
    unknown = [name for number, name in enumerate(columns.names) if number not in used]
    if unknown:
        reason = (
            "left out columns that are neither metrics of the benchmark nor facts about an agent"
        )
        log.add(rules.COLUMN_UNKNOWN, log.root, f"{reason}: {listed(unknown)}")
    repeated_metrics = repeated(name for name in columns.names if name in metrics)
    if repeated_metrics:
        message = f"columns occur twice: {', '.join(repeated_metrics)}"
        log.add(rules.COLUMN_TWICE, log.root, message)


def _reported_rows(
    reader: CellReader, agents: list[Agent], values: list[dict[str, ReportedValue]], day: date
) -> list[ReportedRow]:
    """Return the rows of the published table.

    Raises:
        ProblemsError: Several rows are about the same agent.
    """
    log = reader.log
    ids = bundle_names([(day, agent) for agent in agents])
    repeated_ids = repeated(ids)
    if repeated_ids:
        log.add(rules.ROW_TWICE, log.root, f"several rows are for {', '.join(repeated_ids)}")
    log.stop_at_errors()
    rows = []
    for bundle_id, agent, figures in zip(ids, agents, values, strict=True):
        row_id = bundle_id.removeprefix(f"{day}-")
        rows.append(ReportedRow(id=row_id, values=figures, **agent.model_dump()))
    return rows
