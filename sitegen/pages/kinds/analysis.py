"""What the data of a board shows beyond its scores."""

import re
from collections.abc import Iterator

from sitegen.board.answers.answer import answered
from sitegen.charts.analyses.printed import PRINTED
from sitegen.pages.charts import analysis_views
from sitegen.pages.environment import Templates
from sitegen.pages.records import BoardRecords
from sitegen.pages.site import View, page_kind
from sitegen.problems import counted

_NUMBER = re.compile(r"\d")
"""A sentence without one says how to read a chart, and not what it shows."""


@page_kind(BoardRecords, "analysis.html.j2")
def analysis_page(records: BoardRecords, _: Templates) -> Iterator[View]:
    """Show the analyses of a board, where its data allows any."""
    board, views = records.board, analysis_views(records.board)
    if views:
        title = f"{board.title}: analysis"
        own = [view.chart for view in views if not view.chart.id.startswith(PRINTED)]
        first = (chart.sentence.partition(". ")[0].removesuffix(".") for chart in own)
        printed = len(views) - len(own)
        last = (
            f"What the source prints beside its scores, in {counted(printed, 'table')}"
            if printed
            else ""
        )
        answer = answered(*filter(_NUMBER.search, first), last)
        yield View(records.where.analysis, title, answer, {"title": "Analysis", "charts": views})
