"""What each page says first: sentences that follow from the data.

`ranking_headlines` says who leads a board and which ranks a row may have, `work` what was finished,
`task_kinds` which kind of task agents fail most often, and `news` what a release changed. Most
functions take a board, or a release's events, and return an `answer.Answer`, or None where the data
says nothing. Read `ranking_headlines.board_answer` first.
"""
