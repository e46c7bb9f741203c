"""Reads a table with a row for each agent, whose columns are metrics, as a published table without raw data."""

from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal, InvalidOperation
from itertools import islice
from pathlib import Path

from pydantic import ValidationError

from sitegen.importers.kit.agents import repeated
from sitegen.importers.kit.claims import reported_table
from sitegen.importers.kit.drafts import bundle_names, day_of, title_of
from sitegen.importers.kit.options import ImportOptions, Standing
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.rounds import Source
from sitegen.importers.table import rules
from sitegen.importers.table.rows import REQUIRED
from sitegen.models.incoming import Incoming
from sitegen.models.reported import ReportedRow, ReportedValue
from sitegen.models.submission import Agent
from sitegen.problems import counted
from sitegen.reading.lines import TextLines

_OF_AGENTS = ("agent", "organization", "model", "scaffold", "scaffold_version", "reasoning")


def metric_columns(file: Path, known: Collection[str]) -> list[str]:
    """The metrics that a CSV file has columns of; none where it has a row for each round."""
    if file.suffix.lower() != ".csv" or not file.is_file():
        return []
    header = [name.strip() for _, cells in islice(TextLines(file).rows(rules.SYNTAX), 1) for name in cells]
    is_of_rounds = not {*REQUIRED, "attempt", "round"}.isdisjoint(header)
    return [] if is_of_rounds or "agent" not in header else [name for name in header if name in known]


def read_reported(file: Path, options: ImportOptions, metrics: Sequence[str]) -> Incoming:
    """Read a row for each agent as a published table of the track."""
    report, lines = Report(file), TextLines(file)
    agents: list[Agent] = []
    values: list[dict[str, ReportedValue]] = []
    for line, cells in list(_rows(lines, {*_OF_AGENTS, *metrics}, report)):
        try:
            facts = {"name" if key == "agent" else key: cells[key] for key in _OF_AGENTS if cells.get(key)}
            agent = Agent.model_validate(facts)
            agents.append(agent.model_copy(update={"name": options.aliases.get(agent.name, agent.name)}))
            figures = {name: Decimal(text) for name in metrics if (text := cells.get(name))}
            values.append({name: ReportedValue(value=value) for name, value in figures.items()})
        except InvalidOperation:
            odd = ", ".join(f"`{name}` is {cells.get(name)!r}" for name in metrics)
            report.add(rules.VALUE, file, f"not each metric is a number or empty: {odd}", line)
        except ValidationError:
            report.add(rules.VALUE, file, "`agent` is empty, or a value can't be used", line)
    report.problems += lines.problems
    if not (agents or report.problems):
        report.add(rules.EMPTY, file, f"{file.name} has no row")
    report.stop_at_errors()
    date = day_of(report, options, "a name", file.name, file.resolve().parent.name)
    ids = bundle_names([(date, agent) for agent in agents])
    if twice := repeated(ids):
        report.add(rules.ROW_TWICE, file, f"several rows are of {', '.join(twice)}")
    report.stop_at_errors()
    rows = [
        ReportedRow(id=name.removeprefix(f"{date}-"), values=each, **agent.model_dump())
        for name, agent, each in zip(ids, agents, values, strict=True)
    ]
    table = reported_table(title_of(file.stem), file.name, date, rows, options.track)
    report.notes.append(f"{counted(len(rows), 'row')} read, as figures without raw data")
    protocol = (options.standing or Standing("once")).protocol
    source = Source(report, protocol=protocol, columns=metrics, reported=[(f"{date}-{options.track}", table)])
    return source.imported(options)


def _rows(lines: TextLines, known: Collection[str], report: Report) -> Iterator[tuple[int, dict[str, str]]]:
    """The filled cells of each row by column, with its line; what of the columns can't be used is told."""
    rows = lines.rows(rules.SYNTAX)
    header = [name.strip() for _, cells in islice(rows, 1) for name in cells]
    if unknown := [name for name in header if name not in known]:
        fix = "declare them as metrics in benchmark.toml, with `reported = true`, or leave them out"
        what = f"neither metrics of the benchmark nor facts of an agent: {', '.join(unknown)}"
        report.problems.append(rules.COLUMN_UNKNOWN.broken(lines.path, 1, what, fix))
    if twice := repeated(header):
        report.add(rules.COLUMN_TWICE, lines.path, f"there twice: {', '.join(twice)}", 1)
    for line, cells in rows:
        if len(cells) == len(header):
            yield line, {name: cell.strip() for name, cell in zip(header, cells, strict=True) if cell.strip()}
        else:
            report.add(rules.SYNTAX, lines.path, f"{len(cells)} cells under {len(header)} columns", line)
