"""The page on what a board's data shows beyond its scores."""

import re
from collections.abc import Iterator

from sitegen.board.answers.answer import answered
from sitegen.charts.analyses.printed import PRINTED
from sitegen.pages.charts import analysis_views
from sitegen.pages.environment import Templates
from sitegen.pages.records import BoardRecords
from sitegen.pages.site import View, page_kind
from sitegen.problems import counted

_DIGIT = re.compile(r"\d")
"""Matches a digit; a sentence without one explains how to read a chart, not what it shows."""


@page_kind(BoardRecords, "analysis.html.j2")
def analysis_page(records: BoardRecords, _: Templates) -> Iterator[View]:
    """Show the analyses of a board, if its data allows any."""
    board = records.board
    views = analysis_views(board)
    if not views:
        return
    sentences = []
    printed_tables = 0
    for view in views:
        if view.chart.id.startswith(PRINTED):
            printed_tables += 1
            continue
        sentence = view.chart.sentence.partition(". ")[0].removesuffix(".")
        if _DIGIT.search(sentence):
            sentences.append(sentence)
    if printed_tables:
        tables = counted(printed_tables, "table")
        sentences.append(f"Further results from the source, in {tables}")
    values = {"title": "Analysis", "charts": views}
    title = f"{board.title}: analysis"
    yield View(records.addresses.analysis, title, answered(*sentences), values)
