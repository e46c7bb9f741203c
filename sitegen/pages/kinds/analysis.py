"""What the data of a board shows beyond its scores."""

from collections.abc import Iterator

from sitegen.board.answers.answer import answered
from sitegen.pages.environment import Templates
from sitegen.pages.findings import finding_views
from sitegen.pages.records import BoardRecords
from sitegen.pages.site import View, page_kind


@page_kind(BoardRecords, "analysis.html.j2")
def analysis_page(records: BoardRecords, _: Templates) -> Iterator[View]:
    """Show the analyses of a board, where its data allows any."""
    board, views = records.board, records.analyses
    if views:
        title = f"{board.benchmark.title}, {board.track.title}: analysis"
        values = {
            "title": "Analysis",
            "charts": views,
            "findings": finding_views(board) if board.track.superseded_by else [],
        }
        first = (view.chart.sentence.partition(". ")[0].removesuffix(".") for view in views)
        yield View(records.where.analysis, title, answered(*first), values)
