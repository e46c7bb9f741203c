"""Imports a table with a row for each round, which any runner can write."""

import re
from collections.abc import Iterator, Sequence
from datetime import date as Date  # noqa: N812 - the option is called date
from pathlib import Path

from sitegen.importers.kit import rules as kit_rules
from sitegen.importers.kit.agents import repeated
from sitegen.importers.kit.claims import published_about
from sitegen.importers.kit.drafts import bundle_names
from sitegen.importers.kit.options import ImportOptions, Standing
from sitegen.importers.table import rules
from sitegen.importers.table.agents import Sorter
from sitegen.importers.table.definition import benchmark_of, task_set_of
from sitegen.importers.table.drafts import Press
from sitegen.importers.table.faults import Faults
from sitegen.importers.table.gathering import Grid, Group
from sitegen.importers.table.reading import TableReader
from sitegen.importers.table.records import read_records
from sitegen.models.benchmark import Protocol
from sitegen.models.incoming import Draft, Incoming
from sitegen.problems import Problem, ProblemsError, counted, errors_of

_DATED = re.compile(r"\d{4}-\d{2}-\d{2}(?!\d)")


def read_table(file: Path, options: ImportOptions, protocol: Protocol | None = None) -> Incoming:
    """Read a table with a row for each round of each run.

    Every agent becomes a bundle. The tasks are those of the table, each with as many rounds as the track has for it, or
    the run that got furthest. Rounds at the end of a run that have no row are unreached; other rounds must have one.

    Args:
        file: CSV with a line of column names, or JSON Lines.
        options: Where the results go, and what the table does not tell of the agents.
        protocol: How rounds follow each other; None for as they do on the track, or in a chain.

    Raises:
        UsageError: No row is of the model that is to be taken, or one name is given to several agents.
        ProblemsError: The table can't be used as it stands; carries every problem, warnings included.
    """
    faults = Faults(file)
    sorter = Sorter(options, faults)
    groups = sorter.groups(read_records(TableReader(file, faults).rows(), faults))
    grid = _grid(groups, options, protocol, faults)
    tasks = task_set_of(grid, groups, options, faults)
    date, problems = _date(file, options)
    doubts = [(kit_rules.DATE_ASSUMED, "")] if problems else ()
    names = bundle_names([(date, group.agent) for group in groups])
    stated, claim_problems = published_about([group.agent.name for group in groups], options)
    problems += [*faults.problems(), *_namesakes(file, names), *claim_problems, *grid.problems(groups, faults)]
    _stop_at_errors(problems)
    benchmark = benchmark_of(grid, groups, options)
    press = Press(grid, tasks, date, benchmark.tracks[0].attempts, doubts)
    by_name = zip(names, groups, strict=True)
    drafts = tuple(press.draft(name, group, stated.get(group.agent.name)) for name, group in by_name)
    notes = tuple(_notes(sum(group.size for group in groups), drafts, sorter.left_out))
    return Incoming(benchmark, (tasks,), drafts, problems=tuple(problems), notes=notes)


def _grid(groups: Sequence[Group], options: ImportOptions, protocol: Protocol | None, faults: Faults) -> Grid:
    """Tell which rounds a table is expected to tell of.

    Raises:
        ProblemsError: There is no row, some can't be used, or they ask for too many rounds.
    """
    _stop_at_errors(list(faults.problems()))
    if not groups:
        raise ProblemsError([rules.EMPTY.broken(faults.path, None, f"{faults.path.name} has no row")])
    track = options.standing or Standing("chain")
    grid = Grid.of(groups, protocol or track.protocol, track.lengths, allow_missing=options.allow_missing)
    _stop_at_errors(list(grid.size_problems(groups, faults)))
    return grid


def _stop_at_errors(problems: Sequence[Problem]) -> None:
    """Go no further where something is wrong.

    Raises:
        ProblemsError: Something is.
    """
    if errors_of(problems):
        raise ProblemsError(problems)


def _date(file: Path, options: ImportOptions) -> tuple[Date, list[Problem]]:
    """Find the day of the results: as stated, as the table's name or its folder's has it, or today."""
    if options.date:
        return options.date, []
    for name in (file.name, file.resolve().parent.name):
        found = _DATED.match(name)
        try:
            return Date.fromisoformat(found[0] if found else ""), []
        except ValueError:
            continue
    what = f"neither `--date` nor a name tells the date of the results: taken as {options.today}"
    return options.today, [kit_rules.DATE_ASSUMED.broken(file, None, what)]


def _namesakes(file: Path, names: Sequence[str]) -> Iterator[Problem]:
    for name in repeated(names):
        yield rules.AGENT_TWICE.broken(file, None, f"{names.count(name)} agents would be bundle {name}")


def _notes(rows: int, drafts: Sequence[Draft], left_out: int) -> Iterator[str]:
    """Say what was found and what was passed over."""
    yield f"{counted(rows, 'row')} read, of {counted(len(drafts), 'agent')}"
    if left_out:
        yield f"{counted(left_out, 'row')} passed over: they are of other models"
    for draft in drafts:
        unreached = sum(result.state == "unreached" for result in draft.rounds)
        yield f"{draft.id}: {counted(len(draft.rounds), 'round')}, {unreached} of them unreached"
