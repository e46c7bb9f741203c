"""Imports a table with a row for each round, which any runner can write."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from sitegen.importers.kit.agents import Entrant, Roster, is_asked_for
from sitegen.importers.kit.claims import as_said, published_about
from sitegen.importers.kit.drafts import bundle_names, day_of, finished, namesakes, title_of
from sitegen.importers.kit.options import Format, ImportOptions, Standing
from sitegen.importers.kit.report import Doubt, Report, caveats_of, stop_at_errors
from sitegen.importers.kit.tree import Tree
from sitegen.importers.table import rules
from sitegen.importers.table.reported import metric_columns, read_reported
from sitegen.importers.table.rows import REQUIRED, Faults, Row, read_rows
from sitegen.metrics.catalogue import COLUMNS
from sitegen.models.benchmark import Benchmark, Protocol, Track
from sitegen.models.incoming import Draft, Incoming
from sitegen.models.outcome import RoundResult, Start
from sitegen.models.submission import Agent, Submission
from sitegen.models.task import Case, Task, TaskRound, TaskSet
from sitegen.problems import ProblemsError, Rule, UsageError, counted, listed
from sitegen.reading.files import read_head

MOST_ROUNDS = 300_000
"""Rounds that are filled in at all."""

_HEAD = 64 * 1024
"""Bytes of a table that are looked at to tell that it is one."""

_SHOWN = 5
"""Runs named of those that a problem concerns."""

_WITHOUT_ROW: Mapping[Rule, str] = {
    rules.RUN_MISSING: "no row tells of {}",
    rules.RUN_UNREACHED: "no row tells of {}: recorded as unreached",
    rules.ROUND_MISSING: "no row tells of {}, though rows tell of other rounds",
    rules.ROUNDS_UNREACHED: "no row tells of {}: recorded as unreached",
}
"""Rules about rounds without a row, with what is said of them."""


def read_table(file: Path, options: ImportOptions, protocol: Protocol | None = None) -> Incoming:
    """Read a table with a row for each round of each run.

    Every agent becomes a bundle. The tasks are those of the table, each with as many rounds as the track has for it, or
    the run that got furthest. Rounds at the end of a run that have no row are unreached; other rounds must have one.
    Where no protocol is named, it is that of the track, or a chain.
    A CSV file with a row for each agent, and metrics in its columns, is a published table.

    Raises:
        UsageError: No row is of the model that is to be taken, or one name is given to several agents.
        ProblemsError: The table can't be used as it stands; carries every problem, warnings included.
    """
    metrics = metric_columns(file, options.known_metrics)
    if metrics:
        return read_reported(file, options, metrics)
    report, faults = Report(file), Faults(file)
    groups, left_out = _groups(read_rows(file, faults), options, faults)
    stop_at_errors(list(faults.problems()))
    if not groups:
        raise ProblemsError([rules.EMPTY.broken(file, None, f"{file.name} has no row")])
    grid = Grid.of(groups, options, protocol)
    expected = sum(grid.lengths.values()) * sum(group.attempts for group in groups)
    if expected > MOST_ROUNDS:
        what = f"all rounds of all attempts would be {expected:,}, and at most {MOST_ROUNDS:,} are read"
        raise ProblemsError([rules.LARGE.broken(file, None, what)])
    tasks = grid.task_set(groups, options.track, faults)
    date = day_of(report, options, "a name", file.name, file.resolve().parent.name)
    agents = [group.agent.name for group in groups]
    names = bundle_names([(date, group.agent) for group in groups])
    stated = report.take(published_about(agents, options))
    report.problems += [*faults.problems(), *namesakes(rules.AGENT_TWICE, file, names, agents)]
    for name, group in zip(names, groups, strict=True):
        for rule, places in grid.doubts(group):
            report.add(rule, file, f"{group.agent.name}: {_WITHOUT_ROW[rule].format(places)}", name, places)
    stop_at_errors(report.problems)
    benchmark = grid.benchmark(groups, options)
    drafts = []
    for name, group in zip(names, groups, strict=True):
        submission = Submission(
            schema_version=1,
            track=options.track,
            date=date,
            attempts=group.attempts if group.attempts != benchmark.tracks[0].attempts else None,
            caveats=caveats_of((*report.told[file], *report.told[name])),
            agent=group.agent,
        )
        draft = Draft(name, submission, grid.results(group, tasks))
        drafts.append(finished(draft, stated.get(group.agent.name)))
    report.notes.append(
        f"{counted(sum(len(group.rows) for group in groups), 'row')} read, of {counted(len(drafts), 'agent')}"
    )
    if left_out:
        report.notes.append(f"{counted(left_out, 'row')} passed over: they are of other models")
    for draft in drafts:
        unreached = sum(result.state == "unreached" for result in draft.rounds)
        report.notes.append(f"{draft.id}: {counted(len(draft.rounds), 'round')}, {unreached} of them unreached")
    return Incoming(benchmark, (tasks,), tuple(drafts), problems=tuple(report.problems), notes=tuple(report.notes))


def recognise(tree: Tree) -> str | None:
    """What tells of a table: the columns that each has, in its first line."""
    head = (read_head(tree.root, _HEAD) or b"").split(b"\n", 1)[0]
    words = {word.decode(errors="replace") for word in re.findall(rb"\w+", head)}
    is_table = tree.root.suffix in {".csv", ".jsonl"} and words.issuperset(REQUIRED)
    return "a first line with the columns of a table of rounds" if is_table else None


FORMAT = Format(read_table, "main", extras=frozenset({"protocol"}), is_file=True, recognise=recognise)


class Run(NamedTuple):
    """One attempt at one task, from one of the states that rounds start from."""

    task: str
    attempt: int
    start: Start

    def __str__(self) -> str:
        return f"attempt {self.attempt}" if self.start == "own" else "from the reference state"


@dataclass(frozen=True, slots=True)
class Group:
    """The rows about one agent."""

    agent: Agent
    runs: Mapping[Run, Mapping[int, Row]]

    @property
    def attempts(self) -> int:
        """The largest number of an attempt."""
        return max(run.attempt for run in self.runs)

    @property
    def rows(self) -> list[Row]:
        """Every row."""
        return [row for rounds in self.runs.values() for row in rounds.values()]


def _groups(rows: Iterable[Row], options: ImportOptions, faults: Faults) -> tuple[list[Group], int]:
    """Sort rows by the agent that they are about, in the order of the table; and count those of other models.

    Raises:
        UsageError: No row is of the model that is to be taken, or one name is given to several agents.
    """
    roster = Roster.of((), {}, options.aliases)
    facts: dict[Entrant, dict[str, str]] = {}
    runs: dict[Entrant, dict[Run, dict[int, Row]]] = {}
    models: set[str] = set()
    left_out = 0
    for row in rows:
        beside, result = row.beside, row.result
        models |= set(beside.models)
        name = next(filter(None, (*beside.models, options.agent)), None)
        if name is None:
            faults.add(rules.AGENT_MISSING, "", row.line, "neither the row nor `--agent` names the agent")
            continue
        if not is_asked_for(beside.models, options):
            left_out += 1
            continue
        entrant = Entrant(roster.one_name(name), beside.scaffold or "", beside.reasoning or "")
        known = facts.setdefault(entrant, {})
        for fact in ("organization", "model", "scaffold_version"):
            value = getattr(beside, fact)
            if value is not None and known.setdefault(fact, value) != value:
                what = f"`{fact}` of {entrant.name} is {value!r} here, and {known[fact]!r} above"
                faults.add(rules.AGENT_DIFFERS, fact, row.line, what)
        run = Run(result.task, result.attempt, result.start)
        first = runs.setdefault(entrant, {}).setdefault(run, {}).setdefault(result.round, row)
        if first is not row:
            where = f"round {result.round} of {result.task}, attempt {result.attempt}"
            faults.add(rules.ROW_TWICE, "", row.line, f"{where}, stands in line {first.line} already")
    listed = ", ".join(sorted(models)) or "none that the table names"
    if left_out and not runs:
        raise UsageError(f"the table has no rows of model {options.model}; there are: {listed}")
    if options.agent and len({entrant.name for entrant in runs}) > 1:
        raise UsageError(f"--agent names one agent, and there are several: choose one with --model: {listed}")
    groups = []
    for entrant, own in runs.items():
        agent = entrant.agent(*map(facts[entrant].get, ("organization", "model", "scaffold_version")))
        groups.append(Group(as_said(agent, options), own))
    return groups, left_out


@dataclass(frozen=True, slots=True)
class Grid:
    """The rounds that a table is expected to tell of."""

    lengths: Mapping[str, int]
    """Rounds by task, in the order of the table: as many as are known, or as the run that got furthest has."""
    has_reference: bool
    protocol: Protocol
    allow_missing: bool
    """Whether a run without a row is taken for one that never began."""

    @classmethod
    def of(cls, groups: Sequence[Group], options: ImportOptions, protocol: Protocol | None) -> "Grid":
        """Make the grid of all rows together, and of the rounds that tasks are known to have."""
        track = options.standing or Standing("chain")
        results = [row.result for group in groups for row in group.rows]
        lengths: dict[str, int] = {}
        for result in results:
            lengths[result.task] = max(result.round, lengths.get(result.task, track.lengths.get(result.task, 0)))
        has_reference = any(result.start == "reference" for result in results)
        return cls(lengths, has_reference, protocol or track.protocol, options.allow_missing)

    def runs(self, group: Group) -> Iterator[Run]:
        """The runs that an agent is expected to have made."""
        for task in self.lengths:
            yield from (Run(task, attempt, "own") for attempt in range(1, group.attempts + 1))
            if self.has_reference:
                yield Run(task, 1, "reference")

    def doubts(self, group: Group) -> Iterator[Doubt]:
        """Which rounds of an agent the table does not tell of: each rule with the places where it is broken."""
        gaps: dict[Rule, list[str]] = {rule: [] for rule in _WITHOUT_ROW}
        for run in self.runs(group):
            rows = group.runs.get(run)
            if not rows:
                gaps[rules.RUN_UNREACHED if self.allow_missing else rules.RUN_MISSING].append(f"{run.task} ({run})")
                continue
            # Targets, and rounds from the reference state, do not hang together: none of them ends a run.
            end = max(rows) if self.protocol != "once" and run.start == "own" else self.lengths[run.task]
            lacking = [number for number in range(1, self.lengths[run.task] + 1) if number not in rows]
            for rule, numbers in (
                (rules.ROUND_MISSING, [number for number in lacking if number <= end]),
                (rules.ROUNDS_UNREACHED, [number for number in lacking if number > end]),
            ):
                if numbers:
                    gaps[rule].append(f"{run.task} {', '.join(map(str, numbers))} ({run})")
        for rule, places in gaps.items():
            if places:
                yield rule, listed(places, _SHOWN, more=f" and {counted(len(places) - _SHOWN, 'more run')}")

    def results(self, group: Group, tasks: TaskSet) -> tuple[RoundResult, ...]:
        """Every expected round of an agent; one that the table does not tell of is unreached."""
        cases, results = tasks.case_names(), []
        for run in self.runs(group):
            for number in range(1, self.lengths[run.task] + 1):
                row = group.runs.get(run, {}).get(number)
                unreached = RoundResult(run.task, run.attempt, number, "unreached", 0, 0, 0, start=run.start)
                result = row.result if row else unreached
                # Cases are named only where they are not those of the task's list.
                is_known = result.case_ids and result.case_ids == cases.get((run.task, number))
                results.append(replace(result, case_ids=None) if is_known else result)
        return tuple(results)

    def task_set(self, groups: Sequence[Group], track: str, faults: Faults) -> TaskSet:
        """Tasks of rounds 1 to n, with the weights and the cases that rows tell, the cases as the first row does."""
        weights: dict[tuple[str, int], float] = {}
        cases: dict[tuple[str, int], tuple[Case, ...]] = {}
        for row in (row for group in groups for row in group.rows):
            place, weight = (row.result.task, row.result.round), row.beside.weight
            if weight is not None and weights.setdefault(place, weight) != weight:
                what = f"round {place[1]} of {place[0]} weighs {weight:g} here, and {weights[place]:g} above"
                faults.add(rules.WEIGHT_DIFFERS, "", row.line, what)
            if row.result.case_ids and place not in cases:
                cases[place] = tuple(map(Case, row.result.case_ids))
        tasks = []
        for task, length in self.lengths.items():
            places = [(task, number) for number in range(1, length + 1)]
            rounds = (TaskRound(each[1], weight=weights.get(each, 1.0), cases=cases.get(each)) for each in places)
            tasks.append(Task(task, tuple(rounds)))
        return TaskSet(track, tuple(tasks))

    def benchmark(self, groups: Sequence[Group], options: ImportOptions) -> Benchmark:
        """Describe a benchmark of which nothing but its rounds is known, with the columns that they can fill."""
        results = [row.result for group in groups for row in group.rows]
        offered = COLUMNS[self.protocol]
        columns = tuple(metric.id for metric in offered if not metric.needs or any(map(metric.needs, results)))
        return Benchmark(
            schema_version=1,
            id=options.benchmark,
            title=title_of(options.benchmark),
            round_name="Target" if self.protocol == "once" else "Round",
            ordered=self.protocol != "once",
            tracks=(
                Track(
                    id=options.track,
                    title=title_of(options.track),
                    protocol=self.protocol,
                    attempts=max(group.attempts for group in groups),
                    reference_rounds=self.has_reference,
                    tasks=options.track,
                    headline=columns[0],
                    columns=columns,
                ),
            ),
            aliases=dict(options.aliases),
        )
