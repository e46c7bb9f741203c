"""Imports a table with a row for each round, which any runner can write."""

import re
from collections import Counter
from pathlib import Path

from sitegen.importers.kit.agents import Entrant, Roster, check_asked_for, is_asked_for
from sitegen.importers.kit.drafts import day_of
from sitegen.importers.kit.options import Format, ImportOptions, Standing
from sitegen.importers.kit.report import Report
from sitegen.importers.kit.rounds import Gaps, Key, Run, Source
from sitegen.importers.kit.tree import Tree
from sitegen.importers.table import rules
from sitegen.importers.table.reported import metric_columns, read_reported
from sitegen.importers.table.rows import Row, read_rows
from sitegen.models.benchmark import Protocol
from sitegen.models.incoming import Incoming
from sitegen.models.record import is_slug
from sitegen.models.task import Case
from sitegen.problems import counted
from sitegen.reading.files import read_head

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
    metrics = metric_columns(file, options.known_metrics)
    if metrics:
        return read_reported(file, options, metrics)
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
    is_table = tree.root.suffix in {".csv", ".jsonl"} and {"task", "attempt"} <= words and {"reward", "passed"} & words
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
