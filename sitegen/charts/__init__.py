"""Charts and share cards: what each chart shows of a board, and how it is drawn.

In: boards. Out: `chart.Chart` values with titles, sentences, panels and tables, and a drawing of
each panel: SVG made during the build (`drawing`), or positions in percent that a page draws itself
(`layout`). `board_charts` makes the charts of a board, `analyses` the charts of its analyses page,
`history` scores over time and `cards` the share cards. Read `board_charts.board_charts` first. Only
this package knows Altair.
"""
