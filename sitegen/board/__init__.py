"""Boards: submissions scored, compared with their claims, and ranked.

In goes a benchmark's results as the store reads them; out comes a `Board` for each track, with its
rows, ranks, intervals, findings and problems, and from boards come documents, tables and sentences.
`review.make_boards` makes the boards: read it first, then `board.Board` and `entry.Entry`.
`inference` has intervals and rank tests, `ledger` and `changes` compare states over time, `export`,
`tables`, `rules` and `every_eval_ever` write what leaves the program, and `answers` what pages say.
"""
