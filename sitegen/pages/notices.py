"""What a reader of a board should know before trusting it: how sure its order is, and what is only reported."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.models.reported import Erratum, ReportedTable
from sitegen.pages import labels
from sitegen.problems import counted


class ErratumNote(NamedTuple):
    """Something that is wrong in a published table, with the anchor that marks lead to, and whom it concerns."""

    anchor: str
    erratum: Erratum
    agents: Sequence[str]


class SourceNote(NamedTuple):
    """What a reader should know about rows that come from a published table, or have figures of it beside their own."""

    told: str
    table: ReportedTable
    errata: Sequence[ErratumNote]


def source_notes(board: Board) -> list[SourceNote]:
    """Name the tables that a board's reported rows are in, with their errata."""
    notes: list[SourceNote] = []
    for table in board.results.reported_on(board.track):
        rows = [entry for entry in board.entries if entry.table is table]
        beside = [
            entry for entry in board.entries if any(other is table for _, other in entry.others)
        ]
        told = [counted(len(rows), "row")] if rows else []
        told += [f"other figures of {counted(len(beside), 'row')}"] if beside else []
        if told:
            notes.append(SourceNote(" and ".join(told), table, errata_of(table, rows)))
    return notes


def errata_of(table: ReportedTable, rows: Sequence[Entry]) -> list[ErratumNote]:
    """List a table's errata, each with the agents that it concerns, each once."""
    names = {entry.id: entry.agent.name for entry in rows}
    agents = [
        list(dict.fromkeys(names[row] for row in each.rows if row in names))
        for each in table.errata
    ]
    numbered = enumerate(zip(table.errata, agents, strict=True), start=1)
    return [ErratumNote(f"erratum-{table.date}-{number}", *each) for number, each in numbered]


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
        (
            claim.tasks if claim in score.incomparable else None,
            entry.coverage.scored if entry.coverage else 0,
        )
        for entry, score in claimed
        for claim in score.claims
    }
    if len(reasons) != 1 or len({entry.id for entry, _ in claimed}) == 1:
        return ""
    ((tasks, scored),) = reasons
    if not tasks:
        return ""
    return (
        f"What is claimed of these rows is over {counted(tasks, 'task')}, and the scores here are over {scored}: "
        "the two are not comparable. The rows' pages have the claims."
    )


def sureness(board: Board) -> str:
    """Say in a few sentences what the order of a board rests on."""
    return " ".join(filter(None, [grounds(board), *_in_brackets(board)]))


def grounds(board: Board) -> str:
    """Say what ranks rest on, and over how many pairs at once."""
    ranked = [entry for entry in board.entries if entry.id in board.certainty.ranks]
    number = len(ranked) * (len(ranked) - 1) // 2
    if not number:
        return ""
    pairs = "the only pair" if number == 1 else f"all {number:,} pairs"
    tested = f"Ranks rest on {board.certainty.grounds}, tested over {pairs} of rows at once (95 %)."
    return f"{tested}{_clusters(board)}"


def too_few_clusters(board: Board) -> str:
    """Say why nothing is tested where tasks lie in too few clusters; empty where they do not."""
    certainty = board.certainty
    if certainty.has_tasks or not certainty.has_several_tasks:
        return ""
    return (
        f"No score has an interval and no order is tested: tasks that share a "
        f"{certainty.cluster_word} depend on each other, {certainty.untested}."
    )


def _clusters(board: Board) -> str:
    """Say how many clusters tasks lie in, where tasks depend on each other."""
    certainty = board.certainty
    clusters = certainty.resampling.clusters
    if not clusters:
        return ""
    word, tasks = certainty.cluster_word, counted(len(certainty.resampling.tasks), "task")
    return (
        f" Tasks that share a {word} depend on each other: "
        f"the {tasks} lie in {counted(len(clusters), word)}, and these are what is tested."
    )


def _in_brackets(board: Board) -> Iterator[str]:
    """Say of ranks that nothing supports what they are."""
    unsure = _unsure(board)
    if any(each.sheet for each in unsure):
        why = board.certainty.untested or "nothing says how sure they are"
        yield too_few_clusters(board) or f"Ranks in brackets follow the scores only: {why}."
    if all(each.sheet for each in unsure):
        return
    follow = "Ranks in brackets follow the printed values only"
    if _counts_rounds(board):
        word = labels.rounds_word(board.benchmark)
        yield (
            f"{follow}: these count {word}s, those of one task hang together, and a test that takes each {word} for "
            "itself would find differences where there are none."
        )
    else:
        yield f"{follow}: without raw data nothing tells how sure they are."


def _unsure(board: Board) -> list[Entry]:
    """List the ranked rows of which nothing tells how sure their rank is."""
    return [each for each in board.placed if each.id not in board.certainty.ranks]


def _counts_rounds(board: Board) -> bool:
    """Whether a published table counts rounds, which are no sample of their own."""
    return any(not each.sheet and each.scores[board.headline.id].counted for each in _unsure(board))
