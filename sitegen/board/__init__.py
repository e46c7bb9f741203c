"""Boards: submissions scored, compared with their claims, and ranked.

`making.make_boards` takes a benchmark's results as the store reads them and returns a `Board` for
each track, with rows, ranks, intervals, findings and problems. Documents, tables and sentences are
then made from the boards. Read `make_boards` first, then `Board` (`board`) and `Entry` (`entry`),
each of whose scores is a `Score` (`score`). `__all__` lists the names that other packages use.

A table, row or score is *reported* if a paper or another leaderboard publishes it, and *recomputed*
if it is computed from results in the folder. A row is *published* unless it was withdrawn or
superseded. Published rows that do not compete, such as baselines, are listed *apart*.

The other modules:

- What counts and what is unusual: `findings`, `claims`, `reproduction`, `waivers`, `outliers`,
  `likeness`, `usual` and `caveats`; `row_problems` collects the problems of rows, and `agents`
  decides which submissions belong to the same agent.
- Details of a submission: `evidence` of how it was made, and `case_records` for each test case.
  `splits` has scores on groups of tasks, and `explanation` the arithmetic of a score.
- How certain the order of a board is: `inference`.
- What changed between two states, from release to release, or in a track's successor: `history`.
- What is written to files and data frames: `export`, `tables`, `frames`, `rules`,
  `comparison_file`, `task_scores_file`, `outcomes_file`, `every_eval_ever` and `hugging_face`.
  `wording` writes numbers and names in sentences.
- The first sentence of each page: `answers`, which no other module of the package imports.
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
