"""Reads a table with a row for each agent, whose columns are metrics, as a published table without raw data."""

from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal, InvalidOperation
from itertools import islice
from pathlib import Path

from pydantic import ValidationError

from sitegen.importers.kit.agents import repeated
from sitegen.importers.kit.drafts import bundle_names, day_of, title_of
from sitegen.importers.kit.options import ImportOptions, Standing
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.rounds import Source
from sitegen.importers.table import rules
from sitegen.importers.table.rows import REQUIRED
from sitegen.models.incoming import Incoming
from sitegen.models.reported import ReportedRow, ReportedTable, ReportedValue
from sitegen.models.submission import Agent
from sitegen.problems import Problem, ProblemsError, counted
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
    """Read a row for each agent as a published table of the track.

    Raises:
        ProblemsError: The table can't be used as it stands; carries every problem.
    """
    report, lines = Report(file), TextLines(file)
    rows, problems = _rows(lines, {*_OF_AGENTS, *metrics})
    date = day_of(report, options, "a name", file.name, file.resolve().parent.name)
    agents, values = [], []
    for line, cells in rows:
        try:
            facts = {"name" if key == "agent" else key: cells[key] for key in _OF_AGENTS if cells.get(key)}
            agent = Agent.model_validate(facts)
            agents.append(agent.model_copy(update={"name": options.aliases.get(agent.name, agent.name)}))
            figures = {name: Decimal(text) for name in metrics if (text := cells.get(name))}
            values.append({name: ReportedValue(value=value) for name, value in figures.items()})
        except InvalidOperation:
            odd = ", ".join(f"`{name}` is {cells.get(name)!r}" for name in metrics)
            problems.append(rules.VALUE.broken(file, line, f"not each metric is a number or empty: {odd}"))
        except ValidationError:
            problems.append(rules.VALUE.broken(file, line, "`agent` is empty, or a value can't be used"))
    if not (agents or problems):
        problems.append(rules.EMPTY.broken(file, None, f"{file.name} has no row"))
    if problems:
        raise ProblemsError(problems)
    ids = bundle_names([(date, agent) for agent in agents])
    if repeated(ids):
        raise ProblemsError([rules.ROW_TWICE.broken(file, None, f"several rows are of {', '.join(repeated(ids))}")])
    found = zip(ids, agents, values, strict=True)
    told = tuple(
        ReportedRow(id=name.removeprefix(f"{date}-"), values=each, **agent.model_dump()) for name, agent, each in found
    )
    table = ReportedTable(
        schema_version=1, track=options.track, title=title_of(file.stem), source=file.name, date=date, rows=told
    )
    report.notes.append(f"{counted(len(told), 'row')} read, as figures without raw data")
    protocol = (options.standing or Standing("once")).protocol
    source = Source(report, protocol=protocol, columns=metrics, reported=[(f"{date}-{options.track}", table)])
    return source.imported(options)


def _rows(lines: TextLines, known: Collection[str]) -> tuple[list[tuple[int, dict[str, str]]], list[Problem]]:
    """The filled cells of each row by column, with its line; and what of the columns can't be used."""
    rows: Iterator[tuple[int, list[str]]] = lines.rows(rules.SYNTAX)
    header = [name.strip() for _, cells in islice(rows, 1) for name in cells]
    unknown, twice = [name for name in header if name not in known], repeated(header)
    problems = []
    if unknown:
        fix = "declare them as metrics in benchmark.toml, with `reported = true`, or leave them out"
        what = f"neither metrics of the benchmark nor facts of an agent: {', '.join(unknown)}"
        problems.append(rules.COLUMN_UNKNOWN.broken(lines.path, 1, what, fix))
    if twice:
        problems.append(rules.COLUMN_TWICE.broken(lines.path, 1, f"there twice: {', '.join(twice)}"))
    found = []
    for line, cells in rows:
        if len(cells) == len(header):
            found.append((line, {name: cell.strip() for name, cell in zip(header, cells, strict=True) if cell.strip()}))
        else:
            what = f"{len(cells)} cells under {len(header)} columns"
            problems.append(rules.SYNTAX.broken(lines.path, line, what))
    return found, [*problems, *lines.problems]
