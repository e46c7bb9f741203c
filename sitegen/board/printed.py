"""Lines of published tables: which are rows of a board, and which rows stand for the others."""

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from sitegen.board.claims import OneName, same_agent
from sitegen.board.entry import Entry, Line
from sitegen.models.reported import ReportedRow, ReportedTable
from sitegen.models.results import Bundle
from sitegen.models.submission import Agent


class Printed(NamedTuple):
    """A line of a published table that is a row of a board.

    Attributes:
        row: The line.
        table: Its table.
        others: The lines of other tables that it stands for, the latest first.
    """

    row: ReportedRow
    table: ReportedTable
    others: list[Line]


def printed_rows(
    tables: Sequence[ReportedTable], bundles: Sequence[Bundle], headline: str, name_of: OneName
) -> list[Printed]:
    """Give the lines that are rows: of agents without results here, each as the latest table has it.

    A table that does not print the headline takes the place of none that does.

    Args:
        tables: The published tables of a track.
        bundles: The results of the track.
        headline: The metric that ranks.
        name_of: Gives the one name of an agent.
    """
    agents = [bundle.submission.agent for bundle in bundles]
    latest = sorted(tables, key=attrgetter("date"), reverse=True)
    lines = [(row, table) for table in latest for row in table.rows]
    found: list[Printed] = []
    for row, table in sorted(lines, key=lambda line: headline not in line[0].values):
        if any(same_agent(agent, row, name_of) for agent in agents):
            continue
        later = [each for each in found if each.table is not table and same_agent(each.row, row, name_of)]
        if later:
            max(later, key=lambda each: _likeness(each.row, row)).others.append((row, table))
        else:
            found.append(Printed(row, table, []))
    return found


def heirs_of(tables: Sequence[ReportedTable], entries: Sequence[Entry], name_of: OneName) -> Mapping[str, Entry]:
    """Give the rows that stand for lines of published tables which are no rows themselves, by the lines' ids.

    Args:
        tables: The published tables of a track.
        entries: The rows of its board, those that stand first, best first.
        name_of: Gives the one name of an agent.
    """
    heirs = {row.id: entry for entry in entries for row, _ in entry.others}
    submitted = [entry for entry in entries if entry.bundle]
    for row in (row for table in tables for row in table.rows):
        own = [entry for entry in submitted if same_agent(entry.agent, row, name_of)]
        if own:
            heirs[row.id] = max(own, key=lambda entry: (entry.is_ranked, _likeness(entry.agent, row)))
    return {name: heir for name, heir in heirs.items() if all(entry.id != name for entry in entries)}


def _likeness(one: Agent, other: Agent) -> int:
    """Count the settings that two agree in."""
    pairs = ((one.scaffold, other.scaffold), (one.reasoning, other.reasoning))
    return sum((ours or "").casefold() == (theirs or "").casefold() for ours, theirs in pairs)
