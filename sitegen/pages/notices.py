"""What a reader of a board should know before trusting it: how sure its order is, and what is only reported."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.errors import counted
from sitegen.models.reported import Erratum, ReportedTable


@dataclass(frozen=True, slots=True)
class ErratumNote:
    """Something that is wrong in a published table, with the anchor that marks lead to."""

    anchor: str
    erratum: Erratum
    agents: Sequence[str]


@dataclass(frozen=True, slots=True)
class SourceNote:
    """What a reader should know about rows that come from a published table, or have figures of it beside their own."""

    count: str
    table: ReportedTable
    errata: Sequence[ErratumNote]


def source_notes(board: Board) -> list[SourceNote]:
    """Name the tables that a board's reported rows are in, with their errata."""
    notes: list[SourceNote] = []
    for table in board.results.reported_on(board.track):
        rows = [entry for entry in board.entries if entry.table is table]
        beside = [entry for entry in board.entries if any(other is table for _, other in entry.others)]
        told = [counted(len(rows), "row")] if rows else []
        told += [f"other figures of {counted(len(beside), 'row')}"] if beside else []
        if told:
            notes.append(SourceNote(" and ".join(told), table, errata_of(table, rows)))
    return notes


def errata_of(table: ReportedTable, rows: Sequence[Entry]) -> list[ErratumNote]:
    """Give a table's errata, each with the agents that it concerns."""
    names = {entry.id: entry.agent.name for entry in rows}
    return [
        ErratumNote(f"erratum-{table.date}-{number}", erratum, _names(erratum, names))
        for number, erratum in enumerate(table.errata, start=1)
    ]


def _names(erratum: Erratum, names: Mapping[str, str]) -> list[str]:
    """Name the agents that an erratum concerns, each once."""
    return list(dict.fromkeys(names[row] for row in erratum.rows if row in names))


def claims_apart(entry: Entry) -> str:
    """Say that what is claimed of a row does not compare with its scores, and why; empty where it does."""
    found = {claim.tasks or 0 for score in entry.claimed for claim in score.incomparable}
    numbers = " and ".join(f"{each:,}" for each in sorted(found) if each)
    over = f": over {numbers} task{'' if numbers == '1' else 's'}" if numbers else ""
    return f"claims not comparable{over}" if found else ""


def shared_claims(board: Board) -> str:
    """Say once that what is claimed of rows compares with none of their scores; empty where that differs by row."""
    claimed = [(entry, score) for entry in board.submissions for score in entry.claimed]
    reasons = {
        (claim.tasks if claim in score.incomparable else None, entry.coverage.scored if entry.coverage else 0)
        for entry, score in claimed
        for claim in score.claims
    }
    rows = {entry.id for entry, _ in claimed}
    if len(reasons) != 1 or len(rows) == 1:
        return ""
    ((tasks, scored),) = reasons
    if not tasks:
        return ""
    return (
        f"What is claimed of these rows is over {counted(tasks, 'task')}, and the scores here are over {scored}: "
        "the two are not comparable. The rows' pages have the claims."
    )


def sureness(board: Board) -> str:
    """Say in a few sentences how much of the order the data supports."""
    return " ".join([*_grouped(board), *_in_brackets(board)])


def _grouped(board: Board) -> Iterator[str]:
    groups = board.certainty.groups
    many = len(set(groups.values()))
    if not groups:
        return
    grounds = board.certainty.grounds_in_words
    if many == len(groups) > 1:
        yield f"The data tells all {many} rows apart. Places rest on {grounds}."
    elif len(groups) > 1:
        rows, parts = counted(len(groups), "row"), counted(many, "group")
        yield f"The {rows} fall into {parts} that share places: who is better within a group, the data cannot tell."
        yield _neighbours(board)
        yield f"Places rest on {grounds}."
    yield "The thin line on a bar is the score's 95 % interval."


def _neighbours(board: Board) -> str:
    """Say how many rows can't be told from the next one."""
    ranked = [entry for entry in board.entries if entry.id in board.certainty.groups]
    known = [found for entry in ranked if (found := board.certainty.contender(entry))]
    tied = sum(not better.leads(worse) for better, worse in pairwise(known))
    return f"Of {counted(len(known) - 1, 'pair')} of neighbours, {tied} cannot be told apart."


def _in_brackets(board: Board) -> Iterator[str]:
    """Say of places that nothing supports what they are."""
    unsure = [each for each in board.entries if each.id in board.ranks and each.id not in board.certainty.groups]
    if any(each.sheet for each in unsure):
        yield "Places in brackets follow the scores only: nothing tells how sure they are, as with a single task."
    if not all(each.sheet for each in unsure):
        yield "Places in brackets follow the printed values only: without raw data nothing tells how sure they are."
