"""The first sentence of each page, derived from the data.

`ranking_headlines` says who leads a board and which ranks a row may have, `work` which tasks were
finished, `task_kinds` which kind of task agents fail most often, and `news` what a release changed.
Most functions take a board or a release's events, and return an `answer.Answer`, or None if the
data supports no sentence. Read `ranking_headlines.board_answer` first.
"""
