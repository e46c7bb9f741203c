"""The page of one line of a published table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sitegen.board.board import Board
from sitegen.board.entry import Entry, reported_score
from sitegen.board.score import Score
from sitegen.metrics.catalogue import METRICS
from sitegen.metrics.metric import Metric
from sitegen.models.reported import ReportedRow, ReportedTable
from sitegen.pages import addresses
from sitegen.pages.board import board_crumbs
from sitegen.pages.charts import entry_chart_views
from sitegen.pages.environment import Page, Templates
from sitegen.pages.evidence import evidence_view
from sitegen.pages.figures import score_rows
from sitegen.pages.notices import errata_of
from sitegen.pages.records import Records
from sitegen.pages.subjects import row_report
from sitegen.pages.takeaway import takeaway_of
from sitegen.pages.timeline import entry_timeline


@dataclass(frozen=True, slots=True)
class PrintedSplit:
    """A printed figure on parts of the tasks: its score by each value of an axis."""

    metric: Metric
    axis: str
    title: str
    scores: Sequence[tuple[str, Score]]


def reported_page(records: Records, entry: Entry, row: ReportedRow, table: ReportedTable, templates: Templates) -> Page:
    """Show a line of a published table as it was printed."""
    board = records.board
    address = addresses.entry_address(board.benchmark.id, board.track.id, entry.id)
    values = {
        "title": entry.agent.name,
        "crumbs": board_crumbs(board),
        "benchmark": board.benchmark,
        "track": board.track,
        "entry": entry,
        "table": table,
        "scores": score_rows(board, entry),
        "report": row_report(board, entry),
        "charts": entry_chart_views(board, entry),
        "splits": list(_splits(board, row)),
        "evidence": evidence_view(board, entry),
        "errata": errata_of(table, []),
        "timeline": entry_timeline(records, entry),
        "takeaway": takeaway_of(board, entry, records.releases, templates.site),
    }
    title = f"{entry.agent.name} on {board.benchmark.title}, {board.track.title}"
    text = templates.fill("reported.html.j2", address, values)
    return Page(address, title, f"{title}: reported scores.", text)


def _splits(board: Board, row: ReportedRow) -> Iterator[PrintedSplit]:
    axes = board.benchmark.axes
    for name, figure in row.values.items():
        for axis, groups in figure.groups.items() if name in METRICS else ():
            scores = [(value, reported_score(METRICS[name], each, board.track)) for value, each in groups.items()]
            yield PrintedSplit(METRICS[name], axis, axes[axis].title if axis in axes else axis, scores)
