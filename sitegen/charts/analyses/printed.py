"""What a track's sources print that is about no agent's score, as they print it."""

from collections.abc import Sequence
from decimal import Decimal

from sitegen.board.board import Board
from sitegen.board.score import GAP
from sitegen.charts.analyses.points import length_of
from sitegen.charts.chart import Bar, Chart, Ranking, Scale, Table, Words
from sitegen.models.reported import Exhibit
from sitegen.problems import counted, grouped

PRINTED = "printed-"
"""What the names of these charts begin with."""


def printed_charts(board: Board, _: Words) -> list[Chart]:
    """Show the exhibits of a track's published tables: no number of theirs is recomputed."""
    tables = board.results.reported_on(board.track)
    return [_exhibit_chart(board, exhibit) for table in tables for exhibit in table.exhibits]


def _exhibit_chart(board: Board, exhibit: Exhibit) -> Chart:
    heads = list(exhibit.columns)
    lines = [
        (_text(row[0]), [_told(exhibit, row, at) for at in range(1, len(heads))])
        for row in exhibit.rows
    ]
    sentence = f"As printed in {exhibit.where}, not recomputed here."
    if exhibit.note:
        sentence += f" {exhibit.note}"
    if exhibit.slips:
        sentence += f" {counted(len(exhibit.slips), 'cell')} known to be wrong: what would fit stands beside."
    if exhibit.beside:
        title, ours = _by_round(board, exhibit.beside)
        heads += [f"Tasks, {title}", f"Passed, {title} (%)"]
        lines = [(name, [*texts, *ours.get(name, (GAP, GAP))]) for name, texts in lines]
        sentence += (
            f" The last two columns are this site's, of other runs by another protocol: {title}."
        )
    panels = []
    if exhibit.draw:
        at = exhibit.columns.index(exhibit.draw)
        known = [(_text(row[0]), row[at]) for row in exhibit.rows]
        bars = [
            Bar(None, name, float(cell), str(cell))
            for name, cell in known
            if isinstance(cell, Decimal)
        ]
        panels = [Ranking(Scale(exhibit.draw), bars)]
    return Chart(PRINTED + exhibit.id, exhibit.title, sentence, panels, Table(heads, lines))


def _text(cell: Decimal | str) -> str:
    return str(cell).replace("-", "−") if isinstance(cell, Decimal) else cell or GAP


def _told(exhibit: Exhibit, row: Sequence[Decimal | str], at: int) -> str:
    fits = (
        each.should
        for each in exhibit.slips
        if (each.row, each.column) == (str(row[0]), exhibit.columns[at])
    )
    return "".join((_text(row[at]), *(f" ({should} fits)" for should in fits)))


def _by_round(board: Board, name: str) -> tuple[str, dict[str, tuple[str, str]]]:
    """A track's title; by the number of a round, how many tasks have it, and how often it is passed, in percent."""
    track = next(each for each in board.benchmark.tracks if each.id == name)
    lengths = [length_of(task) for task in board.results.tasks_of(track).tasks]
    published = (
        each
        for each in board.results.bundles_of(track)
        if each.submission.status.state == "published"
    )
    own = (
        each
        for bundle in published
        for each in bundle.rounds
        if each.start == "own" and each.state != "excluded"
    )
    passed = grouped((each.round, each.solved) for each in own)
    return track.title, {
        str(number): (
            str(sum(length >= number for length in lengths)),
            f"{100 * sum(found) / len(found):.1f}" if (found := passed[number]) else GAP,
        )
        for number in range(1, max(lengths, default=0) + 1)
    }
