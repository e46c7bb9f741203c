"""A column and a chart of the board: the worked example of `site_src/develop/structure.md`."""

from sitegen.board.board import Board
from sitegen.board.entry import Entry
from sitegen.board.score import GAP
from sitegen.charts.board_charts import MOST
from sitegen.charts.chart import AxisScale, Bar, Chart, ChartLabels, Ranking, Table
from sitegen.pages.standings import ColumnHead, StandingsColumn, TextCell


def failed_builds(entry: Entry) -> int | None:
    """Return the number of rounds in which no case ran; None if no round is known."""
    rounds = entry.bundle.rounds if entry.bundle else ()
    return sum(round_result.state == "no_cases" for round_result in rounds) if rounds else None


def cell(entry: Entry) -> TextCell:
    number = failed_builds(entry)
    return TextCell(GAP, "") if number is None else TextCell(str(number), number)


column = StandingsColumn(
    ColumnHead("failed_builds", "Failed builds", classes="sg-number", first_sort="ascending"), cell, "text", "sg-number"
)


def builds_chart(board: Board, labels: ChartLabels) -> Chart | None:
    """Return a chart of the rounds in which no case ran, by agent; None if no agent has known rounds."""
    drawn = [(index, entry) for index, entry in enumerate(board.entries) if not entry.has_missing_tasks]
    counted_entries = [(position, entry, failed_builds(entry)) for position, entry in drawn[:MOST]]
    bars = [
        Bar(bar_position, labels.names[entry.id], number, str(number))
        for bar_position, entry, number in counted_entries
        if number is not None
    ]
    if not bars:
        return None
    return Chart(
        id="failed-builds",
        title="Failed builds",
        sentence="Rounds in which no case ran, of each agent.",
        panels=[Ranking(AxisScale("Failed builds"), bars)],
        table=Table(["Agent", "Failed builds"], [(bar.name, [bar.text]) for bar in bars]),
    )
