"""Imports a table with a row for each round, which any runner can write, or one with a row for each agent."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal, InvalidOperation
from itertools import islice
from pathlib import Path

from pydantic import ValidationError

from sitegen.importers.kit.agents import Entrant, Roster, check_asked_for, is_asked_for, repeated
from sitegen.importers.kit.claims import reported_table
from sitegen.importers.kit.drafts import bundle_names, day_of, title_of
from sitegen.importers.kit.options import Format, ImportOptions, Standing
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.rounds import Gaps, Key, Run, Source
from sitegen.importers.kit.tree import Tree
from sitegen.importers.table import rules
from sitegen.importers.table.rows import COLUMNS, OF_AGENTS, REQUIRED, Row, read_rows
from sitegen.models.benchmark import Protocol
from sitegen.models.incoming import Incoming
from sitegen.models.record import is_slug
from sitegen.models.reported import ReportedRow, ReportedValue
from sitegen.models.submission import Agent
from sitegen.models.task import Case
from sitegen.problems import counted
from sitegen.reading.files import read_head
from sitegen.reading.lines import TextLines

MOST_ROUNDS = 300_000
"""Rounds that are filled in at all."""

_HEAD = 64 * 1024
"""Bytes of a table that are looked at to tell that it is one."""

_GAPS = Gaps(rules.RUN_MISSING, rules.RUN_UNREACHED, rules.ROUND_MISSING, rules.ROUNDS_UNREACHED)


def read_table(file: Path, options: ImportOptions, protocol: Protocol | None = None) -> Incoming:
    """Read a table with a row for each round of each run.

    Every agent becomes a bundle. The tasks are those of the table, each with as many rounds as the track has for it, or
    the run that got furthest. Rounds at the end of a run that have no row are unreached; other rounds must have one.
    Where no protocol is named, it is that of the track, or a chain.
    A CSV file with a row for each agent, and metrics in its columns, is a published table.
    """
    metrics = _metric_columns(file, options.known_metrics)
    if metrics is not None:
        return _reported(file, options, metrics)
    report, standing = Report(file), options.standing or Standing("chain")
    source = Source(report, protocol=protocol or standing.protocol, gaps=_GAPS, twice=rules.AGENT_TWICE)
    taking = _Taking(source, options)
    for row in read_rows(file, report):
        taking.take(row)
    source.runs += taking.runs.values()
    source.has_ids = all(is_slug(task) for run in source.runs for task, *_ in run.results)
    check_asked_for(dict.fromkeys(run.entrant.name for run in source.runs), taking.models, options)
    report.stop_at_errors()
    if not source.runs:
        report.stop_at_nothing(rules.EMPTY, f"{file.name} has no row")
    expected = sum(source.lengths(options).values()) * sum(run.attempts for run in source.runs)
    if expected > MOST_ROUNDS:
        what = f"all rounds of all attempts would be {expected:,}, and at most {MOST_ROUNDS:,} are read"
        report.add(rules.LARGE, file, what)
    day = day_of(report, options, "a name", file.name, file.resolve().parent.name)
    for run in source.runs:
        run.day = day
    report.notes.append(f"{counted(taking.rows[True], 'row')} read, of {counted(len(source.runs), 'agent')}")
    if taking.rows[False]:
        report.notes.append(f"{counted(taking.rows[False], 'row')} passed over: they are of other models")
    return source.imported(options)


def recognise(tree: Tree) -> str | None:
    """What tells of a table: the columns that each has, in its first line."""
    head = (read_head(tree.root, _HEAD) or b"").split(b"\n", 1)[0]
    words = {word.decode(errors="replace") for word in re.findall(rb"\w+", head)}
    is_table = tree.root.suffix in {".csv", ".jsonl"} and "task" in words and {"reward", "passed"} & words
    return "a first line with the columns of a table of rounds" if is_table else None


FORMAT = Format(read_table, "main", extras=frozenset({"protocol"}), is_file=True, recognise=recognise)


class _Taking:
    """Sorts rows by their agent, and holds them against those above."""

    def __init__(self, source: Source, options: ImportOptions) -> None:
        self.source, self.options = source, options
        self.roster = Roster.of((), {}, options.aliases)
        self.runs: dict[Entrant, Run] = {}
        self.models: set[str] = set()
        self.rows = Counter[bool]()
        """How many are taken, and how many passed over."""
        self.lines: dict[tuple[Entrant, Key], int] = {}

    def take(self, row: Row) -> None:
        """Take a row; the weight and the cases of a round are those of the first row that tells them."""
        beside, result, report = row.beside, row.result, self.source.report
        self.models |= set(beside.models)
        name = next(filter(None, (*beside.models, self.options.agent)), None)
        if name is None:
            what = "neither the row nor `--agent` names the agent"
            report.add(rules.AGENT_MISSING, report.root, what, row.line, "")
            return
        is_taken = is_asked_for(beside.models, self.options)
        self.rows[is_taken] += 1
        if not is_taken:
            return
        entrant = Entrant(self.roster.one_name(name), beside.scaffold or "", beside.reasoning or "")
        run = self.runs.setdefault(entrant, Run(report.root, entrant))
        for fact in ("organization", "model", "scaffold_version"):
            value = getattr(beside, fact)
            if value is not None and run.facts.setdefault(fact, value) != value:
                what = f"`{fact}` of {entrant.name} is {value!r} here, and {run.facts[fact]!r} above"
                report.add(rules.AGENT_DIFFERS, report.root, what, row.line, fact)
        key = result.task, result.attempt, result.round, result.start
        first = self.lines.setdefault((entrant, key), row.line)
        if not run.add(result):
            where = f"round {result.round} of {result.task}, attempt {result.attempt}"
            report.add(rules.ROW_TWICE, report.root, f"{where}, stands in line {first} already", row.line, "")
        if beside.title is not None and self.source.titles.setdefault(result.task, beside.title) != beside.title:
            what = f"the title of {result.task} is {beside.title!r} here, and {self.source.titles[result.task]!r} above"
            report.add(rules.TITLE_DIFFERS, report.root, what, row.line, "")
        place, weights = (result.task, result.round), self.source.weights
        if beside.weight is not None and weights.setdefault(place, beside.weight) != beside.weight:
            what = f"round {place[1]} of {place[0]} weighs {beside.weight:g} here, and {weights[place]:g} above"
            report.add(rules.WEIGHT_DIFFERS, report.root, what, row.line, "")
        if result.case_ids:
            self.source.cases.setdefault(place, tuple(map(Case, result.case_ids)))


def _metric_columns(file: Path, known: Collection[str]) -> list[str] | None:
    """The metrics that a CSV file with a row for each agent has columns of; None where it has a row for each round."""
    if file.suffix.lower() != ".csv" or not file.is_file():
        return None
    header = [name.strip() for _, cells in islice(TextLines(file).rows(rules.SYNTAX), 1) for name in cells]
    figures = [name for name in header if name not in OF_AGENTS]
    metrics = [name for name in figures if name in known]
    of_rounds = {*REQUIRED, "attempt", "round"} if metrics else COLUMNS.keys()
    return metrics if figures and "agent" in header and of_rounds.isdisjoint(figures) else None


def _reported(file: Path, options: ImportOptions, metrics: Sequence[str]) -> Incoming:
    """Read a row for each agent as a published table of the track."""
    report, lines = Report(file), TextLines(file)
    agents: list[Agent] = []
    values: list[dict[str, ReportedValue]] = []
    for line, cells in list(_rows(lines, {*OF_AGENTS, *metrics}, report)):
        try:
            facts = {"name" if key == "agent" else key: cells[key] for key in OF_AGENTS if cells.get(key)}
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
