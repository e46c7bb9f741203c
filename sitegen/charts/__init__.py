"""Charts and share cards: what each chart shows of a board, and how it is drawn.

In go boards; out come `chart.Chart` values with titles, sentences, panels and tables, and for each
panel a drawing: SVG made beside the build (`drawing`), or places in percent that a page draws
itself (`layout`). `board_charts` has the charts of a board, `analyses` those of its analyses page,
`history` scores over time and `cards` the share cards. Read `board_charts.board_charts` first. Only
this package knows Altair.
"""
