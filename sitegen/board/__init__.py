"""Boards: submissions scored, compared with their claims, and ranked.

In goes a benchmark's results as the store reads them; out comes a `Board` for each track, with its
rows, ranks, intervals, findings and problems, and from boards come documents, tables and sentences.
`make_boards` makes the boards: read it first (`review`), then `Board` (`board`) and `Entry`
(`entry`), whose scores are each a `Score` (`score`). What is below is what other packages need.

Modules beside these: `inference` has intervals, rank tests and comparisons; `findings`, `claims`,
`reproduction`, `outliers`, `likeness` and `waivers` decide what counts and what is odd; `changes`,
`releases`, `ledger` and `causes` compare states over time; `export`, `tables`, `rules`,
`comparison_file`, `outcomes_file`, `every_eval_ever` and `hugging_face` write what leaves the
program; and `answers` what pages say first, which no other module of the package imports.
"""

from sitegen.board.board import Board, BoardEntry
from sitegen.board.entry import Entry
from sitegen.board.review import make_boards, problems_beside, problems_in
from sitegen.board.score import GAP, Claim, Score

__all__ = [
    "GAP",
    "Board",
    "BoardEntry",
    "Claim",
    "Entry",
    "Score",
    "make_boards",
    "problems_beside",
    "problems_in",
]
