"""Boards: submissions scored, compared with their claims, and ranked.

In goes a benchmark's results as the store reads them; out comes a `Board` for each track, with its
rows, ranks, intervals, findings and problems, and from boards come documents, tables and sentences.
`making.make_boards` makes the boards: read it first, then `Board` (`board`) and `Entry` (`entry`),
whose scores are each a `Score` (`score`). What is below is what other packages need.

A table, row or score is *reported* where a paper or another leaderboard prints it, and *recomputed*
where it follows from results in the folder. A row is *published* unless it was withdrawn or
superseded. Published rows that do not compete, such as baselines, are listed *apart*.

The other modules:

- What counts and what is odd: `findings`, `claims`, `reproduction`, `waivers`, `outliers`,
  `likeness`, `usual` and `caveats`; `row_problems` collects the problems of rows, and `agents` says
  which submissions are of one agent.
- What a submission has: `evidence` of how it was made, and `case_records` for each test case.
  `splits` has scores on groups of tasks, and `explanation` the arithmetic of a score.
- How certain an order is: `inference`.
- What changed between two states, from release to release, or to a track's successor: `history`.
- What leaves the program: `export`, `tables`, `frames`, `rules`, `comparison_file`,
  `task_scores_file`, `outcomes_file`, `every_eval_ever` and `hugging_face`. `wording` writes
  numbers and names in sentences.
- What pages say first: `answers`, which no other module of the package imports.
"""

from sitegen.board.board import Board, BoardEntry
from sitegen.board.entry import Entry
from sitegen.board.making import make_boards
from sitegen.board.row_problems import problems_in, problems_outside_bundles
from sitegen.board.score import GAP, Claim, Score

__all__ = [
    "GAP",
    "Board",
    "BoardEntry",
    "Claim",
    "Entry",
    "Score",
    "make_boards",
    "problems_in",
    "problems_outside_bundles",
]
